"""Runs: arguments in, options, progress and signals, results out.

A handle of a run that has ended waits with its program for the next call with the same options and the same
arguments by name: the simulator then runs the world that is there.
"""
import ctypes
import json
import sys
from ctypes import byref

from . import _arrays, _lib, errors
from .result import Exploration, Report, Result, Row, Timeline

_PLAIN = {"check": "all", "mem": "sc", "schedule": "clock", "seed": 0, "max_steps": None, "time_limit": None, "rtol": None,
          "atol": None, "cost": False, "trace": False, "timeline": False, "platform_set": None, "devices": None,
          "max_memory": None, "jobs": None, "print": None, "watch": None, "no_print": False, "quiet": False,
          "diagnostics": None, "report": None, "callbacks": None, "dispatches": False}
_FLAGS = ("cost", "trace", "timeline", "dispatches", "no_print", "quiet")
_HOW = {"cost": ".cost of the Result is the card", "trace": ".trace of the Result is it, for json.dump",
        "timeline": ".timeline.save(path) of the Result writes it", "dispatches": ".dispatches of the Result are they"}
_KEEP = 4  # idle runs of one kind
_KINDS = 16  # of a program
_USES = 1000  # of a run with scalars, each of which costs a little memory
_LARGE = 1 << 26  # bytes of arguments from which on a world is not kept
_FLOATS = ("FP32", "FP16", "BF16")


class Options(dict):
    """What a run may be told."""

    def __init__(self, devices=None):
        super().__init__(_PLAIN)
        self["devices"], self._key = devices, None

    def key(self):
        """Equal for equal options; they are settled by now."""
        if self._key is None:
            self._key = tuple(map(str, self.values()))
        return self._key


def check(status, why):
    """Statuses that no program causes."""
    if status == 71:
        raise errors.OutOfMemory(why or "out of memory")
    if status == 70:
        raise errors.InternalError(why or "internal error")
    if status == 2:
        raise ValueError(why or "wrong arguments")


def check_flag(name, value):
    """A flag is no name of a file: TypeError that says where what is recorded comes out."""
    if name in _FLAGS and value is not None and not isinstance(value, int) and type(value).__name__ not in ("bool", "bool_"):
        how = f"; {_HOW[name]}" if name in _HOW else ""
        raise TypeError(f"{name} is True or False, not {value!r}{how}")


def place(program, arrays, by_name):
    """The arguments by parameter. TypeError as for a Python function."""
    params = program.params
    if len(arrays) == len(params) and not by_name:
        return {p.name: a for p, a in zip(params, arrays)}
    given, names = {}, [p.name for p in params]
    if len(arrays) > len(params):
        raise TypeError(f"{program.name} takes {len(params)} arguments ({', '.join(names)}), got {len(arrays)}")
    inputs = [p for p in params if p.dir != "out"]
    for p, a in zip(params if len(arrays) > len(inputs) else inputs, arrays):
        given[p.name] = a
    for name, a in by_name.items():
        if name not in names:
            raise TypeError(f"{program.name} has no parameter {name}; it has {', '.join(names)}; options are "
                            f"{', '.join(_PLAIN)}")
        if name in given:
            raise TypeError(f"{program.name}: {name} is given twice")
        given[name] = a
    return given


def _argument(t, flavour):
    """What a sub-worker gets for a tensor of the library."""
    dtype = _lib.DTYPES[t.dtype]
    if t.rank == 0 and dtype == "INT64":
        return ctypes.c_int64.from_address(t.data).value
    return _arrays.of_memory(t.data, tuple(t.shape[:t.rank]), dtype, True, flavour)


def _number(p, given):
    """The number for a scalar: Python's, NumPy's, torch's or one of ctypes."""
    v = given.value if hasattr(given, "value") and not hasattr(given, "dtype") else given
    if hasattr(v, "item") and not getattr(v, "ndim", 0):
        v = v.item()
    if isinstance(v, float) and p.dtype not in _FLOATS:
        raise TypeError(f"{p.name} is {p.dtype}: got a float")
    if not isinstance(v, (int, float)):
        raise TypeError(f"{p.name} is a scalar of {p.dtype}: got {type(v).__name__}")
    return float(v) if p.dtype in _FLOATS else int(v)


