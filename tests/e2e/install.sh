#!/bin/sh
# `make install` below DESTDIR and PREFIX: programs that run, manual pages, samples; and nothing
# written outside.
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
pass=0 fail=0
check() {
    what=$1; shift
    if "$@" >/dev/null 2>&1; then pass=$((pass + 1)); else fail=$((fail + 1)); echo "$what"; fi
}

check 'make install fails' make -s install DESTDIR="$tmp" PREFIX=/opt/pld
root=$tmp/opt/pld
for tool in pldc pldrun; do
    check "no $tool" test -x "$root/bin/$tool"
    check "$tool does not run" "$root/bin/$tool" --version
    check "no manual page of $tool" test -f "$root/share/man/man1/$tool.1"
done
for page in pld pldb; do check "no $page.5" test -f "$root/share/man/man5/$page.5"; done
for sample in samples/*.pld; do
    check "$sample differs" cmp "$sample" "$root/share/pld/$sample"
done
check 'files outside of PREFIX' test "$(cd "$tmp" && find . -maxdepth 2 | sort | tr '\n' ' ')" = '. ./opt ./opt/pld '
printf '%d passed, %d failed\n' $pass $fail
[ $fail -eq 0 ]
