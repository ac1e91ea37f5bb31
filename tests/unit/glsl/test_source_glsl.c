/* SPDX-License-Identifier: Apache-2.0
 * test_source_glsl.c -- kernels of steps as GLSL (kiln/source.h): a device that runs nothing asks for the passes of
 * each step that it is offered. That they compute what the host does is seen where there is WebGL
 * (tests/web/webgl_kernels.c). */
#include "support/expect.h"
#include "support/group.h"
#include "support/plain_memory.h"
#include "kiln/source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kn_glsl_facts facts;
static int kernels, passes, rooms, others;
static char reason[128];

static int launch(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at)
{
    (void)env, (void)step, (void)prepared, (void)at;
    return 1;
}

/* What kiln/source.h says of a pass. */
static void check_pass(const kn_provider_step *step, const kn_source *s, int i)
{
    const kn_glsl_pass *p = &s->pass[i];
    assert_int_equal(strncmp(p->text, "#version 300 es\n", 16), 0);
    assert_in_range(p->target, 0, step->n + s->n_room - 1);
    assert_true(!(p->memories >> (step->n + s->n_room)) && !(p->memories >> p->target & 1 && p->target >= step->n));
    assert_true(p->n_word > 0 && p->n_word % 4 == 0);
    assert_true(p->from <= p->to);
    if (p->target >= step->n)
        assert_int_equal(p->to, s->room[p->target - step->n]);
    else
        assert_true(step->written[p->target] && p->to <= step->bytes[p->target]);
    if (i)
        assert_true(p->group >= p[-1].group);
    for (int m = 0; m < step->n + s->n_room; m++) {
        char sampler[64];
        snprintf(sampler, sizeof sampler, "uniform usampler2D memory%d;", m);
        assert_int_equal(p->memories >> m & 1, strstr(p->text, sampler) != NULL);
    }
}

static const char *ask(void *env, const kn_provider_step *step)
{
    kn_source s = {.size_ = sizeof s};
    (void)env;
    assert_int_equal(kn_step_glsl(step, facts.size_ ? &facts : NULL, &s), 0);
    if (step->kind != KN_STEP_KERNEL) {
        assert_string_equal(s.why, "it is no kernel");
        others++;
    } else if (s.why) {
        snprintf(reason, sizeof reason, "%s", s.why);
    } else {
        kernels++;
        passes += s.n_pass;
        rooms += s.n_room;
        for (int i = 0; i < s.n_pass; i++)
            check_pass(step, &s, i);
    }
    kn_source_free(&s);
    assert_null(s.pass);
    return "it runs nothing";
}

static const kn_provider table = {
    .size_ = sizeof table, .name = "asks:0", PLAIN_MEMORY, .refuses = ask, .launch = launch};

static kn_array programs(int i)
{
    kn_array x = kn_reshape(kn_sin(kn_arange(0, 40 * 300, 1, KN_F32)), KN_SHAPE(40, 300));
    switch (i) {
    case 0: return kn_nn_softmax(x);
    case 1: return kn_sum(x);
    case 2: return kn_sort(x);
    }
    return kn_exp(kn_astype(x, KN_F64));
}

static void ask_for(int i)
{
    kernels = passes = rooms = others = 0;
    *reason = 0;
    assert_int_equal(kn_register_device(&table), 0);
    {
        KN_SCOPE;
        kn_array want = kn_copy(programs(i)), got;
        {
            KN_ON_DEVICE(kn_find_device("asks:0"));
            got = kn_copy(programs(i));
            kn_eval(got);
        }
        assert_true(kn_array_equal(want, got));
    }
    assert_int_equal(kn_unregister_device("asks:0"), 0);
}

static void kernels_have_passes(void **state)
{
    (void)state;
    ask_for(0);
    assert_true(kernels > 0 && passes > kernels && rooms > 0);
    ask_for(1); /* 12,000 elements: accumulators, their blocks, the value, the store */
    assert_true(passes >= 4 && rooms >= 3);
    ask_for(2);
    assert_true(others > 0);
}

static void what_has_no_text_has_a_reason(void **state)
{
    (void)state;
    ask_for(3);
    assert_string_equal(reason, "64-bit floats");
    facts = (kn_glsl_facts){.size_ = sizeof facts, .uniforms = 2};
    ask_for(0);
    assert_string_equal(reason, "more numbers than a shader has uniforms");
    facts = (kn_glsl_facts){.size_ = sizeof facts, .samplers = 2};
    ask_for(0);
    assert_string_equal(reason, "it reads more memories than a pass can");
    facts = (kn_glsl_facts){0};
}

static void what_is_asked_for_wrongly_is_an_error(void **state)
{
    (void)state;
    kn_source s = {.size_ = sizeof s}, unsized = {0};
    assert_int_equal(kn_step_glsl(NULL, NULL, &s), -1);
    assert_string_equal(kn_error_message(), "step_glsl: the step is null, or no step of a program");
    kn_error_clear();
    assert_int_equal(kn_step_glsl(NULL, NULL, &unsized), -1);
    assert_string_equal(kn_error_message(), "step_glsl: the result is null, or its size_ is not set");
    kn_error_clear();
}

static const char *with_width(void *env, const kn_provider_step *step)
{
    kn_source s = {.size_ = sizeof s};
    const kn_glsl_facts three = {.size_ = sizeof three, .width = 3};
    (void)env;
    assert_int_equal(kn_step_glsl(step, &three, &s), -1);
    assert_string_equal(kn_error_message(), "eval: the width of textures is not a power of 2");
    kn_error_clear();
    others++;
    return "no";
}

static void widths_are_powers_of_two(void **state)
{
    (void)state;
    kn_provider p = table;
    p.refuses = with_width;
    others = 0;
    assert_int_equal(kn_register_device(&p), 0);
    {
        KN_SCOPE;
        KN_ON_DEVICE(kn_find_device("asks:0"));
        kn_eval(kn_copy(programs(0)));
    }
    assert_int_equal(kn_unregister_device("asks:0"), 0);
    assert_true(others > 0);
}

KN_TEST_GROUP(test_source_glsl)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_have_passes),
        cmocka_unit_test(what_has_no_text_has_a_reason),
        cmocka_unit_test(what_is_asked_for_wrongly_is_an_error),
        cmocka_unit_test(widths_are_powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
