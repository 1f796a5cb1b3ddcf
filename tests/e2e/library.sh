#!/bin/bash
# quick
# The library as others use it: its symbols, its header, the example of its manual page.
. "$(dirname "$0")/lib.bash"

# only_pld WHAT NM_OPTION FILE: no other name is seen from outside
only_pld() {
    local names
    names=$(nm "$2" --defined-only "$3" 2>/dev/null | awk '$2 ~ /^[A-Z]$/ { print $3 }' | grep -vE '^(pld_[a-z_]+|PLD_0)(@|$)')
    if [ -z "$names" ]; then ok; else bad "$1 has other names: $(head -n 5 <<<"$names" | tr '\n' ' ')"; fi
}
only_pld libpld.so -D "$build/libpld.so"
only_pld libpld.a -g "$build/libpld.a"
# every function of the header is there
while read -r name; do
    if nm -D --defined-only "$build/libpld.so" | grep -q " T $name@"; then ok; else bad "$name is declared, not defined"; fi
done < <(sed -nE 's/^PLD_API .*[ *](pld_[a-z_]+)\(.*/\1/p' api/pld.h)
# nothing there that ends the process, prints on its own or changes its signals
if nm -D --undefined-only "$build/libpld.so" | grep -E ' (_?exit|_Exit|abort|printf|puts|putchar|stdout|stderr|perror|sigaction|signal|setlocale|getenv|chdir)(@|$)'; then
    bad 'libpld.so calls what a library must not'
else ok; fi

echo '#include "api/pld.h"' >"$tmp/header.c"
cp "$tmp/header.c" "$tmp/header.cc"
exits 'header in C11' 0 gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only "$tmp/header.c"
if command -v g++ >/dev/null; then
    exits 'header in C++11' 0 g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only "$tmp/header.cc"
fi

sed -n '/begin example/,/end example/p' man/pld.3 | grep -v '^\.' | sed 's/\\e/\\/g' >"$tmp/example.c"
# Sanitized objects need the sanitizers' libraries.
if nm -D --undefined-only "$build/libpld.so" | grep -Eq '__(asan|tsan|ubsan)'; then finish; fi
for how in "-L$build -lpld -Wl,-rpath,$build" "$build/libpld.a -lm -lpthread"; do
    # shellcheck disable=SC2086 # words
    exits "example with $how" 0 gcc -std=c11 -Wall -Werror -Iapi "$tmp/example.c" -o "$tmp/example" $how
    exits 'the example runs' 0 "$tmp/example"
    says 'what it prints' '^ok: 2 4 6 8$' "$tmp/out"
done
finish
