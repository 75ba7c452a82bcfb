#include "engine/expression_internal.h"

const struct operator expression_pick_operators[] = { { .name = NULL } };
