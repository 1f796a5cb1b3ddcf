"""A layer of a model: inlined parts, scopes in parallel and pipelined loops, products that are summed over chunks."""
# says: ^PASS
import numpy as np
import pypto.language as pl

BATCH, HIDDEN, CHUNK = 16, 128, 32
EPS = 1e-6


@pl.jit.inline
def rms_norm(x: pl.Tensor, weight: pl.Tensor):
    out = pl.create_tensor([BATCH, HIDDEN], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="rms_norm"):
        total = pl.tensor.full([BATCH, 1], dtype=pl.FP32, value=0.0)
        for k in pl.pipeline(0, HIDDEN, CHUNK, stage=2):
            part = pl.slice(x, [BATCH, CHUNK], [0, k])
            total = pl.add(total, pl.row_sum(pl.mul(part, part)))
        inverse = pl.rsqrt(pl.add(pl.mul(total, 1.0 / HIDDEN), EPS))
        for k in pl.range(0, HIDDEN, CHUNK):
            part = pl.slice(x, [BATCH, CHUNK], [0, k])
            scaled = pl.col_expand_mul(pl.row_expand_mul(part, inverse), pl.slice(weight, [1, CHUNK], [0, k]))
            out = pl.assemble(out, scaled, [0, k])
    return out


@pl.jit.inline
def project(x, w):
    out = pl.create_tensor([BATCH, HIDDEN], dtype=pl.FP32)
    for n in pl.parallel(0, HIDDEN, CHUNK):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="project"):
            acc = pl.matmul(pl.slice(x, [BATCH, CHUNK], [0, 0]), pl.slice(w, [CHUNK, CHUNK], [0, n]), out_dtype=pl.FP32)
            for k in pl.pipeline(CHUNK, HIDDEN, CHUNK, stage=2):
                acc = pl.matmul_acc(acc, pl.slice(x, [BATCH, CHUNK], [0, k]), pl.slice(w, [CHUNK, CHUNK], [k, n]))
            out = pl.assemble(out, acc, [0, n])
    return out


@pl.jit
def layer(x: pl.Tensor, weight: pl.Tensor, w: pl.Tensor, y: pl.Out[pl.Tensor]):
    normed = rms_norm(x, weight)
    projected = project(normed, w)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="residual"):
        y[:] = pl.add(x, projected)
    return y


rng = np.random.default_rng(7)
x, w = rng.standard_normal((BATCH, HIDDEN), dtype=np.float32), rng.standard_normal((HIDDEN, HIDDEN), dtype=np.float32)
weight, y = rng.random((1, HIDDEN), dtype=np.float32), np.zeros((BATCH, HIDDEN), np.float32)
layer(x, weight, w, y)
normed = x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * weight
np.testing.assert_allclose(y, x + normed @ w, rtol=1e-3, atol=1e-3)
print("PASS")
