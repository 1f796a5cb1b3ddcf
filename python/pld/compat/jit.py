"""Decorated functions: recorded, compiled when they are called with arrays, cached by what they depend on."""
import collections
import functools

import numpy as np

from .. import _arrays, errors, program as _program
from . import link, record, values
from .compiled import compiled_program
from .config import DistributedConfig, RunConfig
from .options import Options

KEPT = 64  # compilations per function


class Runtime:
    """pl.RUNTIME: a scalar that compile() leaves to the calls."""

    def __repr__(self):
        return "pl.RUNTIME"


RUNTIME = Runtime()
WHOLE = "as annotated"  # an array for a parameter whose type the text says


class Decorated:
    """A function of the language: what any of the decorators returns."""

    func_type = "opaque"

    def __init__(self, fn, frame, at_decoration, decorator, options):
        functools.update_wrapper(self, fn)
        self._record = record.of_function(fn, frame, at_decoration)
        self._record.written = (decorator, options)
        names, self._annotations, self._signature = record.parameters(fn)
        self._parameters = names[1:] if names[:1] == ("self",) else names
        if at_decoration:
            self._record.names()

    @staticmethod
    def record_of_value(value):
        return value._record

    def __get__(self, instance, owner=None):
        return self  # kernels in classes of tests have no self

    def __repr__(self):
        return f"{type(self).__name__}({self.__name__!r}, func_type={self.func_type!r})"

    def __reduce__(self):
        return _find, (self.__module__, self.__qualname__)


def _find(module, name):
    import importlib
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _is_bare(annotation):
    """Does an annotation leave the type to the argument?"""
    if isinstance(annotation, str):
        inner = annotation.rpartition("[")[2].rstrip("] ") if annotation.count("[") == 1 else annotation
        return inner.rpartition(".")[2].strip() in ("Tensor", "DistributedTensor")
    return isinstance(annotation, values.Form) or (isinstance(annotation, values.Type) and annotation.bare)


def _is_out(annotation):
    """Is it pl.Out[...]?"""
    text = annotation if isinstance(annotation, str) else annotation.form.source if isinstance(annotation, values.Type) else ""
    return text.split("[")[0].rpartition(".")[2].strip() == "Out"


