/* SPDX-License-Identifier: Apache-2.0
 * case_axes.c -- shapes that loops do not like: transposes of three and four axes, inner axes of three and four
 * elements, and complex numbers. */
#include "inputs.h"

static kn_array three(const kn_array *x) { return kn_copy(kn_transpose(*x, KN_AXIS(2, 1, 0))); }
static kn_array four(const kn_array *x) { return kn_copy(kn_transpose(*x, KN_AXIS(3, 2, 1, 0))); }
static kn_array channels_last(const kn_array *x) { return kn_copy(kn_transpose(*x, KN_AXIS(0, 2, 3, 1))); }
static kn_array short_sum(const kn_array *x) { return kn_sum(*x, KN_AXIS(-1)); }
static kn_array short_scale(const kn_array *x) { return kn_add(kn_mul(*x, kn_take(*x, 1, KN_AXIS(0))), 1.0f); }
static kn_array short_softmax(const kn_array *x)
{
    kn_array e = kn_exp(kn_sub(*x, kn_max(*x, KN_AXIS(-1), .keepdims = true)));
    return kn_div(e, kn_sum(e, KN_AXIS(-1), .keepdims = true));
}
static kn_array polynomial(const kn_array *x) { return kn_add(kn_mul(*x, *x), kn_conj(*x)); }
static kn_array magnitude(const kn_array *x) { return kn_abs(*x); }
static kn_array product(const kn_array *x) { return kn_matmul(*x, *x); }
static kn_array turned(const kn_array *x) { return kn_copy(kn_transpose(*x)); }

static bench_call *setup(kn_shape shape, bool is_complex)
{
    bench_call *s = bench_call_new();
    if (!s)
        return NULL;
    s->x = bench_wave(shape, 1.7);
    if (is_complex)
        s->x = kn_lax_complex(s->x, bench_wave(shape, 0.9));
    kn_eval(s->x);
    return s;
}

static int values(void *state, double *out)
{
    KN_SCOPE;
    kn_array y = bench_call_value(state);
    return bench_picks(kn_real(y), out, 4);
}

#define SETUP(name, is_complex, ...)                              \
    KN_FUNCTION(name, kn_array, kn_array)                         \
    static void *setup_##name(void)                               \
    {                                                             \
        bench_call *s = setup(KN_SHAPE(__VA_ARGS__), is_complex); \
        if (s)                                                    \
            s->f = kn_jit(KN_FN(name));                           \
        return s;                                                 \
    }
SETUP(three, false, 256, 256, 256)
SETUP(four, false, 64, 64, 64, 64)
SETUP(channels_last, false, 32, 64, 56, 56)
SETUP(short_sum, false, 1000000, 3)
SETUP(short_scale, false, 1000000, 3)
SETUP(short_softmax, false, 1000000, 4)
SETUP(polynomial, true, 2000000)
SETUP(magnitude, true, 2000000)
SETUP(product, true, 512, 512)
SETUP(turned, true, 2048, 1024)

#define ROW(name_, function, tolerance_)                                                                      \
    {                                                                                                         \
        .name = name_, .unit = "ms", .threads = 2, .ask = ASK_ALL, .tolerance = tolerance_, .ratio = 1 / 1.2, \
        .setup = setup_##function, .run = bench_call_run, .values = values, .teardown = bench_call_teardown   \
    }
const bench_case bench_axes[] = {
    ROW("transpose_3_axes", three, 0),
    ROW("transpose_4_axes", four, 0),
    ROW("channels_last", channels_last, 0),
    ROW("short_axis_sum", short_sum, 1e-6),
    ROW("short_axis_scale", short_scale, 1e-5),
    ROW("short_axis_softmax", short_softmax, 1e-5),
    ROW("complex_polynomial", polynomial, 1e-4),
    ROW("complex_abs", magnitude, 1e-6),
    ROW("complex_product", product, 1e-3),
    ROW("complex_transpose", turned, 0),
    {0},
};
