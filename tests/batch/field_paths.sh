#!/bin/sh
# What people ran into, end to end: which path holds the bytes, and what grows. The letter and digit before a case name the kind of
# report.
set -u
. "$(dirname "$0")/checks.inc"
unset COLUMNS

# json PATH VALUE: of the first collection
json() {
	count=$((count + 1))
	got=$(python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
v = v["collections"][0] if "collections" in v else v
for key in sys.argv[2].split("."): v = v[int(key) if isinstance(v, list) else key]
print(json.dumps(v))' "$work/out" "$1") || complain "no $1"
	[ "$got" = "$2" ] || complain "$1: got $got, expected $2"
}

mkdir -p "$work/dump/shop"
PYTHONDONTWRITEBYTECODE=1 python3 "$here/field_paths.py" "$work/dump/shop" || exit 1

case="a10: the culprit is named"
run tree --document largest -c runs "$work/dump"
has '├─ captured_out 15,900,019 100 %' 'can grow: captured_out, a value of 15,900,019 B, 95 % of the limit; in _id 1' '(2 more)'
run sizes -c runs "$work/dump"
has 'captured_out'

case="b4: ids alone grow, too, but slowly"
run tree -c words "$work/dump"
has 'can grow: editGroup, an array: 500 in 8,406 B, 0.05 % of the limit; ~843,' 'more fit'
run tree --json -c words "$work/dump"
json bytes 8428
# exactly: an id is 12 bytes, a type byte, the index and a terminator
json growing.0.moreFit "$(python3 -c '
size, n = 8428, 500
while size + 14 + len(str(n)) <= 16777216:
    size, n = size + 14 + len(str(n)), n + 1
print(n - 500)')"

case="b10: the share of names"
run tree -c long "$work/dump"
has 'long 838,916 100 %' 'with one letter each it would be 510,004 B less, 61 %'
run tree --json -c long "$work/dump"
json nameBytes.oneLetterSaves $((838916 - 328912))
run tree -c short "$work/dump"
has 'short 328,912 100 %'
hasnt 'with one letter'

case="b11: keys that are data grow as arrays do"
run tree -c logins "$work/dump"
has 'can grow: the document itself, by keys that are data: 200,000 in 4,' '* (~' 'keys)'
case="b11: a text grows"
run tree -c settings "$work/dump"
has 'can grow: markdown, a value of 400,015 B, 2 % of the limit; in _id 400'

case="d13: keys that are data are one path"
run tree -c measures "$work/dump"
has '└─ * (~'
run schema --json -c measures "$work/dump"
count=$((count + 1))
[ "$(wc -c <"$work/out")" -lt 3000 ] || complain "$(wc -c <"$work/out") bytes"
json 'paths.0.path' '["m"]'

summary
