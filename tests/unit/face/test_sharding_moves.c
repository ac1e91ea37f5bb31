/* SPDX-License-Identifier: Apache-2.0
 * test_sharding_moves.c -- what devices tell each other so that nobody needs the whole: arrays go from one sharding to
 * another, parts of updates are added up, parts tell their largest elements. */
#include "dist/dist.h"
#include "support/expect.h"
#include "support/group.h"
#include "unit/face/sharding_everywhere.h"

/* ---- From one sharding to another. */

static char steps[4096];
static void note_step(void *env, const kn_step *s)
{
    (void)env;
    size_t n = strlen(steps);
    snprintf(steps + n, sizeof steps - n, "%s ", s->operations);
}

/* The devices exchange what moves: nobody has the whole array. */
static void arrays_are_spread_anew_by_collectives(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *by;
    } ways[] = {{"x", "None, x", "all_to_all"},
                {"x, y", "y, x", NULL},
                {"x", "", "all_gather"},
                {"", "x, y", NULL},
                {"(x, y)", "x, y", "all_to_all"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        KN_SCOPE;
        kn_array x =
            kn_shard(kn_reshape(kn_arange(0., 128., 1.), KN_SHAPE(16, 8)), kn_named_sharding(mesh42(), ways[i].from));
        *steps = 0;
        kn_on_step(note_step, NULL);
        kn_array y = kn_shard(x, kn_named_sharding(mesh42(), ways[i].to));
        assert_true(kn_sharding_is_equivalent(kn_sharding_of(y), kn_named_sharding(mesh42(), ways[i].to), 2));
        kn_on_step(NULL, NULL);
        if (ways[i].by && !strstr(steps, ways[i].by))
            fail_msg("from %s to %s: %s", ways[i].from, ways[i].to, steps);
        assert_true(kn_is_committed(y));
        expect_same(y, x, ways[i].to);
    }
    expect_no_error();
}

/* Whatever the shardings, dtypes and extents. */
static void every_way_from_one_sharding_to_another(void **state)
{
    (void)state;
    for (int from = 0; from < SPECS; from++)
        for (int to = 0; to < SPECS; to++) {
            KN_SCOPE;
            kn_mesh m = mesh_number(5);
            kn_array keys = kn_reshape(kn_random_split(kn_random_key(3), .num = 35), KN_SHAPE(7, 5)),
                     zeros = kn_neg(kn_zeros(KN_SHAPE(7, 5)));
            kn_sharding s = spec_on(m, specs[from]), t = spec_on(m, specs[to]);
            expect_same(kn_shard(kn_shard(matrix(), s), t), matrix(), specs[to]);
            expect_same(kn_shard(kn_shard(zeros, s), t), zeros, specs[to]);
            expect_same(kn_random_key_data(kn_shard(kn_shard(keys, s), t)), kn_random_key_data(keys), specs[to]);
            expect_no_error();
        }
}

/* Texts of whatever length, and what they say is read again. */
static void long_specs_are_told_as_a_whole(void **state)
{
    (void)state;
    KN_SCOPE;
    char name[200], spec[800], whole[600] = "";
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    kn_mesh m = kn_make_mesh(KN_SHAPE(1), name);
    for (int i = 0; i < 60; i++)
        strcat(whole, "None, ");
    snprintf(spec, sizeof spec, "%s%s", whole, name);
    kn_sharding s = kn_named_sharding(m, spec);
    assert_string_equal(kn_sharding_spec(s), spec);
    assert_ptr_equal(kn_named_sharding(m, kn_sharding_spec(s)), s);
    assert_non_null(strstr(kn_sharding_text(s), spec));
    assert_non_null(strstr(kn_mesh_text(m), name));
    expect_no_error();
}

/* ---- Sums. */

