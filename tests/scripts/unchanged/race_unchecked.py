"""The race of race.py with the checks off: its values are right, and the script does not hear of it."""
# options: --check=none
# args: --repeat 2
# says: ^not reached with the checks on$
import argparse

import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

parser = argparse.ArgumentParser()
parser.add_argument("--repeat", type=int, default=1)
parser.add_argument("--try", dest="attempt", action="store_true")
args = parser.parse_args()


@pl.jit.incore
def exchange(
    x: pl.Tensor[[1, 32], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 32], pl.FP32]],
    data: pl.InOut[pld.DistributedTensor[[1, 32], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(data)
    me = pld.rank(ctx)
    data = pl.store(pl.load(x, [0, 0], [1, 32]), [0, 0], data)
    pld.system.notify(signal, peer=1 - me, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    other = pld.tile.remote_load(data, peer=1 - me, offsets=[0, 0], shape=[1, 32])
    return pl.store(other, [0, 0], y)


@pl.jit
def chip(x, y, data, signal):
    return exchange(x, y, data, signal)


@pl.jit.host
def host(x: pl.Tensor[[2, 1, 32], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, 32], pl.FP32]]):
    data_buf = pld.alloc_window_buffer([1, 32], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [1, 32], dtype=pl.FP32)
        signal = pld.window(signal_buf, [1, 1], dtype=pl.INT32)
        chip(x[r], y[r], data, signal, device=r)


x = np.zeros((2, 1, 32), np.float32)
y = np.ones_like(x)
config = RunConfig(distributed_config=DistributedConfig(device_ids=[0, 1]))
for _ in range(args.repeat):
    host(x, y, config=config)
assert (y == 0).all()
print("not reached with the checks on")
