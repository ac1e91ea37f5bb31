/* SPDX-License-Identifier: Apache-2.0
 * tape.c -- tapes, and walking backward over them. The linear parts of the steps, one after the other, are a linear
 * function from the tangents of watched arrays to that of the loss; it is transposed as kn_grad does it, and applied.
 * */
#define KNA_LIFTS
#include "array/tape.h"
#include "ir/ops.h"
#include "transform/transform.h"
#include <stdlib.h>
#include <string.h>

/* ---- Steps. */

kna_step *kna_step_retain(kna_step *s)
{
    if (s)
        s->refs++;
    return s;
}

static void let_go(kna_step *s)
{
    for (uint32_t i = 0; !s->let_go && i < s->n_held; i++)
        kna_value_release(s->held[i]);
    s->let_go = true;
}

static void free_step(kna_step *s, kna_step **dead)
{
    for (uint32_t i = 0; i < s->n_edge; i++) {
        kna_step *of = s->edge[i].step;
        if (of && --of->refs == 0) {
            of->next = *dead;
            *dead = of;
        }
    }
    let_go(s);
    kna_value_release(s->grad);
    kna_derived_release(s->derived);
    kna_recording_release(s->recording);
    kna_level_release(s->level);
    knx_piece_free(s, s->bytes);
}

void kna_step_release(kna_step *s)
{
    kna_step *dead = s && --s->refs == 0 ? s : NULL;
    if (dead)
        dead->next = NULL;
    while (dead) {
        kna_step *now = dead;
        dead = now->next;
        free_step(now, &dead);
    }
}

void kna_step_leave(kna_step *s)
{
    if (--s->values == 0) {
        kna_value *grad = s->grad;
        s->grad = NULL;
        kna_value_release(grad);
    }
    kna_step_release(s);
}

/* One block: the step, what it holds, its edges, the extents of its type. */
static kna_step *new_step(kna_recording *r, kna_level *level, const kn_place *place, const char *operation,
                          uint32_t n_edge, uint32_t n_held, kni_type type)
{
    kna_lifting *l = kna_lifting_get();
    size_t bytes = sizeof(kna_step) + n_held * sizeof(kna_value *) + n_edge * sizeof(kna_step_edge) +
                   (size_t)type.ndim * sizeof(int64_t);
    kna_step *s = l && bytes <= UINT32_MAX ? knx_piece_zero(bytes) : NULL;
    if (!s)
        return NULL;
    s->bytes = (uint32_t)bytes;
    s->held = (kna_value **)(s + 1);
    s->edge = (kna_step_edge *)(s->held + n_held);
    s->refs = 1;
    s->serial = ++l->steps;
    s->level = level;
    level->refs++;
    s->place = place;
    s->operation = operation;
    s->n_edge = n_edge;
    s->n_held = n_held;
    s->recording = r;
    if (r)
        r->refs++;
    int64_t *dim = (int64_t *)(s->edge + n_edge);
    for (int d = 0; d < type.ndim; d++)
        dim[d] = type.dim[d];
    s->type = type;
    s->type.dim = dim;
    s->type.weak = false;
    return s;
}

kna_step *kna_step_watched(kna_level *level, kni_type type, const kna_step_edge *from, const kn_place *place,
                           const char *operation)
{
    kna_step *s = new_step(kna_recording_current(), level, place, operation, from ? 1 : 0, 0, type);
    if (s && from)
        s->edge[0] = (kna_step_edge){kna_step_retain(from->step), from->index};
    return s;
}

/* What a step holds is worth having when its neighbours run. */
static kna_value *hold(kna_value *v)
{
    kna_worth_having(kna_value_retain(v));
    return v;
}

