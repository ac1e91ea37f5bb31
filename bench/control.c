/* SPDX-License-Identifier: Apache-2.0
 * control.c -- what the rows about loops have in common. */
#include "control.h"
#include "inputs.h"
#include <math.h>

typedef struct control {
    control_row row;
    kn_array in[CONTROL_MAX];
    void *theirs[CONTROL_MAX]; /* results of the C */
} control;

static int call(control *s, kn_array *out)
{
    kn_outs outs = {1, {{out, (size_t)s->row.n_out * sizeof *out}}};
    kn_args args = {1, {{s->in, (size_t)s->row.n_in * sizeof *s->in}}};
    return (kn_call)(s->row.f, &outs, &args);
}

static bool make_room(control *s)
{
    KN_SCOPE;
    kn_array out[CONTROL_MAX];
    if (call(s, out))
        return false;
    for (int i = 0; i < s->row.n_out; i++) {
        s->theirs[i] = calloc((size_t)kn_size(out[i]), kn_dtype_size(kn_dtype_of(out[i])));
        if (!s->theirs[i])
            return false;
    }
    return true;
}

void *control_new(control_row row)
{
    control *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->row = row;
    s->row.f = kn_jit(row.f);
    for (int i = 0; i < row.n_in; i++) {
        s->in[i] = row.in[i];
        kn_eval(s->in[i]);
    }
    if (make_room(s))
        return s;
    control_end(s);
    return NULL;
}

void control_end(void *state)
{
    control *s = state;
    kn_scope_end(&s->row.scope);
    for (int i = 0; i < CONTROL_MAX; i++)
        free(s->theirs[i]);
    free(s);
}

double control_run(void *state, int times)
{
    control *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array out[CONTROL_MAX];
        if (call(s, out))
            return -1;
    }
    return bench_now() - start;
}

double control_run_c(void *state, int times)
{
    control *s = state;
    const void *in[CONTROL_MAX];
    for (int i = 0; i < s->row.n_in; i++) /* a key has no numbers to look at */
        in[i] = kn_dtype_kind(kn_dtype_of(s->in[i])) == 'k' ? NULL : kn_data_bytes(s->in[i], kn_dtype_of(s->in[i]));
    double start = bench_now();
    for (int i = 0; i < times; i++)
        s->row.c(s->row.steps, in, s->theirs);
    return bench_now() - start;
}

static double worst_of(kn_array mine, const void *other, double tolerance)
{
    kn_shape shape = kn_shape_of(mine);
    kn_array theirs = kn_astype(kn_from_memory(other, &shape, kn_dtype_of(mine)), KN_F64);
    kn_array gap = kn_abs(kn_sub(kn_astype(mine, KN_F64), theirs));
    return kn_item(kn_max(gap)) / (tolerance * kn_item(kn_max(kn_abs(theirs))));
}

double control_differs(void *state, int i)
{
    KN_SCOPE;
    control *s = state;
    kn_array out[CONTROL_MAX];
    double worst = 0;
    (void)i;
    control_run_c(s, 1);
    if (call(s, out))
        return INFINITY;
    for (int k = 0; k < s->row.n_out; k++) {
        double w = worst_of(out[k], s->theirs[k], s->row.tolerance);
        worst = w >= 0 && worst >= w ? worst : w; /* NaN stays */
    }
    return worst == worst ? worst : INFINITY;
}

int control_values(void *state, double out[BENCH_MAX_VALUES])
{
    KN_SCOPE;
    control *s = state;
    kn_array y[CONTROL_MAX];
    int n = 0;
    if (call(s, y))
        return 0;
    for (int i = 0; i < s->row.n_out && n < BENCH_MAX_VALUES; i++)
        n += bench_picks(y[i], out + n, s->row.n_out < BENCH_MAX_VALUES ? BENCH_MAX_VALUES / s->row.n_out : 1);
    return n;
}
