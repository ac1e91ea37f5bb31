/* SPDX-License-Identifier: Apache-2.0
 * traffic.c -- what the devices of a mesh move when they run a program: each collective with its bytes, how often it
 * runs, and what that takes on a machine of which latency and bandwidth are known. */
#include "shard/shard.h"

typedef struct walk {
    const knshard_machine *machine;
    knx_str *text; /* NULL: no lines are wanted */
    knshard_traffic all;
} walk;

static double seconds_of(const knshard_machine *m, kni_moved moved)
{
    return moved.messages * m->latency + (m->bandwidth > 0 ? moved.bytes / m->bandwidth : 0);
}

static kni_moved moved_by(const kni_jaxpr *j, const kni_eqn *e)
{
    kni_type xt[2], yt[2];
    if (!e->prim->moves || e->n_in > 2 || e->n_out > 2)
        return (kni_moved){0};
    for (uint32_t k = 0; k < e->n_in; k++)
        xt[k] = kni_atom_type(j, e->in[k]);
    for (uint32_t k = 0; k < e->n_out; k++)
        yt[k] = j->type[e->out + k];
    const kni_rule r = kni_rule_of(e, xt, yt);
    return e->prim->moves(&r);
}

static void add_line(walk *w, const kni_jaxpr *j, const kni_eqn *e, kni_moved moved, double times)
{
    knx_text t = {0};
    kni_moved all = {moved.bytes * times, moved.messages * times, moved.devices};
    w->all.bytes += all.bytes;
    w->all.messages += all.messages;
    w->all.collectives += times;
    w->all.seconds += seconds_of(w->machine, all);
    if (!w->text)
        return;
    knx_str_printf(w->text, "%-15s %-18s %7lld %9.0f %14.0f %12.3f", e->prim->name,
                   kni_type_text(&t, kni_atom_type(j, e->in[0]), false), (long long)moved.devices, times, all.bytes,
                   1e3 * seconds_of(w->machine, all));
    if (e->place && e->place->file)
        knx_str_printf(w->text, "  %s:%d", e->place->file, e->place->line);
    knx_str_puts(w->text, "\n");
}

/* Turns of a loop that nobody knows count once. */
static double turns_of(const kni_eqn *e)
{
    return e->prim->loops == KN_LOOP_SCAN ? (double)((const kni_p_scan *)e->params)->length : 1;
}

static void walk_jaxpr(walk *w, const kni_jaxpr *j, double times)
{
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        kni_moved moved = moved_by(j, e);
        if (moved.bytes > 0 || moved.messages > 0)
            add_line(w, j, e, moved, times);
        for (const kni_param_field *f = e->params ? e->prim->fields : NULL; f && f->name; f++) {
            kni_jaxprs bodies = kni_field_jaxprs(f, e->params);
            for (int b = 0; b < bodies.n; b++)
                walk_jaxpr(w, bodies.v[b], times * turns_of(e));
        }
    }
}

knshard_traffic knshard_traffic_of(const kni_jaxpr *local, const knshard_machine *m, char **text)
{
    knx_str s = {0};
    walk w = {.machine = m, .text = text ? &s : NULL};
    if (text)
        knx_str_printf(&s, "%-15s %-18s %7s %9s %14s %12s\n", "collective", "operand", "devices", "times",
                       "bytes received", "milliseconds");
    walk_jaxpr(&w, local, 1);
    if (text) {
        knx_str_printf(&s, "%-34s %17.0f %14.0f %12.3f\n", "all, for each device", w.all.collectives, w.all.bytes,
                       1e3 * w.all.seconds);
        *text = knx_str_take(&s);
    }
    return w.all;
}
