/* SPDX-License-Identifier: Apache-2.0
 * derived.c -- what becomes of one equation under a transformation: the equation as a jaxpr of its own, transformed by
 * knt_jvp, knt_linearize or knt_batch, as a recorded function is. What was derived is kept and found again for an
 * equation with the same row, parameters and types. */
#define KNA_LIFTS
#include "array/tape.h"
#include "base/hash.h"
#include "transform/transform.h"
#include <string.h>

enum { SETS = 1024, MOST = 4096 };

/* ---- Finding. */

static inline uint64_t settings_now(void)
{
    return (uint64_t)(uintptr_t)kna_default_float() ^ (uint64_t)kna_state_get()->how.all << 32;
}

/* Parameters are not looked at: equations of one row with the same types have few. */
static inline uint64_t hash_of(kna_derived_kind kind, const kna_equation *e, const kni_type *in, const int *how,
                               const int64_t *size)
{
    const uint64_t by = 0x9e3779b97f4a7c15u;
    uint64_t h = ((uint64_t)(uintptr_t)e->prim >> 4) + (uint64_t)kind;
    for (uint32_t i = 0; i < e->n_in; i++) {
        h = (h ^ (uint64_t)(uintptr_t)in[i].dtype ^ (uint64_t)how[i]) * by;
        for (int k = 0; k < in[i].ndim; k++)
            h = h * 31 + (uint64_t)in[i].dim[k];
        for (int k = 0; kind == KNA_DERIVED_BATCH && k < how[i]; k++)
            h = h * 31 + (uint64_t)size[k];
    }
    h = (h ^ (kind == KNA_DERIVED_JVP ? (uint64_t)size[0] : 0)) * by;
    return h ^ h >> 32;
}

/* The number of the operand that is the same as number i: its own, where there is none before. */
static uint32_t same_as(const kna_equation *e, uint32_t i)
{
    uint32_t k = 0;
    while (k < i && e->in[k] != e->in[i])
        k++;
    return e->in[i] ? k : UINT32_MAX;
}

static bool same_literal(const kni_literal *a, const kni_literal *b)
{
    return a->type.dtype == b->type.dtype && a->type.weak == b->type.weak && a->bits.u[0] == b->bits.u[0] &&
           a->bits.u[1] == b->bits.u[1];
}

/* As kni_type_equal; most types are of numbers alone. */
static inline bool same_type(kni_type a, kni_type b)
{
    if (a.dtype != b.dtype || a.ndim != b.ndim || a.sharding != b.sharding || a.weak != b.weak)
        return false;
    for (int k = 0; k < a.ndim; k++)
        if (a.dim[k] != b.dim[k])
            return false;
    return true;
}

static bool fits(const kna_derived *d, uint64_t hash, kna_derived_kind kind, const kna_equation *e, const kni_type *in,
                 const int *how, const int64_t *size)
{
    bool fit = d->hash == hash && d->kind == kind && d->prim == e->prim && d->n_in == e->n_in && d->n_out == e->n_out;
    for (uint32_t i = 0; fit && i < e->n_in; i++) {
        fit = d->same[i] == same_as(e, i) && d->how[i] == how[i] && same_type(d->in[i], in[i]) &&
              (e->in[i] || same_literal(&d->literal[i], &e->literal[i]));
        for (int k = 0; fit && kind == KNA_DERIVED_BATCH && k < how[i]; k++)
            fit = d->size[k] == size[k];
    }
    return fit && (kind != KNA_DERIVED_JVP || d->size[0] == size[0]) &&
           (!e->params || kni_params_equal(e->prim, d->params, e->params));
}

void kna_derived_release(kna_derived *d)
{
    if (!d || --d->refs)
        return;
    if (d->params)
        kni_params_drop(d->prim, d->params);
    kni_release(d->j);
    kni_release(d->linear);
    kni_release(d->later);
    knx_arena_free(&d->arena);
    knx_free(d);
}

static void forget_all(kna_lifting *l)
{
    for (size_t i = 0; l->set && i < SETS; i++)
        while (l->set[i]) {
            kna_derived *d = l->set[i];
            l->set[i] = d->next;
            kna_derived_release(d);
        }
    l->n_derived = 0;
}

void kna_lifting_free(kna_lifting *l)
{
    if (!l)
        return;
    kna_levels_close_to(l, &l->base[1]);
    kna_backs_free(l);
    forget_all(l);
    knx_free(l->set);
    knx_free(l);
}

