/* SPDX-License-Identifier: Apache-2.0
 * scan_separate.c -- a scan over large arrays and some scalars, as two scans: the first one carries what depends on
 * the scalars alone (counters, keys, step sizes) and stacks what the second one needs of it. So the second one has
 * nothing to do but what is one for each element, and nothing is computed once per element that is the same for all.
 * Memory: a few numbers for each step. */
#include "prim/control/scan_separate.h"
#include "prim/control/scan.h"
#include "transform/replay.h"

enum {
    FEW = 8,
    MANY = 256,
    MOST_CROSSING_BYTES = 64
}; /* elements of small values, of large ones; handed over per step */

typedef struct separation {
    const kni_p_scan *p;
    const kni_jaxpr *j; /* the body, calls inlined and rows expanded */
    knx_arena arena;
    bool *early;   /* per variable: depends on small carries, inputs and constants alone */
    bool *moved;   /* per equation: it is of the first scan */
    bool *crosses; /* per variable: the second scan reads it, and the first one makes it */
    uint32_t nc, n, nx, ny, n_crossing;
    bool pays;
} separation;

/* An unknown size is a large one. */
static bool is_small(kni_type t) { return !kni_type_is_symbolic(t) && kni_type_size(t) <= FEW; }
static bool is_large(kni_type t) { return kni_type_is_symbolic(t) || kni_type_size(t) >= MANY; }
static bool is_early(const separation *s, kni_atom a) { return kni_is_literal(a) || s->early[a]; }

static bool may_move(const separation *s, const kni_eqn *e)
{
    bool early = !kni_must_stay(e->prim, e->params) && !(kni_bits(e->prim, e->params) & KN_DEEP_BITS);
    for (uint32_t i = 0; early && i < e->n_in; i++)
        early = is_early(s, e->in[i]);
    for (uint32_t i = 0; early && i < e->n_out; i++)
        early = is_small(s->j->type[e->out + i]);
    return early;
}

/* Which values are early, given which carries are; true if all of these carries have early next values. */
static bool spread(separation *s)
{
    const kni_jaxpr *j = s->j;
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        s->moved[k] = may_move(s, &j->eqn[k]);
        for (uint32_t i = 0; i < j->eqn[k].n_out; i++)
            s->early[j->eqn[k].out + i] = s->moved[k];
    }
    bool closed = true;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->early[s->nc + i] && !is_early(s, j->out[i])) {
            s->early[s->nc + i] = false;
            closed = false;
        }
    return closed;
}

static void cross(separation *s, kni_atom a)
{
    if (kni_is_literal(a) || !s->early[a] || s->crosses[a] || a < s->nc || (a >= s->nc + s->n && a < s->j->n_in))
        return;
    s->crosses[a] = true;
    s->n_crossing++;
}

/* Is something large computed in the second scan, and something in the first? */
static void judge(separation *s)
{
    const kni_jaxpr *j = s->j;
    bool large = false, any = false;
    size_t bytes = 0;
    for (uint32_t i = 0; i < s->n; i++)
        any |= s->early[s->nc + i];
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        any |= s->moved[k];
        for (uint32_t i = 0; !s->moved[k] && i < e->n_in; i++)
            cross(s, e->in[i]);
        for (uint32_t i = 0; !s->moved[k] && i < e->n_out; i++)
            large |= is_large(j->type[e->out + i]);
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->early[s->nc + i])
            cross(s, j->out[i]);
    for (uint32_t v = 0; v < j->n_var; v++)
        bytes += s->crosses[v] ? kni_type_bytes(j->type[v]) : 0;
    s->pays = large && any && bytes <= MOST_CROSSING_BYTES;
}

static knx_error *analyse(separation *s, const kni_p_scan *p)
{
    kni_jaxpr *inlined = NULL, *expanded = NULL;
    *s = (separation){.p = p};
    KN_TRY(knt_inline_calls(p->jaxpr, &inlined));
    knx_error *e = knt_expand(inlined, &expanded);
    kni_release(inlined);
    if (e)
        return e;
    s->j = expanded;
    e = knt_inline_calls(expanded, &inlined);
    kni_release(expanded);
    if (e) {
        s->j = NULL;
        return e;
    }
    const kni_jaxpr *j = s->j = inlined;
    s->nc = (uint32_t)p->num_consts;
    s->n = (uint32_t)p->num_carry;
    s->nx = j->n_in - s->nc - s->n;
    s->ny = j->n_out - s->n;
    s->early = knx_arena_zero(&s->arena, (size_t)j->n_var + 1);
    s->moved = knx_arena_zero(&s->arena, (size_t)j->n_eqn + 1);
    s->crosses = knx_arena_zero(&s->arena, (size_t)j->n_var + 1);
    if (!s->early || !s->moved || !s->crosses)
        return knx_error_nomem();
    for (uint32_t v = 0; v < j->n_in; v++)
        s->early[v] = is_small(j->type[v]) || v < s->nc || v >= s->nc + s->n;
    while (!spread(s))
        ;
    judge(s);
    return NULL;
}

