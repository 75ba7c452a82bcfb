#!/bin/sh
# Runs unit programs, then check scripts; prints a line each and a total. Usage: test.sh UNIT... -- SCRIPT...
# A unit program or script exits 0 (passed), 77 (skipped, with the reason on its last line) or else (failed).
set -u
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program; do
	[ "$program" = -- ] && continue
	case $program in
	*.sh) sh "$program" >"$log" 2>&1 ;;
	*) "./$program" >"$log" 2>&1 ;;
	esac
	status=$?
	name=${program##*/}
	case $status in
	0) passed=$((passed + 1)); echo "passed  $name  $(grep -E '^(summary|skipped):' "$log" | tail -n 1)" ;;
	77) skipped=$((skipped + 1)); echo "skipped $name: $(tail -n 1 "$log")" ;;
	*) failed=$((failed + 1)); echo "FAILED  $name (exit $status)"; sed 's/^/    /' "$log" | tail -n 60 ;;
	esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
