# Shared by the benches: source it with the build directory in $1.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
# shellcheck disable=SC2034 # for those who source this
build=${1:-build}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
scripts/bootstrap bench || exit 2
# A Python that has NumPy.
numpy() {
    if python3 -c 'import numpy' 2>/dev/null; then python3 "$@"; else /usr/bin/python3 "$@"; fi
}
# recorded NAME: prints standard input, and puts it into BENCHMARKS.md between `<!-- NAME -->` and `<!-- end -->`
recorded() {
    tee "$tmp/section"
    [ -s "$tmp/section" ] || exit 1
    awk -v name="$1" -v from="$tmp/section" '
        $0 == "<!-- " name " -->" { print; print ""; while ((getline line <from) > 0) print line; print ""; skip = 1 }
        $0 == "<!-- end -->" { skip = 0 }
        !skip' BENCHMARKS.md >"$tmp/new" && cat "$tmp/new" >BENCHMARKS.md
}
