"""A factory of kernels: what it was called with is in bodies, and in annotations alone."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from pypto.language.parser import ParserError


def make(rows, cols, act):
    scale = float(rows)

    @pl.jit.incore
    def step(x: pl.Tensor[[rows, cols], pl.FP32], y: pl.Out[pl.Tensor[[rows, cols], pl.FP32]]):
        t = pl.load(x, [0, 0], [rows, x.shape[1]]) * scale
        if act == "relu":
            t = pl.relu(t)
        return pl.store(t, [0, 0], y)

    @pl.jit
    def kernel(x: pl.Tensor[[rows, cols], pl.FP32], y: pl.Out[pl.Tensor[[rows, cols], pl.FP32]]):
        return step(x, y)

    return kernel


def chunks(n, width):
    return [i * width for i in range(n // width)]


def reference(a):
    with np.errstate(all="ignore"):
        return [*a, lambda v: v]


double = lambda v: 2 * v  # noqa: E731


@pl.jit
def with_helpers(x: pl.Tensor[[4, 32], pl.FP32], y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        for c in chunks(32, 8):
            pl.store(pl.load(x, [0, c], [4, 8]) * 2.0, [0, c], y)
    return y


@pl.jit
def with_lambda(x: pl.Tensor[[4, 32], pl.FP32], y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(double(pl.load(x, [0, 0], [4, 32])), [0, 0], y)
    return y


@pl.jit
def with_foreign(x: pl.Tensor[[4, 32], pl.FP32], y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [4, 32]) * reference(3.0), [0, 0], y)
    return y


for rows, cols, act in ((4, 16, "relu"), (8, 32, "none"), (2, 8, "relu")):
    kernel = make(rows, cols, act)
    x = np.arange(rows * cols, dtype=np.float32).reshape(rows, cols) - 20
    y = np.zeros_like(x)
    kernel(x, y)
    want = x * rows
    assert (y == (np.maximum(want, 0) if act == "relu" else want)).all()
try:
    kernel(np.zeros((3, 8), np.float32), y)
except ValueError as e:
    assert "x is [2, 8]: got [3, 8]" in str(e), e
else:
    raise AssertionError("an array of another shape was taken")
try:
    kernel(x.astype(np.float16), y)
except TypeError as e:
    assert "x is FP32: wanted float32, got float16" in str(e), e
else:
    raise AssertionError("an array of another dtype was taken")
wide = np.ones((4, 32), np.float32)
assert (with_helpers(wide) == 2).all()
for f, text in ((with_lambda, "the Python function <lambda>"), (with_foreign, "function")):
    try:
        f(wide)
    except ParserError as e:
        assert text in str(e), e
    else:
        raise AssertionError(text)
print("PASS")
