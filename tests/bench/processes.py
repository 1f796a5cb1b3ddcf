"""Devices over MPI processes, against Open MPI by hand and against one process, in turns. A call of ours
is the difference of two runs with different numbers of calls, so that starting cancels out.
Prints a table as Markdown. usage: processes.py BUILD COLLECTIVES ROUNDS_BY_HAND [ROUNDS [WORD]]"""
import os
import statistics
import subprocess
import sys
import time

build, collectives, by_hand = sys.argv[1:4]
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
word = sys.argv[5] if len(sys.argv) > 5 else ""
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
PROCESSES = 4


def launch(n, *command):
    return ["mpirun.openmpi", "-n", str(n), "--oversubscribe", "--bind-to", "none", *command]


def wall(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def ours(n, program, devices, *options):
    command = [f"{build}/pldrun", "-q", program, "-d", devices, *options]
    return launch(n, *command, "--fabric=mpi") if n > 1 else [*command, "--check=none"]


def printed(n, *command):
    text = subprocess.run(launch(n, *command), check=True, env=ENV, stdout=subprocess.PIPE, text=True).stdout
    return float(text.split()[0])


def call(which, reps):
    def run(count):
        return wall(ours(PROCESSES, "tests/bench/collectives.pld", "0-3", "-D", f"which={which}", "-D",
                         f"SIZE={1 << 24}", "-D", f"REPS={count}"))
    return (run(1 + reps) - run(1)) / reps


def notify_wait(count):
    def run(reps):
        return wall(ours(2, "tests/bench/rounds.pld", "0,1", "-D", f"REPS={reps}"))
    return (run(count) - run(1)) / count


def rows():
    for which, must, aim in (("mesh", 1.5, 0.8), ("ring", 1.5, 1.0), ("reduce_scatter", 1.5, 1.0),
                             ("allgather", 1.5, 1.0), ("all_to_all", 1.5, 1.0)):
        yield (f"{which}, 64 MiB a rank, 4 processes", lambda w=which: call(w, 20),
               lambda w=which: printed(PROCESSES, collectives, w, str(1 << 24), "20"), must, aim)
    yield ("notify and wait, a round of two processes", lambda: notify_wait(200000),
           lambda: printed(2, by_hand, "200000"), 2, 1.2)
    step10 = ("tests/bench/collectives.pld", "0-63", "-D", "which=ring", "-D", "SIZE=1048576", "-D", "REPS=3")
    yield ("ring on 64 ranks over 2 processes, against one process", lambda: wall(ours(2, *step10)),
           lambda: wall(ours(1, *step10)), 0.8, 0.55)


def text(values):
    middle = statistics.median(values)
    unit, name = (1, "s") if middle >= 1 else (1e-3, "ms") if middle >= 1e-3 else (1e-6, "us")
    return f"{middle / unit:.3g} {name} ({min(values) / unit:.3g} to {max(values) / unit:.3g})"


def main():
    print(f"{rounds} rounds, on the wall.\n")
    print("| | ours | theirs | ratio of medians | must | aim |")
    print("| --- | --- | --- | --- | --- | --- |")
    for what, mine, other, must, aim in rows():
        if word not in what:
            continue
        pairs = [(mine(), other()) for _ in range(rounds)]
        a, b = [p[0] for p in pairs], [p[1] for p in pairs]
        print(f"| {what} | {text(a)} | {text(b)} | {statistics.median(a) / statistics.median(b):.2f} | {must} | "
              f"{aim} |", flush=True)


main()
