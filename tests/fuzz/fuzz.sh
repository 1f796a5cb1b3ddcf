#!/bin/bash
# Runs each tests/fuzz/fuzz_NAME.c for FUZZ_S seconds (default 60) from its seeds: with clang's
# fuzzer, guided by coverage, on a machine that asserts each access and under the sanitizers; where
# there is no clang, by mutation at random. What breaks is left in build/fuzz/NAME/.
# Only the targets named in FUZZ_TARGETS, if it is set. usage: tests/fuzz/fuzz.sh BUILD
set -e
cd "$(dirname "$0")/../.."
. tests/fuzz/seeds.sh
build=${1:-build}
seconds=${FUZZ_S:-${FUZZ_SECONDS:-60}}
san=fuzzer-no-link,address,undefined
dir=build/vmcheck/san-fuzzer-no-link-address-undefined
guided=1
mkdir -p build/fuzz
echo 'int LLVMFuzzerTestOneInput(const char *b, unsigned long n) { return b && n ? 0 : 0; }' >build/fuzz/try.c
clang -fsanitize=fuzzer,address,undefined -o build/fuzz/try build/fuzz/try.c 2>/dev/null || guided=
if [ -n "$guided" ]; then make -s -j"$(nproc)" CC=clang SAN=$san VMCHECK=1 "$dir/all.a"; fi

# guided NAME: coverage decides what is tried next
guided() {
    local bin=build/fuzz/$1.bin dict=()
    clang -std=c17 -g -O1 -D_GNU_SOURCE -DPLD_FUZZING -DPLD_VM_CHECK -I. -I$dir/gen \
        -fsanitize=fuzzer,address,undefined -o "$bin" "tests/fuzz/fuzz_$1.c" $dir/all.a -lm -lpthread
    if [ -f "tests/fuzz/$1.dict" ]; then dict=(-dict="tests/fuzz/$1.dict"); fi
    # shellcheck disable=SC2046,SC2086
    "$bin" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/$1/" "${dict[@]}" $FUZZ_FLAGS "build/fuzz/$1" $(seeds "$1") \
        >"build/fuzz/$1.log" 2>&1
}
# at_random NAME: the target as `make fuzzers` builds it
at_random() {
    # shellcheck disable=SC2046
    find $(seeds "$1") -maxdepth 1 -type f -exec \
        "$build/tests/fuzz/fuzz_$1" -random "$seconds" "build/fuzz/$1/current" {} + >"build/fuzz/$1.log" 2>&1
}
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    case " ${FUZZ_TARGETS:-$name} " in *" $name "*) ;; *) continue ;; esac
    mkdir -p "build/fuzz/$name" "tests/fuzz/corpus/$name"
    if [ -n "$guided" ]; then how=guided; else how=at_random; fi
    $how "$name" || { tail -n 40 "build/fuzz/$name.log"; exit 1; }
    echo "$name: $(grep -aoE 'cov: [0-9]+ ft: [0-9]+' "build/fuzz/$name.log" | tail -n 1) $(grep -aE '^Done' "build/fuzz/$name.log")"
done
