/* SPDX-License-Identifier: Apache-2.0
 * provider.c -- a device made of a user's table. Each memory and each prepared step is in a list of its device, so that
 * all of it can be given back when the device goes, while programs and arrays still know of it. */
#include "base/context.h"
#include "device/offload/offload.h"
#include "device/provider/provider.h"
#include "device/steps/steps.h"
#include <stdio.h>
#include <string.h>

enum { SMALLEST = offsetof(kn_provider, error) + sizeof(void *) }; /* the first table there was */
enum { MOST = 512, NAME = 32, BUFFERS = 8, ALIGNMENT = 64, BITS = 64 };

struct knd_memory {
    void *theirs;
    bool gone; /* with its device */
    knd_memory *next, **link;
};

typedef struct prepared {
    kn_provider_step step;
    knd_described own;
    void *theirs;
    kn_provider_place *place;
    bool gone;
    struct prepared *next, **link;
} prepared;

/* Devices stay: programs that were made for one, and arrays that were put there, know its address, and another one must
 * not have that. */
typedef struct provided {
    knd_device device; /* comes first */
    struct provided *next;
    knc_target target;
    kn_provider table;
    char name[NAME];
    bool gone;
    knd_memory *memory;
    prepared *prepared;
} provided;
static provided *all; /* under the devices' lock */
static int n_all;

static provided *of(const knd_device *d) { return (provided *)(uintptr_t)d; }

/* ---- Errors. */

static knx_error *is_gone(const provided *x) { return knx_error_new(KN_ERROR_RUNTIME, "device '%s' is gone", x->name); }

/* What a function of the table returned. */
static knx_error *told(const provided *x, int status)
{
    knx_error *error = knd_take_error();
    if (!status || error) {
        if (!status)
            knx_error_release(error);
        return status ? error : NULL;
    }
    const char *why = x->table.error ? x->table.error(x->table.env) : NULL;
    return why ? knx_error_new(KN_ERROR_RUNTIME, "device '%s': %s", x->name, why)
               : knx_error_new(KN_ERROR_RUNTIME, "device '%s' is lost", x->name);
}

/* ---- Memory. */

static knx_error *alloc(const knd_device *d, size_t bytes, knd_memory **out)
{
    provided *x = of(d);
    *out = NULL;
    if (x->gone)
        return is_gone(x);
    knd_memory *m = knx_alloc_zero(sizeof *m);
    if (!m)
        return knx_error_nomem();
    if (x->table.alloc(x->table.env, bytes, &m->theirs)) {
        const char *why = x->table.error ? x->table.error(x->table.env) : NULL;
        knx_free(m);
        return knx_error_new(KN_ERROR_MEMORY, "device '%s' has no memory for %zu bytes%s%s", x->name, bytes,
                             why ? ": " : "", why ? why : "");
    }
    m->next = x->memory;
    m->link = &x->memory;
    if (m->next)
        m->next->link = &m->next;
    x->memory = m;
    *out = m;
    return NULL;
}

static void free_memory(const knd_device *d, knd_memory *m)
{
    provided *x = of(d);
    if (!m->gone)
        x->table.free(x->table.env, m->theirs);
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
    knx_free(m);
}

static knx_error *copy_in(const knd_device *d, knd_memory *to, size_t at, const void *from, size_t bytes)
{
    provided *x = of(d);
    return to->gone ? is_gone(x) : told(x, x->table.copy_in(x->table.env, to->theirs, at, from, bytes));
}

static knx_error *copy_out(const knd_device *d, void *to, knd_memory *from, size_t at, size_t bytes)
{
    provided *x = of(d);
    return from->gone ? is_gone(x) : told(x, x->table.copy_out(x->table.env, to, from->theirs, at, bytes));
}

static knx_error *copy(const knd_device *d, knd_memory *to, size_t to_at, knd_memory *from, size_t from_at,
                       size_t bytes)
{
    provided *x = of(d);
    if (to->gone || from->gone)
        return is_gone(x);
    return told(x, x->table.copy(x->table.env, to->theirs, to_at, from->theirs, from_at, bytes));
}

/* ---- Steps. */

static const char *refuses(const knd_device *d, const knc_program *p, const knc_step *s)
{
    provided *x = of(d);
    kn_provider_step step;
    knd_described own;
    if (x->gone)
        return "it is gone";
    if (s->kind == KNC_BAND)
        return "it has no such steps";
    knx_error *error = knd_describe_step(p, s, &step, &own);
    const char *why = error ? "there is no memory to describe it" : x->table.refuses(x->table.env, &step);
    knx_error_release(error);
    knd_forget_step(&own);
    return why;
}

static void free_prepared(prepared *y)
{
    knd_forget_step(&y->own);
    knx_free(y->place);
    knx_free(y);
}

static knx_error *prepare(const knd_device *d, const knc_program *p, const knc_step *s, void **out)
{
    provided *x = of(d);
    prepared *y = knx_alloc_zero(sizeof *y);
    if (!y)
        return knx_error_nomem();
    knx_error *error = knd_describe_step(p, s, &y->step, &y->own);
    y->place = knx_alloc((s->n_ref + 1) * sizeof *y->place);
    if (!error && !y->place)
        error = knx_error_nomem();
    if (!error && x->table.prepare)
        error = told(x, x->table.prepare(x->table.env, &y->step, &y->theirs));
    if (error) {
        free_prepared(y);
        return error;
    }
    y->next = x->prepared;
    y->link = &x->prepared;
    if (y->next)
        y->next->link = &y->next;
    x->prepared = y;
    *out = y;
    return NULL;
}

static void discard(const knd_device *d, void *made)
{
    provided *x = of(d);
    prepared *y = made;
    if (!y->gone && x->table.discard)
        x->table.discard(x->table.env, y->theirs);
    *y->link = y->next;
    if (y->next)
        y->next->link = y->link;
    free_prepared(y);
}

