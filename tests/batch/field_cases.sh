#!/bin/sh
# What people ran into, end to end: limits, sizes and odd data. The letter and digit before a case name the kind of report.
set -u
. "$(dirname "$0")/checks.inc"

# ends STATUS ARGUMENT...
ends() {
	status=$1
	shift
	count=$((count + 1))
	"$program" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ $got = "$status" ] || complain "$(echo "$*" | head -c 200): exit $got: $(cat "$work/err")"
}

case="a3: a lookup's matches"
ends 0 why 'Total size of documents in edge matching { $match: { $and: [ { from: { $eq: "B02" } }, {} ] } } exceeds maximum document size'
reads '4568' 'for "B02"' 'all matches of that parent together' 'allowDiskUse and a $limit after it do not help' 'Put $unwind right behind' \
	'"filter": {"LOCALFIELD": "B02"}'

case="a4: two limits"
ends 0 why --json "Exceeded memory limit for \$group, but didn't allow external sort. Pass allowDiskUse:true to opt in."
reads '"code": 292' '"operator": "$group"' '"limit": 104857600' 'lifts this limit, but not the one on a document'
ends 0 why --json 'BSONObj size: 19046166 (0x1229F16) is invalid. Size must be between 0 and 16793600(16MB) First element: id: 293825087070.0'
reads '"code": 10334' '"size": 19046166' '"hex": "same"' '"over": 2252566' '"overPercent": 13.41' '"kind": "made document"' \
	'allowDiskUse does not help'

case="a5: how far over"
ends 0 why 'BSONObj size: 17544285 (0x10BB45D) is invalid. Size must be between 0 and 16793600(16MB) First element: _id: 1'
reads '17,544,285 bytes' '750,685 bytes over, 4.47 %' '767,069 bytes over, 4.57 %'

case="a6: one document of all results"
ends 0 why 'BSONObj size: 42293758 (0x28559FE) is invalid. Size must be between 0 and 16793600(16MB) First element: metadata: {}'
reads 'made by a stage' 'bsonscope growth --base BYTES --element BYTES'
# 63,031 bytes an element in an array of documents, beside 100 others: exactly 266 fit
ends 0 growth --base 100 --element 63031 --json
reads '"fits": 266'

case="a7: a change event"
ends 0 why 'Executor error during getMore :: caused by :: BSONObj size: 17701268 (0x10E1994) is invalid. Size must be between 0 and' \
	'16793600(16MB) First element: _id: { _data: "8263" }'
reads 'a change event' '$changeStreamSplitLargeEvent' '6.0.9, 7.0'

case="a8: a command"
ends 0 why --json 'BSONObj size: 17096531 (0x104DF53) is invalid. Size must be between 0 and 16793600(16MB) First element: aggregate: "uconn"'
reads '"firstElement": "aggregate"' '"kind": "command"' '"collection": "uconn"' 'a list such as $in'

case="a9: what clients say of it"
ends 0 why --json 'pymongo.errors.DocumentTooLarge: BSON document too large (16840242 bytes) - the connected server supports BSON document' \
	'sizes up to 16793598 bytes.'
reads '"code": null' '"size": 16840242' '"limit": 16793598' '"over": 46644'

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
reads 'large collection 5' '16,785,000' '-7,784' 'large 4 300,000 worth a look' 'large 3 8,388,608 a change event with both images' \
	'large 1 16,777,217 over the user limit' 'large: 1 over the limit of 16,777,216 bytes'
hasnt 'over the internal limit'
ends 0 sizes --json "$work/limits"
reads '"bytes": 16777217, "documents": 1, "meaning": "over the user limit' '"bytes": 16793601, "documents": 0'

case="a7: the second line at 8 MB"
reads '"bytes": 8388608, "documents": 3'