class _Slot:
    """A handle of the library's, and what it points to."""

    def __init__(self, program):
        self.p = _lib.lib.pld_run_new(program._h.p)
        if not self.p:
            raise errors.OutOfMemory("out of memory")
        self.program, self.uses, self.raised, self.asked = program._h, 0, None, None
        self.tensors, self.numbers, self.layouts, self.size = {}, {}, None, 0
        self.callback = _lib.Progress(self.progress)
        _lib.lib.pld_run_progress(self.p, self.callback, None)

    def __del__(self):
        if getattr(self, "p", None):
            _lib.lib.pld_run_free(self.p)
            self.p = None

    def progress(self, user, steps, time_ps):
        """Called now and then, so that Python sees its signals; what they raise ends the run."""
        try:
            return 1 if self.asked is not None and self.asked(steps, time_ps) else 0
        except BaseException as e:
            self.raised = e
            return 1

    def callbacks(self, functions, flavour):
        """Functions for sub-workers by name; called with arrays, or numbers."""
        self.called = []  # what the library points to
        for name, function in functions.items():
            called = _lib.Callback(lambda user, args, n, f=function: self.call_back(f, args, n, flavour))
            self.called.append(called)
            self.call(_lib.lib.pld_run_callback, name.encode(), called, None)

    def call_back(self, function, args, n, flavour):
        try:
            function(*[_argument(args[i], flavour) for i in range(n)])
            return 0
        except BaseException as e:
            self.raised = e
            return 1

    def call(self, f, *args):
        status = f(self.p, *args)
        if status:
            check(status, _lib.text(_lib.lib.pld_run_why(self.p)))

    def set(self, name, value):
        self.call(_lib.lib.pld_run_set, name.encode(), value.encode())

    def options(self, options):
        for name, value in options.items():
            if name in _FLAGS:
                if value:
                    self.set(name.replace("_", "-"), "")
            elif name == "callbacks":
                continue  # below, when the flavour of the arrays is known
            elif name in ("print", "watch"):
                for one in [value] if isinstance(value, str) else value or ():
                    self.set(name, one)
            elif name == "platform_set":
                for field, number in (value or {}).items():
                    self.set("platform-set", f"{field}={number}")
            elif value is not None and value != _PLAIN[name]:
                self.set(name.replace("_", "-"), value if isinstance(value, str) else repr(value))

    def struct(self, array, dtype, known=None):
        """The array as the library's structure; one of the same layout is used again."""
        layout = (array.shape, array.strides)
        if known and known[0] == layout:
            known[1].data = array.address
            return known
        n = len(array.shape)
        shape, strides = (ctypes.c_int64 * n)(*array.shape), (ctypes.c_int64 * n)(*array.strides)
        t = _lib.Tensor(dtype=_lib.DTYPES.index(dtype), rank=n, shape=shape, strides=strides, data=array.address)
        return layout, t, byref(t)

    def tensor(self, p, array):
        known = self.struct(array, p.dtype, self.tensors.get(p.name))
        self.tensors[p.name] = known
        self.call(_lib.lib.pld_run_tensor, p.name.encode(), known[2])

    def golden(self, p, array):
        array = _arrays.fit(_arrays.describe(array, p.name), p._replace(dir="in"))
        self.call(_lib.lib.pld_run_golden, p.name.encode(), self.struct(array, p.dtype)[2])

    def scalar(self, p, v):
        v = _number(p, v)
        if self.numbers.get(p.name) != v:
            self.call(_lib.lib.pld_run_scalar, p.name.encode(), byref(_lib.plain(v)))
            self.numbers[p.name] = v
            self.uses += 1

    def start(self, f):
        self.raised = None
        try:
            status = f(self.p)
        except KeyboardInterrupt as e:  # between the call's end and ours
            self.raised, status = e, 9
        if self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised
        if status == 9:
            raise KeyboardInterrupt
        return status


def ids(text):
    """Device ids of a list as -d takes it."""
    out = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        out += range(int(low), int(high or low) + 1)
    return out


