#include "report/report.h"

#include <string.h>

#include "bson/read.h"
#include "model/explanation.h"
#include "report/plan_report.h"

/* Where it runs: the origin, or the shape that the options name. */
static bool choose_source(struct lab *lab, const struct options *o, struct source **source, const char **db,
                          bson_error_t *error)
{
	const struct relationship *r;

	*source = lab_origin(lab);
	*db = o->db ? o->db : lab_model(lab)->database;
	if (!o->relationship && !o->shape)
		return true;
	if (o->db)
		return error_set(error, ERROR_USAGE, 0,
		                 "a shape has a database of its own: give either --db or --shape");
	r = report_relationship(lab, o, error);
	return r && lab_build(lab, r, report_shape(o), NULL, error) &&
	       (lab_shape_source(lab, r, report_shape(o), source, db) ||
	        error_set(error, ERROR_INPUT, 0, "shape \"%s\" of \"%s\" is not built", shape_name(report_shape(o)),
	                  r->name));
}

static struct plan_tree *explain(struct source *source, const char *db, struct value command,
                                 enum plan_verbosity verbosity, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	struct plan_tree *t = NULL;
	bson_t explain, reply;

	explanation_command(source, command, (struct explaining_wish){ .verbosity = verbosity }, &text);
	bson_init_static(&explain, text.data, text.size);
	if (source_command(source, db, &explain, &reply, NULL, error))
		t = plan_tree_read(value_from_bson(&reply), error);
	bson_destroy(&reply);
	bytes_clear(&text);
	return t;
}

bool report_explain(struct lab *lab, const struct options *o, struct bytes *out, bool *alarm, bson_error_t *error)
{
	enum plan_verbosity verbosity = PLAN_EXECUTION_STATS;
	struct bytes document = BYTES_INIT;
	struct plan_tree *t = NULL;
	struct source *source;
	struct value command;
	const char *db;

	if (o->verbosity)
		plan_verbosity_from_text(o->verbosity, &verbosity);
	if (choose_source(lab, o, &source, &db, error) &&
	    read_shell_document("command", o->commands[0], strlen(o->commands[0]), &document, error) &&
	    value_document(&command, document.data, document.size))
		t = explain(source, db, command, verbosity, error);
	if (t && o->json)
		plan_report_json(out, t);
	else if (t)
		plan_report_text(out, t, command, o->ascii);
	*alarm = t && plan_report_alarm(t, o->fail_on);
	plan_tree_destroy(t);
	bytes_clear(&document);
	return t != NULL;
}
