/* SPDX-License-Identifier: Apache-2.0
 * test_given.c -- what callers give is checked where it comes in: the whole texts of errors about NULL, counts, handles
 * that are none, memory that is not there, formats. That no function crashes is tests/hostile. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void null_names_what_is_missing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = NULL, x = kn_ones(KN_SHAPE(3));
    (void)kn_add(none, none);
    expect_error("TypeError", "add: null array");
    (void)kn_add(none, x);
    expect_error("TypeError", "add: null array");
    (void)(kn_zeros)(NULL, NULL);
    expect_error("TypeError", "zeros: null shape");
    (void)(kn_reshape)(x, NULL, NULL);
    expect_error("TypeError", "reshape: null shape");
    (void)(kn_lax_transpose)(x, NULL);
    expect_error("TypeError", "lax.transpose: null permutation");
    (void)(kn_lax_slice)(x, NULL, NULL, NULL);
    expect_error("TypeError", "lax.slice: null start_indices");
    (void)(kn_tree_list)(2, NULL);
    expect_error("TypeError", "tree_list: null children");
    (void)(kn_einsum)("i,i", 2, NULL, NULL);
    expect_error("TypeError", "einsum: null operands");
    (void)kn_tree_at(kn_tree_leaf(x), NULL);
    expect_error("TypeError", "tree_at: null path");
}

static void counts_are_checked_where_they_come_in(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3));
    kn_shape wide = {.ndim = 70}, negative = {.ndim = -1};
    kn_axes many = {.n = 5000};
    (void)(kn_zeros)(&wide, NULL);
    expect_error("ValueError", "zeros: shape: maximum supported dimension for an ndarray is currently 64, found 70");
    (void)(kn_lax_reshape)(x, &negative, NULL);
    expect_error("ValueError", "lax.reshape: new_sizes: a negative number of dimensions: -1");
    (void)(kn_lax_transpose)(x, &many);
    expect_error("ValueError", "lax.transpose: permutation: an array has at most 64 axes, but 4999 were given");
    (void)(kn_sum)(x, &(kn_sum_opts){.size_ = sizeof(kn_sum_opts), .axis = many});
    expect_error("ValueError", "sum: axis: an array has at most 64 axes, but 4999 were given");
    (void)kn_list_from(&x, -3);
    expect_error("ValueError", "list_from: a negative number of arrays: -3");
    (void)kn_asarray(x, .ndmin = 1 << 30);
    expect_error("ValueError", "asarray: ndmin must be <= 64");
}

static void what_never_was_a_handle_is_told_from_what_was_released(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array dead;
    {
        KN_SCOPE;
        dead = kn_ones(KN_SHAPE(3));
    }
    (void)kn_sum(dead);
    expect_error("ValueError", "sum: this array was released: the scope that owned it has ended");
    (void)kn_sum((kn_array)(uintptr_t)0x55);
    expect_error("TypeError", "sum: this is not a handle of an array: was its variable set?");
    (void)kn_sum((kn_array)UINTPTR_MAX);
    expect_error("TypeError", "sum: this is not a handle of an array: was its variable set?");
    kn_release((void *)(uintptr_t)0x55);
    expect_error("TypeError", "release: this is not a handle: was its variable set?");
}

static void keys_are_no_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0), keys = kn_random_split(key), x = kn_ones(KN_SHAPE(3));
    const struct {
        kn_array y;
        const char *name;
    } calls[] = {{kn_imag(key), "imag"},
                 {kn_cov(keys), "cov"},
                 {kn_corrcoef(keys), "corrcoef"},
                 {kn_vander(keys), "vander"},
                 {kn_var(x, .mean = key), "var"}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_false(kn_ok(calls[i].y));
    expect_error_with("TypeError", "imag");
}

static void memory_errors_tell_size_shape_and_dtype(void **state)
{
    (void)state;
    if (sizeof(void *) < 8) /* these types are refused at once there */
        skip();
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(INT64_C(1) << 46));
    int line = __LINE__ + 1;
    assert_null(kn_data(x, double));
    assert_int_equal(kn_error_line(), line);
    expect_error("MemoryError",
                 "data: Unable to allocate 512. TiB for an array with shape (70368744177664,) and data type float64");
    kn_eval(kn_add(kn_zeros(KN_SHAPE(3, INT64_C(1) << 40), .dtype = KN_U8), 1));
    expect_error("MemoryError",
                 "eval: Unable to allocate 3.00 TiB for an array with shape (3,1099511627776) and data type uint8");
}

/* Memory that is never 64-byte aligned, and can be given back all the same. */
static void *misaligned_alloc(void *env, size_t bytes, size_t alignment)
{
    (void)env;
    char *p = aligned_alloc(alignment, (bytes + 2 * alignment) / alignment * alignment);
    return p ? p + 8 : NULL;
}
static void misaligned_free(void *env, void *p, size_t bytes)
{
    (void)bytes;
    *(int *)env += 1;
    free((char *)p - 8);
}

static void an_allocator_that_does_not_align_is_said_to_be_that(void **state)
{
    (void)state;
    int freed = 0;
    kn_context c = kn_context_new(.allocator = {misaligned_alloc, misaligned_free, &freed});
    {
        KN_CONTEXT(c);
        KN_SCOPE;
        kn_eval(kn_add(kn_arange(0, 10, 1), 1));
        expect_error("MemoryError", "the context's allocator gave memory that is not aligned as it was asked for");
    }
    assert_true(freed > 0);
    kn_context_free(c);
}

