#!/bin/bash
# quick
# What the README shows is what happens: each `$ command` prints the lines below it, each command
# without output succeeds.
. "$(dirname "$0")/lib.bash"
ln -s "$build" "$tmp/build"; ln -s "$root/samples" "$tmp/samples"

# commands: from the indented blocks of the README, one file a command; its output beside it
awk -v dir="$tmp" '
    /^    \$ / { n++; name = sprintf("%s/c%02d", dir, n); print substr($0, 7) >name; shown = 1; next }
    /^    build\// { n++; name = sprintf("%s/c%02d", dir, n); print substr($0, 5) >name; shown = 0; next }
    /^    / && shown { print substr($0, 5) >(name ".out"); next }
    { shown = 0 }' README.md
n=0
for command in "$tmp"/c[0-9][0-9]; do
    n=$((n + 1))
    got=$(cd "$tmp" && sh "$command" 2>&1); rc=$?
    if [ $rc -eq 0 ]; then ok; else bad "$(cat "$command"): status $rc"; fi
    [ -e "$command.out" ] || continue
    if [ "$got" = "$(cat "$command.out")" ]; then ok; else bad "$(cat "$command"): printed '$got'"; fi
done
if [ $n -ge 5 ]; then ok; else bad "the README has $n commands"; fi

# The report that it quotes, line for line up to the dots.
sed -e 's/\( *\)pld.system.notify(.*/\1pass/' -e '/^ *value=1, op=pld.NotifyOp/d' \
    samples/08_allreduce_mesh.pld >"$tmp/mesh.pld"
exits 'without its notify' 3 sh -c "cd '$tmp' && build/pldrun mesh.pld -d 0-3"
sed -n '/^    deadlock: /,/^ *\.\.\.$/p' README.md | sed -e 's/^    //' -e '$d' >"$tmp/quoted"
if [ -s "$tmp/quoted" ] && head -n "$(wc -l <"$tmp/quoted")" "$tmp/err" | cmp -s - "$tmp/quoted"; then
    ok
else bad "the README quotes another report than: $(head -n 3 "$tmp/err")"; fi
finish
