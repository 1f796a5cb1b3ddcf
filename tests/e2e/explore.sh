#!/bin/bash
# quick
# Every interleaving: numbers of executions, agreement with a search that leaves nothing out, replay of
# what failed, and programs that are right in all of them.
. "$(dirname "$0")/lib.bash"
c=tests/e2e/collectives

field() { sed -n "s/^# $2 //p" "$1"; } # FILE NAME
orders() { sed -nE 's/^([0-9]+ orders, .*)/\1/p' "$tmp/err"; }
# explores WHAT STATUS PATTERN ARGS...: the last lines of standard output, joined
explores() {
    local what=$1 status=$2 want=$3; shift 3
    exits "$what" "$status" "$build/pldrun" -v "$@"
    got=$(tail -n 2 "$tmp/out" | tr '\n' ' ')
    # shellcheck disable=SC2053 # a pattern
    [[ $got == $want ]] && ok || bad "$what: '$got', wanted '$want'"
}

# decides WHAT ARGS...: one run is a certificate, under both memory models
decides() {
    local what=$1 mem; shift
    for mem in sc weak; do
        exits "$what, $mem" 0 "$build/pldrun" "$@" --mem=$mem --explore
        [ "$(tail -n 1 "$tmp/out")" = 'executions=1 complete=yes verified: one run decides' ] && ok ||
            bad "$what, $mem: $(tail -n 1 "$tmp/out")"
    done
}

