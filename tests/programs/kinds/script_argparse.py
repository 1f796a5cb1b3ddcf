# args: -q
"""A script with a command line: its kernels are taken, the rest is not."""
import argparse

import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld

COLS: int = 16
NR = pl.dynamic("NR")
FACTOR = np.float32(3)  # skipped, and not used in a kernel


@pl.jit.incore
def double(x: pl.Tensor[[1, COLS], pl.FP32], y: pl.Out[pl.Tensor[[1, COLS], pl.FP32]]):
    """Twice x."""
    return pl.store(pl.load(x, [0, 0], [1, COLS]) * 2.0, [0, 0], y)


@pl.jit
def chip(x, y):
    return double(x, y)


@pl.jit.host
def run(x: pl.Tensor[[NR, 1, COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, COLS], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], device=r)


@pld.init
def x(r, i, j):
    return r - j


@pld.golden
def y(r, i, j):
    return 2 * x[r, i, j]


class Checker:
    def __init__(self, tolerance=1e-6):
        self.tolerance = tolerance

    def __call__(self, a, b):
        return np.allclose(a, b, atol=self.tolerance)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    args = parser.parse_args(argv)
    data = np.arange(args.ranks * COLS, dtype=np.float32).reshape(args.ranks, 1, COLS)
    out = np.zeros_like(data)
    run(data, out)
    assert Checker()(out, 2 * data)


if __name__ == "__main__":
    main()
