#!/bin/bash
# quick
# Python scripts: what is taken of them, what is skipped, and what is said about it.
. "$(dirname "$0")/lib.bash"

kernel='
@pl.jit.incore
def step(x: pl.Tensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
    return pl.store(pl.load(x, [0, 0], [1, SIZE]) * FACTOR, [0, 0], y)
@pl.jit
def orch(x, y):
    return step(x, y)
@pl.jit.host
def host(x: pl.Tensor[[2, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, SIZE], pl.FP32]]):
    for r in range(2):
        orch(x[r], y[r], device=r)
@pld.init
def x(r, i, j):
    return r + j
@pld.golden
def y(r, i, j):
    return x[r, i, j] * 2'
head='import pypto.language as pl
import pypto.language.distributed as pld'

# script NAME STATUS TEXT ARGS...: the text before the kernel above, run
script() {
    local name=$1 want=$2 text=$3; shift 3
    printf '%s\n%s\n' "$text" "$kernel" >"$tmp/$name.py"
    exits "$name" "$want" "$build/pldrun" "$tmp/$name.py" "$@"
}
good='SIZE = 8
FACTOR = 2.0'
exits 'a whole script' 0 "$build/pldrun" tests/scripts/ring.py
says 'the note' 'ring.py: note: took 4 kernels and 3 constants, skipped 48 lines \(docstring 2, import 5'
exits 'quiet' 0 "$build/pldrun" -q tests/scripts/ring.py
if [ -s "$tmp/err" ]; then bad "-q says something: $(cat "$tmp/err")"; else ok; fi
exits 'verbose' 0 "$build/pldrun" -v tests/scripts/ring.py
says 'verbose' 'def 37-40, class 60-67, async 68-72, def 78-81, if 82-86'
exits 'what was taken' 0 "$build/pldc" tests/scripts/ring.py --emit=ast
cp "$tmp/out" "$tmp/taken.pld"
exits 'what was taken is a program' 0 "$build/pldrun" "$tmp/taken.pld"
exits 'by its name a program' 2 "$build/pldrun" - <tests/scripts/ring.py
cp tests/scripts/ring.py "$tmp/ring.txt"
exits 'with --script' 0 "$build/pldrun" --script "$tmp/ring.txt"

# imports in all spellings
script plain 0 "$head
$good"
script from_package 0 "from pypto import language as pl
from pypto.language import distributed as pld
$good"
script names 0 "$head
from pypto.language import FP32 as F, DataType
DT: DataType = F
$good"
script others 0 "$head
import numpy as np, os.path
from torch import (nn,
    optim)
$good"

# constants: expressions over taken names, the last binding counts
script computed 0 "$head
A, B = 4, 2
SIZE: int = max(A * B, len((1, 2)))
FACTOR = float(sum(k for k in range(3))) - 1"
script last 0 "$head
SIZE = 4
SIZE = 8
FACTOR = 2.0"
script used_before 2 "$head
SIZE = 4
HALF = SIZE // 2
SIZE = 8
FACTOR = 2.0"
says 'bound again' ':5:1: error: SIZE is bound again after its first value was used'
script helper 0 "$head
def double(n=1):
    return 2 * n
def other():
    return open('x')
SIZE = 8
FACTOR = float(double())"
script factory_helper 2 "$head
def size():
    return len(open('x').read())
FACTOR = 2.0
SIZE = size()"
says 'no compile-time code' ':15:30: error: SIZE is made by line 6, which is skipped'

# what is skipped poisons what it binds
for text in 'SIZE = np.load("x")' 'SIZE: int = f(3)' 'if a:
    SIZE = 8' 'for SIZE in y: pass' 'with open("f") as SIZE:
    pass' 'import SIZE' 'from a import b as SIZE' 'SIZE = 8
SIZE += x()' 'SIZE = 8
try:
    SIZE = 4
except E:
    pass' 'class SIZE: pass' 'a = SIZE = 8; b = 1'; do
    script poisoned 2 "$head
$text
FACTOR = 2.0"
    says "poisoned by $text" 'error: SIZE is made by line [0-9]+, which is skipped: set it with -D SIZE=VALUE'
    script poisoned 0 "$head
$text
FACTOR = 2.0" -D SIZE=8
done
script elsewhere 0 "$head
$good
def f():
    SIZE = 3
    global FACTOR
class C:
    FACTOR = 3"

# anything may stand in what is skipped
tab=$'\t'
script anything 0 "$head
$good
match = 3
print(f'{match!r:>{10}}', *[1], **{})
λ = lambda *a, b=(yield): (await a)
${tab}
class A(B, metaclass=M):
${tab}x: int = 5
${tab}def f(self, /, a, *, b): return [x async for x in y]
@decorator(3)
def g(): pass
if (n := 3) > 2: pass
elif n: pass
else:
    del n
assert \\
  True, '''
@pl.jit
def no(): ''' \"\"\"x\"\"\"
while 1: break"
script string 2 "$head
$good
x = 'abc
y = 3"
says 'unclosed string' ':5:5: error: this string is never closed'
script bracket 2 "$head
$good
f(1, [2, 3)
y = 3"
says 'unclosed bracket' ':5:[26]: error: this bracket is never closed'
printf 'import os\nprint(1)\n' >"$tmp/none.py"
exits 'no kernel' 1 "$build/pldc" "$tmp/none.py" -o "$tmp/x.pldb"
says 'no kernel' 'none.py:1:1: error: no kernel in this script'
{ echo "$head"; echo "$good"; for i in $(seq 20000); do echo "A$i = f($i)"; echo "def g$i(x): return A$i"; done; } >"$tmp/long.txt"
script long 0 "$(cat "$tmp/long.txt")"

# The number of devices is that of the file, where none is named.
exits 'for four' 0 "$build/pldc" samples/08_allreduce_mesh.pld -d 0-3 -o "$tmp/four.pldb"
exits 'bytecode' 0 "$build/pldrun" "$tmp/four.pldb"
"$build/pldc" samples/08_allreduce_mesh.pld -d 0-3 --dump-pass=simplify >"$tmp/four.ir"
exits 'dump' 0 "$build/pldrun" "$tmp/four.ir"
finish
