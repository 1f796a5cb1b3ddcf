#!/bin/bash
# `make install` below DESTDIR and PREFIX: programs that run, manual pages, samples, completions, syntax
# files; nothing outside; and `make uninstall` takes away what it put there, and nothing else.
. "$(dirname "$0")/lib.bash"
check() { local what=$1; shift; if "$@" >"$tmp/out" 2>&1; then ok; else bad "$what: $(head -n 3 "$tmp/out")"; fi; }
# What is built already is what is installed, whatever compiler made it.
make=(make -s -o all B="$build")
place=(DESTDIR="$tmp/to" PREFIX=/opt/pld)
mkdir -p "$tmp/to/opt/pld/share/man/man1" && : >"$tmp/to/opt/pld/share/man/man1/other.1"

check 'make install' "${make[@]}" install "${place[@]}"
there=$tmp/to/opt/pld
for tool in pldc pldrun; do
    check "no $tool" test -x "$there/bin/$tool"
    check "$tool says its version" test "$("$there/bin/$tool" --version)" = "$tool $(scripts/version)"
    check "no manual page of $tool" test -f "$there/share/man/man1/$tool.1"
done
for page in pld pldb; do check "no $page.5" test -f "$there/share/man/man5/$page.5"; done
for page in memory kernels porting; do check "no pld-$page.7" test -f "$there/share/man/man7/pld-$page.7"; done
for sample in samples/*.pld samples/README.md; do
    check "$sample differs" cmp "$sample" "$there/share/pld/$sample"
done
check 'files outside of PREFIX' test "$(cd "$tmp/to" && find . -maxdepth 2 | sort | tr '\n' ' ')" = '. ./opt ./opt/pld '

# Completions: every visible option is offered, values where they are known, files else.
# completes TOOL WORD... : what the last word becomes; words are parted at '=', as readline does it
completes() (
    # shellcheck disable=SC2317 # bash has it only while it completes
    compopt() { :; }
    # shellcheck disable=SC1090
    . "$there/share/bash-completion/completions/$1"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    "_$1"
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
)
becomes() { local want=$1 got; shift; got=$(completes "$@"); if [ "$got" = "$want" ]; then ok; else bad "$*: completes to '$got', wanted '$want'"; fi; }
for tool in pldc pldrun; do
    offered=" $(completes $tool -)"
    while read -r option; do
        [[ $offered == *" $option "* ]] && ok || bad "bash: $tool $option is not offered"
        grep -q -- "${option#-}[],=+['}[-]" "$there/share/zsh/site-functions/_$tool" && ok || bad "zsh: $tool $option is missing"
    done < <("$build/$tool" --help | sed -nE 's/^  ( *-.*)/\1/p' | grep -oE '^ *(-[a-zA-Z])?(, )?(--[a-z-]+)?' | grep -oE -- '--?[a-zA-Z][a-z-]*')
    if command -v zsh >/dev/null; then check "_$tool" zsh -n "$there/share/zsh/site-functions/_$tool"; fi
done
becomes 'ir ' pldc --emit = i
becomes 'ir ' pldc --emit i
becomes 'json text ' pldc --diagnostics ''
becomes 'simplify specialize synthesize_signals ' pldc --dump-pass s
becomes '-Wno-unreachable ' pldc -Wno-unr
becomes 'json ' pldrun --cost = ''
becomes 'samples/README.md ' pldrun --input x = samples/R
becomes 'samples/08_allreduce_mesh.pld ' pldrun --cost samples/08
becomes 'a2a3sim a5sim ' pldrun -p a
# Every word offered for a value is one that is taken.
for word in $(completes pldc --emit ''); do exits "--emit=$word" 0 "$build/pldc" samples/01_hello_rank.pld --emit="$word" -o "$tmp/x.pldb"; done
for word in $(completes pldc --dump-pass ''); do exits "--dump-pass=$word" 0 "$build/pldc" samples/01_hello_rank.pld --dump-pass="$word"; done
for word in $(completes pldc -W); do exits "$word" 0 "$build/pldc" samples/01_hello_rank.pld "$word" -o "$tmp/x.pldb"; done
for option in --check --mem -p; do
    for word in $(completes pldrun $option ''); do exits "$option $word" 0 "$build/pldrun" samples/01_hello_rank.pld $option "$word"; done
done

# Syntax files: JSON that is JSON; the editor's own engine finds an operation, where there is one.
grammar=$there/share/pld/pld.tmLanguage.json
check 'the TextMate grammar is JSON' jq -e '.scopeName == "source.pld" and (.patterns | length > 10)' "$grammar"
"$build/pldc" --list-ops | grep -oE '^pld?\.[a-z0-9_.]+' >"$tmp/ops"
n=$(jq -r '.patterns[] | select(.name | startswith("support.function")).match' "$grammar" | grep -oE 'pld?[a-z0-9_.\\]+' | sed 's/[\\]//g' | grep -cxFf "$tmp/ops")
check "the grammar knows $n operations" test "$n" -ge "$(sort -u "$tmp/ops" | wc -l)" -a "$n" -gt 40
if command -v vim >/dev/null; then
    printf 'a = pl.tile.add(b, 1.5)  # pl.tile.add\n' >"$tmp/a.pld"
    cat >"$tmp/look.vim" <<END
set nocompatible runtimepath^=$there/share/vim/vimfiles
filetype on
syntax on
edit $tmp/a.pld
call writefile(map([5, 20, 30], 'synIDattr(synID(1, v:val, 1), "name")'), '$tmp/looks')
quitall!
END
    vim -es -u "$tmp/look.vim" </dev/null
    check "vim sees $(tr '\n' ' ' <"$tmp/looks")" test "$(tr '\n' ' ' <"$tmp/looks")" = 'pldOp pldNumber pldComment '
fi

check 'make uninstall' "${make[@]}" uninstall "${place[@]}"
check 'a file is left' test "$(find "$tmp/to" ! -type d | sed "s|$tmp/to||")" = /opt/pld/share/man/man1/other.1
check 'a folder of pld is left' test ! -e "$there/share/pld"
finish
