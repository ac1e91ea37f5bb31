/* SPDX-License-Identifier: Apache-2.0
 * random_state.c -- RandomState as a handle, its seeds and states, and its standard numbers. */
#include "array/handle.h"
#include "base/context.h"
#include "rng/continuous.h"
#include "rng/draw.h"

kn_random_state kn_RandomState(kn_array seed, const kn_random_state_opts *opts)
{
    kna_op op;
    kna_begin(&op, "RandomState");
    kn_bit_generator given = opts ? opts->bit_generator : NULL;
    knrng_bits *g = NULL;
    if (given && seed) {
        kna_fail(&op, KN_ERROR_VALUE, "seed and bit_generator cannot be both used");
    } else if (given) {
        g = knrng_bits_in(&op, given);
        if (g)
            knrng_bits_retain(g);
    } else {
        knrng_seed *s = seed ? NULL : knrng_seed_of(&op, NULL);
        g = seed || s ? knrng_bits_new(&knrng_kind_mt19937, s) : NULL;
        if (!g && !kna_failed(&op))
            kna_fail_with(&op, knx_error_nomem());
        if (g && seed)
            knrng_legacy_seed(&op, g, seed);
    }
    if (!kna_end_plain(&op)) {
        knrng_bits_release(g);
        return NULL;
    }
    return g ? knrng_generator_new(g, true) : NULL;
}

static void drop_default(void *state) { knrng_generator_release(state); }

kn_random_state kn_random_state_default(void)
{
    kna_op op;
    kna_begin(&op, "random_state_default");
    knrng_generator *g = knx_slot_state(KNX_SLOT_RANDOM);
    if (!g && !kna_failed(&op)) {
        knrng_seed *s = knrng_seed_of(&op, NULL);
        g = s ? knrng_generator_make(knrng_bits_new(&knrng_kind_mt19937, s), true) : NULL;
        if (g && !knx_slot_set(KNX_SLOT_RANDOM, g, drop_default)) {
            knrng_generator_release(g);
            g = NULL;
        }
        if (!g && !kna_failed(&op))
            kna_fail_with(&op, knx_error_nomem());
    }
    if (!kna_end_plain(&op) || !g)
        return NULL;
    g->refs++;
    return knrng_generator_handle(g);
}

int kn_random_state_seed(kn_random_state state, kn_array seed)
{
    kna_op op;
    kna_begin(&op, "seed");
    knrng_generator *g = knrng_generator_in(&op, state, true);
    if (g && g->bits->kind != &knrng_kind_mt19937)
        kna_fail(&op, KN_ERROR_TYPE, "can only re-seed a MT19937 BitGenerator");
    else if (g)
        knrng_legacy_seed(&op, g->bits, seed);
    if (g && !kna_failed(&op))
        g->gauss = (knrng_gauss){0};
    return kna_end_plain(&op) ? 0 : -1;
}

kn_bit_generator_state kn_random_state_get_state(kn_random_state state)
{
    kna_op op;
    kn_bit_generator_state saved = {0};
    kna_begin(&op, "get_state");
    knrng_generator *g = knrng_generator_in(&op, state, true);
    if (g) {
        knrng_get_state(g->bits, &saved);
        saved.has_gauss = g->gauss.has;
        saved.gauss = g->gauss.value;
    }
    kna_end_plain(&op);
    return saved;
}

int kn_random_state_set_state(kn_random_state state, const kn_bit_generator_state *saved)
{
    kna_op op;
    kna_begin(&op, "set_state");
    knrng_generator *g = knrng_generator_in(&op, state, true);
    if (g && knrng_set_state(&op, g->bits, saved))
        g->gauss = (knrng_gauss){saved->has_gauss != 0, saved->gauss};
    return kna_end_plain(&op) ? 0 : -1;
}

kn_bit_generator kn_random_state_bit_generator(kn_random_state state)
{
    kna_op op;
    kna_begin(&op, "bit_generator");
    knrng_generator *g = knrng_generator_in(&op, state, true);
    return kna_end_plain(&op) && g ? knrng_bits_handle(knrng_bits_retain(g->bits)) : NULL;
}

static const knrng_distribution standard_normal = {
    .name = "standard_normal", .real = knrng_standard_normal_real, .legacy_real = knrng_legacy_standard_normal_real};
static const knrng_distribution standard_exponential = {.name = "standard_exponential",
                                                        .real = knrng_standard_exponential_real,
                                                        .legacy_real = knrng_legacy_standard_exponential_real};

kn_array kn_random_state_standard_normal(kn_random_state state, const kn_shape *size)
{
    return knrng_draw(&standard_normal, state, true, size, NULL, NULL, NULL);
}

kn_array kn_random_state_randn(kn_random_state state, const kn_shape *size)
{
    return knrng_draw(&standard_normal, state, true, size, NULL, NULL, NULL);
}

kn_array kn_random_state_standard_exponential(kn_random_state state, const kn_shape *size)
{
    return knrng_draw(&standard_exponential, state, true, size, NULL, NULL, NULL);
}
