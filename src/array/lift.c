/* SPDX-License-Identifier: Apache-2.0
 * lift.c -- lifted values: levels, what is at a value, and equations over such values. */
#define KNA_LIFTS
#include "array/tape.h"
#include <string.h>

/* ---- Levels. */

kna_lifting *kna_lifting_get(void)
{
    kna_state *s = kna_state_get();
    if (!s || s->lifting)
        return s ? s->lifting : NULL;
    kna_lifting *l = s->lifting = knx_alloc_zero(sizeof *l);
    if (!l)
        return NULL;
    l->base[0] = (kna_level){.refs = 1, .depth = 0, .kind = KNA_LIFT_TAPE, .open = true};
    l->base[1] = (kna_level){.refs = 1, .depth = 1, .kind = KNA_LIFT_TANGENT, .open = true, .outer = &l->base[0]};
    l->top = &l->base[1];
    return l;
}

void kna_level_release(kna_level *level)
{
    if (level && --level->refs == 0)
        knx_free(level);
}

static kna_level *level_retain(kna_level *level)
{
    level->refs++;
    return level;
}

kna_level *kna_level_open(kna_lift_kind kind)
{
    kna_lifting *l = kna_lifting_get();
    kna_level *level = l ? knx_alloc_zero(sizeof *level) : NULL;
    if (!level)
        return NULL;
    static _Atomic uintptr_t levels;
    *level = (kna_level){.refs = 1, .depth = l->top->depth + 1, .kind = kind, .open = true, .outer = l->top};
    level->serial = ++levels;
    l->top = level;
    l->off += kind == KNA_LIFT_OFF;
    return level;
}

void kna_levels_close_to(kna_lifting *l, kna_level *outer)
{
    while (l->top != outer && l->top != &l->base[1]) {
        kna_level *top = l->top;
        top->open = false;
        l->top = top->outer;
        l->off -= top->kind == KNA_LIFT_OFF;
        kna_level_release(top);
    }
}

void kna_level_close(kna_level *level)
{
    kna_lifting *l = kna_lifting_get();
    if (l && level && level->open)
        kna_levels_close_to(l, level->outer); /* scopes inside of it were left by a jump: nobody else closes them */
}

kna_level *kna_level_now(kna_lift_kind kind)
{
    kna_lifting *l = kna_lifting_get();
    kna_level *level = l ? l->top : NULL;
    while (level && level->kind != kind)
        level = level->outer;
    return level;
}

/* ---- Lifted values. */

static void count(int by)
{
    kna_state *s = kna_state_get();
    if (!s || !s->lifting)
        return;
    s->lifting->alive += (size_t)by;
    if (s->lifting->alive <= 1) /* the first one, or there is none any more */
        kna_choose_hook(s, s->below);
}

static kna_recording *recording_of(const kna_value *v)
{
    return !v ? NULL : v->state == KN_V_TRACER ? v->tracer.recording : kna_is_lifted(v) ? v->lift->recording : NULL;
}

void kna_lift_free(kna_lift *lift)
{
    kna_value_release(lift->inner);
    if (lift->kind == KNA_LIFT_TANGENT)
        kna_value_release(lift->tangent);
    if (lift->kind == KNA_LIFT_TAPE)
        kna_step_leave(lift->step);
    if (lift->level)
        kna_level_release(lift->level);
    kna_recording_release(lift->recording);
    knx_piece_free(lift, sizeof *lift);
    count(-1);
}

/* The newest recording that has tracers in here. */
static kna_recording *newest(kna_recording *a, kna_recording *b) { return !a || (b && b->serial > a->serial) ? b : a; }

