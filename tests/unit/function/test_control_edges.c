/* SPDX-License-Identifier: Apache-2.0
 * test_control_edges.c -- loops at their edges: carries and outputs that are one another, no steps, empty arrays,
 * all dtypes, trees, keys, views, operands that are one another. */
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array a, b;
} Two;
typedef struct {
    kn_array carry, y;
} Step;
typedef struct {
    kn_array carry, y, z;
} Step2;
typedef struct {
    Two carry;
    Two y;
} TwoTwo;
typedef struct {
    kn_array a, b, c;
} Three;

/* Runs in each way: as it is, jitted, and by each path, which must all be there (f takes the path as its env). */
typedef struct {
    int64_t accept;
} Path;
static const int64_t paths[] = {0, KN_SCAN_COMPILED_LOOP, KN_SCAN_ROUTINE_CALLS, KN_SCAN_STEPWISE};
#define EACH_PATH(p)                           \
    for (size_t i_##p = 0; i_##p < 4; i_##p++) \
        for (Path p = {paths[i_##p]}; p.accept >= 0; p.accept = -1)
#define EACH_WAY(f, p, out, in, check)              \
    EACH_PATH(p)                                    \
    {                                               \
        KN_SCOPE;                                   \
        kn_call(KN_FN_ENV(f, &p), out, in);         \
        check;                                      \
        kn_call(kn_jit(KN_FN_ENV(f, &p)), out, in); \
        check;                                      \
    }

/* ---- what carries and outputs may be */
static Step2 sums(const kn_array *c, const kn_array *x)
{
    kn_array s = kn_add(*c, *x);
    return (Step2){s, s, *x}; /* the carry is an output, and so is an element of the input */
}
KN_FUNCTION(sums, Step2, kn_array, kn_array)
static Step2 sums_of(const Path *p, const kn_array *x)
{
    kn_array start = kn_zeros(KN_SHAPE(2));
    Step2 out;
    kn_scan(KN_FN(sums), &out, &start, x, .accept = (int32_t)p->accept);
    return out;
}
KN_FUNCTION_ENV(sums_of, Step2, Path, kn_array)
static void the_carry_and_an_element_are_outputs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, 1, 2, 3, 4, 5, 6), KN_SHAPE(3, 2));
    Step2 out;
    EACH_WAY(sums_of, p, &out, &x, {
        expect_values(out.carry, 9, 12);
        expect_values(out.y, 1, 2, 4, 6, 9, 12);
        expect_values(out.z, 1, 2, 3, 4, 5, 6);
    })
}

static TwoTwo shuffle(const Two *c, const kn_array *x)
{
    return (TwoTwo){{c->b, c->a}, {*x, *x}}; /* carries change places; one output twice */
}
KN_FUNCTION(shuffle, TwoTwo, Two, kn_array)
static TwoTwo shuffled(const Path *p, const kn_array *x)
{
    Two start = {kn_of(double, 1, 2), kn_of(double, 3, 4)};
    TwoTwo out;
    kn_scan(KN_FN(shuffle), &out, &start, x, .accept = (int32_t)p->accept);
    return out;
}
KN_FUNCTION_ENV(shuffled, TwoTwo, Path, kn_array)
static void carries_change_places(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 5, 6, 7);
    TwoTwo out;
    EACH_WAY(shuffled, p, &out, &x, {
        expect_values(out.carry.a, 3, 4);
        expect_values(out.carry.b, 1, 2);
        expect_values(out.y.a, 5, 6, 7);
        expect_values(out.y.b, 5, 6, 7);
    })
}

static Step2 keeps(const kn_array *c, const kn_array *x)
{
    (void)x;
    return (Step2){*c, *c, kn_ones(KN_SHAPE(2), .dtype = KN_I32)}; /* nothing changes; a constant is an output */
}
KN_FUNCTION(keeps, Step2, kn_array, kn_array)
static Step2 kept(const Path *p, const kn_array *x)
{
    kn_array start = kn_of(double, 8, 9);
    Step2 out;
    kn_scan(KN_FN(keeps), &out, &start, x, .accept = (int32_t)p->accept);
    return out;
}
KN_FUNCTION_ENV(kept, Step2, Path, kn_array)
static void a_carry_is_passed_through(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(2));
    Step2 out;
    EACH_WAY(kept, p, &out, &x, {
        expect_values(out.carry, 8, 9);
        expect_values(out.y, 8, 9, 8, 9);
        expect_values(out.z, 1, 1, 1, 1);
    })
}

