"""Cases for run.py: what is written in a kernel, and what NumPy says it is."""
import dataclasses

import numpy as np


@dataclasses.dataclass
class Case:
    name: str
    body: str
    given: dict
    want: dict
    rtol: float = 0
    says: str = ""


ALL = []
random = np.random.default_rng(7)
# Within Vec; a row of many; many rows; both, ragged; rows that do not fit on the core as a whole.
SHAPES = [(8, 32), (1, 9000), (700, 3), (700, 301), (3, 70001)]


def case(name, body, given, want, **more):
    ALL.append(Case(name, body, given, want if isinstance(want, dict) else {"y": want}, **more))


def values(shape, dtype=np.float32, low=-50, high=50):
    return random.integers(low, high, shape).astype(dtype)


def reals(shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def mark(shape):
    return "x".join(map(str, shape))


# ---- element by element, with every kind of second operand
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum}
for op, f in BINARY.items():
    for shape in SHAPES:
        x, z = values(shape), values(shape)
        case(f"{op}_{mark(shape)}", f"y[:] = pl.{op}(x, z)", {"x": x, "z": z}, f(x, z))
for shape in SHAPES[2:]:
    x = values(shape)
    for other in ((shape[0], 1), (1, shape[1]), (1, 1), (shape[1],)):
        z = values(other)
        case(f"broadcast_{mark(shape)}_{mark(other)}", "y[:] = pl.add(x, z) * 2.0", {"x": x, "z": z}, (x + z) * np.float32(2))
    col, row = values((shape[0], 1)), values((1, shape[1]))
    case(f"outer_{mark(shape)}", "y[:] = pl.mul(c, r)", {"c": col, "r": row}, col * row)
    case(f"scalar_left_{mark(shape)}", "y[:] = 3.0 - x", {"x": x}, 3 - x)
UNARY = {"neg": np.negative, "abs": np.abs, "sqrt": np.sqrt, "relu": lambda x: np.maximum(x, np.float32(0)), "recip": lambda x: np.float32(1) / x}
for op, f in UNARY.items():
    for shape in SHAPES:
        x = values(shape, low=1, high=99) if op in ("sqrt", "recip") else values(shape)
        case(f"{op}_{mark(shape)}", f"y[:] = pl.{op}(x)", {"x": x}, f(x))
for op in ("exp", "log", "sin", "cos"):
    x = np.abs(reals((700, 301))) + np.float32(0.01)
    case(op, f"y[:] = pl.{op}(x)", {"x": x}, getattr(np, op)(x.astype(np.float64)).astype(np.float32), rtol=2e-7)
x = np.abs(reals((700, 301))) + np.float32(0.01)
case("rsqrt", "y[:] = pl.rsqrt(x)", {"x": x}, (1 / np.sqrt(x.astype(np.float64))).astype(np.float32), rtol=2e-7)
for shape in ((8, 32), (700, 301)):
    x, z = values(shape, np.int32), values(shape, np.int32, 1, 20)
    case(f"fmod_{mark(shape)}", "y[:] = pl.fmod(x, z)", {"x": x, "z": z}, np.fmod(x, z))
    case(f"rem_{mark(shape)}", "y[:] = pl.tensor.rem(x, z)", {"x": x, "z": z}, np.mod(x, z))
    case(f"and_{mark(shape)}", "y[:] = pl.and_(x, z)", {"x": x, "z": z}, x & z)
    case(f"or_{mark(shape)}", "y[:] = pl.ors(x, 5)", {"x": x, "z": z}, x | 5)
    case(f"xor_{mark(shape)}", "y[:] = pl.xor(x, z)", {"x": x, "z": z}, x ^ z)
    case(f"not_{mark(shape)}", "y[:] = pl.not_(x)", {"x": x, "z": z}, ~x)
    case(f"shl_{mark(shape)}", "y[:] = pl.shl(x, z)", {"x": x, "z": z}, x << z)
    case(f"shr_{mark(shape)}", "y[:] = pl.shrs(x, 3)", {"x": x, "z": z}, x >> 3)
    case(f"cast_{mark(shape)}", "y[:] = pl.cast(x, target_type=pl.FP32)", {"x": x}, x.astype(np.float32))

