#!/bin/bash
# quick
# Whole programs, tests/kernels/*.pld: each runs to OK, its goldens being in it, and each of its
# dumps compiles to the same stripped bytes and runs to OK too. "# args:" in the first lines is for
# both tools.
. tests/e2e/lib.bash
for f in tests/kernels/*.pld; do
    read -r -a args <<<"$(head -n 3 "$f" | sed -n 's/^# args: *//p')"
    name=$(basename "$f" .pld)
    out=$("$build/pldrun" "$f" "${args[@]}" 2>&1)
    if [ "$out" = OK ]; then ok; else bad "$name: $(head -n 3 <<<"$out")"; continue; fi
    rm -rf "$tmp/dumps"
    compile=()
    for ((i = 0; i < ${#args[@]}; i++)); do
        case ${args[i]} in
        --tensor | -D | -d | --entry | --program) compile+=("${args[i]}" "${args[i + 1]}") ;;
        esac
    done
    "$build/pldc" "$f" "${compile[@]}" --strip -o "$tmp/whole.pldb" --dump-passes="$tmp/dumps" 2>"$tmp/err" || bad "$name: $(head -n 1 "$tmp/err")"
    for dump in "$tmp"/dumps/*.ir; do
        if "$build/pldc" "$dump" --strip -o "$tmp/again.pldb" 2>"$tmp/err" && cmp -s "$tmp/whole.pldb" "$tmp/again.pldb"; then
            ok
        else
            bad "$name: ${dump##*/}: $(head -n 1 "$tmp/err")"
        fi
    done
done
finish
