/* SPDX-License-Identifier: Apache-2.0
 * test_nans.c -- observed runs: every equation is seen with its operands as they were, nothing else changes; the
 * observer that names the origin of a NaN or an infinity. */
#include "support/group.h"
#include "support/programs.h"

static knx_error *run(const kni_jaxpr *j, bool fuse, const knd_operand *in, knx_buffer **out, const knd_observer *o)
{
    knd_loaded *p = test_compile(j, fuse);
    knx_error *e = knd_run_observed(p, in, out, NULL, o);
    knd_release(p);
    return e;
}

static void expect_error(knx_error *e, kn_error_kind kind, const char *message, const kn_place *place)
{
    assert_non_null(e);
    assert_int_equal(e->kind, kind);
    assert_string_equal(e->message, message);
    assert_ptr_equal(e->place, place);
    knx_error_release(e);
}

static knd_operand plain(const void *p) { return (knd_operand){.data = p}; }

/* --- observers -------------------------------------------------------------------------------- */

typedef struct seen {
    int n;
    char names[400];
    bool wrong;
} seen;

/* neg, add and updates are worked out again from what the observer gets. */
static knx_error *check(void *env, const kni_eqn *e, int n_in, const void *const *x, const kni_type *xt, int n_out,
                        const void *const *y, const kni_type *yt)
{
    seen *s = env;
    const float *const *a = (const float *const *)x, *r = y[0];
    (void)n_out, (void)xt;
    s->n++;
    strcat(s->names, e->prim->name);
    strcat(s->names, " ");
    for (int64_t i = 0; i < kni_type_size(yt[0]); i++) {
        float want = r[i];
        if (!strcmp(e->prim->name, "neg"))
            want = -a[0][i];
        else if (!strcmp(e->prim->name, "add"))
            want = a[0][i] + a[1][xt[1].ndim ? i : 0];
        else if (n_in == 3)
            want = i == *(const int32_t *)x[2] ? a[1][0] : a[0][i];
        s->wrong |= want != r[i];
    }
    return NULL;
}

static void every_equation_is_seen_with_its_old_operands(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4)), one = knb_number(&b, KN_DT(F32), 1), y = knb_neg(&b, x);
    y = knb_add(&b, y, one); /* in the place of neg's result */
    y = knb_dynamic_update_slice(&b, y, knb_full(&b, F32(1), 7), (kni_atom[]){knb_integer(&b, KN_DT(I32), 2)});
    kni_atom t = knb_dynamic_update_slice(&b, x, knb_full(&b, F32(1), 8), (kni_atom[]){knb_integer(&b, KN_DT(I32), 0)});
    kni_jaxpr *j = FINISH(&b, knb_add(&b, y, knb_reshape(&b, t, 1, (int64_t[]){4})), t);
    knd_loaded *p = NULL;
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.donated = (bool[]){true}}, &p));
    for (int buffer = 0; buffer < 2; buffer++) {
        seen s = {0};
        knx_buffer *in = knx_buffer_new(16), *out[2];
        memcpy(in->data, (float[]){1, 2, 3, 4}, 16);
        knd_operand o = {.buffer = buffer ? in : NULL, .data = in->data};
        test_ok(knd_run_observed(p, &o, out, NULL, &(knd_observer){check, &s}));
        assert_string_equal(s.names, "neg add dynamic_update_slice dynamic_update_slice add ");
        assert_false(s.wrong);
        EXPECT(out[0], 8, 1, 10, 1);
        EXPECT(out[1], 8, 2, 3, 4);
        test_release(2, out);
        knx_buffer_release(in);
    }
    knd_release(p);
    kni_release(j);
}

static knx_error *stop(void *env, const kni_eqn *e, int n_in, const void *const *x, const kni_type *xt, int n_out,
                       const void *const *y, const kni_type *yt)
{
    (void)e, (void)n_in, (void)x, (void)xt, (void)n_out, (void)y, (void)yt;
    return --*(int *)env ? NULL : knx_error_new(KN_ERROR_VALUE, "enough");
}

static void its_error_ends_the_run(void **state)
{
    (void)state;
    static const kn_place place = {"user.c", 3, "f"};
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4)), y = knb_neg(&b, x);
    b.place = &place;
    y = knb_sin(&b, y);
    b.place = NULL;
    kni_jaxpr *j = FINISH(&b, y, knb_neg(&b, y));
    float v[4] = {1, 2, 3, 4};
    int64_t live = knx_alloc_live();
    int left = 2;
    knx_buffer *out[2];
    expect_error(run(j, false, (knd_operand[]){plain(v)}, out, &(knd_observer){stop, &left}), KN_ERROR_VALUE, "enough",
                 &place);
    assert_null(out[0]);
    assert_int_equal(knx_alloc_live(), live);
    kni_release(j);
}

