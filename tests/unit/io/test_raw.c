/* SPDX-License-Identifier: Apache-2.0
 * test_raw.c -- elements without a header; open streams; files that are written as a whole or not at all. */
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

REMOVE_FOLDER("a.bin", "a.txt", "a.txt.gz", "a.npy", "a.npz", "many.npy", "link.npy", "second.npy", "latin1.txt",
              "broken.txt.gz")

static int make_folder_without_signals(void **state)
{
    signal(SIGXFSZ, SIG_IGN);
    return make_folder(state);
}

static void write_text(const char *name, const char *text, size_t n)
{
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    fwrite(text, 1, n, f);
    fclose(f);
}

static void expect_file(const char *name, const char *want)
{
    char have[4096] = "";
    FILE *f = fopen(path_of(name), "rb");
    assert_non_null(f);
    have[fread(have, 1, sizeof have - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(have, want);
}

static void elements_there_and_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_I16), KN_SHAPE(2, 3));
    assert_int_equal(kn_tofile(kn_transpose(x), path_of("a.bin")), 0);
    expect_values(kn_fromfile(path_of("a.bin"), .dtype = KN_I16), 0, 3, 1, 4, 2, 5);
    expect_values(kn_fromfile(path_of("a.bin"), .dtype = KN_I16, .offset = 4, .count = 2), 1, 4);
    const int16_t pairs[] = {3, 1, 4, 2};
    int32_t wide[2];
    memcpy(wide, pairs, sizeof wide);
    expect_values(kn_fromfile(path_of("a.bin"), .dtype = KN_I32, .offset = 2, .count = 9), wide[0], wide[1]);
    assert_int_equal(kn_size(kn_fromfile(path_of("a.bin"), .count = 0)), 0);
    assert_int_equal(kn_size(kn_fromfile(path_of("a.bin"), .offset = 100)), 0);
    kn_fromfile(path_of("a.bin"), .offset = -1);
    expect_error("ValueError", "fromfile: offset must be nonnegative");
    kn_fromfile(path_of("none"));
    expect_error_with("FileError", "none: No such file or directory");
}

static void texts_there_and_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tofile(kn_of(double, 1, 2.5, -3e100), path_of("a.txt"), .sep = ", ");
    expect_file("a.txt", "1.0, 2.5, -3e+100");
    expect_values(kn_fromfile(path_of("a.txt"), .sep = ","), 1, 2.5, -3e100);
    kn_tofile(kn_of(float, 0.1f), path_of("a.txt"), .sep = " ");
    expect_file("a.txt", "0.10000000149011612");
    kn_tofile(kn_of(int, 1, -20), path_of("a.txt"), .sep = "\n", .format = "%05d");
    expect_file("a.txt", "00001\n-0020");
    expect_values(kn_fromfile(path_of("a.txt"), .sep = " ", .dtype = KN_I64, .count = 1), 1);
    kn_tofile(kn_of(bool, true, false), path_of("a.txt"), .sep = " ");
    expect_file("a.txt", "True False");
    kn_fromfile(path_of("a.txt"), .sep = " ", .offset = 1);
    expect_error("TypeError", "fromfile: 'offset' argument only permitted for binary files");
}

static void bytes_of_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    uint8_t b[6];
    kn_array x = kn_of(uint8_t, 1, 2, 3, 4, 5, 6), m = kn_reshape(x, KN_SHAPE(2, 3));
    assert_int_equal(kn_tobytes(m, NULL, 0), 6);
    assert_int_equal(kn_tobytes(m, b, 6), 6);
    assert_memory_equal(b, "\1\2\3\4\5\6", 6);
    assert_int_equal(kn_tobytes(m, b, 6, .order = "F"), 6);
    assert_memory_equal(b, "\1\4\2\5\3\6", 6);
    assert_int_equal(kn_tobytes(kn_transpose(m), b, 6, .order = "A"), 6);
    assert_memory_equal(b, "\1\2\3\4\5\6", 6);
    assert_int_equal(kn_tobytes(kn_transpose(m), b, 6), 6);
    assert_memory_equal(b, "\1\4\2\5\3\6", 6);
    assert_int_equal(kn_tobytes(m, b, 5), -1);
    expect_error("ValueError", "tobytes: the array has 6 bytes, there is room for 5");
    assert_int_equal(kn_tobytes(m, b, 6, .order = "Q"), -1);
    expect_error("ValueError", "tobytes: order must be one of 'C', 'F', 'A', or 'K' (got 'Q')");
}

