/* SPDX-License-Identifier: Apache-2.0
 * load.c -- a program made ready for a device that runs single steps: each step is offered to it, what it refuses is
 * made ready on the host, with the reason, and the copies between the two are planned. */
#include "base/log.h"
#include "device/steps/steps.h"

static void log_reasons(const knd_steps_loaded *l)
{
    const knc_program *p = l->head.program;
    for (uint32_t i = 0; knx_debug_level >= 1 && i < p->n_step; i++) {
        const kni_eqn *e = p->step[i].eqn < p->jaxpr->n_eqn ? &p->jaxpr->eqn[p->step[i].eqn] : NULL;
        if (!knd_is_there(l, i))
            KN_LOG(l->chosen ? 2 : 1, "device %s: step %u of %s (%s%s%s) runs on the host: %s", l->head.device->name,
                   (unsigned)i, p->jaxpr->name, e ? e->prim->name : "copy", e && e->place ? ", " : "",
                   e && e->place ? e->place->file : "", l->reason[i]);
    }
}

static bool same_memory(const knc_ref *a, const knc_ref *b)
{
    bool one = a->space == KNC_AT_WORK || a->space == KNC_AT_BLOCK; /* a workspace, the blocks of a band */
    return a->space == b->space && (one || a->index == b->index);
}

/* What a device has to bind: a memory counts once; literals are numbers. */
static int memories_of(const knc_step *s)
{
    int n = 0;
    for (uint32_t r = 0; r < s->n_ref; r++) {
        bool again = s->ref[r].space == KNC_AT_LITERAL;
        for (uint32_t k = 0; k < r && !again; k++)
            again = same_memory(&s->ref[k], &s->ref[r]);
        n += !again;
    }
    return n;
}

/* Why no kernel of the target can be this one; NULL: it can. in_blocks: it runs for some of its points at a time. */
static const char *unfit(const knc_target *t, const knc_step *s, bool in_blocks)
{
    const knk_kernel *k = s->u.k.kernel;
    double most = 1;
    if (memories_of(s) > t->max_buffers)
        return "the kernel has more buffers than the device";
    for (int b = 0; b < k->n_buffer; b++)
        if (!knc_target_has(t, k->buffer[b].dtype))
            return "the device has no memory of such a dtype";
    for (int i = 0; i < k->n_node; i++)
        if (!knc_target_has(t, k->node[i].dtype))
            return "the device does not compute in such a dtype";
    for (int l = 0; l < k->n_par && !in_blocks; l++)
        most *= (double)s->u.k.par[l];
    for (uint32_t r = 0; r < s->n_ref; r++)
        most = (double)s->ref[r].bytes > most ? (double)s->ref[r].bytes : most;
    bool reaches = t->index_bits >= 64 || most < (double)(INT64_C(1) << (t->index_bits - 1));
    return reaches ? NULL : "the device's positions have too few bits";
}

/* ---- Programs inside of steps: loops and branches are run by this folder, so that the device sees their steps. */

/* Has the program a step that is worth keeping it on the device? */
static bool works(const knd_steps_loaded *l)
{
    for (uint32_t i = 0; i < l->head.program->n_step; i++)
        if (knd_is_there(l, i) && l->head.program->step[i].kind != KNC_COPY)
            return true;
    return false;
}

static void release_inside(const knc_step *s, knd_loaded **inside)
{
    for (uint32_t k = 0; inside && k < knc_n_inside(s); k++)
        knd_release(inside[k]);
}

static const char nothing_inside[] = "no step inside of it runs on the device";

/* A loop whose turns the device may make by itself: all steps are its, and nobody looks at one. */
static bool is_its_own(const knd_steps_loaded *l, uint32_t i)
{
    const knc_step *s = &l->head.program->step[i];
    if (s->kind != KNC_LOOP || s->u.r.loop->path == KN_PATH_STEPWISE || s->u.r.loop->on_step)
        return false;
    for (uint32_t q = 0; q < knc_n_inside(s); q++) {
        const knd_steps_loaded *in = (const knd_steps_loaded *)l->inside[i][q];
        for (uint32_t k = 0; k < in->head.program->n_step; k++)
            if (!knd_is_there(in, k))
                return false;
        if (in->looks || in->any_check)
            return false;
    }
    return true;
}

static knx_error *prepare_turns(knd_steps_loaded *l, uint32_t i)
{
    const knd_device *d = l->head.device;
    if (!d->loops || !is_its_own(l, i))
        return NULL;
    return d->loops->prepare(d, l->head.program, &l->head.program->step[i], &l->prepared[i]);
}

