"""Compiled programs as scripts have them: called with arrays, with a folder that is made when someone asks."""
import datetime
import json
import os
import pathlib

from .. import _arrays
from . import launch, options as _options
from .config import RunConfig, simulated


def _copied(value, p):
    """An argument as a NumPy array of its own; numbers and inputs as they are."""
    if p.kind == "scalar" or p.dir == "in":
        return value
    return _arrays.view(value, p.name).copy()


def _fit(arguments, names, params):
    """Do they go to parameters of these names? No array stands for a number."""
    numbers = [n not in params or params[n].kind == "scalar" for n in names]
    return len(arguments) == len(names) and not any(
        number and _arrays.is_array(a) and getattr(a, "ndim", 1) for a, number in zip(arguments, numbers))


def _in_order(f, order):
    """A sub-worker's function for arguments as the library passes them."""
    return f if order is None else lambda *args: f(*[args[i] for i in order])


class CompiledProgram:
    """A program for arguments of one kind. Calling it runs it, in place or returning the outputs left out."""

    def __init__(self, program, name, parameters, options, source, returns, output_dir=None, profiling=False, dump_passes=False):
        self._program, self._name, self._options, self._source = program, name, options, source
        self._parameters = list(parameters)  # as the definition has them, compile-time scalars included
        self._returns = returns  # parameters that the entry returns, in order
        self._output_dir, self._asked = None, output_dir
        self._profiling, self._dump_passes = profiling, dump_passes
        self.last_time_ps = None  # modelled, of the last call
        if output_dir is not None:
            self.output_dir  # noqa: B018  it was asked for: it is made

    # ---- calls

    def __call__(self, *arrays, config=None, **by_name):
        if config is not None:
            self._check_platform(config)
        return self.launch(self._place(arrays, by_name), config)

    def _check_platform(self, config):
        if not isinstance(config, RunConfig):
            raise TypeError(f"config is a RunConfig, got {type(config).__name__}")
        if simulated(config.platform) != self._options.platform:
            raise ValueError(f"{self._name} was compiled for {self._options.platform}, the call says {config.platform}")

    def _place(self, arrays, by_name):
        names = self._parameters
        runtime = {p.name: p for p in self._program.params}
        known = [n for n in names if n in runtime]
        if not any(_fit(arrays, some, runtime) for some in (names, [n for n in names if n not in self.output_names])):
            names = known
        outs = [n for n in self.output_names if n in names and n not in by_name]
        if len(arrays) <= len(names) - len(outs) and outs and self._returns:
            names = [n for n in names if n not in outs]
        if len(arrays) > len(names):
            raise TypeError(f"{self._name} takes {len(names)} arguments ({', '.join(names)}), got {len(arrays)}")
        given = dict(zip(names, arrays))
        for n, v in by_name.items():
            if n not in self._parameters:
                raise TypeError(f"{self._name} takes no {n}; it takes {', '.join(self._parameters)}")
            if n in given:
                raise TypeError(f"{self._name}: {n} is given twice")
            given[n] = v
        return given

    def callbacks(self, given=None):
        """What is called for each sub-worker: what is given, else its body. ValueError for one without either."""
        given = given or {}
        bodies = getattr(self._program, "bodies", None) or dict.fromkeys(self._program.sub_workers)
        unknown = [n for n in given if n not in bodies]
        if unknown:
            raise ValueError(f"{self._name} has no sub-worker {', '.join(unknown)}; it has {', '.join(bodies) or 'none'}")
        missing = [n for n, body in bodies.items() if body is None and n not in given]
        if missing:
            raise ValueError(f"the body of sub-worker {', '.join(missing)} is left open: give it to prepare(callbacks={{...}})")
        orders = getattr(self._program, "orders", {})
        return {n: _in_order(f, orders.get(n)) for n, f in {**bodies, **given}.items()}

    def launch(self, given, config=None, callbacks=None, kept=None):
        """Runs with arguments by name."""
        params = {p.name: p for p in self._program.params}
        given = {n: v for n, v in given.items() if n in params}  # others are constants of the compilation
        missing = [n for n, p in params.items() if n not in given and (p.dir != "out" or not self._returns)]
        if missing:
            raise TypeError(f"{self._name} is called without {', '.join(missing)}")
        made = [n for n in params if n not in given]
        devices = config.devices if config is not None else self._options.devices
        callbacks = self.callbacks(callbacks) if self._program.sub_workers else None
        result = launch.run(self._program, given, devices, self._wants(config), callbacks, kept)
        self.last_time_ps = result.time_ps
        self._files(result, config)
        if not made:
            return None
        returned = [result.outputs[n] for n in (self._returns or made) if n in made]
        return returned[0] if len(returned) == 1 else tuple(returned)

    @staticmethod
    def _wants(config):
        if config is None:
            return {}
        lane = bool(config.enable_chip_swimlane)
        return {"trace": lane, "timeline": lane, "cost": bool(config.enable_pmu) or config.enable_scope_stats,
                "dispatches": bool(config.enable_dep_gen)}

    def _files(self, result, config):
        wants = self._wants(config)
        if config is not None and (config.save_kernels or config.save_kernels_dir or config.compile_profiling):
            self._asked = self._asked or config.save_kernels_dir
            filled = self._output_dir is None or self._profiling or not config.compile_profiling
            self._profiling = self._profiling or config.compile_profiling
            folder = self.output_dir
            if not filled:
                self._fill(folder)
        if not any(wants.values()):
            return
        folder = self.output_dir / "dfx_outputs"
        folder.mkdir(exist_ok=True)
        if wants["trace"]:
            (folder / "trace.json").write_text(json.dumps(result.trace))
            result.timeline.save(folder / "timeline.svg")
        if wants["dispatches"]:
            (folder / "dispatches.json").write_text(json.dumps({"dispatches": result.dispatches}, indent=1))
        if wants["cost"]:
            (folder / "cost.json").write_text(json.dumps(result.cost))

    # ---- what it is

    @property
    def program(self):
        """The ir.Program after the passes."""
        return self._source

    @property
    def platform(self):
        return self._options.platform

    @property
    def param_names(self):
        return list(self._parameters)

    @property
    def output_names(self):
        return [p.name for p in self._program.params if p.dir == "out"]

    @property
    def output_indices(self):
        return [self._parameters.index(p.name) for p in self._program.params if p.dir != "in" and p.name in self._parameters]

    @property
    def has_return(self):
        return bool(self._returns)

    @property
    def orchestration_names(self):
        return [f["name"] for f in self._program.functions if f["kind"] == "orchestration"]

    def __getitem__(self, name):
        if name in (self._name, *self.orchestration_names):
            return self
        raise KeyError(f"{self._name} has no orchestration function {name}; there are {', '.join(self.orchestration_names)}")

    def __getattr__(self, name):
        if not name.startswith("_") and name in self.orchestration_names:
            return self
        raise AttributeError(f"{type(self).__name__} has no {name!r}")

    def __repr__(self):
        return f"{type(self).__name__}({self._name!r}, {', '.join(self._parameters)})"

    # ---- its folder

    @property
    def output_dir(self):
        """The folder with its files; made when first asked for."""
        if self._output_dir is None:
            self._output_dir = self._make_folder()
            self._fill(self._output_dir)
        return self._output_dir

    def _make_folder(self):
        if self._asked is not None:
            folder = pathlib.Path(self._asked)
            folder.mkdir(parents=True, exist_ok=True)
            return folder
        root = pathlib.Path(os.environ.get("PYPTO_PROG_BUILD_DIR", "build_output"))
        stem = f"{self._name}_{datetime.datetime.now():%Y%m%d_%H%M%S}"
        for n in range(1, 10000):
            folder = root / (stem if n == 1 else f"{stem}_{n}")
            try:
                folder.mkdir(parents=True)
                return folder
            except FileExistsError:
                continue
        raise FileExistsError(f"{root / stem}: there are too many of these")

    def _fill(self, folder):
        self._program.save(folder / "program.pldb")
        (folder / "program.ir").write_text(self._source.as_parsed())
        if self._dump_passes:
            passes = folder / "passes_dump"
            passes.mkdir(exist_ok=True)
            for name, text in self._source.dumps().items():
                (passes / f"{name}.ir").write_text(text)
        if self._profiling:
            (folder / "report").mkdir(exist_ok=True)
            facts = {"name": self._name, "platform": self.platform, "compile_seconds": self._source.seconds}
            (folder / "report" / "compile.json").write_text(json.dumps(facts, indent=2))

    def __fspath__(self):
        return str(self.output_dir)

    __str__ = __fspath__

    def validate_ir(self, *arrays, config=None, **by_name):
        """Compiles the dump after each pass, and runs it on these arrays, which stay as they are. The names of the passes;
        AssertionError for a dump that does something else than the program."""
        from .. import program as _program
        given = self._place(arrays, by_name)
        devices = config.devices if config is not None else self._options.devices
        whole = _program.compile(self._source.as_parsed(), filename="parsed.ir", dump_passes=True)
        wanted, names = self._outputs_of(whole, given, devices), []
        for name, text in whole.dumps().items():
            made = _program.compile(text, filename=f"{name}.ir")
            for output, array in self._outputs_of(made, given, devices).items():
                if array.tobytes() != wanted[output].tobytes():
                    raise AssertionError(f"{self._name}: after pass {name} {output} is not what the program makes of it")
            names.append(name)
        return names

    @staticmethod
    def _outputs_of(program, given, devices):
        """The outputs of a program for copies of the arrays."""
        mine = {p.name: _copied(given[p.name], p) for p in program.params if p.name in given}
        result = program.run(out=mine, devices=list(devices))
        return {name: _arrays.view(a, name) for name, a in result.outputs.items()}

    # ---- workers

    def prepare(self, config=None, **options):
        """A worker that runs this program, and others, in this process."""
        from . import workers
        return workers.DistributedWorker([self], config=config, **options)

    @classmethod
    def from_dir(cls, folder):
        """The program in a folder that another one left."""
        from .. import program as _program
        loaded = _program.load(os.path.join(folder, "program.pldb"))
        opts = _options.Options(loaded.platform, list(range(loaded.devices or 1)), False)
        from . import ir
        text = pathlib.Path(folder, "program.ir").read_text()
        kind = DistributedCompiledProgram if (loaded.devices or 1) > 1 else CompiledProgram
        outs = [p.name for p in loaded.params if p.dir == "out"]
        loaded.bodies = dict.fromkeys(loaded.sub_workers)
        made = kind(loaded, loaded.name, [p.name for p in loaded.params], opts, ir.Program.of_text(text), outs)
        made._output_dir = pathlib.Path(folder)
        return made


