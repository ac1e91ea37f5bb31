/* SPDX-License-Identifier: Apache-2.0
 * test_prim_limits.c -- rules at their limits: no memory anywhere, as many dimensions as there can be and one more,
 * and columns that programs never reach. */
#include "support/group.h"
#include "support/rules.h"
#include "transform/transform.h"

#define INTS(...)                                                                \
    {                                                                            \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]) { __VA_ARGS__ } \
    }
/* More operands than fit into the first block of an arena. */
enum { MANY = 1200 };
static int64_t ones[KN_MAX_NDIM + 2];

/* --- no memory -------------------------------------------------------------------------------- */

typedef int making(kni_builder *b, kni_atom *x, kni_atom *y); /* fills in and out; returns the number of results */

static int inputs(kni_builder *b, int n, kni_type t, kni_atom *x)
{
    for (int i = 0; i < n; i++)
        x[i] = knb_invar(b, t);
    return n;
}

static kni_type vector_of(kn_dtype d, int64_t n)
{
    static int64_t dim[4];
    dim[n] = n;
    return kni_type_of(d, 1, &dim[n]);
}

static int make_barrier(kni_builder *b, kni_atom *x, kni_atom *y)
{
    knb_optimization_barrier(b, inputs(b, MANY, kni_scalar_type(KN_DT(F32)), x), x, y);
    return MANY;
}

static int make_concatenation(kni_builder *b, kni_atom *x, kni_atom *y)
{
    y[0] = knb_concatenate(b, inputs(b, MANY, vector_of(KN_DT(F32), 1), x), x, 0);
    return 1;
}

static int make_stack(kni_builder *b, kni_atom *x, kni_atom *y)
{
    y[0] = knb_stack(b, inputs(b, MANY, kni_scalar_type(KN_DT(F32)), x), x, 0);
    return 1;
}

static int make_choice(kni_builder *b, kni_atom *x, kni_atom *y)
{
    kni_atom which = knb_integer(b, KN_DT(I32), 1);
    y[0] = knb_select_n(b, which, inputs(b, MANY, vector_of(KN_DT(F32), 2), x), x);
    return 1;
}

static int make_sort(kni_builder *b, kni_atom *x, kni_atom *y)
{
    knb_sort(b, inputs(b, MANY, vector_of(KN_DT(F32), 2), x), x, 0, 1, y);
    return MANY;
}

static int make_parts(kni_builder *b, kni_atom *x, kni_atom *y)
{
    static int64_t dim = MANY;
    x[0] = knb_invar(b, kni_type_of(KN_DT(F32), 1, &dim));
    knb_unstack(b, x[0], 0, MANY, y);
    return MANY;
}

/* Sums of many arrays at once, by a computation of twice as many scalars. */
static int make_reduction(kni_builder *b, kni_atom *x, kni_atom *y)
{
    enum { N = MANY / 2 };
    kni_builder inner;
    kni_jaxpr *j = NULL;
    knb_init(&inner);
    kni_atom *in = malloc(2 * N * sizeof *in), *out = malloc(N * sizeof *out);
    inputs(&inner, 2 * N, kni_scalar_type(KN_DT(F32)), in);
    for (int i = 0; i < N; i++)
        out[i] = knb_add(&inner, in[i], in[N + i]);
    knx_error *e = inner.error ? knb_take_error(&inner) : knb_finish(&inner, N, out, "", false, &j);
    free(in);
    free(out);
    knb_free(&inner);
    inputs(b, N, vector_of(KN_DT(F32), 3), x);
    inputs(b, N, kni_scalar_type(KN_DT(F32)), x + N);
    if (e)
        knb_fail(b, e);
    else
        knb_reduce(b, N, x, j, 1, (int64_t[]){0}, y);
    kni_release(j);
    return N;
}

