#include "fuzz/fuzz.h"

#include "bson/paste.h"
#include "plan/diff.h"
#include "plan/wish.h"
#include "report/plan_report.h"

static void look_at(const struct plan_tree *t)
{
	struct plan_wishes wishes;
	struct bytes out = BYTES_INIT;

	plan_report_json(&out, t);
	plan_report_text(&out, t, value_missing(), false);
	plan_report_diff(&out, t, t, true);
	plan_report_diff_json(&out, t, t);
	plan_report_alarm(t, "scan,sort,spill");
	plan_wishes_find(t, &wishes);
	plan_wishes_clear(&wishes);
	bytes_clear(&out);
}

void fuzz_plan(const uint8_t *bytes, size_t size)
{
	struct paste_document d;
	struct paste paste;

	paste_init(&paste, "fuzz", (const char *)bytes, size);
	while (paste_next(&paste, &d)) {
		bson_error_t error;
		struct plan_tree *t = plan_tree_take(&d.bson, true, &error);

		if (t)
			look_at(t);
		plan_tree_destroy(t);
	}
	paste_clear(&paste);
}
