#!/bin/bash
# quick
# Unusual programs that are right: no schedule and neither memory model draws a report. Two schedules
# at the first number of devices; all of them, at every number, when called with `long`.
. "$(dirname "$0")/lib.bash"
long=${2:-}

# silent FILE P MODEL SCHEDULE: status 0, nothing but notes
silent() {
    "$build/pldrun" "$1" -d 0-$(($2 - 1)) --mem="$3" --schedule="$4" >"$tmp/out" 2>"$tmp/err"; local rc=$?
    if [ $rc -eq 0 ] && ! grep -qv '^note: ' "$tmp/err"; then ok
    else bad "$1 on $2, $3, $4: status $rc: $(grep -v '^note: ' "$tmp/err" | head -n 2 | tr '\n' ' ')"; fi
}

schedules='clock random:1'
[ "$long" = long ] && schedules="clock pct:1:2 pct:2:3 pct:3:4 $(seq -f random:%g 16)"
for f in tests/correct/*.pld; do
    ranks=$(sed -n '1s/^# ranks: //p' "$f")
    [ "$long" = long ] || ranks=${ranks%% *}
    for p in $ranks; do
        for mem in sc weak; do for s in $schedules; do silent "$f" "$p" "$mem" "$s"; done; done
    done
done
finish
