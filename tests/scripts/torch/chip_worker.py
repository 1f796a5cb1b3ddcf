"""A worker that keeps programs and tensors."""
# says: ^PASS
import numpy as np
import torch
import pypto.language as pl
from pypto.runtime import ChipWorker, DistributedWorker, DeviceTensor, RunConfig, benchmark, run


@pl.jit
def scale_add(x: pl.Tensor[[16, 32], pl.FP32], b: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [16, 32]) * 2.0 + pl.load(b, [0, 0], [16, 32]), [0, 0], y)
    return y

cfg = RunConfig(platform="a2a3sim", device_id=1)
compiled = scale_add.compile(config=cfg)
with ChipWorker(config=cfg) as w:
    assert ChipWorker.current() is w
    h = w.register(compiled)
    x = w.alloc_tensor((16, 32), torch.float32, init=torch.ones(16, 32))
    b = w.alloc_tensor((16, 32), pl.FP32, init=torch.full((16, 32), 3.0))
    y = w.alloc_tensor((16, 32), torch.float32)
    assert isinstance(x, DeviceTensor)
    h(x, b, y)
    out = torch.empty(16, 32)
    w.copy_from(y, out)
    assert (out == 5).all(), out
    w.copy_to(x, torch.zeros(16, 32))
    w.run(compiled, x, b, y)
    w.copy_from(y, out)
    assert (out == 3).all()
    try:
        compiled(x, b, y)
    except TypeError as e:
        print("one-shot:", e)
    w.free_tensor(x)
    try:
        w.run(compiled, x, b, y)
    except TypeError as e:
        print("freed:", e)
    assert w.aicpu_dlopen_count == 1
try:
    w.run(compiled, out, out, out)
except RuntimeError as e:
    print("closed:", e)
b = benchmark(compiled, [torch.ones(16, 32), torch.ones(16, 32), torch.zeros(16, 32)], rounds=5, warmup=2)
print(len(b.device_wall_us), len(set(b.device_wall_us)))
print("PASS")
