/* SPDX-License-Identifier: Apache-2.0
 * test_variables.c -- programs of dimension variables have the steps that programs for the shapes have: loops as
 * kernels, bands, kernels as parts of products, segments; and their bits, for large, small and prime extents. */
#include "compile/plan.h"
#include "host/native.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/recurrences.h"
#include <kiln/kiln.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    kn_array x, w, v;
} Three;

static kn_array scanned(const Three *a) { return decaying_sum(kn_at(a->w, "0,0"), a->v); }
static kn_array row_decay(const kn_array *s, const kn_array *x) { return kn_add(kn_mul(*s, 0.9f), kn_sin(*x)); }
KN_FUNCTION(row_decay, kn_array, kn_array, kn_array)
static kn_array scanned_rows(const Three *a)
{
    kn_array s = kn_zeros(KN_SHAPE(kn_dim(a->x, 1)), .dtype = KN_F32);
    kn_scan(KN_FN(row_decay), &s, &s, &a->x);
    return s;
}
static kn_array roots(const Three *a) { return newton_roots(kn_add(kn_square(a->v), 0.5f)); }
static kn_array dense(const Three *a) { return kn_nn_gelu(kn_add(kn_matmul(a->x, a->w), kn_at(a->w, "0"))); }
static kn_array turned(const Three *a) { return kn_matmul(a->w, kn_copy(kn_transpose(a->x))); }
static kn_array attention(const Three *a)
{
    return kn_matmul(kn_nn_softmax(kn_matmul(a->x, kn_transpose(a->x))), a->x);
}
static kn_array two_layers(const Three *a)
{
    return kn_sum(kn_square(kn_matmul(kn_nn_softmax(kn_matmul(a->x, a->w)), a->w)), KN_AXIS(-1));
}
static kn_array padded(const Three *a) { return kn_mul(kn_pad(a->x, 3), 2); }
static kn_array joined(const Three *a)
{
    return kn_concatenate(KN_LIST(kn_exp(a->v), kn_sin(kn_ravel(kn_at(a->x, ":,:2"))), kn_mul(a->v, 2)));
}
static kn_array rolled(const Three *a) { return kn_sub(kn_roll(a->v, 1), kn_roll(a->v, -1)); }
static kn_array pooled(const Three *a)
{
    kn_array x = kn_reshape(a->x, KN_SHAPE(1, kn_dim(a->x, 0), kn_dim(a->x, 1), 1));
    return kn_nn_max_pool(x, KN_SHAPE(1, 2), .strides = &KN_SHAPE(1, 2));
}
static kn_array updated(const Three *a)
{
    kn_array y = kn_mul(a->x, 2);
    kn_iadd_at(y, 1, ":, 1:3");
    return y;
}
KN_FUNCTION(scanned, kn_array, Three)
KN_FUNCTION(scanned_rows, kn_array, Three)
KN_FUNCTION(roots, kn_array, Three)
KN_FUNCTION(dense, kn_array, Three)
KN_FUNCTION(turned, kn_array, Three)
KN_FUNCTION(attention, kn_array, Three)
KN_FUNCTION(two_layers, kn_array, Three)
KN_FUNCTION(padded, kn_array, Three)
KN_FUNCTION(joined, kn_array, Three)
KN_FUNCTION(rolled, kn_array, Three)
KN_FUNCTION(pooled, kn_array, Three)
KN_FUNCTION(updated, kn_array, Three)

enum { WIDTH = 64, LARGEST = 2003 };

static kn_array wave(kn_shape shape, double by)
{
    int64_t n = 1;
    for (int d = 0; d < shape.ndim; d++)
        n *= shape.dim[d];
    return kn_astype(kn_reshape(kn_sin(kn_mul(kn_arange(0, (double)n, 1, .dtype = KN_F64), by)), shape), KN_F32);
}
static Three input(int t)
{
    return (Three){wave(KN_SHAPE(t, WIDTH), 1.7), wave(KN_SHAPE(WIDTH, WIDTH), 0.3), wave(KN_SHAPE(t), 0.7)};
}

static struct heard {
    const char *want;
    _Atomic bool found; /* worker threads say something, too */
} heard;
static void hear(void *env, int level, const char *text)
{
    (void)env, (void)level;
    heard.found |= heard.want && !strncmp(text, "program ", 8) && strstr(text, heard.want);
}

typedef struct row {
    const char *name, *step; /* what the text of the program for the largest extent has */
    kn_fn (*fn)(void);
} row;
#define ROW(name, step)                                  \
    static kn_fn name##_fn(void) { return KN_FN(name); } \
    static const row name##_row = {#name, step, name##_fn};
