/* SPDX-License-Identifier: Apache-2.0
 * scan_transpose.c -- a linear scan, transposed: its body transposed, run the other way round.
 *
 *     linear      constants, linear constants; linear carries; xs, linear xs -> carries, ys
 *     transposed  constants; sums of the cotangents of linear constants, cotangents of carries; xs, cotangents of ys
 *                 -> these sums, cotangents of the carries; cotangents of the linear xs
 *
 * Large sums of products are made after the loop (scan_sums.c). Only results that have a cotangent count, and what they
 * need. A carry is linear if it begins linear or the body makes it so; what one that is no linear function begins with
 * (zero) has no cotangent. Carries that are not linear (a count) are computed first, by a scan of their own, and are
 * xs of the transposed one.
 */
#include "prim/body.h"
#include "prim/control/scan.h"

typedef struct transposition {
    knp_scan s;
    bool *linear;       /* inputs of the body */
    bool *depends;      /* results: on a linear input */
    bool *in, *out;     /* inputs that the cotangents need, results that have one, and the carries of both */
    uint32_t *at;       /* inputs: where the transposed body has their cotangents, among its results */
    kni_atom *steps;    /* inputs that are carries, but not linear: their values, all steps; else NONE */
    kni_jaxpr *picked;  /* the body of these inputs and results */
    kni_jaxpr *body;    /* that, transposed */
    knp_scan_sums sums; /* of `body`: sums that are made after the loop */
    bool *after;        /* inputs: their cotangent is such a sum */
    uint32_t n_picked_in, n_picked_out;
    uint32_t *pick_in, *pick_out;
} transposition;

static bool is_carry(const knp_scan *s, uint32_t input) { return input >= s->n_const && input < s->first_x; }

static knx_error *find_dependent(const kni_jaxpr *j, const bool *in, bool *out)
{
    bool *depends = knx_alloc_zero((size_t)j->n_var + 1);
    if (!depends)
        return knx_error_nomem();
    for (uint32_t i = 0; i < j->n_in; i++)
        depends[i] = in[i];
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        bool any = false;
        for (uint32_t i = 0; i < e->n_in; i++)
            any = any || (kni_is_var(e->in[i]) && depends[e->in[i]]);
        for (uint32_t i = 0; i < e->n_out; i++)
            depends[e->out + i] = any;
    }
    for (uint32_t i = 0; i < j->n_out; i++)
        out[i] = kni_is_var(j->out[i]) && depends[j->out[i]];
    knx_free(depends);
    return NULL;
}

/* Which carries are linear, and which inputs and results take part. */
static knx_error *find_parts(const kni_rule *r, transposition *t, const kni_atom *ct)
{
    const knp_scan *s = &t->s;
    for (uint32_t i = 0; i < s->n_in; i++)
        t->linear[i] = r->x[i] == KN_ATOM_LINEAR;
    for (bool settled = false; !settled;) {
        settled = true;
        KN_TRY(find_dependent(s->j, t->linear, t->depends));
        for (uint32_t i = 0; i < s->n_carry; i++)
            if (t->depends[i] && !t->linear[s->n_const + i])
                t->linear[s->n_const + i] = true, settled = false;
    }
    for (uint32_t i = 0; i < s->n_carry; i++) /* the last one may be the first one, after no steps */
        t->depends[i] = t->linear[s->n_const + i];
    for (uint32_t i = 0; i < s->n_out; i++)
        t->out[i] = t->depends[i] && ct[i] != KN_ATOM_ZERO;
    return knp_scan_needs(s, t->out, t->in);
}

