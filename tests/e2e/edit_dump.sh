#!/bin/bash
# quick
# A dump is a program to work on: a constant edited in the dump of any pass shows in the result.
. "$(dirname "$0")/lib.bash"

# shows WHAT FILE WANTED: the first eight columns of y, and a ninth that tells the credit
shows() {
    local got
    got=$("$build/pldrun" -q "$2" --print 'y[1,0,:9]' 2>"$tmp/err" | sed -n 2p)
    if [ "$got" = "$3" ]; then ok; else bad "$1: got $got, wanted $3 $(head -n 2 "$tmp/err")"; fi
}
# edited FROM TO: the dump with one constant changed, which must be there once
edited() {
    sed "s/$1/$2/" "$dump" >"$tmp/edited.ir"
    if [ "$(diff "$dump" "$tmp/edited.ir" | grep -c '^>')" -eq 1 ]; then ok
    else bad "$(basename "$dump"): $1 does not stand on one line"; fi
}

exits 'dumps' 0 "$build/pldc" tests/e2e/dumps/constants.pld --dump-passes="$tmp/dumps" \
    -o "$tmp/x.pldb"
plain='[ 77.  84.  91.  98. 105. 112. 119. 126.   0.]'
n=0
for dump in "$tmp"/dumps/*.ir; do
    name=$(basename "$dump" .ir) n=$((n + 1))
    shows "$name" "$dump" "$plain"
    edited '7\.0' '9.0'
    shows "$name, factor" "$tmp/edited.ir" '[ 99. 108. 117. 126. 135. 144. 153. 162.   0.]'
    edited '\[0, 11\]' '[0, 12]'
    shows "$name, offset" "$tmp/edited.ir" '[ 84.  91.  98. 105. 112. 119. 126. 133.   0.]'
    edited 'value=3, op' 'value=5, op'
    shows "$name, credit" "$tmp/edited.ir" '[ 77.  84.  91.  98. 105. 112. 119. 126.   1.]'
done

# A dump from before tiles had memories of several kinds says none: they are in Vec.
dump=$(echo "$tmp"/dumps/*_insert_fences.ir)
sed 's/, pl\.Mem\.Vec\]/]/' "$dump" >"$tmp/old.ir"
if cmp -s "$dump" "$tmp/old.ir"; then bad 'insert_fences prints no memory kinds'; else ok; fi
shows 'a dump without memory kinds' "$tmp/old.ir" "$plain"
if [ $n -eq 17 ]; then ok; else bad "$n dumps, wanted 17"; fi
finish
