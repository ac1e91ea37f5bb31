/* SPDX-License-Identifier: Apache-2.0
 * legendre.c -- associated Legendre functions and spherical harmonics, by the recurrences in the degree l:
 *
 *     (l - m) P[m, l] = (2l - 1) x P[m, l-1] - (l + m - 1) P[m, l-2],   P[m, m] = -(2m - 1) sqrt(1 - x^2) P[m-1, m-1]
 *
 * or, normalized, with N[m, l]^2 = (2l + 1) / (4 pi) (l - m)! / (l + m)! in front. */
#include "special/internal.h"
#include <string.h>

/* --- by degree ---------------------------------------------------------------------------------- */

/* The factors of x P[m, l-1] and P[m, l-2] for m < l (others have no meaning), in the shape of m. */
static void factors(kns_call *c, kni_atom m, int l, bool normalized, kni_atom *one, kni_atom *two)
{
    kni_builder *b = c->b;
    kni_atom safe = knb_min(b, m, kns_number(c, l - 1)), below = knb_sub(b, kns_number(c, l), safe);
    kni_atom above = kns_plus(c, safe, l - 1), last = knb_max(b, kns_plus(c, below, -1), kns_number(c, 0));
    if (!normalized) {
        *one = knb_div(b, kns_number(c, 2 * l - 1), below);
        *two = knb_div(b, above, below);
        return;
    }
    kni_atom down = knb_mul(b, below, kns_plus(c, safe, l)); /* l^2 - m^2 */
    *one = knb_sqrt(b, knb_div(b, kns_number(c, 4.0 * l * l - 1), down));
    kni_atom up = kns_times(c, knb_mul(b, above, last), l > 1 ? (2 * l + 1.0) / (2 * l - 3.0) : 0);
    *two = knb_sqrt(b, knb_div(b, up, down));
}

/* P[m, l] from P[m, l-1] and P[m, l-2] for m < l, and from P[m-1, l-1] for m = l; operands of one shape. */
static double diagonal_factor(int l, bool normalized) { return normalized ? -sqrt(1 + 0.5 / l) : 1 - 2.0 * l; }

static double first_value(bool normalized) { return normalized ? 0.28209479177387814 : 1; }

/* --- all degrees and orders --------------------------------------------------------------------- */

/* p[l] has the orders 0 to l_max in its rows and the points in its columns; 0 where m > l. */
static void all_degrees(kns_call *c, kni_atom z, int l_max, bool normalized, kni_atom *p)
{
    kni_builder *b = c->b;
    kni_type point = knb_type(b, z);
    int64_t dim[2] = {l_max + 1, point.dim[0]}, columns[1] = {1};
    kni_type t = kni_type_of(c->d, 2, dim);
    kni_atom m = knb_iota(b, c->d, 2, dim, 0), zero = knb_broadcast_to(b, kns_number(c, 0), t);
    kni_atom x = knb_broadcast_in_dim(b, z, 2, dim, columns);
    kni_atom s = knb_sqrt(b, kns_plus(c, knb_neg(b, knb_mul(b, z, z)), 1));
    kni_atom corner = knb_broadcast_to(b, kns_number(c, first_value(normalized)), point);
    p[0] = knb_select(b, kns_is(c, m, 0), knb_broadcast_in_dim(b, corner, 2, dim, columns), zero);
    for (int l = 1; l <= l_max; l++) {
        kni_atom one, two;
        factors(c, m, l, normalized, &one, &two);
        kni_atom y = knb_mul(b, knb_mul(b, one, x), p[l - 1]);
        if (l > 1)
            y = knb_sub(b, y, knb_mul(b, two, p[l - 2]));
        corner = knb_mul(b, kns_times(c, corner, diagonal_factor(l, normalized)), s);
        kni_atom other = knb_select(b, kns_is(c, m, l), knb_broadcast_in_dim(b, corner, 2, dim, columns), zero);
        p[l] = knb_select(b, kns_below(c, m, l), y, other);
    }
}

/* dP/dx = ((l + m) (l - m + 1) P[m-1, l] - P[m+1, l]) / (2 sqrt(1 - x^2)), and P[0, l]' = -P[1, l] / sqrt(1 - x^2);
 * at the ends their limits. */
