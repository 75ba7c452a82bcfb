#!/bin/sh
# Over a server: the live tests against one that is named by MONGODB_URI; reports of what is sampled, with operations that could not be
# measured; no password where others can read it.
set -u
program=$PWD/${BUILD:-build/release}/bsonscope
tests=$PWD/${BUILD:-build/release}/tests
queries=$PWD/queries
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LC_ALL=C.UTF-8 XDG_CONFIG_HOME=/nowhere
export LC_ALL XDG_CONFIG_HOME
failed=0 count=0

complain() { echo "$1"; failed=$((failed + 1)); }
check() { count=$((count + 1)); "$@" || complain "not so: $*"; }

# served SAMPLE SHELL-TEXT: $uri names the server
served() { "$tests/serve_sample" "$1" sh -c "uri=\$MONGODB_URI; $2"; }

"$tests/serve_sample" library "$tests/test_remote_target" >"$work/live" 2>&1
check [ $? = 0 ]
check [ "$(grep -c 'Suite: remote: MONGODB_URI' "$work/live")" = 1 ]

# the sample has not every book: what it lacks is said, the rest is there, and the status is 1
served library "$program workload --exact 5000 --queries $queries/library.json \"\${uri}library\"" >"$work/out" 2>"$work/err"
check [ $? = 1 ]
check grep -q '^embed: measured in the lab on 1,000 of 20,000 documents of "kitap", drawn at random' "$work/out"
check grep -q '^reference: measured in the lab on 1,000 of 20,000' "$work/out"
check grep -q 'repairs of a branch .*~1,000' "$work/out"
check grep -q '^not measured in shape embed: ' "$work/out"
check [ "$(wc -l <"$work/err")" = 1 ]
served library "$program growth --exact 5000 --queries $queries/library.json \"\${uri}library\"" >"$work/out"
check grep -q '^sampled: 1,000 of 20,000 parents' "$work/out"

# HOST:PORT/DB, without a scheme
served bookstore "$program sizes -c books \$(echo \"\$uri\" | sed 's,mongodb://,,')bookstore" >"$work/out"
check grep -q '^books *collection *77 *26,483' "$work/out"

# nothing listens at port 1
"$program" sizes 'mongodb://ana:s3cret@127.0.0.1:1/shop' >"$work/out" 2>&1
check [ $? = 1 ]
check [ "$(grep -c s3cret "$work/out")" = 0 ]

# The same sizes, field by field, of the engine, of the dump that it saved and of a server with that dump; and of a file with all that BSON
# holds. Where fields are looked at by a sample is not of the sizes.
same_sizes() {
	python3 - "$1" "$2" <<'PYTHON'
import json, sys
read = lambda path: json.load(open(path))["collections"]
def sizes(row):
    return {k: v for k, v in row.items() if k not in ("fields", "where", "remark")}
a, b = ([sizes(row) for row in read(path)] for path in sys.argv[1:])
differing = [(x["name"], k, x.get(k), y.get(k)) for x, y in zip(a, b) for k in {**x, **y} if x.get(k) != y.get(k)]
if len(a) != len(b) or not a or differing:
    sys.exit(f"{len(a)} and {len(b)} collections, different: {differing[:3]}")
PYTHON
}

# over_serve SOURCE DB OPTION...: its sizes through a server of our own
over_serve() {
	"$program" serve --port 0 "$1" >"$work/address" 2>/dev/null &
	server=$!
	for _ in $(seq 300); do
		grep -q '^mongodb://' "$work/address" && break
		sleep 0.1
	done
	db=$2
	shift 2
	"$program" sizes --json "$@" "$(grep '^mongodb://' "$work/address")$db" >"$work/over"
	kill "$server"
	wait "$server"
}

for sample in bookstore library; do
	"$program" sizes --json "sample:$sample" >"$work/engine"
	"$program" serve --port 0 --save "$work/saved" "sample:$sample" >"$work/address" 2>/dev/null &
	server=$!
	for _ in $(seq 300); do
		grep -q '^mongodb://' "$work/address" && break
		sleep 0.1
	done
	kill "$server"
	wait "$server"
	"$program" sizes --json --queries "$queries/$sample.json" -d "$sample" "$work/saved" >"$work/dump"
	check same_sizes "$work/engine" "$work/dump"
	over_serve "$work/saved" "$sample" --queries "$queries/$sample.json"
	check same_sizes "$work/dump" "$work/over"
	rm -rf "$work/saved"
done
mkdir "$work/odd"
python3 tests/batch/odd.py "$work/odd/odd.bson" >/dev/null
"$program" sizes --json "$work/odd" >"$work/dump"
over_serve "$work/odd" odd --ascii
check same_sizes "$work/dump" "$work/over"

echo "summary: $count checks, $failed failed"
[ $failed = 0 ]