/* Makes it, and all that follows from it. */
static knx_error *all_rules(making *make)
{
    kni_builder b;
    kni_atom *x = malloc(2 * MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    kni_jaxpr *j = NULL, *made = NULL;
    knt_linearized l = {0};
    bool *tangent = malloc(2 * MANY), *linear = malloc(8 * MANY);
    int *axis = malloc(2 * MANY * sizeof *axis);
    knb_init(&b);
    int n = make(&b, x, y);
    knx_error *e = b.error ? knb_take_error(&b) : knb_finish(&b, n, y, "", false, &j);
    for (uint32_t i = 0; !e && i < j->n_in; i++) {
        tangent[i] = true;
        axis[i] = i % 2 ? -1 : 0;
    }
    if (!e)
        e = knt_linearize(j, tangent, &l);
    for (uint32_t i = 0; !e && i < l.linear->n_in && i < 8 * MANY; i++)
        linear[i] = i >= l.n_residual;
    if (!e && l.linear->n_in < 8 * MANY)
        e = knt_transpose(l.linear, linear, &made);
    kni_release(made);
    made = NULL;
    if (!e)
        e = knt_batch(j, 2, NULL, axis, NULL, &made);
    kni_release(made);
    made = NULL;
    if (!e)
        e = knt_expand(j, &made);
    kni_release(made);
    knt_linearized_free(&l);
    kni_release(j);
    knb_free(&b);
    free(x), free(y), free(tangent), free(linear), free(axis);
    return e;
}

/* Every allocation fails once; later on, in steps. */
static void without_memory(making *make)
{
    int64_t live = knx_alloc_live(), k = 0;
    for (bool done = false; !done; k += 1 + k / 40) {
        knx_fail_after(k, false);
        knx_error *e = all_rules(make);
        knx_fail_after(-1, false);
        done = !e;
        if (e)
            assert_int_equal(e->kind, KN_ERROR_MEMORY);
        knx_error_release(e);
        assert_int_equal(knx_alloc_live(), live);
    }
    assert_true(k > 5);
}

static void rules_of_many_operands_survive_without_memory(void **unused)
{
    making *const all[] = {make_barrier, make_concatenation, make_stack,    make_choice,
                           make_sort,    make_parts,         make_reduction};
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        without_memory(all[i]);
}

/* The last equation of b as a rule sees it, and atoms for what the rule fills in. */
enum { FEW = 12 };
typedef struct {
    kni_rule r;
    kni_type xt[2 * FEW], yt[FEW];
    kni_atom linear[2 * FEW], zero[2 * FEW], out[2 * FEW];
    int axis[2 * FEW], axis_out[FEW];
} view;

static void look(kni_builder *b, view *v)
{
    const kni_draft_eqn *e = &b->eqn.at[b->eqn.n - 1];
    static kni_atom y[FEW];
    for (uint32_t i = 0; i < e->n_in; i++) {
        v->xt[i] = knb_type(b, e->in[i]);
        v->linear[i] = kni_linear_in(e->prim, (int)i) ? KN_ATOM_LINEAR : e->in[i];
        v->axis[i] = v->xt[i].ndim ? 0 : -1;
    }
    for (uint32_t i = 0; i < e->n_out; i++) {
        y[i] = e->out + i;
        v->yt[i] = knb_type(b, y[i]);
    }
    for (int i = 0; i < 2 * FEW; i++)
        v->zero[i] = KN_ATOM_ZERO;
    v->r = (kni_rule){.b = b,
                      .prim = e->prim,
                      .params = e->params,
                      .n_in = (int)e->n_in,
                      .n_out = (int)e->n_out,
                      .x = e->in,
                      .xt = v->xt,
                      .y = y,
                      .yt = v->yt};
}

/* Takes all that is left in the builder's arena; nothing more can be had. */
static void exhaust(kni_builder *b)
{
    knx_fail_after(0, true);
    while (knx_arena_alloc(&b->arena, 1))
        ;
}

static void ended_without_memory(kni_builder *b, knx_error *e)
{
    knx_fail_after(-1, false);
    if (!e)
        e = knb_take_error(b);
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_MEMORY);
    knx_error_release(e);
    knx_error_release(knb_take_error(b));
}

static int few_sums(kni_builder *b, kni_atom *x, kni_atom *y)
{
    inputs(b, FEW, vector_of(KN_DT(F32), 2), x);
    y[0] = knb_emit1(b, &knp_prim_select_n, NULL, FEW,
                     (kni_atom[]){knb_integer(b, KN_DT(I32), 1), x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9],
                                  x[10], x[11]});
    return 1;
}

static int few_joined(kni_builder *b, kni_atom *x, kni_atom *y)
{
    y[0] = knb_concatenate(b, inputs(b, FEW, vector_of(KN_DT(F32), 1), x), x, 0);
    return 1;
}

static int few_sorted(kni_builder *b, kni_atom *x, kni_atom *y)
{
    knb_sort(b, inputs(b, FEW, vector_of(KN_DT(F32), 2), x), x, 0, 1, y);
    return FEW;
}

static int few_behind_a_barrier(kni_builder *b, kni_atom *x, kni_atom *y)
{
    knb_optimization_barrier(b, inputs(b, FEW, vector_of(KN_DT(F32), 2), x), x, y);
    return FEW;
}

