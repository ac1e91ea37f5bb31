/* SPDX-License-Identifier: Apache-2.0
 * arithmetic.c -- poly1d, polyadd, polysub, polymul, polydiv, polyval. */
#include "kiln/control.h"
#include "numpy/polynomials/coefficients.h"

int64_t knn_coefficient_count(knl_body *c, kn_array p, kn_error_kind kind, const char *text)
{
    kni_type t = kna_type(&c->op, p);
    if (!kna_failed(&c->op) && t.ndim != 1)
        kna_fail(&c->op, kind, "%s", text);
    return kna_failed(&c->op) ? 0 : t.dim[0];
}

kn_array knn_coefficients(knl_body *c, kn_array p, bool trim)
{
    kn_array a = kn_atleast_1d(kn_asarray(p, NULL));
    int64_t n = knn_coefficient_count(c, a, KN_ERROR_VALUE, "Polynomial must be 1d only.");
    if (kna_failed(&c->op))
        return a;
    if (trim) {
        a = kn_trim_zeros(a, KNL_WITH(kn_trim_zeros_opts, .trim = "f"));
        n = knn_coefficient_count(c, a, KN_ERROR_VALUE, "Polynomial must be 1d only.");
    }
    if (kna_failed(&c->op) || knx_is_symbolic(n) || n)
        return a;
    return kn_zeros(&(kn_shape){1, {1}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(a)));
}

kn_array kn_poly1d(kn_array c_or_r, const kn_poly1d_opts *opts)
{
    KNX_OPTS(kn_poly1d_opts, o, opts);
    knl_body c;
    knl_begin(&c, "poly1d");
    return knl_end(&c, knn_coefficients(&c, o.r ? kn_poly(c_or_r) : c_or_r, true));
}

int64_t kn_poly1d_order(kn_array p)
{
    knl_body c;
    knl_begin(&c, "poly1d_order");
    kn_array a = knn_coefficients(&c, p, true);
    int64_t n = knn_coefficient_count(&c, a, KN_ERROR_VALUE, "Polynomial must be 1d only.");
    kn_scope_end(&c.scope);
    return kna_end_plain(&c.op) ? n - 1 : -1;
}

/* ---- Sums. */

static kn_array with_zeros(kn_array p, int64_t n)
{
    kn_array zeros = kn_zeros(&(kn_shape){1, {n}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(p)));
    return kn_concatenate(kn_list_from((kn_array[]){zeros, p}, 2), NULL);
}

static kn_array joined(const char *name, kn_array (*f)(kn_array, kn_array), kn_array a1, kn_array a2)
{
    knl_body c;
    knl_begin(&c, name);
    kn_array x = kn_atleast_1d(kn_asarray(a1, NULL)), y = kn_atleast_1d(kn_asarray(a2, NULL));
    kni_type t = kna_type(&c.op, x), u = kna_type(&c.op, y);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (knx_dim_eq(t.dim[0], u.dim[0]))
        return knl_end(&c, f(x, y));
    if (knx_dim_lt(t.dim[0], u.dim[0]))
        x = with_zeros(x, knx_dim_sub(u.dim[0], t.dim[0]));
    else
        y = with_zeros(y, knx_dim_sub(t.dim[0], u.dim[0]));
    return knl_end(&c, f(x, y));
}

kn_array kn_polyadd(kn_array a1, kn_array a2) { return joined("polyadd", kn_add, a1, a2); }

kn_array kn_polysub(kn_array a1, kn_array a2) { return joined("polysub", kn_subtract, a1, a2); }

/* ---- Products and quotients. */

kn_array kn_polymul(kn_array a1, kn_array a2, const kn_polymul_opts *opts)
{
    KNX_OPTS(kn_polymul_opts, o, opts);
    knl_body c;
    knl_begin(&c, "polymul");
    kn_array x = knn_coefficients(&c, a1, o.trim_leading_zeros);
    kn_array y = knn_coefficients(&c, a2, o.trim_leading_zeros);
    return knl_end(&c, kna_failed(&c.op) ? NULL : kn_convolve(x, y, NULL));
}

