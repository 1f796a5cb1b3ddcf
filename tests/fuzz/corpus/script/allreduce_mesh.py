"""An all-reduce over the devices that -d names: compiled once for arrays, looked at, called.

    python3 allreduce_mesh.py -d 0,1,2
"""
# args: -d 4,2,7
# says: ^3 devices, 3 outputs right, files in .*host_
import argparse
import os
import sys

import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64
WORLD = pl.dynamic("WORLD")


@pl.jit.incore
def reduce_step(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[WORLD, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(data)
    me, n = pld.rank(ctx), pld.nranks(ctx)
    data = pl.store(pl.load(x, [0, 0], [1, SIZE]), [0, 0], data)
    for peer in pl.range(n):
        if peer != me:
            pld.system.notify(signal, peer=peer, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    for peer in pl.range(n):
        if peer != me:
            pld.system.wait(signal, offsets=[peer, 0], expected=1, cmp=pld.WaitCmp.Ge)
    acc = pl.load(data, [0, 0], [1, SIZE])
    for peer in pl.range(n):
        if peer != me:
            acc = pl.add(acc, pld.tile.remote_load(data, peer=peer, offsets=[0, 0], shape=[1, SIZE]))
    return pl.store(acc, [0, 0], y)


@pl.jit
def on_device(x, y, data, signal):
    return reduce_step(x, y, data, signal)


@pl.jit.host
def host(x: pl.Tensor[[WORLD, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[WORLD, 1, SIZE], pl.FP32]]):
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([pld.world_size(), 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
        signal = pld.window(signal_buf, [pld.world_size(), 1], dtype=pl.INT32)
        on_device(x[r], y[r], data, signal, device=r)
    return y


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-d", "--devices", default="0,1")
    ids = [int(d) for d in parser.parse_args().devices.split(",")]
    x = np.random.default_rng(0).standard_normal((len(ids), 1, SIZE), dtype=np.float32)
    y = np.zeros_like(x)
    compiled = host.compile(x, y, config=RunConfig(distributed_config=DistributedConfig(device_ids=ids)))
    assert compiled(x, y) is None
    np.testing.assert_allclose(y, np.broadcast_to(x.sum(0), x.shape), rtol=1e-5, atol=1e-6)
    assert os.path.exists(os.path.join(compiled.output_dir, "program.pldb"))
    print(f"{len(ids)} devices, {len(y)} outputs right, files in {compiled.output_dir}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
