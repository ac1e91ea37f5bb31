/* SPDX-License-Identifier: Apache-2.0
 * watch.c -- running programs while equations are watched: NaNs that come from nowhere are reported, and events go to
 * the error state, which says whether one ends the run. Values do not change. */
#include "array/state.h"

typedef struct findings {
    const knd_observer *nans;   /* NULL: not looked for */
    const kna_watcher *watcher; /* NULL: no error state */
    void *run;                  /* the watcher's */
    const kna_node *node;       /* that is run alone; NULL: a recorded function */
    knx_error *first;           /* NaN */
} findings;

static knx_error *after(void *env, const kni_eqn *e, int n_in, const void *const *x, const kni_type *xt, int n_out,
                        const void *const *y, const kni_type *yt)
{
    findings *f = env;
    const kna_node *own = f->node && f->node->prim == e->prim ? f->node : NULL; /* its plan may be another line's too */
    if (f->nans && !f->first) {
        knx_error *error = f->nans->after(f->nans->env, e, n_in, x, xt, n_out, y, yt);
        f->first = error;
        if (error && atomic_load(&error->refs) >= 0) {
            error->place = own && own->place ? own->place : e->place;
            if (f->node && f->node->operation)
                error->operation = f->node->operation;
        }
    }
    return f->run ? f->watcher->after(f->run, own, e, n_in, x, xt, n_out, y, yt) : NULL;
}

knx_error *kna_run_checked(const knd_loaded *p, const kna_node *node, const knd_operand *in, knx_buffer **out)
{
    const kna_state *s = kna_state_get();
    unsigned watched = knx_context()->watched;
    findings f = {.nans = watched & KNX_WATCH_NANS ? knd_nan_observer(true, true) : NULL,
                  .watcher = s && watched & KNX_WATCH_EVENTS ? s->watcher : NULL,
                  .node = node};
    knd_observer observer = {after, &f};
    if (f.watcher && !(f.run = f.watcher->begin()))
        return knx_error_nomem();
    knx_error *error = knd_run_observed(p, in, out, NULL, &observer);
    if (!error)
        knx_report(f.first);
    knx_error_release(f.first);
    bool ran = !error;
    error = f.run ? f.watcher->end(f.run, error) : error;
    for (uint32_t k = 0; ran && error && k < (uint32_t)knc_n_outputs(p->program); k++) { /* what ran has raised */
        knx_buffer_release(out[k]);
        out[k] = NULL;
    }
    return error;
}
