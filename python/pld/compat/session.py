"""What holds for every call of a script: the options that stood before it on the command line."""
import os
import sys

from .. import _lib

_said = set()
_ENDINGS = {"trace": "json", "timeline": "html", "report": "xml"}


class Session:
    """Options of runs by their long names, and what is written about each call."""

    def __init__(self):
        self.run = {}  # options of pldrun about runs
        self.platform_set = {}
        self.explore = None  # bound of the exploration before each call; None: none
        self.cost = False
        self.files = {}  # "trace", "timeline", "report": where they go
        self.quiet = self.verbose = False
        self.calls = 0
        self.tokens_used = 0  # calls that the token of --schedule replayed
        self.token_why = None  # why one of its program did not
        self.command = None  # ["SCRIPT", "ARGS"...] of python3 -m pld

    @property
    def token(self):
        """The replay token of --schedule; "" for another schedule."""
        text = self.run.get("schedule", "")
        return text if _lib.lib.pld_token_hash(text.encode()) else ""

    @property
    def plain(self):
        """Are runs as they are when nothing is said?"""
        return not (self.run or self.platform_set or self.files or self.cost) and self.explore is None

    def file_of_call(self, kind):
        """Where call number `self.calls` writes: FILE, then FILE.2.EXT, FILE.3.EXT; in a folder DIR/kind_1.EXT."""
        path, k = self.files[kind], self.calls
        if path.endswith("/") or os.path.isdir(path):
            os.makedirs(path, exist_ok=True)
            return os.path.join(path, f"{kind}_{k}.{_ENDINGS[kind]}")
        stem, extension = os.path.splitext(path)
        return path if k == 1 else f"{stem}.{k}{extension}"


current = Session()


def say(text):
    print(text, file=sys.stderr)


def say_once(text):
    """A line on stderr, once in this process, not under -q."""
    if not current.quiet and text not in _said:
        _said.add(text)
        say(text)


def say_verbose(text):
    if current.verbose and text not in _said:
        _said.add(text)
        say(text)
