#!/bin/bash
# quick
# Timelines: XML, self-contained, the same from run to run, with what they must show.
. "$(dirname "$0")/lib.bash"

picture() { # FILE P OPTIONS...: into $tmp/t.svg
    local file=$1 p=$2; shift 2
    exits "$file on $p" 0 "$build/pldrun" "$file" -d 0-$((p - 1)) "$@" --timeline "$tmp/t.svg"
    xmllint --noout "$tmp/t.svg" 2>"$tmp/xml" && ok || bad "$file on $p: $(head -n 1 "$tmp/xml")"
}
for p in 1 2 4 16; do picture samples/11_allreduce_reveal.pld $p -D mode=ring; done
picture samples/17_host_collectives.pld 2
picture samples/06_put_get.pld 2 -D mode=put
picture samples/08_allreduce_mesh.pld 64

picture samples/10_allreduce_ring.pld 4
cp "$tmp/t.svg" "$tmp/first.svg"
picture samples/10_allreduce_ring.pld 4
cmp -s "$tmp/first.svg" "$tmp/t.svg" && ok || bad 'the picture differs from run to run'
for want in 'rank 3' 'time in µs' 'class="idle"' 'class="remote"' 'class="an"' 'class="ad"' \
    'samples/10_allreduce_ring.pld:[0-9]+:[0-9]+' 'notify to wait' 'signal_buf\[0\] &gt;= 1'; do
    says 'what it shows' "$want" "$tmp/t.svg"
done
# A bar for every data step, an arrow for every one and for every wait that a notify of a peer satisfied.
[ "$(grep -c '<rect class="remote" .*<title>' "$tmp/t.svg")" = 24 ] && ok || bad 'bars of data steps'
[ "$(grep -c '^<path class="ad" .*<title>' "$tmp/t.svg")" = 24 ] && ok || bad 'arrows of data'
[ "$(grep -c '^<path class="an" .*<title>' "$tmp/t.svg")" = 24 ] && ok || bad 'arrows of notifies'
# The modelled time is that of -v and the cost card; the critical path covers all of it.
exits 'the same time' 0 "$build/pldrun" -v samples/10_allreduce_ring.pld -d 0-3 --cost=json
time=$(sed -n 's/.*modelled time \([0-9.]*\) us/\1/p' "$tmp/err")
says 'the same time' "modelled time $time µs<" "$tmp/t.svg"
[ "$(jq -r '.time_ps / 1e6' "$tmp/out")" = "$time" ] && ok || bad "the card has another time than $time"
says 'the critical path' '<path class="crit" d="M[^"]*"><title>critical path: 31 % remote, 26 % signals under way, 21 % memory' "$tmp/t.svg"
sum=$(sed -n 's/.*>critical path: \(.*\)<\/text>/\1/p' "$tmp/t.svg" | tr ',' '\n' | awk '{ sum += $1 } END { print sum }')
[ "$sum" -ge 97 ] && [ "$sum" -le 103 ] && ok || bad "shares of the critical path: $sum %"
[ "$(grep -c '<title>compute [0-9]* %, memory [0-9]* %, remote [0-9]* %.*>58 %</text>' "$tmp/t.svg")" = 4 ] && ok || bad 'use of the ranks'
says 'the start is shortened' '<path class="break".*shortened: until here the dispatches start' "$tmp/t.svg"
# A rank that comes late holds the others up: the path runs through it until they go on.
sed 's/local = pl.load(x, \[0, 0\], \[1, SIZE\])/&\n            for i in pl.range(my_rank * 20):\n                local = pl.load(x, [0, 0], [1, SIZE])/' \
    samples/04_barrier.pld >"$tmp/late.pld"
exits 'a late rank' 0 "$build/pldrun" "$tmp/late.pld" -d 0-3 -D mode=hand --timeline "$tmp/late.svg"
says 'a late rank' 'critical path: [4-9][0-9] % memory' "$tmp/late.svg"
# Bytes that only look like markup stay text; nothing is fetched from anywhere.
if sed 's|http://www.w3.org/2000/svg||' "$tmp/t.svg" | grep -q '://\|url([^#]\|@import'; then bad 'not self-contained'; else ok; fi

exits 'a page' 0 "$build/pldrun" samples/10_allreduce_ring.pld -d 0-3 --timeline "$tmp/t.html"
says 'a page' '^<!DOCTYPE html>' "$tmp/t.html"
says 'a page' "addEventListener\('wheel'" "$tmp/t.html"
if sed 's|http://www.w3.org/2000/svg||' "$tmp/t.html" | grep -q '://\|src='; then bad 'the page is not self-contained'; else ok; fi
sed -n '/^<svg/,/^<\/svg>/p' "$tmp/t.html" | sed '/^<div/d' | cmp -s - "$tmp/t.svg" && ok || bad 'the page has another picture'
exits 'neither svg nor html' 2 "$build/pldrun" samples/10_allreduce_ring.pld --timeline "$tmp/t.png"

# Where a deadlock stands.
sed 's/value=1, op=pld.NotifyOp.AtomicAdd/value=0, op=pld.NotifyOp.AtomicAdd/' samples/08_allreduce_mesh.pld >"$tmp/stuck.pld"
exits 'a deadlock' 3 "$build/pldrun" "$tmp/stuck.pld" -d 0-3 --timeline "$tmp/t.svg"
says 'a deadlock' 'blocked: signal_buf\[0\] is 0, wants &gt;= 1' "$tmp/t.svg"
xmllint --noout "$tmp/t.svg" && ok || bad 'XML of a deadlock'

# Blocks have rows of their own, the same for one pl.spmd after another; cores that nobody used have none.
exits 'blocks' 0 "$build/pldrun" tests/kernels/blocks_of_a_run_time_number.pld -q --timeline "$tmp/t.svg"
rows=$(grep -o '>rank 0, core [0-9]*<' "$tmp/t.svg" | wc -l)
[ "$rows" -eq 4 ] && ok || bad "3 blocks at most: $rows rows"
finish
