/* SPDX-License-Identifier: Apache-2.0
 * test_devices.c -- programs on devices that are not the host: where contents are, what is copied, what is refused and
 * why, what happens when a device fails; the compiler's work for any target. */
#include "devices/devices.h"
#include "device/steps/steps.h"
#include "support/group.h"
#include "support/programs.h"

enum { N = 1024 }; /* a whole class of buffers */

static int setup(void **state)
{
    (void)state;
    far_find_again();
    far_forget();
    far_take(0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    far_find_again();
    far_take(FAR_ALL);
    if (far_count().live)
        fprintf(stderr, "%lld pieces of the far device's memory are left\n", (long long)far_count().live);
    return far_count().live != 0;
}
#define FAR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static knd_loaded *compile_for(const knd_device *d, const kni_jaxpr *j, const bool *donated)
{
    knd_loaded *l = NULL;
    test_ok(knd_compile(d, j, &(knc_compile_options){.fuse = true, .donated = donated}, &l));
    return l;
}

static knx_buffer *numbers(float first)
{
    knx_buffer *b = knx_buffer_new(N * sizeof(float));
    for (int i = 0; i < N; i++)
        ((float *)b->data)[i] = first + (float)i;
    return b;
}

static void expect_number(knx_buffer *b, int i, float want)
{
    test_ok(knd_fetch(b));
    assert_true(((const float *)b->data)[i] == want);
}

/* x * x + x */
static kni_jaxpr *polynomial(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(N));
    return FINISH(&b, knb_add(&b, knb_mul(&b, x, x), x));
}

/* neg(sort(x + 1)): the device, the host, the device */
static kni_jaxpr *sandwich(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_add(&b, knb_invar(&b, F32(N)), knb_number(&b, KN_DT(F32), 1)), y;
    knb_sort(&b, 1, &x, 0, 1, &y);
    return FINISH(&b, knb_neg(&b, y));
}

static const knc_target *narrow_facts;
static const knc_target *narrow_target(const knd_device *d)
{
    (void)d;
    return narrow_facts;
}

static void a_result_stays_where_it_was_made(void **state)
{
    (void)state;
    kni_jaxpr *j = polynomial();
    knd_loaded *l = compile_for(&far_device, j, NULL);
    knx_buffer *x = numbers(1), *y = NULL;
    assert_null(knd_steps_reason(l, 0));
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
    assert_null(y->data);
    assert_ptr_equal(knd_device_of(y), &far_device);
    assert_int_equal(far_count().launches, 1);
    assert_int_equal(far_count().copied_out, 0);
    expect_number(y, 2, 12);
    expect_number(y, 1023, 1049600);
    assert_int_equal(far_count().copied_out, N * sizeof(float)); /* once for both */
    assert_ptr_equal(knd_device_of(y), &knd_host);
    knx_buffer_release(x);
    knx_buffer_release(y);
    knd_release(l);
    kni_release(j);
}

static void an_operand_is_sent_once_unless_somebody_may_write_to_it(void **state)
{
    (void)state;
    kni_jaxpr *j = polynomial();
    knd_loaded *l = compile_for(&far_device, j, NULL);
    knx_buffer *x = numbers(1), *y[4] = {NULL};
    for (int i = 0; i < 2; i++)
        test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y[i], NULL));
    assert_int_equal(far_count().copied_in, N * sizeof(float));
    knx_buffer_release(x);
    x = numbers(1);
    for (int i = 2; i < 4; i++) {
        ((float *)x->data)[0] = (float)i;
        test_ok(knd_run(l, &(knd_operand){.buffer = x, .lent = true}, &y[i], NULL));
        expect_number(y[i], 0, (float)(i * i + i));
    }
    assert_int_equal(far_count().copied_in, 3 * N * sizeof(float));
    knx_buffer_release(x);
    test_release(4, y);
    knd_release(l);
    kni_release(j);
}

