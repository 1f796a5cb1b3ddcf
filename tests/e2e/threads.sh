#!/bin/bash
# However many threads move the bytes of a run, and whether they move later or at once: the same outputs,
# reports, costs and times. Payloads large enough for a second thread to start.
. "$(dirname "$0")/lib.bash"

# same_with WHAT ARGS...: with -j 1, 2 and 5; and under a schedule by which no byte moves later
same_with() {
    local what=$1 j; shift
    for j in 1 2 5; do
        "$build/pldrun" "$@" -j $j --cost=json --output "$output=$tmp/$j.npy" >"$tmp/$j.out" 2>"$tmp/$j.err"
        echo "status $?" >>"$tmp/$j.out"
    done
    if grep -q '^status 0' "$tmp/1.out"; then ok; else bad "$what: $(head -n 2 "$tmp/1.err")"; fi
    "$build/pldrun" "$@" --schedule=random:3 --output "$output=$tmp/random.npy" >/dev/null 2>&1
    for j in 2 5; do
        if cmp -s "$tmp/1.out" "$tmp/$j.out" && cmp -s "$tmp/1.err" "$tmp/$j.err"; then ok
        else bad "$what: -j $j says something else: $(diff "$tmp/1.err" "$tmp/$j.err" | head -n 2)"; fi
    done
    for j in 2 5 random; do
        if cmp -s "$tmp/1.npy" "$tmp/$j.npy"; then ok; else bad "$what: another output ($j)"; fi
    done
}

output=y
for which in allreduce reduce_scatter allgather all_to_all broadcast; do
    for size in 4096 10007; do
        same_with "$which of $size" tests/e2e/collectives/mixed.pld -d 0-3 -D SIZE=$size -D REPS=3 -D which=$which
    done
done
same_with 'everything' tests/e2e/collectives/mixed.pld -d 0-2 -D SIZE=10000 -D REPS=2
for which in mesh ring; do
    same_with "$which" tests/e2e/collectives/allreduce.pld -d 0-3 -D SIZE=70000 -D mode=$which
done
while read -r program; do
    exits "$program -j 3" 0 "$build/pldrun" -q "$program" -d 0-3 -j 3
done < <(ls samples/0[1-9]_*.pld samples/1*.pld)

# A race is found by the order of the program, not of the bytes; and the run is the same one again.
sed 's/SIZE = 8/SIZE = 16384/; s/range(2)/range(9)/' tests/verdicts/reduce_scatter_restaged.pld >"$tmp/race.pld"
for j in 1 2; do
    exits "a race, -j $j" 4 "$build/pldrun" "$tmp/race.pld" -d 0-2 -j $j
    cp "$tmp/err" "$tmp/race.$j"
done
cmp -s "$tmp/race.1" "$tmp/race.2" && ok || bad 'the report of a race depends on -j'

finish
