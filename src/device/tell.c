/* SPDX-License-Identifier: Apache-2.0
 * tell.c -- a step that somebody wants to hear of: what it is, and how long it took. */
#include "base/clock.h"
#include "base/context.h"
#include "compile/step.h"
#include "device/device.h"
#include <stdio.h>

_Static_assert((int)KN_STEP_KERNEL == KNC_KERNEL && (int)KN_STEP_ROUTINE == KNC_ROUTINE &&
                   (int)KN_STEP_COPY == KNC_COPY && (int)KN_STEP_LOOP == KNC_LOOP &&
                   (int)KN_STEP_PRODUCT == KNC_PRODUCT && (int)KN_STEP_BAND == KNC_BAND &&
                   (int)KN_STEP_BRANCH == KNC_BRANCH,
               "a hook sees the kinds of steps");

/* Other threads may ask what this context runs. Returns whether it ran another step already, which is in *around. */
static bool show(const kn_step *step, const char *file, kn_running_step *around)
{
    kn_context c = knx_context();
    if (!c || !c->watching)
        return false;
    kn_running_step now = {.size_ = sizeof now,
                           .kind = step->kind,
                           .support = step->support,
                           .group = step->group,
                           .elements = step->elements,
                           .seconds = step->seconds,
                           .file = file,
                           .first_line = step->first_line,
                           .last_line = step->last_line};
    snprintf(now.device, sizeof now.device, "%s", step->device);
    snprintf(now.program, sizeof now.program, "%s", step->program);
    snprintf(now.operations, sizeof now.operations, "%s", step->operations);
    knx_spin_lock(&c->watch_lock);
    bool any = c->is_running;
    *around = c->running;
    c->running = now;
    c->is_running = true;
    knx_spin_unlock(&c->watch_lock);
    return any;
}

/* The step around it is what runs then; NULL: none. */
static void show_again(const kn_running_step *around)
{
    kn_context c = knx_context();
    if (!c || !c->watching)
        return;
    knx_spin_lock(&c->watch_lock);
    c->is_running = around != NULL;
    if (around)
        c->running = *around;
    knx_spin_unlock(&c->watch_lock);
}

knx_error *knd_tell_step(const knd_device *d, const knc_program *p, uint32_t i, int support, kn_step_hook hook,
                         void *hook_env, knx_error *(*run)(void *env), void *env)
{
    const knc_step *s = &p->step[i];
    knc_span span = knc_step_span(p, i);
    kn_step step = {.size_ = sizeof step,
                    .kind = knc_is_kernel(s) ? KNC_KERNEL : s->kind,
                    .program = p->jaxpr->name,
                    .elements = knc_step_elements(p, i),
                    .seconds = knx_seconds(),
                    .place = s->eqn < p->jaxpr->n_eqn ? p->jaxpr->eqn[s->eqn].place : NULL,
                    .group = (int64_t)(p->first_group + i),
                    .support = support,
                    .device = d->name,
                    .first_line = span.first,
                    .last_line = span.last};
    knx_text operations = {0};
    knc_step_operations(p, i, &operations);
    step.operations = operations.s;
    kn_running_step around;
    bool any = show(&step, span.file, &around);
    knx_error *error = run(env);
    show_again(any ? &around : NULL);
    KN_TRY(error);
    step.seconds = knx_seconds() - step.seconds;
    hook(hook_env, &step);
    return NULL;
}
