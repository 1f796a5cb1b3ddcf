#!/bin/bash
# Devices over MPI processes: the same output, bytes and cost card as in one process, the same verdict
# for programs that are wrong. LONG=1: every sample and mode at 1 to 16 devices over 1 to 4 processes,
# with every MPI; MPI_SHARD=I/N then does one of N parts, 0/N to N-1/N.
. "$(dirname "$0")/lib.bash"

launchers=
[ -e "$build/pld-fabric-openmpi.so" ] && command -v mpirun.openmpi >/dev/null && launchers=openmpi
[ -e "$build/pld-fabric-mpich.so" ] && command -v mpirun.mpich >/dev/null && launchers+=' mpich'
if [ -z "$launchers" ]; then
    echo 'skipped: no MPI here (scripts/bootstrap mpi)'
    finish
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_base_warn_component_unused=0

# launch LIBRARY N ARGS...: pldrun over N processes; the launcher's own words are left out of stderr
launch() {
    local library=$1 n=$2 rc; shift 2
    local start=("mpirun.$library" -n "$n")
    [ -z "$over_hosts" ] || start=(tests/mpi/hosts.sh "$library" "$n")
    timeout -k 5 "${MPI_TIMEOUT:-0}" "${start[@]}" "$build/pldrun" --fabric=mpi "$@" 2>"$tmp/raw" >"$tmp/out" </dev/null; rc=$?
    grep -Ev '^-+$|^(Primary job|a non-zero exit|mpirun |the job to be|=|\| |[[:space:]]*(Process name|Exit code):|[[][^]]*:[0-9]+[]] )|^$' \
        "$tmp/raw" >"$tmp/err"
    return $rc
}
over_hosts=
# output_of SAMPLE: the name of what it computes
output_of() { grep -oE '[a-z_]+: *pl\.(Out|InOut)\[pl\.Tensor' "$1" | tail -n 1 | cut -d: -f1; }
# same_as_one LIBRARY N HOW SAMPLE ARGS...: same status, standard output and --output bytes as one process
same_as_one() {
    local library=$1 n=$2 how=$3 rc status out; shift 3
    out=$(output_of "$1")
    "$build/pldrun" -q "$@" --output "$out=$tmp/one.npy" >"$tmp/want" 2>/dev/null; status=$?
    rm -f "$tmp/many.npy"
    # shellcheck disable=SC2086
    launch "$library" "$n" -q "$@" --output "$out=$tmp/many.npy" $how; rc=$?
    if [ $rc -eq 0 ] && [ $status -eq 0 ] && cmp -s "$tmp/want" "$tmp/out" && cmp -s "$tmp/one.npy" "$tmp/many.npy"; then ok
    else bad "$* $how, $library, $n processes: status $rc for $status, $(head -n 2 "$tmp/out" "$tmp/err" | tr '\n' ' ')"; fi
}
# What of a cost card can be counted, without times.
card() { sed -E 's/modelled time.*//; s/^( *[0-9]+ .*[^ ])( +[-0-9.]+){5}$/\1/'; }
same_card() {
    local n=$1; shift
    "$build/pldrun" -q --cost "$@" 2>/dev/null | card >"$tmp/want"
    launch "${list[0]}" "$n" -q --cost "$@"
    if card <"$tmp/out" | cmp -s - "$tmp/want"; then ok
    else bad "cost card of $*: $(card <"$tmp/out" | diff - "$tmp/want" | head -n 3 | tr '\n' ' ')"; fi
}
# verdict N HOW ARGS...: same status and first line of the report as in one process
verdict() {
    local n=$1 how=$2 rc one; shift 2
    "$build/pldrun" -q "$@" >/dev/null 2>"$tmp/want"; one=$?
    # shellcheck disable=SC2086
    launch "${over_hosts:-${list[0]}}" "$n" -q "$@" $how; rc=$?
    if [ $rc -eq $one ] && [ "$(head -n 1 "$tmp/want")" = "$(head -n 1 "$tmp/err")" ]; then ok
    else bad "$* $how, $n processes: status $rc for $one: $(head -n 1 "$tmp/err")"; fi
}
# either FILE: a program that some schedules do not bring to its end, reported in every run
either() {
    local rc
    launch "${list[0]}" 2 -q "$1" -d 0-"$(devices_for "$1")" --check=races,uninit,signals; rc=$?
    if { [ $rc -eq 3 ] || [ $rc -eq 4 ]; } && grep -q ': race: ' "$tmp/err"; then ok
    else bad "$1: status $rc, wanted 3 or 4: $(head -n 1 "$tmp/err")"; fi
}
# refuses WHAT STATUS PATTERN ARGS...
refuses() {
    local what=$1 want=$2 pattern=$3 rc; shift 3
    launch "${list[0]}" 2 "$@"; rc=$?
    if [ $rc -eq "$want" ]; then ok; else bad "$what: status $rc, wanted $want"; fi
    says "$what" "$pattern"
}

