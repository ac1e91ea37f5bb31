/* SPDX-License-Identifier: Apache-2.0
 * casting.c -- the option .casting of functions: which dtypes may become which. */
#include "lib/internal.h"
#include <string.h>

static const char *const names[] = {"no", "equiv", "safe", "same_kind", "unsafe", "same_value"};

knx_casting knl_casting(kna_op *op, const char *casting, knx_casting otherwise, knx_casting most)
{
    int how = 0;
    if (!casting)
        return otherwise;
    while (how <= (int)most && strcmp(casting, names[how]) != 0)
        how++;
    if (how <= (int)most)
        return (knx_casting)how;
    kna_fail(op, KN_ERROR_VALUE, "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe'%s (got '%s')",
             most == KN_CAST_SAME_VALUE ? ", 'same_value'" : "", casting);
    return otherwise;
}

const char *knl_casting_name(knx_casting how) { return names[how]; }

void knl_cannot_cast(kna_op *op, const char *what, kn_dtype from, kn_dtype to, knx_casting how)
{
    kna_fail(op, KN_ERROR_TYPE, "Cannot cast %s from dtype('%s') to dtype('%s') according to the rule '%s'", what,
             from->name, to->name, names[how]);
}
