#!/bin/bash
# quick
# Cost cards: what they print, an operation too many in a builtin is found, and what they show about
# mesh and ring.
. "$(dirname "$0")/lib.bash"
sample() { echo samples/"$1"_*.pld; }

# Measured is the closed form: cost_table.sh has all of them.
exits 'a ring of uneven segments' 0 "$build/pldrun" "$(sample 11)" -d 0-2 -D mode=ring -D SIZE=5003 --cost
says 'a ring of uneven segments' 'closed form .* equal$' "$tmp/out"
for f in host_ring all_to_all_v; do
    exits "$f" 0 "$build/pldrun" tests/cost/$f.pld -d 0-3 -D SIZE=96 --cost=json
    jq -e '.builtins | length > 0 and all(.[]; .equal and .calls > 1)' "$tmp/out" >"$tmp/o2" && ok || bad "$f differs"
done

# A barrier too many in one round of the ring: a dump is a program.
"$build/pldc" "$(sample 11)" -d 0-3 -D mode=ring --dump-pass=final --dump-loc >"$tmp/ring.ir"
awk '{ print } /signal, peer=peer, / { print } /signal, offsets=\[step, src\]/ { print }' "$tmp/ring.ir" >"$tmp/extra.ir"
exits 'the ring from its dump' 0 "$build/pldrun" "$tmp/ring.ir" -d 0-3 --cost
exits 'a barrier too many in a round' 70 "$build/pldrun" "$tmp/extra.ir" -d 0-3 --cost --check=none
says 'a barrier too many in a round' 'rank 3: pld.tensor.allreduce mode=ring: waits 30, the closed form says 21'
says 'a barrier too many in a round' 'reveal.pld:61:13: cost: rank 0: pld.tensor.allreduce mode=ring: notifies 30, the closed form says 21'

# Usage, JSON alone on standard output, the verdict in it.
exits '--cost=xml' 2 "$build/pldrun" "$(sample 08)" --cost=xml
exits '--cost with --explore' 2 "$build/pldrun" "$(sample 08)" --cost --explore
exits '--cost=json' 0 "$build/pldrun" "$(sample 08)" -d 0-3 --cost=json --print y
jq -e '.verdict == "OK" and .status == 0 and (.ranks | length) == 4 and .builtins == [] and
       (.ranks[3] | has("rank") and has("time_ps") and has("waiting_ps") and .time_ps > 0)' "$tmp/out" >"$tmp/o2" &&
    ok || bad 'fields of the JSON'
cp "$tmp/out" "$tmp/first"
exits '--cost=json again' 0 "$build/pldrun" "$(sample 08)" -d 0-3 --cost=json
cmp -s "$tmp/first" "$tmp/out" && ok || bad 'the JSON differs from run to run'

# On-core memory is that of all kinds, for a kernel as for its rank.
exits 'memory of a product' 0 "$build/pldrun" tests/golden/matmul_memories.pld -d 0 --cost=json
jq -e '.ranks[0].core_peak_bytes as $all | $all == 87616 and any(.ranks[0].kernels[]; .core_peak_bytes == $all)' \
    "$tmp/out" >"$tmp/o2" && ok || bad 'on-core memory of a kernel and of its rank differ'
exits 'memory on the card' 0 "$build/pldrun" tests/golden/matmul_memories.pld -d 0 --cost
[ "$(grep -cE '^   0 (kernel|all) .* 87616 ' "$tmp/out")" = 2 ] && ok || bad 'on-core memory of the card differs'

# Platform numbers from a file.
printf '# a slow link\n\nlink_latency = 900000\nlink_gap=1 # ps\n' >"$tmp/slow"
exits 'a file of settings' 0 "$build/pldrun" "$(sample 08)" -d 0-3 --platform-set @"$tmp/slow" --cost=json
[ "$(jq .time_ps "$tmp/out")" -gt "$(jq .time_ps "$tmp/first")" ] && ok || bad 'a slow link does not take longer'
echo 'link_latency 5' >"$tmp/slow"
exits 'a line without =' 2 "$build/pldrun" "$(sample 08)" --platform-set @"$tmp/slow"

# The closed forms without running.
exits 'pldc --cost' 0 "$build/pldc" --cost "$(sample 11)" -d 0-3 -D mode=ring -D SIZE=64
says 'pldc --cost' 'bytes received +2\*\(P-1\)/P\*N += 384' "$tmp/out"
says 'pldc --cost' 'notifies +B\*\(P-1\) += 21' "$tmp/out"

# The builtin ring spends more on synchronisation than the ring by hand, for the same bytes.
sum() { "$build/pldrun" "$1" -d 0-3 "${@:3}" --check=none --cost=json | jq "[.ranks[].$2] | add"; }
hand=$(sum "$(sample 10)" notifies) builtin=$(sum "$(sample 11)" notifies -D mode=ring)
bytes=$(sum "$(sample 10)" bytes_received)
[ "$builtin" -gt "$hand" ] && ok || bad "sync of the ring: builtin $builtin, by hand $hand"
[ "$bytes" = "$(sum "$(sample 11)" bytes_received -D mode=ring)" ] && ok || bad 'bytes of the rings differ'

# Mesh for small messages, ring for large ones: they cross between 8 and 32 KiB.
scripts/crossover "$build" 4 >"$tmp/cross"
crossing=$(awk '$4 == "ring" { print $1; exit }' "$tmp/cross")
if [ "$(awk '$1 == 8 { print $4 }' "$tmp/cross")" = mesh ] && [ "$(awk '$1 == 32 { print $4 }' "$tmp/cross")" = ring ]; then ok
else bad "mesh and ring cross at ${crossing:-no} KiB"; fi
finish
