#!/bin/bash
# A long run shows its progress on a terminal, takes it away at the end, and shows nothing elsewhere.
. "$(dirname "$0")/lib.bash"
# As long as the limit lasts, on any machine.
long="tests/e2e/long_loop.pld -d 0-79 -D N=1000000000000 --max-steps 2000000000000 --time-limit 2"

script -qec "$build/pldrun $long" /dev/null </dev/null >"$tmp/tty" 2>&1
says 'on a terminal' '[0-9]+ steps, modelled time [0-9]+\.[0-9]+ us, [0-9]+ of 80 ranks wait' "$tmp/tty"
tr '\r' '\n' <"$tmp/tty" | tr -d '\033' | grep -v '^$' >"$tmp/lines"
grep -q '^\[Ktime limit: ' "$tmp/lines" && ok || bad 'the line stays behind'
script -qec "$build/pldrun $long -q" /dev/null </dev/null >"$tmp/tty" 2>&1
grep -q 'steps, modelled time' "$tmp/tty" && bad '-q shows progress' || ok
# shellcheck disable=SC2086
exits 'not a terminal' 6 "$build/pldrun" $long
grep -q 'steps, modelled time' "$tmp/err" && bad 'progress where there is no terminal' || ok
finish
