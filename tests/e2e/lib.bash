# Shared by the end-to-end tests: source it with the build directory in $1.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$root" && cd "${1:-build}" && pwd)
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$root" || exit 2
pass=0 fail=0
ok() { pass=$((pass + 1)); }
bad() { fail=$((fail + 1)); printf '%s\n' "$*"; }

# numpy_python: a python3 that has NumPy; fails when there is none
numpy_python() {
    local p
    for p in python3 /usr/bin/python3; do "$p" -c 'import numpy' 2>/dev/null && { echo "$p"; return 0; }; done
    return 1
}

# variants SAMPLE: one line of options a variant of a sample, "-" for none
variants() {
    case $(basename "$1") in
        04_* | 12_* | 13_* | 14_* | 15_*) printf '%s\n' 'mode=hand' 'mode=builtin' ;;
        05_*) printf '%s\n' 'mode=load' 'mode=store' ;;
        06_*) printf '%s\n' 'mode=put' 'mode=get' ;;
        31_*) printf '%s\n' 'mode=overlap' 'mode=gather' ;;
        32_*) printf '%s\n' 'mode=direct' 'mode=builtin' ;;
        11_* | 30_*) printf '%s\n' 'mode=mesh' 'mode=ring' ;;
        *) echo '-' ;;
    esac
}
# as_defines VARIANT: -D options
as_defines() { [ "$1" = - ] || printf -- '-D %s ' "$1"; }

# prints_ok WHAT ARGS...: standard output is exactly OK, nothing on standard error, status 0
prints_ok() {
    local what=$1 out rc; shift
    out=$("$build/pldrun" "$@" 2>"$tmp/err"); rc=$?
    if [ "$out" = OK ] && [ $rc -eq 0 ] && [ ! -s "$tmp/err" ]; then ok
    else bad "$what: status $rc, printed '$out', $(head -n 2 "$tmp/err" | tr '\n' ' ')"; fi
}
# exits WHAT STATUS COMMAND...: output in $tmp/out and $tmp/err
exits() {
    local what=$1 want=$2 rc; shift 2
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?
    if [ $rc -eq "$want" ]; then ok; else bad "$what: status $rc, wanted $want: $(head -n 3 "$tmp/err" | tr '\n' ' ')"; fi
}
# says WHAT PATTERN [FILE]: an extended regular expression in standard error of the last `exits`
says() {
    if grep -Eq -- "$2" "${3:-$tmp/err}"; then ok; else bad "$1: no '$2' in: $(head -n 4 "${3:-$tmp/err}" | tr '\n' ' ')"; fi
}
# statuses_for PROGRAM: exit statuses that `# expect:` of a program in tests/verdicts allows
statuses_for() {
    local verdict=' ' line; line=$(sed -n '1s/^# expect: //p' "$1")
    case $line in ok* | warning*) verdict+='0 ' ;; esac
    case $line in *race* | *uninit* | *signal*) verdict+='4 ' ;; esac
    case $line in *deadlock*) verdict+='3 ' ;; esac
    echo "$verdict"
}
devices_for() { local n; n=$(sed -n '1s/.* on \([0-9]*\).*/\1/p' "$1"); echo $((${n:-2} - 1)); }
# explores_verdict MODEL BOUND PROGRAM: exploring finds what is expected; 7 (not all seen) does for a right one
explores_verdict() {
    local rc; "$build/pldrun" -q "$3" -d 0-"$(devices_for "$3")" --mem="$1" --explore="$2" >"$tmp/out" 2>"$tmp/err"
    rc=$? want=$(statuses_for "$3")
    [[ $want = *' 0 '* ]] && [ $rc -eq 7 ] && rc=0
    if [[ $want = *" $rc "* ]]; then ok; else bad "$3, $1: status $rc, wanted$want: $(head -n 2 "$tmp/err" | tr '\n' ' ')"; fi
}
# transcript WHERE: standard input is what a page shows: `$ command` lines, each with what it prints below it,
# standard output and error together. It is run in $tmp, where build, samples and tests are those of the tree.
# `# exit status N` behind a command is what it ends with; `...` on a line of its own: and so on.
transcript() {
    local where=$1 line command='' want=''
    for line in build:"$build" samples:"$root/samples" tests:"$root/tests"; do
        [ -e "$tmp/${line%%:*}" ] || ln -s "${line#*:}" "$tmp/${line%%:*}"
    done
    while IFS= read -r line; do
        if [[ $line = '$ '* ]]; then
            [ -z "$command" ] || shown "$where" "$command" "$want"
            command=${line#\$ } want=''
        else want+=$line$'\n'; fi
    done
    [ -z "$command" ] || shown "$where" "$command" "$want"
}
# shown WHERE COMMAND OUTPUT: the command prints that; a page that shows nothing says nothing of it
shown() {
    local where=$1 command=$2 want=$3 got rc status=0 more
    [[ $command =~ '# exit status '([0-9]+)$ ]] && status=${BASH_REMATCH[1]}
    got=$(cd "$tmp" && PATH=$build:$PATH bash -c "$command" 2>&1 </dev/null); rc=$?
    [ $rc -eq "$status" ] && ok || bad "$where: $command: status $rc, wanted $status: $(head -n 3 <<<"$got")"
    commands=$((commands + 1))
    want=$(printf %s "$want") # without the blank lines at its end
    [ -n "$want" ] || return
    if [ "${want##*$'\n'}" = ... ]; then
        want=${want%...} more=${got:0:${#want}}
    else more=$got; fi
    [ "$more" = "$want" ] && ok || bad "$where: $command: printed"$'\n'"$got"
}
commands=0
finish() { printf '%d passed, %d failed\n' $pass $fail; [ $fail -eq 0 ]; exit; }
