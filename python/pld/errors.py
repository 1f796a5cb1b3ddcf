"""What a compile or a run that fails raises.

`str()` of an error is the text that the tools print. Every error can be pickled.
"""

__all__ = ["Error", "CompileError", "RunError", "DeadlockError", "CheckError", "FaultError", "StepLimitError",
           "GoldenError", "InternalError", "OutOfMemory", "TokenError", "CompileWarning", "ParserError", "ParserSyntaxError",
           "ParserTypeError", "UndefinedVariableError", "InvalidOperationError", "UnsupportedFeatureError",
           "SSAViolationError", "ScopeIsolationError", "PartialCodegenError", "Diagnostic"]


class Diagnostic:
    """One message of the compiler: .severity ("error", "warning", "note"), .code, .file, .line, .col, .end_line,
    .end_col, .message, and .notes, the messages that belong to it."""

    __slots__ = ("severity", "code", "file", "line", "col", "end_line", "end_col", "message", "notes")

    def __init__(self, severity, code, file, line, col, end_line, end_col, message):
        self.severity, self.code, self.file, self.line, self.col = severity, code, file, line, col
        self.end_line, self.end_col, self.message, self.notes = end_line, end_col, message, []

    def __repr__(self):
        return f"{self.file}:{self.line}:{self.col}: {self.severity}: {self.message}"


class CompileWarning(UserWarning):
    """A warning of the compiler, raised at the kernel's own file and line."""


class Error(Exception):
    """Everything that pld raises by itself, but wrong arguments: those are ValueError and TypeError."""

    def _render_traceback_(self):  # IPython: the text says where, Python's frames do not
        return [f"{type(self).__name__}: {self}"]

    def __reduce__(self):
        return _revive, (type(self), self.args, self.__dict__)


def _revive(kind, args, state):
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class TokenError(ValueError):
    """A replay token that is for another program, another platform or other inputs."""


class InternalError(Error):
    """An error of pld itself."""


class OutOfMemory(Error, MemoryError):
    """Memory did not suffice, the machine's or that of `max-memory`."""


class CompileError(Error):
    """A program that does not compile. .diagnostics lists what is wrong, .text is what pldc prints."""

    def __init__(self, text, diagnostics=()):
        super().__init__(text)
        self.text, self.diagnostics = text, list(diagnostics)

    def __str__(self):
        return self.text

    @property
    def first(self):
        """The first diagnostic that is an error, or None."""
        return next((d for d in self.diagnostics if d.severity == "error"), None)

    @property
    def message(self):
        return self.first.message if self.first else self.text

    @property
    def span(self):
        d = self.first
        return {"filename": d.file, "line": d.line, "column": d.col} if d else None

    @property
    def hint(self):
        return next((n.message for n in self.first.notes), None) if self.first else None


ParserError = CompileError


class ParserSyntaxError(CompileError):
    pass


class ParserTypeError(CompileError):
    pass


class UndefinedVariableError(CompileError):
    pass


class InvalidOperationError(CompileError):
    pass


class UnsupportedFeatureError(CompileError):
    pass


class SSAViolationError(CompileError):
    pass


class ScopeIsolationError(CompileError):
    pass


_BY_CODE = {"syntax": ParserSyntaxError, "type": ParserTypeError, "shape": ParserTypeError, "value": ParserTypeError,
            "memory": ParserTypeError,
            "name": UndefinedVariableError, "op": InvalidOperationError, "unsupported": UnsupportedFeatureError,
            "level": ScopeIsolationError}


def compile_error(text, diagnostics):
    """The CompileError whose class says what kind of mistake comes first."""
    first = next((d for d in diagnostics if d.severity == "error"), None)
    return _BY_CODE.get(first.code if first else None, CompileError)(text, diagnostics)


class PartialCodegenError(CompileError, RuntimeError):
    """A mistake that was found after parsing."""


def _late(kind):
    name = f"Late{kind.__name__}"
    return type(name, (kind, PartialCodegenError), {"__module__": __name__, "__doc__": f"{kind.__name__}, after parsing."})


# Each of the classes above, as what is raised after parsing.
_LATE = {kind: _late(kind) for kind in {*_BY_CODE.values(), SSAViolationError}}
globals().update({kind.__name__: kind for kind in _LATE.values()})


def after_parsing(error):
    """A CompileError as the PartialCodegenError that it also is."""
    kind = _LATE.get(type(error), PartialCodegenError)
    return error if isinstance(error, PartialCodegenError) else kind(error.text, error.diagnostics)


class RunError(Error):
    """A run that failed. .result has everything, .reports its reports, .token what replays it."""

    def __init__(self, text, result):
        super().__init__(text)
        self.text, self.result = text, result

    def __str__(self):
        return self.text

    @property
    def reports(self):
        return self.result.reports

    @property
    def token(self):
        return self.result.token


class DeadlockError(RunError):
    pass


class CheckError(RunError):
    """A check fired. The outputs were written all the same, and may even be right."""


class FaultError(RunError):
    pass


class StepLimitError(RunError):
    pass


class GoldenError(RunError, AssertionError):
    """An output is not its golden."""


BY_STATUS = {1: GoldenError, 3: DeadlockError, 4: CheckError, 5: FaultError, 6: StepLimitError}
