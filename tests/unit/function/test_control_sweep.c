/* SPDX-License-Identifier: Apache-2.0
 * test_control_sweep.c -- loops and branches with random bodies: eager, jitted, batched, by every path, bit for bit
 * what the same steps written out give; and derivatives of both modes, against those of the steps written out and
 * against differences. */
#include "support/expect.h"
#include "support/group.h"
#include "support/loops.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const form_name[] = {"scan", "while", "fori", "cond", "switch"};
static const size_t one = sizeof(kn_array);

static loop_setting setting_of(int slot, int form)
{
    static const int lengths[] = {3, 0, 1, 2, 17, 3};
    loop_setting s = {
        .slot = slot, .form = form, .length = lengths[slot % 6], .reverse = form == SCAN && slot % 4 == 1};
    if (!loop_recipes[slot].n_x && !s.length)
        s.length = 2; /* a length that is not given */
    return s;
}
static loop_setting as_written_out(loop_setting s)
{
    s.unrolled = true;
    s.accept = s.checkpoint = s.unroll = 0;
    return s;
}

/* ---- Comparisons. */
static const char *about(const loop_setting *s, const char *how)
{
    static char text[160];
    snprintf(text, sizeof text,
             "loop_recipe %d, %s of length %d, %s (reverse %d, checkpoint %d, unroll %d, accept %d, depth %d)", s->slot,
             form_name[s->form], s->length, how, s->reverse, s->checkpoint, s->unroll, s->accept,
             loop_recipes[s->slot].depth);
    return text;
}

static void must_work(const loop_setting *s, const char *how, int status)
{
    if (status || kn_error_pending()) {
        print_error("%s: %s\n", about(s, how), kn_error_message());
        kn_error_clear();
        fail();
    }
}

static void same_bits(const loop_setting *s, const char *how, const kn_array *got, const kn_array *want, int n)
{
    for (int i = 0; i < n; i++) {
        int64_t size = kn_size(got[i]);
        size_t bytes = kn_dtype_size(kn_dtype_of(want[i])) * (size_t)(size > 0 ? size : 0);
        char *a = calloc(bytes + 1, 1), *b = calloc(bytes + 1, 1);
        bool same = s->length == 0 && s->form == SCAN && i >= loop_recipes[s->slot].n_carry
                        ? size == 0
                        : kn_dtype_of(got[i]) == kn_dtype_of(want[i]) && size == kn_size(want[i]) &&
                              kn_copy_to(got[i], a, bytes) == 0 && kn_copy_to(want[i], b, bytes) == 0 &&
                              memcmp(a, b, bytes) == 0;
        free(a);
        free(b);
        must_work(s, how, 0);
        if (!same) {
            print_error("%s: result %d\n", about(s, how), i);
            kn_print(got[i]);
            kn_print(want[i]);
            fail();
        }
    }
}

static void near(const loop_setting *s, const char *how, const kn_array *got, const kn_array *want, int n,
                 double tolerance)
{
    for (int i = 0; i < n; i++) {
        kn_array a = kn_astype(got[i], KN_F64), b = kn_astype(want[i], KN_F64);
        double gap = kn_size(a) ? kn_item(kn_max(kn_abs(kn_sub(a, b)))) : 0;
        double most = kn_size(a) ? kn_item(kn_max(kn_abs(b))) : 0;
        must_work(s, how, 0);
        if (!(gap <= tolerance * (1 + most))) {
            print_error("%s: result %d differs by %g of %g\n", about(s, how), i, gap, most);
            fail();
        }
    }
}

/* ---- Values. */
static void want_of(const loop_setting *s, const loop_inputs *in, kn_array *want)
{
    loop_setting plain = as_written_out(*s);
    must_work(&plain, "written out", loop_call(loop_top(&plain), in, want, loop_n_out(s)));
}

