"""With the future import annotations are text; nothing changes."""
# says: ^PASS
from __future__ import annotations

import numpy as np
import pypto.language as pl

N = pl.dynamic("N")


def build(width):
    @pl.jit
    def kernel(x: pl.Tensor[[N, width], pl.FP32], y: pl.Out[pl.Tensor[[N, width], pl.FP32]], k: pl.INDEX):
        with pl.at(level=pl.Level.CORE_GROUP):
            for i in pl.range(x.shape[0]):
                pl.store(pl.load(x, [i, 0], [1, width]) + float(k), [i, 0], y)
        return y

    return kernel


@pl.jit
def bare(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [1, x.shape[1]]) + 1.0, [0, 0], y)
    return y


x, y = np.zeros((3, 8), np.float32), np.zeros((3, 8), np.float32)
build(8)(x, y, 4)
assert (y == 4).all()
x, y = np.zeros((1, 32), np.float32), np.zeros((1, 32), np.float32)
bare(x, y)
assert (y == 1).all()
print("PASS")
