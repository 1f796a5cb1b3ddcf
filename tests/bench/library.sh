#!/bin/bash
# Overheads of calls in process, and how fast a run ends when it is cancelled.
# usage: tests/bench/library.sh [BUILD_DIR]
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build}
"$build/tests/bench/cancel" || exit 1
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null || continue
    PLD_LIBRARY=$build/libpld.so.0 PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 "$python" tests/bench/calls.py
    exit
done
echo 'no python3 with numpy: the overhead of its calls is not measured'
