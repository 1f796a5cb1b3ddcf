#!/bin/bash
# Completions of zsh, in an interactive zsh: every visible option is offered, and what options take.
. "$(dirname "$0")/lib.bash"
if ! command -v zsh >/dev/null; then
    echo 'zsh is not here: its completions are not tried'
    ok
    finish
fi
mkdir "$tmp/functions"
for tool in pldc pldrun; do scripts/completions zsh $tool >"$tmp/functions/_$tool"; done
offered() { timeout 60 zsh -f tests/e2e/zsh/capture.zsh "$tmp/functions" tests/e2e/zsh/setup.zsh "$1" | sort -u | tr '\n' ' '; }
becomes() { # WANT LINE
    local got
    got=$(offered "$2")
    if [ "$got" = "$1" ]; then ok; else bad "$2: offers '$got', wanted '$1'"; fi
}
for tool in pldc pldrun; do
    all=" $(offered "$tool --" | tr -d =)"
    while read -r option; do
        if [[ $all == *" $option "* ]]; then ok; else bad "$tool $option is not offered"; fi
    done < <("$build/$tool" --help | grep -oE '^ *(-[a-zA-Z])?(, )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
done
becomes 'asm ast bytecode ir ' 'pldc --emit='
becomes 'json text ' 'pldc --diagnostics '
becomes 'simplify specialize synthesize_signals ' 'pldc --dump-pass s'
becomes 'a2a3sim a5sim ' 'pldrun -p a'
becomes 'json ' 'pldrun --cost=j'
becomes 'sc weak ' 'pldrun --mem='
becomes '08_allreduce_mesh.pld ' 'pldrun --mem=sc samples/08'
becomes 'README.md ' 'pldrun --input x=samples/R'
finish
