"""Sub-workers: Python that the host function calls between kernels; windows that stay from run to run."""
# options: --check=races,signals
# says: ^PASS
import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import DistributedWorker, RunConfig
from pypto.runtime.distributed_runner import _tensor_from_continuous

N = 16
seen = []


def program():
    @pl.program
    class Steps:
        @pl.function(type=pl.FunctionType.InCore)
        def double(self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]):
            return pl.store(pl.load(x, [0, 0], [1, N]) * 2.0, [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(self, x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]):
            y = self.double(x, y)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
        def log(self, y: pl.Tensor[[1, N], pl.FP32], rank: pl.Scalar[pl.INT32]):
            seen.append((rank, float(np.asarray(y).max())))

        @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
        def mend(self, y: pl.InOut[pl.Tensor[[1, N], pl.FP32]]):
            """Left to whoever runs it."""
            ...

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[2, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]],
                 z: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]]):
            for r in pl.range(pld.world_size()):
                self.chip(x[r], y[r], device=r)
                self.log(y[r], r)
                self.mend(y[r])
                self.chip(y[r], z[r], device=r)
            return z
    return Steps


def plus_one(y):
    y += 1


def refused(kind, words, f):
    try:
        f()
    except kind as e:
        assert words in str(e), e
    else:
        raise SystemExit(f"{words}: no {kind.__name__}")


two = DistributedConfig(device_ids=[0, 1])
compiled = ir.compile(program(), dump_passes=False, distributed_config=two)
x = np.arange(2 * N, dtype=np.float32).reshape(2, 1, N)
y, z = np.zeros_like(x), np.zeros_like(x)
refused(ValueError, "mend is left open", lambda: compiled(x, y, z))
refused(ValueError, "mend is left open", compiled.prepare)
refused(ValueError, "no program here has a sub-worker menda", lambda: compiled.prepare(callbacks={"menda": plus_one}))
with compiled.prepare(callbacks={"mend": plus_one}) as worker:
    worker(x, y, z)
    np.testing.assert_array_equal(z, (x * 2 + 1) * 2)
    assert sorted(seen) == [(0, 30.0), (1, 62.0)], seen
seen.clear()
with compiled.prepare(callbacks={"mend": plus_one}, sub_worker_overrides={"log": lambda y, rank: None}) as worker:
    worker(x, y, z)
    assert not seen


class Ours(Exception):
    pass


def fails(y):
    raise Ours("from inside")


refused(Ours, "from inside", lambda: compiled.prepare(callbacks={"mend": fails})(x, y, z))
assert _tensor_from_continuous(x) is not None


# ---- windows that stay

@pl.jit.incore
def count(x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, N], pl.FP32]]):
    w = pl.store(pl.load(w, [0, 0], [1, N]) + pl.load(x, [0, 0], [1, N]), [0, 0], w)
    return pl.store(pl.load(w, [0, 0], [1, N]), [0, 0], y)


@pl.jit
def count_chip(x, y, w):
    return count(x, y, w)


@pl.jit.host
def counting(x: pl.Tensor[[2, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, N], pl.FP32]]):
    b = pld.alloc_window_buffer([1, N], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        count_chip(x[r], y[r], pld.window(b, [1, N], dtype=pl.FP32), device=r)
    return y


compiled = counting.compile(x, y, config=RunConfig(distributed_config=two))
for keep in (True, False):
    with DistributedWorker([compiled], persistent=True, reset_persistent_windows=not keep) as worker:
        for n in range(1, 4):
            worker.run(compiled, x, y)
            np.testing.assert_array_equal(y, x * (n if keep else 1))
print("PASS")
