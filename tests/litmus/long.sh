#!/bin/bash
# Explorations that take minutes: larger bounds, weak memory, more devices, searches without reduction.
. "$(dirname "$0")/../e2e/lib.bash"
c=tests/e2e/collectives

verified() { # WHAT ARGS...
    exits "$1" 0 "$build/pldrun" "${@:2}"
    [ "$(tail -n 1 "$tmp/out")" = verified ] && ok || bad "$1: $(tr '\n' ' ' <"$tmp/out")"
}

for f in tests/verdicts/*.pld; do
    explores_verdict sc 5000 "$f"
    explores_verdict weak 5000 "$f"
done

# Builtins twice, under weak memory too, and on more devices.
for mem in sc weak; do
    for which in barrier broadcast allgather all_to_all reduce_scatter allreduce; do
        for p in 2 3; do
            verified "$which twice on $p, $mem" $c/mixed.pld -d 0-$((p - 1)) -D REPS=2 -D SIZE=1 \
                -D which=$which --mem=$mem --explore=search
        done
    done
    for mode in mesh ring; do
        verified "allreduce $mode twice on 2, $mem" $c/allreduce.pld -D REPS=2 -D SIZE=2 -D mode=$mode \
            --mem=$mem --explore=search
    done
done
for sample in 04 05 06 07 08 09 10 11 12 13 14 15 16 17; do
    f=$(echo samples/${sample}_*.pld)
    for variant in $(variants "$f"); do
        # shellcheck disable=SC2046
        verified "$f $variant, weak" "$f" $(as_defines "$variant") --mem=weak --explore=search
    done
done

# Without reduction, where that is too much for every day: the set of outcomes, and of orders.
for f in message pull own in_order no_way_back buffers third_party; do
    d=0-$(($(sed -n 's/^# devices //p' tests/litmus/$f.pld) - 1))
    for brute in --explore=search --explore-brute; do
        # shellcheck disable=SC2086
        "$build/pldrun" -q tests/litmus/$f.pld -d $d --mem=weak --explore=outcomes $brute >"$tmp/out$brute"
    done
    cmp -s <(grep outcome "$tmp/out--explore=search") <(grep outcome "$tmp/out--explore-brute") && ok || bad "$f: other outcomes by brute force"
done
for f in ring three_writers; do
    d=0-$(($(sed -n 's/^# devices //p' tests/explore/$f.pld) - 1))
    "$build/pldrun" -v tests/explore/$f.pld -d $d --explore=search >"$tmp/out" 2>"$tmp/few"
    "$build/pldrun" -v tests/explore/$f.pld -d $d --explore=3000000 --explore-brute >"$tmp/out" 2>"$tmp/all"
    cmp -s <(grep 'orders,' "$tmp/few") <(grep 'orders,' "$tmp/all") && ok || bad "$f: other orders by brute force"
done

# Random programs against a search of every state.
exits '20,000 random programs and their certificates' 0 "$build/tests/check_certificate" "$build" 20000 7
exits '5,000 random programs' 0 "$build/tests/check_explore_random" "$build" 5000 1000

# Hand-written protocols stay minimal on three devices.
for s in 08_allreduce_mesh 09_allreduce_two_phase 10_allreduce_ring 14_reduce_scatter; do
    exits "explain $s on 3" 0 "$build/pldrun" samples/$s.pld -d 0-2 -D SIZE=96 --explain-sync
    if grep -Eq 'redundant|unknown' "$tmp/out"; then bad "$s: $(grep -E 'redundant|unknown' "$tmp/out")"; else ok; fi
done
finish
