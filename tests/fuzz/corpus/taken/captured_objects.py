"""What kernels take from objects around them: fields, attributes, members, items, and kernels in them."""
# says: ^20 calls right$
import collections
import dataclasses
import enum
import functools
import types

import numpy as np
import pypto
import pypto.language as pl
from helpers_package import arith


@dataclasses.dataclass
class Tiling:
    rows: int = 16
    cols: int = 32


@dataclasses.dataclass(frozen=True)
class Config:
    tiling: Tiling = dataclasses.field(default_factory=Tiling)
    factor: float = 2.0
    dtype: object = pl.FP32

    @property
    def half(self):
        return self.factor / 4


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


class Count(enum.IntEnum):
    TWO = 2


class Sizes:
    ROWS, COLS = 16, 32


Shape = collections.namedtuple("Shape", "rows cols")
cfg, shape, mode = Config(), Shape(16, 32), Mode.FAST
space = types.SimpleNamespace(inner=types.SimpleNamespace(cols=32), log=print)
table = {"rows": 16, "cols": 32, 3: 2.0, "tiles": (16, 32), "it's": 1, "who": object()}
weights = np.array([1.0, 2.0, 4.0])
in_core = functools.partial(pl.function, type=pl.FunctionType.InCore)
OPTIONS = {"type": pl.FunctionType.InCore}


def traced(f):
    """A decorator of the script's own."""
    return f


@pl.jit
def fields(x: pl.Tensor[[16, 32], cfg.dtype], y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [cfg.tiling.rows, cfg.tiling.cols])
        y = pl.store(pl.mul(t, cfg.half * 4), [0, 0], y)
    return y


@pl.jit
def tuples_and_classes(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [shape.rows, Sizes.COLS])
        u = pl.load(x, [0, 0], [Sizes.ROWS, space.inner.cols])
        y = pl.store(pl.add(t, u), [0, 0], y)
    return y


@pl.jit
def members(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], table["tiles"])
        if mode == Mode.FAST and mode != Mode.SLOW:
            t = pl.mul(t, float(Mode.SLOW.value))
        for _ in range(Count.TWO - table["it's"]):
            t = pl.mul(t, weights[1] * 0.5)
        y = pl.store(pl.mul(t, table[3] / 2), [0, 0], y)
    return y


@pl.jit
def of_modules(x: pl.Tensor[[16, 32], pypto.language.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    y = arith.doubled(x, y)
    return y


@in_core
def partly(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    return pl.store(pl.mul(pl.load(x, [0, 0], [16, 32]), 2.0), [0, 0], y)


@traced
@pl.function(**OPTIONS)
def starred(x: pl.Tensor[[*shape], pl.FP32], y: pl.Out[pl.Tensor[[*shape], pl.FP32]], factor: float = cfg.factor):
    return pl.store(pl.mul(pl.load(x, [0, 0], [*shape]), factor), [0, 0], y)


kernels = {"partly": partly, "starred": starred}


@pl.jit
def of_dicts(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    y = kernels["partly"](x, y)
    y = kernels["starred"](x, y)
    return y


def program_of(config):
    @pl.program
    class Scale:
        @pl.function(**OPTIONS)
        def scale(self, x: pl.Tensor[[config.tiling.rows, config.tiling.cols], pl.FP32],
                  y: pl.Out[pl.Tensor[[config.tiling.rows, config.tiling.cols], pl.FP32]]):
            return pl.store(pl.mul(pl.load(x, [0, 0], [16, config.tiling.cols]), config.factor), [0, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
            y = self.scale(x, y)
            return y

    return pypto.ir.compile(Scale, dump_passes=False)


def main():
    import pypto.ir
    right = 0
    x = np.random.default_rng(0).standard_normal((16, 32), dtype=np.float32)
    for kernel in (fields, tuples_and_classes, members, of_modules, of_dicts, program_of(cfg)):
        for _ in range(3):
            y = np.zeros_like(x)
            kernel(x, y)
            np.testing.assert_allclose(y, x * 2, rtol=1e-6)
            right += 1
    # A field that changes is another program; one that is back is the one of before.
    cfg.tiling.rows = 8
    y = np.zeros_like(x)
    fields(x, y)
    assert (y[:8] == x[:8] * 2).all() and not y[8:].any()
    right += 1
    try:
        table["rows"] = None
        cfg.tiling.__dict__.pop("rows")
        del Tiling.rows
        fields(x, y)
    except pypto.Error as e:
        assert "has no rows" in str(e) and "captured_objects.py:6" in str(e), e
        right += 1
    print(f"{right} calls right")


main()
