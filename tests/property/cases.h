/* SPDX-License-Identifier: Apache-2.0
 * cases.h -- the table of the rule tests. One sample stands for many cases: one for each of its dtypes and each of its
 * lists of operands.
 *
 *     { &knp_prim_add, .dtypes = "i32 f64", .operands = "T[3,4] T[]; T[0] T[0]", .each = ref_add, ... }
 *
 * makes add/i32/3x4,scalar  add/i32/0,0  add/f64/3x4,scalar  add/f64/0,0. An operand is a dtype, its extents, and what
 * it is filled with:
 *     T[3,4]          the case's dtype; R: its component (f32 of c64), other names stand for themselves
 *     i32[2]{0,5}     from 0 to 5 instead of the sample's lo and hi
 *     i32[2]{1}       1, 2, ... in any order
 *     T=2.5           a literal in the equation, no operand of the program
 * dtypes "@f", "@fc", "@n": the letters of unary.def. */
#ifndef KN_TEST_CASES_H
#define KN_TEST_CASES_H
#include "ir/ops.h"
#include "ir/prim.h"
#include "tensor.h"

enum { MAX_OPERANDS = 6, MAX_RESULTS = 4 };

enum {
    SPECIAL = FILL_SPECIAL,   /* values: NaN, infinities, zeros of both signs, extremes of integers among them */
    EXTREME = FILL_EXTREME,   /* and the ends of a float's range */
    DISTINCT = FILL_DISTINCT, /* the elements of an operand differ, everywhere */
    DISTINCT_SLOPE = 16,      /* ... in the checks of derivatives only: values have ties */
    FLAT = 32,                /* the derivative is zero by definition, whatever the values do */
    NO_SLOPE = 64,            /* values do not follow the derivative (rounding, bit patterns): no finite differences */
    ANY_ZERO = 128,           /* the sign of a zero result does not count */
    NO_RULE = 512,            /* the row has no derivative for these parameters and says so by an error */
    LONG = 256,               /* only with KILN_TEST_LONG=1 */
};

struct sample;
typedef struct call {
    const struct sample *sample;
    const void *params;
    knx_arena *arena;
    int n_in, n_out;
    tensor x[MAX_OPERANDS]; /* widened */
    tensor y[MAX_RESULTS];  /* to be made: their types, and `at` */
    bool unknown;           /* there is no reference for this */
} call;
typedef num each_fn(const call *c, const num *x); /* one element of an elementwise function */
typedef void whole_fn(call *c);                   /* all results */

typedef struct sample {
    const kni_prim *prim;
    const char *label;  /* of the parameters, the last part of the name; NULL: none */
    const char *dtypes; /* NULL: no T */
    const char *operands;
    const void *params;
    each_fn *each;
    whole_fn *whole;
    char result; /* of `each`: 0 the last operand's dtype, b bool, r its component, c its complex dtype */
    unsigned flags;
    double lo, hi;          /* both 0: -4 to 4 */
    double ulp;             /* complex numbers: of their modulus */
    long double (*real)(long double); /* unary.def's reference */
    /* of collectives: the equation is mapped over the axis i, the first one of all operands and results; the number of
     * lanes where there are no operands */
    int64_t lanes;
    int (*build)(kni_builder *b, const kni_atom *x, kni_atom *y); /* makes the equation where parameters must be built */
} sample;

/* A call that the row's type rule must refuse. */
typedef struct refusal {
    const kni_prim *prim;
    const char *operands;
    const void *params;
} refusal;

extern const sample samples_elementwise[], samples_arrays[], samples_indexed[], samples_conv[], samples_linalg[], samples_fft[],
    samples_loops[], samples_branches[], samples_special[], samples_custom[],
    samples_lanes[]; /* each ends with prim NULL */
extern const sample samples_scan[], samples_windows[];
extern const refusal refusals[];

#define INTS(...)                                                                \
    {                                                                            \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]) { __VA_ARGS__ } \
    }
#define NONE    \
    {           \
        0, NULL \
    }
#define INTEGERS   "i8 i16 i32 i64 u8 u16 u32 u64"
#define FLOATS     "f16 bf16 f32 f64"
#define COMPLEX    "c64 c128"
#define NUMBERS    INTEGERS " " FLOATS " " COMPLEX
#define EVERYTHING "bool " NUMBERS
#define ORDERED    "bool " INTEGERS " " FLOATS

