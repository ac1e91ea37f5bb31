/* SPDX-License-Identifier: Apache-2.0
 * test_windows.c -- jax.lax's reductions over windows: JAX's values and derivatives for windows of many kinds
 * (tests/golden/windows.npz), jit and vmap, other functions, JAX's error texts. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

enum { COLUMNS = 2 + 4 * 7 };

/* One case: windows of an array of up to 4 dimensions. */
typedef struct windows {
    int64_t what;
    kn_shape extents, dimensions, strides, base, step;
    kn_lax_pad_pair pad[4];
} windows;

static windows read_case(const int64_t *row)
{
    windows w = {.what = row[0]};
    int n = (int)row[1];
    w.extents.ndim = w.dimensions.ndim = w.strides.ndim = w.base.ndim = w.step.ndim = n;
    for (int d = 0; d < n; d++) {
        const int64_t *r = row + 2 + 7 * d;
        w.extents.dim[d] = r[0];
        w.dimensions.dim[d] = r[1];
        w.strides.dim[d] = r[2];
        w.pad[d] = (kn_lax_pad_pair){r[3], r[4]};
        w.base.dim[d] = r[5];
        w.step.dim[d] = r[6];
    }
    return w;
}

static kn_array reduced(const windows *w, const kn_array *x)
{
    const kn_lax_reduce_window_opts o = {.size_ = sizeof o,
                                         .window_strides = &w->strides,
                                         .padding = {NULL, w->dimensions.ndim, w->pad},
                                         .base_dilation = &w->base,
                                         .window_dilation = &w->step};
    return w->what == 0   ? (kn_lax_reduce_window_sum)(*x, &w->dimensions, &o)
           : w->what == 1 ? (kn_lax_reduce_window_max)(*x, &w->dimensions, &o)
                          : (kn_lax_reduce_window_min)(*x, &w->dimensions, &o);
}
KN_FUNCTION_ENV(reduced, kn_array, windows, kn_array)

/* The derivative of sum(g * reduce(x * x)) by x, along t. */
static kn_array weighed(const windows *w, const kn_array *x, const kn_array *g)
{
    kn_array square = kn_mul(*x, *x);
    return kn_sum(kn_mul(reduced(w, &square), *g));
}
KN_FUNCTION_ENV(weighed, kn_array, windows, kn_array, kn_array)
static kn_array slope_along(const windows *w, const kn_array *x, const kn_array *g, const kn_array *t)
{
    kn_array slope;
    kn_call(kn_grad(KN_FN_ENV(weighed, w)), &slope, x, g);
    return kn_sum(kn_mul(slope, *t));
}
KN_FUNCTION_ENV(slope_along, kn_array, windows, kn_array, kn_array, kn_array)
static kn_array pulled(const windows *w, const kn_array *x, const kn_array *g)
{
    return kn_sum(kn_mul(reduced(w, x), *g));
}
KN_FUNCTION_ENV(pulled, kn_array, windows, kn_array, kn_array)

static int64_t size_of(const kn_shape *s)
{
    int64_t n = 1;
    for (int d = 0; d < s->ndim; d++)
        n *= s->dim[d];
    return n;
}

/* The arrays of one dtype, read case by case. */
typedef struct reader {
    const golden *g;
    const char *dtype;
    int64_t at[8];
} reader;
static const char *const lists[] = {"x", "y", "t", "jvp", "g", "vjp", "hvp"};
enum { X, Y, T, JVP, G, VJP, HVP };

static kn_array next_array(reader *r, int list, const kn_shape *shape)
{
    char text[32];
    snprintf(text, sizeof text, "%s %s", r->dtype, lists[list]);
    const knio_npy *a = golden_find(r->g, text);
    const char *data = (const char *)a->buffer->data + (size_t)r->at[list] * a->dtype->size;
    r->at[list] += size_of(shape);
    assert_true(r->at[list] <= golden_size(a));
    kn_array y = kn_from_memory(data, shape, a->dtype);
    return strcmp(r->dtype, "f16") && strcmp(r->dtype, "bf16") ? y : kn_astype(y, golden_dtype(r->dtype));
}

