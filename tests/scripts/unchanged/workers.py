"""Workers: programs registered once, arrays that live on the device."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from pypto.runtime import ChipWorker, DeviceTensor, RunConfig


@pl.jit
def increment(x: pl.Tensor[[2, 16], pl.FP32], y: pl.Out[pl.Tensor[[2, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [2, 16]) + 1.0, [0, 0], y)
    return y


compiled = increment.compile()
with ChipWorker(config=RunConfig()) as worker:
    assert ChipWorker.current() is worker
    handle = worker.register(compiled)
    a = worker.alloc_tensor((2, 16), pl.FP32, init=np.full((2, 16), 4.0, np.float32))
    b = worker.alloc_tensor((2, 16), pl.FP32)
    assert isinstance(a, DeviceTensor)
    handle(a, b)
    handle(b, a)
    assert (worker.copy_from(a) == 6).all() and worker.aicpu_dlopen_count == 1
    worker.copy_to(a, np.zeros((2, 16), np.float32))
    out = np.zeros((2, 16), np.float32)
    assert worker.submit(compiled, a, out).result() is None and (out == 1).all()
    for wrong in (lambda: compiled(a, b), lambda: ChipWorker().run(compiled, a, b)):
        try:
            wrong()
        except TypeError:
            pass
        else:
            raise AssertionError("an array of another worker was taken")
assert ChipWorker.current() is None
try:
    handle(np.zeros((2, 16), np.float32), out)
except RuntimeError as e:
    assert "closed" in str(e)
else:
    raise AssertionError("a closed worker ran")

with compiled.prepare(RunConfig(device_id=3)) as w:
    assert w(np.zeros((2, 16), np.float32), out) is None and (out == 1).all()
    stacked = w.alloc_stacked_tensor((2, 16), pl.FP32)
    w.run(compiled, out, stacked)
    assert (w.copy_stacked_from(stacked) == 2).all()
    w.free_stacked_tensor(stacked)
    for wrong, kind in ((lambda: w(out, stacked), TypeError), (lambda: compiled.prepare(callbacks={"log": print}), ValueError)):
        try:
            wrong()
        except kind:
            pass
        else:
            raise AssertionError(kind)
print("PASS")
