"""One definition made twice with other constants; both kernels are part of one program; TensorSpec makes the arguments."""
# says: ^12 outputs right
import numpy as np
import pypto.language as pl
from pypto import ir
from pypto.runtime import TensorSpec


def make(factor, rows):
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(x: pl.Tensor[[rows, 16], pl.FP32], y: pl.Out[pl.Tensor[[rows, 16], pl.FP32]]):
        return pl.store(pl.load(x, [0, 0], [rows, 16]) * factor, [0, 0], y)

    return kernel


small, large = make(2.0, 4), make(10.0, 8)


@pl.program
class Both:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[4, 16], pl.FP32], b: pl.Tensor[[8, 16], pl.FP32],
             c: pl.Out[pl.Tensor[[4, 16], pl.FP32]], d: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
        c = small(a, c)
        d = large(b, d)
        return c, d


specs = [TensorSpec("a", [4, 16], np.float32, init_value=1.5), TensorSpec("b", [8, 16], np.float32, init_value=lambda: np.ones((8, 16)))]
inputs = [s.create_tensor() for s in specs]
compiled = ir.compile(Both)
c, d = compiled(*inputs)
assert (c == 3).all() and (d == 10).all()
print(f"{len(c) + len(d)} outputs right")
