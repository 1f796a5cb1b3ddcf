#!/bin/bash
# quick
# What a stranger types: standard input, files of NumPy, looking at results, device lists, warnings,
# messages for programs, and what each mistake on the command line is told.
. "$(dirname "$0")/lib.bash"
s=samples/14_reduce_scatter.pld

# prints WHAT WANTED COMMAND...: standard output as a whole
prints() {
    local what=$1 want=$2 got; shift 2
    got=$("$@" 2>"$tmp/err")
    if [ "$got" = "$want" ]; then ok; else bad "$what: printed '$got' $(head -n 2 "$tmp/err")"; fi
}

# From standard input, and a.pldb where nothing is named.
prints 'source on standard input' OK sh -c "'$build/pldrun' - -d 0-3 <$s"
mkdir "$tmp/work"
exits 'output of a plain compile' 0 sh -c "cd '$tmp/work' && '$build/pldc' '$root/$s' -d 0-3"
exits 'no program, no a.pldb' 2 sh -c "mkdir -p '$tmp/empty' && cd '$tmp/empty' && '$build/pldrun'"
says 'no program, no a.pldb' 'Usage: pldrun '
says 'no program, no a.pldb' 'no program is named, and there is no a.pldb: pldrun PROGRAM.pld'
prints 'a.pldb is the default' OK sh -c "cd '$tmp/work' && '$build/pldrun' -d 0-3"
prints 'the skeleton of a kernel runs' 'done (nothing checked)' \
    sh -c "'$build/pldc' --skeleton tests/golden/kernel_alone.pld | '$build/pldrun' - -d 0-3"

# Looking at a result.
prints '--print of a slice' $'y[1,0,::16] =\n[ 856.  920.  984. 1048.]\nOK' \
    "$build/pldrun" $s -d 0-3 --print 'y[1,0,::16]'
prints '--print twice' $'x[0,0,:2] =\n[0. 1.]\ny[0,0,:2] =\n[600. 604.]\nOK' \
    "$build/pldrun" $s -d 0-3 --print 'x[0,0,:2]' --print 'y[0,0,:2]'
exits '--print of nothing' 2 "$build/pldrun" $s --print z
says '--print of nothing' 'there are x, y'
exits '--print outside' 2 "$build/pldrun" $s --print 'y[9]'
says '--print outside' 'index 9 of dimension 0'

# NumPy files.
exits 'write files' 0 "$build/pldrun" $s -d 0-3 --output y="$tmp/y.npy" --output x="$tmp/x.npy"
prints 'read them back' OK "$build/pldrun" $s -d 0-3 --input x="$tmp/x.npy" \
    --golden y="$tmp/y.npy"
sed 's/r \* 100.0 + j/r * 100.0 - j/' $s >"$tmp/other.pld"
exits 'a golden of other inputs' 1 "$build/pldrun" "$tmp/other.pld" -d 0-3 --golden y="$tmp/y.npy"
prints 'the file, not the init' OK "$build/pldrun" "$tmp/other.pld" -d 0-3 \
    --input x="$tmp/x.npy" --golden y="$tmp/y.npy"

# bad_input WHAT PATTERN: the file $tmp/bad.npy
bad_input() {
    exits "$1" 2 "$build/pldrun" $s -d 0-3 --input x="$tmp/bad.npy"
    says "$1" "$2"
    exits "$1 as golden" 2 "$build/pldrun" $s -d 0-3 --golden x="$tmp/bad.npy" \
        --golden y="$tmp/bad.npy"
}
cp "$tmp/y.npy" "$tmp/bad.npy"; bad_input 'wrong shape' '\(4, 1, 64\).*\[4, 1, 256\]'
head -c 1000 "$tmp/x.npy" >"$tmp/bad.npy"; bad_input 'truncated file' 'truncated'
sed 's/<f4/<f8/' "$tmp/x.npy" >"$tmp/bad.npy"; bad_input 'wrong dtype' "'<f8'.*FP32"
sed "s/'fortran_order': False/'fortran_order': True /" "$tmp/x.npy" >"$tmp/bad.npy"
bad_input 'Fortran order' 'Fortran order'
exits 'missing file' 2 "$build/pldrun" $s --input x="$tmp/none.npy"
says 'missing file' '^pldrun: error: .*none\.npy'
exits 'input of no parameter' 2 "$build/pldrun" $s --input q="$tmp/x.npy"
says 'input of no parameter' 'there are x, y'

# Devices.
prints 'ids and ranges mixed' OK "$build/pldrun" $s -d 7,3,9-10
prints '1,024 devices' OK "$build/pldrun" samples/05_remote_load_store.pld -d 0-1023

# Warnings.
sed 's/right = .*$/right = (my_rank - 1) % nranks/' samples/06_put_get.pld >"$tmp/warn.pld"
exits 'a warning' 0 "$build/pldc" "$tmp/warn.pld" -o "$tmp/x.pldb"
says 'a warning' 'warn\.pld:[0-9]+:[0-9]+: warning: .*\[-Wnegative-dividend\]'
exits 'a warning off' 0 "$build/pldc" -Wno-negative-dividend "$tmp/warn.pld" -o "$tmp/x.pldb"
if [ -s "$tmp/err" ]; then bad 'a warning that is off is given'; else ok; fi
exits 'warnings off' 0 "$build/pldc" -q "$tmp/warn.pld" -o "$tmp/x.pldb"
if [ -s "$tmp/err" ]; then bad 'a warning under -q'; else ok; fi
rm -f "$tmp/x.pldb"
exits 'a warning as an error' 1 "$build/pldc" -Werror "$tmp/warn.pld" -o "$tmp/x.pldb"
if [ -e "$tmp/x.pldb" ]; then bad '-Werror left an output file'; else ok; fi
exits 'an unknown warning' 2 "$build/pldc" -Wnone $s
says 'an unknown warning' 'negative-dividend'

# Messages for programs: one object a line, with notes.
"$build/pldc" --diagnostics=json tests/golden/five_names.pld 2>"$tmp/json"
if command -v jq >/dev/null; then
    prints 'places in JSON' '8:11 11:13 12:36 15:72 18:71' sh -c \
        "jq -r '\"\\(.line):\\(.col)\"' '$tmp/json' | tr '\\n' ' ' | sed 's/ \$//'"
    prints 'fields in JSON' 'code,col,end,file,line,message,notes,severity' sh -c \
        "head -n 1 '$tmp/json' | jq -r 'keys | join(\",\")'"
fi

# Help fits a screen, and the lists are not empty.
for tool in pldc pldrun; do
    "$build/$tool" --help >"$tmp/help"
    if [ "$(wc -l <"$tmp/help")" -le 45 ] && ! grep -q '.\{81\}' "$tmp/help"; then ok
    else bad "$tool --help does not fit a screen"; fi
done
grep -q -- "--check LIST *$(scripts/table-rows sim/machine/checks.def PLD_CHECK | cut -f 2 | paste -sd,) " "$tmp/help" &&
    ok || bad "pldrun --help does not list the checks"
for list in passes ops platforms; do
    exits "--list-$list" 0 "$build/pldc" --list-$list
    if [ "$(wc -l <"$tmp/out")" -ge 15 ]; then ok; else bad "--list-$list is short"; fi
done
finish
