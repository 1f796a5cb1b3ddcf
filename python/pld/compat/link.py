"""From records to programs: what a definition names, what that is, and the compilation of all of it."""
import ast
import functools
import math
import re
import textwrap
import time
import types

import numpy as np

from . import record as _record, values
from .unit import Unit, to_value
from .. import _arrays, errors


class Spec:
    """The type of an argument without the argument."""

    __slots__ = ("shape", "dtype")

    def __init__(self, shape, dtype):
        name = str(dtype).replace("torch.", "")
        self.shape, self.dtype = tuple(shape), name if name in _arrays.NUMPY else _arrays.OF_NUMPY[name]

    @classmethod
    def of(cls, array, name):
        """That of an array; `name` is for messages."""
        if type(array) is np.ndarray:
            shape, dtype = array.shape, _arrays.dtype_name(array.dtype)
        else:
            a = _arrays.describe(array, name)
            shape, dtype = a.shape, a.dtype
        if dtype not in _arrays.OF_NUMPY:
            raise TypeError(f"{name}: no kernel takes arrays of {dtype}")
        made = cls.__new__(cls)
        made.shape, made.dtype = tuple(shape), _arrays.OF_NUMPY[dtype]
        return made

    def __repr__(self):
        return f"{self.dtype}{list(self.shape)}"


def open_types(program, arrays):
    """Types of arrays for the parameters that a program's entry leaves open."""
    tree = _tree(program._definition) if program._definition is not None and arrays else None
    for f in tree.body if isinstance(tree, ast.ClassDef) else ():
        names = [a for a in f.args.args if a.arg != "self"] if isinstance(f, ast.FunctionDef) else []
        if len(names) == len(arrays) and any(_is_open(a.annotation) for a in names):
            return {a.arg: Spec.of(x, a.arg) for a, x in zip(names, arrays) if _is_open(a.annotation) and _arrays.is_array(x)}
    return {}


def _is_open(annotation):
    while isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, (ast.Attribute, ast.Name)):
        annotation = annotation.slice
    name = annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", None)
    return name == "Tensor"


