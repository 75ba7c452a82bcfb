#include "engine/expression_internal.h"

const struct operator expression_convert_operators[] = { { .name = NULL } };
