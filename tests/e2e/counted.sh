#!/bin/bash
# What a run takes in instructions, a unit of each kind, held to a third more than it took when it was last
# looked at; and how that grows. Differences of two runs, so that start and end cancel out.
. "$(dirname "$0")/lib.bash"

if ! command -v valgrind >/dev/null; then echo 'no valgrind: nothing measured'; ok; finish; fi

# instructions ARGS...: of pldrun
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/pldrun" -q -j1 "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : *//p'
}
# takes WHAT MOST UNITS LESS -- MORE -- ARGS...: so many instructions a unit, of which MORE has UNITS more than LESS
takes() {
    local what=$1 most=$2 units=$3 less=$4 more=$5 a b; shift 5
    a=$(instructions "$@" -D "$less"); b=$(instructions "$@" -D "$more")
    per=$(((b - a) / units))
    if [ -n "$a" ] && [ "$per" -gt 0 ] && [ "$per" -le "$most" ]; then ok; [ -z "$SHOW" ] || echo "$what: $per"
    else bad "$what: $per instructions, $most at most"; fi
}

takes 'a round of a scalar loop' 85 10000 N=1000 N=11000 tests/bench/loop.pld -d 0

# With the number of devices a barrier grows as the number of its notifies, and the heap of lanes that can run.
barrier=tests/bench/barrier.pld
takes 'a notify of a barrier, 64 devices' 2900 $((64 * 63 * 3 * 2)) REPS=1 REPS=3 $barrier -d 0-63
small=$per
takes 'a notify of a barrier, 128 devices' 3000 $((128 * 127 * 3)) REPS=1 REPS=2 $barrier -d 0-127
if [ $((per * 10)) -le $((small * 12)) ]; then ok; else bad "a notify: $small on 64 devices, $per on 128"; fi

# call WHAT MOST CALLS WHICH ELEMENTS MORE...
call() {
    local what=$1 most=$2 calls=$3 which=$4 elements=$5; shift 5
    takes "$what" "$most" "$calls" REPS=1 "REPS=$((1 + calls))" tests/bench/collectives.pld -d 0-3 \
        -D which="$which" -D SIZE="$elements" "$@"
}
call 'a mesh allreduce of 256 bytes' 310000 40 mesh 64
all=$per
call 'the same without checks' 220000 40 mesh 64 --check=none
if [ $((all * 10)) -le $((per * 16)) ]; then ok; else bad "256 bytes: $all with the checks, $per without"; fi
call 'a mesh allreduce of 1 MiB' 21000000 4 mesh $((1 << 18))
call 'a ring allreduce of 1 MiB' 9700000 4 ring $((1 << 18))
call 'a ring allreduce of 4 MiB' 36000000 2 ring $((1 << 20))
call 'a reduce_scatter of 1 MiB' 4200000 4 reduce_scatter $((1 << 18))
finish
