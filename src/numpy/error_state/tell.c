/* SPDX-License-Identifier: Apache-2.0
 * tell.c -- what an observed run finds, and what is done about it: at the end of the run, because the user's functions
 * may call Kiln, each line and function once, in the order in which they were found. An error ends the run. */
#include "base/log.h"
#include "numpy/error_state/error_state.h"
#include <stdio.h>
#include <string.h>

typedef struct finding {
    const kn_place *place; /* may be NULL */
    const char *name;
    unsigned state, events;
} finding;

typedef struct run {
    KN_VEC(finding) found;
} run;

static const char *const kinds[KNN_KINDS] = {"divide by zero", "overflow", "underflow", "invalid value"};

static unsigned wanted(unsigned state)
{
    unsigned kind = 0;
    for (int i = 0; i < KNN_KINDS; i++)
        kind |= knn_mode(state, i) != KNN_IGNORE ? 1u << i : 0;
    return kind;
}

static const kn_place *place(const kn_place *here, const char *operation)
{
    if (knn_place_is(here))
        return here;
    const knn_place *p = knn_place_make(here, operation, NULL, kna_state_get()->how.events, false);
    return p ? &p->place : here;
}

/* In place of kna_lazy_equation. */
knx_error *knn_told_equation(void *env, kni_builder *b, const kni_draft_eqn *e)
{
    kni_draft_eqn told = *e;
    told.place = place(e->place, knx_context()->operation);
    return kna_lazy_equation(env, b, &told);
}

static void *begin(void) { return knx_alloc_zero(sizeof(run)); }

static bool note(run *r, finding f)
{
    for (size_t i = 0; i < r->found.n; i++) {
        finding *old = &r->found.at[i];
        if (old->place == f.place && old->name == f.name && old->state == f.state) {
            old->events |= f.events;
            return true;
        }
    }
    return KN_VEC_PUSH(&r->found, f);
}

/* The kinds come in order: those in front of the first one that is to be raised are told. */
static knx_error *raised(finding *f)
{
    for (int i = 0; i < KNN_KINDS; i++)
        if ((f->events >> i & 1) && knn_mode(f->state, i) == KNN_RAISE) {
            f->events &= (1u << i) - 1;
            return knx_error_new(KN_ERROR_FLOATING_POINT, "%s encountered in %s", kinds[i], f->name);
        }
    return NULL;
}

static unsigned of_ufunc(const char *ufunc, const kni_eqn *e, unsigned want, int n, const void *const *x,
                         const kni_type *xt, const void *y, const kni_type *yt)
{
    if (knx_is_integer(yt->dtype))
        return knn_integer_events(ufunc, n, x, xt, kni_type_size(*yt));
    if (!strcmp(ufunc, "nextafter"))
        return knn_step_events(x, xt, y, yt);
    unsigned events = knn_events(e, e->prim->events, want | KNN_OVER, n, x, xt, y, yt);
    bool whole = !strcmp(ufunc, "floor_divide") || !strcmp(ufunc, "divmod");
    return events & KNN_OVER && whole && yt->dtype->size > 2 ? events | KNN_INVALID : events; /* what is left is NaN */
}

static knx_error *after(void *run_, const kna_node *node, const kni_eqn *e, int n_in, const void *const *x,
                        const kni_type *xt, int n_out, const void *const *y, const kni_type *yt)
{
    const kn_place *given = node && node->place ? node->place : e->place;
    const knn_place *p = e->prim->events ? knn_place_is(given) : NULL;
    if (!p || p->quiet || !y[0] || n_in > 4)
        return NULL;
    finding f = {.place = p->from, .state = p->state};
    const char *ufunc = p->ufunc;
    unsigned want = wanted(f.state);
    int first = e->prim == &knn_prim_ufunc;
    bool scalars = true;
    for (int i = 0; i < n_in; i++)
        scalars &= xt[i].ndim == 0;
    (void)n_out;
    f.events = want & (first ? of_ufunc(ufunc, e, want, n_in - 1, x + 1, xt + 1, y[0], yt)
                             : knn_events(e, e->prim->events, want, n_in, x, xt, y[0], yt));
    f.name = f.events ? knn_event_name(e->prim, p->operation, ufunc, scalars) : NULL;
    if (!f.name)
        return NULL;
    knx_error *error = raised(&f);
    if (f.events && !note(run_, f) && !error)
        error = knx_error_nomem();
    return error;
}

/* ---- At the end. */

typedef struct call {
    const kn_errcall *to;
    const char *kind, *text;
    unsigned events;
} call;

static void call_user(void *c_)
{
    const call *c = c_;
    if (c->text)
        c->to->write(c->to->env, c->text);
    else
        c->to->call(c->to->env, c->kind, (int)c->events);
}

static knx_error *tell_kind(const finding *f, int kind)
{
    const kn_errcall to = knn_error_state_get()->call; /* a copy: the function may set another one */
    char text[256];
    call c = {.to = &to, .kind = kinds[kind], .events = f->events};
    snprintf(text, sizeof text, "Warning: %s encountered in %s\n", kinds[kind], f->name);
    switch (knn_mode(f->state, kind)) {
    case KNN_WARN:
        if (!knn_place_heard(f->place, f->name, kind)) {
            const char *file = f->place && f->place->file ? f->place->file : "?";
            knx_log_(0, "%s:%d: RuntimeWarning: %s encountered in %s", file, f->place ? f->place->line : 0, kinds[kind],
                     f->name);
        }
        return NULL;
    case KNN_PRINT: fputs(text, stderr); return NULL;
    case KNN_CALL:
        if (!to.call)
            return knx_error_new(KN_ERROR_NAME, "callback specified for %s (in %s) but no function found.", kinds[kind],
                                 f->name);
        return kna_call_user(call_user, &c);
    case KNN_LOG:
        if (!to.write)
            return knx_error_new(KN_ERROR_NAME, "log specified for %s (in %s) but no function with write found.",
                                 kinds[kind], f->name);
        c.text = text;
        return kna_call_user(call_user, &c);
    default: return NULL;
    }
}

static knx_error *end(void *run_, knx_error *error)
{
    run *r = run_;
    knx_error *own = NULL;
    for (size_t i = 0; i < r->found.n && !own; i++)
        for (int kind = 0; kind < KNN_KINDS && !own; kind++)
            if (r->found.at[i].events >> kind & 1) {
                own = tell_kind(&r->found.at[i], kind);
                own = knx_error_placed(own, r->found.at[i].place);
            }
    KN_VEC_FREE(&r->found);
    knx_free(r);
    if (own && error) {
        knx_error_release(error);
        error = NULL;
    }
    return own ? own : error;
}

static void drop(kna_watcher *w) { knx_free(w); }

knn_error_state *knn_error_state_get(void)
{
    kna_state *s = kna_state_get();
    knn_error_state *e = s && !s->watcher ? knx_alloc_zero(sizeof *e) : NULL;
    if (e) {
        e->watcher = (kna_watcher){place, begin, after, end, drop};
        s->watcher = &e->watcher;
    }
    return s ? (knn_error_state *)s->watcher : NULL;
}
