#!/bin/sh
# What people ran into, end to end: limits, sizes and odd data. The letter and digit before a case name the kind of report.
set -u
program=${BUILD:-build/release}/bsonscope
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0
LC_ALL=C.UTF-8
export LC_ALL

complain() { echo "$case: $1"; failed=$((failed + 1)); }

# ends STATUS ARGUMENT...
ends() {
	status=$1
	shift
	count=$((count + 1))
	"$program" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ $got = "$status" ] || complain "$(echo "$*" | head -c 200): exit $got: $(cat "$work/err")"
}

# has TEXT...: in the output, spaces squeezed and lines joined
has() {
	for text; do
		count=$((count + 1))
		tr '\n' ' ' <"$work/out" | tr -s ' ' | grep -qaF -- "$text" || complain "expected \"$text\" in: $(cat "$work/out")"
	done
}
hasnt() {
	count=$((count + 1))
	grep -qaF -- "$1" "$work/out" && complain "unexpected \"$1\""
}

case="a3: a lookup's matches"
ends 0 why 'Total size of documents in edge matching { $match: { $and: [ { from: { $eq: "B02" } }, {} ] } } exceeds maximum document size'
has '4568' 'for "B02"' 'all matches of that parent together' 'allowDiskUse and a $limit after it do not help' 'Put $unwind right behind' \
	'"filter": {"LOCALFIELD": "B02"}'

case="a4: two limits"
ends 0 why --json "Exceeded memory limit for \$group, but didn't allow external sort. Pass allowDiskUse:true to opt in."
has '"code": 292' '"operator": "$group"' '"limit": 104857600' 'lifts this limit, but not the one on a document'
ends 0 why --json 'BSONObj size: 19046166 (0x1229F16) is invalid. Size must be between 0 and 16793600(16MB) First element: id: 293825087070.0'
has '"code": 10334' '"size": 19046166' '"hex": "same"' '"over": 2252566' '"overPercent": 13.41' '"kind": "made document"' \
	'allowDiskUse does not help'

case="a5: how far over"
ends 0 why 'BSONObj size: 17544285 (0x10BB45D) is invalid. Size must be between 0 and 16793600(16MB) First element: _id: 1'
has '17,544,285 bytes' '750,685 bytes over, 4.47 %' '767,069 bytes over, 4.57 %'

case="a6: one document of all results"
ends 0 why 'BSONObj size: 42293758 (0x28559FE) is invalid. Size must be between 0 and 16793600(16MB) First element: metadata: {}'
has 'made by a stage' 'bsonscope growth --base BYTES --element BYTES'
# 63,031 bytes an element in an array of documents, beside 100 others: exactly 266 fit
ends 0 growth --base 100 --element 63031 --json
has '"fits": 266'

case="a7: a change event"
ends 0 why 'Executor error during getMore :: caused by :: BSONObj size: 17701268 (0x10E1994) is invalid. Size must be between 0 and' \
	'16793600(16MB) First element: _id: { _data: "8263" }'
has 'a change event' '$changeStreamSplitLargeEvent' '6.0.9, 7.0'

case="a8: a command"
ends 0 why --json 'BSONObj size: 17096531 (0x104DF53) is invalid. Size must be between 0 and 16793600(16MB) First element: aggregate: "uconn"'
has '"firstElement": "aggregate"' '"kind": "command"' '"collection": "uconn"' 'a list such as $in'

case="a9: what clients say of it"
ends 0 why --json 'pymongo.errors.DocumentTooLarge: BSON document too large (16840242 bytes) - the connected server supports BSON document' \
	'sizes up to 16793598 bytes.'
has '"code": null' '"size": 16840242' '"limit": 16793598' '"over": 46644'

case="why: its input"
echo '{"ok": 0, "errmsg": "Resulting document after update is larger than 16777216", "code": 17419}' >"$work/reply"
"$program" why - <"$work/reply" >"$work/out"
has '17419' '16,777,216 bytes a stored document'
ends 0 why 'connection refused'
has 'not known here, and no code is in the text'
ends 2 why

echo "summary: $count checks, $failed failed"
[ $failed = 0 ]
