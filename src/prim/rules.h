/* SPDX-License-Identifier: Apache-2.0
 * rules.h -- rules and parts of rules that many rows share. */
#ifndef KN_PRIM_RULES_H
#define KN_PRIM_RULES_H
#include "ir/ops.h"
#include "ir/prim.h"

/* Types. Sets of kinds of dtypes for knp_accepts. */
enum {
    KNP_BOOL = 1,
    KNP_INT = 2,
    KNP_UINT = 4,
    KNP_FLOAT = 8,
    KNP_COMPLEX = 16,
    KNP_KEY = 32,
    KNP_INTEGERS = KNP_INT | KNP_UINT,
    KNP_BITS = KNP_BOOL | KNP_INTEGERS,
    KNP_REALS = KNP_INTEGERS | KNP_FLOAT,
    KNP_INEXACT = KNP_FLOAT | KNP_COMPLEX,
    KNP_NUMBERS = KNP_REALS | KNP_COMPLEX,
    KNP_ALL = KNP_NUMBERS | KNP_BOOL | KNP_KEY,
};
unsigned knp_kind(kn_dtype d);                     /* one of the above */
kn_error *knp_accepts(kn_dtype d, unsigned kinds); /* TypeError: does not accept dtype int32 */
/* Result types. knp_type_dims copies the extents into the arena and refuses what is too large for memory; the others
 * share them. knp_type_like: x with another dtype; shape, weak flag and sharding stay. */
kn_error *knp_type_dims(kn_arena *a, kn_dtype d, bool weak, int ndim, const int64_t *dim, kn_type *y);
kn_error *knp_type_like(kn_arena *a, kn_type x, kn_dtype d, kn_type *y);
/* The type of an elementwise result: one dtype, shapes equal or (); weak if all operands are. */
kn_error *knp_join(int n, const kn_type *x, kn_arena *a, kn_type *y);
kn_error *knp_axis_error(int64_t axis, int ndim); /* AxisError: axis 2 is out of bounds for array of dimension 2 */
kn_error *knp_check_axes(kn_ints axes, int ndim); /* in bounds, none twice */
kn_error *knp_check_count(const char *what, kn_ints given, int wanted); /* TypeError unless as many as axes */

/* n atoms that live as long as the builder; NULL after an error of it, which may be this one. */
kn_atom *knp_room(kn_builder *b, size_t n);

/* Derivatives. */
void knp_jvp_linear(const kn_rule *r, const kn_atom *tx, kn_atom *ty); /* the same primitive of the tangents */
void knp_jvp_zero(const kn_rule *r, const kn_atom *tx, kn_atom *ty);   /* constant wherever it is differentiable */
kn_error *knp_transpose_same(const kn_rule *r, const kn_atom *ct, kn_atom *ct_in); /* one operand, its own transpose */
/* The cotangent of an operand of type x: summed if x is a scalar beside arrays. */
kn_atom knp_unbroadcast(kn_builder *b, kn_atom ct, kn_type x);

/* Batching. */
kn_error *knp_batch_elementwise(const kn_rule *r, int64_t size, const int *axis, kn_atom *y, int *axis_out);
/* Of one operand, whose axes in front are for many of the same: one more of them. */
kn_error *knp_batch_in_front(const kn_rule *r, int64_t size, const int *axis, kn_atom *y, int *axis_out);
/* Of rows without operands: never called. */
kn_error *knp_batch_none(const kn_rule *r, int64_t size, const int *axis, kn_atom *y, int *axis_out);
/* Operand i with its batch axis at `to`, broadcast there if it has none. */
kn_atom knp_batched_at(const kn_rule *r, int i, int64_t size, int axis, int to);

/* Axes. */
typedef struct knp_dims {
    int n;
    int64_t v[KN_MAX_NDIM];
} knp_dims; /* extents or axes, by value */
static inline kn_ints knp_ints(const knp_dims *d) { return (kn_ints){d->n, d->v}; }
static inline bool knp_contains(kn_ints axes, int64_t axis)
{
    for (int i = 0; i < axes.n; i++)
        if (axes.v[i] == axis)
            return true;
    return false;
}
knp_dims knp_dims_of(kn_type t);
knp_dims knp_dims_without(kn_type t, int axis);        /* its extents but that one; all for -1 */
knp_dims knp_insert(kn_ints v, int at, int64_t value); /* one more entry in front of v[at] */
knp_dims knp_axes_lift(kn_ints axes, int inserted);    /* the axes after one was put in at `inserted` */
int knp_axes_before(kn_ints axes, int axis);           /* how many of them are smaller */
knp_dims knp_axes_rest(kn_ints axes, int ndim);        /* the axes that are not among them, in order */
knp_dims knp_dims_pick(kn_type t, kn_ints axes);       /* the extents of these axes */
int64_t knp_product(kn_ints v);

