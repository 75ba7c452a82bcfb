#!/bin/sh
# make bench: prints what was measured; fails only where an operation needs more instructions than its budget. Each
# program prints its own lines.
set -eu
over=0
for program; do
	echo "== ${program##*/}"
	"$program"
done
echo "== engine: instructions"
sh tests/bench/budget/budget.sh "$BUILD/bench/budget/budget" || over=1
if command -v python3 >/dev/null 2>&1; then
	echo "== decoding by Python's driver"
	for python in python3 /usr/bin/python3; do # the system's has the system's packages
		"$python" -c 'import bson' 2>/dev/null && break
	done
	"$python" tests/bench/decoding.py
	echo "== engine, mingo, sqlite"
	python3 tests/bench/contest.py "$BUILD/bench/contest/engine" "$BUILD/bench/contest"
	echo "== explorer (in a pseudo terminal)"
	python3 tests/bench/explorer.py ./bsonscope
	echo "== explorer, on a large file"
	python3 tests/bench/large.py ./bsonscope
fi
exit $over
