"""A reduce-scatter with barriers in a class of a program; kernels joined from the module."""
# says: ^PASS
import argparse
import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig, DistributedCompiledProgram
from pypto.runtime import RunConfig, run


def make(n: int, world: int):
    chunk = n // world

    @pl.program
    class ReduceScatter:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: pl.Tensor[[1, n], pl.FP32], y: pl.Out[pl.Tensor[[1, chunk], pl.FP32]],
                   data: pl.InOut[pld.DistributedTensor[[1, n], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[world, 1], pl.INT32]],
                   me: pl.Scalar[pl.INT32]):
            data = pl.store(pl.load(x, [0, 0], [1, n]), [0, 0], data)
            for p in pl.range(world):
                if p != me:
                    pld.system.notify(sig, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            for p in pl.range(world):
                if p != me:
                    pld.system.wait(sig, offsets=[p, 0], expected=1, cmp=pld.WaitCmp.Ge)
            acc = pl.load(data, [0, me * chunk], [1, chunk])
            for p in pl.range(world):
                if p != me:
                    acc = pl.add(acc, pld.tile.remote_load(data, peer=p, offsets=[0, me * chunk], shape=[1, chunk]))
            return pl.store(acc, [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: pl.Tensor[[1, n], pl.FP32], y: pl.Out[pl.Tensor[[1, chunk], pl.FP32]],
                 data: pl.InOut[pld.DistributedTensor[[1, n], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[world, 1], pl.INT32]],
                 me: pl.Scalar[pl.INT32]):
            y = self.kernel(x, y, data, sig, me)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[world, 1, n], pl.FP32], y: pl.Out[pl.Tensor[[world, 1, chunk], pl.FP32]]):
            db = pld.alloc_window_buffer([1, n], dtype=pl.FP32)
            sb = pld.alloc_window_buffer([world, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                d = pld.window(db, [1, n], dtype=pl.FP32)
                s = pld.window(sb, [world, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], d, s, r, device=r)
            return y
    return ReduceScatter

ap = argparse.ArgumentParser()
ap.add_argument("-d", default="0,1"); a = ap.parse_args()
ids = [int(i) for i in a.d.split(",")]
w, n = len(ids), 32 * len(ids)
prog = make(n, w)
c = ir.compile(prog, platform="a2a3sim", distributed_config=DistributedConfig(device_ids=ids), dump_passes=False)
assert isinstance(c, DistributedCompiledProgram)
x = np.random.default_rng(0).integers(0, 9, (w, 1, n)).astype(np.float32)
y = np.zeros((w, 1, n // w), np.float32)
c(x, y)
np.testing.assert_array_equal(y[:, 0], x.sum(0).reshape(w, -1))
f = prog.functions
print({k: (str(v.func_type), v.level, v.role) for k, v in f.items()})
r = c(x)
np.testing.assert_array_equal(r, y)
print("PASS")
