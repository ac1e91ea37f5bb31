/* SPDX-License-Identifier: Apache-2.0
 * special_matrices.c -- scipy.linalg: matrices made of vectors, blocks and numbers. */
#include "kiln/linalg.h"
#include "lib/compose.h"
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 1 << 29 }; /* squares of more have no size */
static const kn_axes as_column = {.n = 2, .axis = {1}};

static kn_array range(int64_t n) { return kn_arange(kn_like_int(0), kn_like_int(n), kn_like_int(1), NULL); }
static kn_array column(kn_array v) { return kn_expand_dims(v, &as_column); }
static kn_array zeros(int64_t m, int64_t n, kn_dtype d)
{
    return kn_zeros(&(kn_shape){2, {m, n}}, KNL_WITH(kn_zeros_opts, .dtype = d));
}

/* Of n vectors, flattened, and their lengths; false after an error. */
static bool vectors(knl_body *c, int n, kn_array *v, int64_t *length)
{
    for (int i = 0; i < n; i++) {
        v[i] = kn_ravel(v[i], NULL);
        kni_type t = kna_type(&c->op, v[i]);
        length[i] = kna_failed(&c->op) ? 0 : t.dim[0];
    }
    return !kna_failed(&c->op);
}

static bool begin_count(knl_body *c, const char *name, int64_t n)
{
    knl_begin(c, name);
    if (!kna_failed(&c->op) && n < 0)
        kna_fail(&c->op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    return !kna_failed(&c->op);
}

static kn_array joined(int axis, int n, const kn_array *part)
{
    return kn_concatenate(kn_list_from(part, n), KNL_WITH(kn_concatenate_opts, .axis = knl_one_axis(axis)));
}

/* ---- Of arrays. */

kn_array kn_linalg_block_diag(kn_list arrays)
{
    enum { MOST = 256 };
    knl_body c;
    knl_begin(&c, "block_diag");
    int n = kn_list_count(arrays);
    int64_t columns = 0, before = 0;
    kn_array part[MOST];
    if (!kna_failed(&c.op) && n > MOST)
        kna_fail(&c.op, KN_ERROR_VALUE, "takes at most %d arrays, got %d", MOST, n);
    for (int i = 0; i < n && !kna_failed(&c.op); i++) {
        part[i] = kn_atleast_2d(kn_list_get(arrays, i));
        kni_type t = kna_type(&c.op, part[i]);
        if (!kna_failed(&c.op) && t.ndim > 2)
            kna_fail(&c.op, KN_ERROR_VALUE, "arguments in the following positions have dimension greater than 2: [%d]",
                     i);
        columns = kna_failed(&c.op) ? 0 : knx_dim_add(columns, t.dim[1]);
    }
    for (int i = 0; i < n && !kna_failed(&c.op); i++) {
        kni_type t = kna_type(&c.op, part[i]);
        int64_t after = knx_dim_sub(columns, knx_dim_add(before, t.dim[1]));
        kn_array left = zeros(t.dim[0], before, t.dtype), right = zeros(t.dim[0], after, t.dtype);
        before = knx_dim_add(before, t.dim[1]);
        part[i] = joined(1, 3, (kn_array[]){left, part[i], right});
    }
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    return knl_end(&c, n ? joined(0, n, part) : zeros(1, 0, NULL));
}

/* v[i - j + shift] (or i + j) of m x n */
static kn_array along_diagonals(kn_array v, int64_t m, int64_t n, int64_t shift, bool sum)
{
    kn_array i = column(range(m)), j = range(n), k = sum ? kn_add(i, j) : kn_subtract(i, j);
    return kn_take(v, kn_add(k, kn_like_int(shift)), KNL_WITH(kn_take_opts, .mode = "clip"));
}

kn_array kn_linalg_toeplitz(kn_array c, kn_array r)
{
    knl_body b;
    int64_t n[2];
    knl_begin(&b, "toeplitz");
    kn_array v[] = {c, r ? r : kn_conj(c)};
    if (!vectors(&b, 2, v, n))
        return knl_end(&b, NULL);
    if (knx_dim_eq(n[0], 0) || knx_dim_eq(n[1], 0))
        return knl_end(&b, zeros(n[0], n[1], kn_dtype_of(v[0])));
    kn_array above = kn_flip(knl_part("toeplitz", v[1], 0, 1, n[1]), NULL);
    kn_array all = joined(0, 2, (kn_array[]){above, v[0]});
    return knl_end(&b, along_diagonals(all, n[0], n[1], knx_dim_sub(n[1], 1), false));
}

kn_array kn_linalg_circulant(kn_array c)
{
    knl_body b;
    int64_t n;
    knl_begin(&b, "circulant");
    if (!vectors(&b, 1, &c, &n))
        return knl_end(&b, NULL);
    if (knx_dim_eq(n, 0))
        return knl_end(&b, zeros(0, 0, kn_dtype_of(c)));
    kn_array all = joined(0, 2, (kn_array[]){knl_part("circulant", c, 0, 1, n), c});
    return knl_end(&b, along_diagonals(all, n, n, knx_dim_sub(n, 1), false));
}

kn_array kn_linalg_hankel(kn_array c, kn_array r)
{
    knl_body b;
    int64_t n[2];
    knl_begin(&b, "hankel");
    kn_array v[] = {c, r ? r : kn_zeros_like(c, NULL)};
    if (!vectors(&b, 2, v, n))
        return knl_end(&b, NULL);
    if (knx_dim_eq(n[0], 0) || knx_dim_eq(n[1], 0))
        return knl_end(&b, zeros(n[0], n[1], kn_dtype_of(v[0])));
    kn_array all = joined(0, 2, (kn_array[]){v[0], knl_part("hankel", v[1], 0, 1, n[1])});
    return knl_end(&b, along_diagonals(all, n[0], n[1], 0, true));
}

/* A first row, and a diagonal below the main one. */
static kn_array first_row_and_diagonal(kn_array first, kn_array below, int64_t n)
{
    kn_array lower = kn_diag(below, KNL_WITH(kn_diag_opts, .k = -1));
    kn_array at_top = kn_equal(column(range(n)), kn_like_int(0));
    return kn_where(at_top, first, lower);
}

kn_array kn_linalg_companion(kn_array a)
{
    knl_body b;
    int64_t n;
    knl_begin(&b, "companion");
    if (!vectors(&b, 1, &a, &n))
        return knl_end(&b, NULL);
    if (knx_dim_lt(n, 2)) {
        kna_fail(&b.op, KN_ERROR_VALUE, "The length of `a` along the last axis must be at least 2.");
        return knl_end(&b, NULL);
    }
    kn_array first = kn_negative(kn_divide(knl_part("companion", a, 0, 1, n), knl_part("companion", a, 0, 0, 1)));
    int64_t m = knx_dim_sub(n, 1);
    kn_array ones = kn_ones(&(kn_shape){1, {knx_dim_sub(m, 1)}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(first)));
    return knl_end(&b, first_row_and_diagonal(first, ones, m));
}

kn_array kn_linalg_leslie(kn_array f, kn_array s)
{
    knl_body b;
    int64_t n[2];
    kn_array v[] = {f, s};
    knl_begin(&b, "leslie");
    if (!vectors(&b, 2, v, n))
        return knl_end(&b, NULL);
    if (!knx_dim_eq(n[0], knx_dim_add(n[1], 1)) || knx_dim_eq(n[1], 0)) {
        kna_fail(&b.op, KN_ERROR_VALUE, "The length of s must be one less than the length of f, and at least 1.");
        return knl_end(&b, NULL);
    }
    return knl_end(&b, first_row_and_diagonal(v[0], v[1], n[0]));
}

kn_array kn_linalg_fiedler(kn_array a)
{
    knl_body b;
    int64_t n;
    knl_begin(&b, "fiedler");
    if (!vectors(&b, 1, &a, &n))
        return knl_end(&b, NULL);
    return knl_end(&b, kn_absolute(kn_subtract(column(a), a)));
}

/* With a over its first element: rows of even numbers have a[i + 1] before and a[i + 2] behind the diagonal, with
 * changed signs, and a 1 two places on; rows of odd numbers a 1 two places back. The first column has its own
 * beginning. */
kn_array kn_linalg_fiedler_companion(kn_array a)
{
    knl_body b;
    int64_t n;
    knl_begin(&b, "fiedler_companion");
    if (!vectors(&b, 1, &a, &n))
        return knl_end(&b, NULL);
    if (knx_dim_lt(n, 2))
        return knl_end(&b, zeros(0, 0, kn_dtype_of(a)));
    int64_t m = knx_dim_sub(n, 1);
    kn_array first = kn_negative(kn_divide(knl_part("companion", a, 0, 1, n), knl_part("companion", a, 0, 0, 1)));
    kn_array none = kn_zeros(&(kn_shape){1, {1}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(first)));
    kn_array next = column(joined(0, 2, (kn_array[]){knl_part("fiedler_companion", first, 0, 1, m), none}));
    kn_array i = column(range(m)), j = range(m), by = kn_subtract(j, i), zero = kn_like_int(0), one = kn_like_int(1);
    kn_array odd = kn_equal(kn_remainder(i, kn_like_int(2)), one), begins = kn_equal(kn_add(i, j), zero);
    kn_array on_odd = kn_logical_or(kn_equal(by, kn_like_int(-2)), kn_equal(kn_multiply(i, kn_subtract(one, j)), one));
    kn_array before =
        kn_where(kn_equal(by, kn_like_int(-1)), column(first), kn_astype(kn_equal(by, kn_like_int(2)), KN_I8, NULL));
    kn_array on_even = kn_where(kn_equal(by, one), next, before);
    kn_array y = kn_where(odd, kn_astype(on_odd, KN_I8, NULL), on_even);
    return knl_end(&b, kn_where(begins, column(first), y));
}

kn_array kn_linalg_convolution_matrix(kn_array a, int64_t n, const kn_linalg_convolution_matrix_opts *opts)
{
    KNX_OPTS(kn_linalg_convolution_matrix_opts, o, opts);
    knl_body b;
    int64_t m;
    knl_begin(&b, "convolution_matrix");
    const char *mode = o.mode ? o.mode : "full";
    if (!vectors(&b, 1, &a, &m))
        return knl_end(&b, NULL);
    if (!knl_is_extent(n) && n <= 0)
        kna_fail(&b.op, KN_ERROR_VALUE, "n must be a positive integer.");
    else if (!knl_is_extent(n) && n > MOST_ROWS)
        kna_fail_with(&b.op, knx_error_nomem_for(SIZE_MAX, 1, &n, "float64"));
    else if (knx_dim_eq(m, 0))
        kna_fail(&b.op, KN_ERROR_VALUE, "len(a) must be at least 1.");
    else if (strcmp(mode, "full") && strcmp(mode, "same") && strcmp(mode, "valid"))
        kna_fail(&b.op, KN_ERROR_VALUE, "'mode' argument must be one of ('full', 'valid', 'same')");
    if (kna_failed(&b.op))
        return knl_end(&b, NULL);
    /* rows first .. first + count of the full matrix: element i, j is a[i - j] */
    int64_t full = knx_dim_sub(knx_dim_add(m, n), 1), least = knx_dim_min(m, n), count = full, first = 0;
    if (strcmp(mode, "same") == 0) {
        count = knx_dim_max(m, n);
        first = knx_dim_floordiv(knx_dim_sub(least, 1), 2);
    } else if (strcmp(mode, "valid") == 0) {
        count = knx_dim_add(knx_dim_sub(knx_dim_max(m, n), least), 1);
        first = knx_dim_sub(least, 1);
    }
    kn_array none = kn_zeros(&(kn_shape){1, {knx_dim_sub(n, 1)}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(a)));
    kn_array all = joined(0, 3, (kn_array[]){none, a, none});
    return knl_end(&b, along_diagonals(all, count, n, knx_dim_add(first, knx_dim_sub(n, 1)), false));
}

/* ---- Of a number of rows. */

kn_array kn_linalg_hilbert(int64_t n)
{
    knl_body b;
    if (!begin_count(&b, "hilbert", n))
        return knl_end(&b, NULL);
    kn_array i = range(n), sum = kn_add(kn_add(column(i), i), kn_like_int(1));
    return knl_end(&b, kn_divide(kn_like_double(1), sum));
}

/* A matrix of m x n float64 numbers that `fill` computes. Ends the operation. */
static kn_array of_numbers(kna_op *op, int64_t m, int64_t n, void (*fill)(int64_t n, double *x))
{
    const int64_t dim[] = {m, n};
    const kni_type t = kni_type_of(KN_DT(F64), 2, dim);
    if (!kna_failed(op) && n > MOST_ROWS)
        kna_fail_with(op, knx_error_nomem_for(SIZE_MAX, 2, dim, "float64"));
    knx_buffer *buffer = kna_failed(op) ? NULL : knx_buffer_new((size_t)(m * n) * sizeof(double));
    if (buffer)
        fill(n, buffer->data);
    return kna_from_buffer(op, t, buffer);
}

static bool begin_numbers(kna_op *op, const char *name, int64_t n)
{
    kna_begin(op, name);
    if (knl_is_extent(n))
        kna_need_number(op, n, "the number of rows");
    else if (!kna_failed(op) && n < 0)
        kna_fail(op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    return !kna_failed(op);
}

/* p_i p_j / (i + j + 1) with alternating signs. The p are computed in the last row, which comes last. */
static void fill_inverse_hilbert(int64_t n, double *x)
{
    double *p = x + (n - 1) * n, last = 0;
    for (int64_t i = 0; i < n; i++)
        p[i] = last = i ? last * (double)((n - i) * (n + i)) / (double)(i * i) : (double)n;
    for (int64_t i = 0; i < n; i++) {
        double q = i < n - 1 ? p[i] : last; /* the last row itself overwrites its p */
        for (int64_t j = 0; j < n; j++)
            x[i * n + j] = ((i + j) % 2 ? -q : q) * (p[j] / (double)(i + j + 1));
    }
}

static void fill_hadamard(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            x[i * n + j] = __builtin_popcountll((unsigned long long)(i & j)) % 2 ? -1 : 1;
}

/* Binomial coefficients by their sums: integers, exact below 2^53. */
static void fill_pascal(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            x[i * n + j] = i && j ? x[(i - 1) * n + j] + x[i * n + j - 1] : 1;
}
static void fill_lower_pascal(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            x[i * n + j] = j > i ? 0 : j == 0 || j == i ? 1 : x[(i - 1) * n + j] + x[(i - 1) * n + j - 1];
}
static void turn_over(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double v = x[i * n + j];
            x[i * n + j] = x[j * n + i];
            x[j * n + i] = v;
        }
}
static void fill_upper_pascal(int64_t n, double *x)
{
    fill_lower_pascal(n, x);
    turn_over(n, x);
}
static void alternate(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            x[i * n + j] = (i + j) % 2 ? -x[i * n + j] : x[i * n + j];
}
static void fill_lower_inverse_pascal(int64_t n, double *x)
{
    fill_lower_pascal(n, x);
    alternate(n, x);
}
static void fill_upper_inverse_pascal(int64_t n, double *x)
{
    fill_upper_pascal(n, x);
    alternate(n, x);
}
/* l^T l of the lower one. Element (i, j), j >= i, reads rows j and below of the lower triangle, and no later element
 * reads what it overwrites. */
static void fill_inverse_pascal(int64_t n, double *x)
{
    fill_lower_pascal(n, x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            double s = 0;
            for (int64_t k = j; k < n; k++)
                s += x[k * n + i] * x[k * n + j];
            x[i * n + j] = s;
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            x[i * n + j] = x[j * n + i];
    alternate(n, x);
}

/* Rows 0 (`full`) or 1 to n - 1. */
static void helmert_rows(int64_t first, int64_t n, double *x)
{
    for (int64_t i = first; i < n; i++) {
        double size = i ? sqrt((double)i * (double)(i + 1)) : sqrt((double)n);
        for (int64_t j = 0; j < n; j++)
            *x++ = i == 0 || j < i ? 1 / size : j == i ? -(double)i / size : 0;
    }
}
static void fill_full_helmert(int64_t n, double *x) { helmert_rows(0, n, x); }
static void fill_helmert(int64_t n, double *x) { helmert_rows(1, n, x); }

kn_array kn_linalg_invhilbert(int64_t n)
{
    kna_op op;
    begin_numbers(&op, "invhilbert", n);
    return of_numbers(&op, n, n, fill_inverse_hilbert);
}

kn_array kn_linalg_hadamard(int64_t n)
{
    kna_op op;
    if (begin_numbers(&op, "hadamard", n) && (n < 1 || (n & (n - 1))))
        kna_fail(&op, KN_ERROR_VALUE, "n must be an positive integer, and n must be a power of 2");
    return of_numbers(&op, n, n, fill_hadamard);
}

typedef void fill_function(int64_t n, double *x);

static kn_array pascal(const char *name, int64_t n, const char *kind, fill_function *symmetric, fill_function *lower,
                       fill_function *upper)
{
    kna_op op;
    bool is_lower = kind && !strcmp(kind, "lower"), is_upper = kind && !strcmp(kind, "upper");
    if (begin_numbers(&op, name, n) && kind && !is_lower && !is_upper && strcmp(kind, "symmetric"))
        kna_fail(&op, KN_ERROR_VALUE, "kind must be 'symmetric', 'lower', or 'upper'");
    return of_numbers(&op, n, n, is_lower ? lower : is_upper ? upper : symmetric);
}

kn_array kn_linalg_pascal(int64_t n, const kn_linalg_pascal_opts *opts)
{
    KNX_OPTS(kn_linalg_pascal_opts, o, opts);
    return pascal("pascal", n, o.kind, fill_pascal, fill_lower_pascal, fill_upper_pascal);
}

kn_array kn_linalg_invpascal(int64_t n, const kn_linalg_pascal_opts *opts)
{
    KNX_OPTS(kn_linalg_pascal_opts, o, opts);
    return pascal("invpascal", n, o.kind, fill_inverse_pascal, fill_lower_inverse_pascal, fill_upper_inverse_pascal);
}

kn_array kn_linalg_helmert(int64_t n, const kn_linalg_helmert_opts *opts)
{
    KNX_OPTS(kn_linalg_helmert_opts, o, opts);
    kna_op op;
    begin_numbers(&op, "helmert", n);
    return of_numbers(&op, n > 0 && !o.full ? n - 1 : n, n, o.full ? fill_full_helmert : fill_helmert);
}

kn_array kn_linalg_dft(int64_t n, const kn_linalg_dft_opts *opts)
{
    KNX_OPTS(kn_linalg_dft_opts, o, opts);
    knl_body b;
    if (begin_count(&b, "dft", n) && o.scale && strcmp(o.scale, "sqrtn") && strcmp(o.scale, "n"))
        kna_fail(&b.op, KN_ERROR_VALUE, "scale must be None, 'sqrtn', or 'n'; %s is not valid.", o.scale);
    if (kna_failed(&b.op))
        return knl_end(&b, NULL);
    kn_array i = range(n), turns = kn_remainder(kn_multiply(column(i), i), kn_like_int(n ? n : 1));
    kn_array angle = kn_multiply(turns, kn_like_double(n ? -2 * 3.14159265358979323846 / (double)n : 0));
    kn_array y = kn_add(kn_cos(angle), kn_multiply(kn_sin(angle), kn_like_complex(0, 1)));
    if (o.scale && n)
        y = kn_divide(y, kn_like_double(strcmp(o.scale, "n") ? sqrt((double)n) : (double)n));
    return knl_end(&b, y);
}
