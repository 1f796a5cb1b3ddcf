"""A program as an object: its name, functions and text; ir.compile and what is in the folder that it leaves."""
# says: ^Twice twice Orchestration In Out
# says: ^passes_dump/00_parsed.ir$
# says: ^program.pldb$
import os
import pathlib

import numpy as np
import pypto.language as pl
from pypto import ir


@pl.program
class Twice:
    @pl.function(type=pl.FunctionType.InCore)
    def twice(self, x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        return pl.store(pl.load(x, [0, 0], [4, 16]) * 2.0, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        return self.twice(x, y)


f = Twice.get_function("main")
directions = ["Out" if "Out" in t else "In" for _, t in f.params]
print(Twice.name, Twice.get_function("twice").name, f.func_type.name, *directions)
assert "def twice" in Twice.as_python() and Twice == Twice and str(Twice) == Twice.as_python()
compiled = ir.compile(Twice, output_dir="twice_files", profiling=True)
for folder, _, files in sorted(os.walk(compiled.output_dir)):
    for name in sorted(files):
        print(pathlib.Path(folder, name).relative_to("twice_files"))
assert os.fspath(compiled) == str(compiled) == "twice_files" and compiled.param_names == ["x", "y"]
assert compiled.output_indices == [1] and compiled.has_return and compiled.platform == "a2a3sim"
assert isinstance(compiled, ir.CompiledProgram) and not isinstance(compiled, ir.DistributedCompiledProgram)
x = np.arange(64, dtype=np.float32).reshape(4, 16)
assert (compiled(x) == 2 * x).all()
again = ir.deserialize(ir.serialize(Twice))
assert again.name == "Twice" and list(again.functions) == list(Twice.functions)
assert (ir.CompiledProgram.from_dir("twice_files")(x) == 2 * x).all()


@pl.program
class Two:
    @pl.function(type=pl.FunctionType.Orchestration)
    def one(self, x: pl.Tensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.store(pl.load(x, [0, 0], [4, 16]) + 1.0, [0, 0], y)
        return y

    @pl.function
    def two(self, y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.store(pl.full([4, 16], dtype=pl.FP32, value=2.0), [0, 0], y)
        return y


both = ir.compile(Two, output_dir="two_files")
assert both.orchestration_names == ["one", "two"] and (both.one(x) == x + 1).all() and (both["two"]() == 2).all()
assert os.path.exists("two_files/two/program.pldb")
try:
    both(x)
except TypeError as e:
    assert "several entries" in str(e)
else:
    raise AssertionError("one of two entries was chosen")
