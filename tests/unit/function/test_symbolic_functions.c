/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_functions.c -- functions of unknown extents with functions in them: one recording of each has the bits of
 * recordings for each shape, for what the user names, for KN_ALL, and on a device far away. */
#include "devices/devices.h"
#include "device/device.h"
#include "support/expect.h"
#include "support/group.h"
#include <kiln/kiln.h>
#include <string.h>

static kn_array wave(int rows, int columns)
{
    return kn_sin(kn_reshape(kn_arange(0, (double)rows * columns, 1, .dtype = KN_F32), KN_SHAPE(rows, columns)));
}

static kn_array layer(const kn_array *x, const kn_array *w)
{
    return kn_tanh(kn_add(kn_matmul(*x, *w), kn_mean(*x, KN_AXIS(0))));
}
KN_FUNCTION(layer, kn_array, kn_array, kn_array)

/* What f gives for both. */
static kn_array called(kn_fn f, const kn_array *x, const kn_array *w)
{
    kn_array y;
    kn_call(f, &y, x, w);
    return y;
}

/* ---- jit in jit */
static kn_array jit_in_jit(const kn_array *x, const kn_array *w)
{
    kn_fn f = kn_jit(KN_FN(layer));
    kn_array y = called(f, x, w);
    return kn_add(y, called(f, &y, w));
}
KN_FUNCTION(jit_in_jit, kn_array, kn_array, kn_array)

/* ---- gradients, forwards and backwards */
static kn_array loss(const kn_array *x, const kn_array *w) { return kn_sum(kn_square(layer(x, w))); }
KN_FUNCTION(loss, kn_array, kn_array, kn_array)
static kn_array gradient(const kn_array *x, const kn_array *w) { return called(kn_grad(KN_FN(loss)), x, w); }
KN_FUNCTION(gradient, kn_array, kn_array, kn_array)
static kn_array jitted_loss(const kn_array *x, const kn_array *w) { return called(kn_jit(KN_FN(loss)), x, w); }
KN_FUNCTION(jitted_loss, kn_array, kn_array, kn_array)
static kn_array by_weights(const kn_array *x, const kn_array *w)
{
    return kn_add(called(kn_grad(KN_FN(jitted_loss), .argnums = KN_ARGNUMS(1)), x, w), kn_sum(*x));
}
KN_FUNCTION(by_weights, kn_array, kn_array, kn_array)
static kn_array tangents(const kn_array *x, const kn_array *w)
{
    kn_array y, dy, ones = kn_ones_like(*x), zeros = kn_zeros_like(*w);
    kn_jvp(KN_FN(layer), KN_ARGS(x, w), KN_ARGS(&ones, &zeros), &y, &dy);
    return kn_add(y, dy);
}
KN_FUNCTION(tangents, kn_array, kn_array, kn_array)
typedef struct Two {
    kn_array a, b;
} Two;
static kn_array pulled_back(const kn_array *x, const kn_array *w)
{
    kn_array y;
    Two d;
    kn_fn back = kn_vjp(KN_FN(layer), KN_ARGS(x, w), &y);
    kn_call(back, &d, &y);
    return kn_add(d.a, kn_sum(d.b));
}
KN_FUNCTION(pulled_back, kn_array, kn_array, kn_array)
static kn_array checkpointed(const kn_array *x, const kn_array *w)
{
    return called(kn_grad(kn_checkpoint(KN_FN(loss))), x, w);
}
KN_FUNCTION(checkpointed, kn_array, kn_array, kn_array)

