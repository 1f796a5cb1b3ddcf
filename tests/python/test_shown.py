"""What runs show besides arrays: prints, watched elements, reports in other forms; options of the command line."""
import contextlib
import io
import os
import shlex
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np

import pld

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MESH = f"{ROOT}/samples/08_allreduce_mesh.pld"


def said(f, *args, **kw):
    """What a call prints, and its result."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = f(*args, **kw)
    return out.getvalue(), result


class Shown(unittest.TestCase):
    def setUp(self):
        self.p = pld.compile(MESH, devices=2)

    def test_prints_and_watches(self):
        text, r = said(self.p.run, print=["y[0,0,:2]", "x[1,0,0]"], watch="data_buf[1][0,0]")
        self.assertTrue(r)
        self.assertRegex(text, r"(?s)^watch: rank 1: data_buf\[0, 0\]: .*y\[0,0,:2\] =\n\[.*x\[1,0,0\] = ")
        self.assertEqual(said(self.p.run)[0], "")
        for wrong in ({"print": "nothing"}, {"watch": "nothing[0]"}, {"print": ""}):
            with self.assertRaises(ValueError):
                self.p.run(**wrong)

    def test_objects_and_junit(self):
        r = self.p.run(diagnostics="json", report="junit", seed=5)
        self.assertEqual(r.diagnostics[-1]["verdict"], r.verdict)
        suite = xml.etree.ElementTree.fromstring(r.junit)[0]
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("0", "0"))
        r = self.p.run(x=np.ones(self.p.params["x"].shape, "f4"), golden={"y": np.ones(self.p.params["y"].shape, "f4")},
                       diagnostics="json", report="junit", strict=False)
        self.assertEqual([d["kind"] for d in r.diagnostics[:-1] if d["severity"] == "error"], ["golden"])
        self.assertEqual(xml.etree.ElementTree.fromstring(r.junit)[0].get("failures"), "1")
        for what in ("diagnostics", "junit"):
            with self.assertRaisesRegex(ValueError, "was not recorded"):
                getattr(self.p.run(), what)

    def test_quiet_and_limits(self):
        golden = {"y": np.ones(self.p.params["y"].shape, "f4")}
        self.assertIn("replay: ", self.p.run(golden=golden, strict=False).text)
        self.assertNotIn("replay: ", self.p.run(golden=golden, strict=False, quiet=True).text)
        with self.assertRaisesRegex(MemoryError, "max-memory"):
            self.p.run(max_memory="100K")
        self.assertTrue(self.p.run(max_memory="1G", jobs=2))

    def test_flags_are_no_files(self):
        for wrong, words in ({"timeline": "x.svg"}, r"\.timeline\.save\(path\)"), ({"cost": "yes"}, r"\.cost "), ({"trace": "x"}, r"\.trace "):
            with self.assertRaisesRegex(TypeError, words):
                self.p.run(**wrong)
        self.assertTrue(self.p.run(cost=np.bool_(True), timeline=None, trace=0).cost)

    def test_a_replay_line_can_be_pasted(self):
        with open(MESH, encoding="utf-8") as f:
            text = f.read().replace("if peer != my_rank:\n                    pld.system.notify",
                                    "if peer < my_rank:\n                    pld.system.notify")
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/not so.pld"
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            p = pld.compile(path, devices=2, defines={"SIZE": 16})
            r = p.run(strict=False, seed=7, diagnostics="json")
            line = r.text.rstrip().splitlines()[-1]
            self.assertRegex(line, f"^replay: pldrun '{path}' -D SIZE=16 -d 0-1 --seed=7 --schedule=r2[^ ]+$")
            self.assertEqual(r.diagnostics[0]["replay"], line[len("replay: "):])
            again = subprocess.run([f"{os.environ['PLD_BUILD']}/pldrun", *shlex.split(line)[2:]], capture_output=True, text=True)
            self.assertEqual((again.returncode, line[-40:] in again.stderr), (r.status, True), again.stderr)
            q = pld.compile(path, devices=2)
            q.save(f"{folder}/a.pldb")
            self.assertIn(f"replay: pldrun {folder}/a.pldb --schedule=r2", pld.load(f"{folder}/a.pldb").run(strict=False).text)
            given = q.run(np.zeros(q.params["x"].shape, "f4"), strict=False)  # of arrays pldrun knows nothing
            self.assertEqual(given.text.rstrip().splitlines()[-1], f"replay: schedule={given.token}")
        r = pld.loads(text).run(strict=False)
        self.assertEqual(r.text.rstrip().splitlines()[-1], f"replay: schedule={r.token}")

    def test_parse_says_what_is_there(self):
        text = pld.parse(MESH, devices=3, defines={"SIZE": 16})
        self.assertTrue(text.startswith("# pld-ir 00_parsed ranks=3 SIZE=16"))
        self.assertEqual(pld.compile(text, filename="again.ir").hash, pld.compile(MESH, devices=3, defines={"SIZE": 16}).hash)
        self.assertEqual(pld.parse("import pypto.language as pl\n@pl.jit\ndef f(x: pl.Tensor[[2, 8], pl.FP32],\n"
                                   "      y: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):\n    pass\n").diagnostics[0].code, "unwritten-out")


if __name__ == "__main__":
    unittest.main()
