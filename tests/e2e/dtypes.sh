#!/bin/bash
# quick
# load, an operation and store in every dtype; FP16 and BF16 round after each operation.
. "$(dirname "$0")/lib.bash"
d=tests/e2e/dtypes

for dtype in FP32 FP16 BF16 INT8 UINT8 INT16 UINT16 INT32 UINT32 INT64; do
    for op in add sub mul div maximum minimum neg abs scalar full; do
        prints_ok "$op $dtype" $d/ops.pld -D dtype=pl.$dtype -D op=$op
    done
done
# The golden above can fail: it knows the number of bits at which an integer wraps.
sed 's/m = 2 \*\* bits/m = 2 ** (bits - 1)/' $d/ops.pld >"$tmp/off.pld"
exits 'a wrong width' 1 "$build/pldrun" "$tmp/off.pld" -D dtype=pl.INT8 -D op=mul

for case in add mul remote; do
    for dtype in FP16 BF16; do
        prints_ok "rounding of $case $dtype" $d/rounding.pld -D dtype=pl.$dtype -D case=$case
    done
done
exits 'FP32 keeps what FP16 loses' 1 "$build/pldrun" $d/rounding.pld -D dtype=pl.FP32 -D case=add
finish
