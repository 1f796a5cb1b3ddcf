"""The command line of python3 -m pld: options of runs, which go into the session."""
import os

from .. import _arrays, _run, program as _program

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
_NUMBERS = {"seed": int, "max-steps": int, "time-limit": float, "jobs": int}


# What options are tried on before a script runs.
_PROBE = """import pypto.language as pl
@pl.jit.incore
def step(x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]):
    return pl.store(pl.load(x, [0], [8]), [0], y)
@pl.jit
def chip(x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]):
    return step(x, y)
@pl.jit.host
def host(x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]):
    return chip(x, y, device=0)
"""


class Usage(Exception):
    """What is no command line; the message goes before the usage."""


class Refused(Usage):
    """The value of an option is none; the message says it all."""


def _option(s, name, value):
    if name == "platform-set":
        key, equals, number = value.partition("=")
        if not equals:
            raise Refused(f"--platform-set takes NAME=VALUE, not '{value}'")
        s.platform_set[key] = number
    elif name in ("trace", "timeline"):
        s.files[name] = value
    elif name == "report":
        kind, colon, path = value.partition(":")
        if kind != "junit" or not path:
            raise Refused(f"--report takes junit:FILE, not '{value}'")
        s.files[name] = path
    elif name in ("print", "watch"):
        s.run.setdefault(name, []).append(value)
    elif name in _NUMBERS:
        try:
            s.run[name.replace("-", "_")] = _NUMBERS[name](value)
        except ValueError:
            raise Refused(f"--{name} takes a number, not '{value}'") from None
    else:
        s.run[name.replace("-", "_")] = value


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
        raise Refused(f"--{name} takes a number, not '{value}'")
    return int(value)


def _judge_file(kind, path):
    """Can a file be written there? A folder that is not there is made by the first call."""
    if path.endswith("/") or os.path.isdir(path):
        return
    if kind == "timeline" and not path.endswith((".svg", ".html")):
        raise Refused(f"--timeline takes a FILE.svg or FILE.html, or a folder, not '{path}'")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise Refused(f"cannot write {path}: No such file or directory")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise Refused(f"cannot write {path}: Permission denied")


def judge(s):
    """Refuses values that no call could take: before a script runs, not at its first call. Files are where the command
    stands, wherever the script goes."""
    for kind, path in s.files.items():
        _judge_file(kind, path)
        s.files[kind] = os.path.join(os.getcwd(), path)
    if not s.run and not s.platform_set:
        return
    probe = _program.compile(_PROBE)
    try:
        _run._Slot(probe).options(probe._split(s.run)[1])
        if s.platform_set:  # is held against a program
            probe.run(_arrays.empty([8], "FP32", None), platform_set=s.platform_set)
    except ValueError as e:
        raise Refused(str(e)) from None


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
