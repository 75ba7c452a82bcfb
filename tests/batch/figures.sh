#!/bin/sh
# The published figures, end to end: batch mode's JSON against the numbers of the two systems that the samples come from.
set -u
program=${BUILD:-build/release}/bsonscope
command -v python3 >/dev/null || { echo "skipped: python3 is not there"; exit 77; }
[ -x "$program" ] || { echo "no program at $program"; exit 1; }
PROGRAM=$program exec python3 tests/batch/figures.py