/* An allocator that does arithmetic of its own, each time: it lands in the thread's own context. */
static int thinking;
static void think(void)
{
    if (thinking++)
        return;
    KN_SCOPE;
    kn_array x = kn_add(kn_arange(0, 5, 1), 1);
    assert_true(kn_item(kn_sum(x)) == 15);
}
static void *thinking_alloc(void *env, size_t bytes, size_t alignment)
{
    (void)env;
    think();
    thinking = 0;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
static void thinking_free(void *env, void *p, size_t bytes)
{
    (void)env, (void)bytes;
    think();
    thinking = 0;
    free(p);
}

static void an_allocator_may_use_kiln(void **state)
{
    (void)state;
    kn_context c = kn_context_new(.allocator = {thinking_alloc, thinking_free, NULL});
    {
        KN_CONTEXT(c);
        for (int i = 0; i < 10; i++) {
            KN_SCOPE;
            kn_array x = kn_linspace(0, 1, 1000),
                     y = kn_matmul(kn_reshape(x, KN_SHAPE(20, 50)), kn_ones(KN_SHAPE(50, 20)));
            assert_true(kn_item(kn_max(kn_sort(kn_sin(y)))) <= 1);
        }
        expect_no_error();
    }
    assert_int_equal(kn_context_free(c), 0);
    assert_int_equal(kn_live_count(), 0);
}

/* Extents that no array can have are said, whatever makes them. */
static void extents_beyond_all_arrays_are_named(void **state)
{
    (void)state;
    KN_SCOPE;
    const int64_t most = INT64_MAX;
    kn_array x = kn_arange(0, 4, 1, .dtype = KN_F64);
    kn_lax_pad(x, 0.0, KN_PADDING({most, most, 0}));
    expect_error("MemoryError",
                 "lax.pad: axis 0 is too large with its padding of 9223372036854775807, 9223372036854775807 "
                 "and 0 in between");
    kn_lax_pad(x, 0.0, KN_PADDING({0, 0, most}));
    expect_error("MemoryError",
                 "lax.pad: axis 0 is too large with its padding of 0, 0 and 9223372036854775807 in between");
    static const char *const modes[] = {"constant", "edge",    "linear_ramp", "maximum", "mean", "median",
                                        "minimum",  "reflect", "symmetric",   "wrap",    "empty"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        kn_pad(x, kn_num(most / 2 + 5), .mode = modes[i]);
        expect_error_with("MemoryError", "pad: axis 0 is too large with its padding of 4611686018427387908");
    }
    kn_repeat(x, kn_of(int64_t, most / 2, most / 2, most / 2, most / 2));
    expect_error("MemoryError", "repeat: array of shape (1152921504606846975,) and dtype int64 is too large");
    kn_pad(x, kn_num(INT64_C(1) << 58), .mode = "wrap");
    expect_error_with("MemoryError", sizeof(void *) < 8 ? "pad: array of shape (576460752303423492,)"
                                                        : "pad: Unable to allocate 4.00 EiB for an array with shape "
                                                          "(576460752303423492,)");
    kn_linspace(0, 10, sizeof(void *) < 8 ? INT32_MAX - 100 : most, .dtype = KN_U8);
    expect_error_with("MemoryError", "linspace: Unable to allocate ");
    kn_array_split(x, kn_num(INT64_C(1) << 40));
    expect_error("MemoryError", "array_split: no list has 1099511627776 arrays");
    kn_bincount(kn_of(int64_t, most));
    expect_error("MemoryError", "bincount: there are more counts than an array can have");
    kn_lax_reduce_window_sum(x, KN_SHAPE(2), .base_dilation = &KN_SHAPE(most));
    expect_error_with("MemoryError", "axis 0 is too large with its padding and dilations");
}

static void formats_pass_on_what_was_read(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_printf("%.100000000f\n", 1.5), -1);
    expect_error("ValueError",
                 "printf: a width or precision of the conversion \"%.100000000f\n\" is larger than 65535");
    assert_int_equal(kn_printf("%99999999999d\n", 1), -1);
    expect_error("ValueError",
                 "printf: a width or precision of the conversion \"%99999999999d\n\" is larger than 65535");
    assert_int_equal(kn_printf("%'d\n", 1), -1);
    expect_error("ValueError", "printf: cannot read the conversion \"%'d\n\"");
    assert_int_equal(kn_printf("%.2.3f\n", 1.5), -1);
    expect_error("ValueError", "printf: cannot read the conversion \"%.2.3f\n\"");
}

static void a_limit_of_file_sizes_stops_nothing(void **state)
{
    (void)state;
    pid_t child = fork();
    if (!child) { /* machine code lies in an anonymous file: growing it beyond the limit would be a signal */
        const struct rlimit limit = {256 << 10, 256 << 10};
        KN_SCOPE;
        setrlimit(RLIMIT_FSIZE, &limit);
        kn_context mine = kn_context_new();
        KN_CONTEXT(mine);
        kn_array x = kn_linspace(0, 1, 5);
        _exit(kn_item(kn_sum(kn_cosh(kn_mul(x, 0)))) == 5 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

KN_TEST_GROUP(test_given)
{
    const struct CMUnitTest tests[] = {
        TEST(null_names_what_is_missing),
        TEST(counts_are_checked_where_they_come_in),
        TEST(what_never_was_a_handle_is_told_from_what_was_released),
        TEST(keys_are_no_numbers),
        TEST(memory_errors_tell_size_shape_and_dtype),
        cmocka_unit_test(an_allocator_that_does_not_align_is_said_to_be_that),
        cmocka_unit_test(an_allocator_may_use_kiln),
        cmocka_unit_test(extents_beyond_all_arrays_are_named),
        TEST(formats_pass_on_what_was_read),
        TEST(a_limit_of_file_sizes_stops_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
