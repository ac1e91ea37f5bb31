/* SPDX-License-Identifier: Apache-2.0
 * unary.c -- the special functions that are primitives: the rows UNARY_SPECIAL of unary.def. */
#include "lib/internal.h"

#define UNARY(...)
#define UNARY_LAX(...)
#define UNARY_SPECIAL(name, function, traits, ...) \
    kn_array function(kn_array x) { return knl_unary(x, &#function[sizeof "kn_" - 1], knb_##name, traits); }
#include "ir/unary.def"
#undef UNARY
