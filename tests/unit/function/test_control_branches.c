/* SPDX-License-Identifier: Apache-2.0
 * test_control_branches.c -- kn_cond, kn_switch and kn_lax_map as users call them. */
#include "support/expect.h"
#include "support/group.h"

static const char *typed(kn_fn f, const kn_args *args) { return kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_TYPED); }

/* ---- cond and switch. */

static kn_array halve(const kn_array *x) { return kn_mul(*x, 0.5); }
static kn_array square(const kn_array *x) { return kn_square(*x); }
static kn_array negate(const kn_array *x) { return kn_negative(*x); }
KN_FUNCTION(halve, kn_array, kn_array)
KN_FUNCTION(square, kn_array, kn_array)
KN_FUNCTION(negate, kn_array, kn_array)
static kn_array branch(const kn_array *x)
{
    kn_array out;
    kn_cond(kn_greater(*x, 1), KN_FN(halve), KN_FN(square), &out, x);
    return out;
}
KN_FUNCTION(branch, kn_array, kn_array)

static void a_cond_takes_one_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array three = kn_scalar(3.0), small = kn_scalar(-0.5), out;
    kn_call(KN_FN(branch), &out, &three);
    expect_values(out, 1.5);
    kn_call(kn_jit(KN_FN(branch)), &out, &small);
    expect_values(out, 0.25);
}

static void a_predicate_may_be_any_real_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), out;
    kn_cond(2.5, KN_FN(halve), KN_FN(square), &out, &x);
    expect_values(out, 1.5);
    kn_cond(0, KN_FN(halve), KN_FN(square), &out, &x);
    expect_values(out, 9);
    kn_cond(KN_TRUE, KN_FN(halve), KN_FN(square), &out, &x);
    expect_values(out, 1.5);
    kn_cond(kn_scalar(-0.0), KN_FN(halve), KN_FN(square), &out, &x);
    expect_values(out, 9);
    kn_cond(kn_scalar(NAN), KN_FN(halve), KN_FN(square), &out, &x); /* it is not equal to 0 */
    expect_values(out, 1.5);
}

static void a_cond_has_the_derivative_of_its_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array points = kn_of(double, 0.5, 3, -2), three = kn_scalar(3.0), one = kn_scalar(1.0), y, dy, out;
    kn_call(kn_vmap(kn_grad(KN_FN(branch))), &out, &points);
    expect_values(out, 1, 0.5, -4);
    kn_jvp(KN_FN(branch), KN_ARGS(&three), KN_ARGS(&one), &y, &dy);
    expect_values(dy, 0.5);
    kn_call(kn_jit(kn_vmap(KN_FN(branch))), &out, &points);
    expect_values(out, 0.25, 1.5, 4);
}

static kn_array scale(const kn_array *w, const kn_array *x) { return kn_mul(*x, *w); }
static kn_array shift(const kn_array *w, const kn_array *x) { return kn_add(*x, *w); }
KN_CLOSURE(scale, kn_array, kn_array, kn_array)
KN_CLOSURE(shift, kn_array, kn_array, kn_array)
static kn_array captured_cond(const kn_array *p, const kn_array *a, const kn_array *b, const kn_array *x)
{
    kn_array out;
    kn_cond(*p, KN_CLOSE(scale, a), KN_CLOSE(shift, b), &out, x);
    return out;
}
KN_FUNCTION(captured_cond, kn_array, kn_array, kn_array, kn_array, kn_array)

static void branches_capture_arrays_of_their_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_scalar(3.0), b = kn_scalar(100.0), x = kn_of(double, 1, 2), yes = kn_scalar(1), no = kn_scalar(0),
             out;
    kn_fn f = kn_jit(KN_FN(captured_cond));
    kn_call(f, &out, &yes, &a, &b, &x);
    expect_values(out, 3, 6);
    kn_call(f, &out, &no, &a, &b, &x);
    expect_values(out, 101, 102);
    assert_int_equal(kn_fn_trace_count(f), 1);
}

