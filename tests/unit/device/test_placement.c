/* SPDX-License-Identifier: Apache-2.0
 * test_placement.c -- arrays that the user put on devices: where results are, what follows what, and what is refused.
 * The rules are JAX's (jax.device_put, jax.default_device on several devices of one process). */
#include "devices/devices.h"
#include "support/expect.h"
#include "support/group.h"
#include <stdlib.h>

/* No engine's devices beside these, whatever the machine has. */
__attribute__((constructor)) static void without_engines(void) { setenv("KILN_WEBGPU_LIBRARY", "/nowhere", 1); }

#define FIRST  (&far_device)
#define SECOND (&far_second)
static kn_device host(void) { return kn_find_device("host"); }

static int setup(void **state)
{
    far_find_again_on(FIRST);
    far_find_again_on(SECOND);
    return knd_register(FIRST) || knd_register(SECOND) || expect_setup(state);
}

static int teardown(void **state)
{
    far_find_again_on(FIRST);
    far_find_again_on(SECOND);
    int failed = expect_teardown(state);
    knd_unregister(FIRST);
    knd_unregister(SECOND);
    return failed || far_count_on(FIRST).live || far_count_on(SECOND).live;
}
#define FAR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static kn_array counted(int64_t n) { return kn_arange(0, n, 1, KN_F32); }

#define expect_at(x, d, committed)                       \
    do {                                                 \
        assert_ptr_equal(kn_device_of(x), d);            \
        assert_int_equal(kn_is_committed(x), committed); \
    } while (0)

/* JAX: zeros_like and its kin are where a committed array is. */
static void arrays_made_like_others_are_where_those_are(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_device_put(counted(3), SECOND);
    expect_at(kn_zeros_like(x), SECOND, true);
    expect_at(kn_ones_like(x), SECOND, true);
    expect_at(kn_full_like(x, 2), SECOND, true);
    expect_at(kn_empty_like(x, .shape = &KN_SHAPE(2, 2)), SECOND, true);
    expect_at(kn_zeros_like(counted(3)), host(), false);
    expect_at(kn_zeros(KN_SHAPE(2)), host(), false); /* the default is what it was */
}

static kn_array halved(const kn_array *x) { return kn_mul(*x, 0.5); }
KN_FUNCTION(halved, kn_array, kn_array)

/* The text of a program says where it would run: on the default device, which it is compiled for. */
static void programs_are_shown_for_the_default_device(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counted(3);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(halved), KN_ARGS(&x));
    assert_null(strstr(kn_jaxpr_program(j), "far:1"));
    KN_ON_DEVICE(SECOND);
    assert_non_null(strstr(kn_jaxpr_program(j), "on far:1"));
}

/* Sites never go: where the table is full of lines there is still room for a device. */
/* As of a library that is closed, and of another one that lies where it was. */
static void lines_of_sites_outlive_who_wrote_them(void **state)
{
    (void)state;
    char file[] = "first.c";
    kn_place here = {file, 7, "f"}, elsewhere = {"first.c", 7, "f"};
    uint16_t first = knd_site_of(FIRST, true, &here);
    strcpy(file, "other");
    uint16_t other = knd_site_of(FIRST, true, &here);
    here.line = 8;
    assert_string_equal(knd_site_at(first)->line->file, "first.c");
    assert_int_equal(knd_site_at(first)->line->line, 7);
    assert_int_not_equal(first, other);
    assert_string_equal(knd_site_at(other)->line->file, "other");
    assert_int_equal(knd_site_at(other)->line->line, 7);
    assert_int_equal(knd_site_of(FIRST, true, &elsewhere), first);
}

static void devices_have_sites_however_many_lines_there_are(void **state)
{
    (void)state;
    enum { LINES = 40000 };
    static kn_place line[LINES];
    for (int i = 0; i < LINES; i++) {
        line[i] = (kn_place){.file = "many.c", .line = i};
        const knd_site *s = knd_site_at(knd_site_of(FIRST, true, &line[i]));
        assert_true(s->device == FIRST && s->committed);
    }
    const knd_site *s = knd_site_at(knd_site_of(SECOND, true, &line[0]));
    assert_true(s->device == SECOND && s->committed);
}

/* ---- Which there are. */

