"""@pl.program, @pl.function, @pl.inline, @pld.init and @pld.golden, and what else runs outside kernels."""
from . import ir, jit, record, values
from .values import Decorator


class KernelFunction(jit.Decorated):
    """A function decorated with @pl.function: a method of a program, or a kernel beside one."""

    def __init__(self, fn, frame, kind, options):
        self.func_type = kind
        super().__init__(fn, frame, True, "pl.function", options)

    def __call__(self, *args, **kw):
        raise TypeError(f"{self.__name__} works in a kernel only: programs are compiled whole, with ir.compile")

    def as_python(self):
        lines = self._record.text.splitlines(True)[self._record.line - 1:]
        return "".join(lines[:self.__wrapped__.__code__.co_firstlineno])


_OPTIONS = ("type", "level", "role", "attrs", "auto_scope", "external_source", "strict_ssa", "name")


def _function(fn=None, **options):
    """A function of a program: type= for device code, level= and role= for the host."""
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"@pl.function has no option {name}")
    kind = getattr(options.get("type"), "name", "host" if options.get("level") is not None else "Opaque").lower()
    kind = "subworker" if getattr(options.get("role"), "name", None) == "SubWorker" else kind
    if fn is None:
        return lambda f: KernelFunction(f, record.caller(), kind, options)
    return KernelFunction(fn, record.caller(), kind, options)


def _inline(fn=None, **options):
    """A function that is spliced where it is called."""
    if fn is None:
        return lambda f: jit.JITFunction(f, "inline", record.caller(), "pl.inline", options)
    return jit.JITFunction(fn, "inline", record.caller(), "pl.inline", options)


def _element(fn=None, **options):
    """The elements of an input, or what those of an output must be: for pldc and pldrun. In Python arrays say it."""
    return fn if fn is not None else lambda f: f


function = Decorator("pl.function", _function)
inline = Decorator("pl.inline", _inline)
program = Decorator("pl.program", ir.program)
world_size = Decorator("pld.world_size", values.world_size)
init = Decorator("pld.init", _element)
golden = Decorator("pld.golden", _element)
