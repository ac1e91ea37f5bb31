/* SPDX-License-Identifier: Apache-2.0
 * test_starts.c -- collectives as two steps of a device's program: where they start, where they are waited for, what
 * runs in between, and what becomes of errors there. */
#include "compile/step.h"
#include "device/device.h"
#include "kiln/kiln.h"
#include "shard/shard.h"
#include "support/expect.h"
#include "support/group.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEVICES = 8, MOST = 8, STEPS = 4000 };

/* ---- Steps of a program, each as "operation half;". */

static void fine(knx_error *e)
{
    if (e)
        fail_msg("%s", e->message);
}

static void list_steps(const knc_program *p, char *to, size_t room)
{
    for (uint32_t i = 0; i < p->n_step; i++) {
        knx_text t = {0};
        knc_step_operations(p, i, &t);
        size_t n = strlen(to);
        snprintf(to + n, room - n, "%s; ", t.s);
        for (uint32_t k = 0; k < knc_n_inside(&p->step[i]); k++)
            list_steps(knc_inner_program(&p->step[i], k), to, room);
    }
}

/* Of the program of one device, its operands cut by these specs. The caller releases it. */
static knd_loaded *load(const char *text, const char *const *spec, char *steps)
{
    static const char *const name[] = {"x"};
    const kni_sharding *in[MOST], *out[MOST];
    const kni_mesh *mesh;
    kni_jaxpr *j, *local;
    knd_loaded *l = NULL;
    fine(kni_mesh_of(1, name, (int64_t[]){DEVICES}, NULL, &mesh));
    fine(kni_parse(text, &j));
    for (uint32_t i = 0; i < j->n_in; i++)
        fine(kni_parse_spec(mesh, kni_in_type(j, i).ndim, spec[i], &in[i]));
    fine(knshard_partition(j, mesh, in, &local, out, NULL));
    fine(knd_compile(&knd_host, local, &(knc_compile_options){.fuse = true}, &l));
    steps[0] = 0;
    list_steps(l->program, steps, STEPS);
    if (getenv("SHOW"))
        printf("%s\n", steps);
    kni_release(local);
    kni_release(j);
    return l;
}

static void expect_steps(const char *text, const char *const *spec, const char *want)
{
    char steps[STEPS];
    knd_release(load(text, spec, steps));
    assert_string_equal(steps, want);
}

#define LARGE "200,100" /* too large to be joined with others */

static void independent_work_is_done_in_between(void **state)
{
    (void)state;
    expect_steps("{ lambda ; a:f32[8," LARGE "] b:f32[300,300]. let"
                 "  c:f32[" LARGE "] = reduce_sum[axes=(0,)] a;"
                 "  d:f32[300,300] = sort[dimension=1 is_stable=True num_keys=1] b;"
                 "  e:f32[" LARGE "] = sort[dimension=1 is_stable=True num_keys=1] c in (d, e) }",
                 (const char *[]){"x", ""}, "add; psum start; sort; psum wait; sort; ");
}

static void start_and_wait_are_neighbours_where_there_is_nothing_to_do(void **state)
{
    (void)state;
    expect_steps("{ lambda ; a:f32[8," LARGE "]. let"
                 "  c:f32[" LARGE "] = reduce_sum[axes=(0,)] a;"
                 "  e:f32[" LARGE "] = sort[dimension=1 is_stable=True num_keys=1] c in (e,) }",
                 (const char *[]){"x"}, "add; psum start; psum wait; sort; ");
}

static void one_may_wait_for_the_other(void **state)
{
    (void)state;
    expect_steps("{ lambda ; a:f32[8," LARGE "] b:f32[300,300]. let"
                 "  c:f32[" LARGE "] = reduce_sum[axes=(0,)] a;"
                 "  d:f32[" LARGE "] = reduce_max[axes=(0,)] a;"
                 "  e:f32[300,300] = sort[dimension=1 is_stable=True num_keys=1] b;"
                 "  f:f32[" LARGE "] = add c d;"
                 "  g:f32[" LARGE "] = sort[dimension=1 is_stable=True num_keys=1] f in (e, g) }",
                 (const char *[]){"x", ""}, "pmax start; add; psum start; sort; psum wait; pmax wait; add; sort; ");
}

