/* SPDX-License-Identifier: Apache-2.0
 * loop.c -- runs loops: condition and body are programs, and each carry goes to and fro between two places, or stays
 * where it is. Nothing is allocated. */
#include "base/poll.h"
#include "dist/dist.h"
#include "host/dump.h"
#include "ir/host.h"
#include "device/host/run.h"
#include <string.h>

enum { PLACES = 2 };

/* One of the programs, with carries in one of their places. */
typedef struct inside {
    knd_one_run r;
    knd_operand *in;
    void **to, **table;
} inside;

typedef struct looping {
    const knc_loop *l;
    const knd_host_loop *h;
    void **at;    /* of the step's references */
    char *values; /* its workspace */
    char *room;   /* its addresses */
    bool watched; /* somebody wants to hear of the programs' steps */
    bool on_mesh; /* it is a device's, for which something may be under way */
    void *go;     /* the condition's result */
    inside cond[PLACES], body[PLACES];
} looping;

static void copy(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes)
        memcpy(to, from, bytes);
}

/* For a step of a loop: most carries that are outputs too are numbers. */
static inline void copy_some(void *to, const void *from, size_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, bytes);
}

/* ---- Programs from a table. */

static void fill_table(inside *n, const knd_table *t)
{
    const knc_program *p = n->r.p;
    void **at = n->table;
    for (uint32_t i = 0; i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        for (uint32_t k = 0; s->kind != KNC_BAND && k < s->n_ref; k++)
            *at++ = knd_address(&n->r, &s->ref[k]);
        if (s->kind == KNC_KERNEL)
            knh_dump(s->u.k.kernel, &(knk_launch){at - s->n_ref, s->u.k.map, s->u.k.par, s->u.k.inner});
    }
    for (uint32_t i = 0; i < t->n_copy; i++) {
        const knc_output *o = &p->output[t->copy[i]];
        *at++ = n->to[t->copy[i]];
        *at++ = o->kind == KNC_OUT_OPERAND ? (void *)(uintptr_t)knd_operand_data(&n->in[o->index]) : n->to[o->index];
    }
}

/* The next turn with this table is so many later. */
static void move_table(inside *n, const knd_table *t, int turns)
{
    for (uint32_t i = 0; i < t->n_moving; i++) {
        void **at = &n->table[t->moving[i].ref];
        *at = (void *)((uintptr_t)*at + (uintptr_t)(turns * t->moving[i].bytes));
    }
}

/* Kernels, which are most steps of small bodies, without a way through the executor. */
static knx_error *run_table(const inside *n, const knd_table *t)
{
    const knc_program *p = n->r.p;
    void **at = n->table;
    KN_KNOWN(p && at);
    const bool starts = n->r.l->starts;
    const knd_host_step *x = n->r.l->step;
    for (const knc_step *s = p->step, *end = s + p->n_step; s < end; s++, x++) {
        if (s->kind == KNC_KERNEL && x->prepared) {
            const knk_launch launch = {.buffer = at, .map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner};
            KN_TRY(knh_run_prepared(x->prepared, &launch, n->r.scratch, n->r.threads));
        } else {
            KN_TRY(knd_run_step_at(&n->r, (uint32_t)(s - p->step), at));
        }
        at += s->kind != KNC_BAND ? s->n_ref : 0;
        if (__builtin_expect(starts, 0))
            kndist_progress();
    }
    for (uint32_t i = 0; i < t->n_copy; i++, at += 2)
        copy_some(at[0], at[1], p->output[t->copy[i]].bytes);
    return NULL;
}

/* ---- Where everything is. */

static inside inside_of(const looping *g, const knd_one_run *r, const knd_host_loaded *l, knd_operand *in, void **to)
{
    return (inside){.r = {.l = l,
                          .p = l->head.program,
                          .in = in,
                          .to = to,
                          .work = g->values + g->l->work,
                          .room = g->room + g->h->inner,
                          .scratch = r->scratch,
                          .threads = r->threads,
                          .observer = r->observer,
                          .on_step = r->on_step,
                          .on_step_env = r->on_step_env},
                    .in = in,
                    .to = to};
}

static void *place(const looping *g, uint32_t carry, int which)
{
    const knc_loop *l = g->l;
    bool second = which && l->second[carry] != KNC_IN_PLACE;
    return second ? (void *)(g->values + l->second[carry]) : g->at[l->n_cond + l->n_body + l->n + l->n_x + carry];
}

/* The elements of turn t. */
static void point(const looping *g, int which, int64_t t)
{
    const knc_loop *l = g->l;
    const inside *b = &g->body[which];
    KN_KNOWN(b->in && b->to);
    size_t number = (size_t)(l->reverse ? l->length - 1 - t : t);
    void **x = g->at + l->n_cond + l->n_body + l->n, **y = x + l->n_x + l->n;
    for (uint32_t i = 0; i < l->n_x; i++)
        b->in[l->n_body + l->n + i] = (knd_operand){.data = (char *)x[i] + number * l->bytes[l->n + i]};
    for (uint32_t i = 0; i < l->n_y; i++)
        b->to[l->n + i] = (char *)y[i] + number * l->bytes[l->n + l->n_x + i];
}

