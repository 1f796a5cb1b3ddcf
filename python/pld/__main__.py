"""python3 -m pld [OPTIONS] SCRIPT.py ARGS...: runs a script of the Python system as it stands.

Options are those of pldrun about runs. They stand before the script and hold for every call of a kernel in it;
what follows the script is the script's.
"""
import io
import os
import runpy
import sys
import traceback

from . import errors
from .compat import install, session

USAGE = "usage: python3 -m pld [OPTIONS] SCRIPT.py ARGS... | -m MODULE ARGS..."
HELP = USAGE + """

Runs a script with its kernels on simulated devices. Options hold for every call:
  --mem MODE            sc (default) or weak
  --check LIST          all (default), none, or names of checks
  --schedule WHAT       clock, random:SEED, pct:SEED:DEPTH, or the token of a report
  --seed N              of random inputs and schedules
  --max-steps N         ends a call after so many steps
  --time-limit S        ends a call after so many seconds
  --platform-set N=V    a number of the platform; may be repeated
  --explore[=N]         explore up to N executions of each call first
  --cost[=json]         the cost card of each call, on standard error
  --trace FILE          a trace of each call; call k > 1 goes to NAME.k.EXT
  --timeline FILE       a drawing of each call, .svg or .html
  -q, --quiet           no notes
  -v, --verbose         what has no effect here, too
  --version, -h, --help
"""
_VALUES = ("mem", "check", "schedule", "seed", "max-steps", "time-limit", "platform-set", "trace", "timeline")
# How Program.run calls what is called otherwise on the command line.
_KEYWORDS = {"max-steps": "max_steps", "time-limit": "timeout"}
_NUMBERS = {"seed": int, "max-steps": int, "time-limit": float}


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
    elif name in _NUMBERS:
        try:
            s.run[_KEYWORDS.get(name, name)] = _NUMBERS[name](value)
        except ValueError:
            raise Usage(f"--{name} takes a number, not '{value}'") from None
    else:
        s.run[name] = value


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


def _report(error):
    """What an uncaught error of pld prints: its text, no frames of Python."""
    session.say(str(error))
    if os.environ.get("PLD_BACKTRACE"):
        session.say("".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip())
    else:
        session.say("note: PLD_BACKTRACE=1 shows Python's traceback")
    return 1


def _foreign(error):
    """Other exceptions print as python3 prints them, without the frames of this file."""
    tb = error.__traceback__
    own = (os.path.abspath(__file__), runpy.__file__, "<frozen runpy>")
    while tb is not None and (tb.tb_frame.f_code.co_filename in own or
                              os.path.abspath(tb.tb_frame.f_code.co_filename) in own):
        tb = tb.tb_next
    sys.excepthook(type(error), error.with_traceback(tb), tb)
    return 1


def _script(path):
    """Runs a file as __main__, as python3 does."""
    if os.path.isdir(path) or path.endswith(".zip"):
        sys.path[0] = path
        runpy.run_path(path, run_name="__main__")
        return
    with io.open_code(os.path.abspath(path)) as f:
        code = compile(f.read(), path, "exec", dont_inherit=True)
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __cached__=None)
    exec(code, main.__dict__)


def _module(name):
    sys.path[0] = os.getcwd()
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def run(module, rest, s):
    sys.argv = list(rest)
    s.command = (["-m"] if module else []) + list(rest)
    install(s.verbose)
    try:
        _module(module) if module else _script(rest[0])
    except errors.Error as e:
        return _report(e)
    except SystemExit:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as e:  # noqa: B902  printed as python3 would
        return _foreign(e)
    token = s.run.get("schedule", "")
    if "." in token and not s.tokens_used:
        session.say(f"python3 -m pld: error: no call of {rest[0]} is of the program that --schedule={token} replays")
        return 2
    return 0


def main(arguments):
    s = session.current
    if arguments[:1] in (["-h"], ["--help"]):
        print(HELP, end="")
        return 0
    if arguments[:1] == ["--version"]:
        from . import __version__
        print(f"pld {__version__}")
        return 0
    try:
        module, rest = parse(arguments, s)
    except Usage as e:
        session.say(f"python3 -m pld: error: {e}\n{USAGE}")
        return 2
    if not rest:
        session.say(USAGE)
        return 2
    if not module and not os.path.exists(rest[0]):
        session.say(f"python3 -m pld: error: can't open file '{rest[0]}': no such file")
        return 2
    return run(module, rest, s)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