static void a_cond_prints_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_scalar(1.0), a = kn_scalar(3.0), b = kn_scalar(100.0), x = kn_of(double, 1, 2);
    assert_string_equal(typed(KN_FN(captured_cond), KN_ARGS(&p, &a, &b, &x)),
                        "{ lambda ; a:f64[] b:f64[] c:f64[] d:f64[2]. let\n"
                        "    e:bool[] = ne a 0.0:f64[]\n"
                        "    f:i32[] = convert_element_type[new_dtype=int32 weak_type=False] e\n"
                        "    g:f64[2] = cond[\n"
                        "      branches=(\n"
                        "        { lambda ; h:f64[] i:f64[] j:f64[2]. let k:f64[2] = add j i in (k,) }\n"
                        "        { lambda ; l:f64[] m:f64[] n:f64[2]. let o:f64[2] = mul n l in (o,) }\n"
                        "      )\n"
                        "    ] f b c d\n"
                        "  in (g,) }");
}

static int calls;
static int count_call(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    calls++;
    return 0;
}
static kn_array heard(const kn_array *x)
{
    kn_debug_callback(count_call, NULL, KN_LIST(*x));
    return kn_mul(*x, 2);
}
KN_FUNCTION(heard, kn_array, kn_array)
static kn_array maybe_heard(const kn_array *x)
{
    kn_array out;
    kn_cond(kn_greater(*x, 0), KN_FN(heard), KN_FN(negate), &out, x);
    return out;
}
KN_FUNCTION(maybe_heard, kn_array, kn_array)

static void the_other_branch_is_not_run(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_scalar(1.0), below = kn_scalar(-1.0), out;
    calls = 0;
    kn_call(kn_jit(KN_FN(maybe_heard)), &out, &below);
    expect_values(out, 1);
    assert_int_equal(calls, 0);
    kn_call(kn_jit(KN_FN(maybe_heard)), &out, &one);
    expect_values(out, 2);
    assert_int_equal(calls, 1);
}

static kn_array number_one(const kn_array *x)
{
    (void)x;
    return kn_num(1);
}
KN_FUNCTION(number_one, kn_array, kn_array)

static void a_number_from_a_branch_takes_the_others_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0f), out;
    kn_cond(KN_TRUE, KN_FN(number_one), KN_FN(square), &out, &x);
    assert_ptr_equal(kn_dtype_of(out), KN_F32);
    expect_values(out, 1);
    kn_cond(KN_FALSE, KN_FN(number_one), KN_FN(number_one), &out, &x);
    assert_ptr_equal(kn_dtype_of(out), KN_I64);
}

static kn_array chosen(const kn_array *i, const kn_array *x)
{
    kn_array out;
    const kn_fn branches[] = {KN_FN(halve), KN_FN(square), KN_FN(negate)};
    kn_switch(*i, branches, 3, &out, x);
    return out;
}
KN_FUNCTION(chosen, kn_array, kn_array, kn_array)

static void the_index_of_a_switch_is_clamped(void **state)
{
    (void)state;
    KN_SCOPE;
    const double want[] = {2.5, 2.5, 25, -5, -5};
    kn_array five = kn_scalar(5.0), out, i;
    for (int k = -1; k < 4; k++) {
        i = kn_scalar(k);
        kn_call(KN_FN(chosen), &out, &i, &five);
        expect_values(out, want[k + 1]);
        i = kn_astype(kn_scalar(k), KN_I8);
        kn_call(kn_jit(KN_FN(chosen)), &out, &i, &five);
        expect_values(out, want[k + 1]);
    }
    i = kn_num((int64_t)1 << 40);
    kn_call(KN_FN(chosen), &out, &i, &five);
    expect_values(out, -5);
    i = kn_num(UINT64_MAX);
    kn_call(KN_FN(chosen), &out, &i, &five);
    expect_values(out, -5);
}

static void a_switch_is_batched_and_differentiated(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_of(int, 2, 0, 1, 9), x = kn_of(double, 1, 2, 3, 4), out;
    kn_call(kn_jit(kn_vmap(KN_FN(chosen))), &out, &i, &x);
    expect_values(out, -1, 1, 9, -4);
    kn_call(kn_vmap(kn_grad(KN_FN(chosen), .argnums = KN_ARGNUMS(1))), &out, &i, &x);
    expect_values(out, -1, 0.5, 6, -1);
}

