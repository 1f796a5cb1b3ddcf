#!/bin/bash
# Compares what the tools print with expected files that stand beside the inputs.
# usage: tests/golden.sh [BUILD_DIR]                      compare all
#        tests/golden.sh --update [BUILD_DIR] [FILE...]   rewrite all expected files, or make these
#
# tests/golden/NAME.pld (or NAME.ir; also in tests/first_attempts, what users of Python and NumPy
# write first, and then NAME_again) is the input; beside it any of
#   NAME.err        standard error of pldc; the exit status is 1 if it has an "error:", else 0, and
#                   after an error there is no output file
#   NAME.PASS.ir    standard output of pldc --dump-pass=PASS, which read again is the same
#   NAME.run        everything pldrun prints, and a last line "exit STATUS"
# NAME may be followed by @K=V,K=V in expected files: the same input with -D K=V.
# The input's first lines may say "# args: OPTIONS" and "# exit: STATUS".
cd "$(dirname "$0")/.." || exit 2
update=0 passed=0 failed=0
if [ "$1" = --update ]; then update=1; shift; fi
build=${1:-build}
[ $# -gt 0 ] && shift
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# header KEY FILE: the value of "# KEY: VALUE" in the first three lines
header() { head -n 3 "$2" | sed -n "s/^# $1: *//p" | head -n 1; }

# input_of STEM: finds the file and splits off "@K=V,..." and ".PASS"; sets input, pass, defines
input_of() {
    local stem=$1 name
    name=${stem%@*} pass='' defines=()
    if [ "$name" != "$stem" ]; then
        local variant=${stem##*@}
        pass=${variant#*.}
        [ "$pass" = "$variant" ] && pass=''
        IFS=, read -r -a pairs <<<"${variant%%.*}"
        local pair
        for pair in "${pairs[@]}"; do defines+=(-D "$pair"); done
    fi
    for input in "$name.pld" "$name.ir"; do [ -e "$input" ] && [ "$input" != "$expected" ] && return 0; done
    pass=${name##*.}
    for input in "${name%.*}.pld" "${name%.*}.ir"; do [ -e "$input" ] && return 0; done
    return 1
}

# reads_back: the dump is a program of its own, and dumps as itself
reads_back() {
    cp "$tmp/raw" "$tmp/again.ir"
    "$build/pldc" "$tmp/again.ir" --dump-pass="$pass" 2>&1 | cmp -s - "$tmp/raw" || echo "does not read back" >>"$tmp/problem"
}

# produce EXPECTED: writes what the tools print now to $tmp/got; problems go to $tmp/problem
produce() {
    local expected=$1 args rc want
    : >"$tmp/problem"
    rm -f "$tmp/out.pldb"
    input_of "${expected%.*}" || { echo "no input for $expected" >"$tmp/problem"; return; }
    read -r -a args <<<"$(header args "$input")"
    want=$(header exit "$input")
    case $expected in
    *.err)
        "$build/pldc" "$input" "${args[@]}" "${defines[@]}" -o "$tmp/out.pldb" \
            >"$tmp/stdout" 2>"$tmp/raw"; rc=$?
        if [ -z "$want" ]; then want=0; grep -q 'error: ' "$tmp/raw" && want=1; fi
        [ -e "$tmp/out.pldb" ] && [ $rc -ne 0 ] && echo "left an output file" >>"$tmp/problem" ;;
    *.ir)
        "$build/pldc" "$input" "${args[@]}" "${defines[@]}" --dump-pass="$pass" \
            >"$tmp/raw" 2>"$tmp/stderr"; rc=$?
        [ $rc -ne 0 ] && head -n 5 "$tmp/stderr" >>"$tmp/problem"
        want=0
        reads_back ;;
    *.run)
        "$build/pldrun" "$input" "${args[@]}" "${defines[@]}" >"$tmp/raw" 2>&1; rc=$?
        echo "exit $rc" >>"$tmp/raw"
        want=$rc ;;
    esac
    [ "$rc" -eq "$want" ] || echo "exit status $rc, wanted $want" >>"$tmp/problem"
    sed "s|$(dirname "$input")/||g; s|$build/pldrun|build/pldrun|g" "$tmp/raw" >"$tmp/got"
}

one() {
    local expected=$1
    produce "$expected"
    if [ $update = 1 ] && [ ! -s "$tmp/problem" ]; then cp "$tmp/got" "$expected"; fi
    if [ ! -s "$tmp/problem" ] && diff -u "$expected" "$tmp/got" >"$tmp/diff" 2>&1; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "$expected: $(tr '\n' ' ' <"$tmp/problem")"
    [ -s "$tmp/problem" ] || head -n 30 "$tmp/diff"
}

if [ $# -gt 0 ]; then
    for file in "$@"; do one "$file"; done
else
    while read -r file; do
        # An .ir file with expectations of its own is an input.
        stem=${file%.ir}
        if [ "$stem" != "$file" ] && { [ -e "$stem.err" ] || [ -e "$stem.run" ]; }; then continue; fi
        # Without an input beside it, a file belongs to another test.
        name=${stem%.*} name=${name%%@*}
        if [ "$stem" != "$file" ] && [ ! -e "$name.pld" ] && [ ! -e "$name.ir" ]; then continue; fi
        one "$file"
    done < <(find tests/golden tests/first_attempts -name '*.err' -o -name '*.ir' -o -name '*.run' 2>/dev/null | sort)
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
