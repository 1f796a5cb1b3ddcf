"""The language under other names, and names out of it."""
# says: ^PASS
import numpy as np
import pypto.language as P
from pypto import language
from pypto.language import FP32 as F, Out, Tensor, add, distributed as D, jit, load
from pypto.language.distributed import world_size

Vector = Tensor[[1, 16], F]
store = P.store
pl = None  # is no module here


@jit.incore
def one(x: Vector, y: Out[Vector]):
    t = add(load(x, [0, 0], [1, 16]), 1.0)
    return store(t, [0, 0], y)


@language.jit
def chip(x, y):
    return one(x, y)


@P.jit.host
def host(x: Tensor[[1, 1, 16], F], y: Out[Tensor[[1, 1, 16], F]]):
    for r in P.range(D.world_size()):
        chip(x[r], y[r], device=r)


x, y = np.zeros((1, 1, 16), np.float32), np.zeros((1, 1, 16), np.float32)
host(x, y)
assert (y == 1).all() and repr(world_size()) == "pld.world_size()"
print("PASS")