typedef struct divisor {
    kn_array v, scale;
} divisor;
typedef struct division {
    kn_array r, q;
} division;

/* One coefficient of the quotient; what is left of the dividend turns, so that its next one is in front. */
static void divide_once(const void *captured, void *out, const void *const *in)
{
    const divisor *d = captured;
    kn_array r = *(const kn_array *)in[0];
    int64_t n = kn_dim(d->v, 0), m = kn_dim(r, 0);
    kn_array first = knl_part("polydiv", r, 0, 0, n);
    kn_array q = kn_multiply(d->scale, knl_part("polydiv", r, 0, 0, 1));
    first = kn_subtract(first, kn_multiply(q, d->v));
    kn_array part[] = {knl_part("polydiv", first, 0, 1, n), knl_part("polydiv", r, 0, n, m),
                       knl_part("polydiv", first, 0, 0, 1)};
    ((division *)out)->r = kn_concatenate(kn_list_from(part, 3), NULL);
    ((division *)out)->q = kn_squeeze(q, NULL);
}

/* How many of the first elements are next to nothing, all but one at most. */
static int64_t count_nothing(knl_body *c, kn_array r)
{
    kni_type t;
    kn_isclose_opts close = kn_isclose_opts_default();
    close.rtol = 1e-14;
    const bool *nothing = kna_look(&c->op, kn_isclose(r, kn_like_int(0), &close), &t);
    int64_t k = 0;
    while (nothing && k + 1 < t.dim[0] && nothing[k])
        k++;
    return k;
}

kn_polydiv_result kn_polydiv(kn_array u, kn_array v, const kn_polydiv_opts *opts)
{
    static const kn_function once = {.size_ = sizeof(kn_function),
                                     .name = "divide_once",
                                     .call = divide_once,
                                     .captured_bytes = sizeof(divisor),
                                     .out_bytes = sizeof(division),
                                     .n_args = 1,
                                     .arg_bytes = {sizeof(kn_array)}};
    KNX_OPTS(kn_polydiv_opts, o, opts);
    knl_body c;
    knl_begin(&c, "polydiv");
    kn_array x = kn_add(kn_atleast_1d(kn_asarray(u, NULL)), kn_like_double(0));
    kn_array y = kn_add(kn_atleast_1d(kn_asarray(v, NULL)), kn_like_double(0)), result[2] = {NULL, NULL};
    int64_t m = knn_coefficient_count(&c, x, KN_ERROR_VALUE, "Polynomial must be 1d only.");
    int64_t n = knn_coefficient_count(&c, y, KN_ERROR_VALUE, "Polynomial must be 1d only.");
    if (!kna_failed(&c.op) && (knx_dim_eq(m, 0) || knx_dim_eq(n, 0)))
        kna_fail(&c.op, KN_ERROR_INDEX, "index 0 is out of bounds for axis 0 with size 0");
    if (!kna_failed(&c.op)) {
        kn_dtype d = knx_promote(kn_dtype_of(x), kn_dtype_of(y));
        division done = {kn_astype(x, d, NULL), kn_zeros(&(kn_shape){1, {1}}, KNL_WITH(kn_zeros_opts, .dtype = d))};
        if (!knx_dim_lt(m, n)) {
            divisor by = {y, kn_divide(kn_like_double(1), knl_part("polydiv", y, 0, 0, 1))};
            int64_t steps = knx_dim_add(knx_dim_sub(m, n), 1);
            kn_array start = done.r;
            kn_scan(kn_fn_of(&once, &by), &(const kn_outs){1, {{&done, sizeof done}}},
                    &(const kn_args){1, {{&start, sizeof start}}}, &(const kn_args){0},
                    KNL_WITH(kn_scan_opts, .length = steps));
            done.r = kn_roll(done.r, kn_like_int(steps), NULL);
        }
        if (o.trim_leading_zeros)
            done.r = knl_part("polydiv", done.r, 0, count_nothing(&c, done.r), m);
        result[0] = done.q;
        result[1] = done.r;
    }
    knl_end_n(&c, 2, result);
    return (kn_polydiv_result){result[0], result[1]};
}

