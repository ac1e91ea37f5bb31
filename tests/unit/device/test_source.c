/* SPDX-License-Identifier: Apache-2.0
 * test_source.c -- kernels of steps as C (kiln/source.h): a device whose memory is the host's compiles each when it is
 * made ready, and its results are the host's; what is asked for wrongly. WGSL: webgpu/test_source_wgsl.c. */
#include "support/c_maker.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/plain_memory.h"
#include <dlfcn.h>
#include <stdlib.h>

typedef void kernel_function(void *const *place, const int64_t *extent, const int64_t *const *inner,
                             const kn_provider_map *map);
typedef struct ready {
    void *library;
    kernel_function *f;
} ready;
static int compiled, launched;

static const char *refuses(void *env, const kn_provider_step *step)
{
    (void)env;
    return step->kind != KN_STEP_KERNEL ? "it has kernels alone" : step->n_shift ? "places move by data" : NULL;
}
static int prepare(void *env, const kn_provider_step *step, void **prepared)
{
    (void)env;
    kn_source s = {.size_ = sizeof s};
    ready *r = calloc(1, sizeof *r);
    assert_int_equal(kn_step_c(step, "kernel", &s), 0);
    assert_null(s.why);
    r->library = c_maker_load((const char *const[]){s.text}, 1, C_MAKER_QUICK);
    kn_source_free(&s);
    assert_null(s.text);
    assert_non_null(r->library);
    void *symbol = dlsym(r->library, "kernel");
    memcpy(&r->f, &symbol, sizeof r->f);
    compiled++;
    *prepared = r;
    return 0;
}
static void discard(void *env, void *prepared)
{
    (void)env;
    dlclose(((ready *)prepared)->library);
    free(prepared);
}
static int launch(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at)
{
    void *place[32];
    (void)env;
    for (int i = 0; i < step->n; i++)
        place[i] = at[i].memory ? (void *)((char *)at[i].memory + at[i].offset) : (void *)(uintptr_t)at[i].bits;
    ((ready *)prepared)->f(place, step->extent, step->inner, step->map);
    launched++;
    return 0;
}

static const kn_provider table = {.size_ = sizeof table,
                                  .name = "compiles:0",
                                  PLAIN_MEMORY,
                                  .refuses = refuses,
                                  .prepare = prepare,
                                  .discard = discard,
                                  .launch = launch};

/* A softmax of rows, a column's sum over a long axis, integers and complex numbers. */
static kn_array programs(int i)
{
    kn_array x = kn_reshape(kn_sin(kn_arange(0, 40 * 300, 1, KN_F32)), KN_SHAPE(40, 300));
    switch (i) {
    case 0: return kn_nn_softmax(x);
    case 1: return kn_var(kn_reshape(x, KN_SHAPE(3, 4000)), .axis = KN_AXIS(1));
    case 2: return kn_sum(kn_floor_divide(kn_astype(kn_mul(x, 100), KN_I64), 7), .axis = KN_AXIS(0));
    case 3: return kn_exp(kn_astype(x, KN_C128));
    case 4: return kn_cumsum(kn_abs(x), .axis = KN_AXIS(0));
    }
    return kn_where(kn_greater(x, 0), kn_astype(x, KN_F16), kn_astype(kn_cos(x), KN_F16));
}

static void a_device_that_compiles_c_has_the_hosts_bits(void **state)
{
    (void)state;
    if (!c_maker_works())
        skip();
    for (int i = 0; i < 6; i++) {
        assert_int_equal(kn_register_device(&table), 0);
        {
            KN_SCOPE;
            kn_array want = kn_copy(programs(i)), got;
            kn_eval(want);
            {
                KN_ON_DEVICE(kn_find_device("compiles:0"));
                got = kn_copy(programs(i));
                kn_eval(got);
            }
            assert_true(kn_array_equal(want, got, .equal_nan = true));
        }
        assert_int_equal(kn_unregister_device("compiles:0"), 0);
    }
    assert_true(compiled >= 6 && launched >= 6);
}

static int asked;
static const char *ask(void *env, const kn_provider_step *step)
{
    kn_source s = {.size_ = sizeof s};
    (void)env;
    if (step->kind == KN_STEP_KERNEL) {
        asked |= 1;
        assert_int_equal(kn_step_c(step, "2f", &s), -1);
        expect_error_with("ValueError", "the name is not one of C");
        assert_int_equal(kn_step_c(step, NULL, &s), -1);
        expect_error_with("ValueError", "the name is not one of C");
        assert_int_equal(kn_step_c(step, "f", NULL), -1);
        expect_error_with("TypeError", "the result is null, or its size_ is not set");
        assert_int_equal(kn_step_wgsl(step, &(kn_wgsl_facts){0}, 0, NULL, &s), -1);
        expect_error_with("TypeError", "size_ of the facts is not set");
        const uint8_t memory[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
        for (int n = 0; n <= 32; n += n ? 31 : 1) {
            assert_int_equal(kn_step_wgsl(step, NULL, n, memory, &s), -1);
            expect_error_with("ValueError", "the numbers of memories are not below n_memory, from 1 to 31");
        }
        assert_null(s.own);
    } else {
        asked |= 2;
        assert_int_equal(kn_step_c(step, "f", &s), 0);
        assert_string_equal(s.why, "it is no kernel");
        assert_int_equal(kn_step_wgsl(step, NULL, 0, NULL, &s), 0);
        assert_string_equal(s.why, "it is no kernel");
        kn_source_free(&s);
    }
    return "it asks";
}

static void what_is_asked_for_wrongly_is_an_error(void **state)
{
    (void)state;
    kn_provider p = table;
    p.refuses = ask;
    kn_source s = {.size_ = sizeof s};
    assert_int_equal(kn_step_wgsl(NULL, NULL, 0, NULL, &s), -1);
    expect_error_with("TypeError", "step_wgsl: the step is null, or no step of a program");
    assert_int_equal(kn_step_c(&(kn_provider_step){.size_ = sizeof(kn_provider_step)}, "f", &s), -1);
    expect_error_with("TypeError", "step_c: the step is null, or no step of a program");
    kn_source_free(NULL);
    kn_source_free(&s);
    assert_int_equal(kn_register_device(&p), 0);
    {
        KN_SCOPE;
        KN_ON_DEVICE(kn_find_device("compiles:0"));
        kn_eval(kn_add(kn_sort(kn_sin(kn_arange(0, 100, 1, KN_F32))), 1));
    }
    assert_int_equal(asked, 3);
    assert_int_equal(kn_unregister_device("compiles:0"), 0);
}

KN_TEST_GROUP(test_source)
{
    const struct CMUnitTest tests[] = {
        TEST(a_device_that_compiles_c_has_the_hosts_bits),
        TEST(what_is_asked_for_wrongly_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
