/* SPDX-License-Identifier: Apache-2.0
 * test_kernel_ir.c -- building, folding, verifying, printing and parsing kernels. */
#include "kernel/expr.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/kernel_scene.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const uint8_t one[] = {KNK_STRIDE_ONE, KNK_STRIDE_ONE};

static void text_into(const knk_kernel *k, char **text)
{
    *text = NULL;
    assert_null(knk_text(k, text));
    assert_non_null(*text);
}

static void expect_text(scene *s, knk_node value, const char *want)
{
    knk_store(s->k, s->out, s->map, value);
    knk_kernel *k;
    assert_null(knk_finish(s->k, &k));
    char *text;
    text_into(k, &text);
    assert_non_null(strstr(text, want));
    knx_free(text);
    knk_release(k);
}

static void equal_nodes_are_made_once(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    assert_int_equal(ADD(s.x, F32(2)), ADD(s.x, F32(2)));
    assert_int_equal(ADD(s.x, F32(2)), ADD(F32(2), s.x));
    assert_int_not_equal(SUB(s.x, F32(2)), SUB(F32(2), s.x));
    assert_int_equal(knk_load(k, s.in, s.map, KNK_NONE, KNK_NONE, KNK_NONE), s.x);
    knk_delete(k);
}

static void constants_fold(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    assert_int_equal(ADD(F32(1), F32(2)), F32(3));
    assert_int_equal(FMA(F64(0.1), F64(10), F64(-1)), F64(0x1p-54));
    assert_int_equal(CAST(I32, F64(3e9)), knk_const_int(k, KN_ID_I32, INT32_MIN));
    assert_int_equal(DIV(I32(7), I32(0)), I32(-1));
    assert_int_equal(LT(F32(1), F32(2)), knk_const_int(k, KN_ID_BOOL, 1));
    assert_int_equal(BITS(U32, F32(1)), U32(0x3f800000));
    assert_int_equal(knk_exp(k, F64(0)), F64(1));
    assert_int_equal(SHL(U32(1), U32(32)), U32(0));
    knk_delete(k);
}

static void algebra_changes_no_bits(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    knk_node x = s.x, truth = knk_const_int(k, KN_ID_BOOL, 1), n = CAST(I32, x);
    assert_int_equal(MUL(x, F32(1)), x);
    assert_int_equal(ADD(x, F32(-0.0)), x);
    assert_int_not_equal(ADD(x, F32(0)), x); /* -0 + 0 is +0 */
    assert_int_equal(SUB(x, F32(0)), x);
    assert_int_not_equal(MUL(x, F32(0)), F32(0)); /* NaN, infinities, signs */
    assert_int_equal(MUL(n, I32(0)), I32(0));
    assert_int_equal(NEG(NEG(x)), x);
    assert_int_equal(SELECT(truth, x, F32(1)), x);
    assert_int_equal(SELECT(LT(x, F32(1)), x, x), x);
    assert_int_equal(AND(n, I32(-1)), n);
    assert_int_equal(BITS(F32, BITS(U32, x)), x);
    assert_int_equal(CAST(F32, x), x);
    knk_delete(k);
}

static void what_no_store_needs_is_dropped(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    knk_exp(k, s.x);
    expect_text(&s, MUL(s.x, F32(3)),
                "  %0 = load f32 b0 m0\n  %1 = const f32 0x40400000\n  %2 = mul f32 %0 %1\n  store b1 m0 %2\n");
}

static void a_load_that_no_lane_makes_is_its_other_value(void **state)
{
    (void)state;
    scene s = begin();
    knk_node off = knk_const_int(s.k, KN_ID_BOOL, 0), on = knk_const_int(s.k, KN_ID_BOOL, 1),
             seven = knk_const_double(s.k, KN_ID_F32, 7);
    assert_int_equal(knk_load(s.k, s.in, s.map, KNK_NONE, off, seven), seven);
    assert_int_equal(knk_load(s.k, s.in, s.map, KNK_NONE, on, seven), s.x);
    knk_delete(s.k);
}

static void errors_stick_to_the_builder(void **state)
{
    (void)state;
    scene s = begin();
    knk_builder *k = s.k;
    knk_node bad = ADD(s.x, F64(1));
    assert_int_equal(bad, KNK_NONE);
    assert_int_equal(MUL(bad, bad), KNK_NONE);
    knk_store(k, s.out, s.map, bad);
    knk_kernel *kernel;
    knx_error *e = knk_finish(k, &kernel);
    assert_null(kernel);
    assert_string_equal(e->message, "kernel: add: the operands must have the same dtype");
    knx_error_release(e);
    assert_int_equal(knk_finish(NULL, &kernel)->kind, KN_ERROR_MEMORY);
}

