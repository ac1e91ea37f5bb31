/* SPDX-License-Identifier: Apache-2.0
 * case_image.c -- a batch of four 4k images: normalised by mean and standard deviation, gain, bias, clamp, gamma, and the mean
 * squared error to the original. */
#include "inputs.h"

static kn_array pipeline(const kn_array *x)
{
    kn_array d = kn_sub(*x, kn_mean(*x, KN_AXIS(1, 2), .keepdims = true));
    kn_array sigma = kn_sqrt(kn_add(kn_mean(kn_mul(d, d), KN_AXIS(1, 2), .keepdims = true), 1e-6f));
    kn_array y = kn_add(kn_mul(kn_div(d, sigma), 0.8f), 0.4f);
    kn_array e = kn_sub(kn_power(kn_clip(y, 0.0f, 1.0f), 1.8f), *x);
    return kn_mean(kn_mul(e, e));
}
KN_FUNCTION(pipeline, kn_array, kn_array)

static void *setup(void)
{
    bench_call *s = bench_call_new();
    if (!s)
        return NULL;
    s->x = kn_add(kn_mul(bench_wave(KN_SHAPE(4, 2160, 3840), 0.37), 0.5f), 0.5f);
    kn_eval(s->x);
    s->f = kn_jit(KN_FN(pipeline));
    return s;
}

static int values(void *state, double *out)
{
    KN_SCOPE;
    kn_array y = bench_call_value(state);
    out[0] = kn_item(y);
    return 1;
}

const bench_case bench_image[] = {
    {"image_pipeline", "ms", 2, ASK_ALL, 18, 1e-3, setup, bench_call_run, values, .teardown = bench_call_teardown},
    {0},
};
