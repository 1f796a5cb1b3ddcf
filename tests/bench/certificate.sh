#!/bin/bash
# What "one run decides" costs: CPU seconds of a plain run and of --explore, the least of three, for each
# builtin called twice. usage: certificate.sh BUILD [DEVICES...]
build=${1:-build}; shift
c=tests/e2e/collectives
seconds() { # ARGS...: of the run
    local t best=
    for _ in 1 2 3; do
        t=$({ TIMEFORMAT=%U; time "$build/pldrun" -q "$@" >/dev/null 2>&1; } 2>&1)
        [ -z "$best" ] && best=$t
        best=$(echo "$t $best" | awk '{ print $1 < $2 ? $1 : $2 }')
    done
    echo "$best"
}
row() { # WHAT DEVICES ARGS...
    local what=$1 p=$2 mem cells=''; shift 2
    for mem in sc weak; do
        local plain decides
        plain=$(seconds "$@" -d 0-$((p - 1)) --mem=$mem)
        decides=$(seconds "$@" -d 0-$((p - 1)) --mem=$mem --explore)
        cells+=" | $plain | $decides"
    done
    echo "| $what | $p$cells |"
}
echo '| builtin, twice | devices | sc | one run decides | weak | one run decides |'
echo '| --- | --- | --- | --- | --- | --- |'
for p in "${@:-64}"; do
    for which in barrier broadcast allgather all_to_all reduce_scatter allreduce; do
        row "$which" "$p" $c/mixed.pld -D REPS=2 -D SIZE=1 -D which=$which
    done
    row all_to_all_v "$p" $c/all_to_all_v.pld -D REPS=2
    [ "$p" -le 128 ] && row 'ring allreduce' "$p" $c/allreduce.pld -D REPS=2 -D "SIZE=$p" -D mode=ring
done
exit 0
