#include "engine/expression_internal.h"

const struct operator expression_date_operators[] = { { .name = NULL } };
