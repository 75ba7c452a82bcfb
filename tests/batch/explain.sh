#!/bin/sh
# bsonscope explain: the plan as text and as JSON, in the source and in a shape of the lab.
set -u
program=${BUILD:-build/release}/bsonscope
failed=0 count=0

# expect TEXT ARGUMENT...: standard output holds the text
expect() {
	text=$1
	shift
	count=$((count + 1))
	"$program" explain "$@" 2>&1 | tr -s ' ' | grep -qF -- "$text" && return
	echo "$*: expected \"$text\", got:"
	"$program" explain "$@"
	failed=$((failed + 1))
}

# json EXPRESSION ARGUMENT...: a Python expression over the JSON `e` is true
json() {
	expression=$1
	shift
	count=$((count + 1))
	"$program" explain --json "$@" | python3 -c "
import json, sys
e = json.load(sys.stdin)
sys.exit(not ($expression))" && return
	echo "$*: not so: $expression"
	failed=$((failed + 1))
}

detail='{"aggregate": "orders", "pipeline": [{"$match": {"_id": 1}}, {"$lookup": {"from": "order_items", "localField": "_id",
	"foreignField": "orderId", "as": "items"}}], "cursor": {}}'
expect 'IXSCAN kitap_1 5 5' sample:library '{"find": "kopya", "filter": {"kitap": "K-04242"}}'
expect 'examined 5, returned 5: nothing to remark' sample:library '{"find": "kopya", "filter": {"kitap": "K-04242"}}'
expect '! COLLSCAN: collection scan: examined 77, returned 1' '{"find": "books", "filter": {"title": "Dune"}}'
expect '$lookup order_items 2 docs 2 keys 0 collection scans, by orderId_1' --relationship items --shape reference "$detail"
expect 'planned, not run: nothing was counted' --verbosity queryPlanner '{"find": "books"}'
json 'list(e) == ["rootForm", "serverVersion", "engine", "verbosity", "sharded", "returned", "millis", "outer", "lookups", "total",
	"plan", "findings"]' '{"find": "books"}'
json 'e["rootForm"] == "queryPlanner" and e["verbosity"] == "executionStats" and e["sharded"] is False and e["returned"] == 1' \
	'{"find": "orders", "filter": {"_id": 1}}'
json 'e["outer"] == {"keysExamined": 1, "docsExamined": 1} and e["plan"]["stage"] == "IDHACK"' \
	'{"find": "orders", "filter": {"_id": 1}}'
json 'e["rootForm"] == "stages" and e["lookups"] == [{"from": "order_items", "keysExamined": 2, "docsExamined": 2,
	"collectionScans": 0, "indexesUsed": ["orderId_1"]}] and e["total"] == {"keysExamined": 3, "docsExamined": 3, "atLeast": False}' \
	--relationship items --shape reference "$detail"
json '[n["stage"] for n in (e["plan"], e["plan"]["children"][0], e["plan"]["children"][0]["children"][0])] ==
	["$lookup", "$cursor", "IDHACK"]' --relationship items --shape reference "$detail"
json 'e["returned"] is None and e["millis"] is None and e["outer"]["docsExamined"] is None and e["plan"]["docsExamined"] is None and
	[f["code"] for f in e["findings"]] == ["not-run"]' --verbosity queryPlanner '{"find": "books"}'
json 'e["plan"]["stage"] == "UPDATE" and e["plan"]["children"][0]["docsExamined"] == 1' \
	'{"update": "books", "updates": [{"q": {"_id": 26}, "u": {"$set": {"x": 1}}}]}'
json 'e["verbosity"] == "allPlansExecution"' '{"explain": {"find": "books"}, "verbosity": "allPlansExecution"}'
json 'e["plan"]["stage"] == "EOF"' -d nowhere '{"find": "nothing"}'

for wrong in '{"nope": 1}' '{"insert": "books", "documents": [{}]}' '{"find": 1}' 'find'; do
	count=$((count + 1))
	"$program" explain sample:bookstore "$wrong" >/dev/null 2>&1
	[ $? = 1 ] || { echo "$wrong: expected exit 1"; failed=$((failed + 1)); }
done
for wrong in '' '--verbosity some' '-d x --shape embed'; do
	count=$((count + 1))
	# shellcheck disable=SC2086
	"$program" explain $wrong ${wrong:+'{"find":"books"}'} >/dev/null 2>&1
	[ $? = 2 ] || { echo "$wrong: expected exit 2"; failed=$((failed + 1)); }
done
echo "summary: $count checks, $failed failed"
[ $failed = 0 ]