static Three rotate(const Three *c) { return (Three){c->b, c->c, c->a}; }
KN_FUNCTION(rotate, Three, Three)
static Three rotated(const Path *p, const kn_array *x)
{
    Three c = {*x, kn_add(*x, 1), kn_add(*x, 2)};
    kn_scan(KN_FN(rotate), &c, &c, KN_NOTHING, .length = 4, .accept = (int32_t)p->accept);
    return c;
}
KN_FUNCTION_ENV(rotated, Three, Path, kn_array)
static void three_carries_go_round(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 10);
    Three out;
    EACH_WAY(rotated, p, &out, &x, {
        expect_values(out.a, 1, 11);
        expect_values(out.b, 2, 12);
        expect_values(out.c, 0, 10);
    })
}

/* ---- no steps, nothing in an array */
static Step counted(const kn_array *c, const kn_array *x)
{
    return (Step){kn_add(*c, *x),
                  kn_reshape(kn_mul(kn_astype(*x, KN_F32), kn_ones(KN_SHAPE(6), .dtype = KN_F32)), KN_SHAPE(3, 2))};
}
KN_FUNCTION(counted, Step, kn_array, kn_array)
static Step no_steps(const Path *p, const kn_array *x)
{
    kn_array start = kn_scalar(7.0);
    Step out;
    kn_scan(KN_FN(counted), &out, &start, x, .reverse = true, .accept = (int32_t)p->accept);
    return out;
}
KN_FUNCTION_ENV(no_steps, Step, Path, kn_array)
static void no_steps_give_the_start_and_empty_outputs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(0));
    Step out;
    EACH_WAY(no_steps, p, &out, &x, {
        expect_values(out.carry, 7);
        assert_int_equal(kn_ndim(out.y), 3);
        assert_int_equal(kn_dim(out.y, 0), 0);
        assert_int_equal(kn_dim(out.y, 1), 3);
        assert_ptr_equal(kn_dtype_of(out.y), KN_F32);
    })
}

static kn_array total_of_no_steps(const kn_array *x, const kn_array *start)
{
    Step out;
    kn_scan(KN_FN(counted), &out, start, x);
    return kn_add(kn_mul(out.carry, 3), kn_sum(out.y));
}
KN_FUNCTION(total_of_no_steps, kn_array, kn_array, kn_array)
static void no_steps_have_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(0)), start = kn_scalar(2.0), g;
    kn_call(kn_grad(KN_FN(total_of_no_steps), .argnums = KN_ARGNUMS(1)), &g, &x, &start);
    expect_values(g, 3);
    kn_call(kn_jit(kn_grad(KN_FN(total_of_no_steps))), &g, &x, &start);
    assert_int_equal(kn_size(g), 0);
}

static Step with_nothing(const kn_array *c, const kn_array *x) { return (Step){kn_mul(*c, 2), kn_sub(*x, 1)}; }
KN_FUNCTION(with_nothing, Step, kn_array, kn_array)
static void arrays_without_elements_go_round(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array start = kn_zeros(KN_SHAPE(0, 3)), x = kn_zeros(KN_SHAPE(4, 0)), out[2];
    (kn_scan)(KN_FN(with_nothing), &(kn_outs){1, {{out, sizeof out}}}, KN_ARGS(&start), KN_ARGS(&x), NULL);
    assert_int_equal(kn_size(out[0]), 0);
    assert_int_equal(kn_dim(out[1], 0), 4);
    assert_int_equal(kn_dim(out[1], 1), 0);
}

static Step add_up(const kn_array *c, const kn_array *x)
{
    kn_array s = kn_add(*c, *x);
    return (Step){s, s};
}
KN_FUNCTION(add_up, Step, kn_array, kn_array)
static kn_array index_sum(const kn_array *i, const kn_array *c) { return kn_add(*c, kn_square(*i)); }
KN_FUNCTION(index_sum, kn_array, kn_array, kn_array)
static kn_array between(const Two *bounds)
{
    kn_array zero = kn_scalar((int64_t)0), out;
    kn_fori_loop(bounds->a, bounds->b, KN_FN(index_sum), &out, &zero);
    return out;
}
KN_FUNCTION(between, kn_array, Two)
static void bounds_of_fori(void **state)
{
    (void)state;
    KN_SCOPE;
    static const int64_t bound[][3] = {{0, 4, 14}, {-2, 3, 10}, {3, 3, 0}, {5, 2, 0}, {-3, -1, 13}};
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
        Two b = {kn_scalar(bound[i][0]), kn_scalar(bound[i][1])};
        kn_array out;
        kn_call(KN_FN(between), &out, &b);
        assert_int_equal(kn_item_int(out), bound[i][2]);
        kn_call(kn_jit(KN_FN(between)), &out, &b);
        assert_int_equal(kn_item_int(out), bound[i][2]);
    }
    Two lanes = {kn_of(int64_t, 0, -2, 3, 5), kn_of(int64_t, 4, 3, 3, 2)};
    kn_array out;
    kn_call(kn_vmap(KN_FN(between)), &out, &lanes);
    expect_values(out, 14, 10, 0, 0);
}

