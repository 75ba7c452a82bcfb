#include "model/path_key.h"

#include <string.h>

enum { HEX_DIGITS = 16, SHORT_HEX = 8, WORD_BYTES = 40, WORD_PARTS = 4 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* 'x' is a hexadecimal digit, '0' a decimal one; other letters are themselves. As much of the pattern as the key has. */
static bool follows(struct key key, const char *pattern)
{
	for (uint32_t i = 0; i < key.size_bytes; i++) {
		char c = key.bytes[i];

		if (pattern[i] == 'x' ? !is_hex(c) : pattern[i] == '0' ? !is_digit(c) : c != pattern[i])
			return false;
	}
	return true;
}

static bool is_number(struct key key)
{
	uint32_t i = key.size_bytes && key.bytes[0] == '-', digits = 0, points = 0;

	for (; i < key.size_bytes; i++) {
		digits += is_digit(key.bytes[i]);
		points += key.bytes[i] == '.';
	}
	return digits && points <= 1 && digits + points + (key.bytes[0] == '-') == key.size_bytes;
}

static bool is_long_hex(struct key key)
{
	uint32_t digits = 0;

	if (key.size_bytes < HEX_DIGITS)
		return false;
	for (uint32_t i = 0; i < key.size_bytes; i++) {
		if (!is_hex(key.bytes[i]))
			return false;
		digits += is_digit(key.bytes[i]);
	}
	return digits > 0;
}

/* 2024-05, 2024-05-17, 2024-05-17T10:20:30.123Z, +02:00 behind; also with / or a space. */
static bool is_date(struct key key)
{
	static const char *const patterns[] = { "0000-00-00", "0000/00/00" };
	struct key date = key;
	char last;

	if (key.size_bytes < 7)
		return false;
	if (key.size_bytes < 10)
		return key.size_bytes == 7 && follows(key, "0000-00");
	date.size_bytes = 10;
	if (!follows(date, patterns[0]) && !follows(date, patterns[1]))
		return false;
	for (uint32_t i = 10; i < key.size_bytes; i++)
		if (!is_digit(key.bytes[i]) && !strchr("T:.+- Z_", key.bytes[i]))
			return false;
	last = key.bytes[key.size_bytes - 1];
	return is_digit(last) || last == 'Z';
}

bool path_key_is_data(struct key key)
{
	return key.size_bytes && (is_number(key) || is_long_hex(key) || is_date(key) ||
	                          (key.size_bytes == 36 && follows(key, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")));
}

/* "deadbeef": hexadecimal digits that happen to be letters only; as a name it would be a rare one. */
static bool may_be_hex(struct key key)
{
	uint32_t i = 0;

	while (i < key.size_bytes && is_hex(key.bytes[i]))
		i++;
	return i == key.size_bytes && key.size_bytes >= SHORT_HEX;
}

bool path_key_is_word(struct key key)
{
	int parts = 0;

	if (may_be_hex(key))
		return false;
	for (uint32_t i = 0; i < key.size_bytes; i++) {
		char c = key.bytes[i];

		if (is_digit(c))
			return false;
		parts += i && c >= 'A' && c <= 'Z' && key.bytes[i - 1] >= 'a' && key.bytes[i - 1] <= 'z';
	}
	return key.size_bytes <= WORD_BYTES && parts < WORD_PARTS;
}
