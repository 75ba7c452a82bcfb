#!/bin/sh
# `tree` end to end: the figures of a walk that is written elsewhere (tree.py), the same from a file, packed, and from a server.
set -u
. "$(dirname "$0")/checks.inc"

# refuses STATUS TEXT ARGUMENT...: in one line
refuses() {
	fails "$@"
	[ "$(wc -l <"$work/err")" = 1 ] || complain "$*: not one line: $(cat "$work/err")"
}

mkdir -p "$work/dump/shop" "$work/packed/shop"
python3 "$here/tree.py" write "$work/dump/shop"
gzip -c "$work/dump/shop/things.bson" >"$work/packed/shop/things.bson.gz"
start --port 0 "$work/dump"

# the same from each source, and what they must be
"$program" tree --json "$work/dump" >"$work/dump.json" 2>&1
"$program" tree --json "$work/packed" >"$work/packed.json" 2>&1
"$program" tree --json "${uri}shop" >"$work/server.json" 2>&1
checked=$(python3 "$here/tree.py" check "$work/dump.json" "$work/packed.json" "$work/server.json") || complain "figures: $checked"
count=$((count + ${checked:-0}))

# as text
run tree -c things "$work/dump"
has 'database shop' 'path bytes share' '├─ "a.b" 260,000 7 %' 'double 20,000' '└─ "" 40,000' 'null 20,000' '│ └─ * (3 keys) 839,524' 'string 1'
run tree --sort count --top 1 --depth 1 "$work/dump"
has '(6 more)'
run tree --document 12345 "$work/dump"
has 'things 100,199 100 %' '├─ log 100,010 100 %' 'object 1'
run tree --document largest "$work/dump"
has '100,010 100 %'
run tree --ascii -c things "$work/dump"
has '|- "a.b" 260,000' '`- "" 40,000' '| `- * (3 keys)'
LC_ALL=C grep -q '[^ -~]' "$work/out" && complain "--ascii is not: $(cat "$work/out")"

# on a narrow screen columns are left out, then names lose their middle; figures never do
for columns in 60 80 100; do
	COLUMNS=$columns "$program" tree -c things "$work/dump" >"$work/out"
	count=$((count + 1))
	python3 - "$work/out" $columns <<-'PYTHON' || complain "$columns columns: $(cat "$work/out")"
		import sys
		rows = [l for l in open(sys.argv[1], encoding="utf-8").read().split("\n")[2:] if "%" in l and "with one" not in l]
		sys.exit(not (len(rows) == 13 and all(len(l) <= int(sys.argv[2]) and "…" not in l for l in rows)
		              and any("1,700,062" in l for l in rows)))
	PYTHON
done
COLUMNS=50 "$program" tree -c measurements "$work/dump" >"$work/out"
has '界界界'
count=$((count + 1))
python3 - "$work/out" <<'PYTHON' || complain "50 columns: $(cat "$work/out")"
import sys, unicodedata
wide = lambda c: 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
rows = [l[:l.index("%")] for l in open(sys.argv[1], encoding="utf-8") if "%" in l and "with one" not in l]
sys.exit(not (len(rows) == 5 and len({sum(map(wide, l)) for l in rows}) == 1 and any("a_very_" in l and "…" in l and "_indeed" in l for l in rows)))
PYTHON

# a sample says so
run tree --sample 100 "${uri}shop"
has '100 of 20,000 documents sampled' '~20,000'

# what is wrong is one line
refuses 1 'no document 99999 in any of the collections' tree --document 99999 "$work/dump"
refuses 2 'expected a value such as 5' tree --document 'x y' "$work/dump"
refuses 1 'no collection "none"; there are: measurements' tree -c none "$work/dump"
refuses 2 'unknown order "size" for --sort; there are'  tree --sort size "$work/dump"

# by hand: {_k: 'B0000080', …}: 17 bytes a key, of the library's 58,595 copies
run tree -c kopya sample:library
has '4,569,029 100 %' '996,115 22 %'

summary
