"""A file of tests for pytest with pld.pytest_plugin: fixtures, and kernels in classes."""
import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def add_rank(x: pl.Tensor[[1, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]], r: pl.Scalar[pl.INT32]):
    return pl.store(pl.load(x, [0, 0], [1, 16]) + pl.cast(r, pl.FP32), [0, 0], y)


@pl.jit
def chip(x, y, r):
    return add_rank(x, y, r)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 16], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 16], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], r, device=r)


class TestRanks:
    def test_each_device_adds_its_rank(self, test_config, device_ids):
        x = np.ones((len(device_ids), 1, 16), np.float32)
        y = np.zeros_like(x)
        host(x, y, config=test_config)
        assert (y[:, 0, 0] == 1 + np.arange(len(device_ids))).all()

    def test_by_the_runner(self, test_runner, device_ids):
        x, y = (np.zeros((len(device_ids), 1, 16), np.float32) for _ in range(2))
        test_runner(host, x, y)
        assert (y[:, 0, 0] == np.arange(len(device_ids))).all()
