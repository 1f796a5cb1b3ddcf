#!/bin/bash
# quick
# Traces: they follow the trace event format, their bytes are those of the cost card, and they show
# where a run that failed stood.
. "$(dirname "$0")/lib.bash"

valid() { # WHAT FILE
    local wrong; wrong=$(jq -r -f tests/e2e/trace.jq "$2" 2>&1 | head -n 3)
    if [ -z "$wrong" ]; then ok; else bad "$1: $wrong"; fi
}
for run in '08 4' '10 4' '06 2 -D mode=put' '06 2 -D mode=get' '17 2' '18 4' '11 1' '11 3 -D mode=ring -D SIZE=5003'; do
    # shellcheck disable=SC2086
    set -- $run
    file=$(echo samples/"$1"_*.pld) p=$2; shift 2
    exits "$file on $p" 0 "$build/pldrun" "$file" -d 0-$((p - 1)) "$@" --trace="$tmp/t.json" --cost=json
    valid "$file on $p" "$tmp/t.json"
    jq -c '[.ranks[].bytes_received]' "$tmp/out" >"$tmp/card"
    jq -c --argjson p "$p" '[.traceEvents[] | select(.args.receiver != null).args] as $t
        | [range($p) | . as $r | [$t[] | select(.receiver == $r).bytes] | add // 0]' "$tmp/t.json" >"$tmp/bytes"
    cmp -s "$tmp/card" "$tmp/bytes" && ok || bad "$file: bytes $(<"$tmp/bytes") in the trace, $(<"$tmp/card") in the card"
done

# Two stages of a transfer overlap: the second has a thread of its own.
sed 's/pld.tensor.put(\(.*\))$/pld.tensor.put(\1, chunk_rows=1, chunk_cols=16, pipeline=True)/' samples/06_put_get.pld >"$tmp/pipe.pld"
exits 'a pipelined put' 0 "$build/pldrun" "$tmp/pipe.pld" --trace "$tmp/t.json"
valid 'a pipelined put' "$tmp/t.json"
jq -e 'any(.traceEvents[]; .tid == 1000 and .ph == "X")' "$tmp/t.json" >"$tmp/o" && ok || bad 'no second thread'
exits 'weak memory, random schedule' 0 "$build/pldrun" samples/11_allreduce_reveal.pld -d 0-3 --mem=weak --schedule=random:3 \
    --cost --trace "$tmp/t.json"
valid 'weak memory, random schedule' "$tmp/t.json"

# Every wait of a mesh barrier has its arrow, every put its reader.
exits 'arrows' 0 "$build/pldrun" samples/13_allgather.pld -d 0-3 --trace "$tmp/t.json"
[ "$(jq '[.traceEvents[] | select(.ph == "s" and .name == "notify")] | length' "$tmp/t.json")" = 12 ] && ok || bad 'arrows of notifies'
[ "$(jq '[.traceEvents[] | select(.ph == "s" and .name == "put")] | length' "$tmp/t.json")" = 12 ] && ok || bad 'arrows of puts'
cp "$tmp/t.json" "$tmp/first.json"
exits 'again' 0 "$build/pldrun" samples/13_allgather.pld -d 0-3 --trace "$tmp/t.json"
cmp -s "$tmp/first.json" "$tmp/t.json" && ok || bad 'the trace differs from run to run'

# Counters come back to zero; never more ranks wait than there are, and never more bytes are under way
# than were sent.
jq -e '[.traceEvents[] | select(.ph == "C")] | group_by(.name) | map({name: .[0].name, last: .[-1].args.value,
       most: ([.[].args.value] | max)}) | . == [{name: "bytes under way", last: 0, most: .[0].most},
       {name: "waiting ranks", last: 0, most: .[1].most}] and .[0].most > 0 and .[1].most > 0 and .[1].most <= 4' \
    "$tmp/t.json" >"$tmp/o" && ok || bad 'counters'

# Runs that fail.
sed 's/value=1, op=pld.NotifyOp.AtomicAdd/value=0, op=pld.NotifyOp.AtomicAdd/' samples/08_allreduce_mesh.pld >"$tmp/stuck.pld"
exits 'a deadlock' 3 "$build/pldrun" "$tmp/stuck.pld" -d 0-3 --trace "$tmp/t.json"
valid 'a deadlock' "$tmp/t.json"
jq -e '[.traceEvents[] | select(.name == "last state")] | length == 4 and
       all(.[]; .args.what | test("^blocked: signal_buf\\[[0-9]\\] is 0, wants >= 1$"))' "$tmp/t.json" >"$tmp/o" &&
    ok || bad 'last states of a deadlock'
sed 's/peer=peer/peer=peer + 9/' samples/08_allreduce_mesh.pld >"$tmp/fault.pld"
exits 'a fault' 5 "$build/pldrun" "$tmp/fault.pld" -d 0-3 --trace "$tmp/t.json"
valid 'a fault' "$tmp/t.json"
jq -e '[.traceEvents[] | select(.name == "last state")] | any(.args.what == "faulted")' "$tmp/t.json" >"$tmp/o" &&
    ok || bad 'last state of a fault'
exits 'a file that cannot be written' 2 "$build/pldrun" samples/08_allreduce_mesh.pld --trace "$tmp/no/t.json"
finish
