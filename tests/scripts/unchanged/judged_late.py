"""What is found after parsing: an output that no path writes, a platform of another kind, mistakes as exceptions that pickle."""
# says: ^PASS
import pickle

import numpy as np
import pypto.language as pl
from pypto import ir
from pypto.backend.pto_backend import PartialCodegenError
from pypto.language.parser import ParserError, ParserTypeError
from pypto.runtime import RunConfig, TensorSpec, benchmark


@pl.program
class Silent:
    @pl.function(type=pl.FunctionType.InCore)
    def step(self, x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        t = pl.load(x, [0, 0], [4, 16])

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        self.step(x, y)


@pl.jit
def mixed(x: pl.Tensor[[4, 16], pl.FP32], h: pl.Tensor[[4, 16], pl.FP16], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.add(pl.load(x, [0, 0], [4, 16]), pl.load(h, [0, 0], [4, 16])), [0, 0], y)
    return y


@pl.jit
def copy(x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [4, 16]), [0, 0], y)
    return y


@pl.program
class Cube:
    @pl.function(type=pl.FunctionType.AIC)
    def step(self, x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        return pl.store(pl.load(x, [0, 0], [4, 16]), [0, 0], y)


def raised(kind, text, f):
    try:
        f()
    except kind as e:
        assert text in str(e), e
        return e
    raise AssertionError(text)


raised(PartialCodegenError, "one core does cube and vector work here", lambda: ir.compile(Cube))
raised(AttributeError, "Foo", lambda: pl.FunctionType.Foo)
raised(PartialCodegenError, "y", lambda: ir.compile(Silent))
x = np.ones((4, 16), np.float32)
e = raised(ParserTypeError, "FP16", lambda: mixed(x, x.astype(np.float16)))
assert isinstance(e, RuntimeError) and isinstance(e, ParserError) and e.span["line"] == 27 and e.span["filename"].endswith("judged_late.py")
again = pickle.loads(pickle.dumps(e))
assert type(again) is type(e) and str(again) == str(e) and again.diagnostics[0].line == 27
assert pickle.loads(pickle.dumps(copy)) is copy and pickle.loads(pickle.dumps(pl.FP32)) is pl.FP32

compiled = copy.compile(config=RunConfig(platform="a5sim"))
assert compiled.platform == "a5sim" and (compiled(x) == 1).all()
raised(ValueError, "was compiled for a5sim, the call says a2a3sim", lambda: compiled(x, config=RunConfig()))
raised(TypeError, "copy takes 2 arguments", lambda: compiled(x, x, x))
raised(TypeError, "copy takes no z", lambda: compiled(x, z=x))
b = benchmark(compiled, [x, np.zeros_like(x)], rounds=3, warmup=1)
assert len(set(b.device_wall_us)) == 1 and b.device_wall_us[0] > 0
f = Silent._definition and copy.lower().get_function("copy")
assert f.name == "copy" and f.level.name == "CORE_GROUP" and f.role.name == "Orchestrator" and not f.requires_runtime_binding
spec = TensorSpec("x", [2, 3], pl.FP16, init_value=2)
assert spec.create_tensor().dtype == np.float16 and (spec.create_tensor() == 2).all()
print("PASS")
