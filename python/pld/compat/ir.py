"""pypto.ir: programs as objects, and compile()."""
import ast
import collections
import enum

from .. import program as _program
from . import link, record
from .compiled import Several, compiled_program
from .config import DistributedConfig, OptimizationStrategy, PassDumpLevel, RunConfig
from .options import Options

__all__ = ["Program", "Function", "ParamDirection", "compile", "serialize", "deserialize", "OptimizationStrategy", "PassDumpLevel"]


class ParamDirection(enum.Enum):
    In = "in"
    Out = "out"
    InOut = "inout"


_DEFAULT = Options("a2a3sim", [0], False)


class Function:
    """A function of a Program, as its dump has it."""

    def __init__(self, node, text, kind):
        self._node, self._text, self.name, self._kind = node, text, node.name, kind

    @property
    def func_type(self):
        from . import modules
        kind = {"InCore": "InCore"}.get(self._kind, "Orchestration")
        return getattr(modules.language()["FunctionType"], kind)

    @property
    def level(self):
        from . import modules
        level = modules.language()["Level"]
        return level.HOST if self._kind == "host" else level.CORE_GROUP

    @property
    def role(self):
        from . import modules
        return None if self._kind == "InCore" else modules.language()["Role"].Orchestrator

    @property
    def params(self):
        """(name, type as text) of each parameter."""
        args = [a for a in self._node.args.args if a.arg != "self"]
        return [(a.arg, ast.unparse(a.annotation) if a.annotation else None) for a in args]

    @property
    def return_types(self):
        r = self._node.returns
        if r is None:
            return []
        whole = isinstance(r, ast.Subscript) and isinstance(r.value, ast.Name) and r.value.id == "tuple"
        items = r.slice.elts if whole and isinstance(r.slice, ast.Tuple) else [r.slice] if whole else [r]
        return [ast.unparse(i) for i in items]

    @property
    def requires_runtime_binding(self):
        """Has it extents or scalars that only a call gives?"""
        return any(t is None or "Scalar" in t for _, t in self.params)

    def as_python(self, concise=False):
        return self._text

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"Function({self.name!r}, {self._kind})"


class Program:
    """A program: a decorated class, or what lower() and compile() made of a definition."""

    def __init__(self, definition=None, compiled=None, text=None, name=None):
        self._definition, self._compiled, self._text, self._name = definition, compiled, text, name
        self._lowered = compiled is not None
        if definition is not None:
            self.__name__, self.__doc__, self.__module__ = definition.name, definition.doc, definition.module

    @classmethod
    def of_compiled(cls, compiled, name=None):
        return cls(compiled=compiled, name=name)

    @classmethod
    def of_text(cls, text):
        return cls(text=text)

    @staticmethod
    def record_of_value(value):
        return value._definition

    # ---- compiling

    def compiled(self, options=None, arguments=None, entry=None):
        """The compiled program under it; a definition is compiled for `options`."""
        if self._compiled is not None and options is None:
            return self._compiled
        options = options or _DEFAULT
        if self._definition is not None:
            picture = link.Picture(self._definition)
            return link.compile_record(self._definition, picture, options, arguments or {}, entry)
        made = _program.compile(self.as_parsed(), platform=None, dump_passes=True, filename="<program>",
                                devices=None, entry=entry)
        made.returns, made.seconds = tuple(p.name for p in made.params if p.dir == "out"), 0.0
        made.bodies = dict.fromkeys(made.sub_workers)
        return made

    @property
    def _made(self):
        if self._compiled is None:
            self._compiled = self.compiled(_DEFAULT)
        return self._compiled

    # ---- what is in it

    @property
    def name(self):
        return self._definition.name if self._definition is not None else self._name or self._made.name

    @property
    def seconds(self):
        return self._made.seconds

    def as_parsed(self):
        """The parsed dump: a text that compiles again."""
        return self._text if self._text is not None else self._made.dump("parsed")

    def dumps(self):
        """Pass -> dump, of those that were kept."""
        from .language import tables
        found = {}
        for name in tables()["passes"]:
            try:
                found[name] = self._made.dump(name)
            except ValueError:  # not kept
                continue
        return found

    def as_python(self, concise=False):
        """The parsed dump, or the last one of a lowered program. Both compile again."""
        dumps = self.dumps() if self._lowered else {}
        return list(dumps.values())[-1] if len(dumps) > 1 else self.as_parsed()

    @property
    def functions(self):
        text = self.as_python()
        lines = text.splitlines(True)
        kinds = {f["name"]: f["kind"] for f in self._made.functions}
        found = collections.OrderedDict()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.decorator_list and node.name in kinds:
                first = min(d.lineno for d in node.decorator_list)
                body = "".join(lines[first - 1:node.end_lineno])
                found[node.name] = Function(node, body, kinds[node.name])
        return found

    def get_function(self, name):
        return self.functions.get(name)

    def __str__(self):
        return self.as_python()

    def __repr__(self):
        return f"Program({self.name!r})"

    def __eq__(self, other):
        return isinstance(other, Program) and (self is other or self.as_python() == other.as_python())

    def __hash__(self):
        return hash(self.name)

    def __call__(self, *args, **kw):
        raise TypeError(f"{self.name} is a program: ir.compile({self.name})(arrays), or "
                        f"pypto.runtime.run({self.name}, arrays)")


