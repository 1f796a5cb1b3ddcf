"""A script in the style of the Python system, unchanged: every device sends its row to the next one.

    python3 -m pld samples/python/ring_shift.py -d 0,1,2,3
    python3 -m pld --mem=weak --explore samples/python/ring_shift.py -d 0,1
    python3 -m pld --timeline=ring.html samples/python/ring_shift.py

Where that system is installed, `python3 ring_shift.py` runs it on devices.
"""
import argparse
import sys

import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

SIZE = 64
NR = pl.dynamic("NR")


@pl.jit.incore
def shift(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    slot: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
    arrived: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(slot)
    following = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    row = pl.load(x, [0, 0], [1, SIZE])
    pld.tile.remote_store(row, slot, peer=following, offsets=[0, 0])
    pld.system.notify(arrived, peer=following, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    # Without this wait the values may still be right, and the run says that nothing orders them.
    pld.system.wait(arrived, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    return pl.store(pl.load(slot, [0, 0], [1, SIZE]), [0, 0], y)


@pl.jit
def on_device(x, y, slot, arrived):
    return shift(x, y, slot, arrived)


@pl.jit.host
def ring(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    slots = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    signals = pld.alloc_window_buffer([1, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        slot = pld.window(slots, [1, SIZE], dtype=pl.FP32)
        arrived = pld.window(signals, [1, 1], dtype=pl.INT32)
        on_device(x[r], y[r], slot, arrived, device=r)
    return y


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-d", "--devices", default="0,1,2", help="device ids")
    ids = [int(d) for d in parser.parse_args().devices.split(",")]
    x = np.random.default_rng(0).standard_normal((len(ids), 1, SIZE), dtype=np.float32)
    y = np.zeros_like(x)
    ring(x, y, config=RunConfig(distributed_config=DistributedConfig(device_ids=ids)))
    np.testing.assert_array_equal(y, np.roll(x, 1, axis=0))
    print(f"PASS: {len(ids)} rows, each on the next device")


if __name__ == "__main__":
    sys.exit(main())
