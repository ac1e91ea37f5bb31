/* SPDX-License-Identifier: Apache-2.0
 * wgsl.h -- kernels as WGSL, the shading language of WebGPU (docs/wgsl.md): the same kernels that the host runs, with
 * the same meaning. The text is a function of the kernel's structure and of the device's facts alone; extents, strides
 * and offsets are words that a launch brings, so one pipeline serves all shapes.
 *
 * Bindings of group 0: number 0 is the uniform block of words (array<vec4<u32>>, a launch's own), number 1 + i is
 * memory i, an array<u32> (array<atomic<u32>> where elements of less than a word are stored). Several buffers of a
 * kernel may lie in one memory: `memory` says which. Word KNW_AT + b says where buffer b begins in its memory, in
 * elements; KNW_PARTS: word KNW_AT + n_buffer where the scratch begins, in words. The entry point is `main`. */
#ifndef KN_WGSL_WGSL_H
#define KN_WGSL_WGSL_H
#include "kernel/kernel.h"

/* Operations on float32 that a device may do in its own way. */
typedef enum knw_operation {
    KNW_ADD,
    KNW_MUL,
    KNW_DIV,
    KNW_SQRT,
    KNW_FMA,
    KNW_COMPARE,
    KNW_CONVERT,
    KNW_OPERATIONS
} knw_operation;

/* What a text may count on: found out by a probe at the start (src/webgpu/probe.c). */
typedef struct knw_facts {
    bool f16;
    uint32_t subgroup; /* invocations that exchange values by themselves: lane / subgroup is which, lane % subgroup
                          where in it, of a workgroup of 64; 0: nobody knows */
    uint32_t lanes, workgroup_bytes;  /* most of a workgroup: invocations, bytes of memory that they share */
    uint32_t most_groups;             /* of a dispatch along one axis */
    uint32_t exact;                   /* a bit per knw_operation: alone it gives IEEE's bits, of subnormals, too */
    bool joins; /* the device's compiler changes chains of operations (contraction, x - x = 0): results that must be
                   rounded are hidden from it */
    bool splits_fma; /* its fma is a product and a sum, each rounded */
    uint32_t most_turns; /* of all loops that an invocation goes through; 0: no limit. Mesa's software Vulkan ends every
                            loop when it has made 65,535 turns in all, and says nothing */
    uint64_t shared_cache; /* bytes: values that go from one dispatch to the next one should not be larger */
} knw_facts;

/* The first words of a launch: workgroups along x; points or workgroups; always 0, unknown to compilers (Mesa's
 * software Vulkan makes constants of some words, and of the first one where it should not: so it is not that one); of
 * the first buffer. */
enum { KNW_ACROSS, KNW_COUNT, KNW_HIDDEN, KNW_AT, KNW_MOST_MEMORIES = 32 };

/* In place of a memory: the elements of a buffer that the kernel only reads, at most so many bytes, are words of the
 * launch (knw_given_word), which begin at a multiple of 4. */
enum { KNW_GIVEN = 255, KNW_GIVEN_BYTES = 16 };

/* How a kernel's points are shared. */
typedef enum knw_mode {
    KNW_POINTS, /* an invocation for each parallel point, which goes through all stages by itself */
    KNW_ROWS,   /* a workgroup of 64 for each parallel point: invocation l is accumulator l of its reductions */
    KNW_PARTS,  /* several dispatches: rows are cut into blocks of 16,384 elements, partial results lie in scratch */
    KNW_COLUMNS /* a workgroup of 64 for 16 adjacent points: four invocations share the 64 accumulators of each */
} knw_mode;

typedef struct knw_request {
    const knk_kernel *kernel;
    const knw_facts *facts;
    bool exact;             /* the host's bits, whatever it costs; else the device's own operations */
    uint8_t mode;           /* knw_mode */
    int part;               /* KNW_PARTS: which dispatch, from 0 on */
    const uint8_t *memory;  /* per buffer of the kernel: in which memory it lies, or KNW_GIVEN; NULL, where no text is
                               asked for: nobody knows */
    int n_memory;           /* of the kernel; KNW_PARTS has one more behind them, the scratch */
} knw_request;

/* The numbers of a launch. */
typedef struct knw_launch {
    const knk_map_values *map;   /* as knk_launch */
    const int64_t *par;
    const int64_t *const *inner;
    /* Per buffer: elements from the beginning of its memory; KNW_PARTS: then words of the scratch. */
    const uint32_t *at;
} knw_launch;

/* NULL, or why there is no text for this kernel, for people ("64-bit floats"). */
const char *knw_refuses(const knk_kernel *k);
/* NULL, or why a launch is too large: its points for 32 bits, its loops for the device. */
const char *knw_too_large(const knk_kernel *k, const knw_facts *facts, const knw_launch *l);
/* Does a device that ends long loops finish a launch in this mode? */
bool knw_fits(const knk_kernel *k, const knw_facts *facts, const knw_launch *l, knw_mode mode);
/* Turns of loops that an invocation makes for one point in this mode, at most. */
uint64_t knw_turns(const knk_kernel *k, const knw_facts *facts, const knw_launch *l, knw_mode mode);
/* Which mode suits a launch; how many dispatches it is; bytes of scratch. */
knw_mode knw_choose(const knk_kernel *k, const knw_facts *facts, const knw_launch *l);
int knw_parts(const knk_kernel *k);
uint64_t knw_scratch_bytes(const knk_kernel *k, const knw_launch *l); /* UINT64_MAX: no memory to find out */
/* The text, knx_alloc'ed; the same request gives the same text. memories: a bit per memory that it declares, bit
 * n_memory for the scratch. */
knx_error *knw_text(const knw_request *r, char **out, uint32_t *memories);
/* How many words the request's uniform block has (a multiple of 4), and the words of a launch; grid: workgroups along x
 * and y (0: nothing to do). */
knx_error *knw_n_words(const knw_request *r, uint32_t *out);
/* Of n_words words, the first of those that buffer b is given in: the last ones, in the order of the buffers. */
uint32_t knw_given_word(const knw_request *r, uint32_t n_words, int b);
knx_error *knw_words(const knw_request *r, const knw_launch *l, uint32_t *words, uint32_t grid[2]);
#endif
