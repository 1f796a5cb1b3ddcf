"""All-gather then reduce over a ring of devices."""
# says: ^PASS
import argparse
import sys
import pathlib
import torch
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

COLS = 32


def program(world: int):
    @pl.jit.incore
    def gather(src: pl.Tensor[[1, COLS], pl.FP32], dst: pl.Out[pl.Tensor[[world, COLS], pl.FP32]],
               buf: pld.DistributedTensor[[world, COLS], pl.FP32], sig: pld.DistributedTensor[[world, 1], pl.INT32], me: pl.Scalar[pl.INT32]):
        t = pl.load(src, [0, 0], [1, COLS])
        for peer in pl.range(world):
            if peer != me:
                pld.tile.remote_store(t, target=buf, peer=peer, offsets=[me, 0])
                pld.system.notify(sig, peer=peer, offsets=[me, 0], value=1, op=pld.NotifyOp.Set)
        dst = pl.store(t, [me, 0], dst)
        for peer in pl.range(world):
            if peer != me:
                pld.system.wait(sig, offsets=[peer, 0], expected=1, cmp=pld.WaitCmp.Ge)
                dst = pl.store(pl.load(buf, [peer, 0], [1, COLS]), [peer, 0], dst)
        return dst

    @pl.jit
    def chip(src: pl.Tensor, dst: pl.Out[pl.Tensor], buf, sig, me):
        return gather(src, dst, buf, sig, me)

    @pl.jit.host
    def all_gather(src: pl.Tensor[[world, 1, COLS], pl.FP32], dst: pl.Out[pl.Tensor[[world, world, COLS], pl.FP32]]):
        b = pld.alloc_window_buffer([world, COLS], dtype=pl.FP32)
        s = pld.alloc_window_buffer([world, 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            chip(src[r], dst[r], pld.window(b, [world, COLS], dtype=pl.FP32), pld.window(s, [world, 1], dtype=pl.INT32), r, device=r)
        return dst
    return all_gather


def parse_devices(s):
    if "-" in s:
        lo, hi = s.split("-"); return list(range(int(lo), int(hi) + 1))
    return [int(x) for x in s.split(",")]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-d", "--device", default="0-3")
    p.add_argument("--compile-only", action="store_true")
    a = p.parse_args()
    ids = parse_devices(a.device); world = len(ids)
    src = torch.arange(world * COLS, dtype=torch.float32).reshape(world, 1, COLS)
    dst = torch.full((world, world, COLS), -1.0)
    ag = program(world)
    src.share_memory_(); dst.share_memory_()
    cfg = RunConfig(platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids, num_sub_workers=0))
    compiled = ag.compile(src, dst, config=cfg)
    print("compiled into", pathlib.Path(compiled.output_dir).name[:10])
    if a.compile_only:
        return 0
    compiled(src, dst)
    assert torch.equal(dst, src.reshape(1, world, COLS).expand(world, -1, -1))
    with compiled.prepare() as w:
        dst.zero_()
        w(src, dst)
        assert torch.equal(dst, src.reshape(1, world, COLS).expand(world, -1, -1))
    print("PASS")
    return 0
sys.exit(main())
