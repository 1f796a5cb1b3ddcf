# args: -q
# A script whose kernels stand in other files, a program and a script.
import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
from lib.config import ROWS, WIDTH, TABLE
import lib.config as config
from lib.rows import scale as kernel, NR

TWICE = ROWS * 2


@pl.jit
def chip(x, y):
    for k in pl.range(TWICE // 2):
        y = kernel(x, y)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, config.WIDTH], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, WIDTH], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], device=r)


@pld.init
def x(r, i, j):
    return r + j


@pld.golden
def y(r, i, j):
    return x[r, i, j] * 18


if __name__ == "__main__":
    print(np.asarray(TABLE))
