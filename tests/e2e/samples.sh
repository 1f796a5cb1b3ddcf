#!/bin/bash
# quick
# Every sample and mode at 2, 3, 4 and 8 devices where its sizes allow, by text and by bytecode.
. "$(dirname "$0")/lib.bash"

size_for() { case $1 in 3) echo '-D SIZE=96' ;; *) echo ;; esac; }
allows() { # SAMPLE P
    case $(basename "$1") in
        18_*) [ $(($2 % 2)) -eq 0 ] ;;
        *) true ;;
    esac
}
for sample in samples/*.pld; do
    for variant in $(variants "$sample"); do
        for p in 2 3 4 8; do
            allows "$sample" $p || continue
            # shellcheck disable=SC2046
            prints_ok "$sample $variant on $p" "$sample" -p a2a3sim -d 0-$((p - 1)) $(as_defines "$variant") $(size_for $p)
        done
    done
done

# The same through a file.
exits 'compile step 14' 0 "$build/pldc" samples/14_reduce_scatter.pld -d 0,1,2,3 -o "$tmp/x.pldb"
prints_ok 'step 14 from its bytecode' "$tmp/x.pldb" -p a2a3sim -d 0,1,2,3
prints_ok 'devices that do not start at 0' "$tmp/x.pldb" -d 7,3,9,5

# One bytecode for any number of devices.
exits 'compile step 7' 0 "$build/pldc" samples/07_dynamic_rank_count.pld -o "$tmp/any.pldb"
for p in 1 2 3 5 64; do prints_ok "step 7 bytecode on $p" "$tmp/any.pldb" -d 0-$((p - 1)); done
prints_ok 'step 8 on 64' samples/08_allreduce_mesh.pld -d 0-63
prints_ok 'step 10 on 64' samples/10_allreduce_ring.pld -d 0-63

# One device, where the algorithm has a meaning for it.
for sample in 01 02 03 04 07 08 09 10 11 12 13 14 15 16 17 20 21 22 23 24 25 30 31 32 33 34 35 36; do
    f=$(echo samples/${sample}_*.pld)
    for variant in $(variants "$f"); do
        # shellcheck disable=SC2046
        prints_ok "$f $variant on 1" "$f" -d 0 $(as_defines "$variant")
    done
done

# What overlaps is done earlier.
modelled() { "$build/pldrun" -v -d 0-3 "$@" 2>&1 | sed -n 's/.*modelled time \([0-9.]*\) us$/\1/p'; }
sooner() { # SAMPLE MODE THAN
    local a b; a=$(modelled "$1" -D mode="$2"); b=$(modelled "$1" -D mode="$3")
    if awk "BEGIN { exit !($a > 0 && $a * 5 < $b * 4) }"; then ok; else bad "$1: $2 takes $a us, $3 $b us"; fi
}
sooner samples/31_allgather_gemm.pld overlap gather
sooner samples/32_gemm_reduce_scatter.pld direct builtin
finish