/* ---- Values, by W. G. Horner's rule. */

enum { IN_A_ROW = 64 }; /* so many coefficients become one kernel; more of them a loop */

static kn_array coefficient(kn_array p, kn_array i)
{
    return kn_take(p, i, KNL_WITH(kn_take_opts, .axis = knl_one_axis(0), .mode = "clip"));
}

typedef struct evaluated {
    kn_array p, x;
} evaluated;

static void next_power(const void *captured, void *out, const void *const *in)
{
    const evaluated *e = captured;
    kn_array i = *(const kn_array *)in[0], y = *(const kn_array *)in[1];
    *(kn_array *)out = kn_add(kn_multiply(y, e->x), coefficient(e->p, i));
}

static kn_array by_loop(kn_array p, kn_array x, int64_t n)
{
    static const kn_function once = {.size_ = sizeof(kn_function),
                                     .name = "next_power",
                                     .call = next_power,
                                     .captured_bytes = sizeof(evaluated),
                                     .out_bytes = sizeof(kn_array),
                                     .n_args = 2,
                                     .arg_bytes = {sizeof(kn_array), sizeof(kn_array)}};
    evaluated e = {p, x};
    kn_array none = kn_sum(knl_part("polyval", p, 0, 0, 0), KNL_WITH(kn_sum_opts, .axis = knl_one_axis(0)));
    kn_array start = kn_add(kn_zeros_like(x, NULL), none), y = NULL;
    start = kn_astype(start, knx_promote(kn_dtype_of(x), kn_dtype_of(p)), NULL);
    kn_fori_loop(kn_like_int(0), kn_like_int(n), kn_fn_of(&once, &e), &(const kn_outs){1, {{&y, sizeof y}}},
                 &(const kn_args){1, {{&start, sizeof start}}}, NULL);
    return y;
}

/* x is a polynomial, too: products of it, trimmed as those of poly1d are. */
static kn_array composed(kn_array p, kn_array x, int64_t n)
{
    kn_array y = kn_zeros(&(kn_shape){1, {1}}, KNL_WITH(kn_zeros_opts, .dtype = kn_dtype_of(x)));
    for (int64_t i = 0; i < n; i++)
        y = kn_poly1d(kn_polyadd(kn_polymul(y, x, NULL), knl_part("polyval", p, 0, i, i + 1)), NULL);
    return y;
}

kn_array kn_polyval(kn_array p, kn_array x, const kn_polyval_opts *opts)
{
    KNX_OPTS(kn_polyval_opts, o, opts);
    knl_body c;
    knl_begin(&c, "polyval");
    kn_array a = kn_asarray(p, NULL), at = kn_asarray(x, NULL);
    kni_type t = kna_type(&c.op, a);
    if (!kna_failed(&c.op) && t.ndim == 0)
        kna_fail(&c.op, KN_ERROR_TYPE, "iteration over a 0-d array");
    else if (!kna_failed(&c.op) && o.compose && t.ndim != 1)
        kna_fail(&c.op, KN_ERROR_VALUE, "Polynomial must be 1d only.");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    int64_t n = t.dim[0];
    if (o.compose && !knx_is_symbolic(n))
        return knl_end(&c, composed(a, at, n));
    if (knx_is_symbolic(n) || n > IN_A_ROW)
        return knl_end(&c, by_loop(a, at, n));
    kn_array y = kn_zeros_like(at, NULL);
    for (int64_t i = 0; i < n; i++) {
        kn_array one =
            kn_squeeze(knl_part("polyval", a, 0, i, i + 1), KNL_WITH(kn_squeeze_opts, .axis = knl_one_axis(0)));
        y = kn_add(kn_multiply(y, at), one);
    }
    return knl_end(&c, y);
}
