"""unittest over kernels: dtypes by parameters, wrong kernels, classes of tests."""
# says: ^OK$
import unittest
import itertools
import numpy as np
import pypto
import pypto.language as pl
from pypto.language.parser.diagnostics import ParserTypeError, ParserSyntaxError, UndefinedVariableError, InvalidOperationError
from pypto.runtime import RunConfig


class TestUnary(unittest.TestCase):
    OPS = {"exp": np.exp, "sqrt": np.sqrt, "abs": np.abs, "neg": np.negative, "relu": lambda v: np.maximum(v, 0)}

    def test_ops(self):
        for (name, ref), (r, c) in itertools.product(self.OPS.items(), [(8, 16), (16, 64)]):
            with self.subTest(op=name, shape=(r, c)):
                op = getattr(pl, name)
                @pl.jit
                def unary(x: pl.Tensor, y: pl.Out[pl.Tensor[[r, c], pl.FP32]]):
                    with pl.at(level=pl.Level.CORE_GROUP):
                        y = pl.store(op(pl.load(x, [0, 0], [r, c])), [0, 0], y)
                    return y
                x = np.random.rand(r, c).astype(np.float32) + 0.1
                np.testing.assert_allclose(unary(x), ref(x), rtol=1e-5)

    @staticmethod
    @pl.jit
    def method_kernel(x: pl.Tensor, y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.store(pl.load(x, [0, 0], [8, 16]) * 2.0, [0, 0], y)
        return y

    def test_method(self):
        x = np.ones((8, 16), np.float32)
        self.assertTrue((self.method_kernel(x) == 2).all())
        self.assertTrue((TestUnary.method_kernel(x) == 2).all())


class TestErrors(unittest.TestCase):
    def test_undefined(self):
        @pl.jit
        def f(x: pl.Tensor, y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
            with pl.at(level=pl.Level.CORE_GROUP):
                y = pl.store(pl.load(x, [0, 0], [8, undefined_width]), [0, 0], y)
            return y
        with self.assertRaises(UndefinedVariableError) as e:
            f(np.ones((8, 16), np.float32))
        self.assertIn("undefined_width", e.exception.message)
        self.assertEqual(e.exception.span["filename"], __file__)
    def test_type(self):
        @pl.jit
        def f(x: pl.Tensor[[8, 16], pl.FP32], y: pl.Out[pl.Tensor[[8, 16], pl.FP16]]):
            with pl.at(level=pl.Level.CORE_GROUP):
                y = pl.store(pl.load(x, [0, 0], [8, 16]), [0, 0], y)
            return y
        with self.assertRaises(ParserTypeError):
            f.compile()
    def test_wrong_args(self):
        @pl.jit
        def f(x: pl.Tensor[[8, 16], pl.FP32], y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
            with pl.at(level=pl.Level.CORE_GROUP):
                y = pl.store(pl.load(x, [0, 0], [8, 16]), [0, 0], y)
            return y
        with self.assertRaises(ValueError): f(np.ones((4, 16), np.float32), np.ones((8, 16), np.float32))
        with self.assertRaises(TypeError): f(np.ones((8, 16), np.float64), np.ones((8, 16), np.float32))
        with self.assertRaises(TypeError): f(np.ones((8, 16), np.float32), np.ones((8, 16), np.float32), np.ones(3))
        with self.assertRaises(TypeError): f(np.ones((8, 16), np.float32), bogus=3)
        with self.assertRaises(InvalidOperationError):
            @pl.jit
            def g(x: pl.Tensor, y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    y = pl.store(pl.no_such_op(pl.load(x, [0, 0], [8, 16])), [0, 0], y)
                return y
            g(np.ones((8, 16), np.float32))
if __name__ == "__main__":
    unittest.main(verbosity=0)
