#!/bin/sh
# quick
# Replays the seeds of each fuzz target, tests/fuzz/corpus/NAME/* and others, through fuzz_NAME, file by file.
. tests/fuzz/seeds.sh
build=${1:-build}
passed=0 failed=0
for dir in tests/fuzz/corpus/*/; do
    name=$(basename "$dir")
    target=$build/tests/fuzz/fuzz_$name
    [ -x "$target" ] || { echo "$target is not built"; failed=$((failed + 1)); continue; }
    # shellcheck disable=SC2046  # folders
    for input in $(find $(seeds "$name") -maxdepth 1 -type f | sort); do
        # What is refused at its header tests nothing behind it.
        if [ "${input%.pldb}" != "$input" ] && ! "$build/pldrun" --disasm "$input" >/dev/null 2>&1; then
            failed=$((failed + 1))
            echo "$input does not load: scripts/renew-corpora writes it for this format"
            continue
        fi
        if out=$("$target" "$input" 2>&1); then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$input: $(echo "$out" | head -n 5)"
        fi
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
