#!/bin/bash
# Operations on whole tensors of every size, on the core and in chunks, against NumPy: tests/values.
. "$(dirname "$0")/lib.bash"
python=$(numpy_python) || { echo "tensor values: left out, there is no python3 with numpy"; ok; finish; }
# values PLATFORM PATTERN: the cases whose names fit
values() {
    PLATFORM=$1 "$python" -B tests/values/run.py "$build" "$2" >"$tmp/values" || cat "$tmp/values"
    read -r p _ f _ < <(tail -n 1 "$tmp/values")
    pass=$((pass + p)) fail=$((fail + f))
}
values a2a3sim ''
values a5sim '^matmul_(half|acc|twice)|^transpose|^batch'
finish
