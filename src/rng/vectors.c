/* SPDX-License-Identifier: Apache-2.0
 * vectors.c -- distributions of vectors of counts and of vectors that add to 1: the last axis of the result is
 * theirs. */
#include "lib/compose.h"
#include "rng/continuous.h"
#include "rng/draw.h"
#include <math.h>
#include <string.h>

/* Room for vectors of k elements, set to zero; NULL with the op failed. */
static knx_buffer *vectors(knrng_call *c, kn_dtype d, int64_t k)
{
    if (knl_too_many_axes(&c->op, c->shape.ndim + 1))
        return NULL;
    c->shape.dim[c->shape.ndim++] = k;
    knx_buffer *b = knrng_room(c, d);
    if (b)
        memset(b->data, 0, kni_type_bytes(kni_type_of(d, c->shape.ndim, c->shape.dim)));
    return b;
}

static kn_array finished(knrng_call *c, kn_dtype d, knx_buffer *b)
{
    if (b && kna_failed(&c->op)) {
        knx_buffer_release(b);
        b = NULL;
    }
    return b ? kna_from_buffer(&c->op, kni_type_of(d, c->shape.ndim, c->shape.dim), b) : knrng_failed(c);
}

static int64_t count_of(const knrng_call *c)
{
    return kni_type_size(kni_type_of(KN_DT(I64), c->shape.ndim, c->shape.dim));
}

/* ---- Dirichlet's distribution: gamma numbers over their sum; of small parameters pieces of what is left. */

static void break_pieces(knrng_reader *r, int64_t k, const knrng_number *alpha, const double *rest, double *out)
{
    double left = 1.;
    for (int64_t j = 0; j < k - 1; j++) {
        double v = knrng_beta(r, alpha[j].d, rest[j + 1]);
        out[j] = left * v;
        left *= 1. - v;
        if (rest[j + 1] == 0)
            break;
    }
    out[k - 1] = left;
}

static void divide_gammas(knrng_reader *r, int64_t k, const knrng_number *alpha, bool legacy, double *out)
{
    double sum = 0.;
    for (int64_t j = 0; j < k; j++) {
        out[j] = legacy ? knrng_legacy_gamma(r, alpha[j].d) : knrng_gamma(r, alpha[j].d);
        sum = sum + out[j];
    }
    double inverse = 1. / sum;
    for (int64_t j = 0; j < k; j++)
        out[j] = out[j] * inverse;
}

static kn_array dirichlet(const void *handle, bool legacy, kn_array alpha, const kn_shape *size)
{
    knrng_call c;
    knrng_param p = {0};
    double largest = -INFINITY, sum = 0;
    bool ok = knrng_begin(&c, "dirichlet", handle, legacy, size) && knrng_take(&c, alpha, false, NAN, &p),
         wrong = false;
    if (ok && p.shape.ndim != 1)
        kna_fail(&c.op, p.shape.ndim ? KN_ERROR_VALUE : KN_ERROR_TYPE,
                 p.shape.ndim ? "object too deep for desired array" : "object of type 'float' has no len()");
    for (int64_t i = 0; i < p.n; i++) {
        wrong = wrong || p.v[i].d < 0 || (legacy && p.v[i].d == 0);
        largest = isnan(p.v[i].d) || p.v[i].d > largest ? p.v[i].d : largest;
    }
    if (ok && !kna_failed(&c.op) && wrong)
        kna_fail(&c.op, KN_ERROR_VALUE, legacy ? "alpha <= 0" : "alpha < 0");
    int64_t k = p.n, n = count_of(&c);
    knx_buffer *b = kna_failed(&c.op) ? NULL : vectors(&c, KN_DT(F64), k);
    double *out = b ? b->data : NULL;
    bool small = !legacy && k > 0 && largest < 0.1;
    double *rest = out && small ? knx_alloc((size_t)k * sizeof *rest) : NULL;
    if (out && small && !rest)
        kna_fail_with(&c.op, knx_error_nomem());
    for (int64_t j = k - 1; rest && j >= 0; j--)
        rest[j] = sum += p.v[j].d;
    if (out)
        knrng_expect(&c.r, (size_t)(n < KNRNG_AHEAD && k < KNRNG_AHEAD ? n * k : KNRNG_AHEAD));
    for (int64_t i = 0; out && !kna_failed(&c.op) && k && i < n; i++, out += k) {
        if (!small)
            divide_gammas(&c.r, k, p.v, legacy, out);
        else if (sum > 0)
            break_pieces(&c.r, k, p.v, rest, out);
    }
    if (out)
        knrng_give_back(&c.r);
    knx_free(rest);
    knrng_forget(1, &p);
    return finished(&c, KN_DT(F64), b);
}

