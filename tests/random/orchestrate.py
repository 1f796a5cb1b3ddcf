"""Random orchestration functions: scopes, blocks, parallel loops, tasks, arrays, memory that they create."""
import random


class Orchestration:
    """Statements of an orchestration function; `kernel` makes those of its scopes."""

    def __init__(self, rng, kernel):
        self.rng, self.kernel = rng, kernel
        self.lines, self.n = [], 0
        self.tasks, self.arrays, self.memory = [], [], []
        self.manual = False

    def fresh(self, letter):
        self.n += 1
        return f"{letter}{self.n}_"

    def emit(self, depth, line):
        self.lines.append("    " * (depth + 1) + line)

    # ---- tasks ----

    def deps(self):
        """Something for deps=; in a manual scope all that came before, as it is what orders."""
        r = self.rng
        listed = list(self.tasks) if self.manual else [t for t in self.tasks if r.random() < 0.5]
        listed += r.choice(([], [], ["None"], ["pl.system.task_invalid()"]))
        if not listed and not self.manual and r.random() < 0.6:
            return ""
        return f", deps=[{', '.join(listed)}]"

    def bound(self):
        """`as tid` for a scope."""
        if not self.manual and self.rng.random() < 0.5:
            return "", None
        tid = self.fresh("tid")
        return f" as {tid}", tid

    def task(self, tid, depth):
        if tid and depth == 0:
            self.tasks.append(tid)

    # ---- scopes ----

    def scope(self, depth, names=()):
        """One scope; what it stores goes to y and p."""
        r = self.rng
        name, tid = self.bound()
        self.emit(depth, f"with pl.at(level=pl.Level.CORE_GROUP{self.deps()}){name}:")
        k = self.kernel(r)
        k.names = list(names)
        while k.budget > 0:
            k.statement(depth + 1, False)
        for t in [n for n, t in k.names if len(t) == 4 and t[0] in ("FP32", "INT32")][-2:]:
            dst = "y" if dict(k.names)[t][0] == "FP32" else "p"
            k.emit(depth + 1, f"{dst} = pl.store({t}, [{r.randrange(4) * 2}, 0], {dst})")
        k.emit(depth + 1, "pl.write(z, [0], 1)")
        self.lines += k.lines
        self.task(tid, depth)

    def independent(self, depth):
        """Blocks, or iterations of a parallel loop: each has two rows of its own."""
        r = self.rng
        i, n = self.fresh("i"), r.randint(1, 4)
        dst = r.choice(["y"] + self.memory)
        blocks = r.random() < 0.6
        inner = depth + 1
        if blocks and not self.manual:
            self.emit(depth, f"for {i} in pl.spmd({n}{self.deps()}):")
        elif blocks:
            name, tid = self.bound()
            self.emit(depth, f"with pl.spmd({n}{self.deps()}){name}:")
            self.task(tid, depth)
            self.emit(inner, f"{i} = pl.tile.get_block_idx()")
        else:
            self.emit(depth, f"for {i} in pl.parallel({n}):")
            self.emit(inner, "with pl.at(level=pl.Level.CORE_GROUP):")
            inner += 1
        k = self.kernel(r)
        k.pure, k.budget, k.names = True, r.randint(2, 8), [(i, ("INDEX",))]
        while k.budget > 0:
            k.statement(inner, False)
        t = k.tile(("FP32", 2, 16, 16))
        k.emit(inner, f"{dst} = pl.store({t}, [{i} * 2, 0], {dst})")
        self.lines += k.lines

    def moves(self, depth):
        """From created memory to an output."""
        if not self.memory:
            return
        m, at = self.rng.choice(self.memory), self.rng.randrange(4) * 2
        name, tid = self.bound()
        self.emit(depth, f"with pl.at(level=pl.Level.CORE_GROUP{self.deps()}){name}:")
        self.emit(depth + 1, f"y = pl.store(pl.load({m}, [{at}, 0], [2, 16]), [{at}, 0], y)")
        self.task(tid, depth)

    # ---- the rest ----

    def create(self, depth):
        m = self.fresh("m")
        self.emit(depth, f"{m} = pl.create_tensor([8, 16], dtype=pl.FP32, init_value={self.rng.choice(('0.0', '0.5', '-3.0'))})")
        self.memory.append(m)

    def array(self, depth):
        """An array, a copy of it, and an element of each as a scalar of a scope."""
        r = self.rng
        a, b, n = self.fresh("a"), self.fresh("a"), r.randint(1, 12)
        self.emit(depth, f"{a} = pl.array.create({n}, pl.INT32)")
        for _ in range(r.randint(0, 2)):
            self.emit(depth, f"{a}[{r.randrange(n)}] = {r.randint(-9, 9)}")
        self.emit(depth, f"{b} = {a}")
        self.emit(depth, f"{b}[{r.randrange(n)}] = {a}[{r.randrange(n)}] + {r.randint(1, 5)}")
        self.emit(depth, f"s{a} = {a}[{r.randrange(n)}] + {b}[{r.randrange(n)}] * 10")
        self.arrays.append(f"s{a}")

    def ids(self, depth):
        """Ids by way of an array or a task of nothing."""
        if not self.tasks:
            return
        t = self.rng.choice(self.tasks)
        if self.rng.random() < 0.5:
            a = self.fresh("ids")
            self.emit(depth, f"{a} = pl.array.create(3, pl.TASK_ID)")
            self.emit(depth, f"{a}[{self.rng.randrange(3)}] = {t}")
        else:
            a = self.fresh("tid")
            self.emit(depth, f"{a} = pl.system.task_dummy(deps=[{t}])")
        self.tasks.append(a)

    def statement(self, depth):
        r = self.rng
        k = r.randrange(12)
        if k < 3:
            self.scope(depth, [(a, ("INT32",)) for a in self.arrays])
        elif k < 6:
            self.independent(depth)
        elif k == 6:
            self.moves(depth)
        elif k == 7 and depth == 0:
            self.create(depth)
        elif k == 8 and depth == 0:
            self.array(depth)
        elif depth == 0:
            self.ids(depth)


