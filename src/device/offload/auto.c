/* SPDX-License-Identifier: Apache-2.0
 * auto.c -- the device "auto": programs are made for the device that it works with; where each step runs is decided
 * when the program runs, once for each way in which operands lie. What runs on the host as a whole is made for the
 * host. */
#include "base/context.h"
#include "base/lock.h"
#include "base/log.h"
#include "device/offload/offload.h"
#include "device/steps/steps.h"
#include <string.h>

enum { PLANS = 4 };

static const knd_device *_Atomic worker; /* NULL: none, the host does it all */

static const knd_device *real(void)
{
    const knd_device *d = atomic_load_explicit(&worker, memory_order_acquire);
    return d ? d : &knd_host;
}

const knd_device *knd_auto_used(void) { return real(); }

/* How a program runs for operands that lie in one way. */
typedef struct plan {
    uint8_t *where; /* per operand */
    bool *there;    /* per step */
    knd_loaded *loaded;
    double seconds; /* of a run, as the costs say */
    /* If operands that come again were there, too: */
    uint8_t *hoped;
    bool *better;
    double gain, price, lost; /* a run would gain; bringing them costs; what runs have lost by now */
} plan;

typedef struct automatic {
    knd_loaded head;
    const knd_device *d;
    kn_offload_costs costs;
    knd_graph graph;
    knd_loaded *host;  /* the program made for the host; NULL: not yet */
    plan *plan[PLANS]; /* the one that was used last comes first */
    uint8_t *where;    /* of the run that begins */
    const void **last; /* per operand: the buffer of the last run */
    knx_arena arena;
} automatic;

/* ---- Plans. */

static bool is_all_here(const automatic *l, const bool *there)
{
    for (uint32_t i = 0; i < l->graph.n_step; i++)
        if (there[i])
            return false;
    return true;
}

/* The jaxpr of the program, compiled for the host: kernels of any size, bands, kernels in products. */
static knx_error *load_for_host(automatic *l)
{
    const knc_program *p = l->head.program;
    bool *donated = knx_alloc_zero(p->n_operand + 1);
    if (!donated)
        return knx_error_nomem();
    for (uint32_t k = 0; k < p->n_output; k++)
        if (p->output[k].kind == KNC_OUT_DONATED)
            donated[p->output[k].index] = true;
    for (uint32_t k = 0; k < p->n_overwritten; k++)
        donated[p->overwritten[k]] = true;
    const knc_compile_options o = {.fuse = true, .donated = donated};
    knx_error *error = p->made_from || p->value_at ? knd_load(&knd_host, l->head.program, &l->host)
                                                   : knd_compile(&knd_host, p->jaxpr, &o, &l->host);
    knx_free(donated);
    return error;
}

/* Steps placed like `there`, for operands that lie like x->where. */
static knx_error *load_placed(automatic *l, const plan *x, const bool *there, knd_loaded **out)
{
    const knc_program *p = l->head.program;
    knx_arena arena = KN_ARENA_INIT;
    const char **reason = knx_arena_zero(&arena, (p->n_step + 1) * sizeof *reason);
    knx_error *error =
        reason ? knd_note(l->d, &l->costs, p, &l->graph, x->where, there, &arena, reason) : knx_error_nomem();
    for (uint32_t i = 0; !error && i < p->n_step; i++)
        reason[i] = there[i] ? NULL : reason[i];
    if (!error && !is_all_here(l, there)) {
        error = knd_steps_load_as(l->d, l->head.program, reason, out);
    } else if (!error) {
        error = l->host ? NULL : load_for_host(l);
        *out = error ? NULL : knd_retain(l->host);
    }
    knx_arena_free(&arena);
    return error;
}

static void free_plan(plan *x)
{
    if (!x)
        return;
    knd_release(x->loaded);
    knx_free(x->where);
    knx_free(x->there);
    knx_free(x->hoped);
    knx_free(x->better);
    knx_free(x);
}

/* A plan for operands that lie like this; before: how steps are placed now. */
static knx_error *new_plan(automatic *l, const bool *before, plan **out)
{
    const knc_program *p = l->head.program;
    plan *x = knx_alloc_zero(sizeof *x);
    if (!x)
        return knx_error_nomem();
    x->where = knx_alloc_zero(p->n_operand + 1);
    x->there = knx_alloc_zero(p->n_step + 1);
    x->hoped = knx_alloc_zero(p->n_operand + 1);
    x->better = knx_alloc_zero(p->n_step + 1);
    knx_error *error = x->where && x->there && x->hoped && x->better ? NULL : knx_error_nomem();
    if (!error) {
        memcpy(x->where, l->where, p->n_operand);
        error = knd_decide(&l->graph, &l->costs, x->where, before, x->there);
    }
    error = error ? error : load_placed(l, x, x->there, &x->loaded);
    if (error) {
        free_plan(x);
        return error;
    }
    x->seconds = knd_run_seconds(&l->graph, &l->costs, x->where, x->there);
    *out = x;
    return NULL;
}

static void to_front(automatic *l, int i)
{
    plan *x = l->plan[i];
    memmove(&l->plan[1], &l->plan[0], (size_t)i * sizeof l->plan[0]);
    l->plan[0] = x;
}

static knx_error *find_plan(automatic *l)
{
    for (int i = 0; i < PLANS && l->plan[i]; i++)
        if (!memcmp(l->plan[i]->where, l->where, l->head.program->n_operand)) {
            to_front(l, i);
            return NULL;
        }
    plan *fresh = NULL;
    KN_TRY(new_plan(l, l->plan[0] ? l->plan[0]->there : NULL, &fresh));
    free_plan(l->plan[PLANS - 1]);
    l->plan[PLANS - 1] = fresh;
    to_front(l, PLANS - 1);
    return NULL;
}