kn_array kn_rng_dirichlet(kn_rng rng, kn_array alpha, const kn_shape *size)
{
    return dirichlet(rng, false, alpha, size);
}

kn_array kn_random_state_dirichlet(kn_random_state state, kn_array alpha, const kn_shape *size)
{
    return dirichlet(state, true, alpha, size);
}

/* ---- Multinomial counts: binomial ones, category by category. */

enum { REMEMBERED = 32 }; /* so many categories know what the last number of theirs was computed with */

static void multinomial_vector(knrng_reader *r, knrng_binomial *memo, int64_t n, const knrng_number *p, int64_t k,
                               int64_t *out)
{
    double left = 1.0;
    for (int64_t j = 0; j < k - 1; j++) {
        out[j] = knrng_binomial_of(r, &memo[j < REMEMBERED ? j : REMEMBERED - 1], n, p[j].d / left);
        n -= out[j];
        if (n <= 0)
            return;
        left -= p[j].d;
    }
    if (n > 0)
        out[k - 1] = n;
}

/* The sums of probabilities but for the last one of each vector. */
static void check_sums(knrng_call *c, const knrng_param *p, int64_t k, kn_dtype given)
{
    const char *slice = p->shape.ndim == 1 ? "[:-1]" : "[...,:-1]";
    for (int64_t i = 0; k && i < p->n && !kna_failed(&c->op); i += k) {
        if (!(knrng_kahan_sum(p->v + i, k - 1) > 1.0 + 1e-12))
            continue;
        if (knx_is_float(given) && given != KN_DT(F64) && knrng_kahan_sum(p->v, p->n) < 1.0001)
            kna_fail(
                &c->op, KN_ERROR_VALUE,
                "sum(pvals%s.astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point prior to "
                "checking the sum. Precision changes when casting may cause problems even if the sum of the original "
                "pvals is valid.",
                slice);
        else
            kna_fail(&c->op, KN_ERROR_VALUE, "sum(pvals%s) > 1.0", slice);
    }
}

