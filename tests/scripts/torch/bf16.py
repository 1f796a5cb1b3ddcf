"""BF16 of torch, through kernels in a tuple."""
# says: ^halve negate$
import pypto.language as pl
import torch


@pl.jit
def halve(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.cast(pl.load(x, [0, 0], [4, 16]), target_type=pl.FP32)
        y = pl.store(pl.cast(t * 0.5, target_type=x.dtype), [0, 0], y)
    return y


@pl.jit
def negate(x: pl.Tensor[[4, 16], pl.BF16], y: pl.Out[pl.Tensor[[4, 16], pl.BF16]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.cast(pl.load(x, [0, 0], [4, 16]), target_type=pl.FP32)
        y = pl.store(pl.cast(pl.neg(t), target_type=pl.BF16), [0, 0], y)
    return y


x = torch.randn(4, 16).to(torch.bfloat16)
for fn, want in ((halve, x * 0.5), (negate, -x)):
    y = torch.zeros(4, 16, dtype=torch.bfloat16)
    fn(x, y)
    assert torch.equal(y, want), fn
assert negate(x).dtype == torch.bfloat16
print(*(fn.__name__ for fn in (halve, negate)))
