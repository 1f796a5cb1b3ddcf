#!/bin/bash
# Loops, the compiler, many devices, the checks: against Lua, luac, MPI and ourselves, in turns.
# usage: tests/bench/machine.sh [BUILD_DIR [ROUNDS]]
. "$(dirname "$0")/lib.bash"
mpicc -O2 tests/bench/mpi/step14.c -o "$tmp/step14" || exit 2
python3 tests/bench/machine.py "$build" "$tmp/step14" "$tmp" "${2:-5}" | recorded machine
