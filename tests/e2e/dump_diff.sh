#!/bin/bash
# quick
# Dumps are the same bytes every time and everywhere, and a local edit of the source is a local
# difference in the dump of every pass.
. "$(dirname "$0")/lib.bash"
s=samples/14_reduce_scatter.pld
mkdir "$tmp/here" "$tmp/there"
cp $s "$tmp/here"; cp $s "$tmp/there"

for place in here there; do
    exits "compile $place" 0 sh -c "cd '$tmp/$place' && '$build/pldc' 14_reduce_scatter.pld -d 0-3 \
        --dump-passes --dump-loc -o x.pldb"
done
if diff -r "$tmp/here" "$tmp/there" >/dev/null; then ok; else bad 'two runs differ'; fi
exits 'by another path' 0 "$build/pldc" "$tmp/here/14_reduce_scatter.pld" -d 0-3 \
    --dump-passes="$tmp/path" --strip -o "$tmp/path.pldb"
exits 'stripped' 0 "$build/pldc" $s -d 0-3 --strip -o "$tmp/strip.pldb"
if cmp -s "$tmp/path.pldb" "$tmp/strip.pldb"; then ok; else bad 'the path is in the bytecode'; fi
if grep -rqF "$tmp" "$tmp/path"; then bad 'a path of this machine is in a dump'; else ok; fi

# edit NAME SED-SCRIPT LINES: at most so many changed lines in the dump of any pass
edit() {
    sed "$2" $s >"$tmp/edited.pld"
    rm -rf "$tmp/after"
    exits "$1" 0 "$build/pldc" "$tmp/edited.pld" -d 0-3 --dump-passes="$tmp/after" -o "$tmp/x.pldb"
    local f n
    for f in "$tmp/path"/*.ir; do
        n=$(diff "$f" "$tmp/after/$(basename "$f")" | grep -c '^[<>]')
        if [ "$n" -ge 1 ] && [ "$n" -le "$3" ]; then ok
        else bad "$1: $n lines of $(basename "$f") differ, wanted 1 to $3"; fi
    done
}
edit 'a constant' 's/return r \* 100.0 + j/return r * 101.0 + j/' 2
edit 'an operation more' \
    's/^\( *\)data = pl.store(chunk, \[c, 0\], data)/\1chunk = pl.mul(chunk, 2.0)\n&/' 6
edit 'a loop more' \
    's/^\( *\)my_rank = pld.rank(ctx)/&\n\1for q in pl.range(2):\n\1    y = pl.write(y, [0, q], 1.0)/' 30
edit 'a name' 's/\bchunk\b/piece/g' 6
finish
