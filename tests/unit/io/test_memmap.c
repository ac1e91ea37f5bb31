/* SPDX-License-Identifier: Apache-2.0
 * test_memmap.c -- files as memory: what is written to the array is in the file; modes, shapes, orders; npy files. */
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

REMOVE_FOLDER("a.bin", "b.bin", "a.npy", "b.npy", "f.npy", "big.npy", "bool.npy")

static long long size_of(const char *name)
{
    struct stat s;
    return stat(path_of(name), &s) == 0 ? (long long)s.st_size : -1;
}

static void read_doubles(const char *name, double *to, size_t n)
{
    FILE *f = fopen(path_of(name), "rb");
    assert_non_null(f);
    assert_int_equal(fread(to, sizeof *to, n, f), n);
    fclose(f);
}

static void what_is_written_is_in_the_file(void **state)
{
    (void)state;
    double v[6];
    {
        KN_SCOPE;
        kn_array m = kn_memmap(path_of("a.bin"), .mode = "w+", .dtype = KN_F64, .shape = &KN_SHAPE(2, 3));
        assert_true(kn_ok(m));
        assert_int_equal(size_of("a.bin"), 48);
        kn_set_at(m, 7, "1, 2");
        kn_array row = kn_at(m, "0");
        kn_iadd(row, kn_of(double, 1, 2, 3));
        assert_int_equal(kn_memmap_flush(row), 0);
        read_doubles("a.bin", v, 6);
        assert_true(v[0] == 1 && v[1] == 2 && v[2] == 3 && v[3] == 0 && v[5] == 7);
        kn_imul(kn_at(m, ":, ::2"), 10);
    } /* the last array of that memory dies: what waits is written */
    read_doubles("a.bin", v, 6);
    assert_true(v[0] == 10 && v[1] == 2 && v[2] == 30 && v[5] == 70);
}

static void writes_follow_the_mode(void **state)
{
    (void)state;
    KN_SCOPE;
    double v[2];
    kn_tofile(kn_of(double, 1, 2), path_of("b.bin"));
    kn_array r = kn_memmap(path_of("b.bin"), .mode = "r", .dtype = KN_F64);
    kn_set_at(r, 5, "0");
    expect_error_with("ValueError", "assignment destination is read-only");
    kn_set_at(kn_at(r, "1:"), 5, "0");
    expect_error_with("ValueError", "assignment destination is read-only");
    kn_array c = kn_memmap(path_of("b.bin"), .mode = "copyonwrite", .dtype = KN_F64);
    kn_set_at(c, 5, "0");
    expect_values(c, 5, 2);
    assert_int_equal(kn_memmap_flush(c), 0);
    read_doubles("b.bin", v, 2);
    assert_true(v[0] == 1 && v[1] == 2);
    kn_array w = kn_memmap(path_of("b.bin"), .dtype = KN_F64);
    kn_set_at(w, 6, "1");
    assert_int_equal(kn_memmap_flush(w), 0);
    read_doubles("b.bin", v, 2);
    assert_true(v[1] == 6);
    expect_values(r, 1, 6);
}

static void it_has_a_name_an_offset_and_a_mode(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tofile(kn_arange(0, 8, 1, .dtype = KN_F32), path_of("a.bin"));
    kn_array m = kn_memmap(path_of("a.bin"), .dtype = KN_F32, .offset = 12, .shape = &KN_SHAPE(2, 2), .order = "F");
    expect_values(kn_ravel(m), 3, 5, 4, 6);
    assert_int_equal(kn_strides_of(m).stride[0], 4);
    assert_int_equal(kn_strides_of(m).stride[1], 8);
    kn_array view = kn_at(m, "1, :");
    assert_string_equal(kn_memmap_filename(view), path_of("a.bin"));
    assert_int_equal(kn_memmap_offset(m), 12);
    assert_string_equal(kn_memmap_mode(m), "r+");
    assert_string_equal(kn_memmap_mode(kn_memmap(path_of("a.bin"), .mode = "readonly")), "r");
    kn_array other = kn_add(m, 1);
    assert_null(kn_memmap_filename(other));
    assert_null(kn_memmap_mode(other));
    assert_int_equal(kn_memmap_offset(other), -1);
    assert_int_equal(kn_memmap_flush(other), -1);
    expect_error("TypeError", "memmap_flush: the array is not a file in memory");
}

static void files_grow_as_with_numpy(void **state)
{
    (void)state;
    KN_SCOPE;
    unlink(path_of("a.bin"));
    kn_array m = kn_memmap(path_of("a.bin"), .mode = "w+", .shape = &KN_SHAPE(0, 3));
    assert_int_equal(kn_size(m), 0);
    assert_int_equal(size_of("a.bin"), 1);
    m = kn_memmap(path_of("a.bin"), .mode = "r+", .dtype = KN_I32, .shape = &KN_SHAPE(5), .offset = 4);
    assert_int_equal(size_of("a.bin"), 24);
    expect_values(m, 0, 0, 0, 0, 0);
    kn_memmap(path_of("a.bin"), .mode = "r", .dtype = KN_I32, .shape = &KN_SHAPE(7));
    expect_error("ValueError", "memmap: mmap length is greater than file size");
    kn_memmap(path_of("a.bin"), .mode = "r", .dtype = KN_F64, .offset = 4);
    expect_error_with("ValueError", "offset 4 is not a multiple of 8, as elements of dtype float64 need it");
    kn_memmap(path_of("a.bin"), .mode = "r", .dtype = KN_C128);
    expect_error("ValueError", "memmap: Size of available data is not a multiple of the data-type size.");
}

