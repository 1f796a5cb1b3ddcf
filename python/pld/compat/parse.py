"""pl.parse and pl.loads: a program or kernel out of a text. The text runs as Python: it must be trusted."""
import builtins
import itertools
import linecache
import sys

from . import ir, jit, record

_numbers = itertools.count(1)


def _scope():
    from . import modules
    found = []
    for name in ("pypto.language", "pypto.language.distributed"):
        module = sys.modules.get(name)
        if module is None:
            from . import Module
            module = Module(name)
            module.__dict__.update(modules.TABLE[name]())
        found.append(module)
    return found


def _run(text, filename):
    if filename is None:
        filename = f"<pl.parse {next(_numbers)}>"
    if not text.endswith("\n"):
        text += "\n"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    pl, pld = _scope()
    space = {"__name__": "__pld_parse__", "__builtins__": record.UnknownNames(vars(builtins)), "pl": pl, "pld": pld}
    exec(compile(text, filename, "exec", dont_inherit=True), space)
    return space


def _one(text, filename, kinds, what):
    if text.startswith("# pld-ir"):
        return ir.Program.of_text(text)
    space = _run(text, filename)
    found = {n: v for n, v in space.items() if isinstance(v, kinds) and getattr(v, "__module__", None) == "__pld_parse__"}
    programs = {n: v for n, v in found.items() if isinstance(v, ir.Program)}
    found = programs or found
    if len(found) > 1:
        entries = {n: v for n, v in found.items() if getattr(v, "func_type", "") in ("host",)}
        found = entries if len(entries) == 1 else found
    if len(found) != 1:
        raise ValueError(f"the text holds {'no ' + what if not found else 'several: ' + ', '.join(found)}; it must hold one")
    return next(iter(found.values()))


def parse(text, filename=None):
    """The only program or function in a text."""
    return _one(text, filename, (ir.Program, jit.Decorated), "program or function")


def parse_program(text, filename=None):
    """The only program in a text."""
    return _one(text, filename, (ir.Program,), "program")


def loads(path):
    """parse() of a file."""
    with open(path, encoding="utf-8") as f:
        return parse(f.read(), str(path))


def loads_program(path):
    """parse_program() of a file."""
    with open(path, encoding="utf-8") as f:
        return parse_program(f.read(), str(path))
