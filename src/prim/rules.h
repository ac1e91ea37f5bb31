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
    KNP_STORED = 64, /* float8, int4, ...: moved, and nothing else */
    KNP_INTEGERS = KNP_INT | KNP_UINT,
    KNP_BITS = KNP_BOOL | KNP_INTEGERS,
    KNP_REALS = KNP_INTEGERS | KNP_FLOAT,
    KNP_INEXACT = KNP_FLOAT | KNP_COMPLEX,
    KNP_NUMBERS = KNP_REALS | KNP_COMPLEX,
    KNP_ALL = KNP_NUMBERS | KNP_BOOL | KNP_KEY | KNP_STORED,
};
unsigned knp_kind(kn_dtype d);                     /* one of the above */
knx_error *knp_accepts(kn_dtype d, unsigned kinds); /* TypeError: does not accept dtype int32 */
/* Result types. knp_type_dims copies the extents into the arena and refuses what is too large for memory; the others
 * share them. knp_type_like: x with another dtype; shape, weak flag and sharding stay. */
knx_error *knp_type_dims(knx_arena *a, kn_dtype d, bool weak, int ndim, const int64_t *dim, kni_type *y);
knx_error *knp_type_like(knx_arena *a, kni_type x, kn_dtype d, kni_type *y);
/* The type of an elementwise result: one dtype, shapes equal or (); weak if all operands are. */
knx_error *knp_join(int n, const kni_type *x, knx_arena *a, kni_type *y);
knx_error *knp_axis_error(int64_t axis, int ndim); /* AxisError: axis 2 is out of bounds for array of dimension 2 */
knx_error *knp_check_axes(kni_ints axes, int ndim); /* in bounds, none twice */
knx_error *knp_check_count(const char *what, kni_ints given, int wanted); /* TypeError unless as many as axes */

/* n atoms that live as long as the builder; NULL after an error of it, which may be this one. */
kni_atom *knp_room(kni_builder *b, size_t n);

/* Derivatives. */
void knp_jvp_linear(const kni_rule *r, const kni_atom *tx, kni_atom *ty); /* the same primitive of the tangents */
void knp_jvp_zero(const kni_rule *r, const kni_atom *tx, kni_atom *ty); /* constant wherever it is differentiable */
/* one operand, its own transpose */
knx_error *knp_transpose_same(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in);
/* The cotangent of an operand of type x: summed if x is a scalar beside arrays. */
kni_atom knp_unbroadcast(kni_builder *b, kni_atom ct, kni_type x);

/* `simplify` of add and or: two arrays with zeros between their elements, in turn (interleave.c); KN_ATOM_NONE: no
 * such. */
kni_atom knp_interleaved(const kni_rule *r);

/* Batching. */
knx_error *knp_batch_elementwise(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out);
/* Of one operand, whose axes in front are for many of the same: one more of them. */
knx_error *knp_batch_in_front(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out);
/* Of rows without operands: never called. */
knx_error *knp_batch_none(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out);
/* The elements of x at positions[...] along a dimension, where positions has x's shape but for it (take_along_axis);
 * unique: no position is there twice. */
kni_atom knp_take_along(kni_builder *b, kni_atom x, kni_atom positions, int dimension, bool unique);
/* How often n elements, or about as many as there are, can be halved, and one: the levels of a search or a sort. */
double knp_levels(int64_t n);
/* Operand i with its batch axis at `to`, broadcast there if it has none. */
kni_atom knp_batched_at(const kni_rule *r, int i, int64_t size, int axis, int to);

/* Axes. */
typedef struct knp_dims {
    int n;
    int64_t v[KN_MAX_NDIM];
} knp_dims; /* extents or axes, by value */
static inline kni_ints knp_ints(const knp_dims *d) { return (kni_ints){d->n, d->v}; }
static inline bool knp_contains(kni_ints axes, int64_t axis)
{
    for (int i = 0; i < axes.n; i++)
        if (axes.v[i] == axis)
            return true;
    return false;
}
knp_dims knp_dims_of(kni_type t);
knp_dims knp_dims_without(kni_type t, int axis);       /* its extents but that one; all for -1 */
knp_dims knp_insert(kni_ints v, int at, int64_t value); /* one more entry in front of v[at] */
knp_dims knp_axes_lift(kni_ints axes, int inserted);   /* the axes after one was put in at `inserted` */
int knp_axes_before(kni_ints axes, int axis);          /* how many of them are smaller */
knp_dims knp_axes_rest(kni_ints axes, int ndim);       /* the axes that are not among them, in order */
knp_dims knp_dims_pick(kni_type t, kni_ints axes);     /* the extents of these axes */
int64_t knp_product(kni_ints v);
int64_t knp_common_divisor(int64_t x, int64_t y); /* the greatest one; of 0 and x: x */