static kn_array multinomial(const void *handle, bool legacy, kn_array n, kn_array pvals, const kn_shape *size)
{
    knrng_call c;
    knrng_param a[2] = {{0}}; /* n; pvals as an array of vectors */
    bool ok = knrng_begin(&c, "multinomial", handle, legacy, size) && knrng_take(&c, n, true, NAN, &a[0]) &&
              knrng_take(&c, pvals, false, NAN, &a[1]);
    knrng_param *p = &a[1];
    int64_t k = ok && p->shape.ndim ? p->shape.dim[p->shape.ndim - 1] : 0;
    if (ok && legacy && p->shape.ndim == 0)
        kna_fail(&c.op, KN_ERROR_TYPE, "pvals must be a 1-d sequence");
    else if (ok && legacy && (p->shape.ndim > 1 || a[0].shape.ndim))
        kna_fail(&c.op, KN_ERROR_VALUE, "object too deep for desired array");
    else if (ok && !legacy && k == 0)
        kna_fail(&c.op, KN_ERROR_VALUE,
                 "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.");
    ok = ok && !kna_failed(&c.op) && knrng_check(&c.op, p, "pvals", KNRNG_0_TO_1, false, false);
    if (ok)
        check_sums(&c, p, k, kna_type(&c.op, pvals).dtype);
    if (ok && !kna_failed(&c.op))
        knrng_check(&c.op, &a[0], "n", KNRNG_NOT_NEGATIVE, a[0].shape.ndim == 0, true);
    if (ok && !kna_failed(&c.op)) {
        p->shape.ndim--; /* the vectors broadcast, not their elements */
        knrng_result_shape(&c, 2, a, false);
    }
    knrng_walk w;
    knrng_walk_begin(&w, &c.shape, kna_failed(&c.op) ? 0 : 2, a);
    int64_t count = kna_failed(&c.op) ? 0 : count_of(&c);
    knx_buffer *b = kna_failed(&c.op) ? NULL : vectors(&c, KN_DT(I64), k);
    int64_t *out = b ? b->data : NULL;
    knrng_binomial memo[REMEMBERED];
    for (int i = 0; i < REMEMBERED; i++)
        knrng_binomial_forget(&memo[i]);
    if (out)
        knrng_expect(&c.r, (size_t)count);
    for (int64_t i = 0; out && k && i < count; i++, out += k) {
        multinomial_vector(&c.r, memo, a[0].v[w.at[0]].i, p->v + w.at[1] * k, k, out);
        knrng_walk_next(&w);
    }
    if (b)
        knrng_give_back(&c.r);
    knrng_forget(2, a);
    return finished(&c, KN_DT(I64), b);
}

kn_array kn_rng_multinomial(kn_rng rng, kn_array n, kn_array pvals, const kn_shape *size)
{
    return multinomial(rng, false, n, pvals, size);
}

kn_array kn_random_state_multinomial(kn_random_state state, kn_array n, kn_array pvals, const kn_shape *size)
{
    return multinomial(state, true, n, pvals, size);
}

/* ---- Multivariate hypergeometric counts. */

typedef struct urn {
    int64_t k, total, drawn; /* drawn: of the rarer part */
    const knrng_number *color;
    bool complement;
} urn;

static void by_marginals(knrng_reader *r, const urn *u, int64_t *out)
{
    int64_t left = u->drawn, others = u->total;
    for (int64_t j = 0; left > 0 && j + 1 < u->k; j++) {
        others -= u->color[j].i;
        out[j] = knrng_hypergeometric(r, u->color[j].i, others, left);
        left -= out[j];
    }
    if (left > 0)
        out[u->k - 1] = left;
}

/* The first ones of all objects in random order; `object` keeps its order from vector to vector. */
static void by_counting(knrng_reader *r, const urn *u, int64_t *object, int64_t *out)
{
    for (int64_t j = 0; j < u->drawn; j++) {
        int64_t other = j + (int64_t)knrng_interval(r, (uint64_t)(u->total - j - 1)), kept = object[other];
        object[other] = object[j];
        object[j] = kept;
    }
    for (int64_t j = 0; j < u->drawn; j++)
        out[object[j]]++;
}

static bool take_colors(knrng_call *c, kn_array colors, knrng_param *p, int64_t *total)
{
    kni_type t = kna_type(&c->op, colors);
    bool wrong = t.ndim != 1 || (kni_type_size(t) > 0 && !knx_is_integer(t.dtype));
    const char *at = kna_failed(&c->op) || wrong ? NULL : kna_look(&c->op, colors, &t);
    if (kna_failed(&c->op))
        return false;
    *p = (knrng_param){.n = wrong ? 0 : kni_type_size(t), .shape = {.ndim = 1, .dim = {0}}};
    p->v = p->owned = knx_alloc((size_t)p->n * sizeof *p->v + 1);
    if (!p->owned)
        kna_fail_with(&c->op, knx_error_nomem());
    for (int64_t i = 0; p->owned && i < p->n; i++) {
        knx_convert(t.dtype, at + (size_t)i * t.dtype->size, KN_DT(I64), &p->owned[i]);
        wrong = wrong || p->v[i].i < 0; /* an unsigned one beyond int64 is negative there */
    }
    if (wrong && p->owned)
        kna_fail(
            &c->op, KN_ERROR_VALUE,
            "colors must be a one-dimensional sequence of nonnegative integers not exceeding 9223372036854775807.");
    for (int64_t i = 0; i < p->n && !kna_failed(&c->op); i++) {
        if (p->v[i].i > INT64_MAX - *total)
            kna_fail(&c->op, KN_ERROR_VALUE,
                     "sum(colors) must not exceed the maximum value of a 64 bit signed integer (9223372036854775807)");
        else
            *total += p->v[i].i;
    }
    return !kna_failed(&c->op);
}

