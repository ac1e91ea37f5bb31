/* SPDX-License-Identifier: Apache-2.0
 * test_nn_decoding.c -- a decoder's step with a cache of keys and values: RMS norms, rotary positions, query heads that share keys. What it says token
 * by token is what it says of all of them at once; the cache stays where it is; keys are neither copied nor repeated. */
#include "support/expect.h"
#include "support/group.h"

enum { WIDTH = 64, HEADS = 8, GROUPS = 2, SIZE = 16, HALF = SIZE / 2, PLACES = 2048, HIDDEN = 96, LENGTH = 9 };

typedef struct {
    kn_array q, k, v, out, gate, up, down, first, second;
} Block;
typedef struct {
    kn_array k, v; /* (1, GROUPS, PLACES, SIZE) */
} Cache;
typedef struct {
    kn_array y;
    Cache cache;
} Step;

static kn_array rms(kn_array x, kn_array w)
{
    kn_array mean = kn_mean(kn_square(x), KN_AXIS(-1), .keepdims = true);
    return kn_mul(kn_mul(x, kn_lax_rsqrt(kn_add(mean, 1e-6))), w);
}

/* x: (1, T, heads, SIZE), at the places (T) */
static kn_array turned(kn_array x, kn_array places)
{
    kn_array by = kn_exp(kn_mul(kn_arange(0, HALF, 1, .dtype = KN_F32), -log(10000) / HALF));
    kn_array angle = kn_mul(kn_reshape(kn_astype(places, KN_F32), KN_SHAPE(-1, 1, 1)), by), c = kn_cos(angle),
             s = kn_sin(angle), low = kn_at(x, "..., :%", HALF), high = kn_at(x, "..., %:", HALF);
    return kn_concatenate(KN_LIST(kn_sub(kn_mul(low, c), kn_mul(high, s)), kn_add(kn_mul(high, c), kn_mul(low, s))),
                          KN_AXIS(-1));
}

static Step step(const Block *w, const Cache *cache, const kn_array *x, const kn_array *place)
{
    int t = (int)kn_dim(*x, 1);
    kn_array places = kn_add(kn_arange(0, t, 1, .dtype = KN_I32), *place), y = rms(*x, w->first);
    kn_array q = turned(kn_reshape(kn_matmul(y, w->q), KN_SHAPE(1, t, HEADS, SIZE)), places);
    kn_array k = turned(kn_reshape(kn_matmul(y, w->k), KN_SHAPE(1, t, GROUPS, SIZE)), places);
    kn_array v = kn_reshape(kn_matmul(y, w->v), KN_SHAPE(1, t, GROUPS, SIZE));
    Step s = {.cache = {kn_lax_dynamic_update_slice(cache->k, kn_swapaxes(k, 1, 2), KN_LIST(0, 0, *place, 0)),
                        kn_lax_dynamic_update_slice(cache->v, kn_swapaxes(v, 1, 2), KN_LIST(0, 0, *place, 0))}};
    kn_array seen = kn_less_equal(kn_arange(0, PLACES, 1, .dtype = KN_I32), kn_expand_dims(places, KN_AXIS(-1)));
    kn_array found =
        kn_nn_dot_product_attention(q, kn_swapaxes(s.cache.k, 1, 2), kn_swapaxes(s.cache.v, 1, 2), .mask = seen);
    kn_array z = kn_add(*x, kn_matmul(kn_reshape(found, KN_SHAPE(1, t, HEADS * SIZE)), w->out));
    kn_array hidden = rms(z, w->second);
    hidden = kn_mul(kn_nn_silu(kn_matmul(hidden, w->gate)), kn_matmul(hidden, w->up));
    s.y = kn_add(z, kn_matmul(hidden, w->down));
    return s;
}
KN_FUNCTION(step, Step, Block, Cache, kn_array, kn_array)

static kn_array some(int number, kn_shape shape)
{
    kn_array x = kn_random_normal(kn_random_fold_in(kn_random_key(3), number), shape, .dtype = KN_F32);
    return kn_copy(kn_mul(x, 0.2));
}

