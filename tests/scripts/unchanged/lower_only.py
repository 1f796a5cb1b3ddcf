"""lower() without a run: names of functions, scalars as constants of the compilation."""
# says: ^functions of main: copy main main_host$
# says: lowered as a dump
import numpy as np
import pypto.language as pl


@pl.jit.incore
def copy(x: pl.Tensor, y: pl.Out[pl.Tensor], factor: pl.FP32):
    return pl.store(pl.load(x, [0, 0], [2, 16]) * factor, [0, 0], y)


@pl.jit
def main(x: pl.Tensor, y: pl.Out[pl.Tensor], n: pl.INDEX, factor: pl.FP32):
    if n > 1:
        y = copy(x, y, factor)
    else:
        y = copy(x, y, 0.0)
    return y


x = np.zeros((4, 16), np.float32)
program = main.lower(x, x.copy(), 4, 2.5)
print(f"functions of {main.__name__}: {' '.join(sorted(program.functions))}")
assert program.functions["copy"].func_type.name == "InCore"
text = program.as_python()
assert text.startswith("# pld-ir 16_final") and "def copy" in text and "2.5" in text, text[:200]
print("lowered as a dump")
a, b = main.compile(x, x.copy(), 4, 2.5), main.compile(x, x.copy(), 4, 2.5)
assert a is b and a is not main.compile(x, x.copy(), 1, 2.5)
out = np.zeros((4, 16), np.float32)
main(x + 1, out, 2, factor=3.0)
assert (out[:2] == 3).all() and (out[2:] == 0).all()
main(x + 1, out, 1, factor=3.0)
assert (out == 0).all()
