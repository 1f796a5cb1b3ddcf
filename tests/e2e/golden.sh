#!/bin/sh
# quick
# Expected output beside the inputs in tests/golden.
exec "$(dirname "$0")/../golden.sh" "${1:-build}"
