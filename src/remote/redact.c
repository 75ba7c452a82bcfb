#include "remote/redact.h"

#include <stdio.h>
#include <string.h>

#include "bson/print.h"

/* A password this short is found in any text by chance; to replace it there would show it. */
enum { SHORTEST_REPLACED = 4 };

static void append_safe(struct bytes *out, const char *text)
{
	print_text(out, text, strlen(text));
}

void redact_uri(struct bytes *out, const mongoc_uri_t *uri)
{
	const char *srv = driver()->mongoc_uri_get_srv_hostname(uri), *user = driver()->mongoc_uri_get_username(uri);
	const char *db = driver()->mongoc_uri_get_database(uri);

	bytes_append_text(out, srv ? "mongodb+srv://" : "mongodb://");
	if (user && *user) {
		append_safe(out, user);
		bytes_append_text(out, "@");
	}
	if (srv)
		append_safe(out, srv);
	for (const mongoc_host_list_t *h = srv ? NULL : driver()->mongoc_uri_get_hosts(uri); h; h = h->next) {
		append_safe(out, h->host_and_port);
		if (h->next)
			bytes_append_text(out, ",");
	}
	if (db && *db) {
		bytes_append_text(out, "/");
		append_safe(out, db);
	}
}

void redact_source(struct bytes *out, const char *source)
{
	const char *scheme_end = strstr(source, "://"), *at = strrchr(source, '@'), *host;
	mongoc_uri_t *uri = scheme_end ? driver()->mongoc_uri_new(source) : NULL;

	if (uri) {
		redact_uri(out, uri);
		driver()->mongoc_uri_destroy(uri);
		return;
	}
	if (scheme_end)
		print_text(out, source, (size_t)(scheme_end + 3 - source));
	host = at ? at + 1 : scheme_end ? scheme_end + 3 : source;
	if (at)
		bytes_append_text(out, "…@");
	print_text(out, host, strcspn(host, "?"));
}

/* As a connection string has it: everything but letters, digits and -._~ as %XX. */
static void escape(struct bytes *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("-._~", *text) || (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') ||
		    (*text >= 'A' && *text <= 'Z'))
			bytes_append_byte(out, (uint8_t)*text);
		else
			bytes_format(out, "%%%02X", (uint8_t)*text);
	}
}

static void replace(char *text, const char *secret)
{
	size_t length = strlen(secret);

	if (length < SHORTEST_REPLACED)
		return;
	while ((text = strstr(text, secret))) {
		memset(text, '*', length);
		text += length;
	}
}

void redact_password(char *text, const char *password)
{
	struct bytes escaped = BYTES_INIT;

	if (!password)
		return;
	escape(&escaped, password);
	replace(text, password);
	replace(text, bytes_text(&escaped));
	bytes_clear(&escaped);
}