/* out: results, and behind them residuals where the equation was not plain. */
static knx_error *make_step(kna_recording *r, kna_level *level, const kna_equation *e, kna_value *const *lifted_in,
                            kna_derived *d, kna_value *const *out, kna_step **made)
{
    uint32_t n_edge = 0, n_held = d->n_input + (d->plain ? d->n_out : d->n_residual);
    for (uint32_t i = 0; i < d->n_input; i++)
        n_edge += d->how[d->input[i]] != 0;
    kna_step *s = new_step(r, level, e->place, e->operation, n_edge, n_held, kni_scalar_type(KN_DT(F32)));
    if (!s)
        return knx_error_nomem();
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->n_input; i++) {
        const kna_value *v = lifted_in[d->input[i]];
        if (d->how[d->input[i]])
            s->edge[at++] = (kna_step_edge){kna_step_retain(v->lift->step), v->lift->index};
        if (!d->plain) /* for gradients that are on the tape, too */
            s->held[i] = kna_value_retain(e->in[d->input[i]]);
        else if (d->needs[i])
            s->held[i] = hold(e->in[d->input[i]]);
    }
    for (uint32_t i = 0; d->plain && i < d->n_out; i++)
        if (d->needs[d->n_input + i])
            s->held[d->n_input + i] = hold(out[i]);
    for (uint32_t i = 0; !d->plain && i < d->n_residual; i++)
        s->held[d->n_input + i] = hold(out[d->n_out + i]);
    s->derived = d;
    d->refs++;
    *made = s;
    return NULL;
}

static knx_error *lift_results(kna_level *level, const kna_derived *d, kna_step *s, kna_value **y, kna_value **out)
{
    uint32_t made = 0;
    for (; made < d->n_out; made++) {
        out[made] = d->has[made] ? kna_lift_tape(level, y[made], kna_step_retain(s), made) : y[made];
        if (!out[made])
            break;
    }
    if (made == d->n_out)
        return NULL;
    for (uint32_t i = 0; i < made; i++)
        kna_value_release(out[i]);
    for (uint32_t i = made + 1; i < d->n_out; i++)
        kna_value_release(y[i]);
    return knx_error_nomem();
}

/* Room for an equation: most have few operands and results. */
enum { FEW = 8 };

static knx_error *derive_step(const kna_level *level, const kna_equation *e, kna_value *const *lifted_in, knx_arena *a,
                              kna_derived **d)
{
    kni_type few[FEW], *type = e->n_in <= FEW ? few : knx_arena_alloc(a, e->n_in * sizeof *type);
    int few_how[FEW], *how = e->n_in <= FEW ? few_how : knx_arena_alloc(a, e->n_in * sizeof *how);
    int64_t none = 0;
    if (!type || !how)
        return knx_error_nomem();
    kna_equation asked = *e;
    asked.in = lifted_in; /* equal ones are those that are on the tape at the same place */
    for (uint32_t i = 0; i < e->n_in; i++) {
        type[i] = e->in[i] ? e->in[i]->type : e->literal[i].type;
        type[i].weak = false;
        how[i] = kna_is_lifted(lifted_in[i]) && lifted_in[i]->lift->level == level;
    }
    return kna_derive_equation(KNA_DERIVED_LINEAR, &asked, type, how, &none, d);
}

KNX_HOT knx_error *kna_tape_equation(kna_recording *r, kna_level *level, const kna_equation *e,
                                     kna_value *const *lifted_in, kna_value **out)
{
    knx_arena a = KN_ARENA_INIT;
    kna_derived *d = NULL;
    kna_step *s = NULL;
    knx_error *error = derive_step(level, e, lifted_in, &a, &d);
    if (error) {
        knx_arena_free(&a);
        return error;
    }
    uint32_t n = d->n_out + (d->plain ? 0 : d->n_residual);
    kna_value *few_y[FEW], **y = n <= FEW ? few_y : knx_arena_alloc(&a, n * sizeof *y);
    kna_value *few_x[FEW], **x = d->n_input <= FEW ? few_x : knx_arena_alloc(&a, d->n_input * sizeof *x);
    error = y && x ? NULL : knx_error_nomem();
    if (!error && d->plain)
        error = kna_apply_equation(r, e, y);
    for (uint32_t i = 0; !error && !d->plain && i < d->n_input; i++)
        x[i] = e->in[d->input[i]];
    if (!error && !d->plain)
        error = kna_apply_jaxpr(r, d->j, e, x, y);
    if (!error) {
        error = make_step(r, level, e, lifted_in, d, y, &s);
        for (uint32_t i = 0; i < n; i++)
            if (i >= d->n_out || error)
                kna_value_release(y[i]);
    }
    if (!error)
        error = lift_results(level, d, s, y, out);
    kna_step_release(s);
    kna_derived_release(d);
    if (a.block)
        knx_arena_free(&a);
    return error;
}