static kni_atom slope_of(kns_call *c, kni_atom z, int l, int l_max, kni_atom p)
{
    kni_builder *b = c->b;
    int64_t n = knb_type(b, z).dim[0], dim[2] = {l_max + 1, n}, columns[1] = {1}, none[2] = {0, 0};
    int64_t down[2] = {1, 0}, up_cut[2] = {l_max, n}, all[2] = {l_max + 1, n};
    kni_atom m = knb_iota(b, c->d, 2, dim, 0), zero = kns_number(c, 0), x = knb_broadcast_in_dim(b, z, 2, dim, columns);
    kni_atom before = knb_pad(b, knb_slice(b, p, none, up_cut, NULL), zero, down, none, NULL);
    kni_atom behind = knb_pad(b, knb_slice(b, p, down, all, NULL), zero, none, down, NULL);
    kni_atom inside = knb_lt(b, knb_abs(b, x), kns_number(c, 1)), safe = knb_select(b, inside, x, zero);
    kni_atom s = knb_sqrt(b, kns_plus(c, knb_neg(b, knb_mul(b, safe, safe)), 1));
    kni_atom first = kns_is(c, m, 0);
    kni_atom weight = knb_mul(b, kns_plus(c, m, l), kns_plus(c, knb_neg(b, m), l + 1));
    kni_atom y = kns_times(c, knb_sub(b, knb_mul(b, weight, before), behind), 0.5);
    y = knb_div(b, knb_select(b, first, knb_neg(b, behind), y), s);
    /* at x = 1: l (l+1) / 2, +inf, -(l-1) l (l+1) (l+2) / 4, 0; at -1 times (-1)^(l+1), (-1)^l, (-1)^(l+1) */
    double half = 0.5 * l * (l + 1.0), sign = l % 2 ? 1 : -1;
    kni_atom left = kns_below(c, x, 0), end = zero;
    double limit[3] = {half, l ? INFINITY : 0, -0.5 * half * (l - 1.0) * (l + 2.0)};
    for (int k = 2; k >= 0; k--) {
        kni_atom there =
            knb_select(b, left, kns_number(c, limit[k] * (k == 1 ? -sign : sign)), kns_number(c, limit[k]));
        end = knb_select(b, knb_and(b, kns_is(c, m, k), knb_le(b, m, kns_number(c, l))), there,
                         k == 2 ? knb_broadcast_to(b, end, knb_type(b, x)) : end);
    }
    kni_atom outside = kns_above(c, knb_abs(b, x), 1);
    end = knb_select(b, outside, knb_broadcast_to(b, kns_number(c, NAN), knb_type(b, x)), end);
    return knb_select(b, inside, y, end);
}

/* The operand of lpmn in its own dtype, or JAX's errors. */
static kni_atom begin(kns_call *c, const char *name, int m, int n, kn_array z)
{
    kna_begin(&c->op, name);
    c->b = c->op.b;
    kni_type t = kna_type(&c->op, z);
    c->d = c->result = t.weak ? kna_strong_dtype(t) : t.dtype;
    if (kna_failed(&c->op))
        return KN_ATOM_NONE;
    if (c->d != KN_DT(F32) && c->d != KN_DT(F64))
        kna_fail(&c->op, KN_ERROR_TYPE, "z.dtype=%s is not supported, see docstring for supported types.", c->d->name);
    else if (t.ndim != 1)
        kna_fail(&c->op, KN_ERROR_VALUE, "z must be a 1D array.");
    else if (m != n)
        kna_fail(&c->op, KN_ERROR_NOT_IMPLEMENTED, "Computations for m!=n are not yet supported.");
    else if (n < 0 || n > 4096)
        kna_fail(&c->op, KN_ERROR_VALUE, "n must be between 0 and 4096, got %d", n);
    kni_atom x = kna_in(&c->op, z);
    return kna_failed(&c->op) ? KN_ATOM_NONE : knb_convert(c->b, x, KN_DT(F64));
}

/* (order, degree, point) */
static kni_atom stacked(kns_call *c, int n, const kni_atom *p)
{
    return knb_convert(c->b, knb_stack(c->b, n + 1, p, 1), c->result);
}

static bool legendre(kns_call *c, kni_atom z, int n, bool normalized, kni_atom **p)
{
    *p = kna_failed(&c->op) ? NULL : knx_arena_alloc(&c->b->arena, (size_t)(n + 1) * sizeof **p);
    if (!*p) {
        if (!kna_failed(&c->op))
            kna_fail_with(&c->op, knx_error_nomem());
        return false;
    }
    c->d = KN_DT(F64);
    all_degrees(c, z, n, normalized, *p);
    return true;
}

kn_array kn_special_lpmn_values(int m, int n, kn_array z, bool is_normalized)
{
    kns_call c = {0};
    kni_atom *p, x = begin(&c, "special_lpmn_values", m, n, z);
    bool ok = legendre(&c, x, n, is_normalized, &p);
    return kna_end(&c.op, ok ? stacked(&c, n, p) : KN_ATOM_NONE);
}

