#!/bin/sh
# `schema` end to end: types and odd ones out, from a file and from a server; which documents break a validator, and why; what is named as
# what it is.
set -u
. "$(dirname "$0")/checks.inc"

mkdir -p "$work/dump/shop"
python3 "$here/tree.py" write "$work/dump/shop"
start --port 0 "$work/dump"

for source in "$work/dump" "${uri}shop"; do
	count=$((count + 1))
	"$program" schema --json "$source" >"$work/schema.json" 2>&1
	python3 "$here/tree.py" schema "$work/schema.json" || complain "schema of $source"
done

run schema "$work/dump"
reads 'int 13,319, string 20 string: 7' 'depth 3' '20 documents break the validator' \
	"_id 7 rating bsonType: type did not match: 'five', type string" '_id 1007 rating'

# each kind of rule says where it was broken first
python3 - "$here" "$work/dump/shop" <<'PYTHON'
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from tree import pack
with open(sys.argv[2] + "/rules.bson", "wb") as f:
    f.write(pack([(b"_id", 1), (b"name", b"x"), (b"n", 5)]))
    f.write(pack([(b"_id", 2), (b"n", 5)]))
    f.write(pack([(b"_id", 3), (b"name", b"x"), (b"n", 1)]))
    f.write(pack([(b"_id", 4), (b"name", b"x"), (b"n", 5), (b"items", ([(b"sku", b"a")], [(b"sku", 2)]))]))
    f.write(pack([(b"_id", 5), (b"name", b"x"), (b"n", 5), (b"other", 1)]))
with open(sys.argv[2] + "/rules.metadata.json", "w") as f:
    json.dump({"indexes": [], "options": {"validator": {"$and": [{"n": {"$gt": 2}}, {"$jsonSchema": {
        "required": ["name"], "additionalProperties": False,
        "properties": {"_id": {}, "name": {}, "n": {}, "items": {"items": {"properties": {"sku": {"bsonType": "string"}}}}}}}]}}}, f)
PYTHON
run schema -c rules "$work/dump"
reads '4 documents break the validator' '_id 2 required: missing name' '_id 3 n $gt: comparison failed: 1' \
	'_id 4 items.1.sku bsonType: type did not match: 2, type int' '_id 5 additionalProperties: other'
run schema --json -c rules "$work/dump"
reads '"_id": 4, "path": [ "items", "1", "sku" ], "keyword": "bsonType", "reason": "type did not match"'

# what holds no documents, or none yet, is named as what it is
mkdir "$work/dump/kinds"
: >"$work/dump/kinds/empty.bson"
head -c 0 /dev/null >"$work/dump/kinds/ring.bson"
echo '{"indexes":[],"options":{"capped":true,"size":4096},"type":"collection"}' >"$work/dump/kinds/ring.metadata.json"
echo '{"indexes":[],"options":{"viewOn":"empty","pipeline":[]},"type":"view"}' >"$work/dump/kinds/seen.metadata.json"
echo '{"indexes":[],"options":{"timeseries":{"timeField":"t"}},"type":"timeseries"}' >"$work/dump/kinds/weather.metadata.json"
for report in 'tree empty collection: no documents ring capped: no documents' 'schema empty documents 0 depth 0 ring capped documents 0'; do
	expected=${report#* } report=${report%% *}
	run $report -d kinds "$work/dump"
	reads 'seen view: it holds no documents of its own' 'weather timeseries: it holds no documents of its own' "$expected"
	run $report --json -d kinds "$work/dump"
	reads '"name": "seen", "kind": "view", "remark": "it holds no documents of its own"'
done

summary
