/* SPDX-License-Identifier: Apache-2.0
 * test_prim_dims.c -- type rules, derivatives and batches of shapes with dimension variables: what jax.export makes of
 * the same calls, noted down. An equation of the full form says the types that it should have, and the reader compares. */
#include "base/dim.h"
#include "ir/ops.h"
#include "ir/prim.h"
#include "support/group.h"
#include "transform/transform.h"
#include "support/dim_scope.h"

static int forget(void **state)
{
    kni_places_free();
    return teardown(state);
}

/* "a:f32[b] | c:f32[b] = copy a" */
static kni_jaxpr *read(const char *text, knx_error **error)
{
    knx_str t = {0};
    kni_jaxpr *j = NULL;
    const char *bar = strchr(text, '|'), *name = bar + strspn(bar, "| ");
    knx_str_puts(&t, "{ lambda ; ");
    knx_str_add(&t, text, (size_t)(bar - text));
    knx_str_printf(&t, ". let %s in (%.1s,) }", name, name);
    *error = kni_parse(t.s, &j);
    knx_str_free(&t);
    return j;
}

static kni_jaxpr *jaxpr(const char *text)
{
    knx_error *e;
    kni_jaxpr *j = read(text, &e);
    if (e)
        fail_msg("%s: %s", text, e->message);
    e = kni_check(j);
    if (e)
        fail_msg("%s: %s", text, e->message);
    assert_null(scope.error);
    return j;
}

static void gives(const char *text) { kni_release(jaxpr(text)); }

static void refuses(const char *text, const char *message)
{
    knx_error *e;
    kni_jaxpr *j = read(text, &e);
    if (!e)
        fail_msg("%s is right", text);
    const char *behind_place = strstr(e->message, ": ") + 2;
    assert_string_equal(behind_place, message);
    assert_null(scope.error);
    knx_error_release(e);
    kni_release(j);
}

static void shows(const kni_jaxpr *j, const char *want)
{
    char *text;
    assert_null(kni_text(j, KN_FORM_TYPED, &text));
    assert_string_equal(text, want);
    knx_free(text);
}

/* --- types ------------------------------------------------------------------------------------ */

static void slices(void **state)
{
    (void)state;
    gives("a:f32[b] | c:f32[b] = slice[limit_indices=(b,) start_indices=(0,) strides=()] a");
    gives("a:f32[b] | c:f32[b - 1] = slice[limit_indices=(b,) start_indices=(1,) strides=()] a");
    gives("a:f32[b] | c:f32[floordiv(b + 1, 2)] = slice[limit_indices=(b,) start_indices=(0,) strides=(2,)] a");
    gives("a:f32[b] | c:f32[floordiv(b - 2, 3) + 1] = slice[limit_indices=(b,) start_indices=(1,) strides=(3,)] a");
    gives("a:f32[b + 5] | c:f32[5] = slice[limit_indices=(5,) start_indices=(0,) strides=()] a");
    gives("a:f32[b + t] | c:f32[t] = slice[limit_indices=(b + t,) start_indices=(b,) strides=()] a");
}

static void a_slice_that_may_not_fit_is_refused(void **state)
{
    (void)state;
    refuses("a:f32[b] | c:f32[5] = slice[limit_indices=(5,) start_indices=(0,) strides=()] a",
            "Symbolic dimension comparison '5' <= 'b' is inconclusive");
    refuses("a:f32[b] | c:f32[b - 2] = slice[limit_indices=(b,) start_indices=(2,) strides=()] a",
            "Symbolic dimension comparison '2' <= 'b' is inconclusive");
    refuses("a:f32[b] | c:f32[b + 1] = slice[limit_indices=(b + 1,) start_indices=(0,) strides=()] a",
            "start index 0 and limit index b + 1 do not fit axis 0 of size b");
    given("b >= 5");
    gives("a:f32[b] | c:f32[5] = slice[limit_indices=(5,) start_indices=(0,) strides=()] a");
}

static void padding(void **state)
{
    (void)state;
    gives("a:f32[b] v:f32[] | c:f32[2*b + 2] = pad[lo=(1,) hi=(2,) interior=(1,)] a v");
    gives("a:f32[b] v:f32[] | c:f32[b - 1] = pad[lo=(-1,) hi=(0,) interior=(0,)] a v");
    gives("a:f32[b] v:f32[] | c:f32[b + t] = pad[lo=(t,) hi=(0,) interior=(0,)] a v");
    gives("a:f32[b - 1] v:f32[] | c:f32[max(3*b - 5, 0)] = pad[lo=(0,) hi=(0,) interior=(2,)] a v");
    refuses("a:f32[b] v:f32[] | c:f32[b - 2] = pad[lo=(-2,) hi=(0,) interior=(0,)] a v",
            "Symbolic dimension comparison '0' <= 'b - 2' is inconclusive");
}

