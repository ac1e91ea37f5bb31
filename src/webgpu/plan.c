/* SPDX-License-Identifier: Apache-2.0
 * plan.c -- a step made ready: who makes its dispatches, the memory of its literals, and for each way in which its
 * references share memories (usually there is one) a plan with pipelines. */
#include "webgpu/plan.h"
#include <string.h>

const kng_kind *kng_kind_of(const knc_program *p, const knc_step *s)
{
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_PUT: return &kng_kernels;
    case KNC_PRODUCT: return &kng_products;
    case KNC_ROUTINE: return kng_routine(p->jaxpr->eqn[s->eqn].prim->name);
    case KNC_BAND: return &kng_bands;
    case KNC_COPY:
    case KNC_LOOP:
    case KNC_BRANCH: break;
    }
    return NULL;
}

const char *kng_refuses(kng_gpu *g, const knc_program *p, const knc_step *s)
{
    const kng_kind *kind = kng_kind_of(p, s);
    if (g->lost)
        return NULL; /* the next thing that is asked of it says so */
    if (s->kind == KNC_LOOP || s->kind == KNC_BRANCH)
        return "it runs no programs inside of steps";
    if (!kind && s->kind != KNC_COPY)
        return "it has no routine for this operation";
    if (s->n_ref > KNG_REFS)
        return "a step of too many values";
    for (uint32_t r = 0; r < s->n_ref; r++)
        if (s->ref[r].bytes > g->limits.maxStorageBufferBindingSize && s->kind != KNC_COPY)
            return "a value is larger than what it can bind";
    knx_error *error = kng_bring_facts(g);
    if (error) {
        knx_error_release(error);
        return NULL; /* to prepare the step fails with the same error */
    }
    return kind ? kind->refuses(&g->facts, p, s) : NULL;
}

/* ---- Literals: 16 bytes each, in a memory of the step's. Where a program has no workspace, since its temporaries have
 * no elements, they get such a place, too: something has to be bound. */

static bool has_no_memory(const kng_prepared *x, uint32_t r)
{
    const knc_ref *ref = &x->step->ref[r];
    if (ref->space == KNC_AT_LITERAL)
        return !kng_may_give(x->step, r);
    return ref->space == KNC_AT_WORK && !x->program->workspace;
}

static knx_error *bring_literals(kng_gpu *g, kng_prepared *x)
{
    const knc_step *s = x->step;
    uint64_t bits[2 * KNG_REFS];
    uint32_t n = 0;
    for (uint32_t r = 0; r < s->n_ref; r++) {
        if (!has_no_memory(x, r))
            continue;
        memset(&bits[2 * n], 0, 16);
        x->literal[r] = 16 * n++;
        if (s->ref[r].space != KNC_AT_LITERAL)
            continue;
        const kni_literal *l = &x->program->jaxpr->literal[s->ref[r].index];
        memcpy(&bits[2 * n - 2], &l->bits, sizeof l->bits < 16 ? sizeof l->bits : 16);
    }
    if (!n)
        return NULL;
    KN_TRY(kng_alloc(g, 16 * (uint64_t)n, &x->literals));
    return kng_upload(g, x->literals, 0, bits, 16 * (uint64_t)n);
}

/* ---- Variants. */

static void free_variant(kng_gpu *g, kng_variant *v)
{
    for (uint32_t i = 0; v->pipeline && i < v->plan.n; i++)
        kng_pipeline_release(g, v->pipeline[i]);
    knx_arena_free(&v->arena);
    knx_free(v);
}