/* Views. */
void knp_index_copy(const kni_index *from, int from_axis, kni_index *to, int to_axis);
/* Is each axis of x one or several of y, but for axes of extent 1? Then a reshape can be lowered as an index map. */
bool knp_reshape_splits(const kni_type *x, const kni_type *y);
/* The end of the axes of y from `first` on that have n elements together, with those of extent 1 behind; -1: none. */
int knp_split_axes(int64_t n, const kni_type *y, int first);

/* Spreading (spread.c). The columns of rows whose axes simply correspond. */
/* The first n axes of all operands and results are parallel; operands in `without` (a bit each) have none of them. */
void knp_spread_first(const kni_rule *r, kni_spread *s, int n, uint32_t without);
/* Axis d of operand i and axis e of result j: parallel, of this extent. */
kni_factor *knp_spread_pair(kni_spread *s, int64_t extent, int i, int d, int j, int e);
/* All operands and results with as many axes as operand 0 have the same ones, parallel where `axes` does not name them.
 * */
void knp_spread_but(const kni_rule *r, kni_spread *s, kni_ints axes);
/* The axes of the first n operands that `axes` does not name are those of all results, in order. */
void knp_spread_rest(const kni_rule *r, kni_spread *s, int n, kni_ints axes);
void knp_spread_matrices(const kni_rule *r, kni_spread *s); /* stacks of matrices and of vectors: the axes in front */
/* A list of a copy of parameters, to be changed by `resize`. */
static inline int64_t *knp_list(kni_ints v) { return (int64_t *)(uintptr_t)v.v; }
void knp_resize_list(kni_ints v, const int64_t *dim); /* becomes these extents */

/* A halo (ir/spread.h) along axis d of operand i and axis e of the result, which has `size` elements there. */
kni_factor *knp_spread_halo(kni_spread *s, int64_t size, int i, int d, int e, int64_t step, int64_t low, int64_t high);
/* KNI_ONE along axis d of operand 0 (KNI_OR of truth values), of dtypes with a zero. NULL: there is none, too. */
kni_factor *knp_spread_one(const kni_rule *r, kni_spread *s, int d);
/* For `local`: the number of the factor that axis d of operand i is in, -1: none that is cut. */
int knp_cut_factor(const kni_local *l, int i, int d);
bool knp_has_window(const kni_local *l, int i, int d); /* of a halo: the operand is a window there */
/* Where along the axis of halo f the part of operand i begins, an int64 scalar. */
kni_atom knp_window_start(const kni_rule *r, const kni_local *l, int f, int i);
/* Operand i with `fill`, a scalar, at the elements of its windows that lie outside of the whole operand. */
kni_atom knp_fill_windows(const kni_rule *r, const kni_local *l, int i, kni_atom fill);
/* Of the part of operand 0, with `fill`, a scalar, behind the end of the whole along axis d, which factor f cuts. */
kni_atom knp_fill_padding(const kni_rule *r, const kni_local *l, int f, int d, kni_atom fill);
kni_atom knp_part_number(const kni_rule *r, const kni_local *l, int f); /* along factor f, an int64 scalar */
kni_atom knp_in_front(kni_builder *b, kni_atom x, int64_t n);           /* n times, along a new axis in front */
/* Axes from `lead` on of the result are positions, by which `local` counts; those in front are the operands', too. */
void knp_spread_counted(const kni_rule *r, kni_spread *s, int lead, kni_factor_kind kind);
/* For `local`: the numbers, in C order over the axes from `lead` on of the whole result, of the elements of its part,
 * as an array of these axes alone of a dtype that holds them or wraps; a scalar 0 if there are no such axes. The
 * factors are those of knp_spread_counted, so factor d is of axis d. */
kni_atom knp_numbers_of_part(const kni_rule *r, const kni_local *l, int lead, kn_dtype d);

/* Costs in scalar operations: of a transcendental function, of one operation per element of operand 0, of views. */
double knp_cost_function(const kni_rule *r);
double knp_cost_input(const kni_rule *r);
double knp_cost_none(const kni_rule *r);

