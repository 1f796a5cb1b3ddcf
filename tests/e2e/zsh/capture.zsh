# usage: zsh -f capture.zsh DIR SETUP LINE: the words that completion offers at the end of LINE, a line
# each, in an interactive shell whose completions lie in DIR
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); source $2"
line= out=
while zpty -r shell line; do [[ $line == *READY-7* ]] && break; done
zpty -w -n shell "$3"$'\t'
while zpty -r shell line; do
    out+=$line
    [[ $line == *END-OF-WORDS* ]] && break
done
print -r -- "$out" | tr -d '\r' | sed -n '/^BEGIN-OF-WORDS/,/^END-OF-WORDS/p' | sed '1d;$d'
