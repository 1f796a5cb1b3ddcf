"""A program made by a factory, a function beside the class that joins it, run() on a machine that is not there."""
# says: note: there is no a2a3 machine here: it is simulated
# says: ^Block: main rms_norm scale_rows$
import numpy as np
import pypto.language as pl
from pypto.runtime import RunConfig, run


@pl.function(type=pl.FunctionType.InCore)
def scale_rows(x: pl.Tensor[[8, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
    return pl.store(pl.mul(pl.load(x, [0, 0], [8, 32]), 0.5), [0, 0], y)


def build(rows, hidden, eps=1e-6):
    inverse = hidden ** -1.0

    @pl.program
    class Block:
        @pl.function(type=pl.FunctionType.InCore)
        def rms_norm(self, x: pl.Tensor[[rows, hidden], pl.FP32], y: pl.Out[pl.Tensor[[rows, hidden], pl.FP32]]):
            t = pl.load(x, [0, 0], [rows, hidden])
            tmp = pl.create_tile([rows, hidden], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
            mean = pl.mul(pl.row_sum(pl.mul(t, t), tmp), inverse)
            return pl.store(pl.row_expand_mul(t, pl.rsqrt(pl.add(mean, eps))), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: pl.Tensor[[rows, hidden], pl.FP32], y: pl.Out[pl.Tensor[[rows, hidden], pl.FP32]]):
            mid = pl.create_tensor([rows, hidden], dtype=pl.FP32)
            mid = self.rms_norm(x, mid)
            y = scale_rows(mid, y)
            return y

    return Block


program = build(8, 32)
x = np.random.default_rng(0).standard_normal((8, 32), dtype=np.float32)
y = np.zeros_like(x)
run(program, x, y, config=RunConfig(platform="a2a3"))
np.testing.assert_allclose(y, x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) / 2, rtol=1e-4, atol=1e-5)
print(f"{program.name}: {' '.join(sorted(program.functions))}")
