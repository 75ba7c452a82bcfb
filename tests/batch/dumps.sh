#!/bin/sh
# Files as sources, end to end: a folder, single files, packed ones, broken ones, models from --queries and from the user's folder.
set -u
. "$(dirname "$0")/checks.inc"

# {_id: N} as BSON
document() { printf "\016\000\000\000\020_id\000\\$(printf %03o "$1")\000\000\000\000"; }

mkdir -p "$work/dump/shop" "$work/config/bsonscope/queries"
for i in 1 2 3; do document $i; done >"$work/dump/shop/books.bson"
printf '{"indexes":[{"v":2,"key":{"_id":1},"name":"_id_"},{"v":2,"key":{"a":-1},"name":"by a"}],"options":{}}' \
	>"$work/dump/shop/books.metadata.json"
{ document 1; document 2; printf '\240\273\015\000xx'; } >"$work/dump/shop/broken.bson"
: >"$work/dump/shop/empty.bson"
printf '[{"_id": 1, "a": "x"},\n {"_id": 2}]' >"$work/dump/shop/list.json"
printf '{"_id": 1}\n{"_id": 2}\n' | gzip >"$work/dump/shop/packed.json.gz"

run sizes "$work/dump"
has 'database shop' 'books collection 3 42 14 14 14 14 14 16,777,202' 'broken collection ≥2 ≥28 ~14' 'empty collection 0 0 — —' \
	'list collection 2 37' 'packed collection 2 28' \
	'broken: broken.bson: offset 28: document length 900000 is past the end of the file'
hasnt 'all figures: exact'
run sizes --json -c broken "$work/dump/shop"
has '"atLeast": [' '"remark": "broken.bson: offset 28: document length 900000 is past the end of the file"'
run sizes "$work/dump/shop/books.bson"
has 'database shop' 'all figures: exact'
run sizes "$work/dump/shop/list.json"
has 'database test' 'list collection 2'

run run "$work/dump" '{"find": "books", "filter": {"_id": 2}}' '{"listIndexes": "books"}' '{"explain": {"find": "books", "filter": {"_id": 2}}}'
has '"firstBatch": [{"_id": 2}]' '{"v": 2, "key": {"a": -1}, "name": "by a"}' '"IDHACK"'

# Commands answer on what is there: a warning says that it is not all.
run run "$work/dump/shop" '{"count": "broken"}'
has '"n": 2'
count=$((count + 1))
grep -qF 'bsonscope: warning: broken is not whole: broken.bson: offset 28: document length 900000 is past the end of the file' "$work/err" ||
	complain "no warning of a broken file: $(cat "$work/err")"

# Without a model there is no workload; with one there is.
fails 1 "no relationships of \"shop\" are known: write them to \"$work/config/bsonscope/queries/shop.json\" or give --queries FILE" \
	workload "$work/dump"
fails 1 'is a model of database "library"; the dump has: shop' workload --queries queries/library.json "$work/dump"
printf '{"database": "shop", "relationships": [], "operations": []' >"$work/config/bsonscope/queries/shop.json"
fails 1 'shop.json:1' workload "$work/dump"
rm "$work/config/bsonscope/queries/shop.json"

# The samples, dumped by hand: the same figures as the samples have.
mkdir "$work/bookstore"
for name in authors books categories customers orders reviews; do
	cp src/samples/bookstore/$name.json "$work/bookstore"
done
gzip "$work/bookstore/orders.json"
"$program" workload --json sample:bookstore | grep -v '"source"\|"millis"' >"$work/expected"
"$program" workload --json --queries queries/bookstore.json "$work/bookstore" | grep -v '"source"\|"millis"' >"$work/out"
count=$((count + 1))
cmp -s "$work/expected" "$work/out" || complain "a folder of .json files: $(diff "$work/expected" "$work/out" | head -n 20)"
"$program" workload --json --queries queries/library.json sample:library | grep -v '"millis"' >"$work/out"
"$program" workload --json sample:library | grep -v '"millis"' >"$work/expected"
count=$((count + 1))
cmp -s "$work/expected" "$work/out" || complain "the sample with its own model as a file differs"

fails 1 'cannot read' sizes "$work/none.bson"
fails 2 'unknown source "dumps"' sizes dumps
printf 'm\342\231\201' >"$work/x.archive"
fails 1 'is an archive of mongodump' sizes "$work/x.archive"
mkdir "$work/nothing"
fails 1 'no .bson and no .json files' sizes "$work/nothing"

summary
