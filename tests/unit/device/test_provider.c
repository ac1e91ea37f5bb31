/* SPDX-License-Identifier: Apache-2.0
 * test_provider.c -- devices of users: what a table must have, what it is shown, what becomes of its errors, and of all
 * that it gave when it goes away. */
#include "devices/devices.h"
#include "device/offload/offload.h"
#include "device/steps/steps.h"
#include "kiln/provider.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/programs.h"
#include <pthread.h>
#include <time.h>

enum { N = 1024 };

/* ---- A device whose memory is the host's; it notes what it is shown, and fails on request. */

typedef struct plain {
    int live, prepared, launches, fail_alloc, fail_copy, fail_launch, fail_prepare;
    char seen[1024];
} plain;

static int plain_alloc(void *env, size_t bytes, void **memory)
{
    plain *x = env;
    *memory = x->fail_alloc ? NULL : aligned_alloc(64, (bytes + 64) / 64 * 64);
    x->live += *memory != NULL;
    return *memory ? 0 : 1;
}
static void plain_free(void *env, void *memory)
{
    ((plain *)env)->live--;
    free(memory);
}
static int plain_in(void *env, void *to, size_t at, const void *from, size_t bytes)
{
    memcpy((char *)to + at, from, bytes);
    return ((plain *)env)->fail_copy;
}
static int plain_out(void *env, void *to, void *from, size_t at, size_t bytes)
{
    memcpy(to, (char *)from + at, bytes);
    return ((plain *)env)->fail_copy;
}
static int plain_copy(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes)
{
    (void)env;
    memmove((char *)to + to_at, (char *)from + from_at, bytes);
    return 0;
}
static const char *plain_refuses(void *env, const kn_provider_step *step)
{
    plain *x = env;
    size_t n = strlen(x->seen);
    snprintf(x->seen + n, sizeof x->seen - n, "%d %s/%s; ", step->kind, step->name, step->params ? step->params : "");
    return step->kind == KN_STEP_ROUTINE && !strcmp(step->name, "argsort") ? "no argsort here" : NULL;
}
static int plain_prepare(void *env, const kn_provider_step *step, void **prepared)
{
    plain *x = env;
    *prepared = (void *)(uintptr_t)step;
    x->prepared += !x->fail_prepare;
    return x->fail_prepare;
}
static void plain_discard(void *env, void *prepared)
{
    (void)prepared;
    ((plain *)env)->prepared--;
}
static int plain_launch(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at)
{
    plain *x = env;
    void *address[32];
    assert_ptr_equal(prepared, step);
    assert_true(step->n <= 32);
    x->launches++;
    for (int i = 0; i < step->n; i++)
        address[i] = at[i].memory ? (void *)((char *)at[i].memory + at[i].offset) : (void *)(uintptr_t)at[i].bits;
    return x->fail_launch ? x->fail_launch : kn_provider_run_here(step, address);
}
static const char *plain_error(void *env) { return ((plain *)env)->fail_copy == 2 ? "the cable is out" : NULL; }

static plain now;
static kn_provider table(void)
{
    return (kn_provider){.size_ = sizeof(kn_provider),
                         .name = "plain:0",
                         .env = &now,
                         .no_dtypes = 1U << 12 | 1U << 14,
                         .alloc = plain_alloc,
                         .free = plain_free,
                         .copy_in = plain_in,
                         .copy_out = plain_out,
                         .copy = plain_copy,
                         .refuses = plain_refuses,
                         .prepare = plain_prepare,
                         .discard = plain_discard,
                         .launch = plain_launch,
                         .error = plain_error};
}

static int setup(void **state)
{
    now = (plain){0};
    const kn_provider p = table();
    return expect_setup(state) || kn_register_device(&p);
}

static int teardown(void **state)
{
    kn_unregister_device("plain:0");
    kn_error_clear();
    return expect_teardown(state) || now.live || now.prepared;
}
#define PLAIN(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static knd_loaded *load(const kni_jaxpr *j)
{
    knd_loaded *l = NULL;
    test_ok(knd_compile(knd_find("plain:0"), j, &(knc_compile_options){.fuse = true}, &l));
    return l;
}

