#!/bin/sh
# make bench: prints what was measured, compares nothing. Each program prints its own lines.
set -eu
for program; do
	echo "== ${program##*/}"
	"$program"
done
if command -v python3 >/dev/null 2>&1; then
	echo "== explorer (in a pseudo terminal)"
	python3 tests/bench/explorer.py ./bsonscope
	echo "== explorer, on a large file"
	python3 tests/bench/large.py ./bsonscope
fi
