"""A product of matrices in one scope, and exp, recip and relu of it."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from pypto.runtime import RunConfig


@pl.jit
def product(a: pl.Tensor, b: pl.Tensor, c: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)]):
        x = pl.load(a, [0, 0], [16, 32], target_memory=pl.MemorySpace.Mat)
        y = pl.load(b, [0, 0], [32, 16], target_memory=pl.MemorySpace.Mat)
        xl = pl.move(x, target_memory=pl.MemorySpace.Left)
        yr = pl.move(y, target_memory=pl.MemorySpace.Right)
        c = pl.store(pl.matmul(xl, yr), [0, 0], c)
    return c


@pl.jit
def activate(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [16, 16])
        t = pl.relu(pl.recip(pl.add(pl.exp(pl.neg(t)), 1.0)) * t)
        y = pl.store(t, [0, 0], y)
    return y


rng = np.random.default_rng(0)
a, b = (rng.standard_normal(s, dtype=np.float32) for s in ((16, 32), (32, 16)))
c, y = np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float32)
product(a, b, c, config=RunConfig())
activate(c, y, config=RunConfig())
np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
np.testing.assert_allclose(y, np.maximum(c / (1 + np.exp(-c)), 0), rtol=1e-5, atol=1e-6)
print("PASS")
