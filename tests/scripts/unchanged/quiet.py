"""Warnings of the compiler come at the kernel's own place, and not under -q."""
# options: -q
# says: ^PASS
# lacks: Warning
import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig


@pl.jit.incore
def step(y: pl.Out[pl.Tensor[[1, 16], pl.FP32]], signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(signal))
    pld.system.notify(signal, peer=1 - me, offsets=[0, 0], value=1)
    pld.system.wait(signal, offsets=[0, 0], expected=1)
    return pl.store(pl.full([1, 16], dtype=pl.FP32, value=1.0), [0, 0], y)


@pl.jit
def chip(y, signal):
    return step(y, signal)


@pl.jit.host
def host(y: pl.Out[pl.Tensor[[2, 1, 16], pl.FP32]]):
    buf = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        signal = pld.window(buf, [1, 1], dtype=pl.INT32)
        chip(y[r], signal, device=r)


y = np.zeros((2, 1, 16), np.float32)
host(y, config=RunConfig(distributed_config=DistributedConfig(device_ids=[0, 1]), platform="a5"))
assert (y == 1).all()
print("PASS")
