"""Programs: compiling, loading, running."""
import ctypes
import difflib
import json
import os
import warnings as _warnings
from collections import namedtuple

from . import _arrays, _lib, errors
from .result import Report, Result, Timeline

Param = namedtuple("Param", "name kind dtype dir shape")
_DIRS = ("in", "out", "inout")
_SEVERITIES = ("error", "warning", "note")


def _check(status, why):
    """Statuses that no program causes."""
    if status == 71:
        raise errors.OutOfMemory(why or "out of memory")
    if status == 70:
        raise errors.InternalError(why or "internal error")
    if status == 2:
        raise ValueError(why or "wrong arguments")


class _Handle:
    """Owns a handle of the library."""

    def __init__(self, pointer, free):
        if not pointer:
            raise errors.OutOfMemory("out of memory")
        self.p, self._free = pointer, free

    def __del__(self):
        if getattr(self, "p", None):
            self._free(self.p)
            self.p = None


def devices_text(devices):
    """A number of devices, "0-3", or ids, as -d takes them."""
    if isinstance(devices, bool):
        raise TypeError("devices is a number, a text like '0-3', or a list of ids")
    if isinstance(devices, int):
        if devices < 1:
            raise ValueError(f"devices is {devices}: at least one")
        return f"0-{devices - 1}" if devices > 1 else "0"
    return devices if isinstance(devices, str) else ",".join(str(int(d)) for d in devices)


def _diagnostics(unit):
    out = []
    for i in range(_lib.lib.pld_unit_diag_count(unit.p)):
        d = _lib.Diag()
        _lib.lib.pld_unit_diag(unit.p, i, ctypes.byref(d))
        one = errors.Diagnostic(_SEVERITIES[d.severity], _lib.text(d.code), _lib.text(d.file), d.line, d.col, d.end_line,
                                d.end_col, _lib.text(d.message))
        if 0 <= d.parent < len(out):
            out[d.parent].notes.append(one)
        out.append(one)
    return [d for d in out if d.severity != "note"]


