"""Python's numbers as constants of the compilation, and one that the call gives."""
# says: ^PASS
import ctypes

import numpy as np
import pypto.language as pl


@pl.jit
def affine(x: pl.Tensor, y: pl.Out[pl.Tensor], rows: pl.INDEX, factor: pl.FP32, flip: pl.BOOL):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [rows, 16])
        if flip:
            t = pl.neg(t)
        y = pl.store(t * factor, [0, 0], y)
    return y


@pl.jit
def add_n(x: pl.Tensor[[2, 16], pl.FP32], y: pl.Out[pl.Tensor[[2, 16], pl.FP32]], n: pl.INT32):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [2, 16])
        for _ in pl.range(n):
            t = t + 1.0
        y = pl.store(t, [0, 0], y)
    return y


x, y = np.ones((4, 16), np.float32), np.zeros((4, 16), np.float32)
affine(x, y, 2, 3.0, False)
assert (y[:2] == 3).all() and (y[2:] == 0).all()
affine(x, y, rows=np.int64(4), factor=np.float32(0.5), flip=True)
assert (y == -0.5).all()
assert len(affine._cache) == 2

x, y = np.zeros((2, 16), np.float32), np.zeros((2, 16), np.float32)
compiled = add_n.compile(x, y, n=pl.RUNTIME)
for n in (3, 5):
    compiled(x, y, n)
    assert (y == n).all()


@pl.jit
def scale(x: pl.Tensor, y: pl.Out[pl.Tensor], a: pl.Scalar[pl.FP32], n: int = 2):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [2, 16]) * a + n, [0, 0], y)
    return y


# a constant with a default may be left out: what comes for y is an array, not a
x = np.ones((2, 16), np.float32)
compiled, a = scale.compile(x, y, pl.RUNTIME), ctypes.c_float(3.0)
for a.value in (3.0, 4.0):
    assert compiled(x, y, a) is None and (y == a.value + 2).all()
assert (compiled(x, 5.0) == 7).all() and compiled(x, y, 6.0, 2) is None and (y == 8).all()
try:
    compiled(x, y, x)
except TypeError as e:
    assert "a is a scalar of FP32: got ndarray" in str(e), e
else:
    raise AssertionError("an array was taken as a number")
try:
    affine(x, y, 2, 3.0, False, block_dim=4)
except TypeError as e:
    assert "affine takes no block_dim" in str(e), e
try:
    affine(x, y, 2, 3.0, False, platform="a2a3sim")
except TypeError as e:
    assert "options go in config=RunConfig" in str(e), e
else:
    raise AssertionError("an option was taken as an argument")
for n in range(70):  # the least recently used go
    affine.compile(x, y, 1, float(n), False)
assert len(affine._cache) == 64 and affine.compile(x, y, 1, 69.0, False) is affine.compile(x, y, 1, 69.0, False)
print("PASS")
