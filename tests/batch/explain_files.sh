#!/bin/sh
# bsonscope explain FILE, --diff, --fail-on, and workload --from-log: what somebody kept, without a source.
set -u
program=${BUILD:-build/release}/bsonscope
failed=0 count=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/scan.txt" <<'END'
rs0 [direct: primary] shop> db.items.find({order: 1}).explain("executionStats")
{
  explainVersion: '1',
  queryPlanner: { namespace: 'shop.items', winningPlan: { stage: 'COLLSCAN', filter: { order: { '$eq': 1 } } }, rejectedPlans: [] },
  executionStats: {
    executionSuccess: true, nReturned: 2, executionTimeMillis: 4, totalKeysExamined: 0, totalDocsExamined: Long('680'),
    executionStages: { stage: 'COLLSCAN', filter: { order: { '$eq': 1 } }, nReturned: 2, docsExamined: 680 }
  },
  serverInfo: { version: '8.0.4' }, ok: 1
}
rs0 [direct: primary] shop>
END
cat >"$folder/index.json" <<'END'
{"queryPlanner": {"namespace": "shop.items", "winningPlan": {"stage": "FETCH", "inputStage": {"stage": "IXSCAN", "indexName": "order_1"}},
 "rejectedPlans": []}, "executionStats": {"executionSuccess": true, "nReturned": 2, "executionTimeMillis": 0, "totalKeysExamined": 2,
 "totalDocsExamined": 2, "executionStages": {"stage": "FETCH", "nReturned": 2, "docsExamined": 2, "inputStage": {"stage": "IXSCAN",
 "nReturned": 2, "keysExamined": 2, "indexName": "order_1"}}}}
END
cat >"$folder/slow.log" <<'END'
{"t":{"$date":"2026-01-01T00:00:00.000+00:00"},"s":"I","c":"COMMAND","id":51803,"ctx":"conn1","msg":"Slow query","attr":{"type":"command","ns":"shop.items","command":{"find":"items","filter":{"order":1}},"planSummary":"COLLSCAN","docsExamined":680,"nreturned":2,"reslen":300,"durationMillis":104}}
{"t":{"$date":"2026-01-01T00:00:01.000+00:00"},"s":"I","c":"NETWORK","id":22943,"ctx":"listener","msg":"Connection accepted","attr":{}}
{"t":{"$date":"2026-01-01T00:00:02.000+00:00"},"s":"I","c":"COMMAND","id":51803,"ctx":"conn1","msg":"Slow query","attr":{"type":"command","ns":"shop.items","command":{"find":"items","filter":{"order":7}},"planSummary":"COLLSCAN","docsExamined":680,"nreturned":1,"reslen":200,"durationMillis":102}}
END
gzip -k "$folder/scan.txt" "$folder/slow.log"

# expect TEXT COMMAND...: the output holds the text
expect() {
	text=$1
	shift
	count=$((count + 1))
	output=$("$@" 2>&1) || true
	printf '%s\n' "$output" | tr -s ' ' | grep -qF -- "$text" && return
	printf '%s: expected "%s", got:\n%s\n' "$*" "$text" "$output"
	failed=$((failed + 1))
}

# status NUMBER COMMAND...
status() {
	wanted=$1
	shift
	count=$((count + 1))
	"$@" >/dev/null 2>&1
	got=$?
	[ "$got" = "$wanted" ] && return
	echo "$*: expected exit $wanted, got $got"
	failed=$((failed + 1))
}

# json EXPRESSION COMMAND...: a Python expression over the JSON `e` is true
json() {
	expression=$1
	shift
	count=$((count + 1))
	"$@" | python3 -c "
import json, sys
e = json.load(sys.stdin)
sys.exit(not ($expression))" && return
	echo "$*: not so: $expression"
	failed=$((failed + 1))
}

for file in scan.txt scan.txt.gz; do
	expect 'shop.items, MongoDB 8.0.4 (queryPlanner)' "$program" explain "$folder/$file"
	expect 'collection scan: examined 680, returned 2' "$program" explain "$folder/$file"
done
expect 'collection scan: examined 680' sh -c "'$program' explain - <'$folder/scan.txt'"
json 'e["outer"] == {"keysExamined": 0, "docsExamined": 680} and e["returned"] == 2 and e["serverVersion"] == "8.0.4"' \
	"$program" explain --json "$folder/scan.txt"
