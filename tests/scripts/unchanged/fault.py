"""A load past the end of a tensor: FaultError, with the line."""
# says: ^FaultError .*fault\.py:15:
import numpy as np
import pld
import pypto.language as pl

N = pl.dynamic("N")


@pl.jit
def past(x: pl.Tensor[[N, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        for i in pl.range(4):
            # row 2 of two
            t = pl.load(x, [i, 0], [1, 16])
            pl.store(t, [i, 0], y)


try:
    past(np.zeros((2, 16), np.float32), np.zeros((4, 16), np.float32))
except pld.FaultError as e:
    print(type(e).__name__, str(e).splitlines()[0])
    assert e.reports[0].line == 15 and e.reports[0].file.endswith("fault.py")
