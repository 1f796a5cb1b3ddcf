"""Each device waits for the other: the report says who waits for whom, as an exception that a script may catch."""
# says: ^DeadlockError: .*deadlock\.py:[0-9]+
import numpy as np
import pld as simulator
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig


@pl.jit.incore
def wait_first(y: pl.Out[pl.Tensor[[1, 16], pl.FP32]], signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(signal))
    pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    pld.system.notify(signal, peer=1 - me, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    return pl.store(pl.full([1, 16], dtype=pl.FP32, value=1.0), [0, 0], y)


@pl.jit
def chip(y, signal):
    return wait_first(y, signal)


@pl.jit.host
def host(y: pl.Out[pl.Tensor[[2, 1, 16], pl.FP32]]):
    buf = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        signal = pld.window(buf, [1, 1], dtype=pl.INT32)
        chip(y[r], signal, device=r)


y = np.zeros((2, 1, 16), np.float32)
try:
    host(y, config=RunConfig(distributed_config=DistributedConfig(device_ids=[0, 1])))
except simulator.DeadlockError as e:
    print(f"{type(e).__name__}: {' '.join(str(e).splitlines())}")
    assert (y == 0).all()
