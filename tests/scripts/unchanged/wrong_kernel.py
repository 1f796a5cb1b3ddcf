"""A mistake in a kernel: the message has this file, the line and a caret; the kernel beside it is of no matter."""
# expect: 1
# says: ^first kernel ran$
# says: wrong_kernel\.py:26:13: error: .*no_such_op
# says: ^ +\^~~
# says: note: PLD_BACKTRACE=1 shows Python's traceback
# lacks: Traceback
import numpy as np
import pypto.language as pl
from pypto.language.parser import ParserError


@pl.jit
def good(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [1, 16]), [0, 0], y)
    return y


@pl.jit
def wrong(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [1, 16])
        # here it goes wrong

        t = pl.no_such_op(t)
        y = pl.store(t, [0, 0], y)
    return y


x, y = np.ones((1, 16), np.float32), np.zeros((1, 16), np.float32)
good(x, y)
print("first kernel ran", flush=True)
try:
    wrong(x, y)
except ParserError as e:
    assert "wrong_kernel.py:26:13" in str(e), e
wrong(x, y)
