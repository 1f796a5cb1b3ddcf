#!/bin/bash
# `make deb` and `make dist`: what is in them, that it is whole, and that the programs run.
. "$(dirname "$0")/lib.bash"
check() { local what=$1; shift; if "$@" >"$tmp/out" 2>&1; then ok; else bad "$what: $(head -n 3 "$tmp/out")"; fi; }
# What is built already is what is packed, whatever compiler made it.
make=(make -s -o all B="$build")
version=$(scripts/version)

if command -v dpkg-deb >/dev/null; then
    check 'make deb' "${make[@]}" deb
    deb=$(echo "$build"/pld_"$version"_*.deb)
    check 'the name of the package' test "$(dpkg-deb -f "$deb" Package Version | tr '\n' ' ')" = "Package: pld Version: $version "
    check 'what it depends on' grep -qE '^libc6 \(>= 2\.[0-9]+\)$' <(dpkg-deb -f "$deb" Depends)
    dpkg-deb -x "$deb" "$tmp/deb" && dpkg-deb -e "$deb" "$tmp/control"
    check 'its sums' sh -c "cd '$tmp/deb' && md5sum -c --quiet '$tmp/control/md5sums'"
    check 'a file without a sum' test "$(find "$tmp/deb" -type f | wc -l)" -eq "$(wc -l <"$tmp/control/md5sums")"
    check 'files that are not of root' test -z "$(dpkg-deb -c "$deb" | awk '$2 != "root/root"')"
    for file in bin/pldc bin/pldrun share/man/man1/pldc.1.gz share/man/man5/pld.5.gz share/doc/pld/copyright \
        share/doc/pld/changelog.gz share/pld/samples/README.md share/bash-completion/completions/pldrun \
        share/zsh/vendor-completions/_pldc share/vim/vimfiles/syntax/pld.vim; do
        check "no $file" test -s "$tmp/deb/usr/$file"
    done
    exits 'the program of the package' 0 "$tmp/deb/usr/bin/pldrun" "$tmp/deb/usr/share/pld/samples/14_reduce_scatter.pld" -d 0-3
    # A database of dpkg's own in an empty folder: it takes the package and gives everything back.
    mkdir -p "$tmp/root/var/lib/dpkg/"{info,updates} && : >"$tmp/root/var/lib/dpkg/status"
    if [ "$(id -u)" -eq 0 ]; then
        # shellcheck disable=SC2317 # check calls it
        in_root() { dpkg --root="$tmp/root" --force-depends --log=/dev/null "$@"; }
        check 'dpkg -i' in_root -i "$deb"
        check 'nothing is installed' test -x "$tmp/root/usr/bin/pldc"
        check 'dpkg -r' in_root -r pld
        check 'a file is left' test -z "$(find "$tmp/root" -path "$tmp/root/var" -prune -o -type f -print)"
    fi
fi

check 'make dist' "${make[@]}" dist
sources=$build/pld-$version.tar.gz
cp "$sources" "$tmp/first.tar.gz"
check 'make dist again' "${make[@]}" dist
check 'the same bytes' cmp "$sources" "$tmp/first.tar.gz"
tar xzf "$sources" -C "$tmp"
check 'its version' test "$(cd "$tmp/pld-$version" && scripts/version)" = "$version"
check 'no build in it' test ! -e "$tmp/pld-$version/build"
differ=$(diff -rq . "$tmp/pld-$version" | grep -vE '^Only in \.(: (build|\.git)$|/)|^Files \./VERSION ' | head -n 3)
check "the sources differ: $differ" test -z "$differ"
if [ -e .git ]; then check 'its files' cmp <(git ls-files | sort) <(cd "$tmp/pld-$version" && find . -type f | cut -c 3- | sort); fi
check 'make in it' make -s -C "$tmp/pld-$version" -n all
finish