static void a_part_of_a_buffer_and_plain_memory_are_operands_too(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_jaxpr *j = FINISH(&b, knb_neg(&b, knb_invar(&b, F32(3))));
    knd_loaded *l = compile_for(&far_device, j, NULL);
    knx_buffer *x = numbers(0), *y[2] = {NULL};
    test_ok(knd_run(l, &(knd_operand){.buffer = x, .offset = 20}, &y[0], NULL));
    test_ok(knd_run(l, &(knd_operand){.data = (float[]){1, 2, 3}}, &y[1], NULL));
    test_ok(knd_fetch(y[0]));
    test_ok(knd_fetch(y[1]));
    EXPECT(y[0], -5, -6, -7);
    EXPECT(y[1], -1, -2, -3);
    knx_buffer_release(x);
    test_release(2, y);
    knd_release(l);
    kni_release(j);
}

static void what_is_refused_runs_on_the_host_with_the_copies_that_this_needs(void **state)
{
    (void)state;
    kni_jaxpr *j = sandwich();
    knd_loaded *l = compile_for(&far_device, j, NULL);
    knx_buffer *x = knx_buffer_new(N * sizeof(float)), *y = NULL;
    for (int i = 0; i < N; i++)
        ((float *)x->data)[i] = (float)(N - i);
    assert_int_equal(l->program->n_step, 3);
    assert_null(knd_steps_reason(l, 0));
    assert_string_equal(knd_steps_reason(l, 1), "it has no routines");
    assert_null(knd_steps_reason(l, 2));
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
    assert_int_equal(far_count().launches, 2);
    assert_int_equal(far_count().copied_in, 2 * N * sizeof(float)); /* the operand, what is sorted */
    assert_int_equal(far_count().copied_out, N * sizeof(float));
    expect_number(y, 0, -2);
    expect_number(y, N - 1, -(N + 1));
    knx_buffer_release(x);
    knx_buffer_release(y);
    knd_release(l);
    kni_release(j);
}

static void numbers_of_64_bits_are_the_hosts(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_scalar_type(KN_DT(F64)));
    kni_jaxpr *j = FINISH(&b, knb_mul(&b, x, x));
    knd_loaded *l = compile_for(&far_device, j, NULL);
    double three = 3;
    knx_buffer *y = NULL;
    assert_string_equal(knd_steps_reason(l, 0), "the device has no memory of such a dtype");
    test_ok(knd_run(l, &(knd_operand){.data = &three}, &y, NULL));
    test_ok(knd_fetch(y));
    assert_true(*(const double *)y->data == 9);
    assert_int_equal(far_count().launches, 0);
    knx_buffer_release(y);
    knd_release(l);
    kni_release(j);
}

/* y = -x -> (float64(y) ** 2, y ** 2): the conversion and the square of 64 bits are the host's. */
static void what_the_device_has_stays_there_beside_other_dtypes(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_neg(&b, knb_invar(&b, F32(N))), wide = knb_convert(&b, x, KN_DT(F64));
    kni_jaxpr *j = FINISH(&b, knb_mul(&b, wide, wide), knb_mul(&b, x, x));
    knd_loaded *l = compile_for(&far_device, j, NULL), *here = compile_for(&knd_host, j, NULL);
    knx_buffer *in = numbers(1), *y[2] = {NULL};
    assert_int_equal(here->program->n_step, 1);
    assert_int_equal(l->program->n_step, 3);
    test_ok(knd_run(l, &(knd_operand){.buffer = in}, y, NULL));
    assert_int_equal(far_count().launches, 2);
    expect_number(y[1], 3, 16);
    test_ok(knd_fetch(y[0]));
    assert_true(((const double *)y[0]->data)[3] == 16);
    knx_buffer_release(in);
    test_release(2, y);
    knd_release(l);
    knd_release(here);
    kni_release(j);
}

