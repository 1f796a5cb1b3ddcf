"""torch's tensors: in place, returned, as views, and by their dtypes."""
# says: ^PASS
import pypto.language as pl
import torch
from pypto.runtime import RunConfig


@pl.jit
def add(a: pl.Tensor, b: pl.Tensor, c: pl.Out[pl.Tensor]):
    rows, cols = a.shape
    with pl.at(level=pl.Level.CORE_GROUP):
        c = pl.store(pl.add(pl.load(a, [0, 0], [rows, cols]), pl.load(b, [0, 0], [rows, cols])), [0, 0], c)
    return c


@pl.jit
def double(x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [4, 16]) * 2.0, [0, 0], y)
    return y


torch.manual_seed(0)
for dtype in (torch.float32, torch.float16, torch.int32, torch.int16):
    a = torch.randint(0, 100, (8, 32)).to(dtype)
    c = torch.zeros_like(a)
    assert add(a, a, c, config=RunConfig()) is None
    assert torch.equal(c, a + a), dtype

wide = torch.arange(8 * 32, dtype=torch.float32).reshape(8, 32)
out = torch.zeros(32, 8)
add(wide.t()[:16], wide.t()[16:], out[::2], config=RunConfig())
assert torch.equal(out[::2], wide.t()[:16] + wide.t()[16:]) and (out[1::2] == 0).all()

x = torch.full((4, 16), 3.0, requires_grad=True)
y = double(x)
assert isinstance(y, torch.Tensor) and y.dtype == torch.float32 and (y == 6).all()
shared = torch.zeros(4, 16).share_memory_()
double(x, shared)
assert (shared == 6).all()
try:
    double(x.double(), shared)
except TypeError as e:
    assert "x is FP32: wanted float32, got float64" in str(e), e
else:
    raise AssertionError("float64 was taken")
try:
    double(torch.zeros(4, 16, device="meta"), shared)
except TypeError as e:
    assert "must be on the CPU" in str(e), e
else:
    raise AssertionError("a tensor without memory was taken")
print("PASS")