/* What `given` holds is taken over. */
static kna_value *lifted(kni_type type, kna_lift given)
{
    kna_lift *lift = kna_lifting_get() ? knx_piece(sizeof *lift) : NULL; /* which counts what is alive */
    type.weak = false;
    kna_value *v = lift ? kna_value_new(KN_V_LIFTED, type) : NULL;
    if (!v) {
        knx_piece_free(lift, sizeof *lift);
        kna_value_release(given.inner);
        if (given.kind == KNA_LIFT_TANGENT)
            kna_value_release(given.tangent);
        if (given.kind == KNA_LIFT_TAPE)
            kna_step_release(given.step);
        return NULL;
    }
    *lift = given;
    if (lift->kind == KNA_LIFT_TAPE)
        lift->step->values++;
    if (lift->level)
        level_retain(lift->level);
    lift->recording =
        newest(recording_of(lift->inner), lift->kind == KNA_LIFT_TANGENT ? recording_of(lift->tangent) : NULL);
    if (lift->recording)
        lift->recording->refs++;
    v->lift = lift;
    v->site = lift->inner->site;
    count(1);
    return v;
}

kna_value *kna_lift_tangent(kna_level *level, kna_value *inner, kna_value *tangent, int64_t directions)
{
    if (!inner || !tangent) {
        kna_value_release(inner);
        kna_value_release(tangent);
        return NULL;
    }
    return lifted(
        inner->type,
        (kna_lift){
            .kind = KNA_LIFT_TANGENT, .level = level, .inner = inner, .tangent = tangent, .directions = directions});
}

kna_value *kna_lift_tape(kna_level *level, kna_value *inner, kna_step *step, uint32_t index)
{
    if (!inner || !step) {
        kna_value_release(inner);
        kna_step_release(step);
        return NULL;
    }
    return lifted(inner->type,
                  (kna_lift){.kind = KNA_LIFT_TAPE, .level = level, .inner = inner, .step = step, .index = index});
}

kna_value *kna_lift_batch(kna_value *inner, int axes)
{
    if (!inner || !axes)
        return inner;
    kni_type t = inner->type;
    t.dim += axes;
    t.ndim = (int16_t)(t.ndim - axes);
    return lifted(t, (kna_lift){.kind = KNA_LIFT_BATCH, .inner = inner, .axes = axes});
}

/* The same over another inner value; takes over both. */
static kna_value *lifted_like(const kna_lift *from, kna_value *inner, kna_value *tangent)
{
    if (from->kind == KNA_LIFT_TANGENT)
        return kna_lift_tangent(from->level, inner, tangent, from->directions);
    return from->kind == KNA_LIFT_TAPE ? kna_lift_tape(from->level, inner, kna_step_retain(from->step), from->index)
                                       : kna_lift_batch(inner, from->axes);
}

static kna_value *over(const kna_lift *from, kna_value *inner)
{
    return lifted_like(from, inner, from->kind == KNA_LIFT_TANGENT ? kna_value_retain(from->tangent) : NULL);
}

kna_value *kna_lift_put(kna_value *v, const kna_lift *with)
{
    const kna_lift *at = kna_is_lifted(v) ? v->lift : NULL;
    if (at && (!at->level || at->level->depth > with->level->depth))
        return over(at, kna_lift_put(at->inner, with));
    if (at && at->level == with->level)
        v = at->inner;
    return over(with, kna_value_retain(v));
}

kna_value *kna_lift_without(kna_value *v, const kna_level *level)
{
    const kna_lift *at = kna_is_lifted(v) ? v->lift : NULL;
    if (!at)
        return kna_value_retain(v);
    return at->level == level ? kna_value_retain(at->inner) : over(at, kna_lift_without(at->inner, level));
}

kna_value *kna_lift_without_tapes(kna_value *v)
{
    const kna_lift *at = kna_is_lifted(v) ? v->lift : NULL;
    if (!at)
        return kna_value_retain(v);
    return at->kind == KNA_LIFT_TAPE ? kna_lift_without_tapes(at->inner) : over(at, kna_lift_without_tapes(at->inner));
}

/* ---- What is at a value. */

kna_value *kna_lift_seen(kna_value *v)
{
    const kna_lifting *l = kna_is_lifted(v) ? kna_lifting_get() : NULL;
    while (l && kna_is_lifted(v) && v->lift->level &&
           (!v->lift->level->open || (l->off && v->lift->kind == KNA_LIFT_TAPE)))
        v = v->lift->inner;
    return v;
}

