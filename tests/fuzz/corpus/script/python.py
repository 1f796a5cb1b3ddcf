#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Doc
string with ''' in it"""
from __future__ import annotations
import os, sys as s
from . import (a,
    b)
async def f(*a, k: int = 3, **kw) -> None:
    async with x as y: await z
    match y:
        case {"a": [1, *rest]} if (n := len(rest)) > 1: pass
        case _: yield from g()
class Ä(Base, metaclass=M):
	x: int = rb'\x00' f"{a!r:>{w}} {{}}" if 0 else (yield)
@pl.jit
def k(x: pl.Tensor, y: pl.Out[pl.Tensor]): return y
lambda *a, **k: (a, k); x = y = 1 \
    + 2
if __name__ == "__main__": k(*[1], **{})
