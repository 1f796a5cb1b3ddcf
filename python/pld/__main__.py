"""python3 -m pld [OPTIONS] SCRIPT.py ARGS...: runs a script of the Python system as it stands.

Options are those of pldrun about runs. They stand before the script and hold for every call of a kernel in it;
what follows the script is the script's.
"""
import io
import os
import runpy
import sys
import traceback
import warnings

from . import errors
from .compat import install, session
from .compat.command import HELP, USAGE, Refused, Usage, judge, parse

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
    own = os.path.join(os.path.dirname(path), "pld.py")
    if os.path.exists(own):
        session.say_once(f"note: import pld is this package, not {own}")
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
    if s.quiet:
        warnings.simplefilter("ignore", errors.CompileWarning)
    try:
        _module(module) if module else _script(rest[0])
    except errors.Error as e:
        return _report(e)
    except SystemExit as e:
        if e.code or not _unused(rest[0], s):
            raise
        return 2
    except KeyboardInterrupt:
        raise
    except BaseException as e:  # noqa: B902  printed as python3 would
        return _foreign(e)
    return 2 if _unused(rest[0], s) else 0


def _unused(name, s):
    """Says so where a token has replayed nothing of the script."""
    if not s.token or s.tokens_used:
        return False
    why = f"no call of {name} is of the program that --schedule={s.token} replays"
    session.say(f"python3 -m pld: error: {why}{': ' + s.token_why if s.token_why else ''}")
    return True


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
        judge(s)
    except Refused as e:
        session.say(f"python3 -m pld: error: {e}")
        return 2
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