# ---- comparisons, parts, creation
COMPARE = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
for shape in SHAPES:
    x, z = values(shape, low=0, high=5), values(shape, low=0, high=5)
    for k, f in enumerate(COMPARE):
        case(f"cmp{k}_{mark(shape)}", f"y[:] = pl.cmp(x, z, cmp_type={k})", {"x": x, "z": z}, f(x, z).astype(np.float32))
    case(f"cmps_{mark(shape)}", "y[:] = pl.cmps(x, 2.0, 4)", {"x": x}, (x > 2).astype(np.float32))
    for op, f in {"part_add": np.add, "part_mul": np.multiply, "part_max": np.maximum, "part_min": np.minimum}.items():
        case(f"{op}_{mark(shape)}", f"y[:] = pl.{op}(x, z)", {"x": x, "z": z}, f(x, z))
    case(f"full_{mark(shape)}", f"y[:] = pl.tensor.full([{shape[0]}, {shape[1]}], dtype=pl.FP32, value=2.5)", {"x": x}, np.full(shape, 2.5, np.float32))
    case(f"expands_{mark(shape)}", "y[:] = pl.expands(x, 7.0)", {"x": x}, np.full(shape, 7, np.float32))
for n in (40, 70001):
    x = values((1, n), np.int32)
    case(f"ci_{n}", f"y[:] = pl.tensor.ci(5, [1, {n}]) + x", {"x": x}, x + 5 + np.arange(n, dtype=np.int32))
    case(f"ci_down_{n}", f"y[:] = pl.tensor.arange(5, [1, {n}], dtype=pl.INT16, descending=True)", {}, (5 - np.arange(n)).astype(np.int16)[None])
for shape in SHAPES:
    col, row, x = values((shape[0], 1)), values((1, shape[1])), values(shape)
    case(f"expand_clone_col_{mark(shape)}", "y[:] = pl.expand_clone(c, x)", {"c": col, "x": x}, np.broadcast_to(col, shape).copy())
    case(f"expand_clone_row_{mark(shape)}", "y[:] = pl.expand_clone(r, x)", {"r": row, "x": x}, np.broadcast_to(row, shape).copy())
    for op, f in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}.items():
        case(f"row_expand_{op}_{mark(shape)}", f"y[:] = pl.row_expand_{op}(x, c)", {"x": x, "c": col}, f(x, col))
        case(f"col_expand_{op}_{mark(shape)}", f"y[:] = pl.col_expand_{op}(x, r)", {"x": x, "r": row}, f(x, row))
    case(f"row_expand_{mark(shape)}", "y[:] = pl.row_expand(x, c)", {"x": x, "c": col}, np.broadcast_to(col, shape).copy())
    case(f"col_expand_{mark(shape)}", "y[:] = pl.col_expand(x, r)", {"x": x, "r": row}, np.broadcast_to(row, shape).copy())


# ---- reductions, in the order that is promised
def lanes(x, f):
    """Each row, in sixteen lanes."""
    part = [None] * 16
    for j in range(x.shape[1]):
        k = j % 16
        part[k] = x[:, j] if part[k] is None else f(part[k], x[:, j])
    for width in (8, 4, 2, 1):
        for i in range(width):
            if part[i] is not None and part[i + width] is not None:
                part[i] = f(part[i], part[i + width])
    return part[0][:, None]


def down(x, f):
    y = x[0]
    for row in x[1:]:
        y = f(y, row)
    return y[None]


for shape in [(8, 32), (1, 9000), (700, 3), (700, 301), (3, 20001)]:
    x = reals(shape)
    given = {"x": x}
    case(f"row_sum_{mark(shape)}", "y[:] = pl.row_sum(x)", given, lanes(x, np.add))
    case(f"row_max_{mark(shape)}", "y[:] = pl.row_max(x)", given, x.max(1, keepdims=True))
    case(f"row_min_{mark(shape)}", "y[:] = pl.row_min(x)", given, x.min(1, keepdims=True))
    case(f"row_argmax_{mark(shape)}", "y[:] = pl.row_argmax(x)", given, x.argmax(1).astype(np.int32)[:, None])
    case(f"row_argmin_{mark(shape)}", "y[:] = pl.row_argmin(x)", given, x.argmin(1).astype(np.int32)[:, None])
    case(f"col_sum_{mark(shape)}", "y[:] = pl.col_sum(x)", given, down(x, np.add))
    case(f"col_max_{mark(shape)}", "y[:] = pl.col_max(x)", given, x.max(0, keepdims=True))
    case(f"col_min_{mark(shape)}", "y[:] = pl.col_min(x)", given, x.min(0, keepdims=True))
    case(f"col_argmax_{mark(shape)}", "y[:] = pl.col_argmax(x)", given, x.argmax(0).astype(np.int32)[None])
    case(f"col_argmin_{mark(shape)}", "y[:] = pl.col_argmin(x)", given, x.argmin(0).astype(np.int32)[None])
    near = (1 + reals(shape) / 64).astype(np.float32)
    case(f"row_prod_{mark(shape)}", "y[:] = pl.row_prod(x)", {"x": near}, lanes(near, np.multiply))
    case(f"col_prod_{mark(shape)}", "y[:] = pl.col_prod(x)", {"x": near}, down(near, np.multiply))
    half = reals(shape, np.float16)
    case(f"row_sum_half_{mark(shape)}", "y[:] = pl.row_sum(x)", {"x": half}, lanes(half.astype(np.float32), np.add).astype(np.float16))

