#!/bin/bash
# quick
# What programs say with pl.debug_print: the same from run to run and from every dump, nothing of it
# in the run itself, and of explorations only what is reported.
. "$(dirname "$0")/lib.bash"
program=tests/golden/debug_print.pld

lines() { sed 's/^[^ ]*: //' "$1"; } # without the place
exits 'a run' 0 "$build/pldrun" "$program"
cp "$tmp/out" "$tmp/first"
exits 'again' 0 "$build/pldrun" "$program"
cmp -s "$tmp/first" "$tmp/out" && ok || bad 'prints differ from run to run'
[ "$(tail -n 1 "$tmp/out")" = OK ] && ok || bad 'OK is not last'
"$build/pldc" "$program" -d 0,1 --dump-passes="$tmp/passes" -o "$tmp/p.pldb" || bad 'it does not compile'
for dump in "$tmp"/passes/*.ir "$tmp/p.pldb"; do
    exits "$dump" 0 "$build/pldrun" "$dump" -d 0,1
    cmp -s <(lines "$tmp/first") <(lines "$tmp/out") && ok || bad "$dump prints something else"
done

# Prints are no part of the run: steps, times, traces and the cost card are those of the program
# without them, the peak of the core too where they keep nothing alive.
grep -v 'fresh' "$program" >"$tmp/plain.pld"
"$build/pldc" "$tmp/plain.pld" -d 0,1 --strip -o "$tmp/with.pldb"
"$build/pldc" "$tmp/plain.pld" -d 0,1 --strip --no-print -o "$tmp/without.pldb"
"$build/pldc" "$tmp/plain.pld" -d 0,1 --no-print --emit=asm -o - | grep -q show && bad '--no-print leaves one' || ok
for p in with without; do
    exits "$p" 0 "$build/pldrun" "$tmp/$p.pldb" -v -d 0,1 --cost=json --no-print
    cp "$tmp/out" "$tmp/$p.json"; grep '^steps' "$tmp/err" >"$tmp/$p.steps"
done
cmp -s "$tmp/with.json" "$tmp/without.json" && ok || bad "the cost differs: $(diff "$tmp/with.json" "$tmp/without.json" | head -n 4)"
cmp -s "$tmp/with.steps" "$tmp/without.steps" && ok || bad "steps: $(cat "$tmp/with.steps" "$tmp/without.steps")"
exits '--no-print' 0 "$build/pldrun" "$program" -d 0,1 --no-print
[ "$(cat "$tmp/out")" = OK ] && ok || bad '--no-print prints'
exits 'JSON alone on standard output' 0 "$build/pldrun" "$program" -d 0,1 --cost=json
jq -e .verdict "$tmp/out" >"$tmp/o" && ok || bad 'prints among the JSON'
says 'prints beside it' 'rank 1 core 0, .* us: cells = \[1 0\]'

# The own view of a rank: under weak memory it has not seen what it has not acquired.
exits 'weak memory' 0 "$build/pldrun" "$program" -d 0,1 --mem=weak
says 'weak memory' 'cells = \[0 1\]' "$tmp/out"

# Explorations: nothing when all is well, and what failed once.
exits 'explored' 0 "$build/pldrun" "$program" -d 0,1 --explore
grep -q 'core' "$tmp/out" && bad 'an exploration prints executions that it does not report' || ok
sed 's/expected=1, cmp=pld.WaitCmp.Ge/expected=2, cmp=pld.WaitCmp.Ge/' "$program" >"$tmp/stuck.pld"
exits 'a failure explored' 3 "$build/pldrun" -q "$tmp/stuck.pld" -d 0,1 --explore
n=$(grep -c '^replay: ' "$tmp/err")
[ "$(grep -c ' rank 0 core 0, .*: me = 0$' "$tmp/out")" = "$n" ] && ok || bad "prints of $n executions: $(cat "$tmp/out")"
finish
