"""The kernels against NumPy and OpenBLAS on one thread, in turns: ours, theirs, ours, ... Times are
processor time of the process, which a loaded machine stretches less than the clock on the wall.
Prints a table as Markdown. usage: kernels.py BUILD [ROUNDS [WORD]]; WORD: only rows that have it"""
import ctypes
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
word = sys.argv[3] if len(sys.argv) > 3 else ""
SIDE = 1024


def timed(call, reps):
    call()
    start = time.process_time()
    for _ in range(reps):
        call()
    return (time.process_time() - start) / reps


class Ours:
    """build/tests/bench/kernels, one process for all rounds."""

    def __init__(self, path):
        self.process = subprocess.Popen([f"{build}/tests/bench/kernels", path], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return float(line) if line else None  # None: not on this machine


def blas():
    """sgemm of OpenBLAS, one thread, or None."""
    for name in "libopenblas.so.0", "libopenblas.so":
        try:
            lib = ctypes.CDLL(name)
            break
        except OSError:
            continue
    else:
        return None
    lib.openblas_set_num_threads(1)
    lib.openblas_get_corename.restype = ctypes.c_char_p
    floats = ctypes.POINTER(ctypes.c_float)

    def sgemm(a, b, c):
        n = ctypes.c_int(SIDE)
        at = [x.ctypes.data_as(floats) for x in (a, b, c)]
        lib.cblas_sgemm(101, 111, 111, n, n, n, ctypes.c_float(1), at[0], n, at[1], n,
                        ctypes.c_float(0), at[2], n)

    return sgemm, lib.openblas_get_corename().decode()


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def program(path, **defines):
    """Processor time of a whole run of a program."""
    args = [f"{build}/pldrun", "-q", path, "-d", "0"]
    for name, value in defines.items():
        args += ["-D", f"{name}={value}"]
    before = children()
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL)
    return children() - before


def softmax_program():
    reps = 200
    path = "tests/bench/softmax.pld"
    return (program(path, REPS=reps) - program(path, REPS=0)) / reps


def matrices(dtype):
    x = np.arange(SIDE * SIDE, dtype=np.int64) * 7919
    y = 1 + np.arange(SIDE * SIDE, dtype=np.int64) * 31 % 12
    if dtype == np.float32:
        a = (x % 1000 / 90).astype(dtype)
        return a.reshape(SIDE, SIDE), (a + 1).reshape(SIDE, SIDE)
    return (x % 127).astype(dtype).reshape(SIDE, SIDE), y.astype(dtype).reshape(SIDE, SIDE)


def numpy_softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def rows(sgemm):
    """(what, calls between two looks at the clock, their call, must, aim)"""
    f, g = matrices(np.float32)
    i, j = matrices(np.int32)
    k, l = matrices(np.int8)
    to, ti, tk = np.empty_like(f), np.empty_like(i), np.empty_like(k)
    tile = np.ascontiguousarray(f[:32])
    if sgemm:
        yield "matmul FP32", 1, lambda: sgemm(f, g, to), 4, 2.5
    yield "row_sum FP32", 20, lambda: f.sum(axis=1), 1.5, 1
    yield "row_max FP32", 20, lambda: f.max(axis=1), 1.5, 1
    yield "row_sum INT32", 20, lambda: i.sum(axis=1, dtype=np.int32), 1.5, 1
    yield "softmax FP32 [32, 1024], a program", 200, lambda: numpy_softmax(tile), 1.5, 1
    yield "add FP32", 20, lambda: np.add(f, g, out=to), 1.5, 1
    yield "exp FP32", 4, lambda: np.exp(f, out=to), None, None
    yield "log FP32", 4, lambda: np.log(g, out=to), None, None
    yield "div FP32", 20, lambda: np.divide(f, g, out=to), 1.5, 1
    yield "div INT32", 4, lambda: np.floor_divide(i, j, out=ti), 1, 0.5
    yield "div INT8", 4, lambda: np.floor_divide(k, l, out=tk), 1, 0.5
    yield "div INT32 scalar", 4, lambda: np.floor_divide(i, 7, out=ti), 1, 0.5
    yield "div INT8 scalar", 4, lambda: np.floor_divide(k, 7, out=tk), 1, 0.5


def text(values):
    """Median and spread in the unit that fits."""
    middle = statistics.median(values)
    unit, name = (1e-3, "ms") if middle >= 1e-3 else (1e-6, "us")
    return f"{middle / unit:.3g} {name} ({min(values) / unit:.3g} to {max(values) / unit:.3g})"


def main():
    found = blas()
    sgemm, core = found if found else (None, "not there")
    vectors = "avx512" if core in ("SkylakeX", "Cooperlake", "SapphireRapids") else "avx2"
    vectors = vectors if sgemm and core not in ("Prescott", "Nehalem") else "best"
    ours = Ours(vectors)
    print(f"NumPy {np.__version__}, OpenBLAS kernels for {core}, our product: {vectors}; "
          f"{rounds} rounds.\n")
    print("| [1024, 1024] | ours | theirs | ratio of medians | of minima | must | aim |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for what, reps, theirs, must, aim in rows(sgemm):
        if word not in what:
            continue
        mine, other = [], []
        for _ in range(rounds):
            mine.append(softmax_program() if "program" in what else ours(what))
            other.append(timed(theirs, reps))
        ratio = statistics.median(mine) / statistics.median(other)
        print(f"| {what} | {text(mine)} | {text(other)} | {ratio:.2f} | "
              f"{min(mine) / min(other):.2f} | {must or ''} | {aim or ''} |", flush=True)


main()
