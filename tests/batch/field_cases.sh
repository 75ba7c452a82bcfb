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

# sized BYTES ID: a document {_id: ID, s: "xxx…"} of so many bytes
sized() {
	python3 - "$1" "$2" <<-'PYTHON'
		import struct, sys
		size, id = int(sys.argv[1]), int(sys.argv[2])
		text = b"x" * (size - 22)
		document = b"\x10_id\0" + struct.pack("<i", id) + b"\x02s\0" + struct.pack("<i", len(text) + 1) + text + b"\0"
		sys.stdout.buffer.write(struct.pack("<i", len(document) + 5) + document + b"\0")
	PYTHON
}
mkdir "$work/limits" "$work/small"
{ sized 1000 1; sized 300000 2; sized 8388608 3; sized 16777216 4; sized 16785000 5; } >"$work/limits/large.bson"
{ sized 1000 1; sized 1001 2; sized 1002 3; sized 1003 4; } >"$work/small/files.bson"

case="a9: over the user limit, within the internal limit: read and named"
ends 0 sizes "$work/limits"
has 'large collection 5' '16,785,000' '-7,784' 'large 4 300,000 worth a look' 'large 3 8,388,608 a change event with both images' \
	'large 1 16,777,217 over the user limit' 'large: 1 over the limit of 16,777,216 bytes'
hasnt 'over the internal limit'
ends 0 sizes --json "$work/limits"
has '"bytes": 16777217, "documents": 1, "meaning": "over the user limit' '"bytes": 16793601, "documents": 0'

case="a7: the second line at 8 MB"
has '"bytes": 8388608, "documents": 3'

case="a5: the largest in order, with their _id"
ends 0 sizes --top 2 "$work/limits"
has 'largest 16,785,000 5 16,777,216 4'
hasnt '  8,388,608  3'
ends 0 sizes --json --top 1000 "$work/small"
has '"largest": [ { "_id": 4, "bytes": 1003 }, { "_id": 3, "bytes": 1002 }, { "_id": 2, "bytes": 1001 }, { "_id": 1, "bytes": 1000 } ]'
ends 2 sizes --top 1001 "$work/small"

case="thresholds that a user sets"
ends 0 sizes "$work/small"
has 'no document reaches 300,000 bytes'
ends 0 sizes --threshold 1002,5000 "$work/small"
has 'files 2 1,002'
ends 2 sizes --threshold 1MB "$work/small"

case="a nightly job: --fail-over"
ends 0 sizes --fail-over 1003 "$work/small"
hasnt 'over 1,003 bytes'
ends 3 sizes --fail-over 1001 "$work/small"
has 'over 1,001 bytes: files _id 4 1,003 bytes' 'over 1,001 bytes: files _id 3 1,002 bytes'
ends 3 sizes --fail-over 999 --top 2 "$work/small"
has 'over 999 bytes: 2 more in files; --top names more of them'
ends 3 sizes --json --fail-over 1001 "$work/small"
has '"failOver": { "bytes": 1001, "documents": 2 }'
head -c 2500 "$work/small/files.bson" >"$work/cut.bson"
ends 0 sizes --fail-over 5000 "$work/cut.bson"
has 'cut: not every document was looked at; status 0 does not say that none is larger'

case="why: its input"
echo '{"ok": 0, "errmsg": "Resulting document after update is larger than 16777216", "code": 17419}' >"$work/reply"
"$program" why - <"$work/reply" >"$work/out"
has '17419' '16,777,216 bytes a stored document'
ends 0 why 'connection refused'
has 'not known here, and no code is in the text'
ends 2 why

echo "summary: $count checks, $failed failed"
[ $failed = 0 ]
