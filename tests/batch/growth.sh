#!/bin/sh
# bsonscope growth, end to end: the published figures from data and from arithmetic alone, the text form, and wrong options.
set -u
. "$(dirname "$0")/checks.inc"

run() {
	"$program" growth "$@" >"$work/out" 2>"$work/err" </dev/null || complain "growth $*: exit $?: $(cat "$work/err")"
}

# path VALUE, as JSON: population.subset.bytes 17256316
json() {
	while read -r path value; do
		count=$((count + 1))
		got=$(python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."): v = v[key]
print(json.dumps(v))' "$work/out" "$path") || complain "no $path"
		[ "$got" = "$value" ] || complain "$path: got $got, expected $value"
	done
}

# fails TEXT ARGUMENT...
fails() {
	text=$1
	shift
	count=$((count + 1))
	"$program" growth "$@" >"$work/out" 2>"$work/err" </dev/null
	[ $? = 2 ] || complain "growth $*: not refused"
	grep -qF -- "$text" "$work/err" || complain "growth $*: expected \"$text\", got: $(cat "$work/err")"
	[ -s "$work/out" ] && complain "growth $*: output beside the error"
}

run --relationship loans sample:library
has 'sample:library relationship loans: odunc embedded in kitap (array "odunc") limit 16,384 bytes' \
	'base 108 B' 'element 53 B' 'fits 297 16,333 B then; division alone says 307' '▲ median parent: 13' '▲ p99: 668 →' \
	'8–15 9,234 ████████████████████████████████████████' '256–297 74 █' '> 297 451 ██' \
	'zipf 1: 20,000 parents, 1,406,280 children' \
	'hit the limit 451 763,673 children do not fit; the first parent wants 134,178' 'all embedded 36,942,774 B' \
	'subset 20 17,256,316 B largest 1,184 B, headroom 15,200 B' '1,125,534 children left to the other collection' \
	'base: exact; element: assumed; parents and children: assumed; the rest: predicted'
run --relationship loans --ascii sample:library
LC_ALL=C grep -q '[^ -~]' "$work/out" && complain "--ascii is not: $(cat "$work/out")"
run --relationship reviews --subset 3
has 'observed: 77 parents, 181 children' 'hit the limit 0' 'largest 1,621 B' 'subset 3'
run --base 105 --element 103 --pushes 10000 --per-day 1000
has 'pushed ' 'after 10,000 pushes' '×4,996 its size: the model of a whole document rewritten a push' 'days until nothing more fits, at 1,000 a day'
run --base 108 --element 53 --limit 16384
has 'growth by arithmetic alone limit 16,384 bytes' 'fits 297 16,333 B then; division alone says 307'

if command -v python3 >/dev/null; then
	run --json --relationship loans sample:library
	json <<'END'
limit 16384
base 108
element 53
fits 297
bytesAtFit 16333
naive 307
population.parents 20000
population.children 1406280
population.distribution "zipf 1"
population.hitLimit 451
population.childrenNotFitting 763673
population.firstWants 134178
population.bytes 36942774
population.largest 16337
population.subset.n 20
population.subset.bytes 17256316
population.subset.largest 1184
population.subset.headroom 15200
population.subset.childrenLeft 1125534
provenance.element "assumed"
END
	run --json --base 108 --element 53 --limit 16384 --parents 20000 --children 1406280 --zipf 1 --subset 20
	json <<'END'
fits 297
population.hitLimit 451
population.childrenNotFitting 763673
population.bytes 36819430
population.largest 16333
population.subset.bytes 17132972
population.subset.largest 1178
population.subset.childrenLeft 1125534
provenance.base "assumed"
END
	run --json --base 353 --element 138
	json <<'END'
limit 16777216
fits 118097
bytesAtFit 16777114
population null
END
	run --json --relationship items
	json <<'END'
population.parents 379
population.children 680
population.distribution "observed"
population.firstWants 4
population.largest 696
population.hitLimit 0
provenance.default "exact"
END
	# b9: 10,000 pushes of values of 100 bytes; b6: what the oplog takes when the whole array is set each time
	run --json --base 105 --element 103 --pushes 10000
	json <<'END'
pushes.count 10000
pushes.bytes 1058995
pushes.rewritten 5290984495
pushes.oplogPush 1058890
pushes.oplogSet 5289984495
END
	# b4: as many ids as fit, 100 a day
	run --json --base 38 --element 15 --per-day 100
	json <<'END'
perDay 100
daysToLimit 8444
END
	# a population over the data's parents: what would be if
	run --json --relationship reviews --parents 77 --children 1000000 --zipf 1
	json <<'END'
population.distribution "zipf 1"
population.hitLimit 1
population.children 1000000
END
fi

fails '--base and --element go together' --base 100
fails '--parents and --children go together' --parents 10
fails '--zipf goes with --parents and --children' --zipf 2
fails 'there is no source' --base 100 --element 50 sample:library
fails 'there is no source' --base 100 --element 50 --relationship loans
fails 'a document has 5 bytes at least, an element 3' --base 4 --element 50
fails 'a document has 5 bytes at least, an element 3' --base 5 --element 2
fails 'expected bytes from 1 to 16777216 for --base, found "-1"' --base -1 --element 50
fails 'expected a number from 1 to 1000000000 for --parents, found "many"' --parents many --children 2
fails 'expected a number from 0 to 100 for --zipf, found "steep"' --zipf steep
fails 'option --shape does not go with growth' --shape embed
fails 'unknown relationship "friends"' --relationship friends

[ $failed = 0 ] && echo "summary: $count figures and errors"
[ $failed = 0 ]
