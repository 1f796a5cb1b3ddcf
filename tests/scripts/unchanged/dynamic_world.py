"""pl.dynamic as the number of devices: one text for two, three and five of them."""
# says: ^2 3 5$
import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

NR = pl.dynamic("NR")


@pl.jit.incore
def gather(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]],
           slots: pl.InOut[pld.DistributedTensor[[NR, 8], pl.FP32]], signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    pld.tensor.allgather(x, slots, signal)
    for r in pl.range(pld.nranks(pld.get_comm_ctx(slots))):
        y = pl.store(pl.load(slots, [r, 0], [1, 8]), [r, 0], y)
    return y


@pl.jit
def chip(x, y, slots, signal):
    return gather(x, y, slots, signal)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, NR, 8], pl.FP32]]):
    slots_buf = pld.alloc_window_buffer([pld.world_size(), 8], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([pld.world_size(), 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        slots = pld.window(slots_buf, [pld.world_size(), 8], dtype=pl.FP32)
        signal = pld.window(signal_buf, [pld.world_size(), 1], dtype=pl.INT32)
        chip(x[r], y[r], slots, signal, device=r)


done = []
for n in (2, 3, 5):
    x = np.random.default_rng(n).random((n, 1, 8), dtype=np.float32)
    y = np.zeros((n, n, 8), np.float32)
    host(x, y, config=RunConfig(distributed_config=DistributedConfig(device_ids=list(range(n)))))
    assert (y == x.reshape(1, n, 8)).all(), n
    done.append(n)
print(*done)
