#include "samples/load.h"

bool sample_load(struct engine *e, const struct model *model, const char *collection, struct engine_loader *loader,
                 bson_error_t *error)
{
	struct bytes specifications = BYTES_INIT;
	bson_t indexes;
	bool good;

	model_indexes(model, collection, &specifications);
	bson_init_static(&indexes, specifications.data, specifications.size);
	good = engine_load(e, model->database, collection, model_key(model, collection), &indexes, loader, NULL, error);
	bytes_clear(&specifications);
	return good;
}