case="a5: the largest in order, with their _id"
ends 0 sizes --top 2 "$work/limits"
reads 'largest 16,785,000 5 16,777,216 4'
hasnt '  8,388,608  3'
ends 0 sizes --json --top 1000 "$work/small"
reads '"largest": [ { "_id": 4, "bytes": 1003 }, { "_id": 3, "bytes": 1002 }, { "_id": 2, "bytes": 1001 }, { "_id": 1, "bytes": 1000 } ]'
ends 2 sizes --top 1001 "$work/small"

case="thresholds that a user sets"
ends 0 sizes "$work/small"
reads 'no document reaches 300,000 bytes'
ends 0 sizes --threshold 1002,5000 "$work/small"
reads 'files 2 1,002'
ends 2 sizes --threshold 1MB "$work/small"

case="a nightly job: --fail-over"
ends 0 sizes --fail-over 1003 "$work/small"
hasnt 'over 1,003 bytes'
ends 3 sizes --fail-over 1001 "$work/small"
reads 'over 1,001 bytes: files _id 4 1,003 bytes' 'over 1,001 bytes: files _id 3 1,002 bytes'
ends 3 sizes --fail-over 999 --top 2 "$work/small"
reads 'over 999 bytes: 2 more in files; --top names more of them'
ends 3 sizes --json --fail-over 1001 "$work/small"
reads '"failOver": { "bytes": 1001, "documents": 2 }'
head -c 2500 "$work/small/files.bson" >"$work/cut.bson"
ends 0 sizes --fail-over 5000 "$work/cut.bson"
reads 'cut: not every document was looked at; status 0 does not say that none is larger'

# Everything BSON can hold, in one file.
mkdir "$work/odd"
python3 tests/batch/odd.py "$work/odd/odd.bson" >"$work/expected"

case="any BSON: sizes"
ends 0 sizes --json --top 20 "$work/odd"
reads '"count": 9' "\"bytes\": $(cut -d' ' -f2 "$work/expected")" '{ "_id": "test", "bytes": 90 }' '{ "_id": "deep", "bytes": 2018 }'

case="a11: 250 levels"
ends 0 run "$work/odd" '{"find": "odd", "filter": {"_id": "deep"}}'
reads '"d": {"a": {"a": {"a"' '{"v": 1}}}'
hasnt '$deeper'

case="any BSON: deprecated types"
ends 0 run "$work/odd" '{"find": "odd", "filter": {"_id": "types"}}'
reads '"undefined": {"$undefined": true}' '{"$dbPointer": {"$ref": "shop.books", "$id": {"$oid": "000102030405060708090a0b"}}}' \
	'{"$symbol": "sym"}' '{"$code": "return n", "$scope": {"n": 7}}' '{"$minKey": 1}' '{"$maxKey": 1}' \
	'{"pattern": "^a/b", "options": "im"}' '{"t": 4294967295, "i": 3}'

case="any BSON: names"
ends 0 run "$work/odd" '{"find": "odd", "filter": {"_id": "names"}}'
reads '"same": 1, "same": 2, "": 3, "a.b": 4, "$set": 5'

case="any BSON: invalid UTF-8"
ends 0 run "$work/odd" '{"find": "odd", "filter": {"_id": "utf8"}}'
reads '"before": "fine", "bad": "\\xFF' '\\xED\\xA0\\x80"' '"k\\xFE": "name", "after": "fine too", "nul": "a\u0000b"'

case="any BSON: dates and numbers"
ends 0 run "$work/odd" '{"find": "odd", "filter": {"_id": "edges"}}'
reads '"last": {"$date": "9999-12-31T23:59:59.999Z"}, "beyond": {"$date": {"$numberLong": "253402300800000"}}' \
	'"before": {"$date": {"$numberLong": "-62135596800001"}}' '"most": 9223372036854775807' '"odd": 9007199254740993'

case="d10: numbers that JSON does not have"
ends 0 run "$work/odd" '{"find": "odd", "filter": {"_id": "test"}}'
reads '{"$numberDouble": "Infinity"}' '{"$numberDouble": "-Infinity"}' '{"$numberDouble": "NaN"}' '"negz": -0.0' '"fooNaNbar"'