kn_special_lpmn_result kn_special_lpmn(int m, int n, kn_array z)
{
    kns_call c = {0};
    kni_atom *p, x = begin(&c, "special_lpmn", m, n, z), y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    if (legendre(&c, x, n, false, &p)) {
        y[0] = stacked(&c, n, p);
        for (int l = 0; l <= n; l++)
            p[l] = slope_of(&c, x, l, n, p[l]);
        y[1] = stacked(&c, n, p);
    }
    kn_array out[2];
    kna_end_n(&c.op, 2, y, out);
    return (kn_special_lpmn_result){.values = out[0], .derivatives = out[1]};
}

/* --- spherical harmonics ------------------------------------------------------------------------ */

/* The largest element of n, whose values have to be known. */
static int64_t largest(kna_op *op, kn_array n)
{
    kni_type t;
    const char *data = kna_look(op, n, &t);
    int64_t count = data ? kni_type_size(t) : 0, most = 0;
    for (int64_t i = 0; i < count; i++) {
        knx_scalar_bits from = {{0}}, to = {{0}};
        memcpy(&from, data + (size_t)i * t.dtype->size, t.dtype->size);
        knx_convert(t.dtype, &from, KN_DT(I64), &to);
        int64_t v;
        memcpy(&v, &to, sizeof v);
        most = v > most ? v : most;
    }
    return most;
}

/* Normalized P[|m|, n](cos theta) for each element by itself, in n_max steps. */
static kni_atom normalized_legendre(kns_call *c, kni_atom n, kni_atom order, kni_atom theta, int n_max)
{
    kni_builder *b = c->b;
    kni_atom x = knb_cos(b, theta), s = knb_sin(b, theta), before = kns_number(c, 0);
    kni_atom p = knb_broadcast_to(b, kns_number(c, first_value(true)), knb_type(b, x));
    for (int l = 1; l <= n_max; l++) {
        kni_atom one, two, diagonal = knb_le(b, kns_number(c, l), order);
        factors(c, order, l, true, &one, &two);
        kni_atom up = knb_mul(b, kns_times(c, p, diagonal_factor(l, true)), s);
        kni_atom on = knb_mul(b, knb_mul(b, one, x), p);
        if (l > 1)
            on = knb_sub(b, on, knb_mul(b, two, before));
        kni_atom next = kns_choose(c, diagonal, up, on), counts = knb_le(b, kns_number(c, l), n);
        before = kns_choose(c, diagonal, kns_number(c, 0), p);
        p = kns_choose(c, counts, next, p);
    }
    return kns_choose(c, knb_le(b, order, n), p, kns_number(c, 0));
}

kn_array kn_special_sph_harm_y(kn_array n, kn_array m, kn_array theta, kn_array phi,
                               const kn_special_sph_harm_y_opts *opts)
{
    kns_call c;
    KNX_OPTS(kn_special_sph_harm_y_opts, o, opts);
    kns_begin_wide(&c, "special_sph_harm_y", 4, (const kn_array[]){n, m, theta, phi});
    kni_builder *b = c.b;
    kn_dtype d = kna_failed(&c.op) ? KN_DT(F64) : kna_result_type(&c.op, 2, (const kn_array[]){theta, phi});
    int64_t n_max = o.n_max;
    if (n_max < 0 && !kna_failed(&c.op))
        n_max = largest(&c.op, n);
    if (n_max > 65536 && !kna_failed(&c.op))
        kna_fail(&c.op, KN_ERROR_VALUE, "n_max is %lld, the largest that there is a program for is 65536",
                 (long long)n_max);
    if (kna_failed(&c.op))
        return kns_end(&c, KN_ATOM_NONE);
    kni_atom degree = knb_min(b, c.x[0], kns_number(&c, (double)n_max)), order = knb_abs(b, c.x[1]);
    kni_atom p = normalized_legendre(&c, degree, order, c.x[2], (int)n_max), angle = knb_mul(b, order, c.x[3]);
    kni_atom re = knb_mul(b, p, knb_cos(b, angle)), im = knb_mul(b, p, knb_sin(b, angle));
    kni_atom negative = kns_below(&c, c.x[1], 0), odd = kns_is(&c, knb_rem(b, order, kns_number(&c, 2)), 1);
    re = kns_choose(&c, knb_and(b, negative, odd), knb_neg(b, re), re);
    im = kns_choose(&c, knb_and(b, negative, knb_not(b, odd)), knb_neg(b, im), im);
    d = knl_inexact_for(d);
    c.result = d->size <= 4 ? KN_DT(C64) : KN_DT(C128);
    return kns_end(&c, knb_complex(b, re, im));
}
