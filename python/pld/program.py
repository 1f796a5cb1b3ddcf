"""Programs: compiling, loading, running."""
import ctypes
import difflib
import functools
import json
import os
import shlex
import warnings as _warnings
from collections import namedtuple

from . import _arrays, _cost, _lib, _run, errors

Param = namedtuple("Param", "name kind dtype dir shape")
Spec = namedtuple("Spec", "shape dtype")
Spec.__doc__ = """Shape and dtype ("FP32", or NumPy's) of an array that is not there yet."""
_DIRS = ("in", "out", "inout")
_SEVERITIES = ("error", "warning", "note")


_check = _run.check


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

    def __init__(self, handle, devices, unit=None, diagnostics=(), cost=None):
        self._h, self._unit, self._devices, self._cost = handle, unit, devices, cost
        self._idle = {}  # runs that wait for their next call, by options and names of arguments
        self._source = None  # words of a command line that name the program; None: it came from no file
        self._again = None  # makes the compilation once more, for its dumps; None: there was none, or it had arguments
        self.diagnostics = list(diagnostics)
        facts = json.loads(_lib.text(_lib.lib.pld_program_json(handle.p)))
        self.name, self.entry, self.platform = facts.get("name"), facts.get("entry"), facts.get("platform")
        self.devices, self.functions, self.extents = facts.get("devices"), facts.get("functions"), facts.get("extents")
        self._prints = facts.get("prints", True)
        self.sub_workers = [f["name"] for f in self.functions if f.get("subworker")]
        self._dims = {}  # of a parameter: texts of its extents
        self.params = _Params(self._read_params())
        self._scalars = [p for p in self.params if p.kind == "scalar"]
        self._n_tensors = len(self.params) - len(self._scalars)
        self._plain = _run.Options(devices)

    def _read_params(self):
        for i in range(_lib.lib.pld_program_param_count(self._h.p)):
            p = _lib.Param()
            _lib.lib.pld_program_param(self._h.p, i, ctypes.byref(p))
            self._dims[_lib.text(p.name)] = _lib.text(p.dims_text).strip("[]").split(", ")
            yield Param(_lib.text(p.name), "scalar" if p.kind else "tensor", _lib.DTYPES[p.dtype], _DIRS[p.dir],
                        tuple(p.dims[:p.rank]))

    @property
    def hash(self):
        """Of the code without its places; what replay tokens hold."""
        return _lib.lib.pld_program_hash(self._h.p)

    def _dumped(self):
        """The compilation that has the dumps; None: there is none. One that has not kept them is made once more."""
        if self._unit is None and self._again is not None:
            unit, made = self._again(), ctypes.c_void_p()
            unit.call(_lib.lib.pld_unit_keep, b"all")
            status = _lib.lib.pld_unit_compile(unit.h.p, _lib.NO_DEF, ctypes.byref(made))
            if status or Program(_Handle(made.value, _lib.lib.pld_program_free), self._devices).hash != self.hash:
                raise ValueError(f"{self.name} is not what it was when it was compiled: compile it with dump_passes=True")
            self._unit = unit.h
        return self._unit

    def dump(self, pass_):
        """The program after a pass ("lower_composite_ops"). With dump_passes=True the dumps are those of the compilation, else
        a file or a text is compiled once more; what came from bytes, or was compiled for arguments, has none."""
        unit = self._dumped()
        text = unit and _lib.memory(_lib.lib.pld_unit_dump, unit.p, pass_.encode())
        if text is None:
            raise ValueError(f"no dump of {pass_!r}: compile with dump_passes=True, and see `pldc --list-passes`")
        return text.decode()

    def dumps(self):
        """Every dump by its pass."""
        self.dump("parsed")
        return {p["name"]: self.dump(p["name"]) for p in passes()}

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
        functions = "".join(f"<tr><td>{f['name']}</td><td>{f['kind']}</td></tr>" for f in self.functions)
        rows = "".join(f"<tr><td>{p.name}</td><td>{p.dir}</td><td>{p.dtype}</td><td>{list(p.shape)}</td></tr>" for p in self.params)
        return f"<b>{self.name}</b>, {self.platform}<table><tr><th>parameter<th>direction<th>dtype<th>shape</tr>{rows}</table>" \
               f"<table><tr><th>function<th>level</tr>{functions}</table>"

    def __call__(self, *arrays, **by_name):
        """run(), but for the outputs alone: one array, or a tuple in the order of the parameters; None in place."""
        if by_name:
            outputs = self.run(*arrays, **by_name).made
        else:
            outputs = _run.outputs(self, _run.place(self, arrays, by_name), self._plain)
        return None if not outputs else outputs[0] if len(outputs) == 1 else tuple(outputs)

    def run(self, *arrays, out=None, golden=None, strict=True, **named):
        """Runs the program; a Result.

        Arrays by position or name. Outputs that are given are written in place; those left out are made, zeroed, in
        the flavour of the first array. Inputs left out come from the file's @pld.init functions. `golden` maps
        names to arrays. A failure raises, or with strict=False is what the Result says.

        Options: check="all", mem="sc" (weak=True: "weak"), schedule="clock", seed=0, max_steps=None, time_limit=None, rtol=None, atol=None,
        cost=False, trace=False, timeline=False, dispatches=False, platform_set=None, devices=None, max_memory=None ("512M"), jobs=None;
        print=["y[0]"], watch=["w[1][0]"]: shown on standard output, as what the program prints, which no_print=True leaves out;
        callbacks={"check": f}: functions for the sub-workers of the host program (.sub_workers), called in this thread with
        arrays, in the flavour of the first one, and then numbers; quiet=True: no notes; diagnostics="json", report="junit": recorded in the Result.
        """
        by_name, options = self._split(named)
        given = _run.place(self, arrays, by_name)
        if isinstance(out, dict):
            given.update(out)
        return _run.run(self, given, golden, options, strict)

    def _split(self, named):
        """Arguments and options: a parameter that is called like an option is given by position."""
        if not named:
            return {}, self._plain
        options, given = _run.Options(self._devices), {}
        for name, value in named.items():
            if name == "weak":
                name, value = ("mem", "weak") if value else ("mem", options["mem"])
            name = "time_limit" if name == "timeout" else name
            _run.check_flag(name, value)
            if name in options:
                options[name] = value
            else:
                given[name] = value
        if options["devices"] is None:
            options["devices"] = self._devices
        elif not isinstance(options["devices"], str):
            options["devices"] = devices_text(options["devices"])
        return given, options

    def command(self, options):
        """The command line of pldrun for a run without arrays; "" where there is none. Tokens hold the rest."""
        if self._source is None or options["callbacks"]:
            return ""
        words = ["pldrun", *self._source]
        if options["devices"]:
            words += ["-d", options["devices"]]
        for name in ("seed", "max_steps", "rtol", "atol"):
            if options[name]:
                words.append(f"--{name.replace('_', '-')}={options[name]}")
        words += [f"--platform-set={field}={n}" for field, n in (options["platform_set"] or {}).items()]
        return shlex.join(words)

    def replay(self, token, *arrays, **named):
        """The run of a token: what failed fails again."""
        return self.run(*arrays, schedule=token, **named)

    def explore(self, *arrays, out=None, golden=None, strict=False, bound=200000, outcomes=False, search=False, jobs=1, **named):
        """Every interleaving, up to `bound` executions; an Exploration, which is true when all were seen and none failed.

        Outputs are not written. `outcomes` collects the different final ones, `search` looks at all interleavings even
        where one run decides; with strict=True a failure raises.
        """
        by_name, options = self._split(named)
        wanted = [str(bound)] + ["outcomes"] * bool(outcomes) + ["search"] * bool(search)
        found = _run.explore(self, {**_run.place(self, arrays, by_name), **(out or {})}, golden, options, wanted, jobs)
        if strict and found.failures:
            raise errors.BY_STATUS.get(found.status, errors.RunError)(found.text.rstrip("\n"), found)
        return found

    def explain_sync(self, *arrays, bound=None, golden=None, **named):
        """Tries the program without each of its fences and signals; a list of rows: text, verdict, needed, runs."""
        by_name, options = self._split(named)
        return _run.explain(self, _run.place(self, arrays, by_name), golden, options, [str(bound)] if bound else [])

    def cost(self):
        """The closed forms of the collectives that the program calls, a dictionary each: place, call, function, sizes,
        forms and values by name."""
        return _cost.forms(self._cost)


