#include "plan/only_planned.h"

static const struct {
	const char *stage, *why;
} never_run[] = {
	{ "$out", "$out writes" },
	{ "$merge", "$merge writes" },
	{ "$mergeCursors", "$mergeCursors is a stage between servers, and running it has ended one" },
};

static const char *find(struct value v, int levels)
{
	const char *why = NULL;
	struct walk w;
	struct field f;

	if (!levels)
		return VALUE_TOO_DEEP;
	walk_begin(&w, v);
	while (!why && walk_next(&w, &f)) {
		for (size_t i = 0; i < sizeof never_run / sizeof *never_run && !why; i++)
			if (key_is(f.key, never_run[i].stage))
				why = never_run[i].why;
		if (!why && (value_is_document(f.value) || value_is_array(f.value)))
			why = find(f.value, levels - 1);
	}
	return why ? why : w.broken;
}

const char *plan_only_planned(struct value command)
{
	return find(command, VALUE_DEPTH_LIMIT);
}
