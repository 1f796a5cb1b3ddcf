#!/bin/bash
# quick
# Files that a program imports: what is said about them, and where. That they run is in tests/programs.
. "$(dirname "$0")/lib.bash"
mkdir -p "$tmp/p/pkg/sub" && cd "$tmp/p" || exit 2

kernel='import pypto.language as pl
@pl.jit.incore
def fill(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    return pl.store(pl.full([1, 8], dtype=pl.FP32, value=V), [0, 0], y)'
entry='@pl.jit
def main_kernel(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    return fill(y)'
# file NAME TEXT...: a file of these texts
file() { local name=$1; shift; printf '%s\n' "$@" >"$name"; }
# main NAME STATUS IMPORTS [TEXT]: a program of the imports and the text, compiled
main() {
    printf '%s\n' "$3" "${4-$entry}" >main.pld
    exits "$1" "$2" "$build/pldc" main.pld -o x.pldb
}

file good.pld 'V = 2.0' "$kernel"
main 'a file beside it' 0 'from good import fill'
cd .. && exits 'by its path' 0 "$build/pldrun" -q p/main.pld && cd p || exit 2
main 'in the folder' 0 'from .good import fill'
exits 'a constant of it' 0 "$build/pldc" main.pld -D V=3 -o x.pldb
exits 'no constant of it' 1 "$build/pldc" main.pld -D U=3 -o x.pldb
says 'no constant of it' 'no parameter U; it has: V'

# which file
file both.pld 'V = 1.0' "$kernel"
file both.py 'V = '
main '.pld before .py' 0 'from both import fill'
file script.py 'import torch' 'V = 1.0' "$kernel" 'class Model(torch.nn.Module): pass'
main 'a .py is a script' 0 'from script import fill'
says 'its note' '^script.py: note: took 1 kernel and 1 constant, skipped 2 lines'
main 'nothing skipped of it' 1 'from script import Model' 'Model()'
file pkg/__init__.py 'from .k import *'
file pkg/k.py 'V = 1.0' "$kernel" '_hidden = 1'
main 'a package' 0 'from pkg import fill'
main 'a file of a package' 0 'from pkg.k import fill'
main 'no private names by *' 1 'from pkg.k import *' "X = _hidden
$entry"
says 'no private names by *' 'main.pld:2:5: error: unknown name _hidden'
file pkg/sub/deep.pld 'from ..k import fill'
main 'a folder without a file' 0 'from pkg.sub.deep import fill'
file pkg/up.pld 'from good import fill'
main 'the folder of the program' 0 'from pkg.up import fill'

# what is wrong with an import
main 'no file' 1 'from .nope import fill'
says 'no file' 'main.pld:1:1: error: there is no nope.pld and no nope.py'
main 'once' 1 'from nope import fill'
says 'once' '1:1: error: delete this import'
if [ "$(grep -c error: "$tmp/err")" = 1 ]; then ok; else bad "follow-up errors: $(cat "$tmp/err")"; fi
main 'no such name' 1 'from good import fil'
says 'no such name' "1:1: error: good.pld has no fil; its names are: V, fill"
main 'no such member' 1 'import good' '@pl.jit
def e(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    return good.nix(y)'
says 'no such member' '4:17: error: good.pld has no nix'
main 'a module is no value' 1 'import good' "X = good
$entry"
says 'a module is no value' '2:5: error: good is a module: write good.NAME'
main 'outside' 1 'from ..p.good import fill'
says 'outside' 'outside the folder of the program'
main 'bound twice' 1 'from good import fill' "fill = 3
$entry"
says 'bound twice' '2:1: error: fill is bound twice'
says 'bound twice' '1:1: note: it is imported here'
file one.pld 'from two import fill'
file two.pld 'from three import fill'
file three.pld 'from one import fill'
main 'a circle' 1 'from one import fill'
says 'a circle' 'three.pld:1:1: error: one.pld is being read: files must not import each other in a circle'
file self.pld 'from main import fill'
main 'a circle through the program' 1 'from self import fill'
says 'a circle through the program' 'self.pld:1:1: error: main.pld is being read'
chmod 000 good.pld
[ "$(id -u)" = 0 ] || { main 'unreadable' 1 'from good import fill'; says 'unreadable' '1:1: error: .*good.pld.*Permission'; }
chmod 644 good.pld
for i in $(seq 1 70); do file "m$i.pld" "from m$((i + 1)) import fill"; done
main 'too many' 1 'from m1 import fill'
says 'too many' 'm63.pld:1:1: error: more than 63 files are imported'

# mistakes in an imported file have its place, also in what it does not import
file wrong.pld 'V = 1.0' "$kernel" '@pl.jit.incore
def bad(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    return pl.store(pl.fulll([1, 8], dtype=pl.FP32, value=1.0), [0, 0], y)'
main 'the place' 1 'from wrong import bad as fill'
says 'the place' '^wrong.pld:8:21: error: unknown operation pl.fulll'
main 'not needed' 0 'from wrong import fill'
file syntax.pld 'V = = 1.0' "$kernel"
main 'syntax' 1 'from syntax import fill'
says 'syntax' '^syntax.pld:1:5: error: an expression is needed here'
printf 'V = 1.0\n"abc\000"\n' >nul.pld
main 'bytes' 1 'from nul import V'
says 'bytes' '^nul.pld:2:5: error: NUL byte'
file needs.pld "$kernel"
main 'what is not imported' 1 'from needs import fill' "V = 2.0
$entry"
says 'what is not imported' '^needs.pld:4:58: error: unknown name V: this file does not import it'
file raises.pld 'V = 1.0' 'assert V > 2, f"V={V}"' "$kernel"
main 'an assertion' 1 'from raises import fill'
says 'an assertion' '^raises.pld:2:1: error: V=1.0'

# faults when it runs
file fault.pld 'V = 1.0' 'import pypto.language as pl' '@pl.jit.incore
def fill(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    for i in pl.range(2):
        y = pl.store(pl.full([1, 8], dtype=pl.FP32, value=V), [i, 0], y)
    return y'
main 'a fault compiles' 0 'from fault import fill'
exits 'a fault' 5 "$build/pldrun" x.pldb
says 'a fault' '^fault.pld:6:9: fault'
exits 'places of dumps' 0 "$build/pldc" main.pld --dump-loc --dump-pass=final
says 'places of dumps' 'pld.loc\("fault.pld", 6, 9\)' "$tmp/out"

# a script that imports kernels and has none, and texts that are no files
file run.py 'from good import fill' 'import torch' 'def main():' '    fill(torch.zeros(1))'
exits 'a script of others kernels' 0 "$build/pldc" run.py -o x.pldb
file uses.py 'from script import V, torch_model' 'import script' 'X = torch_model * 2' 'Y = script.nothing * 2' 'Z = script.V' "$kernel"
exits 'a script' 0 "$build/pldc" uses.py -v -o x.pldb
says 'a script' 'uses.py: note: took 1 kernel and 1 constant, skipped 2 lines \(statement 3, statement 4\)'
main 'a good one' 0 'from good import fill'
exits 'from standard input' 0 bash -c "'$build/pldc' - -o x.pldb <main.pld"
cd "$root" || exit 2
finish