static void what_cannot_be_mapped_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_memmap(path_of("none.bin"), .mode = "r");
    expect_error_with("FileError", "none.bin: No such file or directory");
    kn_memmap(path_of("a.bin"), .mode = "x");
    expect_error("ValueError", "memmap: mode must be one of ['r', 'c', 'r+', 'w+', 'readonly', 'copyonwrite', "
                               "'readwrite', 'write'] (got 'x')");
    kn_memmap(path_of("a.bin"), .mode = "w+");
    expect_error("ValueError", "memmap: shape must be given if mode == 'w+'");
    kn_memmap(path_of("a.bin"), .offset = -1);
    expect_error("ValueError", "memmap: memory mapped offset must be positive");
    kn_memmap(path_of("a.bin"), .shape = &KN_SHAPE(-1));
    expect_error("ValueError", "memmap: negative dimensions are not allowed");
    kn_memmap(folder, .mode = "r");
    expect_error_with("FileError", ": Is a directory");
    kn_memmap(path_of("a.bin"), .offset = 1 << 20, .mode = "r");
    expect_error_with("ValueError", "behind the end of the file");
}

static void npy_files_are_mapped(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_I32), KN_SHAPE(2, 3));
    kn_save(path_of("a.npy"), x);
    kn_save(path_of("f.npy"), kn_transpose(x));
    kn_array m = kn_load(path_of("a.npy"), .mmap_mode = "r+"), t = kn_load(path_of("f.npy"), .mmap_mode = "r");
    assert_true(kn_array_equal(m, x));
    assert_true(kn_array_equal(t, kn_transpose(x)));
    assert_true(kn_flags_of(t).f_contiguous && !kn_flags_of(t).c_contiguous);
    assert_int_equal(kn_memmap_offset(m), 128);
    kn_set_at(m, 9, "0, 0");
    assert_int_equal(kn_memmap_flush(m), 0);
    expect_values(kn_at(kn_load(path_of("a.npy")), "0"), 9, 1, 2);
    kn_array w = kn_format_open_memmap(path_of("b.npy"), .mode = "w+", .dtype = KN_F64, .shape = &KN_SHAPE(2, 2),
                                       .fortran_order = true);
    kn_set_at(w, 4, "0, 1");
    assert_int_equal(kn_memmap_flush(w), 0);
    kn_array again = kn_load(path_of("b.npy"));
    expect_values(kn_ravel(again), 0, 4, 0, 0);
    kn_format_open_memmap(path_of("b.npy"), .mode = "w+");
    expect_error("ValueError", "open_memmap: shape must be given if mode == 'w+'");
}

static void npy_files_that_cannot_be_mapped(void **state)
{
    (void)state;
    /* of the order that this machine does not have */
    const bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    static const char other[] = "\x93NUMPY\1\0v\0{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }";
    char bytes[132];
    KN_SCOPE;
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, other, sizeof other - 1);
    if (is_big)
        *(char *)memchr(bytes, '>', sizeof bytes) = '<';
    bytes[127] = '\n';
    memcpy(bytes + 128, is_big ? "\1\0\2" : "\0\1\0\2", 4);
    FILE *f = fopen(path_of("big.npy"), "wb");
    fwrite(bytes, 1, sizeof bytes, f);
    fclose(f);
    expect_values(kn_load(path_of("big.npy")), 1, 2);
    kn_load(path_of("big.npy"), .mmap_mode = "r");
    expect_error("NotImplementedError", "load: byte-swapped elements are not mapped into memory; kn_load reads them");
    kn_save(path_of("bool.npy"), kn_of(bool, true, false));
    f = fopen(path_of("bool.npy"), "r+b");
    fseek(f, -1, SEEK_END);
    putc(7, f);
    fclose(f);
    expect_values(kn_load(path_of("bool.npy")), 1, 1);
    kn_load(path_of("bool.npy"), .mmap_mode = "r");
    expect_error_with("ValueError", "there are bytes that are neither true nor false");
    kn_load(path_of("bool.npy"), .mmap_mode = "w+");
    expect_error_with("ValueError", "mode must be one of 'r', 'r+' and 'c'");
}

static kn_array doubled(const kn_array *x) { return kn_mul(*x, 2); }
KN_FUNCTION(doubled, kn_array, kn_array)

static void functions_take_mapped_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tofile(kn_of(double, 1, 2, 3), path_of("a.bin"));
    kn_array m = kn_memmap(path_of("a.bin"), .dtype = KN_F64, .mode = "r"), y;
    kn_call(kn_jit(KN_FN(doubled)), &y, &m);
    expect_values(y, 2, 4, 6);
    expect_values(kn_sum(m), 6);
}

KN_TEST_GROUP(test_memmap)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_in_the_file),     TEST(writes_follow_the_mode),
        TEST(it_has_a_name_an_offset_and_a_mode), TEST(files_grow_as_with_numpy),
        TEST(what_cannot_be_mapped_is_an_error),  TEST(npy_files_are_mapped),
        TEST(npy_files_that_cannot_be_mapped),    TEST(functions_take_mapped_arrays),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