/* ---- The equation as a jaxpr. */

static knx_error *copy_question(kna_derived *d, const kna_equation *e, const kni_type *in, const int *how)
{
    size_t n = (size_t)e->n_in + 1;
    d->in = knx_arena_alloc(&d->arena, n * sizeof *d->in);
    d->same = knx_arena_alloc(&d->arena, n * sizeof *d->same);
    d->literal = knx_arena_zero(&d->arena, n * sizeof *d->literal);
    d->how = knx_arena_alloc(&d->arena, n * sizeof *d->how);
    d->input = knx_arena_alloc(&d->arena, n * sizeof *d->input);
    d->has = knx_arena_zero(&d->arena, (size_t)e->n_out + 1);
    d->axes = knx_arena_zero(&d->arena, ((size_t)e->n_out + 1) * sizeof *d->axes);
    if (!d->in || !d->same || !d->literal || !d->how || !d->input || !d->has || !d->axes)
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++) {
        int64_t *dim = knx_arena_alloc(&d->arena, ((size_t)in[i].ndim + 1) * sizeof *dim);
        if (!dim)
            return knx_error_nomem();
        for (int k = 0; k < in[i].ndim; k++)
            dim[k] = in[i].dim[k];
        d->in[i] = in[i];
        d->in[i].dim = dim;
        d->how[i] = how[i];
        d->same[i] = same_as(e, i);
        if (!e->in[i])
            d->literal[i] = e->literal[i];
        if (d->same[i] == i)
            d->input[d->n_input++] = i;
    }
    return kni_params_copy(&d->arena, e->prim, e->params, &d->params) ? NULL : knx_error_nomem();
}

static knx_error *jaxpr_of(const kna_derived *d, kni_jaxpr **out)
{
    kni_builder b;
    knx_arena a = KN_ARENA_INIT;
    kni_atom *x = knx_arena_alloc(&a, ((size_t)d->n_in + 1) * sizeof *x),
             *y = knx_arena_alloc(&a, ((size_t)d->n_out + 1) * sizeof *y);
    knb_init(&b);
    knx_error *error = x && y ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < d->n_in; i++)
        x[i] = d->same[i] == UINT32_MAX
                   ? knb_literal(&b, d->literal[i].type.dtype, d->literal[i].type.weak, d->literal[i].bits)
               : d->same[i] == i ? knb_invar(&b, d->in[i])
                                 : x[d->same[i]];
    if (!error) {
        knb_emit(&b, d->prim, d->params, (int)d->n_in, x, y, (int)d->n_out);
        error = knb_finish(&b, (int)d->n_out, y, "", false, out);
    }
    knb_free(&b);
    knx_arena_free(&a);
    return error;
}

/* ---- The three kinds. */

static knx_error *derive_jvp(kna_derived *d, const kni_jaxpr *one)
{
    knx_arena a = KN_ARENA_INIT;
    uint32_t n = d->n_input, tangents = 0;
    bool *has = knx_arena_zero(&a, (size_t)n + 1), *none = knx_arena_zero(&a, (size_t)d->n_out + 1);
    int *axis = knx_arena_alloc(&a, (2 * (size_t)n + 1) * sizeof *axis),
        *out_axis = knx_arena_alloc(&a, (2 * (size_t)d->n_out + 1) * sizeof *out_axis);
    knx_error *error = has && none && axis && out_axis ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < n; i++)
        has[i] = d->how[d->input[i]];
    if (!error)
        error = knt_jvp_lazily(one, has, none, d->has, &d->j);
    if (!error && d->size[0]) {
        kni_jaxpr *single = d->j;
        for (uint32_t i = 0; i < n; i++) {
            axis[i] = -1;
            if (has[i])
                axis[n + tangents++] = 0;
        }
        for (uint32_t i = 0; i < single->n_out; i++)
            out_axis[i] = i < d->n_out ? -1 : 0;
        d->j = NULL;
        error = knt_batch(single, d->size[0], NULL, axis, out_axis, &d->j);
        kni_release(single);
    }
    knx_arena_free(&a);
    return error;
}

/* Is q the equation itself, as it was asked for? */
static bool is_asked(const kna_derived *d, const kni_jaxpr *j, const kni_eqn *q)
{
    bool is = q->prim == d->prim && q->n_in == d->n_in && q->n_out == d->n_out &&
              (!d->params || kni_params_equal(d->prim, q->params, d->params));
    for (uint32_t i = 0; is && i < d->n_in; i++) {
        uint32_t at = 0;
        if (d->same[i] == UINT32_MAX) {
            is = kni_is_literal(q->in[i]) && same_literal(&j->literal[q->in[i] & ~KN_LITERAL_BIT], &d->literal[i]);
            continue;
        }
        while (d->input[at] != d->same[i])
            at++;
        is = q->in[i] == j->n_const + at;
    }
    return is;
}