static void reshapes(void **state)
{
    (void)state;
    gives("a:f32[b,3] | c:f32[3*b] = reshape[new_sizes=(3*b,)] a");
    gives("a:f32[b,4] | c:f32[2*b,2] = reshape[new_sizes=(2*b, 2)] a");
    gives("a:f32[b,t] | c:f32[t,b] = reshape[new_sizes=(t, b)] a");
    refuses("a:f32[b,3] | c:f32[2,b] = reshape[new_sizes=(2, b)] a",
            "cannot reshape array of size 3*b into shape (2,b)"); /* JAX takes it */
    given("mod(t, 8) == 0");
    gives("a:f32[t] | c:f32[floordiv(t, 8),8] = reshape[new_sizes=(floordiv(t, 8), 8)] a");
}

static void joining(void **state)
{
    (void)state;
    gives("a:f32[b,3] d:f32[t,3] | c:f32[t + b,3] = concatenate[dimension=0] a d");
    refuses("a:f32[b,3] d:f32[t,b] | c:f32[t + b,3] = concatenate[dimension=0] a d",
            "all the input array dimensions except for the concatenation axis must match exactly, but along dimension "
            "1, the array at index 0 has size 3 and the array at index 1 has size b");
    gives("a:f32[b] d:f32[b] | c:f32[2,b] = stack[axis=0] a d");
    refuses("a:f32[b] d:f32[t] | c:f32[2,b] = stack[axis=0] a d",
            "All input arrays must have the same shape. Got (b,), (t,).");
}

static void splitting(void **state)
{
    (void)state;
    gives("a:f32[b] | c:f32[1] d:f32[b - 1] = split[axis=0 sizes=(1, b - 1)] a");
    refuses("a:f32[b] | c:f32[2] d:f32[b - 2] = split[axis=0 sizes=(2, b - 2)] a",
            "Symbolic dimension comparison '0' <= 'b - 2' is inconclusive");
    refuses("a:f32[b] | c:f32[b] d:f32[2] = split[axis=0 sizes=(b, 2)] a",
            "Sum of sizes b + 2 must be equal to dimension 0 of the operand shape (b,)");
    refuses("a:f32[b,4] | c:f32[4] d:f32[4] = unstack[axis=0] a",
            "Symbolic dimension 'b' used in a context that requires a constant");
    gives("a:f32[2,b] | c:f32[b] d:f32[b] = unstack[axis=0] a");
}

static void broadcasting(void **state)
{
    (void)state;
    gives("a:f32[b,1] | c:f32[2,b,t] = broadcast_in_dim[broadcast_dimensions=(1, 2) shape=(2, b, t)] a");
    refuses("a:f32[b] | c:f32[t] = broadcast_in_dim[broadcast_dimensions=(0,) shape=(t,)] a",
            "cannot broadcast shape (b,) to shape (t,)");
    refuses("a:f32[b,3] | c:f32[3] = squeeze[dimensions=(0,)] a",
            "cannot select an axis to squeeze out which has size not equal to one");
    refuses("a:f32[b] d:f32[t] | c:f32[b] = add a d", "got incompatible shapes for broadcasting: (b,), (t,)");
}

static void the_other_views(void **state)
{
    (void)state;
    gives("a:f32[b,t,1] | c:f32[t,1,b] = transpose[permutation=(1, 2, 0)] a");
    gives("a:f32[b,t] | c:f32[b,t] = rev[dimensions=(1,)] a");
    gives("a:f32[b,4] | c:f32[2*b,4*b] = tile[reps=(2, b)] a");
    gives("a:f32[b] | c:u8[4*b] = bitcast_last_axis[new_dtype=u8] a");
    gives("a:u8[4*b] | c:f32[b] = bitcast_last_axis[new_dtype=f32] a");
    refuses(
        "a:u8[b] | c:f32[b] = bitcast_last_axis[new_dtype=f32] a",
        "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of "
        "the array.");
}

static void iotas(void **state)
{
    (void)state;
    gives("a:f32[] | c:i32[b,2*t - 1] = iota[dimension=1 dtype=i32 shape=(b, 2*t - 1)]");
    refuses("a:f32[] | c:i32[b - 2] = iota[dimension=0 dtype=i32 shape=(b - 2,)]",
            "Symbolic dimension comparison '0' <= 'b - 2' is inconclusive");
}

