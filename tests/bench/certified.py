#!/usr/bin/env python3
"""Whether one run decides: every builtin called twice, or every sample in every mode, sc and weak.

usage: certified.py BUILD builtins|samples DEVICES...
A line for each: whether --explore is content with one run, CPU seconds of the plain run and of that.
LIMIT in the environment: seconds after which a run is given up (120). Status 1: one is not certified,
was given up, or costs more than twice the plain run. On many devices the samples' tensors are made
small: the golden functions, which no certificate needs, would take the time.
"""
import glob
import os
import re
import subprocess
import sys

C = "tests/e2e/collectives/"
TWICE = "barrier broadcast allgather all_to_all reduce_scatter mesh".split()
RING_TO = 128  # devices
MANY = 32  # devices beyond which tensors are small
SMALL = {
    "20": "SIZE=4 CHUNK=2", "21": "ROWS=1 SIZE=4", "22": "ROWS=1 SIZE=4",
    "23": "M=2 N=2 SIZE=4 TM=1 TN=1 TK=2", "24": "M=2 N=2 SIZE=4 SPLITS=2",
    "25": "ROWS=2 HEAD=2 SIZE=4 BLOCK=2", "30": "ROWS=1 IN=2 SIZE={devices} OUT=2",
    "31": "ROWS=1 SIZE=2 COLS=2", "32": "ROWS=1 SIZE=2 COLS=2",
    "33": "TOKENS=2 SIZE=2 CAPACITY=2", "34": "ROWS=1 SIZE=1 HEAD=2", "35": "SIZE=4",
    "36": "SIZE=1 BATCHES=3",
    # by parts of the tensor, one a device
    "09": "SIZE={devices}", "10": "SIZE={devices}", "11 ring": "SIZE={devices}",
}
# Samples that are not for more devices than this, and why.
MOST = {"36": (127, "each stage doubles, and 2**128 is no FP32")}


def run(build, args):
    """Status, CPU seconds and last line of output of a run."""
    limit = os.environ.get("LIMIT", "120")
    command = ["timeout", limit, build + "/pldrun", "-q", *args]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL, text=True)
    lines = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, lines[-1] if lines else ""


def judge(build, what, args):
    """Prints the line of one program under one memory model; False: it misses the bar."""
    status, plain, _ = run(build, args)
    if status == 2:
        print("-- ", what, "is not for so many devices", flush=True)
        return True
    status, decides, last = run(build, [*args, "--explore"])
    if decides > 2 * plain:  # short runs vary: the least of two
        plain = min(plain, run(build, args)[1])
        decides = min(decides, run(build, [*args, "--explore"])[1])
    good = status == 0 and last.endswith("one run decides") and decides <= 2 * plain
    print(f"{'ok ' if good else 'NOT'} {what} {plain:.3f} {decides:.3f}",
          "" if good else f"status {status} {last}", flush=True)
    return good


def small(name, devices):
    """Options that make the tensors of a sample small, where that is needed."""
    if devices <= MANY:
        return []
    kinds = [name[:2] + name[name.find(" "):] if " " in name else "", name[:2]]
    sizes = next((SMALL[kind] for kind in kinds if kind in SMALL), "SIZE=1")
    return [word for size in sizes.format(devices=devices).split() for word in ("-D", size)]


def programs(which, devices):
    """(name, arguments) of all there are."""
    if which == "builtins":
        for name in TWICE:
            yield name, ["tests/e2e/repeated.pld", *"-D SIZE=1 -D".split(), "mode=" + name]
        yield "all_to_all_v", [C + "all_to_all_v.pld", "-D", "REPS=2"]
        if devices <= RING_TO:
            yield "ring", [C + "allreduce.pld", *f"-D REPS=2 -D SIZE={devices} -D mode=ring".split()]
        return
    for path in sorted(glob.glob("samples/*.pld")):
        with open(path, encoding="utf-8") as file:
            mode = re.search(r'(\w+)\s*:\s*Literal\[([^]]*)\]', file.read())
        for value in re.findall(r'"(\w+)"', mode[2]) if mode else [None]:
            name = os.path.basename(path)[:-4] + (" " + value if value else "")
            if ("ring" in name.split("_", 2)[-1] and name[:2] != "34" and devices > RING_TO):
                continue
            most, why = MOST.get(name[:2], (devices, ""))
            if devices > most:
                print("-- ", name, "on", devices, "devices:", why, flush=True)
                continue
            yield name, [path, *(["-D", f"{mode[1]}={value}"] if value else []),
                         *small(name, devices)]


def main():
    """All of it."""
    build, which, *counts = sys.argv[1:]
    missed = 0
    for devices in map(int, counts):
        for name, args in programs(which, devices):
            for mem in ("sc", "weak"):
                what = f"{name} on {devices}, {mem}:"
                missed += not judge(build, what, [*args, "-d", f"0-{devices - 1}", "--mem=" + mem])
    return missed > 0


sys.exit(main())
