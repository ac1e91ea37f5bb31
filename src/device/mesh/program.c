/* SPDX-License-Identifier: Apache-2.0
 * program.c -- programs of a mesh. The jaxpr over whole arrays is kept; for each list of shardings that operands come
 * with it is partitioned, compiled for the host and kept as a variant, the least recently used of many go. A run gives
 * each device of this process its parts, on a thread of its own. */
#include "base/lock.h"
#include "base/log.h"
#include "device/mesh/mesh.h"
#include "compile/step.h"
#include "dist/dist.h"
#include "shard/shard.h"
#include <string.h>

enum { MOST_VARIANTS = 16 };

typedef struct variant {
    atomic_int refs;
    struct variant *next; /* used before */
    const kni_sharding **in, **out;
    knd_loaded *local;
    char *report; /* each decision of the partition */
    size_t bytes;
} variant;

typedef struct program {
    knd_loaded head;
    knc_kernel_cache *kernels;
    bool fuse;
    bool *donated; /* per operand; NULL: none */
    knx_mutex lock;
    variant *newest;
} program;

/* ---- Variants. */

static void release_variant(variant *v)
{
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
        return;
    knd_release(v->local);
    knx_free(v->report);
    knx_free(v);
}

/* Under the lock: a new reference to the variant of these shardings, which becomes the newest; NULL: there is none. */
static variant *find_variant(program *p, const kni_sharding *const *in)
{
    size_t bytes = p->head.program->n_operand * sizeof *in;
    for (variant **at = &p->newest, *v; (v = *at); at = &v->next) {
        if (bytes && memcmp(v->in, in, bytes) != 0)
            continue;
        *at = v->next;
        v->next = p->newest;
        p->newest = v;
        atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
        return v;
    }
    return NULL;
}

/* Under the lock. Returns those that go. */
static variant *add_variant(program *p, variant *v)
{
    variant *last = p->newest, *gone = NULL;
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    v->next = p->newest;
    p->newest = v;
    for (int n = 2; last; last = last->next, n++)
        if (n == MOST_VARIANTS) {
            gone = last->next;
            last->next = NULL;
        }
    return gone;
}

static void release_variants(variant *v)
{
    for (variant *next; v; v = next) {
        next = v->next;
        release_variant(v);
    }
}

static void log_variant(const program *p, const variant *v)
{
    knx_text t = {0};
    if (knx_debug_level < 1)
        return;
    for (uint32_t i = 0; i < p->head.program->n_operand; i++) {
        knx_text_add(&t, "%s(", i ? ", " : "");
        kni_spec_text(&t, v->in[i]);
        knx_text_add(&t, ")");
    }
    KN_LOG(1, "%s: %s is partitioned for %s", p->head.device->name, p->head.program->jaxpr->name, t.s);
    KN_LOG(2, "%s", v->report ? v->report : "");
}

static knx_error *make_variant(program *p, const kni_sharding *const *in, variant **out)
{
    const knc_program *whole = p->head.program;
    const knc_compile_options o = {.kernels = p->kernels, .fuse = p->fuse, .donated = p->donated};
    kni_jaxpr *local = NULL;
    size_t n = whole->n_operand, n_out = whole->n_output;
    variant *v = *out = knx_alloc_zero(sizeof *v + (n + n_out) * sizeof *in);
    if (!v)
        return knx_error_nomem();
    atomic_init(&v->refs, 1);
    v->in = (const kni_sharding **)(v + 1);
    v->out = v->in + n;
    if (n)
        memcpy(v->in, in, n * sizeof *in);
    knx_error *error =
        knshard_partition(whole->jaxpr, knd_mesh_of(p->head.device)->mesh, in, &local, v->out, &v->report);
    if (!error)
        error = knd_compile(&knd_host, local, &o, &v->local);
    kni_release(local);
    if (error) {
        release_variant(v);
        *out = NULL;
        return error;
    }
    log_variant(p, v);
    return NULL;
}

/* Others ask for the bytes of a program while it runs. */
static void count(program *p, size_t more, const variant *gone)
{
    size_t less = 0;
    for (; gone; gone = gone->next)
        less += gone->bytes;
    __atomic_fetch_add(&p->head.bytes, more - less, __ATOMIC_RELAXED);
}

/* A reference. Two threads that need the same one make it twice, rather than wait. */
static knx_error *variant_for(program *p, const kni_sharding *const *in, variant **out)
{
    variant *gone;
    knx_mutex_lock(&p->lock);
    *out = find_variant(p, in);
    knx_mutex_unlock(&p->lock);
    if (*out)
        return NULL;
    KN_TRY(make_variant(p, in, out));
    (*out)->bytes = sizeof **out + knd_bytes((*out)->local, NULL) + ((*out)->report ? strlen((*out)->report) : 0);
    knx_mutex_lock(&p->lock);
    gone = add_variant(p, *out);
    count(p, (*out)->bytes, gone);
    knx_mutex_unlock(&p->lock);
    release_variants(gone);
    return NULL;
}

/* ---- Runs. */

typedef struct run {
    program *p;
    const knd_mesh *d;
    const variant *v;
    const knd_options *o;
    uint32_t n_in, n_out;
    const knd_operand *in;
    const knd_parts **part; /* per operand; NULL: every device gets it as it is */
    knd_operand *x;         /* per device and operand */
    knx_buffer **y;         /* per device and result */
} run;

