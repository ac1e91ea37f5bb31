/* SPDX-License-Identifier: Apache-2.0
 * traced.c -- runs a program inside a function: called, under jit, vmap and grad. The results are those of the model,
 * bit for bit; gradients are the same however they are worked out, and agree with differences of the model. */
#include "views.h"
#include <kiln/kiln.h>
#include <math.h>
#include <string.h>

enum { RESULTS = 6 };
typedef struct {
    kn_array result[RESULTS];
} results;
typedef struct {
    uint64_t seed, variant;
} which_program; /* what a function is: see kn_fn_of */

static const p_program *running;

/* Runs the lines; `model` runs beside them to know which variables there are. */
static void run_lines(v_run *run, p_run *model, kn_array x)
{
    double argument[P_ARGUMENT];
    memset(run, 0, sizeof *run);
    run->argument = x;
    v_argument(running, 0, argument);
    p_begin(model, argument);
    for (int i = 0; i < running->n; i++)
        if (p_step(model, running, i) == M_OK && running->line[i].kind < P_LOOK)
            v_step(run, model, running, i);
}

/* The first variables that are alive at the end. */
static int variables_left(const p_run *model, int most, int var[])
{
    int n = 0;
    for (int i = 0; i < P_SLOTS && n < most; i++)
        if (model->slot[i] >= 0)
            var[n++] = model->slot[i];
    return n;
}

static results all_results(const which_program *which, const kn_array *x)
{
    p_run model;
    v_run run;
    results r;
    int var[RESULTS];
    (void)which;
    run_lines(&run, &model, *x);
    int n = variables_left(&model, RESULTS, var);
    for (int i = 0; i < RESULTS; i++)
        r.result[i] = i < n ? run.var[var[i]] : kn_zeros(KN_SHAPE(1));
    p_end(&model);
    return r;
}
KN_FUNCTION_ENV(all_results, results, which_program, kn_array)

static double weight(int64_t k) { return (double)(k * 7 % 5 - 2) * 0.25 + 0.125; }

static kn_array weighted(kn_array x, const m_shape *shape)
{
    double w[M_SIZE];
    kn_shape s = {.ndim = shape->ndim};
    for (int i = 0; i < s.ndim; i++)
        s.dim[i] = shape->dim[i];
    for (int64_t k = 0; k < m_count(shape); k++)
        w[k] = weight(k);
    return kn_sum(kn_mul(x, kn_from_memory(w, &s, KN_F64)));
}

/* One number of all floats that are left. */
static kn_array loss(const which_program *which, const kn_array *x)
{
    p_run model;
    v_run run;
    int var[P_SLOTS];
    (void)which;
    run_lines(&run, &model, *x);
    kn_array total = weighted(*x, &model.argument_array.shape);
    int n = variables_left(&model, P_SLOTS, var);
    for (int i = 0; i < n; i++) {
        const m_array *a = &model.var[var[i]];
        kn_array v = run.var[var[i]];
        if (a->dtype == M_F64)
            total = kn_add(total, weighted(v, &a->shape));
        if (a->dtype == M_C128)
            total = kn_add(total, weighted(kn_real(v), &a->shape), weighted(kn_imag(v), &a->shape));
    }
    p_end(&model);
    return total;
}
KN_FUNCTION_ENV(loss, kn_array, which_program, kn_array)

/* ---- The model. */

static void run_model(p_run *model, const double argument[P_ARGUMENT])
{
    p_begin(model, argument);
    for (int i = 0; i < running->n; i++)
        p_step(model, running, i);
}

static double model_loss(const double argument[P_ARGUMENT])
{
    static p_run model;
    int64_t at[M_SIZE];
    double total = 0;
    run_model(&model, argument);
    for (int64_t k = 0; k < P_ARGUMENT; k++)
        total += argument[k] * weight(k);
    for (int i = 0; i < P_SLOTS; i++) {
        const m_array *a = model.slot[i] < 0 ? NULL : &model.var[model.slot[i]];
        if (!a || (a->dtype != M_F64 && a->dtype != M_C128))
            continue;
        m_offsets(a, at);
        for (int64_t k = 0; k < m_count(&a->shape); k++) {
            m_number x = m_get(a, at[k]);
            total += x.re * weight(k) + (a->dtype == M_C128 ? x.im * weight(k) : 0);
        }
    }
    p_end(&model);
    return total;
}

/* The slope of the model's loss along a direction. */
static double model_slope(const double argument[P_ARGUMENT], const double direction[P_ARGUMENT], double h)
{
    double up[P_ARGUMENT], down[P_ARGUMENT];
    for (int k = 0; k < P_ARGUMENT; k++) {
        up[k] = argument[k] + h * direction[k];
        down[k] = argument[k] - h * direction[k];
    }
    return (model_loss(up) - model_loss(down)) / (2 * h);
}

/* ---- Checks. */