class Several(CompiledProgram):
    """A compiled program with several entries: one for each, by its name."""

    def __init__(self, name, parts, output_dir):
        first = next(iter(parts.values()))
        super().__init__(first._program, name, first._parameters, first._options, first._source, first._returns)
        self._parts, self._asked = parts, output_dir

    @property
    def orchestration_names(self):
        return list(self._parts)

    def __getitem__(self, name):
        if name in self._parts:
            return self._parts[name]
        return super().__getitem__(name)

    def __getattr__(self, name):
        if not name.startswith("_") and name in self._parts:
            return self._parts[name]
        raise AttributeError(f"{type(self).__name__} has no {name!r}; there are {', '.join(self._parts)}")

    def __call__(self, *arrays, **kw):
        raise TypeError(f"{self._name} has several entries: call one of {', '.join(self._parts)}, as compiled[NAME](...)")

    def _fill(self, folder):
        for name, part in self._parts.items():
            (folder / name).mkdir(exist_ok=True)
            part._fill(folder / name)


class DistributedCompiledProgram(CompiledProgram):
    """A compiled program with a host function."""


def compiled_program(program, definition, options, parameters, **more):
    """What compile() of a decorated function or program gives."""
    from . import ir
    host = any(f["kind"] == "host" and not f["generated"] for f in program.functions)
    kind = DistributedCompiledProgram if host else CompiledProgram
    source = ir.Program.of_compiled(program, definition.__name__)
    more.setdefault("dump_passes", options.keep)
    return kind(program, definition.__name__, parameters, options, source, program.returns, **more)