/* x @ x, sorted, + 1 */
static kni_jaxpr *some(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(32, 32)), y;
    x = knb_dot_general(&b, x, x,
                        &(kni_p_dot_general){.lhs_contract = {1, (int64_t[]){1}}, .rhs_contract = {1, (int64_t[]){0}}});
    knb_sort(&b, 1, &x, 1, 1, &y);
    return FINISH(&b, knb_add(&b, y, knb_number(&b, KN_DT(F32), 1)));
}

static knx_buffer *numbers(void)
{
    knx_buffer *b = knx_buffer_new(N * sizeof(float));
    for (int i = 0; i < N; i++)
        ((float *)b->data)[i] = (float)(i % 37);
    return b;
}

static void steps_of_each_kind_run_there(void **state)
{
    (void)state;
    kni_jaxpr *j = some();
    knd_loaded *l = load(j), *here = NULL;
    knx_buffer *x = numbers(), *y = NULL, *z = NULL;
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &here));
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
    test_ok(knd_run(here, &(knd_operand){.buffer = x}, &z, NULL));
    assert_int_equal(now.launches, (int)l->program->n_step);
    assert_non_null(strstr(now.seen, "dot_general"));
    assert_non_null(strstr(now.seen, "sort/"));
    assert_non_null(strstr(now.seen, "dimension=1"));
    assert_null(y->data);
    test_ok(knd_fetch(y));
    assert_memory_equal(y->data, z->data, N * sizeof(float));
    kn_device_counts c = {.size_ = sizeof c};
    assert_int_equal(kn_device_count("plain:0", &c), 0);
    assert_int_equal(c.launches, now.launches);
    knx_buffer *all[] = {x, y, z};
    test_release(3, all);
    knd_release(l);
    knd_release(here);
    kni_release(j);
}

static void what_a_function_says_is_the_error(void **state)
{
    (void)state;
    kni_jaxpr *j = some();
    knd_loaded *l = load(j);
    static const char *const want[] = {"device 'plain:0' has no memory for", "device 'plain:0': the cable is out",
                                       "device 'plain:0' is lost"};
    for (int i = 0; i < 3; i++) {
        knx_buffer *x = numbers(), *y = NULL;
        now.fail_alloc = i == 0;
        now.fail_copy = i == 1 ? 2 : 0;
        now.fail_launch = i == 2;
        knx_error *error = knd_run(l, &(knd_operand){.buffer = x}, &y, NULL);
        assert_non_null(error);
        assert_int_equal(error->kind, i ? KN_ERROR_RUNTIME : KN_ERROR_MEMORY);
        assert_non_null(strstr(error->message, want[i]));
        knx_error_release(error);
        now.fail_alloc = now.fail_copy = now.fail_launch = 0;
        assert_true(((const float *)x->data)[5] == 5);
        knx_buffer_release(x);
        assert_int_equal(now.live, 0);
    }
    now.fail_prepare = 1;
    knd_loaded *other = NULL;
    knx_error *error = knd_compile(knd_find("plain:0"), j, &(knc_compile_options){.fuse = true}, &other);
    assert_string_equal(error->message, "device 'plain:0' is lost");
    assert_null(other);
    knx_error_release(error);
    now.fail_prepare = 0;
    knd_release(l);
    kni_release(j);
}

static void an_error_of_the_work_itself_comes_out(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_jaxpr *j = FINISH(&b, knb_cholesky(&b, knb_invar(&b, F32(2, 2)), KN_CHECK_CHOLESKY));
    knd_loaded *l = load(j);
    knx_buffer *y = NULL;
    const float x[] = {-1, 0, 0, -1};
    knx_error *error = knd_run(l, &(knd_operand){.data = x}, &y, NULL);
    assert_non_null(error);
    assert_int_equal(error->kind, KN_ERROR_LINALG);
    knx_error_release(error);
    knd_release(l);
    kni_release(j);
}

