"""A host function on one device: calls without device=, Python of its own that is no kernel, a window for itself."""
# says: ^PASS
# says: ^128.0.\[\]$
# lacks: Warning
import numpy as np
import pypto.language as pl
from pypto import ir


@pl.program
class Alone:
    @pl.function(type=pl.FunctionType.InCore)
    def double(self, x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        return pl.store(pl.load(x, [0, 0], [4, 16]) * 2.0, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x, y):
        return self.double(x, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def show(self, y: pl.Tensor[[4, 16], pl.FP32]):
        values = np.asarray(y)
        print(f"{values.sum():.1f}", [v for v in values.ravel() if v > 3], sep="|")

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        self.chip(x, y)
        self.show(y)
        return y


x = np.ones((4, 16), np.float32)
assert (ir.compile(Alone)(x) == 2).all()
print("PASS")
