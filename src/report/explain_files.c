/* Explain outputs that somebody kept or pasted: files, or standard input. Nothing is opened but them. */
#include "report/report.h"

#include <string.h>

#include "plan/open.h"
#include "report/plan_report.h"

bool report_explain_files(const struct options *o, struct bytes *out, bool *alarm, bson_error_t *error)
{
	struct plan_tree *first = plan_open(o->commands[0], error), *second = NULL;
	bool good = first != NULL;

	if (good && o->diff) {
		second = plan_open(o->commands[1], error);
		good = second != NULL;
	}
	*alarm = good && plan_report_alarm(second ? second : first, o->fail_on);
	if (good && o->diff && o->json)
		plan_report_diff_json(out, first, second);
	else if (good && o->diff)
		plan_report_diff(out, first, second, o->ascii);
	else if (good && o->json)
		plan_report_json(out, first);
	else if (good)
		plan_report_text(out, first, value_missing(), o->ascii);
	plan_tree_destroy(first);
	plan_tree_destroy(second);
	return good;
}