def entry(seed, generate):
    """A program without a host function."""
    rng = random.Random(seed)
    size = {"xr": 8, "c": 16, "dr": 1, "r": 1, "n": 1, "n2": 1, "entry": True}
    head = ",\n         ".join(f"{n}: {t.format(**size)}" for n, t in generate.PARAMS[:6])
    o = Orchestration(rng, generate.Kernel)
    for _ in range(rng.randint(2, 7)):
        if rng.random() < 0.15:
            i = o.fresh("turn")
            o.emit(0, f"for {i} in pl.range(2):")
            o.scope(1, [(i, ("INDEX",))])
        elif rng.random() < 0.2:
            o.emit(0, "with pl.manual_scope():")
            o.manual, before = True, len(o.tasks)
            o.scope(1)
            o.manual = False
            del o.tasks[before:]
        else:
            o.statement(0)
    o.scope(0)
    return generate.HEAD + f"@pl.jit\ndef step({head}):\n" + "\n".join(o.lines) + "\n    return y, p, z\n", size


def call(rng, names):
    """A body that calls `step`: at once, as a task, or when a deferred wait that holds has let it."""
    args = ", ".join(names)
    k = rng.randrange(3)
    if k == 0:
        return [f"    return step({args})"]
    lines = []
    deps = ""
    if k == 2:
        lines = ["    with pl.at(level=pl.Level.CORE_GROUP) as go:",
                 "        pld.system.defer_wait(signal, offsets=[0, 0], expected=0, cmp=pld.WaitCmp.Ge)"]
        deps = ", deps=[go]"
    return lines + [f"    y, p, z, tid = pl.submit(step, {args}{deps})", "    return y, p, z"]