/* The results of a call against the model; batch >= 0: that row of each result. */
static const char *check_results(const results *r, const p_run *model, int batch, const char *what)
{
    int var[RESULTS], n = variables_left(model, RESULTS, var);
    char name[64];
    const char *error = v_error();
    snprintf(name, sizeof name, "%s: v", what);
    if (*error)
        return v_differs("%s: %s: %s", what, error, v_error_text());
    for (int i = 0; i < n; i++) {
        kn_array x = batch < 0 ? r->result[i] : kn_at(r->result[i], "%, ...", batch);
        const char *d = v_compare(x, &model->var[var[i]], name, var[i]);
        if (d)
            return d;
    }
    return NULL;
}

static const char *check_calls(const which_program *which, const kn_array x[2], const p_run model[2])
{
    results r;
    const char *d;
    kn_fn f = KN_FN_ENV(all_results, which), jitted = kn_jit(f), mapped = kn_vmap(f);
    r = all_results(which, &x[0]);
    if ((d = check_results(&r, &model[0], -1, "eager")))
        return d;
    kn_call(f, &r, &x[0]);
    if ((d = check_results(&r, &model[0], -1, "called")))
        return d;
    for (int i = 0; i < 2; i++) {
        kn_call(jitted, &r, &x[i]);
        if ((d = check_results(&r, &model[i], -1, "jit")))
            return d;
    }
    kn_array both = kn_stack(KN_LIST(x[0], x[1]));
    for (int i = 0; i < 2; i++) {
        kn_call(i ? kn_jit(mapped) : mapped, &r, &both);
        for (int batch = 0; batch < 2; batch++)
            if ((d = check_results(&r, &model[batch], batch, i ? "jit(vmap)" : "vmap")))
                return d;
    }
    return NULL;
}

static const char *compare_gradients(kn_array g, const m_array *want, const char *what)
{
    const char *error = v_error();
    return *error ? v_differs("%s: %s: %s", what, error, v_error_text()) : v_compare(g, want, what, 0);
}

static const char *check_slope(const double g[P_ARGUMENT], const double argument[P_ARGUMENT])
{
    double direction[P_ARGUMENT], along = 0;
    uint64_t random = running->seed ^ 99;
    for (int k = 0; k < P_ARGUMENT; k++) {
        direction[k] = (double)(p_random(&random) % 2001) / 1000 - 1;
        along += direction[k] * g[k];
    }
    double at = model_loss(argument), slope = model_slope(argument, direction, 1e-6);
    double other = model_slope(argument, direction, 1.7e-7), allowed = 1e-4 * (1 + fabs(slope)) + 1e-7 * fabs(at);
    if (!isfinite(at) || fabs(at) > 1e6 || fabs(slope) > 1e6 || !(fabs(slope - other) < allowed))
        return NULL; /* too steep, or a step was crossed */
    if (fabs(slope - along) < 2 * allowed)
        return NULL;
    return v_differs("the gradient along a direction is %.12g; differences give %.12g", along, slope);
}

static const char *check_gradients(const which_program *which, const kn_array x[2])
{
    double argument[P_ARGUMENT], g[P_ARGUMENT] = {0};
    m_heap heap = {0};
    m_array want;
    m_shape flat = {1, {P_ARGUMENT}};
    kn_array eager, jitted, mapped;
    kn_fn f = kn_grad(KN_FN_ENV(loss, which));
    kn_call(f, &eager, &x[0]);
    const char *error = v_error();
    if (*error || kn_copy_to(eager, g, sizeof g))
        return v_differs("grad: %s: %s", error, v_error_text());
    m_new(&heap, M_F64, &flat, &want);
    memcpy(want.store->data, g, sizeof g);
    kn_call(kn_jit(f), &jitted, &x[0]);
    const char *d = compare_gradients(jitted, &want, "jit(grad): gradient ");
    if (!d) {
        kn_array both = kn_stack(KN_LIST(x[1], x[0]));
        kn_call(kn_vmap(f), &mapped, &both);
        d = compare_gradients(kn_at(mapped, "1"), &want, "vmap(grad): gradient ");
    }
    m_heap_free(&heap);
    v_argument(running, 0, argument);
    return d ? d : check_slope(g, argument);
}

const char *v_traced(const p_program *program)
{
    static uint64_t variant;
    static p_run model[2];
    const which_program which = {program->seed, ++variant};
    const char *difference;
    running = program;
    v_listen();
    int64_t live = kn_live_count();
    {
        KN_SCOPE;
        kn_array x[2];
        for (int i = 0; i < 2; i++) {
            double argument[P_ARGUMENT];
            v_argument(program, i, argument);
            run_model(&model[i], argument);
            x[i] = v_from_model(&model[i].argument_array);
        }
        difference = check_calls(&which, x, model);
        if (!difference && program->smooth)
            difference = check_gradients(&which, x);
        for (int i = 0; i < 2 && !difference; i++)
            difference = v_compare(x[i], &model[i].argument_array, "argument ", i);
        for (int i = 0; i < 2; i++)
            p_end(&model[i]);
    }
    if (!difference && kn_live_count() != live)
        difference = v_differs("%lld handles are alive, %lld were before", (long long)kn_live_count(), (long long)live);
    return difference;
}
