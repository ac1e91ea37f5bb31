/* SPDX-License-Identifier: Apache-2.0
 * test_sound.c -- WAV files: what SciPy wrote is read, what is written is what SciPy writes, other forms of the file, damage. */
#include "files.h"
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include <kiln/media.h>

REMOVE_FOLDER("a.wav")

static kn_array load(const void *bytes, size_t n, int64_t *rate)
{
    FILE *f = fmemopen((void *)(uintptr_t)bytes, n, "rb");
    kn_array x = kn_wav_load(NULL, .file = f, .rate = rate);
    fclose(f);
    return x;
}

static void scipys_files_are_read(void **state)
{
    (void)state;
    KN_SCOPE;
    int64_t rate = 0;
    kn_array x = load(wav_i16, sizeof wav_i16, &rate);
    assert_int_equal(rate, 8000);
    assert_ptr_equal(kn_dtype_of(x), KN_I16);
    assert_int_equal(kn_dim(x, 1), 2);
    expect_values(x, 1, -1, 300, -32768);
    x = load(wav_u8, sizeof wav_u8, &rate);
    assert_ptr_equal(kn_dtype_of(x), KN_U8);
    assert_int_equal(kn_ndim(x), 1);
    expect_values(x, 0, 128, 255, 7);
    x = load(wav_f32, sizeof wav_f32, &rate);
    assert_ptr_equal(kn_dtype_of(x), KN_F32);
    assert_int_equal(rate, 44100);
    expect_values(x, 0.5, -1.25);
}

static void expect_file(const uint8_t *want, size_t n)
{
    uint8_t have[256];
    FILE *f = fopen(path_of("a.wav"), "rb");
    assert_non_null(f);
    assert_int_equal(fread(have, 1, sizeof have, f), n);
    fclose(f);
    assert_memory_equal(have, want, n);
}

static void files_are_scipys_byte_for_byte(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(int16_t, 1, -1, 300, -32768), KN_SHAPE(2, 2));
    assert_int_equal(kn_wav_save(path_of("a.wav"), x, 8000), 0);
    expect_file(wav_i16, sizeof wav_i16);
    assert_int_equal(kn_wav_save(path_of("a.wav"), kn_of(uint8_t, 0, 128, 255, 7), 8000), 0);
    expect_file(wav_u8, sizeof wav_u8);
    assert_int_equal(kn_wav_save(path_of("a.wav"), kn_of(float, 0.5f, -1.25f), 44100), 0);
    expect_file(wav_f32, sizeof wav_f32);
}

static void twenty_four_bits_are_the_upper_ones(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_wav_save(path_of("a.wav"), kn_of(int32_t, 0x123456ff, -256), 48000, .bits = 24), 0);
    kn_array x = kn_wav_load(path_of("a.wav"));
    assert_ptr_equal(kn_dtype_of(x), KN_I32);
    expect_values(x, 0x12345600, -256);
}

/* Two samples of 16 bits, 1 and -2, behind a chunk that nobody knows, of odd length. */
#define FORMAT "fmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
static void other_forms_are_read(void **state)
{
    (void)state;
    KN_SCOPE;
    static const char chunks[] = "RIFF\0\0\0\0WAVELIST\3\0\0\0abc\0" FORMAT "data\4\0\0\0\1\0\xfe\xff";
    static const char big[] = "RIFX\0\0\0\0WAVEfmt \0\0\0\x10\0\1\0\1\0\0\x1f\x40\0\0\x3e\x80\0\2\0\x10"
                              "data\0\0\0\4\0\1\xff\xfe";
    static const char rf64[] =
        "RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0" FORMAT
        "data\xff\xff\xff\xff\1\0\xfe\xff";
    static const char extensible[] =
        "RIFF\0\0\0\0WAVEfmt \x28\0\0\0\xfe\xff\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0\x16\0\x10\0\4\0\0\0"
        "\1\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"
        "data\4\0\0\0\1\0\xfe\xff";
    int64_t rate = 0;
    expect_values(load(chunks, sizeof chunks - 1, &rate), 1, -2);
    assert_int_equal(rate, 8000);
    expect_values(load(big, sizeof big - 1, &rate), 1, -2);
    assert_int_equal(rate, 8000);
    expect_values(load(rf64, sizeof rf64 - 1, &rate), 1, -2);
    expect_values(load(extensible, sizeof extensible - 1, &rate), 1, -2);
}

static void damaged_files_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    for (size_t n = 0; n < sizeof wav_i16; n++) {
        assert_false(kn_ok(load(wav_i16, n ? n : 1, NULL)));
        expect_error_with("ValueError", "wav_load: ");
    }
    static const char compressed[] = "RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x55\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0";
    load(compressed, sizeof compressed - 1, NULL);
    expect_error_with("NotImplementedError", "format 0x0055");
    kn_wav_save(path_of("a.wav"), kn_zeros(KN_SHAPE(2), .dtype = KN_U16), 8000);
    expect_error_with("TypeError", "not uint16");
    kn_wav_save(path_of("a.wav"), kn_zeros(KN_SHAPE(2, 2, 2)), 8000);
    expect_error_with("ValueError", "not 3 axes");
    kn_wav_save(path_of("a.wav"), kn_zeros(KN_SHAPE(2)), 0);
    expect_error_with("ValueError", "a rate of 0 frames");
    kn_wav_save(path_of("a.wav"), kn_zeros(KN_SHAPE(2)), 8000, .bits = 24);
    expect_error_with("ValueError", "float64 has 64 bits, not 24");
}

KN_TEST_GROUP(test_sound)
{
    const struct CMUnitTest tests[] = {
        TEST(scipys_files_are_read), TEST(files_are_scipys_byte_for_byte), TEST(twenty_four_bits_are_the_upper_ones),
        TEST(other_forms_are_read),  TEST(damaged_files_are_errors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
