#!/bin/sh
# Looks for what the build (and with "test" the tests) needs; installs what is missing where apt is there, else names it.
set -eu

# pkg-config module | header when there is no module | Debian | Fedora | Homebrew
build_needs='
libbson-1.0,bson2||libbson-dev|libbson-devel|mongo-c-driver
libmongoc-1.0,mongoc2||libmongoc-dev|mongo-c-driver-devel|mongo-c-driver
ncursesw||libncurses-dev|ncurses-devel|ncurses
libpcre2-8||libpcre2-dev|pcre2-devel|pcre2
zlib||zlib1g-dev|zlib-devel|zlib
|bid_functions.h|libintelrdfpmath-dev|(no package: Intel Decimal Floating-Point Math Library, from source)|(no package: Intel Decimal Floating-Point Math Library, from source)
'
test_needs='
cunit||libcunit1-dev|CUnit-devel|cunit
'
# command | Debian | Fedora | Homebrew
build_commands='
pkg-config|pkg-config|pkgconf|pkgconf
gcc|gcc|gcc|gcc
'
test_commands='
tmux|tmux|tmux|tmux
python3|python3|python3|python3
'

want_test=no
for argument; do [ "$argument" = test ] && want_test=yes; done
needs=$build_needs commands=$build_commands
[ "$want_test" = yes ] && needs="$needs$test_needs" commands="$commands$test_commands"

missing() {
	debian= fedora= homebrew=
	oldifs=$IFS
	IFS='
'
	for line in $commands; do
		IFS='|' read -r command d f h <<X
$line
X
		command -v "$command" >/dev/null 2>&1 || { debian="$debian $d" fedora="$fedora $f" homebrew="$homebrew $h"; }
	done
	for line in $needs; do
		IFS='|' read -r modules header d f h <<X
$line
X
		found=no
		if [ -n "$header" ]; then
			# eval: CC may be more than one word, and words are not parted here
			echo "#include <$header>" | eval "${CC:-cc} -E -" >/dev/null 2>&1 && found=yes
		else
			IFS=,
			for module in $modules; do
				pkg-config --exists "$module" 2>/dev/null && found=yes
			done
			IFS='
'
		fi
		[ $found = yes ] || { debian="$debian $d" fedora="$fedora $f" homebrew="$homebrew $h"; }
	done
	IFS=$oldifs
}

missing
[ -z "$debian" ] && exit 0

if command -v apt-get >/dev/null 2>&1; then
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	echo "installing:$debian"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086
	$sudo apt-get install -y --no-install-recommends $debian >/dev/null 2>&1 || {
		$sudo apt-get update >/dev/null
		$sudo apt-get install -y --no-install-recommends $debian >/dev/null
	}
	missing
	[ -z "$debian" ] && exit 0
fi
{
	echo "missing packages; please install:"
	echo "  Debian:  $debian"
	echo "  Fedora:  $fedora"
	echo "  Homebrew:$homebrew"
} >&2
exit 1
