"""Kernels as Python executes them: `pl` and `pld` with the semantics of the manual, over NumPy.

A kernel's text is Python, so a model of the two modules runs it as it stands: one thread a rank, integers
as Python's own, wrapped by hand, floats as NumPy's. It shares nothing with the compiler or the simulator,
and it is slow and plain on purpose. `run` executes one kernel on several ranks.
"""
import ast
import contextlib
import operator
import threading
from fractions import Fraction

import numpy as np

BITS = {"INT8": 8, "INT16": 16, "INT32": 32, "INT64": 64, "INDEX": 64, "UINT8": 8, "UINT16": 16, "UINT32": 32}
FLOATS = {"FP32": np.float32, "FP16": np.float16, "BF16": np.float32}
NUMPY = {"INT8": np.int8, "INT16": np.int16, "INT32": np.int32, "INT64": np.int64, "INDEX": np.int64,
         "UINT8": np.uint8, "UINT16": np.uint16, "UINT32": np.uint32, **FLOATS}
RANK = {"INT8": 0, "INT16": 1, "INT32": 2, "INT64": 3, "INDEX": 4}


def wrap(v, dtype):
    bits = BITS[dtype]
    v &= (1 << bits) - 1
    return v - (1 << bits) if dtype[0] == "I" and v >> (bits - 1) else v


def saturate(v, dtype):
    bits = BITS[dtype]
    low, high = (0, (1 << bits) - 1) if dtype[0] == "U" else (-(1 << bits - 1), (1 << bits - 1) - 1)
    return min(max(v, low), high)