static void devices_are_listed_and_found(void **state)
{
    (void)state;
    kn_device d[8];
    assert_int_equal(kn_devices(NULL, 8, d), 3);
    assert_ptr_equal(d[0], host());
    assert_ptr_equal(d[1], FIRST);
    assert_int_equal(kn_devices("far", 1, d), 2);
    assert_ptr_equal(d[0], FIRST);
    assert_int_equal(kn_devices("moon", 8, d), 0);
    assert_ptr_equal(kn_find_device("far:1"), SECOND);
    assert_ptr_equal(kn_find_device("far"), FIRST);
    assert_string_equal(kn_device_name(SECOND), "far:1");
    assert_string_equal(kn_device_kind(host()), "host");
    {
        KN_SCOPE;
        assert_string_equal(kn_device_kind(SECOND), "far");
        assert_non_null(strstr(kn_device_text(SECOND), "dtypes: bool int8"));
        assert_null(strstr(kn_device_text(SECOND), "float64"));
    }
    assert_true(kn_device_has_dtype(FIRST, KN_F32));
    assert_false(kn_device_has_dtype(FIRST, KN_F64));
    kn_device_info i = {.size_ = sizeof i};
    assert_int_equal(kn_device_get_info(FIRST, &i), 0);
    assert_int_equal(i.alignment, 256);
    assert_int_equal(i.most_buffers, 8);
}

static void these_devices_have_no_handles(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_device_handle h = {.size_ = sizeof h};
    assert_int_equal(kn_device_get_handle(kn_device_put(counted(3), SECOND), &h), -1);
    expect_error("ValueError", "device_get_handle: the array is on far:1, which has no handles");
    assert_int_equal(kn_device_get_handle((kn_array)NULL, &h), -1);
    expect_error("TypeError", "device_get_handle: null array");
}

static void what_is_no_device_is_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_find_device("far:7"));
    expect_error("ValueError", "find_device: there is no device 'far:7'; there are host, far:0, far:1");
    assert_null(kn_device_name(NULL));
    expect_error("TypeError", "device_name: null device");
    assert_int_equal(kn_devices(NULL, -1, NULL), -1);
    expect_error("ValueError", "devices: room for -1 devices");
    kn_array x = kn_device_put(counted(3), (kn_device)(uintptr_t)0x55);
    assert_false(kn_ok(x));
    expect_error("TypeError", "device_put: this is no device");
}

/* ---- Committed and not. */

static void results_are_where_committed_operands_are(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counted(4), c = kn_device_put(x, SECOND);
    expect_at(x, host(), false);
    expect_at(c, SECOND, true);
    far_forget_on(SECOND);
    kn_array y = kn_add(kn_mul(c, x), 1); /* x follows */
    expect_at(y, SECOND, true);
    expect_at(kn_add(x, 1), host(), false);
    kn_eval(y);
    assert_true(far_count_on(SECOND).launches > 0);
    assert_int_equal(far_count_on(SECOND).copied_out, 0);
    expect_values(y, 1, 2, 5, 10);
    expect_at(kn_device_get(y), host(), false);
    expect_at(kn_device_put(y, host()), host(), true);
    expect_at(kn_device_put(y, FIRST), FIRST, true);
    expect_values(kn_device_put(y, FIRST), 1, 2, 5, 10);
}

static void arrays_on_two_devices_are_an_error_with_both_lines(void **state)
{
    (void)state;
    KN_SCOPE;
    char message[1024];
    int line = __LINE__ + 1;
    kn_array a = kn_device_put(counted(3), FIRST);
    kn_array b = kn_device_put(counted(3), SECOND);
    kn_array c = kn_add(a, b);
    assert_false(kn_ok(c));
    assert_int_equal(kn_error_line(), line + 2);
    snprintf(message, sizeof message,
             "add: the arrays are on different devices: one was put on far:0 (by %s:%d), another on far:1 (by %s:%d); "
             "kn_device_put brings them together",
             __FILE__, line, __FILE__, line + 1);
    expect_error("ValueError", message);
    kn_array d = kn_add(kn_mul(a, 2), kn_device_put(b, FIRST)); /* the line stays with what is made of it */
    expect_values(d, 0, 3, 6);
    assert_false(kn_ok(kn_add(kn_mul(a, 2), kn_mul(b, 2))));
    expect_error("ValueError", message);
    assert_false(kn_ok(kn_add(a, kn_device_put(b, host()))));
    expect_error_with("ValueError", "another on host (by ");
}

