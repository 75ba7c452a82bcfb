#!/bin/sh
# The README's table of refused operators, from tests/refused.tsv. With --check: only says whether it is up to date.
set -eu
cd "$(dirname "$0")/.."
made=$(mktemp)
trap 'rm -f "$made"' EXIT
awk -F '\t' '
	FNR == NR { if ($0 !~ /^#/ && $1 != "operator") rows = rows "| `" $1 "` | " $2 " |\n"; next }
	/^<!-- refused: begin/ { print; printf "| refused | why |\n|---|---|\n%s", rows; skipping = 1; next }
	/^<!-- refused: end/ { skipping = 0 }
	!skipping' tests/refused.tsv README.md >"$made"
if [ "${1:-}" = --check ]; then
	cmp -s "$made" README.md || { echo "README.md: its table of refused operators is not that of tests/refused.tsv: run scripts/answers.sh"; exit 1; }
else
	cat "$made" >README.md
fi