static int few_stacked(kni_builder *b, kni_atom *x, kni_atom *y)
{
    y[0] = knb_stack(b, inputs(b, FEW, vector_of(KN_DT(F32), 2), x), x, 0);
    return 1;
}

static int few_parts(kni_builder *b, kni_atom *x, kni_atom *y)
{
    static int64_t dim[] = {FEW, 2};
    x[0] = knb_invar(b, kni_type_of(KN_DT(F32), 2, dim));
    knb_split(b, x[0], 3, (int64_t[]){2, 4, 6}, 0, y);
    return 3;
}

static int few_reduced(kni_builder *b, kni_atom *x, kni_atom *y)
{
    kni_builder inner;
    kni_jaxpr *j = NULL;
    knb_init(&inner);
    inputs(&inner, 2, kni_scalar_type(KN_DT(F32)), x);
    y[0] = knb_add(&inner, x[0], x[1]);
    assert_null(knb_finish(&inner, 1, y, "", false, &j));
    knb_free(&inner);
    inputs(b, 1, vector_of(KN_DT(F32), 3), x);
    inputs(b, 1, kni_scalar_type(KN_DT(F32)), x + 1);
    knb_reduce(b, 1, x, j, 1, (int64_t[]){0}, y);
    kni_release(j);
    return 1;
}

static void rules_that_find_no_memory_say_so(void **unused)
{
    making *const all[] = {few_sums, few_joined, few_sorted, few_behind_a_barrier, few_stacked, few_parts, few_reduced};
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kni_builder b;
        kni_atom x[2 * FEW], y[FEW];
        view v;
        knb_init(&b);
        all[i](&b, x, y);
        assert_null(b.error);
        look(&b, &v);
        const kni_prim *p = v.r.prim;
        knx_error *e = NULL;
        exhaust(&b);
        if (p->jvp)
            p->jvp(&v.r, v.r.x, v.out);
        else
            e = p->linearize(&v.r, v.r.x, v.zero, v.out);
        ended_without_memory(&b, e);
        exhaust(&b);
        e = p->batch(&v.r, 2, v.axis, v.out, v.axis_out);
        ended_without_memory(&b, e);
        if (!p->transpose)
            goto next;
        v.r.x = v.linear;
        exhaust(&b);
        e = p->transpose(&v.r, v.r.y, v.out);
        ended_without_memory(&b, e);
    next:
        knb_free(&b);
    }
}

/* Lowering without memory: positions of windows, of words, of parts. */
static void lowering_survives_without_memory(void **unused)
{
    kni_builder b;
    kni_atom start, y[6];
    kni_jaxpr *j = NULL;
    static int64_t six[] = {6, 2};
    (void)unused;
    knb_init(&b);
    kni_atom table = knb_invar(&b, kni_type_of(KN_DT(F32), 1, six)),
             words = knb_invar(&b, kni_type_of(KN_DT(U32), 2, six));
    start = knb_invar(&b, kni_scalar_type(KN_DT(I32)));
    y[0] = knb_dynamic_slice(&b, table, &start, (int64_t[]){3});
    y[1] = knb_dynamic_update_slice(&b, table, y[0], &start);
    y[2] = knb_random_wrap(&b, words);
    y[3] = knb_random_unwrap(&b, knb_rev(&b, y[2], 1, (int64_t[]){0}));
    y[4] = knb_concatenate(&b, 2, (kni_atom[]){knb_sin(&b, y[0]), y[1]}, 0);
    y[5] = knb_pad(&b, knb_cos(&b, table), knb_number(&b, KN_DT(F32), 0), (int64_t[]){1}, (int64_t[]){2}, NULL);
    assert_null(knb_finish(&b, 6, y, "", false, &j));
    knb_free(&b);
    int64_t live = knx_alloc_live(), k = 0;
    for (bool done = false; !done; k++) {
        knd_loaded *p = NULL;
        knx_fail_after(k, false);
        knx_error *e = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p);
        knx_fail_after(-1, false);
        done = !e;
        if (e)
            assert_int_equal(e->kind, KN_ERROR_MEMORY);
        knx_error_release(e);
        knd_release(p);
        if (!done)
            assert_int_equal(knx_alloc_live(), live);
    }
    kni_release(j);
}

/* --- dimensions ------------------------------------------------------------------------------- */

static kni_type deep(kn_dtype d, int ndim) { return kni_type_of(d, ndim, ones); }

static void expect_refused(kni_builder *b, const char *text)
{
    knx_error *e = knb_take_error(b);
    if (!e || !strstr(e->message, text))
        fail_msg("got %s, not %s", e ? e->message : "no error", text);
    knx_error_release(e);
}