/* ---- Operands that come again. Sending one costs more than a single run gains; who runs often is better off with it
 * there. As with hiring and buying: it goes over when runs have lost what the way costs. */

static knx_error *think_of_hope(automatic *l, plan *x, const uint8_t *hoped)
{
    memcpy(x->hoped, hoped, l->head.program->n_operand);
    KN_TRY(knd_place_steps(&l->graph, &l->costs, hoped, x->better));
    double then = knd_run_seconds(&l->graph, &l->costs, hoped, x->better);
    x->gain = x->seconds - then;
    x->price = knd_run_seconds(&l->graph, &l->costs, x->where, x->better) - then;
    x->lost = 0;
    return NULL;
}

static knx_error *hope(automatic *l, const knd_operand *in, uint8_t *hoped)
{
    plan *x = l->plan[0];
    knd_loaded *fresh = NULL;
    bool any = false;
    for (uint32_t i = 0; i < l->head.program->n_operand; i++) {
        bool again = in[i].buffer && !in[i].lent && !in[i].offset && l->last[i] == in[i].buffer;
        hoped[i] = (uint8_t)(l->where[i] | (again ? KND_THERE : 0));
        any |= hoped[i] != l->where[i];
        l->last[i] = in[i].buffer;
    }
    if (!any)
        return NULL;
    if (memcmp(x->hoped, hoped, l->head.program->n_operand) != 0)
        KN_TRY(think_of_hope(l, x, hoped));
    x->lost += x->gain;
    if (!(x->gain > x->seconds / 20 && x->lost >= x->price)) /* nor if costs are so large that these are NaN */
        return NULL;
    KN_LOG(1, "offload: operands of %s that come again go to %s", l->head.program->jaxpr->name, l->d->name);
    KN_TRY(load_placed(l, x, x->better, &fresh));
    memcpy(x->there, x->better, l->graph.n_step);
    x->seconds += x->price;
    x->gain = 0;
    knd_release(x->loaded);
    x->loaded = fresh;
    return NULL;
}

/* ---- The device. */

static uint8_t where_is(const knd_device *d, const knd_operand *x)
{
    if (!x->buffer)
        return KND_HERE;
    bool there = !x->lent && !x->offset && knd_is_on(d, x->buffer);
    return (uint8_t)((x->buffer->data ? KND_HERE : 0) | (there || !x->buffer->data ? KND_THERE : 0));
}

static knx_error *choose(automatic *l, const knd_operand *in, knd_loaded **out)
{
    uint32_t n = l->head.program->n_operand;
    if (l->d != real() && !knd_is_known(l->d)) { /* it has gone: the host does it all */
        KN_TRY(l->host ? NULL : load_for_host(l));
        *out = knd_retain(l->host);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        l->where[i] = where_is(l->d, &in[i]);
    KN_TRY(find_plan(l));
    KN_TRY(hope(l, in, l->where + n + 1));
    *out = knd_retain(l->plan[0]->loaded);
    return NULL;
}

static knx_error *run_auto(const knd_loaded *loaded, const knd_operand *in, knx_buffer **out, const knd_options *o)
{
    automatic *l = (automatic *)(uintptr_t)loaded;
    knd_loaded *chosen = NULL;
    if (o->observer)
        return knx_error_new(KN_ERROR_VALUE, "programs are watched on the host only");
    knd_lock();
    knx_error *error = choose(l, in, &chosen);
    knd_unlock();
    error = error ? error : chosen->device->run(chosen, in, out, o);
    knd_release(chosen);
    return error;
}

static knx_error *load_auto(const knd_device *d, knc_program *p, knd_loaded **out)
{
    if (real() == &knd_host)
        return knd_load(&knd_host, p, out);
    automatic *l = knx_alloc_zero(sizeof *l);
    if (!l)
        return knx_error_nomem();
    l->head = (knd_loaded){.refs = 1, .device = d, .program = knc_retain(p)};
    l->d = real();
    l->where = knx_arena_zero(&l->arena, 2 * ((size_t)p->n_operand + 1));
    l->last = knx_arena_zero(&l->arena, (p->n_operand + 1) * sizeof *l->last);
    knx_error *error = l->where && l->last ? knd_costs_of(l->d, &l->costs) : knx_error_nomem();
    error = error ? error : knd_make_graph(l->d, &l->costs, p, &l->arena, &l->graph);
    if (error) {
        knd_release(&l->head);
        return error;
    }
    l->head.bytes = sizeof *l + l->arena.total;
    *out = &l->head;
    return NULL;
}

static void unload_auto(knd_loaded *loaded)
{
    automatic *l = (automatic *)loaded;
    for (int i = 0; i < PLANS; i++)
        free_plan(l->plan[i]);
    knd_release(l->host);
    knx_arena_free(&l->arena);
    knx_free(l);
}

static const knc_target *target(const knd_device *d)
{
    (void)d;
    return real()->target(real());
}

const knd_device knd_auto = {
    .name = "auto", .target = target, .load = load_auto, .unload = unload_auto, .run = run_auto};

knx_error *knd_open_auto(void)
{
    static knx_global_lock once = KN_GLOBAL_LOCK_INIT;
    static bool is_known;
    knx_error *error = NULL;
    knx_global_lock_take(&once); /* others wait until it is known */
    if (!is_known && !(error = knd_register(&knd_auto))) {
        is_known = true;
        const knd_device *d = atomic_load(&worker) ? NULL : knd_find("webgpu:0");
        if (!atomic_load(&worker))
            knd_auto_use(d ? d : knd_first(&knd_auto));
    }
    knx_global_unlock(&once);
    return error;
}

void knd_auto_use(const knd_device *d)
{
    atomic_store_explicit(&worker, d == &knd_host ? NULL : d, memory_order_release);
}
