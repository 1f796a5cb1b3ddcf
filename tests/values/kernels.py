"""Kernels of the kinds that people write, with what NumPy says: appended to the cases of cases.py."""
import numpy as np

from cases import case, reals, values

f32, f16, i32 = np.float32, np.float16, np.int32


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).astype(f32)


x, g, b = reals((100, 256)), reals((1, 256)), reals((1, 256))
mean = x.mean(1, keepdims=True)
layer = (x - mean) / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + 1e-5) * g + b
case("layernorm_tiles", """
for i in pl.range(0, 100, 32):
    rows = pl.min(32, 100 - i)
    t = pl.load(x, [i, 0], [32, 256], valid_shape=[rows, 256])
    mean = pl.mul(pl.row_sum(t), 1.0 / 256)
    d = pl.row_expand_sub(t, mean)
    var = pl.mul(pl.row_sum(pl.mul(d, d)), 1.0 / 256)
    n = pl.row_expand_mul(d, pl.rsqrt(pl.add(var, 1e-5)))
    n = pl.col_expand_mul(n, pl.load(g, [0, 0], [1, 256]))
    y = pl.store(pl.col_expand_add(n, pl.load(b, [0, 0], [1, 256])), [i, 0], y)
""", {"x": x, "g": g, "b": b}, layer.astype(f32), rtol=2e-3)
case("layernorm_values", """
mean = pl.row_sum(x) / 256.0
d = x - mean
y[:] = d / pl.sqrt(pl.row_sum(d * d) / 256.0 + 1e-5) * g + b
""", {"x": x, "g": g, "b": b}, layer.astype(f32), rtol=2e-3)
case("rmsnorm_half", """
for i in pl.range(0, 100, 50):
    t = pl.cast(pl.load(x, [i, 0], [50, 256]), target_type=pl.FP32)
    r = pl.rsqrt(pl.row_sum(t * t) * (1.0 / 256) + 1e-6)
    n = pl.row_expand_mul(t, r)
    w = pl.cast(pl.load(g, [0, 0], [1, 256]), target_type=pl.FP32)
    y = pl.store(pl.cast(pl.col_expand_mul(n, w), target_type=pl.FP16, mode="rint"), [i, 0], y)
""", {"x": x.astype(f16), "g": g.astype(f16)},
     (x.astype(f16).astype(f32) / np.sqrt((x.astype(f16).astype(f32) ** 2).mean(1, keepdims=True) + 1e-6) * g.astype(f16).astype(f32)).astype(f16), rtol=2e-3)
