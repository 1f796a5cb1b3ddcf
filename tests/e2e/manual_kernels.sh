#!/bin/bash
# quick
# pld-kernels(7): every program on it prints OK, also under weak memory and on the other platform, one run
# decides it, and every `$ command` prints what stands below it.
. "$(dirname "$0")/lib.bash"
page=man/pld-kernels.7

# A literal block is a program, named in its first line, or a command and its output.
awk -v dir="$tmp" '
    /^\.Bd -literal/ { begin = 1; next }
    /^\.Ed/ { if (file) close(file); file = ""; next }
    begin { begin = 0; file = "" }
    !file && /^# [a-z0-9_]*\.pld$/ { file = dir "/" $2 }
    !file && /^\$ / { file = dir "/" ++n ".out"; print substr($0, 3) >(dir "/" n ".cmd"); close(dir "/" n ".cmd"); next }
    file { gsub(/\\e/, "\\"); print >file }' "$page"
programs=("$tmp"/*.pld)
blocks=$(grep -c "^\.Bd -literal" "$page") commands=$(find "$tmp" -name "*.cmd" | wc -l)
if [ $((${#programs[@]} + commands)) -eq "$blocks" ]; then ok; else bad "$blocks blocks, ${#programs[@]} programs, $commands commands"; fi
if [ "${#programs[@]}" -ge 11 ]; then ok; else bad "only ${#programs[@]} programs"; fi
for f in "${programs[@]}"; do
    what="$page: $(basename "$f")"
    prints_ok "$what" "$f"
    prints_ok "$what, weak" "$f" --mem=weak
    prints_ok "$what, a5sim" "$f" -p a5sim
    exits "$what, explored" 0 "$build/pldrun" "$f" --explore
    says "$what, explored" 'complete=yes verified' "$tmp/out"
done
mkdir "$tmp/bin"; ln -s "$build/pldc" "$build/pldrun" "$tmp/bin/"
for c in "$tmp"/*.cmd; do
    got=$(cd "$tmp" && PATH=$tmp/bin:$PATH sh "$c" 2>&1)
    if [ "$got" = "$(cat "${c%.cmd}.out")" ]; then ok; else bad "$page: $(cat "$c"): printed $(diff <(echo "$got") "${c%.cmd}.out" | head -n 4)"; fi
done
finish
