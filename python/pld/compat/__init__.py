"""Existing scripts unchanged: the modules that they import, made here, in memory.

    import pld.compat
    pld.compat.install()      # before the first `import pypto.language`; python3 -m pld does it
    pld.compat.uninstall()
"""
import importlib.abc
import importlib.machinery
import sys
import types

from . import values

_PREFIX = "pypto"


class Module(types.ModuleType):
    """One of the modules. What it lacks is said with the nearest name that it has."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(values.missing(f"module {self.__name__}", name, self.__dict__))


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Provides exactly the modules of `modules.TABLE`."""

    def find_spec(self, name, path=None, target=None):
        if name != _PREFIX and not name.startswith(_PREFIX + "."):
            return None
        from . import modules
        if name in modules.TABLE:
            parent = any(n.startswith(name + ".") for n in modules.TABLE)
            return importlib.machinery.ModuleSpec(name, self, origin="pld", is_package=parent)
        raise ModuleNotFoundError(f"{name} is not part of pld; there are {', '.join(sorted(modules.TABLE))}", name=name)

    def create_module(self, spec):
        return Module(spec.name, f"What scripts import as {spec.name}, provided by pld.")

    def exec_module(self, module):
        from . import modules
        module.__dict__.update(modules.TABLE[module.__name__]())


_finder = Finder()


def install(verbose=False):
    """Puts the modules in the way of `import`. ImportError when real ones are there already."""
    there = sys.modules.get(_PREFIX)
    if there is not None and not isinstance(there, Module):
        raise ImportError(f"{_PREFIX} is imported already, from {getattr(there, '__file__', '?')}: call "
                          f"pld.compat.install() before the first import of it")
    if _finder in sys.meta_path:
        return
    if verbose and importlib.machinery.PathFinder.find_spec(_PREFIX) is not None:
        print(f"note: the {_PREFIX} that is installed is not used", file=sys.stderr)
    sys.meta_path.insert(0, _finder)


def uninstall():
    """Undoes install(), modules that were imported included."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in [n for n, m in sys.modules.items() if isinstance(m, Module)]:
        del sys.modules[name]
