"""Three host functions in a file; the script chooses one of them by an argument."""
# args: --variant each
# says: ^each: max error 0
import argparse

import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

N = 16
NR = 2


@pl.jit.incore
def scale(x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]):
    return pl.store(pl.load(x, [0, 0], [1, N]) * 3.0, [0, 0], y)


@pl.jit.incore
def shift(x: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]):
    return pl.store(pl.load(x, [0, 0], [1, N]) + 1.0, [0, 0], y)


@pl.jit
def scale_chip(x, y):
    return scale(x, y)


@pl.jit
def shift_chip(x, y):
    return shift(x, y)


@pl.jit.host
def first(x: pl.Tensor[[NR, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, N], pl.FP32]]):
    scale_chip(x[0], y[0], device=0)
    return y


@pl.jit.host
def each(x: pl.Tensor[[NR, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, N], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        scale_chip(x[r], y[r], device=r)
    return y


@pl.jit.host
def mixed(x: pl.Tensor[[NR, 1, N], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, N], pl.FP32]]):
    scale_chip(x[0], y[0], device=0)
    shift_chip(x[1], y[1], device=1)
    return y


VARIANTS = {"first": (first, [3, 0], 0), "each": (each, [3, 3], 0), "mixed": (mixed, [3, 1], 1)}

parser = argparse.ArgumentParser()
parser.add_argument("--variant", choices=VARIANTS, default="first")
args = parser.parse_args()
for name in dict.fromkeys([args.variant, *VARIANTS]):
    fn, factors, add = VARIANTS[name]
    x = np.arange(NR * N, dtype=np.float32).reshape(NR, 1, N)
    y = np.zeros_like(x)
    fn(x, y, config=RunConfig(distributed_config=DistributedConfig(device_ids=[0, 1])))
    want = x * np.array(factors, np.float32).reshape(NR, 1, 1)
    want[1] += add
    print(f"{name}: max error {abs(y - want).max():g}")
    assert (y == want).all()
