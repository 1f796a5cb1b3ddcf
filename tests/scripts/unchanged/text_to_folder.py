"""Text in, programs out: parse, print, serialise, inspect."""
# says: ^PASS
import os
import pathlib
import tempfile
import numpy as np
import pypto.language as pl
from pypto import ir

SRC = '''


@pl.program
class Saxpy:
    @pl.function(type=pl.FunctionType.InCore)
    def step(self, x: pl.Tensor[[N, 32], pl.FP32], y: pl.InOut[pl.Tensor[[N, 32], pl.FP32]], a: pl.Scalar[pl.FP32]):
        t = pl.load(x, [0, 0], [8, 32])
        u = pl.load(y, [0, 0], [8, 32])
        return pl.store(pl.add(pl.mul(t, a), u), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[N, 32], pl.FP32], y: pl.InOut[pl.Tensor[[N, 32], pl.FP32]], a: pl.Scalar[pl.FP32]):
        y = self.step(x, y, a)
        return y
'''
p = pl.parse(SRC)
print(p.name, list(p.functions))
f = p.get_function("step")
print([n for n, _ in f.params], f.return_types, f.requires_runtime_binding)
text = p.as_python()
q = pl.parse(text)
assert q == p and q.name == "Saxpy", q.name
blob = ir.serialize(p)
assert ir.deserialize(blob) == p
with tempfile.TemporaryDirectory() as d:
    path = pathlib.Path(d, "saxpy.py")
    path.write_text(SRC)
    assert pl.loads(path).name == "Saxpy"
    c = ir.compile(p, output_dir=os.path.join(d, "out"), dump_passes=True)
    names = sorted(n for _, _, fs in os.walk(c.output_dir) for n in fs)
    print(len(names), names[:2], [n for n in names if not n[0].isdigit()])
    x, y = np.ones((8, 32), np.float32), np.full((8, 32), 2, np.float32)
    c(x, y, 3.0)
    assert (y == 5).all(), y
    before = y.copy()
    assert c.validate_ir(x, y, 2.0)[-1] == "final" and (y == before).all()
    z = type(c).from_dir(c.output_dir)
    z(x, y, 1.0)
    assert (y == 6).all()
print(c.param_names, c.output_indices, c.has_return, c.orchestration_names)
print("PASS")