def entries_of(record, kinds):
    """Names of the functions of a class that may start it, those of the host before others; `kinds`: name -> func_type."""
    tree = _tree(record)
    called = {n.func.attr for f in getattr(tree, "body", ()) for n in ast.walk(f)
              if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
    hosts = [n for n, k in kinds.items() if k == "host"]
    return hosts or [n for n, k in kinds.items() if k in ("orchestration", "opaque") and n not in called]


def free_names(record):
    """Names that a definition uses and does not bind, and the paths that it takes from them."""
    with Unit() as unit:
        return unit.names(unit.take(record))


# ---- what names are

def _classify(value):
    """("def", record), ("value", text), or ("opaque", what it is)."""
    found = _record.record_of(value)
    if found is not None:
        return "def", found
    if isinstance(value, types.FunctionType):
        plain = _record.of_plain(value)
        return ("def", plain) if plain else ("opaque", f"the Python function {value.__name__}")
    if isinstance(value, types.ModuleType):
        name = {"pypto.language": "pl", "pypto.language.distributed": "pld"}.get(value.__name__)
        return ("value", name) if name else ("value", "math") if value is math else ("opaque", _record.describe(value))
    if isinstance(value, types.BuiltinFunctionType) and value.__module__ == "math":
        return "value", f"math.{value.__name__}"
    try:
        to_value(value)
        return "value", values.source(value)
    except TypeError:
        return "opaque", _record.describe(value)


class Key:
    """What a definition and all that it reaches depend on; its hash is worked out once."""

    __slots__ = ("parts", "_hash")

    def __init__(self, parts):
        self.parts, self._hash = parts, hash(parts)

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        return self is other or (isinstance(other, Key) and self.parts == other.parts)


_WHOLE = (list, tuple, dict, int, float, str, bool, type(None))  # what a kernel takes apart itself
_OWN = (values.Named, values.Decorator)


def _has_parts(kind, value):
    """May attributes and items of it be what a kernel cannot see? Those of a config, a module, a named tuple are."""
    if kind == "opaque":
        return True
    return kind == "value" and type(value) not in _WHOLE and not isinstance(value, _OWN + (types.ModuleType, type))


def _paths(record, roots):
    """Of what a definition takes from objects: (path, kind, what, value), and (steps, value) to look again."""
    found, watched = [], []
    for path in record.paths:
        steps, ends = _record.steps_of(path)
        if steps[0][1] not in roots:
            continue
        values_ = record.follow(steps)
        watched.append((steps, values_[-1]))
        made = None
        for n in range(len(values_), 1, -1):
            kind, what = _classify(values_[n - 1])
            if kind != "opaque":
                made = (path[:ends[n - 1]], kind, what, values_[n - 1])
                break
        if made is None and len(values_) == len(steps):
            made = (path, "opaque", _record.describe(values_[-1]), values_[-1])
        elif made is None:
            what = f"nothing: {_record.describe(values_[-1])} has no {steps[len(values_)][1]}"
            made = (path[:ends[len(values_)]], "opaque", what, None)
        found.append(made)
    return found, watched


class Picture:
    """A definition with everything that it reaches by name, as it is now."""

    def __init__(self, record):
        self.records, self.bindings = [record], []
        self._watched, self._followed, self._changes = [], [], False
        self._places = {id(record): 0}
        for r in self.records:  # grows while it is read
            bound, roots = [], set()
            for name in r.names():
                there, value = r.lookup(name)
                if not there:
                    continue
                kind, what = _classify(value)
                if _has_parts(kind, value):
                    roots.add(name)
                bound.append(self._bound(name, kind, what, value))
                self._watched.append((r, name, value))
            if roots and r.paths:
                found, watched = _paths(r, roots)
                bound += [self._bound(*f) for f in found]
                self._followed += [(r, *w) for w in watched]
            self.bindings.append(bound + _annotations(r, bound) + _decorators(r, bound))
        self.key = Key(tuple((r.ident, tuple((n, k, w) for n, k, w, _ in b)) for r, b in zip(self.records, self.bindings)))

    def _bound(self, name, kind, what, value):
        """A binding; of a definition `what` becomes its number."""
        if kind == "def":
            at = self._places.setdefault(id(what), len(self.records))
            if at == len(self.records):
                self.records.append(what)
            what = at
        self._changes = self._changes or isinstance(value, (list, dict))
        return name, kind, what, value

    def is_current(self):
        """Do all names still mean the same objects?"""
        if self._changes:
            return False
        for r, name, value in self._watched:
            if r.lookup(name)[1] is not value:
                return False
        for r, steps, value in self._followed:
            if r.follow(steps)[-1] is not value:
                return False
        return True


def _written(decorator, options):
    """The text of a decorator; None for options that have none."""
    try:
        given = ", ".join(f"{n}={values.source(v)}" for n, v in options.items())
    except TypeError:
        return None
    return f"{decorator}({given})" if given else decorator


def _decorators(record, bound):
    """Bindings "@" of decorators that are no text of the language: of a functools.partial, with **, behind others."""
    foreign = {name for name, kind, _, _ in bound if kind != "value"}
    if isinstance(record.written, tuple):
        text = _written(*record.written)
        return [("@", "text", text, text)] if text and _is_foreign(_head(record), foreign) else []
    if not record.written or not (foreign or "**" in record.text):
        return []
    tree, found = _tree(record), []
    for f in tree.body if isinstance(tree, ast.ClassDef) else ():
        written = isinstance(f, ast.FunctionDef) and record.written.get(f.name)
        text = written and _written(*written)
        if text and _is_foreign("".join(f"@{ast.unparse(d)}" for d in f.decorator_list), foreign):
            found.append((f"{f.name}.@", "text", text, text))
    return found


def _head(record):
    """The lines of the decorators of a function."""
    lines = record.text.splitlines()[record.line - 1:]
    ends = (n for n, line in enumerate(lines) if re.match(r"\s*(async\s+)?def\b", line))
    return "\n".join(lines[:next(ends, 1)])


def _is_foreign(head, names):
    return "**" in head or head.count("@") != 1 or not names.isdisjoint(re.findall(r"(?<![.\w])[^\W\d]\w*", head))


def _annotations(record, bound):
    """Bindings "x:" of annotations that are no text of the language, and values all the same: pl.Tensor[shape(cfg), pl.FP32]."""
    opaque = {name for name, kind, _, _ in bound if kind == "opaque"}
    tree = _tree(record) if opaque else None
    if isinstance(tree, ast.ClassDef):
        return [b for f in tree.body if isinstance(f, ast.FunctionDef) and f.name in record.methods
                for b in _annotations_of(f, record.methods[f.name], opaque, f.name + ".")]
    return _annotations_of(tree, record.function, opaque, "") if isinstance(tree, ast.FunctionDef) else []


def _annotations_of(tree, function, opaque, of):
    found = []
    for a in [*tree.args.args, *tree.args.kwonlyargs]:
        value = function.__annotations__.get(a.arg)
        names = {n.id for n in ast.walk(a.annotation) if isinstance(n, ast.Name)} if a.annotation else ()
        if isinstance(value, values.Type) and values.is_value(value) and not opaque.isdisjoint(names):
            found.append((f"{of}{a.arg}:", "value", value.source, value))
    return found


# ---- compiling

def compile_record(record, picture, options, arguments, entry=None):
    """Compiles a definition for arguments by name: Specs, and Python's numbers."""
    try:
        return _compile(record, picture, options, arguments, entry)
    except errors.CompileError as e:
        raise errors.after_parsing(e) from None


def _compile(record, picture, options, arguments, entry):
    started = time.perf_counter()
    with Unit() as unit:
        unit.set("devices", ",".join(str(i) for i in range(len(options.devices))))
        unit.set("platform", options.platform)
        unit.set("W", "no-subworker")  # it is called
        if entry:
            unit.set("entry", entry)
            unit.set("W", "no-uncalled-function")  # the other entries
        unit.keep("all" if options.keep else "parsed")
        ids = [unit.take(r) for r in picture.records]
        for at, bound in zip(ids, picture.bindings):
            for name, kind, what, value in bound:
                if kind == "def":
                    unit.bind_definition(at, name, ids[what])
                elif kind == "text":
                    unit.bind_value(at, name, what)
                elif kind == "opaque":
                    unit.bind_opaque(at, name, what)
                else:
                    unit.bind_value(at, name, value)
        for name, a in arguments.items():
            unit.argument(name, a)
        program = unit.compile(ids[0])
    program.seconds = time.perf_counter() - started
    program.returns = returns_of(record, program)
    found = {name: _definition_of(name, picture.records) for name in program.sub_workers}
    program.bodies = {name: _body(name, *f) if f else None for name, f in found.items()}
    program.orders = {name: _order(program, name, f[0]) for name, f in found.items() if f}
    return program


def _order(program, name, function):
    """At which places what the library passes stands in the parameters of a sub-worker: it has tensors first."""
    passed = next(f["params"] for f in program.functions if f["name"] == name)
    code = function.__code__
    return [passed.index(n) for n in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount] if n in passed]


