/* SPDX-License-Identifier: Apache-2.0
 * run.c -- programs on any device: compiled for it, loaded, counted, run. */
#include "device/device.h"
#include "compile/step.h"

knx_error *knd_load(const knd_device *d, knc_program *p, knd_loaded **out)
{
    *out = NULL;
    return d->load(d, p, out);
}

KNX_HOT knx_error *knd_instance(const knd_device *d, const knc_program *p, int n, const knx_dim_value *value,
                                knd_loaded **io)
{
    knd_loaded *l = *io;
    size_t unit = d->target(d)->alignment;
    knc_program *q = NULL;
    knx_error *error;
    *io = NULL;
    if (l && d->reload && atomic_load_explicit(&l->refs, memory_order_acquire) == 1 && knc_is_instance(l->program, p)) {
        error = knc_instantiate_again(l->program, n, value, unit);
        error = error ? error : d->reload(l);
        if (error)
            knd_release(l);
        else
            *io = l;
        return error;
    }
    knd_release(l);
    KN_TRY(knc_instantiate(p, n, value, unit, &q));
    error = knd_load(d, q, io);
    knc_release(q);
    return error;
}

knx_error *knd_compile(const knd_device *d, const kni_jaxpr *j, const knc_compile_options *o, knd_loaded **out)
{
    knc_compile_options mine = *o;
    knc_program *p = NULL;
    mine.target = d->target(d);
    *out = NULL;
    if (d->compile)
        return d->compile(d, j, &mine, out);
    KN_TRY(knc_compile(j, &mine, &p));
    knx_error *error = knd_load(d, p, out);
    knc_release(p);
    return error;
}

KNX_HOT knd_loaded *knd_retain(const knd_loaded *l)
{
    knd_loaded *mine = (knd_loaded *)(uintptr_t)l;
    if (l)
        atomic_fetch_add_explicit(&mine->refs, 1, memory_order_relaxed);
    return mine;
}

KNX_HOT void knd_release(knd_loaded *l)
{
    if (!l || atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1)
        return;
    knc_program *p = l->program; /* the device's part points into it */
    l->device->unload(l);
    knc_release(p);
}

size_t knd_bytes(const knd_loaded *l, const kni_jaxpr *counted)
{
    return __atomic_load_n(&l->bytes, __ATOMIC_RELAXED) + knc_bytes(l->program, counted);
}

KNX_HOT knx_error *knd_run_with(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o)
{
    uint32_t n = l->program->n_output;
    for (uint32_t k = 0; k < n; k++)
        out[k] = NULL;
    knx_error *error = l->device->run(l, in, out, o);
    for (uint32_t k = 0; error && k < n; k++) {
        knx_buffer_release(out[k]);
        out[k] = NULL;
    }
    return error;
}

knx_error *knd_run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, void *workspace)
{
    return knd_run_with(l, in, out, &(knd_options){.threads = 1, .workspace = workspace});
}
