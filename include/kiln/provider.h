/* SPDX-License-Identifier: Apache-2.0
 * kiln/provider.h -- devices of the user's (docs/providers.md): a table of functions that allocate, copy and run
 * steps of programs makes one known. Whatever it refuses runs on the host, with the copies that this needs; loops
 * and branches are run step by step.
 *
 * Functions of the table are called by one thread at a time. They must not call Kiln, but for kn_provider_run_here,
 * the functions of kiln/source.h and those on dtypes. Those that return int give 0, or another number: then alloc
 * has no memory (a MemoryError), and the others have lost the device (a RuntimeError); both with what `error` says,
 * if there is such a function. */
/* Made by scripts/make-api.py from api/provider.api. */
/* clang-format off */
#ifndef KILN_PROVIDER_H
#define KILN_PROVIDER_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Steps. What a program does is a list of steps; each is offered to the device once, and begun as often as it
 * runs. */

/* Where a value of a step is: at a byte of a memory that the device gave, or (memory NULL) a number's bits on the
 * host. */
typedef struct kn_provider_place {
    void *memory;
    size_t offset;
    const void *bits;
} kn_provider_place;

/* A map of a kernel says which elements of a buffer a point accesses: offset + sum of stride * index, in elements.
 * There is a stride for each parallel loop, then for each inner one of its stage, then for each loop in its stage. */
typedef struct kn_provider_map {
    int64_t offset;
    const int64_t *stride;
} kn_provider_map;

/* A place of a kernel that moves by data: the addresses of places `place` (place[1] -1: only one) move by `bytes`
 * times the number of dtype `dtype` at place `start`, clamped to 0 .. most. */
typedef struct kn_provider_shift {
    int start, place[2];
    kn_dtype dtype;
    int64_t most, bytes;
} kn_provider_shift;

/* A product: c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, n, k]. Each group is some dimensions, with the
 * strides of the operands and the result, in elements. A window is a dimension of `a` that dimension number m of
 * group m and number k of group k walk together: position = index_m * step + index_k * dilation - low; there is an
 * element if 0 <= position, it is a multiple of base, and position / base < extent: at position / base * stride;
 * else a zero. */
typedef struct kn_provider_group {
    int n;
    const int64_t *extent, *a, *b, *c;
} kn_provider_group;
typedef struct kn_provider_window {
    int m, k;
    int64_t step, dilation, low, base, extent, stride;
} kn_provider_window;
typedef struct kn_provider_product {
    kn_dtype operand, result;
    kn_provider_group batch, m, n, k;
    int64_t a_offset, b_offset, c_offset;
    int n_window;
    const kn_provider_window *window;
    int a, b, c; /* places */
} kn_provider_product;
typedef struct kn_provider_type {
    kn_dtype dtype;
    int ndim;
    const int64_t *dim;
} kn_provider_type;

/* A step. What belongs to other kinds is 0. It lives as long as what `prepare` made of it. */
typedef struct kn_provider_step {
    size_t size_;
    int kind;             /* KN_STEP_KERNEL, KN_STEP_ROUTINE, KN_STEP_PRODUCT, KN_STEP_COPY */
    const char *name;     /* of a routine its primitive ("sort"), else the operations in it */
    int n;                /* places: of a copy to, from; of a kernel buffers; of a routine operands, results, room */
    const size_t *bytes;  /* of the whole value at each place */
    const bool *written;
    const char *text;     /* of a kernel (docs/providers.md); other languages: kiln/source.h */
    int n_extent, n_map, n_stage;
    const int64_t *extent;         /* of the parallel loops */
    const kn_provider_map *map;
    const int64_t *const *inner;   /* per stage: extents of its inner loops, then of the loops in it */
    int n_shift;
    const kn_provider_shift *shift;
    int n_in, n_out;               /* of a routine */
    const kn_provider_type *type;  /* of its operands, then of its results */
    const char *params;            /* "dimension=0 is_stable=True" */
    const kn_provider_product *product;
    size_t copied;                 /* bytes of a copy */
    const void *own;               /* Kiln's */
} kn_provider_step;

/* ---- Devices. */
typedef struct kn_provider {
    size_t size_;
    const char *name;      /* a kind and a number: "mine:0"; copied */
    void *env;             /* the first argument of each function */
    uint32_t no_dtypes;    /* that it does not have: a bit each, by kn_dtype_builtin's numbers (12: float64) */
    int max_buffers;       /* memories that a kernel reads and writes, but for literals; 0: 8 */
    int alignment;         /* of values in a memory, a power of 2 from 64 on; 0: 64 */
    int index_bits;        /* of positions: 32 or 64; 0: 64 */
    bool is_default;       /* programs of this process run there */
    int (*alloc)(void *env, size_t bytes, void **memory);
    void (*free)(void *env, void *memory);
    int (*copy_in)(void *env, void *to, size_t at, const void *from, size_t bytes);
    int (*copy_out)(void *env, void *to, void *from, size_t at, size_t bytes); /* it has ended when it returns */
    int (*copy)(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes);
    const char *(*refuses)(void *env, const kn_provider_step *step); /* why not (copied); NULL: it runs the step */
    int (*prepare)(void *env, const kn_provider_step *step, void **prepared); /* NULL: nothing is prepared */
    void (*discard)(void *env, void *prepared);
    int (*launch)(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at);
    int (*wait)(void *env);             /* until all that was begun has ended; NULL: launches end when they return */
    const char *(*error)(void *env);    /* what went wrong, after a function that failed; NULL: nothing to say */
} kn_provider;
/* makes a device known: 0; -1 and an error if the table lacks a function that it needs (all but prepare, discard,
 * wait and error), a fact makes no sense, the name is taken, there are 16 devices, or this process has registered
 * 512 by now. The table is copied */
KN_API int kn_register_device(const kn_provider *provider);
/* the device goes away: 0; -1 and a ValueError if none of this name was registered. What it prepared is discarded
 * and its memory freed. What arrays have there alone is lost, and whatever asks for it is a RuntimeError; the host's
 * copies are as good as before */
KN_API int kn_unregister_device(const char *name);
/* for functions of a table: runs the step on the host, over values at these addresses of the host (one for each
 * place): 0, or -1 with an error, which becomes that of the launch. Kernels are interpreted */
KN_API int kn_provider_run_here(const kn_provider_step *step, void *const *address);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#endif
#endif
