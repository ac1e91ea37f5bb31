/* SPDX-License-Identifier: Apache-2.0
 * noise.c -- how far results may be off where sums add in another order. The whole program is run a few times more with
 * what its sums (products, maxima, ...) read made a little wrong, in each element otherwise: what that moves, another order
 * may move, too. An element that jumps, because something is rounded, compared or sorted behind a sum, may be anything. */
#include "sharded.h"
#include "shard/factors.h"
#include "transform/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which results do sums of floats over devices reach? */

static bool joins_floats(const kni_jaxpr *j, const kni_eqn *e)
{
    bool joins = e->prim == &knp_prim_psum || e->prim == &knp_prim_pmax || e->prim == &knp_prim_pmin ||
                 e->prim == &knp_prim_reduce_scatter ||
                 (e->prim == &knp_prim_all_gather && !((const kni_p_all_gather *)e->params)->tiled);
    return joins && e->n_in && knx_is_inexact(kni_atom_type(j, e->in[0]).dtype);
}

bool sums_reach(const kni_jaxpr *j, bool *result)
{
    bool *reached = calloc(j->n_var + 1, 1), any = false;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        bool here = joins_floats(j, e);
        for (uint32_t k = 0; k < e->n_in; k++)
            here = here || (kni_is_var(e->in[k]) && reached[e->in[k]]);
        for (const kni_param_field *f = e->params ? e->prim->fields : NULL; f && f->name; f++)
            for (int n = 0; n < kni_field_jaxprs(f, e->params).n; n++)
                here = sums_reach(kni_field_jaxprs(f, e->params).v[n], NULL) || here;
        for (uint32_t k = 0; k < e->n_out; k++)
            reached[e->out + k] = here;
        any = any || here;
    }
    for (uint32_t k = 0; result && k < j->n_out; k++)
        result[k] = kni_is_var(j->out[k]) && reached[j->out[k]];
    free(reached);
    return any;
}

/* ---- The program with noise. */

typedef struct writer {
    uint64_t state;
    double much; /* so many times the dtype's epsilon */
    bool products;
} writer;

static kni_jaxpr *noisy(const kni_jaxpr *j, writer *w);

static kni_atom real_number(kni_builder *b, kn_dtype d, double v)
{
    return knb_literal(b, d, false, knx_scalar_from_double(d, v));
}

/* Numbers from -1 to 1, one for each element. */
static kni_atom wave(kni_builder *b, kni_type t, uint64_t *state)
{
    kni_atom sum = real_number(b, KN_DT(F32), test_uniform(state, 0, 6));
    for (int d = 0; d < t.ndim; d++) {
        kni_atom at = knb_iota(b, KN_DT(F32), t.ndim, t.dim, d);
        sum = knb_add(b, sum, knb_mul(b, at, real_number(b, KN_DT(F32), test_uniform(state, 1, 5))));
    }
    return knb_sin(b, sum);
}

static kni_atom with_noise(kni_builder *b, kni_atom x, writer *w)
{
    kni_type t = knb_type(b, x);
    kn_dtype part = knx_component(t.dtype);
    if (b->error || !knx_is_inexact(t.dtype))
        return x;
    double eps = (double)tensor_epsilon(part), least = knx_scalar_to_double(part, (knx_scalar_bits){.u = {1, 0}});
    kni_atom part_of_one = knb_convert(b, wave(b, t, &w->state), part);
    kni_atom factor = knb_add(b, knb_mul(b, part_of_one, real_number(b, part, w->much * eps)), real_number(b, part, 1));
    kni_atom tiny = knb_select(b, knb_lt(b, part_of_one, real_number(b, part, 0)), real_number(b, part, -least),
                               real_number(b, part, least));
    kni_atom y = knb_mul(b, x, knb_convert(b, factor, t.dtype));
    if (part != t.dtype)
        return y;
    return knb_select(b, knb_eq(b, x, real_number(b, part, 0)), tiny, y); /* the sign of a zero may change */
}

