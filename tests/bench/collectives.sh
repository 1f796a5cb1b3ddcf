#!/bin/bash
# The builtin collectives against Open MPI's, in turns. usage: tests/bench/collectives.sh [BUILD_DIR [ROUNDS]]
. "$(dirname "$0")/lib.bash"
mpicc -O2 tests/bench/mpi/collectives.c -o "$tmp/collectives" || exit 2
python3 tests/bench/collectives.py "$build" "$tmp/collectives" "${2:-5}" | recorded collectives