/* Positions of 32 bits do not reach all elements of a large array. */
static void positions_have_the_targets_bits(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    knd_device narrow = far_device;
    knc_target t = *far_device.target(&far_device);
    t.index_bits = 16;
    narrow_facts = &t;
    narrow.target = narrow_target;
    kni_atom x = knb_invar(&b, F32(40000)), y = knb_invar(&b, F32(1000));
    kni_jaxpr *j = FINISH(&b, knb_neg(&b, x), knb_neg(&b, y));
    knd_loaded *l = compile_for(&narrow, j, NULL);
    const char *reason[2] = {knd_steps_reason(l, 0), knd_steps_reason(l, 1)};
    assert_true(!reason[0] != !reason[1]);
    assert_string_equal(reason[0] ? reason[0] : reason[1], "the device's positions have too few bits");
    knd_release(l);
    kni_release(j);
}

static kni_jaxpr *long_sum(int n)
{
    kni_builder b;
    knb_init(&b);
    kni_atom sum = knb_invar(&b, F32(N));
    for (int i = 1; i < n; i++)
        sum = knb_add(&b, sum, knb_invar(&b, F32(N)));
    return FINISH(&b, sum);
}

static void kernels_have_the_targets_number_of_buffers(void **state)
{
    (void)state;
    enum { OPERANDS = 40 };
    kni_jaxpr *j = long_sum(OPERANDS);
    knd_loaded *l = compile_for(&far_device, j, NULL), *here = compile_for(&knd_host, j, NULL);
    knd_operand in[OPERANDS];
    knx_buffer *y = NULL;
    for (int i = 0; i < OPERANDS; i++)
        in[i] = (knd_operand){.buffer = numbers((float)i)};
    assert_int_equal(here->program->n_step, 1);
    assert_true(l->program->n_step >= 6);
    for (uint32_t s = 0; s < l->program->n_step; s++) {
        assert_null(knd_steps_reason(l, s));
        assert_true(l->program->step[s].u.k.kernel->n_buffer <= 8);
        for (uint32_t r = 0; r < l->program->step[s].n_ref; r++)
            assert_int_equal(l->program->step[s].ref[r].first % 256, 0);
    }
    test_ok(knd_run(l, in, &y, NULL));
    expect_number(y, 5, 40 * 5 + 39 * 40 / 2);
    for (int i = 0; i < OPERANDS; i++)
        knx_buffer_release(in[i].buffer);
    knx_buffer_release(y);
    knd_release(l);
    knd_release(here);
    kni_release(j);
}

/* Eight operands and outputs, and numbers beside them. */
static void literals_are_no_memory_that_is_bound(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom sum = knb_invar(&b, F32(N));
    for (int i = 1; i < 6; i++)
        sum = knb_add(&b, knb_mul(&b, sum, knb_number(&b, KN_DT(F32), 1.5 + i)), knb_invar(&b, F32(N)));
    kni_jaxpr *j = FINISH(&b, sum, knb_neg(&b, sum));
    knd_loaded *l = compile_for(&far_device, j, NULL);
    for (uint32_t i = 0; i < l->program->n_step; i++)
        assert_null(knd_steps_reason(l, i));
    knd_release(l);
    kni_release(j);
}

static void a_donated_operand_is_written_over_there(void **state)
{
    (void)state;
    const bool donated[] = {true};
    kni_jaxpr *j = polynomial();
    knd_loaded *l = compile_for(&far_device, j, donated);
    knx_buffer *x = numbers(1), *y[2] = {NULL};
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y[0], NULL));
    assert_ptr_equal(y[0], x);
    assert_null(x->data); /* what the host had is old */
    expect_number(x, 2, 12);
    test_ok(knd_run(l, &(knd_operand){.buffer = x, .lent = true}, &y[1], NULL)); /* not that one */
    assert_ptr_not_equal(y[1], x);
    expect_number(x, 2, 12);
    expect_number(y[1], 2, 156);
    knx_buffer_release(x);
    test_release(2, y);
    knd_release(l);
    kni_release(j);
}

