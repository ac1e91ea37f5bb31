/* SPDX-License-Identifier: Apache-2.0
 * loop.c -- runs loops: condition and body are programs, and each carry goes to and fro between two places. Nothing is
 * allocated. */
#include "runtime/run.h"
#include <string.h>

typedef struct looping {
    const knd_one_run *r;
    const knc_loop *l;
    kn_operand *cond_in, *body_in;
    void **home, **to, **spare; /* per carry; home: where the result is wanted */
    bool *go;
    char *work;
} looping;

static void copy(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes)
        memcpy(to, from, bytes);
}

static kn_error *run_inside(const looping *g, const kn_program *p, const kn_operand *in, void *const *to)
{
    const knd_one_run *r = g->r;
    return knd_run_to(&(knd_one_run){.p = p,
                                     .in = in,
                                     .to = to,
                                     .work = g->work,
                                     .scratch = r->scratch,
                                     .threads = r->threads,
                                     .observer = r->observer,
                                     .on_step = r->on_step,
                                     .on_step_env = r->on_step_env});
}

static void *carry_at(const looping *g, uint32_t i) { return (void *)(uintptr_t)g->body_in[g->l->n_body + i].data; }

static void put_carry(const looping *g, uint32_t i, void *at)
{
    g->body_in[g->l->n_body + i] = g->cond_in[g->l->n_cond + i] = (kn_operand){.data = at};
}

static void begin(looping *g, const knc_step *s, void **at)
{
    const knc_loop *l = g->l;
    uint32_t consts = l->n_cond + l->n_body;
    char *room = at[s->u.r.n_in + s->u.r.n_out];
    g->cond_in = (void *)(room + l->cond_in);
    g->body_in = (void *)(room + l->body_in);
    g->to = (void *)(room + l->to);
    g->spare = (void *)(room + l->spare);
    g->go = (void *)(room + l->go);
    g->work = room + l->work;
    g->home = at + s->u.r.n_in;
    for (uint32_t i = 0; i < l->n_cond; i++)
        g->cond_in[i] = (kn_operand){.data = at[i]};
    for (uint32_t i = 0; i < l->n_body; i++)
        g->body_in[i] = (kn_operand){.data = at[l->n_cond + i]};
    for (uint32_t i = 0; i < l->n; i++) {
        copy(g->home[i], at[consts + i], l->bytes[i]);
        put_carry(g, i, g->home[i]);
        g->spare[i] = l->second[i] == KNC_IN_PLACE ? NULL : room + l->second[i];
    }
}

static kn_error *next(const looping *g)
{
    const knc_loop *l = g->l;
    for (uint32_t i = 0; i < l->n; i++)
        g->to[i] = g->spare[i] ? g->spare[i] : carry_at(g, i);
    KN_TRY(run_inside(g, l->body, g->body_in, g->to));
    for (uint32_t i = 0; i < l->n; i++)
        if (g->spare[i]) {
            g->spare[i] = carry_at(g, i);
            put_carry(g, i, g->to[i]);
        }
    return NULL;
}

kn_error *knd_run_loop(const knd_one_run *r, const knc_step *s, void **at)
{
    looping g = {.r = r, .l = s->u.r.loop};
    void *go;
    begin(&g, s, at);
    for (go = g.go;;) {
        KN_TRY(run_inside(&g, g.l->cond, g.cond_in, &go));
        if (!*g.go)
            break;
        KN_TRY(next(&g));
    }
    for (uint32_t i = 0; i < g.l->n; i++)
        copy(g.home[i], carry_at(&g, i), g.l->bytes[i]);
    return NULL;
}
