"""Cells of a notebook, examples of doctest: text that no file holds, found by linecache. Without text: an error that says so."""
# says: ^PASS
import doctest
import linecache

import numpy as np
import pypto.language as pl
import pypto.language.parser as parser

CELL = '''
import pypto.language as pl
N = 16

@pl.jit
def cell(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(pl.load(x, [0, 0], [1, N]) + 1.0, [0, 0], y)
    return y
'''
x, y = np.zeros((1, 16), np.float32), np.zeros((1, 16), np.float32)

name = "<ipython-input-3-abc>"
linecache.cache[name] = (len(CELL), None, CELL.splitlines(True), name)
space = {}
exec(compile(CELL, name, "exec"), space)
space["cell"](x, y)
assert (y == 1).all()

space = {}
try:
    exec(CELL, space)
    space["cell"](x, y)
except parser.ParserError as e:
    assert str(e) == "no source for cell: put it into a file, or use pl.parse(text)", e
else:
    raise AssertionError("a kernel without text ran")

kernel = pl.parse(CELL)
kernel(x + 1, y)
assert (y == 2).all() and kernel.__name__ == "cell"


def example():
    """
    >>> @pl.jit
    ... def k(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    ...     with pl.at(level=pl.Level.CORE_GROUP):
    ...         y = pl.store(pl.load(x, [0, 0], [1, 16]) * 8.0, [0, 0], y)
    ...     return y
    >>> k(y, x)
    >>> float(x[0, 0])
    16.0
    """


assert doctest.testmod().failed == 0
print("PASS")