/* Where the operands are; what is not on the mesh comes to the host. */
static knx_error *find_operands(run *r, const kni_sharding **in)
{
    const knc_program *whole = r->p->head.program;
    for (uint32_t i = 0; i < r->n_in; i++) {
        const knd_operand *x = &r->in[i];
        kni_type t = whole->operand_type[i];
        r->part[i] = x->offset ? NULL : knd_parts_of(r->d, x->buffer, t);
        in[i] = r->part[i] ? r->part[i]->sharding : kni_replicated(r->d->mesh, t.ndim);
        if (!in[i])
            return knx_error_nomem();
        if (!r->part[i] && x->buffer)
            KN_TRY(knd_fetch(x->buffer));
    }
    return NULL;
}

/* Nobody writes over what others have, too. */
static void give_operands(run *r)
{
    for (int k = 0; k < r->d->n_local; k++)
        for (uint32_t i = 0; i < r->n_in; i++) {
            knd_operand *x = &r->x[(uint32_t)k * r->n_in + i];
            bool donated = r->p->donated && r->p->donated[i];
            *x = r->in[i];
            if (r->part[i]) {
                x->buffer = r->part[i]->part[k];
                x->lent |= donated && atomic_load(&x->buffer->refs) > 1;
            } else {
                x->lent |= donated && r->d->n_local > 1 && x->buffer;
            }
        }
}

/* On a thread of device k. The hook is the user's code: it is told of the first device's steps. */
static knx_error *run_device(void *env, int k)
{
    const run *r = env;
    knd_options how = *r->o;
    if (r->d->n_local > 1) {
        how.threads = 1;
        how.workspace = NULL;
        how.on_step = k ? NULL : how.on_step;
    }
    return knd_run_with(r->v->local, r->x + (uint32_t)k * r->n_in, r->y + (uint32_t)k * r->n_out, &how);
}

/* The parts of result i go over into a buffer of the mesh. */
static knx_error *take_result(run *r, uint32_t i, knx_buffer **part, knx_buffer **out)
{
    for (int k = 0; k < r->d->n_local; k++) {
        part[k] = r->y[(uint32_t)k * r->n_out + i];
        r->y[(uint32_t)k * r->n_out + i] = NULL;
    }
    return knd_parts_buffer(r->d, r->p->head.program->output_type[i], r->v->out[i], part, out);
}

static knx_error *run_all(run *r, knx_buffer **part, knx_buffer **out)
{
    give_operands(r);
    const kndist_group whole = {(int)r->d->mesh->n_device, 0, r->d->mesh->device};
    knx_error *error = kndist_run_whole(r->d->mesh, &whole, r->d->n_local, r->d->device, r->d->in_mesh, run_device, r);
    for (uint32_t i = 0; !error && i < r->n_out; i++)
        error = take_result(r, i, part, &out[i]);
    for (size_t k = 0; k < (size_t)r->d->n_local * r->n_out; k++)
        knx_buffer_release(r->y[k]);
    return error;
}

knx_error *knd_mesh_run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o)
{
    program *p = (program *)(uintptr_t)l;
    const knd_mesh *d = knd_mesh_of(l->device);
    run r = {.p = p, .d = d, .o = o, .n_in = l->program->n_operand, .n_out = l->program->n_output, .in = in};
    knx_arena arena = KN_ARENA_INIT;
    variant *v = NULL;
    size_t n = (size_t)d->n_local;
    if (o->observer)
        return knx_error_new(KN_ERROR_VALUE, "programs are watched on the host only");
    const kni_sharding **sharding = knx_arena_alloc(&arena, (r.n_in + 1) * sizeof *sharding);
    knx_buffer **part = knx_arena_alloc(&arena, (n + 1) * sizeof *part);
    r.part = knx_arena_alloc(&arena, (r.n_in + 1) * sizeof *r.part);
    r.x = knx_arena_alloc(&arena, (n * r.n_in + 1) * sizeof *r.x);
    r.y = knx_arena_zero(&arena, (n * r.n_out + 1) * sizeof *r.y);
    knx_error *error = sharding && part && r.part && r.x && r.y ? NULL : knx_error_nomem();
    if (!error)
        error = find_operands(&r, sharding);
    if (!error)
        error = variant_for(p, sharding, &v);
    r.v = v;
    if (!error)
        error = run_all(&r, part, out);
    release_variant(v);
    knx_arena_free(&arena);
    return error;
}

/* ---- Loading. */

knx_error *knd_mesh_compile(const knd_device *d, const kni_jaxpr *j, const knc_compile_options *o, knd_loaded **out)
{
    static const knx_mutex free_mutex = KN_MUTEX_INIT;
    size_t n = j->n_const + j->n_in;
    program *p = knx_alloc_zero(sizeof *p + n);
    if (!p)
        return knx_error_nomem();
    p->head = (knd_loaded){.refs = 1, .device = d, .bytes = sizeof *p + n};
    p->kernels = o->kernels;
    p->fuse = o->fuse;
    p->lock = free_mutex;
    p->donated = o->donated ? (bool *)(p + 1) : NULL;
    if (o->donated)
        memcpy(p->donated, o->donated, n);
    knx_error *error = knc_outline(j, &p->head.program);
    if (error) {
        knx_free(p);
        return error;
    }
    *out = &p->head;
    return NULL;
}

void knd_mesh_unload(knd_loaded *l)
{
    program *p = (program *)l;
    release_variants(p->newest);
    knx_free(p);
}