/* ---- Backward. */

typedef struct walk {
    kna_recording *r;
    kna_equation like; /* place and name of what is applied */
    kna_backward how;
    knx_arena arena;
    KN_VEC(kna_step *) step;  /* in the order in which they were made */
    kni_builder b;            /* the linear function */
    KN_VEC(kni_atom) tangent; /* of each result of each step; KN_ATOM_NONE: none */
    KN_VEC(kna_value *) residual;
    KN_VEC(bool) linear;  /* per input of b */
    KN_VEC(uint64_t) key; /* what says which jaxpr goes back: steps, and how they hang together */
} walk;

static int by_serial(const void *a, const void *b)
{
    uint64_t x = (*(kna_step *const *)a)->serial, y = (*(kna_step *const *)b)->serial;
    return x < y ? -1 : x > y;
}

static knx_error *collect(walk *w, kna_step *from)
{
    kna_step *stack = from;
    knx_error *error = NULL;
    from->visited = true;
    from->next = NULL;
    while (stack) {
        kna_step *s = stack;
        stack = s->next;
        if (!error && !KN_VEC_PUSH(&w->step, s)) {
            error = knx_error_nomem();
            s->visited = false;
        }
        for (uint32_t i = 0; !error && i < s->n_edge; i++) {
            kna_step *of = s->edge[i].step;
            if (!of->visited) {
                of->visited = true;
                of->next = stack;
                stack = of;
            }
        }
        if (error)
            s->visited = false;
    }
    for (size_t i = 0; i < w->step.n; i++)
        w->step.at[i]->visited = false;
    if (!error)
        qsort(w->step.at, w->step.n, sizeof(kna_step *), by_serial);
    return error;
}

const char *kna_place_text(const kn_place *p, char text[160])
{
    *text = 0;
    if (p)
        snprintf(text, 160, " at %s:%d", p->file, p->line);
    return text;
}

static knx_error *gone(const kna_step *s)
{
    char made[160], left[160];
    return knx_error_new(KN_ERROR_RUNTIME,
                         "backward goes through '%s'%s for the second time: what it needs was let go by backward%s; "
                         ".keep = true keeps it",
                         s->operation && *s->operation ? s->operation : "an operation", kna_place_text(s->place, made),
                         kna_place_text(s->gone, left));
}

/* Inputs and results of a step as they are on the tape: what is made of them is on it, too. */
static knx_error *lift_held(walk *w, kna_step *s, kna_value **x)
{
    const kna_derived *d = s->derived;
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->n_input + (d->plain ? d->n_out : 0); i++) {
        bool input = i < d->n_input, on = input ? d->how[d->input[i]] != 0 : d->has[i - d->n_input];
        const kna_step_edge e = on && input ? s->edge[at++] : (kna_step_edge){s, input ? 0 : i - d->n_input};
        if (!on || !w->how.record || !s->held[i])
            x[i] = kna_value_retain(s->held[i]);
        else if (!(x[i] = kna_lift_tape(s->level, kna_value_retain(s->held[i]), kna_step_retain(e.step), e.index)))
            return knx_error_nomem();
    }
    return NULL;
}

/* New references to the residuals of a step. Those of an equation that was not plain are made anew where the gradient
 * is to be on the tape. */
static knx_error *residuals_of(walk *w, kna_step *s, kna_value **v)
{
    const kna_derived *d = s->derived;
    bool again = !d->plain && w->how.record;
    for (uint32_t i = 0; d->direct && !w->how.record && i < d->n_residual; i++)
        v[i] = kna_value_retain(s->held[d->later->out[i]]);
    if (d->direct && !w->how.record)
        return NULL;
    uint32_t n = d->n_input + d->n_out, made = again ? d->n_out + d->n_residual : 0;
    kna_value **x = knx_arena_zero(&w->arena, ((size_t)n + 1) * sizeof *x),
              **y = knx_arena_zero(&w->arena, ((size_t)made + 1) * sizeof *y);
    if (!x || !y)
        return knx_error_nomem();
    if (!d->plain && !again) {
        for (uint32_t i = 0; i < d->n_residual; i++)
            v[i] = kna_value_retain(s->held[d->n_input + i]);
        return NULL;
    }
    knx_error *error = lift_held(w, s, x);
    if (!error)
        error = kna_apply_jaxpr(w->r, again ? d->j : d->later, &w->like, x, again ? y : v);
    for (uint32_t i = 0; i < n; i++)
        kna_value_release(x[i]);
    for (uint32_t i = 0; !error && i < made; i++)
        if (i < d->n_out)
            kna_value_release(y[i]);
        else
            v[i - d->n_out] = y[i];
    return error;
}