static void fused_programs_refuse(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_jaxpr *j = FINISH(&b, knb_neg(&b, knb_invar(&b, F32(1))));
    float v = 1;
    knx_buffer *out[1];
    expect_error(run(j, true, (knd_operand[]){plain(&v)}, out, knd_nan_observer(true, true)), KN_ERROR_VALUE,
                 "only a program that was compiled without fusion can be observed", NULL);
    assert_null(out[0]);
    test_ok(run(j, true, (knd_operand[]){plain(&v)}, out, NULL));
    test_release(1, out);
    kni_release(j);
}

/* Sees everything, changes nothing. */
static knx_error *look(void *env, const kni_eqn *e, int n_in, const void *const *x, const kni_type *xt, int n_out,
                       const void *const *y, const kni_type *yt)
{
    uint64_t *sum = env;
    for (int i = 0; i < n_in + n_out; i++) {
        const unsigned char *p = i < n_in ? x[i] : y[i - n_in];
        for (size_t k = 0; p && k < kni_type_bytes(i < n_in ? xt[i] : yt[i - n_in]); k++)
            *sum = *sum * 31 + p[k];
    }
    (void)e;
    return NULL;
}

static void observed_runs_have_the_same_results(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 300; seed++) {
        kni_jaxpr *j = test_random_jaxpr(seed, 40);
        bool donated[MANY];
        memset(donated, seed % 2, sizeof donated);
        knd_loaded *p = NULL;
        test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.donated = donated}, &p));
        test_operands x = test_make_operands(j, seed), y = test_make_operands(j, seed);
        knx_buffer *out[MANY], *seen_out[MANY];
        uint64_t sum = 0;
        test_ok(knd_run(p, x.in, out, NULL));
        test_ok(knd_run_observed(p, y.in, seen_out, NULL, &(knd_observer){look, &sum}));
        for (uint32_t k = 0; k < j->n_out; k++)
            assert_int_equal(test_difference(kni_out_type(j, k), out[k]->data, seen_out[k]->data), -1);
        test_release((int)j->n_out, out);
        test_release((int)j->n_out, seen_out);
        test_free_operands(&x);
        test_free_operands(&y);
        knd_release(p);
        kni_release(j);
    }
}

static void observing_without_memory_leaks_nothing(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_jaxpr *j = FINISH(&b, knb_neg(&b, knb_neg(&b, knb_invar(&b, F32(4)))));
    knd_loaded *p = test_compile(j, false);
    float v[4] = {1, 2, 3, 4};
    int64_t live = knx_alloc_live(), k = 0;
    for (bool done = false; !done; k++) {
        knx_buffer *out[1];
        uint64_t sum = 0;
        knx_fail_after(k, true);
        knx_error *e = knd_run_observed(p, (knd_operand[]){plain(v)}, out, NULL, &(knd_observer){look, &sum});
        knx_fail_after(-1, false);
        done = !e;
        if (done)
            test_release(1, out);
        knx_error_release(e);
        assert_int_equal(knx_alloc_live(), live);
    }
    assert_true(k > 3);
    knd_release(p);
    kni_release(j);
}

/* --- origins ---------------------------------------------------------------------------------- */

static void origins_are_named(void **state)
{
    (void)state;
    static const kn_place places[] = {{"user.c", 1, "f"}, {"user.c", 2, "f"}, {"user.c", 3, "f"}};
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(3)), y;
    b.place = &places[0];
    y = knb_log(&b, x);
    b.place = &places[1];
    y = knb_div(&b, knb_number(&b, KN_DT(F32), 1), y);
    b.place = &places[2];
    y = knb_neg(&b, y);
    b.place = NULL;
    kni_jaxpr *j = FINISH(&b, y);
    const knd_observer *nans = knd_nan_observer(true, false), *infs = knd_nan_observer(false, true),
                       *both = knd_nan_observer(true, true);
    float good[3] = {2, 3, 4}, negative[3] = {2, -1, 4}, one[3] = {2, 1, 4}, nan[3] = {2, NAN, 4},
          mixed[3] = {NAN, -1, 1};
    knx_buffer *out[1];
    test_ok(run(j, false, (knd_operand[]){plain(good)}, out, both));
    test_release(1, out);
    expect_error(run(j, false, (knd_operand[]){plain(negative)}, out, nans), KN_ERROR_VALUE, "nan encountered in log",
                 &places[0]);
    expect_error(run(j, false, (knd_operand[]){plain(one)}, out, infs), KN_ERROR_VALUE, "inf encountered in div",
                 &places[1]);
    expect_error(run(j, false, (knd_operand[]){plain(one)}, out, both), KN_ERROR_VALUE, "inf encountered in div",
                 &places[1]);
    test_ok(run(j, false, (knd_operand[]){plain(one)}, out, nans));
    test_release(1, out);
    test_ok(run(j, false, (knd_operand[]){plain(nan)}, out, both)); /* it came in */
    test_release(1, out);
    test_ok(run(j, false, (knd_operand[]){plain(mixed)}, out, nans));
    assert_true(isnan(((float *)out[0]->data)[1]));
    test_release(1, out);
    assert_null(knd_nan_observer(false, false));
    kni_release(j);
}

