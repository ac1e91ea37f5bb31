/* SPDX-License-Identifier: Apache-2.0
 * isa.c -- asks the processor once which builds of the inner loops it can run. */
#include "routine/isa.h"
#include "base/log.h"
#include <stdatomic.h>
#include <string.h>

static atomic_int most_allowed = KNR_ISA_AVX512;

#if defined(KN_HAVE_ISA_VARIANTS)
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)

static knr_isa_kind ask_processor(void)
{
    const char *wanted = knx_env()->backend; /* KILN_BACKEND */
    __builtin_cpu_init();
    if ((wanted && !strcmp(wanted, "base")) || !HAS("avx2") || !HAS("fma") || !HAS("bmi") || !HAS("bmi2"))
        return KNR_ISA_BASE;
    if ((wanted && !strcmp(wanted, "avx2")) || !HAS("avx512f") || !HAS("avx512vl") || !HAS("avx512bw") ||
        !HAS("avx512dq"))
        return KNR_ISA_AVX2;
    return KNR_ISA_AVX512;
}
#else
static knr_isa_kind ask_processor(void) { return KNR_ISA_BASE; }
#endif

knr_isa_kind knr_isa(void)
{
    static atomic_int known; /* 1 + the answer: two threads that ask at once find the same */
    int answer = atomic_load_explicit(&known, memory_order_relaxed) - 1;
    int most = atomic_load_explicit(&most_allowed, memory_order_relaxed);
    if (answer < 0) {
        answer = ask_processor();
        atomic_store_explicit(&known, answer + 1, memory_order_relaxed);
    }
    return (knr_isa_kind)(answer < most ? answer : most);
}

void knr_isa_limit(knr_isa_kind most) { atomic_store(&most_allowed, (int)most); }
