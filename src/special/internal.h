/* SPDX-License-Identifier: Apache-2.0
 * internal.h -- what special functions share: operands of one floating dtype and shape, and arithmetic on them in few
 * letters. They are written once, with the builder's helpers; 16-bit floats are computed in float32. */
#ifndef KN_SPECIAL_INTERNAL_H
#define KN_SPECIAL_INTERNAL_H
#include "kiln/special.h"
#include "lib/internal.h"
#include <math.h>

enum { KNS_MAX_OPERANDS = 4 };

typedef struct kns_call {
    kna_op op;
    kni_builder *b;
    kn_dtype d, result; /* computed in; of the result */
    kn_shape shape;
    kni_atom x[KNS_MAX_OPERANDS];
} kns_call;

/* Begins `name` of n arrays, broadcast together, in their common dtype (integers: as knl_float_for says). TypeError for
 * complex numbers. After an error the atoms are KN_ATOM_NONE; the formulas may go on with them. */
void kns_begin(kns_call *c, const char *name, int n, const kn_array *x);
/* The same, computed in float64 (complex128) whatever the dtype of the result. */
void kns_begin_wide(kns_call *c, const char *name, int n, const kn_array *x);
void kns_begin_complex(kns_call *c, const char *name, kn_array x); /* wide; complex numbers are welcome */
kn_array kns_end(kns_call *c, kni_atom y);
void kns_end_n(kns_call *c, int n, const kni_atom *y, kn_array *out);

static inline kni_atom kns_number(kns_call *c, double v) { return knb_number(c->b, c->d, v); }
/* pred ? yes : no, in the shape of the call; operands from left to right, as those of the builder's helpers */
kni_atom kns_choose(kns_call *c, kni_atom pred, kni_atom yes, kni_atom no);
#define kns_choose(c, pred, yes, no) KNB_3(kns_choose, c, pred, yes, no)
static inline kni_atom kns_plus(kns_call *c, kni_atom x, double v) { return knb_add(c->b, x, kns_number(c, v)); }
static inline kni_atom kns_times(kns_call *c, kni_atom x, double v) { return knb_mul(c->b, x, kns_number(c, v)); }
static inline kni_atom kns_is(kns_call *c, kni_atom x, double v) { return knb_eq(c->b, x, kns_number(c, v)); }
static inline kni_atom kns_above(kns_call *c, kni_atom x, double v) { return knb_gt(c->b, x, kns_number(c, v)); }
static inline kni_atom kns_below(kns_call *c, kni_atom x, double v) { return knb_lt(c->b, x, kns_number(c, v)); }
static inline kni_atom kns_whole(kns_call *c, kni_atom x) { return knb_eq(c->b, x, knb_floor(c->b, x)); }
/* y, rounded where `whole` and small enough to be exact: a result that is an integer by definition. The derivative is
 * that of y. */
kni_atom kns_settle(kns_call *c, kni_atom whole, kni_atom y);

/* x y less the product as it was rounded, in float64; for |x|, |y| < 2^990 */
kni_atom kns_product_error(kns_call *c, kni_atom x, kni_atom y, kni_atom product);
/* coefficient[0] + coefficient[1] x + ... */
kni_atom kns_polynomial(kns_call *c, kni_atom x, int n, const double *coefficient);

/* derive.c: functions whose derivatives are not those of their formulas. */
typedef struct kns_function {
    const char *name;
    int n; /* operands, all of the call's dtype and shape */
    kni_atom (*value)(kns_call *c, const kni_atom *x);
    /* The derivative by operand i where the value is y; KN_ATOM_NONE: that of the formula of the value, in forward
     * mode, so that it may have loops. */
    kni_atom (*slope)(kns_call *c, int i, const kni_atom *x, kni_atom y);
} kns_function;
kni_atom kns_apply(kns_call *c, const kns_function *f, const kni_atom *x);

/* gamma.c */
kni_atom kns_stirling(kns_call *c, kni_atom x); /* what Stirling's formula leaves out of lgamma(x), for x >= 8 */
kni_atom kns_gamma_sign(kns_call *c, kni_atom x);
/* normal.c: of float64 */
kni_atom kns_ndtr(kns_call *c, kni_atom x);
#endif
