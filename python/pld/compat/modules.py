"""Which modules there are, and what is in each."""
import logging
import types

from .. import errors
from . import config, functions, ir, jit, language as _language, parse, runtime, values, workers
from .compiled import CompiledProgram, DistributedCompiledProgram
from .jit import RUNTIME


def _once(make):
    """The same contents at each import: one class is one class."""
    made = []

    def contents():
        if not made:
            made.append(make())
        return made[0]
    return contents


@_once
def language():
    names = dict(_language.names("pl"))
    names.update(jit=jit.jit, inline=functions.inline, function=functions.function, program=functions.program,
                 dynamic=values.dynamic, parse=parse.parse, loads=parse.loads, parse_program=parse.parse_program,
                 loads_program=parse.loads_program, RUNTIME=RUNTIME, Program=ir.Program, Function=ir.Function)
    return names


@_once
def distributed():
    names = dict(_language.names("pld"))
    names.update(world_size=functions.world_size, init=functions.init, golden=functions.golden)
    return names


_PARSER = ("ParserError", "ParserSyntaxError", "ParserTypeError", "UndefinedVariableError", "InvalidOperationError",
           "UnsupportedFeatureError", "SSAViolationError", "ScopeIsolationError")


def _parser():
    return {n: getattr(errors, n) for n in _PARSER} | {"parse": parse.parse, "loads": parse.loads}


def _configuration():
    return {"RunConfig": config.RunConfig, "DistributedConfig": config.DistributedConfig}


def _workers():
    return {n: getattr(workers, n) for n in ("ChipWorker", "DistributedWorker", "DeviceTensor")}


def _runtime():
    names = {n: getattr(runtime, n) for n in runtime.__all__}
    names["_tensor_from_continuous"] = runtime.tensor_from_continuous
    return {**names, **_configuration(), **_workers(), "CompiledProgram": CompiledProgram,
            "DistributedCompiledProgram": DistributedCompiledProgram}


@_once
def _ir():
    names = {n: getattr(ir, n) for n in ir.__all__}
    names.update({n: language()[n] for n in ("FunctionType", "Level", "Role")})
    names.update(CompiledProgram=CompiledProgram, DistributedCompiledProgram=DistributedCompiledProgram,
                 DistributedConfig=config.DistributedConfig, BackendType=config.BackendType, DataType=values.DataType)
    return {**names, **{n: _absent(f"ir.{n}", hint) for n, hint in _ABSENT.items()}}


_ABSENT = {"PassManager": "p = pld.compile(FILE, dump_passes=True); p.dump(PASS)", "PassContext": "pld.compile(FILE, dump_passes=True)",
           "torch_codegen": "the program itself, compiled(*arrays)", "IRBuilder": "pl.parse(text)"}


def _absent(name, instead):
    """A class of the reference that is not here: using it says what to write."""
    def refuse(*args, **kw):
        raise NotImplementedError(f"{name} is not part of pld: use {instead}")

    def attribute(cls, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        refuse()
    kind = type("Absent", (type,), {"__getattr__": attribute})
    return kind(name.rpartition(".")[2], (), {"__new__": refuse})


def _backend():
    return {"BackendType": config.BackendType, "set_backend_type": runtime.accepted, "get_backend_type":
            lambda: config.BackendType.Ascend910B, "reset_for_testing": runtime.accepted}


_LEVELS = types.SimpleNamespace(DEBUG=10, INFO=20, WARN=30, ERROR=40, FATAL=50, EVENT=25, NONE=60)
_level = [30]


def _root():
    names = {f"DT_{d}": language()[d] for d in _language.tables()["dtypes"]}
    names.update(Error=errors.Error, InternalError=errors.InternalError, DataType=values.DataType, LogLevel=_LEVELS,
                 set_log_level=_set_log_level, get_log_level=lambda: _level[0])
    for level in ("debug", "info", "warn", "error", "fatal", "event"):
        names[f"log_{level}"] = _log(getattr(_LEVELS, level.upper()))
    return names


def _set_log_level(level):
    _level[0] = level


def _log(level):
    def log(message, *args):
        if level >= max(_level[0], 30):
            logging.getLogger("pypto").log(min(level, 50), message, *args)
    return log


def _core():
    return {**_root(), "ir": types.SimpleNamespace(**_ir())}


TABLE = {
    "pypto": _root,
    "pypto.language": language,
    "pypto.language.distributed": distributed,
    "pypto.language.parser": _parser,
    "pypto.language.parser.diagnostics": _parser,
    "pypto.runtime": _runtime,
    "pypto.runtime.runner": _runtime,
    "pypto.runtime.distributed_runner": _runtime,
    "pypto.runtime.tensor_spec": lambda: {n: getattr(runtime, n) for n in ("TensorSpec", "ScalarSpec")},
    "pypto.ir": _ir,
    "pypto.ir.distributed_compiled_program": lambda: {"DistributedCompiledProgram": DistributedCompiledProgram, **_configuration()},
    "pypto.ir.compiled_program": lambda: {"CompiledProgram": CompiledProgram},
    "pypto.ir.pass_manager": lambda: {n: _ir()[n] for n in ("PassManager", "OptimizationStrategy", "PassDumpLevel")},
    "pypto.backend": _backend,
    "pypto.backend.pto_backend": lambda: {"PartialCodegenError": errors.PartialCodegenError},
    "pypto.pypto_core": _core,
    "pypto.pypto_core.passes": lambda: {n: _ir()[n] for n in ("PassManager", "PassContext")},
    "pypto.jit": lambda: {"jit": jit.jit, "JITFunction": jit.JITFunction},
    "pypto.jit.decorator": lambda: {"jit": jit.jit, "JITFunction": jit.JITFunction},
    "pypto.debug": lambda: {"torch_codegen": _ir()["torch_codegen"]},
}
