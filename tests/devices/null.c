/* SPDX-License-Identifier: Apache-2.0
 * null.c -- the null device: it loads every program and runs none; results are zeros on the host. */
#include "devices/devices.h"
#include "compile/step.h"
#include <string.h>

static const knc_target *said;

void null_target(const knc_target *t) { said = t; }

static const knc_target *target(const knd_device *d)
{
    (void)d;
    return said ? said : far_device.target(&far_device);
}

static knx_error *load(const knd_device *d, knc_program *p, knd_loaded **out)
{
    knd_loaded *l = knx_alloc_zero(sizeof *l);
    if (!l)
        return knx_error_nomem();
    *l = (knd_loaded){.refs = 1, .device = d, .program = knc_retain(p), .bytes = sizeof *l};
    *out = l;
    return NULL;
}

static void unload(knd_loaded *l) { knx_free(l); }

static knx_error *run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o)
{
    (void)in, (void)o;
    for (uint32_t k = 0; k < l->program->n_output; k++) {
        out[k] = knx_buffer_new(l->program->output[k].bytes);
        if (!out[k])
            return knx_error_nomem();
        memset(out[k]->data, 0, l->program->output[k].bytes);
    }
    return NULL;
}

const knd_device null_device = {.name = "null", .target = target, .load = load, .unload = unload, .run = run};