/* The residuals as a jaxpr of their own, over inputs and results of the equation, where it is in d->j as it was. */
static knx_error *split_residuals(kna_derived *d)
{
    const kni_jaxpr *j = d->j;
    uint32_t asked = 0;
    while (asked < j->n_eqn && !is_asked(d, j, &j->eqn[asked]))
        asked++;
    d->plain = asked < j->n_eqn;
    for (uint32_t i = 0; d->plain && i < d->n_out; i++)
        d->plain = j->out[i] == j->eqn[asked].out + i;
    if (!d->plain)
        return NULL;
    knx_arena a = KN_ARENA_INIT;
    kni_builder b;
    kni_atom *map = knx_arena_alloc(&a, ((size_t)j->n_var + 1) * sizeof *map),
             *y = knx_arena_alloc(&a, ((size_t)d->n_residual + 1) * sizeof *y);
    uint32_t widest = 1;
    for (uint32_t k = 0; k < j->n_eqn; k++)
        widest = j->eqn[k].n_in > widest ? j->eqn[k].n_in : widest;
    kni_atom *x = knx_arena_alloc(&a, widest * sizeof *x);
    knb_init(&b);
    d->needs = knx_arena_zero(&d->arena, (size_t)d->n_input + d->n_out + 1);
    knx_error *error = map && y && x && d->needs ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < d->n_input; i++)
        map[i] = knb_invar(&b, kni_in_type(j, i));
    for (uint32_t i = 0; !error && i < d->n_out; i++)
        map[j->eqn[asked].out + i] = knb_invar(&b, j->type[j->eqn[asked].out + i]);
    for (uint32_t k = 0; !error && k < j->n_eqn; k++) {
        const kni_eqn *q = &j->eqn[k];
        for (uint32_t i = 0; k != asked && i < q->n_in; i++) {
            const kni_literal *l = kni_is_literal(q->in[i]) ? &j->literal[q->in[i] & ~KN_LITERAL_BIT] : NULL;
            x[i] = l ? knb_literal(&b, l->type.dtype, l->type.weak, l->bits) : map[q->in[i]];
        }
        if (k != asked)
            knb_emit(&b, q->prim, q->params, (int)q->n_in, x, map + q->out, (int)q->n_out);
        error = knb_take_error(&b);
    }
    for (uint32_t i = 0; !error && i < d->n_residual; i++) {
        kni_atom of = j->out[d->n_out + i];
        const kni_literal *l = kni_is_literal(of) ? &j->literal[of & ~KN_LITERAL_BIT] : NULL;
        y[i] = l ? knb_literal(&b, l->type.dtype, l->type.weak, l->bits) : map[of];
    }
    if (!error)
        error = knb_finish(&b, (int)d->n_residual, y, "", true, &d->later);
    knb_free(&b);
    const kni_jaxpr *later = d->later;
    d->direct = later && !later->n_eqn;
    for (uint32_t i = 0; later && i < later->n_out; i++)
        d->direct = d->direct && kni_is_var(later->out[i]);
    for (uint32_t k = 0; later && k < later->n_eqn; k++)
        for (uint32_t i = 0; i < later->eqn[k].n_in; i++)
            if (kni_is_var(later->eqn[k].in[i]) && later->eqn[k].in[i] < later->n_in)
                d->needs[later->eqn[k].in[i]] = true;
    for (uint32_t i = 0; later && i < later->n_out; i++)
        if (kni_is_var(later->out[i]) && later->out[i] < later->n_in)
            d->needs[later->out[i]] = true;
    knx_arena_free(&a);
    return error;
}

static knx_error *derive_linear(kna_derived *d, const kni_jaxpr *one)
{
    knt_linearized l = {0};
    bool *has = knx_arena_zero(&d->arena, (size_t)d->n_input + 1);
    if (!has)
        return knx_error_nomem();
    for (uint32_t i = 0; i < d->n_input; i++)
        has[i] = d->how[d->input[i]];
    KN_TRY(knt_linearize(one, has, &l));
    for (uint32_t i = 0; i < d->n_out; i++)
        d->has[i] = l.out_tangent[i];
    d->n_residual = l.n_residual;
    d->j = l.primal;
    d->linear = l.linear;
    l.primal = l.linear = NULL;
    knt_linearized_free(&l);
    return split_residuals(d);
}

