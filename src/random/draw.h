/* SPDX-License-Identifier: Apache-2.0
 * draw.h -- how the functions that draw numbers are written: their beginning (key, dtype, shape, parameters, with
 * JAX's errors), and the samplers that others are made of. Samplers take a key or an array of keys; with an array the
 * samples have its shape, and `shape` is (). */
#ifndef KN_RANDOM_DRAW_H
#define KN_RANDOM_DRAW_H
#include "random/keys.h"

typedef struct knrandom_draw {
    kna_op op;
    kni_builder *b; /* op.b */
    const char *of; /* the function without "random_" */
    kni_atom key;
    kn_dtype d;     /* of the samples */
    kn_shape shape; /* of the samples */
    kni_type full;  /* both; points to `shape` */
} knrandom_draw;

/* What dtypes a function gives. */
typedef enum { KNRANDOM_FLOAT, KNRANDOM_INEXACT, KNRANDOM_INTEGER, KNRANDOM_ANY } knrandom_dtypes;

/* Begins `name` ("random_beta"). `given`: the option dtype; NULL is the default float, or int64 for integers. `shape`
 * NULL or KN_SHAPE_NONE: what the parameters broadcast to. ValueError for other dtypes, for parameters that do not fit
 * the shape. False if there is an error; then end with KN_ATOM_NONE. */
bool knrandom_begin(knrandom_draw *w, const char *name, kn_array key, knrandom_dtypes kinds, kn_dtype given,
                  const kn_shape *shape, int n, const kn_array *parameters);
/* ValueError for parameters whose dtype is not safe to cast to the samples' one. */
bool knrandom_safe(knrandom_draw *w, int n, const kn_array *parameters);
/* A parameter in the samples' dtype: a scalar, or broadcast to their shape. */
kni_atom knrandom_parameter(knrandom_draw *w, kn_array x);
/* A parameter in its own dtype if that is inexact, else in the default float; not broadcast. */
kni_atom knrandom_inexact(knrandom_draw *w, kn_array x);
kni_atom knrandom_spread(kni_builder *b, kni_atom x, kni_type full); /* nothing for scalars */
bool knrandom_join(kn_shape *all, kni_type t); /* broadcasts `all` with the shape of t; false if they do not fit */
/* ValueError unless the shape asked for is the one that it and the parameters' shapes broadcast to */
bool knrandom_shape_fits(knrandom_draw *w, const kn_shape *given, const kn_shape *joined);
/* w->shape and *batch become the shape asked for, or `batch` if none was; the parameters' batch axes have to fit it */
bool knrandom_batch_shape(knrandom_draw *w, const kn_shape *given, kn_shape *batch);
bool knrandom_not_given(const kn_shape *shape);
kn_shape knrandom_shape_and(const kn_shape *shape, int64_t last); /* with one more axis */
kn_array knrandom_failed(knrandom_draw *w);
static inline kni_atom knrandom_number(knrandom_draw *w, double v) { return knb_number(w->b, w->d, v); }

/* Of floats: stored bits, 2^-bits, half of that, the smallest normal number. */
typedef struct knrandom_form {
    int mantissa;
    double eps, below_one, tiny;
} knrandom_form;
knrandom_form knrandom_form_of(kn_dtype d);

/* Samplers of ir/samples.c, of a shape. */
static inline kni_atom knrandom_unit(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape)
{
    return knb_random_unit(b, key, d, shape->ndim, shape->dim);
}
static inline kni_atom knrandom_between(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape, kni_atom lo,
                                     kni_atom hi)
{
    return knb_random_uniform(b, key, d, shape->ndim, shape->dim, lo, hi);
}
static inline kni_atom knrandom_gauss(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape)
{
    return knb_random_normal(b, key, d, shape->ndim, shape->dim);
}
static inline kni_atom knrandom_exponential(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape)
{
    return knb_random_exponential(b, key, d, shape->ndim, shape->dim);
}
/* sample.c: normal numbers, complex ones too */
kni_atom knrandom_any_gauss(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape);
/* gumbel.c: mode NULL is "low"; ValueError for others than "low", "high", "highest" */
kni_atom knrandom_gumbel(kna_op *op, kni_atom key, kn_dtype d, const kn_shape *shape, const char *mode);
/* discrete.c: -1 or 1; int64 in 0 .. n-1 of w's shape */
kni_atom knrandom_rademacher(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape);
kni_atom knrandom_below(knrandom_draw *w, int64_t n);
/* permutation.c: 0 .. n-1 in random order; the slices of x along an axis in random order */
kni_atom knrandom_shuffled_range(kni_builder *b, kni_atom key, int64_t n);
kni_atom knrandom_shuffled(kni_builder *b, kni_atom key, kni_atom x, int axis);
/* gamma.c: numbers of Gamma(a, 1), or their logarithms, for scalars a or of the full shape */
kni_atom knrandom_gamma(kni_builder *b, kni_atom key, kni_atom a, kni_type full, bool log_space);
/* binomial.c: as many as `n` (of p's dtype, or a scalar) and `p` have elements, of dtype d; a single key */
kni_atom knrandom_binomial(kni_builder *b, kni_atom key, kni_atom n, kni_atom p, kni_type full);
#endif
