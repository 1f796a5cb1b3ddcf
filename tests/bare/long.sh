#!/bin/bash
# First contact: the README's two commands in a bare Debian (debootstrap's minbase: no make, no compiler),
# then the package: built there, installed, used, removed, and nothing left behind.
# usage: tests/bare/long.sh, as root. Needs debootstrap, the network, 2 GB and about a quarter of an hour;
# BARE_SUITE and BARE_MIRROR say which Debian. Closes with `N passed, M failed`.
cd "$(dirname "$0")/../.." || exit 2
passed=0 failed=0
if [ "$(id -u)" -ne 0 ]; then echo "$0: only root can make a bare system" >&2; exit 2; fi
if ! command -v debootstrap >/dev/null; then
    apt-get install -y -q --no-install-recommends debootstrap >/dev/null || exit 2
fi
base=$(mktemp -d) || exit 2
root=$base/root
leave() { umount "$root/dev/pts" "$root/proc" 2>/dev/null; rm -rf --one-file-system "$base"; }
trap leave EXIT

debootstrap --variant=minbase "${BARE_SUITE:-bookworm}" "$root" \
    ${BARE_MIRROR:+"$BARE_MIRROR"} >"$base/log" 2>&1 || { tail "$base/log"; exit 2; }
cp /etc/resolv.conf "$root/etc/"
mount --bind /proc "$root/proc" || exit 2
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" || exit 2
ln -sf pts/ptmx "$root/dev/ptmx"

# The files as they are in the tree, tracked or new; what they build stays outside.
mkdir "$root/src"
{ git ls-files -co --exclude-standard 2>/dev/null || find . -path ./build -prune -o -type f -print; } |
    tar cf - -T - --ignore-failed-read | tar xf - -C "$root/src"

# inside COMMAND: in the bare system, where it knows nothing of this one
inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb sh -c "cd /src && $1"; }
# holds COMMAND: succeeds there
holds() {
    echo "\$ $1"
    if inside "$1" >"$base/out" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1)); tail -n 40 "$base/out"
    fi
}
# files: what there is besides what dpkg and the tests write for themselves
files() { inside 'find / -xdev \( -path /proc -o -path /src -o -path /tmp -o -path /var \) -prune -o -print' | sort; }

for tool in make gcc git; do
    if inside "command -v $tool" >/dev/null; then echo "$tool is there already"; failed=$((failed + 1)); fi
done
# Commands as the README spells them: the indented lines below "## Start".
mapfile -t commands < <(sed -n '/^## Start/,/^## The/s/^    \(\.[^#]*[^# ]\) *#.*/\1/p' README.md)
[ ${#commands[@]} -eq 2 ] || { echo "the README has ${#commands[@]} commands"; failed=$((failed + 1)); }
for command in "${commands[@]}"; do holds "$command"; tail -n 1 "$base/out"; done

files >"$base/before"
holds 'make deb'
holds 'dpkg -i build/pld_*.deb'
holds 'cd / && pldrun /usr/share/pld/samples/14_reduce_scatter.pld -d 0-3 | grep -qx OK'
holds 'dpkg -r pld'
files >"$base/after"
if diff "$base/before" "$base/after"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
holds 'make dist && mkdir /tmp/dist && tar xzf build/pld-*.tar.gz -C /tmp/dist && cd /tmp/dist/pld-* && make -j2 && build/pldc --version'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