static void same(const char *dtype, int64_t i, const char *what, kn_array got, kn_array want, double tolerance)
{
    bool equal = tolerance ? kn_allclose(got, want, .rtol = tolerance, .atol = tolerance, .equal_nan = true)
                           : kn_array_equal(got, want, .equal_nan = true);
    if (!equal)
        fail_msg("%s case %d: %s\ngot %s\nwant %s", dtype, (int)i, what, kn_repr(got), kn_repr(want));
}

static void check_derivatives(reader *r, int64_t i, const windows *w, kn_array x, kn_array y, double tolerance)
{
    kn_array t = next_array(r, T, &w->extents), g, dy, slope, along;
    kn_shape counts = kn_shape_of(y);
    kn_jvp(KN_FN_ENV(reduced, w), KN_ARGS(&x), KN_ARGS(&t), &y, &dy);
    same(r->dtype, i, "jvp", dy, next_array(r, JVP, &counts), tolerance);
    g = next_array(r, G, &counts);
    kn_array vjp = next_array(r, VJP, &w->extents), hvp = next_array(r, HVP, &w->extents);
    bool dilated = false;
    for (int d = 0; d < w->extents.ndim; d++)
        dilated |= w->step.dim[d] != 1 || w->pad[d].low < 0 || w->pad[d].high < 0;
    if (!kn_size(x) || !kn_size(y) || (w->what && dilated))
        return;
    kn_call(kn_jit(kn_grad(KN_FN_ENV(pulled, w))), &slope, &x, &g);
    same(r->dtype, i, "vjp", slope, vjp, tolerance);
    kn_array smooth = kn_where(kn_isfinite(x), x, 3);
    kn_call(kn_grad(KN_FN_ENV(slope_along, w)), &along, &smooth, &g, &t);
    same(r->dtype, i, "hvp", along, hvp, tolerance);
}

static void check_dtype(const golden *g, const char *dtype, bool floats, double tolerance)
{
    char text[32];
    snprintf(text, sizeof text, "%s table", dtype);
    const knio_npy *table = golden_find(g, text);
    reader r = {g, dtype, {0}};
    for (int64_t i = 0; i < golden_size(table) / COLUMNS; i++) {
        KN_SCOPE;
        windows w = read_case((const int64_t *)table->buffer->data + i * COLUMNS);
        kn_array x = next_array(&r, X, &w.extents), y = reduced(&w, &x), jitted, stacked, rows;
        kn_shape counts = kn_shape_of(y);
        kn_array want = next_array(&r, Y, &counts);
        same(dtype, i, "value", y, want, tolerance);
        kn_call(kn_jit(KN_FN_ENV(reduced, &w)), &jitted, &x);
        same(dtype, i, "jit", jitted, y, 0);
        stacked = kn_stack(KN_LIST(x, kn_flip(x)), KN_AXIS(-1));
        kn_call(kn_vmap(KN_FN_ENV(reduced, &w), .in_axes = {KN_MAPPED(-1)}), &rows, &stacked);
        same(dtype, i, "vmap", kn_at(rows, "0"), y, 0);
        if (floats)
            check_derivatives(&r, i, &w, x, y, tolerance);
        expect_no_error();
    }
}

static void floats_are_those_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("windows.npz");
    check_dtype(&g, "f32", true, 2e-5);
    check_dtype(&g, "f64", true, 1e-12);
    check_dtype(&g, "c64", false, 2e-5);
    golden_free(&g);
}

static void exact_numbers_are_those_of_jax(void **state)
{
    static const char *const dtypes[] = {"f16", "bf16", "i8", "i32", "i64", "u8", "u32", "bool"};
    (void)state;
    golden g = golden_read("windows.npz");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        check_dtype(&g, dtypes[i], false, 0);
    golden_free(&g);
}

/* ---- By any function. */