/* The host runs a program over what a device has, and writes there. */
static void a_program_of_the_host_finds_what_a_device_made(void **state)
{
    (void)state;
    const bool donated[] = {true};
    kni_jaxpr *j = polynomial();
    knd_loaded *there = compile_for(&far_device, j, NULL), *here = compile_for(&knd_host, j, donated);
    knx_buffer *x = numbers(1), *y = NULL, *z = NULL, *w = NULL;
    test_ok(knd_run(there, &(knd_operand){.buffer = x}, &y, NULL));
    test_ok(knd_run(here, &(knd_operand){.buffer = y}, &z, NULL));
    assert_ptr_equal(y, z);
    expect_number(z, 0, 6);
    test_ok(knd_run(there, &(knd_operand){.buffer = z}, &w, NULL)); /* the device's copy was old */
    expect_number(w, 0, 42);
    knx_buffer_release(x);
    knx_buffer_release(y);
    knx_buffer_release(z);
    knx_buffer_release(w);
    knd_release(there);
    knd_release(here);
    kni_release(j);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kni_jaxpr *j = sandwich();
    knd_loaded *l = compile_for(&far_device, j, NULL);
    int64_t k = 0;
    for (bool done = false; !done; k++) {
        knx_buffer *x = numbers(0), *y = NULL;
        far_fail((far_faults){k, -1, -1});
        knx_error *error = knd_run(l, &(knd_operand){.buffer = x}, &y, NULL);
        done = !error;
        if (error) {
            assert_int_equal(error->kind, KN_ERROR_MEMORY);
            assert_non_null(strstr(error->message, "device 'far:0' has no memory for"));
            assert_null(y);
            knx_error_release(error);
        }
        far_find_again();
        assert_true(((const float *)x->data)[7] == 7);
        knx_buffer_release(x);
        knx_buffer_release(y);
        assert_int_equal(far_count().live, 0);
    }
    assert_true(k >= 4); /* operand, result, workspace */
    knd_release(l);
    kni_release(j);
}

static void the_hosts_memory_may_fail_too(void **state)
{
    (void)state;
    kni_jaxpr *j = sandwich();
    bool done = false;
    for (int64_t k = 0; !done; k++) {
        knx_buffer *x = numbers(0), *y = NULL;
        knd_loaded *l = NULL;
        int64_t live = knx_alloc_live();
        knx_fail_after(k, true);
        knx_error *error = knd_compile(&far_device, j, &(knc_compile_options){.fuse = true}, &l);
        if (!error)
            error = knd_run(l, &(knd_operand){.buffer = x}, &y, NULL);
        if (!error)
            error = knd_fetch(y);
        knx_fail_after(-1, false);
        done = !error;
        if (error)
            assert_int_equal(error->kind, KN_ERROR_MEMORY);
        knx_error_release(error);
        knx_buffer_release(x);
        knx_buffer_release(y);
        knd_release(l);
        assert_true(knx_alloc_live() <= live - 1); /* x is gone */
        assert_int_equal(far_count().live, 0);
        assert_true(k < 10000);
    }
    kni_release(j);
}

static void a_device_may_be_lost_at_any_time(void **state)
{
    (void)state;
    kni_jaxpr *j = sandwich();
    knd_loaded *l = compile_for(&far_device, j, NULL);
    for (int what = 0; what < 2; what++)
        for (int64_t k = 0, done = 0; !done; k++) {
            knx_buffer *x = numbers(0), *y = NULL;
            far_fail(what ? (far_faults){-1, k, -1} : (far_faults){-1, -1, k});
            knx_error *error = knd_run(l, &(knd_operand){.buffer = x}, &y, NULL);
            done = !error;
            if (!error) /* still there: its result can be lost yet */
                error = knd_fetch(y);
            if (error) {
                assert_int_equal(error->kind, KN_ERROR_RUNTIME);
                assert_string_equal(error->message, "device 'far:0' is lost");
            }
            knx_error_release(error);
            assert_non_null(x->data); /* the host's copy survives */
            assert_true(((const float *)x->data)[7] == 7);
            knx_buffer_release(x);
            knx_buffer_release(y);
            assert_int_equal(far_count().live, 0);
            far_find_again();
        }
    knd_release(l);
    kni_release(j);
}

