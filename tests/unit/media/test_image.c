/* SPDX-License-Identifier: Apache-2.0
 * test_image.c -- pictures in files: what Pillow and netpbm wrote is read, what is written is read again, what is damaged is
 * an error. */
#include "files.h"
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include <kiln/media.h>
#ifndef KN_HAVE_PNG
#define KN_HAVE_PNG 0 /* was kiln_media built with libpng? */
#endif

REMOVE_FOLDER("a.png", "a.pgm", "a.ppm", "a.gif")

static kn_array load(const void *bytes, size_t n)
{
    FILE *f = fmemopen((void *)(uintptr_t)bytes, n, "rb");
    kn_array x = kn_image_load(NULL, .file = f);
    fclose(f);
    return x;
}
#define LOAD(bytes) load(bytes, sizeof(bytes))

static void expect_shape(kn_array x, kn_dtype dtype, int ndim, int64_t a, int64_t b, int64_t c)
{
    kn_shape s = kn_shape_of(x);
    assert_ptr_equal(kn_dtype_of(x), dtype);
    assert_int_equal(s.ndim, ndim);
    assert_true(s.dim[0] == a && s.dim[1] == b && (ndim < 3 || s.dim[2] == c));
}

static void pillows_files_are_read(void **state)
{
    (void)state;
    if (!KN_HAVE_PNG)
        skip();
    KN_SCOPE;
    kn_array x = LOAD(rgb);
    expect_shape(x, KN_U8, 3, 2, 4, 3);
    assert_true(kn_array_equal(kn_ravel(x), kn_mul(kn_arange(0, 24, 1), 10)));
    x = LOAD(rgba);
    expect_shape(x, KN_U8, 3, 2, 2, 4);
    assert_true(kn_array_equal(kn_ravel(x), kn_mul(kn_arange(0, 16, 1), 16)));
    x = LOAD(gray16);
    expect_shape(x, KN_U16, 2, 2, 3, 0);
    expect_values(x, 0, 13000, 26000, 39000, 52000, 65000);
    x = LOAD(gray_alpha);
    expect_shape(x, KN_U8, 3, 1, 2, 2);
    expect_values(x, 10, 255, 20, 0);
    x = LOAD(one_bit);
    expect_shape(x, KN_U8, 2, 2, 3, 0);
    expect_values(x, 255, 0, 255, 0, 0, 255);
    x = LOAD(palette);
    expect_shape(x, KN_U8, 3, 2, 2, 3);
    expect_values(x, 1, 2, 3, 40, 50, 60, 255, 128, 0, 1, 2, 3);
    x = LOAD(rgb16_interlaced);
    expect_shape(x, KN_U16, 3, 1, 2, 3);
    expect_values(x, 1, 2, 3, 65535, 0, 256);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    KN_SCOPE;
    const char *const names[] = {"a.png", "a.ppm"};
    for (int i = KN_HAVE_PNG ? 0 : 1; i < 2; i++)
        for (int wide = 0; wide < 2; wide++) {
            kn_array x = kn_reshape(kn_arange(0, 60, 1), KN_SHAPE(4, 5, 3));
            x = kn_astype(kn_mul(x, wide ? 1000 : 4), wide ? KN_U16 : KN_U8);
            assert_int_equal(kn_image_save(path_of(names[i]), x), 0);
            kn_array y = kn_image_load(path_of(names[i]));
            expect_shape(y, kn_dtype_of(x), 3, 4, 5, 3);
            assert_true(kn_array_equal(x, y));
        }
    kn_array gray = kn_of(bool, 1, 0);
    assert_int_equal(kn_image_save(path_of("a.pgm"), kn_reshape(gray, KN_SHAPE(1, 2))), 0);
    expect_values(kn_image_load(path_of("a.pgm")), 255, 0);
}

