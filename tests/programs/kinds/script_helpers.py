# args: -q
# Undecorated functions: those that kernels and constants name are taken, the others are not.
import torch
import pypto.language as pl
import pypto.language.distributed as pld


def round_up(n, to=8):
    return (n + to - 1) // to * to


def reference(x):
    return torch.relu(x) + 1


def offsets(n):
    return [8 * k for k in range(n // 8)]


SIZE = round_up(13)
PARTS = offsets(SIZE)
REF = reference(torch.zeros(SIZE))
NR = pl.dynamic("NR")


@pl.jit.incore
def relu1(x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
    for o in PARTS:
        t = pl.relu(pl.load(x, [0, o], [1, 8]))
        y = pl.store(t + 1.0, [0, o], y)
    return y


@pl.jit
def chip(x, y):
    return relu1(x, y)


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], device=r)


@pld.init
def x(r, i, j):
    return j - 5 - r


@pld.golden
def y(r, i, j):
    return max(x[r, i, j], 0) + 1


torch.testing.assert_close(REF, REF)
