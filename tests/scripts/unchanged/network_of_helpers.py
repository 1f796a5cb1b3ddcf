"""Tasks: create_tensor chains, loops over layers, kernels that call several helpers, tuple results, while and ifs on shapes."""
# says: ^PASS
import math
import numpy as np
import pypto.language as pl

LAYERS = 3


@pl.jit.incore
def layer(x: pl.Tensor, w: pl.Tensor, y: pl.Out[pl.Tensor], i: int, last: bool = False):
    t = pl.load(x, [0, 0], [8, 64])
    s = pl.load(w, [i, 0], [1, 64])
    t = pl.col_expand_mul(t, s)
    if last:
        t = pl.maximum(t, 0.0)
    return pl.store(t, [0, 0], y)


@pl.jit
def network(x: pl.Tensor[[8, 64], pl.FP32], w: pl.Tensor[[LAYERS, 64], pl.FP32], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
    h = x
    for i in range(LAYERS):
        if i == LAYERS - 1:
            y = layer(h, w, y, i, last=True)
        else:
            nxt = pl.create_tensor([8, 64], dtype=pl.FP32)
            nxt = layer(h, w, nxt, i)
            h = nxt
    return y

x = np.random.default_rng(0).standard_normal((8, 64), dtype=np.float32)
w = np.random.default_rng(1).random((LAYERS, 64), dtype=np.float32)
y = network(x, w)
np.testing.assert_allclose(y, np.maximum(x * w.prod(0), 0), rtol=1e-5)


@pl.jit
def log_steps(x: pl.Tensor, y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
    n = x.shape[1]
    assert n % 2 == 0, "even widths"
    steps = int(math.log2(n))
    with pl.at(level=pl.Level.CORE_GROUP) as t:
        v = pl.load(x, [0, 0], [8, n])
        for s in range(steps):
            v = pl.mul(v, 2.0 if s < 2 else 1.0)
        y = pl.store(v, [0, 0], y)
    return y
np.testing.assert_allclose(log_steps(x), x * 4)
try:
    log_steps(x[:, :63].copy())
except Exception as e:
    print(type(e).__name__, str(e).splitlines()[0])
print("PASS")
