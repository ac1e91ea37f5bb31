/* SPDX-License-Identifier: Apache-2.0
 * test_routine.c -- routines on a WebGPU device: the programs of data/webgpu/ run there and on the host, with the same
 * bits. A line of a file is
 *
 *     DTYPES ; MOST ; PROGRAM
 *
 * with each of the dtypes in place of @, and operands of random bits: floats of some magnitudes, among them NaN,
 * infinities and zeros; integers from -2 (unsigned ones from 0) to MOST, or all there are if that is 0. */
#include "support/group.h"
#include "support/random32.h"
#include "support/webgpu_run.h"
#include "compile/step.h"
#include "device/steps/steps.h"
#include "webgpu/plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 4096, OPERANDS = 8 };

static kng_gpu *g;

typedef enum numbers { PLAIN, SPECIAL, WHOLE /* small whole ones: no order of additions matters */ } numbers;

typedef struct subject {
    const char *text;
    kni_jaxpr *j;
    knd_operand in[OPERANDS];
    knx_buffer *out[2][OPERANDS];
} subject;

static void fine(knx_error *error, const char *text)
{
    if (error)
        print_message("%s\n    %s\n", text, error->message);
    assert_null(error);
}

static double some_float(numbers how)
{
    double v = ((double)random32() / 2147483648.0 - 1) * exp2((double)(random32() % 9) - 4);
    if (how == WHOLE)
        return rint(v / 2);
    if (how == PLAIN)
        return v;
    switch (random32() % 40) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -INFINITY;
    case 3: return 0;
    case 4: return -0.0;
    case 5:
    case 6: return (double)(random32() % 5) - 2;
    default: return v;
    }
}

static knx_scalar_bits some_number(kn_dtype d, int most, numbers how)
{
    if (d->kind == KN_KIND_FLOAT)
        return knx_scalar_from_double(d, some_float(how));
    if (d->kind == KN_KIND_BOOL)
        return knx_scalar_from_int(d, random32() & 1);
    if (most)
        return knx_scalar_from_int(d, (int64_t)(random32() % (uint32_t)(most + 3)) - (d->kind == KN_KIND_INT ? 2 : 0));
    return knx_scalar_from_int(d, (int64_t)((uint64_t)random32() << 32 | random32()));
}

static void make_operands(subject *s, int most, numbers how)
{
    assert_in_range(s->j->n_in, 0, OPERANDS);
    for (uint32_t i = 0; i < s->j->n_in; i++) {
        kni_type t = kni_in_type(s->j, i);
        kn_dtype d = knx_component(t.dtype);
        size_t n = kni_type_bytes(t) / d->size;
        char *x = malloc(n * d->size + 1);
        assert_non_null(x);
        for (size_t k = 0; k < n; k++)
            memcpy(x + k * d->size, some_number(d, most, how).bytes, d->size);
        s->in[i] = (knd_operand){.data = x};
    }
}

static void run_on(subject *s, const knd_device *d, int which)
{
    knd_loaded *l;
    fine(knd_compile(d, s->j, &(knc_compile_options){.fuse = false}, &l), s->text);
    for (uint32_t i = 0; which && i < l->program->n_step; i++) {
        const char *why = knd_steps_reason(l, i);
        if (why)
            fail_msg("%s\n    step %u runs on the host: %s", s->text, (unsigned)i, why);
    }
    fine(knd_run(l, s->in, s->out[which], NULL), s->text);
    for (uint32_t k = 0; k < s->j->n_out; k++)
        fine(knd_fetch(s->out[which][k]), s->text);
    knd_release(l);
}

static bool is_nan(kn_dtype d, const char *x)
{
    knx_scalar_bits bits = {.u = {0, 0}};
    memcpy(bits.bytes, x, d->size);
    return knx_is_float(d) && isnan(knx_scalar_to_double(d, bits));
}

static void compare(const subject *s)
{
    for (uint32_t k = 0; k < s->j->n_out; k++) {
        kni_type t = kni_out_type(s->j, k);
        kn_dtype d = knx_component(t.dtype);
        const char *x = s->out[0][k]->data, *y = s->out[1][k]->data;
        for (size_t i = 0; i < kni_type_bytes(t); i += d->size)
            if (memcmp(x + i, y + i, d->size) && !(is_nan(d, x + i) && is_nan(d, y + i)))
                fail_msg("%s\n    result %u differs from byte %zu on", s->text, (unsigned)k, i);
    }
}

