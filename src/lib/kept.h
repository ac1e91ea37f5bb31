/* SPDX-License-Identifier: Apache-2.0
 * kept.h -- functions that are called over and over with few elements: their programs are kept by what was called, as
 * kn_jit keeps those of the user's functions. Recording an equation, cutting it out and finding its plan take longer
 * than what it does with ten elements, and a function has up to sixty.
 *
 *     static kn_array ptp(const kn_array *x, const void *options) { ... }
 *
 *     kn_array kn_ptp(kn_array x, const kn_max_opts *opts)
 *     {
 *         KNX_OPTS(kn_max_opts, o, opts);
 *         return knl_kept(&(knl_call){"ptp", ptp, 1, &x, &o, sizeof o});
 *     }
 *
 * The function is the same one everywhere; it looks at no elements of its arrays. */
#ifndef KN_LIB_KEPT_H
#define KN_LIB_KEPT_H
#include "lib/internal.h"

enum { KNL_KEPT_ARRAYS = 6 };
typedef struct knl_call {
    const char *name;
    kn_array (*f)(const kn_array *x, const void *options);
    int n;
    const kn_array *x;   /* any may be NULL */
    const void *options; /* whose bytes say all: without handles of arrays and texts; NULL: there are none */
    size_t bytes;
} knl_call;
/* f(x, options). Outside of traces, where the arrays are few elements that are there, it is recorded once the same has
 * come often (types, C numbers, options), and its program runs from then on. */
kn_array knl_kept(const knl_call *call);
#endif
