/* SPDX-License-Identifier: Apache-2.0
 * isa.c -- which compiled form of the joins this CPU runs best; all give the same bits. */
#include "base/cpu.h"
#include "kernel/internal.h"

const knk_joins *knk_joins_best(void)
{
#ifdef KN_HAVE_ISA_VARIANTS
    if (knx_cpu_chosen() != KN_CPU_BASE)
        return &knk_joins_avx2;
#endif
    return &knk_joins_base;
}
