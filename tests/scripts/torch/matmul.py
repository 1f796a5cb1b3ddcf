"""Tiled matmul in a program with scopes, bf16 inputs, accumulators."""
# says: ^PASS
import torch
import pypto.language as pl
from pypto.runtime import RunConfig
from dataclasses import dataclass


@dataclass(frozen=True)
class MM:
    m: int = 64
    k: int = 64
    n: int = 64
    tm: int = 32
    tk: int = 32
    tn: int = 32
mm = MM()


@pl.jit
def matmul(a: pl.Tensor, b: pl.Tensor, c: pl.Out[pl.Tensor]):
    M, K = a.shape
    N = b.shape[1]
    for i in pl.range(0, M, mm.tm):
        for j in pl.range(0, N, mm.tn):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="mm"):
                at = pl.load(a, [i, 0], [mm.tm, mm.tk], target_memory=pl.MemorySpace.Mat)
                bt = pl.load(b, [0, j], [mm.tk, mm.tn], target_memory=pl.MemorySpace.Mat)
                acc = pl.matmul(pl.move(at, target_memory=pl.MemorySpace.Left), pl.move(bt, target_memory=pl.MemorySpace.Right))
                for kk in pl.range(mm.tk, K, mm.tk):
                    at2 = pl.load(a, [i, kk], [mm.tm, mm.tk], target_memory=pl.MemorySpace.Mat)
                    bt2 = pl.load(b, [kk, j], [mm.tk, mm.tn], target_memory=pl.MemorySpace.Mat)
                    acc = pl.matmul_acc(acc, pl.move(at2, target_memory=pl.MemorySpace.Left), pl.move(bt2, target_memory=pl.MemorySpace.Right))
                c = pl.store(acc, [i, j], c)
    return c

a = torch.randn(mm.m, mm.k).to(torch.bfloat16); b = torch.randn(mm.k, mm.n).to(torch.bfloat16)
c = torch.zeros(mm.m, mm.n)
matmul(a, b, c, config=RunConfig())
ref = a.float() @ b.float()
assert torch.allclose(c, ref, rtol=1e-3, atol=1e-3), (c - ref).abs().max()
low = matmul.lower(a, b, c)
print(list(low.functions)[:3], low.name)
print("PASS")