static void end(separation *s)
{
    kni_release((kni_jaxpr *)(uintptr_t)s->j);
    knx_arena_free(&s->arena);
}

bool knp_scan_separates(const kni_rule *r)
{
    const kni_p_scan *p = r->params;
    separation s;
    bool small = false, large = false;
    for (uint32_t i = 0; i < p->jaxpr->n_in; i++) /* a quick look first */
        small |= is_small(kni_in_type(p->jaxpr, i)), large |= is_large(kni_in_type(p->jaxpr, i));
    if (!small || !large || knp_scan_is_short(p))
        return false;
    knx_error *e = analyse(&s, p);
    bool pays = !e && s.pays;
    knx_error_release(e); /* then it stays as it is */
    end(&s);
    return pays;
}

/* --- the two bodies --------------------------------------------------------------------------- */

/* One of the bodies: its inputs are constants, its carries, all inputs, and (second) what crosses. */
static knx_error *write_body(const separation *s, bool second, kni_jaxpr **out)
{
    const kni_jaxpr *j = s->j;
    knt_replay r;
    knx_error *e = knt_replay_begin(&r, j, false);
    kni_atom *y = e ? NULL : knx_arena_alloc(&r.arena, ((size_t)j->n_out + s->n_crossing + 1) * sizeof *y);
    uint32_t n = 0;
    if (!e && !y)
        e = knx_error_nomem();
    for (uint32_t v = 0; !e && v < j->n_in; v++)
        if (v < s->nc || v >= s->nc + s->n || s->early[v] != second)
            r.map[v] = knb_invar(&r.b, j->type[v]);
    for (uint32_t v = 0; !e && second && v < j->n_var; v++)
        if (s->crosses[v])
            r.map[v] = knb_invar(&r.b, j->type[v]);
    for (uint32_t k = 0; !e && k < j->n_eqn; k++) {
        if (s->moved[k] == second)
            continue;
        knt_operands(&r, &j->eqn[k]);
        knt_emit_same(&r, &j->eqn[k]);
    }
    for (uint32_t i = 0; !e && i < s->n; i++)
        if (s->early[s->nc + i] != second)
            y[n++] = knt_atom(&r, j->out[i]);
    for (uint32_t i = s->n; !e && i < j->n_out; i++)
        if (is_early(s, j->out[i]) != second)
            y[n++] = knt_atom(&r, j->out[i]);
    for (uint32_t v = 0; !e && !second && v < j->n_var; v++)
        if (s->crosses[v])
            y[n++] = r.map[v];
    if (!e)
        e = knb_take_error(&r.b);
    if (!e)
        e = knb_finish(&r.b, (int)n, y, j->name, true, out);
    knt_replay_end(&r);
    return e;
}

/* One of the scans; `crossing`: what the first one stacked. */
static knx_error *write_scan(const kni_rule *r, const separation *s, bool second, kni_atom *crossing, kni_atom *y)
{
    kni_p_scan p = *s->p;
    uint32_t n = 0, k = 0;
    p.jaxpr = NULL;
    KN_TRY(write_body(s, second, &p.jaxpr));
    kni_atom *in = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + s->n_crossing + 1) * sizeof *in);
    kni_atom *out = knx_arena_alloc(&r->b->arena, ((size_t)p.jaxpr->n_out + 1) * sizeof *out);
    if (!in || !out) {
        kni_release(p.jaxpr);
        return knx_error_nomem();
    }
    p.num_carry = 0;
    for (uint32_t i = 0; i < (uint32_t)r->n_in; i++) {
        bool carry = i >= s->nc && i < s->nc + s->n;
        if (carry && s->early[i] == second)
            continue;
        in[n++] = r->x[i];
        p.num_carry += carry;
    }
    for (uint32_t i = 0; second && i < s->n_crossing; i++)
        in[n++] = crossing[i];
    for (uint32_t i = 0; i < p.jaxpr->n_out; i++)
        out[i] = KN_ATOM_NONE;
    if (!second)
        p.on_step = 0;
    knb_scan(r->b, &p, in, out);
    kni_release(p.jaxpr);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->early[s->nc + i] != second)
            y[i] = out[k++];
    for (uint32_t i = s->n; i < s->n + s->ny; i++)
        if (is_early(s, s->j->out[i]) != second)
            y[i] = out[k++];
    for (uint32_t i = 0; !second && i < s->n_crossing; i++)
        crossing[i] = out[k++];
    return NULL;
}

knx_error *knp_scan_separate(const kni_rule *r, kni_atom *y)
{
    separation s;
    knx_error *e = analyse(&s, r->params);
    kni_atom *crossing = e ? NULL : knx_arena_alloc(&r->b->arena, ((size_t)s.n_crossing + 1) * sizeof *crossing);
    if (!e && !crossing)
        e = knx_error_nomem();
    if (!e)
        e = write_scan(r, &s, false, crossing, y);
    if (!e)
        e = write_scan(r, &s, true, crossing, y);
    end(&s);
    return e;
}
