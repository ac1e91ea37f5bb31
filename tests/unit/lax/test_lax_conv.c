/* SPDX-License-Identifier: Apache-2.0
 * test_lax_conv.c -- convolutions: JAX's values and gradients (tests/golden/conv.npz), what padding by name stands for,
 * transposed ones, patches, dimension numbers, many samples, and JAX's messages. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include <stdio.h>

/* ---- Any parameters. */

enum { MOST = 8, N_CASES = 160 };
typedef struct {
    kn_shape strides, lhs_dilation, rhs_dilation, lhs_shape, rhs_shape, out_shape;
    kn_lax_pad_pair pad[MOST];
    kn_lax_conv_numbers numbers;
    int64_t features, batches;
    int n, dtype;
} Parameters;

static const int16_t *take_shape(const int16_t *v, int n, kn_shape *s)
{
    s->ndim = n;
    for (int i = 0; i < n; i++)
        s->dim[i] = v[i];
    return v + n;
}

static const int16_t *take_axes(const int16_t *v, int n, kn_axes *s)
{
    s->n = n + 1;
    for (int i = 0; i < n; i++)
        s->axis[i] = v[i];
    return v + n;
}

static Parameters read_parameters(const golden *g, int i)
{
    char name[32];
    snprintf(name, sizeof name, "p %d", i);
    const int16_t *v = golden_find(g, name)->buffer->data;
    Parameters p = {.dtype = v[0], .n = v[1], .features = v[2], .batches = v[3]};
    v = take_shape(v + 4, p.n, &p.strides);
    for (int k = 0; k < p.n; k++)
        p.pad[k] = (kn_lax_pad_pair){v[k], v[p.n + k]};
    v = take_shape(v + 2 * p.n, p.n, &p.lhs_dilation);
    v = take_shape(v, p.n, &p.rhs_dilation);
    v = take_axes(v, p.n + 2, &p.numbers.lhs_spec);
    v = take_axes(v, p.n + 2, &p.numbers.rhs_spec);
    v = take_axes(v, p.n + 2, &p.numbers.out_spec);
    v = take_shape(v, p.n + 2, &p.lhs_shape);
    v = take_shape(v, p.n + 2, &p.rhs_shape);
    take_shape(v, p.n + 2, &p.out_shape);
    return p;
}

static kn_array convolve(const Parameters *p, const kn_array *x, const kn_array *w)
{
    const kn_lax_pads pads = {NULL, p->n, p->pad};
    return kn_lax_conv_general_dilated(*x, *w, p->strides, pads, .lhs_dilation = &p->lhs_dilation,
                                       .rhs_dilation = &p->rhs_dilation, .dimension_numbers = p->numbers,
                                       .feature_group_count = p->features, .batch_group_count = p->batches);
}
KN_FUNCTION_ENV(convolve, kn_array, Parameters, kn_array, kn_array)

/* The next array of the case: `at` moves on. */
static kn_array next(kn_array all, int64_t *at, const kn_shape *shape, kn_dtype d)
{
    int64_t n = 1;
    for (int i = 0; i < shape->ndim; i++)
        n *= shape->dim[i];
    *at += n;
    return kn_astype(kn_reshape(kn_lax_slice(all, KN_SHAPE(*at - n), KN_SHAPE(*at)), *shape), d);
}

static void expect_same(int i, const char *what, kn_array got, kn_array want)
{
    assert_ptr_equal(kn_dtype_of(got), kn_dtype_of(want));
    if (!kn_item_bool(kn_array_equal(got, want)))
        fail_msg("case %d: %s differs by up to %g", i, what, kn_item(kn_max(kn_abs(kn_subtract(got, want)))));
}

static void values_and_gradients_are_those_of_jax(void **state)
{
    const kn_dtype dtypes[] = {KN_F32, KN_F64, KN_BF16, KN_F16, KN_C64, KN_I32, KN_I8};
    (void)state;
    golden g = golden_read("conv.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        Parameters p = read_parameters(&g, i);
        kn_dtype d = dtypes[p.dtype];
        char name[32];
        int64_t at = 0;
        snprintf(name, sizeof name, "v %d", i);
        kn_array all = golden_array(golden_find(&g, name)), x = next(all, &at, &p.lhs_shape, d);
        kn_array w = next(all, &at, &p.rhs_shape, d), y = next(all, &at, &p.out_shape, d), got;
        kn_fn f = KN_FN_ENV(convolve, &p);
        if (p.dtype >= 5) {
            expect_same(i, "the result", convolve(&p, &x, &w), y);
            continue;
        }
        kn_array ct = next(all, &at, &p.out_shape, d), dx, dw;
        kn_call(kn_vjp(f, KN_ARGS(&x, &w), &got), KN_OUT(&dx, &dw), &ct);
        expect_same(i, "the result", got, y);
        expect_same(i, "the gradient of lhs", dx, next(all, &at, &p.lhs_shape, d));
        expect_same(i, "the gradient of rhs", dw, next(all, &at, &p.rhs_shape, d));
    }
    golden_free(&g);
}