static void a_device_that_goes_gives_everything_back(void **state)
{
    (void)state;
    kni_jaxpr *j = some();
    knd_loaded *l = load(j);
    knx_buffer *x = numbers(), *y = NULL, *z = NULL;
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
    assert_true(now.live > 0 && now.prepared > 0);
    assert_int_equal(kn_unregister_device("plain:0"), 0);
    assert_int_equal(now.live, 0);
    assert_int_equal(now.prepared, 0);
    assert_null(knd_find("plain:0"));
    knx_error *error = knd_fetch(y); /* it was there alone */
    assert_string_equal(error->message, "device 'plain:0' is gone");
    knx_error_release(error);
    error = knd_run(l, &(knd_operand){.buffer = x}, &z, NULL);
    assert_string_equal(error->message, "device 'plain:0' is gone");
    knx_error_release(error);
    assert_true(((const float *)x->data)[5] == 5); /* this one was not */
    const kn_provider p = table();
    assert_int_equal(kn_register_device(&p), 0); /* another one of that name, while the old one is still known of */
    knd_loaded *again = load(j);
    knx_buffer *fresh = numbers();
    test_ok(knd_run(again, &(knd_operand){.buffer = fresh}, &z, NULL));
    knx_buffer *all[] = {x, y, z, fresh};
    test_release(4, all);
    knd_release(l);
    knd_release(again);
    kni_release(j);
}

static void expect_refused(kn_provider p, const char *kind, const char *message)
{
    assert_int_equal(kn_register_device(&p), -1);
    expect_error_with(kind, message);
}

static void tables_are_checked(void **state)
{
    (void)state;
    kn_provider p = table();
    expect_refused(p, "ValueError", "there is a device 'plain:0' already");
    p.name = "plain:1";
    p.launch = NULL;
    expect_refused(p, "TypeError", "the table of device 'plain:1' lacks launch");
    p = table(), p.name = "";
    expect_refused(p, "ValueError", "the name of a device has 1 to 31 characters");
    p = table(), p.name = "plain:1", p.alignment = 96;
    expect_refused(p, "ValueError", "the alignment of device 'plain:1' is 96, not a power of 2 from 64 on");
    p = table(), p.name = "plain:1", p.max_buffers = 1;
    expect_refused(p, "ValueError", "kernels of device 'plain:1' have 1 buffers");
    p = table(), p.name = "plain:1", p.index_bits = 16;
    expect_refused(p, "ValueError", "positions of device 'plain:1' have 16 bits");
    p = table(), p.size_ = 0;
    expect_refused(p, "TypeError", "the table is null, or its size_ is not set");
    p = table(), p.size_ = sizeof p.size_ + 4; /* half a name */
    expect_refused(p, "TypeError", "the table is null, or its size_ is not set");
    assert_int_equal(kn_register_device(NULL), -1);
    expect_error_with("TypeError", "the table is null");
    assert_int_equal(kn_unregister_device("plain:7"), -1);
    expect_error_with("ValueError", "there is no registered device 'plain:7'");
    assert_int_equal(kn_unregister_device("host"), -1);
    expect_error_with("ValueError", "there is no registered device 'host'");
}

/* What a step is shown as is all that its text needs: the numbers are those of the launch. */
static plain *looked;
static const char *look(void *env, const kn_provider_step *step)
{
    (void)env;
    if (step->kind == KN_STEP_KERNEL && !strcmp(step->name, "mul")) {
        assert_int_equal(step->n, 2);
        assert_true(!step->written[0] && step->written[1]);
        assert_int_equal(step->bytes[1], 6 * sizeof(float));
        assert_int_equal(step->n_stage, 1);
        int64_t points = 1;
        for (int i = 0; i < step->n_extent; i++)
            points *= step->extent[i];
        assert_int_equal(points, 6);
        assert_true(step->n_map >= 1 && step->map[0].offset == 0);
        assert_non_null(strstr(step->text, "buffer 0 f32 read\nbuffer 1 f32 write\n"));
        assert_non_null(strstr(step->text, "mul f32 %0 %0"));
        looked = &now;
    }
    return "it only looks";
}

static void a_kernel_is_shown_as_text_and_numbers(void **state)
{
    (void)state;
    kn_provider p = table();
    p.name = "looker:0";
    p.refuses = look;
    looked = NULL;
    assert_int_equal(kn_register_device(&p), 0);
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(6));
    kni_jaxpr *j = FINISH(&b, knb_mul(&b, x, x));
    knd_loaded *l = NULL;
    test_ok(knd_compile(knd_find("looker:0"), j, &(knc_compile_options){.fuse = true}, &l));
    assert_non_null(looked);
    assert_string_equal(knd_steps_reason(l, 0), "it only looks");
    knd_release(l);
    kni_release(j);
    assert_int_equal(kn_unregister_device("looker:0"), 0);
}

/* The reason is told in a text that the next one overwrites. */
static const char *say(void *env, const kn_provider_step *step)
{
    static char why[512];
    (void)env;
    snprintf(why, sizeof why, "no %s", step->name);
    return why;
}

