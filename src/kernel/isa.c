/* SPDX-License-Identifier: Apache-2.0
 * isa.c -- which compiled form of the inner loops this CPU runs best; all give the same bits. */
#include "base/log.h"
#include "kernel/internal.h"
#include <stdatomic.h>
#include <string.h>

const knk_isa *knk_isa_named(const char *name)
{
    if (!strcmp(name, "base"))
        return &knk_isa_base;
#ifdef KN_HAVE_ISA_VARIANTS
    /* Every CPU with AVX2 and FMA has F16C, BMI and LZCNT; clang 14 cannot ask for them by name. */
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (!strcmp(name, "avx2") && avx2)
        return &knk_isa_avx2;
    if (!strcmp(name, "avx512") && avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return &knk_isa_avx512;
#endif
    return NULL;
}

const knk_isa *knk_isa_best(void)
{
    static _Atomic(const knk_isa *) chosen;
    const knk_isa *isa = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (isa)
        return isa;
    const char *backend = knx_env()->backend;
    bool base = backend && !strcmp(backend, "base"), avx2 = backend && !strcmp(backend, "avx2");
    if (!base && !avx2)
        isa = knk_isa_named("avx512");
    if (!isa && !base)
        isa = knk_isa_named("avx2");
    if (!isa)
        isa = &knk_isa_base;
    atomic_store_explicit(&chosen, isa, memory_order_relaxed);
    return isa;
}
