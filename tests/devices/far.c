/* SPDX-License-Identifier: Apache-2.0
 * far.c -- the far devices. The memory of each is one reservation of addresses that can be touched while the device is
 * at work only: whoever takes a handle for an address, or keeps one, crashes. */
#include "devices/devices.h"
#include "device/host/run.h"
#include "device/offload/offload.h"
#include "device/steps/steps.h"
#include "ir/prim.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 256, MAX_BUFFERS = 8 };
static const size_t RESERVED = (size_t)1 << (sizeof(size_t) > 4 ? 32 : 29);

struct knd_memory {
    size_t at, bytes; /* bytes: in whole units, at least one */
    knd_memory *next; /* in the order of `at` */
};

/* What one of them is at the moment. */
typedef struct far {
    char *region;
    knd_memory *all;
    far_faults faults;
    far_counts counts;
    bool lost;
    bool timed;
    kn_offload_costs costs;
    double seconds;
    bool gated, shut; /* turns of a loop are behind a gate, which is shut */
    int64_t passed;
} far;
static far fars[2] = {{.faults = {-1, -1, -1}}, {.faults = {-1, -1, -1}}};

static far *far_of(const knd_device *d) { return &fars[d == &far_second]; }

void far_fail_on(const knd_device *d, far_faults after) { far_of(d)->faults = after; }

void far_find_again_on(const knd_device *d)
{
    far_of(d)->faults = (far_faults){-1, -1, -1};
    far_of(d)->lost = false;
}

far_counts far_count_on(const knd_device *d)
{
    far_counts c = far_of(d)->counts;
    c.live = 0;
    for (const knd_memory *m = far_of(d)->all; m; m = m->next)
        c.live++;
    return c;
}

void far_forget_on(const knd_device *d) { far_of(d)->counts = (far_counts){0}; }

void far_clock_on(const knd_device *d, const kn_offload_costs *costs)
{
    far *f = far_of(d);
    f->timed = costs != NULL;
    f->seconds = 0;
    if (costs)
        f->costs = *costs;
}

double far_seconds_on(const knd_device *d) { return far_of(d)->seconds; }

static knx_error *is_lost(const knd_device *d)
{
    return knx_error_new(KN_ERROR_RUNTIME, "device '%s' is lost", d->name);
}

/* Does this go wrong? */
static bool fails(int64_t *left)
{
    if (*left < 0)
        return false;
    if (*left > 0) {
        --*left;
        return false;
    }
    return true;
}

static void open_region(const far *f, bool open)
{
    if (mprotect(f->region, RESERVED, open ? PROT_READ | PROT_WRITE : PROT_NONE))
        abort();
}

/* ---- Memory: the lowest place that is free. */

static knx_error *alloc(const knd_device *d, size_t bytes, knd_memory **out)
{
    size_t units = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT, at = 0;
    far *f = far_of(d);
    *out = NULL;
    if (f->lost)
        return is_lost(d);
    if (!f->region) {
        f->region = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (f->region == MAP_FAILED)
            abort();
    }
    knd_memory **m = &f->all;
    for (; *m && (*m)->at - at < units; m = &(*m)->next)
        at = (*m)->at + (*m)->bytes;
    if (fails(&f->faults.allocations) || at > RESERVED || units > RESERVED - at)
        return knx_error_new(KN_ERROR_MEMORY, "device '%s' has no memory for %zu bytes", d->name, bytes);
    knd_memory *fresh = malloc(sizeof *fresh); /* not counted: it is the device's, not the library's */
    if (!fresh)
        abort();
    *fresh = (knd_memory){at, units, *m};
    *m = fresh;
    f->counts.allocations++;
    *out = fresh;
    return NULL;
}

static void free_memory(const knd_device *d, knd_memory *m)
{
    knd_memory **at = &far_of(d)->all;
    while (*at && *at != m)
        at = &(*at)->next;
    if (!*at)
        abort(); /* given back twice, or another device's */
    *at = m->next;
    free(m);
}

static knx_error *check_copy(const knd_device *d, const knd_memory *m, size_t at, size_t bytes)
{
    far *f = far_of(d);
    if (!f->lost && fails(&f->faults.copies))
        f->lost = true;
    if (f->lost)
        return is_lost(d);
    return at + bytes > m->bytes ? knx_error_new(KN_ERROR_ASSERTION, "a copy leaves its memory") : NULL;
}

