"""BF16 as bits, kernels in a table, looked up by their names."""
# says: ^scale_two .*scale_four
import numpy as np
import pypto.language as pl


def bf16(v):
    return (np.asarray(v, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def fp32(v):
    return (v.astype(np.uint32) << 16).view(np.float32)


@pl.jit.incore
def double(x: pl.Tensor[[4, 16], pl.BF16], y: pl.Out[pl.Tensor[[4, 16], pl.BF16]]):
    t = pl.cast(pl.load(x, [0, 0], [4, 16]), target_type=pl.FP32)
    return pl.store(pl.cast(t * 2.0, target_type=pl.BF16), [0, 0], y)


@pl.jit
def scale_two(x: pl.Tensor[[4, 16], pl.BF16], y: pl.Out[pl.Tensor[[4, 16], pl.BF16]]):
    return double(x, y)


@pl.jit
def scale_four(x: pl.Tensor[[4, 16], pl.BF16], y: pl.Out[pl.Tensor[[4, 16], pl.BF16]]):
    y = double(x, y)
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.cast(pl.load(y, [0, 0], [4, 16]), target_type=pl.FP32)
        y = pl.store(pl.cast(t + t, target_type=pl.BF16), [0, 0], y)
    return y


KERNELS = {2: scale_two, 4: scale_four}
CASES = [(fn.__name__, factor, fn) for factor, fn in KERNELS.items()]
for name, factor, fn in CASES:
    x, y = bf16(np.arange(64).reshape(4, 16)), np.zeros((4, 16), np.uint16)
    fn(x, y)
    assert (fp32(y) == np.arange(64).reshape(4, 16) * factor).all(), name
print(*(name for name, _, _ in CASES))
