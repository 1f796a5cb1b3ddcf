"""The Python package over the library. Run with PLD_LIBRARY and PYTHONPATH set: tests/e2e/python.sh does."""
import contextlib
import glob
import io
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

import pld

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["PLD_BUILD"]
MESH = f"{ROOT}/samples/08_allreduce_mesh.pld"
HEAD = "import pypto.language as pl\nimport pypto.language.distributed as pld\n"

# Adds one to an array of any dtype, on one device.
ADD_ONE = HEAD + """
N = 8
T = pl.FP32

@pl.jit.incore
def step(x: pl.Tensor[[2, N], T], y: pl.Out[pl.Tensor[[2, N], T]]):
    return pl.store(pl.load(x, [0, 0], [2, N]) + 1, [0, 0], y)

@pl.jit
def chip(x, y):
    return step(x, y)

@pl.jit.host
def host(x: pl.Tensor[[2, N], T], y: pl.Out[pl.Tensor[[2, N], T]]):
    chip(x, y, device=0)
    return y
"""
# Never ends: the device polls a cell that nobody changes.
ENDLESS = HEAD + """
@pl.jit.incore
def step(x: pl.Tensor[[8], pl.INT32], y: pl.Out[pl.Tensor[[8], pl.INT32]]):
    s = pl.read(x, [0])
    for i in pl.range(1000000000):
        for k in pl.range(1000000000):
            s = s + 1
    return pl.write(y, [0], s)

@pl.jit
def chip(x, y):
    return step(x, y)

@pl.jit.host
def host(x: pl.Tensor[[8], pl.INT32], y: pl.Out[pl.Tensor[[8], pl.INT32]]):
    chip(x, y, device=0)
    return y
"""


def broken(old, new):
    with open(MESH) as f:
        text = f.read()
    assert old in text
    return pld.loads(text.replace(old, new))