class _Params(list):
    """Parameters by position, or by name."""

    def __getitem__(self, key):
        if isinstance(key, str):
            found = [p for p in self if p.name == key]
            if not found:
                raise KeyError(f"no parameter {key}; there are {', '.join(p.name for p in self)}")
            return found[0]
        return super().__getitem__(key)


def _from_bytes(data, devices=None):
    pointer, why = ctypes.c_void_p(), ctypes.create_string_buffer(400)
    status = _lib.lib.pld_program_decode(data, len(data), ctypes.byref(pointer), why, len(why))
    _check(status, why.value.decode("utf-8", "replace"))
    return Program(_Handle(pointer.value, _lib.lib.pld_program_free), devices)


def _define(value):
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"a define is a number, a bool or a text, got {type(value).__name__}")


class _Unit:
    """A compilation in the making."""

    def __init__(self, source, kind, filename):
        self.h = _Handle(_lib.lib.pld_unit_new(), _lib.lib.pld_unit_free)
        source = os.fspath(source)
        if "\n" in source:
            text = source.encode()
            self.call(_lib.lib.pld_unit_text, filename.encode(), text, len(text), kind, None)
        else:
            if not os.path.exists(source):
                raise FileNotFoundError(f"{source}: no such file")
            self.call(_lib.lib.pld_unit_file, source.encode(), kind)
        self.source = source

    def call(self, f, *args):
        _check(f(self.h.p, *args), _lib.text(_lib.lib.pld_unit_why(self.h.p)))

    def set(self, name, value=""):
        self.call(_lib.lib.pld_unit_set, name.encode(), value.encode())

    def checked(self, status):
        """What is left to say after a status; CompileError when it was one. Warnings are warned of."""
        text, found = _lib.text(_lib.lib.pld_unit_diags_text(self.h.p, 0)), _diagnostics(self.h)
        if status == 8:
            raise errors.compile_error(text.rstrip("\n"), found)
        _check(status, _lib.text(_lib.lib.pld_unit_why(self.h.p)) or text)
        for d in found:
            if d.severity == "warning":
                _warnings.warn_explicit(d.message, errors.CompileWarning, d.file or self.source, d.line or 1)
        return found

    def compile(self):
        pointer = ctypes.c_void_p()
        return self.checked(_lib.lib.pld_unit_compile(self.h.p, _lib.NO_DEF, ctypes.byref(pointer))), pointer.value