static void streams_go_on_where_an_array_ended(void **state)
{
    (void)state;
    KN_SCOPE;
    FILE *f = fopen(path_of("many.npy"), "w+b");
    for (int i = 0; i < 3; i++)
        assert_int_equal(kn_save(NULL, kn_full(KN_SHAPE(i, 2), i), .file = f), 0);
    long end = ftell(f);
    kn_savetxt(NULL, kn_of(int, 7, 8), .fmt = "%d", .file = f);
    rewind(f);
    for (int i = 0; i < 3; i++) {
        kn_array x = kn_load(NULL, .file = f);
        assert_int_equal(kn_dim(x, 0), i);
        assert_true(kn_all(kn_equal(x, i)) && kn_ok(x));
    }
    assert_int_equal(ftell(f), end);
    expect_values(kn_loadtxt(NULL, .file = f, .max_rows = 1), 7);
    expect_values(kn_loadtxt(NULL, .file = f), 8);
    kn_load(NULL, .file = f);
    expect_error("FileError", "load: No data left in file");
    rewind(f);
    kn_load(NULL, .file = f);
    long second = ftell(f);
    fclose(f);
    expect_values(kn_load(path_of("many.npy"), .offset = second), 1, 1);
    kn_load(path_of("many.npy"), .offset = second + 1);
    expect_error_with("ValueError", "This file contains pickled (object) data.");
    kn_load(path_of("many.npy"), .file = stdin);
    expect_error("ValueError", "load: give one of a path and .file");
}

static void pipes_are_read_and_written(void **state)
{
    (void)state;
    KN_SCOPE;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    FILE *in = fdopen(fd[0], "rb"), *out = fdopen(fd[1], "wb");
    kn_array x = kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3));
    assert_int_equal(kn_save(NULL, x, .file = out), 0);
    assert_int_equal(kn_tofile(kn_of(int, 4, 5, 6), NULL, .file = out), 0);
    assert_int_equal(kn_savetxt(NULL, kn_of(int, 1, 2), .fmt = "%d", .file = out), 0);
    assert_true(kn_array_equal(kn_load(NULL, .file = in), x));
    expect_values(kn_fromfile(NULL, .file = in, .dtype = KN_I32, .count = 3), 4, 5, 6);
    fclose(out);
    expect_values(kn_loadtxt(NULL, .file = in), 1, 2);
    fclose(in);
}

static void texts_through_gzip(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(1), KN_SHAPE(300, 7));
    if (kn_savetxt(path_of("a.txt.gz"), x) != 0) {
        expect_error_with("NotImplementedError", "gzip needs zlib");
        return;
    }
    assert_true(kn_array_equal(kn_loadtxt(path_of("a.txt.gz")), x));
    assert_true(kn_array_equal(kn_genfromtxt(path_of("a.txt.gz")), x));
    write_text("broken.txt.gz", "1 2\n", 4);
    kn_loadtxt(path_of("broken.txt.gz"));
    expect_error_with("FileError", "broken.txt.gz: Not a gzipped file");
    char bytes[400];
    FILE *f = fopen(path_of("a.txt.gz"), "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), sizeof bytes);
    fclose(f);
    write_text("broken.txt.gz", bytes, sizeof bytes);
    kn_loadtxt(path_of("broken.txt.gz"));
    expect_error_with("FileError", "Compressed file ended before the end-of-stream marker was reached");
    kn_loadtxt("a.bz2");
    expect_error("NotImplementedError", "loadtxt: a.bz2: compressed files other than gzip are not read");
}