/* Texts that must be refused, each with a word of the reason. */
static const struct {
    const char *text, *why;
} refused[] = {
    {"", "kernel is missing"},
    {"kernel x", "number"},
    {"kernel 65", "parallel loops"},
    {"kernel 0\nbuffer 1 f32 read", "in order"},
    {"kernel 0\nbuffer 0 f33 read", "no such dtype"},
    {"kernel 0\nbuffer 0 f32 mend", "read or write"},
    {"kernel 0\nmap 0\n", "outside of a stage"},
    {"kernel 0\n%0 = const f32 0x0\n", "outside of a stage"},
    {"kernel 1\nstage 0 inner 0\nmap 0 1 1\n", "one class per loop"},
    {"kernel 0\nstage 0 inner 99999999999\n", "too large"},
    {"kernel 0\nstage 0 inner 65\n", "inner loops"},
    {"kernel 1\nstage 0 inner 2147483647\n", "inner loops"}, /* the sum of both overflows */
    {"kernel 0\nstage 0 inner 0\n%0 = frob f32\n", "no such operation"},
    {"kernel 0\nstage 0 inner 0\n%1 = const f32 0x0\n", "in order"},
    {"kernel 0\nstage 0 inner 0\n%0 = const f32 1\n", "bits"},
    {"kernel 0\nbuffer 0 bool write\nstage 0 inner 0\nmap 0\n%0 = const bool 0x40\nstore b0 m0 %0\n", "0 or 1"},
    {"kernel 0\nbuffer 0 u8 write\nstage 0 inner 0\nmap 0\n%0 = const u8 0x100\nstore b0 m0 %0\n", "too many bits"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = add f32 %0 %2\nstore b0 m0 %1\n",
     "no earlier node"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = and f32 %0 %0\nstore b0 m0 %1\n",
     "not defined for this dtype"},
    {"kernel 0\nbuffer 0 f64 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = neg f64 %0\nstore b0 m0 %1\n",
     "dtype of the operands"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = lt f32 %0 %0\nstore b0 m0 %1\n",
     "must be bool"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = select f32 %0 %0 %0\nstore b0 m0 "
     "%1\n",
     "predicate of a select"},
    {"kernel 0\nbuffer 0 f64 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = bitcast f64 %0\nstore b0 m0 %1\n",
     "same size"},
    {"kernel 0\nbuffer 0 f64 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\nstore b0 m0 %0\n", "another dtype"},
    {"kernel 0\nbuffer 0 f32 read\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\nstore b0 m0 %0\n", "not written"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\nstore b1 m0 %0\n", "no such buffer"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\nstore b0 m7 %0\n", "no such map"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\nstage 1 inner 0\n%0 = const f32 0x0\nstore b0 m0 %0\n",
     "another stage"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = load f32 b0 m0\n%1 = reduce.add f32 %0\nstage 1 inner "
     "0\nmap 1\nstore b0 m1 %1\n",
     "no inner loop"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 1\nmap 0 1\n%0 = load f32 b0 m0\n%1 = reduce.add f32 %0\nstore b0 m0 "
     "%1\n",
     "later stages only"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 1\nmap 0 1\n%0 = load f32 b0 m0\nstage 1 inner 0\nmap 1\nstore b0 m1 "
     "%0\n",
     "loop of an earlier stage"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 1\nmap 0 1\n%0 = load f32 b0 m0\n%1 = reduce.xor f32 %0\nstage 1 "
     "inner 0\nmap 1\nstore b0 m1 %1\n",
     "bitwise reduction"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = load f32 b0 m0 index %0\nstore b0 "
     "m0 %1\n",
     "must be int64"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = load f32 b0 m0 pred %0\nstore b0 "
     "m0 %1\n",
     "must be bool"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\n%1 = load f32 b0 m0 other %0\nstore b0 "
     "m0 %1\n",
     "needs a predicate"},
    {"kernel 0\nbuffer 0 f16 write\nstage 0 inner 0\nmap 0\n%0 = const f16 0x0\n%1 = add f16 %0 %0\nstore b0 m0 %1\n",
     "not defined for this dtype"},
    {"kernel 0\nbuffer 0 c64 write\nstage 0 inner 0\nmap 0\n%0 = const c64 0x0\nstore b0 m0 %0\n",
     "not a dtype of the kernel IR"},
    {"kernel 0\nbuffer 0 f32 write\nstage 0 inner 0\nmap 0\n%0 = const f32 0x0\nstore b0 m0 %0 %0\n",
     "more than expected"},
};

static void illegal_kernels_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        knk_kernel *k;
        knx_error *e = knk_parse(refused[i].text, &k);
        if (!e)
            fail_msg("accepted:\n%s", refused[i].text);
        if (!strstr(e->message, refused[i].why))
            fail_msg("\"%s\" does not say \"%s\":\n%s", e->message, refused[i].why, refused[i].text);
        assert_null(k);
        knx_error_release(e);
    }
}

