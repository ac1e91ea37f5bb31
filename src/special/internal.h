/* SPDX-License-Identifier: Apache-2.0
 * internal.h -- what special functions share: operands of one floating dtype and shape, and arithmetic on them in few
 * letters. They are written once, with the builder's helpers; 16-bit floats are computed in float32. */
#ifndef KN_SPECIAL_INTERNAL_H
#define KN_SPECIAL_INTERNAL_H
#include "kiln/special.h"
#include "numpy/internal.h"
#include <math.h>

enum { KNS_MAX_OPERANDS = 4 };

typedef struct kns_call {
    kna_op op;
    kn_builder *b;
    kn_dtype d, result; /* computed in; of the result */
    kn_shape shape;
    kn_atom x[KNS_MAX_OPERANDS];
} kns_call;

/* Begins `name` of n arrays, broadcast together, in their common dtype (integers: as knn_float_for says). TypeError for
 * complex numbers. After an error the atoms are KN_ATOM_NONE; the formulas may go on with them. */
void kns_begin(kns_call *c, const char *name, int n, const kn_array *x);
kn_array kns_end(kns_call *c, kn_atom y);
void kns_end_n(kns_call *c, int n, const kn_atom *y, kn_array *out);

static inline kn_atom kns_number(kns_call *c, double v) { return knb_number(c->b, c->d, v); }
/* pred ? yes : no, in the shape of the call */
kn_atom kns_choose(kns_call *c, kn_atom pred, kn_atom yes, kn_atom no);
static inline kn_atom kns_plus(kns_call *c, kn_atom x, double v) { return knb_add(c->b, x, kns_number(c, v)); }
static inline kn_atom kns_times(kns_call *c, kn_atom x, double v) { return knb_mul(c->b, x, kns_number(c, v)); }
static inline kn_atom kns_is(kns_call *c, kn_atom x, double v) { return knb_eq(c->b, x, kns_number(c, v)); }
static inline kn_atom kns_above(kns_call *c, kn_atom x, double v) { return knb_gt(c->b, x, kns_number(c, v)); }
static inline kn_atom kns_below(kns_call *c, kn_atom x, double v) { return knb_lt(c->b, x, kns_number(c, v)); }
static inline kn_atom kns_whole(kns_call *c, kn_atom x) { return knb_eq(c->b, x, knb_floor(c->b, x)); }
/* y, rounded where `whole` and small enough to be exact: a result that is an integer by definition. The derivative is
 * that of y. */
kn_atom kns_settle(kns_call *c, kn_atom whole, kn_atom y);

/* gamma.c */
kn_atom kns_gamma_sign(kns_call *c, kn_atom x);
/* normal.c */
kn_atom kns_ndtr(kns_call *c, kn_atom x);
#endif