static void check_values(const loop_setting *s, const char *how, bool jit)
{
    KN_SCOPE;
    kn_array got[CARRIES + YS], want[CARRIES + YS];
    loop_inputs in = loop_some_inputs(s, 0);
    want_of(s, &in, want);
    must_work(s, how, loop_call(jit ? kn_jit(loop_top(s)) : loop_top(s), &in, got, loop_n_out(s)));
    same_bits(s, how, got, want, loop_n_out(s));
}
static void eager(int form)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        loop_setting s = setting_of(slot, form);
        check_values(&s, "eager", false);
    }
}
static void jitted(int form)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        loop_setting s = setting_of(slot, form);
        check_values(&s, "jit", true);
    }
}

/* Operations run one by one. */
static void at_once(int form)
{
    kn_set_lazy(false);
    for (int slot = 0; slot < SLOTS; slot += 2) {
        loop_setting s = setting_of(slot, form);
        check_values(&s, "at once", false);
    }
    kn_set_lazy(true);
}

/* A jaxpr's text is read back as the same jaxpr, which gives the same bits. */
static void texts(int form)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        KN_SCOPE;
        loop_setting s = setting_of(slot, form);
        kn_array got[CARRIES + YS], want[CARRIES + YS];
        loop_inputs in = loop_some_inputs(&s, 0);
        kn_args args = loop_args_of(&in);
        want_of(&s, &in, want);
        kn_jaxpr j = kn_make_jaxpr(loop_top(&s), &args), again = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
        must_work(&s, "text", 0);
        if (!kn_jaxpr_equal(j, again))
            fail_msg("%s", about(&s, "text"));
        kn_array flat[2 * LEAVES];
        int leaves = in.n_floats + in.n_others;
        memcpy(flat, in.floats, one * (size_t)in.n_floats);
        memcpy(flat + in.n_floats, in.others, one * (size_t)in.n_others);
        kn_args each = {1, {{flat, one * (size_t)leaves}}}; /* its arguments are the arrays, or all of them one */
        for (int i = 0; i < leaves && leaves <= KN_MAX_ARGS; i++)
            each.part[i] = (kn_const_part){&flat[i], one};
        each.n = leaves <= KN_MAX_ARGS ? leaves : 1;
        kn_outs outs = {1, {{got, one * (size_t)loop_n_out(&s)}}};
        must_work(&s, "text", (kn_call)(kn_fn_from_jaxpr(again), &outs, &each));
        same_bits(&s, "text", got, want, loop_n_out(&s));
    }
}

/* Each lane as alone; what is not mapped is that of lane 0. */
static void lanes(int form, bool some)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        KN_SCOPE;
        loop_setting s = setting_of(slot, form);
        loop_inputs in[LANES], all;
        kn_array got[CARRIES + YS], want[LANES][CARRIES + YS];
        for (int l = 0; l < LANES; l++) {
            in[l] = loop_some_inputs(&s, l);
            if (some && slot % 3)
                memcpy(slot % 3 == 1 ? in[l].floats : in[l].others, slot % 3 == 1 ? in[0].floats : in[0].others,
                       sizeof in[l].floats);
            want_of(&s, &in[l], want[l]);
        }
        all = in[0];
        bool floats = !some || slot % 3 != 1, others = !some || slot % 3 != 2;
        for (int i = 0; i < in[0].n_floats && floats; i++)
            all.floats[i] = kn_stack(KN_LIST(in[0].floats[i], in[1].floats[i], in[2].floats[i]));
        for (int i = 0; i < in[0].n_others && others; i++)
            all.others[i] = kn_stack(KN_LIST(in[0].others[i], in[1].others[i], in[2].others[i]));
        kn_fn f = kn_vmap(loop_top(&s),
                          .in_axes = {floats ? KN_MAPPED(0) : KN_UNMAPPED, others ? KN_MAPPED(0) : KN_UNMAPPED});
        must_work(&s, "vmap", loop_call(some ? f : kn_jit(f), &all, got, loop_n_out(&s)));
        for (int l = 0; l < LANES; l++) {
            kn_array lane[CARRIES + YS];
            for (int i = 0; i < loop_n_out(&s); i++)
                lane[i] = kn_at(got[i], "%", l);
            same_bits(&s, "vmap", lane, want[l], loop_n_out(&s));
        }
    }
}
static void vmapped(int form) { lanes(form, false); }
static void vmapped_in_part(int form) { lanes(form, true); }

