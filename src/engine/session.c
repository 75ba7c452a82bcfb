#include "engine/session.h"

#include <string.h>

#include "base/bytes.h"

struct session session_of(struct value lsid)
{
	struct value id = value_is_document(lsid) ? value_get(lsid, "id") : value_missing();
	struct session s = { .is_set = false };
	const uint8_t *bytes;
	uint32_t size;
	uint8_t subtype;

	if (id.type != BSON_TYPE_BINARY)
		return s;
	bytes = value_binary(id, &subtype, &size);
	s.is_set = size == sizeof s.id;
	if (s.is_set)
		memcpy(s.id, bytes, sizeof s.id);
	return s;
}

struct session session_of_command(struct value command)
{
	return session_of(value_get(command, "lsid"));
}

bool session_equal(struct session a, struct session b)
{
	return a.is_set && b.is_set && !memcmp(a.id, b.id, sizeof a.id);
}

/* "UUID - USER -  - ": the user is the SHA-256 of no name, in base 64; what may stand behind belongs to transactions. */
static void append(struct bytes *text, struct session s)
{
	for (size_t i = 0; i < sizeof s.id; i++)
		bytes_format(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", s.id[i]);
	bytes_append_text(text, " - 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= -  - ");
}

bool session_check(struct session owner, struct session caller, int64_t cursor_id, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	uint32_t code;

	if (!owner.is_set && !caller.is_set)
		return true;
	if (session_equal(owner, caller))
		return true;
	bytes_format(&text, "Cannot run getMore on cursor %lld, which was ", (long long)cursor_id);
	if (!owner.is_set) {
		code = 50736;
		bytes_append_text(&text, "not created in a session, in session ");
		append(&text, caller);
	} else {
		code = caller.is_set ? 50738 : 50737;
		bytes_append_text(&text, "created in session ");
		append(&text, owner);
		bytes_append_text(&text, caller.is_set ? ", in session " : ", without an lsid");
		if (caller.is_set)
			append(&text, caller);
	}
	error_set(error, ERROR_SERVER, code, "%s", bytes_text(&text));
	bytes_clear(&text);
	return false;
}