ROW(scanned, "a compiled loop")
ROW(scanned_rows, "a compiled loop")
ROW(roots, "a compiled loop")
ROW(dense, "result to kernel")
ROW(turned, "a product goes along the strides of where it comes from")
ROW(attention, "band of")
ROW(two_layers, "band of")
ROW(padded, "segments")
ROW(joined, "segments")
ROW(rolled, "segments")
ROW(pooled, "kernel")
ROW(updated, "steps")
static const row *const rows[] = {&scanned_row, &scanned_rows_row, &roots_row,      &dense_row,
                                  &turned_row,  &attention_row,    &two_layers_row, &padded_row,
                                  &joined_row,  &rolled_row,       &pooled_row,     &updated_row};
enum { ROWS = sizeof rows / sizeof *rows };

/* Once with the largest extent first, once with the smallest: another constraint is another function. */
static void the_same_steps_and_bits(void **state)
{
    static const int extents[] = {LARGEST, 257, 1, 2, 3, 31, 64, 100, 7, 512, 700, 5};
    enum { N = sizeof extents / sizeof *extents };
    (void)state;
    for (int r = 0; r < ROWS; r++)
        for (int order = 0; order < 2; order++) {
            KN_SCOPE;
            kn_fn one =
                kn_jit(rows[r]->fn(), .symbolic = "t 64, 64 64, t", .constraints = order ? "t <= 5000" : "t >= 1");
            kn_fn each = kn_jit(rows[r]->fn());
            heard = (struct heard){.want = order ? NULL : rows[r]->step};
            kn_set_log(hear, NULL);
            kn_set_debug(order ? 0 : 4);
            for (int i = 0; i < N; i++) {
                KN_SCOPE;
                Three in = input(extents[order ? N - 1 - i : i]);
                kn_array y, z;
                kn_call(one, &y, &in);
                kn_set_debug(0);
                kn_call(each, &z, &in);
                if (!kn_array_equal(y, z))
                    fail_msg("%s differs for %d", rows[r]->name, extents[order ? N - 1 - i : i]);
            }
            kn_set_log(NULL, NULL);
            bool interpreted = knh_generator_best() == &knh_interpreter; /* a launch has no segments then */
            if (!order && !heard.found && !(interpreted && !strcmp(rows[r]->step, "segments")))
                fail_msg("%s has no '%s'", rows[r]->name, rows[r]->step);
            assert_false(kn_error_pending());
        }
}

static kn_array convolved(const kn_array *x, const kn_array *w)
{
    return kn_nn_relu(kn_lax_conv_general_dilated(*x, *w, KN_SHAPE(1, 1), KN_SAME));
}
KN_FUNCTION(convolved, kn_array, kn_array, kn_array)

/* The result's strides are 1, w, h*w, 8*h*w; that w is at most h*w is not known. */
static void a_kernel_joins_a_product_whose_strides_have_no_known_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = wave(KN_SHAPE(25, 4, 100, 100), 0.1), w = wave(KN_SHAPE(8, 4, 3, 3), 0.3);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(convolved), KN_ARGS(&x, &w), .symbolic = "b 4 h w, 8 4 3 3");
    assert_non_null(strstr(kn_jaxpr_program(j), "result to kernel"));
    kn_array one, other;
    kn_call(kn_jit(KN_FN(convolved), .symbolic = "b 4 h w, 8 4 3 3"), &one, &x, &w);
    kn_call(kn_jit(KN_FN(convolved)), &other, &x, &w);
    assert_true(kn_array_equal(one, other));
    assert_false(kn_error_pending());
}

/* What fails as an expression gets too long can be left undone; what failed before, and other errors, stay. */
static void too_long_expressions_are_forgiven(void **state)
{
    (void)state;
    knx_dim_scope s;
    int64_t sum[2] = {0, 0}, d;
    knx_dim_scope_init(&s);
    knx_dim_enter(&s);
    for (int i = 0; i < 12; i++) {
        char name[] = {(char)('a' + i)};
        assert_true(knx_dim_named(name, 1, &d));
        sum[i % 2] = knx_dim_add(sum[i % 2], d);
    }
    assert_false(knc_dims_failed());
    assert_false(knc_dims_forgive(false));
    assert_true(knx_dim_mul(sum[0], sum[1]) == KNX_DIM_UNKNOWN); /* 36 terms */
    assert_true(knc_dims_failed());
    assert_false(knc_dims_forgive(true));
    assert_true(knc_dims_forgive(false));
    assert_false(knc_dims_failed());
    assert_true(knx_is_symbolic(knx_dim_add(sum[0], sum[1])));
    knx_dim_refuse(knx_error_nomem());
    assert_false(knc_dims_forgive(false));
    assert_true(knc_dims_failed());
    knx_dim_leave(&s);
    knx_dim_scope_free(&s);
    assert_false(knc_dims_forgive(false)); /* there is no scope */
}

KN_TEST_GROUP(test_variables)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_long_expressions_are_forgiven),
        cmocka_unit_test(the_same_steps_and_bits),
        cmocka_unit_test(a_kernel_joins_a_product_whose_strides_have_no_known_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
