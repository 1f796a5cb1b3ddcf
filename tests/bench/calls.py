"""Overheads of the Python package: a call in place of a cached program beyond its simulation, against an empty ctypes
call; and `import pld` beyond NumPy's import. The best of several tries, in microseconds and seconds.

usage: tests/bench/calls.py, with PYTHONPATH and PLD_LIBRARY set (tests/bench/library.sh does)
"""
import ctypes
import subprocess
import sys
import time

import numpy as np

import pld

KERNEL = """
@pl.jit.incore
def kernel(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    t = pl.load(x, [0, 0], [4, 8])
    return pl.store(pl.add(t, t), [0, 0], y)
@pl.jit
def orch(x, y):
    return kernel(x, y)
@pl.jit.host
def main(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    return orch(x, y, device=0)
"""


def best(f, n=2000, tries=7):
    """Microseconds of one call."""
    found = float("inf")
    for _ in range(tries):
        start = time.perf_counter()
        for _ in range(n):
            f()
        found = min(found, (time.perf_counter() - start) / n)
    return found * 1e6


def simulation(p, x, y):
    """The same run without Python's part of it."""
    lib = pld._lib.lib
    r = lib.pld_run_new(p._h.p)
    keep = []
    for name, a in (("x", x), ("y", y)):
        shape, strides = (ctypes.c_int64 * 2)(*a.shape), (ctypes.c_int64 * 2)(*a.strides)
        keep.append(pld._lib.Tensor(dtype=0, rank=2, shape=shape, strides=strides, data=a.ctypes.data))
        lib.pld_run_tensor(r, name.encode(), ctypes.byref(keep[-1]))
    found = best(lambda: lib.pld_run_start(r))
    lib.pld_run_free(r)
    return found


def importing(module, tries=7):
    """CPU seconds of a process that imports it."""
    code = f"import time, numpy; s = time.process_time(); import {module}; print(time.process_time() - s)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
               for _ in range(tries))


def main():
    p = pld.loads(KERNEL)
    x, y = np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32)
    p(x, y)
    empty, whole, run = best(pld._lib.lib.pld_version), best(lambda: p(x, y)), simulation(p, x, y)
    seconds = importing("pld")
    print(f"call in place, cached program  {whole:8.2f} us, of which the simulation {run:.2f} us")
    print(f"empty ctypes call              {empty:8.2f} us")
    print(f"overhead                       {whole - run:8.2f} us (wanted: under 50)")
    print(f"import pld beyond NumPy        {seconds:8.4f} s (wanted: under 0.05)")
    return 0 if whole - run < 50 and seconds < 0.05 else 1


sys.exit(main())