knx_error *kna_drop_lift(kna_value **v)
{
    if (kna_batch_axes(*v))
        return knx_error_new(KN_ERROR_VALUE,
                             "an array with batch axes cannot be looked at: kn_batch_out makes them axes");
    kna_value *ground = kna_value_retain(kna_lift_ground(*v));
    kna_value_release(*v);
    *v = ground;
    return NULL;
}

void kna_lift_worth_having(kna_value *v)
{
    for (; kna_is_lifted(v); v = v->lift->inner) {
        if (v->lift->kind == KNA_LIFT_TANGENT)
            kna_worth_having(v->lift->tangent);
        if (v->lift->inner->refs > 0)
            v->lift->inner->kept = true;
    }
}

knx_error *kna_settle_lift(kna_value *v)
{
    for (; kna_is_lifted(v); v = v->lift->inner)
        if (v->lift->kind == KNA_LIFT_TANGENT) {
            kna_value *t = kna_lift_ground(v->lift->tangent);
            KN_TRY(kna_force(1, &t));
        }
    return kna_force(1, &v);
}

knx_error *kna_lift_move(kna_value **v, uint16_t site)
{
    if (!kna_is_lifted(*v))
        return kna_move_to_site(v, site);
    const kna_lift *from = (*v)->lift;
    kna_value *inner = kna_value_retain(from->inner), *tangent = NULL;
    knx_error *error = kna_lift_move(&inner, site);
    if (!error && from->kind == KNA_LIFT_TANGENT) {
        tangent = kna_value_retain(from->tangent);
        error = kna_lift_move(&tangent, site);
    }
    if (error) {
        kna_value_release(inner);
        kna_value_release(tangent);
        return error;
    }
    kna_value *to = lifted_like(from, inner, tangent);
    if (!to)
        return knx_error_nomem();
    kna_value_release(*v);
    *v = to;
    return NULL;
}

const kna_lift *kna_lift_at(kna_value *v, const kna_level *level)
{
    for (; kna_is_lifted(v); v = v->lift->inner)
        if (v->lift->level == level && level)
            return v->lift;
    return NULL;
}

/* ---- Equations over values that have nothing at them. */

static knx_error *record(kna_recording *r, const kna_equation *e, kna_value **out)
{
    kni_builder *b = &r->b;
    const kn_place *place = b->place;
    knx_arena a = KN_ARENA_INIT;
    kni_atom *in = knx_arena_alloc(&a, (e->n_in + 1) * sizeof *in),
             *y = knx_arena_alloc(&a, (e->n_out + 1) * sizeof *y);
    knx_error *error = in && y ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < e->n_in; i++)
        if (e->in[i])
            error = kna_recording_atom(r, e->in[i], &in[i]);
        else
            in[i] = knb_literal(b, e->literal[i].type.dtype, e->literal[i].type.weak, e->literal[i].bits);
    if (!error) {
        b->place = e->place;
        knb_emit(b, e->prim, e->params, (int)e->n_in, in, y, (int)e->n_out);
        b->place = place;
        error = knb_take_error(b);
    }
    uint32_t made = 0;
    for (; !error && made < e->n_out; made++)
        if (!(out[made] = kna_recording_tracer(r, y[made])))
            error = knx_error_nomem();
    while (error && made-- > 0)
        kna_value_release(out[made]);
    knx_arena_free(&a);
    return error;
}

static knx_error *make_node(const kna_equation *e, kna_value **out)
{
    KN_TRY(kna_node_for(e->prim, e->params, e->place, e->operation, e->n_in, e->in, e->literal, e->n_out, e->out_type,
                        out));
    knx_error *error = kni_can_fail(e->prim, e->params) ? kna_force((int)e->n_out, out) : NULL;
    for (uint32_t i = 0; error && i < e->n_out; i++)
        kna_value_release(out[i]);
    return error;
}

/* ---- Equations over lifted values. */

/* Room for operands and results. */
typedef struct room {
    knx_arena arena;
    kna_value **in, **x, **y;
    kni_type *type;
    int *how;
    kna_equation e;
} room;

