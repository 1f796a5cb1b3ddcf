"""Random well-typed programs: kernels with scalars, tiles of all dtypes, loops, branches, calls, and windows
with correct synchronisation. A program is text; what it computes is found by model.py, not here."""
import random

import orchestrate

INTS = ("INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64")
FLOATS = ("FP32", "FP16", "BF16")
ROWS, COLS = 2, 16  # of most tiles
SLOTS = 4           # tiles of input and output


class Kernel:
    """Statements of one function; names in scope by type: ("INT32",) and ("FP32", rows, cols, valid)."""

    def __init__(self, rng, helpers=()):
        self.rng, self.helpers = rng, helpers
        self.lines, self.names, self.n = [], [], 0
        self.budget = rng.randint(6, 30)
        self.pure = False  # nothing is written: what runs at once with others is to be independent

    def fresh(self, letter):
        self.n += 1
        return f"{letter}{self.n}"

    def having(self, test):
        found = [n for n, t in self.names if test(t)]
        return self.rng.choice(found) if found else None

    def emit(self, depth, line):
        self.lines.append("    " * (depth + 1) + line)

    # ---- scalars ----

    def integer(self, dtype, depth=0):
        r = self.rng
        known = self.having(lambda t: t == (dtype,))
        k = r.randrange(12) if depth < 3 else r.randrange(3)
        if k < 3 or known is None:
            if known and k:
                return known
            return f"pl.const({r.choice((0, 1, 2, 3, 7, -1, -5, 100, 2147483647, -2147483648))}, pl.{dtype})"
        a = self.integer(dtype, depth + 1)
        if k == 3:
            return f"({a} {r.choice(('//', '%'))} {r.choice((2, 3, -3, 7))})"
        if k == 4:
            return f"({a} {r.choice(('<<', '>>'))} {r.randrange(8)})"
        if k == 5:
            return f"pl.{r.choice(('min', 'max'))}({a}, {self.integer(dtype, depth + 1)})"
        if k == 6:
            return f"({a} if {self.condition(depth + 1)} else {self.integer(dtype, depth + 1)})"
        if k == 7:
            return f"({r.choice('-~')}{a})"
        if k == 8:
            other = "INDEX" if dtype == "INT32" else "INT32"
            return f"pl.cast({self.integer(other, depth + 1)}, pl.{dtype})"
        if k == 9:
            return f"({a} {r.choice('+-*&|^')} {r.choice((1, 2, 3, 5))})"
        return f"({a} {r.choice('+-*&|^')} {self.integer(dtype, depth + 1)})"

    def scalar(self, dtype, depth=0):
        return self.real(depth) if dtype == "FP32" else self.integer(dtype, depth)

    def condition(self, depth=0):
        r = self.rng
        k = r.randrange(8) if depth < 2 else 7
        if k < 2:
            return f"({self.condition(depth + 1)} {r.choice(('and', 'or'))} {self.condition(depth + 1)})"
        if k == 2:
            return f"(not {self.condition(depth + 1)})"
        if k == 4:
            return f"({self.real(2)} {r.choice(('<', '<=', '>', '>='))} {self.real(2)})"
        dtype = r.choice(("INT32", "INDEX"))
        a, b = self.integer(dtype, depth + 1), self.integer(dtype, depth + 1)
        if k == 3:
            return f"({a} {r.choice(('<', '<='))} {b} < {self.integer(dtype, depth + 1)})"
        return f"({a} {r.choice(('<', '<=', '==', '!=', '>', '>='))} {b})"

    def slot(self, count=SLOTS):
        """An index in range, known only at run time."""
        return f"pl.min(pl.max({self.integer('INDEX', 2)}, 0), {count - 1})"

    def real(self, depth=0):
        """An FP32 scalar."""
        r = self.rng
        known = self.having(lambda t: t == ("FP32",))
        k = r.randrange(7) if depth < 3 else 0
        if k < 2:
            return known or f"pl.cast({self.integer('INT32', 2)}, pl.FP32)"
        if k == 2:
            return f"pl.read(x, [{self.slot(SLOTS * ROWS)}, {r.randrange(COLS)}])"
        if k == 3:
            return f"(-{self.real(depth + 1)})"
        if k == 4:
            return f"({self.real(depth + 1)} {r.choice('+-*/')} {r.choice(('0.5', '3.0', '-1.25'))})"
        return f"({self.real(depth + 1)} {r.choice('+-*/')} {self.real(depth + 1)})"

    # ---- tiles ----

    def literal(self, dtype):
        if dtype in FLOATS:
            return self.rng.choice(("0.5", "2.0", "-1.5", "3", "0.0", "1024.0"))
        low = 0 if dtype[0] == "U" else -3
        return str(self.rng.choice([v for v in (low, 1, 2, 3, 5)]))

    def tile(self, t, depth=0):
        """An expression of tile type t = (dtype, rows, cols, valid)."""
        r, dtype = self.rng, t[0]
        known = self.having(lambda n: n == t)
        k = r.randrange(20) if depth < 3 else 0
        if k < 2 and known:
            return known
        if k >= 14 and t[1:3] == (ROWS, COLS):
            return self.shaped(t, depth)
        if k < 4 or known is None:
            full = t[3] == t[2]
            if full and (r.random() < 0.3 or dtype not in ("FP32", "INT32")):
                base = self.having(lambda n: len(n) == 4 and n[1:] == t[1:] and n[0] != dtype)
                if base and r.random() < 0.7:
                    mode = r.choice(("rint", "round", "floor", "ceil", "trunc"))
                    return f"pl.cast({base}, target_type=pl.{dtype}, mode=\"{mode}\")"
                return f"pl.full([{t[1]}, {t[2]}], dtype=pl.{dtype}, value={self.literal(dtype)})"
            if dtype in ("FP32", "INT32"):
                source = "x" if dtype == "FP32" else "q"
                valid = "" if full else f", valid_shape=[{t[1]}, {t[3]}]"
                return f"pl.load({source}, [{self.slot()} * {ROWS}, 0], [{t[1]}, {t[2]}]{valid})"
            base = self.load(("FP32",) + t[1:])
            return f"pl.cast({base}, target_type=pl.{dtype}, mode=\"rint\")"
        a = self.tile(t, depth + 1)
        if k == 4:
            return f"pl.{r.choice(('neg', 'abs'))}({a})"
        if k == 5:
            return f"({a} {r.choice('+-*')} {self.literal(dtype)})"
        if k == 6:
            return f"({self.literal(dtype)} {r.choice('+-*')} {a})"
        if k == 10 and dtype == "FP32":
            return f"({a} {r.choice('+-*/')} {self.real(2)})"
        if k == 10:
            return self.bits(t, a, depth) if dtype not in FLOATS else f"pl.relu({a})"
        if k == 11 and dtype in FLOATS:
            return f"pl.sqrt({a})"
        if k < 13 and t[1] == ROWS:
            return self.reduced(t, a, depth)
        b = self.tile(t, depth + 1)
        if k == 7:
            return f"pl.{r.choice(('maximum', 'minimum'))}({a}, {b})"
        if k == 8:
            if dtype not in FLOATS:
                b = f"pl.maximum({b}, 1)"
            return f"pl.div({a}, {b})"
        return f"({a} {r.choice('+-*')} {b})"

    def shaped(self, t, depth):
        """Masks, parts, products and the like, of tiles of the usual shape."""
        r, dtype, full = self.rng, t[0], t[3] == t[2]
        a, b = self.tile(t, depth + 1), self.tile(t, depth + 1)
        k = r.randrange(10)
        if k < 2:
            return f"pl.sel(pl.cmp({a}, {b}, {r.randrange(6)}), {b}, {a})"
        if k == 2:
            return f"pl.{r.choice(('addc', 'subc'))}({a}, {b}, {self.literal(dtype)})"
        if k == 3 and dtype in ("INT16", "INT32", "UINT16", "UINT32"):
            return f"({a} + pl.ci({r.randrange(100)}, [1, {COLS}], dtype=pl.{dtype}))"
        if not full:
            return f"({a} + {b})"
        short = self.tile((dtype, ROWS, COLS, 5), depth + 1)
        if k == 4:
            return f"pl.part_{r.choice(('add', 'mul', 'max', 'min'))}({a}, {short})"
        if k == 5:
            return f"pl.fillpad({short}, pad_value=pl.PadValue.{r.choice(('zero', 'min', 'max'))})"
        if k == 6:
            half = COLS // 2
            return (f"pl.concat(pl.slice({a}, [{ROWS}, {half}], [0, {r.randrange(half + 1)}]), "
                    f"pl.slice({b}, [{ROWS}, {half}], [0, {r.randrange(half + 1)}]))")
        if k == 7:
            return (f"pl.assemble({a} + {self.literal(dtype)}, pl.slice({b}, [1, 8], [{r.randrange(2)}, {r.randrange(9)}]), "
                    f"[{r.randrange(2)}, {r.randrange(9)}])")
        if k == 8 and dtype in ("FP32", "INT32"):
            return self.product(dtype, depth)
        return f"pl.reshape(pl.reshape({a}, [4, 8]), [{ROWS}, {COLS}])"

    def product(self, dtype, depth):
        """Two products of [2, 16] and [16, 8] beside each other."""
        factor = self.rng.choice(FLOATS) if dtype == "FP32" else "INT8"
        whole = f"pl.load({'x' if dtype == 'FP32' else 'q'}, [0, 0], [{SLOTS * ROWS}, {COLS}])"
        if factor != dtype:
            whole = f"pl.cast({whole}, target_type=pl.{factor}, mode=\"rint\")"
        t = (factor, ROWS, COLS, COLS)
        one, two = (f"pl.matmul({self.tile(t, depth + 1)}, pl.transpose({whole}, 0, 1))" for _ in range(2))
        return f"pl.concat({one}, {two})"

    def value(self, depth=0):
        """A tensor value [2, 16] of FP32."""
        r = self.rng
        at = r.randrange(SLOTS) * ROWS
        k = r.randrange(7) if depth < 3 else 0
        if k < 2:
            return f"x[{at} : {at + ROWS}, :]"
        if k == 2:
            return f"pl.{r.choice(('add', 'mul', 'maximum'))}({self.value(depth + 1)}, {self.value(depth + 1)})"
        if k == 3:
            return f"({self.value(depth + 1)} {r.choice('+-*')} {self.literal('FP32')})"
        if k == 4:
            one, two = (f"pl.matmul({self.value(depth + 1)}, x, b_trans=True)" for _ in range(2))
            return f"pl.concat({one}, {two})"
        if k == 5:
            return f"pl.reshape({self.value(depth + 1)}, [{ROWS}, {COLS}])"
        axis = r.choice(("row", "col"))
        return (f"pl.{axis}_expand_{r.choice(('add', 'sub', 'mul'))}({self.value(depth + 1)}, "
                f"pl.{axis}_{r.choice(('sum', 'max', 'min'))}({self.value(depth + 1)}))")

    def bits(self, t, a, depth):
        k = self.rng.randrange(4)
        if k == 0:
            return f"pl.not_({a})"
        if k == 1:
            return f"pl.{self.rng.choice(('shl', 'shr'))}({a}, {self.rng.randrange(8)})"
        return f"pl.{self.rng.choice(('and_', 'or_', 'xor'))}({a}, {self.tile(t, depth + 1)})"

    def reduced(self, t, a, depth):
        """A tile against a reduction of another."""
        r = self.rng
        axis = r.choice(("row", "col"))
        if t[0] not in ("FP32", "FP16", "INT32"):
            return a
        vector = f"pl.{axis}_{r.choice(('sum', 'max', 'min'))}({self.tile(t, depth + 1)})"
        return f"pl.{axis}_expand_{r.choice(('add', 'sub', 'mul', 'max', 'min'))}({a}, {vector})"

    def load(self, t):
        valid = "" if t[3] == t[2] else f", valid_shape=[{t[1]}, {t[3]}]"
        return f"pl.load({'x' if t[0] == 'FP32' else 'q'}, [{self.rng.randrange(SLOTS) * ROWS}, 0], [{t[1]}, {t[2]}]{valid})"

    def tile_type(self):
        r = self.rng
        if r.random() < 0.5 and (known := self.having(lambda t: len(t) == 4)):
            return dict(self.names)[known]
        dtype = r.choice(("FP32", "FP32", "INT32") + FLOATS + INTS)
        return (dtype, ROWS, COLS, r.choice((COLS, COLS, COLS, 5)))

    def bind(self, depth, t, text):
        """Binds text to a new name, or anew to an old one of its type."""
        old = self.having(lambda n: n == t)
        if old and old != "my_rank" and not old.endswith("_") and self.rng.random() < 0.5:
            self.emit(depth, f"{old} = {text}")
            return
        name = self.fresh("s" if len(t) == 1 else "t")
        self.emit(depth, f"{name} = {text}")
        self.names.append((name, t))

    # ---- statements ----

    def block(self, depth, loop):
        """At least one statement; names bound in it end with it."""
        keep, before = list(self.names), len(self.lines)
        for _ in range(self.rng.randint(1, 4)):
            if self.budget <= 0:
                break
            self.statement(depth, loop)
        if len(self.lines) == before:
            self.emit(depth, "pass")
        self.names = keep

    def statement(self, depth, loop):
        r = self.rng
        self.budget -= 1
        k = r.randrange(20 if depth < 3 else 12)
        if k < 3:
            dtype = r.choice(("INT32", "INDEX", "FP32"))
            self.bind(depth, (dtype,), self.scalar(dtype))
        elif k < 7:
            t = self.tile_type()
            self.bind(depth, t, self.tile(t))
        elif self.pure and k < 10:
            t = self.tile_type()
            self.bind(depth, t, self.tile(t))
        elif k < 9:
            self.store(depth)
        elif k == 9 and r.random() < 0.4:
            at = r.randrange(SLOTS) * ROWS
            self.emit(depth, f"y[{at} : {at + ROWS}, :] = {self.value()}")
        elif k == 9 and r.random() < 0.3:
            self.emit(depth, f"pl.write(y, [{self.slot(SLOTS * ROWS)}, {r.randrange(COLS)}], {self.real()})")
        elif k == 9:
            self.emit(depth, f"pl.write(z, [{self.slot(8)}], {self.integer('INT32')})")
        elif k == 10:
            self.bind(depth, ("INT32",), f"pl.read(c, [{self.slot(8)}])")
        elif k == 11 and self.helpers:
            self.call(depth)
        elif k < 15:
            self.emit(depth, f"if {self.condition()}:")
            self.block(depth + 1, loop)
            if loop and r.random() < 0.3:
                self.emit(depth + 1, r.choice(("break", "continue")))
            elif r.random() < 0.6:
                self.emit(depth, "else:")
                self.block(depth + 1, loop)
        elif k < 18:
            self.loop(depth)
        else:
            self.carried(depth)

    def store(self, depth):
        t = self.having(lambda t: len(t) == 4 and t[0] in ("FP32", "INT32"))
        if t:
            dst = "y" if dict(self.names)[t][0] == "FP32" else "p"
            self.emit(depth, f"{dst} = pl.store({t}, [{self.slot()} * {ROWS}, 0], {dst})")

    def call(self, depth):
        name, params, result = self.rng.choice(self.helpers)
        args = [self.scalar(t[0]) if len(t) == 1 else self.tile(t) for t in params]
        self.bind(depth, result, f"{name}({', '.join(args)})")

    def loop(self, depth):
        r = self.rng
        i = self.fresh("i")
        bounds = r.choice((f"{r.randint(0, 4)}", f"{r.randint(-2, 1)}, {r.randint(1, 4)}", f"{r.randint(2, 5)}, 0, -{r.randint(1, 2)}", self.slot(4)))
        kind = r.choice(("range", "range", "range", "unroll")) if "pl" not in bounds else "range"
        self.emit(depth, f"for {i} in pl.{kind}({bounds}):")
        keep = list(self.names)
        if kind == "range":
            self.names.append((i, ("INDEX",)))
        self.block(depth + 1, kind == "range")
        self.names = keep

    def carried(self, depth):
        """A loop that hands values on."""
        r = self.rng
        types = [r.choice((("INT32",), ("INDEX",), ("FP32",), self.tile_type())) for _ in range(r.randint(1, 2))]
        names = [self.fresh("a") for _ in types]
        first = []
        for t in types:
            name = self.having(lambda n: n == t)
            if not name:
                name = self.fresh("s" if len(t) == 1 else "t")
                self.emit(depth, f"{name} = {self.scalar(t[0]) if len(t) == 1 else self.tile(t)}")
                self.names.append((name, t))
            first.append(name)
        comma = "," if len(types) == 1 else ""
        i = self.fresh("i")
        self.emit(depth, f"for {i}, ({', '.join(names)}{comma}) in pl.range({r.randint(1, 3)}, init_values=({', '.join(first)}{comma})):")
        keep = list(self.names)
        self.names += [(i, ("INDEX",))] + list(zip(names, types))
        body = len(self.lines)
        for _ in range(r.randint(0, 2)):
            if self.budget > 0:
                self.statement(depth + 1, False)
        values = [self.scalar(t[0], 1) if len(t) == 1 else self.tile(t, 1) for t in types]
        self.emit(depth + 1, f"{', '.join(names)} = pl.yield_({', '.join(values)})")
        self.names = keep + list(zip(names, types))

    # ---- communication: top level only, so that every rank takes part ----

    def barrier(self, depth, epoch):
        for peer, line in (("peer", "pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)"),
                           ("src", f"pld.system.wait(signal, offsets=[src, 0], expected={epoch}, cmp=pld.WaitCmp.Ge)")):
            self.emit(depth, f"for {peer} in pl.range(nranks):")
            self.emit(depth + 1, f"if {peer} != my_rank:")
            self.emit(depth + 2, line)

    def exchange(self, epoch):
        """One round over the windows; returns the epochs used."""
        r = self.rng
        t = ("FP32", ROWS, COLS, COLS)
        k = r.randrange(8)
        if k < 3:
            self.emit(0, f"data = pl.store({self.tile(t)}, [my_rank * {ROWS}, 0], data)")
            self.barrier(0, epoch)
            peer = f"(my_rank + {r.randint(1, 3)}) % nranks"
            self.emit(0, f"peer = {peer}")
            self.bind(0, t, f"pld.tile.remote_load(data, peer=peer, offsets=[peer * {ROWS}, 0], shape=[{ROWS}, {COLS}])")
            self.barrier(0, epoch + 1)
        elif k == 3:
            self.emit(0, f"pushed = {self.tile(t)}")
            self.emit(0, "for peer in pl.range(nranks):")
            self.emit(1, f"data = pld.tile.remote_store(pushed, data, peer=peer, offsets=[my_rank * {ROWS}, 0])")
            self.barrier(0, epoch)
            self.bind(0, t, f"pl.load(data, [((my_rank + 1) % nranks) * {ROWS}, 0], [{ROWS}, {COLS}])")
            self.barrier(0, epoch + 1)
        elif k == 4:
            self.emit(0, f"added = {self.tile(('INT32', ROWS, COLS, COLS))}")
            self.emit(0, "for peer in pl.range(nranks):")
            self.emit(1, "count = pld.tile.remote_store(added, count, peer=peer, offsets=[0, 0], atomic=pld.AtomicType.Add)")
            self.barrier(0, epoch)
            self.bind(0, ("INT32", ROWS, COLS, COLS), f"pl.load(count, [0, 0], [{ROWS}, {COLS}])")
            self.barrier(0, epoch + 1)
        else:
            self.emit(0, f"box = pl.store({self.tile(t)}, [0, 0], box)")
            op = r.choice(("Sum", "Max", "Min", "Prod"))
            mode = r.choice(("mesh", "ring")) if op in ("Max", "Min") else "mesh"
            if k == 5:
                self.emit(0, f"box = pld.tensor.broadcast(box, credit, root=0)")
            else:
                credit = "credit" if mode == "mesh" else "rounds"
                self.emit(0, f"box = pld.tensor.allreduce(box, {credit}, op=pld.ReduceOp.{op}, mode=\"{mode}\")")
            self.bind(0, t, f"pl.load(box, [0, 0], [{ROWS}, {COLS}])")
            return 0
        return 2