static knk_kernel *softmax(void)
{
    knk_builder *k = knk_new(1);
    int in = knk_add_buffer(k, KN_ID_F32, false), out = knk_add_buffer(k, KN_ID_F32, true);
    knk_begin_stage(k, 1);
    knk_node top = knk_reduce(k, KNK_RED_MAX, knk_load(k, in, knk_add_map(k, one), KNK_NONE, KNK_NONE, KNK_NONE));
    knk_begin_stage(k, 1);
    int m = knk_add_map(k, one);
    knk_node e = knk_exp(k, SUB(knk_load(k, in, m, KNK_NONE, KNK_NONE, KNK_NONE), top));
    knk_store(k, out, m, e);
    knk_node sum = knk_reduce(k, KNK_RED_ADD, e);
    knk_begin_stage(k, 1);
    m = knk_add_map(k, one);
    knk_store(k, out, m, DIV(knk_load(k, out, m, KNK_NONE, KNK_NONE, KNK_NONE), sum));
    knk_kernel *kernel;
    assert_null(knk_finish(k, &kernel));
    return kernel;
}

static knk_kernel *sine(void)
{
    scene s = begin();
    knk_store(s.k, s.out, s.map, knk_sin(s.k, s.x));
    knk_kernel *kernel;
    assert_null(knk_finish(s.k, &kernel));
    return kernel;
}

static void expect_round_trip(knk_kernel *k)
{
    char *text, *again;
    text_into(k, &text);
    knk_kernel *back;
    knx_error *e = knk_parse(text, &back);
    if (e)
        fail_msg("%s\n%s", e->message, text);
    text_into(back, &again);
    assert_string_equal(text, again);
    assert_int_equal(k->key_bytes, back->key_bytes);
    assert_memory_equal(k->key, back->key, k->key_bytes);
    assert_true(k->hash == back->hash);
    knx_free(text);
    knx_free(again);
    knk_release(back);
    knk_release(k);
}

static void text_reads_back(void **state)
{
    (void)state;
    expect_round_trip(softmax());
    expect_round_trip(sine());
}

static void mutilated_text_never_crashes(void **state)
{
    (void)state;
    knk_kernel *kernel = softmax(), *k;
    char *text;
    text_into(kernel, &text);
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 8; c++) {
            char old = text[i];
            text[i] = "\0 9%\nbx-"[c];
            knx_error *e = knk_parse(text, &k);
            knx_error_release(e);
            knk_release(k);
            text[i] = old;
        }
    knx_free(text);
    knk_release(kernel);
}

static void equal_structure_means_equal_key(void **state)
{
    (void)state;
    knk_kernel *a = softmax(), *b = softmax(), *c = sine();
    assert_true(a->hash == b->hash && a->key_bytes == b->key_bytes && !memcmp(a->key, b->key, a->key_bytes));
    assert_true(a->hash != c->hash);
    assert_true(knk_cost(c) > 10);
    knk_release(a);
    knk_release(b);
    knk_release(c);
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    int64_t live = knx_alloc_live();
    bool failed = true;
    for (int64_t i = 0; failed; i++) {
        knk_kernel *kernel = NULL;
        knx_fail_after(i, true);
        knk_builder *k = knk_new(1);
        int in = knk_add_buffer(k, KN_ID_F32, false), out = knk_add_buffer(k, KN_ID_F32, true);
        knk_begin_stage(k, 1);
        knk_node x = knk_load(k, in, knk_add_map(k, one), KNK_NONE, KNK_NONE, KNK_NONE),
                 r = knk_reduce(k, KNK_RED_ADD, knk_sin(k, x));
        knk_begin_stage(k, 0);
        knk_store(k, out, knk_add_map(k, one), r);
        knx_error *e = knk_finish(k, &kernel);
        failed = e != NULL;
        assert_true(failed == !kernel);
        char *text = NULL;
        if (kernel && (e = knk_text(kernel, &text)) == NULL)
            knx_free(text);
        knx_fail_after(-1, false);
        knx_error_release(e);
        knk_release(kernel);
        assert_int_equal(knx_alloc_live(), live);
    }
}

KN_TEST_GROUP(test_kernel_ir)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_nodes_are_made_once),
        cmocka_unit_test(constants_fold),
        cmocka_unit_test(algebra_changes_no_bits),
        cmocka_unit_test(what_no_store_needs_is_dropped),
        cmocka_unit_test(a_load_that_no_lane_makes_is_its_other_value),
        cmocka_unit_test(errors_stick_to_the_builder),
        cmocka_unit_test(illegal_kernels_are_refused),
        cmocka_unit_test(text_reads_back),
        cmocka_unit_test(mutilated_text_never_crashes),
        cmocka_unit_test(equal_structure_means_equal_key),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
