/* SPDX-License-Identifier: Apache-2.0
 * isa.c -- which builds of the inner loops of the routines may run. */
#include "host/routine/isa.h"
#include "base/cpu.h"
#include <stdatomic.h>

_Static_assert((int)KNR_ISA_BASE == (int)KN_CPU_BASE && (int)KNR_ISA_AVX512 == (int)KN_CPU_AVX512, "the same kinds");

static atomic_int most_allowed = KNR_ISA_AVX512;

knr_isa_kind knr_isa(void)
{
    int answer = (int)knx_cpu_chosen(), most = atomic_load_explicit(&most_allowed, memory_order_relaxed);
    return (knr_isa_kind)(answer < most ? answer : most);
}

void knr_isa_limit(knr_isa_kind most) { atomic_store(&most_allowed, (int)most); }
