#!/bin/bash
# Runs the tests and closes with `N passed, M failed`.
# usage: tests/run.sh BUILD_DIR [quick]
# Programs: BUILD_DIR/tests/check_* (Check). Scripts: tests/e2e/*.sh, and scripts/check-* unless
# quick; each prints a line per failing check and its own `N passed, M failed`. With `quick` only
# the scripts with a comment line `# quick` run.
# Nothing here is limited by the clock: on a slow machine the tests take longer, that is all. A test that
# hangs is the one whose line does not come; TEST_TIMEOUT=SECONDS ends it, where somebody wants that.
cd "$(dirname "$0")/.." || exit 2
build=${1:-build} mode=${2:-all}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export CK_VERBOSITY=normal CK_DEFAULT_TIMEOUT=0

list_tests() {
    if [ "$mode" = all ]; then
        ls scripts/check-* 2>/dev/null
        ls tests/e2e/*.sh 2>/dev/null
    else
        grep -ls '^# quick' tests/e2e/*.sh
    fi
    for source in tests/check_*.c; do
        [ -e "$source" ] && echo "$build/tests/$(basename "$source" .c)"
    done
}

# run_one TEST: leaves output, exit status and counts in files named after the test
run_one() {
    name=$(basename "$1")
    timeout -k 10 "${TEST_TIMEOUT:-0}" "$1" "$build" >"$tmp/$name.out" 2>&1 </dev/null
    rc=$?
    # Check: "62%: Checks: 8, Failures: 2, Errors: 1"; scripts: "8 passed, 3 failed"
    counts=$(sed -nE -e 's/^[0-9]+%: Checks: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+)$/\1 \2 \3/p' \
        -e 's/^([0-9]+) passed, ([0-9]+) failed$/+ \1 \2/p' "$tmp/$name.out" |
        awk '$1 == "+" { p += $2; f += $3; next } { p += $1 - $2 - $3; f += $2 + $3 }
             END { if (NR) print p + 0, f + 0 }')
    read -r passed failed <<<"$counts"
    if [ -z "$counts" ]; then
        passed=0 failed=1
        { tail -n 20 "$tmp/$name.out"; echo "exit status $rc, no count of tests"; } >"$tmp/$name.bad"
    elif [ "$failed" -gt 0 ]; then
        grep -Ev '^([0-9]+%: Checks: .*|[0-9]+ passed, [0-9]+ failed|Running suite.*)$' \
            "$tmp/$name.out" >"$tmp/$name.bad"
    elif [ $rc -ne 0 ]; then
        failed=1
        { tail -n 20 "$tmp/$name.out"; echo "exit status $rc"; } >"$tmp/$name.bad"
    fi
    echo "$passed $failed" >"$tmp/$name.count"
    set -- "$tmp"/*.count
    printf '[%2d/%d] %s: %s\n' $# "$n_tests" "$name" \
        "$(if [ "$failed" -gt 0 ]; then echo "$failed of $((passed + failed)) FAILED"; else echo "$passed ok"; fi)"
    if [ -s "$tmp/$name.bad" ]; then sed "s|^|$name: |" "$tmp/$name.bad" | head -n 60; fi
    return 0
}
export -f run_one
list_tests >"$tmp/list"
n_tests=$(wc -l <"$tmp/list")
export build tmp n_tests
xargs -r -a "$tmp/list" -P "${TEST_JOBS:-2}" -I{} bash -c 'run_one {}'

# A test that left no count (killed with its shell) counts as failed.
while read -r test; do
    cat "$tmp/$(basename "$test").count" 2>/dev/null || echo "0 1"
done <"$tmp/list" >"$tmp/counts"
read -r passed failed < <(awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }' "$tmp/counts")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