def _argument(name, x):
    """The type of an example array or Spec, or a number to compile for."""
    if isinstance(x, (bool, int, float, str)):
        return _lib.plain(x)
    if isinstance(x, Spec):
        dtype = str(x.dtype) if str(x.dtype) in _lib.DTYPES else _arrays.OF_NUMPY.get(_arrays.dtype_name(x.dtype))
        shape = x.shape
    else:
        array = _arrays.describe(x, name)
        dtype, shape = _arrays.OF_NUMPY.get(array.dtype), array.shape
    if dtype is None:
        raise TypeError(f"{name}: no dtype of a program: {x!r}")
    return _lib.tensor_type(dtype, shape)


def _kind(script):
    return _lib.BY_NAME if script is None else _lib.SCRIPT if script else _lib.STRICT


def _prepared(source, script, filename, devices, platform, program, entry, defines, warnings, args):
    """A compilation with its settings."""
    unit = _Unit(source, _kind(script), filename)
    given = None if devices is None else devices_text(devices)
    for name, value in (("devices", given), ("platform", platform), ("program", program), ("entry", entry)):
        if value is not None:
            unit.set(name, value)
    for name, value in (defines or {}).items():
        unit.set("define", f"{name}={_define(value)}")
    for name in warnings:
        unit.set("W", name)
    pairs = args.items() if isinstance(args, dict) else ((f"#{i}", a) for i, a in enumerate(args or ()) if a is not None)
    for name, a in pairs:
        unit.call(_lib.lib.pld_unit_argument, name.encode(), ctypes.byref(_argument(name, a)))
    return unit, given


