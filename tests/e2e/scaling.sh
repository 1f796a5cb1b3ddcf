#!/bin/bash
# Twice the lines, or links of a chain, take at most 2.2 times the instructions, and the chain from source to OK keeps
# within its number of instructions. LONG=1: chains of 100,000 as well, some minutes.
. "$(dirname "$0")/lib.bash"

if ! command -v valgrind >/dev/null; then echo 'no valgrind: nothing measured'; ok; finish; fi

# instructions COMMAND...: counted by callgrind
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/.*I *refs: *//p' | tr -d ,
}
# grows GENERATOR KIND N
grows() {
    "tests/bench/$1" "$2" "$3" >"$tmp/small.pld"
    "tests/bench/$1" "$2" $((2 * $3)) >"$tmp/large.pld"
    exits "$2 of $3" 0 "$build/pldc" -q "$tmp/small.pld" -o "$tmp/x.pldb"
    local small large
    small=$(instructions "$build/pldc" -q "$tmp/small.pld" -o "$tmp/x.pldb")
    large=$(instructions "$build/pldc" -q "$tmp/large.pld" -o "$tmp/x.pldb")
    if [ -n "$small" ] && [ -n "$large" ] && [ $((large * 10)) -le $((small * 22)) ]; then ok
    else bad "$2 of $3 and $((2 * $3)): $small and $large instructions"; fi
}
# a_line KIND BAR: instructions of 2,000 more lines
a_line() {
    local few many
    tests/bench/gen_kernel "$1" 1000 >"$tmp/small.pld"
    tests/bench/gen_kernel "$1" 3000 >"$tmp/large.pld"
    few=$(instructions "$build/pldc" -q "$tmp/small.pld" -o "$tmp/x.pldb")
    many=$(instructions "$build/pldc" -q "$tmp/large.pld" -o "$tmp/x.pldb")
    if [ -n "$few" ] && [ -n "$many" ] && [ $((many - few)) -le $(($2 * 2000)) ]; then ok
    else bad "$1: $few instructions for 1,000 lines, $many for 3,000; the bar is $2 a line"; fi
}
lines=${SCALING_LINES:-600}
for kind in straight mixed scalars kernels; do grows gen_kernel $kind "$lines"; done
for kind in constants parameters live loop exits windows; do grows gen_chain $kind 1500; done
for kind in tuples swaps; do grows gen_chain $kind 2000; done
if [ -n "$LONG" ]; then
    for kind in constants swaps loop exits; do grows gen_chain $kind 50000; done
    # A function has 65,535 registers at most, a tuple 65,536 items.
    for kind in parameters live tuples; do
        grows gen_chain $kind 30000
        tests/bench/gen_chain $kind 100000 >"$tmp/large.pld"
        exits "$kind of 100,000" 1 "$build/pldc" -q "$tmp/large.pld" -o "$tmp/x.pldb"
        says "$kind of 100,000" 'needs more than 65535|a tuple of more than 65536'
    done
fi

# What a line takes: instructions, and bytes; not with sanitizers, whose checks take more.
if [ "$build" = build ]; then
    a_line straight 46000
    a_line mixed 62000
    a_line scalars 48000
    a_line kernels 44000
    tests/bench/gen_kernel straight 20000 >"$tmp/large.pld"
    exits '20,000 lines in 20 MB' 0 "$build/pldc" -q --max-memory 20M "$tmp/large.pld" -o "$tmp/x.pldb"
fi

# Less than two milliseconds.
n=$(instructions "$build/pldrun" samples/14_reduce_scatter.pld -d 0-3)
if [ "${n:-99999999}" -le 6000000 ]; then ok; else bad "step 14 takes $n instructions"; fi
finish
