"""pl.dynamic: one compilation for all sizes of that axis, another for other types."""
# says: ^PASS
import numpy as np
import pypto.language as pl

M = pl.dynamic("M")


@pl.jit
def copy_rows(x: pl.Tensor[[M, 16], pl.FP32], y: pl.Out[pl.Tensor[[M, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        for i in pl.range(x.shape[0]):
            pl.store(pl.load(x, [i, 0], [1, 16]) + 1.0, [i, 0], y)
    return y


@pl.jit
def free_axis(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    x.bind_dynamic(0, M)
    y.bind_dynamic(0, M)
    with pl.at(level=pl.Level.CORE_GROUP):
        for i in pl.range(x.shape[0]):
            pl.store(pl.load(x, [i, 0], [1, 16]) * 2.0, [i, 0], y)
    return y


for fn, want in ((copy_rows, lambda v: v + 1), (free_axis, lambda v: v * 2)):
    seen = []
    for n in (1, 4, 9):
        x = np.random.default_rng(n).random((n, 16), dtype=np.float32)
        y = np.zeros_like(x)
        seen.append(fn.compile(x, y))
        fn(x, y)
        assert (y == want(x)).all()
    assert seen[0] is seen[1] is seen[2], fn
    assert len(fn._cache) == 1
    print(fn.__name__)


@pl.jit
def named_inside(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    rows = pl.dynamic("rows")
    x.bind_dynamic(0, rows)
    y.bind_dynamic(0, rows)
    for i in pl.range(0, x.shape[0], 8):
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.store(pl.load(x, [i, 0], [8, 32]), [i, 0], y)
    return y


compiled = set()
for n in (8, 16, 24):
    x = np.arange(n * 32, dtype=np.float32).reshape(n, 32)
    y = np.zeros_like(x)
    named_inside(x, y)
    assert (y == x).all()
    compiled.add(id(named_inside.compile(x, y)))
assert len(compiled) == 1
print("PASS")