static kn_array added(const kn_array *t, const kn_array *i, const kn_array *u)
{
    kn_array y = kn_copy(*t);
    kn_ufunc_at(kn_ufunc_add, y, *u, "%", *i);
    return y;
}
static kn_array taken_off(const kn_array *t, const kn_array *i, const kn_array *u)
{
    kn_array y = kn_copy(*t);
    kn_ufunc_at(kn_ufunc_subtract, y, *u, "%", *i);
    return kn_reshape(y, KN_SHAPE(2, -1));
}
static kn_array segments(const kn_array *t, const kn_array *i, const kn_array *u)
{
    (void)t;
    return kn_segment_sum(*u, *i, .num_segments = 8);
}
static kn_array row_sum(const kn_array *t, const kn_array *i) { return kn_sum(kn_take(*t, *i)); }
KN_FUNCTION(row_sum, kn_array, kn_array, kn_array)
static kn_array slopes(const kn_array *t, const kn_array *i, const kn_array *u)
{
    kn_array y;
    (void)u;
    kn_call(kn_grad(KN_FN(row_sum)), &y, t, i);
    return y;
}
KN_FUNCTION(added, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(taken_off, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(segments, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(slopes, kn_array, kn_array, kn_array, kn_array)

/* Elements that no update falls on, or none but a -0, are -0 if they were. */
/* Largest elements, where they are and how far they run: ties, NaN, zeros of both signs, in other parts than the first. */
static kn_array with_ties(void)
{
    kn_array x = kn_reshape(kn_of(double, 1, -0., 3, 0, 3, -3, NAN, 2, 0, -0., -1, 7, 0, 7, 7, -0., 0, 0, -0., 0, -9, 1,
                                  7, -0., 0, 1, 1, NAN, 0, -0., 5, 5, 1, -2, NAN),
                            KN_SHAPE(7, 5));
    return kn_astype(x, KN_F32);
}
static kn_array with_equal_numbers(void)
{
    return kn_astype(kn_remainder(kn_mul(kn_reshape(kn_arange(0, 35, 1), KN_SHAPE(7, 5)), 113), 7), KN_I8);
}
static kn_array with_truths(void) { return kn_greater(with_equal_numbers(), 4); }
static void compare_extremes(kn_array x, kn_array y, const char *what)
{
    for (int axis = 0; axis < 2; axis++) {
        expect_same(kn_argmax(x, .axis = KN_AXIS(axis)), kn_argmax(y, .axis = KN_AXIS(axis)), what);
        expect_same(kn_argmin(x, .axis = KN_AXIS(axis)), kn_argmin(y, .axis = KN_AXIS(axis)), what);
        if (kn_dtype_of(x) == KN_BOOL)
            continue;
        for (int reverse = 0; reverse < 2; reverse++) {
            expect_same(kn_lax_cummax(x, .axis = KN_AXIS(axis), .reverse = reverse),
                        kn_lax_cummax(y, .axis = KN_AXIS(axis), .reverse = reverse), what);
            expect_same(kn_lax_cummin(x, .axis = KN_AXIS(axis), .reverse = reverse),
                        kn_lax_cummin(y, .axis = KN_AXIS(axis), .reverse = reverse), what);
            expect_same(kn_lax_cumsum(x, .axis = KN_AXIS(axis), .reverse = reverse),
                        kn_lax_cumsum(y, .axis = KN_AXIS(axis), .reverse = reverse), what);
            expect_same(kn_lax_cumprod(x, .axis = KN_AXIS(axis), .reverse = reverse),
                        kn_lax_cumprod(y, .axis = KN_AXIS(axis), .reverse = reverse), what);
        }
    }
}

static void extremes_of_parts_are_those_of_the_whole(void **state)
{
    (void)state;
    everywhere(with_ties, compare_extremes);
    everywhere(with_equal_numbers, compare_extremes);
    everywhere(with_truths, compare_extremes);
}

static void zeros_that_nobody_adds_to_keep_their_signs(void **state)
{
    (void)state;
    KN_SCOPE;
    const kn_dtype dtypes[] = {KN_F32, KN_F64, KN_F16, KN_BF16, KN_C64, KN_C128};
    kn_fn f[] = {kn_jit(KN_FN(added)), kn_jit(KN_FN(taken_off)), kn_jit(KN_FN(segments)), kn_jit(KN_FN(slopes))};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int m = 1; m < MESHES; m++)
            for (int k = 0; k < 16; k++) {
                KN_SCOPE;
                if (k % 4 == 3 && d >= 4) /* of real numbers only */
                    continue;
                kn_mesh on = mesh_number(m);
                kn_sharding table = kn_named_sharding(on, k & 4 ? "x" : ""), cut = kn_named_sharding(on, "x");
                kn_array t = kn_neg(kn_astype(kn_of(double, 0, 0, 0, 0, 1, 0, 0, 0), dtypes[d]));
                kn_array i = kn_of(int64_t, 1, 2, 2, 4, 7, 6, 1, 4);
                kn_array u = kn_astype(kn_of(double, -0., -0., 0., 3, 0., 5, -0., -2), dtypes[d]), y, want;
                kn_array ts = kn_shard(t, table), is = kn_shard(i, cut), us = kn_shard(u, cut);
                kn_call(f[k % 4], &y, &ts, &is, &us);
                kn_call(f[k % 4], &want, &t, &i, &u);
                y = k & 8 ? kn_shard(y, kn_named_sharding(on, "x")) : y;
                expect_same(y, want, kn_dtype_name(dtypes[d]));
                expect_no_error();
            }
}

static int all_devices(void **state)
{
    (void)state;
    return kndist_set_local(8) != NULL;
}

KN_TEST_GROUP(test_sharding_moves)
{
    const struct CMUnitTest tests[] = {
        TEST(arrays_are_spread_anew_by_collectives),    TEST(every_way_from_one_sharding_to_another),
        TEST(long_specs_are_told_as_a_whole),           TEST(zeros_that_nobody_adds_to_keep_their_signs),
        TEST(extremes_of_parts_are_those_of_the_whole),
    };
    return cmocka_run_group_tests(tests, all_devices, NULL);
}