static knx_error *fill_variant(kng_gpu *g, const kng_prepared *x, kng_variant *v, const uint8_t *slot, uint32_t n_slot)
{
    uint32_t n = x->step->n_ref;
    uint8_t *mine = knx_arena_copy(&v->arena, slot, n + 1);
    if (!mine)
        return knx_error_nomem();
    v->slot = mine;
    v->n_slot = n_slot;
    kng_pattern pattern = {n, n_slot, mine};
    KN_TRY(x->kind->plan(&g->facts, g->exact, x->program, x->step, &pattern, &v->arena, &v->plan));
    v->pipeline = knx_arena_zero(&v->arena, (v->plan.n + 1) * sizeof *v->pipeline);
    if (!v->pipeline)
        return knx_error_nomem();
    for (uint32_t i = 0; i < v->plan.n; i++)
        KN_TRY(kng_pipeline_for(g, v->plan.dispatch[i].text, &v->pipeline[i]));
    return NULL;
}

knx_error *kng_variant_for(kng_gpu *g, kng_prepared *x, const uint8_t *slot, uint32_t n_slot, kng_variant **out)
{
    for (kng_variant *v = x->variant; v; v = v->next) {
        if (v->n_slot == n_slot && !memcmp(v->slot, slot, x->step->n_ref)) {
            *out = v;
            return NULL;
        }
    }
    kng_variant *v = knx_alloc_zero(sizeof *v);
    if (!v)
        return knx_error_nomem();
    v->arena = (knx_arena)KN_ARENA_INIT;
    knx_error *error = fill_variant(g, x, v, slot, n_slot);
    if (error) {
        free_variant(g, v);
        return error;
    }
    v->next = x->variant;
    *out = x->variant = v;
    return NULL;
}

/* In which buffer a reference lies, as a number, if no two operands are one buffer. */
static uint64_t expected_memory(const knc_program *p, const knc_ref *ref)
{
    const knc_output *o = ref->space == KNC_AT_OUTPUT ? &p->output[ref->index] : NULL;
    while (o && o->kind == KNC_OUT_SAME)
        o = &p->output[o->index];
    if (o && o->kind == KNC_OUT_NEW)
        return (uint64_t)(o - p->output) * 4 + 1;
    if (o)
        return (uint64_t)o->index * 4;
    return ref->space == KNC_AT_OPERAND ? (uint64_t)ref->index * 4 : ref->space == KNC_AT_WORK ? 2 : 3;
}

/* The plan that a launch is most likely to want, so that a shader that is refused is an error of loading. */
static knx_error *expect(kng_gpu *g, kng_prepared *x)
{
    const knc_step *s = x->step;
    uint8_t slot[KNG_REFS + 1] = {0};
    uint64_t memory[KNG_REFS];
    uint32_t n = 0;
    kng_variant *v;
    for (uint32_t r = 0; r < s->n_ref; r++) {
        uint64_t m = expected_memory(x->program, &s->ref[r]);
        uint32_t i = 0;
        if (s->ref[r].space == KNC_AT_LITERAL && kng_may_give(s, r)) {
            slot[r] = KNW_GIVEN;
            continue;
        }
        while (i < n && memory[i] != m)
            i++;
        if (i == n)
            memory[n++] = m;
        slot[r] = (uint8_t)i;
    }
    return kng_variant_for(g, x, slot, n, &v);
}

knx_error *kng_prepare(kng_gpu *g, const knc_program *p, const knc_step *s, kng_prepared **out)
{
    KN_TRY(kng_bring_facts(g));
    if (s->n_ref > KNG_REFS)
        return knx_error_new(KN_ERROR_RUNTIME, "device '%s': a step of %u references", g->name, (unsigned)s->n_ref);
    kng_prepared *x = knx_alloc_zero(sizeof *x + s->n_ref * sizeof x->literal[0]);
    if (!x)
        return knx_error_nomem();
    x->program = p;
    x->step = s;
    x->kind = kng_kind_of(p, s);
    knx_error *error = bring_literals(g, x);
    if (!error && x->kind)
        error = expect(g, x);
    if (error) {
        kng_discard(g, x);
        return error;
    }
    *out = x;
    return NULL;
}

void kng_discard(kng_gpu *g, kng_prepared *x)
{
    for (kng_variant *v = x->variant, *next; v; v = next) {
        next = v->next;
        free_variant(g, v);
    }
    if (x->literals)
        kng_free(g, x->literals);
    knx_free(x);
}