static void encodings(void **state)
{
    (void)state;
    KN_SCOPE;
    write_text("latin1.txt",
               "1\xa7"
               "2 # \xfc\n",
               8);
    expect_values(kn_loadtxt(path_of("latin1.txt"), .encoding = "latin1", .delimiter = "\u00a7"), 1, 2);
    kn_loadtxt(path_of("latin1.txt"));
    expect_error("ValueError", "loadtxt: 'utf-8' codec can't decode byte 0xa7 in position 1: invalid start byte");
    kn_loadtxt(path_of("latin1.txt"), .encoding = "ascii");
    expect_error("ValueError",
                 "loadtxt: 'ascii' codec can't decode byte 0xa7 in position 1: ordinal not in range(128)");
    kn_loadtxt(path_of("latin1.txt"), .encoding = "utf-16");
    expect_error("ValueError", "loadtxt: unknown encoding: utf-16");
    write_text("latin1.txt",
               "\xef\xbb\xbf"
               "3 4\n",
               7);
    expect_values(kn_loadtxt(path_of("latin1.txt"), .encoding = "utf-8-sig"), 3, 4);
    kn_savetxt(path_of("latin1.txt"), kn_of(int, 1), .fmt = "%d\u00a7", .encoding = "latin1");
    expect_file("latin1.txt", "1\xa7\n");
    kn_savetxt(path_of("latin1.txt"), kn_of(int, 1), .fmt = "%d\u20ac", .encoding = "latin1");
    expect_error_with("ValueError", "'latin-1' codec can't encode a character: ordinal not in range(256)");
    expect_file("latin1.txt", "1\xa7\n");
}

/* What means something stands across the places where texts are read on: 128 KiB of a file at a time. */
static void rows_across_pieces(void **state)
{
    (void)state;
    enum { PIECE = 1 << 17 };
    static const char rows[] = "\"1\"\"\"\u00a7\"2\n\" # \u20ac\r\n3\u00a74\r\n\r\n5\u00a7 6 # c\r\n";
    static char text[PIECE + sizeof rows];
    for (int back = 0; back <= (int)sizeof rows; back++) {
        KN_SCOPE;
        size_t n = (size_t)(PIECE - back);
        memset(text, 'x', n);
        text[0] = '#';
        text[n - 1] = '\n';
        memcpy(text + n, rows, sizeof rows - 1);
        write_text("a.txt", text, n + sizeof rows - 1);
        kn_loadtxt(path_of("a.txt"), .delimiter = "\u00a7", .quotechar = "\"");
        expect_error("ValueError", "loadtxt: could not convert string '1\"' to float64 at row 0, column 1.");
        expect_values(kn_loadtxt(path_of("a.txt"), .delimiter = "\u00a7", .quotechar = "\"", .usecols = KN_INTS(1)), 2,
                      4, 6);
        memcpy(text + n, "1 2 // c\r\n3 4 # d\r5 6", 22);
        write_text("a.txt", text, n + 21);
        expect_values(kn_loadtxt(path_of("a.txt"), .several_comments = KN_TEXTS("#", "//")), 1, 2, 3, 4, 5, 6);
        expect_values(kn_genfromtxt(path_of("a.txt"), .usecols = KN_INTS(0), .skip_header = 1), 1, 3, 5);
    }
}

/* ---- Converters. */

static bool percent(void *env, const char *field, size_t length, void *element)
{
    char *end;
    *(double *)element = strtod(field, &end) / *(double *)env;
    return length && *end == '%';
}

