"""A ragged last chunk, its length read from a tensor; padding, slices, reads of single elements."""
# says: ^PASS
import numpy as np
import pypto.language as pl


@pl.jit
def masked_sum(x: pl.Tensor[[4, 64], pl.FP32], lengths: pl.Tensor[[4], pl.INT32], y: pl.Out[pl.Tensor[[4, 1], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        for i in pl.range(4):
            n = pl.cast(pl.tensor.read(lengths, [i]), pl.INDEX)
            t = pl.load(x, [i, 0], [1, 64], valid_shape=[1, n])
            t = pl.fillpad(t, pad_value=pl.PadValue.zero)
            tmp = pl.create_tile([1, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
            y = pl.store(pl.row_sum(t, tmp), [i, 0], y)
    return y


@pl.jit
def sliced(x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[2, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        part = pl.slice(x, [2, 16], [1, 8])
        y[:] = pl.add(part, 1.0)
    return y


x = np.random.default_rng(2).random((4, 64), dtype=np.float32)
lengths = np.array([1, 64, 17, 33], np.int32)
want = np.array([[x[i, :n].sum()] for i, n in enumerate(lengths)], np.float32)
np.testing.assert_allclose(masked_sum(x, lengths), want, rtol=1e-5)
assert (sliced(x) == x[1:3, 8:24] + 1).all()
print("PASS")
