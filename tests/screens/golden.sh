#!/bin/sh
# Replays keys off-screen and compares the saved screens with those in golden/: both sizes, with Unicode, in ASCII and without colour.
# UPDATE=yes writes them anew.
set -u
program=$PWD/${BUILD:-build/release}/bsonscope
here=$PWD/tests/screens
LC_ALL=C.UTF-8
export LC_ALL
unset NO_COLOR
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
differ=0 compared=0

# replay KEYS COLUMNSxLINES NAME OPTION...: saves in a folder of that name.
replay() {
	keys=$1 size=$2 name=$3
	shift 3
	mkdir -p "$folder/$name"
	(cd "$folder/$name" && COLUMNS=${size%x*} LINES=${size#*x} "$program" --script "$here/$keys.keys" "$@" "sample:${keys##*-}") || {
		echo "$keys.keys ended with status $? at $size"
		differ=1
	}
}

# against NAME GOLDEN
compare() {
	for screen in "$folder/$1"/*.txt; do
		golden=$here/golden/$2/${screen##*/}
		if [ "${UPDATE:-}" = yes ]; then
			mkdir -p "${golden%/*}"
			cp "$screen" "$golden"
		fi
		diff -u "$golden" "$screen" || differ=1
		compared=$((compared + 1))
	done
}

for keys in library bookstore paths-library paths-bookstore growth-library growth-bookstore sizes-bookstore explain-library explain-bookstore; do
	for size in 120x36 80x24; do
		replay $keys $size $keys-$size
		compare $keys-$size $keys-$size
	done
done
# colour carries nothing that the text does not: the same screens without it
mono() {
	replay "$1" "$2" "mono-$1-$2" --color=never
	UPDATE=no compare "mono-$1-$2" "$1-$2"
}
mono library 80x24
for keys in paths-library growth-library growth-bookstore sizes-bookstore explain-library explain-bookstore; do
	mono $keys 120x36
	mono $keys 80x24
done
for keys in library paths-library growth-library growth-bookstore sizes-bookstore explain-library explain-bookstore; do
	replay $keys 80x24 ascii-$keys --ascii
	compare ascii-$keys $keys-80x24-ascii
done
[ $differ = 0 ] && echo "summary: $compared screens"
exit $differ