for f in tests/explore/*.pld; do
    d=0-$(($(field "$f" devices) - 1)) n=$(field "$f" executions) brute=$(field "$f" brute)
    status=$(field "$f" status) verified=''
    [ "$status" = 0 ] && verified='verified '
    explores "$f" "$status" "executions=$n complete=yes $verified" "$f" -d "$d" --explore=search
    few=$(orders)
    [ "$brute" = no ] && continue
    explores "$f, brute force" "$status" "executions=$brute complete=yes $verified" "$f" -d "$d" --explore-brute
    [ "$few" = "$(orders)" ] && ok || bad "$f: orders $few, by brute force $(orders)"
done

# Barriers and integer adds in every order, under weak memory as well.
for f in ten_barriers three_by_three; do
    explores "$f, weak" 0 'executions=1 complete=yes verified ' tests/explore/$f.pld -d 0-2 --mem=weak --explore=search
done

# A failing interleaving comes back with its token: same report, same status.
f=tests/explore/eq_overshot.pld
exits 'fails in some order' 3 "$build/pldrun" $f -d 0-2 --explore
token=$(sed -n '/^deadlock: /,/^replay: /s/^replay: .* --schedule=//p' "$tmp/err" | head -n 1)
sed -n '/^deadlock: /,/^replay: /p' "$tmp/err" | sed '/^replay: /q' >"$tmp/first"
exits 'replay' 3 "$build/pldrun" $f -d 0-2 --schedule="$token"
grep -v '^note: ' "$tmp/err" >"$tmp/again"
cmp -s "$tmp/first" "$tmp/again" && ok || bad "replay says: $(diff "$tmp/first" "$tmp/again" | head -n 5)"
exits 'token of another program' 2 "$build/pldrun" tests/explore/ring.pld -d 0-2 --schedule="$token"
says 'names both hashes' 'bytecode [0-9a-f]{16}, this is [0-9a-f]{16}'

# What was not seen is not called right.
exits 'stops at its bound' 7 "$build/pldrun" tests/explore/reset_between.pld -d 0-2 --explore=search --explore=3
says 'is not complete' '^executions=3 complete=no$' "$tmp/out"
if grep -q verified "$tmp/out"; then bad 'verified although incomplete'; else ok; fi
exits 'a failure counts more than the bound' 3 "$build/pldrun" tests/explore/missing.pld --explore=1
for bound in 0 -1 x ''; do exits "--explore=$bound" 2 "$build/pldrun" tests/explore/ring.pld --explore=$bound; done

# An end from outside: the counts are printed, and why not all was seen.
endless=("$build/pldrun" "$c/mixed.pld" -D REPS=2 -D SIZE=1 -D which=allgather --explore-brute --explore=1000000000)
exits 'time limit of an exploration' 7 "${endless[@]}" --time-limit 0.5
says 'says why' '^executions=[0-9]+ complete=no: time limit$' "$tmp/out"
exits 'time limit of a run' 6 "$build/pldrun" tests/e2e/long_loop.pld --time-limit 0.2
says 'names the limit' '^time limit: [0-9]+ instructions were executed$'
for limit in 0 -1 x 1x ''; do exits "--time-limit=$limit" 2 "$build/pldrun" tests/explore/ring.pld --time-limit="$limit"; done
for signal in INT TERM; do
    : >"$tmp/err"
    "${endless[@]}" --progress >"$tmp/out" 2>"$tmp/err" & running=$!
    until [ -s "$tmp/err" ] || ! kill -0 $running 2>/dev/null; do sleep 0.1; done
    kill -$signal $running
    wait $running; rc=$?
    [ $rc -eq 7 ] && ok || bad "SIG$signal: status $rc, wanted 7"
    says "SIG$signal: counts" '^executions=[0-9]+ complete=no: interrupted$' "$tmp/out"
    says "SIG$signal: progress without a terminal" '^[0-9]+ executions, the last of [0-9]+ transitions$'
done

# Two threads say what one says, text for text.
for f in tests/explore/{eq_overshot,two_sets,reset_between,missing}.pld tests/litmus/{targets,buffers,adds}.pld; do
    d=0-$(($(field "$f" devices) - 1))
    for how in '--explore=search' '--explore=outcomes' '--explore-brute --explore=3000' '--explore=search --explore=2'; do
        for mem in sc weak; do
            # shellcheck disable=SC2086
            for j in 1 2; do "$build/pldrun" -v "$f" -d "$d" --mem=$mem $how -j$j >"$tmp/jobs$j" 2>&1; echo $? >>"$tmp/jobs$j"; done
            cmp -s "$tmp/jobs1" "$tmp/jobs2" && ok || bad "$f $how $mem: $(diff "$tmp/jobs1" "$tmp/jobs2" | head -n 4)"
        done
    done
done
exits 'a run on two threads' 0 "$build/pldrun" tests/explore/ring.pld -j2

exits 'outcomes' 0 "$build/pldrun" tests/explore/polled_once.pld --explore=outcomes
says 'one outcome' '^outcome: y=\[1\.0 1\.0 .* 2\.0\]$' "$tmp/out"

# Kernels that compute, alone and on two and four devices.
for sample in 20 21 22 23 24 25 30 31 32 33 34 35 36; do
    f=$(echo samples/${sample}_*.pld)
    for variant in $(variants "$f"); do
        # shellcheck disable=SC2046
        for d in 0-1 0-3; do decides "$f $variant on $d" "$f" -d $d $(as_defines "$variant"); done
    done
done
# Samples, and every builtin called twice on the same windows and signal.
for sample in 04 05 06 07 08 09 10 11 12 13 14 15 17; do
    f=$(echo samples/${sample}_*.pld)
    for variant in $(variants "$f"); do
        # shellcheck disable=SC2046
        explores "$f $variant" 0 'executions=1 complete=yes verified ' "$f" $(as_defines "$variant") --explore=search
        # shellcheck disable=SC2046
        decides "$f $variant" "$f" $(as_defines "$variant")
    done
done
for p in 2 3 4; do
    for which in barrier broadcast allgather all_to_all reduce_scatter allreduce; do
        for mem in sc weak; do
            explores "$which twice on $p, $mem" 0 'executions=1 complete=yes verified ' $c/mixed.pld \
                -d 0-$((p - 1)) -D REPS=2 -D SIZE=1 -D which=$which --mem=$mem --explore=search
        done
        decides "$which twice on $p" $c/mixed.pld -d 0-$((p - 1)) -D REPS=2 -D SIZE=1 -D which=$which
    done
    for mem in sc weak; do
        explores "all_to_all_v twice on $p, $mem" 0 'executions=1 complete=yes verified ' $c/all_to_all_v.pld \
            -d 0-$((p - 1)) -D REPS=2 --mem=$mem --explore=search
    done
    decides "all_to_all_v twice on $p" $c/all_to_all_v.pld -d 0-$((p - 1)) -D REPS=2
    for mode in mesh ring; do
        for mem in sc weak; do
            explores "allreduce $mode twice on $p, $mem" 0 'executions=1 complete=yes verified ' $c/allreduce.pld \
                -d 0-$((p - 1)) -D REPS=2 -D SIZE=$p -D mode=$mode --mem=$mem --explore=search
        done
        decides "allreduce $mode twice on $p" $c/allreduce.pld -d 0-$((p - 1)) -D REPS=2 -D SIZE=$p -D mode=$mode
    done
done

# One run decides on many devices too, and does not take longer there than a run.
for which in barrier broadcast allgather all_to_all reduce_scatter allreduce; do
    decides "$which twice on 64" $c/mixed.pld -d 0-63 -D REPS=2 -D SIZE=1 -D which=$which
done
decides 'allreduce ring twice on 24' $c/allreduce.pld -d 0-23 -D REPS=2 -D SIZE=24 -D mode=ring

# Right programs and their broken twins.
for f in tests/verdicts/*.pld; do explores_verdict sc 600 "$f"; done

# What keeps a search from beginning is told as a run tells it.
cat >"$tmp/untried.pld" <<'EOF'
@pl.jit.incore
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    return pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], y)
EOF
for how in --explore --explain-sync; do
    exits "$how without an input" 2 "$build/pldrun" "$tmp/untried.pld" $how
    says "$how without an input" '^pldrun: error: input x has no value: ' "$tmp/err"
done
exits 'the same as JSON' 2 "$build/pldrun" "$tmp/untried.pld" --explore --diagnostics=json
says 'the same as JSON' '^\{"severity":"error","kind":"usage","message":"input x' "$tmp/err"
finish
