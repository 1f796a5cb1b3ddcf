#!/bin/bash
# Builds each tests/fuzz/fuzz_NAME.c with clang's fuzzer and the sanitizers and runs it for
# FUZZ_SECONDS (default 60) from its corpus. A crashing input is left in build/fuzz/NAME/.
# Only the targets named in FUZZ_TARGETS, if it is set.
set -e
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-60}
san=fuzzer-no-link,address,undefined
dir=build/vmcheck/san-fuzzer-no-link-address-undefined
make -s CC=clang SAN=$san VMCHECK=1 lib
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    case " ${FUZZ_TARGETS:-$name} " in *" $name "*) ;; *) continue ;; esac
    found=build/fuzz/$name
    mkdir -p "$found" "tests/fuzz/corpus/$name"
    clang -std=c17 -g -O1 -D_GNU_SOURCE -DPLD_FUZZING -DPLD_VM_CHECK -I. -I$dir/gen \
        -fsanitize=fuzzer,address,undefined -o "$found.bin" "$source" $dir/libpld.a -lm -lpthread
    dict=()
    if [ -f "tests/fuzz/$name.dict" ]; then dict=(-dict="tests/fuzz/$name.dict"); fi
    "$found.bin" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$found/" "${dict[@]}" "$found" "tests/fuzz/corpus/$name" \
        >"$found.log" 2>&1 || { tail -n 40 "$found.log"; exit 1; }
    echo "$name: $(tail -n 1 "$found.log")"
done