/* Loads the programs; if none of their steps runs on the device the whole step belongs to the host. */
static knx_error *load_inside(knd_steps_loaded *l, uint32_t i)
{
    const knc_step *s = &l->head.program->step[i];
    uint32_t n = knc_n_inside(s);
    bool any = false;
    l->inside[i] = knx_arena_zero(&l->arena, (n + 1) * sizeof *l->inside[i]);
    if (!l->inside[i])
        return knx_error_nomem();
    for (uint32_t k = 0; k < n; k++) {
        KN_TRY(knd_steps_load(l->head.device, knc_inner_program(s, k), &l->inside[i][k]));
        const knd_steps_loaded *q = (const knd_steps_loaded *)l->inside[i][k];
        any |= works(q);
        l->head.bytes += q->head.bytes;
        l->looks |= q->looks;
        l->waits |= q->waits;
        l->any_check |= q->any_check;
    }
    l->looks |= s->kind == KNC_BRANCH;
    l->waits |= s->kind == KNC_LOOP && s->u.r.loop->cond;
    if (any)
        return prepare_turns(l, i);
    l->reason[i] = nothing_inside;
    release_inside(s, l->inside[i]);
    l->inside[i] = NULL;
    return NULL;
}

/* The same without loading anything. */
static bool any_inside(const knd_device *d, const knc_step *s)
{
    for (uint32_t k = 0; k < knc_n_inside(s); k++) {
        const knc_program *q = knc_inner_program(s, k);
        for (uint32_t i = 0; i < q->n_step; i++)
            if (q->step[i].kind != KNC_COPY && !knd_steps_refusal(d, q, &q->step[i], NULL))
                return true;
    }
    return false;
}

/* A band has no step that the device has not. */
static const char *unfit_band(const knc_target *t, const knc_band *band)
{
    const char *reason = NULL;
    for (uint32_t i = 0; i < band->n_step && !reason; i++)
        if (band->step[i].step.kind == KNC_KERNEL)
            reason = unfit(t, &band->step[i].step, true);
    return reason;
}

const char *knd_steps_refusal(const knd_device *d, const knc_program *p, const knc_step *s, knx_arena *arena)
{
    if (knc_n_inside(s))
        return any_inside(d, s) ? NULL : nothing_inside;
    const char *reason = knc_is_kernel(s)      ? unfit(d->target(d), s, false)
                         : s->kind == KNC_BAND ? unfit_band(d->target(d), s->u.band)
                                               : NULL;
    if (reason)
        return reason;
    knd_lock(); /* the device may overwrite its text when it is asked again */
    reason = d->refuses(d, p, s);
    const char *own = reason && arena ? knx_arena_string(arena, reason) : NULL;
    knd_unlock();
    return !reason ? NULL : own ? own : "it refuses";
}

/* Loops and branches find literals in the device's memory, as they find all that they are given. */
static knx_error *send_literals(knd_steps_loaded *l)
{
    const knd_device *d = l->head.device;
    const kni_jaxpr *j = l->head.program->jaxpr;
    size_t unit = d->target(d)->alignment;
    bool any = false;
    for (uint32_t i = 0; i < l->head.program->n_step; i++)
        any |= l->inside[i] != NULL;
    if (!any || !j->n_literal)
        return NULL;
    KN_TRY(knd_alloc(d, j->n_literal * unit, &l->literals));
    l->literal_bytes = j->n_literal * unit;
    for (uint32_t i = 0; i < j->n_literal; i++)
        KN_TRY(knd_copy_in(d, l->literals, i * unit, &j->literal[i].bits, sizeof j->literal[i].bits));
    return NULL;
}

/* ---- */

static bool can_fail(const knc_program *p, const knc_step *s)
{
    const kni_eqn *e = &p->jaxpr->eqn[s->eqn];
    return kni_can_fail(e->prim, s->u.r.params ? s->u.r.params : e->params);
}

/* ---- Small work for the host: if what a step makes of a few bytes is wanted there, it is done there, and nobody has
 * to wait for the device. (An optimizer counts its steps, and 64-bit floats come from the count.) Where the device
 * wants it, too, it goes by value. */

static bool is_small(const knc_step *s)
{
    enum { SMALL = 16 };
    for (uint32_t r = 0; r < s->n_ref; r++)
        if (s->ref[r].bytes > SMALL)
            return false;
    return s->kind == KNC_KERNEL;
}

static bool same_value(const knc_ref *a, const knc_ref *b)
{
    bool apart = a->first + a->bytes <= b->first || b->first + b->bytes <= a->first;
    return a->space != KNC_AT_LITERAL && a->space == b->space && !apart &&
           (a->space == KNC_AT_WORK || a->index == b->index);
}