static void floats_are_rounded(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, 0, 0.5, 1, 0.1), KN_SHAPE(2, 2));
    assert_int_equal(kn_image_save(path_of("a.pgm"), x), 0);
    expect_values(kn_image_load(path_of("a.pgm")), 0, 128, 255, 26); /* np.floor(255 * x + 0.5) */
    assert_int_equal(kn_image_save(path_of("a.pgm"), x, .bits = 16), 0);
    expect_values(kn_image_load(path_of("a.pgm")), 0, 32768, 65535, 6554);
    assert_int_equal(kn_image_save(path_of("a.pgm"), kn_mul(x, 2)), -1);
    expect_error_with("ValueError", "floats of a picture are from 0 to 1, but element 2 is 2");
    assert_int_equal(kn_image_save(path_of("a.pgm"), kn_mul(x, 2), .clip = true), 0);
    expect_values(kn_image_load(path_of("a.pgm")), 0, 255, 255, 51);
    assert_int_equal(kn_image_save(path_of("a.pgm"), kn_mul(x, NAN), .clip = true), -1);
    expect_error_with("ValueError", "floats of a picture");
}

static void texts_of_numbers_are_read(void **state)
{
    (void)state;
    KN_SCOPE;
    static const char p2[] = "P2 # a comment\n3 1\n15\n0 7\n15", p1[] = "P1\n3 2\n101\n0 1 1\n",
                      p4[] = "P4\n9 1\n\x80\x80";
    static const char p3[] = "P3\n1 2 1000 1 2 3 4 5 1000", p6[] = "P6\n1 1\n255\n\1\2\3";
    expect_values(load(p2, strlen(p2)), 0, 7, 15);
    expect_values(load(p1, strlen(p1)), 0, 255, 0, 255, 0, 0);
    expect_values(load(p4, sizeof p4 - 1), 0, 255, 255, 255, 255, 255, 255, 255, 0);
    kn_array x = load(p3, strlen(p3));
    expect_shape(x, KN_U16, 3, 2, 1, 3);
    expect_values(x, 1, 2, 3, 4, 5, 1000);
    expect_values(load(p6, sizeof p6 - 1), 1, 2, 3);
}

static void damaged_files_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    static const char *const texts[] = {"P2 2 1 255 1",           "P2 2 1 255 1 256", "P5 2 1 255 a",
                                        "P6 99999 99999 255 abc", "P2 0 1 255",       "P2 a",
                                        "P5 1 1 70000 a",         "P1 1 1 2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(kn_ok(load(texts[i], strlen(texts[i]))));
        expect_error_with("ValueError", "image_load: ");
    }
    load("GIF89a", 6);
    expect_error("NotImplementedError", "image_load: <stream> is neither a PNG, a PGM nor a PPM file");
    kn_image_load("/nowhere/a.png");
    expect_error("FileError", "image_load: /nowhere/a.png: No such file or directory");
    for (size_t n = 8; KN_HAVE_PNG && n + 12 < sizeof rgb; n++) {
        assert_false(kn_ok(load(rgb, n)));
        expect_error_with("ValueError", "image_load: the PNG file is damaged");
    }
}

static void what_is_no_picture_is_not_written(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_image_save(path_of("a.gif"), kn_zeros(KN_SHAPE(2, 2))), -1);
    expect_error("ValueError", "image_save: pictures are written as png, pgm, ppm or pnm, not as \"gif\"");
    kn_image_save(path_of("a.pgm"), kn_zeros(KN_SHAPE(2, 2), .dtype = KN_I64));
    expect_error_with("TypeError", "not int64; kn_astype converts");
    kn_image_save(path_of("a.pgm"), kn_zeros(KN_SHAPE(2, 2, 3)));
    expect_error("ValueError", "image_save: pgm files have 1 channel, the picture has 3");
    kn_image_save(path_of("a.ppm"), kn_zeros(KN_SHAPE(2, 2, 4)));
    expect_error("ValueError", "image_save: ppm files have no alpha");
    kn_image_save(path_of("a.pgm"), kn_zeros(KN_SHAPE(0, 2)));
    expect_error_with("ValueError", "a picture of 2 by 0 pixels");
    kn_image_save(path_of("a.pgm"), kn_zeros(KN_SHAPE(2)));
    expect_error_with("ValueError", "a picture has the shape");
    kn_image_save(NULL, kn_zeros(KN_SHAPE(2, 2)));
    expect_error("TypeError", "image_save: null path");
}

KN_TEST_GROUP(test_image)
{
    const struct CMUnitTest tests[] = {
        TEST(pillows_files_are_read),    TEST(what_is_written_is_read_again), TEST(floats_are_rounded),
        TEST(texts_of_numbers_are_read), TEST(damaged_files_are_errors),      TEST(what_is_no_picture_is_not_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
