"""Aliases of types, several outputs, InOut, keyword calls, NumPy integers, dtype tables."""
# says: ^PASS
from __future__ import annotations
from typing import TYPE_CHECKING, Callable
import numpy as np
import pypto.language as pl
from pypto.runtime import RunConfig
if TYPE_CHECKING:
    import torch

ROWS, COLS = np.int64(8), np.int32(32)
F = pl.FP32
Mat = pl.Tensor[[ROWS, COLS], F]
DTYPES = {"half": (pl.FP16, np.float16), "single": (pl.FP32, np.float32)}


@pl.jit
def minmax(x: Mat, lo: pl.Out[Mat], hi: pl.Out[Mat]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [ROWS, COLS])
        lo = pl.store(pl.minimum(t, 0.0), [0, 0], lo)
        hi = pl.store(pl.maximum(t, 0.0), [0, 0], hi)
    return hi, lo


@pl.jit
def accumulate(x: Mat, acc: pl.InOut[Mat]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc = pl.store(pl.add(pl.load(acc, [0, 0], [ROWS, COLS]), pl.load(x, [0, 0], [ROWS, COLS])), [0, 0], acc)
    return acc


def apply(fn: Callable, rounds: int = 2):
    @pl.jit
    def repeated(x: Mat, y: pl.Out[Mat]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(x, [0, 0], [ROWS, COLS])
            for _ in range(rounds):
                t = fn(t, t)
            y = pl.store(t, [0, 0], y)
        return y
    return repeated


@pl.inline
def twice(a, b):
    return pl.add(pl.add(a, b), b)

x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
hi, lo = minmax(x)
np.testing.assert_array_equal(hi + lo, x)
assert (hi >= 0).all()
lo2, hi2 = np.empty_like(x), np.empty_like(x)
assert minmax(hi=hi2, lo=lo2, x=x) is None
np.testing.assert_array_equal(hi2, hi)
acc = np.ones_like(x)
accumulate(x, acc); accumulate(x, acc)
np.testing.assert_allclose(acc, 1 + 2 * x, rtol=1e-5)
for fn, factor in ((pl.add, 4), (twice, 9)):
    np.testing.assert_allclose(apply(fn)(x), x * factor, rtol=1e-5)
kernels = [apply(pl.add, n) for n in range(1, 4)]
for n, k in enumerate(kernels, 1):
    np.testing.assert_allclose(k(x), x * 2 ** n, rtol=1e-5)
for name, (dt, npdt) in DTYPES.items():
    @pl.jit
    def cast(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], dt]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(x, [0, 0], [ROWS, COLS])
            if dt != pl.FP32:
                t = pl.cast(t, dt)
            y = pl.store(t, [0, 0], y)
        return y
    y = cast(x)
    assert y.dtype == npdt, y.dtype
    np.testing.assert_array_equal(y, x.astype(npdt))
print("PASS")