/* ---- derivatives of the user's own */
static kn_array smooth(const kn_array *x) { return kn_log1p(kn_exp(*x)); }
KN_FUNCTION(smooth, kn_array, kn_array)
static Two smooth_rule(const kn_array *x, const kn_array *dx)
{
    return (Two){smooth(x), kn_mul(*dx, kn_div(1.0f, kn_add(1.0f, kn_exp(kn_neg(*x)))))};
}
KN_FUNCTION(smooth_rule, Two, kn_array, kn_array)
static kn_array sum_of_smooth(const kn_array *x, const kn_array *w)
{
    kn_array y, z = kn_matmul(*x, *w);
    kn_call(kn_custom_jvp(KN_FN(smooth), KN_FN(smooth_rule)), &y, &z);
    return kn_sum(y);
}
KN_FUNCTION(sum_of_smooth, kn_array, kn_array, kn_array)
static kn_array custom_jvp(const kn_array *x, const kn_array *w) { return called(kn_grad(KN_FN(sum_of_smooth)), x, w); }
KN_FUNCTION(custom_jvp, kn_array, kn_array, kn_array)

static Two forward(const kn_array *x) { return (Two){smooth(x), *x}; }
static kn_array backward(const kn_array *x, const kn_array *dy) { return kn_mul(*dy, kn_clip(*x, -0.5f, 0.5f)); }
KN_FUNCTION(forward, Two, kn_array)
KN_FUNCTION(backward, kn_array, kn_array, kn_array)
static kn_array sum_of_clipped(const kn_array *x, const kn_array *w)
{
    kn_array y, z = kn_matmul(*x, *w);
    kn_call(kn_custom_vjp(KN_FN(smooth), KN_FN(forward), KN_FN(backward)), &y, &z);
    return kn_sum(y);
}
KN_FUNCTION(sum_of_clipped, kn_array, kn_array, kn_array)
static kn_array custom_vjp(const kn_array *x, const kn_array *w)
{
    return called(kn_grad(KN_FN(sum_of_clipped)), x, w);
}
KN_FUNCTION(custom_vjp, kn_array, kn_array, kn_array)

/* ---- loops of unknown length, and branches */
static Two step(const kn_array *h, const kn_array *x)
{
    kn_array next = kn_tanh(kn_add(kn_mul(*h, 0.5f), *x));
    return (Two){next, kn_sum(next)};
}
KN_FUNCTION(step, Two, kn_array, kn_array)
static kn_array scanned(const kn_array *x, const kn_array *w)
{
    Two y;
    kn_array start = kn_at(*w, "0");
    kn_scan(KN_FN(step), &y, &start, x);
    return kn_add(y.b, kn_sum(y.a));
}
KN_FUNCTION(scanned, kn_array, kn_array, kn_array)
static kn_array sum_of_scan(const kn_array *x, const kn_array *w) { return kn_sum(kn_square(scanned(x, w))); }
KN_FUNCTION(sum_of_scan, kn_array, kn_array, kn_array)
static kn_array gradient_of_scan(const kn_array *x, const kn_array *w)
{
    return called(kn_grad(KN_FN(sum_of_scan)), x, w);
}
KN_FUNCTION(gradient_of_scan, kn_array, kn_array, kn_array)
static kn_array is_small(const Two *r) { return kn_less(kn_sum(kn_abs(r->a)), 100); }
static Two doubles(const Two *r) { return (Two){kn_mul(r->a, 2), kn_add(r->b, 1)}; }
KN_FUNCTION(is_small, kn_array, Two)
KN_FUNCTION(doubles, Two, Two)
static kn_array looped(const kn_array *x, const kn_array *w)
{
    Two begin = {kn_matmul(*x, *w), kn_scalar(0)}, end;
    kn_while_loop(KN_FN(is_small), KN_FN(doubles), &end, &begin);
    return kn_add(end.a, end.b);
}
KN_FUNCTION(looped, kn_array, kn_array, kn_array)
static kn_array negated(const kn_array *x) { return kn_neg(kn_cumsum(*x, KN_AXIS(0))); }
static kn_array sorted(const kn_array *x) { return kn_sort(*x, KN_AXIS(0)); }
KN_FUNCTION(negated, kn_array, kn_array)
KN_FUNCTION(sorted, kn_array, kn_array)
static kn_array chosen(const kn_array *x, const kn_array *w)
{
    kn_array y, z;
    kn_cond(kn_greater(kn_sum(*x), 0), KN_FN(negated), KN_FN(sorted), &y, x);
    kn_cond(kn_less(kn_sum(*w), 1000), KN_FN(negated), KN_FN(sorted), &z, x);
    return kn_add(y, z);
}
KN_FUNCTION(chosen, kn_array, kn_array, kn_array)