static Block block(void)
{
    return (Block){some(1, KN_SHAPE(WIDTH, HEADS * SIZE)),  some(2, KN_SHAPE(WIDTH, GROUPS * SIZE)),
                   some(3, KN_SHAPE(WIDTH, GROUPS * SIZE)), some(4, KN_SHAPE(HEADS * SIZE, WIDTH)),
                   some(5, KN_SHAPE(WIDTH, HIDDEN)),        some(6, KN_SHAPE(WIDTH, HIDDEN)),
                   some(7, KN_SHAPE(HIDDEN, WIDTH)),        kn_add(1, some(8, KN_SHAPE(WIDTH))),
                   kn_add(1, some(9, KN_SHAPE(WIDTH)))};
}

static Cache empty(void)
{
    kn_shape shape = KN_SHAPE(1, GROUPS, PLACES, SIZE);
    Cache c = {kn_copy(kn_zeros(shape, .dtype = KN_F32)), kn_copy(kn_zeros(shape, .dtype = KN_F32))};
    kn_eval(c.k);
    kn_eval(c.v);
    return c;
}

static kn_array number(int i) { return kn_full(KN_SHAPE(), i, .dtype = KN_I32); }

static void token_by_token_is_as_all_at_once(void **state)
{
    (void)state;
    KN_SCOPE;
    Block w = block();
    Cache c = empty();
    kn_array x = some(10, KN_SHAPE(1, LENGTH, WIDTH)), start = number(0);
    Step all, one;
    kn_fn f = kn_jit(KN_FN(step), .donate_argnums = KN_ARGNUMS(1));
    kn_call(f, &all, &w, &c, &x, &start);
    c = empty();
    for (int i = 0; i < LENGTH; i++) {
        kn_array given = kn_at(x, ":, %:%", i, i + 1), place = number(i);
        kn_call(f, &one, &w, &c, &given, &place);
        c = one.cache;
        assert_true(kn_item(kn_max(kn_abs(kn_sub(kn_at(all.y, "0, %", i), kn_at(one.y, "0, 0"))))) < 1e-5);
    }
    assert_true(kn_item(kn_max(kn_abs(kn_sub(all.cache.k, c.k)))) < 1e-5);
    assert_int_equal(kn_fn_trace_count(f), 2);
}

static void the_cache_stays_where_it_is(void **state)
{
    (void)state;
    KN_SCOPE;
    Block w = block();
    Cache c = empty();
    const float *k = kn_data(c.k, float), *v = kn_data(c.v, float);
    kn_fn f = kn_jit(KN_FN(step), .donate_argnums = KN_ARGNUMS(1));
    for (int i = 0; i < 4; i++) {
        kn_array x = some(10 + i, KN_SHAPE(1, 1, WIDTH)), place = number(i);
        Step s;
        kn_call(f, &s, &w, &c, &x, &place);
        c = s.cache;
    }
    assert_ptr_equal(kn_data(c.k, float), k);
    assert_ptr_equal(kn_data(c.v, float), v);
}

/* Beside operands and results there are logits and what products pack. Keys and values for all query heads would be 8 times as large as the keys. */
static void keys_are_not_repeated(void **state)
{
    (void)state;
    KN_SCOPE;
    Block w = block();
    Cache c = empty();
    kn_array x = some(10, KN_SHAPE(1, 1, WIDTH)), place = number(5);
    size_t keys = 4 * GROUPS * PLACES * SIZE, peak = kn_fn_peak_bytes(KN_FN(step), KN_ARGS(&w, &c, &x, &place), 1);
    assert_true(peak >= 4 * keys && peak < 4 * keys + 4 * keys);
}

KN_TEST_GROUP(test_nn_decoding)
{
    const struct CMUnitTest tests[] = {
        TEST(token_by_token_is_as_all_at_once),
        TEST(the_cache_stays_where_it_is),
        TEST(keys_are_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