/* The residuals of a step go to the others. */
static knx_error *push_residuals(walk *w, kna_step *s)
{
    const kna_derived *d = s->derived;
    if (s->n_held && s->let_go)
        return gone(s);
    if (!KN_VEC_RESERVE(&w->residual, d->n_residual))
        return knx_error_nomem();
    KN_TRY(residuals_of(w, s, w->residual.at + w->residual.n));
    w->residual.n += d->n_residual;
    return NULL;
}

/* The same, as inputs of the linear function; x[] gets their atoms. */
static knx_error *add_residuals(walk *w, kna_step *s, kni_atom *x)
{
    uint32_t n = s->derived->n_residual;
    size_t from = w->residual.n;
    KN_TRY(push_residuals(w, s));
    for (uint32_t i = 0; i < n; i++) {
        kni_type t = w->residual.at[from + i]->type;
        t.weak = false;
        x[i] = knb_invar(&w->b, t);
        if (!KN_VEC_PUSH(&w->linear, false))
            return knx_error_nomem();
    }
    return NULL;
}

static kni_atom tangent_of(const walk *w, const kna_step_edge *e) { return w->tangent.at[e->step->first + e->index]; }

static knx_error *add_watched(walk *w, kna_step *s)
{
    kni_atom own = knb_invar(&w->b, s->type);
    if (!KN_VEC_PUSH(&w->linear, true))
        return knx_error_nomem();
    if (s->n_edge)
        own = knb_add_any(&w->b, tangent_of(w, &s->edge[0]), own);
    return KN_VEC_PUSH(&w->tangent, own) ? NULL : knx_error_nomem();
}

static knx_error *add_step(walk *w, kna_step *s)
{
    s->first = (uint32_t)w->tangent.n;
    if (!s->derived)
        return add_watched(w, s);
    const kna_derived *d = s->derived;
    kni_atom *x = knx_arena_alloc(&w->arena, ((size_t)d->n_residual + s->n_edge + 1) * sizeof *x),
             *y = knx_arena_alloc(&w->arena, ((size_t)d->n_out + 1) * sizeof *y);
    if (!x || !y)
        return knx_error_nomem();
    KN_TRY(add_residuals(w, s, x));
    for (uint32_t i = 0; i < s->n_edge; i++)
        x[d->n_residual + i] = tangent_of(w, &s->edge[i]);
    w->b.place = s->place;
    knb_inline(&w->b, d->linear, x, y);
    for (uint32_t i = 0, at = 0; i < d->n_out; i++)
        if (!KN_VEC_PUSH(&w->tangent, d->has[i] ? y[at++] : KN_ATOM_NONE))
            return knx_error_nomem();
    return knb_take_error(&w->b);
}

static knx_error *add_up(const walk *w, kna_step *s, kna_value *ct)
{
    if (!s->values) {
        kna_value_release(ct);
        return NULL;
    }
    if (s->grad) {
        kna_value *both[] = {s->grad, ct}, *sum = NULL;
        kna_equation e = w->like;
        e.prim = &knp_prim_add_any;
        e.params = NULL;
        e.n_in = 2;
        e.n_out = 1;
        e.in = both;
        e.out_type = &s->type;
        knx_error *error = kna_apply_equation(w->r, &e, &sum);
        kna_value_release(ct);
        if (error)
            return error;
        ct = sum;
    }
    kna_value_release(s->grad);
    s->grad = ct;
    kna_value_release(hold(ct));
    return NULL;
}

/* ---- The jaxpr that goes back: made once for steps of the same equations that hang together in the same way. */

typedef struct kna_back {
    size_t n;
    uint64_t *key; /* pointers in it are derived equations */
    uint32_t n_derived;
    kna_derived **derived; /* those, counted: so that none of them is another one */
    kni_jaxpr *jaxpr;      /* residuals, cotangent -> gradients */
} kna_back;