static knx_error *copy_in(const knd_device *d, knd_memory *to, size_t at, const void *from, size_t bytes)
{
    far *f = far_of(d);
    KN_TRY(check_copy(d, to, at, bytes));
    open_region(f, true);
    if (bytes)
        memcpy(f->region + to->at + at, from, bytes);
    open_region(f, false);
    f->counts.copied_in += (int64_t)bytes;
    f->seconds += f->timed ? knd_copy_seconds(&f->costs, bytes, true) : 0;
    return NULL;
}

static knx_error *copy_out(const knd_device *d, void *to, knd_memory *from, size_t at, size_t bytes)
{
    far *f = far_of(d);
    KN_TRY(check_copy(d, from, at, bytes));
    open_region(f, true);
    if (bytes)
        memcpy(to, f->region + from->at + at, bytes);
    open_region(f, false);
    f->counts.copied_out += (int64_t)bytes;
    f->seconds += f->timed ? knd_copy_seconds(&f->costs, bytes, false) : 0;
    return NULL;
}

static knx_error *copy(const knd_device *d, knd_memory *to, size_t to_at, knd_memory *from, size_t from_at,
                       size_t bytes)
{
    far *f = far_of(d);
    KN_TRY(check_copy(d, to, to_at, bytes));
    KN_TRY(check_copy(d, from, from_at, bytes));
    if (f->gated && f->shut)
        return NULL;
    open_region(f, true);
    memmove(f->region + to->at + to_at, f->region + from->at + from_at, bytes);
    open_region(f, false);
    return NULL;
}

/* ---- Steps: kernels are interpreted, whatever else it takes is the host's, over the device's memory. */

typedef struct prepared {
    const knc_program *program;
    const knc_step *step;
    knd_loaded *host; /* the program; NULL: nothing is the host's */
} prepared;

static unsigned taken = FAR_ALL;
static knd_loaded *newest; /* the program of the step that was prepared last, if a step still has it */

unsigned far_take(unsigned kinds)
{
    unsigned before = taken;
    taken = kinds;
    return before;
}

static bool has(kn_dtype d) { return knc_target_has(far_device.target(&far_device), d->id); }

static const char *refuses_product(const knc_step *s)
{
    knk_product *p = malloc(sizeof *p);
    if (!p)
        abort();
    knk_unpack_product(s->u.p.packed, p);
    bool fine = has(p->operand) && has(p->result);
    free(p);
    return !(taken & FAR_PRODUCTS) ? "it has no products" : fine ? NULL : "it has no products of this dtype";
}

static const char *refuses_routine(const knc_program *p, const knc_step *s)
{
    bool fine = true;
    for (uint32_t i = 0; i < s->u.r.n_in; i++)
        fine &= has(s->u.r.xt[i].dtype);
    for (uint32_t i = 0; i < s->u.r.n_out; i++)
        fine &= has(s->u.r.yt[i].dtype);
    if (!(taken & FAR_ROUTINES))
        return "it has no routines";
    const kni_eqn *e = &p->jaxpr->eqn[s->eqn];
    if (kni_bits(e->prim, s->u.r.params ? s->u.r.params : e->params) & (KN_USER | KN_EFFECT))
        return "it does not run functions of the host";
    return fine ? NULL : "it has no routines of this dtype";
}

static const char *refuses(const knd_device *d, const knc_program *p, const knc_step *s)
{
    (void)d;
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_COPY: return NULL;
    case KNC_PUT: return taken & FAR_PUTS ? NULL : "it runs no kernels that look up where they write";
    case KNC_PRODUCT: return refuses_product(s);
    case KNC_ROUTINE: return refuses_routine(p, s);
    case KNC_LOOP:
    case KNC_BRANCH:
    case KNC_BAND: break;
    }
    return "it has no such steps";
}

static knx_error *prepare(const knd_device *d, const knc_program *p, const knc_step *s, void **out)
{
    prepared *x = calloc(1, sizeof *x);
    (void)d;
    if (!x)
        abort();
    x->step = s;
    x->program = p;
    knx_error *error = NULL;
    if (s->kind == KNC_KERNEL)
        error = knk_prepare(s->u.k.kernel);
    else if (s->kind != KNC_COPY && newest && newest->program == p)
        x->host = knd_retain(newest);
    else if (s->kind != KNC_COPY)
        error = knd_load(&knd_host, (knc_program *)(uintptr_t)p, &x->host);
    if (error) {
        free(x);
        return error;
    }
    newest = x->host ? x->host : newest;
    *out = x;
    return NULL;
}

static void discard(const knd_device *d, void *made)
{
    prepared *x = made;
    (void)d;
    if (x->host && x->host == newest && atomic_load(&newest->refs) == 1)
        newest = NULL;
    knd_release(x->host);
    free(x);
}

