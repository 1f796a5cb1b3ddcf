#!/bin/bash
# CPU time of the compiler on generated kernels and of the chain on step 14; growth from 10,000 to
# 20,000 lines in instructions.
# usage: tests/bench/compile.sh [BUILD_DIR]
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
TIMEFORMAT='%U'
for kind in straight mixed scalars kernels; do
    for lines in 10000 20000; do
        tests/bench/gen_kernel $kind $lines >"$tmp/k.pld"
        seconds=$({ time "$build/pldc" "$tmp/k.pld" -o "$tmp/k.pldb"; } 2>&1)
        printf '%-10s %6d lines  %s s\n' $kind $lines "$seconds"
    done
done
seconds=$({ time for _ in 1 2 3 4 5 6 7 8 9 10; do
    "$build/pldrun" samples/14_reduce_scatter.pld -d 0-3 >/dev/null
done; } 2>&1)
printf 'step 14, source to OK, ten times  %s s\n' "$seconds"
SCALING_LINES=10000 tests/e2e/scaling.sh "$build"
