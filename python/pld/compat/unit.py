"""One compilation of definitions that were recorded: the library's unit, with values of scripts as its values."""
import ctypes
import enum
import math
import types
import warnings

from .. import _lib, errors, program as _program
from . import values


def to_value(v):
    """The library's value for one of a script. TypeError when there is none."""
    if isinstance(v, enum.Enum) and hasattr(type(v), "source"):
        return _lib.value(_lib.V_ENUM, text=repr(v))
    plain = _lib.plain(v) if v is None or type(v) in (bool, int, float, str) else None
    if plain is not None:
        return plain
    if isinstance(v, (tuple, list)):
        return _lib.value(_lib.V_LIST if isinstance(v, list) else _lib.V_TUPLE, items=[to_value(i) for i in v])
    if isinstance(v, dict):
        return _lib.value(_lib.V_DICT, items=[to_value(i) for pair in v.items() for i in pair])
    if isinstance(v, values.DataType):
        return _lib.value(_lib.V_DTYPE, text=v.name)
    if isinstance(v, values.Extent):
        return _lib.value(_lib.V_EXTENT, text=v.source)
    if isinstance(v, values.Type):
        return _type(v)
    if isinstance(v, types.ModuleType):
        return _lib.value(_lib.V_OP, text=_MODULES.get(v.__name__, v.__name__))
    if isinstance(v, types.BuiltinFunctionType):
        return _lib.value(_lib.V_OP, text=f"math.{v.__name__}")
    if isinstance(v, values.Named) or (isinstance(v, type) and isinstance(getattr(v, "source", None), str)):
        return _lib.value(_lib.V_OP, text=v.source)
    if isinstance(v, enum.Enum) and not isinstance(v, (int, float, str)):
        return _lib.value(_lib.V_TEXT, text=values.source(v))
    if type(v).__module__ == "numpy" and getattr(v, "shape", None) == ():
        return to_value(v.item())
    if isinstance(v, (int, float, str)):
        return to_value({int: int, float: float, str: str}[next(t for t in (int, float, str) if isinstance(v, t))](v))
    raise TypeError(f"{type(v).__name__} is nothing that a kernel knows")


_MODULES = {"pypto.language": "pl", "pypto.language.distributed": "pld", math.__name__: "math"}
_ROWS = ("pl.ND", "pl.TensorLayout.ND", "pl.TensorView(layout=pl.TensorLayout.ND)")
_DIRS = {"pl.Out": _lib.OUT, "pl.InOut": _lib.INOUT}


def _type(t):
    direction = _DIRS.get(t.form.source, _lib.IN)
    inner = t.args[0] if t.form.source in _DIRS else t
    if not isinstance(inner, values.Type):
        return _lib.value(_lib.V_OP, text=values.source(inner))
    if inner.form.source == "pl.Scalar":
        return _lib.tensor_type(inner.args[0].name, [], inner.form.source, direction)
    dims, dtype = inner.args[0], inner.args[1]
    if any(values.source(a) not in _ROWS for a in inner.args[2:]):
        raise TypeError(f"{inner} is laid out in another way than row by row")
    items = [to_value(d) for d in dims]
    return _lib.value(_lib.V_TYPE, text=inner.form.source, dtype=_lib.DTYPES.index(dtype.name), dir=direction, items=items)


class Unit:
    """Takes definitions out of texts, binds their names, compiles one of them."""

    def __init__(self):
        self._unit = _program._Handle(_lib.lib.pld_unit_new(), _lib.lib.pld_unit_free)
        self._sources = {}
        self._options = {}

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None

    def _call(self, f, *args):
        status = f(self._unit.p, *args)
        if status == _lib.STATUS["errors"]:
            self._raise()
        _program._check(status, _lib.text(_lib.lib.pld_unit_why(self._unit.p)))

    def _raise(self):
        text = _lib.text(_lib.lib.pld_unit_diags_text(self._unit.p, 0))
        raise errors.compile_error(text.rstrip("\n"), _program._diagnostics(self._unit))

    def set(self, option, value):
        self._options[option] = value
        self._call(_lib.lib.pld_unit_set, option.encode(), value.encode())

    def keep(self, what):
        self._call(_lib.lib.pld_unit_keep, what.encode())

    def take(self, record):
        """The number of a definition. CompileError when it does not parse."""
        key = (record.file, record.text)
        if key not in self._sources:
            source, text = ctypes.c_uint32(), record.text.encode()
            self._call(_lib.lib.pld_unit_text, record.file.encode(), text, len(text), _lib.SCRIPT, ctypes.byref(source))
            self._sources[key] = source.value
        made = ctypes.c_uint32()
        self._call(_lib.lib.pld_unit_take, self._sources[key], record.line, ctypes.byref(made))
        return made.value

    def _texts(self, f, definition):
        n = ctypes.c_size_t()
        found = f(self._unit.p, definition, ctypes.byref(n))
        return tuple(found[i].decode() for i in range(n.value))

    def names(self, definition):
        """Free names of a definition, and what it takes from them: "cfg", "cfg.rows"."""
        return self._texts(_lib.lib.pld_unit_names, definition), self._texts(_lib.lib.pld_unit_paths, definition)

    def _bind(self, definition, name, value):
        self._call(_lib.lib.pld_unit_bind, definition, name.encode(), ctypes.byref(value))

    def bind_definition(self, definition, name, other):
        self._bind(definition, name, _lib.value(_lib.V_DEF, other))

    def bind_opaque(self, definition, name, what):
        self._bind(definition, name, _lib.value(_lib.V_OPAQUE, text=what))

    def bind_value(self, definition, name, value):
        self._bind(definition, name, to_value(value))

    def argument(self, name, value):
        """What comes for a parameter: a Spec, or a number to compile for."""
        made = _lib.plain(value)
        if made is None:
            made = _lib.tensor_type(value.dtype, value.shape)
        self._call(_lib.lib.pld_unit_argument, name.encode(), ctypes.byref(made))

    def compile(self, definition):
        """The Program. CompileError; warnings come through `warnings`."""
        pointer = ctypes.c_void_p()
        self._call(_lib.lib.pld_unit_compile, definition, ctypes.byref(pointer))
        found = _program._diagnostics(self._unit)
        for d in found:
            if d.severity == "warning":
                if d.code == "unwritten-out":
                    self._raise()
                warnings.warn_explicit(d.message, errors.CompileWarning, d.file or "<unit>", d.line or 1)
        handle = _program._Handle(pointer.value, _lib.lib.pld_program_free)
        return _program.Program(handle, self._options.get("devices"), self._unit, found)
