# What a user's .zshrc has, and a Tab that tells the matches instead of showing them.
PS1=
unsetopt beep
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a words
    if (( ${@[(I)-O]} || ${@[(I)-A]} || ${@[(I)-D]} )); then
        builtin compadd "$@"
        return
    fi
    builtin compadd -O words "$@"
    collected+=("${words[@]}")
    builtin compadd "$@"
}
tell-matches() {
    collected=()
    _main_complete
    print
    print -r BEGIN-OF-WORDS
    print -rl -- $collected
    print -r END-OF-WORDS
}
zle -C tell-matches complete-word tell-matches
bindkey '^I' tell-matches
print READY-$((3 + 4))
