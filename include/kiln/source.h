/* SPDX-License-Identifier: Apache-2.0
 * kiln/source.h -- kernels as source text, for devices of the user's (kiln/provider.h, docs/providers.md) whose
 * driver compiles one of these languages: WGSL, or C. Functions of a table may call these. */
/* Made by scripts/make-api.py from api/source.api. */
/* clang-format off */
#ifndef KILN_SOURCE_H
#define KILN_SOURCE_H
#include "kiln/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- WGSL, the shading language of WebGPU. */

/* What a text may count on. Each 0 is what any device of WebGPU keeps. Operations on float32 that are not in `exact`
 * are computed with integers, unless `fast` says that the device's own will do, however they round. */
enum {
    KN_EXACT_ADD = 1,
    KN_EXACT_MUL = 2,
    KN_EXACT_DIV = 4,
    KN_EXACT_SQRT = 8,
    KN_EXACT_FMA = 16,
    KN_EXACT_COMPARE = 32,
    KN_EXACT_CONVERT = 64
};
typedef struct kn_wgsl_facts {
    size_t size_;
    int lanes;           /* invocations of a workgroup; 0: 256 */
    int workgroup_bytes; /* that they share; 0: 16384 */
    int most_groups;     /* workgroups along an axis; 0: 65535 */
    int most_turns;     /* of all loops that an invocation goes through; 0: no limit */
    int exact;          /* KN_EXACT_... of those that give IEEE's bits, of subnormal numbers, too */
    bool keeps_chains;  /* the compiler changes no chains of operations: x - x stays what it is */
    bool fast;
} kn_wgsl_facts;

/* A dispatch. Binding 0 of group 0 is the uniform block with these words; binding 1 + i is memory i, of those in
 * `memories` (a bit each), as a storage buffer. Word 3 + p is to be set: where place p begins in its memory, in
 * elements; behind those of all places, if there is scratch, word 3 + n: where that begins, in words of 4 bytes. */
typedef struct kn_wgsl_dispatch {
    const char *text;      /* of a module; the entry point is main */
    uint32_t memories;
    int n_word;            /* a multiple of 4 */
    const uint32_t *word;
    uint32_t groups[2];    /* workgroups along x and y; 0: there is nothing to do */
} kn_wgsl_dispatch;

/* The source of a kernel: dispatches that run one after the other, or C's text. */
typedef struct kn_source {
    size_t size_;
    const char *why;       /* there is none: "64-bit floats"; else NULL */
    int n_dispatch;
    const kn_wgsl_dispatch *dispatch;
    size_t scratch;        /* bytes that its dispatches share, as the last memory; 0: it is not used */
    const char *text;
    void *own;             /* Kiln's */
} kn_source;
/* for functions of a table: the kernel of a step as WGSL: 0, also where there is none and `why` says why; or -1 and
 * an error, and what it fills in is empty. Places of one memory need one binding: memory[p] is the number of place
 * p's memory, below n_memory, which is at most 31. Scratch is memory n_memory. The text depends on the kernel's
 * structure, on the facts and on which places share a memory; numbers are in the words */
KN_API int kn_step_wgsl(const kn_provider_step *step, const kn_wgsl_facts *facts, int n_memory, const uint8_t *memory,
    kn_source *out);

/* ---- C. */
/* for functions of a table: the kernel of a step as C: 0, also where there is none and `why` says why; or -1 and an
 * error. The text needs no header of Kiln and defines one function of this name, which runs all points on one
 * thread; docs/providers.md has its arguments. gcc 12 and clang 14, or later, compile it with -ffp-contract=off; it
 * links libm */
KN_API int kn_step_c(const kn_provider_step *step, const char *name, kn_source *out);
/* gives back what was made for it, and empties it. NULL and an empty one are fine */
KN_API void kn_source_free(kn_source *source);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#endif
#endif
