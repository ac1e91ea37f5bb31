/* SPDX-License-Identifier: Apache-2.0
 * kiln/source.h -- kernels as source text, for devices of the user's (kiln/provider.h, docs/providers.md) whose
 * driver compiles one of these languages: WGSL, GLSL, or C. Functions of a table may call these. */
/* Made by scripts/make-api.py from api/source.api. */
/* clang-format off */
#ifndef KILN_SOURCE_H
#define KILN_SOURCE_H
#include "kiln/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- WGSL, the shading language of WebGPU. */

/* What a text of WGSL may count on. Each 0 is what any device of WebGPU keeps. Operations on float32 that are not in
 * `exact` are computed with integers, unless `fast` says that the device's own will do, however they round. */
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

/* What a text of GLSL may count on. Each 0 is what WebGL 2 promises. Memories are textures of 32-bit words (R32UI),
 * whose rows have `width` words. */
typedef struct kn_glsl_facts {
    size_t size_;
    int width;          /* words of a row of a texture, a power of 2; 0: 2048 */
    int samplers;       /* textures that a pass may read; 0: 16 */
    int uniforms;       /* vectors of four words; 0: 224 */
    int exact;          /* KN_EXACT_... of those that give IEEE's bits, of subnormal numbers, too */
    bool keeps_chains;  /* the compiler changes no chains of operations */
    bool fast;          /* the device's own operations, however they round */
} kn_glsl_facts;

/* A pass: a fragment for each word of memory `target` in the bytes from `from` to `to` of the place (or of the
 * room). Uniform memoryI is the texture of memory I, of those in `memories`; kn_w are the words, of which word 3 + p
 * is to be set: where place p begins in its memory, in elements. Fragments that write nothing are discarded. Passes
 * of one group read what was there before the first of them. A text with a uniform kn_old writes elements of less
 * than a word: if others share these words (not `all` are written, or the place does not begin and end with a word),
 * word 0 is to be 1 and kn_old the target as it was. */
typedef struct kn_glsl_pass {
    const char *text;      /* of a fragment shader, GLSL ES 3.00 */
    uint64_t memories;     /* that it reads */
    int target;            /* the memory that it writes: a place's number, or n + the number of a room */
    int group;
    size_t from, to;       /* equal: there is nothing to do */
    bool all;
    int n_word;            /* a multiple of 4 */
    const uint32_t *word;
} kn_glsl_pass;

/* The source of a kernel: dispatches or passes that run one after the other, or C's text. */
typedef struct kn_source {
    size_t size_;
    const char *why;       /* there is none: "64-bit floats"; else NULL */
    int n_dispatch;
    const kn_wgsl_dispatch *dispatch;
    size_t scratch;        /* bytes that its dispatches share, as the last memory; 0: it is not used */
    const char *text;
    void *own;             /* Kiln's */
    int n_pass;            /* of GLSL */
    const kn_glsl_pass *pass;
    const size_t *element; /* bytes of an element of each place */
    int n_room;
    const size_t *room;    /* bytes of memories n, n + 1, ... that its passes share */
} kn_source;
/* for functions of a table: the kernel of a step as WGSL: 0, also where there is none and `why` says why; or -1 and
 * an error, and what it fills in is empty. Places of one memory need one binding: memory[p] is the number of place
 * p's memory, below n_memory, which is at most 31. Scratch is memory n_memory. The text depends on the kernel's
 * structure, on the facts and on which places share a memory; numbers are in the words */
KN_API int kn_step_wgsl(const kn_provider_step *step, const kn_wgsl_facts *facts, int n_memory, const uint8_t *memory,
    kn_source *out);

/* ---- GLSL ES 3.00, the shading language of WebGL 2. */
/* for functions of a table: the kernel of a step as fragment shaders: 0, also where there are none and `why` says
 * why; or -1 and an error, and what it fills in is empty. Texts depend on the kernel's structure, on the facts and
 * on whether rows are long; numbers are in the words */
KN_API int kn_step_glsl(const kn_provider_step *step, const kn_glsl_facts *facts, kn_source *out);

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