static void the_default_is_of_blocks_and_contexts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counted(3), y;
    {
        KN_ON_DEVICE(FIRST);
        assert_ptr_equal(kn_default_device(), FIRST);
        y = kn_add(x, 1);
        expect_at(y, FIRST, false);
        expect_at(counted(2), FIRST, false);
        expect_at(kn_of(float, 1, 2), FIRST, false);
        {
            KN_ON_DEVICE(host());
            expect_at(kn_add(x, 1), host(), false);
        }
        expect_at(kn_add(kn_device_put(x, SECOND), 1), SECOND, true);
    }
    assert_ptr_equal(kn_default_device(), host());
    far_forget_on(FIRST);
    expect_values(y, 1, 2, 3); /* it was recorded there */
    assert_true(far_count_on(FIRST).launches > 0);
    expect_at(kn_add(y, 1), host(), false);
    expect_values(kn_add(y, x), 1, 3, 5);
    kn_context c = kn_context_new(.device = SECOND);
    {
        KN_CONTEXT(c);
        expect_at(kn_ones(KN_SHAPE(2)), SECOND, false);
        kn_defaults_push(.device = FIRST);
        expect_at(kn_ones(KN_SHAPE(2)), FIRST, false);
        kn_defaults_pop();
        expect_at(kn_ones(KN_SHAPE(2)), SECOND, false);
    }
    kn_context_free(c);
}

static void what_waits_for_two_devices_runs_on_each(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_device_put(counted(3), FIRST), b = kn_device_put(counted(3), SECOND), x = counted(3);
    kn_array y[3] = {kn_mul(a, 2), kn_mul(b, 3), kn_mul(x, 4)};
    kn_array z = kn_add(kn_device_put(kn_sin(b), FIRST), y[0]);
    expect_values(y[1], 0, 3, 6);
    expect_values(y[0], 0, 2, 4);
    expect_values(y[2], 0, 4, 8);
    expect_near(z, 1e-6, 0, 2 + sin(1), 4 + sin(2));
}

/* ---- Views and writes. */

static void views_live_where_their_base_does(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array c = kn_device_put(counted(6), FIRST), v = kn_at(c, "1::2"), u;
    expect_at(v, FIRST, true);
    kn_set_at(v, 7, "0");
    expect_at(c, FIRST, true);
    expect_values(c, 0, 7, 2, 3, 4, 5);
    kn_set_at(c, kn_negative(counted(3)), "::2");
    expect_at(c, FIRST, true);
    expect_values(c, 0, 7, -1, 3, -2, 5);
    expect_values(v, 7, 3, 5);
    kn_set_at(c, counted(6), "..."); /* all of it */
    expect_at(c, FIRST, true);
    expect_values(v, 1, 3, 5);
    {
        KN_ON_DEVICE(SECOND);
        u = kn_zeros(KN_SHAPE(3), KN_F32);
    }
    kn_set_at(u, 2, "1"); /* outside of the block: it stays */
    expect_at(u, SECOND, false);
    expect_at(kn_at(u, "1:"), SECOND, false);
    expect_values(u, 0, 2, 0);
}

static void writes_from_another_device_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_device_put(counted(3), FIRST), b = kn_device_put(kn_ones(KN_SHAPE(3), KN_F32), SECOND),
             x = counted(3);
    const char *const index[] = {"...", "0", "1:", "%"};
    kn_array at = kn_of(int64_t, 2, 0);
    for (int i = 0; i < 4; i++) {
        kn_array part = i == 1 ? kn_at(b, "0") : i == 2 ? kn_at(b, "1:") : i == 3 ? kn_at(b, ":2") : b;
        assert_int_equal(i < 3 ? kn_set_at(a, part, index[i]) : kn_set_at(a, part, "%", at), -1);
        expect_error_with("ValueError", "the arrays are on different devices: one was put on far:");
    }
    expect_values(a, 0, 1, 2);
    kn_set_at(x, b, "..."); /* what is not committed follows */
    expect_at(x, SECOND, true);
    expect_values(x, 1, 1, 1);
    x = counted(3);
    kn_set_at(x, kn_at(b, "0"), "1");
    expect_at(x, SECOND, true);
    expect_values(x, 0, 1, 2);
}