class Program:
    """A compiled program. Immutable; run it from any number of threads."""

    def __init__(self, handle, devices, unit=None, diagnostics=()):
        self._h, self._unit, self._devices = handle, unit, devices
        self.diagnostics = list(diagnostics)
        facts = json.loads(_lib.text(_lib.lib.pld_program_json(handle.p)))
        self.name, self.entry, self.platform = facts.get("name"), facts.get("entry"), facts.get("platform")
        self.devices, self.functions, self.extents = facts.get("devices"), facts.get("functions"), facts.get("extents")
        self.params = _Params(self._read_params())

    def _read_params(self):
        for i in range(_lib.lib.pld_program_param_count(self._h.p)):
            p = _lib.Param()
            _lib.lib.pld_program_param(self._h.p, i, ctypes.byref(p))
            yield Param(_lib.text(p.name), "scalar" if p.kind else "tensor", _lib.DTYPES[p.dtype], _DIRS[p.dir],
                        tuple(p.dims[:p.rank]))

    @property
    def hash(self):
        """Of the code without its places; what replay tokens hold."""
        return _lib.lib.pld_program_hash(self._h.p)

    def dump(self, pass_):
        """The program after a pass ("lower_composite_ops"); compile it with dump_passes=True."""
        text = self._unit and _lib.memory(_lib.lib.pld_unit_dump, self._unit.p, pass_.encode())
        if text is None:
            raise ValueError(f"no dump of {pass_!r}: compile with dump_passes=True, and see `pldc --list-passes`")
        return text.decode()

    def diff(self, other, pass_="lower_composite_ops"):
        """What differs between two programs after a pass, as `diff -u` prints it."""
        lines = difflib.unified_diff(self.dump(pass_).splitlines(True), other.dump(pass_).splitlines(True), self.name, other.name)
        return "".join(lines)

    def disassemble(self):
        return _lib.text(_lib.lib.pld_program_disassemble(self._h.p))

    def __bytes__(self):
        return _lib.memory(_lib.lib.pld_program_encode, self._h.p)

    def save(self, path):
        """Writes the .pldb."""
        with open(path, "wb") as f:
            f.write(bytes(self))

    def __eq__(self, other):
        return isinstance(other, Program) and bytes(self) == bytes(other)

    def __hash__(self):
        return hash(bytes(self))

    def __repr__(self):
        return f"Program({self.name!r}, {', '.join(p.name for p in self.params)})"

    def __reduce__(self):
        return _from_bytes, (bytes(self), self._devices)

    def _repr_html_(self):
        rows = "".join(f"<tr><td>{p.name}</td><td>{p.dir}</td><td>{p.dtype}</td><td>{list(p.shape)}</td></tr>" for p in self.params)
        return f"<b>{self.name}</b>, {self.platform}<table><tr><th>parameter<th>direction<th>dtype<th>shape</tr>{rows}</table>"

    def __call__(self, *arrays, **by_name):
        """run(), but for the outputs alone: one array, or a tuple in the order of the parameters; None in place."""
        outputs = self.run(*arrays, **by_name).made
        return None if not outputs else outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _place(self, arrays, by_name):
        """The arguments by parameter. TypeError as for a Python function."""
        given, names = {}, [p.name for p in self.params]
        inputs = [p for p in self.params if p.dir != "out"]
        order = self.params if len(arrays) > len(inputs) else inputs if len(arrays) < len(self.params) else self.params
        if len(arrays) > len(self.params):
            raise TypeError(f"{self.name} takes {len(self.params)} arguments ({', '.join(names)}), got {len(arrays)}")
        for p, a in zip(order, arrays):
            given[p.name] = a
        for name, a in by_name.items():
            if name not in names:
                raise TypeError(f"{self.name} has no parameter {name}; it has {', '.join(names)}")
            if name in given:
                raise TypeError(f"{self.name}: {name} is given twice")
            given[name] = a
        return given

    def run(self, *arrays, out=None, golden=None, check="all", mem="sc", schedule="clock", seed=0, max_steps=None,
            timeout=None, rtol=None, atol=None, cost=False, trace=False, timeline=False, platform_set=None, devices=None,
            strict=True, **by_name):
        """Runs the program; a Result.

        Arrays by position or name. Outputs that are given are written in place; those left out are made, zeroed, in
        the flavour of the first array. Inputs left out come from the file's @pld.init functions. `golden` maps
        names to arrays. A failure raises, or with strict=False is what the Result says.
        """
        run = _Run(self, _Handle(_lib.lib.pld_run_new(self._h.p), _lib.lib.pld_run_free))
        options = {"devices": devices_text(devices) if devices is not None else self._devices, "check": check, "mem": mem,
                   "schedule": schedule, "seed": seed, "max-steps": max_steps, "time-limit": timeout, "rtol": rtol,
                   "atol": atol}
        for name, value in options.items():
            if value is not None:
                run.set(name, value if isinstance(value, str) else repr(value))
        for name, value in (platform_set or {}).items():
            run.set("platform-set", f"{name}={value}")
        for name, wanted in (("cost", cost), ("trace", trace), ("timeline", timeline)):
            if wanted:
                run.set(name, "")
        given = self._place(arrays, by_name)
        if isinstance(out, dict):
            given.update(out)
        run.arguments(given)
        for name, array in (golden or {}).items():
            run.golden(name, array)
        return run.finish(strict)


class _Params(list):
    """Parameters by position, or by name."""

    def __getitem__(self, key):
        if isinstance(key, str):
            found = [p for p in self if p.name == key]
            if not found:
                raise KeyError(f"no parameter {key}; there are {', '.join(p.name for p in self)}")
            return found[0]
        return super().__getitem__(key)


