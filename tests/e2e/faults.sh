#!/bin/bash
# Calls of the system that fail, and signals at them: a message and a status, the old file or the
# whole new one, and nothing else. LONG=1 tries every allocation of every command.
. "$(dirname "$0")/lib.bash"
if nm "$build/pldrun" | grep -Eq '__(asan|tsan)_init'; then ok; finish; fi
faults=$build/tests/faults.so
s=samples/06_put_get.pld
mkdir "$tmp/w"
"$build/pldc" $s -d 0,1 -D mode=put -o "$tmp/p.pldb" || bad 'it does not compile'
# with "KIND N ERROR" COMMAND...: sets rc; $tmp/mark is there when it came to the fault
with() {
    local fault=$1; shift
    rm -f "$tmp/mark"
    { PLD_FAULT=$fault PLD_FAULT_MARK=$tmp/mark LD_PRELOAD=$faults timeout 60 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
        rc=$?; } 2>/dev/null # the shell says which signal it was
}
# names: what is in the folder of outputs, hidden files too
names() { find "$tmp/w" -type f | sort; }

# ---- files: each write, open, fsync, close, rename of a command ----
# fill: what stands there before
fill() { rm -rf "$tmp/w"; mkdir -p "$tmp/w/d"; for f in b y.npy t.json t.svg; do echo old >"$tmp/w/$f"; done; }
# broken COMMAND...: each call of each kind fails in turn with each error; then a signal comes there
broken() {
    local what="${*: -1}" kind n error f
    fill; "$@" >/dev/null 2>&1 || bad "$what: does not work at all"
    rm -rf "$tmp/new"; cp -r "$tmp/w" "$tmp/new"
    for kind in open write fsync close rename; do
        for error in 28 5 32 -2 -15; do
            for n in 1 2 3 9; do
                fill
                with "$kind $n $error" "$@"
                [ -e "$tmp/mark" ] || break
                if [ $error -gt 0 ]; then
                    if [ $rc -eq 2 ] && grep -q "error: cannot write $tmp/w/.*: " "$tmp/err"; then ok
                    else bad "$what: $kind $n $error: status $rc, $(head -n 1 "$tmp/err")"; fi
                elif [ $rc -eq $((128 - error)) ]; then ok
                else bad "$what: $kind $n $error: status $rc"; fi
                if names | grep -q '\.tmp$'; then bad "$what: $kind $n $error: a temporary file is left"; else ok; fi
                for f in $(names); do
                    if echo old | cmp -s - "$f" || cmp -s "$f" "$tmp/new/${f#"$tmp/w/"}"; then ok
                    else bad "$what: $kind $n $error: ${f##*/} is half a file"; fi
                done
            done
        done
    done
}
broken "$build/pldc" $s -D mode=put -o "$tmp/w/b"
broken "$build/pldc" $s -D mode=put -o "$tmp/w/b" --dump-passes="$tmp/w/d"
broken "$build/pldrun" "$tmp/p.pldb" --trace="$tmp/w/t.json" --timeline="$tmp/w/t.svg" --output y="$tmp/w/y.npy"
broken "$build/pldrun" "$tmp/p.pldb" --timeline="$tmp/w/t.html"

# ---- streams: full, closed, a pipe that nobody reads ----
for command in 'pldc --list-ops' "pldc $s --emit=ir" "pldc $s --emit=asm" "pldc $s --emit=ast" "pldc $s --dump-pass=parsed" \
    'pldc --help' "pldrun $tmp/p.pldb" "pldrun $tmp/p.pldb --disasm" "pldrun $tmp/p.pldb --cost" "pldrun $tmp/p.pldb --explore" 'pldrun --version'; do
    for to in '>/dev/full' '>&-'; do
        exits "$command $to" 2 sh -c "'$build'/$command $to"
        says "$command $to" 'cannot write standard output'
    done
    bash -c "'$build'/$command 2>'$tmp/err' | exec true; exit \${PIPESTATUS[0]}"; rc=$?
    if [ $rc -eq 141 ] || [ $rc -eq 0 ]; then ok; else bad "$command: status $rc into a closed pipe"; fi
    bash -c "trap '' PIPE; '$build'/$command 2>'$tmp/err' | exec true; exit \${PIPESTATUS[0]}"; rc=$?
    if [ $rc -eq 2 ] || [ $rc -eq 0 ]; then ok; else bad "$command: status $rc into an ignored pipe"; fi
done
# A stream that is closed is no room for a file: what is said does not go into it.
for closed in '<&-' '2>&-' '<&- >&- 2>&-'; do
    rm -f "$tmp/w/c"
    sh -c "'$build/pldc' $s -D mode=put -Wall -o '$tmp/w/c' $closed" >"$tmp/out" 2>"$tmp/err"
    if cmp -s "$tmp/w/c" "$tmp/p.pldb"; then ok; else bad "bytecode with $closed differs"; fi
    sh -c "'$build/pldrun' '$tmp/p.pldb' -v --trace='$tmp/w/c' $closed" >"$tmp/out" 2>"$tmp/err" || [[ $closed = *'>&- 2'* ]] || bad "a run with $closed"
    if jq -e . "$tmp/w/c" >/dev/null 2>&1; then ok; else bad "a trace with $closed is no JSON"; fi
done

# ---- memory: the n-th allocation ----
# starved STEP COMMAND...: each (each STEP-th) allocation fails: status 71 and nothing written, or all as ever
starved() {
    local step=$1 n what; shift
    what="$(basename "$1") ${*:2}"
    [ -z "$LONG" ] || step=1
    fill; with 'none 0 0' "$@"; local status=$rc; cp "$tmp/out" "$tmp/good"
    rm -rf "$tmp/new"; cp -r "$tmp/w" "$tmp/new"
    for ((n = 1;; n += step)); do
        fill
        with "malloc $n 12" "$@"
        [ -e "$tmp/mark" ] || break
        if [ $rc -eq 71 ]; then
            if grep -q 'error: out of memory$' "$tmp/err" && ! names | grep -q tmp$; then ok; else bad "$what: allocation $n: $(head -n 2 "$tmp/err")"; fi
        elif [ $rc -eq "$status" ] && cmp -s "$tmp/out" "$tmp/good" && diff -r "$tmp/w" "$tmp/new" >/dev/null; then ok
        else bad "$what: allocation $n: status $rc, $(head -n 2 "$tmp/err")"; fi
    done
    if [ "$n" -gt 1 ]; then ok; else bad "$what: no allocation failed"; fi
}
starved 23 "$build/pldc" $s -D mode=put -o "$tmp/w/b"
starved 23 "$build/pldc" --compare $s -D mode=put -- -D mode=get
starved 29 "$build/pldrun" "$tmp/p.pldb" --trace="$tmp/w/t.json" --output y="$tmp/w/y.npy"
starved 29 "$build/pldrun" $s -D mode=put --cost
starved 19 "$build/pldrun" "$tmp/p.pldb" --explore=search
starved 19 "$build/pldrun" "$tmp/p.pldb" --explore=outcomes -j 2
starved 199 "$build/pldrun" "$tmp/p.pldb" --explain-sync
finish
