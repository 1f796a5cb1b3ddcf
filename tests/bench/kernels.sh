#!/bin/bash
# Kernels against NumPy and OpenBLAS, in turns. usage: tests/bench/kernels.sh [BUILD_DIR [ROUNDS]]
. "$(dirname "$0")/lib.bash"
rounds=${2:-7}
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
{
    numpy tests/bench/kernels.py "$build" "$rounds"
    echo
    OPENBLAS_CORETYPE=Haswell numpy tests/bench/kernels.py "$build" "$rounds" matmul
} | recorded kernels
