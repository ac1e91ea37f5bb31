/* SPDX-License-Identifier: Apache-2.0
 * rows_nn.c -- the calls of nn.def. */
#include "coverage/coverage.h"

static kn_array squared(const kn_array *x0) { return kn_mul(*x0, *x0); }
KN_FUNCTION(squared, kn_array, kn_array)

#define TABLE "coverage/nn.def"
#define NAME  rows_nn
#include "coverage/table.h"
