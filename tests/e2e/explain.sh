#!/bin/bash
# quick
# Which synchronisation is needed: rows of hand-written and builtin protocols, and the failures behind them.
. "$(dirname "$0")/lib.bash"

# row WHAT PATTERN: exactly one line of the last output
row() {
    local n; n=$(grep -Ec -- "$2" "$tmp/out")
    if [ "$n" -eq 1 ]; then ok; else bad "$1: $n rows '$2' in: $(grep -v replay "$tmp/out" | tr '\n' ';')"; fi
}
explain() { exits "explain $*" 0 "$build/pldrun" "$@" --explain-sync; }

# Hand-written protocols are minimal.
for s in 04_barrier 08_allreduce_mesh 09_allreduce_two_phase 10_allreduce_ring 14_reduce_scatter; do
    explain samples/$s.pld
    if grep -Eq 'redundant|unknown' "$tmp/out"; then bad "$s: $(grep -E 'redundant|unknown' "$tmp/out")"; else ok; fi
    if [ "$(grep -c ': needed (' "$tmp/out")" -ge 4 ]; then ok; else bad "$s: too few rows"; fi
done
explain samples/09_allreduce_two_phase.pld -d 0-2 -D SIZE=96
row 'the first barrier of two-phase' ':50: notify \+ .*:54: wait: needed \(race\)'
row 'the second barrier of two-phase' ':69: notify \+ .*:73: wait: needed \(race\)'

# The builtin: the second barrier is for the next call.
explain samples/14_reduce_scatter.pld -D mode=builtin
row 'barrier 1' 'reduce_scatter barrier\(1\): notify \+ wait: needed \(race\)'
row 'barrier 2' 'reduce_scatter barrier\(2\): notify \+ wait: needed when it is called again \(race\)'
row 'epilogue' 'epilogue: notify: needed when it is called again'
row 'release of barrier 1' 'barrier\(1\): fence Release: needed \(wrong result\)'
row 'acquire of barrier 1' 'barrier\(1\): fence Acquire: needed \(wrong result\)'
row 'release of barrier 2' 'barrier\(2\): fence Release: redundant .*; kept: it only orders writes after reads$'

# Its tokens show the failures in the program as it is.
while read -r token; do
    case $token in *.w.*) status=1 ;; *) status=4 ;; esac
    exits "token $token" $status "$build/pldrun" samples/14_reduce_scatter.pld -D mode=builtin --schedule="$token"
    [[ "$(tail -n 1 "$tmp/err")" = "replay: "*" --schedule=$token" ]] && ok || bad "$token: last line $(tail -n 1 "$tmp/err")"
done < <(sed -n 's/^    replay: .* --schedule=//p' "$tmp/out" | tee "$tmp/tokens")
[ "$(wc -l <"$tmp/tokens")" -eq 5 ] && ok || bad "$(wc -l <"$tmp/tokens") tokens"
exits 'token of no row' 2 "$build/pldrun" samples/14_reduce_scatter.pld -D mode=builtin \
    --schedule="$(head -n 1 "$tmp/tokens" | sed 's/\.k1/.k0/')"

# A wait twice: each does without the other, the set does not. A program that fails anyway.
sed 's/^\( *\)acc = pl.load(data, \[my_rank, 0\], \[1, SIZE\])$/\1pld.system.wait(signal, offsets=[1 - my_rank, 0], expected=1, cmp=pld.WaitCmp.Ge)\n&/' \
    samples/14_reduce_scatter.pld >"$tmp/more.pld"
explain "$tmp/more.pld"
row 'the first wait' ':65: wait: redundant in this program at P=2$'
row 'the second wait' ':69: wait: redundant in this program at P=2$'
row 'both' 'notify \+ .*: wait: needed \(race\)$'
# What never ran is said, and nothing is tried.
sed 's/^\( *\)local = pl.load(x, \[0, 0\], \[1, SIZE\])$/&\n\1if my_rank > 7:\n\1    pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)/' \
    samples/04_barrier.pld >"$tmp/never.pld"
explain "$tmp/never.pld"
row 'a wait that never ran' 'never.pld:44: wait: not reached$'
exits 'fails as it is' 4 "$build/pldrun" tests/explore/eq_overshot.pld -d 0-2 --explain-sync
says 'says so' 'fails as it is'
# A program that no run of comes to its end: the report, and how to see it again.
exits 'deadlocks as it is' 3 "$build/pldrun" tests/explore/missing.pld --explain-sync
says 'says so' 'fails as it is'
exits 'its replay line is a command' 3 bash -c "$(sed -n 's/^replay: //p' "$tmp/err")"
finish