static void free_back(kna_back *b)
{
    for (uint32_t i = 0; b && i < b->n_derived; i++)
        kna_derived_release(b->derived[i]);
    if (b)
        kni_release(b->jaxpr);
    knx_free(b);
}

void kna_backs_free(kna_lifting *l)
{
    for (int i = 0; i < KNA_BACKS; i++)
        free_back(l->back[i]);
}

static bool add_word(walk *w, uint64_t word) { return KN_VEC_PUSH(&w->key, word); }

/* Numbers the results of all steps, and fills the key; extents that are expressions fit no other scope: no key then. */
static bool number_steps(walk *w, const kna_lift *y)
{
    uint32_t first = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < w->step.n; i++) {
        kna_step *s = w->step.at[i];
        s->first = first;
        first += s->derived ? s->derived->n_out : 1;
        ok = add_word(w, (uint64_t)(uintptr_t)s->derived) && add_word(w, s->n_edge);
        for (uint32_t k = 0; ok && k < s->n_edge; k++)
            ok = add_word(w, s->edge[k].step->first + s->edge[k].index);
        if (!s->derived) {
            ok = ok && add_word(w, (uint64_t)(uintptr_t)s->type.dtype) && add_word(w, (uint64_t)s->type.ndim);
            for (int k = 0; ok && k < s->type.ndim; k++)
                ok = add_word(w, (uint64_t)s->type.dim[k]);
        }
    }
    return ok && add_word(w, y->step->first + y->index);
}

static kna_back *known_back(const kna_lifting *l, const walk *w)
{
    for (int i = 0; i < KNA_BACKS; i++) {
        kna_back *b = l->back[i];
        if (b && b->n == w->key.n && !memcmp(b->key, w->key.at, b->n * sizeof *b->key))
            return b;
    }
    return NULL;
}

static void keep_back(kna_lifting *l, const walk *w, kni_jaxpr *jaxpr)
{
    kna_back *b = knx_alloc(sizeof *b + w->key.n * sizeof *b->key + w->step.n * sizeof(kna_derived *));
    if (!b) /* it is made anew, then */
        return;
    b->n = w->key.n;
    b->key = (uint64_t *)(b + 1);
    memcpy(b->key, w->key.at, b->n * sizeof *b->key);
    b->derived = (kna_derived **)(b->key + b->n);
    b->n_derived = 0;
    for (size_t i = 0; i < w->step.n; i++)
        if (w->step.at[i]->derived) {
            w->step.at[i]->derived->refs++;
            b->derived[b->n_derived++] = w->step.at[i]->derived;
        }
    b->jaxpr = kni_retain(jaxpr);
    kna_back **at = &l->back[l->backs_made++ % KNA_BACKS];
    free_back(*at);
    *at = b;
}

static knx_error *make_back(walk *w, const kna_lift *y, kni_jaxpr **back)
{
    kni_jaxpr *forward = NULL;
    for (size_t i = 0; i < w->step.n; i++)
        KN_TRY(add_step(w, w->step.at[i]));
    kna_step_edge at = {y->step, y->index};
    kni_atom out = tangent_of(w, &at);
    KN_TRY(knb_finish(&w->b, 1, &out, "backward", true, &forward));
    knx_error *error = knt_transpose(forward, w->linear.at, back);
    kni_release(forward);
    return error;
}

/* As one equation, whose jaxpr is inlined where it is compiled. Where somebody records it, or it is on a tape, one by
 * one. */
static knx_error *apply_back(walk *w, kni_jaxpr *back, kna_value *const *x, kna_value **y)
{
    kni_p_jit params = {.name = "backward", .jaxpr = back};
    bool whole = !w->r && !w->how.record && !kna_any_lifted((int)back->n_in, x) &&
                 !kni_must_stay(&knp_prim_jit, &params) && !(kni_bits(&knp_prim_jit, &params) & (KN_USER | KN_NAMES));
    if (!whole)
        return kna_apply_jaxpr(w->r, back, &w->like, x, y);
    kni_type *type = knx_arena_alloc(&w->arena, ((size_t)back->n_out + 1) * sizeof *type);
    kna_equation e = w->like;
    if (!type)
        return knx_error_nomem();
    for (uint32_t i = 0; i < back->n_out; i++)
        type[i] = kni_out_type(back, i);
    e.prim = &knp_prim_jit;
    e.params = &params;
    e.n_in = back->n_in;
    e.n_out = back->n_out;
    e.in = x;
    e.out_type = type;
    return kna_apply_equation(NULL, &e, y);
}

