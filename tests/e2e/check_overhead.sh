#!/bin/bash
# What the checks cost on 1 MiB a device and 8 devices, in instructions of the run itself: at most
# as many again.
. "$(dirname "$0")/lib.bash"
p=tests/bench/chunked.pld

# instructions CHECKS OPTIONS...: of sched_run
instructions() {
    local checks=$1; shift
    valgrind --tool=callgrind --callgrind-out-file="$tmp/cg" --toggle-collect=sched_run \
        "$build/pldrun" "$@" --check="$checks" 2>"$tmp/err" >"$tmp/out" || return 1
    sed -n 's/.*Collected : //p' "$tmp/err"
}

for mode in mesh ring; do
    without=$(instructions none "$p" -d 0-7 --mode $mode)
    with=$(instructions races,uninit,signals "$p" -d 0-7 --mode $mode)
    if [ -n "$with" ] && [ "$with" -gt "$without" ] && [ "$with" -le $((2 * without)) ]; then ok
    else bad "$mode: $with instructions with the checks, $without without"; fi
done
finish