static bool room_begin(room *m, const kna_equation *e)
{
    size_t n = 2 * (size_t)e->n_in + 2 * (size_t)e->n_out + 1;
    *m = (room){.e = *e};
    m->in = knx_arena_alloc(&m->arena, n * sizeof *m->in);
    m->x = knx_arena_alloc(&m->arena, n * sizeof *m->x);
    m->y = knx_arena_zero(&m->arena, n * sizeof *m->y);
    m->type = knx_arena_alloc(&m->arena, n * sizeof *m->type);
    m->how = knx_arena_zero(&m->arena, n * sizeof *m->how);
    return m->in && m->x && m->y && m->type && m->how;
}

static void types_of_operands(room *m)
{
    for (uint32_t i = 0; i < m->e.n_in; i++) {
        m->type[i] = m->e.in[i] ? m->e.in[i]->type : m->e.literal[i].type;
        m->type[i].weak = false;
    }
}

static void release_all(uint32_t n, kna_value *const *v)
{
    for (uint32_t i = 0; i < n; i++)
        kna_value_release(v[i]);
}

static knx_error *other_extents(int64_t a, int64_t b, const char *of)
{
    return knx_error_new(KN_ERROR_VALUE, "%s: %lld and %lld", of, (long long)a, (long long)b);
}

static knx_error *apply_batched(kna_recording *r, room *m, kna_value **out)
{
    int64_t size[KN_MAX_NDIM] = {0};
    int axes = 0;
    kna_derived *d = NULL;
    for (uint32_t i = 0; i < m->e.n_in; i++) {
        int n = m->how[i] = m->e.in[i] ? kna_batch_axes(m->e.in[i]) : 0;
        for (int k = 0; k < n; k++) { /* the oldest, which is the last one in front of the logical axes, first */
            int64_t extent = m->e.in[i]->lift->inner->type.dim[n - 1 - k];
            if (k < axes && size[k] != extent)
                return other_extents(size[k], extent, "batch axes of different sizes");
            size[k] = extent;
        }
        axes = n > axes ? n : axes;
    }
    types_of_operands(m);
    KN_TRY(kna_derive_equation(KNA_DERIVED_BATCH, &m->e, m->type, m->how, size, &d));
    for (uint32_t i = 0; i < d->n_input; i++)
        m->x[i] = kna_physical(m->e.in[d->input[i]]);
    knx_error *error = kna_apply_jaxpr(r, d->j, &m->e, m->x, m->y);
    for (uint32_t i = 0; !error && i < m->e.n_out; i++)
        if (!(out[i] = kna_lift_batch(m->y[i], d->axes[i]))) {
            error = knx_error_nomem();
            release_all(i, out);
            release_all(m->e.n_out - i - 1, m->y + i + 1);
            break;
        }
    kna_derived_release(d);
    return error;
}

static knx_error *apply_with_tangents(kna_recording *r, kna_level *level, room *m, kna_value **out)
{
    kna_derived *d = NULL;
    int64_t directions = -1;
    for (uint32_t i = 0; i < m->e.n_in; i++) {
        kna_value *v = m->e.in[i];
        m->in[i] = v;
        if (!kna_is_lifted(v) || v->lift->level != level)
            continue;
        if (directions >= 0 && directions != v->lift->directions)
            return other_extents(directions ? directions : 1, v->lift->directions ? v->lift->directions : 1,
                                 "tangents along different numbers of directions");
        directions = v->lift->directions;
        m->in[i] = v->lift->inner;
        m->how[i] = 1;
    }
    types_of_operands(m);
    KN_TRY(kna_derive_equation(KNA_DERIVED_JVP, &m->e, m->type, m->how, &directions, &d));
    uint32_t n = 0, at = m->e.n_out;
    for (uint32_t i = 0; i < d->n_input; i++)
        m->x[n++] = m->in[d->input[i]];
    for (uint32_t i = 0; i < d->n_input; i++)
        if (m->how[d->input[i]])
            m->x[n++] = m->e.in[d->input[i]]->lift->tangent;
    knx_error *error = kna_apply_jaxpr(r, d->j, &m->e, m->x, m->y);
    uint32_t made = 0;
    for (; !error && made < m->e.n_out; made++) {
        out[made] = d->has[made] ? kna_lift_tangent(level, m->y[made], m->y[at], directions) : m->y[made];
        if (out[made]) {
            at += d->has[made];
            continue;
        }
        error = knx_error_nomem();
        m->y[made] = NULL;
        m->y[at] = NULL;
        release_all(made, out);
        release_all(m->e.n_out - made, m->y + made);
        release_all(d->j->n_out - at, m->y + at);
        break;
    }
    kna_derived_release(d);
    return error;
}

