"""Windows written without pl.InOut, and a rank as a number: what the first scripts of a course look like."""
# says: ranks written
import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig


@pl.jit.incore
def hello(y: pl.Out[pl.Tensor[[1, 16], pl.FP32]], data: pld.DistributedTensor[[1, 16], pl.FP32]):
    me = pld.rank(pld.get_comm_ctx(data))
    zero = pl.full([1, 16], dtype=pl.FP32, value=0.0)
    data = pl.store(zero + pl.cast(me, pl.FP32), [0, 0], data)
    return pl.store(pl.load(data, [0, 0], [1, 16]), [0, 0], y)


@pl.jit
def chip(y, data):
    return hello(y, data)


@pl.jit.host
def host(y: pl.Out[pl.Tensor[[3, 1, 16], pl.FP32]]):
    buf = pld.alloc_window_buffer([1, 16], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        data = pld.window(buf, [1, 16], dtype=pl.FP32)
        chip(y[r], data, device=r)
    return y


y = np.zeros((3, 1, 16), np.float32)
host(y, config=RunConfig(distributed_config=DistributedConfig(device_ids=[0, 1, 2])))
assert (y[:, 0, 0] == [0, 1, 2]).all() and (y == y[:, :, :1]).all()
print("ranks written")