/* ---- dtypes */
static Three kinds_step(const Three *c, const kn_array *x)
{
    return (Three){kn_logical_xor(c->a, *x), kn_add(c->b, c->b), kn_mul(c->c, c->c)};
}
typedef struct {
    Three carry;
} Kinds;
static Kinds kinds_body(const Three *c, const kn_array *x) { return (Kinds){kinds_step(c, x)}; }
KN_FUNCTION(kinds_body, Kinds, Three, kn_array)
static Three kinds(const Path *p, const kn_array *x)
{
    Three start = {KN_FALSE, kn_astype(kn_scalar(3), KN_U8), kn_like_complex(0, 1)};
    start.a = kn_astype(start.a, KN_BOOL);
    start.c = kn_astype(start.c, KN_C128);
    kn_scan(KN_FN(kinds_body), &start, &start, x, .accept = (int32_t)p->accept);
    return start;
}
KN_FUNCTION_ENV(kinds, Three, Path, kn_array)
static void booleans_bytes_and_complex_numbers_go_round(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(bool, true, true, true);
    Three out;
    EACH_PATH(p) /* the compiled one need not have complex numbers */
    {
        KN_SCOPE;
        if (kn_call(KN_FN_ENV(kinds, &p), &out, &x) || !kn_ok(out.a)) {
            expect_error_with("ValueError", "scan");
            assert_int_equal(p.accept, KN_SCAN_COMPILED_LOOP);
            continue;
        }
        assert_true(kn_item_bool(out.a));
        assert_int_equal(kn_item_int(out.b), 24);
        kn_c128 c = kn_item_complex(out.c);
        assert_true(c.re == 1 && c.im == 0);
    }
}

static Step half_step(const kn_array *c, const kn_array *x)
{
    kn_array s = kn_add(kn_mul(*c, *x), 1);
    return (Step){s, kn_astype(s, KN_BF16)};
}
KN_FUNCTION(half_step, Step, kn_array, kn_array)
static void half_floats_go_round(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array start = kn_astype(kn_scalar(1.0), KN_F16), x = kn_astype(kn_of(double, 0.5, 0.5, 0.1), KN_F16);
    Step out;
    kn_scan(KN_FN(half_step), &out, &start, &x);
    assert_ptr_equal(kn_dtype_of(out.carry), KN_F16);
    /* 1.5, 1.75, 1.75 * 0.0999755859375 + 1 rounded to 11 bits; in bfloat16 to 8 */
    expect_values(out.carry, 1.1748046875);
    expect_values(out.y, 1.5, 1.75, 1.171875);
}

/* ---- several arguments and results, trees */
static TwoTwo both(const kn_array *a, const kn_array *b, const kn_array *x, const kn_array *y)
{
    return (TwoTwo){{kn_add(*a, *x), kn_mul(*b, *y)}, {*a, *b}};
}
KN_FUNCTION(both, TwoTwo, kn_array, kn_array, kn_array, kn_array)
static void several_arguments_and_results(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_scalar(0.0), b = kn_scalar(1.0), x = kn_of(double, 1, 2, 3), y = kn_of(double, 2, 3, 4);
    kn_array sum, product, as, bs;
    kn_scan(KN_FN(both), KN_OUT(&sum, &product, &as, &bs), KN_ARGS(&a, &b), KN_ARGS(&x, &y));
    expect_values(sum, 6);
    expect_values(product, 24);
    expect_values(as, 0, 1, 3);
    expect_values(bs, 1, 2, 6);
    Two c;
    kn_scan(KN_FN(both), KN_OUT(&c, &as, &bs), KN_ARGS(&a, &b), KN_ARGS(&x, &y), .reverse = true);
    expect_values(c.a, 6);
    expect_values(c.b, 24);
    expect_values(as, 5, 3, 0);
}