HEAD = """import pypto.language as pl
import pypto.language.distributed as pld

"""
PARAMS = (("x", "pl.Tensor[[{xr}, {c}], pl.FP32]"), ("q", "pl.Tensor[[{xr}, {c}], pl.INT32]"), ("c", "pl.Tensor[[8], pl.INT32]"),
          ("y", "pl.InOut[pl.Tensor[[{xr}, {c}], pl.FP32]]"), ("p", "pl.InOut[pl.Tensor[[{xr}, {c}], pl.INT32]]"), ("z", "pl.InOut[pl.Tensor[[8], pl.INT32]]"),
          ("data", "pl.InOut[pld.DistributedTensor[[{dr}, {c}], pl.FP32]]"), ("count", "pl.InOut[pld.DistributedTensor[[{r}, {c}], pl.INT32]]"),
          ("box", "pl.InOut[pld.DistributedTensor[[{r}, {c}], pl.FP32]]"), ("signal", "pl.InOut[pld.DistributedTensor[[{n}, 1], pl.INT32]]"),
          ("credit", "pl.InOut[pld.DistributedTensor[[{n}, 1], pl.INT32]]"), ("rounds", "pl.InOut[pld.DistributedTensor[[{n2}, {n}], pl.INT32]]"))
SHAPES = {"data": ("FP32", "[{dr}, {c}]"), "count": ("INT32", "[{r}, {c}]"), "box": ("FP32", "[{r}, {c}]"), "signal": ("INT32", "[{n}, 1]"),
          "credit": ("INT32", "[{n}, 1]"), "rounds": ("INT32", "[{n2}, {n}]")}


