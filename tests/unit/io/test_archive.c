/* SPDX-License-Identifier: Apache-2.0
 * test_archive.c -- arrays in files: saved, loaded and found by name; NumPy's files; what is not there. */
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include "io/zip.h"
#include <stdlib.h>
#include <unistd.h>

REMOVE_FOLDER("a.npy", "b.npy", "a.npz", "b.npz", "one.npz", "text.npy", "empty.npz", "twice.npz", "none.npz")

static void a_saved_array_comes_back(void **state)
{
    (void)state;
    static const int ids[] = {0, 1, 4, 5, 8, 9, 10, 11, 12, 13, 14}; /* bool to complex128 */
    KN_SCOPE;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        kn_array x = kn_astype(kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3)), kn_dtype_builtin(ids[i]));
        assert_int_equal(kn_save(path_of("a.npy"), x), 0);
        kn_array y = kn_load(path_of("a.npy"));
        assert_ptr_equal(kn_dtype_of(y), kn_dtype_of(x));
        assert_true(kn_array_equal(x, y));
        assert_int_equal(kn_ndim(y), 2);
    }
    assert_int_equal(kn_save(path_of("b"), kn_transpose(kn_ones(KN_SHAPE(2, 3)))),
                     0); /* not contiguous; the ending is added */
    assert_int_equal(kn_dim(kn_load(path_of("b.npy")), 0), 3);
    kn_save(path_of("a.npy"), 2.5);
    expect_values(kn_load(path_of("a.npy")), 2.5);
    kn_save(path_of("a.npy"), kn_zeros(KN_SHAPE(0, 4)));
    assert_int_equal(kn_dim(kn_load(path_of("a.npy")), 1), 4);
}

static void archives_hold_arrays_by_name(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_arange(0, 1000, 1, .dtype = KN_F32), i = kn_of(int, 1, 2, 3);
    assert_int_equal(
        kn_savez(path_of("a.npz"), KN_NAMED("m", m), KN_NAMED("i", i), KN_NAMED(NULL, 7), KN_NAMED("sum", kn_sum(m))),
        0);
    kn_archive z = kn_load_npz(path_of("a.npz"));
    assert_int_equal(kn_archive_count(z), 4);
    assert_string_equal(kn_archive_name(z, 0), "m");
    assert_string_equal(kn_archive_name(z, 2), "arr_2");
    assert_true(kn_array_equal(kn_archive_get(z, "m"), m));
    assert_true(kn_array_equal(kn_archive_get(z, "i.npy"), i));
    expect_values(kn_archive_get(z, "arr_2"), 7);
    expect_values(kn_archive_get(z, "sum"), 499500);
    kn_release(z);
    kn_archive_get(z, "m");
    expect_error_with("ValueError", "archive_get: this archive was released");
}

static void compressed_archives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_zeros(KN_SHAPE(100, 100));
    int status = kn_savez_compressed(path_of("b.npz"), KN_NAMED("m", m));
    if (!knio_zip_can_compress()) {
        assert_int_equal(status, -1);
        expect_error("NotImplementedError", "savez_compressed: Kiln was built without zlib");
        return;
    }
    assert_int_equal(status, 0);
    assert_true(kn_array_equal(kn_archive_get(kn_load_npz(path_of("b.npz")), "m"), m));
}

static void load_takes_an_archive_of_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_savez(path_of("one.npz"), KN_NAMED("x", kn_of(int, 4, 5)));
    expect_values(kn_load(path_of("one.npz")), 4, 5);
    kn_savez(path_of("a.npz"), KN_NAMED("x", 1), KN_NAMED("y", 2));
    kn_load(path_of("a.npz"));
    expect_error_with("ValueError", "a.npz is an archive of 2 arrays; use kn_load_npz");
    assert_int_equal((kn_savez)(path_of("empty.npz"), 0, NULL), 0);
    assert_int_equal(kn_archive_count(kn_load_npz(path_of("empty.npz"))), 0);
}

