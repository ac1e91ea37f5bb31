/* SPDX-License-Identifier: Apache-2.0
 * draw.h -- how the functions that draw numbers are written: their beginning (key, dtype, shape, parameters, with
 * JAX's errors), and the samplers that others are made of. Samplers take a key or an array of keys; with an array the
 * samples have its shape, and `shape` is (). */
#ifndef KN_RANDOM_DRAW_H
#define KN_RANDOM_DRAW_H
#include "random/keys.h"

typedef struct knrand_draw {
    kna_op op;
    kn_builder *b;  /* op.b */
    const char *of; /* the function without "random_" */
    kn_atom key;
    kn_dtype d;     /* of the samples */
    kn_shape shape; /* of the samples */
    kn_type full;   /* both; points to `shape` */
} knrand_draw;

/* What dtypes a function gives. */
typedef enum { KNRAND_FLOAT, KNRAND_INEXACT, KNRAND_INTEGER, KNRAND_ANY } knrand_dtypes;

/* Begins `name` ("random_beta"). `given`: the option dtype; NULL is the default float, or int64 for integers. `shape`
 * NULL or KN_SHAPE_NONE: what the parameters broadcast to. ValueError for other dtypes, for parameters that do not fit
 * the shape. False if there is an error; then end with KN_ATOM_NONE. */
bool knrand_begin(knrand_draw *w, const char *name, kn_array key, knrand_dtypes kinds, kn_dtype given,
                  const kn_shape *shape, int n, const kn_array *parameters);
/* ValueError for parameters whose dtype is not safe to cast to the samples' one. */
bool knrand_safe(knrand_draw *w, int n, const kn_array *parameters);
/* A parameter in the samples' dtype: a scalar, or broadcast to their shape. */
kn_atom knrand_parameter(knrand_draw *w, kn_array x);
/* A parameter in its own dtype if that is inexact, else in the default float; not broadcast. */
kn_atom knrand_inexact(knrand_draw *w, kn_array x);
kn_atom knrand_spread(kn_builder *b, kn_atom x, kn_type full); /* nothing for scalars */
bool knrand_join(kn_shape *all, kn_type t); /* broadcasts `all` with the shape of t; false if they do not fit */
/* ValueError unless the shape asked for is the one that it and the parameters' shapes broadcast to */
bool knrand_shape_fits(knrand_draw *w, const kn_shape *given, const kn_shape *joined);
/* w->shape and *batch become the shape asked for, or `batch` if none was; the parameters' batch axes have to fit it */
bool knrand_batch_shape(knrand_draw *w, const kn_shape *given, kn_shape *batch);
bool knrand_not_given(const kn_shape *shape);
kn_shape knrand_shape_and(const kn_shape *shape, int64_t last); /* with one more axis */
kn_array knrand_failed(knrand_draw *w);
static inline kn_atom knrand_number(knrand_draw *w, double v) { return knb_number(w->b, w->d, v); }

/* Of floats: stored bits, 2^-bits, half of that, the smallest normal number. */
typedef struct knrand_form {
    int mantissa;
    double eps, below_one, tiny;
} knrand_form;
knrand_form knrand_form_of(kn_dtype d);

/* Samplers of ir/samples.c, of a shape. */
static inline kn_atom knrand_unit(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape)
{
    return knb_random_unit(b, key, d, shape->ndim, shape->dim);
}
static inline kn_atom knrand_between(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape, kn_atom lo,
                                     kn_atom hi)
{
    return knb_random_uniform(b, key, d, shape->ndim, shape->dim, lo, hi);
}
static inline kn_atom knrand_gauss(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape)
{
    return knb_random_normal(b, key, d, shape->ndim, shape->dim);
}
static inline kn_atom knrand_exponential(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape)
{
    return knb_random_exponential(b, key, d, shape->ndim, shape->dim);
}
/* sample.c: normal numbers, complex ones too */
kn_atom knrand_any_gauss(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape);
/* gumbel.c: mode NULL is "low"; ValueError for others than "low", "high", "highest" */
kn_atom knrand_gumbel(kna_op *op, kn_atom key, kn_dtype d, const kn_shape *shape, const char *mode);
/* discrete.c: -1 or 1; int64 in 0 .. n-1 of w's shape */
kn_atom knrand_rademacher(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape);
kn_atom knrand_below(knrand_draw *w, int64_t n);
/* permutation.c: 0 .. n-1 in random order; the slices of x along an axis in random order */
kn_atom knrand_shuffled_range(kn_builder *b, kn_atom key, int64_t n);
kn_atom knrand_shuffled(kn_builder *b, kn_atom key, kn_atom x, int axis);
/* gamma.c: numbers of Gamma(a, 1), or their logarithms, for scalars a or of the full shape */
kn_atom knrand_gamma(kn_builder *b, kn_atom key, kn_atom a, kn_type full, bool log_space);
/* binomial.c: as many as `n` (of p's dtype, or a scalar) and `p` have elements, of dtype d; a single key */
kn_atom knrand_binomial(kn_builder *b, kn_atom key, kn_atom n, kn_atom p, kn_type full);
#endif