static Two grow(const Two *c) { return (Two){kn_add(c->a, c->b), c->b}; }
KN_FUNCTION(grow, Two, Two)
static kn_array small(const Two *c) { return kn_less(c->a, 10); }
KN_FUNCTION(small, kn_array, Two)
static void trees_go_round(void **state)
{
    (void)state;
    KN_SCOPE;
    Two c = {kn_scalar(1.0), kn_scalar(4.0)};
    kn_tree tree = KN_TREE(&c, Two), out;
    assert_int_equal(kn_while_loop(KN_FN(small), KN_FN(grow), &out, &tree), 0);
    assert_int_equal(kn_tree_count(out), 2);
    expect_values(kn_tree_get(out, 0), 13);
}

static Step draw(const kn_array *key)
{
    kn_array keys = kn_random_split(*key);
    return (Step){kn_at(keys, "0"), kn_random_normal(kn_at(keys, "1"), KN_SHAPE(3), .dtype = KN_F32)};
}
KN_FUNCTION(draw, Step, kn_array)
static void keys_go_round(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(7);
    Step out;
    kn_scan(KN_FN(draw), &out, &key, KN_NOTHING, .length = 4);
    for (int i = 0; i < 4; i++) {
        Step s = draw(&key);
        assert_true(kn_item_bool(kn_array_equal(kn_at(out.y, "%", i), s.y)));
        key = s.carry;
    }
    assert_true(kn_item_bool(kn_array_equal(kn_random_key_data(out.carry), kn_random_key_data(key))));
}

/* ---- memory: views as inputs, inputs that must stay as they are, operands that are one another */
static Step weigh(const kn_array *c, const kn_array *x)
{
    kn_array s = kn_add(kn_mul(*c, 2), *x);
    return (Step){s, kn_sum(s)};
}
KN_FUNCTION(weigh, Step, kn_array, kn_array)
static Step weighed(const Path *p, const kn_array *x)
{
    kn_array start = kn_zeros(KN_SHAPE(2));
    Step out;
    kn_scan(KN_FN(weigh), &out, &start, x, .accept = (int32_t)p->accept);
    return out;
}
KN_FUNCTION_ENV(weighed, Step, Path, kn_array)
static void inputs_are_views(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_arange(1, 7, 1.0), KN_SHAPE(2, 3)); /* 1 2 3; 4 5 6 */
    kn_array turned = kn_transpose(m), back = kn_at(kn_reshape(kn_arange(0, 12, 1.0), KN_SHAPE(6, 2)), "::-2");
    kn_array same = kn_broadcast_to(kn_of(double, 1, 10), KN_SHAPE(3, 2));
    Step out;
    EACH_WAY(weighed, p, &out, &turned, {
        expect_values(out.carry, 11, 32); /* 4 * 1 + 2 * 2 + 3, 4 * 4 + 2 * 5 + 6 */
        expect_values(out.y, 5, 17, 43);
    })
    EACH_WAY(weighed, p, &out, &back, {
        expect_values(out.carry, 54, 61); /* 10 11, 6 7, 2 3 */
        expect_values(out.y, 21, 55, 115);
    })
    EACH_WAY(weighed, p, &out, &same, {
        expect_values(out.carry, 7, 70);
        expect_values(out.y, 11, 33, 77);
    })
}

static TwoTwo part_ways(const Two *c, const kn_array *x)
{
    Two next = {kn_add(c->a, *x), kn_mul(c->b, *x)};
    return (TwoTwo){next, *c};
}
KN_FUNCTION(part_ways, TwoTwo, Two, kn_array)
static TwoTwo parted(const Path *p, const kn_array *x)
{
    Two start = {*x, *x}; /* twice the same, and the input, too */
    TwoTwo out;
    kn_scan(KN_FN(part_ways), &out, &start, x, .accept = (int32_t)p->accept);
    return out;
}
KN_FUNCTION_ENV(parted, TwoTwo, Path, kn_array)
static void one_array_is_everything(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 2, 3);
    TwoTwo out;
    EACH_WAY(parted, p, &out, &x, {
        expect_values(out.carry.a, 7, 8);
        expect_values(out.carry.b, 12, 18);
        expect_values(out.y.a, 2, 3, 4, 5);
        expect_values(out.y.b, 2, 3, 4, 6);
        expect_values(x, 2, 3);
    })
}