/* The carries that are not linear are needed from all steps. */
static knx_error *work_out_others(const kni_rule *r, transposition *t)
{
    const knp_scan *s = &t->s;
    knx_arena *a = &r->b->arena;
    bool *out = knx_arena_zero(a, (size_t)s->n_out + 1), *in = knx_arena_zero(a, (size_t)s->n_in + 1), any = false;
    kni_atom *y = knp_atoms(r->b, 2 * (size_t)s->n_carry), *put = knp_atoms(r->b, s->n_in);
    if (!out || !in || !y || !put)
        return knx_error_nomem();
    for (uint32_t i = 0; i < s->n_carry; i++)
        any |= out[i] = t->in[s->n_const + i] && !t->linear[s->n_const + i];
    if (!any)
        return NULL;
    KN_TRY(knp_scan_needs(s, out, in));
    for (uint32_t i = 0; i < s->n_in; i++)
        if (in[i] && t->linear[i])
            return knx_error_new(KN_ERROR_VALUE,
                                 "scan cannot be transposed: an operation that can fail is linear, and the "
                                 "carry has arrays that are not");
    knp_scan_writer w;
    knx_error *error = knp_scan_begin(&w, r, s->n_in, (size_t)s->n_out + s->n_carry) ? NULL : knx_error_nomem();
    kni_p_scan p = {.length = s->p->length, .reverse = s->p->reverse, .unroll = s->p->unroll};
    uint32_t n_in = 0, n_out = 0, *pick_in = knx_arena_alloc(a, ((size_t)s->n_in + 1) * sizeof *pick_in),
             *pick_out = knx_arena_alloc(a, ((size_t)s->n_out + 1) * sizeof *pick_out);
    kni_jaxpr *j = NULL;
    if (!error && !(pick_in && pick_out))
        error = knx_error_nomem();
    for (uint32_t i = 0; !error && i < s->n_in; i++)
        if (in[i] || (is_carry(s, i) && out[i - s->n_const])) {
            p.num_consts += i < s->n_const;
            p.num_carry += is_carry(s, i);
            put[i] = knp_scan_put(&w, r->x[i], kni_in_type(s->j, i));
            pick_in[n_in++] = i;
        }
    for (uint32_t i = 0; !error && i < s->n_carry; i++)
        if (out[i])
            pick_out[n_out++] = i;
    if (!error)
        error = knp_pick(s->j, n_in, pick_in, n_out, pick_out, &j);
    if (!error) {
        knb_inline(&w.f.b, j, w.f.in, w.f.out);
        for (uint32_t i = 0; i < p.num_carry; i++)
            w.f.out[n_out + i] = put[s->n_const + pick_out[i]];
        error = knp_scan_write(&w, r, p, s->j->name, 2 * n_out, y);
    }
    for (uint32_t i = 0; !error && i < n_out; i++)
        t->steps[s->n_const + pick_out[i]] = y[n_out + i];
    knp_scan_end(&w);
    kni_release(j);
    return error;
}

/* The body of what takes part, transposed: inputs that are not linear, cotangents of results -> of linear inputs. */
static knx_error *transpose_body(const kni_rule *r, transposition *t)
{
    const knp_scan *s = &t->s;
    bool *linear = knx_arena_alloc(&r->b->arena, (size_t)s->n_in + 1);
    uint32_t at = 0;
    if (!linear)
        return knx_error_nomem();
    for (uint32_t i = 0; i < s->n_in; i++) {
        if (is_carry(s, i) && t->out[i - s->n_const] && t->linear[i])
            t->in[i] = true;
        if (!t->in[i])
            continue;
        linear[t->n_picked_in] = t->linear[i];
        t->pick_in[t->n_picked_in++] = i;
        if (t->linear[i])
            t->at[i] = at++;
    }
    for (uint32_t i = 0; i < s->n_out; i++) /* carries that are not linear have no cotangents */
        if (t->out[i] && t->depends[i])
            t->pick_out[t->n_picked_out++] = i;
    KN_TRY(knp_pick(s->j, t->n_picked_in, t->pick_in, t->n_picked_out, t->pick_out, &t->picked));
    kni_jaxpr *body = NULL;
    KN_TRY(knt_transpose(t->picked, linear, &body));
    knx_error *error = knt_inline_calls(body, &t->body);
    kni_release(body);
    return error;
}

