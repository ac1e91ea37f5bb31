/* SPDX-License-Identifier: Apache-2.0
 * scarce.c -- rules without memory: each allocation of each transformation of a case fails once (late ones in steps,
 * unless KILN_TEST_LONG=1). What comes out is a MemoryError or a result, and nothing is lost. */
#include "bench.h"

#include <string.h>

typedef struct trial {
    bench *b;
    const kni_jaxpr *j;
    bool tangent[MAX_OPERANDS], linear[4 * MAX_VALUES];
    int axis[MAX_OPERANDS];
    knt_linearized l;
} trial;
typedef knx_error *step_fn(const trial *t);

/* The equation itself: its type rule. */
static knx_error *step_build(const trial *t)
{
    bench probe = *t->b;
    kni_jaxpr *j = bench_build(&probe, false);
    kni_release(j);
    if (j)
        return NULL;
    return strstr(probe.message, "MemoryError") ? knx_error_nomem()
                                                : knx_error_new(KN_ERROR_VALUE, "%s", probe.message);
}

static knx_error *step_jvp(const trial *t)
{
    kni_jaxpr *j = NULL;
    knx_error *e = knt_jvp(t->j, t->tangent, &j);
    kni_release(j);
    return e;
}

static knx_error *step_linearize(const trial *t)
{
    knt_linearized l = {0};
    knx_error *e = knt_linearize(t->j, t->tangent, &l);
    knt_linearized_free(&l);
    return e;
}

static knx_error *step_transpose(const trial *t)
{
    kni_jaxpr *j = NULL;
    knx_error *e = knt_transpose(t->l.linear, t->linear, &j);
    kni_release(j);
    return e;
}

static knx_error *step_batch(const trial *t)
{
    kni_jaxpr *j = NULL;
    knx_error *e = knt_batch(t->j, 3, "k", t->axis, NULL, &j);
    kni_release(j);
    return e;
}

static knx_error *step_expand(const trial *t)
{
    kni_jaxpr *j = NULL;
    knx_error *e = knt_expand(t->j, &j);
    kni_release(j);
    return e;
}

static knx_error *step_compile(const trial *t)
{
    knd_loaded *p = NULL;
    knx_error *e = knd_compile(&knd_host, t->j, &(knc_compile_options){.fuse = true}, &p);
    knd_release(p);
    return e;
}

static void sweep(const trial *t, const char *what, step_fn *step)
{
    knx_error *e = step(t);
    if (e) { /* refused whatever memory there is: another check's subject */
        knx_error_release(e);
        return;
    }
    int64_t live = knx_alloc_live();
    bool reached = true;
    for (int64_t k = 0; reached && !t->b->failed; k += t->b->thorough ? 1 : 1 + k / 100) {
        int64_t asked = knx_alloc_count();
        knx_fail_pieces(true);
        knx_fail_after(k, k % 2);
        e = step(t);
        knx_fail_after(-1, false);
        knx_fail_pieces(false);
        reached = knx_alloc_count() - asked > k;
        if (e && e->kind != KN_ERROR_MEMORY)
            bench_fail(t->b, "%s without the allocation %lld: %s: %s", what, (long long)k, knx_error_kind_name(e->kind),
                       e->message);
        knx_error_release(e);
        if (knx_alloc_live() != live)
            bench_fail(t->b, "%s without the allocation %lld: %lld blocks of memory are lost", what, (long long)k,
                       (long long)(knx_alloc_live() - live));
    }
}

/* Reverse mode, also of rows that refuse the other one. */
static void sweep_backwards(trial *t)
{
    bool any = false;
    for (int i = 0; i < t->b->n_in; i++)
        any |= t->tangent[i] = kni_has_tangent(kni_in_type(t->j, (uint32_t)i));
    knx_error *e = any ? knt_linearize(t->j, t->tangent, &t->l) : NULL;
    if (any && !e) {
        sweep(t, "linearize", step_linearize);
        for (uint32_t i = 0; i < t->l.linear->n_in; i++)
            t->linear[i] = i >= t->l.n_residual;
        sweep(t, "transpose", step_transpose);
    }
    knx_error_release(e);
    knt_linearized_free(&t->l);
}

void check_scarce(bench *b)
{
    trial t = {.b = b, .j = b->j};
    for (int i = 0; i < b->n_in; i++)
        t.axis[i] = i % 2 ? -1 : 0;
    if (!b->s->build)
        sweep(&t, "type", step_build);
    sweep_backwards(&t);
    if (bench_tangents(b, t.tangent))
        sweep(&t, "jvp", step_jvp);
    if (b->n_in)
        sweep(&t, "batch", step_batch);
    sweep(&t, "expand", step_expand);
    sweep(&t, "compile", step_compile);
    kni_jaxpr *one = b->s->lanes ? bench_one_lane(b) : NULL;
    t.j = one;
    if (one)
        sweep_backwards(&t);
    kni_release(one);
}