/* ---- Padding by name, transposed convolutions, patches. */

static kn_array stored(const golden *g, const char *name) { return golden_array(golden_find(g, name)); }

static void names_of_padding_are_those_of_jax(void **state)
{
    static const char *const names[] = {"SAME", "SAME_LOWER", "VALID"};
    (void)state;
    golden g = golden_read("conv.npz");
    kn_array x = stored(&g, "nhwc x"), w = stored(&g, "nhwc w");
    for (int i = 0; i < 12; i++) {
        KN_SCOPE;
        char name[64];
        kn_shape s = i & 1 ? KN_SHAPE(2, 3) : KN_SHAPE(1, 1), d = i & 2 ? KN_SHAPE(2, 1) : KN_SHAPE(1, 1);
        snprintf(name, sizeof name, "nhwc %s %s %s", names[i / 4], i & 1 ? "23" : "11", i & 2 ? "21" : "11");
        kn_array y = kn_lax_conv_general_dilated(x, w, s, names[i / 4], .rhs_dilation = &d,
                                                 .dimension_numbers = {"NHWC", "HWIO", "NHWC"});
        golden_close(name, y, golden_find(&g, name), 0, 0);
    }
    kn_release(x), kn_release(w);
    golden_free(&g);
}

static void transposed_convolutions_are_those_of_jax(void **state)
{
    static const char *const names[] = {"SAME", "VALID", "PAIRS"}, *const strides[] = {"11", "23", "41"};
    (void)state;
    golden g = golden_read("conv.npz");
    for (int i = 0; i < 36; i++) {
        KN_SCOPE;
        char name[64];
        bool kernel = i & 1, consistent = i >> 1 & 1;
        int pad = i / 12, s = i / 4 % 3;
        kn_shape step = s == 0 ? KN_SHAPE(1, 1) : s == 1 ? KN_SHAPE(2, 3) : KN_SHAPE(4, 1);
        kn_lax_pads pads = pad == 0 ? KN_SAME : pad == 1 ? KN_VALID : KN_PADS({1, 0}, {2, 1});
        snprintf(name, sizeof name, "transpose %s %s %d%d", names[pad], strides[s], kernel, consistent);
        kn_array x = stored(&g, "nhwc x"), w = stored(&g, "nhwc w");
        w = kernel ? kn_swapaxes(w, 2, 3) : w;
        kn_array y =
            kn_lax_conv_transpose(x, w, step, pads, .transpose_kernel = kernel, .use_consistent_padding = consistent);
        golden_close(name, y, golden_find(&g, name), 0, 0);
    }
    KN_SCOPE;
    kn_array x = stored(&g, "nhwc x"), w = stored(&g, "nhwc w");
    kn_array y = kn_lax_conv_transpose(x, w, KN_SHAPE(2, 2), KN_SAME, .rhs_dilation = &KN_SHAPE(1, 3));
    golden_close("transpose dilated", y, golden_find(&g, "transpose dilated"), 0, 0);
    y = kn_lax_conv_transpose(stored(&g, "line x"), stored(&g, "line w"), KN_SHAPE(2), KN_SAME);
    golden_close("transpose line", y, golden_find(&g, "transpose line"), 0, 0);
    golden_free(&g);
}

