"""Programs out of texts, errors by their kind, and what a text must hold."""
# says: ^PASS
import pypto.language as pl
from pypto import ir
from pypto.language.parser import ParserSyntaxError, InvalidOperationError

TEXT = '''
@pl.program
class Adder:
    @pl.function(type=pl.FunctionType.InCore)
    def add(self, x: pl.Tensor[[N, 16], pl.FP32], y: pl.Out[pl.Tensor[[N, 16], pl.FP32]]):
        y = pl.store(pl.load(x, [0, 0], [1, 16]) + %s, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[N, 16], pl.FP32], y: pl.Out[pl.Tensor[[N, 16], pl.FP32]]):
        return self.add(x, y)
'''


def refused(kind, text, f):
    try:
        f()
    except kind as e:
        assert text in str(e), str(e)
        return e
    raise AssertionError(text)


program = pl.parse(TEXT % "1.0", filename="adder.py")
assert program.name == "Adder" and set(program.functions) == {"add", "main"}
assert pl.parse_program(program.as_python()).as_python() == program.as_python()
assert ir.deserialize(ir.serialize(program)) == program
with open("adder_saved.py", "w") as f:
    f.write(TEXT % "2.0")
assert pl.loads("adder_saved.py") != program

e = refused(InvalidOperationError, "wrong.py:6", lambda: ir.compile(pl.parse(TEXT % "pl.lod(y)", filename="wrong.py")))
assert e.span["line"] == 6 and e.span["filename"] == "wrong.py" and "pl.lod" in e.message
refused(SyntaxError, "", lambda: pl.parse("def f(:\n"))
MATCH = (TEXT % "1.0").replace("        y = pl.store", "        match x:\n            case _: y = pl.store")
refused(ParserSyntaxError, "6:9: error: ", lambda: pl.parse(MATCH))
refused(ValueError, "several: f, g", lambda: pl.parse("@pl.function\ndef f(x):\n    return x\n@pl.function\ndef g(x):\n    return x\n"))
refused(ValueError, "no program", lambda: pl.parse_program("x = 1\n"))
print("PASS")
