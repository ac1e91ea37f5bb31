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
        if (!l->prepared[i])
            KN_LOG(1, "device %s: step %u of %s (%s%s%s) runs on the host: %s", l->head.device->name, (unsigned)i,
                   p->jaxpr->name, e ? e->prim->name : "copy", e && e->place ? ", " : "",
                   e && e->place ? e->place->file : "", l->reason[i]);
    }
}

/* Why no kernel of the target can be this one; NULL: it can. */
static const char *unfit(const knc_target *t, const knc_step *s)
{
    const knk_kernel *k = s->u.k.kernel;
    double most = 1;
    if (k->n_buffer > t->max_buffers)
        return "the kernel has more buffers than the device";
    for (int b = 0; b < k->n_buffer; b++)
        if (!knc_target_has(t, k->buffer[b].dtype))
            return "the device has no memory of such a dtype";
    for (int i = 0; i < k->n_node; i++)
        if (!knc_target_has(t, k->node[i].dtype))
            return "the device does not compute in such a dtype";
    for (int l = 0; l < k->n_par; l++)
        most *= (double)s->u.k.par[l];
    for (uint32_t r = 0; r < s->n_ref; r++)
        most = (double)s->ref[r].bytes > most ? (double)s->ref[r].bytes : most;
    bool reaches = t->index_bits >= 64 || most < (double)(INT64_C(1) << (t->index_bits - 1));
    return reaches ? NULL : "the device's positions have too few bits";
}

static knx_error *prepare_steps(knd_steps_loaded *l)
{
    const knd_device *d = l->head.device;
    knc_program *p = l->head.program;
    bool host = false;
    for (uint32_t i = 0; i < p->n_step; i++) {
        const knc_step *s = &p->step[i];
        l->reason[i] = knc_is_kernel(s) ? unfit(d->target(d), s) : NULL;
        if (!l->reason[i])
            l->reason[i] = d->refuses(d, p, s);
        if (!l->reason[i])
            KN_TRY(d->prepare(d, p, &p->step[i], &l->prepared[i]));
        host |= l->reason[i] != NULL;
    }
    KN_TRY(host ? knd_load(&knd_host, p, &l->host) : NULL);
    return knd_steps_plan(l);
}

knx_error *knd_steps_load(const knd_device *d, knc_program *p, knd_loaded **out)
{
    knd_steps_loaded *l = knx_alloc_zero(sizeof *l);
    if (!l)
        return knx_error_nomem();
    l->head = (knd_loaded){.refs = 1, .device = d, .program = knc_retain(p)};
    l->prepared = knx_arena_zero(&l->arena, (p->n_step + 1) * sizeof *l->prepared);
    l->reason = knx_arena_zero(&l->arena, (p->n_step + 1) * sizeof *l->reason);
    knd_lock();
    knx_error *error = l->prepared && l->reason ? prepare_steps(l) : knx_error_nomem();
    knd_unlock();
    if (error) {
        knd_release(&l->head);
        return error;
    }
    l->head.bytes = sizeof *l + l->arena.total + (l->host ? l->host->bytes : 0);
    log_reasons(l);
    *out = &l->head;
    return NULL;
}

void knd_steps_unload(knd_loaded *loaded)
{
    knd_steps_loaded *l = (knd_steps_loaded *)loaded;
    const knd_device *d = l->head.device;
    knd_lock();
    for (uint32_t i = 0; l->prepared && i < l->head.program->n_step; i++)
        if (l->prepared[i])
            d->discard(d, l->prepared[i]);
    knd_unlock();
    knd_release(l->host);
    knx_arena_free(&l->arena);
    knx_free(l);
}

const char *knd_steps_reason(const knd_loaded *l, uint32_t i) { return ((const knd_steps_loaded *)l)->reason[i]; }