# ---- shapes
for shape in SHAPES + [(301, 700)]:
    x = values(shape)
    case(f"transpose_{mark(shape)}", "y[:] = pl.transpose(x, 0, 1)", {"x": x}, x.T.copy())
    case(f"transpose_sum_{mark(shape)}", "y[:] = pl.transpose(x + 1.0, -1, -2) * 2.0", {"x": x}, (x.T + 1) * np.float32(2))
    z = values((shape[0], 5))
    case(f"concat_{mark(shape)}", "y[:] = pl.concat(x, z)", {"x": x, "z": z}, np.concatenate([x, z], 1))
    case(f"concat_twice_{mark(shape)}", "y[:] = pl.concat(z, pl.concat(x + 1.0, z * 2.0))", {"x": x, "z": z}, np.concatenate([z, x + 1, z * 2], 1))
    case(f"reshape_{mark(shape)}", f"v = pl.reshape(x * 2.0, [1, {x.size}])\ny[:] = v + 1.0", {"x": x}, (x * 2 + 1).reshape(1, -1))
    case(f"fillpad_{mark(shape)}", "y[:] = pl.fillpad(x)", {"x": x}, x)
    big = (shape[0] + 3, shape[1] + 9)
    want = np.zeros(big, np.float32)
    want[:shape[0], :shape[1]] = x
    case(f"fillpad_expand_{mark(shape)}", f"y[:] = pl.fillpad_expand(x, [{big[0]}, {big[1]}])", {"x": x}, want)
    want = np.full(big, np.inf, np.float32)
    want[:shape[0], :shape[1]] = x
    case(f"fillpad_expand_max_{mark(shape)}", f"y[:] = pl.fillpad_expand(x, [{big[0]}, {big[1]}], pad_value=pl.PadValue.max)", {"x": x}, want)
    rows, cols = max(1, shape[0] - 2), max(1, shape[1] - 1)
    want = np.full(shape, -np.inf, np.float32)
    want[:rows, :cols] = x[:rows, :cols]
    case(f"valid_fillpad_{mark(shape)}", f"v = pl.set_validshape(x, {rows}, {cols})\ny[:] = pl.fillpad(v, pad_value=pl.PadValue.min)", {"x": x}, want)
    want = np.zeros(shape, np.float32)
    want[:rows, :cols] = x[:rows, :cols] * 2
    case(f"slice_valid_{mark(shape)}", f"v = pl.slice(x, [{shape[0]}, {shape[1]}], [0, 0], valid_shape=[{rows}, {cols}])\ny[:] = pl.fillpad(v * 2.0)", {"x": x}, want)
    case(f"part_{mark(shape)}", "v = x + 1.0\ny[:] = v", {"x": x}, x + 1)
    case(f"reinterpret_{mark(shape)}", "v = pl.reinterpret_view(x, dtype=pl.INT32)\ny[:] = pl.reinterpret_view(pl.add(v, 0), dtype=pl.FP32)", {"x": x}, x)
    if shape[1] > 50000:
        case("row_wider_than_the_core", "y[:] = pl.row_sum(x)", {"x": x}, lanes(x[:, :1], np.add), says="load the data in chunks that fit")
        continue
    case(f"slice_valid_sum_{mark(shape)}", f"v = pl.slice(x, [{shape[0]}, {shape[1]}], [0, 0], valid_shape=[{rows}, {cols}])\ny[:] = pl.row_sum(pl.fillpad(v))",
         {"x": x}, lanes(np.where(want != 0, x, 0).astype(np.float32) * (np.arange(shape[0])[:, None] < rows), np.add))
