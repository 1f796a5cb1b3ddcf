# args: -q
# Lines that no program has: match, walrus, async, lambda, star arguments, decorators, other alphabets.
from __future__ import annotations
from functools import lru_cache
from pypto import language as L
from pypto.language import distributed as D

WIDTH = 8
größe = 3
NR = L.dynamic("NR")


@lru_cache(maxsize=None)
def expensive(*args, **kwargs):
    return (total := sum(args)) + len(kwargs)


async def later(x):
    async with x as y:
        return [z async for z in y]


def choose(command):
    match command:
        case ["run", *rest] if rest:
            return rest
        case {"name": str(name)}:
            return name
        case _:
            return None


@L.jit.incore
def rank_of(y: L.Out[L.Tensor[[1, WIDTH], L.INT32]], s: D.DistributedTensor[[NR, 1], L.INT32]):
    me = D.rank(D.get_comm_ctx(s))
    for j in range(WIDTH):
        L.write(y, [0, j], me * WIDTH + j)
    return y


@L.jit
def chip(y, s):
    return rank_of(y, s)


@L.jit.host
def everywhere(y: L.Out[L.Tensor[[NR, 1, WIDTH], L.INT32]]):
    signal = D.alloc_window_buffer([NR, 1], dtype=L.INT32)
    for r in L.range(D.world_size()):
        chip(y[r], D.window(signal, [NR, 1], dtype=L.INT32), device=r)


@D.golden
def y(r, i, j):
    return r * WIDTH + j


text = f"{größe!r:>{WIDTH}} {'nested' if größe else ''}"
handler = lambda *a, **k: print(a, k, sep="\n")
try:
    handler(text)
except (ValueError, TypeError) as e:
    raise RuntimeError from e
finally:
    del text