static void patches_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    golden g = golden_read("conv.npz");
    kn_array x = stored(&g, "nhwc x");
    kn_array y = kn_lax_conv_general_dilated_patches(x, KN_SHAPE(3, 2), KN_SHAPE(2, 1), KN_SAME,
                                                     .dimension_numbers = {"NHWC", "HWIO", "NHWC"});
    golden_close("patches nhwc", y, golden_find(&g, "patches nhwc"), 0, 0);
    y = kn_lax_conv_general_dilated_patches(x, KN_SHAPE(2, 2), KN_SHAPE(1, 1), KN_PADS({1, 0}, {0, 0}),
                                            .rhs_dilation = &KN_SHAPE(2, 1));
    golden_close("patches default", y, golden_find(&g, "patches default"), 0, 0);
    y = kn_lax_conv_general_dilated_patches(x, KN_SHAPE(2, 3), KN_SHAPE(1, 2), KN_PADS({0, 0}, {1, 0}),
                                            .lhs_dilation = &KN_SHAPE(2, 1),
                                            .dimension_numbers = {"HCNW", "WOIH", "CWNH"});
    golden_close("patches mixed", y, golden_find(&g, "patches mixed"), 0, 0);
    y = kn_lax_conv_general_dilated_local(x, stored(&g, "local nhwc w"), KN_SHAPE(1, 1), KN_SAME, KN_SHAPE(3, 2),
                                          .dimension_numbers = {"NHWC", "HWIO", "NHWC"});
    golden_close("local nhwc", y, golden_find(&g, "local nhwc"), 0, 0);
    y = kn_lax_conv_general_dilated_local(x, stored(&g, "local mixed w"), KN_SHAPE(1, 1), KN_SAME, KN_SHAPE(2, 3),
                                          .dimension_numbers = {"NHWC", "WIHO", "CWNH"});
    golden_close("local mixed", y, golden_find(&g, "local mixed"), 0, 0);
    golden_free(&g);
}

static void the_short_forms_are_the_long_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2, 3, 4), w = kn_of(float, 1, 10, 100);
    x = kn_reshape(x, KN_SHAPE(1, 1, 4));
    w = kn_reshape(w, KN_SHAPE(1, 1, 3));
    expect_values(kn_lax_conv(x, w, KN_SHAPE(1), KN_VALID), 321, 432);
    expect_values(kn_lax_conv(x, w, KN_SHAPE(1), "same"), 210, 321, 432, 43);
    expect_values(kn_lax_conv(x, w, KN_SHAPE(2), KN_SAME), 321, 43);
    expect_values(kn_lax_conv_with_general_padding(x, w, KN_SHAPE(1), KN_PADS({1, 0}), .rhs_dilation = &KN_SHAPE(2)),
                  420);
    expect_values(kn_lax_conv_with_general_padding(x, w, KN_SHAPE(2), KN_PADS({0, -1}), .lhs_dilation = &KN_SHAPE(2)),
                  201, 302);
    assert_ptr_equal(kn_dtype_of(kn_lax_conv(x, w, KN_SHAPE(1), KN_VALID, .preferred_element_type = KN_F64)), KN_F64);
    kn_array small =
        kn_lax_conv(kn_astype(x, KN_I8), kn_astype(w, KN_I8), KN_SHAPE(1), KN_VALID, .preferred_element_type = KN_F32);
    assert_ptr_equal(kn_dtype_of(small), KN_F32);
    expect_values(small, 321, 432);
}

/* ---- Dimension numbers. */

static void expect_axes(kn_axes got, int n, const int *want)
{
    assert_int_equal(got.n, n + 1);
    for (int i = 0; i < n; i++)
        assert_int_equal(got.axis[i], want[i]);
}

static void words_become_lists_of_axes(void **state)
{
    (void)state;
    kn_lax_conv_numbers d =
        kn_lax_conv_dimension_numbers(KN_SHAPE(2, 3, 4, 5), KN_SHAPE(5, 3, 3, 3), "WNCH", "HOIW", "NHCW");
    expect_axes(d.lhs_spec, 4, (const int[]){1, 2, 3, 0});
    expect_axes(d.rhs_spec, 4, (const int[]){1, 2, 0, 3});
    expect_axes(d.out_spec, 4, (const int[]){0, 2, 1, 3});
    assert_null(d.lhs);
    d = kn_lax_conv_dimension_numbers(KN_SHAPE(2, 3, 4), KN_SHAPE(5, 3, 3));
    expect_axes(d.out_spec, 3, (const int[]){0, 1, 2});
}

#define X KN_SHAPE(2, 3, 4)
#define W KN_SHAPE(5, 3, 3)

