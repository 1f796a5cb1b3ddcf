#!/bin/bash
# The builtin collectives: every size, op, dtype and mode against goldens; repeated, mixed, with special
# values, on the host rail, in groups.
. "$(dirname "$0")/lib.bash"
c=tests/e2e/collectives

for p in 1 2 3 4 8; do
    for mode in mesh ring; do
        for op in Sum Max Min Prod; do
            for dtype in FP32 FP16; do
                for size in 1 2 17 4097; do
                    [ $size -eq 4097 ] && [ $op$dtype != SumFP32 ] && [ $op$dtype != MaxFP16 ] && continue
                    prints_ok "allreduce $mode $op $dtype $size on $p" $c/allreduce.pld -d 0-$((p - 1)) \
                        -D SIZE=$size -D mode=$mode -D op=pld.ReduceOp.$op -D dtype=pl.$dtype
                done
            done
        done
    done
done
for mode in mesh ring; do
    prints_ok "allreduce $mode 65537 on 3" $c/allreduce.pld -d 0-2 -D SIZE=65537 -D mode=$mode
    prints_ok "allreduce $mode FP16 65537 on 2" $c/allreduce.pld -d 0,1 -D SIZE=65537 -D mode=$mode -D dtype=pl.FP16
    prints_ok "allreduce $mode three times" $c/allreduce.pld -d 0-2 -D SIZE=9000 -D REPS=3 -D mode=$mode
    prints_ok "allreduce $mode 100 times" $c/allreduce.pld -d 0-3 -D REPS=100 -D mode=$mode
    for op in Sum Max Min Prod; do
        prints_ok "special values $mode $op" $c/special.pld -d 0-2 -D mode=$mode -D op=pld.ReduceOp.$op
        prints_ok "special values $mode $op on 4" $c/special.pld -d 0-3 -D mode=$mode -D op=pld.ReduceOp.$op
    done
done

# Mesh: the same bits on every rank.
exits 'output of mesh' 0 "$build/pldrun" $c/allreduce.pld -d 0-3 -D SIZE=5000 --output y="$tmp/y.npy"
slices=$(tail -c 80000 "$tmp/y.npy" | split -b 20000 --filter='cksum' | sort -u | wc -l)
if [ "$slices" -eq 1 ]; then ok; else bad "mesh: $slices different results on 4 ranks"; fi

for p in 1 2 3 4; do
    for reps in 3 100; do
        prints_ok "all collectives in turn, $reps times on $p" $c/mixed.pld -d 0-$((p - 1)) -D REPS=$reps
    done
    for which in barrier broadcast allgather all_to_all reduce_scatter allreduce; do
        prints_ok "$which three times on $p" $c/mixed.pld -d 0-$((p - 1)) -D which=$which
        prints_ok "$which under weak on $p" $c/mixed.pld -d 0-$((p - 1)) -D which=$which --mem=weak
    done
    prints_ok "all_to_all_v on $p" $c/all_to_all_v.pld -d 0-$((p - 1))
done
for seed in 1 2 3 4 5 6 7 8; do
    prints_ok "all collectives, random:$seed" $c/mixed.pld -d 0-2 --schedule=random:$seed
    prints_ok "all collectives, pct:$seed:3" $c/mixed.pld -d 0-2 --schedule=pct:$seed:3
done

# Host rail.
for p in 1 2 4; do
    for which in allreduce ring reduce_scatter broadcast allgather all_to_all barrier; do
        prints_ok "host $which on $p" $c/host.pld -d 0-$((p - 1)) -D which=$which
    done
done
for op in Sum Max Min Prod; do
    for dtype in FP32 FP16; do
        prints_ok "host allreduce $op $dtype on cores" $c/host.pld -d 0-3 -D op=pld.ReduceOp.$op -D dtype=pl.$dtype -D CORES=3
    done
done
time_of() { "$build/pldrun" "$@" -v 2>&1 >/dev/null | sed -n 's/.*modelled time \([0-9]*\)\..*/\1/p'; }
one=$(time_of $c/host.pld -d 0,1 -D SIZE=8192 -D CORES=1) eight=$(time_of $c/host.pld -d 0,1 -D SIZE=8192 -D CORES=8)
if [ "$eight" -lt "$one" ]; then ok; else bad "8 cores take $eight us, one takes $one us"; fi

# Nothing of a collective is left after its pass, and the hand-written twin differs as the manual says.
for pair in 04 12 13 14 15; do
    f=$(echo samples/${pair}_*.pld)
    "$build/pldc" "$f" -d 0-3 -D mode=hand --dump-pass=lower_composite_ops | sed 1d >"$tmp/hand.ir"
    "$build/pldc" "$f" -d 0-3 -D mode=builtin --dump-pass=lower_composite_ops | sed 1d >"$tmp/builtin.ir"
    if grep -Eq 'pld\.tensor\.(barrier|broadcast|allgather|all_to_all|reduce_scatter|allreduce)' "$tmp/builtin.ir"; then bad "$f: a collective is left"; else ok; fi
    diff -u --label hand --label builtin "$tmp/hand.ir" "$tmp/builtin.ir" >"$tmp/diff"
    golden=tests/golden/$(basename "$f" .pld).hand-builtin.diff
    if [ "$UPDATE" ]; then cp "$tmp/diff" "$golden"; fi
    if cmp -s "$golden" "$tmp/diff"; then ok; else bad "$f: hand against builtin differs from $golden: $(diff "$golden" "$tmp/diff" | head -n 4)"; fi
done
for pair in '08_allreduce_mesh mesh' '10_allreduce_ring ring'; do
    read -r -a words <<<"$pair"
    set -- "${words[@]}"
    "$build/pldc" samples/"$1".pld -d 0-3 --dump-pass=lower_composite_ops >"$tmp/hand.ir"
    "$build/pldc" samples/11_allreduce_reveal.pld -d 0-3 -D mode="$2" --dump-pass=lower_composite_ops >"$tmp/builtin.ir"
    golden=tests/golden/11_allreduce_reveal.$2.ir
    if [ "$UPDATE" ]; then cp "$tmp/builtin.ir" "$golden"; fi
    if cmp -s "$golden" "$tmp/builtin.ir"; then ok; else bad "11 $2 differs from $golden"; fi
    diff -u --label "$1" --label "11 $2" "$tmp/hand.ir" "$tmp/builtin.ir" >"$tmp/diff"
    golden=tests/golden/11_allreduce_reveal.$1.diff
    if [ "$UPDATE" ]; then cp "$tmp/diff" "$golden"; fi
    if cmp -s "$golden" "$tmp/diff"; then ok; else bad "$1 against 11 $2 differs from $golden"; fi
done
finish