class Definition(record.Record):
    """The record of a @pl.program class, with what Python shows of it."""

    def __init__(self, found, cls):
        self.__dict__.update(found.__dict__)
        self.doc, self.module = cls.__doc__, cls.__module__


def program(cls=None, **options):
    """@pl.program: a class of functions becomes a Program. Mistakes in its grammar are raised here."""
    for name in options:
        if name not in ("strict_ssa", "attrs", "name"):
            raise TypeError(f"@pl.program has no option {name}")
    if cls is None:
        return lambda c: program(c)
    if not isinstance(cls, type):
        raise TypeError(f"@pl.program is for classes, got {type(cls).__name__}")
    definition = Definition(record.of_class(cls, record.caller()), cls)
    definition.names()
    return Program(definition)


def compile(program, output_dir=None, strategy=None, dump_passes=True, backend_type=None, skip_ptoas=False,
            verification_level=None, diagnostic_phase=None, disabled_diagnostics=None, memory_planner=None,
            enable_pypto_l0c_double_buffer=False, profiling=False, platform=None, distributed_config=None,
            analyze_auto_scopes_for_deps=False, emit_source_loc=False, dump_ptoas_passes=False, runtime=None):
    """Compiles a Program; a CompiledProgram. What has no effect here is taken all the same."""
    if not isinstance(program, Program):
        raise TypeError(f"ir.compile takes a Program, got {type(program).__name__}")
    if distributed_config is not None and not isinstance(distributed_config, DistributedConfig):
        raise TypeError(f"distributed_config is a DistributedConfig, got {type(distributed_config).__name__}")
    config = RunConfig(platform=platform or "a2a3sim", distributed_config=distributed_config, dump_passes=bool(dump_passes))
    return of_program(program, config, output_dir=output_dir, profiling=profiling, dump_passes=bool(dump_passes))


class _Named:
    """What compiled_program asks of a definition."""

    def __init__(self, name):
        self.__name__ = name


def of_program(program, config, arguments=None, output_dir=None, **more):
    """The CompiledProgram of a Program; of one with several entries, one that holds a CompiledProgram for each."""
    options, definition = Options.of(config), program._definition
    entries = link.entries_of(definition, definition.kinds) if definition is not None else []
    if len(entries) < 2:
        made = program.compiled(options, arguments)
        return compiled_program(made, _Named(program.name), options, [p.name for p in made.params], output_dir=output_dir, **more)
    parts = {}
    for name in entries:
        made = program.compiled(options, arguments, name)
        folder = None if output_dir is None else f"{output_dir}/{name}"
        definition = _Named(f"{program.name}_{name}")
        parts[name] = compiled_program(made, definition, options, [p.name for p in made.params], output_dir=folder, **more)
    return Several(program.name, parts, output_dir)


def serialize(program):
    return program.as_python().encode()


def deserialize(data):
    return Program.of_text(data.decode())
