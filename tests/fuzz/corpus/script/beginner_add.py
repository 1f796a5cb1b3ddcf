"""A kernel over bare tensors: extents and dtype come from the arguments."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from pypto.runtime import RunConfig


@pl.jit
def add(a: pl.Tensor, b: pl.Tensor, c: pl.Out[pl.Tensor]):
    rows, cols = a.shape
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(a, [0, 0], [rows, cols])
        u = pl.load(b, [0, 0], [rows, cols])
        c = pl.store(pl.add(t, u), [0, 0], c)
    return c


if __name__ == "__main__":
    for shape, dtype in (((32, 32), np.float32), ((8, 64), np.float16), ((4, 16), np.int32)):
        a = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        c = np.zeros_like(a)
        add(a, a * 2, c, config=RunConfig())
        assert (c == a * 3).all(), (shape, dtype)
    print("PASS")
