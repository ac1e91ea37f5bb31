/* SPDX-License-Identifier: Apache-2.0
 * test_loading.c -- files that are not what they say, through kn_load; texts and files inside of recorded functions;
 * numpy.lib.format. */
#include "support/expect.h"
#include "support/group.h"
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/kiln-loading-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_bytes(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* An npy file of version 1 with this header, blanks behind it up to `length`, and `n` zero bytes. */
static void write_npy(const char *header, size_t length, size_t n)
{
    char *bytes = calloc(1, 10 + length + n);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (char)(length & 0xff);
    bytes[9] = (char)(length >> 8);
    memset(bytes + 10, ' ', length);
    memcpy(bytes + 10, header, strlen(header));
    write_bytes(bytes, 10 + length + n);
    free(bytes);
}

static void files_that_are_something_else(void **state)
{
    (void)state;
    KN_SCOPE;
    write_bytes("", 0);
    kn_load(path);
    expect_error("FileError", "load: No data left in file");
    static const char pickle[] = "\x80\x04\x95\x0b\0\0\0\0\0\0\0]\x94(K\1K\2K\3e.";
    write_bytes(pickle, sizeof pickle - 1);
    kn_load(path);
    expect_error("ValueError",
                 "load: This file contains pickled (object) data. If you trust the file you can load it unsafely using "
                 "the `allow_pickle=` keyword argument or `pickle.load()`.");
    kn_load(path, .allow_pickle = true);
    expect_error("NotImplementedError", "load: pickled objects are Python's; allow_pickle has no meaning here");
    write_bytes("\x93NUMPY\1\0", 8);
    kn_load(path);
    expect_error("ValueError", "load: EOF: reading array header length, expected 2 bytes got 0");
    write_bytes("\x93NUMPY\4\0\0\0", 10);
    kn_load(path);
    expect_error("ValueError", "load: we only support format version (1,0), (2,0), and (3,0), not (4, 0)");
    write_npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 118, 64);
    kn_load(path);
    expect_error("ValueError", "load: Object arrays cannot be loaded when allow_pickle=False");
}

static void files_that_say_too_much(void **state)
{
    (void)state;
    KN_SCOPE;
    const char *header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}";
    write_npy(header, 118, 16);
    kn_load(path);
    expect_error("ValueError", "load: Failed to read all data for array. Expected (2, 3) = 6 elements, could only read "
                               "4 elements. (file seems not fully written?)");
    write_npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1000000000000,)}", 118, 16);
    kn_load(path);
    expect_error("ValueError", "load: Failed to read all data for array. Expected (1000000000000,) = 1000000000000 "
                               "elements, could only read 4 elements. (file seems not fully written?)");
    write_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 118, 16);
    kn_load(path);
    expect_error("ValueError", "load: array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
                               "possible size.");
    write_npy(header, 20000, 24);
    kn_load(path);
    expect_error("ValueError", "load: Header info length (20000) is large and may not be safe to load securely.\n"
                               "To allow loading, adjust `max_header_size` or fully trust the `.npy` file using "
                               "`allow_pickle=True`.\n"
                               "For safety against large resource use or crashes, sandboxing may be necessary.");
    expect_values(kn_load(path, .max_header_size = -1), 0, 0, 0, 0, 0, 0);
    expect_values(kn_load(path, .max_header_size = 20000), 0, 0, 0, 0, 0, 0);
    write_npy(header, 118, 24);
    expect_values(kn_load(path), 0, 0, 0, 0, 0, 0);
}

static void the_order_of_axes_stays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3)), t = kn_transpose(x);
    FILE *f = fopen(path, "w+b");
    kn_save(NULL, t, .file = f);
    long bytes = ftell(f);
    char first[300], second[300];
    rewind(f);
    assert_int_equal(fread(first, 1, sizeof first, f), (size_t)bytes);
    assert_non_null(strstr(first + 10, "'fortran_order': True, 'shape': (3, 2), }"));
    rewind(f);
    kn_array y = kn_load(NULL, .file = f);
    assert_true(kn_array_equal(y, t));
    assert_true(kn_flags_of(y).f_contiguous && !kn_flags_of(y).c_contiguous);
    assert_int_equal(kn_strides_of(y).stride[0], 8);
    rewind(f);
    kn_save(NULL, y, .file = f);
    rewind(f);
    assert_int_equal(fread(second, 1, sizeof second, f), (size_t)bytes);
    assert_memory_equal(first, second, (size_t)bytes);
    fclose(f);
    kn_set_at(y, 7, "1, 0"); /* it can be written to */
    expect_values(kn_ravel(y), 0, 3, 7, 4, 2, 5);
}