static void reasons_are_copied(void **state)
{
    (void)state;
    kn_provider p = table();
    p.name = "sayer:0";
    p.refuses = say;
    assert_int_equal(kn_register_device(&p), 0);
    kni_jaxpr *j = some();
    knd_loaded *l = NULL;
    test_ok(knd_compile(knd_find("sayer:0"), j, &(knc_compile_options){.fuse = true}, &l));
    assert_true(l->program->n_step >= 2);
    for (uint32_t i = 0; i < l->program->n_step; i++) {
        knx_text operations = {0};
        char why[512];
        knc_step_operations(l->program, i, &operations);
        snprintf(why, sizeof why, "no %s", operations.s);
        assert_string_equal(knd_steps_reason(l, i), why);
    }
    knd_release(l);
    kni_release(j);
    assert_int_equal(kn_unregister_device("sayer:0"), 0);
}

/* Functions of a table are called by one thread at a time, also where programs are only looked at. */
static atomic_int inside, most_inside;
static const char *dawdle(void *env, const kn_provider_step *step)
{
    (void)env, (void)step;
    int n = atomic_fetch_add(&inside, 1) + 1;
    if (n > atomic_load(&most_inside))
        atomic_store(&most_inside, n);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    atomic_fetch_sub(&inside, 1);
    return "it is slow";
}

static void *mark_some(void *env)
{
    const knd_device *d = env;
    for (int i = 0; i < 8; i++) {
        kni_jaxpr *j = some();
        knc_program *p = NULL;
        test_ok(knc_compile(j, &(knc_compile_options){.target = d->target(d), .fuse = true}, &p));
        test_ok(knd_mark(d, p));
        knc_release(p);
        kni_release(j);
    }
    return NULL;
}

static void one_thread_at_a_time_calls_a_table(void **state)
{
    (void)state;
    kn_provider p = table();
    p.name = "slow:0";
    p.refuses = dawdle;
    assert_int_equal(kn_register_device(&p), 0);
    pthread_t other;
    const knd_device *d = knd_find("slow:0");
    assert_int_equal(pthread_create(&other, NULL, mark_some, (void *)(uintptr_t)d), 0);
    mark_some((void *)(uintptr_t)d);
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&most_inside), 1);
    assert_int_equal(kn_unregister_device("slow:0"), 0);
}

/* "auto" goes over to the device when operands come again: if that fails the plan before it still holds. */
static void what_auto_cannot_send_stays(void **state)
{
    (void)state;
    const kn_offload_costs c = {.size_ = sizeof c,
                                .up = 2e8,
                                .down = 1e9,
                                .up_latency = 1e-7,
                                .down_latency = 1e-7,
                                .here = {1e-7, 1e10, 1e9, 2e9},
                                .there = {1e-7, 4e11, 1e11, 1e12}};
    assert_int_equal(kn_offload_set_costs("plain:0", &c), 0);
    knd_auto_use(knd_find("plain:0"));
    kni_builder b;
    knb_init(&b);
    kni_atom w = knb_invar(&b, F32(64, 64)), x = knb_invar(&b, F32(64, 8));
    kni_jaxpr *j = FINISH(&b, knb_dot_general(&b, w, x,
                                              &(kni_p_dot_general){.lhs_contract = {1, (int64_t[]){1}},
                                                                   .rhs_contract = {1, (int64_t[]){0}}}));
    knd_loaded *l = NULL;
    test_ok(knd_compile(&knd_auto, j, &(knc_compile_options){.fuse = true}, &l));
    knx_buffer *weights = knx_buffer_new(64 * 64 * sizeof(float)), *in = knx_buffer_new(64 * 8 * sizeof(float));
    memset(weights->data, 0, weights->bytes), memset(in->data, 0, in->bytes);
    int failed = 0;
    now.fail_prepare = 1;
    for (int i = 0; i < 60; i++) {
        knx_buffer *y = NULL;
        knx_error *error = knd_run(l, (knd_operand[]){{.buffer = weights}, {.buffer = in}}, &y, NULL);
        if (error) {
            assert_string_equal(error->message, "device 'plain:0' is lost");
            knx_error_release(error);
            now.fail_prepare = 0;
            failed++;
        }
        knx_buffer_release(y);
    }
    assert_int_equal(failed, 1);
    assert_true(now.launches > 0); /* it went over later */
    knx_buffer_release(weights);
    knx_buffer_release(in);
    knd_release(l);
    kni_release(j);
    knd_auto_use(NULL);
    kn_offload_set_costs("plain:0", NULL);
}

