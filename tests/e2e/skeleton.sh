#!/bin/bash
# quick
# A kernel pasted without types and without a host function: the error points to --skeleton, whose output
# compiles and runs.
. "$(dirname "$0")/lib.bash"
k=tests/e2e/skeleton/kernel.pld

exits 'kernel alone' 1 "$build/pldc" $k -o "$tmp/x.pldb"
says 'kernel alone points to --skeleton' '--skeleton'
exits 'skeleton' 0 "$build/pldc" --skeleton $k
cp "$tmp/out" "$tmp/program.pld"
exits 'skeleton runs' 0 "$build/pldrun" "$tmp/program.pld" -d 0-3 --print 'y[0,0,:4]'
says 'skeleton computes' '\[600\. 604\. 608\. 612\.\]' "$tmp/out"
says 'nothing is checked' 'done \(nothing checked\)' "$tmp/out"

# With annotations and an orchestration function of its own.
sed '/level=pl.Level.HOST/,/return y$/d; /return AllReduceMesh/d' samples/08_allreduce_mesh.pld >"$tmp/typed.pld"
exits 'typed kernels' 0 "$build/pldc" --skeleton "$tmp/typed.pld"
cp "$tmp/out" "$tmp/program.pld"
exits 'typed skeleton runs' 0 "$build/pldrun" "$tmp/program.pld" -d 0-2

exits 'a program that is complete' 1 "$build/pldc" --skeleton samples/08_allreduce_mesh.pld
says 'says what is there' 'host function already'
echo 'X = 1' >"$tmp/none.pld"
exits 'no kernel' 1 "$build/pldc" --skeleton "$tmp/none.pld"
says 'says what is missing' 'no kernel'
finish
