#!/bin/bash
# quick
# Malformed source: one clear error or success where it is legal, never a crash or a leftover file.
. "$(dirname "$0")/lib.bash"
s=samples/14_reduce_scatter.pld
mkdir "$tmp/in" "$tmp/left"

# refuse NAME [PATTERN]: the file $tmp/in/NAME is an error of the program with a place
refuse() {
    exits "$1" 1 "$build/pldc" "$tmp/in/$1" -o "$tmp/left/x.pldb"
    says "$1 has a place" "$1:[0-9]+:[0-9]+: error: .*$2"
    if [ -n "$(ls "$tmp/left")" ]; then bad "$1 left a file"; rm -f "$tmp/left"/*; else ok; fi
}
accept() {
    exits "$1" 0 "$build/pldc" "$tmp/in/$1" -o "$tmp/x.pldb"
}
sed 's/$/\r/' $s >"$tmp/in/crlf.pld"; accept crlf.pld
{ printf '\357\273\277'; cat $s; } >"$tmp/in/bom.pld"; accept bom.pld
printf '%s' "$(cat $s)" >"$tmp/in/nonl.pld"; accept nonl.pld
{ cat $s; printf 'X = "\0"\n'; } >"$tmp/in/nul.pld"; refuse nul.pld 'NUL'
{ cat $s; printf 'X = "\377"\n'; } >"$tmp/in/utf8.pld"; refuse utf8.pld 'UTF-8'
sed 's/^    @pl/\t@pl/' $s >"$tmp/in/tabs.pld"; refuse tabs.pld 'tab'
{ printf 'X = '; head -c 100000 /dev/zero | tr '\0' '('; printf '\n'; } >"$tmp/in/nest.pld"; refuse nest.pld
{ printf 'X = '; head -c 100000 /dev/zero | tr '\0' '('; printf '1'; head -c 100000 /dev/zero | tr '\0' ')'; printf '\n'; } >"$tmp/in/nest2.pld"; refuse nest2.pld
{ printf 'X = "'; head -c 1000000 /dev/zero | tr '\0' 'a'; printf '"\n'; cat $s; } >"$tmp/in/line.pld"; accept line.pld
{ printf 'X = '; head -c 1000000 /dev/zero | tr '\0' '@'; printf '\n'; } >"$tmp/in/line2.pld"; refuse line2.pld
{ printf 'X = 1'; for _ in $(seq 20000); do printf ' + 1'; done; printf '\n'; cat $s; } >"$tmp/in/chain.pld"
exits 'long chain' 1 "$build/pldc" "$tmp/in/chain.pld" -o "$tmp/left/x.pldb" || true
# Values that double from line to line: none grows past what a message or a comparison can bear.
# grown NAME FIRST NEXT PATTERN: A0 = FIRST, then 60 lines of NEXT (A is the value before) and a use
grown() {
    { echo "A0 = $2"; for i in $(seq 60); do echo "A$i = ${3//A/A$((i - 1))}"; done
      echo 'assert A60 == A0, f"{A60}"'; cat $s; } >"$tmp/in/$1.pld"
    refuse "$1.pld" "$4"
}
grown tuples '(1, 1)' '(A, A)' 'a tuple of more than 65536 items'
grown lists '[1, 1]' 'A + A' 'a list of more than 65536 items'
grown strings '"ab"' 'A + A' 'a string of more than 65536 bytes'
grown texts '"a"' 'str((A, A))' 'a string of more than 65536 bytes'
{ echo 'A0 = (1,)'; for i in $(seq 200); do echo "A$i = (A$((i - 1)),)"; done; cat $s; } >"$tmp/in/deep.pld"
refuse deep.pld 'a tuple that nests more than 100 deep'
# The names of an annotation are looked at whatever value is taken.
sed 's/Literal\["hand", "builtin"\]/Literal["hand", Nobody]/' $s >"$tmp/in/literal.pld"
refuse literal.pld 'unknown name Nobody'
for n in 1 100 500 1000 1500 2000 2500 3000; do
    head -c $n $s >"$tmp/in/cut$n.pld"
    "$build/pldc" "$tmp/in/cut$n.pld" -o "$tmp/x.pldb" >/dev/null 2>"$tmp/err"; rc=$?
    if [ $rc -eq 1 ] && grep -q error: "$tmp/err"; then ok; else bad "truncated at $n: status $rc"; fi
done
for i in $(seq 1 20); do
    awk -v seed="$i" 'BEGIN { srand(seed); for (i = 0; i < 3000; i++) printf "%c", int(rand() * 255) + 1 }' >"$tmp/in/noise.pld"
    "$build/pldc" "$tmp/in/noise.pld" -o "$tmp/x.pldb" >/dev/null 2>"$tmp/err"; rc=$?
    if [ $rc -eq 1 ]; then ok; else bad "noise $i: status $rc"; fi
    "$build/pldrun" --disasm "$tmp/in/noise.pld" >/dev/null 2>&1; rc=$?
    if [ $rc -eq 2 ]; then ok; else bad "noise $i run: status $rc"; fi
    cp "$tmp/in/noise.pld" "$tmp/in/noise.pldb"
    exits "noise $i as bytecode" 2 "$build/pldrun" "$tmp/in/noise.pldb"
done
: >"$tmp/in/empty.pld"
exits 'empty file' 1 "$build/pldc" "$tmp/in/empty.pld" -o "$tmp/left/x.pldb"
exits 'a directory' 2 "$build/pldc" "$tmp/in" -o "$tmp/left/x.pldb"
exits 'standard input' 0 sh -c "'$build/pldc' - -o '$tmp/x.pldb' <$s"

# Edited dumps: what a pass would be blamed for is here a mistake in the text, with its place.
"$build/pldc" $s -d 0-3 -o "$tmp/x.pldb" --dump-passes="$tmp/dumps" || bad 'no dumps'
# edited NAME DUMP SED-SCRIPT PATTERN
edited() {
    sed "$3" "$tmp/dumps/$2.ir" >"$tmp/in/$1.ir"
    refuse "$1.ir" "$4"
}
edited stage 01_specialize '1s/01_specialize/09_lower_composite_ops/' 'a dump of lower_composite_ops.*bound twice'
edited early 11_lower_transfers '1s/11_lower_transfers/14_insert_fences/' 'has no layout'
edited twice 08_synthesize_signals 's/^\( *\)ctx: .*/&\n&/' 'ctx is bound twice'
edited align 15_allocate_memory 's/align=512/align=4294967296/' 'align= that is no power of two'
edited off_row 16_final '0,/Mem.Vec, 0\]/s//Mem.Vec, 31]/' 'no multiple of the alignment'
edited past_end 16_final '0,/Mem.Vec, 0\]/s//Mem.Vec, 188416]/' 'past the end of its memory'
# The table of what was expanded names builtins and phases that there are, and statements of its own.
"$build/pldc" $s -d 0-3 -D mode=builtin --dump-pass=lower_composite_ops >"$tmp/dumps/expanded.ir" || bad 'no dump'
edited no_builtin expanded 's/@pld.expansion("reduce_scatter"/@pld.expansion("reduce"/' 'no such builtin'
edited no_phase expanded 's/("epilogue", 29/("prologue", 29/' 'no such phase'
edited no_run expanded 's/("epilogue", 29, 31)/("epilogue", 29)/' 'no run of statements'
edited too_far expanded 's/("epilogue", 29, 31)/("epilogue", 29, 310)/' 'no such statements'
edited backwards expanded 's/("epilogue", 29, 31)/("epilogue", 14, 14)/' 'no such statements'
edited two_calls expanded 's/^ *@pld.expansion.*/&\n    @pld.expansion("barrier", ("", 31, 31))/' 'a statement of two expansions'
edited by_name expanded 's/("epilogue", 29, 31)/("epilogue", my_rank, 31)/' 'my_rank'
sed 's/^        @pl.function(type=pl.FunctionType.InCore)/        @pld.expansion("barrier", ("", 1, 1))\n&/' $s >"$tmp/in/in_source.pld"
refuse in_source.pld
# The second staging tile of a transfer is as large as the first: chunks pass through both.
"$build/pldc" tests/roundtrip/extents.pld --dump-pass=lower_transfers >"$tmp/dumps/staged.ir" || bad 'no dump'
edited stage_shape staged 's/\(stage_1: pl.Tile\)\[\[[0-9]*, [0-9]*\], \([^]]*\)\]\(.*create(\)\[[0-9]*, [0-9]*\]/\1[[1, 8], \2]\3[1, 8]/' 'staging tiles of one type'
edited stage_number staged 's/stage=\[stage, stage_1\]/stage=[stage]/' 'needs 2 staging tiles, got 1'
if [ -n "$(ls "$tmp/left")" ]; then bad 'files left behind'; else ok; fi

# No argument, name or string changes the terminal: bytes of C0, C1 and what is no UTF-8 are escaped.
# tame WHAT: the last output holds no control character but newlines
tame() {
    if LC_ALL=C grep -aq $'[\x01-\x09\x0b-\x1f\x7f]\|\xc2[\x80-\x9f]\|\xff' "$tmp/out" "$tmp/err"; then bad "$1: a control character came through"
    else ok; fi
}
wild=$'a\x1b[31m\xc2\x9b31m\xff\x7f'
for tool in pldc pldrun; do
    exits "$tool: a file" 2 "$build/$tool" "$wild.pld"; tame "$tool: a file"
    says "$tool: a file" 'a\\x1b\[31m\\u009b31m\\xff\\x7f'
    for option in "--$wild" "--$wild=1" "-D$wild" "--platform=$wild" "-d$wild" "-W$wild" "--entry=$wild" "-D" "--ranks=$wild" "--emit=$wild" \
        "--dump-pass=$wild" "--schedule=$wild" "--explore=$wild" "--check=$wild" "--input=$wild" "--input=x=$wild" "--print=$wild" "--set=$wild"; do
        "$build/$tool" $s "$option" "$wild" >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?
        if [ $rc -eq 1 ] || [ $rc -eq 2 ]; then ok; else bad "$tool $option: status $rc"; fi
        tame "$tool ${option%%a*}"
    done
done
cp $s "$tmp/in/$wild.pld"
exits 'a wild name compiles' 0 "$build/pldc" "$tmp/in/$wild.pld" -d 0,1 -D mode=builtin -o "$tmp/wild.pldb"
for how in --disasm --cost --cost=json --print=y --explain-sync; do
    exits "wild $how" 0 "$build/pldrun" "$tmp/wild.pldb" $how; tame "wild $how"
done
exits 'wild cost' 0 "$build/pldc" "$tmp/in/$wild.pld" -d 0,1 -D mode=builtin --cost; tame 'wild cost'
finish