static kn_array times(const kn_array *x, const kn_array *y) { return kn_mul(*x, *y); }
KN_FUNCTION(times, kn_array, kn_array, kn_array)
static kn_array plus(const kn_array *x, const kn_array *y) { return kn_add(*x, *y); }
KN_FUNCTION(plus, kn_array, kn_array, kn_array)
static kn_array larger(const kn_array *x, const kn_array *y) { return kn_maximum(*x, *y); }
KN_FUNCTION(larger, kn_array, kn_array, kn_array)
static kn_array not_less(const kn_array *x, const kn_array *y) { return kn_greater_equal(*x, *y); }
KN_FUNCTION(not_less, kn_array, kn_array, kn_array)
static kn_array not_more(const kn_array *x, const kn_array *y) { return kn_less_equal(*x, *y); }
KN_FUNCTION(not_more, kn_array, kn_array, kn_array)
static kn_array sum_of_exponentials(const kn_array *x, const kn_array *y) { return kn_logaddexp(*x, *y); }
KN_FUNCTION(sum_of_exponentials, kn_array, kn_array, kn_array)
typedef struct {
    kn_array x, at;
} Largest;
static Largest first_largest(const Largest *a, const Largest *b)
{
    kn_array stays = kn_greater_equal(a->x, b->x);
    return (Largest){kn_where(stays, a->x, b->x), kn_where(stays, a->at, b->at)};
}
KN_FUNCTION(first_largest, Largest, Largest, Largest)

#define KINDS                                                                         \
    .window_strides = &KN_SHAPE(1, 2, 2), .padding = KN_PADS({1, 0}, {1, 1}, {0, 0}), \
    .base_dilation = &KN_SHAPE(1, 2, 1), .window_dilation = &KN_SHAPE(2, 1, 1)
static kn_array product(const kn_array *x)
{
    return kn_lax_reduce_window(*x, 1, KN_FN(times), KN_SHAPE(2, 3, 1), KINDS);
}
KN_FUNCTION(product, kn_array, kn_array)

static void other_functions_join_as_in_jax(void **state)
{
    (void)state;
    golden g = golden_read("windows.npz");
    {
        KN_SCOPE;
        kn_array x = golden_array(golden_find(&g, "any x")), t = golden_array(golden_find(&g, "any t")), y, dy;
        kn_jvp(KN_FN(product), KN_ARGS(&x), KN_ARGS(&t), &y, &dy);
        golden_close("product", y, golden_find(&g, "any product"), 1e-6, 1e-6);
        golden_close("jvp", dy, golden_find(&g, "any product jvp"), 1e-5, 1e-5);
        golden_close("prod", kn_lax_reduce_window_prod(x, KN_SHAPE(2, 3, 1), KINDS), golden_find(&g, "any product"),
                     1e-6, 1e-6);
        y = kn_lax_reduce_window(x, 3, KN_FN(times), KN_SHAPE(2, 3, 1), KINDS);
        golden_close("product of 3", y, golden_find(&g, "any product of 3"), 1e-6, 1e-6);
        y = kn_lax_reduce_window(x, -INFINITY, KN_FN(sum_of_exponentials), KN_SHAPE(2, 3, 1), KINDS);
        golden_close("logaddexp", y, golden_find(&g, "any logaddexp"), 1e-6, 1e-6);
        kn_array at = kn_reshape(kn_astype(kn_arange(0, kn_size(x), 1), KN_I32), kn_shape_of(x));
        kn_list pair = kn_lax_reduce_window_list(KN_LIST(x, at), KN_LIST(-INFINITY, -1), KN_FN(first_largest),
                                                 KN_SHAPE(2, 3, 1), KINDS);
        golden_same_bits("pair 0", kn_list_get(pair, 0), golden_find(&g, "any pair 0"));
        golden_same_bits("pair 1", kn_list_get(pair, 1), golden_find(&g, "any pair 1"));
    }
    golden_free(&g);
}

