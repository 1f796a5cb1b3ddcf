"""Random programs against the model: usage: run.py BUILD COUNT [FIRST_SEED]

For each seed: the program compiles; its outputs are those of model.py, to the bit, on several schedules and
under weak memory; no check reports anything; every dump compiles to the same stripped bytes. A difference
leaves the program in FAILED_DIR (default: the working directory) and names its seed. Closes with a count.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

import generate
import model
import orchestrate

OUTPUTS = ("y", "p", "z")


def inputs(seed, ranks, size):
    r = np.random.default_rng(seed)
    shape = (ranks, size["xr"], size["c"])
    x = (r.standard_normal(shape) * 10.0 ** r.integers(-2, 4, shape)).astype(np.float32)
    x[r.random(shape) < 0.02] = r.choice(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40], np.float32))
    q = r.integers(-(1 << 31), 1 << 31, shape).astype(np.int32)
    q[r.random(shape) < 0.5] %= 100
    return {"x": x, "q": q, "c": r.integers(-4, 9, (ranks, 8)).astype(np.int32), "y": np.ones(shape, np.float32),
            "p": np.ones(shape, np.int32), "z": np.zeros((ranks, 8), np.int32)}


def expected(text, ranks, size, given):
    """Runs the model on copies; returns the outputs."""
    host = {n: a.copy() for n, a in given.items()}
    windows = {n: model.Window(eval(shape.format(**size)), dtype, ranks) for n, (dtype, shape) in generate.SHAPES.items()}
    dtype = {"x": "FP32", "y": "FP32"}
    if size.get("entry"):
        model.run(text, "step", [[model.Memory(host[n], dtype.get(n, "INT32")) for n in host]])
        return {n: host[n] for n in OUTPUTS}
    arguments = [[model.Memory(host[n][r], dtype.get(n, "INT32")) for n in host] + [w.slices[r] for w in windows.values()] for r in range(ranks)]
    model.run(text, "step", arguments)
    return {n: host[n] for n in OUTPUTS}


def same(a, b):
    """Equal to the bit, any NaN being one."""
    if a.dtype.kind == "f":
        both = np.isnan(a) & np.isnan(b)
        return bool(np.all(both | (a.view(np.uint32) == b.view(np.uint32))))
    return bool(np.array_equal(a, b))


def call(*command):
    r = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return r.returncode, r.stdout + r.stderr


class Trial:
    def __init__(self, build, seed, folder):
        self.build, self.seed, self.dir = build, seed, folder
        self.ranks = (2, 3, 1, 4)[seed % 4]
        self.text, self.size = orchestrate.entry(seed, generate) if self.ranks == 1 else generate.program(seed, self.ranks)
        self.path = f"{folder}/random.pld"
        with open(self.path, "w") as f:
            f.write(self.text)
        self.devices = f"0-{self.ranks - 1}"

    def outputs(self, program, want, *options):
        """Runs; what is wrong, or None."""
        args = [f"{self.build}/pldrun", program, "-d", self.devices, "-q", *options]
        for n in self.given:
            args += ["--input", f"{n}={self.dir}/{n}.npy"]
        for n in OUTPUTS:
            args += ["--output", f"{n}={self.dir}/{n}.out.npy"]
        status, text = call(*args)
        if status:
            return f"pldrun {' '.join(options)}: exit {status}: {text[:400]}"
        for n in OUTPUTS:
            got = np.load(f"{self.dir}/{n}.out.npy")
            if not same(got, want[n]):
                i = next(i for i in np.ndindex(got.shape) if not same(got[i].reshape(1), want[n][i].reshape(1)))
                return f"pldrun {' '.join(options)}: {n}{list(i)} is {got[i]!r}, the model says {want[n][i]!r}"
        return None

    def dumps(self):
        """Every dump compiles to the same stripped bytes; what is wrong, or None."""
        whole, again, folder = f"{self.dir}/a.pldb", f"{self.dir}/b.pldb", f"{self.dir}/dumps"
        status, text = call(f"{self.build}/pldc", self.path, "-d", self.devices, "--strip", "-o", whole, f"--dump-passes={folder}")
        if status:
            return f"pldc: exit {status}: {text[:600]}"
        want = open(whole, "rb").read()
        for f in sorted(os.listdir(folder)):
            status, text = call(f"{self.build}/pldc", f"{folder}/{f}", "--strip", "-o", again)
            if status:
                return f"dump {f}: exit {status}: {text[:600]}"
            if open(again, "rb").read() != want:
                return f"dump {f}: other bytes"
            os.unlink(f"{folder}/{f}")
        return None

    def judge(self):
        wrong = self.dumps()
        if wrong:
            return wrong
        self.given = inputs(self.seed, self.ranks, self.size)
        if self.size.get("entry"):
            self.given = {n: a[0].copy() for n, a in self.given.items()}
        for n, a in self.given.items():
            np.save(f"{self.dir}/{n}.npy", a)
        try:
            want = expected(self.text, self.ranks, self.size, self.given)
        except Exception as e:
            return f"model: {e!r}"
        pldb = f"{self.dir}/a.pldb"
        return (self.outputs(self.path, want) or self.outputs(pldb, want, f"--schedule=random:{self.seed}")
                or self.outputs(pldb, want, "--mem=weak", f"--schedule=random:{self.seed + 1}"))


def main():
    build, count = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            trial = Trial(build, seed, folder)
            wrong = trial.judge()
            if wrong:
                failed += 1
                kept = os.path.join(os.environ.get("FAILED_DIR", "."), f"random-{seed}.pld")
                with open(kept, "w") as f:
                    f.write(trial.text)
                print(f"seed {seed}: {wrong} (see {kept})", flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
