#!/bin/bash
# Operations on whole tensors of every size, on the core and in chunks, against NumPy: tests/values.
. "$(dirname "$0")/lib.bash"
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import numpy' 2>/dev/null && { python=$p; break; }; done
if [ -z "$python" ]; then echo "tensor values: left out, there is no python3 with numpy"; ok; finish; fi
# values PLATFORM PATTERN: the cases whose names fit
values() {
    PLATFORM=$1 "$python" -B tests/values/run.py "$build" "$2" >"$tmp/values" || cat "$tmp/values"
    read -r p _ f _ < <(tail -n 1 "$tmp/values")
    pass=$((pass + p)) fail=$((fail + f))
}
values a2a3sim ''
values a5sim '^matmul_(half|acc|twice)|^transpose|^batch'
finish