static void bodies_of_loops_have_both(void **state)
{
    (void)state;
    expect_steps("{ lambda ; a:f32[8," LARGE "] b:f32[300,300]. let"
                 "  c:f32[8," LARGE "] d:f32[300,300] = scan[jaxpr={ lambda ; e:f32[8," LARGE "] f:f32[300,300]. let"
                 "      g:f32[" LARGE "] = reduce_sum[axes=(0,)] e;"
                 "      h:f32[300,300] = sort[dimension=1 is_stable=True num_keys=1] f;"
                 "      i:f32[" LARGE "] = sort[dimension=1 is_stable=True num_keys=1] g;"
                 "      k:f32[8," LARGE "] = broadcast_in_dim[shape=(8," LARGE ") broadcast_dimensions=(1,2)] i"
                 "      in (k, h) } length=5 num_carry=2 num_consts=0 reverse=False unroll=1] a b"
                 "  in (c, d) }",
                 (const char *[]){"x", ""}, "scan; add; psum start; sort; psum wait; sort; ");
}

/* What is under way at once has at most 64 MiB. */
static void what_is_under_way_has_a_limit(void **state)
{
    (void)state;
#define SORTS(n)                                                      \
    "{ lambda ; a:f32[" n "] b:f32[" n "]. let"                       \
    "  c:f32[" n "] = sort[dimension=0 is_stable=True num_keys=1] a;" \
    "  d:f32[" n "] = sort[dimension=0 is_stable=True num_keys=1] b in (c, d) }"
    expect_steps(SORTS("6000"), (const char *[]){"x", "x"},
                 "all_gather start; all_gather start; all_gather wait; sort; all_gather wait; sort; ");
    expect_steps(SORTS("9600000"), (const char *[]){"x", "x"},
                 "all_gather start; all_gather wait; all_gather start; sort; all_gather wait; sort; ");
}

/* ---- As users see it. */

typedef struct Grads {
    kn_array a, b, c;
} Grads;
static kn_array loss(const kn_array *w1, const kn_array *w2, const kn_array *w3, const kn_array *x)
{
    kn_array h = kn_tanh(kn_matmul(kn_tanh(kn_matmul(*x, *w1)), *w2));
    return kn_sum(kn_square(kn_matmul(h, *w3)));
}
KN_FUNCTION(loss, kn_array, kn_array, kn_array, kn_array, kn_array)

static char heard[STEPS];
static double seconds;
static void hear(void *env, const kn_step *s)
{
    (void)env;
    size_t n = strlen(heard);
    snprintf(heard + n, sizeof heard - n, "%s; ", s->operations);
    seconds += s->seconds;
}

static const char *after(const char *s, const char *what)
{
    s = s ? strstr(s, what) : NULL;
    return s ? s + strlen(what) : NULL;
}

static void a_gradients_sums_start_before_the_backward_pass_ends(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_mesh mesh = kn_make_mesh(KN_SHAPE(DEVICES), "x");
    kn_array w = kn_mul(kn_ones(KN_SHAPE(256, 256)), 0.001);
    kn_array x = kn_shard(kn_ones(KN_SHAPE(32, 256)), kn_named_sharding(mesh, "x"));
    Grads g;
    heard[0] = 0;
    kn_on_step(hear, NULL);
    kn_call(kn_jit(kn_grad(KN_FN(loss), .argnums = KN_ARGNUMS(0, 1, 2))), &g, &w, &w, &w, &x);
    kn_block_until_ready(g.a);
    kn_on_step(NULL, NULL);
    expect_no_error();
    const char *first = after(heard, "psum start; "), *second = after(first, "psum start; ");
    assert_non_null(after(after(second, "dot_general"), "psum start; "));
    assert_true(strstr(heard, "psum wait") > strstr(second, "psum start"));
    assert_true(seconds > 0);
}

