/* SPDX-License-Identifier: Apache-2.0
 * tile.c -- which compiled form of turning this processor runs best. */
#include "host/tile.h"
#include "base/cpu.h"

kng_turn_loop *kng_turn(void)
{
#ifdef KN_HAVE_ISA_VARIANTS
    static kng_turn_loop *const forms[] = {kng_turn_base, kng_turn_avx2, kng_turn_avx512};
    return forms[knx_cpu_chosen()];
#else
    return kng_turn_base;
#endif
}