x = values((700, 301), np.int16)
case("reinterpret_wider", "y[:] = pl.reinterpret_view(x[:, 0:300], dtype=pl.INT32)", {"x": x}, x[:, :300].copy().view(np.int32))
case("reinterpret_narrower", "y[:] = pl.reinterpret_view(x, dtype=pl.INT8)", {"x": x}, x.view(np.int8))
x = values((5, 40, 300))
case("three_dims", "y[:] = pl.transpose(x * 2.0, 1, 2)", {"x": x}, (x * 2).transpose(0, 2, 1).copy())
case("three_dims_outer", "y[:] = pl.transpose(x, 0, 2)", {"x": x}, x.transpose(2, 1, 0).copy())
case("three_dims_reshape", "y[:] = pl.reshape(x + 1.0, [20, 3000])", {"x": x}, (x + 1).reshape(20, 3000))
case("four_dims", "y[:] = pl.transpose(pl.reshape(x, [5, 4, 10, 300]), 1, 2)", {"x": x}, x.reshape(5, 4, 10, 300).transpose(0, 2, 1, 3).copy())


# ---- products
def product(a, b, start=None):
    """k ascending, products and sums rounded to FP32."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    c = np.zeros((a.shape[0], b.shape[1]), np.float32) if start is None else start.copy()
    for k in range(a.shape[1]):
        c = c + a[:, k:k + 1] * b[k:k + 1]
    return c


for m, k, n in [(8, 16, 24), (1, 300, 5), (130, 129, 131), (300, 500, 200), (500, 7, 600), (3, 3000, 3)]:
    a, b, name = reals((m, k)), reals((k, n)), f"{m}x{k}x{n}"
    c = reals((m, n))
    case(f"matmul_{name}", "y[:] = pl.matmul(a, b)", {"a": a, "b": b}, product(a, b))
    case(f"matmul_turned_{name}", "y[:] = pl.matmul(a, b, a_trans=True, b_trans=True)", {"a": a.T.copy(), "b": b.T.copy()}, product(a, b))
    case(f"matmul_half_{name}", "y[:] = pl.matmul(a, b)", {"a": a.astype(np.float16), "b": b.astype(np.float16)},
         product(a.astype(np.float16), b.astype(np.float16)).astype(np.float16))
    case(f"matmul_half_wide_{name}", "y[:] = pl.matmul(a, b, out_dtype=pl.FP32)", {"a": a.astype(np.float16), "b": b.astype(np.float16)},
         product(a.astype(np.float16), b.astype(np.float16)))
    i, j = values((m, k), np.int8, -128, 127), values((k, n), np.int8, -128, 127)
    case(f"matmul_int8_{name}", "y[:] = pl.matmul(a, b)", {"a": i, "b": j}, i.astype(np.int32) @ j.astype(np.int32))
    case(f"matmul_sum_{name}", "y[:] = pl.exp(pl.matmul(a, b) * 0.0) + c", {"a": a, "b": b, "c": c}, c + 1)
    case(f"matmul_acc_{name}", "s = pl.matmul(a, b)\ny[:] = pl.matmul_acc(s, a, b)", {"a": a, "b": b}, product(a, b, product(a, b)))
    case(f"matmul_acc_init_{name}", f"s = pl.create_tensor([{m}, {n}], dtype=pl.FP32)\nfor i in pl.range(3):\n    s = pl.matmul_acc(s, a, b, init_cond=(i == 0))\ny[:] = s",
         {"a": a, "b": b}, product(a, b, product(a, b, product(a, b))))
    case(f"matmul_acc_int8_{name}", "s = pl.matmul(a, b)\ny[:] = pl.matmul_acc(s, a, b)", {"a": i, "b": j}, 2 * (i.astype(np.int32) @ j.astype(np.int32)))
    case(f"matmul_twice_{name}", "y[:] = pl.matmul(pl.matmul(a, b), c, b_trans=True)", {"a": a, "b": b, "c": c}, product(product(a, b), c.T))
for lead, other, m, k, n in [((3,), (3,), 8, 16, 24), ((2, 3), (2, 3), 5, 40, 6), ((4,), (1,), 150, 160, 140), ((2, 3), (1, 3), 9, 10, 11), ((5,), (), 20, 30, 40),
                             ((), (3,), 20, 30, 40), ((2, 1), (1, 4), 7, 8, 9)]:
    a, b = reals(lead + (m, k)), reals(other + (k, n))
    shape = np.broadcast_shapes(lead, other)
    full_a, full_b = np.broadcast_to(a, shape + (m, k)), np.broadcast_to(b, shape + (k, n))
    want = np.zeros(shape + (m, n), np.float32)
    for at in np.ndindex(shape):
        want[at] = product(full_a[at], full_b[at])
    name = f"{mark(lead + (m, k))}_{mark(other + (k, n))}"
    case(f"batch_matmul_{name}", "y[:] = pl.batch_matmul(a, b)", {"a": a, "b": b}, want)
    case(f"batch_by_matmul_{name}", "y[:] = pl.matmul(a, b)", {"a": a, "b": b}, want)
    again = np.zeros_like(want)
    for at in np.ndindex(shape):
        again[at] = product(full_a[at], full_b[at], want[at])
    case(f"batch_acc_{name}", "s = pl.batch_matmul(a, b)\ny[:] = pl.batch_matmul_acc(s, a, b)", {"a": a, "b": b}, again)
    case(f"batch_turned_{name}", "y[:] = pl.batch_matmul(a, b, b_trans=True)", {"a": a, "b": np.swapaxes(b, -1, -2).copy()}, want)
v, w, a = reals((300,)), reals((300,)), reals((300, 40))
case("matmul_1_2", "y[:] = pl.matmul(v, a)", {"v": v, "a": a}, product(v[None], a)[0])
case("matmul_2_1", "y[:] = pl.matmul(a, v)", {"a": a.T.copy(), "v": v}, product(a.T, v[:, None])[:, 0])
case("matmul_1_1", "y[:] = pl.reshape(pl.matmul(v, w), [1])", {"v": v, "w": w}, product(v[None], w[:, None])[0])
b = reals((3, 300, 20))
case("matmul_1_3", "y[:] = pl.matmul(v, b)", {"v": v, "b": b}, np.stack([product(v[None], m)[0] for m in b]))
b = reals((3, 20, 300))
case("matmul_3_1", "y[:] = pl.matmul(b, v)", {"b": b, "v": v}, np.stack([product(m, v[:, None])[:, 0] for m in b]))

# ---- regions that do not fit, of values that are on the core and that are not
for rows, cols in ((20, 40), (700, 301)):
    x = values((rows, cols))
    part = f"v = pl.slice(x, [{rows}, {cols}], [0, 0], valid_shape=[10, 20])\n"
    given, name = {"x": x}, f"{rows}x{cols}"
    case(f"regions_differ_{name}", part + f"w = pl.slice(x, [{rows}, {cols}], [0, 0], valid_shape=[10, 30])\ny[:] = v + w", given, x, says="valid extents differ in axis 1: 20 and 30")
    case(f"region_beside_memory_{name}", part + "y[:] = v + x", given, x, says="valid extents differ in axis 0: 10 and")
    case(f"concat_of_a_part_{name}", part + f"y[:] = pl.slice(pl.concat(v, x), [{rows}, {cols}], [0, 0])", given, x, says="not valid as a whole")
    case(f"parts_that_cross_{name}", part + f"w = pl.slice(x, [{rows}, {cols}], [0, 0], valid_shape=[5, 30])\ny[:] = pl.part_add(v, w)", given, x, says="neither of them")
    case(f"run_time_parts_that_cross_{name}", f"n = pl.read(c, [0, 0])\nv = pl.slice(x, [{rows}, {cols}], [0, 0], valid_shape=[n, 20])\nw = pl.slice(x, [{rows}, {cols}], [0, 0], valid_shape=[5, 30])\ny[:] = pl.part_add(v, w)",
         {"x": x, "c": np.full((1, 1), 10, np.int32)}, x, says="neither of them")
    want = np.zeros_like(x)
    want[:7, :20] = 2 * x[:7, :20]
    case(f"run_time_region_{name}", f"n = pl.read(c, [0, 0])\nv = pl.slice(x, [{rows}, {cols}], [0, 0], valid_shape=[n, 20])\ny[:] = pl.fillpad(v + v)",
         {"x": x, "c": np.full((1, 1), 7, np.int32)}, want)
    case(f"run_time_region_beyond_{name}", f"n = pl.read(c, [0, 0])\nv = pl.slice(x, [{rows}, {cols}], [0, 0], valid_shape=[n, 20])\ny[:] = pl.fillpad(v + v)",
         {"x": x, "c": np.full((1, 1), rows + 1, np.int32)}, want, says="valid extent")
    want = np.full_like(x, 9)
    want[:rows - 3, :cols - 5] = x[3:, 5:]
    case(f"clamped_{name}", f"n = pl.read(c, [0, 0])\nv = pl.slice(x, [{rows}, {cols}], [n, 5], clamp=True)\nw = pl.fillpad(v * 2.0, pad_value=pl.PadValue.zero)\ny[:] = w * 0.5 + 9.0 * pl.cmp(w, 0.0, 0)",
         {"x": np.where(x == 0, np.float32(1), x), "c": np.full((1, 1), 3, np.int32)}, np.where(want == 0, np.float32(1), want))
