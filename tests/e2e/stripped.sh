#!/bin/bash
# quick
# Debug information decides nothing: a program means the same with and without it. Verdicts, faults,
# reports up to their places, cost cards and explanations of the stripped bytecode are those of the
# whole one.
. "$(dirname "$0")/lib.bash"

# Text without what names places: file:line:col, function+instruction, names of tiles.
places() {
    sed -E 's#/(whole|bare)\.pldb#/FILE#; s#[^ ()]+\.pld:[0-9]+(:[0-9]+)?#PLACE#g; s/line [0-9]+/PLACE/g; s/\b[A-Za-z_][A-Za-z0-9_]*\+[0-9]+/PLACE/g
        s/uses .*elements/uses TILE elements/; s/"file":("[^"]*"|null),"line":[0-9]+,"col":[0-9]+/PLACE/g' "$1"
}
# judged FILE NAME OPTIONS...: runs it, status and both outputs into $tmp/FILE
judged() {
    local to=$tmp/$1 rc; shift
    "$build/pldrun" "$@" >"$to.out" 2>"$to.err" </dev/null; rc=$?
    { echo "status $rc"; places "$to.out"; places "$to.err"; } >"$to"
}
# alike WHAT OPTIONS...: $tmp/whole.pldb and $tmp/bare.pldb run alike
alike() {
    local what=$1; shift
    judged a "$tmp/whole.pldb" "$@"
    judged b "$tmp/bare.pldb" "$@"
    if cmp -s "$tmp/a" "$tmp/b"; then ok; else bad "$what: $(diff "$tmp/a" "$tmp/b" | head -n 4 | tr '\n' ' ')"; fi
}
# compiled PROGRAM OPTIONS...
compiled() {
    "$build/pldc" "$@" -o "$tmp/whole.pldb" 2>"$tmp/err" && "$build/pldc" "$@" --strip -o "$tmp/bare.pldb" 2>"$tmp/err"
}

for s in samples/*.pld; do
    while read -r variant; do
        # shellcheck disable=SC2046 # two words
        compiled "$s" -d 0-2 $(as_defines "$variant") || { ok; continue; }
        alike "$s $variant: cost" -d 0-2 --cost
        alike "$s $variant: JSON" -d 0-2 --cost=json
        [ "$(grep -c '"op"' "$tmp/b.out")" = "$(grep -c '"op"' "$tmp/a.out")" ] || bad "$s $variant: call sites"
    done < <(variants "$s")
done
for s in tests/verdicts/*.pld tests/e2e/domains.pld; do
    n=$(devices_for "$s")
    compiled "$s" -d "0-$n" || { ok; continue; }
    alike "$s" -d "0-$n" --cost
done
compiled samples/14_reduce_scatter.pld -d 0,1 -D mode=builtin
alike 'explanation of a builtin' -d 0,1 --explain-sync
compiled samples/14_reduce_scatter.pld -d 0,1 -D mode=hand
alike 'explanation of a barrier by hand' -d 0,1 --explain-sync

# A builtin on windows of different devices is a fault before anything moves.
compiled tests/e2e/domains.pld -d 0-2
exits 'windows of different devices' 5 "$build/pldrun" "$tmp/bare.pldb" -d 0-2
says 'the fault' 'pld.tensor.allreduce: windows db and sb belong to different devices'
finish
