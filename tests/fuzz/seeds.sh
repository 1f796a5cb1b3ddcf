#!/bin/sh
# For fuzz.sh and tests/e2e/fuzz_corpus.sh. seeds NAME: the folders with the inputs that the target NAME starts from:
# what fuzzing found, and of readers of scripts the scripts that there are.
seeds() {
    echo "tests/fuzz/corpus/$1"
    case $1 in script | taken) echo tests/scripts/unchanged ;; esac
}
