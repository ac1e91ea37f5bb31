/* SPDX-License-Identifier: Apache-2.0
 * test_known_answers.c -- known answers that NumPy's tests, ISO C++ and Random123 have, or that NumPy gave: words of bit
 * generators, seeds, first numbers of methods. (Of Random123 there are those of Philox 4x64 in ten rounds, which is NumPy's,
 * and, in unit/prim, those of Threefry 2x32 in twenty, which is JAX's.) */
#include "support/bits_named.h"
#include "support/expect.h"
#include "support/group.h"

/* ---- Bit generators. */

static void words_are_known(void **unused)
{
    static const struct {
        const char *name;
        int64_t seed;
        uint64_t word[6]; /* 0 to 4, and 999 */
    } known[] = {{"PCG64",
                  0xdeadbeaf,
                  {0x60d24054e17a0698u, 0xd5e79d89856e4f12u, 0xd254972fe64bd782u, 0xf1e3072a53c72571u,
                   0xd7c1d7393d4115c9u, 0xa5cb380b8de10d10u}},
                 {"PCG64",
                  0x0,
                  {0xa30febcfd9c2825fu, 0x4510bdf882d9d721u, 0xa7d3da94ecde8b8u, 0x43b27b61342f01du,
                   0xd0327a782cde513bu, 0x6148329042f743b0u}},
                 {"PCG64DXSM",
                  0xdeadbeaf,
                  {0xdf1ddcf1e22521feu, 0xc71b2f9c706cf151u, 0x6922a8cc24ad96b2u, 0x82738c549beccc30u,
                   0x5e8415cdb1f17580u, 0x4955c92aaa231578u}},
                 {"PCG64DXSM",
                  0x0,
                  {0xd97e4a147f788a70u, 0x8dfa7bce56e3a253u, 0x13556ed9f53d3c10u, 0x55dbf1c241341e98u,
                   0xa2cd98f722eb0e0au, 0xc0a277e3b2bfc3deu}},
                 {"MT19937", 0xdeadbeaf, {0xc816921fu, 0xb3623c6du, 0x5fa391bbu, 0x40178d9u, 0x7dcc9811u, 0x68a19647u}},
                 {"MT19937", 0x0, {0x7ab4ea94u, 0x9b561119u, 0x4957d02eu, 0x7dd3fdc2u, 0x5affe54u, 0xad8c191bu}},
                 {"Philox",
                  0xdeadbeaf,
                  {0xedc95200e2bd66a5u, 0x581d4e43b7682352u, 0x4be7278f5e373eabu, 0xee47f17991a9e7eau,
                   0x38a7d2ae422f2e2cu, 0x1f83a32d4adfd2edu}},
                 {"Philox",
                  0x0,
                  {0x399e5b222b82fa9u, 0x41fd08c1f00f3bc5u, 0x78b8824162ee4d04u, 0x176747919e02739du,
                   0xfaa88f002a8d3596u, 0x57c05f47ff62380du}},
                 {"SFC64",
                  0xdeadbeaf,
                  {0xa475f55fbb6bc638u, 0xb2d594b6c29d971cu, 0x275bc4ece4484fb1u, 0x569be72d9b3492fbu,
                   0x89a5bb9b206a670cu, 0xf5433336eadef6eu}},
                 {"SFC64",
                  0x0,
                  {0x91959e5fb96a6332u, 0x3c1dd8a25a7e9f21u, 0x657bdffc99798d9eu, 0x1a04de320b19e022u,
                   0x65b92af0e5f3c61cu, 0xfb8482c827eb90bcu}}};
    (void)unused;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        KN_SCOPE;
        kn_array w = kn_bit_generator_random_raw(bits_named(known[i].name, kn_asarray(known[i].seed)), KN_SHAPE(1000));
        const uint64_t *at = kn_data(w, uint64_t);
        for (int k = 0; k < 6; k++)
            assert_int_equal(at[k < 5 ? k : 999], known[i].word[k]);
    }
}

/* The counter is raised before it is enciphered. */
static void words_of_philox_are_random123_s(void **unused)
{
    static const struct {
        uint64_t counter[4], key[2], word[4];
    } known[] = {{{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
                  {0, 0},
                  {0x16554d9eca36314cu, 0xdb20fe9d672d0fdcu, 0xd7e772cee186176bu, 0x7e68b68aec7ba23bu}},
                 {{UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX},
                  {UINT64_MAX, UINT64_MAX},
                  {0x87b092c3013fe90bu, 0x438c3c67be8d0224u, 0x9cc7d7c69cd777b6u, 0xa09caebf594f0ba0u}},
                 {{0x243f6a8885a308d2u, 0x13198a2e03707344u, 0xa4093822299f31d0u, 0x082efa98ec4e6c89u},
                  {0x452821e638d01377u, 0xbe5466cf34e90c6cu},
                  {0xa528f45403e61d95u, 0x38c72dbd566e9788u, 0xa5a1610e72fd18b5u, 0x57bd43b5e52b7fe6u}}};
    (void)unused;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        KN_SCOPE;
        kn_bit_generator g = kn_Philox(KN_NONE, .key = kn_from(known[i].key, KN_SHAPE(2)),
                                       .counter = kn_from(known[i].counter, KN_SHAPE(4)));
        const uint64_t *at = kn_data(kn_bit_generator_random_raw(g, KN_SHAPE(4)), uint64_t);
        for (int k = 0; k < 4; k++)
            assert_int_equal(at[k], known[i].word[k]);
    }
}