/* A known index leaves one branch, with whatever that calls. */
static kn_array jitted(const kn_array *x)
{
    kn_array out;
    kn_call(kn_jit(KN_FN(square)), &out, x);
    return out;
}
KN_FUNCTION(jitted, kn_array, kn_array)
static kn_array checkpointed(const kn_array *x)
{
    kn_array out;
    kn_call(kn_checkpoint(KN_FN(square)), &out, x);
    return out;
}
static kn_array nested(const kn_array *x)
{
    kn_array out;
    kn_cond(true, KN_FN(jitted), KN_FN(halve), &out, x);
    return out;
}
static kn_array drawn(const kn_array *x)
{
    (void)x;
    return kn_random_uniform(kn_random_key(7), KN_SHAPE());
}
static kn_array incomplete(const kn_array *x) { return kn_special_gammainc(*x, kn_add(*x, 1)); }
KN_FUNCTION(checkpointed, kn_array, kn_array)
KN_FUNCTION(nested, kn_array, kn_array)
KN_FUNCTION(drawn, kn_array, kn_array)
KN_FUNCTION(incomplete, kn_array, kn_array)

static kn_array known(const kn_array *x)
{
    kn_array out;
    const kn_fn branch[] = {KN_FN(jitted), KN_FN(halve)};
    kn_switch(0, branch, 2, &out, x);
    return out;
}
KN_FUNCTION(known, kn_array, kn_array)

static void a_known_index_leaves_what_the_branch_calls(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), out, want;
    const kn_fn branch[] = {KN_FN(jitted), KN_FN(checkpointed), KN_FN(nested), KN_FN(drawn), KN_FN(incomplete)};
    for (int i = 0; i < 5; i++) {
        kn_call(branch[i], &want, &x);
        kn_switch(i, branch, 5, &out, &x);
        expect_values(kn_sub(out, want), 0);
    }
    kn_call(kn_jit(KN_FN(known)), &out, &x);
    expect_values(out, 9);
}

static kn_array only(const kn_array *i, const kn_array *x)
{
    kn_array out;
    kn_switch(*i, &(const kn_fn){KN_FN(negate)}, 1, &out, x);
    return out;
}
KN_FUNCTION(only, kn_array, kn_array, kn_array)

static void a_switch_of_one_branch_is_the_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_scalar(7), x = kn_scalar(2.0), out;
    kn_call(KN_FN(only), &out, &i, &x);
    expect_values(out, -2);
    assert_null(strstr(typed(KN_FN(only), KN_ARGS(&i, &x)), "cond"));
}

static void a_switch_prints_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_scalar((int64_t)1), x = kn_scalar(2.0);
    assert_string_equal(typed(KN_FN(chosen), KN_ARGS(&i, &x)),
                        "{ lambda ; a:i64[] b:f64[]. let\n"
                        "    c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] a\n"
                        "    d:i32[] = clamp 0:i32[] c 2:i32[]\n"
                        "    e:f64[] = cond[\n"
                        "      branches=(\n"
                        "        { lambda ; f:f64[]. let g:f64[] = mul f 0.5:f64[] in (g,) }\n"
                        "        { lambda ; h:f64[]. let i:f64[] = square h in (i,) }\n"
                        "        { lambda ; j:f64[]. let k:f64[] = neg j in (k,) }\n"
                        "      )\n"
                        "    ] d b\n"
                        "  in (e,) }");
}

/* ---- map. */

typedef struct {
    kn_array total, twice;
} Mapped;
static Mapped row(const kn_array *x) { return (Mapped){kn_sum(*x), kn_mul(*x, 2)}; }
KN_FUNCTION(row, Mapped, kn_array)

static void map_stacks_results(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_reshape(kn_of(double, 1, 2, 3, 4, 5, 6), KN_SHAPE(3, 2));
    Mapped out;
    kn_lax_map(KN_FN(row), &out, &xs);
    expect_values(out.total, 3, 7, 11);
    assert_int_equal(kn_dim(out.twice, 0), 3);
    assert_int_equal(kn_dim(out.twice, 1), 2);
    expect_values(out.twice, 2, 4, 6, 8, 10, 12);
}

static void map_in_batches_gives_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_reshape(kn_arange(0, 14, 1.0), KN_SHAPE(7, 2));
    Mapped out, want;
    kn_lax_map(KN_FN(row), &want, &xs);
    for (int size = 1; size < 10; size++) {
        assert_int_equal(kn_lax_map(KN_FN(row), &out, &xs, .batch_size = size), 0);
        assert_true(kn_array_equal(out.total, want.total));
        assert_true(kn_array_equal(out.twice, want.twice));
    }
}