class _Call:
    """One call: arguments described, a handle with its options, and back with it."""

    def __init__(self, program, given, golden, options, slot=None):
        self.program, self.options, self.made, self.arrays = program, options, [], {}
        self.key = None
        if not golden and not options["platform_set"] and not options["callbacks"]:
            self.key = (options.key(), *given)
        self.slot = slot = slot or self.take(options, "" if given or golden else program.command(options))
        for p in program.params:
            if p.kind == "tensor" and p.name in given:
                self.arrays[p.name] = _arrays.describe(given[p.name], p.name)
        layouts = {name: a.layout() for name, a in self.arrays.items()}
        if layouts != slot.layouts or len(layouts) != program._n_tensors:
            slot.layouts = None
            self.hand_over()
            slot.layouts = layouts if len(layouts) == len(self.arrays) else None
        if program._scalars:
            self.scalars(given)
        if options["callbacks"]:
            slot.callbacks(options["callbacks"], next((a.flavour for a in self.arrays.values()), "numpy"))
        for name, array in (golden or {}).items():
            slot.golden(program.params[name], array)

    def hand_over(self):
        params, like = self.program.params, None
        for p in params:
            if p.name in self.arrays:
                a = self.arrays[p.name] = _arrays.fit(self.arrays[p.name], p)
                like = like or a
        extents = self.extents()
        for p in params:
            if p.dir == "out" and p.kind == "tensor" and p.name not in self.arrays:
                shape = [extents.get(d, n) if n < 0 else n for n, d in zip(p.shape, self.program._dims[p.name])]
                if min(shape, default=0) >= 0:
                    self.arrays[p.name] = self.make(p, shape, like)
                elif self.arrays:
                    raise ValueError(f"{p.name}: extent {shape.index(-1)} is known only when the program runs: give the array")
        _arrays.check_overlap([self.arrays.get(p.name) for p in params], params)
        for p in params:
            if p.name in self.arrays:
                self.slot.tensor(p, self.arrays[p.name])

    def scalars(self, given):
        for p in self.program._scalars:
            if p.name in given:
                self.slot.scalar(p, given[p.name])

    def outputs(self):
        return {p.name: self.arrays[p.name].obj for p in self.program.params if p.dir != "in" and p.name in self.arrays}

    def extents(self):
        """What the shapes that came say of dynamic extents, and else that a leading one counts the devices."""
        out = {}
        for p in self.program.params:
            for i, (n, d) in enumerate(zip(p.shape, self.program._dims[p.name])):
                if n < 0 and p.name in self.arrays and d.isidentifier():
                    out[d] = self.arrays[p.name].shape[i]
        devices = self.options["devices"]
        count = len(ids(devices)) if devices else self.program.devices
        for p in self.program.params:
            if p.shape and p.shape[0] < 0 and self.program._dims[p.name][0].isidentifier():
                out.setdefault(self.program._dims[p.name][0], count or 2)
        return out

    def make(self, p, shape, like):
        array = _arrays.empty(shape, p.dtype, like)
        self.made.append(array)
        return _arrays.describe(array, p.name)

    def take(self, options, command):
        idle = self.program._idle.get(self.key)
        if idle:
            try:
                return idle.pop()
            except IndexError:  # another thread has it
                pass
        slot = _Slot(self.program)
        slot.options(options)
        if command:
            slot.set("command", command)
        return slot

    def give_back(self):
        """The handle may serve again. What it points to of the caller's is told anew before it is looked at."""
        slot = self.slot
        if self.key is None or slot.uses > _USES:
            return
        if not slot.size:
            slot.size = 1 + sum(a.span()[1] - a.span()[0] for a in self.arrays.values())
        if slot.size > _LARGE:
            return
        idle = self.program._idle
        same = idle.get(self.key)
        if same is None:
            if len(idle) >= _KINDS:
                idle.clear()
            same = idle.setdefault(self.key, [])
        if len(same) < _KEEP:
            same.append(slot)


def _reports(p):
    out = []
    for i in range(_lib.lib.pld_run_report_count(p)):
        r = _lib.ReportStruct()
        _lib.lib.pld_run_report(p, i, byref(r))
        out.append(Report(_lib.text(r.check) or _lib.text(r.kind), _lib.text(r.check), None if r.rank < 0 else r.rank,
                          _lib.text(r.file), r.line or None, r.col or None, _lib.text(r.text), r.status))
    return out