/* Which sums over the steps are made after the loop. */
static knx_error *choose_sums(const kni_rule *r, transposition *t, const kni_atom *ct)
{
    const knp_scan *s = &t->s;
    knp_scan_sums *u = &t->sums;
    uint32_t input = 0;
    KN_TRY(knp_scan_sums_begin(u, t->body, &r->b->arena));
    for (uint32_t i = 0; i < s->n_in; i++)
        if (t->in[i] && !t->linear[i]) {
            u->constant[input] = i < s->n_const;
            u->outside[input++] = i < s->n_const ? KN_ATOM_NONE : is_carry(s, i) ? t->steps[i] : r->x[i];
        }
    for (uint32_t i = 0; i < t->n_picked_out; i++, input++)
        if (t->pick_out[i] >= s->n_carry)
            u->outside[input] = ct[t->pick_out[i]];
    for (uint32_t i = 0; i < s->n_const; i++)
        t->after[i] = t->in[i] && t->linear[i] && knp_scan_sums_take(u, t->body->out[t->at[i]]);
    return NULL;
}

/* The scan. x[i] are the inputs of the transposed body, in its order. */
typedef struct writing {
    knp_scan_writer w;
    kni_atom *x, *cotangent, *sum, *y; /* cotangent: per result of the picked body; sum: per input */
} writing;

static void put_inputs(const kni_rule *r, transposition *t, writing *u, const kni_atom *ct, kni_p_scan *p)
{
    const knp_scan *s = &t->s;
    knp_scan_writer *w = &u->w;
    for (uint32_t i = 0; i < s->n_const; i++)
        if (t->in[i] && !t->linear[i])
            u->x[i] = knp_scan_put(w, r->x[i], kni_in_type(s->j, i));
    p->num_consts = w->n_in;
    w->tangents = true;
    for (uint32_t i = 0; i < s->n_const; i++)
        if (t->in[i] && t->linear[i] && !t->after[i])
            u->sum[i] = knp_scan_put(w, knb_zeros(r->b, kni_in_type(s->j, i)), kni_in_type(s->j, i));
    for (uint32_t i = 0; i < s->n_carry; i++)
        if (t->out[i] && t->depends[i])
            u->cotangent[i] = knp_scan_put(w, knb_instantiate(r->b, ct[i], r->yt[i]), kni_out_type(s->j, i));
    p->num_carry = w->n_in - p->num_consts;
    w->tangents = false;
    for (uint32_t i = s->n_const; i < s->n_in; i++)
        if (t->in[i] && !t->linear[i])
            u->x[i] = knp_scan_put(w, is_carry(s, i) ? t->steps[i] : r->x[i], kni_in_type(s->j, i));
    w->tangents = true;
    for (uint32_t i = s->n_carry; i < s->n_out; i++)
        if (t->out[i])
            u->cotangent[i] = knp_scan_put(w, ct[i], kni_out_type(s->j, i));
    w->tangents = false;
}

/* Results of the transposed body, as the scan has them: sums, carries, outputs, and what is stacked for later; returns
 * their number. */
static uint32_t put_results(transposition *t, writing *u, const kni_atom *ct_in)
{
    const knp_scan *s = &t->s;
    kni_atom *out = u->w.f.out;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (t->in[i] && t->linear[i] && !t->after[i])
            out[n++] = i < s->n_const ? knb_add_any(&u->w.f.b, u->sum[i], ct_in[t->at[i]]) : ct_in[t->at[i]];
    for (uint32_t i = 0; i < t->sums.n_stacked; i++)
        out[n++] = ct_in[t->body->n_out + i];
    return n;
}

/* Cotangents of the operands from the scan's results. */
static void take_results(const kni_rule *r, transposition *t, const kni_atom *y, kni_atom *ct_in)
{
    const knp_scan *s = &t->s;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (t->in[i] && t->linear[i] && !t->after[i]) {
            if (r->x[i] == KN_ATOM_LINEAR)
                ct_in[i] = y[n];
            n++;
        }
    for (uint32_t i = 0; i < t->sums.n_stacked; i++)
        t->sums.outside[t->sums.stacked[i]] = y[n++];
    for (uint32_t i = 0; i < s->n_const; i++)
        if (t->after[i])
            ct_in[i] = knp_scan_sums_write(&t->sums, r->b, t->body->out[t->at[i]]);
}

