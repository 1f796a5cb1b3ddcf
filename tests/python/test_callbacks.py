"""Sub-workers of host programs: Python that a run calls."""
import sys
import threading
import unittest
import warnings

import numpy as np

import pld

SOURCE = """import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class Steps:
    @pl.function(type=pl.FunctionType.InCore)
    def double(self, x: pl.Tensor[[4, 16], T], y: pl.Out[pl.Tensor[[4, 16], T]]):
        return pl.store(pl.add(pl.load(x, [0, 0], [4, 16]), pl.load(x, [0, 0], [4, 16])), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x, y):
        return self.double(x, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def mend(self, y: pl.InOut[pl.Tensor[[4, 16], T]], k: pl.Scalar[pl.INT32], x: pl.Tensor[[2, 4, 16], T]):
        with open("log", "w") as f:
            print(f"{y!r}", *x, file=f)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[2, 4, 16], T], y: pl.Out[pl.Tensor[[2, 4, 16], T]], z: pl.Out[pl.Tensor[[2, 4, 16], T]]):
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], device=r)
            self.mend(y[r], r, x)
            self.chip(y[r], z[r], device=r)
        return z
"""


def compiled(dtype="FP32", **kw):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pld.CompileWarning)
        return pld.compile(SOURCE.replace("T]", f"pl.{dtype}]"), devices=2, script=True, **kw)


class Callbacks(unittest.TestCase):
    def test_at_that_point_of_the_program(self):
        p, calls = compiled(), []

        def mend(y, x, k):
            calls.append((k, y[0, 0], x[1, 0, 0], threading.get_ident()))
            y += 1
        self.assertEqual(p.sub_workers, ["mend"])
        x = np.full((2, 4, 16), 3, np.float32)
        r = p.run(x, callbacks={"mend": mend})
        me = threading.get_ident()
        self.assertEqual(sorted(calls), [(0, 6.0, 3.0, me), (1, 6.0, 3.0, me)])
        self.assertTrue((r.outputs["y"] == 7).all() and (r.outputs["z"] == 14).all())
        self.assertTrue((p.run(x).outputs["z"] == 12).all())
        self.assertTrue((p.run(x, callbacks={"mend": mend}, schedule="random:3").outputs["z"] == 14).all())

    def test_they_stand_in_the_graph_of_dispatches(self):
        r = compiled().run(np.ones((2, 4, 16), np.float32), dispatches=True)
        kinds = [(d["function"], d["subworker"], d["rank"], d["after"]) for d in r.dispatches]
        queue = [{"id": 0, "why": "queue"}]
        self.assertEqual(kinds[:3], [("chip", False, 0, []), ("mend", True, 0, queue), ("chip", False, 0, [{"id": 1, "why": "queue"}])])
        self.assertEqual(kinds[4][3], [{"id": 2, "why": "queue"}, {"id": 3, "why": "data"}])
        self.assertEqual(r.dispatches[1]["tensors"][0], {"tensor": "y", "offset": 0, "bytes": 256, "writes": True})
        with self.assertRaisesRegex(ValueError, "not recorded"):
            compiled().run(np.ones((2, 4, 16), np.float32)).dispatches

    def test_every_dump_has_them(self):
        p = compiled(dump_passes=True)
        for name, text in p.dumps().items():
            again = pld.compile(text, filename=f"{name}.ir")
            self.assertEqual((again.hash, again.sub_workers), (p.hash, ["mend"]), name)

    def test_dtypes(self):
        for dtype, numpy in (("INT32", "i4"), ("FP16", "f2"), ("BF16", "u2")):
            p = compiled(dtype)
            x = np.zeros((2, 4, 16), numpy)

            def mend(y, x, k, numpy=numpy):
                self.assertEqual((y.shape, y.itemsize, x.shape), ((4, 16), np.dtype(numpy).itemsize, (2, 4, 16)))
                y[...] = np.zeros(1, y.dtype)
            self.assertFalse(p.run(x, callbacks={"mend": mend}).outputs["z"].any())

    def test_what_they_raise_comes_out(self):
        p, x = compiled(), np.ones((2, 4, 16), np.float32)
        y, z = np.full_like(x, 9), np.full_like(x, 9)

        def fails(y, x, k):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            p.run(x, y, z, callbacks={"mend": fails})
        self.assertTrue((y == 9).all() and (z == 9).all())
        for wrong in ({"mind": fails}, {"chip": fails}):
            with self.assertRaisesRegex(ValueError, "no sub-worker"):
                p.run(x, callbacks=wrong)
        with self.assertRaisesRegex(ValueError, "sub-workers"):
            p.explore(x, callbacks={"mend": fails})
        self.assertTrue(p.run(x))

    @unittest.skipUnless("torch" in sys.modules, "torch was not imported")
    def test_in_the_flavour_of_the_caller(self):
        import torch
        for dtype, torch_dtype in (("FP32", torch.float32), ("BF16", torch.bfloat16)):
            def mend(y, x, k, torch_dtype=torch_dtype):
                self.assertEqual((type(y), y.dtype), (torch.Tensor, torch_dtype))
                y.add_(1)
            r = compiled(dtype).run(torch.ones(2, 4, 16, dtype=torch_dtype), callbacks={"mend": mend})
            self.assertTrue((r.outputs["z"] == 6).all())


if __name__ == "__main__":
    unittest.main()
