#include "model/mentions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void mention(struct mentions *m, struct value name)
{
	char *copy;

	if (name.type != BSON_TYPE_UTF8)
		return;
	for (size_t i = 0; i < m->count; i++)
		if (key_is(value_text(name), m->names[i]))
			return;
	copy = memory_allocate(value_text(name).size_bytes + 1);
	memcpy(copy, value_text(name).bytes, value_text(name).size_bytes);
	copy[value_text(name).size_bytes] = 0;
	m->names = memory_grow(m->names, &m->capacity, m->count + 1, sizeof *m->names);
	m->names[m->count++] = copy;
}

static void mention_text(struct mentions *m, const char *name)
{
	struct arena a;

	arena_init(&a);
	mention(m, value_make_text(&a, name, strlen(name)));
	arena_clear(&a);
}

/* Other collections stand inside pipelines, at any depth that a file can have. */
static void mention_inside(struct mentions *m, struct value document)
{
	struct walk w;
	struct field f;

	walk_begin(&w, document);
	while (walk_next(&w, &f)) {
		if (key_is(f.key, "$unionWith"))
			mention(m, f.value);
		if (!value_is_document(f.value) && !value_is_array(f.value))
			continue;
		if (key_is(f.key, "$lookup") || key_is(f.key, "$graphLookup"))
			mention(m, value_get(f.value, "from"));
		if (key_is(f.key, "$unionWith"))
			mention(m, value_get(f.value, "coll"));
		mention_inside(m, f.value);
	}
}

static void mention_command(struct mentions *m, const struct bytes *command)
{
	struct value document;
	struct walk w;
	struct field first;

	if (!value_document(&document, command->data, command->size))
		return;
	walk_begin(&w, document);
	if (walk_next(&w, &first))
		mention(m, first.value);
	mention_inside(m, document);
}

void mentions_collect(struct mentions *m, const struct model *model)
{
	for (size_t i = 0; i < model->relationship_count; i++) {
		mention_text(m, model->relationships[i].parent);
		if (!model->relationships[i].population)
			mention_text(m, model->relationships[i].child);
	}
	for (size_t i = 0; i < model->operation_count; i++) {
		const struct operation *o = &model->operations[i];

		if (o->draw.size)
			mention_command(m, &o->draw);
		for (size_t s = 0; s < o->set_count; s++)
			for (size_t c = 0; c < o->sets[s].command_count; c++)
				mention_command(m, &o->sets[s].commands[c]);
	}
}

void mentions_clear(struct mentions *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->names[i]);
	free(m->names);
	*m = (struct mentions){ NULL, 0, 0 };
}