static kn_array doubled(const kn_array *x) { return kn_mul(*x, 2); }
KN_FUNCTION(doubled, kn_array, kn_array)
static kn_array doubled_by_batches(const kn_array *xs)
{
    kn_array out;
    kn_lax_map(KN_FN(doubled), &out, xs, .batch_size = 2);
    return out;
}
KN_FUNCTION(doubled_by_batches, kn_array, kn_array)

static void map_in_batches_prints_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_ones(KN_SHAPE(5));
    assert_string_equal(typed(KN_FN(doubled_by_batches), KN_ARGS(&xs)),
                        "{ lambda ; a:f64[5]. let\n"
                        "    b:f64[4] = slice[limit_indices=(4,) start_indices=(0,) strides=None] a\n"
                        "    c:f64[2,2] = reshape[dimensions=None new_sizes=(2, 2) sharding=None] b\n"
                        "    d:f64[1] = slice[limit_indices=(5,) start_indices=(4,) strides=None] a\n"
                        "    e:f64[2,2] = scan[\n"
                        "      jaxpr={ lambda ; f:f64[2]. let g:f64[2] = mul f 2.0:f64[] in (g,) }\n"
                        "      length=2\n"
                        "      num_carry=0\n"
                        "      num_consts=0\n"
                        "      reverse=False\n"
                        "      unroll=1\n"
                        "    ] c\n"
                        "    h:f64[1] = mul d 2.0:f64[]\n"
                        "    i:f64[4] = reshape[dimensions=None new_sizes=(4,) sharding=None] e\n"
                        "    j:f64[5] = concatenate[dimension=0] i h\n"
                        "  in (j,) }");
}

static void map_in_batches_takes_captured_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 10, 100), xs = kn_reshape(kn_of(double, 1, 2, 3, 4, 5, 6), KN_SHAPE(3, 2)), out;
    kn_lax_map(KN_CLOSE(scale, &w), &out, &xs, .batch_size = 2);
    expect_values(out, 10, 200, 30, 400, 50, 600);
}

static kn_array gradient_of_map(const kn_array *xs)
{
    kn_array out;
    kn_lax_map(KN_FN(square), &out, xs, .batch_size = 2);
    return kn_sum(out);
}
KN_FUNCTION(gradient_of_map, kn_array, kn_array)

static void map_is_differentiated_and_batched(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(double, 1, 2, 3), rows = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)), g;
    kn_call(kn_jit(kn_grad(KN_FN(gradient_of_map))), &g, &xs);
    expect_values(g, 2, 4, 6);
    kn_call(kn_vmap(KN_FN(gradient_of_map)), &g, &rows);
    expect_values(g, 5, 25);
}

static void map_of_nothing_is_empty(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_zeros(KN_SHAPE(0, 2));
    Mapped out;
    for (int size = 0; size < 3; size += 2) {
        kn_lax_map(KN_FN(row), &out, &xs, .batch_size = size);
        assert_int_equal(kn_ndim(out.total), 1);
        assert_int_equal(kn_size(out.total), 0);
        assert_int_equal(kn_dim(out.twice, 1), 2);
    }
}

KN_TEST_GROUP(test_control_branches)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cond_takes_one_branch),
        TEST(a_predicate_may_be_any_real_number),
        TEST(a_cond_has_the_derivative_of_its_branch),
        TEST(branches_capture_arrays_of_their_own),
        TEST(a_cond_prints_as_in_jax),
        TEST(the_other_branch_is_not_run),
        TEST(a_number_from_a_branch_takes_the_others_dtype),
        TEST(the_index_of_a_switch_is_clamped),
        TEST(a_switch_is_batched_and_differentiated),
        TEST(a_known_index_leaves_what_the_branch_calls),
        TEST(a_switch_of_one_branch_is_the_branch),
        TEST(a_switch_prints_as_in_jax),
        TEST(map_stacks_results),
        TEST(map_in_batches_gives_the_same),
        TEST(map_in_batches_prints_as_in_jax),
        TEST(map_in_batches_takes_captured_arrays),
        TEST(map_is_differentiated_and_batched),
        TEST(map_of_nothing_is_empty),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
