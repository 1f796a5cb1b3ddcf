"""A global that a kernel reads, changed between its calls: the kernel is compiled again, and the old one is kept."""
# says: ^2 3 2 7$
import numpy as np
import pypto.language as pl

FACTOR = 2.0
OFFSETS = [0, 1]


@pl.jit
def kernel(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [1, 16]) * FACTOR + float(OFFSETS[0]), [0, 0], y)
    return y


x, y = np.ones((1, 16), np.float32), np.zeros((1, 16), np.float32)
results, programs = [], []
for FACTOR in (2.0, 3.0, 2.0):
    kernel(x, y)
    results.append(int(y[0, 0]))
    programs.append(kernel.compile(x, y))
assert programs[0] is programs[2] and programs[0] is not programs[1]
OFFSETS[0] = 5
kernel(x, y)
print(*results, int(y[0, 0]))