static void elements_and_few_of_them_stay_committed(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_device_put(counted(5), FIRST), h = kn_device_put(counted(5), host()), at = kn_of(int64_t, 3, 1);
    kn_array all[] = {a, h};
    for (int i = 0; i < 2; i++) {
        kn_array x = all[i];
        kn_device d = i ? host() : FIRST;
        for (int k = 0; k < 100; k++) { /* often enough for programs that are kept */
            KN_SCOPE;
            expect_at(kn_at(x, "2"), d, true);
            expect_at(kn_at(x, "%", at), d, true);
            expect_at(kn_at(x, "%", kn_greater(x, 2)), d, true);
            expect_at(kn_add(x, x), d, true);
            expect_at(kn_add(kn_at(x, "2"), 1), d, true);
            expect_at(kn_copy(kn_at(x, "::2")), d, true);
            expect_at(kn_sum(x), d, true);
            expect_at(kn_unique(x), d, true);
            expect_at(kn_sort(x), d, true);
            expect_at(kn_concatenate(KN_LIST(x, kn_ones(KN_SHAPE(2), KN_F32))), d, true);
        }
        expect_values(kn_at(x, "%", at), 3, 1);
    }
}

/* ---- Functions. */

static kn_array energy(const kn_array *x) { return kn_sum(kn_mul(*x, kn_sub(*x, kn_mul(kn_sin(*x), 0.5)))); }
KN_FUNCTION(energy, kn_array, kn_array)
static kn_array both(const kn_array *x, const kn_array *y) { return kn_add(kn_mul(*x, 2), *y); }
KN_FUNCTION(both, kn_array, kn_array, kn_array)

static void functions_run_where_their_arguments_are(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f[] = {KN_FN(energy),
                 kn_jit(KN_FN(energy)),
                 kn_grad(KN_FN(energy)),
                 kn_jit(kn_grad(KN_FN(energy))),
                 kn_jit(KN_FN(energy), .symbolic = KN_ALL),
                 kn_vmap(kn_jit(KN_FN(energy)))};
    for (int i = 0; i < 6; i++) {
        float bits[3][6] = {{0}};
        kn_device d[] = {host(), FIRST, SECOND};
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < 3; k++) {
                kn_array x = kn_mul(counted(6), 0.3), y;
                x = i == 5 ? kn_reshape(x, KN_SHAPE(2, 3)) : x;
                x = k ? kn_device_put(x, d[k]) : x;
                kn_call(f[i], &y, &x);
                expect_at(y, d[k], k > 0);
                kn_copy_to(y, bits[k], (size_t)kn_size(y) * 4);
            }
        assert_memory_equal(bits[0], bits[1], sizeof bits[0]);
        assert_memory_equal(bits[0], bits[2], sizeof bits[0]);
    }
    assert_int_equal(kn_fn_trace_count(f[3]), 1);
}

static void functions_of_arrays_on_two_devices_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_device_put(counted(3), FIRST), b = kn_device_put(counted(3), SECOND), x = counted(3), y;
    kn_fn f = kn_jit(KN_FN(both));
    assert_int_equal(kn_call(f, &y, &a, &b), -1);
    expect_error_with("ValueError", "one was put on far:0");
    kn_call(f, &y, &x, &b);
    expect_at(y, SECOND, true);
    expect_values(y, 0, 3, 6);
    {
        KN_ON_DEVICE(FIRST);
        kn_call(f, &y, &x, &x);
        expect_at(y, FIRST, false);
    }
    expect_values(y, 0, 3, 6);
}

static kn_array puts_inside(const kn_array *x) { return kn_device_put(*x, FIRST); }
KN_FUNCTION(puts_inside, kn_array, kn_array)

static void traced_arrays_are_not_put(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counted(3), y;
    assert_int_equal(kn_call(kn_jit(KN_FN(puts_inside)), &y, &x), -1);
    expect_error_with("ConcretizationError", "a traced array cannot be put on a device: puts_inside runs on one");
}

static kn_array donated(const kn_array *x) { return kn_add(*x, 1); }
KN_FUNCTION(donated, kn_array, kn_array)

static void donated_arrays_keep_their_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(donated), .donate_argnums = KN_ARGNUMS(0));
    kn_array x = kn_device_put(counted(3), SECOND), y;
    kn_call(f, &y, &x);
    expect_at(y, SECOND, true);
    expect_values(y, 1, 2, 3);
    assert_false(kn_ok(x));
    kn_error_clear();
}

static kn_array more(const kn_array *i, const kn_array *x) { return kn_add(kn_mul(*x, 1.5), kn_astype(*i, KN_F32)); }
KN_FUNCTION(more, kn_array, kn_array, kn_array)

static void loops_run_where_their_arrays_are(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array want = counted(3), y, x = kn_device_put(counted(3), FIRST);
    kn_fori_loop(0, 5, KN_FN(more), &y, &x);
    expect_at(y, FIRST, true);
    kn_fori_loop(0, 5, KN_FN(more), &want, &want);
    assert_true(kn_array_equal(kn_device_get(y), want));
}