/* Reductions by halving (reduce_any.c): n arrays of one shape, of each the first half joined with the second one, again
 * and again. `join` makes z of x and y (z may be x); `identity`: scalars that make up for a missing row, NULL: it is
 * put behind the others. knp_halve replaces the n arrays x by their reductions over the axes; of no rows that is the
 * identity. */
typedef struct knp_halving knp_halving;
struct knp_halving {
    kni_builder *b;
    int n;
    void (*join)(const knp_halving *h, const kni_atom *x, const kni_atom *y, kni_atom *z);
    const kni_atom *identity;
    const void *env;
};
void knp_halve(const knp_halving *h, kni_ints axes, kni_atom *x);

/* Kernel expressions. The dtype of the nodes that a value travels as: its component, float32 for 16-bit floats, uint32
 * for keys. */
knx_dtype_id knp_node_dtype(kn_dtype d);
/* As knx_convert and as knx_saturate, rounding once; not of keys. */
kni_pair knp_value_cast(knk_builder *k, kn_dtype from, kni_pair x, kn_dtype to);
kni_pair knp_value_saturate(knk_builder *k, kn_dtype from, kni_pair x, kn_dtype to);
void knp_expr_same(knk_builder *k, const kni_rule *r, kni_pair *y); /* of KN_IDENTITY rows: the operand */
static inline kni_pair knp_real(knk_node re) { return (kni_pair){re, KNK_NONE}; }

/* Complex arithmetic and functions on pairs of nodes (complex.c). Branch cuts and signed zeros are C99's. */
kni_pair knp_complex_neg(knk_builder *k, kni_pair x);
kni_pair knp_complex_add(knk_builder *k, kni_pair x, kni_pair y);
kni_pair knp_complex_sub(knk_builder *k, kni_pair x, kni_pair y);
kni_pair knp_complex_mul(knk_builder *k, kni_pair x, kni_pair y);
kni_pair knp_complex_div(knk_builder *k, kni_pair x, kni_pair y);
kni_pair knp_complex_select(knk_builder *k, knk_node pred, kni_pair yes, kni_pair no);
kni_pair knp_complex_sin(knk_builder *k, kni_pair x);
kni_pair knp_complex_cos(knk_builder *k, kni_pair x);
kni_pair knp_complex_tanh(knk_builder *k, kni_pair x);
kni_pair knp_complex_exp(knk_builder *k, kni_pair x);
kni_pair knp_complex_log(knk_builder *k, kni_pair x);
kni_pair knp_complex_logistic(knk_builder *k, kni_pair x);
kni_pair knp_complex_sqrt(knk_builder *k, kni_pair x);
kni_pair knp_complex_rsqrt(knk_builder *k, kni_pair x);
kni_pair knp_complex_exp2(knk_builder *k, kni_pair x);
kni_pair knp_complex_expm1(knk_builder *k, kni_pair x);
kni_pair knp_complex_log1p(knk_builder *k, kni_pair x);
kni_pair knp_complex_log2(knk_builder *k, kni_pair x);
kni_pair knp_complex_log10(knk_builder *k, kni_pair x);
kni_pair knp_complex_tan(knk_builder *k, kni_pair x);
kni_pair knp_complex_sinh(knk_builder *k, kni_pair x);
kni_pair knp_complex_cosh(knk_builder *k, kni_pair x);
kni_pair knp_complex_asin(knk_builder *k, kni_pair x);
kni_pair knp_complex_acos(knk_builder *k, kni_pair x);
kni_pair knp_complex_atan(knk_builder *k, kni_pair x);
kni_pair knp_complex_asinh(knk_builder *k, kni_pair x);
kni_pair knp_complex_acosh(knk_builder *k, kni_pair x);
kni_pair knp_complex_atanh(knk_builder *k, kni_pair x);
kni_pair knp_complex_abs(knk_builder *k, kni_pair x); /* a real value */
kni_pair knp_complex_sign(knk_builder *k, kni_pair x);
kni_pair knp_complex_pow(knk_builder *k, kni_pair x, kni_pair y);
kni_pair knp_complex_integer_pow(knk_builder *k, kni_pair x, int64_t n);
/* x < y (x <= y) in NumPy's order of complex numbers: real parts first. A bool node; false where a NaN takes part. */
knk_node knp_complex_less(knk_builder *k, kni_pair x, kni_pair y, bool or_equal);
/* node / by for 0 <= node <= most, without a division. */
knk_node knp_divide(knk_builder *k, knk_node node, int64_t by, int64_t most);
#endif
