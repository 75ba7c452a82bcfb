#!/bin/sh
# Compiles everything with gcc and clang, warnings as errors, and checks the rules that keep the rooms apart.
set -u
status=0
complain() { echo "lint: $1"; status=1; }

sources=$(ls src/*.c src/*/*.c ui/*.c tests/harness/*.c tests/fuzz/fuzz_*.c tests/unit/*.c tests/tools/*.c tests/bench/*.c tests/bench/*/*.c 2>/dev/null)
modules="$(pkg-config --exists mongoc2 2>/dev/null && echo mongoc2 bson2 || echo libmongoc-1.0 libbson-1.0) ncursesw panelw libpcre2-8 zlib"
# shellcheck disable=SC2046,SC2086
for compiler in gcc clang; do
	command -v $compiler >/dev/null 2>&1 || { echo "lint: $compiler not there, skipped"; continue; }
	$compiler -fsyntax-only -Werror -std=c11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -O1 \
		-D_GNU_SOURCE -DBSONSCOPE_VERSION='""' -I. -Isrc -Itests $(pkg-config --cflags $modules) $sources || complain "$compiler warns"
done

# The rooms: who may include what.
grep -nE '#include [<"](n?curses|panel)' -r src && complain "curses below ui/"
grep -nE '#include [<"]mongoc' -r src ui | grep -v '^src/remote/' && complain "libmongoc outside src/remote/"
grep -nE '#include "(model|report|samples|source)' -r src/engine src/bson src/base && complain "engine, bson or base look up"
grep -nE '#include "ui/' -r src | grep -v '^src/main.c' && complain "src/ looks into ui/"
grep -nE '#include "report/' -r ui && complain "ui/ calls report/"

# Style that a compiler does not see.
grep -nP '^.{141,}$' -r src ui --include='*.[ch]' | head -n 20 | grep . && complain "lines over 140 columns"
grep -nE '[[:space:]]+$' -r src ui tests scripts Makefile --include='*.[ch]' --include='*.sh' --include=Makefile | head -n 20 | grep . &&
	complain "space at the end of a line"
grep -nE '\b(TODO|FIXME|XXX|HACK)\b' -r src ui tests --include='*.[ch]' --include='*.sh' && complain "left open"
for file in $(ls src/*.c src/*/*.c ui/*.c); do
	[ "$(wc -l <"$file")" -gt 900 ] && complain "$file has over 900 lines"
done
sh scripts/answers.sh --check || status=1
[ $status = 0 ] && echo "lint: clean"
exit $status
