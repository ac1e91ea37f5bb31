/* SPDX-License-Identifier: Apache-2.0
 * glsl.h -- kernels as fragment shaders of GLSL ES 3.00, for WebGL 2 (docs/webgl.md). A fragment is one word of a
 * memory that is written: it finds out which point of the kernel writes this word and runs that point. So a kernel
 * is some passes, each over the words of one memory; what a row makes of its elements (reductions), and values that
 * later stages use, lie in memories of their own, the scratch.
 *
 * A memory is a texture of 32-bit words (R32UI) with rows of `width` words. The text is a function of the kernel's
 * structure, of the facts and of whether rows are cut; numbers are words of an array of uniforms, kn_w. */
#ifndef KN_GLSL_GLSL_H
#define KN_GLSL_GLSL_H
#include "wgsl/wgsl.h"

typedef struct kngl_facts {
    knw_facts numbers;
    bool exact;          /* the host's bits, whatever it costs */
    uint32_t width;      /* words of a row of a texture, a power of 2 */
    uint32_t samplers;   /* textures that a pass may read */
    uint32_t uniforms;   /* vectors of four words that a pass may have */
} kngl_facts;

typedef enum {
    KNGL_STORE,  /* what a store of the kernel writes to a buffer */
    KNGL_VALUE,  /* a node's value at each point */
    KNGL_LANES,  /* the 64 accumulators of a reduction, of each block of 16,384 elements of a row */
    KNGL_BLOCKS, /* the values of these blocks */
} kngl_what;

typedef struct kngl_pass {
    uint8_t what;
    bool inner;     /* STORE: of a stage with inner extents */
    knk_node node;
    int first, end; /* stages that its points go through */
    int group;      /* passes of one group read what was there before it */
    uint32_t target; /* memory */
} kngl_pass;

/* What a launch of a kernel is. Memories are numbered: the kernel's buffers, then the scratch. */
typedef struct kngl_plan {
    const knk_kernel *k;
    const kngl_facts *facts;
    const knw_launch *launch; /* at: is not read */
    void *layout;             /* knw_layout */
    kngl_pass *pass;
    uint32_t *value, *lanes, *blocks; /* per node: the memory; 0: none */
    uint8_t *cut;                     /* per stage: its rows are cut into blocks, and these into 64 parts */
    uint64_t *bytes;                  /* of each memory of the scratch */
    int n_pass, n_memory;
    knx_arena arena;
} kngl_plan;

/* why: NULL, or why there are no passes for this launch, for people. The plan is to be freed in every case. */
knx_error *kngl_make_plan(const knk_kernel *k, const kngl_facts *facts, const knw_launch *l, kngl_plan *out,
                         const char **why);
void kngl_free_plan(kngl_plan *p);
/* The text of a pass, knx_alloc'ed; memories: a bit per memory that it reads. */
knx_error *kngl_text(const kngl_plan *p, int pass, char **out, uint64_t *memories);
/* The words of a pass: how many (a multiple of 4), and what they are but for where buffers begin (word KNW_AT + b)
 * and word 0: does it read `kn_old`, what was there? (STORE of elements of less than a word.) */
uint32_t kngl_n_words(const kngl_plan *p, int pass);
void kngl_words(const kngl_plan *p, int pass, uint32_t *words);
/* Which bytes it writes, from the beginning of the buffer, or of the scratch; all: every element in between. */
void kngl_reach(const kngl_plan *p, int pass, uint64_t *from, uint64_t *to, bool *all);
#endif
