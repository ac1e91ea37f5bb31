/* SPDX-License-Identifier: Apache-2.0
 * test_kernel_loops_random.c -- random kernels with loops: the interpreter, a walk point by point, and machine code give the
 * same bits. KN_TEST_COUNT: how many. (C source: test_codegen_c_source.c.) */
#include "host/native.h"
#include "kernel/internal.h"
#include "support/group.h"
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
    const knh_generator *by;
    void *at[SCENE_STAGES];
    int n;
} kept;

static knh_function *make(void *env, const knh_request *r)
{
    kept *k = env;
    knh_function *f = NULL;
    knx_error *e = k->by->make(k->by, r, &f, &k->at[k->n]);
    k->n += !e;
    if (e && (k->by == &stage_reference || e->kind != KN_ERROR_NOT_IMPLEMENTED))
        fail_msg("%s", e->message);
    knx_error_release(e);
    return f;
}

static bool check(const scene *s, const scene_way *way, const knh_generator *g, const char *what)
{
    kept functions = {.by = g};
    bool made = scene_check(s, way, make, &functions, what);
    while (functions.n)
        g->drop(functions.at[--functions.n]);
    return made;
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
        scene_way way = {.mode = KNH_POINTS, .any = seed % 2, .swap = seed % 3 == 0};
        assert_true(check(&s, &way, &stage_reference, what));
        const knh_generator *g;
        for (int i = 0; (g = knh_generator_number(i)); i++)
            if (g->make && knh_generator_works(g))
                *(check(&s, &way, g, what) ? &made : &missing) += 1;
        scene_free(&s);
    }
    print_message("%d loops, %d in others, %d conditions\n", loops, nested, tested);
    assert_null(stage_reference_complaint());
    print_message("%d stages in machine code, %d not\n", made, missing);
    assert_true(missing * 20 <= made);
}

KN_TEST_GROUP(test_kernel_loops_random)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
