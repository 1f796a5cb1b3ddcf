"""Operations on tensors of every size against NumPy: usage: run.py BUILD [PATTERN]

Each case of cases.py is a kernel in one scope, its inputs and what NumPy says. It is compiled and run; outputs are
compared to the bit (or within `rtol`), every dump compiles to the same stripped bytes, and no check reports anything.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import cases
import kernels  # noqa: F401: appends to the cases

PLATFORM = ("-p", os.environ.get("PLATFORM", "a2a3sim"))
NAMES = {"float32": "FP32", "float16": "FP16", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64",
         "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32"}


def spec(a):
    return f"{NAMES[a.dtype.name]}[{','.join(map(str, a.shape))}]"


def program(case):
    outs = ", ".join(f"{n}: pl.Out[pl.Tensor]" for n in case.want)
    ins = "".join(f"{n}: pl.Tensor, " for n in case.given)
    body = "\n".join("        " + line for line in case.body.strip("\n").split("\n"))
    results = ", ".join(case.want)
    return f"""import pypto.language as pl
import pypto.language.distributed as pld


@pl.jit
def main({ins}{outs}):
    with pl.at(level=pl.Level.CORE_GROUP):
{body}
    return {results}
"""


def differ(got, want, rtol):
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape}, not {want.dtype}{want.shape}"
    if got.dtype.kind == "f":
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        if rtol:
            with np.errstate(all="ignore"):
                same |= np.abs(got.astype(np.float64) - want) <= rtol * np.maximum(np.abs(want), 1e-2)
        else:
            same &= np.isnan(want) | (np.signbit(got) == np.signbit(want))
    else:
        same = got == want
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{list(at)}: {got[at]!r}, not {want[at]!r} ({(~same).sum()} of {same.size})"


def call(*command):
    r = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return r.returncode, r.stdout + r.stderr


def try_case(build, case, folder):
    path = f"{folder}/case.pld"
    with open(path, "w") as f:
        f.write(program(case))
    types, args = [], []
    for n, a in case.given.items():
        np.save(f"{folder}/{n}.npy", a)
        args += ["--input", f"{n}={folder}/{n}.npy"]
        types += ["--tensor", f"{n}={spec(a)}"]
    for n, a in case.want.items():
        args += ["--tensor", f"{n}={spec(a)}", "--output", f"{n}={folder}/{n}.out.npy"]
        types += ["--tensor", f"{n}={spec(a)}"]
    status, text = call(f"{build}/pldrun", "-q", path, *PLATFORM, *args)
    if case.says:
        return None if status and case.says in text else f"exit {status}: {text[:300]!r} lacks {case.says!r}"
    if status:
        return f"exit {status}: {text[:400]}"
    for n, a in case.want.items():
        wrong = differ(np.load(f"{folder}/{n}.out.npy"), a, case.rtol)
        if wrong:
            return f"{n}{wrong}"
    return dumps(build, path, types, folder)


def dumps(build, path, types, folder):
    for old in glob.glob(f"{folder}/d/*.ir"):
        os.unlink(old)
    status, text = call(f"{build}/pldc", path, *PLATFORM, *types, "--strip", "-o", f"{folder}/a.pldb", f"--dump-passes={folder}/d")
    if status:
        return text[:300]
    whole = open(f"{folder}/a.pldb", "rb").read()
    for dump in sorted(glob.glob(f"{folder}/d/*.ir")):
        status, text = call(f"{build}/pldc", dump, *PLATFORM, "--strip", "-o", f"{folder}/b.pldb")
        if status or open(f"{folder}/b.pldb", "rb").read() != whole:
            return f"{os.path.basename(dump)} is another program: {text[:300]}"
    return None


def main():
    build, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases.ALL:
            if not re.search(pattern, case.name):
                continue
            wrong = try_case(build, case, folder)
            passed += wrong is None
            failed += wrong is not None
            if wrong:
                print(f"{case.name}: {wrong}", flush=True)
                if os.environ.get("KEEP"):
                    os.makedirs(os.environ["KEEP"], exist_ok=True)
                    open(f"{os.environ['KEEP']}/{case.name}.pld", "w").write(program(case))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