static void what_was_only_on_a_lost_device_says_so(void **state)
{
    (void)state;
    kni_jaxpr *j = polynomial();
    knd_loaded *l = compile_for(&far_device, j, NULL);
    knx_buffer *x = numbers(1), *y = NULL;
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
    far_fail((far_faults){-1, -1, 0});
    knx_error *error = knd_fetch(y);
    assert_string_equal(error->message, "device 'far:0' is lost");
    knx_error_release(error);
    assert_null(y->data);
    far_find_again();
    expect_number(y, 0, 2); /* nothing of it was given up */
    knx_buffer_release(x);
    knx_buffer_release(y);
    knd_release(l);
    kni_release(j);
}

/* ---- Any target. */

static void the_compiler_makes_programs_for_a_target_that_nobody_has(void **state)
{
    (void)state;
    kni_jaxpr *j = long_sum(30);
    for (int buffers = 4; buffers <= 64; buffers *= 2) {
        const knc_target t = {.name = "none",
                              .dtypes = UINT32_MAX,
                              .index_bits = 32,
                              .max_buffers = (uint16_t)buffers,
                              .alignment = 4096,
                              .first_cache = 16 << 10,
                              .second_cache = 1 << 20,
                              .ns_per_unit = 0.001};
        null_target(&t);
        knd_loaded *l = compile_for(&null_device, j, NULL);
        for (uint32_t s = 0; s < l->program->n_step; s++) {
            assert_true(l->program->step[s].u.k.kernel->n_buffer <= buffers);
            for (uint32_t r = 0; r < l->program->step[s].n_ref; r++)
                assert_int_equal(l->program->step[s].ref[r].first % 4096, 0);
        }
        assert_true(buffers < 32 ? l->program->n_step > 1 : l->program->n_step == 1);
        knd_release(l);
    }
    null_target(NULL);
    kni_release(j);
}

static void the_null_device_runs_nothing(void **state)
{
    (void)state;
    kni_jaxpr *j = sandwich();
    knd_loaded *l = compile_for(&null_device, j, NULL);
    knx_buffer *y = NULL;
    test_ok(knd_run(l, &(knd_operand){.data = NULL}, &y, NULL));
    expect_number(y, 9, 0);
    knx_buffer_release(y);
    knd_release(l);
    kni_release(j);
}

/* ---- Names. */

static void devices_are_found_by_their_names(void **state)
{
    (void)state;
    assert_ptr_equal(knd_find("host"), &knd_host);
    assert_ptr_equal(knd_default(), &knd_host);
    assert_null(knd_find("far"));
    test_ok(knd_register(&far_device));
    assert_ptr_equal(knd_find("far"), &far_device);
    knx_error *error = knd_register(&far_device);
    assert_string_equal(error->message, "there is a device 'far:0' already");
    knx_error_release(error);
    knd_set_default(&far_device);
    assert_ptr_equal(knd_default(), &far_device);
    knd_unregister(&far_device);
    assert_ptr_equal(knd_default(), &knd_host);
    assert_null(knd_find("far"));
}

KN_TEST_GROUP(test_devices)
{
    const struct CMUnitTest tests[] = {
        FAR(a_result_stays_where_it_was_made),
        FAR(an_operand_is_sent_once_unless_somebody_may_write_to_it),
        FAR(a_part_of_a_buffer_and_plain_memory_are_operands_too),
        FAR(what_is_refused_runs_on_the_host_with_the_copies_that_this_needs),
        FAR(numbers_of_64_bits_are_the_hosts),
        FAR(what_the_device_has_stays_there_beside_other_dtypes),
        FAR(positions_have_the_targets_bits),
        FAR(kernels_have_the_targets_number_of_buffers),
        FAR(literals_are_no_memory_that_is_bound),
        FAR(a_donated_operand_is_written_over_there),
        FAR(a_program_of_the_host_finds_what_a_device_made),
        FAR(every_allocation_may_fail),
        FAR(the_hosts_memory_may_fail_too),
        FAR(a_device_may_be_lost_at_any_time),
        FAR(what_was_only_on_a_lost_device_says_so),
        FAR(the_compiler_makes_programs_for_a_target_that_nobody_has),
        FAR(the_null_device_runs_nothing),
        FAR(devices_are_found_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
