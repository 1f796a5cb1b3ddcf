"""The rest of what is held against others: scalar loops against Lua, the compiler against luac, step 14
against MPI; barriers on many devices and the checks against ourselves. In turns, in processor time.
Prints a table as Markdown. usage: machine.py BUILD MPI_STEP14 DIR [ROUNDS [WORD]]   DIR: for files"""
import os
import resource
import statistics
import subprocess
import sys

build, step14, scratch = sys.argv[1:4]
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
word = sys.argv[5] if len(sys.argv) > 5 else ""
LOOPS, LINES = 3_000_000, 100_000


def cost(*args, env=None):
    """Processor time and peak memory of a program."""
    child = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        sys.exit(f"{' '.join(args)}: status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def children(*args, env=None):
    """Processor time of a program and of what it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(path, *more, devices):
    return cost(f"{build}/pldrun", "-q", path, "-d", devices, *more)


def loop():
    at = [run("tests/bench/loop.pld", "-D", f"N={n}", devices="0")[0] for n in (1, LOOPS)]
    return (at[1] - at[0]) / LOOPS


def lua_loop():
    text = "local s = 1; for i = 0, {} do s = s + i; s = s - i end; print(s)"
    at = [cost("lua5.4", "-e", text.format(n))[0] for n in (1, LOOPS)]
    return (at[1] - at[0]) / LOOPS


def sources():
    with open(f"{scratch}/k.pld", "w") as out:
        subprocess.run(["tests/bench/gen_kernel", "straight", str(LINES)], check=True, stdout=out)
    with open(f"{scratch}/k.lua", "w") as out:
        out.write("local function step(x)\n  local acc = x[0]\n")
        for i in range(LINES // 2):
            out.write(f"  t{i % 100} = mul(acc, {i % 7}.0)\n  acc = add(t{i % 100}, acc)\n")
        out.write("  return acc\nend\nreturn step\n")


def checks(which, size, reps):
    def timed(check):
        few, many = (run("tests/bench/collectives.pld", "-D", f"which={which}", "-D", f"SIZE={size}",
                         "-D", f"REPS={n}", f"--check={check}", "-j1", devices="0-3")[0] for n in (1, 1 + reps))
        return (many - few) / reps
    return lambda: timed("races,uninit,signals,fences"), lambda: timed("none")


def number(value, unit):
    if unit == "bytes":
        return f"{value:.0f} bytes" if value < 1e5 else f"{value / 1e6:.1f} MB"
    for scale, name in (1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"):
        if value >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value:.3g} s"


def spread(values, unit):
    return f"{number(statistics.median(values), unit)} ({number(min(values), unit)} to {number(max(values), unit)})"


def rows():
    """(what, unit, ours, theirs or None, must, aim)"""
    sources()
    mpi = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    compile_k = [f"{build}/pldc", f"{scratch}/k.pld", "-o", f"{scratch}/k.pldb"]
    luac = ["luac5.4", "-o", f"{scratch}/k.out", f"{scratch}/k.lua"]
    yield "a round of a scalar loop, against lua5.4", "s", loop, lua_loop, 1.0, 0.6
    yield (f"compile {LINES} lines, against luac5.4", "s", lambda: cost(*compile_k)[0],
           lambda: cost(*luac)[0], 5, 2)
    yield ("memory of that, a line", "bytes", lambda: cost(*compile_k)[1] / LINES,
           lambda: cost(*luac)[1] / LINES, "900 bytes", "400 bytes")
    barrier = lambda k: run("tests/bench/barrier.pld", devices="0-1023")[k]
    yield "barrier on 1,024 devices", "s", lambda: barrier(0), None, "1.0 s", "0.4 s"
    yield "memory of that", "bytes", lambda: barrier(1), None, "100 MB", "40 MB"
    yield ("mesh, 64 MiB: all checks, against none", "s", *checks("mesh", 1 << 24, 3), 1.2, 1.05)
    yield ("mesh, 256 bytes: all checks, against none", "s", *checks("mesh", 64, 2000), 1.3, 1.1)
    yield ("step 14, source to OK, against mpirun -n 4", "s",
           lambda: children(f"{build}/pldrun", "samples/14_reduce_scatter.pld", "-d", "0-3"),
           lambda: children("mpirun", "-n", "4", "--oversubscribe", "--bind-to", "none", step14, env=mpi),
           0.01, 0.005)


def main():
    print(f"{rounds} rounds.\n")
    print("| | ours | theirs | ratio of medians | must | aim |")
    print("| --- | --- | --- | --- | --- | --- |")
    for what, unit, ours, theirs, must, aim in rows():
        if word not in what:
            continue
        mine, other = [], []
        for _ in range(rounds):
            mine.append(ours())
            if theirs:
                other.append(theirs())
        ratio = f"{statistics.median(mine) / statistics.median(other):.3g}" if other else ""
        print(f"| {what} | {spread(mine, unit)} | {spread(other, unit) if other else ''} | {ratio} | "
              f"{must} | {aim} |", flush=True)


main()
