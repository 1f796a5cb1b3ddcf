"""Two instances of one def, a pipeline of kernels with intermediate tensors, in place updates, 3-d host tensors."""
# says: ^PASS
import dataclasses
import json
import tempfile

import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

R, C = 8, 64


def stage(op, value):
    @pl.jit.incore
    def step(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
        return pl.store(op(pl.load(x, [0, 0], [R, C]), value), [0, 0], y)
    return step
add3, mul2 = stage(pl.add, 3.0), stage(pl.mul, 2.0)


@pl.jit
def pipeline(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    mid = pl.create_tensor([R, C], dtype=pl.FP32)
    mid = add3(x, mid)
    y = mul2(mid, y)
    return y


@pl.jit.host
def host(x: pl.Tensor[[pl.dynamic("P"), R, C], pl.FP32], y: pl.Out[pl.Tensor[[pl.dynamic("P"), R, C], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        pipeline(x[r], y[r], device=r)
    return y

x = np.random.rand(3, R, C).astype(np.float32)
cfg = RunConfig(distributed_config=DistributedConfig(device_ids=[5, 6, 7]))
y = host(x, config=cfg)
np.testing.assert_allclose(y, (x + 3) * 2, rtol=1e-6)
y2 = np.zeros_like(x)
assert host(x, y2, config=cfg) is None
np.testing.assert_array_equal(y, y2)
print(host, pipeline, add3)
one = pipeline(x[0])
np.testing.assert_array_equal(one, y[0])
big = np.zeros((R, 2 * C), np.float32)
pipeline(x[1], big[:, ::2])
np.testing.assert_array_equal(big[:, ::2], y[1])
assert not big[:, 1::2].any()

# the graph of the dispatches, in a folder
with tempfile.TemporaryDirectory() as folder:
    host(x, y2, config=dataclasses.replace(cfg, enable_dep_gen=True, save_kernels_dir=folder))
    with open(f"{folder}/dfx_outputs/dispatches.json") as f:
        dispatches = json.load(f)["dispatches"]
assert [(d["function"], d["device"], d["after"]) for d in dispatches] == [("pipeline", n, []) for n in (5, 6, 7)], dispatches
assert all(d["file"].endswith("stages_on_devices.py") and d["begin_ps"] < d["end_ps"] for d in dispatches)
print("PASS")
