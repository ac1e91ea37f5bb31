/* SPDX-License-Identifier: Apache-2.0
 * variants.c -- the programs of a function that was recorded with dimension variables. A variant is a program of
 * variables
 * and the conditions under which it holds; of it programs are made for the numbers of each call, and some are kept. */
#include "function/symbolic.h"
#include "base/log.h"
#include <string.h>

enum { MOST_INSTANCES = 32 };

typedef struct instance {
    knd_loaded *program;
    uint64_t used;
    int64_t value[KNF_MAX_DIM_VARS];
} instance;

typedef struct knf_variant {
    struct knf_variant *next;
    const knd_device *device;
    knc_program *program;
    knx_dim_conditions conditions;
    int n;
    knx_dim_var var[KNF_MAX_DIM_VARS];
    uint64_t clock;
    int n_instance;
    instance instance[MOST_INSTANCES];
} knf_variant;

void knf_variants_free(knf_entry *e)
{
    for (knf_variant *v = e->variant, *next; v; v = next) {
        next = v->next;
        for (int i = 0; i < v->n_instance; i++)
            knd_release(v->instance[i].program);
        knc_release(v->program);
        knx_dim_conditions_free(&v->conditions);
        knx_free(v);
    }
    e->variant = NULL;
}

size_t knf_variants_bytes(const knf_entry *e)
{
    size_t bytes = 0;
    for (const knf_variant *v = e->variant; v; v = v->next) {
        bytes += sizeof *v + knc_bytes(v->program, e->closed.jaxpr) + knx_dim_conditions_bytes(&v->conditions);
        for (int i = 0; i < v->n_instance; i++)
            bytes += knd_bytes(v->instance[i].program, e->closed.jaxpr);
    }
    return bytes;
}

/* The numbers of the variant's variables; false: the call has not all of them. */
static bool numbers(const knf_variant *v, const knf_dims *dims, int64_t *value)
{
    for (int i = 0; i < v->n; i++) {
        int k = 0;
        while (k < dims->n && dims->value[k].var != v->var[i])
            k++;
        if (k == dims->n)
            return false;
        value[i] = dims->value[k].value;
    }
    return true;
}

static knx_error *new_variant(knf_entry *e, const knf_dims *dims, knf_variant **out)
{
    knx_dim_scope *scope = knf_symbolic_scope(e->core);
    knf_variant *v = knx_alloc_zero(sizeof *v);
    knx_error *error = v ? NULL : knx_error_nomem();
    scope->sample.n = scope->guard.n = 0;
    for (int i = 0; !error && i < dims->n; i++) {
        if (!knx_dim_sample(scope, dims->value[i].var, dims->value[i].value))
            error = knx_error_nomem();
        v->var[i] = dims->value[i].var;
    }
    if (!error) {
        v->device = kna_device();
        v->n = dims->n;
        const knc_compile_options o = {.target = v->device->target(v->device),
                                       .kernels = kna_state_get()->caches->kernels,
                                       .fuse = true,
                                       .donated = e->donated};
        scope->assumes = true;
        knx_dim_enter(scope);
        error = knc_compile(e->closed.jaxpr, &o, &v->program);
        knx_dim_leave(scope);
        scope->assumes = false;
        knx_error *refused = knx_dim_take_error(scope);
        error = error ? (knx_error_release(refused), error) : refused;
    }
    if (!error && !knx_dim_conditions_of(scope, &v->conditions))
        error = knx_error_nomem();
    if (error) {
        if (v)
            knc_release(v->program);
        knx_free(v);
        return error;
    }
    const kn_place *here = knx_context()->here;
    KN_LOG(1, "jit: %s:%d: %s is compiled for all extents that meet %zu conditions", here ? here->file : "?",
           here ? here->line : 0, e->closed.jaxpr->name, v->conditions.n);
    v->next = e->variant;
    e->variant = v;
    *out = v;
    return NULL;
}

static knx_error *variant_for(knf_entry *e, const knf_dims *dims, int64_t *value, knf_variant **out)
{
    for (knf_variant *v = e->variant; v; v = v->next)
        if (v->device == kna_device() && numbers(v, dims, value) && knx_dim_conditions_hold(&v->conditions, value)) {
            *out = v;
            return NULL;
        }
    KN_TRY(new_variant(e, dims, out));
    numbers(*out, dims, value);
    return NULL;
}

static knx_error *make_instance(const knf_variant *v, const knf_dims *dims, knd_loaded **out)
{
    knc_program *p = NULL;
    if (!knc_has_variables(v->program))
        return knd_load(v->device, v->program, out);
    KN_TRY(knc_instantiate(v->program, dims->n, dims->value, v->device->target(v->device)->alignment, &p));
    knx_error *error = knd_load(v->device, p, out);
    knc_release(p);
    return error;
}

knx_error *knf_variant_program(knf_entry *e, const knf_dims *dims, bool *fresh, knd_loaded **out)
{
    int64_t value[KNF_MAX_DIM_VARS] = {0};
    knf_variant *v;
    *out = NULL;
    *fresh = false;
    KN_TRY(variant_for(e, dims, value, &v));
    instance *oldest = &v->instance[0];
    for (int i = 0; i < v->n_instance; i++) {
        instance *x = &v->instance[i];
        oldest = x->used < oldest->used ? x : oldest;
        if (memcmp(x->value, value, (size_t)v->n * sizeof *value) != 0)
            continue;
        x->used = ++v->clock;
        *out = knd_retain(x->program);
        return NULL;
    }
    KN_TRY(make_instance(v, dims, out));
    *fresh = true;
    if (v->n_instance < MOST_INSTANCES)
        oldest = &v->instance[v->n_instance++];
    else
        knd_release(oldest->program);
    *oldest = (instance){.program = knd_retain(*out), .used = ++v->clock};
    memcpy(oldest->value, value, (size_t)v->n * sizeof *value);
    return NULL;
}
