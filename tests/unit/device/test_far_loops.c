/* SPDX-License-Identifier: Apache-2.0
 * test_far_loops.c -- loops and branches on a device: what they leave there, what they fetch, what becomes of errors. That
 * their results are right the tests of loops say, which run on the far device, too. */
#include "devices/devices.h"
#include "device/steps/steps.h"
#include "kiln/callback.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/ways.h"
#include <math.h>

enum { N = 1024, TURNS = 10 };

static int setup(void **state)
{
    (void)state;
    far_find_again();
    far_take(FAR_ALL);
    far_forget();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    far_find_again();
    far_take(FAR_ALL);
    kn_set_poll(NULL, NULL);
    return far_count().live != 0;
}
#define FAR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* c, x -> k (c + x) | sort(c + x) */
static kni_jaxpr *body_with_a_sort(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom k = knb_invar(&b, F32(N)), c = knb_invar(&b, F32(N)), x = knb_invar(&b, F32(N)), y;
    kni_atom sum = knb_add(&b, c, x);
    knb_sort(&b, 1, &sum, 0, 1, &y);
    return FINISH(&b, knb_mul(&b, k, sum), y);
}

static kni_jaxpr *scan_with_a_sort(void)
{
    scan_of s = {body_with_a_sort(), 1, 1, TURNS, false, KN_PATH_CALLS, 0};
    kni_jaxpr *j = scan_jaxpr(&s);
    kni_release(s.body);
    return j;
}

static knd_loaded *load(const kni_jaxpr *j)
{
    knd_loaded *l = NULL;
    test_ok(knd_compile(&far_device, j, &(knc_compile_options){.fuse = true}, &l));
    return l;
}

/* Buffers for the operands of j: 1, 2, 3, ... over 1024 */
static void make_operands(const kni_jaxpr *j, knd_operand *in)
{
    for (uint32_t i = 0; i < j->n_in; i++) {
        size_t bytes = kni_type_bytes(kni_in_type(j, i));
        in[i] = (knd_operand){.buffer = knx_buffer_new(bytes)};
        for (size_t k = 0; k < bytes / sizeof(float); k++)
            ((float *)in[i].buffer->data)[k] = (float)((k * 37 + 1) % 1024) / 1024;
    }
}

static void release_operands(const kni_jaxpr *j, knd_operand *in)
{
    for (uint32_t i = 0; i < j->n_in; i++)
        knx_buffer_release(in[i].buffer);
}

static void carries_and_stacked_outputs_stay_on_the_device(void **state)
{
    (void)state;
    kni_jaxpr *j = scan_with_a_sort();
    knd_loaded *l = load(j);
    knd_operand in[3];
    knx_buffer *out[2] = {NULL};
    make_operands(j, in);
    assert_int_equal(l->program->step[0].kind, KNC_LOOP);
    assert_null(knd_steps_reason(l, 0));
    uint32_t steps = l->program->step[0].u.r.loop->body->n_step;
    far_forget();
    test_ok(knd_run(l, in, out, NULL));
    assert_int_equal(far_count().launches, (int64_t)TURNS * steps);
    assert_int_equal(far_count().copied_in, (2 + TURNS) * N * sizeof(float)); /* the operands, once */
    assert_int_equal(far_count().copied_out, 0);
    assert_ptr_equal(knd_device_of(out[1]), &far_device);
    test_release(2, out);
    far_forget();
    test_ok(knd_run(l, in, out, NULL)); /* again: the operands are there */
    assert_int_equal(far_count().copied_in, 0);
    assert_int_equal(far_count().copied_out, 0);
    test_release(2, out);
    release_operands(j, in);
    knd_release(l);
    kni_release(j);
}

