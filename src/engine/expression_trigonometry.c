#include "engine/expression_internal.h"

const struct operator expression_trigonometry_operators[] = { { .name = NULL } };
