#!/bin/bash
# quick
# What the language knows and does not have: each line of refused.txt is refused with what it says, and never as
# an unknown operation.
. "$(dirname "$0")/lib.bash"

params='x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]'
# program PLACE CODE
program() {
    local orch='    with pl.at(level=pl.Level.CORE_GROUP):
        y[:] = pl.mul(x, 2.0)'
    local scope='        t = pl.load(x, [0, 0], [16, 64])
        u = t + 1.0' these=$params
    printf 'import pypto.language as pl\nimport pypto.language.distributed as pld\n\n\n'
    case $1 in
    scope) orch="    with pl.at(level=pl.Level.CORE_GROUP):
$scope
        $2"
        [[ $2 == with* ]] && orch+="
            v = t + u" ;;
    with) orch="    with $2:
$scope
        y = pl.store(u, [0, 0], y)" ;;
    orch) orch="    $2
$orch" ;;
    type) these="x: $2, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]" ;;
    module) printf '%s\ndef k(%s):\n    t = pl.load(x, [0, 0], [16, 64])\n    y = pl.store(t, [0, 0], y)\n    return y\n\n\n' "$2" "$params"
        orch='    y = k(x, y)' ;;
    esac
    printf '@pl.jit\ndef main(%s):\n%s\n    return y\n' "$these" "$orch"
    [ "$1" = host ] && printf '\n\n@pl.jit.host\ndef host(%s):\n    %s\n    main(x, y, device=0)\n' "$params" "$2"
    return 0
}

while IFS='|' read -r place code text; do
    place=${place// /} code=${code# } code=${code% } text=${text# } text=${text% }
    [[ -z $place || $place == '#'* ]] && continue
    program "$place" "$code" >"$tmp/p.pld"
    "$build/pldc" "$tmp/p.pld" -o /dev/null >"$tmp/out" 2>&1
    status=$?
    if [ $status -eq 1 ] && grep error: "$tmp/out" | grep -qF -- "$text" && ! grep -qi "unknown operation" "$tmp/out"; then
        ok
    else
        bad "$code: exit $status: $(head -n 1 "$tmp/out")"
    fi
done <tests/e2e/refused.txt
finish
