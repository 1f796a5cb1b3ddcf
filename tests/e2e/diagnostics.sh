#!/bin/bash
# quick
# Reports for programs: every kind of them as JSON and as JUnit XML, read by Python's parsers.
. "$(dirname "$0")/lib.bash"
python=$(command -v python3)

# tells WHAT STATUS VERDICT KINDS COUNTS ARGS...: COUNTS: tests failures errors skipped
tells() {
    local what=$1 status=$2 verdict=$3 kinds=$4 counts=$5 out; shift 5
    exits "$what" "$status" "$build/pldrun" "$@" --diagnostics=json --report=junit:"$tmp/r.xml"
    # shellcheck disable=SC2086
    out=$("$python" tests/e2e/diagnostics/read.py json "$status" "$verdict" $kinds <"$tmp/err" 2>&1) && ok ||
        bad "$what: $(tail -n 1 <<<"$out")"
    # shellcheck disable=SC2086
    out=$("$python" tests/e2e/diagnostics/read.py junit "$tmp/r.xml" $counts 2>&1) && ok ||
        bad "$what: XML: $(tail -n 1 <<<"$out")"
}
mesh=samples/08_allreduce_mesh.pld
tells 'a right program' 0 OK '' '5 0 0 0' $mesh -d 0-3
[ "$(cat "$tmp/out")" = OK ] && ok || bad 'standard output of a right program'
tells 'nothing checked' 0 'done (nothing checked)' 'note unchecked' '5 0 0 1' tests/e2e/two_windows.pld
sed 's/value=1, op=pld.NotifyOp.AtomicAdd/value=0, op=pld.NotifyOp.AtomicAdd/' $mesh >"$tmp/stuck.pld"
tells 'a deadlock' 3 deadlock 'deadlock' '4 0 1 0' "$tmp/stuck.pld" -d 0-3
jq -se '.[0].places | length == 4 and all(.role == "blocked" and .op == "wait" and .window == "signal_buf" and
        .parameter == "signal" and .cmp == ">=" and .value == 0 and .wanted == 1 and .of_rank == .rank) and
        .[2].elements == "signal_buf[0, 0]"' "$tmp/err" >"$tmp/o" && ok || bad "places of a deadlock: $(head -c 600 "$tmp/err")"
replay=$(jq -sr '.[0].replay' "$tmp/err")
exits 'the replay command' 3 bash -c "$replay"
tells 'a race' 4 check 'check race' '5 2 0 1' tests/verdicts/columns_overlap.pld -d 0-2
jq -se '[.[] | select(.code == "race")][0].places | length == 2 and all(.op == "remote_store" and .role == "writes" and
        .window == "data_buf" and .parameter == "data" and .line == 31)' "$tmp/err" >"$tmp/o" && ok || bad 'places of a race'
tells 'an uninitialised read' 4 check 'check uninit' '5 1 0 0' tests/e2e/diagnostics/unwritten.pld
sed 's/peer=peer/peer=peer + 9/' $mesh >"$tmp/fault.pld"
tells 'a fault' 5 fault 'fault' '4 0 1 0' "$tmp/fault.pld" -d 0-3
sed 's/return sum(x/return 1 + sum(x/; s/return x\[/return 1 + x[/' samples/04_barrier.pld >"$tmp/golden.pld"
tells 'a mismatch' 1 golden 'golden' '5 1 0 0' "$tmp/golden.pld" -d 0,1 -D mode=hand
tells 'a step limit' 6 steps 'steps' '4 0 1 0' tests/golden/step_limit_places.pld -d 0,1 --max-steps 200
tells 'a bad option' 2 usage 'usage' '6 0 1 0' $mesh -d 0-3 --print nope
tells 'a failing exploration' 3 deadlock 'execution deadlock' '2 1 0 0' "$tmp/stuck.pld" -d 0,1 --explore
tells 'an exploration' 0 verified '' '1 0 0 0' $mesh -d 0,1 --explore
sed 's/pl.load(/pl.lod(/' $mesh >"$tmp/errors.pld"
exits 'a program with errors' 2 "$build/pldrun" "$tmp/errors.pld" --diagnostics=json
out=$("$python" tests/e2e/diagnostics/read.py json 2 usage <"$tmp/err" 2>&1) && ok || bad "a program with errors: $out"
exits 'another form' 2 "$build/pldrun" $mesh --diagnostics=xml
exits 'another report' 2 "$build/pldrun" $mesh --report=html:x
exits 'a report over the program' 2 "$build/pldrun" "$tmp/golden.pld" --report=junit:"$tmp/golden.pld"

# The schema in the manual has every key that is written, and no other.
"$python" - man/pldrun.1 <<'EOF' && ok || bad 'the manual describes other keys'
import re, runpy, sys
sys.argv = ["read.py", "none"]
source = open("tests/e2e/diagnostics/read.py").read().split('if sys.argv[1]')[0]
keys = {}
exec(source, keys)
page = open("man/pldrun.1").read()
section = page[page.index(".Sh DIAGNOSTICS\n"):]
section = section[: section.index("\n.Sh ", 5)]
said = set(re.findall(r"^\.It Li ([a-z_]+)", section, re.M))
real = keys["REPORT"] | keys["PLACE"] | keys["RUN"] | {"differ", "largest", "rtol", "atol", "index", "got", "golden", "output"}
print(sorted(real ^ said) or "")
sys.exit(said != real)
EOF
finish
