"""Annotations that say how memory is laid out: row by row is how it is, other ways are refused where they are used."""
# says: ^PASS
import numpy as np
import pypto.language as pl
from pypto.language.parser import ParserError

Rows = pl.Tensor[[4, 16], pl.FP32, pl.ND]


@pl.jit
def rows(x: pl.Tensor[[4, 16], pl.FP32, pl.TensorLayout.ND], y: pl.Out[Rows]):
    with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.LEFT_RIGHT), pl.cross_core_slot(slot_num=2)]):
        y = pl.store(pl.load(x, [0, 0], [4, 16]) * 2.0, [0, 0], y)
    return y


@pl.jit
def view(x: pl.Tensor[[4, 16], pl.FP32, pl.TensorView(layout=pl.TensorLayout.ND)], y: pl.Out[Rows]):
    return rows(x, y)


@pl.jit
def fractal(x: pl.Tensor[[4, 16], pl.FP32, pl.NZ], y: pl.Out[Rows]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [4, 16]), [0, 0], y)
    return y


x = np.ones((4, 16), np.float32)
assert (rows(x) == 2).all()
for f, text in ((fractal, "row by row"), (view, "rows is an orchestration function")):
    try:
        f(x)
    except ParserError as e:
        assert text in str(e), e
    else:
        raise AssertionError(text)
print("PASS")
