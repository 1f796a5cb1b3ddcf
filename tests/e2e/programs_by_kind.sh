#!/bin/bash
# Five programs and more of every kind, as tests/e2e/programs.sh runs them; Python scripts among them.
PROGRAMS='tests/programs/kinds/*.pld tests/programs/kinds/*.py'
# shellcheck source=tests/e2e/programs.sh disable=SC2034
. "$(dirname "$0")/programs.sh"
