#!/bin/bash
# Small programs of every kind that users write, tests/programs: each gives OK on 1, 2, 3 and 8 devices,
# from its source and from one .pldb made for two; and every dump compiles to the bytes of the source.
#
# PROGRAMS='...' names others.
# Comments of a program say what differs:
#   # ranks: 2 3        these numbers of devices instead
#   # static            the bytecode is for one number of devices
#   # args: -D N=4      options of every command that reads the source
#   # status: 5         every run exits with it instead of printing OK; `# says:` is in what it reports
#                       (of 0: what the compiler warns of)
#   # rejected          the compiler refuses it; `# says:` is in its message
# quick
. "$(dirname "$0")/lib.bash"

line() { sed -n "s/^# $1: *//p" "$2" | head -n 1; }
marked() { grep -qx "# $1" "$2"; }

# runs WHAT PROGRAM ARGS...: OK, or the status that the program wants
runs() {
    local what=$1; shift
    if [ -z "$status" ]; then prints_ok "$what" "$@"; return; fi
    exits "$what" "$status" "$build/pldrun" "$@"
    [ -z "$text" ] || [ "$status" = 0 ] && [[ $what = *pldb* ]] || says "$what" "$text"
}

# dumps FILE: every dump of it compiles to the same bytecode
dumps() {
    local file=$1 f
    rm -rf "$tmp/dumps"
    # shellcheck disable=SC2086
    if ! "$build/pldc" "$file" $args -d 0,1 --strip -o "$tmp/whole.pldb" --dump-passes="$tmp/dumps" 2>"$tmp/err"; then
        bad "$name: does not compile: $(head -n 1 "$tmp/err")"; return
    fi
    for f in "$tmp/dumps"/*.ir; do
        if ! "$build/pldc" "$f" --strip -o "$tmp/again.pldb" 2>"$tmp/err"; then
            bad "$name: $(basename "$f") does not compile: $(head -n 2 "$tmp/err" | tr '\n' ' ')"
        elif cmp -s "$tmp/whole.pldb" "$tmp/again.pldb"; then ok
        else bad "$name: $(basename "$f") gives other bytecode"; fi
    done
}

# shellcheck disable=SC2086
for file in ${PROGRAMS:-tests/programs/*.pld}; do
    name=$(basename "${file%.*}")
    args=$(line args "$file") status=$(line status "$file") text=$(line says "$file") ranks=$(line ranks "$file")
    if marked rejected "$file"; then
        # shellcheck disable=SC2086
        exits "$name" 1 "$build/pldc" "$file" $args -o "$tmp/x.pldb"
        says "$name" "$text"
        continue
    fi
    dumps "$file"
    for p in ${ranks:-1 2 3 8}; do
        # shellcheck disable=SC2086
        runs "$name on $p" "$file" $args -d 0-$((p - 1))
        marked static "$file" || runs "$name, one .pldb, on $p" "$tmp/whole.pldb" -d 0-$((p - 1))
    done
done
finish
