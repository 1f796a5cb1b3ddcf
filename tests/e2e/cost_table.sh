#!/bin/bash
# The table of cost cards at 1 to 8 devices: measured equals the closed form, for builtins by the
# program itself, for hand-written kernels by the table here.
. "$(dirname "$0")/lib.bash"

# card NAME P BYTES SAMPLE OPTIONS...: appends {name, P, N, card} to $tmp/cards
card() {
    local name=$1 p=$2 n=$3 rc; shift 3
    "$build/pldrun" "$@" -d 0-$((p - 1)) --check=none --cost=json >"$tmp/json" 2>"$tmp/err"; rc=$?
    if [ $rc -ne 0 ]; then bad "$name on $p: status $rc: $(head -n 1 "$tmp/err")"; return; fi
    printf '{"name":"%s","P":%d,"N":%d,"card":%s}\n' "$name" "$p" "$n" "$(<"$tmp/json")" >>"$tmp/cards"
}
set -- samples/*.pld
declare -A sample
for f in "$@"; do sample[$(basename "${f%%_*}")]=$f; done

for p in 1 2 3 4 5 6 7 8; do
    for mode in hand builtin; do card barrier-$mode $p 0 "${sample[04]}" -D mode=$mode; done
    for size in 7 840 5003; do
        for mode in mesh ring; do
            card $mode-builtin $p $((4 * size)) "${sample[11]}" -D mode=$mode -D SIZE=$size
        done
        for mode in hand builtin; do
            card broadcast-$mode $p $((4 * size)) "${sample[12]}" -D mode=$mode -D SIZE=$size
            card allgather-$mode $p $((4 * size * p)) "${sample[13]}" -D mode=$mode -D SIZE=$size
            card scatter-$mode $p $((4 * size * p)) "${sample[14]}" -D mode=$mode -D SIZE=$size
            card alltoall-$mode $p $((4 * size * p)) "${sample[15]}" -D mode=$mode -D SIZE=$size
        done
        card mesh-hand $p $((4 * size)) "${sample[08]}" -D SIZE=$size
    done
    for size in 840 1680 8400; do
        card twophase-hand $p $((4 * size)) "${sample[09]}" -D SIZE=$size
        card ring-hand $p $((4 * size)) "${sample[10]}" -D SIZE=$size
    done
    # Kernels that compute: N as their headers say.
    for mode in mesh ring; do card mlp-$mode $p 512 "${sample[30]}" -D mode=$mode -D SIZE=$((8 * p)); done
    for size in 32 80; do
        card rows-overlap-hand $p $((64 * size * p)) "${sample[31]}" -D SIZE=$size
        card rows-gather $p $((64 * size * p)) "${sample[31]}" -D mode=gather -D SIZE=$size
        card parts-direct-hand $p $((2048 * p)) "${sample[32]}" -D SIZE=$size
        card parts-builtin $p $((2048 * p)) "${sample[32]}" -D mode=builtin -D SIZE=$size
        card keys-hand $p $((256 * size)) "${sample[34]}" -D SIZE=$size
        [ $p -gt 1 ] && card halo-hand $p $((4 * size)) "${sample[35]}" -D SIZE=$size
    done
    card host-mesh $p 256 "${sample[17]}"
    card host-ring $p 0 tests/cost/host_ring.pld -D SIZE=$((24 * p))
    card ragged $p 0 tests/cost/all_to_all_v.pld
done

# The hand-written forms; the root of a broadcast has another one.
cat >"$tmp/forms.jq" <<'JQ'
def form($P; $N):
  { "barrier-hand":   [(if $P > 1 then 256 else 0 end), (if $P > 1 then 1 else 0 end), $P-1], # and one slice
    "mesh-hand":      [($P-1)*$N, $P-1, $P-1],
    "twophase-hand":  [2*($P-1)*$N/$P, 2*($P-1), 2*($P-1)],
    "ring-hand":      [2*($P-1)*$N/$P, 2*($P-1), 2*($P-1)],
    "scatter-hand":   [($P-1)*$N/$P, $P-1, $P-1],
    "allgather-hand": [($P-1)*$N/$P, $P-1, $P-1],
    "alltoall-hand":  [($P-1)*$N/$P, $P-1, $P-1],
    "rows-overlap-hand": [($P-1)*$N/$P, $P-1, $P-1],
    "parts-direct-hand": [($P-1)*$N/$P, $P-1, $P-1],
    "keys-hand":      [($P-1)*$N, 2*($P-1), $P-1 + ([$P-3, 0] | max)],
    "halo-hand":      [3*2*4, 3*2, 3*2],
    "broadcast-hand": [$N, 1, $P-1] };
def expected: form(.P; .N)[.name];
def is_root: .rank == 0;
.name as $name | .P as $P | .N as $N
| if ($name | endswith("-hand")) then
    expected as $want
    | .card.ranks[]
    | (if $name == "broadcast-hand" and is_root then [0, 0, $P-1] else $want end) as $w
    | { ok: ([.bytes_received, .data_steps, .notifies] == $w and .waits == $w[2] and .self_notifies == 0),
        what: "\($name) on \($P), N = \($N): rank \(.rank) has \([.bytes_received, .data_steps, .notifies, .waits]), wanted \($w)" }
  else
    .card.builtins[]
    | { ok: (.equal and (.calls > 0)), what: "\($name) on \($P), N = \($N): \(.op) is not what its closed form says" }
  end
JQ
jq -r -f "$tmp/forms.jq" "$tmp/cards" 2>&1 >"$tmp/verdicts" | head -n 3
while IFS= read -r line; do bad "$line"; done < <(jq -r 'select(.ok | not) | .what' "$tmp/verdicts")
pass=$((pass + $(jq -r 'select(.ok) | 1' "$tmp/verdicts" | wc -l)))
[ "$(jq -r '.ok' "$tmp/verdicts" | wc -l)" -gt 900 ] && ok || bad "too few cards were compared"
# Spelled out once, so that a mistake in both the program and its closed form shows.
cat >"$tmp/ring.jq" <<'JQ'
def seg($n; $P; $i): (($i + 1) * $n / $P | floor) - ($i * $n / $P | floor);
select(.name == "ring-builtin") | .P as $P | (.N / 4) as $n
| .card.ranks[] | .rank as $r
| .bytes_received == (if $P == 1 then 0 else 4 * (2 * $n - seg($n; $P; $r) - seg($n; $P; ($r + $P - 1) % $P)) end)
  and .notifies == (2 * ($P - 1) + 1) * ($P - 1) * (if $P == 1 then 0 else 1 end)
JQ
if jq -e -s 'length > 0 and all(.)' <(jq -f "$tmp/ring.jq" "$tmp/cards") >"$tmp/out"; then ok; else bad 'ring: bytes of uneven segments'; fi

# Sums agree: what was sent was received, and kernels add up to ranks.
jq -e -s 'all(.[].card.ranks; ([.[].bytes_received] | add) == ([.[].bytes_sent] | add))' "$tmp/cards" >"$tmp/out" &&
    ok || bad 'bytes sent and received differ'
jq -e -s 'all(.[].card.ranks[]; .notifies == ([.kernels[].notifies] | add // 0))' "$tmp/cards" >"$tmp/out" &&
    ok || bad 'kernels do not add up'

finish
