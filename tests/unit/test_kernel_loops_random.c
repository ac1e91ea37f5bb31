/* SPDX-License-Identifier: Apache-2.0
 * test_kernel_loops_random.c -- random kernels with loops: the interpreter, a walk point by point, and machine code give the
 * same bits. KN_TEST_COUNT: how many. (C source: test_codegen_c_source.c.) */
#include "host/native.h"
#include "kernel/internal.h"
#include "support/stage_reference.h"
#include "support/stages.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Random kernels, against a walk through them point by point. */
typedef struct kept {
    void *at[SCENE_STAGES];
    int n;
} kept;

static kng_function *by_points(void *env, const kng_request *r)
{
    kept *k = env;
    kng_function *f = NULL;
    kn_error *e = stage_reference.make(r, &f, &k->at[k->n]);
    k->n += !e;
    if (e)
        fail_msg("%s", e->message);
    return f;
}

static void random_loops(void **state)
{
    (void)state;
    const char *count = getenv("KN_TEST_COUNT");
    int loops = 0, tested = 0, nested = 0, made = 0, missing = 0;
    for (int seed = 1; seed <= (count ? atoi(count) : 300); seed++) {
        scene s;
        char what[40];
        scene_random_loops(&s, (uint64_t)seed);
        for (int i = 0, depth = 0; i < s.k->n_node; i++) {
            int op = s.k->node[i].op;
            depth += (op == KNK_LOOP) - (op == KNK_END);
            loops += op == KNK_LOOP;
            nested += op == KNK_LOOP && depth > 1;
            tested += op == KNK_WHILE;
        }
        snprintf(what, sizeof what, "seed %d", seed);
        scene_way way = {.mode = KNG_POINTS, .any = seed % 2, .swap = seed % 3 == 0};
        kept functions = {.n = 0};
        assert_true(scene_check(&s, &way, by_points, &functions, what));
        while (functions.n)
            stage_reference.drop(functions.at[--functions.n]);
        for (int t = 0; t < 2; t++) {
            kng_target target = t ? KNG_AVX2 : KNG_AVX512;
            if (kng_backend_works(t ? KNG_NATIVE_AVX2 : KNG_NATIVE_AVX512))
                *(scene_check(&s, &way, stage_code, &target, what) ? &made : &missing) += 1;
            stage_code_free();
        }
        scene_free(&s);
    }
    print_message("%d loops, %d in others, %d conditions\n", loops, nested, tested);
    assert_null(stage_reference_complaint());
    print_message("%d stages in machine code, %d not\n", made, missing);
    assert_true(missing * 20 <= made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