/* Views. */
void knp_index_copy(const kn_index *from, int from_axis, kn_index *to, int to_axis);
/* Is each axis of x one or several of y, but for axes of extent 1? Then a reshape can be lowered as an index map. */
bool kn_reshape_splits(const kn_type *x, const kn_type *y);
/* The end of the axes of y from `first` on that have n elements together, with those of extent 1 behind; -1: none. */
int knp_split_axes(int64_t n, const kn_type *y, int first);

/* Costs in scalar operations: of a transcendental function, of one operation per element of operand 0, of views. */
double knp_cost_function(const kn_rule *r);
double knp_cost_input(const kn_rule *r);
double knp_cost_none(const kn_rule *r);

/* Reductions by halving (reduce_any.c): n arrays of one shape, of each the first half joined with the second one, again
 * and again. `join` makes z of x and y (z may be x); `identity`: scalars that make up for a missing row, NULL: it is
 * put behind the others. knp_halve replaces the n arrays x by their reductions over the axes; of no rows that is the
 * identity. */
typedef struct knp_halving knp_halving;
struct knp_halving {
    kn_builder *b;
    int n;
    void (*join)(const knp_halving *h, const kn_atom *x, const kn_atom *y, kn_atom *z);
    const kn_atom *identity;
    const void *env;
};
void knp_halve(const knp_halving *h, kn_ints axes, kn_atom *x);

/* Kernel expressions. The dtype of the nodes that a value travels as: its component, float32 for 16-bit floats, uint32
 * for keys. */
kn_dtype_id knp_node_dtype(kn_dtype d);
/* As knx_convert and as knx_saturate, rounding once; not of keys. */
kn_value2 knp_value_cast(knk_builder *k, kn_dtype from, kn_value2 x, kn_dtype to);
kn_value2 knp_value_saturate(knk_builder *k, kn_dtype from, kn_value2 x, kn_dtype to);
void knp_expr_same(knk_builder *k, const kn_rule *r, kn_value2 *y); /* of KN_IDENTITY rows: the operand */
static inline kn_value2 knp_real(knk_node re) { return (kn_value2){re, KNK_NONE}; }

/* Complex arithmetic and functions on pairs of nodes (complex.c). Branch cuts and signed zeros are C99's. */
kn_value2 knp_complex_neg(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_add(knk_builder *k, kn_value2 x, kn_value2 y);
kn_value2 knp_complex_sub(knk_builder *k, kn_value2 x, kn_value2 y);
kn_value2 knp_complex_mul(knk_builder *k, kn_value2 x, kn_value2 y);
kn_value2 knp_complex_div(knk_builder *k, kn_value2 x, kn_value2 y);
kn_value2 knp_complex_select(knk_builder *k, knk_node pred, kn_value2 yes, kn_value2 no);
kn_value2 knp_complex_sin(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_cos(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_tanh(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_exp(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_log(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_logistic(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_sqrt(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_rsqrt(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_exp2(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_expm1(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_log1p(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_log2(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_log10(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_tan(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_sinh(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_cosh(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_asin(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_acos(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_atan(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_asinh(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_acosh(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_atanh(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_abs(knk_builder *k, kn_value2 x); /* a real value */
kn_value2 knp_complex_sign(knk_builder *k, kn_value2 x);
kn_value2 knp_complex_pow(knk_builder *k, kn_value2 x, kn_value2 y);
kn_value2 knp_complex_integer_pow(knk_builder *k, kn_value2 x, int64_t n);
/* x < y (x <= y) in NumPy's order of complex numbers: real parts first. A bool node; false where a NaN takes part. */
knk_node knp_complex_less(knk_builder *k, kn_value2 x, kn_value2 y, bool or_equal);
/* node / by for 0 <= node <= most, without a division. */
knk_node knp_divide(knk_builder *k, knk_node node, int64_t by, int64_t most);
#endif
