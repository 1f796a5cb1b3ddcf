"""Out parameters left out: the call makes and returns them. Given: they are written, and nothing is returned."""
# says: ^PASS
import numpy as np
import pypto.language as pl


@pl.jit
def both(x: pl.Tensor[[4, 16], pl.FP32], low: pl.Out[pl.Tensor[[4, 16], pl.FP32]], high: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [4, 16])
        low = pl.store(pl.minimum(t, 0.0), [0, 0], low)
        high = pl.store(pl.maximum(t, 0.0), [0, 0], high)
    return high, low


@pl.jit
def one(x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [4, 16]) * 2.0, [0, 0], y)
    return y


@pl.jit
def silent(x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        pl.store(pl.load(x, [0, 0], [4, 16]) * 2.0, [0, 0], y)


x = np.arange(64, dtype=np.float32).reshape(4, 16) - 32
assert (one(x) == 2 * x).all()
compiled = one.compile(x, np.zeros_like(x))
assert (compiled(x) == 2 * x).all() and compiled.has_return
high, low = both(x)
assert (high == np.maximum(x, 0)).all() and (low == np.minimum(x, 0)).all()
y = np.zeros_like(x)
assert one(x, y) is None and (y == 2 * x).all()
y[:] = 0
assert one(x=x, y=y) is None and (y == 2 * x).all()
try:
    silent(x)
except TypeError as e:
    assert "silent is called without y" in str(e), e
else:
    raise AssertionError("silent returned something")
print("PASS")
