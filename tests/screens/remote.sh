#!/bin/sh
# The bookstore behind a server, replayed off-screen and compared with golden/: both sizes, and without colour. The server's port, which
# differs from run to run, is written as 27017. UPDATE=yes writes them anew.
set -u
program=$PWD/${BUILD:-build/release}/bsonscope
serve=$PWD/${BUILD:-build/release}/tests/serve_sample
here=$PWD/tests/screens
queries=$PWD/queries/bookstore.json
LC_ALL=C.UTF-8 XDG_CONFIG_HOME=/nowhere
export LC_ALL XDG_CONFIG_HOME
unset NO_COLOR
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
differ=0 compared=0

# replay COLUMNSxLINES OPTION...
replay() {
	size=$1 golden=$here/golden/remote-$1
	shift
	rm -f "$folder"/*.txt
	(cd "$folder" && COLUMNS=${size%x*} LINES=${size#*x} "$serve" bookstore sh -c 'exec "$@" "${MONGODB_URI}bookstore"' sh \
		"$program" --script "$here/remote.keys" --queries "$queries" "$@") || differ=1
	sed -i 's/\(127\.0\.0\.1\):[0-9]\{5\}/\1:27017/' "$folder"/*.txt
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
	replay $size
	UPDATE=no replay $size --color=never
done
[ $differ = 0 ] && echo "summary: $compared screens"
exit $differ
