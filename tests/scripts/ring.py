#!/usr/bin/env python3
"""A script with a kernel, and all that scripts have around it."""
from __future__ import annotations

import argparse
import os, sys
import numpy as np
import pypto.language as L
from pypto.language import distributed as dist
from pypto.language import FP32
from pypto.runtime import (
    RunConfig,
    run,
)

SIZE = 16
NAMES = {"a": 1}
ROWS = 1
ROWS = 4  # the last one counts
SCALE = np.float32(2.0)
SEED = int(os.environ.get("SEED", "0"))
PATH: str = f"{SIZE}" + r"\x" + b"\xff".hex()
if SEED:
    TILE = 8
else:
    TILE = 16
try:
    import torch
except ImportError:
    torch = None


def tail(n, k=2):
    return n // k * k


def unused(x):
    return x.numpy()


@L.jit.incore
def step(x: L.Tensor[[ROWS, SIZE], FP32], y: L.Out[L.Tensor[[ROWS, SIZE], FP32]]):
    for i in range(tail(ROWS)):
        y = L.store(L.load(x, [i, 0], [1, SIZE]) * 2.0, [i, 0], y)
    return y


@L.jit
def orch(x, y):
    return step(x, y)


@L.jit.host
def main(xs: L.Tensor[[2, ROWS, SIZE], FP32], ys: L.Out[L.Tensor[[2, ROWS, SIZE], FP32]]):
    for r in range(dist.world_size()):
        orch(xs[r], ys[r], device=r)
    return ys


class Config(dict):
    match: int = 3

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.é = lambda v: (yield v)


async def wait():
    match 3:
        case 3: await x
	

@dist.init
def xs(r, i, j):
    return r + i + j


def golden(tensors):
    tensors["ys"][:] = 2 * tensors["xs"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    args = parser.parse_args()
    if (n := len(sys.argv)) > 1: print(f"{n}")
    run(main, golden, RunConfig(**vars(args)))