/* ---- Derivatives. */
static double tolerance_of(int slot) { return loop_recipes[slot].smooth ? 1e-12 : 2e-4; }

static void check_gradient(loop_setting s, const char *how, bool jit)
{
    KN_SCOPE;
    kn_array got[LEAVES], want[LEAVES];
    loop_inputs in = loop_some_inputs(&s, 0);
    s.total = true;
    loop_setting plain = as_written_out(s);
    kn_fn f = kn_grad(loop_top(&s));
    must_work(&plain, "gradient, written out", loop_call(kn_grad(loop_top(&plain)), &in, want, in.n_floats));
    must_work(&s, how, loop_call(jit ? kn_jit(f) : f, &in, got, in.n_floats));
    near(&s, how, got, want, in.n_floats, tolerance_of(s.slot));
}
static void gradients(int form)
{
    for (int slot = 0; slot < SLOTS; slot++)
        if (loop_recipes[slot].smooth || form != WHILE) /* the others have no bound */
            check_gradient(setting_of(slot, form), "gradient", slot % 4 < 2);
}

/* The gradient of each lane. */
static void lane_gradients(int form)
{
    for (int slot = 1; slot < SLOTS; slot += 2) {
        KN_SCOPE;
        loop_setting s = setting_of(slot, form);
        s.total = true;
        loop_setting plain = as_written_out(s);
        loop_inputs in[LANES], all;
        kn_array got[LEAVES], want[LANES][LEAVES];
        for (int l = 0; l < LANES; l++) {
            in[l] = loop_some_inputs(&s, l);
            must_work(&plain, "gradient of a lane",
                      loop_call(kn_grad(loop_top(&plain)), &in[l], want[l], in[l].n_floats));
        }
        all = in[0];
        for (int i = 0; i < all.n_floats; i++)
            all.floats[i] = kn_stack(KN_LIST(in[0].floats[i], in[1].floats[i], in[2].floats[i]));
        for (int i = 0; i < all.n_others; i++)
            all.others[i] = kn_stack(KN_LIST(in[0].others[i], in[1].others[i], in[2].others[i]));
        kn_fn f = kn_vmap(kn_grad(loop_top(&s)));
        must_work(&s, "gradients of lanes", loop_call(slot % 4 == 1 ? kn_jit(f) : f, &all, got, all.n_floats));
        for (int l = 0; l < LANES; l++) {
            kn_array lane[LEAVES];
            for (int i = 0; i < all.n_floats; i++)
                lane[i] = kn_at(got[i], "%", l);
            near(&s, "gradients of lanes", lane, want[l], all.n_floats, tolerance_of(slot));
        }
    }
}

static double total_at(const loop_setting *s, const loop_inputs *in, double h)
{
    KN_SCOPE;
    loop_inputs moved = *in;
    kn_array y;
    for (int i = 1; i < in->n_floats; i++) {
        kn_array d = kn_sin(kn_arange(1 + i, kn_size(in->floats[i]) + 1 + i, 1, .dtype = KN_F64));
        moved.floats[i] = kn_add(in->floats[i], kn_mul(h, kn_reshape(d, kn_shape_of(in->floats[i]))));
    }
    loop_call(loop_top(s), &moved, &y, 1);
    return kn_item(y);
}

static void slopes(int form)
{
    for (int slot = 1; slot < SLOTS; slot += 2) {
        KN_SCOPE;
        loop_setting s = setting_of(slot, form);
        kn_array g[LEAVES];
        loop_inputs in = loop_some_inputs(&s, 0);
        s.total = true;
        must_work(&s, "gradient", loop_call(kn_grad(loop_top(&s)), &in, g, in.n_floats));
        double slope = 0, h = 1e-5;
        for (int i = 1; i < in.n_floats; i++) {
            kn_array d = kn_sin(kn_arange(1 + i, kn_size(g[i]) + 1 + i, 1, .dtype = KN_F64));
            slope += kn_item(kn_sum(kn_mul(kn_reshape(g[i], KN_SHAPE(-1)), d)));
        }
        loop_setting plain = as_written_out(s);
        double difference = (total_at(&plain, &in, h) - total_at(&plain, &in, -h)) / (2 * h);
        must_work(&s, "differences", 0);
        if (!(fabs(slope - difference) <= 1e-6 * (1 + fabs(difference)))) {
            print_error("%s: the slope is %.12g, differences give %.12g\n", about(&s, "differences"), slope,
                        difference);
            fail();
        }
    }
}

