/* SPDX-License-Identifier: Apache-2.0
 * mark.c -- where the steps of a program run, for its text and its drawing. */
#include "device/offload/offload.h"
#include "device/steps/steps.h"
#include <stdio.h>
#include <string.h>

enum { ROOM = 192 };

static knx_error *mark_step(knc_program *p, const char **where, uint32_t i, const char *device, const char *reason)
{
    char text[ROOM];
    snprintf(text, sizeof text, reason ? "%s (%s)" : "%s", device, reason);
    where[i] = knx_arena_string(&p->arena, text);
    return where[i] ? NULL : knx_error_nomem();
}

/* A device that runs what it can. */
static knx_error *mark_plain(const knd_device *d, knc_program *p, const char **where)
{
    for (uint32_t i = 0; i < p->n_step; i++) {
        const char *refusal = knd_steps_refusal(d, p, &p->step[i], &p->arena);
        KN_TRY(mark_step(p, where, i, refusal ? knd_host.name : d->name, refusal));
    }
    return NULL;
}

static knx_error *mark_auto(const knd_device *d, knc_program *p, const char **where)
{
    knx_arena arena = KN_ARENA_INIT;
    kn_offload_costs costs;
    knd_graph g;
    char reason[ROOM / 2];
    knx_error *error = knd_costs_of(d, &costs);
    error = error ? error : knd_make_graph(d, &costs, p, &arena, &g);
    uint8_t *lie = knx_arena_alloc(&arena, p->n_operand + 1);
    bool *there = knx_arena_zero(&arena, p->n_step + 1);
    if (!error && lie && there) {
        memset(lie, KND_HERE, p->n_operand);
        error = knd_decide(&g, &costs, lie, NULL, there);
    } else if (!error) {
        error = knx_error_nomem();
    }
    for (uint32_t i = 0; !error && i < p->n_step; i++) {
        knd_say_reason(&g, d->name, i, there[i], reason, sizeof reason);
        error = mark_step(p, where, i, there[i] ? d->name : knd_host.name, reason);
    }
    knx_arena_free(&arena);
    return error;
}

knx_error *knd_mark(const knd_device *d, knc_program *p)
{
    const knd_device *worker = d == &knd_auto ? knd_auto_used() : d;
    if (worker == &knd_host || !worker->refuses || knc_has_variables(p))
        return NULL;
    const char **where = knx_arena_zero(&p->arena, (p->n_step + 1) * sizeof *where);
    if (!where)
        return knx_error_nomem();
    KN_TRY(d == &knd_auto ? mark_auto(worker, p, where) : mark_plain(worker, p, where));
    p->where = where;
    return NULL;
}
