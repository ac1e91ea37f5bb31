/* SPDX-License-Identifier: Apache-2.0
 * test_rng_bits.c -- bit generators and seed sequences: NumPy's words (scripts/golden/make_rng.py), jumps,
 * children, states. */
#include "support/expect.h"
#include "support/group.h"
#include "support/bits_named.h"
#include "support/numpy_calls.h"
#include <stdlib.h>
#include <string.h>

/* ---- Words. */

static numpy_result call_random_raw(const numpy_call *c)
{
    int64_t jumps = (int64_t)numpy_number(c, "jumps", 0);
    const char *advance = numpy_option(c, "advance"), *child = numpy_option(c, "child");
    kn_bit_generator g = numpy_flag(c, "legacy", false) ? kn_random_state_bit_generator(kn_RandomState(c->array[0]))
                                                        : bits_named(numpy_option(c, "gen"), c->array[0]),
                     children[8];
    if (!g)
        return (numpy_result){0, {NULL}};
    if (child) {
        assert_int_equal(kn_bit_generator_spawn(g, atoi(child) + 1, children), 0);
        assert_int_equal(kn_bit_generator_spawn(children[atoi(child)], 2, children), 0);
        g = children[1];
    }
    if (jumps)
        g = kn_bit_generator_jumped(g, .jumps = jumps);
    if (advance)
        assert_int_equal(kn_bit_generator_advance(g, strtoll(advance, NULL, 10)), 0);
    kn_array w = kn_bit_generator_random_raw(g, KN_SHAPE(1000));
    return numpy_one(kn_take(w, kn_of(int64_t, 0, 1, 2, 3, 4, 999)));
}

static numpy_result call_RandomState(const numpy_call *c)
{
    return kn_RandomState(c->array[0]) ? (numpy_result){1, {kn_num(0)}} : (numpy_result){0, {NULL}};
}

static numpy_result call_Philox(const numpy_call *c)
{
    kn_bit_generator g =
        kn_Philox(c->n ? c->array[0] : KN_NONE, .key = numpy_array(c, "key"), .counter = numpy_array(c, "counter"));
    return g ? numpy_one(kn_bit_generator_random_raw(g, KN_SHAPE(9))) : (numpy_result){0, {NULL}};
}

static numpy_result state_of(const numpy_call *c)
{
    kn_seed_sequence children[8], s = kn_SeedSequence(c->array[0], .spawn_key = numpy_array(c, "spawn_key"),
                                                      .pool_size = (int64_t)numpy_number(c, "pool_size", 4));
    if (!s)
        return (numpy_result){0, {NULL}};
    if (numpy_option(c, "child")) {
        int child = atoi(numpy_option(c, "child"));
        assert_int_equal(kn_seed_sequence_spawn(s, child + 1, children), 0);
        s = children[child];
    }
    return numpy_one(kn_seed_sequence_generate_state(s, c->list[0].dim[0], .dtype = kn_dtype_named(c->text)));
}

static void words_are_those_of_numpy(void **unused)
{
    (void)unused;
    static const numpy_entry table[] = {
        {"random_raw", call_random_raw, 0}, {"RandomState", call_RandomState, 0}, {"Philox", call_Philox, 0},
        {"generate_state", state_of, 0},    {"SeedSequence", state_of, 0},        {"PCG64", call_random_raw, 0},
        {"PCG64DXSM", call_random_raw, 0},  {"MT19937", call_random_raw, 0},      {"SFC64", call_random_raw, 0}};
    numpy_calls_check_with(KN_TEST_DIR "/golden/rng_bits.txt", table, sizeof table / sizeof *table);
}

static void mersenne_twister_is_that_of_its_standard(void **unused) /* ISO C++: the 10000th word of std::mt19937 */
{
    (void)unused;
    KN_SCOPE;
    kn_bit_generator g = kn_random_state_bit_generator(kn_RandomState(5489));
    assert_int_equal(kn_item_int(kn_at(kn_bit_generator_random_raw(g, KN_SHAPE(10000)), "9999")), 4123659995);
}

/* ---- States. */

static const char *const names[] = {"PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"};

static void states_are_saved_and_restored(void **unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) {
        KN_SCOPE;
        kn_bit_generator g = bits_named(names[i], kn_num(3)), other = bits_named(names[i], kn_num(4));
        kn_rng rng = kn_Generator(g);
        kn_eval(kn_rng_integers(rng, 0, 100, KN_SHAPE(7))); /* half of a word is left */
        kn_bit_generator_state s = kn_bit_generator_get_state(g);
        assert_string_equal(s.bit_generator, names[i]);
        kn_array first = kn_rng_integers(rng, 0, 100, KN_SHAPE(50));
        assert_int_equal(kn_bit_generator_set_state(other, &s), 0);
        assert_true(kn_array_equal(first, kn_rng_integers(kn_Generator(other), 0, 100, KN_SHAPE(50))));
        assert_int_equal(kn_bit_generator_set_state(g, &s), 0);
        assert_true(kn_array_equal(first, kn_rng_integers(rng, 0, 100, KN_SHAPE(50))));
    }
}

static void states_of_others_are_refused(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_bit_generator_state s = kn_bit_generator_get_state(kn_PCG64(1));
    assert_int_equal(kn_bit_generator_set_state(kn_MT19937(1), &s), -1);
    expect_error("ValueError", "set_state: state must be for a MT19937 PRNG");
    s = kn_bit_generator_get_state(kn_MT19937(1));
    assert_int_equal(kn_bit_generator_set_state(kn_SFC64(1), &s), -1);
    expect_error("ValueError", "set_state: state must be for a SFC64 RNG");
    s.mt_pos = 625;
    assert_int_equal(kn_bit_generator_set_state(kn_MT19937(1), &s), -1);
    expect_error("ValueError", "set_state: a position of the state is out of bounds");
}

