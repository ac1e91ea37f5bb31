/* SPDX-License-Identifier: Apache-2.0
 * test_ir_limits.c -- a jaxpr of a million equations on a small stack, and allocation failure at every point of a
 * jaxpr's life. */
#include "ir/ops.h"
#include "support/group.h"
#include "support/stack.h"
#include "ir/prim.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MANY = 50000, STACK = 64 << 10 }; /* a byte of stack for each would be too many; a million takes minutes there */
#else
enum { MANY = 1000000, STACK = 64 << 10 };
#endif
#define SHAPE(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }

static knx_error *build_many(kni_jaxpr **j)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(F32), SHAPE(3)));
    for (int i = 0; i < MANY / 2; i++) {
        knb_sin(&b, x); /* dead */
        x = knb_mul(&b, x, knb_number(&b, KN_DT(F32), i % 1000));
        x = knb_add(&b, x, x);
    }
    return knb_finish(&b, 1, &x, "many", true, j);
}

static knx_error *inline_many(const kni_jaxpr *j, kni_jaxpr **out)
{
    kni_builder b;
    knb_init(&b);
    kni_atom y, x = knb_invar(&b, kni_type_of(KN_DT(F32), SHAPE(3)));
    knb_inline(&b, j, &x, &y);
    return knb_finish(&b, 1, &y, "many", true, out);
}

/* What went wrong, or NULL. */
static void *many_equations(void *unused)
{
    kni_jaxpr *j = NULL, *k = NULL, *l = NULL;
    char *text = NULL;
    const char *fault = NULL;
    (void)unused;
    if (build_many(&j) || j->n_eqn != MANY || j->n_literal != 1000)
        return "build";
    if (inline_many(j, &k) || !kni_equal(j, k) || j->hash != k->hash)
        fault = "inline";
    kni_release(k);
    if (kni_check(j))
        fault = "check";
    for (kni_jaxpr_form form = KN_FORM_CLASSIC; form <= KN_FORM_FULL; form++) {
        knx_free(text);
        text = NULL;
        if (kni_text(j, form, &text) || strlen(text) < 10 * MANY)
            fault = "print";
    }
    if (!fault && (kni_parse(text, &l) || !kni_equal(j, l)))
        fault = "parse";
    knx_free(text);
    kni_release(l);
    kni_release(j);
    return (void *)(uintptr_t)fault;
}

static void a_million_equations_on_64_kb_of_stack(void **state)
{
    (void)state;
    pthread_t thread;
    pthread_attr_t attr;
    void *fault = NULL;
    assert_int_equal(pthread_attr_init(&attr), 0);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    assert_int_equal(pthread_attr_setstacksize(&attr, 16 * STACK), 0); /* the sanitizers need some for themselves */
#else
    assert_int_equal(pthread_attr_setstacksize(&attr, test_stack(STACK)), 0);
#endif
    assert_int_equal(pthread_create(&thread, &attr, many_equations, NULL), 0);
    assert_int_equal(pthread_join(thread, &fault), 0);
    pthread_attr_destroy(&attr);
    if (fault)
        fail_msg("%s", (const char *)fault);
}

/* Build, finish, call, inline, print and parse; every step may run out of memory. */
static knx_error *small_life(void)
{
    static const kn_place place = {"life.c", 3, "small_life"};
    kni_jaxpr *f = NULL, *g = NULL, *h = NULL;
    char *text[3] = {NULL}, **consts = NULL;
    kni_builder b;
    knb_init(&b);
    b.place = &place;
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(F32), SHAPE(3))), y = x, z = x;
    for (int i = 0; i < 12; i++)
        y = knb_add(&b, knb_mul(&b, x, knb_number(&b, KN_DT(F32), i)), y);
    knb_sin(&b, y);
    knx_error *e = knb_finish(&b, 1, &y, "f", true, &f);
    if (!e) {
        knb_init(&b);
        b.place = &place;
        kni_atom c = knb_constvar(&b, kni_type_of(KN_DT(F32), SHAPE(3)));
        x = knb_invar(&b, kni_type_of(KN_DT(F32), SHAPE(3)));
        knb_jit(&b, "f", f, 0, &x, &y);
        knb_jit(&b, "f", f, 0, &y, &y);
        knb_inline(&b, f, &y, &z);
        y = knb_reduce_sum(&b, knb_add(&b, z, c), SHAPE(0));
        e = knb_finish(&b, 1, &y, "g", true, &g);
    }
    const char *values[] = {"[1, 2, 3]"};
    for (int form = 0; form < 3 && !e; form++)
        e = kni_text_consts(g, (kni_jaxpr_form)form, values, &text[form]);
    if (!e)
        e = kni_parse_consts(text[KN_FORM_FULL], &h, &consts);
    if (!e)
        e = kni_check(h);
    if (!e && !kni_equal(g, h))
        e = knx_error_new(KN_ERROR_VALUE, "the parsed jaxpr is another one");
    for (int i = 0; i < 3; i++)
        knx_free(text[i]);
    knx_free(consts);
    kni_release(f);
    kni_release(g);
    kni_release(h);
    knb_free(&b);
    kni_places_free();
    return e;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_null(small_life());
    int64_t live = knx_alloc_live(), count = knx_alloc_count();
    assert_null(small_life());
    count = knx_alloc_count() - count;
    int64_t failures = 0;
    for (int sticky = 0; sticky < 2; sticky++)
        for (int64_t k = 0; k <= count; k++) {
            knx_fail_after(k, sticky);
            knx_error *e = small_life();
            knx_fail_after(-1, false);
            if (e && e->kind != KN_ERROR_MEMORY)
                fail_msg("allocation %d: %s", (int)k, e->message);
            failures += e != NULL;
            knx_error_release(e);
            assert_int_equal(knx_alloc_live(), live);
        }
    assert_true(failures > 2 * count - 20); /* a few do no harm: places, what is remembered while comparing */
}

KN_TEST_GROUP(test_ir_limits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_equations_on_64_kb_of_stack),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