static void words_that_do_not_fit_are_refused_as_by_jax(void **state)
{
    (void)state;
    kn_lax_conv_dimension_numbers(X, W, "NC", "OIH", "NCH");
    expect_error("TypeError",
                 "lax.conv_dimension_numbers: convolution dimension_numbers[0] must have len equal to the ndim of lhs "
                 "and rhs, got 2 for lhs and rhs shapes (2, 3, 4) and (5, 3, 3).");
    kn_lax_conv_dimension_numbers(X, W, "NXH", "OIH", "NCH");
    expect_error_with("TypeError", "convolution dimension_numbers[0] must contain the characters 'N' and 'C' exactly "
                                   "once, got NXH.");
    kn_lax_conv_dimension_numbers(KN_SHAPE(1, 1, 1, 1), KN_SHAPE(1, 1, 1, 1), "NCHH", "OIHW", "NCHW");
    expect_error_with("TypeError", "convolution dimension_numbers[0] cannot have duplicate characters, got NCHH.");
    kn_lax_conv_dimension_numbers(X, W, "NCW", "OIH", "NCH");
    expect_error_with("TypeError", "convolution dimension_numbers elements must each have the same set of spatial "
                                   "characters, got ('NCW', 'OIH', 'NCH').");
    kn_lax_conv_dimension_numbers(X, KN_SHAPE(5, 3), "NCW", "OIW", "NCW");
    expect_error_with("TypeError", "convolution requires lhs and rhs ndim to be equal, got 3 and 2.");
}

/* ---- Messages. */

static void calls_that_do_not_fit_are_refused_as_by_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(X, .dtype = KN_F32), w = kn_ones(W, .dtype = KN_F32), i = kn_ones(W, .dtype = KN_I32);
    kn_lax_conv(x, w, KN_SHAPE(1), "SOME");
    expect_error("RuntimeError",
                 "lax.conv: Unrecognized padding type: expected 'VALID', 'SAME', or 'SAME_LOWER', got SOME.");
    kn_lax_conv(x, w, KN_SHAPE(1), KN_PADS({0, 0}, {0, 0}));
    expect_error_with("TypeError", "Wrong number of explicit pads for convolution: expected 1, got 2.");
    kn_lax_conv(x, w, KN_SHAPE(1, 1), KN_SAME);
    expect_error_with("ValueError", "conv_general_dilated window and window_strides must have the same number of "
                                    "dimensions, but got 1 and 2");
    kn_lax_conv(x, w, KN_SHAPE(1, 1), KN_PADS({0, 0}));
    expect_error_with("ValueError", "conv_general_dilated window and window_strides must have the same number of "
                                    "dimensions, but got 1 and 2");
    kn_lax_conv(x, w, KN_SHAPE(0), KN_PADS({0, 0}));
    expect_error_with("ValueError", "window_strides must be positive, got (0,).");
    kn_lax_conv(x, i, KN_SHAPE(1), KN_SAME);
    expect_error("TypeError", "lax.conv: requires arguments to have the same dtypes, got float32, int32.");
    kn_lax_conv(x, w, KN_SHAPE(1), KN_PADS({-3, -2}));
    expect_error_with("ValueError", "Negative padding is larger than the size of the corresponding dimension: got "
                                    "padding=((-3, -2),) for lhs_shape[2:]=(4,)");
    kn_lax_conv(x, kn_ones(KN_SHAPE(5, 2, 3), .dtype = KN_F32), KN_SHAPE(1), KN_VALID);
    expect_error_with("ValueError", "conv_general_dilated lhs feature dimension size divided by feature_group_count "
                                    "must equal the rhs input feature dimension size, but 3 // 1 != 2.");
    kn_lax_conv_general_dilated(x, w, KN_SHAPE(1), KN_SAME, .feature_group_count = 2);
    expect_error_with("ValueError", "conv_general_dilated feature_group_count must divide lhs feature dimension size, "
                                    "but 2 does not divide 3.");
    kn_lax_conv_general_dilated(x, w, KN_SHAPE(1), KN_SAME, .batch_group_count = 2);
    expect_error_with("ValueError", "conv_general_dilated rhs output feature dimension size must be a multiple of "
                                    "batch_group_count, but 5 is not a multiple of 2.");
    kn_lax_conv_general_dilated(x, w, KN_SHAPE(1), KN_SAME, .batch_group_count = 3);
    expect_error_with("ValueError",
                      "conv_general_dilated batch_group_count must divide lhs batch dimension size, but 3 "
                      "does not divide 2.");
    kn_lax_conv_general_dilated(x, w, KN_SHAPE(1), KN_SAME, .lhs_dilation = &KN_SHAPE(2));
    expect_error_with("ValueError",
                      "String padding is not implemented for transposed convolution using this op. Please "
                      "either exactly specify the required padding or use conv_transpose.");
    kn_lax_conv_general_dilated(x, w, KN_SHAPE(1), KN_PADS({0, 0}), .lhs_dilation = &KN_SHAPE(0));
    expect_error_with("TypeError", "All dilations must be positive, got (0,).");
    kn_lax_conv_general_dilated(x, w, KN_SHAPE(1), KN_SAME, .preferred_element_type = KN_BF16);
    expect_error_with("TypeError", "`preferred_element_type` must not be narrower than the original type.");
    kn_lax_conv_general_dilated(x, w, KN_SHAPE(1), KN_SAME, .preferred_element_type = KN_I32);
    expect_error_with("TypeError", "Input type is incompatible with `preferred_element_type`.");
    kn_lax_conv_transpose(kn_ones(KN_SHAPE(1, 1, 1, 1, 1, 1)), kn_ones(KN_SHAPE(1, 1, 1, 1, 1, 1)),
                          KN_SHAPE(1, 1, 1, 1), KN_SAME);
    expect_error_with("ValueError", "No 4+ dimensional dimension_number defaults.");
    kn_lax_conv_transpose(x, w, KN_SHAPE(2), KN_SAME_LOWER, .use_consistent_padding = true);
    expect_error_with("ValueError", "Invalid padding mode: SAME_LOWER");
    kn_lax_conv_transpose(x, w, KN_SHAPE(2), KN_SAME, .transpose_kernel = true,
                          .dimension_numbers = {.lhs_spec = KN_AXIS(0, 1, 2),
                                                .rhs_spec = KN_AXIS(0, 99, -1),
                                                .out_spec = KN_AXIS(0, 1, 2)});
    expect_error_with("TypeError", "conv_general_dilated rhs_spec of dimension_numbers must name each of the 3 "
                                   "dimensions once, got (0, 99, -1).");
    kn_lax_conv_general_dilated_patches(x, KN_SHAPE(2, 2), KN_SHAPE(1), KN_SAME);
    expect_error_with("TypeError", "convolution requires lhs and rhs ndim to be equal, got 3 and 4.");
    kn_lax_conv_general_dilated_local(x, kn_ones(KN_SHAPE(5, 6, 4), .dtype = KN_F32), KN_SHAPE(1), KN_VALID,
                                      KN_SHAPE(2));
    expect_error_with("TypeError", "batch dimensions to have the same shape");
}