class JITFunction(Decorated):
    """A function decorated with @pl.jit or one of its kin. Called with arrays it is compiled for them and run."""

    def __init__(self, fn, kind, frame, decorator, options):
        self.func_type = kind
        super().__init__(fn, frame, False, decorator, options)
        self._outs = [n for n in self._parameters if _is_out(self._annotations.get(n))]
        self._defaults = {n: p.default for n, p in self._signature.parameters.items() if p.default is not p.empty}
        self._bare = {n for n in self._parameters if _is_bare(self._annotations.get(n))}
        self._cache = collections.OrderedDict()
        self._free = {}  # parameter -> axes that are dynamic
        self._pictured = None

    # ---- arguments

    def _bind(self, args, kw, partial):
        """Arguments by parameter, in order."""
        for name in kw:
            if name not in self._parameters:
                raise TypeError(f"{self.__name__} takes no {name}; options go in config=RunConfig(...)"
                                if name in RunConfig.__dataclass_fields__ else
                                f"{self.__name__} takes no {name}; it takes {', '.join(self._parameters)}")
        if len(args) > len(self._parameters):
            raise TypeError(f"{self.__name__} takes {len(self._parameters)} arguments ({', '.join(self._parameters)}), "
                            f"got {len(args)}")
        names = self._parameters
        if not partial and self._are_left_out(len(args), kw):
            names = [n for n in names if n not in self._outs]
        given = dict(zip(names, args))
        for name, value in kw.items():
            if name in given:
                raise TypeError(f"{self.__name__}: {name} is given twice")
            given[name] = value
        for name, default in self._defaults.items():
            given.setdefault(name, default)
        return given

    def _are_left_out(self, n, kw):
        """Is one array too few given for each output, which is the style that returns them?"""
        wanted = [p for p in self._parameters if p not in self._defaults and p not in kw]
        return bool(self._outs) and n <= len(wanted) - len([p for p in self._outs if p not in kw])

    def _types(self, given):
        """What the compilation depends on of each argument: its type where the annotation leaves it open, WHOLE where
        it does not, the value of a number."""
        out = {}
        for name in self._parameters:
            if name not in given or isinstance(given[name], Runtime):
                continue
            v = given[name]
            if isinstance(v, _program.Spec):
                v = link.Spec(v.shape, v.dtype)
            if isinstance(v, (bool, int, float)):
                out[name] = v
            elif isinstance(v, np.generic):
                out[name] = v.item()
            elif not isinstance(v, link.Spec) and not _arrays.is_array(v):
                raise TypeError(f"{name}: {type(v).__name__} is no array and no number")
            elif name not in self._bare:
                out[name] = WHOLE
            else:
                out[name] = v if isinstance(v, link.Spec) else link.Spec.of(v, name)
        return out

    def _check_open(self, types, given):
        """Parameters annotated pl.Tensor alone have the type of what comes for them."""
        missing = [n for n in self._parameters if n in self._bare and n not in given]
        if missing:
            raise TypeError(f"{self.__name__} is called without {', '.join(missing)}: annotated without extents and a dtype, "
                            f"the type is that of the argument; give an array, or annotate it as pl.Out[pl.Tensor[[M, N], pl.FP32]] "
                            f"to have an output returned")

    def _key_of_types(self, types):
        key = []
        for name, t in types.items():
            if isinstance(t, link.Spec):
                free = self._free.get(name, ())
                t = (t.dtype, tuple(None if i in free else n for i, n in enumerate(t.shape)))
            key.append((name, type(t), t))
        return tuple(key)

    # ---- compiling

    def _picture(self):
        if self._pictured is None or not self._pictured.is_current():
            self._pictured = link.Picture(self._record)
        return self._pictured

    def _compiled(self, given, config, keep=False):
        if self.func_type == "inline":
            raise TypeError(f"{self.__name__} is inlined where kernels call it: it cannot be called by itself")
        types = self._types(given)
        self._check_open(types, given)
        options = Options.of(config, keep)
        picture = self._picture()
        key = (picture.key, self._key_of_types(types), options.key)
        found = self._cache.get(key)
        if found is not None:
            self._used(key)
            return found
        program = link.compile_record(self._record, picture, options, {n: t for n, t in types.items() if t is not WHOLE})
        for p in program.params:
            free = tuple(i for i, n in enumerate(p.shape) if n < 0)
            if free:
                self._free[p.name] = free
        key = (picture.key, self._key_of_types(types), options.key)
        made = compiled_program(program, self, options, self._parameters)
        self._cache[key] = made
        if len(self._cache) > KEPT:
            self._cache.popitem(last=False)
        return made

    def _used(self, key):
        try:
            self._cache.move_to_end(key)
        except KeyError:  # another thread dropped it
            pass

    def compile(self, *args, config=None, **kw):
        """A CompiledProgram for arguments like these; without arrays, for the annotated types."""
        return self._compiled(self._bind(args, kw, True), _config(config))

    def lower(self, *args, config=None, **kw):
        """The program after the passes, for arguments like these."""
        return self._compiled(self._bind(args, kw, True), _config(config), True).program

    def __call__(self, *args, config=None, **kw):
        config = _config(config)
        given = self._bind(args, kw, False)
        compiled = self._compiled(given, config)
        if config is not None and config.codegen_only:
            return compiled
        return compiled.launch(given, config)


def _config(config):
    if config is None or isinstance(config, RunConfig):
        return config
    if isinstance(config, DistributedConfig):
        return RunConfig(distributed_config=config)
    raise TypeError(f"config is a RunConfig, got {type(config).__name__}")


# ---- decorators

def _decorator(kind):
    written = "pl.jit" if kind == "orchestration" else f"pl.jit.{kind}"

    def decorate(fn=None, **options):
        for name in options:
            if name not in ("auto_scope", "attrs", "strict_ssa", "name"):
                raise TypeError(f"@{written} has no option {name}")
        if fn is None:
            return lambda f: JITFunction(f, kind, record.caller(), written, options)
        return JITFunction(fn, kind, record.caller(), written, options)
    return values.Decorator(written, decorate)


class Extern(Decorated):
    """A kernel written in C++: refused where it is called, by the compiler where a kernel calls it."""

    func_type = "extern"

    def __init__(self, fn, frame, options):
        super().__init__(fn, frame, False, "pl.jit.extern", options)

    def __call__(self, *args, **kw):
        raise errors.UnsupportedFeatureError(f"{self.__name__} is a kernel in C++ (@pl.jit.extern): such kernels do not run "
                                             f"here", [])


class Jit(values.Named):
    """@pl.jit, and @pl.jit.incore, .host, .inline, .opaque, .extern."""

    source = "pl.jit"

    def __init__(self):
        self._plain = _decorator("orchestration")
        self.incore, self.host = _decorator("incore"), _decorator("host")
        self.inline, self.opaque = _decorator("inline"), _decorator("opaque")

    def __call__(self, fn=None, **options):
        return self._plain(fn, **options)

    def extern(self, fn=None, **options):
        if fn is None:
            return lambda f: Extern(f, record.caller(), options)
        return Extern(fn, record.caller(), options)

    def __repr__(self):
        return "<pl.jit>"


jit = Jit()
inline = _decorator("inline")