static void check_tangents(const loop_setting *s, bool jit)
{
    KN_SCOPE;
    loop_setting plain = as_written_out(*s);
    kn_array y[CARRIES + YS], dy[CARRIES + YS], want[CARRIES + YS], dwant[CARRIES + YS];
    loop_inputs in = loop_some_inputs(s, 0), d = in;
    for (int i = 0; i < in.n_floats; i++)
        d.floats[i] = kn_cos(kn_mul(in.floats[i], i + 2));
    for (int i = 0; i < in.n_others; i++)
        d.others[i] = kn_zeros_like(in.others[i]);
    kn_args args = loop_args_of(&in), dargs = loop_args_of(&d);
    size_t bytes = one * (size_t)loop_n_out(s);
    kn_outs outs = {1, {{y, bytes}}}, douts = {1, {{dy, bytes}}}, wants = {1, {{want, bytes}}},
            dwants = {1, {{dwant, bytes}}};
    must_work(&plain, "jvp", (kn_jvp)(loop_top(&plain), &args, &dargs, &wants, &dwants));
    must_work(s, "jvp", (kn_jvp)(jit ? kn_jit(loop_top(s)) : loop_top(s), &args, &dargs, &outs, &douts));
    int compared = s->length || s->form != SCAN ? loop_n_out(s) : loop_recipes[s->slot].n_carry;
    same_bits(s, "values of jvp", y, want, compared);
    near(s, "jvp", dy, dwant, compared, tolerance_of(s->slot));
}
static void tangents(int form)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        loop_setting s = setting_of(slot, form);
        check_tangents(&s, slot % 4 < 2);
    }
}

static void second_derivatives(int form)
{
    for (int slot = 1; slot < SLOTS; slot += 4) {
        KN_SCOPE;
        loop_setting s = setting_of(slot, form);
        kn_array got[LEAVES * LEAVES], want[LEAVES * LEAVES];
        loop_inputs in = loop_some_inputs(&s, 0);
        s.total = true;
        loop_setting plain = as_written_out(s);
        int n = in.n_floats * in.n_floats;
        must_work(&plain, "hessian", loop_call(kn_hessian(loop_top(&plain)), &in, want, n));
        must_work(&s, "hessian", loop_call(kn_hessian(loop_top(&s)), &in, got, n));
        near(&s, "hessian", got, want, n, 1e-11);
    }
}

/* ---- Options of scans. */
static void options_change_no_values(void **state)
{
    (void)state;
    for (int slot = 0; slot < SLOTS; slot++)
        for (int unroll = 1; unroll <= 4; unroll++) {
            loop_setting s = setting_of(slot, SCAN);
            s.unroll = unroll;
            s.checkpoint = unroll == 4 ? KN_CHECKPOINT_SQRT : unroll;
            check_values(&s, "options", slot % 2);
        }
}
static void checkpoints_change_no_gradients(void **state)
{
    (void)state;
    static const int32_t every[] = {1, 2, 5, KN_CHECKPOINT_SQRT};
    for (int slot = 0; slot < SLOTS; slot++)
        for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
            loop_setting s = setting_of(slot, SCAN);
            s.checkpoint = every[i];
            check_gradient(s, "gradient with checkpoints", slot % 4 < 2);
        }
}

