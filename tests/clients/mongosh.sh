#!/bin/sh
# mongosh repeats the published experiments on the bookstore, as 9.0 and as 8.0; HOME is a scratch folder.
. "$(dirname "$0")/server.inc"
need_node mongosh
export HOME="$scratch/home" MONGOSH_FORCE_DISABLE_TELEMETRY=1
mkdir -p "$HOME"
shell="$packages/node_modules/.bin/mongosh"
right=0
for version in 9.0 8.0; do
	for script in embed_or_reference patterns validation; do
		serve --emulate "$version" sample:bookstore
		node "$shell" --quiet --norc --file "$here/figures.js" --file "$here/$script.js" "${uri}bookstore" >"$scratch/out" 2>&1 ||
			{ echo "$script, $version:"; grep -v '^right' "$scratch/out"; failed=yes; }
		survived
		skipped="${skipped-}$(sed -n "s/^skipped: /; $script as $version skipped: /p" "$scratch/out")"
		right=$((right + $(grep -c '^right ' "$scratch/out" || true)))
	done
done
echo "summary: $right published figures right$skipped"
[ -z "${failed-}" ]