static void check(const char *text, int most, numbers how)
{
    subject s = {.text = text};
    fine(kni_parse(text, &s.j), text);
    make_operands(&s, most, how);
    run_on(&s, &knd_host, 0);
    run_on(&s, &g->device, 1);
    compare(&s);
    for (uint32_t i = 0; i < s.j->n_in; i++)
        free((void *)(uintptr_t)s.in[i].data);
    for (uint32_t k = 0; k < s.j->n_out; k++)
        for (int which = 0; which < 2; which++)
            knx_buffer_release(s.out[which][k]);
    kni_release(s.j);
}

static void with_dtype(const char *program, const char *dtype, char *out)
{
    size_t n = 0;
    for (const char *x = program; *x && *x != '\n' && n < LINE - 16; x++) {
        if (*x == '@')
            n += (size_t)snprintf(out + n, 16, "%s", dtype);
        else
            out[n++] = *x;
    }
    out[n] = 0;
}

static void check_line(char *line, numbers how)
{
    char text[LINE], *most = strchr(line, ';'), *program = most ? strchr(most + 1, ';') : NULL;
    assert_non_null(program);
    *most = 0;
    for (char *rest, *d = strtok_r(line, " ", &rest); d; d = strtok_r(NULL, " ", &rest)) {
        with_dtype(program + 1, d, text);
        check(text, atoi(most + 1), how);
    }
}

