"""Kernels of another module and of a package: their own globals count, not those of the caller."""
# says: ^PASS
import numpy as np
import pld
import pypto.language as pl
from helpers_package import scaled
from helpers_package import arith

arith_row = arith.row
N = pl.dynamic("N")
FACTOR = 100.0  # not the one that scaled() means
WIDTH = 3


@pl.jit
def main(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    return scaled(x, y)


@pl.jit
def past(x: pl.Tensor[[N, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]]):
    for i in pl.range(3):
        y = arith_row(x, y, i)
    return y


x, y = np.ones((2, 16), np.float32), np.zeros((2, 16), np.float32)
main(x, y)
assert (y == 4).all()
arith.FACTOR = 5.0
main(x, y)
assert (y == 5).all()
try:
    past(np.zeros((2, 16), np.float32))
except pld.FaultError as e:
    assert e.reports[0].file.endswith("arith.py") and e.reports[0].line == 15, e
else:
    raise AssertionError("a row behind the last one was read")
print("PASS")
