#!/bin/bash
# Every row of the op table that computes on tiles or tensors: its cases in oprows.txt run, in each form
# and dtype, against a golden function that says what is right. A row without a case fails.
# usage: tests/e2e/oprows.sh BUILD
. "$(dirname "$0")/lib.bash"
table=tests/e2e/oprows.txt
have=$tmp/have
: >"$have"

# program DTYPE OUT FORM STATEMENTS VALUE TOLERANCE: a case as a whole program
program() {
    local load body
    local params="self, x: pl.Tensor[[6, 40], pl.$1], z: pl.Tensor[[6, 40], pl.$1],
             v: pl.Tensor[[6, 1], pl.$1], h: pl.Tensor[[1, 40], pl.$1],
             y: pl.InOut[pl.Tensor[[6, 40], pl.$2]]"
    body=$(sed 's/; /\n        /g' <<<"$4")
    if [ "$3" = tile ]; then
        load='X = pl.load(x, [0, 0], [6, 40])
        Z = pl.load(z, [0, 0], [6, 40])
        V = pl.load(v, [0, 0], [6, 1])
        H = pl.load(h, [0, 0], [1, 40])'
    else
        load=
        body=$(sed -E 's/\bX\b/x/g; s/\bZ\b/z/g; s/\bV\b/v/g; s/\bH\b/h/g' <<<"$body")
    fi
    cat <<EOF
import pypto.language as pl
import pypto.language.distributed as pld

@pld.init
def x(i, j):
    return (i * 7 + j * 5) % 23 - 11

@pld.init
def z(i, j):
    return (i * 3 + j * 11) % 17 + 1

@pld.init
def v(i, j):
    return i + 2

@pld.init
def h(i, j):
    return j % 7 + 1

@pld.init
def y(i, j):
    return 0

@pld.golden(rtol=$6, atol=0.0)
def y(i, j):
    return $5

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel($params):
        $load
        $body
        y = pl.store(r, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def orch($params):
        self.kernel(x, z, v, h, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host($params):
        self.orch(x, z, v, h, y, device=0)
EOF
}

# same_dumps NAME: every dump of $tmp/p.pld means the same program
same_dumps() {
    local dump
    rm -rf "$tmp/d"
    "$build/pldc" "$tmp/p.pld" --strip -o "$tmp/a.pldb" --dump-passes="$tmp/d" 2>/dev/null
    for dump in "$tmp"/d/*.ir; do
        "$build/pldc" "$dump" --strip -o "$tmp/b.pldb" 2>"$tmp/err" && cmp -s "$tmp/a.pldb" "$tmp/b.pldb" ||
            { bad "$1: $dump: $(head -n 1 "$tmp/err")"; return; }
    done
    ok
}

# try ROW FORM DTYPE STATEMENTS VALUE TOLERANCE
try() {
    local name="$1, $2, $3: $4" status
    program "$3" "$3" "$2" "${4//OP(/pl.$2.$1(}" "$5" "${6:-0.0}" >"$tmp/p.pld"
    "$build/pldrun" -q "$tmp/p.pld" -d 0 >"$tmp/out" 2>&1; status=$?
    if [[ $5 == '! '* ]]; then
        if [ $status -ne 0 ] && grep -qF -- "${5#! }" "$tmp/out"; then ok
        else bad "$name: exit $status: $(head -n 2 "$tmp/out")"; fi
    elif [ $status -ne 0 ]; then
        bad "$name: exit $status: $(head -n 3 "$tmp/out")"
    else
        ok
        "$build/pldc" "$tmp/p.pld" --dump-pass specialize 2>/dev/null |
            grep -oE 'pl\.(tile|tensor)\.[a-z0-9_]+' >>"$have"
        [ "$3" = "$first" ] && same_dumps "$name"
    fi
}

while IFS='|' read -r row forms dtypes statements value tolerance; do
    row=${row// /} value=${value# } value=${value% } statements=${statements# }
    [[ -z $row || $row == '#'* ]] && continue
    first=${dtypes# } first=${first%% *}
    for form in $forms; do
        for dtype in $dtypes; do
            try "$row" "$form" "$dtype" "${statements% }" "$value" "${tolerance// /}"
        done
    done
done <"$table"

# Rows for tiles and whole tensors; accesses of memory are tested elsewhere as well.
for row in $("$build/pldc" --list-ops | awk '
    /^# / { family = $2 }
    /^pl\.(tile|tensor)\./ { split($1, word, "("); name = word[1] }
    /^    result:/ && name != "" {
        if (family ~ /^(elementwise|reduce|expand|shape|tensor)$/ && !/\.ir files only/) print name
        name = "" }'); do
    if grep -qxF -- "$row" "$have"; then ok; else bad "$row has no case in $table"; fi
done
finish
