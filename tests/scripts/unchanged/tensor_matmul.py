"""Products of whole tensors, pieces of them in a loop, and what comes together again."""
# says: ^PASS
import numpy as np
import pypto.language as pl

M, K, N, T = 32, 128, 64, 32


@pl.jit
def blocked(a: pl.Tensor, b: pl.Tensor, c: pl.Out[pl.Tensor]):
    for n in pl.range(0, N, T):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="product"):
            acc = pl.matmul(a[:, 0:T], b[0:T, n:n + T], out_dtype=pl.FP32)
            for k in pl.range(T, K, T):
                acc = pl.matmul_acc(acc, a[:, k:k + T], b[k:k + T, n:n + T])
            c[:, n:n + T] = acc
    return c


@pl.jit
def mlp(x: pl.Tensor[[M, K], pl.FP32], w1: pl.Tensor[[K, N], pl.FP32], w2: pl.Tensor[[N, T], pl.FP32], y: pl.Out[pl.Tensor[[M, T], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)]) as first:
        hidden = pl.relu(pl.matmul(x, w1))
    with pl.at(level=pl.Level.CORE_GROUP, deps=[first]):
        y[:] = pl.matmul(hidden, w2)
    return y


@pl.jit
def assembled(x: pl.Tensor[[8, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.assemble(y, pl.mul(x, 2.0), [0, 0])
        y = pl.assemble(y, pl.neg(x), [0, 32])
    return y


rng = np.random.default_rng(1)
a, b, w2 = (rng.standard_normal(s, dtype=np.float32) for s in ((M, K), (K, N), (N, T)))
c = np.zeros((M, N), np.float32)
blocked(a, b, c)
np.testing.assert_allclose(c, a @ b, rtol=1e-3, atol=1e-3)
np.testing.assert_allclose(mlp(a, b, w2), np.maximum(a @ b, 0) @ w2, rtol=1e-3, atol=1e-2)
x = a[:8, :32].copy()
assert (assembled(x) == np.concatenate([2 * x, -x], 1)).all()
print("PASS")