/* References: elementwise (reference_each.c) and of whole arrays (reference_arrays.c, reference_indexed.c). */
tensor *result(call *c, kn_dtype d, int ndim, const int64_t *dim); /* appends a result */
void each_element(call *c);                                        /* runs sample->each */
num of_int(kn_dtype d, uint64_t bits);                             /* wrapped to the dtype */
bool num_less(kn_dtype d, num a, num b); /* false if a NaN is involved; complex: by real part first */
bool num_is_nan(kn_dtype d, num a);
num num_add(kn_dtype d, num a, num b);
num num_mul(kn_dtype d, num a, num b);
num num_dot_step(kn_dtype to, num sum, num a, num b); /* sum + a b of elements whose result has dtype `to` */
num num_convert(kn_dtype from, num v, kn_dtype to);  /* as NumPy */
num num_saturate(kn_dtype from, num v, kn_dtype to); /* as XLA */
/* Special functions that libm does not have (reference_special.c). */
long double wide_i0e(long double x), wide_i1e(long double x), wide_digamma(long double x);
each_fn ref_unary, ref_sign, ref_integer_pow, ref_not, ref_same, ref_real, ref_imag, ref_complex, ref_conj, ref_add,
    ref_sub, ref_mul, ref_div, ref_pow, ref_atan2, ref_hypot, ref_max, ref_min, ref_eq, ref_ne, ref_lt, ref_le, ref_gt,
    ref_ge, ref_and, ref_or, ref_xor, ref_shift_left, ref_shift_right_logical, ref_select_n;
whole_fn ref_psum, ref_pmax, ref_pmin, ref_all_gather, ref_reduce_scatter, ref_all_to_all, ref_ppermute, ref_pbroadcast,
    ref_axis_index;
whole_fn ref_convert, ref_bitcast, ref_bitcast_last_axis, ref_broadcast_in_dim, ref_reshape, ref_squeeze, ref_transpose,
    ref_rev, ref_slice, ref_concatenate, ref_pad, ref_iota, ref_dim_as_value, ref_reduce_sum, ref_reduce_max, ref_reduce_min,
    ref_reduce_and, ref_reduce_or, ref_argmax, ref_argmin, ref_gather, ref_scatter, ref_dynamic_slice,
    ref_dynamic_update_slice, ref_strided_update, ref_dot_general, ref_conv, ref_sort, ref_threefry2x32, ref_random_bits, ref_random_wrap,
    ref_random_unwrap, ref_jit_sum_of_product, ref_cholesky, ref_lu, ref_raised_lu, ref_triangular_solve,
    ref_lu_pivots_to_permutation, ref_unchanged, ref_unchanged_twice, ref_gram, ref_gram_alone, ref_outer_gram, ref_hermitian,
    ref_row_sums, ref_trace, ref_traces, ref_complex_traces, ref_raised, ref_update, ref_tridiagonal_solve,
    ref_sylvester, ref_banded_solve, ref_inverse, ref_system, ref_det;
/* reference_bits.c, reference_scan.c */
each_fn ref_floor, ref_ceil, ref_round, ref_is_finite, ref_rem, ref_nextafter, ref_reduce_precision, ref_clamp,
    ref_shift_right_arithmetic, ref_population_count, ref_clz, ref_mulhi;
whole_fn ref_reduce_shifted, ref_reduce_shifted_all, ref_reduce_dual, ref_reduce_larger;
void ref_threefry(const uint32_t key[2], uint32_t x[2]); /* x becomes two random words */
whole_fn ref_random_seed, ref_random_fold_in, ref_random_split, ref_rng_bit_generator, ref_random_gamma;
whole_fn ref_argsort, ref_partition, ref_searchsorted, ref_histogram, ref_top_k, ref_split, ref_stack, ref_unstack, ref_tile, ref_cumsum, ref_cumprod, ref_cummax, ref_cummin,
    ref_cumlogsumexp, ref_optimization_barrier, ref_reduce_prod, ref_reduce_xor;
/* reference_windows.c */
whole_fn ref_reduce_window_sum, ref_reduce_window_max, ref_reduce_window_min, ref_reduce_window_product,
    ref_window_choice, ref_window_pick, ref_window_place, ref_select_and_gather_add, ref_select_and_scatter_add,
    ref_select_and_scatter;
enum { BAND_RAISED = 8 }; /* and those of banded_solve */
enum { LU_RAISED = 200 }; /* what the cases of lu add to a diagonal */
#endif