static bool reads_of(const knc_step *s, const knc_step *from)
{
    for (uint32_t r = 0; r < s->n_ref; r++)
        for (uint32_t k = 0; k < from->n_ref && !knc_is_written(s, r); k++)
            if (knc_is_written(from, k) && same_value(&s->ref[r], &from->ref[k]))
                return true;
    return false;
}

static bool wanted_here(const knd_steps_loaded *l, uint32_t i)
{
    const knc_step *step = l->head.program->step;
    for (uint32_t k = i + 1; k < l->head.program->n_step; k++)
        if (l->reason[k] && reads_of(&step[k], &step[i]))
            return true;
    return false;
}

static void keep_small_work(knd_steps_loaded *l)
{
    static const char why[] = "the host wants what it makes of a few bytes";
    if (!l->head.device->by_value || l->chosen)
        return;
    for (uint32_t i = l->head.program->n_step; i-- > 0;)
        if (!l->reason[i] && is_small(&l->head.program->step[i]) && wanted_here(l, i))
            l->reason[i] = why;
}

/* ---- */

static void refuse_steps(knd_steps_loaded *l)
{
    const knc_program *p = l->head.program;
    for (uint32_t i = 0; i < p->n_step; i++)
        if (!l->reason[i] && !knc_n_inside(&p->step[i]))
            l->reason[i] = knd_steps_refusal(l->head.device, p, &p->step[i], &l->arena);
    keep_small_work(l);
}

static knx_error *prepare_step(knd_steps_loaded *l, uint32_t i)
{
    const knd_device *d = l->head.device;
    const knc_program *p = l->head.program;
    const knc_step *s = &p->step[i];
    if (l->reason[i])
        return NULL;
    if (knc_n_inside(s))
        return load_inside(l, i);
    l->checks[i] = d->begin_checks && s->kind == KNC_ROUTINE && can_fail(p, s);
    l->any_check |= l->checks[i];
    return d->prepare(d, p, s, &l->prepared[i]);
}

static knx_error *prepare_steps(knd_steps_loaded *l)
{
    bool host = false;
    refuse_steps(l);
    for (uint32_t i = 0; i < l->head.program->n_step; i++) {
        KN_TRY(prepare_step(l, i));
        host |= !knd_is_there(l, i);
    }
    l->looks |= host;
    KN_TRY(host ? knd_load(&knd_host, l->head.program, &l->host) : NULL);
    KN_TRY(send_literals(l));
    return knd_steps_plan(l);
}

knx_error *knd_steps_load_as(const knd_device *d, knc_program *p, const char *const *here, knd_loaded **out)
{
    knd_steps_loaded *l = knx_alloc_zero(sizeof *l);
    if (!l)
        return knx_error_nomem();
    l->head = (knd_loaded){.refs = 1, .device = d, .program = knc_retain(p)};
    l->chosen = here != NULL;
    l->prepared = knx_arena_zero(&l->arena, (p->n_step + 1) * sizeof *l->prepared);
    l->reason = knx_arena_zero(&l->arena, (p->n_step + 1) * sizeof *l->reason);
    l->inside = knx_arena_zero(&l->arena, (p->n_step + 1) * sizeof *l->inside);
    l->checks = knx_arena_zero(&l->arena, (p->n_step + 1) * sizeof *l->checks);
    for (uint32_t i = 0; here && l->reason && i < p->n_step; i++)
        l->reason[i] = here[i] ? knx_arena_string(&l->arena, here[i]) : NULL;
    knd_lock();
    knx_error *error = l->prepared && l->reason && l->inside && l->checks ? prepare_steps(l) : knx_error_nomem();
    knd_unlock();
    if (error) {
        knd_steps_unload(&l->head);
        knc_release(p);
        return error;
    }
    l->head.bytes += sizeof *l + l->arena.total + (l->host ? l->host->bytes : 0);
    log_reasons(l);
    *out = &l->head;
    return NULL;
}

knx_error *knd_steps_load(const knd_device *d, knc_program *p, knd_loaded **out)
{
    return knd_steps_load_as(d, p, NULL, out);
}

void knd_steps_unload(knd_loaded *loaded)
{
    knd_steps_loaded *l = (knd_steps_loaded *)loaded;
    const knd_device *d = l->head.device;
    knd_lock();
    for (uint32_t i = 0; l->prepared && l->inside && i < l->head.program->n_step; i++) {
        if (l->prepared[i])
            (l->inside[i] ? d->loops->discard : d->discard)(d, l->prepared[i]);
        release_inside(&l->head.program->step[i], l->inside[i]);
    }
    knd_free(d, l->literals, l->literal_bytes);
    knd_unlock();
    knd_release(l->host);
    knx_arena_free(&l->arena);
    knx_free(l);
}

const char *knd_steps_reason(const knd_loaded *l, uint32_t i) { return ((const knd_steps_loaded *)l)->reason[i]; }
