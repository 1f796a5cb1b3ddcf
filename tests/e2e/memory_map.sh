#!/bin/bash
# quick
# pldc --memory: addresses are those of the program after its last pass, numbers add up, a dump has the
# same map, and the picture has every tile and window.
. "$(dirname "$0")/lib.bash"

# Memory and address of every tile: of a map, of a dump.
of_map() { awk '$1 ~ /:$/ { memory = substr($1, 1, length($1) - 1) } /^symmetric/ { exit } NF >= 6 && $1 ~ /^[0-9]+$/ { print memory, $1 }' "$1" | sort -u; }
of_dump() { grep -o 'pl\.Mem\.[A-Za-z]*, [0-9]*\]' "$1" | sed 's/pl\.Mem\.\(.*\), \(.*\)]/\1 \2/' | sort -u; }

for s in samples/*.pld; do
    exits "$s" 0 "$build/pldc" "$s" -d 0-3 --memory; cp "$tmp/out" "$tmp/map"
    "$build/pldc" "$s" -d 0-3 --dump-pass=final --dump-loc >"$tmp/final.ir"
    of_map "$tmp/map" >"$tmp/a"; of_dump "$tmp/final.ir" >"$tmp/b"
    if cmp -s "$tmp/a" "$tmp/b"; then ok; else bad "$s: $(diff "$tmp/a" "$tmp/b" | head -n 4 | tr '\n' ' ')"; fi
    exits "$s from its dump" 0 "$build/pldc" "$tmp/final.ir" --memory
    if cmp -s "$tmp/map" "$tmp/out"; then ok; else bad "$s: its dump has another map: $(diff "$tmp/map" "$tmp/out" | head -n 4 | tr '\n' ' ')"; fi
    # Bytes of the tiles of a memory are the sum that the head says, the highest end is what is used.
    awk '/ of .* bytes, at most/ { check(); want = $2; gsub(/[;,]/, ""); all = $18; sum = most = 0; next }
         /^symmetric/ { exit } NF >= 6 && $1 ~ /^[0-9]+$/ { sum += $2; if ($1 + $2 > most) most = $1 + $2 }
         function check() { if (want != "" && (sum != all || most != want)) { print "sum " sum ", " all ", end " most ", " want; bad = 1 } }
         END { check(); exit bad }' "$tmp/map" >"$tmp/sums" && ok || bad "$s: $(cat "$tmp/sums")"
    exits "$s, drawn" 0 "$build/pldc" "$s" -d 0-3 --memory="$tmp/map.svg"
    xmllint --noout "$tmp/map.svg" 2>"$tmp/err" && ok || bad "$s: not XML: $(head -n 1 "$tmp/err")"
    drawn=$(grep -o '[0-9]* bytes at [0-9]*' "$tmp/map.svg" | sort -u | wc -l)
    listed=$(awk 'NF >= 4 && $1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { print $2, $1 }' "$tmp/map" | sort -u | wc -l)
    if [ "$drawn" = "$listed" ]; then ok; else bad "$s: $drawn places drawn, $listed listed"; fi
done

# By hand: rows of 64 FP32 are 256 bytes, a column [16, 1] is 64 bytes.
cat >"$tmp/softmax.pld" <<'PLD'
import pypto.language as pl
@pl.jit.incore
def softmax(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [16, 64])
    top = pl.row_max(t)
    u = pl.exp(pl.row_expand_sub(t, top))
    total = pl.row_sum(u)
    return pl.store(pl.row_expand_div(u, total), [0, 0], y)
PLD
cat >"$tmp/want" <<'TEXT'
memory of Program on a2a3sim
softmax
  Vec: 4160 of 188416 bytes, at most 4160 alive at once (line 5); every tile by itself: 16512, reuse saves 12352
      address     bytes  lines        tile
            0      4096  4-6          t [16, 64] FP32
         4096        64  5-6          top [16, 1] FP32
            0      4096  6            u [16, 64] FP32
            0      4096  6-8          u [16, 64] FP32
         4096        64  7-8          total [16, 1] FP32
            0      4096  8            y [16, 64] FP32
TEXT
exits 'a softmax' 0 "$build/pldc" "$tmp/softmax.pld" --memory
if cmp -s "$tmp/want" "$tmp/out"; then ok; else bad "a softmax: $(diff "$tmp/want" "$tmp/out" | head -n 6)"; fi
exits 'one bytecode for any number' 0 "$build/pldc" samples/07_dynamic_rank_count.pld --memory
says 'one bytecode for any number' '4096 \(pl.max\(NR \* 4, 4096\) \+ 511\) // 512 \* 512 +signal_buf \[NR, 1\] INT32' "$tmp/out"

exits 'not a picture' 2 "$build/pldc" "$tmp/softmax.pld" --memory=x.png
says 'not a picture' "into a file .svg, not 'x.png'"
cp "$tmp/softmax.pld" "$tmp/k.svg"
exits 'over the program' 2 "$build/pldc" "$tmp/k.svg" --memory="$tmp/k.svg"
exits 'without bytecode' 0 sh -c "cd '$tmp' && '$build/pldc' softmax.pld --memory && [ ! -e a.pldb ]"
finish
