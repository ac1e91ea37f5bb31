/* SPDX-License-Identifier: Apache-2.0
 * test_attach_random.c -- random moves and elementwise equations around products (support/random_product.h): attached or not, the bits are those of
 * the program without fusion. KILN_ATTACH_SEEDS=n: so many of them. */
#include "support/group.h"
#include "support/random_product.h"

static void random_programs_have_the_same_bits(void **state)
{
    (void)state;
    const char *wanted = getenv("KILN_ATTACH_SEEDS");
    uint64_t n = wanted ? strtoull(wanted, NULL, 0) : 300;
    int attached = 0, products = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        kni_jaxpr *j = random_product(seed);
        knd_loaded *p = test_compile(j, true);
        for (uint32_t s = 0; s < p->program->n_step; s++)
            if (p->program->step[s].kind == KNC_PRODUCT) {
                products++;
                attached +=
                    p->program->step[s].u.p.fill_a || p->program->step[s].u.p.fill_b || p->program->step[s].u.p.finish;
            }
        knd_release(p);
        expect_same_bits_with(j, NULL, seed);
        kni_release(j);
    }
    if (getenv("KILN_ATTACH_SEEDS"))
        print_message("%d of %d\n", attached, products);
    if (attached < products / 3)
        fail_msg("only %d of %d products have kernels", attached, products);
}

KN_TEST_GROUP(test_attach_random)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_have_the_same_bits)};
    knc_attach_small = true;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
