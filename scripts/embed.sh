#!/bin/sh
# Prints a C file that holds the named files as byte arrays.
set -eu
echo '#include "base/embedded.h"'
echo '#include <string.h>'
i=0
for file; do
	echo "static const unsigned char data_$i[] = {"
	od -An -v -tu1 "$file" | sed 's/ *\([0-9][0-9]*\)/\1,/g'
	echo '0};'
	i=$((i + 1))
done
echo 'static const struct { const char *name; const unsigned char *data; size_t size; } files[] = {'
i=0
for file; do
	echo "{ \"$file\", data_$i, sizeof data_$i - 1 },"
	i=$((i + 1))
done
cat <<'C'
{ 0, 0, 0 } };

const char *embedded_find(const char *name, size_t *size_bytes)
{
	for (size_t i = 0; files[i].name; i++) {
		if (!strcmp(files[i].name, name)) {
			*size_bytes = files[i].size;
			return (const char *)files[i].data;
		}
	}
	return 0;
}
C
