# args: -q
# static
"""A factory that returns a class, called by main() with what the command line says."""
import os
import sys
from typing import Literal

import pypto.language as pl
import pypto.language.distributed as pld

DEFAULT = os.environ.get("MODE", "sum")


def build(nr: int = pld.world_size(), mode: Literal["sum", "max"] = "max"):
    op = pld.ReduceOp.Sum if mode == "sum" else pld.ReduceOp.Max

    @pl.program
    class Reduce:
        @pl.function(type=pl.FunctionType.InCore)
        def core(self, x: pl.Tensor[[1, 32], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 32], pl.FP32]],
                 s: pl.InOut[pld.DistributedTensor[[nr, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 32], pl.FP32]]):
            w = pl.store(pl.load(x, [0, 0], [1, 32]), [0, 0], w)
            w = pld.tensor.allreduce(w, s, op=op, mode="mesh")
            return pl.store(pl.load(w, [0, 0], [1, 32]), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x, w, s, y):
            return self.core(x, w, s, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[nr, 1, 32], pl.FP32], y: pl.Out[pl.Tensor[[nr, 1, 32], pl.FP32]]):
            wb = pld.alloc_window_buffer([1, 32], dtype=pl.FP32)
            sb = pld.alloc_window_buffer([nr, 1], dtype=pl.INT32)
            for r in pl.range(nr):
                self.chip(x[r], pld.window(wb, [1, 32], dtype=pl.FP32), pld.window(sb, [nr, 1], dtype=pl.INT32), y[r], device=r)

    @pld.init
    def x(r, i, j):
        return (r * 13 + j * 7) % 10

    @pld.golden
    def y(r, i, j):
        return max(x[k, i, j] for k in range(nr))

    return Reduce


def main():
    program = build(int(sys.argv[1]), DEFAULT)
    print(program)


if __name__ == "__main__":
    main()