def helper(rng, name):
    """A function that kernels call: scalars and tiles in, one value out."""
    types = [rng.choice((("INT32",), ("INDEX",), ("FP32", ROWS, COLS, COLS), ("INT32", ROWS, COLS, COLS))) for _ in range(rng.randint(1, 3))]
    types.sort(key=len, reverse=True)
    k = Kernel(rng)
    k.budget = 4
    params = [f"h{i}" for i in range(len(types))]
    k.names = list(zip(params, types))
    result = rng.choice(types)
    while k.budget > 0:
        k.budget -= 1
        t = rng.choice(types)
        k.bind(0, t, k.integer(t[0], 1) if len(t) == 1 else pure_tile(k, t))
    out = k.integer(result[0], 1) if len(result) == 1 else pure_tile(k, result)
    notes = [f"pl.Scalar[pl.{t[0]}]" if len(t) == 1 else f"pl.Tile[[{t[1]}, {t[2]}], pl.{t[0]}]" for t in types]
    head = ", ".join(f"{p}: {n}" for p, n in zip(params, notes))
    text = f"@pl.jit.incore\ndef {name}({head}):\n" + "\n".join(k.lines) + f"\n    return {out}\n\n\n"
    return text, (name, types, result)


def pure_tile(k, t):
    """A tile expression over the helper's own names: no memory."""
    known = [n for n, u in k.names if u == t]
    if not known:
        return f"pl.full([{t[1]}, {t[2]}], dtype=pl.{t[0]}, value={k.literal(t[0])})"
    a, b = k.rng.choice(known), k.rng.choice(known)
    return f"({a} {k.rng.choice('+-*')} {k.rng.choice((b, k.literal(t[0])))})"