/* --- scopes that assume ----------------------------------------------------------------------- */

static void a_sample_decides_what_is_legal(void **state)
{
    (void)state;
    scope.assumes = true;
    sample("b", 7);
    sample("t", 7);
    gives("a:f32[b] | c:f32[5] = slice[limit_indices=(5,) start_indices=(0,) strides=()] a");
    assert_int_equal(scope.guard.n, 1);
    gives("a:f32[b] d:f32[t] | c:f32[b] = add a d");
    assert_int_equal(scope.guard.n, 2);
    refuses("a:f32[b] | c:f32[8] = slice[limit_indices=(8,) start_indices=(0,) strides=()] a",
            "start index 0 and limit index 8 do not fit axis 0 of size b");
}

static void a_number_of_results_is_that_of_the_sample(void **state)
{
    (void)state;
    scope.assumes = true;
    sample("b", 2);
    gives("a:f32[b,4] | c:f32[4] d:f32[4] = unstack[axis=0] a");
    assert_int_equal(scope.guard.n, 1);
    assert_true(scope.guard.at[0].equal && scope.guard.at[0].holds);
}

/* --- transformations -------------------------------------------------------------------------- */

static void transposed(const char *text, const char *want)
{
    kni_jaxpr *j = jaxpr(text), *back;
    knx_error *e = knt_transpose(j, (const bool[]){true}, &back);
    if (e)
        fail_msg("%s: %s", text, e->message);
    assert_null(scope.error);
    assert_null(kni_check(back));
    shows(back, want);
    kni_release(j);
    kni_release(back);
}

static void a_slice_is_padded_back(void **state)
{
    (void)state;
    transposed("a:f32[b] | c:f32[b - 1] = slice[limit_indices=(b,) start_indices=(1,) strides=()] a",
               "{ lambda ; a:f32[b - 1]. let\n"
               "    b:f32[b] = pad[padding_config=((1, 0, 0),)] a 0.0:f32[]\n"
               "  in (b,) }");
    transposed("a:f32[b] | c:f32[floordiv(b + 1, 2)] = slice[limit_indices=(b,) start_indices=(0,) strides=(2,)] a",
               "{ lambda ; a:f32[floordiv(b + 1, 2)]. let\n"
               "    b:f32[b] = pad[padding_config=((0, - 2*floordiv(b + 1, 2) + b + 1, 1),)] a 0.0:f32[]\n"
               "  in (b,) }");
}

static void a_broadcast_is_summed(void **state)
{
    (void)state;
    transposed("a:f32[b,1] | c:f32[2,b,t] = broadcast_in_dim[broadcast_dimensions=(1, 2) shape=(2, b, t)] a",
               "{ lambda ; a:f32[2,b,t]. let\n"
               "    b:f32[b] = reduce_sum[axes=(0, 2) out_sharding=None] a\n"
               "    c:f32[b,1] = reshape[dimensions=None new_sizes=(b, 1) sharding=None] b\n"
               "  in (c,) }");
}

static void a_batch_of_many(void **state)
{
    (void)state;
    kni_jaxpr *j = jaxpr("a:f32[b,4] | c:f32[2*b,2] = reshape[new_sizes=(2*b, 2)] a"), *all;
    int64_t n;
    assert_true(knx_dim_named("n", 1, &n));
    assert_null(knt_batch(j, n, NULL, (const int[]){0}, NULL, &all));
    shows(all, "{ lambda ; a:f32[n,b,4]. let\n"
               "    b:f32[n,2*b,2] = reshape[\n"
               "      dimensions=None\n"
               "      new_sizes=(n, 2*b, 2)\n"
               "      sharding=None\n"
               "    ] a\n"
               "  in (b,) }");
    kni_release(j);
    kni_release(all);
}

KN_TEST_GROUP(test_prim_dims)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, forget)
    const struct CMUnitTest tests[] = {
        TEST(slices),
        TEST(a_slice_that_may_not_fit_is_refused),
        TEST(padding),
        TEST(reshapes),
        TEST(joining),
        TEST(splitting),
        TEST(broadcasting),
        TEST(the_other_views),
        TEST(iotas),
        TEST(a_sample_decides_what_is_legal),
        TEST(a_number_of_results_is_that_of_the_sample),
        TEST(a_slice_is_padded_back),
        TEST(a_broadcast_is_summed),
        TEST(a_batch_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