static void check_file(const char *name, numbers how)
{
    char path[512], line[LINE];
    snprintf(path, sizeof path, "%s/data/webgpu/%s.txt", KN_TEST_DIR, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (*line != '#' && *line != '\n')
            check_line(line, how);
    fclose(f);
}

#define SAME_BITS(name)                                  \
    static void name##_have_the_hosts_bits(void **state) \
    {                                                    \
        (void)state;                                     \
        g->exact = true;                                 \
        check_file(#name, PLAIN);                        \
        if (webgpu_every() == 1)                         \
            check_file(#name, SPECIAL);                  \
    }
SAME_BITS(products)
SAME_BITS(convolutions)
SAME_BITS(cumulative)
SAME_BITS(sorts)
SAME_BITS(searches)
SAME_BITS(gathers)
SAME_BITS(scatters)
SAME_BITS(windows)
SAME_BITS(factors)
SAME_BITS(chains)

/* With the device's own operations other tiles are used. */
static void products_of_whole_numbers_are_exact_in_fast_mode(void **state)
{
    (void)state;
    g->exact = false;
    check_file("products", WHOLE);
    check_file("convolutions", WHOLE);
}

/* 17 operands and as many results, each perhaps in a memory of its own. */
static void steps_of_many_values_stay_on_the_host(void **state)
{
    enum { MANY = 17 };
    knx_str text = {0};
    kni_jaxpr *j;
    knc_program *p;
    (void)state;
    knx_str_puts(&text, "{ lambda ;");
    for (int i = 0; i < MANY; i++)
        knx_str_printf(&text, " a%d:i8[9]", i);
    knx_str_puts(&text, ". let");
    for (int i = 0; i < MANY; i++)
        knx_str_printf(&text, " b%d:i8[9]", i);
    knx_str_puts(&text, " = sort[dimension=0 is_stable=True num_keys=1]");
    for (int i = 0; i < MANY; i++)
        knx_str_printf(&text, " a%d", i);
    for (int i = 0; i < MANY; i++)
        knx_str_printf(&text, "%s b%d", i ? "," : " in (", i);
    knx_str_puts(&text, ") }");
    fine(kni_parse(text.s, &j), text.s);
    fine(knc_compile(j, &(knc_compile_options){.target = g->device.target(&g->device)}, &p), text.s);
    assert_int_equal(p->n_step, 1);
    assert_string_equal(kng_refuses(g, p, p->step), "more values than the device binds memories");
    knc_release(p);
    kni_release(j);
    knx_str_free(&text);
}

/* The plan of the one step of a scatter-add of so many updates to so many elements: its dispatches, and whether a
 * workgroup has a table of its own. */
static void plan_of_counts(const char *dtype, int elements, int updates, int n_dispatch, bool tables)
{
    char text[1024];
    kni_jaxpr *j;
    knc_program *p;
    kng_plan plan;
    knx_arena arena = KN_ARENA_INIT;
    snprintf(text, sizeof text,
             "{ lambda ; a:%s[%d] i:i32[%d,1] u:%s[%d]. let c:%s[%d] = scatter-add[update_window_dims=() "
             "inserted_window_dims=(0,) scatter_dims_to_operand_dims=(0,) operand_batching_dims=() "
             "scatter_indices_batching_dims=() indices_are_sorted=False unique_indices=False "
             "mode=GatherScatterMode.CLIP] a i u in (c,) }",
             dtype, elements, updates, dtype, updates, dtype, elements);
    fine(kni_parse(text, &j), text);
    fine(knc_compile(j, &(knc_compile_options){.target = g->device.target(&g->device), .fuse = false}, &p), text);
    const knc_step *s = &p->step[p->n_step - 1];
    const kng_kind *kind = kng_kind_of(p, s);
    uint8_t slot[32] = {0, 1, 2, 3};
    assert_int_equal(s->kind, KNC_ROUTINE);
    fine(kind->plan(&g->facts, true, p, s, &(kng_pattern){s->n_ref, s->n_ref, slot}, &arena, &plan), text);
    if (n_dispatch)
        assert_int_equal(plan.n, n_dispatch);
    else
        assert_true(plan.n > 2);
    assert_int_equal(strstr(plan.dispatch[0].text, "count_one") != NULL, tables);
    knx_arena_free(&arena);
    knc_release(p);
    kni_release(j);
}

static void counts_are_atomic_and_sums_of_floats_are_sorted(void **state)
{
    (void)state;
    plan_of_counts("i64", 100, 50000, 1, true);
    plan_of_counts("u32", 1024, 50000, 1, true);
    plan_of_counts("i32", 5000, 50000, 1, false); /* more elements than a workgroup's table has */
    plan_of_counts("i32", 1000, 1000, 1, false);  /* few updates for each */
    plan_of_counts("bool", 100, 50000, 1, false);
    plan_of_counts("f32", 100, 50000, 0, false);
    plan_of_counts("i16", 100, 50000, 0, false);
}

/* Each allocation that a plan makes fails once: then it is an error, and nothing stays. */
static void plan_without_memory(const knc_program *p, const knc_step *s)
{
    const kng_kind *kind = kng_kind_of(p, s);
    uint8_t slot[32];
    assert_in_range(s->n_ref, 1, 32);
    for (uint32_t r = 0; r < s->n_ref; r++)
        slot[r] = (uint8_t)r;
    const kng_pattern at = {s->n_ref, s->n_ref, slot};
    knx_error *error = NULL;
    for (int64_t k = 0; k == 0 || error; k++) {
        knx_arena arena = KN_ARENA_INIT;
        kng_plan plan;
        int64_t live = knx_alloc_live();
        knx_error_release(error);
        knx_fail_after(k, true);
        error = kind->plan(&g->facts, true, p, s, &at, &arena, &plan);
        knx_fail_after(-1, false);
        knx_arena_free(&arena);
        assert_true(!error || error->kind == KN_ERROR_MEMORY);
        assert_int_equal(knx_alloc_live(), live);
    }
}

static void plans_without_memory_are_errors(void **state)
{
    static const char *const texts[] = {
        "{ lambda ; a:f32[70,90]. let b:f32[70,70] = dot_general[lhs_contract=(1,) rhs_contract=(1,) lhs_batch=() "
        "rhs_batch=() preferred_element_type=f32] a a; c:f32[70,70] = cumsum[axis=0 reverse=False] b; d:f32[70,70] = "
        "sort[dimension=0 is_stable=True num_keys=1] c; e:i64[70] = argmax[axes=(0,) index_dtype=i64] d in (d, e) }",
        "{ lambda ; a:f32[200,200]. let b:f32[200,200] p:i32[200] q:i32[200] = lu[check=none] a; c:f32[200,200] = "
        "cholesky[check=none] a in (b, c) }",
        "{ lambda ; a:f32[300] i:i64[40,1] r:i64[3] s:i32[]. let b:f32[40] = gather[offset_dims=() "
        "collapsed_slice_dims=(0,) start_index_map=(0,) operand_batching_dims=() start_indices_batching_dims=() "
        "slice_sizes=(1,) indices_are_sorted=False unique_indices=False mode=GatherScatterMode.CLIP] a i; c:f32[300] = "
        "scatter-add[update_window_dims=() inserted_window_dims=(0,) scatter_dims_to_operand_dims=(0,) "
        "operand_batching_dims=() scatter_indices_batching_dims=() indices_are_sorted=False unique_indices=False "
        "mode=GatherScatterMode.CLIP] a i b; d:i64[40] = searchsorted[batch=0 right=True] a b; e:f32[300] = "
        "partition[dimension=0 positions=False whole=True] a r; f:f32[300] = dynamic_update_slice a b s in (c, d, e, "
        "f) }",
        "{ lambda ; a:f32[300] t:f32[70,70] b:f32[70,2]. let c:i32[231] = window_choice[base_dilation=(1,) "
        "identity=False "
        "index_dtype=i32 lo=(0,) hi=(0,) select_prim=ge window_dilation=(1,) window_dimensions=(70,) "
        "window_strides=(1,)] a; d:f32[231] = window_pick[base_dilation=(1,) lo=(0,) hi=(0,) window_dilation=(1,) "
        "window_dimensions=(70,) window_strides=(1,)] a c; e:f32[300] = window_place[lo=(0,) hi=(0,) shape=(300,) "
        "window_dimensions=(70,) window_strides=(1,)] d c; f:f32[70,2] = triangular_solve[conjugate_a=False "
        "left_side=True lower=True transpose_a=False unit_diagonal=False] t b in (e, f) }",
        "{ lambda ; a:f16[70,30] b:i8[30,90] c:f32[70,90]. let d:f16[30,90] = convert_element_type[new_dtype=float16 "
        "weak_type=False] b; e:f16[70,30] = neg a; f:f32[70,90] = dot_general[lhs_contract=(1,) rhs_contract=(0,) "
        "lhs_batch=() rhs_batch=() preferred_element_type=f32] e d; g:f32[70,90] = add f c in (g, f) }"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kni_jaxpr *j;
        knc_program *p;
        fine(kni_parse(texts[i], &j), texts[i]);
        fine(knc_compile(j, &(knc_compile_options){.fuse = true, .target = g->device.target(&g->device)}, &p),
             texts[i]);
        for (uint32_t k = 0; k < p->n_step; k++)
            if (p->step[k].kind == KNC_PRODUCT || p->step[k].kind == KNC_ROUTINE)
                plan_without_memory(p, &p->step[k]);
        knc_release(p);
        kni_release(j);
    }
}

KN_TEST_GROUP(test_routine)
{
    (void)argc, (void)argv;
    if (!(g = webgpu_first()))
        return 77;
    fine(kng_bring_facts(g), "the probe, which says whether it is exact, before a test does");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_hosts_bits),
        cmocka_unit_test(convolutions_have_the_hosts_bits),
        cmocka_unit_test(cumulative_have_the_hosts_bits),
        cmocka_unit_test(sorts_have_the_hosts_bits),
        cmocka_unit_test(searches_have_the_hosts_bits),
        cmocka_unit_test(gathers_have_the_hosts_bits),
        cmocka_unit_test(scatters_have_the_hosts_bits),
        cmocka_unit_test(windows_have_the_hosts_bits),
        cmocka_unit_test(factors_have_the_hosts_bits),
        cmocka_unit_test(chains_have_the_hosts_bits),
        cmocka_unit_test(steps_of_many_values_stay_on_the_host),
        cmocka_unit_test(plans_without_memory_are_errors),
        cmocka_unit_test(counts_are_atomic_and_sums_of_floats_are_sorted),
        cmocka_unit_test(products_of_whole_numbers_are_exact_in_fast_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