static void functions_choose_and_join_as_in_jax(void **state)
{
    (void)state;
    golden g = golden_read("windows.npz");
    {
        KN_SCOPE;
        kn_array x = golden_array(golden_find(&g, "scatter x")), s = golden_array(golden_find(&g, "scatter source"));
        kn_array y = kn_lax_select_and_scatter(x, s, 0, KN_FN(not_less), KN_FN(plus), KN_SHAPE(1, 3, 2),
                                               .window_strides = &KN_SHAPE(1, 2, 2));
        golden_same_bits("add", y, golden_find(&g, "scatter add"));
        kn_array same_y = kn_lax_select_and_scatter_add(s, x, KN_LAX_SELECT_GE, KN_SHAPE(1, 3, 2),
                                                        .window_strides = &KN_SHAPE(1, 2, 2));
        golden_same_bits("scatter_add", same_y, golden_find(&g, "scatter add"));
        y = kn_lax_select_and_scatter(x, s, -1, KN_FN(not_more), KN_FN(larger), KN_SHAPE(1, 3, 2),
                                      .window_strides = &KN_SHAPE(1, 2, 2));
        golden_same_bits("max", y, golden_find(&g, "scatter max"));
    }
    golden_free(&g);
}

/* ---- One number for one window, whoever works it out. */

static kn_array sums(const kn_array *x)
{
    return kn_lax_reduce_window_sum(*x, KN_SHAPE(5, 3), .window_strides = &KN_SHAPE(2, 1), .padding = KN_SAME);
}
KN_FUNCTION(sums, kn_array, kn_array)
static kn_array squares(const kn_array *x)
{
    kn_array y = sums(x);
    return kn_sum(kn_mul(y, y));
}
KN_FUNCTION(squares, kn_array, kn_array)
static kn_array maxima(const kn_array *x)
{
    kn_array y = kn_lax_reduce_window_max(kn_sin(*x), KN_SHAPE(3, 3), .window_strides = &KN_SHAPE(2, 1));
    return kn_sum(kn_mul(y, y));
}
KN_FUNCTION(maxima, kn_array, kn_array)

static void a_kernel_and_the_routine_make_the_same_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    /* many are a kernel's, one is a routine's */
    kn_array x = kn_sin(kn_reshape(kn_mul(kn_arange(0, 40 * 31 * 43, 1), 1.7), KN_SHAPE(40, 31, 43))), all, one;
    const kn_dtype dtypes[] = {KN_F32, KN_F16, KN_BF16, KN_F64};
    for (int i = 0; i < 4; i++) {
        kn_array typed = kn_astype(x, dtypes[i]), row = kn_at(typed, "7");
        kn_call(kn_vmap(KN_FN(sums)), &all, &typed);
        assert_true(kn_array_equal(kn_at(all, "7"), sums(&row)));
        kn_call(kn_vmap(kn_grad(KN_FN(squares))), &all, &typed);
        kn_call(kn_grad(KN_FN(squares)), &one, &row);
        assert_true(kn_array_equal(kn_at(all, "7"), one));
        kn_call(kn_jit(kn_vmap(kn_grad(KN_FN(maxima)))), &all, &typed);
        kn_call(kn_grad(KN_FN(maxima)), &one, &row);
        assert_true(kn_array_equal(kn_at(all, "7"), one));
    }
}

/* ---- Padding, shapes, errors. */