static knx_error *apply_on_tape(kna_recording *r, kna_level *level, const kna_equation *e, kna_value **out)
{
    enum { FEW_OPERANDS = 8 };
    kna_value *few[FEW_OPERANDS], **in = e->n_in <= FEW_OPERANDS ? few : knx_alloc((size_t)e->n_in * sizeof *in);
    if (!in)
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++) {
        kna_value *v = e->in[i];
        in[i] = kna_is_lifted(v) && v->lift->level == level ? v->lift->inner : v;
    }
    kna_equation inner = *e;
    inner.in = in;
    knx_error *error = kna_tape_equation(r, level, &inner, e->in, out);
    if (in != few)
        knx_free(in);
    return error;
}

static knx_error *apply_in_room(kna_recording *r, kna_level *level, const kna_equation *e, kna_value **out)
{
    room m;
    knx_error *error = room_begin(&m, e) ? NULL : knx_error_nomem();
    if (!error)
        error = level ? apply_with_tangents(r, level, &m, out) : apply_batched(r, &m, out);
    knx_arena_free(&m.arena);
    return error;
}

/* e's operands are those that are seen. */
static knx_error *apply_seen(kna_recording *r, const kna_equation *e, kna_value **out)
{
    bool batched = false;
    kna_level *highest = NULL;
    for (uint32_t i = 0; i < e->n_in; i++) {
        const kna_value *v = e->in[i];
        if (!kna_is_lifted(v))
            continue;
        batched = batched || v->lift->kind == KNA_LIFT_BATCH;
        if (v->lift->level && (!highest || v->lift->level->depth > highest->depth))
            highest = v->lift->level;
    }
    if (batched || (highest && highest->kind == KNA_LIFT_TANGENT))
        return apply_in_room(r, batched ? NULL : highest, e, out);
    return highest ? apply_on_tape(r, highest, e, out) : r ? record(r, e, out) : make_node(e, out);
}

static knx_error *apply_lifted(kna_recording *r, const kna_equation *e, kna_value **out)
{
    enum { FEW_OPERANDS = 8 };
    kna_value *few[FEW_OPERANDS], **seen = e->n_in <= FEW_OPERANDS ? few : knx_alloc((size_t)e->n_in * sizeof *seen);
    if (!seen)
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++)
        seen[i] = kna_lift_seen(e->in[i]);
    kna_equation q = *e;
    q.in = seen;
    knx_error *error = apply_seen(r, &q, out);
    if (seen != few)
        knx_free(seen);
    return error;
}

knx_error *kna_apply_equation(kna_recording *r, const kna_equation *e, kna_value **out)
{
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kna_is_lifted(e->in[i]))
            return apply_lifted(r, e, out);
    return r ? record(r, e, out) : make_node(e, out);
}

/* ---- Jaxprs over values. */

typedef struct running {
    const kni_jaxpr *j;
    kna_value **at; /* per variable */
    kna_value **in;
    kni_literal *literal;
} running;

static knx_error *run_equation(kna_recording *r, const running *u, const kni_eqn *q, const kna_equation *like)
{
    for (uint32_t i = 0; i < q->n_in; i++) {
        bool literal = kni_is_literal(q->in[i]);
        u->in[i] = literal ? NULL : u->at[q->in[i]];
        if (literal)
            u->literal[i] = u->j->literal[q->in[i] & ~KN_LITERAL_BIT];
    }
    kna_equation e = {.prim = q->prim,
                      .params = q->params,
                      .place = like->place,
                      .operation = like->operation,
                      .n_in = q->n_in,
                      .n_out = q->n_out,
                      .in = u->in,
                      .literal = u->literal,
                      .out_type = u->j->type + q->out};
    knx_error *error = kna_apply_equation(r, &e, u->at + q->out);
    for (uint32_t i = 0; error && i < q->n_out; i++) /* those that there were are released */
        u->at[q->out + i] = NULL;
    return error;
}

