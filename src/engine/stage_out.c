/* $out and $merge: known, and not carried out. */
#include "engine/pipeline_stage.h"

static bool refuse(struct pipeline_parser *p, const char *name)
{
	return pipeline_refuse(p, CODE_NotImplemented, "%s is not supported: results cannot be written to a "
	                       "collection by an aggregation", name);
}

bool stage_out_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	(void)specification;
	return refuse(p, name);
}

bool stage_merge_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	(void)specification;
	return refuse(p, name);
}