def _definition_of(name, records):
    """The function of a sub-worker, and the record that it stands in."""
    for name in (name, name.rpartition("_")[0]):
        for r in records:
            f = r.methods.get(name) if r.kinds.get(name) == "subworker" else r.function if r.name == name else None
            if f is not None:
                return f, r
    return None


def _body(name, function, record):
    """What a sub-worker does, without self; None where its body is `...`."""
    return None if _is_left_open(_tree(record), function.__name__) else _without_self(function)


def _is_left_open(tree, name):
    """Is the body of a function in it `...`, with a docstring or without?"""
    for f in ast.walk(tree) if tree else ():
        if isinstance(f, ast.FunctionDef) and f.name == name:
            values_ = [s.value.value for s in f.body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)]
            return len(values_) == len(f.body) and values_[-1] is ...
    return False


def _without_self(f):
    takes_self = f.__code__.co_varnames[:1] == ("self",)
    return functools.partial(f, None) if takes_self else f


def _tree(record):
    """The definition as Python's own parser sees it; None where it does not."""
    lines = record.text.splitlines(True)[record.line - 1:]
    text = textwrap.dedent("".join(lines))
    try:
        return ast.parse(text).body[0]
    except SyntaxError:
        pass
    # What follows the definition may be indented less, in the middle of a block.
    indent = len(lines[0]) - len(lines[0].lstrip())
    for n, line in enumerate(lines[1:], 1):
        if line.strip() and not line.lstrip().startswith(("#", ")", "]")) and len(line) - len(line.lstrip()) < indent:
            lines = lines[:n]
            break
    try:
        return ast.parse(textwrap.dedent("".join(lines))).body[0]
    except SyntaxError:
        return None


def _own(node):
    """Statements of a function, without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        yield child
        yield from _own(child)


def returns_of(record, program):
    """The outputs that the entry returns, in order; () when it returns nothing."""
    tree, outs = _tree(record), [p.name for p in program.params if p.dir == "out"]
    if isinstance(tree, ast.ClassDef):
        name = program.entry
        generated = any(f["name"] == name and f["generated"] for f in program.functions)
        name = name.removesuffix("_host") if generated else name
        tree = next((f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == name), None)
    if tree is None:
        return tuple(outs)
    for node in _own(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            items = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            names = [i.id if isinstance(i, ast.Name) else None for i in items]
            return tuple(names) if all(n in outs for n in names) else tuple(outs)
    return ()
