#!/bin/bash
# A long run shows its progress on a terminal, takes it away at the end, and shows nothing elsewhere.
. "$(dirname "$0")/lib.bash"
long="samples/11_allreduce_reveal.pld -d 0-79 -D mode=ring -D SIZE=1280 --check=none"

script -qec "$build/pldrun $long" /dev/null </dev/null >"$tmp/tty" 2>&1
says 'on a terminal' '[0-9]+ steps, modelled time [0-9]+\.[0-9]+ us, [0-9]+ of 80 ranks wait' "$tmp/tty"
[ "$(tr '\r' '\n' <"$tmp/tty" | grep -v '^$' | tail -n 1 | tr -d '\033')" = '[KOK' ] && ok || bad 'the line stays behind'
script -qec "$build/pldrun $long -q" /dev/null </dev/null >"$tmp/tty" 2>&1
[ "$(tr -d '\r' <"$tmp/tty")" = OK ] && ok || bad '-q shows progress'
# shellcheck disable=SC2086
exits 'not a terminal' 0 "$build/pldrun" $long
[ ! -s "$tmp/err" ] && ok || bad 'progress where there is no terminal'
finish
