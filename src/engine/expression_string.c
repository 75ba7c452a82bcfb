#include "engine/expression_internal.h"

const struct operator expression_string_operators[] = { { .name = NULL } };