/* What lies outside are zeros that are multiplied: an infinity of the kernel gives NaN there. */
static void zeros_outside_meet_infinities(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(float, 1, 2, 3), KN_SHAPE(1, 1, 3));
    kn_array w = kn_reshape(kn_of(float, INFINITY, 1), KN_SHAPE(1, 1, 2));
    expect_values(kn_lax_conv(x, w, KN_SHAPE(1), KN_PADS({1, 0})), NAN, INFINITY, INFINITY);
}

typedef struct {
    kn_array x, w;
} Operands;
static kn_array transposed_loss(const Operands *o)
{
    kn_array y = kn_lax_conv_transpose(o->x, o->w, KN_SHAPE(2), KN_SAME);
    return kn_sum(kn_mul(y, kn_sin(y)));
}
KN_FUNCTION(transposed_loss, kn_array, Operands)

/* The gradient of each of n equal samples is that of one alone: the plan changes with the number, a sum does not. */
static void a_sample_does_not_see_how_many_there_are(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_sin(kn_arange(0, 6, 1, .dtype = KN_F32)), KN_SHAPE(1, 2, 3));
    Operands o = {x, kn_reshape(kn_sin(kn_arange(0, 72, 1, .dtype = KN_F32)), KN_SHAPE(3, 3, 8))}, one, g;
    kn_call(kn_grad(KN_FN(transposed_loss)), &one, &o);
    static const int64_t many[] = {2, 100, 4096, 4097, 6251, 8192, 9000};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        KN_SCOPE;
        kn_fn f = kn_jit(kn_grad(KN_FN(transposed_loss))); /* one of its own: these extents are known */
        o.x = kn_broadcast_to(x, KN_SHAPE(many[i], 2, 3));
        kn_call(f, &g, &o);
        assert_true(kn_array_equal(g.x, kn_broadcast_to(one.x, KN_SHAPE(many[i], 2, 3))));
    }
}

KN_TEST_GROUP(test_lax_conv)
{
    const struct CMUnitTest tests[] = {
        TEST(values_and_gradients_are_those_of_jax),
        TEST(names_of_padding_are_those_of_jax),
        TEST(transposed_convolutions_are_those_of_jax),
        TEST(patches_are_those_of_jax),
        TEST(the_short_forms_are_the_long_one),
        TEST(words_become_lists_of_axes),
        TEST(words_that_do_not_fit_are_refused_as_by_jax),
        TEST(calls_that_do_not_fit_are_refused_as_by_jax),
        TEST(zeros_outside_meet_infinities),
        TEST(a_sample_does_not_see_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
