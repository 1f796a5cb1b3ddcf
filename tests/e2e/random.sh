#!/bin/bash
# Random programs against a model that shares nothing with the compiler or the simulator, and every dump of
# each compiled again. COUNT and FIRST_SEED choose others; `make random-long` runs 10,000.
. "$(dirname "$0")/lib.bash"
python=$(numpy_python) || { echo "random programs: left out, there is no python3 with numpy"; ok; finish; }

# The comparison can fail: a program that is not what the model ran is found out.
cat >"$tmp/wrong.py" <<E2
import sys
sys.path.insert(0, "tests/random")
import run
run.expected = lambda text, ranks, size, given: {n: given[n] + 1 for n in run.OUTPUTS}
trial = run.Trial(sys.argv[1], 1, sys.argv[2])
sys.exit(trial.judge() is None)
E2
exits 'a wrong model is noticed' 0 "$python" -B "$tmp/wrong.py" "$build" "$tmp"

FAILED_DIR=$tmp "$python" -B tests/random/run.py "$build" "${COUNT:-300}" "${FIRST_SEED:-1}" >"$tmp/random" || cat "$tmp"/random-*.pld
grep -v ' passed, ' "$tmp/random"
read -r p _ f _ < <(tail -n 1 "$tmp/random")
pass=$((pass + p)) fail=$((fail + f))
finish
