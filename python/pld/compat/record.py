"""What decorators see: where a definition stands, its text, and the names around it.

Nothing of it runs as Python. The text goes to the compiler whole, with the line the definition begins at; free
names are looked up here as Python would look them up, and the compiler is told what they are.
"""
import builtins
import inspect
import linecache
import re
import sys
import types

from .. import errors
from . import values


class UnknownNames(dict):
    """Built-in names, for texts in which a name that is not known is a dynamic extent."""

    def __missing__(self, name):
        if name.startswith("__"):
            raise KeyError(name)
        return values.dynamic(name)


_WORD = re.compile(r"[^\W\d]\w*")
_STEP = re.compile(r"\.?([^\W\d]\w*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]")


def steps_of(path):
    """A path of pld_unit_paths in steps: ("name", "cfg"), ("attribute", "rows"), ("item", 0)."""
    steps, at = [], 0
    while at < len(path):
        m = _STEP.match(path, at)
        name, number, text = m.groups()
        if name is not None:
            steps.append(("attribute" if steps else "name", name))
        else:
            steps.append(("item", int(number) if number is not None else re.sub(r"\\(.)", r"\1", text)))
        at = m.end()
        steps[-1] += (at,)
    return [(what, key) for what, key, _ in steps], [end for _, _, end in steps]


def lines_of(filename, module_globals):
    """The lines of a file, an IPython cell, a doctest example: wherever linecache finds them."""
    linecache.checkcache(filename)
    return linecache.getlines(filename, module_globals)


def enclosing_locals(frame):
    """Names of the functions and classes that enclose a decorator, the inner ones first."""
    found = {}
    while frame is not None and frame.f_locals is not frame.f_globals:
        for name, value in frame.f_locals.items():
            found.setdefault(name, value)
        back = frame.f_back
        if back is None or frame.f_code not in back.f_code.co_consts:
            break
        frame = back
    return found


class Record:
    """One definition: a function, or a @pl.program class."""

    def __init__(self, name, file, line, text, function, frame, at_decoration):
        self.name, self.file, self.line, self.text, self.function = name, file, line, text, function
        self.globals = frame.f_globals if frame is not None else function.__globals__
        self.around = {}
        if frame is not None:
            words = None
            for k, v in enclosing_locals(frame).items():
                words = words or set(_WORD.findall("\n".join(text.split("\n")[line - 1:])))
                if k in words:  # no more than it may name is kept alive
                    self.around[k] = v
        self.methods, self.kinds = {}, {}  # of a class: name -> function, and its func_type
        self.written = None  # its decorator's name and options; of a class: by method
        self.at_decoration = at_decoration
        self.fixed = {}  # names looked up at decoration
        self._names, self.paths = None, ()
        self._cells = {}
        if function is not None and function.__closure__:
            self._cells = dict(zip(function.__code__.co_freevars, function.__closure__))

    def lookup(self, name):
        """(True, value) of a free name, as Python finds it; (False, None)."""
        if name in self.fixed:
            return True, self.fixed[name]
        if name in self._cells:
            try:
                return True, self._cells[name].cell_contents
            except ValueError:
                return False, None
        if name in self.around:
            return True, self.around[name]
        if name in self.globals:
            return True, self.globals[name]
        extra = self.globals.get("__builtins__")  # of a text: a name that is not known is an extent
        if isinstance(extra, UnknownNames) and not hasattr(builtins, name):
            return True, extra[name]
        return False, None

    def names(self):
        """Its free names, from the compiler's own parser. CompileError for text that does not parse."""
        if self._names is None:
            from . import link
            names, self.paths = link.free_names(self)
            if self.at_decoration:
                for name in names:
                    there, value = self.lookup(name)
                    if there:
                        self.fixed[name] = value
            self.around = {n: v for n, v in self.around.items() if n in names}
            self._names = names
        return self._names

    def follow(self, path):
        """The values along a path, ("cfg", "rows"), as far as Python can go: [cfg, cfg.rows]."""
        there, value = self.lookup(path[0][1])
        found = [value] if there else []
        for what, key in path[1:] if there else ():
            try:
                value = value[key] if what == "item" else getattr(value, key)
            except Exception:  # noqa: B902  whatever the object thinks of it
                break
            found.append(value)
        return found

    @property
    def ident(self):
        return (self.file, self.line, self.text)

    def __repr__(self):
        return f"{self.name} at {self.file}:{self.line}"


def describe(value):
    """What an opaque value is, for a message."""
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    kind = type(value)
    where = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "."
    return f"a Python object of type {where}{kind.__name__}"


def no_source(name):
    text = f"no source for {name}: put it into a file, or use pl.parse(text)"
    return errors.CompileError(text, [])


def _text(name, file, module_globals):
    lines = lines_of(file, module_globals)
    if not lines:
        raise no_source(name)
    return "".join(lines)


def of_function(fn, frame, at_decoration):
    """The record of a function that a decorator got."""
    if not isinstance(fn, types.FunctionType):
        raise TypeError(f"the decorator is for functions, got {type(fn).__name__}")
    code = fn.__code__
    return Record(fn.__name__, code.co_filename, code.co_firstlineno, _text(fn.__name__, code.co_filename, fn.__globals__),
                  fn, frame, at_decoration)


def of_class(cls, frame):
    """The record of a class: classes have no code object, so the line is that of the decorator's call."""
    file = frame.f_code.co_filename
    text = _text(cls.__name__, file, frame.f_globals)
    lines, line = text.splitlines(), frame.f_lineno
    head = re.compile(rf"\s*class\s+{re.escape(cls.__name__)}\b")
    # Some versions of Python give the line of the class, some that of a decorator.
    for i in range(line - 1, len(lines)):
        if head.match(lines[i]):
            break
    else:
        raise no_source(cls.__name__)
    first = i
    for j in range(i - 1, max(i - 50, -1), -1):
        if lines[j].lstrip().startswith("@"):
            first = j
        elif lines[j].strip() and not lines[j].lstrip().startswith(("#", ")")) and j < line - 1:
            break
    made = Record(cls.__name__, file, first + 1, text, None, frame, True)
    made.methods = {n: f.__wrapped__ for n, f in vars(cls).items() if hasattr(f, "__wrapped__")}
    made.kinds = {n: getattr(vars(cls)[n], "func_type", None) for n in made.methods}
    made.written = {n: vars(cls)[n]._record.written for n in made.methods if hasattr(vars(cls)[n], "_record")}
    return made


def record_of(value):
    """The record of a decorated object; None for anything else."""
    found = getattr(type(value), "record_of_value", None)
    return found(value) if found else None


_plain = {}  # code of undecorated functions -> record


def of_plain(fn):
    """The record of an undecorated function that a kernel names: compile-time code, or poisoned. None: it has no text, or
    one that is not of the language (a lambda, say)."""
    key = (fn.__code__, tuple(map(id, fn.__closure__ or ())))
    if key not in _plain:
        try:
            made = of_function(fn, None, False)
            made.names()
        except errors.CompileError:
            made = None
        _plain[key] = made
    return _plain[key]


def caller(depth=1):
    """The frame that called the function that calls this, past the frames of this package."""
    frame = sys._getframe(depth + 1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("pld.compat"):
        frame = frame.f_back
    return frame


def parameters(fn):
    """Parameter names of a function; its annotations as they are, text or values."""
    code = fn.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    return names, fn.__annotations__, inspect.signature(fn)
