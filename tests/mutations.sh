#!/bin/sh
# Breaks one counter or rule at a time in a copy of the project and expects the figures tests to notice. Run by hand; takes minutes.
# Usage: sh tests/mutations.sh [NAME...]
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$root/Makefile" "$root/src" "$root/ui" "$root/scripts" "$root/queries" "$root/tests" "$copy"
mkdir -p "$copy/build" && cp -r "$root/build/release" "$copy/build/" 2>/dev/null

# name | file | what is replaced (a sed expression)
mutations='
docs-examined|src/engine/plan_stage.c|s/counters\.docs_examined++/counters.docs_examined += 2/
bytes-read|src/engine/plan_stage.c|s/bytes_read += document.size_bytes/bytes_read += document.size_bytes - 1/
keys-examined|src/engine/plan_stage.c|s/counters\.keys_examined++/counters.keys_examined += 0/
docs-returned|src/engine/cursor.c|s/counters\.docs_returned++/counters.docs_returned += 2/
bytes-returned|src/engine/cursor.c|s/bytes_returned += row/bytes_returned += 1 + row/
get-mores|src/engine/cursor.c|s/counters\.get_mores++/counters.get_mores += 2/
docs-written|src/engine/command_write_document.c|s/counters\.docs_written++/counters.docs_written += 2/
bytes-written|src/engine/command_write_document.c|s/bytes_written += document/bytes_written += 5 + document/
keys-written|src/engine/command_write_document.c|s/keys_written += keys_written/keys_written += 1 + keys_written/
no-ops|src/engine/command_write_document.c|s/counters\.no_ops++/counters.no_ops += 0/
round-trips|src/engine/engine.c|s/round_trips = figure_measured(1)/round_trips = figure_measured(2)/
generator|src/samples/library.c|s/1103515245\.0 + 12345\.0/1103515245.0 + 12346.0/
draw|queries/library.json|s/"\$multiply": \["\$\$change", 7\]/"$multiply": ["$$change", 3]/
field-map|src/model/shape.c|s/write_reference(w, r->fields\[i\].element, NULL, r->fields\[i\].child)/write_reference(w, r->fields[i].child, NULL, r->fields[i].child)/
order|src/model/shape.c|s/if (has_order(r, &order))/if (has_order(r, \&order) \&\& false)/
place|src/model/shape.c|s/if (!r->before_count)/if (true)/
'

tests_notice() {
	(cd "$copy" && BSONSCOPE_CORPUS= BUILD=build/release && export BUILD &&
		make -s all build/release/tests/test_workload build/release/tests/test_shapes build/release/tests/test_samples >log 2>&1 ||
		{ echo "does not build:"; tail -n 5 log; exit 2; }
	 sh tests/batch/figures.sh >log 2>&1 || { echo "noticed by figures.sh"; exit 0; }
	 for unit in samples shapes workload; do
		build/release/tests/test_$unit >log 2>&1 || { echo "noticed by test_$unit"; exit 0; }
	 done
	 exit 1)
}

echo "$mutations" | while IFS='|' read -r name file expression; do
	[ -n "$name" ] || continue
	[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	cp "$root/$file" "$copy/$file"
	sed -i "$expression" "$copy/$file"
	if cmp -s "$root/$file" "$copy/$file"; then
		echo "$name: nothing to replace in $file"
		continue
	fi
	echo "$name: $(tests_notice || echo "NOT NOTICED")"
	cp "$root/$file" "$copy/$file"
	touch "$copy/$file"
done
