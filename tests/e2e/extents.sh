#!/bin/bash
# quick
# Extents at the ends of 64 bits: a message, never a trap or a wrapped size. Under
# SAN=address,undefined, the arithmetic on the way there too.
. "$(dirname "$0")/lib.bash"

# A file of shape (3, 1, 4), all zeros.
{
    printf '\x93NUMPY\x01\0\x76\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1, 4), }"
    head -c 48 /dev/zero
} >"$tmp/x3.npy"

# extent EXPRESSION STATUS [PATTERN]: of the input that the file is for, on three devices
extent() {
    sed "s|EXTENT|$1|" tests/e2e/extents/copy.pld >"$tmp/copy.pld"
    exits "$1" "$2" "$build/pldrun" "$tmp/copy.pld" -d 0-2 --input x="$tmp/x3.npy"
    if [ -n "$3" ]; then says "$1" "$3"; fi
}
leaves='axis 0 of x is negative or leaves 64 bits'
extent 'NR' 0
extent '4611686018427387904 * NR // 4611686018427387904' 0
extent '2 * NR - 3' 0
extent '6 - NR' 0
extent '-9223372036854775805 - NR' 2 "$leaves"
extent '9223372036854775805 - NR' 2 'larger than 16 GiB'
extent '-9223372036854775807 + NR' 2 "$leaves"
extent '9223372036854775807 + NR' 2 "$leaves"
extent '1152921504606846976 + NR' 2 'larger than 16 GiB'
extent '4611686018427387904 * NR' 2 "$leaves"
extent '9223372036854775807 * NR' 2 "$leaves"
extent '4611686018427387904 * NR * NR' 2 "$leaves"
extent '(NR + 9223372036854775807) // 2' 2 "$leaves"
extent '0 - NR' 2 "$leaves"
extent '9223372036854775807 + 1 + NR' 2 'the result of \+ leaves 64 bits'
extent '(NR + 9223372036854775807) + 1' 2 'divides by zero or is too large'
extent '4611686018427387904 * (2 * NR)' 2 'divides by zero or is too large'
extent 'NR // 0' 2 'divides by zero or is too large'
extent '4611686018427387904' 2 'has 2\^63 bytes or more'

# Nothing is there to be read, but its strides must fit.
# view_source DTYPE NR: the value of NR, for $tmp/view.pld
view_source() { { echo "NR = $2"; sed "s/pl\.T\>/pl.$1/" tests/e2e/extents/view.pld; } >"$tmp/view.pld"; }
view_source INT8 0
prints_ok 'empty view of 2^62 bytes' "$tmp/view.pld" -d 0,1
view_source INT32 0
exits 'empty view of 2^64 bytes' 1 "$build/pldc" "$tmp/view.pld" -o "$tmp/view.pldb"
says 'empty view of 2^64 bytes' '2\^63 bytes'
for dtype in INT8 INT32; do
    view_source $dtype 'pl.dynamic("NR")'
    exits "view of $dtype" 0 "$build/pldc" "$tmp/view.pld" -o "$tmp/$dtype.pldb"
done
prints_ok 'empty view of 2^62 bytes at run time' "$tmp/INT8.pldb" -d 0,1 -D NR=0
exits 'empty view of 2^64 bytes at run time' 5 "$build/pldrun" "$tmp/INT32.pldb" -d 0,1 -D NR=0
says 'empty view of 2^64 bytes at run time' 'its size leaves 64 bits'
finish
