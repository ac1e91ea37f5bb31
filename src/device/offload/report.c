/* SPDX-License-Identifier: Apache-2.0
 * report.c -- decisions: which placement is taken, and what people are told of it. The last ones are kept. */
#include "base/context.h"
#include "base/log.h"
#include "base/str.h"
#include "device/offload/offload.h"
#include <stdio.h>
#include <string.h>

enum { KEPT = 512 };
static knx_spin lock;
static kn_offload_decision kept[KEPT];
static uint64_t made; /* in all */

/* ---- Taking one. */

enum { TENTHS_OF_PERCENT = 50 }; /* another placement has to be faster by so much */

knx_error *knd_decide(const knd_graph *g, const kn_offload_costs *c, const uint8_t *where, const bool *before,
                      bool *there)
{
    knx_arena arena = KN_ARENA_INIT;
    bool *now = knx_arena_zero(&arena, g->n_step + 1);
    knx_error *error = now ? knd_place_steps(g, c, where, there) : knx_error_nomem();
    if (!error) {
        if (before)
            memcpy(now, before, g->n_step);
        if (knd_run_seconds(g, c, where, there) > (1 - TENTHS_OF_PERCENT / 1e3) * knd_run_seconds(g, c, where, now))
            memcpy(there, now, g->n_step);
    }
    knx_arena_free(&arena);
    return error;
}

/* ---- Saying why. */

static const char *unit_of(double *seconds)
{
    static const char *const unit[] = {"s", "ms", "us", "ns"};
    int i = 0;
    while (i < 3 && *seconds < 1) {
        *seconds *= 1e3;
        i++;
    }
    return unit[i];
}

void knd_say_reason(const knd_graph *g, const char *device, uint32_t i, bool there, char *out, size_t room)
{
    double here_s = g->seconds[i][0], there_s = g->seconds[i][1];
    const char *here_unit = unit_of(&here_s), *there_unit = unit_of(&there_s);
    const char *why =
        there ? (g->seconds[i][1] < g->seconds[i][0] ? "faster there" : "copies would cost more than it loses there")
        : g->refusal[i]                       ? g->refusal[i]
        : g->seconds[i][1] < g->seconds[i][0] ? "copies would cost more than it gains"
                                              : "faster on the host";
    if (g->refusal[i])
        snprintf(out, room, "%s (%.3g %s on the host)", why, here_s, here_unit);
    else
        snprintf(out, room, "%s (%.3g %s on the host, %.3g %s on %s)", why, here_s, here_unit, there_s, there_unit,
                 device);
}

static void keep(const kn_offload_decision *d)
{
    knx_spin_lock(&lock);
    kept[made++ % KEPT] = *d;
    knx_spin_unlock(&lock);
}

knx_error *knd_note(const knd_device *d, const kn_offload_costs *c, const knc_program *p, const knd_graph *g,
                    const uint8_t *where, const bool *there, knx_arena *arena, const char **reason)
{
    double total = knd_run_seconds(g, c, where, there), steps = 0;
    for (uint32_t i = 0; i < g->n_step; i++)
        steps += g->seconds[i][there[i]];
    for (uint32_t i = 0; i < g->n_step; i++) {
        kn_offload_decision x = {.group = (int64_t)(p->first_group + i),
                                 .elements = knc_step_elements(p, i),
                                 .there = there[i],
                                 .seconds_here = g->seconds[i][0],
                                 .seconds_there = g->refusal[i] ? -1 : g->seconds[i][1],
                                 .seconds_copies = total > steps ? total - steps : 0, /* both may be infinite */
                                 .seconds_program = total};
        knx_text operations = {0};
        knc_step_operations(p, i, &operations);
        snprintf(x.program, sizeof x.program, "%s", p->jaxpr->name);
        snprintf(x.operations, sizeof x.operations, "%.95s", operations.s);
        snprintf(x.device, sizeof x.device, "%s", there[i] ? d->name : knd_host.name);
        knd_say_reason(g, d->name, i, there[i], x.reason, sizeof x.reason);
        reason[i] = knx_arena_string(arena, x.reason);
        if (!reason[i])
            return knx_error_nomem();
        KN_LOG(1, "offload: step %u of %s (%s, %lld elements) on %s: %s", (unsigned)i, *x.program ? x.program : "-",
               x.operations, (long long)x.elements, x.device, x.reason);
        keep(&x);
    }
    return NULL;
}

/* ---- For users. */

int kn_offload_decisions(int n, kn_offload_decision *out)
{
    knx_spin_lock(&lock);
    int have = made < KEPT ? (int)made : KEPT, some = n < have ? n : have;
    for (int i = 0; out && i < some; i++)
        out[i] = kept[(made - (uint64_t)some + (uint64_t)i) % KEPT];
    knx_spin_unlock(&lock);
    return have;
}

void kn_offload_forget(void)
{
    knx_spin_lock(&lock);
    made = 0;
    knx_spin_unlock(&lock);
}

static void add_decision(knx_str *s, const kn_offload_decision *x)
{
    knx_str_printf(s, "%-10s %-24.24s %12lld  %s\n", x->device, *x->operations ? x->operations : "copy",
                   (long long)x->elements, x->reason);
}

knx_error *knd_report(char **out)
{
    knx_str s = {0};
    kn_offload_decision *all = knx_alloc(KEPT * sizeof *all);
    if (!all)
        return knx_error_nomem();
    int n = kn_offload_decisions(KEPT, all);
    for (int i = 0; i < n; i++) {
        bool begins = !i || strcmp(all[i].program, all[i - 1].program) != 0 || all[i].group != all[i - 1].group + 1;
        double total = all[i].seconds_program * 1e6, copies = all[i].seconds_copies * 1e6;
        if (begins)
            knx_str_printf(&s, "program %s: %.3g us, of them copies %.3g us\n", *all[i].program ? all[i].program : "-",
                           total, copies);
        add_decision(&s, &all[i]);
    }
    if (!n)
        knx_str_puts(&s, "nothing was decided\n");
    knx_free(all);
    *out = knx_str_take(&s);
    return *out ? NULL : knx_error_nomem();
}
