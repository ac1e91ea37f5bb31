/* SPDX-License-Identifier: Apache-2.0
 * nans.c -- running programs while the context checks for NaNs: what an observer finds is reported and changes
 * nothing. */
#include "array/state.h"

typedef struct findings {
    const knd_observer *look;
    const kna_node *node; /* that is run alone; NULL: a recorded function */
    knx_error *first;
} findings;

static knx_error *after(void *env, const kni_eqn *e, int n_in, const void *const *x, const kni_type *xt, int n_out,
                        const void *const *y, const kni_type *yt)
{
    findings *f = env;
    if (f->first)
        return NULL;
    knx_error *error = f->look->after(f->look->env, e, n_in, x, xt, n_out, y, yt);
    f->first = error;
    if (!error || atomic_load(&error->refs) < 0)
        return NULL;
    bool own = f->node && f->node->prim == e->prim; /* its plan may be another line's too */
    error->place = own && f->node->place ? f->node->place : e->place;
    if (f->node && f->node->operation)
        error->operation = f->node->operation;
    return NULL;
}

KNX_HOT const knd_device *kna_device(void) { return knx_context()->check_nans ? &knd_host : knd_default(); }

knx_error *kna_run_checked(const knd_loaded *p, const kna_node *node, const knd_operand *in, knx_buffer **out)
{
    findings f = {knd_nan_observer(true, true), node, NULL};
    knd_observer observer = {after, &f};
    knx_error *error = knd_run_observed(p, in, out, NULL, &observer);
    if (!error)
        knx_report(f.first);
    knx_error_release(f.first);
    return error;
}
