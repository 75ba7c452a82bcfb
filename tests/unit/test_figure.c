/* Figures: provenance, sums, and how they are shown. */
#include <string.h>

#include "base/cost.h"
#include "base/error.h"
#include "base/figure.h"
#include "base/interrupt.h"
#include "harness/harness.h"

static const char *shown(struct figure f, bool ascii)
{
	static char text[40];

	return figure_format(f, ascii, text, sizeof text);
}

static void test_shown(void)
{
	struct figure at_least = figure_measured(1000);

	at_least.at_least = true;
	ASSERT_TEXT(shown(figure_measured(0), false), "0");
	ASSERT_TEXT(shown(figure_measured(999), false), "999");
	ASSERT_TEXT(shown(figure_measured(1541395), false), "1,541,395");
	ASSERT_TEXT(shown(figure_measured(-123456), false), "-123,456");
	ASSERT_TEXT(shown(figure_measured(INT64_MIN), false), "-9,223,372,036,854,775,808");
	ASSERT_TEXT(shown(figure_unknown(), false), "\u2014");
	ASSERT_TEXT(shown(figure_unknown(), true), "-");
	ASSERT_TEXT(shown(figure_of(5000, PROVENANCE_ESTIMATED), false), "~5,000");
	ASSERT_TEXT(shown(at_least, true), ">=1,000");
}

static void test_sums_give_the_weakest_provenance(void)
{
	struct figure sum = figure_add(figure_measured(1), figure_of(2, PROVENANCE_ESTIMATED));

	CU_ASSERT_EQUAL(sum.value, 3);
	CU_ASSERT_EQUAL(sum.provenance, PROVENANCE_ESTIMATED);
	CU_ASSERT_FALSE(figure_known(figure_add(sum, figure_unknown())));
	sum = figure_add(figure_measured(INT64_MAX), figure_measured(1));
	CU_ASSERT_EQUAL(sum.value, INT64_MAX);
	CU_ASSERT(sum.at_least);
	CU_ASSERT(figure_scale(figure_measured(INT64_MAX / 2), 3).at_least);
	CU_ASSERT_FALSE(figure_known(figure_scale(figure_unknown(), 3)));
}

static void test_costs(void)
{
	struct cost sum = cost_zero(), one = cost_zero(), same;

	one.round_trips = figure_measured(1);
	one.bytes_read = figure_measured(454);
	cost_add(&sum, &one);
	cost_add(&sum, &one);
	CU_ASSERT_EQUAL(sum.round_trips.value, 2);
	CU_ASSERT_EQUAL(sum.bytes_read.value, 908);
	same = sum;
	same.micros = figure_measured(99);
	CU_ASSERT(cost_equal(&sum, &same));
	same.no_ops = figure_measured(1);
	CU_ASSERT_FALSE(cost_equal(&sum, &same));
	same = cost_unknown();
	CU_ASSERT_FALSE(cost_equal(&sum, &same));
}

static void test_codes_have_names(void)
{
	char text[24];

	ASSERT_TEXT(error_code_name(2, text), "BadValue");
	ASSERT_TEXT(error_code_name(59, text), "CommandNotFound");
	ASSERT_TEXT(error_code_name(40324, text), "Location40324");
}

static void test_interrupt(void)
{
	struct interrupt i;

	interrupt_init(&i);
	CU_ASSERT_EQUAL(interrupt_check(&i), INTERRUPT_NONE);
	CU_ASSERT_EQUAL(interrupt_check(NULL), INTERRUPT_NONE);
	atomic_store(&i.deadline_us, interrupt_now_us() - 1);
	CU_ASSERT_EQUAL(interrupt_check(&i), INTERRUPT_DEADLINE);
	interrupt_cancel(&i);
	CU_ASSERT_EQUAL(interrupt_check(&i), INTERRUPT_CANCELLED);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "shown", test_shown },
		{ "sums give the weakest provenance", test_sums_give_the_weakest_provenance },
		{ "costs", test_costs },
		{ "codes have names", test_codes_have_names },
		{ "interrupt", test_interrupt },
		{ NULL, NULL },
	};

	return harness_run("figure", cases);
}
