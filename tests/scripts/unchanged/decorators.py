"""All decorators, with and without parentheses, and which function may call which."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from pypto.language.parser import ParserError, UnsupportedFeatureError


@pl.jit.inline
def twice(x, y):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="twice"):
        y = pl.store(pl.load(x, [0, 0], [1, 16]) * 2.0, [0, 0], y)
    return y


@pl.jit.opaque()
def plus_one(x: pl.Tensor, y: pl.InOut[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [1, 16]) + 1.0, [0, 0], y)
    return y


@pl.jit(auto_scope=True)
def main(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    y = twice(x, y)
    y = plus_one(y, y)
    return y


@pl.jit.extern
def foreign(x):
    """A kernel in C++."""


@pl.jit.extern(core_type="aiv", sources=["add.cpp"])
def foreign_too(x): ...


@pl.jit
def calls_another(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    return main(x, y)


@pl.jit
def calls_foreign(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    return foreign(x)


@pl.jit
def calls_foreign_too(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    return foreign_too(x)


class TestKernels:
    """Kernels in classes of tests."""

    @pl.jit
    def kernel(x: pl.Tensor, y: pl.Out[pl.Tensor]):
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.store(pl.load(x, [0, 0], [1, 16]) - 1.0, [0, 0], y)
        return y

    def test_kernel(self):
        x, y = np.ones((1, 16), np.float32), np.ones((1, 16), np.float32)
        self.kernel(x, y)
        assert (y == 0).all()


x, y = np.ones((1, 16), np.float32), np.zeros((1, 16), np.float32)
main(x, y)
assert (y == 3).all()
TestKernels().test_kernel()
for f, kind, text in ((lambda: foreign(x), UnsupportedFeatureError, "C++"), (lambda: calls_another(x, y), ParserError, "@pl.jit.incore, .inline or .opaque"),
                      (lambda: calls_foreign(x, y), UnsupportedFeatureError, "@pl.jit.extern is not supported"),
                      (lambda: calls_foreign_too(x, y), UnsupportedFeatureError, "@pl.jit.extern is not supported"),
                      (lambda: twice(x, y), TypeError, "inlined"), (lambda: main(x), TypeError, "without"),
                      (lambda: main(x, y, y), TypeError, "takes 2 arguments"), (lambda: main("x", y), TypeError, "no array")):
    try:
        f()
    except kind as e:
        assert text in str(e), e
    else:
        raise AssertionError(text)
print("PASS")