case="d9: binary"
ends 0 run "$work/odd" '{"find": "odd", "filter": {"_id": "binary"}}'
reads '"legacy": {"$binary": {"base64": "oSx4R2A4SGaEsqYtkPZ55Q==", "subType": "03"}}' '"short4": {"$binary": {"base64": "oSx4R2A="' \
	'"none": {"$binary": {"base64": "", "subType": "00"}}' '"user": {"$binary": {"base64": "AQI=", "subType": "80"}}'

case="any BSON: nothing raw reaches a terminal"
ends 0 run "$work/odd" '{"find": "odd"}'
reads '\u001b[31mred\u0007' '\u009b31m' '\u202eabc' '<b>&amp;%s'
hasnt "$(printf '\033')"

# Each of the nine, opened and unfolded in the explorer, largest first; the first row of Sizes leads to the paths.
{
	printf '2\nDown\n'
	for i in 0 1 2 3 4 5 6 7 8; do
		printf 'Enter\n*\n:save-screen %s.txt\nEsc\nDown\n' $i
	done
} >"$work/keys"
(cd "$work" && HOME=$work COLUMNS=120 LINES=36 "$OLDPWD/$program" --script "$work/keys" "$work/odd") || complain "the explorer: exit $?"
cat "$work"/[0-8].txt >"$work/out"

case="any BSON: on the screen"
reads 'undefined undefined' "DBPointer('shop.books'" "BSONSymbol('sym')" "Code('return n', { n: 7 })" 'min MinKey()' 'max MaxKey()' '/^a/b/im' \
	'"" 3 int' 'a.b 4 int' '$set 5 int' 'x 2 int' "bad '\xFF" "k\xfe 'name'" "after 'fine too'" "nul 'a\u0000b'" \
	"ISODate('9999-12-31T23:59:59.999Z')" 'new Date(253402300800000)' "Long('9007199254740993')" 'inf Infinity' 'minf -Infinity' 'nan NaN' \
	'negz -0' "UUID('a12c7847-6038-4866-84b2-a62d90f679e5')" "createFromBase64('oSx4R2A4SGaEsqYtkPZ55Q==', 3)" '\u001b[31mred' \
	'<b>&amp;%s' '· 250 levels' '300,027 B · worth a look · headroom 16,477,189 B'
hasnt "$(printf '\033')"

case="any BSON: columns stay aligned"
count=$((count + 1))
python3 - "$work" <<'PYTHON' || complain "figures do not end in one column"
import sys, unicodedata
wide = lambda c: 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
ends, rows = set(), 0
for i in range(9):
    for line in open(f"{sys.argv[1]}/{i}.txt", encoding="utf-8").read().split("\n"):
        words = line.split()
        if len(words) > 2 and words[-2] in ("string", "int", "double", "binData", "date", "long"):
            ends.add(sum(map(wide, line)))
            rows += 1
sys.exit(0 if len(ends) == 1 and rows > 30 else print(ends, rows) or 1)
PYTHON

case="the next child does not fit"
printf '2\n:save-screen child.txt\n' >"$work/keys"
for limit in 1700 1754; do # the largest has 1,621 bytes, a review 133
	(cd "$work" && HOME=$work COLUMNS=120 LINES=36 "$OLDPWD/$program" --limit $limit --shape embed --script "$work/keys" sample:bookstore)
	cp "$work/child.txt" "$work/out"
	if [ $limit = 1754 ]; then hasnt 'does not fit'; else reads 'limits one more of reviews (133 B) does not fit'; fi
done

case="why: its input"
echo '{"ok": 0, "errmsg": "Resulting document after update is larger than 16777216", "code": 17419}' >"$work/reply"
"$program" why - <"$work/reply" >"$work/out"
reads '17419' '16,777,216 bytes a stored document'
ends 0 why 'connection refused'
reads 'not known here, and no code is in the text'
ends 2 why

summary
