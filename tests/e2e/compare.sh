#!/bin/bash
# quick
# pldc --compare: what differs between two programs in one pass's dump, and what they cost.
. "$(dirname "$0")/lib.bash"
rs=samples/14_reduce_scatter.pld

# By hand against builtin: a second barrier, a store into row my_rank and the epilogue, nothing else.
exits 'hand and builtin' 1 "$build/pldc" --compare $rs -d 0-3 -D mode=hand -- -D mode=builtin
says 'names' '^--- A: mode=hand$' "$tmp/out"
says 'names' '^\+\+\+ B: mode=builtin$' "$tmp/out"
for what in 'system.notify' 'system.wait' 'tile.store\(acc_4, \[my_rank, 0\]'; do
    says 'what the builtin adds' "^\\+ .*$what" "$tmp/out"
done
[ "$(grep -c '^@@' "$tmp/out")" = 1 ] && says 'the one function' '^@@ step @@$' "$tmp/out" || bad 'hunks of other functions'
[ "$(grep -c '^-  ' "$tmp/out")" = 1 ] && ok || bad 'lines that only the hand-written kernel has'
says 'cost' '^notifies +3 +6$' "$tmp/out"
says 'cost' '^barriers +0 +2$' "$tmp/out"
says 'cost' '^bytes received +768 +768$' "$tmp/out"

exits 'equal' 0 "$build/pldc" --compare $rs -d 0-3 -D mode=hand -- -D mode=hand
if grep -q '^@@\|^---' "$tmp/out"; then bad 'equal dumps have a difference'; else ok; fi
says 'equal' '^devices +4 +4$' "$tmp/out"

# Two files; another pass; settings that both share.
sed 's/value=1, op/value=2, op/' $rs >"$tmp/other.pld"
exits 'two files' 1 "$build/pldc" --compare $rs "$tmp/other.pld" -d 0-3 -D SIZE=32
says 'two files' '^-.*value=1' "$tmp/out"
says 'two files' '^\+.*value=2' "$tmp/out"
says 'two files' '^bytes received +384 +384$' "$tmp/out"
exits 'the pass by name' 1 "$build/pldc" --compare $rs -D mode=hand --dump-pass=final -- -D mode=builtin
says 'the pass by name' '^\+.*FenceKind' "$tmp/out"
exits 'a setting of both' 1 "$build/pldc" --compare $rs -d 0-3 -D SIZE=32 -D mode=hand -- -D mode=builtin
says 'a setting of both' '^bytes received +384 +384$' "$tmp/out"

# A function that only one has stands by itself; a run that fails says why.
exits 'different programs' 1 "$build/pldc" --compare samples/08_allreduce_mesh.pld samples/17_host_collectives.pld
says 'different programs' '^@@ stage @@$' "$tmp/out"
sed 's/value=1, op/value=0, op/' $rs >"$tmp/stuck.pld"
exits 'a run that fails' 1 "$build/pldc" --compare $rs "$tmp/stuck.pld" -d 0-3
says 'a run that fails' 'B: stuck: its run ended with deadlock' "$tmp/out"

exits 'trouble: no such file' 2 "$build/pldc" --compare $rs "$tmp/none.pld"
exits 'trouble: it does not compile' 2 "$build/pldc" --compare $rs -- -D mode=elbow
exits 'trouble: one file' 2 "$build/pldc" --compare $rs
exits 'trouble: three files' 2 "$build/pldc" --compare $rs $rs $rs
finish