static void converters_read_columns(void **state)
{
    (void)state;
    KN_SCOPE;
    double hundred = 100;
    expect_values(kn_loadtxt(NULL, .text = "1 50%\n2 25%\n",
                             .converters = KN_TEXT_COLUMNS({.column = 1, .convert = percent, .env = &hundred})),
                  1, 0.5, 2, 0.25);
    expect_values(kn_loadtxt(NULL, .text = "1 50%\n", .usecols = KN_INTS(-1),
                             .converters = KN_TEXT_COLUMNS({.column = -1, .convert = percent, .env = &hundred})),
                  0.5);
    expect_values(kn_loadtxt(NULL, .text = "10%,50%\n", .delimiter = ",", .converter = percent, .env = &hundred), 0.1,
                  0.5);
    kn_loadtxt(NULL, .text = "1 50%\n2 x\n",
               .converters = KN_TEXT_COLUMNS({.column = 1, .convert = percent, .env = &hundred}));
    expect_error("ValueError", "loadtxt: could not convert string 'x' to float64 at row 1, column 2.");
    kn_loadtxt(NULL, .text = "1 2\n", .converters = KN_TEXT_COLUMNS({.column = 2, .convert = percent}));
    expect_error("ValueError",
                 "loadtxt: converter specified for column 2, which is invalid for the number of fields 2.");
    expect_values(kn_genfromtxt(NULL, .text = "1,50%,\n2,x,N/A\n", .delimiter = ",",
                                .columns = KN_TEXT_COLUMNS(
                                    {.column = 1, .convert = percent, .env = &hundred, .filling_value = kn_num(7)},
                                    {.column = 2, .missing_values = "N/A", .filling_value = kn_num(-1)})),
                  1, 0.5, -1, 2, 7, -1);
    kn_genfromtxt(NULL, .text = "a b\n1 2\n", .names = "a,b");
    expect_error("NotImplementedError",
                 "genfromtxt: names of columns make a structured array, which Kiln does not have");
    kn_genfromtxt(NULL, .text = "1 2.5\n", .detect = true);
    expect_error("NotImplementedError",
                 "genfromtxt: columns of dtypes int64 and float64 make a structured array, which Kiln does not have");
    kn_genfromtxt(NULL, .text = "x 1\n", .detect = true);
    expect_error("NotImplementedError", "genfromtxt: column 0 is text, and Kiln has no arrays of texts");
    kn_genfromtxt(NULL, .text = "1 x\n", .detect = true);
    expect_error("NotImplementedError", "genfromtxt: column 1 is text, and Kiln has no arrays of texts");
}

/* ---- Files as a whole or not at all. */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array old = kn_of(int, 1, 2, 3), large = kn_ones(KN_SHAPE(1000, 100));
    kn_save(path_of("a.npy"), old);
    kn_savez(path_of("a.npz"), KN_NAMED("old", old));
    kn_savetxt(path_of("a.txt"), old, .fmt = "%d");
    kn_tofile(old, path_of("a.bin"));
    kn_eval(large);
    limit_files(100000);
    assert_int_equal(kn_save(path_of("a.npy"), large), -1);
    expect_error_with("FileError", "a.npy: File too large");
    assert_int_equal(kn_savez(path_of("a.npz"), KN_NAMED("x", large)), -1);
    expect_error_with("FileError", "a.npz: File too large");
    assert_int_equal(kn_savetxt(path_of("a.txt"), large), -1);
    expect_error_with("FileError", "a.txt: File too large");
    assert_int_equal(kn_tofile(large, path_of("a.bin")), -1);
    expect_error_with("FileError", "a.bin: File too large");
    limit_files(RLIM_INFINITY);
    assert_true(kn_array_equal(kn_load(path_of("a.npy")), old));
    assert_true(kn_array_equal(kn_archive_get(kn_load_npz(path_of("a.npz")), "old"), old));
    expect_file("a.txt", "1\n2\n3\n");
    expect_values(kn_fromfile(path_of("a.bin"), .dtype = KN_I32), 1, 2, 3);
    assert_int_equal(kn_savetxt(path_of("a.txt"), old, .fmt = "%x%q"), -1);
    expect_error_with("ValueError", "fmt has wrong number of % formats");
    expect_file("a.txt", "1\n2\n3\n");
}

