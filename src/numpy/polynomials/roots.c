/* SPDX-License-Identifier: Apache-2.0
 * roots.c -- roots of polynomials, and polynomials of their roots. */
#include "kiln/control.h"
#include "kiln/linalg.h"
#include "numpy/polynomials/coefficients.h"
#include <math.h>

/* ---- Roots: the eigenvalues of the companion matrix. */

static kn_array of_companion(kn_array p)
{
    bool inexact = knx_is_inexact(kn_dtype_of(p));
    return kn_linalg_eigvals(kn_linalg_companion(inexact ? p : kn_astype(p, KN_F64, NULL)));
}

/* So many zeros of the roots' dtype. */
static kn_array zeros(int64_t n, kn_dtype d)
{
    bool narrow = d == KN_F32 || d == KN_C64;
    return kn_zeros(&(kn_shape){1, {n}}, KNL_WITH(kn_zeros_opts, .dtype = narrow ? KN_C64 : KN_C128));
}

/* Without the zeros at both ends, which are looked for: those in front are no powers, those behind are roots. */
static kn_array stripped(knl_body *c, kn_array p, int64_t n)
{
    kni_type t;
    const bool *set = kna_look(&c->op, kn_not_equal(p, kn_like_int(0)), &t);
    if (!set)
        return NULL;
    int64_t first = 0, last = n;
    while (first < n && !set[first])
        first++;
    while (last > first && !set[last - 1])
        last--;
    kn_array behind = zeros(last > first ? n - last : 0, kn_dtype_of(p));
    if (last - first < 2)
        return behind;
    kn_array part[] = {of_companion(knl_part("roots", p, 0, first, last)), behind};
    return n == last ? part[0] : kn_concatenate(kn_list_from(part, 2), NULL);
}

/* With zeros in front put behind the others: roots of 0 that there are not, which come last, and become NaN. */
static kn_array padded(kn_array p, int64_t n)
{
    const kn_cumsum_opts running = {.size_ = sizeof running};
    kn_array set = kn_not_equal(p, kn_like_int(0)), zero = kn_like_int(0);
    kn_array missing = kn_sum(kn_equal(kn_cumsum(set, &running), zero), NULL), all = kn_like_int(n);
    p = kn_where(kn_equal(missing, all), kn_like_int(1), p); /* of zeros alone */
    kn_array from = kn_remainder(kn_add(kn_arange(zero, all, kn_like_int(1), NULL), missing), all);
    kn_array root = of_companion(kn_take(p, from, NULL));
    root = kn_take(root, kn_argsort(kn_equal(root, zero), KNL_WITH(kn_sort_opts, .stable = true)), NULL);
    kn_array k = kn_arange(zero, kn_like_int(knx_dim_sub(n, 1)), kn_like_int(1), NULL);
    kn_array there = kn_less(k, kn_subtract(kn_like_int(knx_dim_sub(n, 1)), missing));
    return kn_where(there, root, kn_like_complex(NAN, NAN));
}

kn_array kn_roots(kn_array p, const kn_roots_opts *opts)
{
    KNX_OPTS(kn_roots_opts, o, opts);
    knl_body c;
    knl_begin(&c, "roots");
    kn_array a = kn_atleast_1d(kn_asarray(p, NULL));
    int64_t n = knn_coefficient_count(&c, a, KN_ERROR_VALUE, "Input must be a rank-1 array.");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (o.strip_zeros)
        return knl_end(&c, stripped(&c, a, n));
    return knl_end(&c, knx_dim_lt(n, 2) ? zeros(0, kn_dtype_of(a)) : padded(a, n));
}

/* ---- Products of (x - root). */

typedef struct factor {
    kn_array root, k; /* k: how many there were before */
} factor;

static void multiply_once(const void *captured, void *out, const void *const *in)
{
    kn_array y = *(const kn_array *)in[0];
    const factor *f = in[1];
    int64_t n = kn_dim(y, 0);
    kn_array part[] = {kn_zeros(&(kn_shape){1, {1}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(y))),
                       knl_part("poly", y, 0, 0, knx_dim_sub(n, 1))};
    kn_array before = kn_concatenate(kn_list_from(part, 2), NULL);
    kn_array i = kn_arange(kn_like_int(0), kn_like_int(n), kn_like_int(1), NULL);
    kn_array last = kn_add(f->k, kn_like_int(1)), product = kn_multiply(f->root, before);
    kn_array inside = kn_logical_and(kn_less(kn_like_int(0), i), kn_less(i, last));
    (void)captured;
    /* there are no sums at the ends: with infinite roots they would not be what one of the numbers is */
    *(kn_array *)out = kn_where(kn_equal(i, last), kn_negative(product), kn_where(inside, kn_subtract(y, product), y));
}

/* Are there with each root its conjugate? */
static bool in_pairs(knl_body *c, kn_array roots)
{
    kn_array a = kn_sort(roots, NULL), b = kn_sort(kn_conjugate(roots), NULL);
    return !knl_any(c, kn_not_equal(a, b));
}

kn_array kn_poly(kn_array seq_of_zeros)
{
    static const kn_function once = {.size_ = sizeof(kn_function),
                                     .name = "multiply_once",
                                     .call = multiply_once,
                                     .out_bytes = sizeof(kn_array),
                                     .n_args = 2,
                                     .arg_bytes = {sizeof(kn_array), sizeof(factor)}};
    knl_body c;
    knl_begin(&c, "poly");
    kn_array a = kn_atleast_1d(kn_asarray(seq_of_zeros, NULL));
    kni_type t = kna_type(&c.op, a);
    bool square = !kna_failed(&c.op) && t.ndim == 2 && knx_dim_eq(t.dim[0], t.dim[1]) && !knx_dim_eq(t.dim[0], 0);
    if (!kna_failed(&c.op) && t.ndim != 1 && !square)
        kna_fail(&c.op, KN_ERROR_VALUE, "input must be 1d or non-empty square 2d array.");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (knx_dim_eq(t.dim[0], 0))
        return knl_end(&c, kn_full(&(kn_shape){0}, kn_like_double(1), KNL_WITH(kn_zeros_opts, .dtype = KN_F64)));
    bool is_complex = knx_is_complex(t.dtype);
    if (square)
        a = kn_linalg_eigvals(a);
    else if (!is_complex && t.dtype != KN_F32)
        a = kn_astype(a, KN_F64, NULL);
    int64_t n = t.dim[0];
    kn_array one = kn_ones(&(kn_shape){1, {1}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(a)));
    kn_array part[] = {one, kn_zeros(&(kn_shape){1, {n}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(a)))};
    kn_array start = kn_concatenate(kn_list_from(part, 2), NULL), y = NULL;
    factor all = {a, kn_arange(kn_like_int(0), kn_like_int(n), kn_like_int(1), NULL)};
    kn_scan(kn_fn_of(&once, NULL), &(const kn_outs){1, {{&y, sizeof y}}}, &(const kn_args){1, {{&start, sizeof start}}},
            &(const kn_args){1, {{&all, sizeof all}}}, NULL);
    bool real = square && !is_complex; /* so are its coefficients: eigenvalues come in pairs */
    if (!real && is_complex && knl_may_look(a))
        real = in_pairs(&c, a);
    return knl_end(&c, real ? kn_copy(kn_real(y), NULL) : y);
}