/* ---- Trees, the host's functions. */

static void trees_are_put_and_got(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_device_put(kn_tree_dict("a", counted(3), "b", 2.5), SECOND), back;
    for (int i = 0; i < 2; i++)
        expect_at(kn_tree_get(t, i), SECOND, true);
    back = kn_tree_device_get(t);
    expect_values(kn_tree_get(back, 1), 2.5);
    expect_at(kn_tree_get(back, 0), host(), false);
    assert_null(kn_tree_device_put(t, NULL));
    expect_error("TypeError", "tree_device_put: null device");
}

static void waiting_asks_the_device(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(kn_device_put(counted(4), FIRST), 2);
    far_forget_on(FIRST);
    kn_eval(x);
    assert_int_equal(far_count_on(FIRST).waits, 0);
    kn_block_until_ready(x);
    assert_int_equal(far_count_on(FIRST).waits, 1);
    assert_int_equal(far_count_on(FIRST).copied_out, 0);
}

static void what_the_device_cannot_hold_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counted(4);
    far_fail_on(FIRST, (far_faults){0, -1, -1});
    assert_false(kn_ok(kn_device_put(x, FIRST)));
    expect_error_with("MemoryError", "device 'far:0' has no memory for");
    far_find_again_on(FIRST);
    kn_array y = kn_device_put(x, FIRST);
    far_fail_on(FIRST, (far_faults){-1, 0, -1});
    assert_false(kn_ok(kn_add(y, 1)));
    expect_error_with("RuntimeError", "device 'far:0' is lost");
    expect_values(kn_device_get(y), 0, 1, 2, 3); /* the host's copy is as good as before */
}

static void other_dtypes_go_to_the_host_and_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_device_put(kn_arange(0.0, 4.0, 1.0), FIRST), y = kn_exp(kn_mul(x, 0.5));
    expect_at(y, FIRST, true);
    assert_true(kn_array_equal(kn_device_get(y), kn_exp(kn_mul(kn_arange(0.0, 4.0, 1.0), 0.5))));
}

/* ---- What is the host's: memory that the user sees, callbacks, watching, other contexts. */

static int thrice(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    out[0] = kn_mul(in[0], 3);
    return 0;
}

static void memory_and_callbacks_are_the_hosts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(kn_device_put(counted(3), FIRST), 2);
    float *p = kn_data_mut(x, float);
    assert_non_null(p);
    p[0] = 5;
    kn_array y = kn_add(x, 1);
    expect_at(x, FIRST, true);
    expect_at(y, FIRST, true);
    expect_values(y, 6, 3, 5);
    kn_set_at(x, 9, "1");
    kn_eval(x);
    assert_true(p[1] == 9);
    expect_values(kn_device_put(x, SECOND), 5, 9, 4);
    kn_array z = kn_list_get(kn_pure_callback(thrice, NULL, KN_LIST(x), KN_LIST(x)), 0);
    expect_at(z, FIRST, true);
    expect_values(z, 15, 27, 12);
    p[0] = 1; /* what was put elsewhere is a copy */
    expect_values(kn_device_put(y, SECOND), 6, 3, 5);
}

/* The device keeps nothing of what the user sees, also where he puts it there again. */
static void memory_that_is_seen_is_not_kept_by_putting_it_again(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_device_put(counted(3), FIRST);
    float *p = kn_data_mut(x, float);
    assert_non_null(p);
    kn_eval(kn_device_put(x, FIRST));
    for (int i = 0; i < 2; i++) {
        p[0] = (float)(40 + i);
        expect_values(kn_add(x, 1), 41 + i, 2, 3);
    }
}

static void what_is_watched_runs_on_the_host(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_device_put(kn_negative(counted(3)), FIRST), y;
    kn_check_nans(true);
    far_forget_on(FIRST);
    int line = __LINE__ + 1;
    y = kn_log(x);
    kn_eval(y);
    kn_check_nans(false);
    assert_int_equal(kn_error_line(), line);
    expect_error_with("ValueError", "nan encountered in log");
    assert_int_equal(far_count_on(FIRST).launches, 0);
    expect_at(y, FIRST, true);
}

