#include "ui/file_names.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"

/* Characters that end a word, or begin something, unless \ stands before them. */
static const char special[] = " \\'\"";

static void add_home(struct bytes *out, const char **at)
{
	const char *home = getenv("HOME");

	if (**at != '~' || ((*at)[1] && (*at)[1] != '/' && (*at)[1] != ' ') || !home || !*home)
		return;
	bytes_append_text(out, home);
	++*at;
}

/* One word, from its first character on; where it ends. */
static const char *read_word(const char *at, struct bytes *out)
{
	char quote = 0;

	add_home(out, &at);
	for (; *at && (quote || *at != ' '); at++) {
		if (quote && *at == quote)
			quote = 0;
		else if (!quote && (*at == '"' || *at == '\''))
			quote = *at;
		else
			bytes_append_byte(out, (uint8_t)(*at == '\\' && quote != '\'' && at[1] ? *++at : *at));
	}
	return at;
}

void file_names_split(const char *line, struct file_names *p)
{
	*p = (struct file_names){ .count = 0 };
	for (line += strspn(line, " "); *line; line += strspn(line, " ")) {
		struct bytes word = BYTES_INIT;

		line = read_word(line, &word);
		if (p->count < FILE_NAMES_MOST)
			p->names[p->count] = bytes_take_text(&word);
		bytes_clear(&word);
		p->count++;
	}
}

void file_names_clear(struct file_names *p)
{
	for (size_t i = 0; i < p->count && i < FILE_NAMES_MOST; i++)
		free(p->names[i]);
	p->count = 0;
}

const char *file_names_last_word(const char *line)
{
	const char *word = line;

	while (*word) {
		struct bytes ignored = BYTES_INIT;
		const char *end = read_word(word, &ignored);

		bytes_clear(&ignored);
		if (!*end)
			break;
		word = end + strspn(end, " ");
	}
	return word;
}

bool file_names_can_be_read(const struct file_names *p, bson_error_t *error)
{
	for (size_t i = 0; i < p->count && i < FILE_NAMES_MOST; i++) {
		struct stat s;
		bool keyboard = !strcmp(p->names[i], "-");

		if (keyboard || (stat(p->names[i], &s) == 0 && !S_ISREG(s.st_mode)))
			return error_set(error, ERROR_USAGE, 0, "\"%.200s\" is no file%s", p->names[i],
			                 keyboard ? ": here standard input is the keyboard" : "");
	}
	return true;
}

static void add_escaped(struct bytes *out, const char *name)
{
	for (; *name; name++) {
		if (strchr(special, *name))
			bytes_append_byte(out, '\\');
		bytes_append_byte(out, (uint8_t)*name);
	}
}

static int is_folder(const char *folder, const char *name)
{
	struct bytes path = BYTES_INIT;
	struct stat s;
	int yes;

	bytes_format(&path, "%s/%s", folder, name);
	yes = stat(bytes_text(&path), &s) == 0 && S_ISDIR(s.st_mode);
	bytes_clear(&path);
	return yes;
}

/* Hidden files only for who types the dot. */
static int is_wanted(const char *name, const char *beginning)
{
	return !strncmp(name, beginning, strlen(beginning)) && (*name != '.' || (*beginning == '.' && strcmp(name, ".") && strcmp(name, "..")));
}

void file_names_complete(const char *word, void (*each)(void *context, const char *candidate), void *context)
{
	const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
	struct bytes typed = BYTES_INIT, folder = BYTES_INIT, beginning = BYTES_INIT;
	struct dirent *entry;
	DIR *d;

	bytes_append(&typed, word, (size_t)(name - word));
	read_word(bytes_text(&typed), &folder);
	read_word(name, &beginning);
	d = opendir(folder.size ? bytes_text(&folder) : ".");
	while (d && (entry = readdir(d))) {
		struct bytes candidate = BYTES_INIT;

		if (!is_wanted(entry->d_name, bytes_text(&beginning)))
			continue;
		bytes_append_text(&candidate, bytes_text(&typed));
		add_escaped(&candidate, entry->d_name);
		if (is_folder(folder.size ? bytes_text(&folder) : ".", entry->d_name))
			bytes_append_byte(&candidate, '/');
		each(context, bytes_text(&candidate));
		bytes_clear(&candidate);
	}
	if (d)
		closedir(d);
	bytes_clear(&typed);
	bytes_clear(&folder);
	bytes_clear(&beginning);
}
