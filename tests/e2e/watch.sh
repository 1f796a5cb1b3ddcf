#!/bin/bash
# quick
# Windows and cells looked at: --print after the run, --watch while it runs.
. "$(dirname "$0")/lib.bash"
barrier=(samples/04_barrier.pld -d 0-3 -D mode=hand)

# shows WHAT SPEC TEXT: one --print
shows() {
    exits "$1" 0 "$build/pldrun" "${barrier[@]}" --print "$2"
    [ "$(head -n -1 "$tmp/out")" = "$3" ] && ok || bad "$1: $(cat "$tmp/out")"
}
shows 'a window by its buffer' 'data_buf[1][0,:4]' $'data_buf[1][0,:4] =\n[100. 101. 102. 103.]'
shows 'by its parameter' 'data[3,0,:2]' $'data[3,0,:2] =\n[300. 301.]'
shows 'a signal' 'signal[2][:,0]' $'signal[2][:,0] =\n[1 1 0 1]'
shows 'one cell' 'signal[2][1,0]' 'signal[2][1,0] = 1'
shows 'a host tensor in groups' 'y[1][0][:3]' $'y[1][0][:3] =\n[200. 201. 202.]'
refuses() { exits "$1" 2 "$build/pldrun" "${barrier[@]}" "${@:3}"; says "$1" "$2"; }
refuses 'no rank' 'signal is a window: say of which rank, signal\[0\]' --print signal
refuses 'a rank outside' 'window signal_buf is on no rank 4' --print 'signal[4]'
refuses 'an unknown name' 'no such host tensor or window; there are x, y, data_buf, signal_buf' --print z
refuses 'too many subscripts' 'more subscripts than the 2 dimensions of signal_buf' --print 'signal[0][0,0,0]'
refuses 'an unknown name watched' 'watch z\[0\]: there is no window and no host tensor of this name' --watch 'z[0]'
refuses 'no cell' 'write NAME\[CELL\], or NAME\[RANK\]\[CELL\]' --watch signal
refuses 'a cell outside' 'it names no cell of this window' --watch 'signal[9,0]'
refuses 'a rank without it' 'the window is not on this rank' --watch 'signal[9][0,0]'
refuses 'an element outside' 'it names no element of this tensor' --watch 'y[0,0,64]'
exits 'explored' 2 "$build/pldrun" "${barrier[@]}" --explore --watch 'signal[0][1,0]'

# A parameter that is another window from device to device has a meaning where a rank is said.
two=(tests/e2e/two_windows.pld -q)
exits 'a parameter on a rank' 0 "$build/pldrun" "${two[@]}" --print 'data[1]' --watch 'data[1][0,0]'
says 'a parameter on a rank' '^\[\[1. 1. 1.' "$tmp/out"
says 'a parameter on a rank' '^watch: rank 1: b\[0, 0\]: 0.0 -> 1.0 by rank 1, store' "$tmp/out"
exits 'two windows of one parameter' 2 "$build/pldrun" "${two[@]}" --print data
says 'two windows of one parameter' 'data is several windows, name the buffer: there are a, b'
exits 'two windows watched' 2 "$build/pldrun" "${two[@]}" --watch 'data[0,0]'
says 'two windows watched' 'these are several windows, name the buffer'

exits 'a watched cell' 0 "$build/pldrun" "${barrier[@]}" --watch 'signal[2][0,0]' --watch 'y[1,0,3]'
cat >"$tmp/want" <<'EOF'
watch: rank 2: signal_buf[0, 0]: 0 -> 1 by rank 0, notify at samples/04_barrier.pld:50:25, 2.829000 us
watch: y[1, 0, 3]: 0.0 -> 203.0 by rank 1, store at samples/04_barrier.pld:59:13, 3.597000 us
OK
EOF
cmp -s "$tmp/want" "$tmp/out" && ok || bad "a watched cell: $(cat "$tmp/out")"
exits 'a cell on every rank' 0 "$build/pldrun" "${barrier[@]}" --watch 'signal[1,0]'
[ "$(grep -c '^watch: rank [023]: signal_buf\[1, 0\]: 0 -> 1 by rank 1, ' "$tmp/out")" = 3 ] && ok || bad 'a cell on every rank'
# The ring counts up: one line a round, in order.
exits 'a counter' 0 "$build/pldrun" samples/11_allreduce_reveal.pld -d 0,1 -D mode=ring --watch 'signal[0][0,1]' --watch 'signal_buf[0][1,1]'
grep -q '^watch: ' "$tmp/out" && ok || bad 'the ring changes no cell'
awk '/^watch: rank 0/ { split($0, part, ": "); cell = part[3]; split(part[4], v, " ")
      if (v[1] != last[cell] + 0) exit 1; last[cell] = v[3] }' "$tmp/out" && ok || bad "values do not follow each other: $(cat "$tmp/out")"
# Written by a peer, and under weak memory when it lands.
for m in sc weak; do
    exits "a remote store, $m" 0 "$build/pldrun" samples/05_remote_load_store.pld -d 0,1 -D mode=store --watch 'data_buf[1][0,5]' --mem=$m
    says "a remote store, $m" '^watch: rank 1: data_buf\[0, 5\]: 0.0 -> 5.0 by rank 0, remote_store at .*:52:17, ' "$tmp/out"
done
finish