static knx_error *pull_back(walk *w, const kna_lift *from, kna_value *ct)
{
    kna_lifting *l = kna_lifting_get();
    if (!l || !number_steps(w, from))
        return knx_error_nomem();
    kna_back *known = knx_dim_now() ? NULL : known_back(l, w);
    kni_jaxpr *back = known ? kni_retain(known->jaxpr) : NULL;
    knx_error *error = NULL;
    for (size_t i = 0; known && !error && i < w->step.n; i++)
        if (w->step.at[i]->derived)
            error = push_residuals(w, w->step.at[i]);
    if (!known)
        error = make_back(w, from, &back);
    if (!known && !error && !knx_dim_now())
        keep_back(l, w, back);
    size_t n = w->residual.n, n_watched = back ? back->n_out : 0, at = 0;
    kna_value **x = knx_arena_alloc(&w->arena, (n + 1) * sizeof *x),
              **y = knx_arena_zero(&w->arena, (n_watched + 1) * sizeof *y);
    if (!error && (!x || !y))
        error = knx_error_nomem();
    for (size_t i = 0; !error && i < n; i++)
        x[i] = w->residual.at[i];
    if (!error) {
        x[n] = ct;
        error = apply_back(w, back, x, y);
    }
    for (size_t i = 0; !error && i < w->step.n; i++)
        if (!w->step.at[i]->derived) {
            error = add_up(w, w->step.at[i], y[at]);
            y[at++] = NULL;
        }
    for (; y && at < n_watched; at++)
        kna_value_release(y[at]);
    kni_release(back);
    return error;
}

/* A watched array outside of a recorded function cannot get what is known only inside of it. */
static knx_error *may_go(const walk *w)
{
    for (size_t i = 0; i < w->step.n; i++) {
        const kna_step *s = w->step.at[i];
        if (!s->derived && s->recording != w->r)
            return knx_error_new(
                KN_ERROR_LEAKED_TRACER,
                "backward inside of %s, which is traced by %s, of an array that is watched outside of it",
                w->r ? w->r->function : "a function", w->r ? w->r->transformation : "a transformation");
    }
    return NULL;
}

/* Where operations run when they are called, gradients do so, too. */
static knx_error *settle(walk *w)
{
    int n = 0;
    kna_value **v = knx_arena_alloc(&w->arena, (w->step.n + 1) * sizeof *v);
    if (!v)
        return knx_error_nomem();
    for (size_t i = 0; i < w->step.n; i++)
        if (w->step.at[i]->grad)
            v[n++] = w->step.at[i]->grad;
    return kna_settle(n, v);
}

static knx_error *go(walk *w, const kna_lift *y, kna_value *ct)
{
    KN_TRY(collect(w, y->step));
    KN_TRY(may_go(w));
    KN_TRY(pull_back(w, y, ct));
    for (size_t i = 0; !w->how.keep && i < w->step.n; i++) {
        let_go(w->step.at[i]);
        w->step.at[i]->gone = w->like.place;
    }
    return settle(w);
}

knx_error *kna_go_backward(kna_recording *r, kna_level *level, kna_value *y, kna_value *ct, kna_backward how)
{
    const kna_lift *lift = kna_lift_at(y, level);
    walk w = {.r = r, .how = how};
    w.arena = (knx_arena)KN_ARENA_INIT;
    w.like = (kna_equation){.place = kna_told_place(knx_context()->here), .operation = knx_context()->operation};
    knb_init(&w.b);
    bool open = level->open;
    level->open = how.record;
    knx_error *error = ct ? go(&w, lift, ct) : knx_error_nomem();
    level->open = open;
    kna_value_release(ct);
    for (size_t i = 0; i < w.residual.n; i++)
        kna_value_release(w.residual.at[i]);
    KN_VEC_FREE(&w.residual);
    KN_VEC_FREE(&w.linear);
    KN_VEC_FREE(&w.key);
    KN_VEC_FREE(&w.tangent);
    KN_VEC_FREE(&w.step);
    knb_free(&w.b);
    knx_arena_free(&w.arena);
    return error;
}