static void random_states_keep_the_second_normal_number(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_random_state s = kn_RandomState(42);
    double first = kn_item(kn_random_state_standard_normal(s, KN_SHAPE()));
    kn_bit_generator_state saved = kn_random_state_get_state(s);
    assert_true(first == 0.4967141530112327 && saved.has_gauss);
    assert_true(kn_item(kn_random_state_standard_normal(s, KN_SHAPE())) == -0.13826430117118466);
    assert_int_equal(kn_random_state_set_state(s, &saved), 0);
    assert_true(kn_item(kn_random_state_standard_normal(s, KN_SHAPE())) == -0.13826430117118466);
    kn_eval(kn_random_state_standard_normal(s, KN_SHAPE()));
    assert_int_equal(kn_random_state_seed(s, 42), 0); /* forgets it */
    assert_true(kn_item(kn_random_state_standard_normal(s, KN_SHAPE())) == 0.4967141530112327);
    assert_int_equal(kn_random_state_seed(kn_RandomState(KN_NONE, .bit_generator = kn_PCG64(1)), 1), -1);
    expect_error("TypeError", "seed: can only re-seed a MT19937 BitGenerator");
}

static void generators_of_one_bit_generator_share_it(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_bit_generator g = kn_PCG64(1);
    kn_rng a = kn_Generator(g), c = kn_Generator(g), alone = kn_default_rng(1);
    kn_array x = kn_rng_random(a, KN_SHAPE(2)), y = kn_rng_random(c, KN_SHAPE(2));
    assert_true(kn_array_equal(kn_concatenate(KN_LIST(x, y)), kn_rng_random(alone, KN_SHAPE(4))));
}

static void entropy_of_the_system_differs(void **unused)
{
    (void)unused;
    KN_SCOPE;
    assert_false(kn_array_equal(kn_rng_random(kn_default_rng(KN_NONE), KN_SHAPE(4)),
                                kn_rng_random(kn_default_rng(KN_NONE), KN_SHAPE(4))));
    kn_seed_sequence s = kn_SeedSequence(KN_NONE), again = kn_SeedSequence(kn_seed_sequence_entropy(s));
    assert_true(kn_array_equal(kn_seed_sequence_generate_state(s, 8), kn_seed_sequence_generate_state(again, 8)));
}

static void children_go_on_where_the_last_ones_ended(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_seed_sequence s = kn_SeedSequence(9), first[2], then[1], all[3];
    kn_seed_sequence_spawn(s, 2, first);
    kn_seed_sequence_spawn(s, 1, then);
    kn_seed_sequence_spawn(kn_SeedSequence(9), 3, all);
    assert_int_equal(kn_seed_sequence_n_children_spawned(s), 3);
    assert_true(
        kn_array_equal(kn_seed_sequence_generate_state(then[0], 4), kn_seed_sequence_generate_state(all[2], 4)));
    kn_seed_sequence_state saved = kn_seed_sequence_get_state(s);
    kn_seed_sequence more = kn_SeedSequence(saved.entropy, .spawn_key = saved.spawn_key, .pool_size = saved.pool_size,
                                            .n_children_spawned = saved.n_children_spawned);
    kn_seed_sequence_spawn(s, 1, first);
    kn_seed_sequence_spawn(more, 1, then);
    assert_true(
        kn_array_equal(kn_seed_sequence_generate_state(first[0], 4), kn_seed_sequence_generate_state(then[0], 4)));
    kn_rng rngs[2];
    kn_rng_spawn(kn_default_rng(9), 2, rngs);
    assert_true(kn_array_equal(kn_rng_random(rngs[1], KN_SHAPE(3)),
                               kn_rng_random(kn_Generator(kn_PCG64(KN_NONE, .seed_seq = all[1])), KN_SHAPE(3))));
}

static void what_a_generator_cannot_is_said(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_bit_generator child[1];
    assert_null(kn_bit_generator_jumped(kn_SFC64(1)));
    expect_error("NotImplementedError", "jumped: SFC64 has no jumps");
    assert_int_equal(kn_bit_generator_advance(kn_MT19937(1), 3), -1);
    expect_error("NotImplementedError", "advance: MT19937 cannot be advanced");
    assert_int_equal(kn_bit_generator_spawn(kn_Philox(KN_NONE, .key = kn_num(1)), 1, child), -1);
    expect_error("TypeError", "spawn: The underlying SeedSequence does not implement spawning.");
    assert_null(kn_bit_generator_seed_seq(kn_Philox(KN_NONE, .key = kn_num(1))));
    assert_false(kn_error_pending());
    assert_null(kn_Philox(3, .key = kn_num(1)));
    expect_error("ValueError", "Philox: seed and key cannot be both used");
    assert_null(kn_default_rng(1.5));
    expect_error("TypeError", "default_rng: seed must be integer");
}

KN_TEST_GROUP(test_rng_bits)
{
    const struct CMUnitTest tests[] = {
        TEST(words_are_those_of_numpy),
        TEST(mersenne_twister_is_that_of_its_standard),
        TEST(states_are_saved_and_restored),
        TEST(states_of_others_are_refused),
        TEST(random_states_keep_the_second_normal_number),
        TEST(generators_of_one_bit_generator_share_it),
        TEST(entropy_of_the_system_differs),
        TEST(children_go_on_where_the_last_ones_ended),
        TEST(what_a_generator_cannot_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