/* ---- Errors between a start and its wait, on one device. */

static kn_mesh line(void) { return kn_make_mesh(KN_SHAPE(DEVICES), "x"); }

static kn_array takes_between(const kn_array *x, const kn_array *i)
{
    kn_array sum = kn_lax_psum(*x, "x");
    kn_array taken = kn_sum(kn_take(kn_sort(kn_sin(*x)), *i));
    return kn_add(kn_sort(sum), kn_mul(taken, 0));
}
KN_FUNCTION(takes_between, kn_array, kn_array, kn_array)

static kn_array on_devices(const kn_array *x, const kn_array *i)
{
    kn_array y;
    kn_call(kn_shard_map(KN_FN(takes_between), line(), .in_specs = {"x", "x"}, .out_specs = {"x"}), &y, x, i);
    return y;
}
KN_FUNCTION(on_devices, kn_array, kn_array, kn_array)

static void one_devices_error_between_is_that_of_all(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { LONG = 40000 };
    kn_array x = kn_ones(KN_SHAPE(DEVICES * LONG)), good = kn_zeros(KN_SHAPE(DEVICES), .dtype = KN_I32), y;
    kn_array bad = kn_mul(kn_astype(kn_equal(kn_arange(0, DEVICES, 1), 2), KN_I32), 2 * LONG);
    for (int round = 0; round < 10; round++) {
        heard[0] = 0;
        kn_call(kn_jit(KN_FN(on_devices)), &y, &x, &bad);
        kn_block_until_ready(y);
        assert_true(kn_error_pending());
        if (!strstr(kn_error_message(), "out of bounds"))
            fail_msg("%s", kn_error_message());
        kn_error_clear();
        kn_on_step(hear, NULL);
        kn_call(kn_jit(KN_FN(on_devices)), &y, &x, &good);
        assert_true(kn_item(kn_at(y, "0")) == DEVICES);
        kn_on_step(NULL, NULL);
        expect_no_error();
        const char *start = strstr(heard, "psum start"), *gather = after(start, "gather");
        assert_non_null(after(gather, "psum wait"));
    }
}

/* ---- Memory. */

static kn_array updates_between(const kn_array *x, const kn_array *i)
{
    kn_array wave = kn_sin(*x), all = kn_lax_all_gather(wave, "x", .tiled = true);
    kn_array more = kn_lax_dynamic_update_slice(wave, kn_astype(*i, KN_F64), KN_LIST(3));
    return kn_add(kn_sort(more), kn_at(kn_sort(all), ":4000"));
}
KN_FUNCTION(updates_between, kn_array, kn_array, kn_array)

/* The update is made in the memory of what is sent, so that has to be over; and there is no copy. */
static void an_operand_is_not_written_over_meanwhile(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(DEVICES * 4000)), i = kn_zeros(KN_SHAPE(DEVICES), .dtype = KN_I32), y;
    heard[0] = 0;
    kn_on_step(hear, NULL);
    kn_call(kn_shard_map(KN_FN(updates_between), line(), .in_specs = {"x", "x"}, .out_specs = {"x"}), &y, &x, &i);
    kn_block_until_ready(y);
    kn_on_step(NULL, NULL);
    expect_no_error();
    assert_non_null(after(after(after(heard, "all_gather start"), "all_gather wait"), "dynamic_update_slice"));
    assert_null(strstr(heard, "copy"));
}

KN_TEST_GROUP(test_starts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_work_is_done_in_between),
        cmocka_unit_test(start_and_wait_are_neighbours_where_there_is_nothing_to_do),
        cmocka_unit_test(one_may_wait_for_the_other),
        cmocka_unit_test(bodies_of_loops_have_both),
        cmocka_unit_test(what_is_under_way_has_a_limit),
        cmocka_unit_test(a_gradients_sums_start_before_the_backward_pass_ends),
        cmocka_unit_test(one_devices_error_between_is_that_of_all),
        cmocka_unit_test(an_operand_is_not_written_over_meanwhile),
    };
    kn_set_local_device_count(DEVICES);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
