#!/bin/bash
# Every dump of every sample is a program: it compiles to the same bytecode, prints itself again, and
# pass k alone from dump k-1 gives dump k.
. "$(dirname "$0")/lib.bash"

# continue_dumps DIR NAME: from each dump, write the dumps of the passes after it and compare
continue_dumps() {
    local dir=$1 what=$2 f g out
    for f in "$dir"/*.ir; do
        out=$tmp/again; rm -rf "$out"
        if ! "$build/pldc" "$f" --strip -o "$tmp/again.pldb" --dump-passes="$out" 2>"$tmp/err"; then
            bad "$what: $(basename "$f") does not compile: $(head -n 1 "$tmp/err")"; continue
        fi
        if cmp -s "$tmp/whole.pldb" "$tmp/again.pldb"; then ok; else bad "$what: $(basename "$f") gives other bytecode"; fi
        for g in "$out"/*.ir; do
            if cmp -s "$g" "$dir/$(basename "$g")"; then ok
            else bad "$what: from $(basename "$f"), $(basename "$g") differs: $(diff "$dir/$(basename "$g")" "$g" | sed -n 2,3p | tr '\n' ' ')"; fi
        done
    done
}
for sample in samples/*.pld; do
    for variant in $(variants "$sample"); do
        what="$(basename "$sample" .pld) $variant"
        rm -rf "$tmp/dumps"
        # shellcheck disable=SC2046
        if "$build/pldc" "$sample" $(as_defines "$variant") -d 0-3 --strip -o "$tmp/whole.pldb" --dump-passes="$tmp/dumps" 2>"$tmp/err"; then
            n=$(find "$tmp/dumps" -type f | wc -l)
            if [ "$n" -eq 17 ]; then ok; else bad "$what: $n dumps, wanted 17"; fi
            continue_dumps "$tmp/dumps" "$what"
        else
            bad "$what: $(head -n 1 "$tmp/err")"
        fi
    done
done
finish