/* ---- vmap over an unknown axis */
static kn_array row(const kn_array *x, const kn_array *w)
{
    return kn_div(kn_matmul(*x, *w), kn_add(1, kn_max(kn_abs(*x))));
}
KN_FUNCTION(row, kn_array, kn_array, kn_array)
static kn_array mapped(const kn_array *x, const kn_array *w)
{
    return called(kn_vmap(KN_FN(row), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), x, w);
}
KN_FUNCTION(mapped, kn_array, kn_array, kn_array)
static kn_array row_loss(const kn_array *x, const kn_array *w) { return kn_sum(row(x, w)); }
KN_FUNCTION(row_loss, kn_array, kn_array, kn_array)
static kn_array gradients_of_rows(const kn_array *x, const kn_array *w)
{
    return called(kn_vmap(kn_grad(KN_FN(row_loss)), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), x, w);
}
KN_FUNCTION(gradients_of_rows, kn_array, kn_array, kn_array)

#define FUNCTIONS(X) \
    X(jit_in_jit)    \
    X(gradient)      \
    X(by_weights)    \
    X(tangents)      \
    X(pulled_back)   \
    X(checkpointed)  \
    X(custom_jvp) X(custom_vjp) X(scanned) X(gradient_of_scan) X(looped) X(chosen) X(mapped) X(gradients_of_rows)
enum { MOST = 14 };
static kn_fn all[MOST];
static const char *const names[] = {
#define X(f) #f,
    FUNCTIONS(X)
#undef X
};

static void make_functions(void)
{
    int n = 0;
#define X(f) all[n++] = KN_FN(f);
    FUNCTIONS(X)
#undef X
    assert_int_equal(n, MOST);
}

/* For several numbers of rows, with at most so many recordings. */
static void compare(const char *symbolic, int recordings)
{
    static const int extents[] = {4, 9, 2, 31, 5, 64, 17};
    make_functions();
    for (int k = 0; k < MOST; k++) {
        kn_fn one = kn_jit(all[k], .symbolic = symbolic), each = kn_jit(all[k]);
        int before = kn_fn_trace_count(one);
        for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
            KN_SCOPE;
            kn_array x = wave(extents[i], 8), w = kn_mul(wave(8, 8), 0.3f), y, z;
            kn_call(one, &y, &x, &w);
            kn_call(each, &z, &x, &w);
            if (kn_error_pending() || !kn_array_equal(y, z))
                fail_msg("%s of %d rows: %s", names[k], extents[i], kn_error_message());
        }
        if (kn_fn_trace_count(one) - before > recordings)
            fail_msg("%s is recorded %d times: %s", names[k], kn_fn_trace_count(one) - before, kn_fn_explain(one));
    }
}

static void named_extents(void **state)
{
    (void)state;
    KN_SCOPE;
    compare("b 8, 8 8", 1);
}

static void all_extents(void **state)
{
    (void)state;
    KN_SCOPE;
    compare(KN_ALL, 2);
}

/* Results come from far away: programs are made of variables there, too. */
static void far_away(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(knd_register(&far_device));
    knd_set_default(&far_device);
    far_forget();
    compare("b 8, 8 8", 1);
    assert_true(far_count().launches > 0);
    knd_set_default(NULL);
    knd_unregister(&far_device);
}

KN_TEST_GROUP(test_symbolic_functions)
{
    const struct CMUnitTest tests[] = {TEST(named_extents), TEST(all_extents), TEST(far_away)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
