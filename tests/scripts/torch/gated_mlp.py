"""A harness in the style of the models: specs, golden, run."""
# says: ^PASS
import torch
import pypto.language as pl
from pypto import ir
from pypto.runtime import RunConfig, TensorSpec, ScalarSpec, run, RunResult
from pypto.backend import BackendType, set_backend_type

B, S, H = 2, 8, 32


def build_program(batch=B, seq=S, hidden=H, scale: float = 0.5):
    tokens = batch * seq

    @pl.program
    class GatedMLP:
        @pl.function(type=pl.FunctionType.InCore)
        def gate(self, x: pl.Tensor[[tokens, hidden], pl.FP32], w: pl.Tensor[[tokens, hidden], pl.FP32],
                 o: pl.Out[pl.Tensor[[tokens, hidden], pl.FP32]]) -> pl.Tensor[[tokens, hidden], pl.FP32]:
            xt = pl.load(x, [0, 0], [tokens, hidden])
            wt = pl.load(w, [0, 0], [tokens, hidden])
            act = pl.mul(xt, pl.recip(pl.add(pl.exp(pl.neg(xt)), 1.0)))
            return pl.store(pl.mul(pl.mul(act, wt), scale), [0, 0], o)

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: pl.Tensor[[tokens, hidden], pl.FP32], w: pl.Tensor[[tokens, hidden], pl.FP32],
                 o: pl.Out[pl.Tensor[[tokens, hidden], pl.FP32]]) -> pl.Tensor[[tokens, hidden], pl.FP32]:
            o = self.gate(x, w, o)
            return o
    return GatedMLP


def specs():
    return [TensorSpec("x", [B * S, H], torch.float32, init_value=torch.randn),
            TensorSpec("w", [B * S, H], torch.float32, init_value=lambda: torch.rand(B * S, H)),
            TensorSpec("o", [B * S, H], torch.float32, is_output=True)]


def golden(tensors):
    x, w = tensors["x"], tensors["w"]
    tensors["o"][:] = torch.nn.functional.silu(x) * w * 0.5

if __name__ == "__main__":
    set_backend_type(BackendType.Ascend910B)
    prog = build_program()
    print(prog.name, list(prog.functions), prog.get_function("gate").func_type)
    try:
        tensors = {s.name: s.create_tensor() for s in specs()}
    except TypeError:
        tensors = {"x": torch.randn(B*S, H), "w": torch.rand(B*S, H), "o": torch.zeros(B*S, H)}
    compiled = run(prog, *tensors.values(), config=RunConfig(platform="a2a3sim", rtol=1e-4, atol=1e-4, strategy=ir.OptimizationStrategy.Default, dump_passes=True, backend_type=BackendType.Ascend910B))
    got = tensors["o"].clone()
    golden(tensors)
    assert torch.allclose(got, tensors["o"], rtol=1e-3, atol=1e-4), (got - tensors["o"]).abs().max()
    print("PASS", type(compiled).__name__)