static void states_are_known(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_bit_generator g = kn_PCG64(42);
    kn_bit_generator_state s = kn_bit_generator_get_state(g);
    assert_int_equal(s.state[1], 0xcea44f6798798f2au);
    assert_int_equal(s.state[0], 0xacbc7c9d68860ac8u);
    assert_int_equal(s.inc[1], 0xfa505436c9a8416eu);
    assert_int_equal(s.inc[0], 0x66caf2e28d25abffu);
    kn_array jumped = kn_bit_generator_random_raw(kn_bit_generator_jumped(g), KN_SHAPE(2));
    assert_true(kn_array_equal(jumped, kn_of(uint64_t, 0xc193c65d22914c57u, 0xa181a23fef8331fau)));
    assert_int_equal(kn_bit_generator_advance(g, 1000), 0);
    kn_array on = kn_bit_generator_random_raw(g, KN_SHAPE(2));
    assert_true(kn_array_equal(on, kn_of(uint64_t, 0xfe35e24e0cd297au, 0x7550a94165c3f26au)));
}

/* ---- Seeds. */

static void seeds_are_known(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_seed_sequence s = kn_SeedSequence(kn_of(uint32_t, 3735928559u, 195939070, 229505742, 305419896));
    kn_array four = kn_seed_sequence_generate_state(s, 4);
    assert_true(kn_array_equal(four, kn_of(uint32_t, 3914649087u, 576849849, 3593928901u, 2229911004u)));
    kn_array two = kn_seed_sequence_generate_state(s, 2, .dtype = KN_U64);
    assert_true(kn_array_equal(two, kn_of(uint64_t, 2477551240072187391u, 9577394838764454085u)));
    kn_seed_sequence t = kn_SeedSequence(42), child[2];
    four = kn_seed_sequence_generate_state(t, 4);
    assert_true(kn_array_equal(four, kn_of(uint32_t, 3444837047u, 2669555309u, 2046530742, 3581440988u)));
    assert_int_equal(kn_seed_sequence_spawn(t, 2, child), 0);
    two = kn_seed_sequence_generate_state(child[0], 2);
    assert_true(kn_array_equal(two, kn_of(uint32_t, 2684470948u, 3757501821u)));
    two = kn_seed_sequence_generate_state(child[1], 2);
    assert_true(kn_array_equal(two, kn_of(uint32_t, 4091952314u, 31242083)));
}

/* std::mt19937 has to give 4123659995 as the 10,000th. */
static void legacy_seeds_are_known(void **unused)
{
    (void)unused;
    KN_SCOPE;
    kn_bit_generator g = kn_random_state_bit_generator(kn_RandomState(5489));
    const uint64_t *at = kn_data(kn_bit_generator_random_raw(g, KN_SHAPE(10000)), uint64_t);
    assert_true(at[0] == 3499211612u && at[9999] == 4123659995u);
    g = kn_random_state_bit_generator(kn_RandomState(kn_of(int64_t, 0x123, 0x234, 0x345, 0x456)));
    kn_array five = kn_bit_generator_random_raw(g, KN_SHAPE(5));
    assert_true(kn_array_equal(five, kn_of(uint64_t, 1067595299, 955945823, 477289528, 4107218783u, 4228976476u)));
}

/* ---- First numbers of methods. */

#define OLD             kn_RandomState(42)
#define NEW             kn_default_rng(42)
#define SAME(call, ...) assert_true(kn_array_equal(call, kn_of(double, __VA_ARGS__)))

static void numbers_of_random_state_are_known(void **unused)
{
    (void)unused;
    KN_SCOPE;
    SAME(kn_random_state_random_sample(OLD, KN_SHAPE(3)), 0.3745401188473625, 0.9507143064099162, 0.7319939418114051);
    SAME(kn_random_state_standard_normal(OLD, KN_SHAPE(3)), 0.4967141530112327, -0.13826430117118466,
         0.6476885381006925);
    SAME(kn_random_state_randint(OLD, 0, 100, KN_SHAPE(5)), 51, 92, 14, 71, 60);
    SAME(kn_random_state_permutation(OLD, 6), 0, 1, 5, 2, 4, 3);
    SAME(kn_random_state_choice(OLD, 10, KN_SHAPE(4), .replace = false), 8, 1, 5, 0);
    SAME(kn_random_state_gamma(OLD, 2.0, KN_SHAPE(3)), 2.3936793898692366, 1.4944647302155876, 1.3822835843709536);
    SAME(kn_random_state_poisson(OLD, KN_SHAPE(5), .lam = kn_num(3)), 4, 1, 3, 3, 2);
    SAME(kn_random_state_binomial(OLD, 20, 0.3, KN_SHAPE(5)), 5, 9, 7, 6, 4);
}

