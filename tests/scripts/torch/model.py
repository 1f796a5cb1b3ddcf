"""A program made by a factory, TensorSpecs of torch's dtypes, a golden in torch."""
# args: --rows 8
# says: ^max error .*, PASS$
import argparse

import pypto.language as pl
import torch
from pypto import ir
from pypto.runtime import RunConfig, TensorSpec, run


def build(rows, hidden):
    @pl.program
    class Norm:
        @pl.function(type=pl.FunctionType.InCore)
        def norm(self, x: pl.Tensor[[rows, hidden], pl.FP32], w: pl.Tensor[[1, hidden], pl.FP32],
                 y: pl.Out[pl.Tensor[[rows, hidden], pl.FP32]]):
            t = pl.load(x, [0, 0], [rows, hidden])
            tmp = pl.create_tile([rows, hidden], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
            scale = pl.rsqrt(pl.add(pl.mul(pl.row_sum(pl.mul(t, t), tmp), 1.0 / hidden), 1e-6))
            t = pl.col_expand_mul(pl.row_expand_mul(t, scale), pl.load(w, [0, 0], [1, hidden]))
            return pl.store(t, [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: pl.Tensor[[rows, hidden], pl.FP32], w: pl.Tensor[[1, hidden], pl.FP32],
                 y: pl.Out[pl.Tensor[[rows, hidden], pl.FP32]]):
            return self.norm(x, w, y)

    return Norm


parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=4)
rows = parser.parse_args().rows
torch.manual_seed(1)
specs = [TensorSpec("x", [rows, 32], torch.float32, init_value=torch.randn(rows, 32)),
         TensorSpec("w", [1, 32], torch.float32, init_value=lambda: torch.rand(1, 32)),
         TensorSpec("y", [rows, 32], torch.float32, is_output=True)]
x, w, y = (s.create_tensor() for s in specs)
program = build(rows, 32)
run(program, x, w, y, config=RunConfig(platform="a5sim"))
want = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w
torch.testing.assert_close(y, want, rtol=1e-4, atol=1e-5)
assert torch.equal(ir.compile(program, platform="a5sim")(x, w), y)
print(f"max error {(y - want).abs().max().item():.1e}, PASS")