static void there_are_64_dimensions_at_most(void **unused)
{
    const char *text = "maximum supported dimension for an array is currently 64";
    kni_builder b;
    kni_atom x, out[2];
    (void)unused;
    knb_init(&b);
    knb_broadcast_in_dim(&b, knb_number(&b, KN_DT(F32), 1), KN_MAX_NDIM + 1, ones, NULL);
    expect_refused(&b, text);
    x = knb_invar(&b, deep(KN_DT(F32), KN_MAX_NDIM));
    knb_stack(&b, 1, &x, 0);
    expect_refused(&b, text);
    knb_random_split(&b, knb_invar(&b, deep(KN_DT(KEY), 40)), 40, ones);
    expect_refused(&b, text);
    knb_random_unwrap(&b, knb_invar(&b, deep(KN_DT(KEY), KN_MAX_NDIM)));
    expect_refused(&b, text);
    int64_t dim[KN_MAX_NDIM];
    memcpy(dim, ones, sizeof dim);
    dim[29] = 4;
    x = knb_invar(&b, kni_type_of(KN_DT(U32), 30, dim));
    knb_rng_bit_generator(&b, x, &(kni_p_rng_bit_generator){KN_RNG_THREE_FRY, KN_DT(U32), {40, ones}}, out);
    expect_refused(&b, text);
    knb_free(&b);
}

/* The positions of a derivative have one dimension more. */
static void arrays_of_64_dimensions_sort_without_a_derivative(void **unused)
{
    kni_builder b;
    kni_atom x, y;
    kni_jaxpr *j = NULL, *d = NULL;
    (void)unused;
    knb_init(&b);
    x = knb_invar(&b, deep(KN_DT(F32), KN_MAX_NDIM));
    knb_sort(&b, 1, &x, 3, 1, &y);
    assert_null(knb_finish(&b, 1, &y, "", false, &j));
    knx_error *e = knt_jvp(j, (bool[]){true}, &d);
    assert_non_null(e);
    assert_non_null(strstr(e->message, "maximum supported dimension for an array is currently 64"));
    knx_error_release(e);
    kni_release(j);
}

/* More than 2^32 numbers are counted in 64 bits. */
static void long_counters_have_two_words(void **unused)
{
    const int64_t many = ((int64_t)1 << 32) + 5;
    kni_builder b;
    kni_atom key, y[2];
    kni_jaxpr *j = NULL, *expanded = NULL;
    int long_counters = 0;
    (void)unused;
    if (sizeof(void *) < 8) /* there are no arrays of so many */
        skip();
    knb_init(&b);
    key = knb_invar(&b, kni_scalar_type(KN_DT(KEY)));
    y[0] = knb_random_bits(&b, key, 8, 1, &many);
    y[1] = knb_random_split(&b, key, 1, &many);
    assert_null(knb_finish(&b, 2, y, "", false, &j));
    assert_null(knt_expand(j, &expanded));
    for (uint32_t i = 0; i < expanded->n_eqn; i++)
        if (expanded->eqn[i].prim == &knp_prim_iota)
            long_counters += expanded->type[expanded->eqn[i].out].dtype == KN_DT(U64);
    assert_int_equal(long_counters, 2);
    kni_release(expanded);
    kni_release(j);
}

/* An operand with so many dimensions is repeated along all of them: the copies would be as many again. */
static void what_cannot_be_expanded_says_so(void **unused)
{
    kni_builder b;
    int64_t twos[40];
    kni_jaxpr *j = NULL, *made = NULL;
    (void)unused;
    if (sizeof(void *) < 8) /* there are no arrays of so many */
        skip();
    for (int i = 0; i < 40; i++)
        twos[i] = i < 20 ? 2 : 1;
    knb_init(&b);
    kni_atom y = knb_tile(&b, knb_invar(&b, deep(KN_DT(F32), 40)), twos);
    assert_null(knb_finish(&b, 1, &y, "", false, &j));
    knb_free(&b);
    assert_null(knt_expand(j, &made));
    kni_release(made);
    kni_release(j);
    for (int i = 20; i < 40; i++)
        twos[i] = i < 30 ? 2 : 1;
    knb_init(&b);
    y = knb_tile(&b, knb_invar(&b, deep(KN_DT(F32), 40)), twos);
    assert_null(knb_finish(&b, 1, &y, "", false, &j));
    knb_free(&b);
    knx_error *e = knt_expand(j, &made);
    assert_non_null(e);
    assert_non_null(strstr(e->message, "maximum supported dimension for an array is currently 64, found 70"));
    knx_error_release(e);
    e = knt_transpose(j, (bool[]){true}, &made);
    assert_non_null(e);
    knx_error_release(e);
    kni_release(j);
}

