#!/bin/sh
# make fuzz: each target for FUZZ_SECONDS, from its seeds and what earlier runs found worth keeping. What breaks one is
# kept in $BUILD/fuzz and ends the run; made small it belongs into tests/fuzz/seeds, where the unit tests replay it.
set -eu
found=$BUILD/fuzz
for target; do
	seeds=tests/fuzz/seeds/$target
	# the corpus of explains is read where it lies
	[ -n "${BSONSCOPE_CORPUS:-}" ] && [ -d "$BSONSCOPE_CORPUS/explains" ] && seeds="$seeds $BSONSCOPE_CORPUS/explains"
	mkdir -p "$found/corpus/$target"
	echo "== $target, $FUZZ_SECONDS s"
	# shellcheck disable=SC2086
	"$found/$target" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=1024 -max_len=65536 -dict=tests/fuzz/words.dict \
		-artifact_prefix="$found/$target-" -print_final_stats=1 "$found/corpus/$target" $seeds 2>&1 |
		tee "$found/$target.log" | grep -E '^(stat::|==|SUMMARY|Done|ALARM)|Test unit|runtime error' || true
	ls "$found/$target"-* >/dev/null 2>&1 && { echo "$target: broken by $(ls "$found/$target"-*)"; exit 1; }
done
exit 0