class _Run:
    """One run under way."""

    def __init__(self, program, handle):
        self.program, self.h = program, handle
        self.keep, self.outputs, self.made = [], {}, []
        self.raised = None

    def call(self, f, *args):
        _check(f(self.h.p, *args), _lib.text(_lib.lib.pld_run_why(self.h.p)))

    def set(self, name, value):
        self.call(_lib.lib.pld_run_set, name.encode(), value.encode())

    def struct(self, array, dtype):
        n = len(array.shape)
        shape, strides = (ctypes.c_int64 * n)(*array.shape), (ctypes.c_int64 * n)(*array.strides)
        self.keep += [shape, strides, array]
        return _lib.Tensor(dtype=_lib.DTYPES.index(dtype), rank=n, shape=shape, strides=strides, data=array.address)

    def arguments(self, given):
        described, like = {}, None
        for p in self.program.params:
            if p.kind == "tensor" and p.name in given:
                described[p.name] = _arrays.fit(_arrays.describe(given[p.name], p.name), p)
                like = like or described[p.name]
        for p in self.program.params:
            if p.kind == "scalar":
                self.scalar(p, given)
            elif p.name not in described and p.dir == "out":
                described[p.name] = self.make(p, described, like)
        _arrays.check_overlap([described.get(p.name) for p in self.program.params], self.program.params)
        for p in self.program.params:
            if p.name in described:
                self.call(_lib.lib.pld_run_tensor, p.name.encode(), ctypes.byref(self.struct(described[p.name], p.dtype)))
                if p.dir != "in":
                    self.outputs[p.name] = described[p.name].obj

    def make(self, p, described, like):
        shape = list(p.shape)
        for i, n in enumerate(shape):
            if n < 0:
                raise ValueError(f"{p.name}: extent {i} is known only when the program runs: give the array")
        array = _arrays.empty(shape, p.dtype, like)
        self.made.append(array)
        return _arrays.describe(array, p.name)

    def scalar(self, p, given):
        if p.name not in given:
            return
        v = given[p.name]
        v = v.value if hasattr(v, "value") and not hasattr(v, "dtype") else v.item() if hasattr(v, "item") else v
        if isinstance(v, float) and p.dtype not in ("FP32", "FP16", "BF16"):
            raise TypeError(f"{p.name} is {p.dtype}: got a float")
        if not isinstance(v, (int, float)):
            raise TypeError(f"{p.name} is a scalar of {p.dtype}: got {type(v).__name__}")
        v = float(v) if p.dtype in ("FP32", "FP16", "BF16") else int(v)
        self.call(_lib.lib.pld_run_scalar, p.name.encode(), ctypes.byref(_lib.plain(v)))

    def golden(self, name, array):
        p = self.program.params[name]
        array = _arrays.fit(_arrays.describe(array, name), p._replace(dir="in"))
        self.call(_lib.lib.pld_run_golden, name.encode(), ctypes.byref(self.struct(array, p.dtype)))

    def progress(self, user, steps, time_ps):
        """Called now and then, so that Python sees its signals; what they raise ends the run."""
        return 1 if self.raised else 0

    def start(self):
        def progress(user, steps, time_ps):
            try:
                return self.progress(user, steps, time_ps)
            except BaseException as e:
                self.raised = e
                return 1
        callback = _lib.Progress(progress)
        self.keep.append(callback)
        self.call(_lib.lib.pld_run_progress, callback, None)
        try:
            return _lib.lib.pld_run_start(self.h.p)
        except KeyboardInterrupt as e:  # between the call's end and ours
            self.raised = e
            return 9

    def finish(self, strict):
        status = self.start()
        if self.raised:
            raise self.raised
        if status == 9:
            raise KeyboardInterrupt
        result = self.result(status)
        _check(status, _lib.text(_lib.lib.pld_run_why(self.h.p)) or result.text.strip())
        if strict and status:
            raise errors.BY_STATUS.get(status, errors.RunError)(result.text.rstrip("\n"), result)
        return result

    def result(self, status):
        lib, p = _lib.lib, self.h.p
        result = Result(status, _lib.text(lib.pld_run_text(p)), self.reports(), self.outputs, [])
        result.made = self.made
        result.token = _lib.text(lib.pld_run_token(p)) or None
        result.steps, result.time_ps = lib.pld_run_steps(p), lib.pld_run_time_ps(p)
        result.checked = lib.pld_run_checked_count(p) > 0
        part = {n: _lib.memory(lib.pld_run_output, p, n.encode()) for n in ("cost.json", "trace.json", "timeline.svg", "timeline.html")}
        result._cost = part["cost.json"] and part["cost.json"].decode()
        result._trace = part["trace.json"] and part["trace.json"].decode()
        if part["timeline.svg"]:
            result._timeline = Timeline(part["timeline.svg"].decode(), (part["timeline.html"] or b"").decode())
        return result

    def reports(self):
        out = []
        for i in range(_lib.lib.pld_run_report_count(self.h.p)):
            r = _lib.ReportStruct()
            _lib.lib.pld_run_report(self.h.p, i, ctypes.byref(r))
            out.append(Report(_lib.text(r.check) or _lib.text(r.kind), _lib.text(r.check), None if r.rank < 0 else r.rank,
                              _lib.text(r.file), r.line or None, r.col or None, _lib.text(r.text), r.status))
        return out


