/* SPDX-License-Identifier: Apache-2.0
 * case_conv.c -- a convolution of 3x3, 64 to 64 features, 8 images of 56x56, float32, and its gradients by both
 * operands. oneDNN's time is that of the primitives alone, in layouts of its own choice; with reorders it begins and
 * ends in Kiln's layout. */
#include "inputs.h"
#include "libraries.h"
#include "primitives.h"

static const convolution sizes = {.batch = 8, .height = 56, .width = 56, .in = 64, .out = 64, .kernel = 3};
enum { IMAGE = 8 * 56 * 56 * 64, WEIGHTS = 3 * 3 * 64 * 64 };
typedef struct {
    kn_array image, weights;
} Operands;
typedef struct conv {
    kn_scope scope;
    bool grad;
    Operands x;
    kn_array g; /* the cotangent of the result */
    kn_fn f;
    float *result, *d_image, *d_weights;
    primitive *p[LIB_MAX_THREADS][3];
} conv;

static kn_array forward(const Operands *x)
{
    return kn_lax_conv_general_dilated(x->image, x->weights, KN_SHAPE(1, 1), KN_SAME,
                                       .dimension_numbers = {.lhs = "NHWC", .rhs = "HWIO", .out = "NHWC"});
}
static kn_array loss(const Operands *x, const kn_array *g) { return kn_sum(kn_mul(forward(x), *g)); }
KN_FUNCTION(forward, kn_array, Operands)
KN_FUNCTION(loss, kn_array, Operands, kn_array)

static void *setup(bool grad)
{
    conv *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    s->grad = grad;
    s->x = (Operands){bench_wave(KN_SHAPE(8, 56, 56, 64), 1.7), bench_wave(KN_SHAPE(3, 3, 64, 64), 0.9)};
    s->g = bench_wave(KN_SHAPE(8, 56, 56, 64), 0.3);
    s->f = kn_jit(grad ? kn_grad(KN_FN(loss)) : KN_FN(forward));
    s->result = aligned_alloc(64, IMAGE * sizeof(float));
    s->d_image = aligned_alloc(64, IMAGE * sizeof(float));
    s->d_weights = aligned_alloc(64, WEIGHTS * sizeof(float));
    return s;
}
static void *setup_forward(void) { return setup(false); }
static void *setup_grad(void) { return setup(true); }

static void teardown(void *state)
{
    conv *s = state;
    for (int i = 0; i < LIB_MAX_THREADS; i++)
        for (int k = 0; k < 3; k++)
            primitive_free(s->p[i][k]);
    free(s->result);
    free(s->d_image);
    free(s->d_weights);
    kn_scope_end(&s->scope);
    free(s);
}

static double run(void *state, int times)
{
    conv *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array y;
        Operands d;
        if (s->grad)
            kn_call(s->f, &d, &s->x, &s->g);
        else
            kn_call(s->f, &y, &s->x);
    }
    return bench_now() - start;
}

static int values(void *state, double *out)
{
    KN_SCOPE;
    conv *s = state;
    kn_array y;
    Operands d;
    if (!s->grad) {
        kn_call(s->f, &y, &s->x);
        return bench_picks(y, out, 4);
    }
    kn_call(s->f, &d, &s->x, &s->g);
    return bench_picks(d.image, out, 4) + bench_picks(d.weights, out + 4, 4);
}

/* The primitives of this number of threads, with their operands in their own layouts. */
static bool prepare(conv *s)
{
    primitive **p = s->p[libraries_threads() - 1];
    float *image = (float *)(uintptr_t)kn_data(s->x.image, float), *g = (float *)(uintptr_t)kn_data(s->g, float);
    float *weights = (float *)(uintptr_t)kn_data(s->x.weights, float);
    if (p[CONV_FORWARD] || p[CONV_DATA])
        return true;
    if (!s->grad)
        p[CONV_FORWARD] = primitive_conv(CONV_FORWARD, &sizes, image, weights, s->result);
    else {
        p[CONV_DATA] = primitive_conv(CONV_DATA, &sizes, s->d_image, weights, g);
        p[CONV_WEIGHTS] = primitive_conv(CONV_WEIGHTS, &sizes, image, s->d_weights, g);
    }
    return s->grad ? primitive_run(p[CONV_DATA], true) && primitive_run(p[CONV_WEIGHTS], true)
                   : primitive_run(p[CONV_FORWARD], true);
}

static double run_primitives(conv *s, int times, bool reorders)
{
    if (!prepare(s))
        return -1;
    primitive **p = s->p[libraries_threads() - 1];
    double start = bench_now();
    for (int i = 0; i < times; i++)
        for (int k = 0; k < 3; k++)
            if (p[k] && !primitive_run(p[k], reorders))
                return -1;
    return bench_now() - start;
}
static double run_alone(void *state, int times) { return run_primitives(state, times, false); }
static double run_reordered(void *state, int times) { return run_primitives(state, times, true); }

/* Both may be wrong by a rounding error for each step of sums of numbers of at most 1; so many steps have they. */
static double differs(void *state, int other)
{
    KN_SCOPE;
    conv *s = state;
    kn_array y;
    Operands d;
    (void)other;
    if (run_primitives(s, 1, true) < 0)
        return -1;
    double u = 2 * 0x1p-24, steps = 9 * 64, many = 8 * 56 * 56;
    if (!s->grad) {
        kn_call(s->f, &y, &s->x);
        return bench_gap(y, s->result, u * steps * steps);
    }
    kn_call(s->f, &d, &s->x, &s->g);
    double image = bench_gap(d.image, s->d_image, u * steps * steps);
    double weights = bench_gap(d.weights, s->d_weights, u * many * many);
    return image > weights ? image : weights;
}

#define OTHERS                                                                       \
    {                                                                                \
        {.name = "onednn 1T", .run = run_alone, .threads = 1, .peer = true},         \
            {.name = "onednn 2T", .run = run_alone, .threads = 2, .peer = true},     \
            {.name = "onednn with reorders 1T", .run = run_reordered, .threads = 1}, \
        {                                                                            \
            .name = "onednn with reorders 2T", .run = run_reordered, .threads = 2    \
        }                                                                            \
    }
#define ROW(name_, make, times)                                                                                       \
    {                                                                                                                 \
        .name = name_, .unit = "GFLOP/s", .threads = 2, .ask = ASK_JAX, .tolerance = 1e-2, .setup = make, .run = run, \
        .values = values, .teardown = teardown, .flops = 2.0 * IMAGE * 9 * 64 * times, .ratio = 0.9,                  \
        .differs = differs, .other = OTHERS                                                                           \
    }
const bench_case bench_convolutions[] = {
    ROW("conv_3x3", setup_forward, 1),
    ROW("conv_3x3_grad", setup_grad, 2),
    {0},
};