static knx_error *launch(const knd_device *d, void *made, const knd_place *at)
{
    provided *x = of(d);
    prepared *y = made;
    if (y->gone)
        return is_gone(x);
    for (int i = 0; i < y->step.n; i++)
        y->place[i] = (kn_provider_place){
            .memory = at[i].memory ? at[i].memory->theirs : NULL, .offset = at[i].offset, .bits = at[i].bits};
    for (int i = 0; i < y->step.n; i++)
        if (at[i].memory && at[i].memory->gone)
            return is_gone(x);
    return told(x, x->table.launch(x->table.env, &y->step, y->theirs, y->place));
}

static knx_error *wait(const knd_device *d)
{
    provided *x = of(d);
    return x->gone ? is_gone(x) : x->table.wait ? told(x, x->table.wait(x->table.env)) : NULL;
}

static const knc_target *target(const knd_device *d) { return &of(d)->target; }

/* ---- Registration. */

static const char *missing(const kn_provider *p)
{
    return !p->alloc      ? "alloc"
           : !p->free     ? "free"
           : !p->copy_in  ? "copy_in"
           : !p->copy_out ? "copy_out"
           : !p->copy     ? "copy"
           : !p->refuses  ? "refuses"
           : !p->launch   ? "launch"
                          : NULL;
}

static knx_error *check(const kn_provider *p)
{
    if (!p->name || !*p->name || strlen(p->name) >= NAME)
        return knx_error_new(KN_ERROR_VALUE, "the name of a device has 1 to %d characters", NAME - 1);
    if (missing(p))
        return knx_error_new(KN_ERROR_TYPE, "the table of device '%s' lacks %s", p->name, missing(p));
    if (p->alignment && (p->alignment < ALIGNMENT || p->alignment > 1 << 20 || p->alignment & (p->alignment - 1)))
        return knx_error_new(KN_ERROR_VALUE, "the alignment of device '%s' is %d, not a power of 2 from %d on", p->name,
                             p->alignment, ALIGNMENT);
    if (p->max_buffers < 0 || (p->max_buffers && p->max_buffers < 2) || p->max_buffers > UINT16_MAX)
        return knx_error_new(KN_ERROR_VALUE, "kernels of device '%s' have %d buffers", p->name, p->max_buffers);
    if (p->index_bits && p->index_bits != 32 && p->index_bits != BITS)
        return knx_error_new(KN_ERROR_VALUE, "positions of device '%s' have %d bits, not 32 or 64", p->name,
                             p->index_bits);
    return NULL;
}

static knc_target target_of(const provided *x)
{
    const kn_provider *p = &x->table;
    return (knc_target){.name = x->name,
                        .dtypes = ~p->no_dtypes,
                        .index_bits = (uint8_t)(p->index_bits ? p->index_bits : BITS),
                        .max_buffers = (uint16_t)(p->max_buffers ? p->max_buffers : BUFFERS),
                        .alignment = (uint32_t)(p->alignment ? p->alignment : ALIGNMENT),
                        .first_cache = 32 << 10,
                        .second_cache = 1 << 20,
                        .ns_per_unit = 0.01};
}

static knx_error *make(const kn_provider *p)
{
    if (n_all == MOST)
        return knx_error_new(KN_ERROR_VALUE, "this process has registered %d devices, which are all that it can", MOST);
    provided *x = knx_alloc_zero(sizeof *x);
    if (!x)
        return knx_error_nomem();
    snprintf(x->name, sizeof x->name, "%s", p->name);
    x->table = *p;
    x->table.name = x->name;
    x->target = target_of(x);
    x->device = (knd_device){.name = x->name, KND_STEPS_TABLE};
    knx_error *error = knd_register(&x->device);
    if (error) {
        knx_free(x);
        return error;
    }
    x->next = all;
    all = x;
    n_all++;
    if (p->is_default)
        knd_set_default(&x->device);
    return NULL;
}

int kn_register_device(const kn_provider *provider)
{
    kn_provider p = {.size_ = sizeof p};
    knx_error *error = NULL;
    if (!provider || provider->size_ < SMALLEST)
        error = knx_error_new(KN_ERROR_TYPE, "the table is null, or its size_ is not set");
    else
        memcpy(&p, provider, provider->size_ < sizeof p ? provider->size_ : sizeof p);
    error = error ? error : check(&p);
    if (!error) {
        knd_lock();
        error = make(&p);
        knd_unlock();
    }
    if (!error)
        return 0;
    knx_report_new("register_device", error->kind, "%s", error->message);
    knx_error_release(error);
    return -1;
}

/* What is left are shells, for those who still know of them. */
static void let_go(provided *x)
{
    for (prepared *y = x->prepared; y; y = y->next) {
        if (x->table.discard)
            x->table.discard(x->table.env, y->theirs);
        y->gone = true;
    }
    for (knd_memory *m = x->memory; m; m = m->next) {
        x->table.free(x->table.env, m->theirs);
        m->gone = true;
    }
    x->gone = true;
    if (knd_auto_used() == &x->device)
        knd_auto_use(NULL);
    if (knd_default() == &x->device)
        knd_set_default(NULL);
    knd_unregister(&x->device);
    knd_forget_work(&x->device);
}

int kn_unregister_device(const char *name)
{
    knd_lock();
    provided *x = name ? all : NULL;
    while (x && (x->gone || strcmp(x->name, name) != 0))
        x = x->next;
    if (x)
        let_go(x);
    knd_unlock();
    if (x)
        return 0;
    knx_report_new("unregister_device", KN_ERROR_VALUE, "there is no registered device '%s'", name ? name : "");
    return -1;
}
