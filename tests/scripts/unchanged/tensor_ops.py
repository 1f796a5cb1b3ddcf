"""Arithmetic on whole tensors in a scope: values that are assigned to memory."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from pypto.runtime import RunConfig


@pl.jit
def gelu(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        u = x * 1.702
        y[:] = x * pl.recip(pl.exp(pl.neg(u)) + 1.0)
    return y


@pl.jit
def rms_norm(x: pl.Tensor[[16, 64], pl.FP32], w: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="rms_norm"):
        total = pl.row_sum(pl.mul(x, x))
        scale = pl.rsqrt(pl.add(pl.mul(total, 1.0 / 64), 1e-6))
        y[:, :] = pl.col_expand_mul(pl.row_expand_mul(x, scale), w)
    return y


rng = np.random.default_rng(0)
x, w = rng.standard_normal((16, 64), dtype=np.float32), rng.random((1, 64), dtype=np.float32)
y = np.zeros_like(x)
gelu(x, y, config=RunConfig())
np.testing.assert_allclose(y, x / (1 + np.exp(-1.702 * x)), rtol=1e-4, atol=1e-5)
np.testing.assert_allclose(rms_norm(x, w), x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w, rtol=1e-4, atol=1e-5)
print("PASS")
