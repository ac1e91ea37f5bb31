/* SPDX-License-Identifier: Apache-2.0
 * generators.c -- NumPy's random numbers: a generator, its children, its state; an estimate of pi. */
#include <kiln/kiln.h>
#include <stdio.h>

int main(void)
{
    KN_SCOPE;
    kn_rng rng = kn_default_rng(42);                    /* rng = np.random.default_rng(42) */
    kn_print(kn_rng_standard_normal(rng, KN_SHAPE(3))); /* rng.standard_normal(3) */
    kn_print(kn_rng_integers(rng, 0, 10, KN_SHAPE(5))); /* rng.integers(0, 10, 5) */
    kn_print(kn_rng_choice(rng, 10, KN_SHAPE(4), .replace = false));

    kn_array p = kn_rng_uniform(rng, KN_SHAPE(2, 100000), .low = kn_num(-1));
    kn_array inside = kn_less(kn_sum(kn_square(p), KN_AXIS(0)), 1);
    kn_printf("pi is about %.3f\n", kn_mul(4, kn_mean(inside)));

    kn_rng worker[2]; /* independent of each other and of rng */
    kn_rng_spawn(rng, 2, worker);
    for (int i = 0; i < 2; i++)
        kn_print(kn_rng_poisson(worker[i], KN_SHAPE(6), .lam = kn_num(3.5)));

    kn_bit_generator bits = kn_rng_bit_generator(rng);
    kn_bit_generator_state saved = kn_bit_generator_get_state(bits);
    double first = kn_item(kn_rng_random(rng, KN_SHAPE()));
    kn_bit_generator_set_state(bits, &saved);
    printf("%s\n", first == kn_item(kn_rng_random(rng, KN_SHAPE())) ? "the same again" : "another one");
    return kn_finish();
}
