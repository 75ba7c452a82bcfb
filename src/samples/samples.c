#include "samples/samples.h"

#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "engine/engine.h"
#include "samples/bookstore.h"
#include "samples/library.h"

static const struct sample {
	const char *name, *model_file;
	bool (*load)(struct engine *e, const struct model *model, bson_error_t *error);
} samples[] = {
	{ "bookstore", "queries/bookstore.json", bookstore_load },
	{ "library", "queries/library.json", library_load },
};

enum { SAMPLES = sizeof samples / sizeof *samples };

const char *const *sample_names(void)
{
	static const char *const names[SAMPLES + 1] = { "bookstore", "library", NULL };

	return names;
}

static const struct sample *find(const char *name, bson_error_t *error)
{
	for (size_t i = 0; i < SAMPLES; i++)
		if (!strcmp(samples[i].name, name))
			return &samples[i];
	error_set(error, ERROR_USAGE, 0, "unknown sample \"%s\"; there are: bookstore, library", name);
	return NULL;
}

struct source *sample_open_with(const char *name, const struct model *model, bson_error_t *error)
{
	const struct sample *sample = find(name, error);
	struct engine *e;
	char full_name[32];

	if (!sample)
		return NULL;
	e = engine_new();
	if (!sample->load(e, model, error)) {
		engine_destroy(e);
		return NULL;
	}
	snprintf(full_name, sizeof full_name, "sample:%s", sample->name);
	return source_from_engine(full_name, e);
}

static struct model *read_own_model(const struct sample *sample, bson_error_t *error)
{
	size_t size;
	const char *text = embedded_find(sample->model_file, &size);

	if (text)
		return model_read(sample->model_file, text, size, error);
	error_set(error, ERROR_SYSTEM, 0, "\"%s\" is not part of this program", sample->model_file);
	return NULL;
}

struct source *sample_open(const char *name, struct model **model, bson_error_t *error)
{
	const struct sample *sample = find(name, error);
	struct source *source;

	*model = sample ? read_own_model(sample, error) : NULL;
	if (!*model)
		return NULL;
	source = sample_open_with(name, *model, error);
	if (!source) {
		model_destroy(*model);
		*model = NULL;
	}
	return source;
}

struct source *sample_open_all(bson_error_t *error)
{
	struct engine *e = engine_new();
	bool good = true;

	for (size_t i = 0; good && i < SAMPLES; i++) {
		struct model *model = read_own_model(&samples[i], error);

		good = model && samples[i].load(e, model, error);
		model_destroy(model);
	}
	if (good)
		return source_from_engine("the samples", e);
	engine_destroy(e);
	return NULL;
}
