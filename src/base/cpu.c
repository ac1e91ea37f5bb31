/* SPDX-License-Identifier: Apache-2.0
 * cpu.c -- asks the processor once what it can run. */
#include "base/cpu.h"
#include "base/log.h"
#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(KN_HAVE_ISA_VARIANTS)
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)

static knx_cpu ask_processor(void)
{
    __builtin_cpu_init();
    /* Every CPU with AVX2 and FMA has F16C and LZCNT; clang 14 cannot ask for them by name. */
    if (!HAS("avx2") || !HAS("fma") || !HAS("bmi") || !HAS("bmi2"))
        return KN_CPU_BASE;
    if (!HAS("avx512f") || !HAS("avx512vl") || !HAS("avx512bw") || !HAS("avx512dq"))
        return KN_CPU_AVX2;
    return KN_CPU_AVX512;
}

bool knx_cpu_vnni(void) { return knx_cpu_best() == KN_CPU_AVX512 && HAS("avx512vnni"); }
#else
static knx_cpu ask_processor(void) { return KN_CPU_BASE; }
bool knx_cpu_vnni(void) { return false; }
#endif

static knx_cpu lower_by_wish(knx_cpu best)
{
    const char *wanted = knx_env()->backend; /* KILN_BACKEND */
    if (wanted && !strcmp(wanted, "base"))
        return KN_CPU_BASE;
    return wanted && !strcmp(wanted, "avx2") && best > KN_CPU_AVX2 ? KN_CPU_AVX2 : best;
}

/* 1 + the answers: two threads that ask at once find the same. */
static atomic_int known_best, known_chosen;

knx_cpu knx_cpu_best(void)
{
    int known = atomic_load_explicit(&known_best, memory_order_relaxed);
    if (!known) {
        known = 1 + (int)ask_processor();
        atomic_store_explicit(&known_best, known, memory_order_relaxed);
    }
    return (knx_cpu)(known - 1);
}

knx_cpu knx_cpu_chosen(void)
{
    int known = atomic_load_explicit(&known_chosen, memory_order_relaxed);
    if (!known) {
        known = 1 + (int)lower_by_wish(knx_cpu_best());
        atomic_store_explicit(&known_chosen, known, memory_order_relaxed);
    }
    return (knx_cpu)(known - 1);
}

#if defined(__x86_64__) && defined(__linux__) && defined(SYS_arch_prctl) && defined(KN_HAVE_ISA_VARIANTS)
static bool ask_for_amx(void)
{
    enum { TILE = 1u << 24, INT8 = 1u << 25, STATE = 3u << 17, REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };
    unsigned a, b, c, d, low, high;
    if (knx_env()->no_amx || knx_cpu_best() != KN_CPU_AVX512 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) ||
        (d & (TILE | INT8)) != (TILE | INT8))
        return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0)); /* does the system save it? */
    return (low & STATE) == STATE && syscall(SYS_arch_prctl, REQ_XCOMP_PERM, XTILEDATA) == 0;
}
#else
static bool ask_for_amx(void) { return false; }
#endif

bool knx_cpu_amx(void)
{
    static atomic_int known; /* 1 + the answer */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (!answer) {
        answer = 1 + ask_for_amx();
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer - 1;
}
