/* SPDX-License-Identifier: Apache-2.0
 * recall.c -- the last calls of a function with dimension variables, by the shapes of their arrays: the numbers of the
 * variables and the program are found again without matching the shapes, asking the conditions, and looking for the
 * instance. */
#include "function/symbolic.h"
#include <string.h>

enum { CALLS = 8, MOST_AXES = 32 };

typedef struct call {
    uint64_t hash;
    knf_entry *entry;    /* NULL: none */
    knd_loaded *program; /* NULL: not known yet */
    knf_dims dims;
    int64_t dim[MOST_AXES]; /* of all arrays */
} call;
typedef struct knf_calls {
    call at[CALLS];
} knf_calls;

/* False: there are too many axes. */
static bool hash_of(const knf_core *f, const kni_type *in, const knd_device *device, uint64_t *hash)
{
    uint64_t h = (uint64_t)(uintptr_t)device;
    int axes = 0;
    for (int i = 0; i < f->n_captured + f->n_in; i++) {
        if ((axes += in[i].ndim) > MOST_AXES)
            return false;
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)in[i].dtype);
        for (int d = 0; d < in[i].ndim; d++)
            h = knx_hash_mix(h, (uint64_t)in[i].dim[d]);
    }
    *hash = h;
    return true;
}

static bool is_call(const call *c, const knf_core *f, const kni_type *in, const knd_device *device)
{
    const int64_t *dim = c->dim;
    for (int i = 0; i < f->n_captured + f->n_in; dim += in[i++].ndim) {
        if (c->entry->in[i].dtype != in[i].dtype || c->entry->in[i].ndim != in[i].ndim)
            return false;
        for (int d = 0; d < in[i].ndim; d++)
            if (dim[d] != in[i].dim[d])
                return false;
    }
    return c->program->device == device && knf_same_state(c->entry);
}

static void forget(call *c)
{
    knd_release(c->program);
    c->program = NULL;
    c->entry = NULL;
}

knf_entry *knf_recall(const knf_core *f, const kni_type *in, knf_dims *dims)
{
    uint64_t hash;
    dims->program = NULL;
    if (!f->calls || !hash_of(f, in, dims->device, &hash))
        return NULL;
    const call *c = &f->calls->at[hash % CALLS];
    if (c->hash != hash || !c->entry || !c->program || !is_call(c, f, in, dims->device))
        return NULL;
    dims->n = c->dims.n;
    memcpy(dims->value, c->dims.value, (size_t)dims->n * sizeof *dims->value);
    dims->program = c->program;
    return c->entry;
}

void knf_remember(knf_core *f, const kni_type *in, knf_entry *e, knf_dims *dims)
{
    uint64_t hash;
    if (!hash_of(f, in, dims->device, &hash))
        return; /* it is only found in the longer way */
    if (!f->calls) {
        if (!(f->calls = knx_alloc_zero(sizeof *f->calls)))
            return;
        knf_core_count(f, sizeof *f->calls);
    }
    call *c = &f->calls->at[hash % CALLS];
    forget(c);
    c->hash = hash;
    c->entry = e;
    c->dims.n = dims->n;
    c->dims.device = dims->device;
    memcpy(c->dims.value, dims->value, (size_t)dims->n * sizeof *dims->value);
    int64_t *dim = c->dim;
    for (int i = 0; i < f->n_captured + f->n_in; i++)
        for (int d = 0; d < in[i].ndim; d++)
            *dim++ = in[i].dim[d];
}

static bool same_numbers(const knf_dims *a, const knf_dims *b)
{
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++)
        same = a->value[i].var == b->value[i].var && a->value[i].value == b->value[i].value;
    return same;
}

void knf_remember_program(const knf_entry *e, const knf_dims *dims, const knd_loaded *p)
{
    for (int i = 0; e->core && e->core->calls && i < CALLS; i++) {
        call *c = &e->core->calls->at[i];
        if (c->entry == e && !c->program && c->dims.device == dims->device && same_numbers(&c->dims, dims))
            c->program = knd_retain(p);
    }
}

size_t knf_calls_bytes(const knf_entry *e)
{
    size_t bytes = 0;
    for (int i = 0; e->core && e->core->calls && i < CALLS; i++) {
        const call *c = &e->core->calls->at[i];
        if (c->entry == e && c->program && atomic_load_explicit(&c->program->refs, memory_order_relaxed) == 1)
            bytes += knd_bytes(c->program, e->closed.jaxpr);
    }
    return bytes;
}

void knf_forget_calls(knf_core *f, const knf_entry *e)
{
    for (int i = 0; f->calls && i < CALLS; i++)
        if (f->calls->at[i].entry && (!e || f->calls->at[i].entry == e))
            forget(&f->calls->at[i]);
    if (!e) {
        knx_free(f->calls);
        f->calls = NULL;
    }
}
