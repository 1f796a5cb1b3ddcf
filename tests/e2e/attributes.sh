#!/bin/bash
# quick
# Every attribute of an operation changes the lowered IR and the result or the clock.
. "$(dirname "$0")/lib.bash"
a=tests/e2e/attributes

# look NAME FILE OPTIONS...: runs one variant, which must be OK; its lowered IR without the first
# line, its output and its clock go to $tmp/NAME.*
look() {
    local name=$1 file=$2; shift 2
    exits "$name" 0 "$build/pldrun" "$file" -v -d 0-2 --output y="$tmp/$name.npy" "$@"
    sed -n 's/.*modelled time //p' "$tmp/err" >"$tmp/$name.clock"
    "$build/pldc" "$file" -d 0-2 --dump-pass=final "$@" | sed 1d >"$tmp/$name.ir"
}
# differ A B KIND...: the two variants differ in each of these
differ() {
    local one=$1 two=$2 kind; shift 2
    for kind in "$@"; do
        if cmp -s "$tmp/$one.$kind" "$tmp/$two.$kind"; then bad "$one and $two: the same $kind"
        else ok; fi
    done
}
move() { look "$1-$2" $a/rma.pld -D how="$1" -D variant="$2"; }

for how in put get; do
    for variant in plain rows cols pipeline part; do move $how $variant; done
    differ $how-plain $how-rows ir clock
    differ $how-plain $how-cols ir clock
    differ $how-rows $how-cols ir clock
    differ $how-rows $how-pipeline ir clock
    differ $how-plain $how-part ir npy clock
done
for how in put remote_store; do
    move $how plain; move $how add
    differ $how-plain $how-add ir npy
done
for how in load remote_load; do
    move $how plain; move $how valid
    differ $how-plain $how-valid ir npy clock
done

look adds $a/signals.pld
look sets $a/signals.pld -D op=pld.NotifyOp.Set -D expected=1
look twos $a/signals.pld -D value=2 -D expected=6
look early $a/signals.pld -D expected=2
differ adds sets ir npy
differ adds twos ir npy
differ adds early ir clock
look equal $a/signals.pld -D cmp=pld.WaitCmp.Eq
differ adds equal ir
exits 'Ge passes beyond' 0 "$build/pldrun" $a/signals.pld -D value=2 -D expected=6
exits 'Eq waits for ever' 3 "$build/pldrun" $a/signals.pld -D value=2 -D cmp=pld.WaitCmp.Eq
says 'Eq waits for ever' 'value 6, needs == 3'

modes='Rint Round Floor Ceil Trunc'
for mode in $modes; do look "$mode" $a/casts.pld -D "mode=pl.CastMode.$mode"; done
for one in $modes; do
    for two in $modes; do [[ $one < $two ]] && differ "$one" "$two" ir npy; done
done
finish