static void devices_and_links_are_written_in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    struct stat s;
    kn_array large = kn_ones(KN_SHAPE(1000)), one = kn_of(int, 1);
    assert_int_equal(kn_tofile(large, "/dev/full"), -1);
    expect_error_with("FileError", "/dev/full: No space left on device");
    assert_int_equal(stat("/dev/full", &s), 0);
    assert_true(S_ISCHR(s.st_mode));
    assert_int_equal(kn_tofile(large, "/dev/null"), 0);
    kn_save(path_of("a.npy"), large);
    assert_int_equal(chmod(path_of("a.npy"), 0640), 0);
    assert_int_equal(symlink(path_of("a.npy"), path_of("link.npy")), 0);
    assert_int_equal(kn_save(path_of("link.npy"), one), 0); /* the link stays, and what it points to is replaced */
    assert_int_equal(lstat(path_of("link.npy"), &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    expect_values(kn_load(path_of("a.npy")), 1);
    assert_int_equal(stat(path_of("a.npy"), &s), 0);
    assert_int_equal(s.st_mode & 0777, 0640);
    assert_int_equal(link(path_of("a.npy"), path_of("second.npy")), 0);
    assert_int_equal(kn_save(path_of("a.npy"), kn_of(int, 5)), 0); /* both names stay names of one file */
    expect_values(kn_load(path_of("second.npy")), 5);
}

static void formats_are_read_as_far_as_they_are_used(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_of(double, 1, 2);
    assert_int_equal(kn_savetxt(path_of("a.txt"), m, .fmts = KN_TEXTS("%d%d%q")), -1);
    expect_error("TypeError", "savetxt: Mismatch between array dtype ('float64') and format specifier ('%d%d%q')");
    assert_int_equal(kn_savetxt(path_of("a.txt"), m, .fmt = "%q"), -1);
    expect_error("ValueError", "savetxt: unsupported format character 'q' (0x71) at index 1");
    assert_int_equal(kn_savetxt(path_of("a.txt"), kn_zeros(KN_SHAPE(0, 1)), .fmt = "%q"), 0);
    expect_file("a.txt", "");
    assert_int_equal(kn_savetxt(path_of("a.txt"), kn_astype(m, KN_C128), .fmt = "%x"), -1);
    expect_error("TypeError", "savetxt: %x format: an integer is required, not numpy.float64");
    assert_int_equal(kn_tofile(m, path_of("a.bin"), .sep = " ", .format = "%(a)d"), -1);
    expect_error("TypeError", "tofile: format requires a mapping");
}

static void what_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_of(int, 1);
    assert_int_equal(kn_savetxt("/no/such/folder/a.txt", one), -1);
    expect_error("FileError", "savetxt: /no/such/folder/a.txt: No such file or directory");
    assert_int_equal(kn_tofile(one, folder), -1);
    expect_error_with("FileError", ": Is a directory");
    kn_save(path_of("a.npy"), one);
    chmod(path_of("a.npy"), 0400);
    if (geteuid() != 0) { /* who may write to everything may write here */
        assert_int_equal(kn_save(path_of("a.npy"), one), -1);
        expect_error_with("FileError", "a.npy: Permission denied");
    }
    assert_int_equal(kn_save(NULL, one), -1);
    expect_error("TypeError", "save: null path");
    assert_int_equal(kn_savetxt(path_of("a.txt"), kn_scalar(1)), -1);
    expect_error("ValueError", "savetxt: Expected 1D or 2D array, got 0D array instead");
}

KN_TEST_GROUP(test_raw)
{
    const struct CMUnitTest tests[] = {
        TEST(elements_there_and_back),
        TEST(texts_there_and_back),
        TEST(bytes_of_arrays),
        TEST(streams_go_on_where_an_array_ended),
        TEST(pipes_are_read_and_written),
        TEST(texts_through_gzip),
        TEST(encodings),
        TEST(rows_across_pieces),
        TEST(converters_read_columns),
        TEST(a_failed_write_leaves_the_old_file),
        TEST(devices_and_links_are_written_in_place),
        TEST(formats_are_read_as_far_as_they_are_used),
        TEST(what_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder_without_signals, remove_folder);
}
