#!/bin/bash
# quick
# What the README shows is what happens: its commands print what is below them, its picture is what
# the tool draws, and the kernel on its first screen is that of the program.
. "$(dirname "$0")/lib.bash"

# Indented blocks: `$ command` with what it prints, build/... a command alone.
awk '/^    build\// { print "$ " substr($0, 5); shown = 0; next }
     /^    / { if (substr($0, 5, 2) == "$ ") shown = 1; if (shown) print substr($0, 5); next }
     { shown = 0 }' README.md >"$tmp/shown"
transcript README.md <"$tmp/shown"
[ $commands -ge 7 ] && ok || bad "the README has $commands commands"

# Blocks of Python are scripts.
awk -v dir="$tmp" '/^    (import|from) / && !on { on = 1; n++ }
     on && !/^    / && !/^$/ { on = 0 } on { print substr($0, 5) >sprintf("%s/script%d.py", dir, n) }' README.md
python=$(numpy_python)
for script in "$tmp"/script*.py; do
    [ -s "$script" ] || bad 'no script in the README'
    [ -n "$python" ] || { echo 'skipped: the scripts of the README need numpy'; break; }
    exits "$(basename "$script")" 0 env -C "$tmp" PLD_LIBRARY="$build/libpld.so.0" PYTHONPATH="$root/python" \
        PYTHONDONTWRITEBYTECODE=1 "$python" "$script"
done

# The picture of the first screen. UPDATE: written anew.
exits 'the picture' 4 "$build/pldrun" -q samples/first/handover.pld -d 0-2 --timeline "$tmp/picture.svg"
[ -z "$UPDATE" ] || cp "$tmp/picture.svg" samples/first/handover.svg
cmp -s "$tmp/picture.svg" samples/first/handover.svg && ok || bad 'the picture in the README is not what is drawn now'
grep -q '!\[.*\](samples/first/handover.svg)' README.md && ok || bad 'the README does not show the picture'
exits 'mended' 0 "$build/pldrun" samples/first/mended.pld -d 0-2
diff <(tail -n +3 samples/first/handover.pld) <(tail -n +3 samples/first/mended.pld) | grep -c '^[<>]' >"$tmp/lines"
[ "$(cat "$tmp/lines")" = 1 ] && ok || bad 'the mended program differs in more than its wait'
awk '/^    mine = / { on = 1 } on && !/^    / { exit } on { print substr($0, 5) }' README.md >"$tmp/kernel"
[ -s "$tmp/kernel" ] && ok || bad 'no kernel on the first screen'
while IFS= read -r line; do
    grep -qF -- "$line" samples/first/handover.pld && ok || bad "not in the program: $line"
done <"$tmp/kernel"

# The report that it quotes, line for line up to the dots.
sed -e 's/\( *\)pld.system.notify(.*/\1pass/' -e '/^ *value=1, op=pld.NotifyOp/d' \
    samples/08_allreduce_mesh.pld >"$tmp/mesh.pld"
exits 'without its notify' 3 sh -c "cd '$tmp' && build/pldrun mesh.pld -d 0-3"
sed -n '/^    deadlock: /,/^ *\.\.\.$/p' README.md | sed -e 's/^    //' -e '$d' >"$tmp/quoted"
if [ -s "$tmp/quoted" ] && head -n "$(wc -l <"$tmp/quoted")" "$tmp/err" | cmp -s - "$tmp/quoted"; then
    ok
else bad "the README quotes another report than: $(head -n 3 "$tmp/err")"; fi
finish
