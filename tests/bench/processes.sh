#!/bin/bash
# Devices over MPI processes. usage: tests/bench/processes.sh [BUILD_DIR [ROUNDS [WORD]]]
. "$(dirname "$0")/lib.bash"
scripts/bootstrap mpi && make -s plugins || exit 2
mpicc.openmpi -O2 tests/bench/mpi/collectives.c -o "$tmp/collectives" || exit 2
mpicc.openmpi -O2 tests/bench/mpi/rounds.c -o "$tmp/rounds" || exit 2
python3 tests/bench/processes.py "$build" "$tmp/collectives" "$tmp/rounds" "${2:-5}" "$3" | recorded processes