def _prints(p):
    said = _lib.memory(_lib.lib.pld_run_output, p, b"prints")
    if said:
        sys.stdout.write(said.decode("utf-8", "replace"))


def _output(p, name):
    part = _lib.memory(_lib.lib.pld_run_output, p, name)
    return part and part.decode()


def _result(call, status, options):
    lib, p = _lib.lib, call.slot.p
    text = _lib.text(lib.pld_run_text(p))
    r = Result(status, text, _reports(p) if text else [], call.outputs(), [])
    r.made = call.made
    r.token = (_lib.text(lib.pld_run_token(p)) or None) if status else None
    r.steps, r.time_ps = lib.pld_run_steps(p), lib.pld_run_time_ps(p)
    r.checked = lib.pld_run_checked_count(p) > 0
    n = ctypes.c_size_t()
    names = lib.pld_run_unchecked(p, byref(n))
    r.unchecked = [names[i].decode() for i in range(n.value)]
    if options["cost"]:
        r._cost = _output(p, b"cost.json")
    if options["trace"]:
        r._trace = _output(p, b"trace.json")
    if options["timeline"]:
        svg = _output(p, b"timeline.svg")
        r._timeline = svg and Timeline(svg, _output(p, b"timeline.html") or "")
    if options["dispatches"]:
        r._dispatches = _output(p, b"dispatches.json")
    if options["diagnostics"] == "json":
        r._diagnostics = _output(p, b"reports.json")
    if options["report"]:
        r._junit = _output(p, b"junit.xml")
    return r


def _keeping(p):
    return _lib.lib.pld_run_again(p, 1)


def _start(call, strict, f=None):
    """Runs; the status. What is no verdict raises."""
    slot = call.slot
    status = slot.start(f or _lib.lib.pld_run_start)
    if call.program._prints or call.options["print"] or call.options["watch"]:
        _prints(slot.p)
    if status in (2, 70, 71):
        if any(r.check == "token" for r in _reports(slot.p)):
            raise errors.TokenError(_lib.text(_lib.lib.pld_run_why(slot.p)))
        check(status, _lib.text(_lib.lib.pld_run_why(slot.p)) or _lib.text(_lib.lib.pld_run_text(slot.p)).strip())
    return status


def run(program, given, golden, options, strict, kept=None):
    """`kept`: a dictionary that holds the handle of the program's last run in it, whose windows this one goes on with."""
    slot = kept.get("slot") if kept is not None else None
    call = _Call(program, given, golden, options, slot)
    status = _start(call, strict, _keeping if slot is not None else None)
    result = _result(call, status, options)
    if kept is not None:
        kept["slot"] = call.slot
    else:
        call.give_back()
    if strict and status:
        raise errors.BY_STATUS.get(status, errors.RunError)(result.text.rstrip("\n"), result)
    return result


def outputs(program, given, options):
    """As run(), for who wants the arrays that were made alone."""
    call = _Call(program, given, None, options)
    status = _start(call, True)
    if status:
        result = _result(call, status, options)
        raise errors.BY_STATUS.get(status, errors.RunError)(result.text.rstrip("\n"), result)
    call.give_back()
    return call.made


def _search(program, given, golden, options, wanted, jobs, f):
    call = _Call(program, given, golden, options)
    call.key = None
    slot = call.slot
    for word in wanted:
        slot.set("explore", word)
    if jobs > 1:
        slot.set("jobs", str(jobs))
    status = slot.start(f)
    text = _lib.text(_lib.lib.pld_run_text(slot.p))
    check(status, _lib.text(_lib.lib.pld_run_why(slot.p)) or text.strip())
    _prints(slot.p)
    return status, text, json.loads(_lib.text(_lib.lib.pld_explore_json(slot.p)))


def explore(program, given, golden, options, wanted, jobs):
    return Exploration(*_search(program, given, golden, options, wanted, jobs, _lib.lib.pld_explore))


def explain(program, given, golden, options, wanted):
    status, text, found = _search(program, given, golden, options, wanted, 1, _lib.lib.pld_explain)
    if status and status != 7:
        raise errors.BY_STATUS.get(status, errors.RunError)(text.rstrip("\n"), Result(status, text, [], {}, []))
    return [Row(**row) for row in found["rows"]]
