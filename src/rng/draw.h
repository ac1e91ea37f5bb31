/* SPDX-License-Identifier: Apache-2.0
 * draw.h -- how the methods of generators are written: who draws, parameters that broadcast, the size, `out`. */
#ifndef KN_RNG_DRAW_H
#define KN_RNG_DRAW_H
#include "rng/reader.h"

/* A Generator, or a RandomState. */
typedef struct knrng_generator {
    int refs; /* handles */
    knrng_bits *bits;
    knrng_gauss gauss; /* of a RandomState */
    bool legacy;
} knrng_generator;

typedef struct knrng_call {
    kna_op op;
    knrng_generator *g;
    knrng_reader r;
    kn_shape shape; /* of the result */
    bool sized;     /* the size was given */
} knrng_call;

static inline void knrng_set_shape(kn_shape *s, kni_type t)
{
    s->ndim = t.ndim;
    for (int i = 0; i < t.ndim; i++)
        s->dim[i] = t.dim[i];
}
static inline bool knrng_has_shape(kni_type t, int ndim, const int64_t *dim)
{
    bool same = t.ndim == ndim;
    for (int i = 0; i < ndim && same; i++)
        same = t.dim[i] == dim[i];
    return same;
}

/* Begins a method of a kn_rng, or of a kn_random_state; `size` NULL or KN_SHAPE_NONE: not given. False if it
 * failed; end with knrng_failed then. */
bool knrng_begin(knrng_call *c, const char *name, const void *handle, bool legacy, const kn_shape *size);
kn_array knrng_failed(knrng_call *c);
/* borrowed; NULL with the op failed */
knrng_generator *knrng_generator_in(kna_op *op, const void *handle, bool legacy);
/* A new one; the bits are taken over. NULL without memory. */
knrng_generator *knrng_generator_make(knrng_bits *bits, bool legacy);
void knrng_generator_release(knrng_generator *g); /* NULL is fine */
void *knrng_generator_handle(knrng_generator *g); /* takes it over; NULL without memory */
static inline void *knrng_generator_new(knrng_bits *bits, bool legacy)
{
    return knrng_generator_handle(knrng_generator_make(bits, legacy));
}

/* What a parameter must be (NumPy's names: CONS_...). */
typedef enum {
    KNRNG_ANY,
    KNRNG_NOT_NEGATIVE,
    KNRNG_POSITIVE,
    KNRNG_POSITIVE_NOT_NAN,
    KNRNG_0_TO_1,
    KNRNG_ABOVE_0_TO_1,
    KNRNG_0_TO_BELOW_1,
    KNRNG_ABOVE_1,
    KNRNG_FROM_1,
    KNRNG_RATE
} knrng_constraint;

typedef struct knrng_rule {
    const char *name;
    knrng_constraint constraint;
    bool is_count; /* an int64, else a float64 */
    double otherwise; /* its value if it is not given; NaN: it has to be */
} knrng_rule;

/* A parameter: its elements in the type that is drawn with, in C order, and its shape. */
typedef struct knrng_param {
    const knrng_number *v; /* one for each element */
    knrng_number *owned;
    int64_t n;
    kn_shape shape;
} knrng_param;
enum { KNRNG_MAX_PARAMS = 3 };

/* x as that: elements cast as NumPy's rule 'safe' allows. NULL: the value `otherwise`. To be freed by
 * knrng_forget. */
bool knrng_take(knrng_call *c, kn_array x, bool is_count, double otherwise, knrng_param *out);
void knrng_forget(int n, knrng_param *p);
/* NumPy's ValueErrors; `scalars`: they name what is wrong with one number. */
bool knrng_check(kna_op *op, const knrng_param *p, const char *name, knrng_constraint constraint, bool scalars,
                 bool is_count);
static inline bool knrng_all_scalars(int n, const knrng_param *p)
{
    for (int i = 0; i < n; i++)
        if (p[i].shape.ndim)
            return false;
    return true;
}
/* broadcasts `all` with s; false, and nothing done: they do not fit */
bool knrng_join(kn_shape *all, const kn_shape *s);
bool knrng_join_or_fail(kna_op *op, kn_shape *all, const kn_shape *s); /* with a ufunc's error */
/* The shape of the result: the size, or what the parameters broadcast to; NumPy's errors where they do not fit, which
 * number the result before or behind the parameters. */
bool knrng_result_shape(knrng_call *c, int n, const knrng_param *p, bool result_first);
/* Where the elements of parameters lie while one goes through the result. */
typedef struct knrng_walk {
    int ndim, n;
    int64_t index[KN_MAX_NDIM], extent[KN_MAX_NDIM];
    int64_t stride[KNRNG_MAX_PARAMS][KN_MAX_NDIM], at[KNRNG_MAX_PARAMS];
} knrng_walk;
void knrng_walk_begin(knrng_walk *w, const kn_shape *shape, int n, const knrng_param *p);
void knrng_walk_next(knrng_walk *w);

double knrng_kahan_sum(const knrng_number *v, int64_t n); /* choice.c */
/* Room for the result; NULL with the op failed. */
knx_buffer *knrng_room(knrng_call *c, kn_dtype d);
/* `out`, checked as NumPy does it: its memory, and the result has its shape. any_order: Fortran's order will do. */
void *knrng_out(knrng_call *c, kn_array out, kn_dtype d, bool any_order);

/* A distribution, with what RandomState has in its place. */
typedef struct knrng_distribution {
    const char *name;
    int n;
    knrng_rule rule[KNRNG_MAX_PARAMS];
    knrng_real *real, *legacy_real;
    knrng_count *count, *legacy_count;
    /* Of scalars many are made at once: the first parameter plus the second one times these; if there is one parameter,
     * that one times these. Not of a RandomState, unless its numbers are no others. */
    void (*standard)(knrng_reader *r, size_t n, double *out);
} knrng_distribution;
/* The method: parameters that are NULL have their values of the rules. */
kn_array knrng_draw(const knrng_distribution *d, const void *handle, bool legacy, const kn_shape *size, kn_array a,
                    kn_array b, kn_array c);
/* The same where the parameters were taken and checked already; forgets them and ends the call. */
kn_array knrng_draw_taken(knrng_call *c, const knrng_distribution *d, knrng_param *p);
void knrng_fill_real(knrng_call *c, const knrng_distribution *d, const knrng_param *p, size_t n, double *out);
#endif
