#!/bin/bash
# The Python package: its unit tests, the samples of samples/python, and the wheel in a fresh environment.
. "$(dirname "$0")/lib.bash"
python=$(numpy_python) || { echo "Python package: left out, there is no python3 with numpy"; ok; finish; }
export PLD_LIBRARY="$build/libpld.so.0" PLD_BUILD="$build" PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1

for file in tests/python/test_*.py; do
    if "$python" "$file" >"$tmp/unit" 2>&1; then :; else cat "$tmp/unit"; fi
    ran=$(sed -nE 's/^Ran ([0-9]+) tests?.*/\1/p' "$tmp/unit")
    bad=$(sed -nE 's/^FAILED \((.*)\)/\1/p' "$tmp/unit" | grep -oE '[0-9]+' | awk '{ n += $1 } END { print n + 0 }')
    pass=$((pass + ${ran:-0} - ${bad:-0})) fail=$((fail + ${bad:-0}))
    [ "${ran:-0}" -gt 0 ] || bad "the unit tests of $file did not run"
done

for script in samples/python/*.py; do
    case $script in */test_*) continue ;; esac
    if grep -q '^import pypto' "$script"; then exits "$script" 0 "$python" -m pld "$script"
    else exits "$script" 0 "$python" "$script"; fi
done
exits 'the pytest file, as plain Python' 0 "$python" -c "
import runpy
space = runpy.run_path('samples/python/test_kernels.py')
tests = [f for n, f in space.items() if n.startswith('test_')]
assert len(tests) > 1
for f in tests: f()"
exits 'the cells of the notebook' 0 "$python" -c "
import json
cells = [c for c in json.load(open('samples/python/tour.ipynb'))['cells'] if c['cell_type'] == 'code']
assert len(cells) > 3
space = {}
for c in cells: exec(''.join(c['source']), space)"

# The wheel: made offline, the same bytes twice, and it works where nothing else is found.
exits 'make a wheel' 0 scripts/wheel "$build" "$tmp/one"
exits 'make it again' 0 scripts/wheel "$build" "$tmp/two"
wheel=$(cd "$tmp/one" && ls ./*.whl)
exits 'the same bytes' 0 cmp "$tmp/one/$wheel" "$tmp/two/$wheel"
unset PLD_LIBRARY PYTHONPATH
exits 'unpacked, the wheel is a package' 0 "$python" -m zipfile -e "$tmp/one/$wheel" "$tmp/site"
PYTHONPATH=$tmp/site exits 'and finds its own library' 0 "$python" -c "
import pld
assert pld.compile('$root/samples/08_allreduce_mesh.pld', devices=4).run().verdict == 'OK'"
# What `make install` leaves, elsewhere: the package finds the library beside it.
exits 'make install' 0 make -s -o all B="$build" install DESTDIR="$tmp/root" PREFIX=/usr
PYTHONPATH=$tmp/root/usr/share/pld/python exits 'installed, it is a package' 0 env -C / "$python" -c "
import pld
assert pld._lib.lib._name.startswith('$tmp/root/usr/lib/'), pld._lib.lib._name
assert pld.compile('$tmp/root/usr/share/pld/samples/08_allreduce_mesh.pld', devices=4).run().verdict == 'OK'"
PYTHONPATH=$tmp/site exits 'and runs scripts' 0 "$python" -m pld samples/python/ring_shift.py
if "$python" -m venv --help >/dev/null 2>&1 && "$python" -m venv --system-site-packages "$tmp/venv" >/dev/null 2>&1; then
    exits 'pip installs it offline' 0 "$tmp/venv/bin/pip" install -q --no-index --no-deps "$tmp/one/$wheel"
    exits 'and it imports there' 0 "$tmp/venv/bin/python" -c 'import pld; print(pld.__version__)'
fi
finish
