/* SPDX-License-Identifier: Apache-2.0
 * test_compile.c -- what the planner decides, and that no decision changes a bit. */
#include "programs.h"

#include <pthread.h>
#include <stdio.h>

static void run_both(const kni_jaxpr *j, uint64_t seed)
{
    test_operands x = test_make_operands(j, seed);
    kn_buffer *plain[MANY], *fused[MANY];
    kn_program *p = test_compile(j, false), *q = test_compile(j, true);
    test_ok(knd_run(p, x.in, plain, NULL));
    test_ok(knd_run(q, x.in, fused, NULL));
    for (uint32_t k = 0; k < j->n_out; k++) {
        int64_t at = test_difference(kni_out_type(j, k), plain[k]->data, fused[k]->data);
        if (at >= 0) {
            char *text = NULL, *one = NULL, *two = NULL;
            test_ok(kni_text(j, KN_FORM_TYPED, &text));
            test_ok(knc_text(p, &one));
            test_ok(knc_text(q, &two));
            print_message("%s\n%s\n%s\n", text, one, two);
            fail_msg("seed %llu: output %u differs at %lld", (unsigned long long)seed, k, (long long)at);
        }
    }
    test_release((int)j->n_out, plain);
    test_release((int)j->n_out, fused);
    knc_release(p);
    knc_release(q);
    test_free_operands(&x);
}

static void random_programs_have_the_same_bits_fused_and_unfused(void **state)
{
    (void)state;
    const char *first = getenv("KN_TEST_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1, end = first ? seed + 1 : 1500;
    for (; seed < end; seed++) {
        int64_t live = knx_alloc_live();
        kni_jaxpr *j = test_random_jaxpr(seed, 40);
        run_both(j, seed);
        kni_release(j);
        if (knx_alloc_live() != live)
            fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_have_the_same_bits_fused_and_unfused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
