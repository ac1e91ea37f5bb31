/* SPDX-License-Identifier: Apache-2.0
 * inputs.c -- inputs of the cases. */
#include "inputs.h"
#include <math.h>

kn_array bench_wave_of(kn_shape shape, double frequency)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++)
        n *= shape.dim[i];
    kn_array x = kn_astype(kn_sin(kn_mul(kn_arange(0, n, 1, .dtype = KN_F64), frequency)), KN_F32);
    x = kn_reshape(x, shape);
    kn_eval(x);
    return x;
}

int bench_picks(kn_array a, double *out, int n)
{
    kn_array flat = kn_reshape(a, KN_SHAPE(-1));
    int64_t size = kn_size(a);
    for (int i = 0; i < n; i++)
        out[i] = kn_item(kn_at(flat, "%", (int)(i * (size - 1) / (n > 1 ? n - 1 : 1))));
    return n;
}

double bench_gap(kn_array mine, const float *theirs, double allowed)
{
    KN_SCOPE;
    const float *p = kn_data(mine, float);
    double worst = 0;
    int64_t n = kn_size(mine);
    if (!p)
        return INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs((double)p[i] - (double)theirs[i]);
        worst = d <= allowed ? fmax(worst, d) : INFINITY;
    }
    return worst / allowed;
}

double bench_longest(kn_array x, int axis)
{
    KN_SCOPE;
    kn_array wide = kn_astype(x, KN_F64);
    return kn_item(kn_sqrt(kn_max(kn_sum(kn_mul(wide, wide), KN_AXIS(axis)))));
}

bench_call *bench_call_new(void)
{
    bench_call *s = calloc(1, sizeof *s);
    if (s)
        s->scope = kn_scope_begin();
    return s;
}

double bench_call_run(void *state, int times)
{
    bench_call *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array y;
        kn_call(s->f, &y, &s->x);
    }
    return bench_now() - start;
}

kn_array bench_call_value(void *state)
{
    bench_call *s = state;
    kn_array y;
    kn_call(s->f, &y, &s->x);
    return y;
}

void bench_call_teardown(void *state)
{
    bench_call *s = state;
    kn_scope_end(&s->scope);
    free(s);
}
