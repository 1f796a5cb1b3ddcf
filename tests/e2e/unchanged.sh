#!/bin/bash
# Scripts of the Python system under `python3 -m pld`: each one of tests/scripts/unchanged says in its comments how it
# is called and what comes out. With TORCH=1 those of tests/scripts/torch.
. "$(dirname "$0")/lib.bash"
python=$(numpy_python) || { echo "Scripts unchanged: left out, there is no python3 with numpy"; ok; finish; }
export PLD_LIBRARY="$build/libpld.so.0" PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1
unset PLD_BACKTRACE PYPTO_PROG_BUILD_DIR
scripts=$root/tests/scripts/unchanged
if [ -n "$TORCH" ]; then
    "$python" -c 'import torch' 2>/dev/null || { echo "Scripts with torch: left out, there is no torch"; ok; finish; }
    scripts=$root/tests/scripts/torch
fi

# of KEY FILE: the values of a comment `# KEY: value`
of() { sed -nE "s/^# $1: //p" "$2"; }

# run_script FILE: in a folder of its own; output in its file `out`, the exit status in `rc`
# shellcheck disable=SC2317  # xargs calls it
run_script() {
    local dir; dir=$tmp/$(basename "$1" .py); mkdir -p "$dir"
    # shellcheck disable=SC2046  # options and arguments are words
    (cd "$dir" && "$python" -m pld $(of options "$1") "$1" $(of args "$1") >out 2>&1 </dev/null
     echo $? >rc)
}
# judge FILE: what came out against what the comments say
judge() {
    local name dir want rc pattern; name=$(basename "$1" .py) dir=$tmp/$(basename "$1" .py)
    want=$(of expect "$1") rc=$(cat "$dir/rc")
    if [ "$rc" = "${want:-0}" ]; then ok; else bad "$name: status $rc, wanted ${want:-0}: $(tail -n 3 "$dir/out" | tr '\n' ' ')"; fi
    while read -r pattern; do says "$name" "$pattern" "$dir/out"; done < <(of says "$1")
    while read -r pattern; do
        if grep -Eq -- "$pattern" "$dir/out"; then bad "$name: says '$pattern'"; else ok; fi
    done < <(of lacks "$1")
}
export -f run_script of; export tmp python
printf '%s\n' "$scripts"/*.py | xargs -P 2 -I '{}' bash -c 'run_script "{}"'
for script in "$scripts"/*.py; do judge "$script"; done
[ -n "$TORCH" ] && finish

cd "$scripts" || exit 2
# pld WHAT STATUS ARGS...: python3 -m pld with arguments
pld() { local what=$1 want=$2; shift 2; exits "$what" "$want" "$python" -m pld "$@"; }

pld 'a module of a package' 0 -m model_package.run_model --layers 2
says 'as __main__ of its package' '^__main__ model_package: [0-9]+ functions of head, 4096 rows$' "$tmp/out"

# the command line
pld 'nothing' 2
says 'usage' '^usage: python3 -m pld \[OPTIONS\] SCRIPT'
pld 'help' 0 --help
says 'help' '--timeline FILE' "$tmp/out"
pld 'version' 0 --version
pld 'an unknown option' 2 --no-such exits.py
says 'it is named' "unknown option '--no-such'"
pld 'an option without its value' 2 --mem
pld 'no number' 2 --seed=x exits.py
pld 'no such file' 2 no_such.py
pld 'a wrong value of a run' 2 --mem=strong beginner_add.py
says 'its words' 'strong'
# refused WORDS OPTION: one line, before the script runs
refused() {
    pld "refused: $2" 2 "$2" "$scripts/exits.py" --code 3
    says "refused: $2" "^python3 -m pld: error: .*$1"
    if [ "$(wc -l <"$tmp/err")" = 1 ]; then ok; else bad "$2: more than one line"; fi
}
refused "sc or weak, not 'foo'" --mem=foo
refused "a list of .*, not 'foo'" --check=foo
refused 'cannot write nodir/x.svg' --timeline=nodir/x.svg
refused "FILE.svg or FILE.html.*'a.pdf'" --timeline=a.pdf
refused 'cannot write nodir/x.json' --trace=nodir/x.json
refused 'cannot write nodir/x.xml' --report=junit:nodir/x.xml
refused 'a number of bytes' --max-memory=x
refused 'unknown platform field' --platform-set=x=1
refused "a number from 0, not '-1'" --seed=-1
refused 'a schedule is clock' --schedule=random:x
refused 'a broken replay token' --schedule=r2.bad
pld 'not before the script' 3 exits.py --code 3 --mem

# every call is explored, drawn, traced, counted
cd "$tmp" || exit 2
pld 'all of it' 0 --explore=50 --cost --timeline "$tmp/t.html" --trace="$tmp/t.json" --mem weak --seed 3 --schedule random:5 --max-steps 100000 \
    --time-limit 60 --platform-set link_overhead=90000 "$scripts/three_entries.py"
says 'explorations' '^call 3: '
says 'cost cards' 'modelled'
for f in t.html t.2.html t.3.html t.json t.3.json; do
    if [ -s "$tmp/$f" ]; then ok; else bad "no $f"; fi
done
pld 'shown elements' 0 -q -j2 --print 'y[0,0,:2]' --watch 'y[0,0,0]' --no-print --max-memory=1G --report=junit:"$tmp/r.xml" \
    "$scripts/allreduce_mesh.py"
says 'a watched element' '^watch: y\[0, 0, 0\]: ' "$tmp/out"
says 'a printed slice' '^y\[0,0,:2\] =' "$tmp/out"
if grep -q 'failures="0"' "$tmp/r.xml"; then ok; else bad 'no r.xml'; fi
pld 'a report of no kind' 2 --report=html:x "$scripts/three_entries.py"
pld 'into a folder' 0 -q --timeline=drawings/ "$scripts/three_entries.py"
if [ -s drawings/timeline_3.html ]; then ok; else bad 'no drawings/timeline_3.html'; fi
pld 'a step limit' 1 --max-steps=10 "$scripts/beginner_matmul.py"
says 'a step limit' 'steps'

# what a report says to replay is replayed; a token of nothing in the script is an error
pld 'a race' 1 "$scripts/race.py"
token=$(sed -nE 's/^replay: python3 -m pld --schedule=([^ ]+) .*/\1/p' "$tmp/err")
pld 'replayed' 1 "--schedule=$token" "$scripts/race.py"
says 'the same race' ': race: rank'
pld 'a token of another program' 2 "--schedule=$token" "$scripts/beginner_add.py"
says 'it says so' 'no call of .*beginner_add.py is of the program'
if [ "$(wc -l <"$tmp/err")" = 1 ]; then ok; else bad 'a token of another program: more than one line'; fi
printf 'import sys\nsys.exit(0)\n' >"$tmp/leaves.py"
pld 'a token of nothing, and sys.exit(0)' 2 "--schedule=$token" "$tmp/leaves.py"
refused 'a broken replay token' "--schedule=${token%?}"
refused 'a broken replay token' "--schedule=${token}x"
# calls of one program with other inputs run by clock
{ sed '/^for _ in range/,$d' "$scripts/race.py"; cat <<'EOF'; } >"$tmp/twice.py"
for k in (1, 2):
    x[:] = k * args.repeat
    try:
        host(x, y, config=config)
    except Exception as e:
        print(str(e).splitlines()[-1])
