"""Two devices, tensors of torch that are parts of one."""
# args: -d 0,1
# says: ^PASS
import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
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


parser = argparse.ArgumentParser()
parser.add_argument("-d", "--devices", type=lambda t: [int(i) for i in t.split(",")], default=[0])
ids = parser.parse_args().devices
everything = torch.randn(2 * len(ids), 1, 8)
x, y = everything[::2], torch.zeros(len(ids), len(ids), 8)
compiled = host.compile(x, y, config=RunConfig(distributed_config=DistributedConfig(device_ids=ids)))
compiled(x, y)
assert torch.equal(y, x.reshape(1, len(ids), 8).expand_as(y))
print("PASS")