# as deep as a document may be: every stage is there, though JSON nests twice as deep
python3 - "$folder/deep.json" <<'END_DEEP'
import sys
with open(sys.argv[1], "w") as f:
    f.write('{"executionStats": {"nReturned": 1, "executionStages": ' + '{"stage": "LIMIT", "nReturned": 1, "inputStage": ' * 240 +
            '{"stage": "COLLSCAN"}' + '}' * 240 + '}}')
END_DEEP
json 'str(e).count("LIMIT") == 240 and e["findings"] is not None' "$program" explain --json "$folder/deep.json"
head -c 520 "$folder/scan.txt" >"$folder/cut.txt"
expect 'the text was cut off' "$program" explain "$folder/cut.txt"
expect '~ COLLSCAN IXSCAN order_1 680 -> —' "$program" explain --diff "$folder/scan.txt" "$folder/index.json"
expect 'docs examined 680 -> 2; keys examined 0 -> 2; returned 2 in both' "$program" explain --diff "$folder/scan.txt" "$folder/index.json"
json 'e["first"]["docsExamined"] == 680 and e["second"]["docsExamined"] == 2 and any(n["changed"] for n in e["nodes"])' \
	"$program" explain --json --diff "$folder/scan.txt" "$folder/index.json"
expect 'docs examined 2 in both' "$program" explain --diff "$folder/index.json" "$folder/index.json"
status 3 "$program" explain --fail-on scan "$folder/scan.txt"
status 3 "$program" explain --fail-on sort,scan "$folder/scan.txt"
status 0 "$program" explain --fail-on scan "$folder/index.json"
status 3 "$program" explain --fail-on scan sample:bookstore '{find: "books", filter: {title: "Dune"}}'
status 0 "$program" explain --fail-on scan sample:bookstore '{find: "books", filter: {_id: 26}}'
status 2 "$program" explain --fail-on nonsense "$folder/scan.txt"
status 2 "$program" explain --diff "$folder/scan.txt"
status 1 "$program" explain "$folder/none"
status 1 "$program" explain "$folder"
echo 'no plan here {a: 1}' >"$folder/other.txt"
expect 'no plan in it' "$program" explain "$folder/other.txt"
printf '{a: 1,\n b: [1 2]}' >"$folder/wrong.txt"
expect "wrong.txt:2:8: expected ']', found '2', in: b: [1 2]}" "$program" explain "$folder/wrong.txt"

for file in slow.log slow.log.gz; do
	expect '2 records of operations in 3 lines' "$program" workload --from-log "$folder/$file"
	json 'e["records"] == 2 and len(e["operations"]) == 1 and e["operations"][0]["docsExamined"] == 1360 and
		e["operations"][0]["bytesRead"] is None and e["operations"][0]["p95Millis"] == 104' \
		"$program" workload --json --from-log "$folder/$file"
done
expect 'find shop.items 2 1,360' sh -c "'$program' workload --from-log - <'$folder/slow.log'"
status 1 "$program" workload --from-log "$folder/scan.txt"
cat >"$folder/old.log" <<'END'
2018-03-28T15:34:44.104-0400 I COMMAND  [conn3] command shop.items command: find { find: "items", filter: { order: 1 } } planSummary: IXSCAN { order: 1 } keysExamined:3 docsExamined:2 nreturned:1 reslen:126 locks:{} protocol:op_msg 17ms
2018-03-28T15:34:46.104-0400 I COMMAND  [conn3] command shop.items command: find { find: "items", filter: { order: 2 } } planSummary: IXSCAN { order: 1 } keysExamined:1 docsExamined:1 nreturned:1 reslen:126 locks:{} protocol:op_msg 18ms
END
cat >"$folder/profile.txt" <<'END'
shop> db.system.profile.find()
[
  { op: 'query', ns: 'shop.items', command: { find: 'items', filter: { order: 1 } }, keysExamined: 0,
    docsExamined: 680, nreturned: 2, responseLength: 300, millis: 12, planSummary: 'COLLSCAN', ts: ISODate('2026-01-01T00:00:00Z') }
]
END
cat >"$folder/fine.txt" <<'END'
{ queryPlanner: { winningPlan: { stage: 'LIMIT_SKIP' } }, executionStats: { executionTimeMillis: '0.3',
  executionStages: { stage: 'LIMIT_SKIP', nReturned: '2', executionTimeMillisEstimate: '0.199' } } }
