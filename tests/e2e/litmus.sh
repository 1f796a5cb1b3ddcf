#!/bin/bash
# quick
# The rules of pld-memory(7), each with a program and the exact set of its outcomes under sc and weak.
# Head of tests/litmus/*.pld: `# devices N`, `# sc OUTCOME`, `# weak OUTCOME`; the same after `# drop KIND N`
# for the program without the Nth fence of that kind in the dump of insert_fences.
. "$(dirname "$0")/lib.bash"

# expected FILE DROP MODEL: sorted outcomes; DROP "-" for the program itself
expected() {
    awk -v drop="$2" -v model="$3" '
        BEGIN { at = "-" }
        !/^#/ { exit }
        $2 == "drop" { at = $3 " " $4 }
        at == drop && $2 == model { sub(/^# [a-z]+ /, ""); print }' "$1" | sort
}
# without IR KIND N: the dump without that fence
without() {
    awk -v fence="FenceKind.$2)" -v n="$3" 'index($0, fence) && ++seen == n { next } { print }' "$1"
}
outcomes() { sed -n 's/^outcome: //p' "$tmp/out" | sort; }
compare() { # WHAT PROGRAM FILE DROP
    for model in sc weak; do
        exits "$1, $model" 0 "$build/pldrun" "$2" -d "$d" --mem=$model --explore=outcomes
        if [ "$(outcomes)" = "$(expected "$3" "$4" $model)" ]; then ok
        else bad "$1, $model: $(outcomes | tr '\n' ' '), expected $(expected "$3" "$4" $model | tr '\n' ' ')"; fi
    done
}

for f in tests/litmus/*.pld; do
    d=0-$(($(sed -n 's/^# devices //p' "$f") - 1))
    compare "$f" "$f" "$f" -
    exits "dump of $f" 0 "$build/pldc" "$f" -d "$d" --dump-pass insert_fences
    cp "$tmp/out" "$tmp/whole.ir"
    while read -r kind n; do
        without "$tmp/whole.ir" "$kind" "$n" >"$tmp/less.ir"
        cmp -s "$tmp/whole.ir" "$tmp/less.ir" && bad "$f has no $kind fence number $n"
        compare "$f without $kind $n" "$tmp/less.ir" "$f" "$kind $n"
    done < <(sed -n 's/^# drop //p' "$f")
done
finish