x = reals((64, 128))
angle = (np.arange(64)[:, None] / 10000 ** (np.arange(64) / 64)).astype(f32)
c, s = np.cos(angle), np.sin(angle)
rotated = np.concatenate([x[:, :64] * c - x[:, 64:] * s, x[:, 64:] * c + x[:, :64] * s], 1)
case("rope", """
low = pl.load(x, [0, 0], [64, 64])
high = pl.load(x, [0, 64], [64, 64])
a = pl.load(angle, [0, 0], [64, 64])
c, s = pl.cos(a), pl.sin(a)
y = pl.store(pl.concat(low * c - high * s, high * c + low * s), [0, 0], y)
""", {"x": x, "angle": angle}, rotated, rtol=1e-3)
case("rope_assemble", """
t = pl.load(x, [0, 0], [64, 128])
c = pl.cos(pl.load(angle, [0, 0], [64, 64]))
s = pl.sin(pl.load(angle, [0, 0], [64, 64]))
low, high = pl.slice(t, [64, 64], [0, 0]), pl.slice(t, [64, 64], [0, 64])
out = pl.create_tile([64, 128], dtype=pl.FP32)
pl.assemble(out, low * c - high * s, [0, 0])
pl.assemble(out, high * c + low * s, [0, 64])
y = pl.store(out, [0, 0], y)
""", {"x": x, "angle": angle}, rotated, rtol=1e-3)
x = reals((30, 200))
gelu = x / (1 + np.exp(-1.5957691216 * (x + 0.044715 * x ** 3).astype(np.float64)))
case("gelu_tanh", """
inner = (x + x * x * x * 0.044715) * -1.5957691216
y[:] = x / (pl.exp(inner) + 1.0)
""", {"x": x}, gelu.astype(f32), rtol=1e-4)
case("silu_gate", """
for i in pl.unroll(0, 30, 10):
    t = pl.load(x, [i, 0], [10, 200])
    y = pl.store(t * pl.recip(pl.exp(-t) + 1.0) * pl.load(u, [i, 0], [10, 200]), [i, 0], y)
""", {"x": x, "u": x * 2}, (x / (1 + np.exp(-x.astype(np.float64))) * (x * 2)).astype(f32), rtol=1e-5)
x = reals((37, 130))
case("softmax_ragged", """
for i in pl.range(0, 37, 16):
    rows = pl.min(16, 37 - i)
    t = pl.load(x, [i, 0], [16, 160], valid_shape=[rows, 130])
    t = pl.fillpad(t, pad_value=pl.PadValue.min)
    e = pl.exp(pl.row_expand_sub(t, pl.row_max(t)))
    p = pl.set_validshape(pl.row_expand_div(e, pl.row_sum(e)), rows, 130)
    y = pl.store(p, [i, 0], y)
""", {"x": x}, softmax(x), rtol=1e-5)
case("softmax_ragged_regions", """
for i in pl.range(0, 37, 16):
    t = pl.load(x, [i, 0], [16, 160], valid_shape=[pl.min(16, 37 - i), 130])
    e = pl.row_expand_expdif(t, pl.row_max(t))
    y = pl.store(pl.row_expand_div(e, pl.row_sum(e)), [i, 0], y)
""", {"x": x}, softmax(x), rtol=1e-5)
q, k, v = reals((40, 64)), reals((90, 64)), reals((90, 64))
attention = softmax(q @ k.T / 8) @ v
case("attention_values", """
s = pl.matmul(q, k, b_trans=True) * 0.125
e = pl.exp(s - pl.row_max(s))
y[:] = pl.matmul(e / pl.row_sum(e), v)
""", {"q": q, "k": k, "v": v}, attention, rtol=2e-3)
case("attention_flash", """
qt = pl.load(q, [0, 0], [40, 64], target_memory=pl.Mem.Mat)
top = pl.full([40, 1], dtype=pl.FP32, value=-1e30)
total = pl.full([40, 1], dtype=pl.FP32, value=0.0)
out = pl.full([40, 64], dtype=pl.FP32, value=0.0)
for j in pl.range(0, 90, 30):
    kt = pl.load(k, [j, 0], [30, 64], target_memory=pl.Mem.Mat)
    s = pl.matmul(qt, pl.transpose_view(kt)) * 0.125
    new = pl.maximum(top, pl.row_max(s))
    scale = pl.exp(top - new)
    p = pl.row_expand_expdif(s, new)
    total = total * scale + pl.row_sum(p)
    out = pl.row_expand_mul(out, scale) + pl.matmul(p, pl.load(v, [j, 0], [30, 64]))
    top = new
y = pl.store(pl.row_expand_div(out, total), [0, 0], y)
""", {"q": q, "k": k, "v": v}, attention, rtol=2e-3)
causal = np.where(np.arange(90)[None] <= np.arange(40)[:, None] + 50, q @ k.T / 8, -np.inf).astype(f32)
case("attention_causal_mask", """
col = pl.cast(pl.arange(0, [1, 90], dtype=pl.INT32), target_type=pl.FP32)
row = pl.cast(pl.reshape(pl.arange(50, [1, 40], dtype=pl.INT32), [40, 1]), target_type=pl.FP32)
zero = pl.full([40, 90], dtype=pl.FP32, value=0.0)
mask = pl.cmp(pl.col_expand_add(zero, col), pl.row_expand_add(zero, row), cmp_type=3)
s = pl.matmul(pl.load(q, [0, 0], [40, 64]), pl.transpose_view(pl.load(k, [0, 0], [90, 64]))) * 0.125
s = pl.sels(mask, s, -1e30)
e = pl.row_expand_expdif(s, pl.row_max(s))
p = pl.row_expand_div(e, pl.row_sum(e))
y = pl.store(pl.matmul(p, pl.load(v, [0, 0], [90, 64])), [0, 0], y)
""", {"q": q, "k": k, "v": v}, softmax(causal) @ v, rtol=2e-3)
x = reals((48, 96))
scale = np.abs(x).max(1, keepdims=True) / f32(127)
quant = np.clip(np.rint(x / scale), -128, 127).astype(np.int8)
case("quantise_rows", """
t = pl.load(x, [0, 0], [48, 96])
s = pl.row_max(pl.abs(t)) / 127.0
r = pl.row_expand_div(t, s)
y = pl.store(pl.cast(r, target_type=pl.INT8, mode="rint"), [0, 0], y)
scale = pl.store(s, [0, 0], scale)
""", {"x": x}, {"y": quant, "scale": scale})
case("dequantise_rows", """
t = pl.cast(pl.load(x, [0, 0], [48, 96]), target_type=pl.FP32)
y = pl.store(pl.row_expand_mul(t, pl.load(s, [0, 0], [48, 1])), [0, 0], y)
""", {"x": quant, "s": scale}, quant.astype(f32) * scale)
w = values((96, 32), np.int8, -128, 127)
case("matmul_int8_scaled", """
acc = pl.matmul(pl.load(x, [0, 0], [48, 96]), pl.load(w, [0, 0], [96, 32]))
y = pl.store(pl.row_expand_mul(pl.cast(acc, target_type=pl.FP32, mode="rint"), pl.load(s, [0, 0], [48, 1])), [0, 0], y)
""", {"x": quant, "w": w, "s": scale}, (quant.astype(i32) @ w.astype(i32)).astype(f32) * scale)
x = values((16, 50))
case("cumulative_sum_of_columns", """
run = pl.full([16, 1], dtype=pl.FP32, value=0.0)
t = pl.load(x, [0, 0], [16, 50])
out = pl.create_tile([16, 50], dtype=pl.FP32)
for j in pl.range(50):
    run = run + pl.slice(t, [16, 1], [0, j])
    out = pl.assemble(out, run, [0, j])
y = pl.store(out, [0, 0], y)
""", {"x": x}, x.cumsum(1).astype(f32))
case("cumulative_sum_by_product", """
n = pl.cast(pl.tensor.arange(0, [1, 50], dtype=pl.INT32), target_type=pl.FP32)
zero = pl.tensor.full([50, 50], dtype=pl.FP32, value=0.0)
upper = pl.cmp(zero + pl.reshape(n, [50, 1]), zero + n, cmp_type=3)
y[:] = pl.matmul(x, upper)
""", {"x": x}, x.cumsum(1).astype(f32))
case("running_maximum_of_rows", """
top = pl.load(x, [0, 0], [1, 50])
y = pl.store(top, [0, 0], y)
for i in pl.range(1, 16):
    top = pl.maximum(top, pl.load(x, [i, 0], [1, 50]))
    y = pl.store(top, [i, 0], y)
""", {"x": x}, np.maximum.accumulate(x))
x = reals((70, 90))
case("transpose_blocks", """
for i in pl.range(0, 70, 32):
    for j in pl.range(0, 90, 32):
        t = pl.load(x, [i, j], [32, 32], valid_shape=[pl.min(32, 70 - i), pl.min(32, 90 - j)])
        y = pl.store(pl.transpose(t, 0, 1), [j, i], y)
""", {"x": x}, x.T.copy())
x = values((20, 64), i32, 0, 8)
case("histogram_by_compare", """
t = pl.load(x, [0, 0], [20, 64])
one = pl.full([20, 64], dtype=pl.INT32, value=1)
for bin in pl.range(8):
    m = pl.cmp(t, pl.cast(bin, target_type=pl.INT32), cmp_type=0)
    hit = pl.sels(m, one, 0)
    n = pl.col_sum(pl.row_sum(hit))
    y = pl.store(n, [0, bin], y)
""", {"x": x}, np.bincount(x.ravel(), minlength=8).astype(i32)[None])
x = values((33, 77))
case("masked_load_and_store", """
t = pl.load(x, [20, 60], [32, 32], clamp=True)
y[0:32, 0:32] = pl.full([32, 32], dtype=pl.FP32, value=-1.0)
y = pl.store(t * 2.0, [0, 0], y)
""", {"x": x}, np.where((np.arange(32)[:, None] < 13) & (np.arange(32) < 17), np.pad(x[20:, 60:] * 2, ((0, 19), (0, 15))), f32(-1)).astype(f32))
a, b = reals((32, 256)), reals((256, 48))
case("matmul_split_k", """
for part in pl.range(4):
    c = pl.matmul(pl.load(a, [0, part * 64], [32, 64]), pl.load(b, [part * 64, 0], [64, 48]))
    if part == 0:
        y = pl.store(c, [0, 0], y)
    else:
        y = pl.store(c, [0, 0], y, atomic=pl.AtomicType.Add)
""", {"a": a, "b": b}, sum((a[:, i:i + 64] @ b[i:i + 64] for i in range(0, 256, 64))), rtol=1e-3)
case("matmul_blocks_with_remainders", """
for i in pl.range(0, 32, 24):
    for j in pl.range(0, 48, 32):
        acc = pl.create_tile([24, 32], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        for k in pl.range(0, 256, 96):
            rows, cols, depth = pl.min(24, 32 - i), pl.min(32, 48 - j), pl.min(96, 256 - k)
            l = pl.load(a, [i, k], [24, 96], valid_shape=[rows, depth])
            r = pl.load(b, [k, j], [96, 32], valid_shape=[depth, cols])
            acc = pl.matmul_acc(acc, l, r, init_cond=(k == 0))
        y = pl.store(acc, [i, j], y)
""", {"a": a, "b": b}, a @ b, rtol=1e-3)
x, w = reals((6, 100)), reals((3 * 6, 8))
columns = np.concatenate([x[:, i:i + 98] for i in range(3)]).T.copy()
case("conv1d_by_product", """
cols = pl.concat(pl.concat(pl.transpose(x[:, 0:98], 0, 1), pl.transpose(x[:, 1:99], 0, 1)), pl.transpose(x[:, 2:100], 0, 1))
y[:] = pl.matmul(cols, w)
""", {"x": x, "w": w}, columns @ w, rtol=1e-3)
a, b = reals((6, 30, 40)), reals((6, 40, 20))
case("batched_product_in_a_loop", """
for i in pl.range(6):
    l = pl.reshape(pl.load(a, [i, 0, 0], [1, 30, 40]), [30, 40])
    r = pl.reshape(pl.load(b, [i, 0, 0], [1, 40, 20]), [40, 20])
    y = pl.store(pl.matmul(l, r), [i, 0, 0], y)
""", {"a": a, "b": b}, a @ b, rtol=1e-3)
x, y = reals((1000,)), reals((1000,))
case("axpy_of_vectors", "y[:] = x * 2.5 + z", {"x": x, "z": y}, x * f32(2.5) + y)
case("dot_of_vectors", "y[:] = pl.matmul(x, z)", {"x": x, "z": y}, np.array([x @ y], f32), rtol=1e-2)
x = reals((64, 128))
case("argmax_and_top_value", """
t = pl.load(x, [0, 0], [64, 128])
y = pl.store(pl.row_argmax(t), [0, 0], y)
top = pl.store(pl.row_max(t), [0, 0], top)
""", {"x": x}, {"y": x.argmax(1).astype(i32)[:, None], "top": x.max(1, keepdims=True)})
labels = values((64, 1), i32, 0, 128)
z = np.log(np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)) + x.max(1, keepdims=True)
case("cross_entropy_of_rows", """
t = pl.load(x, [0, 0], [64, 128])
m = pl.row_max(t)
z = pl.log(pl.row_sum(pl.row_expand_expdif(t, m))) + m
for i in pl.range(64):
    label = pl.read(labels, [i, 0])
    loss = pl.read(z, [i, 0]) - pl.read(t, [i, label])
    pl.write(y, [i, 0], loss)
""", {"x": x, "labels": labels}, (z - np.take_along_axis(x, labels, 1)).astype(f32), rtol=1e-3)
