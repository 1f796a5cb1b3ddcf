"""What names of the language are outside kernels: dtypes, extents, enumerations, types, operations.

None of them computes anything. They are written in decorators, annotations and constants; `source` is the text
that means the same inside a kernel, in which `pl` and `pld` are the language's own names.
"""
import enum
import functools

__all__ = ["Named", "DataType", "Extent", "Form", "Type", "Op", "Space", "source", "is_value"]


class Named:
    """Something that has a name in kernels: `source` is its text there."""


class DataType(Named):
    """An element type: pl.FP32."""

    _all = {}

    def __init__(self, name, nbytes):
        self.name, self._bytes = name, nbytes
        DataType._all[name] = self

    def get_byte(self):
        return self._bytes

    def get_bit(self):
        return self._bytes * 8

    def is_float(self):
        return self.name.startswith(("FP", "BF"))

    def is_int(self):
        return not self.is_float() and self.name != "BOOL"

    def __str__(self):
        return self.name.lower()

    def __repr__(self):
        return f"pl.{self.name}"

    def __reduce__(self):
        return _dtype, (self.name,)

    source = property(__repr__)


def _dtype(name):
    return DataType._all[name]


def _infix(op, reverse=False):
    def method(self, other):
        if isinstance(other, bool) or not (isinstance(other, (int, Extent)) or hasattr(other, "__index__")):
            return NotImplemented
        a, b = (other, self) if reverse else (self, other)
        return Extent(f"({_operand(a)} {op} {_operand(b)})")
    return method


def _operand(x):
    return x.source if isinstance(x, Extent) else repr(int(x))


class Extent(Named):
    """An extent that is known when the program runs: pl.dynamic("N"), pld.world_size(), and arithmetic on them."""

    def __init__(self, source, name=None):
        self.source, self.name = source, name

    def __eq__(self, other):
        return isinstance(other, Extent) and self.source == other.source

    def __hash__(self):
        return hash(self.source)

    def __repr__(self):
        return f"pl.dynamic({self.name!r})" if self.name else self.source

    def __bool__(self):
        raise TypeError(f"{self.source} is known only when the program runs")

    __int__ = __index__ = __bool__

    def __neg__(self):
        return Extent(f"(-{self.source})")

    __add__, __radd__ = _infix("+"), _infix("+", True)
    __sub__, __rsub__ = _infix("-"), _infix("-", True)
    __mul__, __rmul__ = _infix("*"), _infix("*", True)
    __floordiv__, __rfloordiv__ = _infix("//"), _infix("//", True)
    __mod__, __rmod__ = _infix("%"), _infix("%", True)