def _from_bytes(data, devices=None):
    pointer, why = ctypes.c_void_p(), ctypes.create_string_buffer(400)
    status = _lib.lib.pld_program_decode(data, len(data), ctypes.byref(pointer), why, len(why))
    _check(status, why.value.decode("utf-8", "replace"))
    return Program(_Handle(pointer.value, _lib.lib.pld_program_free), devices)


def _define(value):
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"a define is a number, a bool or a text, got {type(value).__name__}")


def compile(source, *, devices=None, defines=None, platform=None, program=None, entry=None, warnings=(), dump_passes=False, filename="<string>"):
    """Compiles a file (.pld, .ir, .py) or a text with a newline in it, which messages call `filename`; a Program.
    CompileError when it does not."""
    unit = _Handle(_lib.lib.pld_unit_new(), _lib.lib.pld_unit_free)

    def call(f, *args):
        _check(f(unit.p, *args), _lib.text(_lib.lib.pld_unit_why(unit.p)))

    given = None if devices is None else devices_text(devices)
    for name, value in (("devices", given), ("platform", platform), ("program", program), ("entry", entry)):
        if value is not None:
            call(_lib.lib.pld_unit_set, name.encode(), value.encode())
    for name, value in (defines or {}).items():
        call(_lib.lib.pld_unit_set, b"define", f"{name}={_define(value)}".encode())
    for name in warnings:
        call(_lib.lib.pld_unit_set, b"W", name.encode())
    if dump_passes:
        call(_lib.lib.pld_unit_keep, b"all")
    source = os.fspath(source)
    if "\n" in source:
        text = source.encode()
        call(_lib.lib.pld_unit_text, filename.encode(), text, len(text), _lib.BY_NAME, None)
    else:
        if not os.path.exists(source):
            raise FileNotFoundError(f"{source}: no such file")
        call(_lib.lib.pld_unit_file, source.encode(), _lib.BY_NAME)
    pointer = ctypes.c_void_p()
    status = _lib.lib.pld_unit_compile(unit.p, _lib.NO_DEF, ctypes.byref(pointer))
    text = _lib.text(_lib.lib.pld_unit_diags_text(unit.p, 0))
    found = _diagnostics(unit)
    if status == 8:
        raise errors.compile_error(text.rstrip("\n"), found)
    _check(status, _lib.text(_lib.lib.pld_unit_why(unit.p)) or text)
    for d in found:
        if d.severity == "warning":
            _warnings.warn_explicit(d.message, errors.CompileWarning, d.file or source, d.line or 1)
    return Program(_Handle(pointer.value, _lib.lib.pld_program_free), given, unit, found)


def load(source, *, devices=None):
    """A Program from a .pldb: its path, or its bytes."""
    if not isinstance(source, (bytes, bytearray)):
        with open(source, "rb") as f:
            source = f.read()
    return _from_bytes(bytes(source), None if devices is None else devices_text(devices))


def loads(text, filename="<string>"):
    """Compiles a text, which messages call `filename`."""
    return compile(text if "\n" in text else text + "\n", filename=filename)