static void other_contexts_see_where_arrays_are(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_device_put(counted(3), SECOND);
    kn_context c = kn_context_new();
    {
        KN_CONTEXT(c);
        KN_SCOPE;
        expect_at(x, SECOND, true);
        kn_array y = kn_add(x, 1);
        expect_at(y, SECOND, true);
        expect_values(y, 1, 2, 3);
        assert_false(kn_ok(kn_add(y, kn_device_put(x, FIRST))));
        expect_error_with("ValueError", "different devices");
    }
    kn_context_free(c);
}

/* As an array with the same shape that was made there: the bits of the host, whatever the order of the runs. */
static void a_loop_of_writes_stays_there(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x[3] = {kn_zeros(KN_SHAPE(4, 5), KN_F32), kn_device_put(kn_zeros(KN_SHAPE(4, 5), KN_F32), FIRST),
                     kn_device_put(kn_zeros(KN_SHAPE(4, 5), KN_F32), SECOND)};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 20; i++) {
            KN_SCOPE;
            kn_set_at(x[k], i * 0.5, "%, %", i % 4, i % 5);
            kn_iadd(kn_at(x[k], "%", i % 4), kn_at(x[k], "%", (i + 1) % 4));
            kn_set_at(x[k], kn_cos(kn_at(x[k], "::2")), "1::2");
        }
        expect_at(x[k], k == 0 ? host() : k == 1 ? FIRST : SECOND, k > 0);
    }
    assert_true(kn_array_equal(kn_device_get(x[1]), x[0]));
    assert_true(kn_array_equal(kn_device_get(x[2]), x[0]));
}

/* ---- KILN_DEVICE, in processes of their own. */

static void the_environment_says_where(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_ptr_equal(kn_default_device(), SECOND); /* KILN_DEVICE=far:1 */
    kn_array y = kn_add(counted(3), 1);
    expect_at(y, SECOND, false);
    far_forget_on(SECOND);
    expect_values(y, 1, 2, 3);
    assert_true(far_count_on(SECOND).launches > 0);
    KN_ON_DEVICE(host());
    expect_at(counted(3), host(), false);
}

static void a_device_that_is_not_there_is_told_of_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y = kn_add(counted(3), 1); /* KILN_DEVICE=moon:1 */
    expect_error_with("ValueError", "there is no device 'moon:1'; there are host, far:0, far:1");
    expect_at(y, host(), false);
    expect_values(y, 1, 2, 3);
}

KN_TEST_GROUP(test_placement)
{
    setenv("KILN_WEBGPU_LIBRARY", "/nowhere", 1); /* devices are counted here */
    const struct CMUnitTest environment[] = {FAR(the_environment_says_where)};
    const struct CMUnitTest no_device[] = {FAR(a_device_that_is_not_there_is_told_of_once)};
    if (argc > 1 && !strcmp(argv[1], "environment"))
        return cmocka_run_group_tests(environment, NULL, NULL);
    if (argc > 1 && !strcmp(argv[1], "no_device"))
        return cmocka_run_group_tests(no_device, NULL, NULL);
    const struct CMUnitTest tests[] = {
        FAR(devices_are_listed_and_found),
        FAR(arrays_made_like_others_are_where_those_are),
        FAR(programs_are_shown_for_the_default_device),
        FAR(these_devices_have_no_handles),
        FAR(what_is_no_device_is_refused),
        FAR(results_are_where_committed_operands_are),
        FAR(arrays_on_two_devices_are_an_error_with_both_lines),
        FAR(the_default_is_of_blocks_and_contexts),
        FAR(what_waits_for_two_devices_runs_on_each),
        FAR(views_live_where_their_base_does),
        FAR(writes_from_another_device_are_refused),
        FAR(elements_and_few_of_them_stay_committed),
        FAR(functions_run_where_their_arguments_are),
        FAR(functions_of_arrays_on_two_devices_are_refused),
        FAR(traced_arrays_are_not_put),
        FAR(donated_arrays_keep_their_place),
        FAR(loops_run_where_their_arrays_are),
        FAR(trees_are_put_and_got),
        FAR(waiting_asks_the_device),
        FAR(what_the_device_cannot_hold_is_an_error),
        FAR(other_dtypes_go_to_the_host_and_back),
        FAR(memory_and_callbacks_are_the_hosts),
        FAR(memory_that_is_seen_is_not_kept_by_putting_it_again),
        FAR(what_is_watched_runs_on_the_host),
        FAR(other_contexts_see_where_arrays_are),
        FAR(a_loop_of_writes_stays_there),
        FAR(lines_of_sites_outlive_who_wrote_them),
        FAR(devices_have_sites_however_many_lines_there_are),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