static void padding_types_are_pairs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_lax_pad_pair pads[3];
    assert_int_equal(kn_lax_padtype_to_pads(KN_SHAPE(5, 6, 0), KN_SHAPE(2, 4, 3), KN_SHAPE(1, 3, 2), "same", pads), 3);
    assert_int_equal(pads[0].low, 0);
    assert_int_equal(pads[0].high, 1);
    assert_int_equal(pads[1].low, 0);
    assert_int_equal(pads[1].high, 1);
    assert_int_equal(pads[2].low, 0);
    assert_int_equal(pads[2].high, 1);
    assert_int_equal(kn_lax_padtype_to_pads(KN_SHAPE(5), KN_SHAPE(4), KN_SHAPE(1), "SAME_LOWER", pads), 1);
    assert_int_equal(pads[0].low, 2);
    assert_int_equal(pads[0].high, 1);
    assert_int_equal(kn_lax_padtype_to_pads(KN_SHAPE(5), KN_SHAPE(4), KN_SHAPE(1), "FULL", pads), -1);
    expect_error("RuntimeError", "lax.padtype_to_pads: Unrecognized padding type: expected 'VALID', 'SAME', or "
                                 "'SAME_LOWER', got FULL.");
    kn_shape y = kn_lax_reduce_window_shape_tuple(KN_SHAPE(7, 5), KN_SHAPE(2, 3), .window_strides = &KN_SHAPE(2, 1),
                                                  .padding = KN_PADS({1, 0}, {0, 0}));
    assert_int_equal(y.ndim, 2);
    assert_int_equal(y.dim[0], 4);
    assert_int_equal(y.dim[1], 3);
}

static void errors_are_in_the_words_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(4, 5), .dtype = KN_F32);
    kn_lax_reduce_window_sum(x, KN_SHAPE(2));
    expect_error("TypeError",
                 "lax.reduce_window_sum: got the wrong number of window_dimensions for operand: got operand "
                 "shape (4,5) with window_dimensions (2,).");
    kn_lax_reduce_window_sum(x, KN_SHAPE(0, 1));
    expect_error("TypeError",
                 "lax.reduce_window_sum: window_dimensions must have every element be strictly positive, got "
                 "(0, 1).");
    kn_lax_reduce_window_max(x, KN_SHAPE(1, 1), .window_strides = &KN_SHAPE(1));
    expect_error("TypeError", "lax.reduce_window_max: got inconsistent window_strides and window_dimensions: got "
                              "window_strides (1,) and window_dimensions (1, 1).");
    kn_lax_reduce_window_max(x, KN_SHAPE(1, 1), .base_dilation = &KN_SHAPE(-1, 1));
    expect_error("TypeError",
                 "lax.reduce_window_max: base_dilation must have every element be nonnegative, got (-1, 1).");
    kn_lax_reduce_window_max(x, KN_SHAPE(1, 1), .window_dilation = &KN_SHAPE(0, 1));
    expect_error("TypeError", "lax.reduce_window_max: All dilations must be positive, got (0, 1).");
    kn_lax_reduce_window_sum(kn_greater(x, 0), KN_SHAPE(1, 1));
    expect_error("TypeError", "lax.reduce_window_sum: operand to reduce_window_sum must have a number dtype, got bool");
    kn_lax_reduce_window(x, x, KN_FN(times), KN_SHAPE(1, 1));
    expect_error("TypeError",
                 "lax.reduce_window: expected init_values to be scalars but init_values have shapes [(4,5)].");
    kn_lax_reduce_window_list(KN_LIST(x), KN_LIST(), KN_FN(times), KN_SHAPE(1, 1));
    expect_error_with("ValueError", "Must have same total number of operands as init_values");
    kn_lax_select_and_gather_add(kn_ones(KN_SHAPE(2)), x, KN_LAX_SELECT_GE, KN_SHAPE(1, 1));
    expect_error("TypeError", "lax.select_and_gather_add: tangents and operand shapes must match, got (2,) and (4,5).");
    kn_lax_select_and_scatter_add(x, x, KN_LAX_SELECT_GE, KN_SHAPE(2, 2));
    expect_error("TypeError",
                 "lax.select_and_scatter_add: source must have one element for each window, (3,4), got (4,5)");
}

static const struct CMUnitTest tests[] = {
    TEST(floats_are_those_of_jax),
    TEST(exact_numbers_are_those_of_jax),
    TEST(other_functions_join_as_in_jax),
    TEST(functions_choose_and_join_as_in_jax),
    TEST(a_kernel_and_the_routine_make_the_same_bits),
    TEST(padding_types_are_pairs),
    TEST(errors_are_in_the_words_of_jax),
};

KN_TEST_GROUP(test_windows) { return cmocka_run_group_tests(tests, NULL, NULL); }
