#!/bin/bash
# How cost grows with devices, payload, lines, live ranges and executions: a table, and tests/bench/growth.svg.
# usage: tests/bench/growth.sh [BUILD_DIR [ROUNDS]]
. "$(dirname "$0")/lib.bash"
python3 tests/bench/growth.py "$build" tests/bench/growth.svg "${2:-3}" | recorded growth