END
json '(e["millis"], e["plan"]["millis"], e["plan"]["micros"]) == (None, None, 199)' "$program" explain --json "$folder/fine.txt"
cat >"$folder/stats.json" <<'END'
{"key":{"queryShape":{"cmdNs":{"db":"shop","coll":"items"},"command":"find","filter":{"order":{"$eq":"?number"}}},"collectionType":"collection"},"metrics":{"execCount":{"$numberLong":"1000"},"totalExecMicros":{"sum":{"$numberLong":"250000"},"max":{"$numberLong":"1900"},"min":{"$numberLong":"90"},"sumOfSquares":{"$numberDecimal":"1E+8"}},"docsReturned":{"sum":{"$numberLong":"2000"}},"keysExamined":{"sum":{"$numberLong":"2000"}},"docsExamined":{"sum":{"$numberLong":"2000"}},"firstSeenTimestamp":{"$date":"2026-01-01T00:00:00Z"},"latestSeenTimestamp":{"$date":"2026-01-01T00:01:40Z"}}}
END
json 'e["seconds"] == 2 and [(o["shape"], o["count"], o["keysExamined"], o["perSecond"]) for o in e["operations"]] ==
	[("{filter: {order: ?}}", 2, 4, 1)]' "$program" workload --json --from-log "$folder/old.log"
json '[(o["shape"], o["docsExamined"], o["p50Millis"], o["planSummary"]) for o in e["operations"]] ==
	[("{filter: {order: ?}}", 680, 12, "COLLSCAN")]' "$program" workload --json --from-log "$folder/profile.txt"
json '[(o["shape"], o["count"], o["docsExamined"], o["bytesRead"], o["meanMicros"], o["maxMillis"], o["p95Millis"], o["perSecond"])
	for o in e["operations"]] == [("{filter: {order: ?}}", 1000, 2000, None, 250, 2, None, 10)]' \
	"$program" workload --json --from-log "$folder/stats.json"
expect 'find shop.items 1,000 2,000 2,000 2,000 — — 0.2 — — 1.9 250' "$program" workload --from-log "$folder/stats.json"
# more shapes and more bytes than memory is granted
python3 - "$folder/large.log" <<'END'
import sys
with open(sys.argv[1], "w") as log:
    for i in range(100000):
        log.write('{"t":{"$date":"2026-01-01T00:00:00.000+00:00"},"s":"I","c":"COMMAND","id":51803,"ctx":"conn1","msg":"Slow query","attr":'
                  '{"type":"command","ns":"shop.items","command":{"find":"items","filter":{"field%d":%d,"pad":"%s"}},"docsExamined":1,'
                  '"durationMillis":%d}}\n' % (i % 20000, i, "x" * 300, i % 5000))
END
# a sanitizer's shadow memory needs more than any limit: there the figures are checked, not the memory
limited='ulimit -v 120000;'
case ${MODE:-release} in asan | tsan) limited= ;; esac
json 'e["records"] == 100000 and len(e["operations"]) == 5001 and sum(o["count"] for o in e["operations"]) == 100000' \
	sh -c "$limited '$program' workload --json --from-log '$folder/large.log'"
# packed, more than memory is granted, through pipes; the first byte of it alone
python3 -c 'import gzip, sys; sys.stdout.buffer.write(gzip.compress(open(sys.argv[1], "rb").read(), 0))' "$folder/large.log" >"$folder/stored.gz"
packed="head -c 1 '$folder/stored.gz'; sleep 0.2; tail -c +2 '$folder/stored.gz'; cat '$folder/stored.gz' '$folder/stored.gz'"
three='e["records"] == 300000 and sum(o["count"] for o in e["operations"]) == 300000'
mkfifo "$folder/pipe"
json "$three" sh -c "{ $packed; } | { $limited '$program' workload --json --from-log -; }"
json "$three" sh -c "{ $packed; } >'$folder/pipe' & $limited '$program' workload --json --from-log '$folder/pipe'"
expect 'cannot be unpacked from packed byte 1000 on: the file ends in the middle' \
	sh -c "head -c 1000 '$folder/stored.gz' | '$program' workload --from-log - 2>&1"
status 1 "$program" workload --from-log "$folder/none"

echo "summary: $count checks, $failed failed"
[ "$failed" = 0 ]