class Compiling(unittest.TestCase):
    def test_bytes_are_those_of_the_compiler(self):
        for sample in sorted(glob.glob(f"{ROOT}/samples/*.pld")):
            with tempfile.TemporaryDirectory() as d:
                subprocess.run([f"{BUILD}/pldc", sample, "-d", "0-3", "-o", f"{d}/a.pldb"], check=True)
                with open(f"{d}/a.pldb", "rb") as f:
                    self.assertEqual(bytes(pld.compile(sample, devices=4)), f.read(), sample)

    def test_what_a_program_knows(self):
        p = pld.compile(MESH, devices=4, defines={"SIZE": 128})
        self.assertEqual([q.name for q in p.params], ["x", "y"])
        self.assertEqual(p.params["x"], pld.Param("x", "tensor", "FP32", "in", (4, 1, 128)))
        self.assertEqual(p.params[1].dir, "out")
        self.assertEqual((p.name, p.devices, p.platform), ("AllReduceMesh", 4, "a2a3sim"))
        with self.assertRaisesRegex(KeyError, "no parameter z; there are x, y"):
            p.params["z"]

    def test_saved_loaded_equal(self):
        p = pld.compile(MESH, devices=2)
        with tempfile.TemporaryDirectory() as d:
            p.save(f"{d}/p.pldb")
            q = pld.load(f"{d}/p.pldb")
        self.assertEqual(p, q)
        self.assertEqual(hash(p), hash(q))
        self.assertEqual(p, pickle.loads(pickle.dumps(p)))
        self.assertNotEqual(p, pld.compile(MESH, devices=3))
        with self.assertRaises(ValueError):
            pld.load(b"no bytecode")

    def test_dumps_and_diff(self):
        p = pld.compile(MESH, devices=2, dump_passes=True)
        self.assertTrue(p.dump("parsed").startswith("# pld-ir 00_parsed"))
        self.assertEqual(p.diff(p), "")
        q = pld.compile(MESH, devices=2, defines={"SIZE": 128}, dump_passes=True)
        self.assertIn("+", p.diff(q))
        self.assertEqual(pld.compile(MESH, devices=2).diff(q), p.diff(q))
        for none in (pld.load(bytes(p)), pickle.loads(pickle.dumps(p))):
            with self.assertRaisesRegex(ValueError, "dump_passes=True"):
                none.dump("parsed")
        with self.assertRaisesRegex(ValueError, "no dump of 'no_pass'"):
            p.dump("no_pass")

    def test_dumps_of_what_has_changed_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/mesh.pld"
            shutil.copy(MESH, path)
            p = pld.compile(path, devices=2)
            with open(path, "a", encoding="utf-8") as f:
                f.write("\nnot a program\n")
            with self.assertRaisesRegex(ValueError, "not what it was"):
                p.dump("parsed")
            os.remove(path)
            with self.assertRaises(FileNotFoundError):
                p.dump("parsed")

    def test_every_dump_compiles_to_the_same_bytes(self):
        p = pld.compile(MESH, devices=2, dump_passes=True)
        dumps = p.dumps()
        self.assertEqual(list(dumps), [q["name"] for q in pld.passes()])
        for text in dumps.values():
            self.assertEqual(pld.loads(text, filename="d.ir").hash, p.hash)

    def test_types_of_arguments(self):
        text = HEAD + """
@pl.jit
def add(x: pl.Tensor, y: pl.Out[pl.Tensor], n: int):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [2, 8])
        y = pl.store(t + n, [0, 0], y)
    return y
"""
        x = np.ones((2, 8), np.float32)
        spec = pld.Spec((2, 8), np.float32)
        for args in ((x, x, 3), [spec, pld.Spec((2, 8), "FP32"), 3], {"x": x, "y": spec, "n": 3}):
            p = pld.compile(text, args=args)
            np.testing.assert_array_equal(p(x), x + 3)
        with self.assertRaisesRegex(pld.CompileError, "extents and dtype of x"):
            pld.compile(text)
        with self.assertRaises(TypeError):
            pld.compile(text, args={"x": pld.Spec((2, 8), np.complex64)})

    def test_decorated_functions(self):
        code = """
import numpy as np, pld, pld.compat
pld.compat.install()
import pypto.language as pl

@pl.jit
def add(x: pl.Tensor, y: pl.Out[pl.Tensor], n: int):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [2, 8])
        y = pl.store(t + n, [0, 0], y)
    return y

x = np.ones((2, 8), np.float32)
p = pld.compile(add, args=(x, np.zeros_like(x), 3))
y = np.zeros_like(x)
p(x, y)
assert (y == 4).all() and isinstance(p, pld.Program)
"""
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/s.py", "w") as f:
                f.write(code)
            r = subprocess.run([sys.executable, f"{d}/s.py"], capture_output=True, text=True)
        self.assertEqual(r.returncode, 0, r.stderr)

    def test_tables(self):
        names = {o["name"]: o for o in pld.ops()}
        load = names["pl.tile.load"]
        self.assertEqual([o["name"] for o in load["operands"]][:3], ["tensor", "offsets", "shape"])
        self.assertEqual(load["levels"], ["InCore"])
        self.assertEqual([p["name"] for p in pld.platforms()], ["a2a3sim", "a5sim"])
        self.assertEqual(pld.passes()[0]["name"], "parsed")

    def test_closed_forms(self):
        p = pld.compile(f"{ROOT}/samples/17_host_collectives.pld", devices=4)
        forms = p.cost()
        self.assertEqual(forms[0]["call"], "pld.tensor.allreduce mode=mesh")
        self.assertEqual(forms[0]["forms"]["waits"], "B*(P-1)")
        self.assertEqual(forms[0]["values"]["bytes received"], 768)
        self.assertEqual(pld.loads(ADD_ONE).cost(), [])

    def test_parse_and_skeleton(self):
        text = pld.parse(ADD_ONE)
        self.assertTrue(text.startswith("# pld-ir 00_parsed"))
        with self.assertRaises(pld.UndefinedVariableError):
            pld.parse(ADD_ONE.replace("chip(x, y, device=0)", "chip(w, y, device=0)"))
        kernels = ADD_ONE[:ADD_ONE.index("@pl.jit\n")]
        whole = pld.skeleton(kernels)
        self.assertIn("pl.Level.HOST", whole)
        pld.loads(whole)

    def test_errors_have_a_place(self):
        with self.assertRaises(pld.UndefinedVariableError) as c:
            pld.loads(ADD_ONE.replace("chip(x, y, device=0)", "chip(w, y, device=0)"))
        e = c.exception
        self.assertEqual(e.span["line"], ADD_ONE.split("\n").index("    chip(x, y, device=0)") + 1)
        self.assertIn("^", str(e))
        self.assertEqual(str(pickle.loads(pickle.dumps(e))), str(e))
        with self.assertRaises(pld.ParserSyntaxError) as c:
            pld.loads("def f(:\n", filename="mine.pld")
        self.assertEqual(c.exception.span["filename"], "mine.pld")
        with self.assertRaisesRegex(ValueError, "platform"):
            pld.compile(MESH, platform="a9")
        with self.assertRaises(FileNotFoundError):
            pld.compile("/nonexistent/k.pld")

    def test_warnings_stand_at_the_kernel(self):
        text = HEAD + """
@pl.jit.incore
def step(y: pl.Out[pl.Tensor[[4], pl.INT32]], w: pl.InOut[pld.DistributedTensor[[4], pl.INT32]]):
    ctx = pld.get_comm_ctx(w)
    return pl.write(y, [0], (pld.rank(ctx) - 1) % pld.nranks(ctx))

@pl.jit
def chip(y, w):
    return step(y, w)

@pl.jit.host
def host(y: pl.Out[pl.Tensor[[2, 4], pl.INT32]]):
    b = pld.alloc_window_buffer([4], dtype=pl.INT32)
    for r in pl.range(2):
        chip(y[r], pld.window(b, [4], dtype=pl.INT32), device=r)
    return y
"""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            p = pld.loads(text)
        self.assertEqual([(w.category, w.lineno) for w in found], [(pld.CompileWarning, 7)])
        self.assertEqual(len(p.diagnostics), 1)