def dynamic(name):
    """An extent by its name: pl.dynamic("N")."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"pl.dynamic takes a name, got {name!r}")
    return Extent(name, name)


def world_size():
    """The number of devices: an extent outside kernels."""
    return Extent("pld.world_size()")


class Form(Named):
    """A type before its brackets: pl.Tensor. Alone in an annotation it takes what the argument is."""

    def __init__(self, name):
        self.source = name

    def __getitem__(self, args):
        return Type(self, args if isinstance(args, tuple) else (args,))

    def __call__(self, *args, **kw):
        raise TypeError(f"{self.source} is a type: write {self.source}[...]; arrays are NumPy's or torch's")

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __repr__(self):
        return self.source

    def __reduce__(self):
        return _form, (self.source,)


class Type(Named):
    """A type of the language: pl.Tensor[[M, N], pl.FP32]."""

    def __init__(self, form, args):
        self.form, self.args = form, args

    @functools.cached_property
    def source(self):
        return f"{self.form.source}[{', '.join(source(a) for a in self.args)}]"

    @property
    def bare(self):
        """Is it pl.Out[pl.Tensor], without extents?"""
        return self.form.source in ("pl.Out", "pl.InOut") and isinstance(self.args[0], Form)

    def __eq__(self, other):
        return isinstance(other, Type) and self.source == other.source

    def __hash__(self):
        return hash(self.source)

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __repr__(self):
        try:
            return self.source
        except TypeError:
            return f"{self.form.source}[...]"


class Decorator(Named):
    """A decorator as an object: it has a name in kernels too."""

    def __init__(self, name, apply):
        self.source, self._apply = name, apply
        self.__name__, self.__doc__ = name.rpartition(".")[2], apply.__doc__

    def __call__(self, *args, **kw):
        return self._apply(*args, **kw)

    def __repr__(self):
        return f"<{self.source}>"


def _form(name):
    from . import language
    return language.form(name)


class Op(Named):
    """An operation: something that only kernels call."""

    def __init__(self, name):
        self.source, self.__name__, self.__qualname__ = name, name.rpartition(".")[2], name

    def __call__(self, *args, **kw):
        raise TypeError(f"{self.source} works in a kernel only")

    def __enter__(self):
        self()

    def __exit__(self, *exc):
        return None

    def __repr__(self):
        return f"<{self.source}>"


class View(Named):
    """A description that stands in types: pl.TensorView(layout=pl.TensorLayout.ND)."""

    def __init__(self, source):
        self.source = source

    def __call__(self, *args, **kw):
        words = [*map(source, args), *(f"{k}={source(v)}" for k, v in kw.items())]
        return View(f"{self.source}({', '.join(words)})")

    def __repr__(self):
        return self.source


class Space(Named):
    """What stands between dots: pl.tile, pld.tensor. `known` maps names to operations and further spaces."""

    def __init__(self, name, known):
        self.source, self._known = name, known

    def __getattr__(self, name):
        if not name.startswith("_") and name in self._known:
            return self._known[name]
        raise AttributeError(missing(self.source, name, self._known))

    def __dir__(self):
        return sorted(self._known)

    def __repr__(self):
        return f"<{self.source}>"


def missing(where, name, known):
    """The text of an AttributeError, with the nearest name."""
    import difflib
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith("_")], 1)
    return f"{where} has no {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")


class _Members(enum.EnumMeta):
    """Says the nearest member for one that is not there."""

    def __getattr__(cls, name):
        members = {} if name.startswith("_") else cls.__dict__.get("_member_map_", {})
        if name in members:
            return members[name]
        raise AttributeError(missing(cls.__dict__.get("source", cls.__name__), name, members))


class _Enumeration(enum.Enum, metaclass=_Members):
    pass


def enumeration(name, module, members):
    """An enumeration of the language; its members print as they are written."""
    made = _Enumeration(name, members, module=f"pypto.language{'.distributed' if module == 'pld' else ''}")
    made.source = f"{module}.{name}"
    made.__repr__ = made.__str__ = lambda self: f"{module}.{name}.{self.name}"
    return made


def is_value(v):
    """Has it a text that a kernel understands?"""
    try:
        source(v)
        return True
    except TypeError:
        return False


def source(v):
    """The text of a value in a kernel. TypeError when it has none."""
    if v is None or isinstance(v, (bool, int, str)):
        return repr(v) if type(v) in (bool, int, str, type(None)) else source(_plain(v))
    if isinstance(v, float):
        return _float(float(v))
    if isinstance(v, Named):
        return v.source
    if isinstance(v, enum.Enum) and hasattr(type(v), "source"):
        return repr(v)
    if isinstance(v, type) and issubclass(v, enum.Enum) and hasattr(v, "source"):
        return v.source
    if isinstance(v, enum.Enum):  # of the script: kernels compare its members
        return f"{type(v).__qualname__}.{v.name}"
    if isinstance(v, (tuple, list)):
        inner = ", ".join(source(i) for i in v)
        return f"[{inner}]" if isinstance(v, list) else f"({inner},)" if len(v) == 1 else f"({inner})"
    if isinstance(v, dict):
        return "{" + ", ".join(f"{source(k)}: {source(i)}" for k, i in v.items()) + "}"
    if hasattr(v, "item") and getattr(v, "shape", None) == () and type(v).__module__ == "numpy":
        return source(v.item())
    raise TypeError(f"{type(v).__name__} is nothing that a kernel knows")


def _plain(v):
    return str(v) if isinstance(v, str) else int(v)


def _float(v):
    if v != v:
        return 'float("nan")'
    return repr(v) if abs(v) != float("inf") else f'float("{v}")'
