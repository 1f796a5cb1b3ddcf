"""pld: compile kernels for many devices, and run them on simulated ones.

    import numpy as np, pld
    p = pld.compile("samples/08_allreduce_mesh.pld", devices=4)
    x = np.random.default_rng(0).standard_normal(p.params["x"].shape, dtype=np.float32)
    r = p.run(x=x, cost=True)
    r.outputs["y"], r.cost
"""
from ._lib import version as _version
from .errors import *  # noqa: F401,F403
from .errors import __all__ as _errors
from .program import Param, Program, Spec, compile, load, loads, ops, parse, passes, platforms, skeleton
from .result import Exploration, Report, Result, Row, Timeline

__version__ = _version()
__all__ = ["compile", "load", "loads", "parse", "skeleton", "ops", "platforms", "passes", "Program", "Param", "Spec",
           "Result", "Report", "Timeline", "Exploration", "Row", "__version__", *_errors]