/* Every inexact dtype; integers with the same bits are none. An operand that is overwritten counts as it was. */
static void all_dtypes_are_looked_at(void **state)
{
    (void)state;
    static const knx_dtype_id inexact[] = {KN_ID_F16, KN_ID_BF16, KN_ID_F32, KN_ID_F64, KN_ID_C64, KN_ID_C128};
    for (int i = 0; i < 6; i++) {
        kn_dtype d = &knx_dtype_table[inexact[i]], part = knx_component(d);
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, kni_type_of(d, 1, (int64_t[]){2})),
                 y = knb_invar(&b, kni_type_of(d, 1, (int64_t[]){2}));
        kni_jaxpr *j = FINISH(&b, knb_sub(&b, knb_neg(&b, x), y));
        char v[2][32] = {{0}};
        knx_scalar_bits inf = knx_scalar_from_double(part, -INFINITY), nan = knx_scalar_from_double(part, NAN);
        knd_operand in[] = {plain(v[0]), plain(v[1])};
        knx_buffer *out[1];
        test_ok(run(j, false, in, out, knd_nan_observer(true, true)));
        test_release(1, out);
        size_t last = 2 * d->size - part->size; /* the imaginary part */
        memcpy(v[0] + last, inf.bytes, part->size);
        test_ok(run(j, false, in, out, knd_nan_observer(false, true)));
        test_release(1, out);
        knx_scalar_bits plus = knx_scalar_from_double(part, INFINITY);
        memcpy(v[1] + last, plus.bytes, part->size);
        expect_error(run(j, false, in, out, knd_nan_observer(true, false)), KN_ERROR_VALUE, "nan encountered in sub",
                     NULL);
        memcpy(v[1] + last, nan.bytes, part->size);
        test_ok(run(j, false, in, out, knd_nan_observer(true, true)));
        test_release(1, out);
        kni_release(j);
    }
    kni_builder b;
    knb_init(&b);
    kni_jaxpr *j = FINISH(&b, knb_neg(&b, knb_invar(&b, kni_type_of(KN_DT(I32), 1, (int64_t[]){2}))));
    knx_buffer *out[1];
    test_ok(run(j, false, (knd_operand[]){plain((int32_t[]){-0x7fc00000, -0x7f800000})}, out,
                knd_nan_observer(true, true)));
    test_release(1, out);
    kni_release(j);
}

/* An update whose operand holds a NaN is not where it came from, though its memory is the same. */
static void updates_in_place_show_their_old_operand(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(3)), u = knb_invar(&b, F32(1)), i = knb_integer(&b, KN_DT(I32), 0);
    kni_jaxpr *j = FINISH(&b, knb_dynamic_update_slice(&b, knb_neg(&b, x), u, &i));
    knx_buffer *out[1];
    test_ok(run(j, false, (knd_operand[]){plain((float[]){1, NAN, 3}), plain((float[]){5})}, out,
                knd_nan_observer(true, true)));
    test_release(1, out);
    kni_release(j);
}

KN_TEST_GROUP(test_nans)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_equation_is_seen_with_its_old_operands),
        cmocka_unit_test(its_error_ends_the_run),
        cmocka_unit_test(fused_programs_refuse),
        cmocka_unit_test(observed_runs_have_the_same_results),
        cmocka_unit_test(observing_without_memory_leaks_nothing),
        cmocka_unit_test(origins_are_named),
        cmocka_unit_test(all_dtypes_are_looked_at),
        cmocka_unit_test(updates_in_place_show_their_old_operand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