/* The sort is the host's: what it reads comes, what it gives goes, at each turn; nothing else. */
static void a_refused_step_moves_what_it_needs_and_no_more(void **state)
{
    (void)state;
    kni_jaxpr *j = scan_with_a_sort();
    knd_operand in[3];
    knx_buffer *out[2] = {NULL};
    far_take(0);
    knd_loaded *l = load(j);
    make_operands(j, in);
    assert_null(knd_steps_reason(l, 0));
    test_ok(knd_run(l, in, out, NULL));
    test_release(2, out);
    far_forget();
    test_ok(knd_run(l, in, out, NULL));
    assert_int_equal(far_count().copied_out, TURNS * N * sizeof(float));
    assert_int_equal(far_count().copied_in, TURNS * N * sizeof(float));
    test_release(2, out);
    release_operands(j, in);
    knd_release(l);
    kni_release(j);
}

static void a_loop_of_nothing_but_refused_steps_is_the_hosts(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_type t = kni_type_of(KN_DT(F64), 1, (int64_t[]){8});
    kni_atom c = knb_invar(&b, t), y;
    knb_sort(&b, 1, &c, 0, 1, &y);
    scan_of s = {FINISH(&b, knb_add(&b, y, y)), 0, 1, 3, false, KN_PATH_CALLS, 0};
    kni_jaxpr *j = scan_jaxpr(&s);
    knd_loaded *l = load(j);
    assert_string_equal(knd_steps_reason(l, 0), "no step inside of it runs on the device");
    knd_release(l);
    kni_release(j);
    kni_release(s.body);
}

/* n, i, x -> while (i < n) {i + 1, sort(2 x)} */
static kni_jaxpr *while_with_a_sort(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom in[3] = {knb_invar(&b, SCALAR(I32)), knb_invar(&b, SCALAR(I32)), knb_invar(&b, F32(N))}, out[2];
    kni_jaxpr *condition = FINISH(&b, knb_lt(&b, in[1], in[0]));
    knb_init(&b);
    in[0] = knb_invar(&b, SCALAR(I32)), in[1] = knb_invar(&b, F32(N));
    kni_atom twice = knb_add(&b, in[1], in[1]), y;
    knb_sort(&b, 1, &twice, 0, 1, &y);
    kni_jaxpr *body = FINISH(&b, knb_add(&b, in[0], knb_integer(&b, KN_DT(I32), 1)), y);
    knb_init(&b);
    for (int i = 0; i < 3; i++)
        in[i] = knb_invar(&b, i < 2 ? SCALAR(I32) : F32(N));
    knb_while(&b, &(kni_p_while){body, 0, condition, 1, 0, 0, 0}, in, out);
    kni_jaxpr *j = FINISH(&b, out[0], out[1]);
    kni_release(condition);
    kni_release(body);
    return j;
}

/* So many turns of it on d: what it counted. */
static far_counts count_turns(const knd_device *d, const kni_jaxpr *j, int32_t turns)
{
    knd_loaded *l;
    knd_operand in[3];
    knx_buffer *out[2] = {NULL};
    test_ok(knd_compile(d, j, &(knc_compile_options){.fuse = true}, &l));
    make_operands(j, in);
    *(int32_t *)in[0].buffer->data = turns;
    *(int32_t *)in[1].buffer->data = 0;
    far_forget_on(d);
    test_ok(knd_run(l, in, out, NULL));
    far_counts c = far_count_on(d);
    test_ok(knd_fetch(out[0]));
    assert_int_equal(*(const int32_t *)out[0]->data, turns);
    test_ok(knd_fetch(out[1]));
    for (int i = 0; i < N && turns; i++)
        assert_true(((const float *)out[1]->data)[i] == ldexpf((float)i / 1024, turns));
    test_release(2, out);
    release_operands(j, in);
    knd_release(l);
    return c;
}

static void a_while_fetches_one_bool_at_each_turn_where_there_is_no_gate(void **state)
{
    (void)state;
    kni_jaxpr *j = while_with_a_sort();
    assert_int_equal(count_turns(&far_second, j, 5).copied_out, 5 + 1);
    kni_release(j);
}

