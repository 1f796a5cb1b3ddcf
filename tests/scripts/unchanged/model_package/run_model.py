"""A model in a package, started with -m: relative imports, constants from another module, shapes of real size lowered only."""
import argparse

import numpy as np
import pypto.language as pl

from . import config
from .config import HIDDEN, LAYERS
from .kernels.mlp import add_to, gate


@pl.jit
def layers(x: pl.Tensor, y: pl.InOut[pl.Tensor]):
    for _ in pl.range(LAYERS):
        mid = pl.create_tensor([8, HIDDEN], dtype=pl.FP32)
        mid = gate(x, mid)
        y = add_to(mid, y)
    return y


@pl.jit
def head(w: pl.Tensor[[config.ROWS, config.VOCABULARY // 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(w, [0, 0], [1, 16]), [0, 0], y)
    return y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=LAYERS)
    parser.parse_args()
    x = np.linspace(-1, 1, 8 * HIDDEN, dtype=np.float32).reshape(8, HIDDEN)
    y = np.ones_like(x)
    layers(x, y)
    np.testing.assert_allclose(y, 1 + 2 * x / (1 + np.exp(-x)), rtol=1e-5, atol=1e-6)
    names = list(head.lower().functions)
    print(f"{__name__} {__package__}: {len(names)} functions of head, {config.ROWS} rows")


if __name__ == "__main__":
    main()
