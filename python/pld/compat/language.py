"""What pypto.language and pypto.language.distributed hold, from the tables of the library."""
import functools
import itertools

from .. import _lib
from . import values

# Names that are calls of the language's own grammar, and those of its types.
_TYPES = {"pl": ("Tensor", "Tile", "Scalar", "Out", "InOut", "Tuple", "Array"), "pld": ("DistributedTensor", "CommCtx")}


@functools.lru_cache(None)
def form(name):
    return values.Form(name)


@functools.lru_cache(None)
def tables():
    """The words of the library: {"ops", "calls", "passes", "dtypes", "enums", "aliases", "modules"}."""
    found = {"ops": [], "calls": [], "dtypes": {}, "enums": {}, "aliases": {}, "modules": {}, "passes": []}
    for i in itertools.count():
        line = _lib.text(_lib.lib.pld_word(i))
        if line is None:
            return found
        kind, *words = line.split()
        if kind in ("op", "call"):
            found[kind + "s"] += words
        elif kind == "pass":
            found["passes"] += words
        elif kind == "enum":
            name, member = words[0].split(".")
            found["enums"].setdefault(name, {})[member] = int(words[1])
        else:
            found[{"dtype": "dtypes", "alias": "aliases", "module": "modules"}[kind]][words[0]] = words[1]


def _put(space, path, name):
    """An operation at its place in nested dictionaries."""
    *folders, last = path
    for f in folders:
        space = space.setdefault(f, {})
    if not isinstance(space.get(last), dict):
        space[last] = name


def _close(name, tree):
    """Dictionaries become what has attributes."""
    for k, v in tree.items():
        full = f"{name}.{k}"
        tree[k] = values.Space(full, _close(full, v)) if isinstance(v, dict) else values.Op(v)
    return tree


@functools.lru_cache(None)
def names(module):
    """Every name of "pl" or "pld" that tables give: dtypes, enumerations, operations, types."""
    known = tables()
    tree = {}
    for name in known["ops"] + known["calls"]:
        space, *path = name.split(".")
        if space == module:
            _put(tree, path, name)
    out = _close(module, tree)
    out.update({n: form(f"{module}.{n}") for n in _TYPES[module]})
    for name, members in known["enums"].items():
        if known["modules"][name] == module:
            refused = vars(out[name])["_known"] if name in out else {}
            out[name] = values.enumeration(name, module, members)
            for word, op in refused.items():  # where a kernel uses it, the compiler says what to write
                setattr(out[name], word, op)
    out.update({n: out[of] for n, of in known["aliases"].items() if of in out})
    if module == "pl":
        out.update({n: values.View(f"pl.{n}") for n in ("TensorView", "TileView", "MemRef")})
        dtypes = {name: values.DataType(name, int(size)) for name, size in known["dtypes"].items()}
        out.update(dtypes)
        for name, d in dtypes.items():
            setattr(values.DataType, name, d)
        out["DataType"] = values.DataType
    return out