def compile(source, *, devices=None, defines=None, platform=None, program=None, entry=None, args=None, script=None,
            warnings=(), dump_passes=False, filename="<string>"):
    """Compiles a file (.pld, .ir, .py), a text with a newline in it, which messages call `filename`, or a function or
    class that is decorated with pl; a Program. CompileError when it does not.

    `args`: example arrays or Specs, by position or a dictionary, for parameters that are annotated pl.Tensor alone;
    numbers are compiled for. `script`: how to read the source, None: by its name. `warnings`: names of -W.
    """
    if not isinstance(source, (str, os.PathLike)):
        for name, value in (("defines", defines), ("program", program), ("entry", entry), ("script", script), ("warnings", warnings)):
            if value:
                raise TypeError(f"{name}= is for files and texts: the names in a decorated function mean what they mean in Python")
        return _decorated(source, devices, platform, args, dump_passes)
    prepared = functools.partial(_prepared, source, script, filename, devices, platform, program, entry, defines, warnings, args)
    unit, given = prepared()
    unit.set("cost")
    if dump_passes:
        unit.call(_lib.lib.pld_unit_keep, b"all")
    found, pointer = unit.compile()
    cost = _lib.memory(_lib.lib.pld_unit_dump, unit.h.p, b"cost")
    made = Program(_Handle(pointer, _lib.lib.pld_program_free), given, unit.h if dump_passes else None, found,
                   cost and cost.decode())
    if not args:
        made._again = lambda: prepared()[0]
    if "\n" not in unit.source and not unit.source.endswith(".py") and script is None and not args:
        said = (("-p", platform), ("--program", program), ("--entry", entry))
        made._source = [unit.source, *(w for name, value in said if value is not None for w in (name, value)),
                        *(w for name, value in (defines or {}).items() for w in ("-D", f"{name}={_define(value)}"))]
    return made


def _decorated(source, devices, platform, args, dump_passes):
    """The Program of a function or class that is decorated with pl."""
    from .compat import ir, jit, runtime
    if not isinstance(source, (ir.Program, jit.Decorated)):
        raise TypeError(f"compile takes a path, a text, or what is decorated with pl, got {type(source).__name__}")
    from .compat.config import DistributedConfig, RunConfig
    config = RunConfig(platform=platform or "a2a3sim", codegen_only=True, dump_passes=dump_passes,
                       distributed_config=devices and DistributedConfig(device_ids=_run.ids(devices_text(devices))))
    return runtime.run(source, *(args or ()), config=config)._program


class Parsed(str):
    """A program that was read and judged, not compiled: its text, which compiles again, and .diagnostics, the warnings."""

    diagnostics = ()


def parse(source, *, devices=None, defines=None, platform=None, program=None, entry=None, args=None, script=None, warnings=(),
          filename="<string>"):
    """compile() without code: reads a source, finds its names and types; the program as Parsed, a text that compiles
    again. CompileError when it has mistakes."""
    unit, _ = _prepared(source, script, filename, devices, platform, program, entry, defines, warnings, args)
    unit.call(_lib.lib.pld_unit_keep, b"parsed")
    unit.set("stop-after", "specialize")
    found, _ = unit.compile()
    made = Parsed(_lib.memory(_lib.lib.pld_unit_dump, unit.h.p, b"parsed").decode())
    made.diagnostics = found
    return made


def skeleton(source, *, script=None, filename="<string>"):
    """A whole program around kernels that have no host function, as text."""
    unit, text = _Unit(source, _kind(script), filename), ctypes.c_char_p()
    unit.checked(_lib.lib.pld_unit_skeleton(unit.h.p, ctypes.byref(text)))
    return _lib.text(text.value)


def load(source, *, devices=None):
    """A Program from a .pldb: its path, or its bytes."""
    path = None if isinstance(source, (bytes, bytearray)) else os.fspath(source)
    if path is not None:
        with open(path, "rb") as f:
            source = f.read()
    made = _from_bytes(bytes(source), None if devices is None else devices_text(devices))
    made._source = path and [path]
    return made


def loads(text, filename="<string>"):
    """Compiles a text, which messages call `filename`."""
    return compile(text if "\n" in text else text + "\n", filename=filename)


def _table(call):
    text = _lib.text(call())
    if text is None:
        raise errors.OutOfMemory("out of memory")
    return json.loads(text)


def ops():
    """The operations of the language, a dictionary each: name, short, doc, levels, operands."""
    return _table(_lib.lib.pld_ops_json)


def platforms():
    """The simulated platforms: name, fields."""
    return _table(_lib.lib.pld_platforms_json)


def passes():
    """The passes in their order: name, file, doc."""
    return _table(_lib.lib.pld_passes_json)