static void draw_from_urn(knrng_call *c, urn *u, bool counting, int64_t n, int64_t *out)
{
    int64_t *object = counting ? knl_integer_room(&c->op, u->total) : NULL;
    if (counting && !object)
        return;
    for (int64_t i = 0, at = 0; object && i < u->k; i++)
        for (int64_t j = 0; j < u->color[i].i; j++)
            object[at++] = i;
    u->complement = u->drawn > u->total / 2;
    if (u->complement)
        u->drawn = u->total - u->drawn;
    knrng_expect(&c->r, (size_t)n);
    for (int64_t i = 0; i < n; i++, out += u->k) {
        if (counting)
            by_counting(&c->r, u, object, out);
        else
            by_marginals(&c->r, u, out);
        for (int64_t j = 0; u->complement && j < u->k; j++)
            out[j] = u->color[j].i - out[j];
    }
    knrng_give_back(&c->r);
    knx_free(object);
}

kn_array kn_rng_multivariate_hypergeometric(kn_rng rng, kn_array colors, kn_array nsample, const kn_shape *size,
                                            const kn_rng_multivariate_hypergeometric_opts *opts)
{
    knrng_call c;
    knrng_param p = {0};
    urn u = {0};
    const char *method = opts && opts->method ? opts->method : "marginals";
    bool counting = strcmp(method, "count") == 0;
    if (!knrng_begin(&c, "multivariate_hypergeometric", rng, false, size))
        return knrng_failed(&c);
    kna_op *op = &c.op;
    kni_type t = kna_type(op, nsample);
    if (!counting && strcmp(method, "marginals") != 0)
        kna_fail(op, KN_ERROR_VALUE, "method must be \"count\" or \"marginals\".");
    else if (t.ndim != 0 || !knx_is_integer(t.dtype))
        kna_fail(op, KN_ERROR_VALUE, "nsample must be an integer");
    const void *at = kna_failed(op) ? NULL : kna_look(op, nsample, &t);
    if (at) {
        knx_convert(t.dtype, at, KN_DT(I64), &u.drawn);
        if (u.drawn < 0)
            kna_fail(op, KN_ERROR_VALUE,
                     t.dtype->kind == KN_KIND_UINT ? "nsample must not exceed 9223372036854775807"
                                                   : "nsample must be nonnegative.");
    }
    bool ok = !kna_failed(op) && take_colors(&c, colors, &p, &u.total);
    u.k = p.n;
    u.color = p.v;
    if (ok && !counting && u.total >= 1000000000)
        kna_fail(op, KN_ERROR_VALUE, "When method is \"marginals\", sum(colors) must be less than 1000000000.");
    else if (ok && counting && u.total > INT64_MAX / 8)
        kna_fail(op, KN_ERROR_VALUE, "When method is 'count', sum(colors) must not exceed %lld",
                 (long long)(INT64_MAX / 8));
    else if (ok && u.drawn > u.total)
        kna_fail(op, KN_ERROR_VALUE, "nsample > sum(colors)");
    int64_t n = count_of(&c);
    knx_buffer *b = kna_failed(op) ? NULL : vectors(&c, KN_DT(I64), u.k);
    if (b && u.k && u.total && u.drawn && n)
        draw_from_urn(&c, &u, counting, n, b->data);
    knrng_forget(1, &p);
    return finished(&c, KN_DT(I64), b);
}
