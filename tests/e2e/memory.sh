#!/bin/bash
# quick
# Memory that does not suffice is a message and a status of its own.
. "$(dirname "$0")/lib.bash"
# Sanitizers reserve more address space than a limit can leave them.
if nm "$build/pldrun" | grep -Eq '__(asan|tsan)_init'; then ok; finish; fi
cat >"$tmp/big.pld" <<'END'
import pypto.language as pl
import pypto.language.distributed as pld

@pl.jit.incore
def kernel(x: pl.Tensor[[1 << 28], pl.FP32], y: pl.Out[pl.Tensor[[16], pl.FP32]]):
    return pl.store(pl.load(x, [0], [16]), [0], y)

@pl.jit
def orch(x, y):
    return kernel(x, y)

@pl.jit.host
def main(x: pl.Tensor[[1 << 28], pl.FP32], y: pl.Out[pl.Tensor[[16], pl.FP32]]):
    return orch(x, y, device=0)

@pld.init
def x(i):
    return 1.0
END
exits 'it compiles' 0 "$build/pldc" "$tmp/big.pld" -o "$tmp/big.pldb"
# A limit of its own holds whatever the machine has, in threads too, and is said.
exits 'more than --max-memory' 71 "$build/pldrun" "$tmp/big.pldb" --max-memory=512M
says 'which limit' '^pldrun: error: out of memory: it takes more than the 512 MiB of --max-memory$'
exits 'so from source' 71 "$build/pldrun" "$tmp/big.pld" --max-memory 1073741824
"$build/pldc" samples/06_put_get.pld -d 0,1 -D mode=put -o "$tmp/p.pldb" || bad 'it does not compile'
for how in --explore=search '--explore=search -j 2' --explain-sync --cost '--trace=/dev/null'; do
    # shellcheck disable=SC2086
    exits "too little for $how" 71 "$build/pldrun" "$tmp/p.pldb" $how --max-memory=64K
    # shellcheck disable=SC2086
    exits "enough for $how" 0 "$build/pldrun" "$tmp/p.pldb" $how --max-memory=64M
done
for size in 0 -1 1X 1MB M '' 99999999999T; do
    exits "--max-memory=$size" 2 "$build/pldrun" "$tmp/p.pldb" --max-memory="$size"
done
{ echo 'A = (1,)'; for i in $(seq 65000); do echo "B$i = A"; done; } >"$tmp/long.pld"
exits 'pldc has the limit too' 71 "$build/pldc" "$tmp/long.pld" -o "$tmp/long.pldb" --max-memory=1M
says 'which limit' '^pldc: error: out of memory: it takes more than the 1 MiB of --max-memory$'
for how in "--dump-passes=$tmp/d" --emit=asm --cost; do
    exits "too little for $how" 71 "$build/pldc" samples/14_reduce_scatter.pld -d 0-3 "$how" -o "$tmp/q.pldb" --max-memory=100K
    exits "enough for $how" 0 "$build/pldc" samples/14_reduce_scatter.pld -d 0-3 "$how" -o "$tmp/q.pldb" --max-memory=64M
done
exits 'no size' 2 "$build/pldc" samples/06_put_get.pld --max-memory=1MB
ulimit -v 500000
exits 'no room for a tensor' 71 "$build/pldrun" "$tmp/big.pldb"
says 'who says so' '^pldrun: error: out of memory$'
ulimit -v 16000
exits 'no room for a text' 71 "$build/pldc" "$tmp/long.pld" -o "$tmp/long.pldb"
says 'who says so' '^pldc: error: out of memory$'
if [ -e "$tmp/long.pldb" ]; then bad 'a file is left'; else ok; fi
finish
