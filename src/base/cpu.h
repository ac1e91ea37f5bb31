/* SPDX-License-Identifier: Apache-2.0
 * cpu.h -- which of the builds of the inner loops this processor runs, and which one is wanted (KILN_BACKEND). All give
 * the same bits. */
#ifndef KN_BASE_CPU_H
#define KN_BASE_CPU_H
#include <stdbool.h>

typedef enum knx_cpu {
    KN_CPU_BASE,  /* what the compiler was told: SSE2 on x86-64 */
    KN_CPU_AVX2,  /* with FMA, F16C, BMI, BMI2, LZCNT */
    KN_CPU_AVX512 /* F, VL, BW, DQ; and AVX2 */
} knx_cpu;

/* The builds of `name` in a *_isa.c file, by knx_cpu. A quick build of the library has none for AVX-512 (KILN_QUICK),
 * and takes the one for AVX2 there. */
#ifdef KN_HAVE_ISA_AVX512
#define KNX_ISA_FORMS(name) name##_base, name##_avx2, name##_avx512
#else
#define KNX_ISA_FORMS(name) name##_base, name##_avx2, name##_avx2
#endif

knx_cpu knx_cpu_best(void);   /* of the processor, in this build */
knx_cpu knx_cpu_chosen(void); /* the best one, or a lower one that KILN_BACKEND (base, avx2) asks for */
bool knx_cpu_vnni(void);     /* AVX512_VNNI as well: sums of products of bytes */
/* AMX for products of bytes: on this CPU, and this process may use it. The first call asks the system, unless KILN_AMX
 * is 0: from then on signal frames of the process are 8 KB larger (docs/decisions.md). */
bool knx_cpu_amx(void);
#endif
