#include "origin.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapping.h"
#include "base/memory.h"
#include "dump/dump.h"
#include "remote/remote.h"
#include "model/listing.h"
#include "samples/samples.h"

static const char sample_prefix[] = "sample:";

static const struct origin_form forms[] = {
	{ "sample:bookstore", "a bookstore of 77 books, 379 orders and 181 reviews (the default)" },
	{ "sample:library", "a library catalogue of 20,000 books and 58,595 copies" },
	{ "FOLDER", "what mongodump wrote: the folder of all databases, or of one" },
	{ "FILE", "one collection, .bson or .json (an array, or a document after the other); also .gz" },
	{ "mongodb://…", "a server; also mongodb+srv://… and HOST[:PORT][/DB]" },
	{ NULL, NULL },
};

const struct origin_form *origin_forms(void)
{
	return forms;
}

/* Models */

static struct model *read_model(const char *path, bson_error_t *error)
{
	struct mapping file;
	struct model *m = NULL;

	if (mapping_open(&file, path, error))
		m = model_read(path, file.size_bytes ? (const char *)file.bytes : "", file.size_bytes, error);
	mapping_close(&file);
	return m;
}

/* ~/.config/bsonscope/queries/DB.json; free() it. */
static char *user_file(const char *db)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct bytes path = BYTES_INIT;

	if (config && *config)
		bytes_format(&path, "%s/bsonscope/queries/%s.json", config, db);
	else
		bytes_format(&path, "%s/.config/bsonscope/queries/%s.json", home ? home : "", db);
	return bytes_take_text(&path);
}

/* The user's file when it is there; a database without one has an empty model. */
static struct model *find_model(const char *db, bson_error_t *error)
{
	char *path = user_file(db);
	struct model *m = access(path, F_OK) == 0 ? read_model(path, error) : model_empty(path, db);

	if (m && strcmp(m->database, db)) {
		error_set(error, ERROR_INPUT, 0, "\"%.200s\" is a model of database \"%s\"; \"%s\" is expected by its name", path, m->database,
		          db);
		model_destroy(m);
		m = NULL;
	}
	free(path);
	return m;
}

/* Sources */

static struct source *fail_unknown(const char *source, bson_error_t *error)
{
	struct bytes known = BYTES_INIT, shown = BYTES_INIT;

	for (const struct origin_form *f = forms; f->form; f++)
		bytes_format(&known, "%s%s", f == forms ? "" : ", ", f->form);
	/* a misspelt scheme has a password behind it all the same */
	remote_display(source, &shown);
	error_set(error, ERROR_USAGE, 0, "unknown source \"%.200s\"; there are: %s", bytes_text(&shown), bytes_text(&known));
	bytes_clear(&known);
	bytes_clear(&shown);
	return NULL;
}

static struct source *open_sample(const struct origin_wish *wish, struct model **model, bson_error_t *error)
{
	const char *name = wish->source + sizeof sample_prefix - 1;
	const char *const *names = sample_names();

	while (*names && strcmp(*names, name))
		names++;
	if (!*names)
		return fail_unknown(wish->source, error);
	if (!wish->queries)
		return sample_open(name, model, error);
	*model = read_model(wish->queries, error);
	return *model ? sample_open_with(name, *model, error) : NULL;
}

/* One database without a name of its own is called as the model calls it. */
static bool settle_name(struct dump_files *files, const struct model *m, bson_error_t *error)
{
	struct bytes known = BYTES_INIT;

	if (!files->is_named)
		dump_files_rename(files, m->database);
	if (dump_files_have(files, m->database))
		return true;
	dump_files_list_databases(files, &known);
	error_set(error, ERROR_INPUT, 0, "\"%.200s\" is a model of database \"%s\"; the dump has: %s", m->name, m->database,
	          bytes_text(&known));
	bytes_clear(&known);
	return false;
}

static struct source *open_dump(const struct origin_wish *wish, struct model **model, bson_error_t *error)
{
	struct dump_files files;
	struct source *s = NULL;

	if (!dump_files_find(wish->source, &files, error))
		return NULL;
	*model = wish->queries ? read_model(wish->queries, error) : find_model(dump_files_database(&files), error);
	if (*model && settle_name(&files, *model, error))
		s = dump_open(wish->source, &files, *model, !wish->sizes_only);
	dump_files_clear(&files);
	return s;
}

static bool begins_with(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

/* HOST[:PORT][/DB]; a word alone is no host but "localhost", or every misspelt name would be looked up. */
static bool is_host(const char *source)
{
	size_t host = strcspn(source, ":/");
	const char *rest = source + host;

	if (!host || strspn(source, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") < host)
		return false;
	if (*rest == ':') {
		size_t port = strspn(rest + 1, "0123456789");

		return port > 0 && (!rest[1 + port] || rest[1 + port] == '/');
	}
	return (host == 9 && begins_with(source, "localhost")) || (memchr(source, '.', host) && source[0] != '.');
}

static bool is_file_name(const char *source)
{
	static const char *const endings[] = { ".bson", ".json", ".gz" };
	size_t length = strlen(source);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t tail = strlen(endings[i]);

		if (length > tail && !strcmp(source + length - tail, endings[i]))
			return true;
	}
	return false;
}

/* The first user database, not one that a server keeps for itself. */
static bool take_own_database(void *context, struct value database, bson_error_t *error)
{
	static const char *const kept[] = { "admin", "config", "local" };
	char **found = context;
	struct key name = value_text(value_get(database, "name"));

	(void)error;
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (key_is(name, kept[i]))
			return true;
	if (!*found)
		*found = memory_duplicate_text(name.bytes);
	return true;
}

/* The first database that the server lists; free() it. */
static char *first_database(struct source *s, bson_error_t *error)
{
	char *found = NULL;

	if (listing_databases(s, take_own_database, &found, NULL, error) && !found)
		error_set(error, ERROR_INPUT, 0, "\"%.200s\" has no database with data; name one: …/DB", s->name);
	return found;
}

/* The database that the connection string names; "admin" stands there for the user's sake. */
static char *server_database(struct source *s, bson_error_t *error)
{
	const char *named = remote_database(s);

	return named && *named && strcmp(named, "admin") ? memory_duplicate_text(named) : first_database(s, error);
}

static struct source *open_server(const struct origin_wish *wish, struct model **model, bson_error_t *error)
{
	const struct remote_options options = { .log_file = getenv("BSONSCOPE_DRIVER_LOG") };
	struct source *s = NULL;
	char *db;

	if (!remote_open(wish->source, &options, &s, error))
		return NULL;
	if (wish->queries) {
		*model = read_model(wish->queries, error);
	} else {
		db = server_database(s, error);
		*model = db ? find_model(db, error) : NULL;
		free(db);
	}
	if (*model)
		return s;
	source_destroy(s);
	return NULL;
}

struct source *origin_open(const struct origin_wish *wish, struct model **model, bson_error_t *error)
{
	const char *source = wish->source;
	struct source *s;
	struct stat status;

	*model = NULL;
	if (begins_with(source, sample_prefix))
		s = open_sample(wish, model, error);
	else if (begins_with(source, "mongodb://") || begins_with(source, "mongodb+srv://"))
		s = open_server(wish, model, error);
	else if (stat(source, &status) == 0 || is_file_name(source))
		s = open_dump(wish, model, error);
	else if (is_host(source))
		s = open_server(wish, model, error);
	else
		s = fail_unknown(source, error);
	if (!s) {
		model_destroy(*model);
		*model = NULL;
	}
	return s;
}
