"""--compile-only: run() of a configuration that only compiles leaves the arrays alone."""
# args: --compile-only
# says: ^compiled main, 0 written
import argparse

import numpy as np
import pypto.language as pl
from pypto.runtime import RunConfig, run


@pl.program
class Fill:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        return pl.store(pl.full([4, 16], dtype=pl.FP32, value=1.0), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        return self.fill(y)


parser = argparse.ArgumentParser()
parser.add_argument("--compile-only", action="store_true")
y = np.zeros((4, 16), np.float32)
compiled = run(Fill, y, config=RunConfig(codegen_only=parser.parse_args().compile_only))
print(f"compiled {compiled.orchestration_names[0]}, {int(y.sum())} written")
run(Fill, y, config=RunConfig())
assert (y == 1).all()
