#!/bin/bash
# quick
# What the manual pages show is what happens: `$ command` lines of their displays, with what they print.
. "$(dirname "$0")/lib.bash"

# page PAGE: its lines without mdoc's escapes
page() { sed -e 's/\\&//g' -e 's/\\-/-/g' -e 's/\\(dq/"/g' -e 's/\\e/\\/g' "$1"; }
# displays PAGE: the literal blocks that hold commands, as text
displays() {
    awk '/^\.Bd/ { on = 1; text = ""; next }
         /^\.Ed/ { if (text ~ /(^|\n)\$ /) printf "%s", text; on = 0 }
         on { text = text $0 "\n" }' <(page "$1")
}
# A display that begins with "# NAME.pld" is that file.
for page in man/*.[1-8]; do
    page "$page" | awk -v dir="$tmp" '
        /^\.Bd/ { on = 1; file = ""; next }
        /^\.Ed/ { on = 0 }
        on == 1 && /^# [a-z_0-9]+\.pld$/ { file = dir "/" $2 }
        on { on = 2; if (file != "") print >file }'
done
cp samples/04_barrier.pld "$tmp/kernel.pld"
# An editor that changes nothing.
printf '%s\n' '#!/bin/sh' "exec test -w \"\$1\"" >"$tmp/vi"; chmod +x "$tmp/vi"
export PATH=$tmp:$PATH
for page in man/*.[1-8]; do
    displays "$page" >"$tmp/shown"
    transcript "$page" <"$tmp/shown"
done
[ $commands -ge 11 ] && ok || bad "the manual pages have $commands commands"
# A command that no test runs: none stands in a display without its $.
for page in man/*.[1-8]; do
    grep -nE '^(pldc|pldrun|python3) ' "$page" >"$tmp/o" && bad "$page: not run: $(head -n 1 "$tmp/o")" || ok
done

# Each option that the help shows has its entry.
for tool in pldc pldrun; do
    sed 's/\\-/-/g' "man/$tool.1" | grep '^\.It .*Fl' >"$tmp/entries"
    while IFS=$'\t' read -r _ name letter _ _ help; do
        [ "$help" = NULL ] && continue
        letter=${letter//\'/}
        grep -qE -- "Fl ($letter|-$name)( |$)" "$tmp/entries" && ok || bad "man/$tool.1: no entry for --$name"
    done < <(scripts/table-rows "cli/${tool}_options.def" PLD_OPTION)
done

# The program of pld(5) is one.
{ printf 'import pypto.language as pl\nimport pypto.language.distributed as pld\n\n'
  awk '/^\.Bd/ { on = 1; next } /^\.Ed/ { if (on) exit } on' man/pld.5; } >"$tmp/page.pld"
exits 'the program of pld(5)' 0 "$build/pldc" "$tmp/page.pld" -d 0-3 -o "$tmp/page.pldb"
finish
