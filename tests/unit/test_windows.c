/* SPDX-License-Identifier: Apache-2.0
 * test_windows.c -- jax.lax's reductions over windows: JAX's values and derivatives for windows of many kinds
 * (tests/golden/windows.npz), jit and vmap, other functions, JAX's error texts. */
#include "support/expect.h"
#include "support/golden.h"

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
    const kn_npy *a = golden_find(r->g, text);
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
        fail_msg("%s case %d: %s\ngot %s\nwant %s", dtype, (int)i, what, kn_repr(kn_argwhere(kn_not_equal(got, want))),
                 kn_repr(want));
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
    const kn_npy *table = golden_find(g, text);
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

static const struct CMUnitTest tests[] = {
    TEST(floats_are_those_of_jax),
    TEST(exact_numbers_are_those_of_jax),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
