#!/bin/sh
# budget.sh PROGRAM: the instructions that callgrind counts for each operation of the engine, a document, beside the
# budget in budget.tsv. Ends with 1 when one is over its budget by more than the tolerance; under it by as much: says
# that the budget can be lowered.
set -eu
program=$1
here=$(dirname "$0")
command -v valgrind >/dev/null 2>&1 || { echo "  skipped: valgrind is not installed"; exit 0; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT
status=0
tab=$(printf '\t')
"$program" | while IFS="$tab" read -r name documents; do
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=counted "$program" "$name" 2>"$out" ||
		{ cat "$out"; exit 1; }
	counted=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$out")
	awk -F "$tab" -v name="$name" -v each=$((counted / documents)) '
		$1 == name { budget = $2; off = (each - $2) / $2 * 100; over = off > $3; under = off < -$3 }
		END {
			verdict = over ? "  OVER" : under ? "  the budget can be lowered" : ""
			if (budget)
				printf("  %-12s %6d instructions a document, budget %6d (%+.1f %%)%s\n", name, each, budget, off, verdict)
			else
				printf("  %-12s %6d instructions a document, no budget\n", name, each)
			exit over || !budget
		}' "$here/budget.tsv" || echo "$name" >>"$out.over"
done || status=1
if [ -e "$out.over" ]; then
	rm -f "$out.over"
	status=1
fi
exit $status