/* Along an axis, the elements from number `by` on first. */
static kni_atom rolled(kni_builder *b, kni_atom x, int axis, int64_t by)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM];
    kni_atom part[2];
    if (b->error || !by)
        return x;
    for (int d = 0; d < t.ndim; d++)
        limit[d] = t.dim[d];
    start[axis] = by;
    part[0] = knb_slice(b, x, start, limit, NULL);
    start[axis] = 0;
    limit[axis] = by;
    part[1] = knb_slice(b, x, start, limit, NULL);
    return knb_concatenate(b, 2, part, axis);
}

static bool same_extents(const kni_rule *r, const kni_factor *f)
{
    for (int k = 0; k < r->n_in; k++)
        if (f->in[k] >= 0 && r->xt[k].dim[f->in[k]] != f->size)
            return false;
    return f->size > 1;
}

/* If the equation adds floats up, or the like: its operands in another order, and a little wrong. */
static void disturb(writer *w, knt_replay *r, const kni_rule *rule)
{
    kni_spread s;
    bool any = false;
    if (!rule->n_out || !knx_is_inexact(rule->yt->dtype) || rule->prim->loops)
        return;
    knx_error *error = knshard_factors(rule, &r->arena, &s);
    for (int f = 0; !error && f < s.n; f++) {
        const kni_factor *factor = &s.v[f];
        if (!kni_factor_joins((kni_factor_kind)factor->kind))
            continue;
        int64_t by = same_extents(rule, factor) ? (int64_t)(test_random(&w->state) % (uint64_t)factor->size) : 0;
        any = true;
        w->products = w->products || factor->kind == KNI_PROD;
        for (int k = 0; k < rule->n_in; k++)
            if (factor->in[k] >= 0)
                r->in[k] = rolled(&r->b, r->in[k], factor->in[k], by);
    }
    knx_error_release(error);
    for (int k = 0; any && w->much > 0 && k < rule->n_in; k++)
        if (!kni_is_literal(r->in[k]))
            r->in[k] = with_noise(&r->b, r->in[k], w);
}

static void bodies_with_noise(const kni_prim *p, const void *params, writer *w)
{
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        kni_jaxprs list = kni_field_jaxprs(f, params);
        for (int n = 0; n < list.n; n++) {
            kni_jaxpr *body = noisy(list.v[n], w);
            if (!body)
                continue;
            kni_release(list.v[n]);
            ((kni_jaxpr **)(uintptr_t)list.v)[n] = body;
        }
    }
}

static void write_equation(knt_replay *r, const kni_eqn *e, writer *w)
{
    const void *params = NULL;
    knt_operands(r, e);
    kni_rule rule = kni_rule_of(e, r->in_type, r->j->type + e->out);
    disturb(w, r, &rule);
    if (e->prim->loops && kni_params_copy(&r->arena, e->prim, e->params, &params))
        bodies_with_noise(e->prim, params, w);
    knb_emit(&r->b, e->prim, params ? params : e->params, (int)e->n_in, r->in, r->out, (int)e->n_out);
    knt_bind(r, e, r->out);
    if (params)
        kni_params_drop(e->prim, params);
}

static kni_jaxpr *noisy(const kni_jaxpr *j, writer *w)
{
    knt_replay r;
    kni_jaxpr *out = NULL;
    knx_error *e = knt_replay_begin(&r, j, true);
    for (uint32_t i = 0; !e && i < j->n_eqn; i++) {
        write_equation(&r, &j->eqn[i], w);
        e = knb_take_error(&r.b);
    }
    if (!e)
        e = knt_replay_finish(&r, &out);
    knt_replay_end(&r);
    knx_error_release(e);
    return out;
}