static void prepare(looping *g, const knd_one_run *r, int which)
{
    const knc_loop *l = g->l;
    const knd_host_loop *h = g->h;
    size_t n_in = (size_t)l->n_body + l->n + l->n_x, n_cond = (size_t)l->n_cond + l->n, w = (size_t)which;
    knd_operand *in = (knd_operand *)(void *)(g->room + h->body_in) + w * n_in;
    knd_operand *cond_in = (knd_operand *)(void *)(g->room + h->cond_in) + w * n_cond;
    void **to = (void **)(void *)(g->room + h->to) + w * ((size_t)l->n + l->n_y);
    for (uint32_t i = 0; i < l->n_body; i++)
        in[i] = (knd_operand){.data = g->at[l->n_cond + i]};
    for (uint32_t i = 0; i < l->n; i++) {
        in[l->n_body + i] = (knd_operand){.data = place(g, i, which)};
        to[i] = place(g, i, !which);
    }
    g->body[which] = inside_of(g, r, h->body, in, to);
    g->body[which].table = (void **)(void *)(g->room + h->body_table.at) + w * h->body_table.n_ref;
    if (!l->cond)
        return;
    for (uint32_t i = 0; i < n_cond; i++)
        cond_in[i] = i < l->n_cond ? (knd_operand){.data = g->at[i]} : in[l->n_body + i - l->n_cond];
    g->cond[which] = inside_of(g, r, h->cond, cond_in, &g->go);
    g->cond[which].table = (void **)(void *)(g->room + h->cond_table.at) + w * h->cond_table.n_ref;
}

/* The place of the carries in which turn 0 finds them: so that the last one of a scan leaves them at home. */
static int first_place(const knc_loop *l) { return l->cond || l->places == 1 ? 0 : (int)(l->length & 1); }

static void begin(looping *g, const knd_one_run *r, const knc_step *s)
{
    const knc_loop *l = g->l;
    int first = first_place(l);
    g->values = g->at[s->u.r.n_in + s->u.r.n_out];
    g->room = r->room + r->l->step_room;
    g->go = g->values + l->go;
    for (uint32_t i = 0; i < l->n; i++)
        copy(place(g, i, first), g->at[l->n_cond + l->n_body + i], l->bytes[i]);
    for (int which = 0; which < l->places; which++) {
        prepare(g, r, which);
        if (l->path != KN_PATH_CALLS || g->watched || l->length == 0)
            continue;
        point(g, which, which != first);
        fill_table(&g->body[which], &g->h->body_table);
        if (l->cond)
            fill_table(&g->cond[which], &g->h->cond_table);
    }
}

/* ---- Turns. */

static knx_error *run_one(const looping *g, const inside *n, const knd_table *t)
{
    return g->watched || g->l->path != KN_PATH_CALLS ? knd_run_to(&n->r) : run_table(n, t);
}

static knx_error *run_body(looping *g, int which, int64_t t)
{
    const knc_loop *l = g->l;
    bool calls = l->path == KN_PATH_CALLS && !g->watched;
    if (!calls || g->h->body_table.bands)
        point(g, which, t);
    KN_TRY(run_one(g, &g->body[which], &g->h->body_table));
    if (calls)
        move_table(&g->body[which], &g->h->body_table, l->places);
    return NULL;
}

knx_error *knd_tell_turn(const kni_host *h, int64_t step, int64_t length)
{
    const kni_type t = {.dtype = &knx_dtype_table[KN_ID_I64]};
    return h->call(h, 2, (const kni_type[]){t, t}, (const void *const[]){&step, &length}, 0, NULL, NULL);
}

static knx_error *run_turns(looping *g, const kni_host *watcher)
{
    const knc_loop *l = g->l;
    int which = first_place(l);
    for (int64_t t = 0; t < l->length; t++) {
        KN_TRY(knx_poll());
        if (l->cond) {
            KN_TRY(run_one(g, &g->cond[which], &g->h->cond_table));
            if (!*(const bool *)g->go)
                break;
        }
        KN_TRY(run_body(g, which, t));
        which ^= l->places - 1;
        if (g->on_mesh)
            kndist_progress();
        if (watcher)
            KN_TRY(knd_tell_turn(watcher, t + 1, l->length));
    }
    for (uint32_t i = 0; which && i < l->n; i++)
        copy(place(g, i, 0), place(g, i, 1), l->bytes[i]);
    return NULL;
}

knx_error *knd_run_loop(const knd_one_run *r, uint32_t i, void **at)
{
    const knc_step *s = &r->p->step[i];
    looping g = {.l = s->u.r.loop,
                 .h = r->l->step[i].loop,
                 .at = at,
                 .watched = r->observer || r->on_step,
                 .on_mesh = kndist_self_now() != NULL};
    const kni_host *watcher = g.l->on_step ? kni_host_find(g.l->on_step) : NULL;
    if (g.l->on_step && !watcher)
        return knx_error_new(KN_ERROR_VALUE, "the function of .on_step is not of this process");
    begin(&g, r, s);
    return run_turns(&g, watcher);
}