/* ---- Recorded functions. */

static kn_array plus_table(const kn_array *x) { return kn_add(*x, kn_loadtxt(NULL, .text = "1 2 3\n")); }
KN_FUNCTION(plus_table, kn_array, kn_array)

static kn_array saved_table(const kn_array *x)
{
    kn_savetxt(path, *x);
    return *x;
}
KN_FUNCTION(saved_table, kn_array, kn_array)

static kn_array plus_mapped(const kn_array *x) { return kn_mul(*x, kn_memmap(path, .mode = "r", .dtype = KN_F64)); }
KN_FUNCTION(plus_mapped, kn_array, kn_array)

static void files_are_constants_of_recorded_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 10, 20, 30), y = NULL;
    kn_call(kn_jit(KN_FN(plus_table)), &y, &x);
    expect_values(y, 11, 22, 33);
    kn_tofile(x, path);
    kn_call(kn_jit(KN_FN(plus_mapped)), &y, &x);
    expect_values(y, 100, 400, 900);
    kn_call(kn_jit(KN_FN(saved_table)), &y, &x);
    expect_error_with("ConcretizationError", "savetxt: ");
    kn_array m = kn_reshape(kn_arange(0, 4, 1), KN_SHAPE(2, 2));
    kn_call(kn_vmap(KN_FN(saved_table)), &y, &m);
    expect_error_with("ConcretizationError", "savetxt: ");
}

/* ---- numpy.lib.format. */

static void headers_there_and_back(void **state)
{
    (void)state;
    KN_SCOPE;
    int major = 0, minor = 0;
    kn_npy_header h = {.dtype = KN_C64, .shape = KN_SHAPE(2, 5), .fortran_order = true};
    FILE *f = fopen(path, "w+b");
    assert_int_equal(kn_format_write_array_header_2_0(f, &h), 0);
    long end = ftell(f);
    assert_int_equal(end % KN_FORMAT_ARRAY_ALIGN, 0);
    rewind(f);
    assert_int_equal(kn_format_read_magic(f, &major, &minor), 0);
    assert_true(major == 2 && minor == 0 && ftell(f) == KN_FORMAT_MAGIC_LEN);
    h = kn_format_read_array_header_2_0(f);
    assert_true(h.dtype == KN_C64 && h.shape.ndim == 2 && h.shape.dim[1] == 5 && h.fortran_order && !h.swapped);
    assert_int_equal(ftell(f), end);
    kn_format_read_magic(f, &major, &minor);
    expect_error("ValueError", "format_read_magic: EOF: reading magic string, expected 8 bytes got 0");
    rewind(f);
    fputs("no magic", f);
    rewind(f);
    assert_int_equal(kn_format_read_magic(f, &major, &minor), -1);
    expect_error("ValueError",
                 "format_read_magic: the magic string is not correct; expected b'\\x93NUMPY', got b'no mag'");
    fclose(f);
    kn_format_write_array(stdout, kn_of(int, 1), .version = 7);
    expect_error("ValueError",
                 "format_write_array: we only support format version (1,0), (2,0), and (3,0), not (7, 0)");
    kn_format_magic(256, 0);
    expect_error("ValueError", "format_magic: major version must be 0 <= major < 256");
}

static void descrs_of_dtypes(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_string_equal(kn_format_dtype_to_descr(KN_F64), "<f8");
    assert_string_equal(kn_format_dtype_to_descr(KN_U8), "|u1");
    assert_string_equal(kn_format_dtype_to_descr(KN_BOOL), "|b1");
    assert_ptr_equal(kn_format_descr_to_dtype("<c8"), KN_C64);
    assert_null(kn_format_descr_to_dtype(">f8"));
    expect_error_with("NotImplementedError", "'>f8' is byte-swapped");
    assert_null(kn_format_descr_to_dtype("xyz"));
    expect_error("ValueError", "format_descr_to_dtype: descr is not a valid dtype descriptor: 'xyz'");
}

KN_TEST_GROUP(test_loading)
{
    const struct CMUnitTest tests[] = {
        TEST(files_that_are_something_else), TEST(files_that_say_too_much),
        TEST(the_order_of_axes_stays),       TEST(files_are_constants_of_recorded_functions),
        TEST(headers_there_and_back),        TEST(descrs_of_dtypes)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
