#!/bin/bash
# quick
# A builtin collective called twice is clean; without its epilogue, or without the waits of any one
# of its barriers, the second call is caught under every schedule tried.
. "$(dirname "$0")/lib.bash"

# caught WHAT FILE: a check or the deadlock detection fires
caught() {
    local schedule rc
    for schedule in clock random:1 random:2 random:3; do
        "$build/pldrun" "$2" -d 0-2 --schedule=$schedule >"$tmp/out" 2>"$tmp/err"; rc=$?
        if [ $rc -eq 3 ] || [ $rc -eq 4 ]; then ok
        else bad "$1 under $schedule: status $rc: $(head -n 2 "$tmp/err" | tr '\n' ' ')"; fi
    done
}

for mode in barrier broadcast mesh ring reduce_scatter allgather all_to_all; do
    exits "dump of $mode" 0 "$build/pldc" tests/e2e/repeated.pld -d 0-2 -D mode=$mode \
        --dump-pass=lower_composite_ops
    cp "$tmp/out" "$tmp/$mode.ir"
    exits "$mode twice" 0 "$build/pldrun" "$tmp/$mode.ir" -d 0-2
    says "$mode twice is clean" '^note: nobody checked output y: it has no golden$'
    if [ "$(wc -l <"$tmp/err")" -eq 1 ]; then ok; else bad "$mode twice: $(cat "$tmp/err")"; fi
    sed -E '/peer=(my_rank|me),/s/pld\.system\.notify.*/pass/' "$tmp/$mode.ir" >"$tmp/x.ir"
    caught "$mode without its epilogue" "$tmp/x.ir"
    waits=$(grep -c 'pld\.system\.wait' "$tmp/$mode.ir")
    for ((k = 1; k <= waits; k++)); do
        awk -v k=$k '/pld\.system\.wait/ && ++n == k { sub(/pld\.system\.wait.*/, "pass") } { print }' \
            "$tmp/$mode.ir" >"$tmp/x.ir"
        caught "$mode without wait $k" "$tmp/x.ir"
    done
done
finish
