"""Swimlane, saved kernels, profiling; kernels in a table chosen by name; scalars at run time."""
# says: ^PASS
import json
import os
import tempfile
import warnings
import numpy as np
import pypto.language as pl
from pypto import ir
from pypto.runtime import RunConfig


def variants():
    out = {}
    for name, factor in (("double", 2.0), ("triple", 3.0)):
        @pl.jit
        def kernel(x: pl.Tensor, y: pl.Out[pl.Tensor[[8, 32], pl.FP32]], bias: float = 0.0):
            """Scales."""
            with pl.at(level=pl.Level.CORE_GROUP):
                y = pl.store(pl.load(x, [0, 0], [8, 32]) * factor + bias, [0, 0], y)
            return y
        kernel.__name__ = name
        out[name] = kernel
    return out

x = np.linspace(-1, 1, 256, dtype=np.float32).reshape(8, 32)
K = variants()
for n, k in K.items():
    print(n, repr(k), k.__doc__)
    np.testing.assert_allclose(k(x), x * 3, rtol=1e-6)     # one cell: factor is the last one, as in Python
    np.testing.assert_allclose(k(x, bias=1.0), x * 3 + 1, rtol=1e-6)
with tempfile.TemporaryDirectory() as d:
    cfg = RunConfig(enable_chip_swimlane=2, save_kernels=True, save_kernels_dir=os.path.join(d, "k"), compile_profiling=True, enable_pmu=1, dump_passes=True)
    y = np.zeros_like(x)
    K["double"](x, y, config=cfg)
    found = sorted(os.path.relpath(os.path.join(r, f), d) for r, _, fs in os.walk(d) for f in fs)
    print([f for f in found if "passes" not in f])
    json.load(open(os.path.join(d, "k", "dfx_outputs", "trace.json")))
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    RunConfig(enable_l2_swimlane=True)
    print(w[0].category.__name__)
c = K["double"].compile(x, x.copy(), bias=pl.RUNTIME)
print(c.param_names)
y = np.zeros_like(x); c(x, y, 2.5)
np.testing.assert_allclose(y, x * 3 + 2.5, rtol=1e-6)
print("PASS")
