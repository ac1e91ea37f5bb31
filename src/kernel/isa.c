/* SPDX-License-Identifier: Apache-2.0
 * isa.c -- which compiled form of the inner loops this CPU runs best; all give the same bits. */
#include "base/cpu.h"
#include "kernel/internal.h"
#include <string.h>

static const knk_isa *const forms[] = {
    &knk_isa_base,
#ifdef KN_HAVE_ISA_VARIANTS
    &knk_isa_avx2,
    &knk_isa_avx2,
#endif
};

const knk_isa *knk_isa_named(const char *name)
{
    for (int i = 0; i < (int)(sizeof forms / sizeof *forms) && i <= (int)knx_cpu_best(); i++)
        if (!strcmp(name, forms[i]->name))
            return forms[i];
    return NULL;
}

const knk_isa *knk_isa_best(void) { return forms[knx_cpu_chosen()]; }