/* Chunks of 1, 2, 4, ..., 64 turns, and of 64 from then on: a wait for each. */
static void a_while_behind_a_gate_waits_once_in_a_chunk(void **state)
{
    static const struct {
        int32_t turns, waits, begun;
    } of[] = {{0, 1, 1},  {1, 2, 3},   {2, 2, 3},    {3, 3, 7},    {6, 3, 7},
              {7, 4, 15}, {62, 6, 63}, {63, 7, 127}, {100, 7, 127}};
    (void)state;
    kni_jaxpr *j = while_with_a_sort();
    int64_t each = count_turns(&far_second, j, 2).launches - count_turns(&far_second, j, 1).launches;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        far_counts c = count_turns(&far_device, j, of[i].turns);
        assert_int_equal(c.copied_out, 0);
        assert_int_equal(c.waits, of[i].waits);
        assert_int_equal(c.left_out, each * (of[i].begun - of[i].turns) - (of[i].begun > of[i].turns));
    }
    kni_release(j);
}

/* i, x -> [sort(x), -sort(x), sort(-x)][i] */
static kni_jaxpr *three_ways(void)
{
    kni_builder b;
    kni_jaxpr *branch[3];
    for (int i = 0; i < 3; i++) {
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(N)), y;
        x = i == 2 ? knb_neg(&b, x) : x;
        knb_sort(&b, 1, &x, 0, 1, &y);
        branch[i] = FINISH(&b, i == 1 ? knb_neg(&b, y) : y);
    }
    knb_init(&b);
    kni_atom in[2] = {knb_invar(&b, SCALAR(I32)), knb_invar(&b, F32(N))}, out;
    knb_cond(&b, &(kni_p_cond){.branches = {3, branch}}, in, &out);
    kni_jaxpr *j = FINISH(&b, out);
    for (int i = 0; i < 3; i++)
        kni_release(branch[i]);
    return j;
}

static void a_branch_fetches_its_index_unless_the_host_has_it(void **state)
{
    (void)state;
    kni_jaxpr *j = three_ways();
    knd_loaded *l = load(j);
    knd_operand in[2];
    knx_buffer *y = NULL;
    make_operands(j, in);
    assert_null(knd_steps_reason(l, 0));
    for (int32_t i = -1; i < 5; i++) {
        *(int32_t *)in[0].buffer->data = i;
        far_forget();
        test_ok(knd_run(l, in, &y, NULL));
        assert_int_equal(far_count().copied_out, 0);
        assert_int_equal(far_count().launches, i <= 0 ? 1 : 2);
        test_ok(knd_fetch(y));
        const float *p = y->data;
        assert_true(i <= 0 ? p[0] == 0 : i == 1 ? p[N - 1] == -1023.0F / 1024 : p[0] == -1023.0F / 1024);
        knx_buffer_release(y);
    }
    release_operands(j, in);
    knd_release(l);
    kni_release(j);
}

static void nothing_is_left_after_a_fault_in_any_turn(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++) {
        kni_jaxpr *j = what == 2 ? while_with_a_sort() : scan_with_a_sort();
        far_take(what == 1 ? 0 : FAR_ALL);
        knd_loaded *l = load(j);
        int64_t live = far_count().live, errors = 0;
        for (int64_t k = 0, fault = 0; fault < 3; k++) {
            knd_operand in[3];
            knx_buffer *out[2] = {NULL};
            make_operands(j, in);
            if (what == 2)
                *(int32_t *)in[0].buffer->data = 3, *(int32_t *)in[1].buffer->data = 0;
            far_fail(fault == 0   ? (far_faults){k, -1, -1}
                     : fault == 1 ? (far_faults){-1, k, -1}
                                  : (far_faults){-1, -1, k});
            knx_error *error = knd_run(l, in, out, NULL);
            if (!error)
                fault++, k = -1;
            else
                errors++;
            assert_true(!error || !strcmp(error->message, "device 'far:0' is lost") ||
                        strstr(error->message, "device 'far:0' has no memory for"));
            knx_error_release(error);
            far_find_again();
            test_release(2, out);
            release_operands(j, in);
            assert_int_equal(far_count().live, live);
        }
        assert_true(errors > 10);
        knd_release(l);
        kni_release(j);
    }
}

