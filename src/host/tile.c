/* SPDX-License-Identifier: Apache-2.0
 * tile.c -- which compiled form of turning this processor runs best. */
#include "host/tile.h"
#include "base/cpu.h"

knh_turn_loop *knh_transpose(void)
{
#ifdef KN_HAVE_ISA_VARIANTS
    static knh_turn_loop *const forms[] = {KNX_ISA_FORMS(knh_transpose)};
    return forms[knx_cpu_chosen()];
#else
    return knh_transpose_base;
#endif
}
