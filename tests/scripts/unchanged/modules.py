"""Every module that scripts import, and what is said about those that are not there."""
# says: ^PASS
import importlib

NAMES = ["pypto", "pypto.language", "pypto.language.distributed", "pypto.language.parser", "pypto.language.parser.diagnostics",
         "pypto.runtime", "pypto.runtime.runner", "pypto.runtime.distributed_runner", "pypto.runtime.tensor_spec", "pypto.ir",
         "pypto.ir.distributed_compiled_program", "pypto.ir.compiled_program", "pypto.ir.pass_manager", "pypto.backend",
         "pypto.backend.pto_backend", "pypto.pypto_core", "pypto.pypto_core.passes", "pypto.jit", "pypto.jit.decorator"]
for name in NAMES:
    module = importlib.import_module(name)
    assert module.__name__ == name and module is importlib.import_module(name)

import pypto
import pypto.ir as ir
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.backend.pto_backend import PartialCodegenError
from pypto.jit.decorator import JITFunction
from pypto.language.parser import ParserError, ParserTypeError, UndefinedVariableError
from pypto.pypto_core.passes import PassContext


def refused(kind, text, f):
    try:
        f()
    except kind as e:
        assert text in str(e), e
    else:
        raise AssertionError(text)


refused(ModuleNotFoundError, "pypto.nothing is not part of pld; there are pypto, ", lambda: importlib.import_module("pypto.nothing"))
refused(AttributeError, "did you mean 'matmul'", lambda: pl.matmull)
refused(AttributeError, "did you mean 'notify'", lambda: pld.system.notfy)
refused(AttributeError, "pl.FunctionType has no 'Incore'; did you mean 'InCore'?", lambda: pl.FunctionType.Incore)
refused(TypeError, "pl.add works in a kernel only", lambda: pl.add(1, 2))
refused(TypeError, "pl.tile.load works in a kernel only", lambda: pl.tile.load(1, [0], [1]))
refused(TypeError, "pl.Tensor is a type", lambda: pl.Tensor([1, 2], pl.FP32))
refused(NotImplementedError, "pld.compile", PassContext)
refused(NotImplementedError, "not part of pld", ir.PassManager)
refused(TypeError, "the decorator is for functions", lambda: pl.jit(3))
refused(ValueError, "pl.dynamic takes a name", lambda: pl.dynamic(3))

assert issubclass(PartialCodegenError, RuntimeError) and issubclass(UndefinedVariableError, ParserError)
assert issubclass(ParserTypeError, pypto.Error) and pypto.DT_FP32 is pl.FP32 is pl.DataType.FP32
assert pl.FP16.get_byte() == 2 and pl.INT64.get_bit() == 64 and repr(pl.BF16) == "pl.BF16"
assert pl.FunctionType.InCore.name == "InCore" and repr(pl.Level.HOST) == "pl.Level.HOST" and pl.MemorySpace is pl.Mem
assert repr(pl.Tensor[[pl.dynamic("M"), 4], pl.FP32]) == "pl.Tensor[[M, 4], pl.FP32]"
assert repr(pl.dynamic("M") * 2 + 1) == "((M * 2) + 1)" and isinstance(pl.jit(lambda: 0), JITFunction)
pypto.set_log_level(pypto.LogLevel.ERROR)
pypto.log_info("not printed")
assert pypto.get_log_level() == pypto.LogLevel.ERROR
print("PASS")
