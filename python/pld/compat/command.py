"""The command line of python3 -m pld: options of runs, which go into the session."""

USAGE = "usage: python3 -m pld [OPTIONS] SCRIPT.py ARGS... | -m MODULE ARGS..."
HELP = USAGE + """

Runs a script with its kernels on simulated devices. Options hold for every call:
  --mem MODE            sc (default) or weak
  --check LIST          all (default), none, or names of checks
  --schedule WHAT       clock, random:SEED, pct:SEED:DEPTH, or the token of a report
  --seed N              of random inputs and schedules
  --max-steps N         ends a call after so many steps
  --time-limit S        ends a call after so many seconds
  --max-memory SIZE     ends a call that takes more: 512M, 4G
  --platform-set N=V    a number of the platform; may be repeated
  --explore[=N]         explore up to N executions of each call first
  --cost[=json]         the cost card of each call, on standard error
  --trace FILE          a trace of each call; call k > 1 goes to NAME.k.EXT
  --timeline FILE       a drawing of each call, .svg or .html
  --report junit:FILE   the verdict of each call for continuous integration
  --print NAME[SLICE]   shows a host tensor, or w[RANK][SLICE], after each call; may be repeated
  --watch NAME[CELL]    shows every change of a cell or element; may be repeated
  --no-print            does not show what pl.debug_print says
  -j, --jobs N          threads
  -q, --quiet           no notes
  -v, --verbose         what has no effect here, too
  --version, -h, --help
"""
_VALUES = ("mem", "check", "schedule", "seed", "max-steps", "time-limit", "max-memory", "platform-set", "trace", "timeline",
           "report", "print", "watch", "jobs")
# How Program.run calls what is called otherwise on the command line.
_KEYWORDS = {"max-steps": "max_steps", "time-limit": "timeout", "max-memory": "max_memory"}
_NUMBERS = {"seed": int, "max-steps": int, "time-limit": float, "jobs": int}


class Usage(Exception):
    pass


def _option(s, name, value):
    if name == "platform-set":
        key, equals, number = value.partition("=")
        if not equals:
            raise Usage(f"--platform-set takes NAME=VALUE, not '{value}'")
        s.platform_set[key] = number
    elif name in ("trace", "timeline"):
        s.files[name] = value
    elif name == "report":
        kind, colon, path = value.partition(":")
        if kind != "junit" or not path:
            raise Usage(f"--report takes junit:FILE, not '{value}'")
        s.files[name] = path
    elif name in ("print", "watch"):
        s.run.setdefault(name, []).append(value)
    elif name in _NUMBERS:
        try:
            s.run[_KEYWORDS.get(name, name)] = _NUMBERS[name](value)
        except ValueError:
            raise Usage(f"--{name} takes a number, not '{value}'") from None
    else:
        s.run[_KEYWORDS.get(name, name)] = value


def _flag(s, name, value):
    """Options that take no value, or one after '=' alone; False for others."""
    if name == "explore":
        s.explore = _number("explore", value) if value is not None else 200000
    elif name == "cost" and value in (None, "json", "text"):
        s.cost = value or "text"
    elif value is not None:
        return False
    elif name in ("quiet", "q"):
        s.quiet = True
    elif name == "no-print":
        s.run["no_print"] = True
    elif name in ("verbose", "v"):
        s.verbose = True
    else:
        return False
    return True


def _number(name, value):
    if not value.isdigit() or int(value) == 0:
        raise Usage(f"--{name} takes a number, not '{value}'")
    return int(value)


def parse(arguments, s):
    """Options into the session; (module or None, [SCRIPT, ARGS...])."""
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word == "-m":
            if not rest:
                raise Usage("-m takes a module")
            return rest[0], rest
        if word == "--":
            break
        if word.startswith("-j") and word[2:].isdigit():
            word = f"--jobs={word[2:]}"
        word = "--jobs" if word == "-j" else word
        name, equals, value = word.lstrip("-").partition("=")
        if _flag(s, name, value if equals else None):
            continue
        if not word.startswith("--") or name not in _VALUES:
            raise Usage(f"unknown option '{word}'")
        if not equals:
            if not rest:
                raise Usage(f"--{name} takes a value")
            value = rest.pop(0)
        _option(s, name, value)
    return None, rest