/* The address of a binding; of no elements too, since C's functions want one. */
static knx_error *bind(const far *f, const knd_place *at, void **out)
{
    static _Alignas(64) char nothing[64];
    *out = at->bits ? (void *)(uintptr_t)at->bits : nothing;
    if (!at->memory)
        return NULL;
    if (at->offset > at->memory->bytes)
        return knx_error_new(KN_ERROR_ASSERTION, "a binding leaves its memory");
    *out = f->region + at->memory->at + at->offset;
    return NULL;
}

static void interpret(const knc_step *s, void **address)
{
    void *scratch = aligned_alloc(64, (knk_scratch_bytes(s->u.k.kernel) + 127) / 64 * 64);
    knk_interpret(s->u.k.kernel,
                  &(knk_launch){.buffer = address, .map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner},
                  scratch);
    free(scratch);
}

static knx_error *run_on_host(const prepared *x, void **address)
{
    const knd_host_loaded *h = knd_host_of(x->host);
    const knc_program *p = x->host->program;
    char *memory = aligned_alloc(64, (h->room + h->scratch + 127) / 64 * 64);
    if (!memory)
        abort();
    const knd_one_run r = {.l = h, .p = p, .room = memory, .scratch = memory + h->room, .threads = 1};
    knx_error *error = knd_run_step_at(&r, (uint32_t)(x->step - p->step), address);
    free(memory);
    return error;
}

static knx_error *launch(const knd_device *d, void *made, const knd_place *at)
{
    const prepared *x = made;
    const knc_step *s = x->step;
    void **address = malloc((s->n_ref + 1) * sizeof *address);
    knx_error *error = NULL;
    far *f = far_of(d);
    if (!address)
        abort();
    if (!f->lost && fails(&f->faults.launches))
        f->lost = true;
    if (f->lost)
        error = is_lost(d);
    for (uint32_t r = 0; r < s->n_ref && !error; r++)
        error = bind(f, &at[r], &address[r]);
    bool shut = f->gated && f->shut;
    f->counts.launches += !error && !shut;
    f->counts.left_out += !error && shut;
    if (f->timed)
        f->seconds += knd_step_seconds(d, &f->costs, x->program, (uint32_t)(s - x->program->step), true);
    if (!error && !shut) {
        open_region(f, true);
        if (x->host)
            error = run_on_host(x, address);
        else if (s->kind == KNC_KERNEL)
            interpret(s, address);
        else if (address[0] != address[1])
            memcpy(address[0], address[1], s->u.bytes);
        open_region(f, false);
    }
    free(address);
    return error;
}

static knx_error *wait(const knd_device *d)
{
    far_of(d)->counts.waits++;
    return far_of(d)->lost ? is_lost(d) : NULL;
}

/* ---- The gate. */

static knx_error *gate_open(const knd_device *d)
{
    far *f = far_of(d);
    if (f->gated)
        abort(); /* one at a time */
    if (f->lost)
        return is_lost(d);
    f->gated = true;
    f->shut = false;
    f->passed = 0;
    return NULL;
}

static knx_error *gate_ask(const knd_device *d, knd_memory *flag, size_t at)
{
    far *f = far_of(d);
    if (f->lost)
        return is_lost(d);
    open_region(f, true);
    f->shut |= !f->region[flag->at + at];
    open_region(f, false);
    f->passed += !f->shut;
    return NULL;
}

static knx_error *gate_count(const knd_device *d, int64_t *passed, bool *open)
{
    far *f = far_of(d);
    f->counts.waits++;
    *passed = f->passed;
    *open = !f->shut;
    return f->lost ? is_lost(d) : NULL;
}

static void gate_close(const knd_device *d) { far_of(d)->gated = false; }

static const knd_gate gate = {gate_open, gate_ask, gate_count, gate_close};

static const knc_target *target(const knd_device *d)
{
    static const knc_target t = {.name = "far",
                                 .dtypes = ~(1u << KN_ID_F64 | 1u << KN_ID_C128),
                                 .index_bits = 64,
                                 .max_buffers = MAX_BUFFERS,
                                 .alignment = ALIGNMENT,
                                 .first_cache = 32 << 10,
                                 .second_cache = 2 << 20,
                                 .ns_per_unit = 0.01};
    (void)d;
    return &t;
}

const knd_device far_device = {.name = "far:0", .gate = &gate, KND_STEPS_TABLE},
                 far_second = {.name = "far:1", KND_STEPS_TABLE};