static void real_numbers_of_generators_are_known(void **unused)
{
    (void)unused;
    KN_SCOPE;
    SAME(kn_rng_random(NEW, KN_SHAPE(4)), 0.7739560485559633, 0.4388784397520523, 0.8585979199113825,
         0.6973680290593639);
    SAME(kn_astype(kn_rng_random(NEW, KN_SHAPE(4), .dtype = KN_F32), KN_F64), 0.08925092220306396, 0.7739560008049011,
         0.6545714735984802, 0.4388784170150757);
    SAME(kn_rng_standard_normal(NEW, KN_SHAPE(4)), 0.30471707975443135, -1.0399841062404955, 0.7504511958064572,
         0.9405647163912139);
    SAME(kn_rng_standard_exponential(NEW, KN_SHAPE(4)), 2.4042086039659947, 2.3361896558244535, 2.384760999874255,
         0.2797942898515832);
    SAME(kn_rng_uniform(NEW, KN_SHAPE(3), .low = kn_num(-1)), 0.5479120971119267, -0.12224312049589536,
         0.7171958398227649);
    SAME(kn_rng_gamma(NEW, 2.0, KN_SHAPE(3)), 2.0918172704999494, 2.8353455897858653, 1.8372155803071377);
    SAME(kn_rng_beta(NEW, 2, 3, KN_SHAPE(3)), 0.33841183847153383, 0.41040972646061824, 0.5259001067191458);
    SAME(kn_rng_laplace(NEW, KN_SHAPE(3)), 0.7938786426417068, -0.1303856263065431, 1.263000634398772);
    SAME(kn_rng_standard_t(NEW, 5, KN_SHAPE(3)), 0.48968077961378614, 0.9679905861688154, -0.024902633373061672);
    kn_array x = kn_rng_random(kn_Generator(kn_MT19937(1234567890)), KN_SHAPE(6));
    expect_near(x, 1e-15, 0.096999199829214, 0.707517457682192, 0.084364834598269, 0.767731206553125, 0.665069021359413,
                0.715487190596693);
}

static void integers_of_generators_are_known(void **unused)
{
    (void)unused;
    KN_SCOPE;
    SAME(kn_rng_integers(NEW, 0, 100, KN_SHAPE(6)), 8, 77, 65, 43, 43, 85);
    SAME(kn_rng_integers(NEW, 0, INT64_C(1) << 40, KN_SHAPE(3)), 850973674774, 482551947687, 944038396526);
    SAME(kn_rng_integers(NEW, 0, 256, KN_SHAPE(6), .dtype = KN_U8), 136, 38, 217, 22, 205, 251);
    SAME(kn_rng_poisson(NEW, KN_SHAPE(6), .lam = kn_num(3)), 4, 4, 5, 1, 7, 1);
    SAME(kn_rng_permutation(NEW, 8), 3, 4, 2, 7, 6, 1, 5, 0);
    SAME(kn_rng_choice(NEW, 10, KN_SHAPE(4), .replace = false), 4, 0, 5, 6);
    SAME(kn_rng_choice(NEW, 5, KN_SHAPE(6)), 0, 3, 3, 2, 2, 4);
    SAME(kn_rng_geometric(NEW, 0.3, KN_SHAPE(6)), 7, 7, 7, 1, 1, 5);
    SAME(kn_rng_bytes(NEW, 8), 0x88, 0x26, 0xd9, 0x16, 0xcd, 0xfb, 0x21, 0xc6);
    SAME(kn_ravel(kn_rng_multinomial(NEW, 10, kn_of(double, 0.2, 0.3, 0.5), KN_SHAPE(2))), 3, 2, 5, 3, 3, 4);
    SAME(kn_rng_binomial(NEW, 10, 0.4, KN_SHAPE(6)), 5, 4, 6, 5, 2, 7);
}

KN_TEST_GROUP(test_known_answers)
{
    const struct CMUnitTest tests[] = {
        TEST(words_are_known),
        TEST(words_of_philox_are_random123_s),
        TEST(states_are_known),
        TEST(seeds_are_known),
        TEST(legacy_seeds_are_known),
        TEST(numbers_of_random_state_are_known),
        TEST(real_numbers_of_generators_are_known),
        TEST(integers_of_generators_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