/* A path that a body cannot take is a ValueError; those that it can take give the same bits. */
static int by_path(int path, bool jit)
{
    int taken = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        KN_SCOPE;
        loop_setting s = setting_of(slot, SCAN);
        s.accept = path;
        kn_array got[CARRIES + YS], want[CARRIES + YS];
        loop_inputs in = loop_some_inputs(&s, 0);
        want_of(&s, &in, want);
        bool bad = loop_call(jit ? kn_jit(loop_top(&s)) : loop_top(&s), &in, got, loop_n_out(&s)) != 0;
        for (int i = 0; i < loop_n_out(&s) && !bad; i++)
            kn_eval(got[i]);
        if (bad || kn_error_pending()) {
            assert_string_equal(kn_error_kind_name(), "ValueError");
            kn_error_clear();
            continue;
        }
        same_bits(&s, "by path", got, want, loop_n_out(&s));
        taken++;
    }
    return taken;
}
static void compiled_loops_give_the_same_bits(void **state)
{
    (void)state;
    assert_true(by_path(KN_SCAN_COMPILED_LOOP, true) > 0);
    assert_true(by_path(KN_SCAN_COMPILED_LOOP, false) > 0);
}
static void loops_with_routine_calls_give_the_same_bits(void **state)
{
    (void)state;
    assert_true(by_path(KN_SCAN_ROUTINE_CALLS, true) > 0);
}
static void stepwise_loops_give_the_same_bits(void **state)
{
    (void)state;
    assert_true(by_path(KN_SCAN_STEPWISE, true) > 0);
}
static void one_of_all_paths_is_always_there(void **state)
{
    (void)state;
    assert_int_equal(by_path(KN_SCAN_COMPILED_LOOP | KN_SCAN_ROUTINE_CALLS | KN_SCAN_STEPWISE, true), SLOTS);
}

static void recipes_are_three_deep(void **state)
{
    (void)state;
    int deep = 0;
    for (int slot = 0; slot < SLOTS; slot++)
        deep += loop_recipes[slot].depth >= 3;
    assert_true(deep >= 2);
}

#define FORMS_OF(check)                      \
    static void scan_##check(void **state)   \
    {                                        \
        (void)state;                         \
        check(SCAN);                         \
    }                                        \
    static void while_##check(void **state)  \
    {                                        \
        (void)state;                         \
        check(WHILE);                        \
    }                                        \
    static void fori_##check(void **state)   \
    {                                        \
        (void)state;                         \
        check(FORI);                         \
    }                                        \
    static void cond_##check(void **state)   \
    {                                        \
        (void)state;                         \
        check(COND);                         \
    }                                        \
    static void switch_##check(void **state) \
    {                                        \
        (void)state;                         \
        check(SWITCH);                       \
    }
FORMS_OF(eager)
FORMS_OF(jitted)
FORMS_OF(vmapped)
FORMS_OF(vmapped_in_part)
FORMS_OF(gradients)
FORMS_OF(lane_gradients)
FORMS_OF(slopes)
FORMS_OF(at_once)
FORMS_OF(texts)
FORMS_OF(tangents)
FORMS_OF(second_derivatives)
#define TESTS_OF(check) \
    TEST(scan_##check), TEST(while_##check), TEST(fori_##check), TEST(cond_##check), TEST(switch_##check)

KN_TEST_GROUP(test_control_sweep)
{
    const char *text = getenv("KILN_TEST_SEED");
    loops_make(text ? (uint32_t)strtoul(text, NULL, 10) * 1000003u : 0); /* KILN_TEST_SEED: other recipes */
    const struct CMUnitTest tests[] = {
        TEST(recipes_are_three_deep),
        TESTS_OF(eager),
        TESTS_OF(jitted),
        TESTS_OF(vmapped),
        TESTS_OF(vmapped_in_part),
        TESTS_OF(gradients),
        TESTS_OF(lane_gradients),
        TESTS_OF(slopes),
        TESTS_OF(at_once),
        TESTS_OF(texts),
        TESTS_OF(tangents),
        TESTS_OF(second_derivatives),
        TEST(options_change_no_values),
        TEST(checkpoints_change_no_gradients),
        TEST(compiled_loops_give_the_same_bits),
        TEST(loops_with_routine_calls_give_the_same_bits),
        TEST(stepwise_loops_give_the_same_bits),
        TEST(one_of_all_paths_is_always_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
