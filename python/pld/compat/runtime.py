"""pypto.runtime: run(), specifications of tensors, and what is accepted without effect."""
import inspect
import sys

import numpy as np

from .. import _arrays
from . import ir, jit, link, values
from .config import RunConfig

__all__ = ["run", "RunResult", "TensorSpec", "ScalarSpec", "configure_log", "log_level", "benchmark"]


class RunResult:
    """What a harness keeps about a run."""

    def __init__(self, passed=True, error=None, compiled=None, outputs=None, execution_time=0.0, test_name=""):
        self.passed, self.error, self.compiled = passed, error, compiled
        self.outputs, self.execution_time, self.test_name = outputs, execution_time, test_name

    def __bool__(self):
        return self.passed

    def __str__(self):
        return "PASS" if self.passed else f"FAIL: {self.error}"


def run(program, *arrays, config=None):
    """Compiles a program, and calls it where arrays are given; the CompiledProgram."""
    config = config if config is not None else RunConfig()
    if isinstance(program, jit.JITFunction):
        compiled = program.compile(*arrays, config=config)
    else:
        if not isinstance(program, ir.Program):
            raise TypeError(f"run takes a program, got {type(program).__name__}")
        folder = config.save_kernels_dir
        compiled = ir.of_program(program, config, link.open_types(program, arrays), output_dir=folder,
                                 profiling=config.compile_profiling, dump_passes=config.dump_passes)
    if arrays and not config.codegen_only:
        compiled(*arrays, config=config)
    return compiled


def _bits(value):
    """Floats as BF16, rounded to nearest even."""
    bits = np.asarray(value, np.float32).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)


class TensorSpec:
    """Name, shape, dtype and initial value of an argument."""

    def __init__(self, name, shape, dtype, init_value=None, is_output=False):
        self.name, self.shape, self.dtype, self.init_value, self.is_output = name, list(shape), dtype, init_value, is_output

    def _value(self):
        """The initial value; a function takes nothing, or, as torch.randn does, the shape."""
        if not callable(self.init_value):
            return self.init_value
        try:
            inspect.signature(self.init_value).bind()
        except TypeError:  # it wants the shape
            return self.init_value(self.shape)
        except ValueError:  # a function in C
            return self.init_value(self.shape)
        return self.init_value()

    def create_tensor(self):
        """The array: torch's for a dtype of torch, else NumPy's."""
        value = self._value()
        dtype = self.dtype
        if type(dtype).__module__ == "torch" or type(value).__module__ == "torch":
            import torch
            dtype = getattr(torch, _arrays.NUMPY[dtype.name]) if isinstance(dtype, values.DataType) else dtype
            if value is None:
                return torch.zeros(self.shape, dtype=dtype)
            if isinstance(value, torch.Tensor):
                return value.to(dtype).reshape(self.shape).contiguous()
            return torch.full(self.shape, value, dtype=dtype)
        if isinstance(dtype, values.DataType):
            made = _arrays.empty(self.shape, dtype.name, None)
        else:
            made = np.zeros(self.shape, dtype)
        if value is None:
            return made
        value = np.asarray(value)
        if made.dtype == np.uint16 and getattr(dtype, "name", None) == "BF16" and value.dtype != np.uint16:
            value = _bits(value)
        made[...] = value
        return made

    def __repr__(self):
        return f"TensorSpec({self.name!r}, {self.shape}, {self.dtype}, is_output={self.is_output})"


class ScalarSpec:
    """Name, dtype and value of a scalar argument."""

    def __init__(self, name, dtype=None, value=None):
        self.name, self.dtype, self.value = name, dtype, value


def accepted(*args, **kw):
    """Taken without effect."""


configure_log = log_level = accepted


class Benchmark:
    """Modelled times of equal rounds."""

    def __init__(self, device_us, rounds):
        self.device_wall_us, self.rounds = [device_us] * rounds, rounds

    def __repr__(self):
        return f"Benchmark({self.device_wall_us[0]:.3f} us modelled, {self.rounds} rounds)"


def benchmark(compiled, args, rounds=1, warmup=0, config=None):
    """Runs once: the modelled time is the same in all rounds."""
    given = compiled._place(tuple(args), {})
    compiled.launch(given, config)
    return Benchmark(compiled.last_time_ps / 1e6, rounds)


def tensor_from_continuous(array):
    """A torch tensor on the memory of an array that lies row by row; without torch, NumPy's view of it."""
    a = _arrays.describe(array, "array")
    if a.flavour == "torch":
        return array
    if not a.dtype or not _arrays.view(array, "array").flags.c_contiguous:
        raise ValueError("the array does not lie row by row")
    torch = sys.modules.get("torch")
    return torch.from_numpy(_arrays.view(array, "array")) if torch is not None else _arrays.view(array, "array")
