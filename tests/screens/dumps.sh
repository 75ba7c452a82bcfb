#!/bin/sh
# A dump without a model, one file of it broken, replayed off-screen and compared with golden/: both sizes, and without colour.
# UPDATE=yes writes them anew.
set -u
program=$PWD/${BUILD:-build/release}/bsonscope
here=$PWD/tests/screens
LC_ALL=C.UTF-8 XDG_CONFIG_HOME=/nowhere
export LC_ALL XDG_CONFIG_HOME
unset NO_COLOR
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
differ=0 compared=0

# {_id: N}, {x: N} as BSON
document() { printf "\016\000\000\000\020_id\000\\$(printf %03o "$1")\000\000\000\000"; }
keyless() { printf "\014\000\000\000\020x\000\\$(printf %03o "$1")\000\000\000\000"; }

mkdir -p "$folder/dump/shop"
for i in 1 2 3 4 5; do document $i; done >"$folder/dump/shop/books.bson"
{ document 1; document 2; printf '\240\273\015\000xx'; } >"$folder/dump/shop/broken.bson"
{ document 1; keyless 2; } | gzip >"$folder/dump/shop/keyless.bson.gz"
: >"$folder/dump/shop/nothing.bson"

# replay COLUMNSxLINES GOLDEN OPTION...
replay() {
	size=$1 golden=$here/golden/$2
	shift 2
	rm -f "$folder"/*.txt
	(cd "$folder" && COLUMNS=${size%x*} LINES=${size#*x} "$program" --script "$here/dump.keys" "$@" dump) || differ=1
	for screen in "$folder"/*.txt; do
		if [ "${UPDATE:-}" = yes ]; then
			mkdir -p "$golden"
			cp "$screen" "$golden"
		fi
		diff -u "$golden/${screen##*/}" "$screen" || differ=1
		compared=$((compared + 1))
	done
}

for size in 120x36 80x24; do
	replay $size dump-$size
	replay $size dump-$size --color=never
done
[ $differ = 0 ] && echo "summary: $compared screens"
exit $differ
