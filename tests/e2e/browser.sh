#!/bin/bash
# Timelines of large runs: below 2 MB each, and drawn by a real browser, with their labels and not blank.
# Without chromium the browser's part is left out.
. "$(dirname "$0")/lib.bash"
browser=''
for name in chromium chromium-browser google-chrome; do
    [ -z "$browser" ] && browser=$(command -v $name)
done
[ -n "$browser" ] || echo 'skipped: screenshots need chromium'

# looks WHAT FILE COLOUR@PIXELS...: a screenshot is not blank and has these colours
looks() {
    local what=$1 file=$2 out; shift 2
    [ -n "$browser" ] || return
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1640,900 \
        --user-data-dir="$tmp/profile" --screenshot="$tmp/shot.png" "file://$file" >"$tmp/log" 2>&1
    out=$(python3 tests/e2e/browser/look.py "$tmp/shot.png" "$@" 2>&1) && ok || bad "$what in the browser: $out"
}
# labelled WHAT FILE TEXT...: the browser's document has these texts
labelled() {
    local what=$1 file=$2 text; shift 2
    [ -n "$browser" ] || return
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" \
        --dump-dom "file://$file" >"$tmp/dom" 2>"$tmp/log"
    for text; do
        grep -qF -- "$text" "$tmp/dom" && ok || bad "$what: the browser has no '$text'"
    done
}
# run WHAT ARGS...: writes $tmp/t.svg and $tmp/t.html, both below 2 MB
run() {
    local what=$1 kind; shift
    for kind in svg html; do
        exits "$what" 0 "$build/pldrun" -q -v "$@" --timeline "$tmp/t.$kind"
        [ "$(wc -c <"$tmp/t.$kind")" -lt 2000000 ] && ok || bad "$what: $(wc -c <"$tmp/t.$kind") bytes of $kind"
    done
    xmllint --noout "$tmp/t.svg" 2>"$tmp/xml" && ok || bad "$what: $(head -n 1 "$tmp/xml")"
    grep -qF "modelled time $(sed -n 's/.*modelled time \([0-9.]*\) us/\1/p' "$tmp/err") µs" "$tmp/t.svg" && ok ||
        bad "$what: another modelled time than -v: $(cat "$tmp/err")"
}

remote=ef8a17 notify=3d8b37 memory=5fb3b3 waiting=f0c3d0 start=c8ced6
run 'a small ring' samples/10_allreduce_ring.pld -d 0-3
looks 'a small ring' "$tmp/t.svg" $remote@3000 $memory@3000 $start@500 $notify@200
looks 'the page of a small ring' "$tmp/t.html" $remote@3000 $memory@3000
labelled 'a small ring' "$tmp/t.html" 'rank 3' 'critical path: ' 'busy' 'remote_load' 'time in µs' 'shortened: until here'
run '3,000 rounds' tests/e2e/browser/rounds.pld -d 0-7
looks '3,000 rounds' "$tmp/t.svg" $waiting@50000 $notify@300
labelled '3,000 rounds' "$tmp/t.html" 'rank 7' 'operations, compute' 'transfers of' 'time in ms' '% signals under way'
run '64 ranks' samples/08_allreduce_mesh.pld -d 0-63
looks '64 ranks' "$tmp/t.svg" $remote@100000 $notify@3000 $start@1000
labelled '64 ranks' "$tmp/t.html" 'rank 63' 'operations, '
run '1,024 ranks' samples/08_allreduce_mesh.pld -d 0-1023 --check=none
looks '1,024 ranks' "$tmp/t.svg" $remote@100000 $notify@3000
labelled '1,024 ranks' "$tmp/t.html" 'ranks 1016 to 1023' 'operations, '

# Their traces: below 20 MB, by merging, which is said.
for p in 8 64; do
    file=samples/08_allreduce_mesh.pld; [ $p = 8 ] && file=tests/e2e/browser/rounds.pld
    exits "a trace of $p" 0 "$build/pldrun" "$file" -d 0-$((p - 1)) --trace "$tmp/t.json"
    [ "$(wc -c <"$tmp/t.json")" -lt 20000000 ] && ok || bad "a trace of $p: $(wc -c <"$tmp/t.json") bytes"
    wrong=$(jq -r -f tests/e2e/trace.jq "$tmp/t.json" 2>&1 | head -n 3)
    [ -z "$wrong" ] && ok || bad "a trace of $p: $wrong"
    [ $p = 64 ] || says "a trace of $p" 'note: the trace is long: operations of less than [0-9]+ ns that follow each other are one slice'
done
finish