/* body: t->body, and what is stacked as further results */
static knx_error *write_transposed(const kni_rule *r, transposition *t, const kni_jaxpr *body, writing *u,
                                   const kni_atom *ct, kni_atom *ct_in)
{
    const knp_scan *s = &t->s;
    knx_arena *a = &u->w.f.arena;
    kni_p_scan p = {.length = s->p->length, .reverse = !s->p->reverse, .unroll = s->p->unroll};
    kni_atom *body_in = knx_arena_alloc(a, ((size_t)body->n_in + 1) * sizeof *body_in),
             *body_out = knx_arena_alloc(a, ((size_t)body->n_out + 1) * sizeof *body_out);
    uint32_t n = 0;
    if (!body_in || !body_out)
        return knx_error_nomem();
    put_inputs(r, t, u, ct, &p);
    for (uint32_t i = 0; i < s->n_in; i++)
        if (t->in[i] && !t->linear[i])
            body_in[n++] = u->x[i];
    for (uint32_t i = 0; i < t->n_picked_out; i++)
        body_in[n++] = u->cotangent[t->pick_out[i]];
    knb_inline(&u->w.f.b, body, body_in, body_out);
    KN_TRY(knp_scan_write(&u->w, r, p, s->j->name, put_results(t, u, body_out), u->y));
    take_results(r, t, u->y, ct_in);
    return NULL;
}

static knx_error *emit_transposed(const kni_rule *r, transposition *t, const kni_atom *ct, kni_atom *ct_in)
{
    const knp_scan *s = &t->s;
    size_t most = (size_t)s->n_in + s->n_out, results = (size_t)s->n_in + t->sums.n_stacked;
    kni_jaxpr *body = NULL;
    KN_TRY(knp_scan_sums_extend(&t->sums, &body));
    writing u = {.x = knp_atoms(r->b, s->n_in),
                 .cotangent = knp_atoms(r->b, s->n_out),
                 .sum = knp_atoms(r->b, s->n_in),
                 .y = knp_atoms(r->b, results)};
    knx_error *error = knp_scan_begin(&u.w, r, most, results) ? NULL : knx_error_nomem();
    if (!error && !(u.x && u.cotangent && u.sum && u.y))
        error = knx_error_nomem();
    if (!error)
        error = write_transposed(r, t, body, &u, ct, ct_in);
    knp_scan_end(&u.w);
    kni_release(body);
    return error;
}

knx_error *knp_scan_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    transposition t = {.s = knp_scan_of(r->params)};
    knx_arena *a = &r->b->arena;
    size_t n_in = (size_t)t.s.n_in + 1, n_out = (size_t)t.s.n_out + 1;
    t.linear = knx_arena_zero(a, n_in);
    t.in = knx_arena_zero(a, n_in);
    t.depends = knx_arena_zero(a, n_out);
    t.out = knx_arena_zero(a, n_out);
    t.after = knx_arena_zero(a, n_in);
    t.at = knx_arena_zero(a, n_in * sizeof *t.at);
    t.pick_in = knx_arena_alloc(a, n_in * sizeof *t.pick_in);
    t.pick_out = knx_arena_alloc(a, n_out * sizeof *t.pick_out);
    t.steps = knp_atoms(r->b, t.s.n_in);
    if (!t.linear || !t.in || !t.depends || !t.out || !t.after || !t.at || !t.pick_in || !t.pick_out || !t.steps)
        return knx_error_nomem();
    knx_error *error = find_parts(r, &t, ct);
    if (!error)
        error = work_out_others(r, &t);
    if (!error)
        error = transpose_body(r, &t);
    if (!error)
        error = choose_sums(r, &t, ct);
    if (!error && t.n_picked_out)
        error = emit_transposed(r, &t, ct, ct_in);
    kni_release(t.picked);
    kni_release(t.body);
    return error;
}
