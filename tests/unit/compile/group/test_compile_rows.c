/* SPDX-License-Identifier: Apache-2.0
 * test_compile_rows.c -- computations along rows, columns and middle axes become one kernel of several passes: the
 * number of steps of each, and the bits of the same program without fusion. */
#include "support/expect.h"

#include "support/group.h"
#include "support/rows.h"

#include <stdio.h>

enum { LAYOUTS = 6 };
static const struct layout {
    const char *name;
    knx_dtype_id dtype;
    int ndim, axis;
    int64_t dim[3];
} layouts[LAYOUTS] = {
    {"rows", KN_ID_F32, 2, 1, {6, 37}},      {"columns", KN_ID_F32, 2, 0, {37, 6}},
    {"middle", KN_ID_F32, 3, 1, {3, 37, 5}}, {"last of three", KN_ID_F32, 3, 2, {3, 5, 37}},
    {"float16", KN_ID_F16, 2, 1, {6, 37}},   {"float64", KN_ID_F64, 2, 1, {6, 37}},
};

static int the_axis; /* that the functions below work along */

#define AXIS KN_AXIS(the_axis)
static kn_array softmax(const kn_array *x) { return kn_nn_softmax(*x, .axis = AXIS); }
static kn_array log_softmax(const kn_array *x) { return kn_nn_log_softmax(*x, .axis = AXIS); }
static kn_array logsumexp(const kn_array *x) { return kn_nn_logsumexp(*x, .axis = AXIS); }
static kn_array variance(const kn_array *x) { return kn_var(*x, .axis = AXIS); }
static kn_array deviation(const kn_array *x) { return kn_std(*x, .axis = AXIS); }
static kn_array center(const kn_array *x) { return kn_sub(*x, kn_mean(*x, .axis = AXIS, .keepdims = true)); }
static kn_array fast_norm(const kn_array *x) { return kn_nn_standardize(*x, .axis = AXIS); }
static kn_array normalize(const kn_array *x)
{
    kn_array mean = kn_mean(*x, .axis = AXIS, .keepdims = true), d = kn_sub(*x, mean);
    kn_array v = kn_mean(kn_mul(d, d), .axis = AXIS, .keepdims = true);
    return kn_div(d, kn_sqrt(kn_add(v, 1e-5)));
}
static kn_array layer_norm(const kn_array *x, const kn_array *scale, const kn_array *bias)
{
    return kn_add(kn_mul(normalize(x), *scale), *bias);
}
static kn_array softmax_of_gelu(const kn_array *x) { return kn_nn_softmax(kn_nn_gelu(*x), .axis = AXIS); }
KN_FUNCTION(softmax, kn_array, kn_array)
KN_FUNCTION(log_softmax, kn_array, kn_array)
KN_FUNCTION(logsumexp, kn_array, kn_array)
KN_FUNCTION(variance, kn_array, kn_array)
KN_FUNCTION(deviation, kn_array, kn_array)
KN_FUNCTION(center, kn_array, kn_array)
KN_FUNCTION(fast_norm, kn_array, kn_array)
KN_FUNCTION(layer_norm, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(softmax_of_gelu, kn_array, kn_array)

/* The gradient for a cotangent that is an argument: vector-Jacobian products by the weighted sum. */
#define WEIGHTED(f)                                                                                         \
    static kn_array f##_weighted(const kn_array *x, const kn_array *w) { return kn_sum(kn_mul(f(x), *w)); } \
    KN_FUNCTION(f##_weighted, kn_array, kn_array, kn_array)
WEIGHTED(softmax)
WEIGHTED(log_softmax)
WEIGHTED(logsumexp)
WEIGHTED(variance)
WEIGHTED(fast_norm)
static kn_array layer_norm_weighted(const kn_array *x, const kn_array *scale, const kn_array *bias, const kn_array *w)
{
    return kn_sum(kn_mul(layer_norm(x, scale, bias), *w));
}
KN_FUNCTION(layer_norm_weighted, kn_array, kn_array, kn_array, kn_array, kn_array)

static kni_jaxpr *traced(kn_fn f, const kn_args *args)
{
    kni_jaxpr *j = NULL;
    test_ok(kni_parse(kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_FULL), &j));
    return j;
}

static void expect_same_bits(const char *name, const kni_jaxpr *j)
{
    test_operands x = test_make_operands(j, 7);
    knx_buffer *plain[MANY], *fused[MANY];
    knd_loaded *p = test_compile(j, false), *q = test_compile(j, true);
    test_ok(knd_run(p, x.in, plain, NULL));
    test_ok(knd_run(q, x.in, fused, NULL));
    for (uint32_t k = 0; k < j->n_out; k++) {
        int64_t at = test_difference(kni_out_type(j, k), plain[k]->data, fused[k]->data);
        if (at >= 0 && getenv("KN_TEST_SEED")) {
            char *text = NULL;
            test_ok(kni_text(j, KN_FORM_TYPED, &text));
            puts(text);
            test_ok(knc_text(q->program, &text));
            puts(text);
        }
        if (at >= 0)
            fail_msg("%s: output %u differs at %lld", name, k, (long long)at);
    }
    test_release((int)j->n_out, plain);
    test_release((int)j->n_out, fused);
    knd_release(p);
    knd_release(q);
    test_free_operands(&x);
}

static void expect_steps(const char *name, const char *layout, int most, kn_fn f, const kn_args *args)
{
    kni_jaxpr *j = traced(f, args);
    knd_loaded *p = test_compile(j, true);
    int steps = knc_n_steps(p->program);
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    if (getenv("KN_TEST_COUNTS"))
        printf("%s, %s: %d\n%s", name, layout, steps, atoi(getenv("KN_TEST_COUNTS")) > 1 ? text : "");
    else if (steps > most)
        fail_msg("%s, %s: %d steps, not %d:\n%s", name, layout, steps, most, text);
    knx_free(text);
    knd_release(p);
    expect_same_bits(name, j);
    kni_release(j);
}

static void along_an_axis(const struct layout *l)
{
    KN_SCOPE;
    kn_dtype d = &knx_dtype_table[l->dtype];
    kn_shape shape = {.ndim = l->ndim}, less = {.ndim = l->ndim - 1};
    the_axis = l->axis;
    for (int i = 0; i < l->ndim; i++)
        shape.dim[i] = l->dim[i];
    for (int i = 0, k = 0; i < l->ndim; i++)
        if (i != l->axis)
            less.dim[k++] = l->dim[i];
    kn_array x = kn_zeros(shape, .dtype = d), row = kn_zeros(less, .dtype = d);
    expect_steps("softmax", l->name, 1, KN_FN(softmax), KN_ARGS(&x));
    expect_steps("log_softmax", l->name, 1, KN_FN(log_softmax), KN_ARGS(&x));
    expect_steps("logsumexp", l->name, 1, KN_FN(logsumexp), KN_ARGS(&x));
    expect_steps("variance", l->name, 1, KN_FN(variance), KN_ARGS(&x));
    expect_steps("deviation", l->name, 1, KN_FN(deviation), KN_ARGS(&x));
    expect_steps("center", l->name, 1, KN_FN(center), KN_ARGS(&x));
    expect_steps("standardize", l->name, 1, KN_FN(fast_norm), KN_ARGS(&x));
    expect_steps("layer norm", l->name, 1, KN_FN(layer_norm), KN_ARGS(&x, &x, &x));
    expect_steps("softmax of gelu", l->name, 1, KN_FN(softmax_of_gelu), KN_ARGS(&x));
    expect_steps("gradient of softmax", l->name, 2, kn_grad(KN_FN(softmax_weighted)), KN_ARGS(&x, &x));
    expect_steps("gradient of log_softmax", l->name, 2, kn_grad(KN_FN(log_softmax_weighted)), KN_ARGS(&x, &x));
    expect_steps("gradient of logsumexp", l->name, 2, kn_grad(KN_FN(logsumexp_weighted)), KN_ARGS(&x, &row));
    expect_steps("gradient of variance", l->name, 2, kn_grad(KN_FN(variance_weighted)), KN_ARGS(&x, &row));
    expect_steps("gradient of standardize", l->name, 3, kn_grad(KN_FN(fast_norm_weighted)), KN_ARGS(&x, &x));
    expect_steps("gradient of layer norm", l->name, 3, kn_grad(KN_FN(layer_norm_weighted)), KN_ARGS(&x, &x, &x, &x));
    expect_steps("value and gradient of softmax", l->name, 3, kn_value_and_grad(KN_FN(softmax_weighted)),
                 KN_ARGS(&x, &x));
}

static void each_is_few_kernels(void **state)
{
    (void)state;
    for (int i = 0; i < LAYOUTS; i++)
        along_an_axis(&layouts[i]);
}

/* --- what shares a pass, what does not ---------------------------------------------------------- */

static char *text_of(const kni_jaxpr *j, int steps)
{
    knd_loaded *p = test_compile(j, true);
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    if (knc_n_steps(p->program) != steps)
        fail_msg("%d steps, not %d:\n%s", knc_n_steps(p->program), steps, text);
    knd_release(p);
    return text;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

static void expect_passes(kni_jaxpr *j, int passes)
{
    char *text = text_of(j, 1);
    if (count(text, "joins(") != passes)
        fail_msg("not %d passes:\n%s", passes, text);
    expect_same_bits("f", j);
    knx_free(text);
    kni_release(j);
}

static void siblings_share_one_pass(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t last[] = {1};
    kni_atom x = knb_invar(&b, F32(5, 9)), sum = knb_reduce_sum(&b, x, 1, last),
             squares = knb_reduce_sum(&b, knb_mul(&b, x, x), 1, last), max = knb_reduce_max(&b, x, 1, last),
             map = knb_tanh(&b, x);
    expect_passes(FINISH(&b, sum, squares, max, map), 1);
}

static void siblings_behind_a_value_that_is_stored_share_one_pass(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t last[] = {1};
    kni_atom x = knb_exp(&b, knb_invar(&b, F32(5, 9))), sum = knb_reduce_sum(&b, x, 1, last),
             max = knb_sqrt(&b, knb_reduce_max(&b, x, 1, last)), map = knb_tanh(&b, x);
    expect_passes(FINISH(&b, x, map, max, sum), 1);
}

static void mean_and_variance_are_one_kernel(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t last[] = {1}, rows[] = {0}, dim[] = {5, 9};
    kni_atom x = knb_invar(&b, F32(5, 9)), n = knb_number(&b, KN_DT(F32), 9),
             mean = knb_div(&b, knb_reduce_sum(&b, x, 1, last), n),
             d = knb_sub(&b, x, knb_broadcast_in_dim(&b, mean, 2, dim, rows)),
             variance = knb_div(&b, knb_reduce_sum(&b, knb_mul(&b, d, d), 1, last), n);
    expect_passes(FINISH(&b, mean, variance), 2);
}

/* As of batch normalisation. */
static void axes_around_the_rows_are_joined_in_one_kernel(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t axes[] = {0, 2}, rows[] = {1}, dim[] = {4, 3, 6};
    kni_atom x = knb_invar(&b, F32(4, 3, 6)), n = knb_number(&b, KN_DT(F32), 24),
             mean = knb_div(&b, knb_reduce_sum(&b, x, 2, axes), n),
             d = knb_sub(&b, x, knb_broadcast_in_dim(&b, mean, 3, dim, rows)),
             v = knb_div(&b, knb_reduce_sum(&b, knb_mul(&b, d, d), 2, axes), n),
             y = knb_mul(&b, d, knb_broadcast_in_dim(&b, knb_rsqrt(&b, v), 3, dim, rows));
    expect_passes(FINISH(&b, y), 3);
}

/* All elements are one row; its results are scalars, which elementwise equations read as they are. */
static void a_small_array_is_one_row(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t axes[] = {0, 1};
    kni_atom x = knb_invar(&b, F32(4, 6)),
             mean = knb_div(&b, knb_reduce_sum(&b, x, 2, axes), knb_number(&b, KN_DT(F32), 24));
    expect_passes(FINISH(&b, knb_sub(&b, x, mean)), 2);
}

static void expect_sum(int64_t a, int64_t b, int64_t c, int64_t axis, bool written_out)
{
    kni_builder b_;
    knb_init(&b_);
    kni_atom x = knb_invar(&b_, F32(a, b, c));
    kni_jaxpr *j = FINISH(&b_, knb_reduce_sum(&b_, knb_mul(&b_, x, x), 1, &axis));
    knd_loaded *p = test_compile(j, true);
    assert_int_equal(knc_n_steps(p->program), 1);
    const knk_kernel *k = p->program->step[0].u.k.kernel;
    bool has_loop = false;
    for (int i = 0; i < k->n_stage; i++)
        has_loop |= k->stage[i].n_inner > 0;
    if (has_loop == written_out)
        fail_msg("axis %lld of %lldx%lldx%lld", (long long)axis, (long long)a, (long long)b, (long long)c);
    knd_release(p);
    expect_same_bits("sum", j);
    kni_release(j);
}

/* Elements across the lanes, up to 64 of them; along the lanes they are a loop, and where lanes or points are few. */
static void short_columns_are_written_out(void **state)
{
    (void)state;
    expect_sum(40, 20, 30, 1, true);
    expect_sum(64, 2, 600, 0, true);
    expect_sum(9, 1, 1024, 0, true);
    expect_sum(400, 31, 3, 1, true);
    expect_sum(600, 31, 2, 1, false);
    expect_sum(40, 65, 30, 1, false);
    expect_sum(30, 20, 30, 1, false);
    expect_sum(40, 30, 20, 2, false);
}

static kni_jaxpr *softmax_of(int64_t rows, int64_t columns, int64_t axis)
{
    kni_builder b;
    knb_init(&b);
    int64_t dim[] = {rows, columns}, kept[] = {1 - axis};
    kni_atom x = knb_invar(&b, F32(rows, columns)),
             m = knb_broadcast_in_dim(&b, knb_reduce_max(&b, x, 1, &axis), 2, dim, kept),
             e = knb_exp(&b, knb_sub(&b, x, m)),
             s = knb_broadcast_in_dim(&b, knb_reduce_sum(&b, e, 1, &axis), 2, dim, kept);
    return FINISH(&b, knb_div(&b, e, s));
}

static void rows_that_do_not_fit_into_the_cache_are_several_kernels(void **state)
{
    (void)state;
    int64_t shape[2][3] = {{2, 100000, 1}, {5000, 3, 0}};
    for (int i = 0; i < 2; i++) {
        kni_jaxpr *j = softmax_of(shape[i][0], shape[i][1], shape[i][2]);
        char *text = text_of(j, 3);
        assert_non_null(strstr(text, "reduce_sum -> f32["));
        assert_int_equal(count(text, "the rows that are joined do not fit into the cache"), 2);
        expect_same_bits("softmax", j);
        knx_free(text);
        kni_release(j);
    }
}

/* The exponentials lie where the results will be. */
static void a_softmax_needs_no_temporary(void **state)
{
    (void)state;
    kni_jaxpr *j = softmax_of(1000, 1000, 1);
    knd_loaded *p = test_compile(j, true);
    assert_int_equal(knc_n_steps(p->program), 1);
    assert_true(knd_workspace_bytes(p, 1) < 1000000);
    knd_release(p);
    kni_release(j);
}

/* A sum reads one result of a loop once per row; what reads the other result has other loops. */
static void readers_of_two_results_of_an_equation_share_loops_of_one_shape_only(void **state)
{
    (void)state;
    static const char *const text =
        "{ lambda \"f\" ; a:f32[] b:f32[3]. let"
        "    c:f32[] d:f32[3] = while[body_jaxpr={ lambda ; e:f32[] f:f32[3]. let g:f32[] = add e 1.0:f32[];"
        "                                               h:f32[3] = mul f 2.0:f32[] in (g, h) } body_nconsts=0"
        "                             cond_jaxpr={ lambda ; i:f32[] j:f32[3]. let k:bool[] = lt i 4.0:f32[] in (k,) }"
        "                             cond_nconsts=0] a b;"
        "    l:f32[%s] = broadcast_in_dim[broadcast_dimensions=() shape=(%s,)] c;"
        "    m:f32[] = reduce_sum[axes=(0,)] l;"
        "    n:f32[3] = neg d"
        "  in (m, n) }";
    static const char *const lengths[] = {"1", "3", "4"};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char all[1024];
        kni_jaxpr *j = NULL;
        snprintf(all, sizeof all, text, lengths[i], lengths[i]);
        test_ok(kni_parse(all, &j));
        expect_same_bits(lengths[i], j);
        kni_release(j);
    }
}

/* --- random programs --------------------------------------------------------------------------- */

static void random_rows_have_the_same_bits_fused_and_unfused(void **state)
{
    (void)state;
    const char *first = getenv("KN_TEST_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1, end = first ? seed + 1 : 4000;
    for (; seed < end; seed++) {
        char name[40];
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        kni_jaxpr *j = test_random_rows(seed);
        expect_same_bits(name, j);
        kni_release(j);
    }
}

static void planning_rows_without_memory_leaks_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        kni_jaxpr *j = test_random_rows(seed);
        int64_t live = knx_alloc_live(), k = 0;
        for (bool done = false; !done; k++) {
            knd_loaded *p = NULL;
            char *text = NULL;
            knx_fail_after(k, seed % 2);
            knx_error *e = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true, .record = true}, &p);
            if (!e)
                e = knc_graphviz(p->program, &text);
            knx_fail_after(-1, false);
            done = !e;
            if (e && e->kind != KN_ERROR_MEMORY)
                fail_msg("%s", e->message);
            knx_error_release(e);
            knx_free(text);
            knd_release(p);
            assert_int_equal(knx_alloc_live(), live);
        }
        assert_true(k > 3);
        kni_release(j);
    }
}

KN_TEST_GROUP(test_compile_rows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_few_kernels),
        cmocka_unit_test(siblings_share_one_pass),
        cmocka_unit_test(siblings_behind_a_value_that_is_stored_share_one_pass),
        cmocka_unit_test(mean_and_variance_are_one_kernel),
        cmocka_unit_test(axes_around_the_rows_are_joined_in_one_kernel),
        cmocka_unit_test(a_small_array_is_one_row),
        cmocka_unit_test(short_columns_are_written_out),
        cmocka_unit_test(rows_that_do_not_fit_into_the_cache_are_several_kernels),
        cmocka_unit_test(a_softmax_needs_no_temporary),
        cmocka_unit_test(readers_of_two_results_of_an_equation_share_loops_of_one_shape_only),
        cmocka_unit_test(random_rows_have_the_same_bits_fused_and_unfused),
        cmocka_unit_test(planning_rows_without_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
