#include "engine/expression_internal.h"

const struct operator expression_set_operators[] = { { .name = NULL } };
