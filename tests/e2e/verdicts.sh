#!/bin/bash
# quick
# What a run says when something is wrong: status, place, names and values.
. "$(dirname "$0")/lib.bash"
s=samples/14_reduce_scatter.pld

# Own chunk left out of the sum.
sed 's/acc = pl.load(data, \[my_rank, 0\], \[1, SIZE\])$/acc = pl.full([1, SIZE], dtype=pl.FP32, value=0.0)/' $s >"$tmp/golden.pld"
exits 'golden mismatch' 1 "$build/pldrun" "$tmp/golden.pld" -d 0,1,2,3
says 'golden mismatch names the output' '\by\b'
says 'golden mismatch counts' '[0-9]+ of 256'
says 'golden mismatch shows the first index' '\[0, 0, [01]\]'

# A missing notify.
sed 's/if peer != my_rank:$/if peer != my_rank and my_rank != 2:/' $s >"$tmp/hang.pld"
exits 'deadlock' 3 "$build/pldrun" "$tmp/hang.pld" -d 0,1,2,3
says 'deadlock names the wait' 'hang\.pld:[0-9]+:[0-9]+'
says 'deadlock names a rank' 'rank 0'
says 'deadlock names the cell' 'signal.*\[2, 0\]'
says 'deadlock shows the value and the predicate' '>= 1'
says 'deadlock says who could still write it' 'rank 2.*exited|rank 2.*blocked'

# An offset past the window, known only at run time.
sed 's/data = pl.store(chunk, \[c, 0\], data)/data = pl.store(chunk, [c + my_rank, 0], data)/' $s >"$tmp/fault.pld"
exits 'fault' 5 "$build/pldrun" "$tmp/fault.pld" -d 0,1,2,3
says 'fault has a place' 'fault\.pld:[0-9]+:[0-9]+'
says 'fault names the rank' 'rank [123]'
says 'fault shows offset and extent' '4'

# Compiled for 4, started on 2.
exits 'compile for 4' 0 "$build/pldc" $s -d 0,1,2,3 -o "$tmp/four.pldb"
exits 'started on 2' 2 "$build/pldrun" "$tmp/four.pldb" -d 0,1
says 'names both counts' '4.*2|2.*4'
says 'shows the command that fits' 'pldc .*(-d|--ranks)'

# Device lists.
for list in 0,0 -1 1-0 x '' 0,,1 0-99999999999 0-4294967296 2147483648; do
    exits "-d '$list'" 2 "$build/pldrun" $s "-d$list" -d "$list"
done
exits 'two numbers of devices' 2 "$build/pldc" $s -d 0,1 --ranks 3 -o "$tmp/x.pldb"
says 'both numbers are named' '-d says 2 devices, --ranks says 3'
exits 'the same number twice' 0 "$build/pldc" $s -d 0-2 --ranks 3 -o "$tmp/x.pldb"
exits 'an input without end' 2 "$build/pldrun" $s --input x=/dev/zero
says 'an input without end is no array' '/dev/zero: it is no .npy file'
exits 'hardware platform' 2 "$build/pldrun" $s -p a2a3
says 'names the simulated platform' 'a2a3sim'
exits 'missing program' 2 "$build/pldrun" "$tmp/none.pldb"
says 'names the missing file' 'none\.pldb'
exits 'step limit' 6 "$build/pldrun" $s --max-steps 10
exits 'unknown parameter' 2 "$build/pldrun" $s -D nosuch=1
says 'lists the parameters' 'SIZE'
exits 'bad literal' 2 "$build/pldrun" $s -D mode=manual
says 'lists the values' 'builtin'

exits 'unknown letter' 2 "$build/pldrun" $s -z
says 'names the letter' "unknown option '-z'"
exits 'one thread' 0 "$build/pldrun" $s -j 1
exits 'several threads' 0 "$build/pldrun" $s -j 4
exits 'no thread' 2 "$build/pldrun" $s -j 0
exits 'parameter without a value' 2 "$build/pldrun" $s --mode
exits 'flag with a value' 2 "$build/pldc" $s --strip=3
exits 'option without its argument' 2 "$build/pldc" $s -o

# Long is not stuck; more credits than 16 bits count; one more than there are is a deadlock.
prints_ok 'a hundred million steps' tests/e2e/long_loop.pld -d 0
prints_ok '70,000 credits' tests/e2e/many_credits.pld -d 0,1
sed 's/expected=70000/expected=70001/' tests/e2e/many_credits.pld >"$tmp/credits.pld"
exits 'one credit short' 3 "$build/pldrun" "$tmp/credits.pld" -d 0,1
says 'shows the count' 'value 70000, needs >= 70001'

# Closed pipes and full disks.
if [ -e /dev/full ]; then
    exits 'verdict to a full disk' 2 sh -c "'$build/pldrun' $s >/dev/full"
    exits 'bytecode to a full disk' 2 "$build/pldc" $s -o /dev/full
fi
exits 'unwritable directory' 2 "$build/pldc" $s -o "$tmp/no/such/dir/x.pldb"
echo old >"$tmp/keep.pldb"
exits 'failed compile' 1 "$build/pldc" $s -D SIZE=100000000 -o "$tmp/keep.pldb"
if [ "$(cat "$tmp/keep.pldb")" = old ]; then ok; else bad 'a failed compile changed the old output'; fi
finish
