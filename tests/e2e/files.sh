#!/bin/bash
# quick
# A file that is written is no file that is read and no other that is written, whatever its name.
. "$(dirname "$0")/lib.bash"
mkdir "$tmp/d"
cp samples/14_reduce_scatter.pld "$tmp/k.pld"
ln -s k.pld "$tmp/symbolic.pld"
ln "$tmp/k.pld" "$tmp/hard.pld"
exits 'a program' 0 "$build/pldc" "$tmp/k.pld" -D mode=builtin -o "$tmp/k.pldb"
exits 'its arrays' 0 "$build/pldrun" "$tmp/k.pldb" --output x="$tmp/x.npy"
ln -s k.pldb "$tmp/symbolic.pldb"

state() { (cd "$tmp" && find . -type f ! -name out ! -name err ! -name before -exec cksum {} + && find .) | sort; }
state >"$tmp/before"
# refused WHAT PATTERN COMMAND...: a usage error, and nothing is touched
refused() {
    local what=$1 pattern=$2; shift 2
    exits "$what" 2 "$@"
    says "$what" "$pattern"
    if state | cmp -s - "$tmp/before"; then ok; else bad "$what: something changed"; fi
}
: >"$tmp/out"; : >"$tmp/err"; state >"$tmp/before"
last=$("$build/pldc" --list-passes | sed -n 's/^\([0-9]*_final\) .*/\1/p')
c=("$build/pldc" "$tmp/k.pld" -D mode=builtin) r=("$build/pldrun" "$tmp/k.pldb")
for name in k.pld d/../k.pld symbolic.pld hard.pld; do
    refused "-o $name" "-o: .*$name is the file of the program" "${c[@]}" -o "$tmp/$name"
done
refused 'standard input' 'the program \(-\)' sh -c "exec '$build/pldc' - -o '$tmp/k.pld' <'$tmp/k.pld'"
refused 'a dump is the bytecode' "--dump-passes: .*$last" "${c[@]}" -o "$tmp/d/$last.ir" --dump-passes="$tmp/d"
refused 'so in a folder to be made' '--dump-passes: ' "${c[@]}" -o "$tmp/n/./$last.ir" --dump-passes="$tmp/d/..//n"
refused 'the folder is the bytecode' '--dump-passes: ' "${c[@]}" -o "$tmp/n" --dump-passes="$tmp/n/"
cp "$tmp/k.pld" "$tmp/d/00_parsed.ir"; state >"$tmp/before"
refused 'a dump is the program' '--dump-passes: ' "$build/pldc" "$tmp/d/00_parsed.ir" -o "$tmp/o.pldb" --dump-passes="$tmp/d"
refused 'a dump is the other program' '--dump-passes: ' "$build/pldc" --compare "$tmp/k.pld" "$tmp/d/00_parsed.ir" --dump-passes="$tmp/d"
for option in --trace= --output=y=; do
    for name in k.pldb symbolic.pldb d/../k.pldb x.npy; do
        refused "$option$name" "is the file of" "${r[@]}" --input x="$tmp/x.npy" "$option$tmp/$name"
    done
done
ln -s k.pldb "$tmp/t.svg"; ln "$tmp/x.npy" "$tmp/x2.npy"; echo 'cores_per_device = 8' >"$tmp/set"; state >"$tmp/before"
refused 'a timeline' '--timeline: .*the program' "${r[@]}" --timeline="$tmp/t.svg"
refused 'a golden' '--output y: .*--golden y' "${r[@]}" --golden y="$tmp/x.npy" --output y="$tmp/x2.npy"
refused 'settings' '--trace: .*--platform-set' "${r[@]}" --platform-set=@"$tmp/set" --trace="$tmp/set"
refused 'two outputs' '--output y: .*--output x' "${r[@]}" --output x="$tmp/new" --output y="$tmp/d/../new"
refused 'trace and timeline' '--timeline: .*--trace' "${r[@]}" --trace="$tmp/new.svg" --timeline="$tmp/./new.svg"
# What is no file can be written to more than once; files of their own are written.
exits 'devices' 0 "${r[@]}" --output x=/dev/null --output y=/dev/null --trace=/dev/null
exits 'other files' 0 "${r[@]}" --input x="$tmp/x.npy" --output x="$tmp/1" --output y="$tmp/2" --trace="$tmp/3" --timeline="$tmp/4.svg"
exits 'a text over the program' 2 "${c[@]}" -o "$tmp/k.pld" --emit=asm
exits 'nothing is written' 0 "${c[@]}" -o "$tmp/k.pld" --dump-pass=final
for what in ast ir asm; do
    exits "--emit=$what" 0 "${c[@]}" --emit=$what
    cp "$tmp/out" "$tmp/printed"
    exits "--emit=$what -o" 0 "${c[@]}" --emit=$what -o "$tmp/emitted"
    [ ! -s "$tmp/out" ] && cmp -s "$tmp/printed" "$tmp/emitted" && ok || bad "--emit=$what -o: another text, or on standard output"
done
finish
