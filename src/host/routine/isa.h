/* SPDX-License-Identifier: Apache-2.0
 * isa.h -- which of the three builds of the *_isa.c files runs on this processor. */
#ifndef KN_HOST_ROUTINE_ISA_H
#define KN_HOST_ROUTINE_ISA_H

typedef enum { KNR_ISA_BASE, KNR_ISA_AVX2, KNR_ISA_AVX512 } knr_isa_kind;

knr_isa_kind knr_isa(void);            /* the best one that was built and that the processor runs */
void knr_isa_limit(knr_isa_kind most); /* tests: not above this one. Results do not depend on it */

/* name_base, name_avx2 or name_avx512, of a file that was built for each: the one that runs here. */
#if defined(KN_HAVE_ISA_AVX512)
#define KNR_BY_ISA(name)                             \
    (*(knr_isa() == KNR_ISA_AVX512 ? &name##_avx512  \
       : knr_isa() == KNR_ISA_AVX2 ? &name##_avx2    \
                                   : &name##_base))
#elif defined(KN_HAVE_ISA_VARIANTS) /* a quick build */
#define KNR_BY_ISA(name) (*(knr_isa() == KNR_ISA_BASE ? &name##_base : &name##_avx2))
#else
#define KNR_BY_ISA(name) name##_base
#endif
#endif
