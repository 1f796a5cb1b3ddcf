"""A product split along k: partial sums are added to memory atomically, or put together by a factory's kernels."""
# says: ^PASS
import numpy as np
import pypto.language as pl

M, K, N = 16, 64, 32


@pl.jit
def split_k(a: pl.Tensor[[M, K], pl.FP32], b: pl.Tensor[[K, N], pl.FP32], c: pl.InOut[pl.Tensor[[M, N], pl.FP32]]):
    for s in pl.range(4):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="partial"):
            part = pl.matmul(a[:, s * 16:s * 16 + 16], b[s * 16:s * 16 + 16, :], out_dtype=pl.FP32)
            c = pl.assemble(c, part, [0, 0], atomic=pl.AtomicType.Add)
    return c


def scaler(factor):
    @pl.jit.incore
    def scaled(x: pl.Tensor, y: pl.Out[pl.Tensor]):
        m, n = pl.tensor.dim(x, 0), pl.tensor.dim(x, 1)
        for i in pl.range(m):
            pl.store(pl.load(x, [i, 0], [1, N]) * factor, [i, 0], y)
        return y

    return scaled


twice, thrice = scaler(2.0), scaler(3.0)


@pl.jit
def both(x: pl.Tensor, y: pl.Out[pl.Tensor], z: pl.Out[pl.Tensor]):
    with pl.cluster(name_hint="both"):
        y = twice(x, y)
        z = thrice(x, z)
    return y, z


rng = np.random.default_rng(3)
a, b = rng.standard_normal((M, K), dtype=np.float32), rng.standard_normal((K, N), dtype=np.float32)
c = np.zeros((M, N), np.float32)
split_k(a, b, c)
np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
y, z = np.zeros_like(c), np.zeros_like(c)
both(c, y, z)
assert (y == 2 * c).all() and (z == 3 * c).all()
print("PASS")
