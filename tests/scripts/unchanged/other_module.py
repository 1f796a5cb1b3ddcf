"""Kernels of another module and of a package: their own globals count, not those of the caller."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from helpers_package import scaled
from helpers_package import arith

FACTOR = 100.0  # not the one that scaled() means
WIDTH = 3


@pl.jit
def main(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    return scaled(x, y)


x, y = np.ones((2, 16), np.float32), np.zeros((2, 16), np.float32)
main(x, y)
assert (y == 4).all()
arith.FACTOR = 5.0
main(x, y)
assert (y == 5).all()
print("PASS")
