/* An execution: the first failure stays, the interrupt is polled every 128 ticks, variables begin missing. */
#include <string.h>

#include "engine/execution.h"
#include "harness/harness.h"

static void test_first_failure(void)
{
	struct execution x;
	bson_error_t other = { 0 };

	execution_init(&x, NULL, "bookstore", NULL);
	CU_ASSERT(execution_tick(&x));
	CU_ASSERT_FALSE(execution_fail(&x, CODE_BadValue, "unknown operator: %s", "$nope"));
	CU_ASSERT_FALSE(execution_fail(&x, CODE_TypeMismatch, "later"));
	error_set(&other, ERROR_SERVER, CODE_Overflow, "later still");
	CU_ASSERT_FALSE(execution_fail_with(&x, &other));
	CU_ASSERT(x.failed);
	CU_ASSERT_EQUAL(x.error.code, CODE_BadValue);
	CU_ASSERT_EQUAL(x.error.domain, ERROR_SERVER);
	ASSERT_TEXT(x.error.message, "unknown operator: $nope");
	CU_ASSERT_FALSE(execution_tick(&x));
	execution_clear(&x);
}

static int ticks_until_failure(struct interrupt *i, uint32_t code)
{
	struct execution x;
	int ticks = 1;

	execution_init(&x, NULL, "bookstore", i);
	while (execution_tick(&x) && ticks < 1000)
		ticks++;
	CU_ASSERT(ticks == 1000 || x.error.code == code);
	execution_clear(&x);
	return ticks;
}

static void test_interrupt(void)
{
	struct interrupt i;

	interrupt_init(&i);
	CU_ASSERT_EQUAL(ticks_until_failure(NULL, 0), 1000);
	CU_ASSERT_EQUAL(ticks_until_failure(&i, 0), 1000);
	atomic_store(&i.deadline_us, interrupt_now_us() - 1);
	CU_ASSERT_EQUAL(ticks_until_failure(&i, CODE_MaxTimeMSExpired), 128);
	atomic_store(&i.deadline_us, 0);
	interrupt_cancel(&i);
	CU_ASSERT_EQUAL(ticks_until_failure(&i, CODE_Interrupted), 128);
}

static void test_variables(void)
{
	struct execution x;

	execution_init(&x, NULL, "bookstore", NULL);
	execution_set_variable(&x, 20, value_null());
	CU_ASSERT_FATAL(x.variable_capacity > 20);
	CU_ASSERT(value_is_missing(x.variables[0]));
	CU_ASSERT(value_is_missing(x.variables[19]));
	CU_ASSERT_EQUAL(x.variables[20].type, BSON_TYPE_NULL);
	execution_set_variable(&x, 3, value_make_bool(true));
	CU_ASSERT_EQUAL(x.variables[20].type, BSON_TYPE_NULL);
	execution_clear(&x);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "the first failure stays", test_first_failure },
		{ "the interrupt is polled every 128 ticks", test_interrupt },
		{ "variables begin missing", test_variables },
		{ NULL, NULL }
	};

	return harness_run("execution", cases);
}