read -ra list <<<"$launchers"
every() { if [ -n "$LONG" ]; then echo "$@"; else echo "$1"; fi; }
shard=${MPI_SHARD%/*} shards=${MPI_SHARD#*/} turn=0
# mine: is the next of the many cases one of this part? What is not counted belongs to part 0.
mine() { turn=$((turn + 1)); [ $((turn % ${shards:-1})) -eq "${shard:-0}" ]; }

x=samples/08_allreduce_mesh.pld

# ---- right programs ----
# is_for_these ARGS...: does it run on this number of devices? Asked once; `one` is the status
is_for_these() {
    [ -n "$one" ] || { "$build/pldrun" -q "$@" >/dev/null 2>&1; one=$?; }
    [ "$one" -eq 0 ]
}
right_programs() {
    k=0
    for sample in samples/*.pld; do
        [ -n "$(output_of "$sample")" ] || continue
        [ -z "$LONG" ] || echo "$sample: $pass passed, $fail failed so far"
        for variant in $(variants "$sample"); do
            for p in $(every 4 1 2 3 5 8 16); do
                # shellcheck disable=SC2046
                set -- "$sample" -d 0-$((p - 1)) $(as_defines "$variant")
                one=
                [ -n "$LONG" ] || is_for_these "$@" || continue
                for n in $(every $((1 + (k + 1) / 2 % 4)) 1 2 3 4); do
                    for how in $(every "$((k % 3))" 0 1 2); do
                        # dealt either way the same
                        [ -n "$LONG" ] && [ "$how" = 1 ] && { [ "$n" = 1 ] || [ "$p" -le "$n" ]; } && continue
                        k=$((k + 1))
                        case $how in 0) how= ;; 1) how=--map=cyclic ;; 2) how=--no-shared ;; esac
                        if [ -n "$LONG" ]; then some=("${list[@]}")
                        elif [ "$how" = --no-shared ]; then some=("${list[0]}")
                        else some=("${list[$((k % ${#list[@]}))]}"); fi
                        for library in "${some[@]}"; do
                            # MPICH waits in a loop: more processes than processors take minutes each
                            [ -n "$LONG" ] && [ "$library" = mpich ] && [ "$n" -gt "$(nproc)" ] && continue
                            if mine && is_for_these "$@"; then same_as_one "$library" "$n" "$how" "$@"; fi
                        done
                    done
                done
            done
        done
    done
}
# MPICH waits in a loop for other processes, which have few processors here.
rounds() {
    if [ -n "$LONG" ]; then echo 10000
    else case $1$2 in mpich--no-shared) echo 20 ;; *) echo 300 ;; esac; fi
}
litmus_processes() { if [ -n "$LONG" ] && [ "$1" = mpich ] && [ "$(nproc)" -lt 3 ]; then echo 2; else echo 3; fi; }
other_right_programs() {
    for mode in mesh ring; do same_card 3 samples/11_allreduce_reveal.pld -d 0-3 -D mode=$mode; done
    same_card 2 samples/14_reduce_scatter.pld -d 0-7 -D mode=builtin
    "$build/pldc" samples/07_dynamic_rank_count.pld -o "$tmp/any.pldb"
    for library in "${list[@]}"; do
        for how in '' --no-shared; do
            # shellcheck disable=SC2086
            launch "$library" "$(litmus_processes "$library")" -q tests/mpi/litmus.pld -d 0-3 $how -D rounds="$(rounds "$library" "$how")"
            if [ "$(cat "$tmp/out")" = OK ]; then ok; else bad "litmus $library $how: $(cat "$tmp/out" "$tmp/err" | head -n 3)"; fi
        done
        launch "$library" 4 -q "$tmp/any.pldb" -d 0-6
        if [ "$(cat "$tmp/out")" = OK ]; then ok; else bad "bytecode over $library: $(head -n 2 "$tmp/err")"; fi
    done
    # A program from standard input reaches all.
    "mpirun.${list[0]}" -n 2 "$build/pldrun" --fabric=mpi -q - -d 0-3 <samples/08_allreduce_mesh.pld >"$tmp/out" 2>"$tmp/err"
    if [ "$(cat "$tmp/out")" = OK ]; then ok; else bad "a program from standard input: $(head -n 2 "$tmp/err")"; fi
    # Elements smaller than a word beside each other.
    for kind in $(every 2 0 1 2 3 4 5); do
        for how in '' --no-shared; do
            # shellcheck disable=SC2086
            launch "${list[0]}" 3 -q tests/mpi/adds.pld -d 0-4 -D kind="$kind" $how
            if [ "$(cat "$tmp/out")" = OK ]; then ok; else bad "adds $kind $how: $(head -n 2 "$tmp/err")"; fi
        done
    done
    # Values printed by rank, a tensor gathered for --print.
    launch "${list[0]}" 3 -q samples/08_allreduce_mesh.pld -d 0-3 --print 'x[3]' --print 'y[3]'
    "$build/pldrun" -q samples/08_allreduce_mesh.pld -d 0-3 --print 'x[3]' --print 'y[3]' >"$tmp/want"
    if cmp -s "$tmp/want" "$tmp/out"; then ok; else bad "--print: $(diff "$tmp/want" "$tmp/out" | head -n 3)"; fi
    launch "${list[0]}" 2 -q samples/08_allreduce_mesh.pld -d 0-3 --trace="$tmp/t.json" --timeline="$tmp/t.svg"
    if jq -e '.traceEvents | length > 20' "$tmp/t.json" >/dev/null && grep -q '<svg' "$tmp/t.svg"; then ok
    else bad "trace and timeline of two processes: $(head -n 2 "$tmp/err")"; fi

    # What is known before the run: init functions that look at tensors, parts that nobody writes, files.
    "$build/pldrun" -q tests/mpi/before.pld -d 0-4 --output x="$tmp/x.npy" >/dev/null
    for n in 2 3; do
        same_as_one "${list[0]}" $n '' tests/mpi/before.pld -d 0-4
        same_as_one "${list[0]}" $n --map=cyclic tests/mpi/before.pld -d 0-4 --input x="$tmp/x.npy"
    done
    # Windows of others, and nothing that only process 0 can know.
    for how in '' --no-shared; do
        set -- -q samples/08_allreduce_mesh.pld -d 0-3 --print 'data_buf[3][0,:5]' --print 'data_buf[1]' --print 'y[:,0,::9]'
        # shellcheck disable=SC2086
        launch "${list[0]}" 3 "$@" $how --report=junit:"$tmp/j.xml"
        "$build/pldrun" "$@" >"$tmp/want"
        if cmp -s "$tmp/want" "$tmp/out"; then ok; else bad "--print of windows $how: $(diff "$tmp/want" "$tmp/out" | head -n 3)"; fi
        if grep -q 'tests="3" failures="0" errors="0" skipped="0">' "$tmp/j.xml"; then ok; else bad "JUnit $how: $(head -n 3 "$tmp/j.xml")"; fi
    done
    launch "${list[0]}" 2 -q tests/mpi/says.pld -d 0-2 --diagnostics=json
    cat "$tmp/out" "$tmp/err" >"$tmp/said"
    says 'a value printed over processes' '^tests/mpi/says.pld:[0-9:]+ rank 1 core 0, -: me = 1$' "$tmp/said"
    says 'a report for programs' '"time_ps":null' "$tmp/said"
}

# ---- wrong programs ----
verdicts() {
    k=0
    for f in tests/verdicts/*.pld; do
        k=$((k + 1))
        [ -n "$LONG" ] || [ $((k % 4)) -eq 0 ] || continue
        mine || continue
        if grep -q '^# expect: .* or deadlock' "$f"; then either "$f"; continue; fi
        verdict $((2 + k % 2)) "$([ $((k % 8)) -lt 4 ] || echo --map=cyclic)" \
            "$f" -d 0-"$(devices_for "$f")" --check=races,uninit,signals
    done
}
wrong_programs() {
    verdict 2 '' tests/mpi/fault.pld -d 0-3
    verdict 3 --map=cyclic tests/mpi/fault.pld -d 0-3
    verdict 2 '' tests/mpi/mismatch.pld -d 0-3
    verdict 3 --no-shared tests/mpi/mismatch.pld -d 0-3
    verdict 2 '' tests/mpi/stuck.pld -d 0-3
    verdict 3 --no-shared tests/mpi/stuck.pld -d 0-3
}

# ---- what cannot be ----
refusals() {
    refuses 'weak memory' 2 '--mem=weak is about one simulated run' $x -d 0-3 --mem=weak
    refuses 'exploration' 2 '--explore is about' $x -d 0-3 --explore
    refuses 'a schedule' 2 '--schedule is about' $x -d 0-3 --schedule=random:1
    refuses 'a file that is not there' 2 'nowhere.pld' nowhere.pld -d 0-3
    refuses 'an input of another shape' 2 'shape' $x -d 0-4 --input "x=$tmp/right.npy"
    exits '--map without processes' 2 "$build/pldrun" --map=cyclic $x
    says '--map without processes' '--map goes with --fabric=mpi'
    exits 'no such plug-in' 2 "$build/pldrun" --fabric=mpi:/nowhere.so $x
    says 'no such plug-in' '/nowhere.so'
    cp "$build/pldrun" "$tmp/alone"
    exits 'no plug-in' 2 "$tmp/alone" --fabric=mpi $x -d 0-3
    says 'no plug-in' 'install (mpich|openmpi)'
    if [ ${#list[@]} -eq 2 ]; then # another library's launcher: each process would run all devices
        mpirun.mpich -n 2 "$build/pldrun" --fabric=mpi:"$build/pld-fabric-openmpi.so" -q $x -d 0-3 >"$tmp/out" 2>"$tmp/err" </dev/null
        if [ $? -eq 2 ] && [ ! -s "$tmp/out" ]; then ok; else bad "the wrong launcher: $(head -n 2 "$tmp/out" "$tmp/err")"; fi
        says 'the wrong launcher' '2 processes were started .PMI_SIZE., and each is alone under Open MPI'
    fi
    # Two programs, two sets of options.
    mix() { "mpirun.${list[0]}" -n 1 "$build/pldrun" --fabric=mpi -q "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }
    mix $x -d 0-3 : -n 1 "$build/pldrun" --fabric=mpi -q samples/10_allreduce_ring.pld -d 0-3
    if [ $? -eq 2 ]; then ok; else bad 'two programs: they ran'; fi
    says 'two programs' 'process 1 has another program than process 0'
    mix $x -d 0-3 --seed 1 : -n 1 "$build/pldrun" --fabric=mpi -q $x -d 0-3
    says 'two sets of options' 'process 1 has other options than process 0'
    mix $x -d 0-3 : -n 1 "$build/pldrun" --fabric=mpi -q nowhere.pld -d 0-3
    says 'one process without its program' 'process 1:'
}

# ---- failures of the transport ----
"$build/pldrun" -q $x -d 0-3 --output y="$tmp/right.npy" >/dev/null
# Nothing is left but perhaps a whole file: the transport may fail after that.
whole_or_none() { ! ls "$1".* >/dev/null 2>&1 && { [ ! -e "$1" ] || cmp -s "$1" "$tmp/right.npy"; }; }
# fails_at PROCESS N [NAME]: the n-th call of MPI there fails, or the n-th of a name
fails_at() {
    local rc; rm -f "$tmp/y.npy"
    timeout -k 5 300 mpirun.openmpi -n 2 -x PLD_FAIL="$2" -x PLD_FAIL_AT="$1" ${3:+-x PLD_FAIL_OF="$3"} \
        -x LD_PRELOAD="$tmp/mpi_faults.so" "$build/pldrun" --fabric=mpi -q $x -d 0-3 --no-shared \
        --output y="$tmp/y.npy" >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?
    if [ $rc -eq 0 ] && [ "$(cat "$tmp/out")" = OK ] && cmp -s "$tmp/y.npy" "$tmp/right.npy"; then ok # fewer calls than that
    elif [ $rc -ne 0 ] && grep -q 'pldrun: error' "$tmp/err" && whole_or_none "$tmp/y.npy"; then ok
    else bad "call $2 of ${3:-all} in process $1 fails: status $rc, $(head -n 3 "$tmp/err" | tr '\n' ' ')"; fi
}
failing_calls() {
    if ! command -v mpicc.openmpi >/dev/null || [ "${list[0]}" != openmpi ]; then return; fi
    mpicc.openmpi -O1 -shared -fPIC -o "$tmp/mpi_faults.so" tests/mpi/faults.c
    for at in 0 1; do
        for n in $(if [ -n "$LONG" ]; then seq 1 200; else echo 2 16 30 108; fi); do
            if mine; then fails_at $at "$n"; fi
        done
        for name in $(every 'Iprobe' Test Wait Get_count); do
            for n in $(every 1 2 5 20); do
                if mine; then fails_at $at "$n" "$name"; fi
            done
        done
    done
    exits 'separate memory' 2 mpirun.openmpi -n 2 -x PLD_SEPARATE=1 -x LD_PRELOAD="$tmp/mpi_faults.so" \
        "$build/pldrun" --fabric=mpi -q $x -d 0-3
    says 'separate memory' 'Open MPI: its windows are MPI_WIN_SEPARATE'
}
killed_process() {
    # A process that is killed: a status, and no half file.
    started_process tests/mpi/killed.pld --output y="$tmp/killed.npy"
    kill -9 "$victim"
    if wait "$launcher"; then bad 'a process was killed: status 0'; else ok; fi
    if ls "$tmp"/killed.npy* >/dev/null 2>&1; then bad 'a process was killed: a file is there'; else ok; fi
}

# started_process PROGRAM ARGS...: started in the background over two processes, what it says in $tmp/said;
# sets launcher and victim, a process of it
started_process() {
    local program=$1; shift
    "mpirun.${list[0]}" -n 2 "$build/pldrun" --fabric=mpi -q "$program" -d 0-1 "$@" >"$tmp/said" 2>&1 </dev/null &
    launcher=$!
    # a child of the launcher, or of what that starts
    until victim=$(pgrep -P "$launcher,$(pgrep -d, -P "$launcher")" -f "^$build/pldrun " 2>/dev/null | tail -n 1) && [ -n "$victim" ]; do :; done
}
# What does not move is told again and again, and is not ended.
stalled_process() {
    started_process tests/mpi/stalled.pld --stall 0.2
    until [ "$(grep -c 'rank 1 has waited for cell_buf.1, 0. >= 2, which is 0, for ' "$tmp/said")" -ge 2 ]; do
        if ! kill -0 "$launcher" 2>/dev/null; then bad "a stalled run ended: $(head -n 3 "$tmp/said")"; return; fi
    done
    if grep -q 'note: process 1: tests/mpi/stalled.pld:24:17: rank 1 has waited' "$tmp/said"; then ok; else bad "--stall: $(head -n 2 "$tmp/said")"; fi
    kill -9 "$victim"
    if wait "$launcher"; then bad 'a stalled process was killed: status 0'; else ok; fi
}
# Under valgrind MPICH says nothing by itself.
under_valgrind() {
    if ! command -v valgrind >/dev/null || [[ $launchers != *mpich* ]]; then return; fi
    for how in '' --no-shared; do
        # shellcheck disable=SC2086
        exits "valgrind $how" 0 mpirun.mpich -n 2 valgrind -q --error-exitcode=9 "$build/pldrun" --fabric=mpi -q $x -d 0-3 \
            --output y="$tmp/y.npy" --check=races --print 'data_buf[3]' $how
        if cmp -s "$tmp/y.npy" "$tmp/right.npy"; then ok; else bad "valgrind $how: another output"; fi
    done
}

# ---- two hosts ----
# Of this machine: no memory in common, windows and cells over a network, a folder that only one sees.
two_hosts() {
    if ! tests/mpi/hosts.sh true 2>/dev/null; then
        echo 'two hosts: skipped (they need root, ip and namespaces)'
        return
    fi
    for over_hosts in "${list[@]}"; do
        same_as_one "$over_hosts" 4 '' samples/08_allreduce_mesh.pld -d 0-4
        PLD_HIDE=$tmp same_as_one "$over_hosts" 3 --map=cyclic samples/11_allreduce_reveal.pld -d 0-3 -D mode=ring
        same_as_one "$over_hosts" 2 '' samples/14_reduce_scatter.pld -d 0-7 -D mode=builtin
        same_as_one "$over_hosts" 3 '' tests/mpi/adds.pld -d 0-4 -D kind=1
        launch "$over_hosts" 3 -q tests/mpi/litmus.pld -d 0-3 -D rounds=20
        if [ "$(cat "$tmp/out")" = OK ]; then ok; else bad "litmus over hosts, $over_hosts: $(cat "$tmp/out" "$tmp/err" | head -n 3)"; fi
        verdict 3 '' tests/mpi/fault.pld -d 0-3
        verdict 2 '' tests/mpi/stuck.pld -d 0-3
        verdict 2 '' tests/verdicts/atomic_read_early.pld -d 0-2 --check=races,uninit,signals
    done
    over_hosts=
}

# ---- more memory than a process may have ----
big() { ( ulimit -v 1500000; "$@" ); }
number_at() { od -An -td4 -j "$1" -N 4 "$tmp/big_y.npy" | tr -d ' '; }
large_memory() {
    if big "$build/pldrun" -q tests/mpi/big.pld -d 0-7 >/dev/null 2>&1; then bad 'the large windows fit into one process'; else ok; fi
    big launch "${list[0]}" 4 -q --no-shared tests/mpi/big.pld -d 0-7
    if [ "$(cat "$tmp/out")" = OK ]; then ok; else bad "large windows over four processes: $(head -n 2 "$tmp/err")"; fi
    # Tensors of which no process may hold one: made by functions, read and written as files.
    if big "$build/pldrun" -q tests/mpi/parts.pld -d 0-7 >/dev/null 2>&1; then bad 'the large tensors fit into one process'; else ok; fi
    for how in '' --map=cyclic; do
        # shellcheck disable=SC2086
        big launch "${list[0]}" 4 -q tests/mpi/parts.pld -d 0-7 $how --print 'x[0,:,0,5]' --print 'y[0,3]'
        if [ "$(tail -n 1 "$tmp/out")" = OK ] && grep -q '^.12 15 18 21 24 27 30 33.$' "$tmp/out" &&
            grep -q '27  26  25 ... 982 981 980' "$tmp/out"; then ok
        else bad "large tensors over four processes $how: $(head -n 4 "$tmp/out" "$tmp/err")"; fi
    done
    # A file of zeros that takes no room, but for a number in the last row.
    printf "\\x93NUMPY\\x01\\x00\\x76\\x00%-117s\\n" "{'descr': '<i4', 'fortran_order': False, 'shape': (64, 8, 1, 1048576)}" >"$tmp/big.npy"
    truncate -s $((128 + (2 << 30))) "$tmp/big.npy"
    printf '\x29' | dd of="$tmp/big.npy" bs=1 seek=$((128 + (63 * 8 + 5) * 4194304 + 8)) conv=notrunc status=none
    big launch "${list[0]}" 4 -q tests/mpi/files.pld -d 0-7 --input x="$tmp/big.npy" --output y="$tmp/big_y.npy"
    first=$((128 + (1 * 8 + 5) * 4194304 + (1048576 - 2048) * 4))
    if [ "$(cat "$tmp/out")" = 'done (nothing checked)' ] && [ "$(number_at $((first + 8)))" = 42 ] && [ "$(number_at $first)" = 1 ] &&
        [ "$(number_at $((first - 4)))" = 0 ] && [ "$(stat -c %s "$tmp/big_y.npy")" = $((128 + (2 << 30))) ]; then ok
    else bad "large files over four processes: $(number_at $((first + 8))), $(head -n 2 "$tmp/out" "$tmp/err")"; fi
}

right_programs
verdicts
failing_calls
if [ "${shard:-0}" = 0 ]; then
    other_right_programs
    wrong_programs
    refusals
    killed_process
    stalled_process
    under_valgrind
    two_hosts
    large_memory
fi
finish
