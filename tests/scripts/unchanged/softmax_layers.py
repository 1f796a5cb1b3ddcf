"""Helpers for cores, several kernels in a file, reductions and expansions of rows, device memory in between."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from pypto.runtime import RunConfig

ROWS, COLS = 16, 32


@pl.jit.incore
def softmax_rows(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    t = pl.load(x, [0, 0], [ROWS, COLS])
    tmp = pl.create_tile([ROWS, COLS], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
    top = pl.row_max(t, tmp)
    e = pl.exp(pl.row_expand_sub(t, top))
    total = pl.row_sum(e, tmp)
    return pl.store(pl.row_expand_div(e, total), [0, 0], y)


@pl.jit.incore
def normalise(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    t = pl.load(x, [0, 0], [ROWS, COLS])
    tmp = pl.create_tile([ROWS, COLS], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
    square = pl.row_sum(pl.mul(t, t), tmp)
    scale = pl.rsqrt(pl.add(pl.mul(square, 1.0 / COLS), 1e-6))
    return pl.store(pl.row_expand_mul(t, scale), [0, 0], y)


@pl.jit
def layer(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    between = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
    between = normalise(x, between)
    y = softmax_rows(between, y)
    return y


@pl.jit
def softmax(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    return softmax_rows(x, y)


def reference(v):
    e = np.exp(v - v.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


x = np.random.default_rng(3).standard_normal((ROWS, COLS), dtype=np.float32)
for fn, want in ((softmax, reference(x)), (layer, reference(x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)))):
    y = np.zeros_like(x)
    fn(x, y, config=RunConfig(platform="a2a3sim"))
    np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-5)
print("PASS")
