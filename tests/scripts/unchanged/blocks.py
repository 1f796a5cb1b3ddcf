"""Blocks of one kernel, submitted tasks, a pipeline, branches that give values, tuples of results."""
# says: ^PASS
import numpy as np
import pypto.language as pl


@pl.jit.incore
def stripe(x: pl.Tensor[[8, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
    i = pl.tile.get_block_idx()
    return pl.store(pl.load(x, [i, 0], [1, 32]) * 2.0, [i, 0], y)


@pl.jit.incore
def split(x: pl.Tensor[[8, 32], pl.FP32], low: pl.Out[pl.Tensor[[8, 32], pl.FP32]], high: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
    t = pl.load(x, [0, 0], [8, 32])
    low = pl.store(pl.minimum(t, 0.0), [0, 0], low)
    high = pl.store(pl.maximum(t, 0.0), [0, 0], high)
    return low, high


@pl.jit
def tasks(x: pl.Tensor[[8, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]], low: pl.Out[pl.Tensor[[8, 32], pl.FP32]],
          high: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
    with pl.spmd(8, name_hint="stripes") as tid:
        y = stripe(x, y)
    with pl.manual_scope():
        low, high, done = pl.submit(split, x, low, high, deps=[tid])
    return y, low, high


@pl.jit
def carried(x: pl.Tensor[[8, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]], n: pl.INDEX):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [8, 32])
        for i, (acc,) in pl.range(n, init_values=(t,)):
            if i % 2 == 0:
                u = pl.yield_(pl.add(acc, 1.0))
            else:
                u = pl.yield_(pl.mul(acc, 2.0))
            result = pl.yield_(u)
        y = pl.store(result, [0, 0], y)
    return y


x = np.random.default_rng(5).standard_normal((8, 32)).astype(np.float32)
y, low, high = tasks(x)
assert (y == 2 * x).all() and (low == np.minimum(x, 0)).all() and (high == np.maximum(x, 0)).all()
assert (carried(x, n=3) == ((x + 1) * 2 + 1)).all()
print("PASS")