/* --- columns that programs do not reach -------------------------------------------------------- */

static void rows_without_operands_are_the_same_in_every_example(void **unused)
{
    kni_builder b;
    kni_atom y;
    int axis = 5;
    const kni_p_iota p = {0, KN_DT(I32), INTS(3)};
    (void)unused;
    knb_init(&b);
    kni_rule r = {.b = &b, .prim = &knp_prim_iota, .params = &p, .n_out = 1};
    assert_null(knp_prim_iota.batch(&r, 4, NULL, &y, &axis));
    assert_int_equal(axis, -1);
    assert_int_equal(knb_type(&b, y).ndim, 1);
    knb_free(&b);
}

static void copies_are_the_value_itself(void **unused)
{
    const kni_prim *const same[] = {&knp_prim_copy, &knp_prim_stop_gradient, &knp_prim_random_clone, &knp_prim_name};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        kni_pair x = {3, 4}, y = {KNK_NONE, KNK_NONE};
        same[i]->expr(NULL, &(kni_rule){.n_in = 1, .n_out = 1, .v = &x}, &y);
        assert_int_equal(y.re, 3);
        assert_int_equal(y.im, 4);
    }
}

static void a_view_that_moves_no_elements_has_columns_for_writes_alone(void **unused)
{
    kni_builder b;
    (void)unused;
    knp_prim_bitcast_last_axis.map(NULL, NULL, NULL);
    knb_init(&b);
    kni_type x = kni_type_of(KN_DT(F32), 1, (int64_t[]){2});
    kni_atom in = knb_invar(&b, x), bytes = knb_bitcast_last_axis(&b, in, KN_DT(U8));
    kni_rule r = {.b = &b, .prim = &knp_prim_bitcast_last_axis, .n_in = 1, .n_out = 1, .x = &in, .xt = &x};
    kni_type back = knb_type(&b, knp_prim_bitcast_last_axis.put(&r, bytes));
    assert_ptr_equal(back.dtype, KN_DT(F32));
    assert_int_equal(back.dim[0], 2);
    knb_free(&b);
}

static void a_call_expands_into_its_body(void **unused)
{
    kni_builder b;
    kni_atom x, y;
    kni_jaxpr *j = NULL;
    (void)unused;
    knb_init(&b);
    x = knb_invar(&b, vector_of(KN_DT(F32), 3));
    y = knb_sin(&b, x);
    assert_null(knb_finish(&b, 1, &y, "f", false, &j));
    const kni_p_jit p = {.name = "f", .jaxpr = j};
    knb_init(&b);
    x = knb_invar(&b, vector_of(KN_DT(F32), 3));
    kni_rule r = {.b = &b, .prim = &knp_prim_jit, .params = &p, .n_in = 1, .n_out = 1, .x = &x};
    assert_null(knp_prim_jit.expand(&r, &y));
    assert_ptr_equal(b.eqn.at[0].prim, &knp_prim_sin);
    assert_true(knp_prim_jit.cost(&r) == 3);
    knb_free(&b);
    kni_release(j);
}

static void costs_are_those_of_the_results(void **unused)
{
    const kni_type words = kni_type_of(KN_DT(U32), 1, (int64_t[]){4}),
                   y[2] = {words, kni_type_of(KN_DT(U8), 1, (int64_t[]){9})};
    (void)unused;
    assert_true(knp_prim_rng_bit_generator.cost(&(kni_rule){.n_in = 1, .n_out = 2, .xt = &words, .yt = y}) == 60 * 9);
}

KN_TEST_GROUP(test_prim_limits)
{
    for (int i = 0; i < KN_MAX_NDIM + 2; i++)
        ones[i] = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_many_operands_survive_without_memory),
        cmocka_unit_test(rules_that_find_no_memory_say_so),
        cmocka_unit_test(lowering_survives_without_memory),
        cmocka_unit_test(there_are_64_dimensions_at_most),
        cmocka_unit_test(arrays_of_64_dimensions_sort_without_a_derivative),
        cmocka_unit_test(long_counters_have_two_words),
        cmocka_unit_test(what_cannot_be_expanded_says_so),
        cmocka_unit_test(rows_without_operands_are_the_same_in_every_example),
        cmocka_unit_test(copies_are_the_value_itself),
        cmocka_unit_test(a_view_that_moves_no_elements_has_columns_for_writes_alone),
        cmocka_unit_test(a_call_expands_into_its_body),
        cmocka_unit_test(costs_are_those_of_the_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