def program(seed, ranks):
    """The text of a program and its kernel's parameters in order."""
    rng = random.Random(seed)
    size = {"xr": SLOTS * ROWS, "c": COLS, "dr": ranks * ROWS, "r": ROWS, "n": ranks, "n2": 2 * (ranks - 1)}
    text, helpers = HEAD, []
    for i in range(rng.randint(0, 2)):
        part, h = helper(rng, f"helper_{i}")
        text += part
        helpers.append(h)
    k = Kernel(rng, helpers)
    k.emit(0, "ctx = pld.get_comm_ctx(data)")
    k.emit(0, "my_rank = pld.rank(ctx)")
    k.emit(0, "nranks = pld.nranks(ctx)")
    k.names = [("my_rank", ("INT32",))]
    epoch = 1
    while k.budget > 0:
        if rng.random() < 0.12:
            epoch += k.exchange(epoch)
        k.statement(0, False)
    for t in [n for n, t in k.names if len(t) == 4 and t[0] in ("FP32", "INT32")][-2:]:
        dst = "y" if dict(k.names)[t][0] == "FP32" else "p"
        k.emit(0, f"{dst} = pl.store({t}, [{rng.randrange(SLOTS) * ROWS}, 0], {dst})")
    names = [n for n, _ in PARAMS]
    head = ",\n         ".join(f"{n}: {t.format(**size)}" for n, t in PARAMS)
    text += f"@pl.jit.incore\ndef step({head}):\n" + "\n".join(k.lines) + "\n    return y, p, z\n\n\n"
    text += f"@pl.jit\ndef chip({', '.join(names)}):\n" + "\n".join(orchestrate.call(rng, names)) + "\n\n\n"
    host = ", ".join(f"{n}: {t.format(**size).replace('Tensor[[', f'Tensor[[{ranks}, ')}" for n, t in PARAMS[:6])
    text += f"@pl.jit.host\ndef host({host}):\n"
    for n, (dtype, shape) in SHAPES.items():
        text += f"    {n}_buf = pld.alloc_window_buffer({shape.format(**size)}, dtype=pl.{dtype})\n"
    text += f"    for r in pl.range({ranks}):\n"
    for n, (dtype, shape) in SHAPES.items():
        text += f"        {n} = pld.window({n}_buf, {shape.format(**size)}, dtype=pl.{dtype})\n"
    args = [f"{n}[r]" for n in names[:6]] + names[6:]
    text += f"        chip({', '.join(args)}, device=r)\n    return y, p, z\n"
    return text, size