/* 0: go on; after so many polls it is enough. */
static bool enough(void *env) { return --*(int *)env < 0; }

static void a_poll_ends_a_loop_between_two_turns(void **state)
{
    (void)state;
    kni_jaxpr *j = while_with_a_sort();
    knd_loaded *l = load(j);
    knd_operand in[3];
    knx_buffer *out[2] = {NULL};
    int left = 2;
    make_operands(j, in);
    *(int32_t *)in[0].buffer->data = INT32_MAX; /* for hours */
    *(int32_t *)in[1].buffer->data = 0;
    kn_set_poll(enough, &left);
    knx_error *error = knd_run(l, in, out, NULL);
    kn_set_poll(NULL, NULL);
    assert_non_null(error);
    assert_true(error->interruption);
    knx_error_release(error);
    release_operands(j, in);
    knd_release(l);
    kni_release(j);
}

static void hooks_hear_of_the_steps_inside(void **state)
{
    (void)state;
    kni_jaxpr *j = scan_with_a_sort();
    knd_loaded *l = load(j);
    knd_operand in[3];
    knx_buffer *out[2] = {NULL};
    int counts[16] = {0};
    make_operands(j, in);
    test_ok(knd_run_with(l, in, out, &(knd_options){.threads = 1, .on_step = ways_hear, .on_step_env = counts}));
    assert_int_equal(counts[KN_STEP_LOOP], 1);
    assert_int_equal(counts[KN_STEP_ROUTINE], TURNS);
    assert_true(counts[KN_STEP_KERNEL] >= TURNS);
    test_release(2, out);
    release_operands(j, in);
    knd_release(l);
    kni_release(j);
}

static void an_error_of_a_routine_there_has_its_place(void **state)
{
    (void)state;
    static const kn_place here = {.file = "model.c", .line = 42};
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(2, 2)), x = knb_invar(&b, F32(2, 2));
    b.place = &here;
    kni_atom y = knb_cholesky(&b, knb_add(&b, c, x), KN_CHECK_CHOLESKY);
    scan_of s = {FINISH(&b, y, x), 0, 1, 2, false, KN_PATH_CALLS, 0};
    kni_jaxpr *j = scan_jaxpr(&s);
    knd_loaded *l = load(j);
    knx_buffer *out[2] = {NULL};
    knx_error *error =
        knd_run(l, (knd_operand[]){{.data = F(0, 0, 0, 0)}, {.data = F(4, 0, 0, 9, -7, 0, 0, 1)}}, out, NULL);
    assert_non_null(error);
    assert_non_null(error->place);
    assert_int_equal(error->place->line, 42);
    knx_error_release(error);
    knd_release(l);
    kni_release(j);
    kni_release(s.body);
}

KN_TEST_GROUP(test_far_loops)
{
    const struct CMUnitTest tests[] = {
        FAR(carries_and_stacked_outputs_stay_on_the_device),
        FAR(a_refused_step_moves_what_it_needs_and_no_more),
        FAR(a_loop_of_nothing_but_refused_steps_is_the_hosts),
        FAR(a_while_fetches_one_bool_at_each_turn_where_there_is_no_gate),
        FAR(a_while_behind_a_gate_waits_once_in_a_chunk),
        FAR(a_branch_fetches_its_index_unless_the_host_has_it),
        FAR(nothing_is_left_after_a_fault_in_any_turn),
        FAR(a_poll_ends_a_loop_between_two_turns),
        FAR(hooks_hear_of_the_steps_inside),
        FAR(an_error_of_a_routine_there_has_its_place),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
