import pypto.language as P
from pypto.language import FP32 as real

FACTOR = 4.0
WIDTH = 16


@P.jit.incore
def scaled(x: P.Tensor[[2, WIDTH], real], y: P.Out[P.Tensor[[2, WIDTH], real]]):
    return P.store(P.load(x, [0, 0], [2, WIDTH]) * FACTOR, [0, 0], y)


@P.jit.incore
def row(x: P.Tensor, y: P.Out[P.Tensor], i: P.INDEX):
    return P.store(P.load(x, [i, 0], [1, WIDTH]), [0, 0], y)


@P.jit.incore
def doubled(x: P.Tensor, y: P.Out[P.Tensor]):
    return P.store(P.load(x, [0, 0], [16, 32]) * 2.0, [0, 0], y)