class Running(unittest.TestCase):
    def setUp(self):
        self.p = pld.compile(MESH, devices=4)
        self.x = np.random.default_rng(0).standard_normal((4, 1, 64), dtype=np.float32)
        self.want = np.broadcast_to(((self.x[0] + self.x[1]) + self.x[2]) + self.x[3], self.x.shape)

    def test_styles(self):
        y = np.zeros_like(self.x)
        self.assertIsNone(self.p(self.x, y))
        np.testing.assert_allclose(y, self.want, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(self.p(self.x), y)
        r = self.p.run(x=self.x)
        np.testing.assert_array_equal(r.outputs["y"], y)
        self.assertEqual((r.verdict, r.status, bool(r)), ("OK", 0, True))  # by the golden in the file
        self.assertEqual(self.p.run().verdict, "OK")  # and by its init
        self.assertEqual(pld.loads(ADD_ONE).run(np.zeros((2, 8), np.float32)).verdict, "done")

    def test_records(self):
        r = self.p.run(self.x, cost=True, trace=True, timeline=True)
        self.assertEqual(r.cost["ranks"][0]["rank"], 0)
        self.assertIn("traceEvents", r.trace)
        self.assertIn("<svg", r.timeline.svg)
        with tempfile.TemporaryDirectory() as d:
            r.timeline.save(f"{d}/t.svg")
            with open(f"{d}/t.svg", encoding="utf-8") as f:
                self.assertEqual(f.read(), r.timeline.svg)
        self.assertGreater(r.time_ps, 0)
        with self.assertRaisesRegex(ValueError, "timeline=True"):
            self.p.run(self.x).timeline
        self.assertIn("OK" if r.checked else "done", r._repr_html_())

    def test_goldens(self):
        r = self.p.run(self.x, golden={"y": self.want.copy()}, rtol=1e-4, atol=1e-5)
        self.assertEqual(r.verdict, "OK")
        with self.assertRaises(AssertionError) as c:
            self.p.run(self.x, golden={"y": self.want + 1})
        self.assertIsInstance(c.exception, pld.GoldenError)
        self.assertEqual(self.p.run(self.x, golden={"y": self.want + 1}, strict=False).status, 1)

    def test_failures_are_exceptions(self):
        q = broken("if peer != my_rank:\n                    pld.system.notify", "if peer < my_rank:\n                    pld.system.notify")
        with self.assertRaises(pld.DeadlockError) as c:
            q.run(self.x[:2])
        e = c.exception
        self.assertTrue(str(e).splitlines()[-1].startswith("replay:"))
        self.assertEqual(e.reports[0].check, "deadlock")
        self.assertEqual(str(pickle.loads(pickle.dumps(e))), str(e))
        again = q.run(self.x[:2], schedule=e.token, strict=False)
        self.assertEqual(again.reports[0].text, e.reports[0].text)
        q = broken("if src != my_rank:\n                    pld.system.wait", "if src > my_rank:\n                    pld.system.wait")
        y = np.zeros_like(self.x[:2])
        with self.assertRaises(pld.CheckError) as c:
            q.run(self.x[:2], y)
        self.assertEqual(c.exception.reports[0].check, "race")
        self.assertNotEqual(y.sum(), 0)  # written all the same
        self.assertEqual(q.run(self.x[:2], check="none").status, 0)

    def test_samples_run_as_with_the_tool(self):
        for sample in sorted(glob.glob(f"{ROOT}/samples/*.pld")):
            tool = subprocess.run([f"{BUILD}/pldrun", sample, "-d", "0-3", "-v"], capture_output=True, text=True)
            p = pld.compile(sample, devices=4)
            r = p.run(strict=False)
            self.assertEqual(r.status, tool.returncode, sample)
            said = f"steps {r.steps}, modelled time {r.time_ps // 10**6}.{r.time_ps % 10**6:06} us\n"
            self.assertIn(said, tool.stderr, sample)
            self.assertEqual(r.unchecked, re.findall("note: nobody checked output (.*): it", tool.stderr), sample)

    def test_verdicts_are_those_of_the_tool(self):
        for program in sorted(glob.glob(f"{ROOT}/tests/verdicts/*.pld")):
            tool = subprocess.run([f"{BUILD}/pldrun", program, "-d", "0-2"], capture_output=True, text=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    r = pld.compile(program, devices=3).run(strict=False, max_steps=0)
                except (ValueError, pld.CompileError):
                    self.assertEqual(tool.returncode, 2, program)
                    continue
            self.assertEqual(r.status, tool.returncode, program)
            token = re.search("--schedule=(.*)", tool.stderr)
            self.assertEqual(r.token, token and token[1], program)
            for report in r.reports:
                if report.check != "replay":
                    self.assertIn(report.text, tool.stderr, program)

    def test_exploration(self):
        p, x = pld.compile(MESH, devices=2), np.zeros((2, 1, 64), np.float32)
        e = p.explore(x)
        self.assertTrue(e and e.complete and e.verified and not e.failures)
        self.assertGreaterEqual(p.explore(x, search=True, mem="weak", bound=100000).executions, 1)
        self.assertEqual(len(p.explore(x, outcomes=True).outcomes), 1)
        rows = p.explain_sync(x)
        self.assertTrue(any(r.needed for r in rows))
        with open(MESH) as f:
            broken = pld.loads(f.read().replace("expected=1,", "expected=0,"))
        e = broken.explore(x)
        self.assertFalse(e)
        self.assertEqual(e.failures[0].kind, "race")
        with self.assertRaises(pld.CheckError) as c:
            broken.explore(strict=True, out={"x": x})
        self.assertEqual(c.exception.token, e.token)
        again = broken.replay(e.failures[0].token, x, strict=False)
        self.assertEqual((again.status, again.token), (4, e.failures[0].token))
        with self.assertRaises(pld.CheckError):
            broken.explain_sync(x)

    def test_notebooks(self):
        r = self.p.run(self.x, cost=True, timeline=True)
        page = r._repr_html_()
        self.assertIn("<svg", page)
        self.assertIn("<th>notifies</th>", page)
        self.assertIn("OK" if r.checked else "done", page)
        page = self.p._repr_html_()
        self.assertIn("<td>x</td><td>in</td><td>FP32</td><td>[4, 1, 64]</td>", page)
        self.assertIn("<td>host</td>", page)

    def test_prints_come_on_stdout(self):
        p = pld.loads(ADD_ONE.replace("    return pl.store(pl.load", "    pl.debug_print(pl.read(x, [0, 3]))\n    return pl.store(pl.load"))
        with contextlib.redirect_stdout(io.StringIO()) as said:
            p(np.full((2, 8), 7, np.float32))
        self.assertIn("7", said.getvalue())

    def test_calls_follow_one_another(self):
        p, q = pld.loads(ADD_ONE), self.p
        for k in range(50):
            x, y = np.full((2, 8), k, np.float32), np.zeros((2, 8), np.float32)
            self.assertIsNone(p(x, y))
            self.assertEqual(y[1, 7], k + 1)
            np.testing.assert_array_equal(p(x[::-1]), x + 1)
        q.run(self.x)
        self.assertEqual(q.run().verdict, "OK")  # x comes from its init function again
        with self.assertRaises(ValueError):
            p(np.zeros((2, 9), np.float32))
        with self.assertRaises(ValueError):
            p(x, x)
        self.assertIsNone(p(x, y))

    def test_step_limit(self):
        with self.assertRaises(pld.StepLimitError):
            pld.loads(ENDLESS).run(np.zeros(8, np.int32), max_steps=1000)

    def test_refused_arguments(self):
        x = self.x
        for kind, pattern, call in (
                (ValueError, r"x is \[4, 1, 64\]: got \[2, 1, 64\]", lambda: self.p.run(x[:2])),
                (ValueError, "rank 3", lambda: self.p.run(x[0])),
                (TypeError, "wanted float32, got float64", lambda: self.p.run(x.astype(float))),
                (TypeError, "int is no array", lambda: self.p.run(3)),
                (TypeError, "no parameter z; it has x, y", lambda: self.p.run(x, z=x)),
                (TypeError, "x is given twice", lambda: self.p.run(x, x=x)),
                (TypeError, "takes 2 arguments", lambda: self.p.run(x, x, x)),
                (ValueError, "y is an output and shares memory with x", lambda: self.p.run(x, x)),
                (ValueError, "read-only", lambda: self.p.run(x, self.want)),
                (TypeError, "byte order", lambda: self.p.run(x, np.zeros(x.shape, ">f4"))),
                (ValueError, "--mem takes sc or weak", lambda: self.p.run(x, mem="wek"))):
            with self.assertRaisesRegex(kind, pattern):
                call()

    def test_foreign_byte_order_is_copied(self):
        np.testing.assert_array_equal(self.p(self.x.astype(">f4")), self.p(self.x))


class Arrays(unittest.TestCase):
    def test_every_dtype(self):
        for name, kind in (("FP32", np.float32), ("FP16", np.float16), ("INT8", np.int8), ("UINT8", np.uint8), ("INT16", np.int16),
                           ("UINT16", np.uint16), ("INT32", np.int32), ("UINT32", np.uint32), ("INT64", np.int64)):
            p = pld.loads(ADD_ONE.replace("T = pl.FP32", f"T = pl.{name}"))
            x = np.arange(16).reshape(2, 8).astype(kind)
            y = p(x)
            self.assertEqual(y.dtype, kind)
            np.testing.assert_array_equal(y, x + kind(1))

    def test_bfloat16_as_bits(self):
        p = pld.loads(ADD_ONE.replace("T = pl.FP32", "T = pl.BF16"))
        x = (np.arange(16, dtype=np.float32).reshape(2, 8).view(np.uint32) >> 16).astype(np.uint16)
        y = p(x)
        self.assertEqual(y.dtype, np.uint16)
        np.testing.assert_array_equal((y.astype(np.uint32) << 16).view(np.float32), np.arange(16).reshape(2, 8) + 1)

    def test_strides(self):
        p = pld.loads(ADD_ONE)
        big = np.arange(64, dtype=np.float32).reshape(4, 16)
        for x in (big[::2, ::2], big[::-2, ::-2], big.T[:8, :2].T, np.broadcast_to(big[0, :8], (2, 8))):
            np.testing.assert_array_equal(p(x), x + 1)
        out = np.zeros((4, 16), np.float32)
        p(big[:2, :8], out[1::2, 3:11])
        np.testing.assert_array_equal(out[1::2, 3:11], big[:2, :8] + 1)
        self.assertEqual(out[0].sum() + out[1::2, :3].sum(), 0)

    def test_other_arrays(self):
        p, x = pld.loads(ADD_ONE), np.arange(16, dtype=np.float32).reshape(2, 8)

        class Interface:
            __array_interface__ = x.__array_interface__

        class DLPack:
            def __dlpack__(self):
                return x.__dlpack__()

            def __dlpack_device__(self):
                return x.__dlpack_device__()

        for a in (Interface(), DLPack()):
            np.testing.assert_array_equal(p(a), x + 1)

    def test_inputs_are_not_copied_needlessly(self):
        code = """
import resource, sys
import numpy as np, pld
n = 1 << 27
text = open(sys.argv[1]).read()
p = pld.loads(text)
x = np.zeros((2, n), np.float32)  # 1 GiB, of which pages are made when they are touched
x[:, :8] = 1
y = np.zeros((2, 8), np.float32)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
p.run(x, y)
assert y[0, 0] == 2
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
        text = ADD_ONE.replace("x: pl.Tensor[[2, N], T]", f"x: pl.Tensor[[2, {1 << 27}], T]")
        with tempfile.NamedTemporaryFile("w", suffix=".pld") as f:
            f.write(text)
            f.flush()
            r = subprocess.run([sys.executable, "-c", code, f.name], capture_output=True, text=True)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertLess(int(r.stdout), 64 * 1024)  # KiB


@unittest.skipUnless(os.environ.get("TORCH"), "make check-torch tries torch's tensors")
class Torch(unittest.TestCase):
    def test_tensors(self):
        import torch
        p = pld.loads(ADD_ONE)
        x = torch.arange(16, dtype=torch.float32).reshape(2, 8)
        y = p(x)
        self.assertIsInstance(y, torch.Tensor)
        self.assertTrue(torch.equal(y, x + 1))
        wide = torch.zeros(4, 16)
        self.assertIsNone(p(x.t().contiguous().t(), wide[::2, 1::2]))  # through strides, both ways
        self.assertTrue(torch.equal(wide[::2, 1::2], x + 1))
        self.assertEqual(float(wide[1].abs().sum() + wide[:, ::2].abs().sum()), 0)
        self.assertTrue(torch.equal(p(x.clone().requires_grad_()), x + 1))
        for wrong in (x.to(torch.float64), torch.zeros(2, 8, device="meta")):
            with self.assertRaisesRegex(TypeError, "x"):
                p(wrong)

    def test_dtypes(self):
        import torch
        for name, dtype in (("BF16", torch.bfloat16), ("FP16", torch.float16), ("INT64", torch.int64), ("UINT8", torch.uint8)):
            p = pld.loads(ADD_ONE.replace("T = pl.FP32", f"T = pl.{name}"))
            x = torch.arange(16).reshape(2, 8).to(dtype)
            y = p(x)
            self.assertEqual(y.dtype, dtype)
            self.assertTrue(torch.equal(y, x + 1), name)


class Processes(unittest.TestCase):
    def test_threads(self):
        p = pld.compile(MESH, devices=4)
        xs = [np.random.default_rng(i).standard_normal((4, 1, 64), dtype=np.float32) for i in range(8)]
        want, got = [p(x) for x in xs], [None] * 8

        def one(i):
            for _ in range(5):
                got[i] = p(xs[i])
        threads = [threading.Thread(target=one, args=(i,)) for i in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for a, b in zip(want, got):
            np.testing.assert_array_equal(a, b)

    def test_fork(self):
        p = pld.loads(ADD_ONE)
        x = np.zeros((2, 8), np.float32)
        p(x)
        pid = os.fork()
        if pid == 0:
            os._exit(0 if p(x)[0, 0] == 1 else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_interrupt(self):
        code = "import sys, numpy as np, pld\np = pld.load(sys.argv[1])\nprint('go', flush=True)\np.run(np.zeros(8, np.int32))\n"
        with tempfile.TemporaryDirectory() as d:
            pld.loads(ENDLESS).save(f"{d}/p.pldb")
            r = subprocess.Popen([sys.executable, "-c", code, f"{d}/p.pldb"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            r.stdout.readline()
            time.sleep(0.2)
            r.send_signal(signal.SIGINT)
            out, err = r.communicate()
        self.assertIn("KeyboardInterrupt", err)

    def test_nothing_is_printed(self):
        code = "import sys, pld\ntry: pld.loads('def f(:\\n')\nexcept pld.CompileError: pass\npld.compile(sys.argv[1]).run()\n"
        r = subprocess.run([sys.executable, "-c", code, MESH], capture_output=True, text=True)
        self.assertEqual((r.returncode, r.stdout, r.stderr), (0, "", ""))

    def test_import_needs_numpy_alone(self):
        code = "import sys, pld\nassert not {'torch', 'ml_dtypes', 'IPython'} & set(sys.modules)\n"
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
