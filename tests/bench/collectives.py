"""The builtin collectives against Open MPI's, in turns: ours, theirs, ours, ... A call of ours is the
difference of two runs with different numbers of calls, so that start and end of the program cancel out.
Prints a table as Markdown. usage: collectives.py BUILD MPI_PROGRAM [ROUNDS [WORD]]"""
import os
import resource
import statistics
import subprocess
import sys
import time

build, peer = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
word = sys.argv[4] if len(sys.argv) > 4 else ""
RANKS = 4


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(which, size, reps, options):
    wall, used = time.perf_counter(), children()
    subprocess.run([f"{build}/pldrun", "-q", "tests/bench/collectives.pld", "-d", f"0-{RANKS - 1}",
                    "-D", f"which={which}", "-D", f"SIZE={size}", "-D", f"REPS={reps}", *options],
                   check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - wall, children() - used


def ours(which, size, reps, options):
    """On the wall with two threads, in processor time with one: the other one waits by looking."""
    times = []
    for k, threads in enumerate(["-j2", "-j1"]):
        few, many = (run(which, size, n, [*options, threads])[k] for n in (1, 1 + reps))
        times.append((many - few) / reps)
    return times


def theirs(which, size, reps):
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    text = subprocess.run(["mpirun", "-n", str(RANKS), "--oversubscribe", "--bind-to", "none", peer, which,
                           str(size), str(reps)], check=True, env=env, stdout=subprocess.PIPE, text=True)
    return [float(x) for x in text.stdout.split()]


ROWS = [
    # what, builtin, elements a rank, calls, options, must, aim
    ("mesh allreduce, 64 MiB", "mesh", 1 << 24, 3, [], 0.5, 0.25),
    ("ring allreduce, 64 MiB", "ring", 1 << 24, 3, [], 0.4, 0.3),
    ("reduce_scatter, 64 MiB", "reduce_scatter", 1 << 24, 3, [], 0.12, 0.08),
    ("allgather, 64 MiB", "allgather", 1 << 24, 3, [], 1.0, 0.8),
    ("all_to_all, 64 MiB", "all_to_all", 1 << 24, 3, [], 1.0, 0.8),
    ("mesh allreduce, 256 bytes", "mesh", 64, 2000, [], 1.0, 0.2),
]


def text(values):
    middle = statistics.median(values)
    unit, name = (1e-3, "ms") if middle >= 1e-3 else (1e-6, "us")
    return f"{middle / unit:.3g} {name} ({min(values) / unit:.3g} to {max(values) / unit:.3g})"


def main():
    version = subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, text=True).stdout
    print(f"{version.splitlines()[0]}, {RANKS} ranks, {rounds} rounds; a call, on the wall, ours with -j2, and in "
          "processor time of all ranks, ours with -j1.\n")
    print("| | ours, wall | theirs, wall | ratio | ours, processor | theirs, processor | ratio | must | aim |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for what, which, size, reps, options, must, aim in ROWS:
        if word not in what:
            continue
        mine, other = [], []
        for _ in range(rounds):
            mine.append(ours(which, size, reps, options))
            other.append(theirs(which, size, reps))
        cells = []
        for k in 0, 1:
            a, b = [m[k] for m in mine], [o[k] for o in other]
            cells += [text(a), text(b), f"{statistics.median(a) / statistics.median(b):.2f}"]
        print(f"| {what} | {' | '.join(cells)} | {must} | {aim} |", flush=True)


main()