/* A few tries more. The first ones are as far off as other orders are; those behind them are for what jumps. */
static void make(const program *p, noise *n)
{
    kni_jaxpr *opened = NULL;
    int end = n->made ? TRIES_OF_NOISE : 6;
    knx_error *e = knshard_open(p->j, NULL, &opened);
    for (; !e && n->made < end; n->made++) {
        writer w = {.state = (uint64_t)n->made * 7919 + 77, .much = n->made < 2 ? 0 : n->made < 6 ? 2 : 8};
        program with = {noisy(opened, &w), p->x};
        n->products = n->products || w.products;
        if (with.j)
            knx_error_release(
                way_run(&(way){.name = "noise", .fuse = true, .as_used = true, .threads = 1}, &with, 0, n->y[n->made]));
        kni_release(with.j);
    }
    n->made = end;
    knx_error_release(e);
    kni_release(opened);
}

void noise_free(const program *p, noise *n)
{
    for (int i = 0; i < TRIES_OF_NOISE; i++)
        release_all((int)p->j->n_out, n->y[i]);
}

/* ---- Comparing. */

/* Numbers that products may come to by way of numbers without all of their bits. */
static long double tiny(kn_dtype part)
{
    long double eps = tensor_epsilon(part);
    return knx_scalar_to_double(part, (knx_scalar_bits){.u = {1, 0}}) / (eps * eps);
}

/* Is the number explained by those that noise gave? scale: of the whole element. */
static bool is_explained(kn_dtype whole, kn_dtype part, const noise *n, uint32_t k, size_t at, long double scale,
                         num want, num got)
{
    long double far = 0;
    bool floats = knx_is_float(part), jumps = false;
    int tries = 0;
    for (int i = 0; i < n->made; i++) {
        if (!n->y[i][k])
            continue;
        num y = tensor_load(part, (const char *)n->y[i][k]->data + at);
        tries++;
        if (!floats)
            jumps = jumps || y.bits != want.bits;
        else if (!isfinite(y.re) || !isfinite(want.re))
            jumps = jumps || !((isnan(y.re) && isnan(want.re)) || y.re == want.re);
        else
            far = fmaxl(far, fabsl(y.re - want.re));
    }
    if (!tries || jumps)
        return true;
    if (n->products && (!floats || whole != part || !isfinite(want.re) || !isfinite(got.re) ||
                        fminl(fabsl(got.re), fabsl(want.re)) < tiny(part)))
        return true;
    if (floats && !isfinite(want.re))
        return !isfinite(got.re); /* what is too large may be NaN */
    /* Whole sums are float32 until their end, those of parts have 16 bits between devices; and where elements are added
     * one by one (scatter-add), each rounds. */
    if (floats && part->size == 2)
        far = isfinite(got.re) ? fmaxl(far, scale / 200) : INFINITY;
    return floats && fabsl(got.re - want.re) <= 16 * far + 8 * tensor_epsilon(part) * scale;
}

static long double scale_of(kn_dtype part, const char *element, int parts)
{
    long double sum = 0;
    for (int i = 0; knx_is_float(part) && i < parts; i++)
        sum += fabsl(tensor_load(part, element + (size_t)i * part->size).re);
    return isfinite(sum) ? sum : 0;
}

static int64_t exceeded(const program *p, const noise *n, uint32_t k, const char *want, const char *got)
{
    kni_type t = kni_out_type(p->j, k);
    kn_dtype part = knx_component(t.dtype);
    size_t count = kni_type_bytes(t) / part->size, parts = t.dtype->size / part->size;
    for (size_t i = 0; i < count; i++) {
        const char *a = want + i * part->size, *b = got + i * part->size;
        num x = tensor_load(part, a), y = tensor_load(part, b);
        if (!memcmp(a, b, part->size) || (knx_is_float(part) && isnan(x.re) && isnan(y.re)))
            continue;
        long double scale = scale_of(part, want + i / parts * t.dtype->size, (int)parts);
        if (!is_explained(t.dtype, part, n, k, i * part->size, scale, x, y))
            return (int64_t)i;
    }
    return -1;
}

int64_t noise_exceeded(const program *p, noise *n, uint32_t k, const void *want, const void *got)
{
    if (!n->made)
        make(p, n);
    int64_t i = exceeded(p, n, k, want, got);
    if (i >= 0 && n->made < TRIES_OF_NOISE) {
        make(p, n);
        i = exceeded(p, n, k, want, got);
    }
    return i;
}
