#!/bin/bash
# Mutants of the samples' synchronisation, and of the builtins called twice: whatever kills a mutant
# under some schedule, memory model or exploration, its default run kills it too. Prints a table.
. "$(dirname "$0")/../e2e/lib.bash"
only=${2:-.}

# killed STATUS: the run found something
killed() { case $1 in 1 | 3 | 4 | 5 | 6) return 0 ;; *) return 1 ;; esac; }
run() { timeout 60 "$build/pldrun" "$tmp/m.pldb" -q -d 0-$((p - 1)) --max-steps 20000000 "$@" >/dev/null 2>"$tmp/err" </dev/null; }
# other_modes: the first that kills the mutant
other_modes() {
    local mode
    for mode in --schedule=random:{1..8} --schedule=pct:{1..4}:3; do
        run "$mode"; killed $? && { echo "$mode"; return 0; }
        run "$mode" --mem=weak; killed $? && { echo "$mode --mem=weak"; return 0; }
    done
    for mode in --mem=sc --mem=weak; do
        run $mode --explore=search --explore=200; killed $? && { echo "$mode --explore"; return 0; }
    done
    return 1
}
declare -A made dead
# mutate WHAT FILE.ir: every mutant of it
mutate() {
    local n kind rc how
    for ((n = 1; ; n++)); do
        awk -f tests/litmus/mutants -v n=$n "$2" >"$tmp/m.ir" 2>"$tmp/kind" || break
        kind=$(cat "$tmp/kind")
        "$build/pldc" "$tmp/m.ir" -o "$tmp/m.pldb" 2>/dev/null || continue
        made[$kind]=$((${made[$kind]} + 1))
        run; rc=$?
        if [ $rc = 2 ]; then bad "$1, mutant $n ($kind): $(head -n 1 "$tmp/err")"
        elif killed $rc; then dead[$kind]=$((${dead[$kind]} + 1)); ok
        elif how=$(other_modes); then bad "$1, mutant $n ($kind): only $how kills it: $(head -n 1 "$tmp/err")"
        else ok; fi
    done
}
p=3
for f in samples/*.pld; do
    for variant in $(variants "$f"); do
        name=$(basename "$f" .pld)
        p=3; [[ $name = 18_* ]] && p=4
        [[ "$name $variant" =~ $only ]] || continue
        size='-D SIZE=96'
        [[ $name = 34_* ]] && size='-D ROWS=1 -D SIZE=4 -D HEAD=2' # its golden takes the time
        # shellcheck disable=SC2046,SC2086
        "$build/pldc" "$f" -d 0-$((p - 1)) $(as_defines "$variant") $size --dump-pass=lower_host_collectives >"$tmp/p.ir" 2>/dev/null ||
            "$build/pldc" "$f" -d 0-$((p - 1)) $(as_defines "$variant") --dump-pass=lower_host_collectives >"$tmp/p.ir" 2>/dev/null || continue
        mutate "$name $variant" "$tmp/p.ir"
    done
done
p=3
for mode in barrier broadcast mesh ring reduce_scatter allgather all_to_all; do
    [[ "twice $mode" =~ $only ]] || continue
    "$build/pldc" tests/e2e/repeated.pld -d 0-2 -D mode=$mode --dump-pass=lower_host_collectives >"$tmp/p.ir" 2>/dev/null
    mutate "twice $mode" "$tmp/p.ir"
done
printf '| mutant | made | killed by the default run |\n| --- | --- | --- |\n'
for kind in "${!made[@]}"; do printf '| %s | %d | %d |\n' "$kind" "${made[$kind]}" "${dead[$kind]:-0}"; done | sort
finish