/* Where the device before the block is gone there is none. */
static void blocks_end_on_a_device_that_is_gone(void **state)
{
    (void)state;
    kn_provider p = table();
    p.name = "brief:0";
    assert_int_equal(kn_register_device(&p), 0);
    assert_null(kn_set_default_device(kn_find_device("brief:0")));
    {
        KN_ON_DEVICE(kn_find_device("plain:0"));
        assert_int_equal(kn_unregister_device("brief:0"), 0);
    }
    expect_error_with("TypeError", "device_leave: this is no device");
    assert_ptr_equal(kn_default_device(), &knd_host);
}

/* A device that is made known again and again, while arrays and programs of the former ones are still there. */
static void devices_come_and_go(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array old = NULL; /* was put on the one before */
    for (int i = 0; i < 40; i++) {
        kn_provider p = table();
        p.name = "guest:0";
        p.refuses = i % 2 ? plain_refuses : say;
        assert_int_equal(kn_register_device(&p), 0);
        now.launches = 0;
        kn_array x = kn_device_put(kn_arange(0, 4, 1, KN_F32), kn_find_device("guest:0"));
        expect_values(kn_add(x, 1), 1, 2, 3, 4);
        assert_int_equal(now.launches > 0, i % 2);
        if (old) {
            assert_ptr_not_equal(kn_device_of(old), kn_device_of(x));
            expect_values(kn_add(kn_device_put(old, kn_device_of(x)), x), 0, 2, 4, 6);
        }
        old = x;
        assert_int_equal(kn_unregister_device("guest:0"), 0);
    }
}

/* "auto" goes on without the device that it worked with. */
static void auto_outlives_its_device(void **state)
{
    (void)state;
    const kn_offload_costs c = {
        .size_ = sizeof c, .up = 1e12, .down = 1e12, .here = {1e-3, 1e6, 1e6, 1e6}, .there = {1e-9, 1e12, 1e12, 1e12}};
    assert_int_equal(kn_offload_set_costs("plain:0", &c), 0);
    knd_auto_use(knd_find("plain:0"));
    kni_jaxpr *j = some();
    knd_loaded *l = NULL;
    test_ok(knd_compile(&knd_auto, j, &(knc_compile_options){.fuse = true}, &l));
    for (int i = 0; i < 2; i++) {
        knx_buffer *x = numbers(), *y = NULL;
        test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
        test_ok(knd_fetch(y));
        assert_true(now.launches > 0 && ((const float *)y->data)[0] > 1);
        knx_buffer *all[] = {x, y};
        test_release(2, all);
        assert_int_equal(kn_unregister_device("plain:0"), i ? -1 : 0);
    }
    expect_error_with("ValueError", "there is no registered device 'plain:0'");
    knd_release(l);
    kni_release(j);
    kn_offload_set_costs("plain:0", NULL);
}

/* "host" is the host, whatever others call themselves. */
static void nobody_else_is_the_host(void **state)
{
    (void)state;
    kn_provider p = table();
    p.name = "host:1";
    assert_int_equal(kn_register_device(&p), 0);
    assert_ptr_equal(knd_find("host"), &knd_host);
    assert_ptr_equal(knd_find("host:1"), kn_find_device("host:1"));
    assert_int_equal(kn_unregister_device("host:1"), 0);
}

KN_TEST_GROUP(test_provider)
{
    const struct CMUnitTest tests[] = {
        PLAIN(steps_of_each_kind_run_there),
        PLAIN(what_a_function_says_is_the_error),
        PLAIN(an_error_of_the_work_itself_comes_out),
        PLAIN(a_device_that_goes_gives_everything_back),
        PLAIN(tables_are_checked),
        PLAIN(a_kernel_is_shown_as_text_and_numbers),
        PLAIN(reasons_are_copied),
        PLAIN(one_thread_at_a_time_calls_a_table),
        PLAIN(what_auto_cannot_send_stays),
        PLAIN(auto_outlives_its_device),
        PLAIN(nobody_else_is_the_host),
        PLAIN(blocks_end_on_a_device_that_is_gone),
        PLAIN(devices_come_and_go),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