def quotient(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def bf16(a):
    """float32 values rounded to the nearest bfloat16, ties to even."""
    bits = np.asarray(a, np.float32).view(np.uint32).astype(np.int64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(a), np.float32(np.nan), rounded).astype(np.float32)


def rounded(a, dtype):
    """float32 values in a float dtype, rounded once."""
    return bf16(a) if dtype == "BF16" else np.asarray(a).astype(FLOATS[dtype])


class Float:
    """A run-time FP32 scalar: every operation is rounded to float32."""

    dtype = "FP32"

    def __init__(self, v):
        self.v = np.float32(v)

    @np.errstate(all="ignore")
    def op(self, o, f, swap=False):
        b = o.v if isinstance(o, Float) else np.float32(o)
        return Float(f(b, self.v) if swap else f(self.v, b))

    def __add__(self, o): return self.op(o, np.add)
    def __radd__(self, o): return self.op(o, np.add, True)
    def __sub__(self, o): return self.op(o, np.subtract)
    def __rsub__(self, o): return self.op(o, np.subtract, True)
    def __mul__(self, o): return self.op(o, np.multiply)
    def __rmul__(self, o): return self.op(o, np.multiply, True)
    def __truediv__(self, o): return self.op(o, np.divide)
    def __rtruediv__(self, o): return self.op(o, np.divide, True)
    def __neg__(self): return Float(-self.v)
    def __lt__(self, o): return bool(self.v < (o.v if isinstance(o, Float) else np.float32(o)))
    def __gt__(self, o): return bool(self.v > (o.v if isinstance(o, Float) else np.float32(o)))
    def __le__(self, o): return bool(self.v <= (o.v if isinstance(o, Float) else np.float32(o)))
    def __ge__(self, o): return bool(self.v >= (o.v if isinstance(o, Float) else np.float32(o)))
    __hash__ = None


class Scalar:
    """A run-time integer."""

    def __init__(self, v, dtype="INDEX"):
        self.v, self.dtype = wrap(int(v), dtype), dtype

    def other(self, o):
        if isinstance(o, Scalar):
            return o.v, max(self.dtype, o.dtype, key=RANK.__getitem__) if o.dtype != self.dtype else self.dtype
        return o, self.dtype

    def op(self, o, f):
        v, dtype = self.other(o)
        return Scalar(f(self.v, v), dtype)

    def rop(self, o, f):
        v, dtype = self.other(o)
        return Scalar(f(v, self.v), dtype)

    def __add__(self, o): return self.op(o, lambda a, b: a + b)
    def __radd__(self, o): return self.rop(o, lambda a, b: a + b)
    def __sub__(self, o): return self.op(o, lambda a, b: a - b)
    def __rsub__(self, o): return self.rop(o, lambda a, b: a - b)
    def __mul__(self, o): return self.op(o, lambda a, b: a * b)
    def __rmul__(self, o): return self.rop(o, lambda a, b: a * b)
    def __floordiv__(self, o): return self.op(o, quotient)
    def __rfloordiv__(self, o): return self.rop(o, quotient)
    def __mod__(self, o): return self.op(o, lambda a, b: a - b * quotient(a, b))
    def __rmod__(self, o): return self.rop(o, lambda a, b: a - b * quotient(a, b))
    def __and__(self, o): return self.op(o, lambda a, b: a & b)
    def __or__(self, o): return self.op(o, lambda a, b: a | b)
    def __xor__(self, o): return self.op(o, lambda a, b: a ^ b)
    def __lshift__(self, o): return Scalar(self.v << self.other(o)[0], self.dtype)
    def __rshift__(self, o): return Scalar(self.v >> self.other(o)[0], self.dtype)
    def __neg__(self): return Scalar(-self.v, self.dtype)
    def __invert__(self): return Scalar(~self.v, self.dtype)
    def __eq__(self, o): return self.v == self.other(o)[0]
    def __ne__(self, o): return self.v != self.other(o)[0]
    def __lt__(self, o): return self.v < self.other(o)[0]
    def __le__(self, o): return self.v <= self.other(o)[0]
    def __gt__(self, o): return self.v > self.other(o)[0]
    def __ge__(self, o): return self.v >= self.other(o)[0]
    def __int__(self): return self.v
    def __index__(self): return self.v
    __hash__ = None


def zeros_by_sign(a, b, positive):
    """maximum prefers +0, minimum -0."""
    both = (a == 0) & (b == 0)
    return both, (a + b if positive else -(-a + -b))


class Tile:
    """Values, dtype and valid region; integers as Python's own."""

    def __init__(self, a, dtype, valid=None):
        self.dtype = dtype
        self.a = np.asarray(a, FLOATS.get(dtype, object))
        self.valid = tuple(valid) if valid is not None else self.a.shape

    def floats(self):
        return self.a.astype(np.float32)

    def operand(self, o):
        if isinstance(o, Tile):
            return o.floats() if self.dtype in FLOATS else o.a
        if isinstance(o, (Scalar, Float)):
            o = o.v
        if self.dtype in FLOATS:
            return rounded(np.float32(o), self.dtype).astype(np.float32)
        return o

    def new(self, a):
        """The values of an operation, rounded or wrapped into the dtype."""
        return self.shaped(a, self.valid)

    def shaped(self, a, valid):
        if self.dtype in FLOATS:
            return Tile(rounded(a, self.dtype), self.dtype, valid)
        return Tile(np.vectorize(lambda v: wrap(int(v), self.dtype), otypes=[object])(a), self.dtype, valid)

    def reduce(self, kind, axis):
        """row_* (axis 1) and col_* (axis 0) over the valid elements, in the order that the manual fixes."""
        rows, cols = self.valid
        a = (self.floats() if self.dtype in FLOATS else self.a)[:rows, :cols]
        lines = a if axis == 1 else a.T
        with np.errstate(all="ignore"):
            values = [fold(list(line), kind, axis == 1, self.dtype in FLOATS) for line in lines]
        out = np.zeros((self.a.shape[0], 1) if axis == 1 else (1, self.a.shape[1]), a.dtype)
        if axis == 1:
            out[:rows, 0] = values
        else:
            out[0, :cols] = values
        return self.shaped(out, (rows, 1) if axis == 1 else (1, cols))

    def op(self, o, floats, ints, swap=False):
        b = self.operand(o)
        if self.dtype in FLOATS:
            a = self.floats()
            with np.errstate(all="ignore"):
                return self.new((floats(b, a) if swap else floats(a, b)).astype(np.float32))
        return self.new(np.frompyfunc(ints, 2, 1)(*((b, self.a) if swap else (self.a, b))))

    def __add__(self, o): return self.op(o, np.add, lambda a, b: a + b)
    def __radd__(self, o): return self.op(o, np.add, lambda a, b: a + b, True)
    def __sub__(self, o): return self.op(o, np.subtract, lambda a, b: a - b)
    def __rsub__(self, o): return self.op(o, np.subtract, lambda a, b: a - b, True)
    def __mul__(self, o): return self.op(o, np.multiply, lambda a, b: a * b)
    def __rmul__(self, o): return self.op(o, np.multiply, lambda a, b: a * b, True)
    def __truediv__(self, o): return self.op(o, np.divide, quotient)
    def __rtruediv__(self, o): return self.op(o, np.divide, quotient, True)

    def extreme(self, o, high):
        def floats(a, b):
            both, zero = zeros_by_sign(a, b, high)
            return np.where(both, zero, np.maximum(a, b) if high else np.minimum(a, b))
        return self.op(o, floats, max if high else min)


def extreme_of(a, b, high, floats):
    if not floats:
        return max(a, b) if high else min(a, b)
    if a == 0 and b == 0:
        return a + b if high else -(-a + -b)
    return np.maximum(a, b) if high else np.minimum(a, b)


def fold(line, kind, row, floats):
    """Rows in sixteen lanes, which then meet in halves; columns one after the other."""
    if kind != "sum":
        out = line[0]
        for v in line[1:]:
            out = extreme_of(out, v, kind == "max", floats)
        return out
    if not row:
        out = line[0]
        for v in line[1:]:
            out = out + v
        return out
    lanes = [None] * 16
    for j, v in enumerate(line):
        lanes[j % 16] = v if lanes[j % 16] is None else lanes[j % 16] + v
    for half in (8, 4, 2, 1):
        for i in range(half):
            if lanes[i + half] is not None:
                lanes[i] = lanes[i] + lanes[i + half]
    return lanes[0]


class Memory:
    """A tensor of one rank, or the own slice of a window."""

    def __init__(self, array, dtype, window=None, rank=0):
        self.a, self.dtype, self.window, self.rank = array, dtype, window, rank

    def tile(self, offsets, shape, valid):
        lo = [int(o) for o in offsets]
        part = self.a[tuple(slice(o, o + v) for o, v in zip(lo, valid))]
        a = np.zeros(shape, self.a.dtype)
        a[tuple(slice(0, v) for v in valid)] = part
        return Tile(a if self.dtype in FLOATS else a.astype(object), self.dtype, valid)

    def put(self, tile, offsets, add=False):
        at = tuple(slice(int(o), int(o) + v) for o, v in zip(offsets, tile.valid))
        part = tile.a[tuple(slice(0, v) for v in tile.valid)]
        if self.dtype not in FLOATS:
            part = part.astype(self.a.dtype)
        with LOCK:
            with np.errstate(all="ignore"):
                self.a[at] = self.a[at] + part if add else part

    def rectangle(self, key):
        """Start and extent of each dimension of slices, `:` being all of it."""
        lo = [k.start or 0 for k in key]
        return lo, [(n if k.stop is None else k.stop) - o for k, o, n in zip(key, lo, self.a.shape)]

    def whole(self):
        return self.tile([0] * self.a.ndim, self.a.shape, self.a.shape)

    def __getitem__(self, key):
        if all(isinstance(k, slice) for k in key):
            lo, shape = self.rectangle(key)
            return self.tile(lo, shape, shape)
        return pl.read(self, key)

    def __setitem__(self, key, value):
        if all(isinstance(k, slice) for k in key):
            self.put(value, self.rectangle(key)[0])
        else:
            pl.write(self, key, value)


LOCK = threading.Lock()
CHANGED = threading.Condition()
LOCAL = threading.local()


class Name:
    """Dtypes and members of enumerations."""

    def __init__(self, *names):
        for n in names:
            setattr(self, n, n)


class Loop:
    def __init__(self, values, carried):
        self.values, self.carried = values, carried

    def __iter__(self):
        for i in self.values:
            if self.carried is None:
                yield Scalar(i)
            else:
                LOCAL.loops.append(self)
                yield Scalar(i), self.carried


def stop(args):
    return [int(a) for a in args]


def choice(pick):
    """pl.min or pl.max of two scalars."""
    def extreme(self, a, b):
        x = a if isinstance(a, Scalar) else Scalar(a, b.dtype)
        v, dtype = x.other(b)
        return Scalar(pick(x.v, v), dtype)
    return extreme


class Blocks:
    """`for i in pl.spmd(n)`."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return (Scalar(i) for i in range(self.n))


class Array:
    """A value: `bound` copies it."""

    def __init__(self, n, dtype):
        self.items, self.dtype = [Scalar(0, dtype) if dtype in NUMPY else None] * n, dtype

    def __getitem__(self, i):
        return self.items[int(i)]

    def __setitem__(self, i, v):
        self.items[int(i)] = Scalar(wrap(int(v), self.dtype), self.dtype) if self.dtype in NUMPY else v

    def copy(self):
        other = Array(0, self.dtype)
        other.items = list(self.items)
        return other


class Pl(Name):
    """pypto.language"""

    def __init__(self):
        super().__init__(*NUMPY)
        self.TASK_ID, self.array, self.system = "TASK_ID", Name(), Name()
        self.array.create = Array
        self.system.task_dummy = self.system.task_invalid = lambda deps=None: None
        self.CastMode, self.PadValue, self.Level = Name("Rint"), Name("zero", "min", "max"), Name("CORE_GROUP")
        for name, op in (("add", self.add), ("mul", self.mul), ("max", self.maximum), ("min", self.minimum)):
            setattr(self, f"part_{name}", lambda a, b, op=op: parts(a, b, op))
        for kind in ("sum", "max", "min"):
            setattr(self, f"row_{kind}", lambda t, kind=kind: t.reduce(kind, 1))
            setattr(self, f"col_{kind}", lambda t, kind=kind: t.reduce(kind, 0))
        for axis in ("row", "col"):
            for name, op in (("add", self.add), ("sub", self.sub), ("mul", self.mul), ("div", self.div),
                             ("max", self.maximum), ("min", self.minimum)):
                setattr(self, f"{axis}_expand_{name}", op)

    def range(self, *args, init_values=None):
        return Loop(range(*stop(args)), init_values)

    parallel = range

    def unroll(self, *args):
        return range(*stop(args))

    def yield_(self, *values):
        LOCAL.loops.pop().carried = values
        return values if len(values) > 1 else values[0]

    def const(self, v, dtype):
        return Scalar(v, dtype)

    min, max = choice(min), choice(max)

    def cast(self, x, target_type, mode="round"):
        if isinstance(x, Scalar) and target_type in FLOATS:
            return Float(from_int(x.v, "FP32", "round"))
        if isinstance(x, Float):
            return Scalar(saturate(to_int(x.v, "round"), target_type), target_type)
        if isinstance(x, Scalar):
            return Scalar(saturate(x.v, target_type), target_type)
        return Tile(convert(x, target_type, mode), target_type, x.valid)

    def load(self, m, offsets, shape, valid_shape=None):
        return m.tile(offsets, shape, [int(v) for v in valid_shape] if valid_shape else shape)

    def store(self, tile, offsets, m):
        m.put(tile, offsets)
        return m

    def read(self, m, index):
        if m.dtype in FLOATS:
            return Float(m.a[tuple(int(i) for i in index)])
        return Scalar(int(m.a[tuple(int(i) for i in index)]), m.dtype)

    def write(self, m, index, value):
        value = value.v if m.dtype in FLOATS else wrap(int(value), m.dtype)
        m.a[tuple(int(i) for i in index)] = value
        return m

    def full(self, shape, dtype, value):
        return Tile(np.full(shape, 0), dtype).new(np.full(shape, value, FLOATS.get(dtype, object)))

    @contextlib.contextmanager
    def at(self, level, deps=None):
        yield None

    @contextlib.contextmanager
    def manual_scope(self):
        yield

    def spmd(self, n, deps=None):
        return Blocks(n)

    def create_tensor(self, shape, dtype, init_value):
        return Memory(np.full(shape, init_value, NUMPY[dtype]), dtype)

    @np.errstate(all="ignore")
    def cmp(self, a, b, how):
        compare = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)[how]
        x, y = (a.floats(), b.floats()) if a.dtype in FLOATS else (a.a, b.a)
        return np.frompyfunc(lambda u, v: bool(compare(u, v)), 2, 1)(x, y)

    def sel(self, mask, a, b):
        return Tile(np.where(mask.astype(bool), a.a, b.a), a.dtype, a.valid)

    def slice(self, t, shape, offset):
        return Tile(t.a[tuple(slice(o, o + n) for o, n in zip(offset, shape))], t.dtype)

    def concat(self, a, b):
        return Tile(np.concatenate([a.a, b.a], 1), a.dtype)

    def assemble(self, t, part, offset):
        a = t.a.copy()
        a[tuple(slice(o, o + n) for o, n in zip(offset, part.a.shape))] = part.a
        return Tile(a, t.dtype)

    def ci(self, start, shape, dtype):
        return Tile(np.array([[wrap(start + k, dtype) for k in range(shape[1])]], object), dtype)

    def fillpad(self, t, pad_value):
        low, high = (-np.inf, np.inf) if t.dtype in FLOATS else (saturate(-1 << 80, t.dtype), saturate(1 << 80, t.dtype))
        a = np.full(t.a.shape, {"zero": 0, "min": low, "max": high}[pad_value], t.a.dtype)
        inside = tuple(slice(0, v) for v in t.valid)
        a[inside] = t.a[inside]
        return Tile(a, t.dtype)

    def transpose(self, t, i, j):
        return Tile(np.swapaxes(t.a, i, j), t.dtype)

    def reshape(self, t, shape):
        return Tile(t.a.reshape(shape), t.dtype)

    def addc(self, a, b, c): return a + b + c
    def subc(self, a, b, c): return a - b - c

    @np.errstate(all="ignore")
    def matmul(self, a, b, b_trans=False):
        """Sums from +0, k ascending, each step rounded."""
        a, b = (m.whole() if isinstance(m, Memory) else m for m in (a, b))
        x, y = (a.floats(), b.floats()) if a.dtype in FLOATS else (a.a, b.a)
        y = y.T if b_trans else y
        out = np.zeros((x.shape[0], y.shape[1]), x.dtype)
        for k in range(x.shape[1]):
            out = out + x[:, k:k + 1] * y[k:k + 1, :]
        return Tile(np.zeros(out.shape), "FP32" if a.dtype in FLOATS else "INT32").shaped(out, out.shape)

    def add(self, a, b): return a + b
    def sub(self, a, b): return a - b
    def mul(self, a, b): return a * b
    def div(self, a, b): return a / b
    def maximum(self, a, b): return a.extreme(b, True)
    def minimum(self, a, b): return a.extreme(b, False)
    def relu(self, a): return a.extreme(0, True)
    @np.errstate(all="ignore")
    def sqrt(self, a): return a.new(np.sqrt(a.floats()))
    def and_(self, a, b): return a.op(b, None, lambda x, y: x & y)
    def or_(self, a, b): return a.op(b, None, lambda x, y: x | y)
    def xor(self, a, b): return a.op(b, None, lambda x, y: x ^ y)
    def not_(self, a): return a.new(np.frompyfunc(lambda x: ~x, 1, 1)(a.a))
    def shl(self, a, b): return a.op(b, None, lambda x, y: x << y)
    def shr(self, a, b): return a.op(b, None, lambda x, y: x >> y)
    def neg(self, a): return a.new(-a.a)
    def abs(self, a): return a.new(np.abs(a.a))


def parts(a, b, op):
    """Combined where both are valid, what there is where one is."""
    large, small = (a, b) if a.valid >= b.valid else (b, a)
    both = op(Tile(a.a, a.dtype), Tile(b.a, b.dtype))
    out = large.a.copy()
    inside = tuple(slice(0, v) for v in small.valid)
    out[inside] = both.a[inside]
    return Tile(out, a.dtype, large.valid)


def to_int(v, mode):
    """A float as an integer, exactly; a NaN is 0, infinities lie beyond every dtype."""
    if np.isnan(v):
        return 0
    if np.isinf(v):
        return (1 << 70) if v > 0 else -(1 << 70)
    return whole(Fraction(float(v)), mode)


def whole(x, mode):
    """A fraction rounded to an integer."""
    low = x.numerator // x.denominator
    rest = x - low
    if mode == "rint":
        return round(x)
    if mode == "floor" or not rest:
        return low
    if mode == "ceil":
        return low + 1
    if mode == "trunc":
        return low if x > 0 else low + 1
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and x > 0))


# Digits of the significand, exponent of the smallest normal number, exponent behind the largest.
FORMATS = {"FP32": (24, -126, 128), "FP16": (11, -14, 16), "BF16": (8, -126, 128)}


def to_float(x, dtype, mode, negative=False):
    """A fraction in a float dtype, rounded once."""
    digits, low, high = FORMATS[dtype]
    if x == 0:
        return FLOATS[dtype](-0.0 if negative else 0.0)
    e = abs(x).numerator.bit_length() - x.denominator.bit_length()
    if abs(x) < Fraction(2) ** e:
        e -= 1
    unit = Fraction(2) ** (max(e, low) - digits + 1)
    r = whole(x / unit, mode) * unit
    largest = Fraction(2) ** high - Fraction(2) ** (high - digits)
    if abs(r) > largest:
        finite = mode == "trunc" or (mode == "floor" and x > 0) or (mode == "ceil" and x < 0)
        if not finite:
            return FLOATS[dtype](np.inf if x > 0 else -np.inf)
        r = largest if x > 0 else -largest
    return FLOATS[dtype](float(r) if r else (-0.0 if x < 0 else 0.0))


def from_int(v, dtype, mode):
    return to_float(Fraction(v), dtype, mode)


def narrow(v, dtype, mode):
    if not np.isfinite(v):
        return FLOATS[dtype](v)
    return to_float(Fraction(float(v)), dtype, mode, np.signbit(v))


@np.errstate(all="ignore")
def convert(x, dtype, mode):
    if dtype in FLOATS:
        if x.dtype in FLOATS:
            return np.vectorize(lambda v: narrow(v, dtype, mode), otypes=[FLOATS[dtype]])(x.floats())
        return np.vectorize(lambda v: from_int(int(v), dtype, mode), otypes=[FLOATS[dtype]])(x.a)
    values = np.vectorize(lambda v: to_int(v, mode), otypes=[object])(x.a) if x.dtype in FLOATS else x.a
    return np.vectorize(lambda v: saturate(int(v), dtype), otypes=[object])(values)


class Window:
    def __init__(self, shape, dtype, ranks):
        self.slices = [Memory(np.zeros(shape, NUMPY[dtype]), dtype, self, r) for r in range(ranks)]


class System:
    def rank(self, ctx):
        return Scalar(ctx.rank, "INT32")

    def nranks(self, ctx):
        return Scalar(len(ctx.window.slices), "INT32")

    def notify(self, signal, peer, offsets, value, op):
        at = tuple(int(o) for o in offsets)
        with CHANGED:
            cell = signal.window.slices[int(peer)].a
            cell[at] = int(value) if op == "Set" else cell[at] + int(value)
            CHANGED.notify_all()

    def wait(self, signal, offsets, expected, cmp):
        at, want = tuple(int(o) for o in offsets), int(expected)
        with CHANGED:
            ok = CHANGED.wait_for(lambda: signal.a[at] >= want if cmp == "Ge" else signal.a[at] == want, 60)
        assert ok, "the model hangs"


class TileOps:
    def remote_load(self, m, peer, offsets, shape):
        return m.window.slices[int(peer)].tile(offsets, shape, shape)

    def remote_store(self, tile, m, peer, offsets, atomic="None_"):
        m.window.slices[int(peer)].put(tile, offsets, atomic == "Add")
        return m


class TensorOps:
    """The collectives over a barrier of the model's own."""

    def barrier(self, signal):
        LOCAL.barrier.wait(60)
        return signal

    def slices(self, m):
        """A copy of every rank's slice, taken when all have arrived."""
        LOCAL.barrier.wait(60)
        copies = [s.a.copy() for s in m.window.slices]
        LOCAL.barrier.wait(60)
        return copies

    def allreduce(self, target, signal, op="Sum", mode="mesh"):
        copies = self.slices(target)
        acc = Tile(copies[0], target.dtype)
        for other in copies[1:]:
            t = Tile(other, target.dtype)
            acc = acc + t if op == "Sum" else acc * t if op == "Prod" else acc.extreme(t, op == "Max")
        target.a[...] = acc.a
        return target

    def reduce_scatter(self, target, signal, op="Sum"):
        copies = self.slices(target)
        acc = Tile(copies[target.rank][target.rank], target.dtype)
        for r, other in enumerate(copies):
            if r != target.rank:
                acc = acc + Tile(other[target.rank], target.dtype)
        target.a[target.rank] = acc.a
        return target

    def broadcast(self, target, signal, root):
        target.a[...] = self.slices(target)[root]
        return target

    def put(self, dst, peer, src, dst_offsets, src_offsets, shape):
        dst.window.slices[int(peer)].put(src.tile(src_offsets, shape, shape), dst_offsets)
        return dst

    def get(self, dst, peer, src, dst_offsets, src_offsets, shape):
        dst.put(src.window.slices[int(peer)].tile(src_offsets, shape, shape), dst_offsets)
        return dst


class Pld:
    """pypto.language.distributed"""

    def __init__(self):
        self.NotifyOp, self.WaitCmp = Name("AtomicAdd", "Set"), Name("Ge", "Eq")
        self.AtomicType = Name("None_", "Add")
        self.ReduceOp = Name("Sum", "Max", "Min", "Prod")
        self.system, self.tile, self.tensor = System(), TileOps(), TensorOps()
        self.rank, self.nranks = self.system.rank, self.system.nranks

    def get_comm_ctx(self, m):
        return m


pl, pld = Pl(), Pld()


class Bind(ast.NodeTransformer):
    """A name bound to a literal is an INDEX value, not Python's integer; types and decorators go."""

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.decorator_list, node.returns = [], None
        for a in node.args.args:
            a.annotation = None
        return node

    def visit_Assign(self, node):
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Name):
            node.value = ast.Call(ast.Name("bound", ast.Load()), [node.value], [])
        return node


def bound(v):
    if isinstance(v, Array):
        return v.copy()
    return Scalar(v) if type(v) is int else v


def functions(text):
    """The functions of a module of kernels, as Python's."""
    tree = ast.fix_missing_locations(Bind().visit(ast.parse(text)))
    tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    space = {"pl": pl, "pld": pld, "bound": bound}
    exec(compile(tree, "kernel", "exec"), space)
    return space


def run(text, name, arguments):
    """Runs kernel `name` on every rank, each with its own arguments, until all have ended."""
    kernel, errors = functions(text)[name], []
    barrier = threading.Barrier(len(arguments))

    def rank(args):
        LOCAL.loops, LOCAL.barrier = [], barrier
        try:
            kernel(*args)
        except BaseException as e:  # the thread's error is the caller's
            errors.append(e)
            barrier.abort()

    threads = [threading.Thread(target=rank, args=(a,)) for a in arguments]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]