/* One axis after the other, the oldest first. */
static knx_error *derive_batch(kna_derived *d, const kni_jaxpr *one)
{
    int most = 0, *axis = knx_arena_alloc(&d->arena, ((size_t)d->n_input + 1) * sizeof *axis),
        *out_axis = knx_arena_alloc(&d->arena, ((size_t)d->n_out + 1) * sizeof *out_axis);
    bool *was = knx_arena_zero(&d->arena, (size_t)d->n_out + 1);
    if (!axis || !out_axis || !was)
        return knx_error_nomem();
    for (uint32_t i = 0; i < d->n_in; i++)
        most = d->how[i] > most ? d->how[i] : most;
    kni_jaxpr *j = kni_retain(one);
    for (int k = 0; k < most; k++) {
        kni_jaxpr *next = NULL;
        for (uint32_t i = 0; i < d->n_input; i++)
            axis[i] = d->how[d->input[i]] > k ? 0 : -1;
        knx_error *error = knt_batch_lazily(j, d->size[k], NULL, axis, was, &next);
        bool all = true; /* a result with this axis has those before, too */
        for (uint32_t i = 0; !error && i < d->n_out; i++) {
            all = all && (!was[i] || d->axes[i] == k);
            d->axes[i] += was[i] && d->axes[i] == k;
        }
        kni_release(j);
        j = next;
        if (!error && !all)
            error = knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "%s over these batch axes is not defined", d->prim->name);
        if (error) {
            kni_release(j);
            return error;
        }
    }
    d->j = j;
    return NULL;
}

static knx_error *derive(kna_derived *d, const kna_equation *e, const kni_type *in, const int *how)
{
    kni_jaxpr *one = NULL;
    KN_TRY(copy_question(d, e, in, how));
    KN_TRY(jaxpr_of(d, &one));
    knx_error *error = d->kind == KNA_DERIVED_JVP      ? derive_jvp(d, one)
                       : d->kind == KNA_DERIVED_LINEAR ? derive_linear(d, one)
                                                       : derive_batch(d, one);
    kni_release(one);
    return error;
}

/* What is kept for an extent that is an expression would speak of a scope that ends. */
static bool may_keep(const kna_equation *e, const kni_type *in)
{
    bool keep = !knx_dim_now() && !(kni_bits(e->prim, e->params) & KN_NAMES);
    for (uint32_t i = 0; keep && i < e->n_in; i++)
        keep = !kni_type_is_symbolic(in[i]);
    return keep;
}

knx_error *kna_derive_equation(kna_derived_kind kind, const kna_equation *e, const kni_type *in, const int *how,
                               const int64_t *size, kna_derived **out)
{
    kna_lifting *l = kna_lifting_get();
    if (l && !l->set)
        l->set = knx_alloc_zero(SETS * sizeof *l->set);
    if (!l || !l->set)
        return knx_error_nomem();
    uint64_t settings = settings_now(), hash = hash_of(kind, e, in, how, size) ^ settings;
    kna_derived **set = &l->set[hash % SETS];
    bool keep = may_keep(e, in);
    for (kna_derived *d = keep ? *set : NULL; d; d = d->next)
        if (d->settings == settings && fits(d, hash, kind, e, in, how, size)) {
            l->found++;
            d->refs++;
            *out = d;
            return NULL;
        }
    kna_derived *d = knx_alloc_zero(sizeof *d);
    if (!d)
        return knx_error_nomem();
    *d = (kna_derived){.refs = 1, .hash = hash, .kind = kind, .prim = e->prim, .n_in = e->n_in, .n_out = e->n_out};
    d->settings = settings;
    d->arena = (knx_arena)KN_ARENA_INIT;
    memcpy(d->size, size, (kind == KNA_DERIVED_BATCH ? KN_MAX_NDIM : kind == KNA_DERIVED_JVP) * sizeof *size);
    knx_error *error = derive(d, e, in, how);
    if (error) {
        kna_derived_release(d);
        return error;
    }
    l->made++;
    if (keep) {
        if (l->n_derived == MOST)
            forget_all(l);
        d->refs++;
        d->next = *set;
        *set = d;
        l->n_derived++;
    }
    *out = d;
    return NULL;
}