EOF
pld 'two races' 0 "$tmp/twice.py"
second=$(sed -nE '2s/^replay: python3 -m pld --schedule=([^ ]+) .*/\1/p' "$tmp/out")
pld 'the second is replayed' 0 "--schedule=$second" "$tmp/twice.py"
says 'the same again' "^replay: .*$second" "$tmp/out"
pld 'of other inputs' 2 "--schedule=$second" "$tmp/twice.py" --repeat 5
says 'why not' 'error: no call of .*: the token is for inputs'
PLD_BACKTRACE=1 pld 'with frames' 1 "$scripts/race.py"
says 'with frames' '^Traceback'

pld 'explored, the race is found' 1 --explore "$scripts/race.py"
says 'explored, the race is found' ': race: rank'
says 'and replayed by the command' '^replay: python3 -m pld --schedule=r2[^ ]+ .*race.py'
pld 'explored and right' 0 --explore "$root/samples/python/ring_shift.py" -d 0,1
says 'verified' '^call 1: .*verified'

# not run by this command, a program installs the modules itself
exits 'install and uninstall' 0 "$python" -c "
import sys
import pld.compat
pld.compat.install()
pld.compat.install()
import pypto.language as pl
assert pl.FP32.name == 'FP32'
pld.compat.uninstall()
assert 'pypto' not in sys.modules
try:
    import pypto
except ImportError:
    pass
else:
    raise SystemExit('it is still there')
sys.modules['pypto'] = type(sys)('pypto')
try:
    pld.compat.install()
except ImportError as e:
    assert 'imported already' in str(e), e
else:
    raise SystemExit('a real one was shadowed')"
mkdir real real/pypto && : >real/pypto/__init__.py
PYTHONPATH=$root/python:real pld 'a real one that is not imported' 0 -v "$scripts/exits.py" --code 0
says 'a note' '^note: the pypto that is installed is not used'
mkdir beside && cp "$scripts/exits.py" beside/ && : >beside/pld.py
pld 'a pld.py beside the script' 7 beside/exits.py --code 7 rest
says 'a note' '^note: import pld is this package, not beside/pld.py'
PYPTO_PROG_BUILD_DIR=$tmp/made pld 'the folder of compiled programs' 0 "$scripts/allreduce_mesh.py"
if ls made/host_*/program.ir >/dev/null 2>&1; then ok; else bad 'no made/host_*/program.ir'; fi
if "$python" -c 'import pytest' 2>/dev/null; then
    exits 'tests with the plugin' 0 "$python" -m pytest -q -p no:cacheprovider -p pld.pytest_plugin --pld-devices=0,1,2 "$root/tests/scripts/plugin"
    exits 'its options' 1 "$python" -m pytest -q -p no:cacheprovider -p pld.pytest_plugin --pld-option=max-steps=3 "$root/tests/scripts/plugin"
    says 'its options' 'StepLimitError' "$tmp/out"
    exits 'a wrong option' 4 "$python" -m pytest -q -p no:cacheprovider -p pld.pytest_plugin --pld-option=no-such=3 "$root/tests/scripts/plugin"
fi
exits 'no torch' 0 "$python" -X importtime -c 'import pld.compat; pld.compat.install(); import pypto.runtime, pypto.ir'
if grep -Eq '\| +torch' "$tmp/err"; then bad 'torch is imported'; else ok; fi
finish
