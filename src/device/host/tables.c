/* SPDX-License-Identifier: Apache-2.0
 * tables.c -- the rooms of loops and branches: where, beside its values, a loop on the host keeps the operands of its
 * programs and the addresses of all their references, so that a turn looks nothing up. */
#include "device/host/loaded.h"
#include "kiln/control.h"

static size_t take(size_t *room, size_t bytes)
{
    size_t at = *room;
    *room += knx_whole_lines(bytes);
    return at;
}

/* By how much a reference moves from one turn to the next. */
static int64_t moves(const knc_loop *l, const knc_ref *ref, bool body)
{
    uint32_t number = UINT32_MAX;
    if (body && ref->space == KNC_AT_OPERAND && ref->index >= l->n_body + l->n)
        number = ref->index - l->n_body;
    else if (body && ref->space == KNC_AT_OUTPUT && ref->index >= l->n)
        number = ref->index + l->n_x;
    if (number == UINT32_MAX)
        return 0;
    return l->reverse ? -(int64_t)l->bytes[number] : (int64_t)l->bytes[number];
}

/* Is result k of the program put where it belongs by a copy behind the steps? */
static bool is_copied(const knc_loop *l, const knc_program *q, uint32_t k)
{
    const knc_output *o = &q->output[k];
    if (!o->bytes)
        return false;
    if (o->kind == KNC_OUT_OPERAND)
        return q != l->body || k >= l->n || o->index != l->n_body + k;
    return o->kind == KNC_OUT_SAME;
}

/* The references of a table, in order: how many, and those that move. */
static uint32_t walk(const knc_loop *l, const knc_program *q, knd_moving *out, uint32_t *n_moving)
{
    uint32_t n = 0, m = 0;
    for (uint32_t i = 0; i < q->n_step; i++)
        for (uint32_t r = 0; q->step[i].kind != KNC_BAND && r < q->step[i].n_ref; r++, n++) {
            int64_t bytes = moves(l, &q->step[i].ref[r], q == l->body);
            if (bytes && out)
                out[m] = (knd_moving){n, bytes};
            m += bytes != 0;
        }
    for (uint32_t k = 0; k < q->n_output; k++) {
        if (!is_copied(l, q, k))
            continue;
        const knc_output *o = &q->output[k];
        knc_ref ends[] = {{.space = KNC_AT_OUTPUT, .index = k},
                          {.space = o->kind == KNC_OUT_OPERAND ? KNC_AT_OPERAND : KNC_AT_OUTPUT, .index = o->index}};
        for (int d = 0; d < 2; d++, n++) {
            int64_t bytes = moves(l, &ends[d], q == l->body);
            if (bytes && out)
                out[m] = (knd_moving){n, bytes};
            m += bytes != 0;
        }
    }
    *n_moving = m;
    return n;
}

static knx_error *make_table(knx_arena *a, const knc_loop *l, const knc_program *q, knd_table *t, size_t *room)
{
    t->n_ref = walk(l, q, NULL, &t->n_moving);
    knd_moving *moving = knx_arena_alloc(a, ((size_t)t->n_moving + 1) * sizeof *moving);
    uint32_t *copied = knx_arena_alloc(a, ((size_t)q->n_output + 1) * sizeof *copied);
    if (!moving || !copied)
        return knx_error_nomem();
    walk(l, q, moving, &t->n_moving);
    for (uint32_t k = 0; k < q->n_output; k++)
        if (is_copied(l, q, k))
            copied[t->n_copy++] = k;
    for (uint32_t i = 0; i < q->n_step; i++)
        t->bands |= q->step[i].kind == KNC_BAND;
    t->moving = moving;
    t->copy = copied;
    t->at = take(room, (size_t)l->places * t->n_ref * sizeof(void *));
    return NULL;
}

/* A program inside of a step of l, which keeps it in a slot that is given back with l. */
static knx_error *load_inside(const knd_host_loaded *l, knc_program *p, const knd_host_loaded **out)
{
    knd_loaded *inside = NULL;
    KN_TRY(knd_host_load_in(l->head.device, p, l->batch, &inside));
    *out = knd_host_of(inside);
    return NULL;
}

knx_error *knd_host_load_loop(knd_host_loaded *l, const knc_step *s, knd_host_step *out, size_t *room)
{
    const knc_loop *loop = s->u.r.loop;
    knd_host_loop *h = knx_arena_zero(&l->arena, sizeof *h);
    if (!h)
        return knx_error_nomem();
    out->loop = h;
    size_t places = (size_t)loop->places, n = loop->n;
    KN_TRY(load_inside(l, loop->body, &h->body));
    if (loop->cond)
        KN_TRY(load_inside(l, loop->cond, &h->cond));
    h->cond_in = take(room, loop->cond ? places * (loop->n_cond + n) * sizeof(knd_operand) : 0);
    h->body_in = take(room, places * (loop->n_body + n + loop->n_x) * sizeof(knd_operand));
    h->to = take(room, places * (n + loop->n_y) * sizeof(void *));
    if (loop->path == KN_PATH_CALLS) {
        KN_TRY(make_table(&l->arena, loop, loop->body, &h->body_table, room));
        if (loop->cond)
            KN_TRY(make_table(&l->arena, loop, loop->cond, &h->cond_table, room));
    }
    size_t cond = h->cond ? h->cond->room : 0, body = h->body->room;
    h->inner = take(room, cond > body ? cond : body);
    return NULL;
}

knx_error *knd_host_load_branch(knd_host_loaded *l, const knc_step *s, knd_host_step *out, size_t *room)
{
    const knc_branch *b = s->u.r.branch;
    knd_host_branch *h = knx_arena_zero(&l->arena, sizeof *h);
    const knd_host_loaded **program = knx_arena_zero(&l->arena, ((size_t)b->n + 1) * sizeof *program);
    size_t most = 0;
    if (!h || !program)
        return knx_error_nomem();
    h->program = program;
    out->branch = h;
    for (uint32_t i = 0; i < b->n; i++) {
        KN_TRY(load_inside(l, b->program[i], &program[i]));
        most = program[i]->room > most ? program[i]->room : most;
    }
    take(room, s->u.r.n_in * sizeof(knd_operand));
    h->inner = take(room, most);
    return NULL;
}
