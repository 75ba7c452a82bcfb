#include "ui/theme.h"

#include <stdlib.h>
#include <string.h>

struct look {
	short foreground_256, background_256, foreground_8, background_8;
	attr_t attributes, mono_attributes;
};

static const struct look looks[STYLE_COUNT] = {
#define X(name, f256, b256, f8, b8, attributes, mono) { f256, b256, f8, b8, attributes, mono },
	STYLES(X)
#undef X
};

/* Part of the terminal's state: whether it shows colours. */
static bool colored;

bool explorer_color_from_name(const char *name, enum explorer_color *color)
{
	static const char *const names[] = { "auto", "always", "never" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(name, names[i])) {
			*color = (enum explorer_color)i;
			return true;
		}
	return false;
}

void theme_init(enum explorer_color color)
{
	const char *no_color = getenv("NO_COLOR");

	colored = has_colors() && color != EXPLORER_COLOR_NEVER &&
	          (color == EXPLORER_COLOR_ALWAYS || !no_color || !*no_color);
	if (!colored)
		return;
	start_color();
	use_default_colors();
	for (short i = 0; i < STYLE_COUNT; i++) {
		bool many = COLORS >= 256;

		init_pair((short)(i + 1), many ? looks[i].foreground_256 : looks[i].foreground_8,
		          many ? looks[i].background_256 : looks[i].background_8);
	}
}

attr_t theme_attributes(enum style s)
{
	return colored ? looks[s].attributes : looks[s].mono_attributes;
}

short theme_pair(enum style s)
{
	return colored ? (short)(s + 1) : 0;
}