static void numpys_archives_are_read(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_archive z = kn_load_npz(KN_TEST_DIR "/golden/stored.npz");
    assert_true(kn_archive_count(z) > 20);
    for (int i = 0; i < kn_archive_count(z); i++) {
        KN_SCOPE;
        assert_true(kn_ok(kn_archive_get(z, kn_archive_name(z, i))));
    }
}

static kn_array plus_stored(const kn_array *x) { return kn_add(*x, kn_load(path_of("b.npy"))); }
KN_FUNCTION(plus_stored, kn_array, kn_array)

static void a_loaded_array_is_a_constant_of_a_trace(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2)), y;
    kn_save(path_of("b.npy"), kn_of(double, 1, 2));
    kn_call(kn_jit(KN_FN(plus_stored)), &y, &x);
    expect_values(y, 2, 3);
}

static kn_array saves(const kn_array *x)
{
    kn_save(path_of("none.npy"), *x);
    return *x;
}
KN_FUNCTION(saves, kn_array, kn_array)

static void what_is_not_there_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_archive none = kn_load_npz("no-such-file.npz");
    expect_error("FileError", "load_npz: no-such-file.npz: No such file or directory");
    kn_array x = kn_archive_get(none, "m"); /* the error sticks to the archive, and was reported */
    assert_string_equal(kn_error_of(x), "load_npz: no-such-file.npz: No such file or directory");
    assert_int_equal(kn_archive_count(none), -1);
    expect_no_error();
    kn_load("no-such-file.npy");
    expect_error("FileError", "load: no-such-file.npy: No such file or directory");
    kn_savez(path_of("a.npz"), KN_NAMED("x", 1));
    kn_archive z = kn_load_npz(path_of("a.npz"));
    kn_archive_get(z, "y");
    expect_error("KeyError", "archive_get: y is not a file in the archive");
    assert_null(kn_archive_name(z, 1));
    expect_error("IndexError", "archive_name: index 1 is out of bounds for an archive of 1 arrays");
    kn_archive_get(NULL, "y");
    expect_error("TypeError", "archive_get: null archive");
    kn_load(NULL);
    expect_error("TypeError", "load: null path");
}

static void what_is_no_array_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    FILE *f = fopen(path_of("text.npy"), "w");
    assert_non_null(f);
    fputs("hello", f);
    fclose(f);
    kn_load(path_of("text.npy"));
    expect_error_with("ValueError", "load: ");
    kn_load_npz(path_of("text.npy"));
    expect_error_with("ValueError", "load_npz: ");
}

static void what_cannot_be_saved_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2)), y, bad = kn_add(x, kn_ones(KN_SHAPE(3)));
    expect_error("ValueError", "add: operands could not be broadcast together with shapes (2,) (3,)");
    assert_int_equal(kn_save(path_of("none.npy"), bad), -1);
    expect_no_error(); /* reported once */
    assert_int_equal(kn_savez(path_of("none.npz"), KN_NAMED("x", x), KN_NAMED("y", bad)), -1);
    assert_int_equal(access(path_of("none.npz"), F_OK), -1); /* nothing was begun */
    assert_int_equal(kn_savez(path_of("none.npz"), KN_NAMED("x", x), KN_NAMED("x", x)), -1);
    expect_error("ValueError", "savez: two arrays have the name x");
    assert_int_equal(kn_save("/no/such/folder/x.npy", x), -1);
    expect_error("FileError", "save: /no/such/folder/x.npy: No such file or directory");
    assert_int_equal(kn_save(path_of("none.npy"), kn_random_key(0)), -1);
    expect_error("TypeError", "save: random keys are not saved; save what kn_random_key_data gives");
    kn_call(kn_jit(KN_FN(saves)), &y, &x);
    expect_error_with("ConcretizationError", "save: ");
}

KN_TEST_GROUP(test_archive)
{
    const struct CMUnitTest tests[] = {
        TEST(a_saved_array_comes_back),
        TEST(archives_hold_arrays_by_name),
        TEST(compressed_archives),
        TEST(load_takes_an_archive_of_one),
        TEST(numpys_archives_are_read),
        TEST(a_loaded_array_is_a_constant_of_a_trace),
        TEST(what_is_not_there_is_an_error),
        TEST(what_is_no_array_is_an_error),
        TEST(what_cannot_be_saved_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