static void what_is_donated_may_be_used(void **state)
{
    (void)state;
    KN_SCOPE;
    Path p = {0};
    Step out;
    kn_fn f = kn_jit(KN_FN_ENV(weighed, &p), .donate_argnums = KN_ARGNUMS(0));
    for (int i = 0; i < 3; i++) {
        kn_array x = kn_add(kn_ones(KN_SHAPE(3, 2)), i);
        kn_call(f, &out, &x);
        expect_values(out.carry, 7 * (1 + i), 7 * (1 + i));
    }
}

static void scans_of_many_lengths(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int n = 1; n < 40; n += 6) {
        KN_SCOPE;
        kn_array start = kn_scalar((int64_t)0), x = kn_arange(0, n, 1);
        Step out;
        kn_scan(KN_FN(add_up), &out, &start, &x);
        assert_int_equal(kn_item_int(out.carry), n * (n - 1) / 2);
    }
}

static kn_array logistic_of(const kn_array *i, const kn_array *x)
{
    (void)i;
    return kn_mul(kn_mul(*x, 3.7), kn_sub(1, *x));
}
KN_FUNCTION(logistic_of, kn_array, kn_array, kn_array)
static kn_array logistic(const kn_array *x)
{
    kn_array out;
    kn_fori_loop(0, 100, KN_FN(logistic_of), &out, x);
    return out;
}
KN_FUNCTION(logistic, kn_array, kn_array)
static void many_lanes_on_several_threads(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { N = 50000 };
    kn_array x = kn_div(kn_add(kn_arange(0, N, 1.0), 0.5), N), out;
    const double *start = kn_data(x, double);
    for (int threads = 1; threads <= 3; threads++) {
        KN_SCOPE;
        int before = kn_set_threads(threads);
        kn_call(kn_jit(kn_vmap(KN_FN(logistic))), &out, &x);
        const double *got = kn_data(out, double);
        kn_set_threads(before);
        for (int i = 0; i < N; i++) {
            double v = start[i];
            for (int k = 0; k < 100; k++)
                v = v * 3.7 * (1 - v);
            assert_true(got[i] == v);
        }
    }
}

static kn_array triple(const kn_array *x) { return kn_mul(kn_add(*x, 1), 3); }
KN_FUNCTION(triple, kn_array, kn_array)
static void maps_in_batches(void **state)
{
    (void)state;
    KN_SCOPE;
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kn_array x = kn_of(double, 0, 1, 2, 3, 4), none = kn_zeros(KN_SHAPE(0, 2)), out;
        kn_lax_map(KN_FN(triple), &out, &x, .batch_size = sizes[i]);
        expect_values(out, 3, 6, 9, 12, 15);
        kn_lax_map(KN_FN(triple), &out, &none, .batch_size = sizes[i]);
        assert_int_equal(kn_size(out), 0);
        assert_int_equal(kn_ndim(out), 2);
    }
}

static kn_array not_a_number(const kn_array *i, const kn_array *x)
{
    (void)i;
    return kn_add(kn_mul(*x, *x), 1e300);
}
KN_FUNCTION(not_a_number, kn_array, kn_array, kn_array)
static void infinities_and_nans_go_round(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, NAN, -INFINITY), out;
    kn_fori_loop(0, 3, KN_FN(not_a_number), &out, &x);
    expect_values(out, INFINITY, NAN, INFINITY);
}

KN_TEST_GROUP(test_control_edges)
{
    const struct CMUnitTest tests[] = {
        TEST(the_carry_and_an_element_are_outputs),
        TEST(carries_change_places),
        TEST(a_carry_is_passed_through),
        TEST(three_carries_go_round),
        TEST(no_steps_give_the_start_and_empty_outputs),
        TEST(no_steps_have_derivatives),
        TEST(arrays_without_elements_go_round),
        TEST(bounds_of_fori),
        TEST(booleans_bytes_and_complex_numbers_go_round),
        TEST(half_floats_go_round),
        TEST(several_arguments_and_results),
        TEST(trees_go_round),
        TEST(keys_go_round),
        TEST(inputs_are_views),
        TEST(one_array_is_everything),
        TEST(what_is_donated_may_be_used),
        TEST(scans_of_many_lengths),
        TEST(many_lanes_on_several_threads),
        TEST(maps_in_batches),
        TEST(infinities_and_nans_go_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