static kna_value *result_of(const running *u, kni_atom a)
{
    if (!kni_is_literal(a))
        return kna_value_retain(u->at[a]);
    const kni_literal *l = &u->j->literal[a & ~KN_LITERAL_BIT];
    return kna_value_number(l->type.dtype, false, l->bits);
}

knx_error *kna_apply_jaxpr(kna_recording *r, const kni_jaxpr *j, const kna_equation *like, kna_value *const *in,
                           kna_value **out)
{
    knx_arena a = KN_ARENA_INIT;
    uint32_t widest = 0, made = 0;
    for (uint32_t k = 0; k < j->n_eqn; k++)
        widest = j->eqn[k].n_in > widest ? j->eqn[k].n_in : widest;
    running u = {j, knx_arena_zero(&a, ((size_t)j->n_var + 1) * sizeof(kna_value *)),
                 knx_arena_alloc(&a, ((size_t)widest + 1) * sizeof(kna_value *)),
                 knx_arena_alloc(&a, ((size_t)widest + 1) * sizeof(kni_literal))};
    knx_error *error = u.at && u.in && u.literal ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < j->n_const + j->n_in; i++)
        u.at[i] = kna_value_retain(in[i]);
    for (uint32_t k = 0; !error && k < j->n_eqn; k++)
        error = run_equation(r, &u, &j->eqn[k], like);
    for (; !error && made < j->n_out; made++)
        if (!(out[made] = result_of(&u, j->out[made])))
            error = knx_error_nomem();
    while (error && made-- > 0)
        kna_value_release(out[made]);
    for (uint32_t i = 0; u.at && i < j->n_var; i++)
        kna_value_release(u.at[i]);
    knx_arena_free(&a);
    return error;
}

/* ---- The lazy builder's hook. */

const kn_place *kna_told_place(const kn_place *here)
{
    const kna_state *s = kna_state_get();
    return __builtin_expect(s->how.events, 0) ? s->watcher->place(here, knx_context()->operation) : here;
}

enum { FEW = 8 };

KNX_HOT knx_error *kna_lifted_equation(void *env, kni_builder *b, const kni_draft_eqn *e)
{
    kna_state *s = env;
    bool any = false;
    for (uint32_t i = 0; i < e->n_in && !any; i++)
        any = !kni_is_literal(e->in[i]) && kna_is_lifted(s->lazy_value.at[e->in[i]]);
    if (!any)
        return s->below(env, b, e);
    knx_arena a = KN_ARENA_INIT;
    kna_value *few_in[FEW], **in = e->n_in <= FEW ? few_in : knx_arena_alloc(&a, e->n_in * sizeof *in);
    kna_value *few_out[FEW], **out = e->n_out <= FEW ? few_out : knx_arena_alloc(&a, e->n_out * sizeof *out);
    kni_literal few[FEW], *literal = e->n_in <= FEW ? few : knx_arena_alloc(&a, e->n_in * sizeof *literal);
    knx_error *error = in && out && literal && KN_VEC_RESERVE(&s->lazy_value, e->out + e->n_out - s->lazy_value.n)
                           ? NULL
                           : knx_error_nomem();
    for (uint32_t i = 0; !error && i < e->n_in; i++) {
        in[i] = kni_is_literal(e->in[i]) ? NULL : s->lazy_value.at[e->in[i]];
        if (!in[i])
            literal[i] = b->literal.at[e->in[i] & ~KN_LITERAL_BIT];
    }
    kna_equation q = {e->prim, e->params, kna_told_place(e->place), knx_context()->operation, e->n_in, e->n_out,
                      in,      literal,   b->type.at + e->out};
    if (!error)
        error = kna_apply_equation(NULL, &q, out);
    if (!error) {
        while (s->lazy_value.n < e->out)
            s->lazy_value.at[s->lazy_value.n++] = NULL;
        for (uint32_t i = 0; i < e->n_out; i++)
            s->lazy_value.at[s->lazy_value.n++] = out[i];
    }
    if (a.block)
        knx_arena_free(&a);
    return error;
}
