/* SPDX-License-Identifier: Apache-2.0
 * test_gguf.c -- gguf files that are made here byte by byte: what is in them, what blocks mean, what is wrong with a
 * file. All kinds beside the Python package: tests/models/gguf_peer.py. */
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include <kiln/models.h>
#include <unistd.h>

REMOVE_FOLDER("a.gguf")

enum { ROOM = 2048 };
static uint8_t bytes[ROOM];
static size_t n_bytes;

static void put(const void *p, size_t n)
{
    assert_true(n_bytes + n <= ROOM);
    memcpy(bytes + n_bytes, p, n);
    n_bytes += n;
}

static void number(uint64_t v, int n)
{
    for (int i = 0; i < n; i++) {
        uint8_t b = (uint8_t)(v >> 8 * i);
        put(&b, 1);
    }
}

static void text(const char *s)
{
    number(strlen(s), 8);
    put(s, strlen(s));
}

static void head(uint32_t version, uint64_t tensors, uint64_t entries)
{
    n_bytes = 0;
    put("GGUF", 4);
    number(version, 4);
    number(tensors, 8);
    number(entries, 8);
}

static void entry(const char *name, int type)
{
    text(name);
    number((uint64_t)type, 4);
}

static void tensor(const char *name, uint64_t a, uint64_t b, int kind, uint64_t at)
{
    text(name);
    number(2, 4);
    number(a, 8); /* the last axis first */
    number(b, 8);
    number((uint64_t)kind, 4);
    number(at, 8);
}

static void pad(size_t to)
{
    while (n_bytes % to)
        number(0, 1);
}

static kn_gguf opened(void)
{
    FILE *f = fopen(path_of("a.gguf"), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n_bytes, f), n_bytes);
    fclose(f);
    return kn_gguf_open(path_of("a.gguf"));
}

static void expect_refused(const char *kind, const char *why)
{
    assert_null(opened());
    expect_error_with(kind, why);
}

/* Two entries, a plain tensor and one of blocks. */
static void whole_file(void)
{
    head(3, 2, 3);
    entry("general.architecture", 8), text("test");
    entry("texts", 9), number(8, 4), number(2, 8), text("a"), text("");
    entry("depth", 4), number(7, 4);
    tensor("w", 2, 1, 0, 0);
    tensor("q", 32, 2, 2, 32);
    pad(32);
    number(0x3fc00000, 4), number(0xc0000000, 4); /* 1.5 and -2 as float32 */
    pad(32);
    for (int row = 0; row < 2; row++) {
        number(row ? 0x3c00 : 0x4000, 2); /* 1 and 2 as float16, the second row has the 1 */
        for (int i = 0; i < 16; i++)
            number((uint64_t)(i | (15 - i) << 4), 1);
    }
}

static void what_is_in_a_file(void **state)
{
    (void)state;
    KN_SCOPE;
    whole_file();
    kn_gguf f = opened();
    assert_int_equal(kn_gguf_count(f), 2);
    assert_string_equal(kn_gguf_name(f, 1), "q");
    assert_int_equal(kn_gguf_kind_of(f, "q"), KN_GGUF_Q4_0);
    assert_string_equal(kn_gguf_kind_name(KN_GGUF_Q4_0), "Q4_0");
    kn_shape s = kn_gguf_shape(f, "q");
    assert_true(s.ndim == 2 && s.dim[0] == 2 && s.dim[1] == 32);
    expect_values(kn_gguf_get(f, "w"), 1.5, -2);
    kn_array blocks = kn_gguf_blocks(f, "q");
    assert_ptr_equal(kn_dtype_of(blocks), KN_U8);
    assert_int_equal(kn_size(blocks), 36);
    kn_array q = kn_gguf_get(f, "q");
    expect_values(kn_at(q, "0, :3"), -16, -14, -12); /* 2 (i - 8) */
    expect_values(kn_at(q, "1, 16:19"), 7, 6, 5);    /* 15 - i - 8 */
    assert_string_equal(kn_gguf_metadata_text(f, "general.architecture", 0), "test");
    assert_int_equal(kn_gguf_metadata_length(f, "texts"), 2);
    assert_string_equal(kn_gguf_metadata_text(f, "texts", 1), "");
    expect_values(kn_gguf_metadata(f, "depth"), 7);
    assert_int_equal(kn_gguf_metadata_type(f, "texts"), KN_GGUF_TYPE_ARRAY);
    assert_int_equal(kn_gguf_metadata_type(f, "none"), KN_GGUF_TYPE_NONE);
    kn_tree t = kn_load_gguf(path_of("a.gguf"));
    expect_values(kn_at(kn_tree_at(t, "q"), "0, 0"), -16);
    kn_tree raw = kn_load_gguf(path_of("a.gguf"), .blocks = true);
    assert_int_equal(kn_size(kn_tree_at(raw, "q")), 36);
}

static void what_is_not_there(void **state)
{
    (void)state;
    KN_SCOPE;
    whole_file();
    kn_gguf f = opened();
    kn_gguf_get(f, "v");
    expect_error("KeyError", "gguf_get: there is no tensor v");
    assert_null(kn_gguf_name(f, 2));
    expect_error_with("IndexError", "index 2 is out of bounds for a file of 2 tensors");
    kn_gguf_metadata(f, "texts");
    expect_error_with("TypeError", "texts has texts");
    assert_null(kn_gguf_metadata_text(f, "texts", 2));
    expect_error_with("IndexError", "index 2 is out of bounds for 2 texts");
    assert_null(kn_gguf_metadata_text(f, "depth", 0));
    expect_error_with("TypeError", "depth has no texts");
    kn_gguf_dequantize(kn_gguf_blocks(f, "w"), KN_GGUF_Q4_0);
    expect_error_with("ValueError", "blocks of Q4_0 are 18 bytes each");
    kn_gguf_dequantize(kn_gguf_blocks(f, "q"), KN_GGUF_IQ1_S);
    expect_error_with("NotImplementedError", "what blocks of IQ1_S mean is not known here");
    kn_gguf_dequantize(kn_gguf_blocks(f, "q"), (kn_gguf_kind)5);
    expect_error_with("ValueError", "there is no kind 5");
    assert_null(kn_gguf_open(path_of("none")));
    expect_error_with("FileError", "No such file");
}

/* A file that ends too early is an error, wherever it ends. */
static void files_that_are_cut_off(void **state)
{
    (void)state;
    whole_file();
    size_t whole = n_bytes;
    for (n_bytes = 0; n_bytes < whole; n_bytes++) {
        KN_SCOPE;
        assert_null(opened());
        expect_error_with("ValueError", "a.gguf: ");
    }
}

static void rows_that_are_none_may_not_be_too_long(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0, (int64_t)54 << 55), .dtype = KN_U8); /* 2 to the power of 63 elements */
    assert_true(kn_ok(none));
    assert_false(kn_ok(kn_gguf_dequantize(none, KN_GGUF_TQ1_0)));
    expect_error("ValueError", "gguf_dequantize: rows of so many elements are too long");
}

static void files_that_lie(void **state)
{
    (void)state;
    KN_SCOPE;
    head(3, UINT64_MAX, 0);
    expect_refused("ValueError", "more than the file has room for");
    head(1, 0, 0);
    expect_refused("NotImplementedError", "version 1, versions 2 and 3 are read");
    head(3u << 24, 0, 0);
    expect_refused("NotImplementedError", "a file of the other byte order");
    head(3, 0, 1), entry("a", 9), number(8, 4), number(1ull << 60, 8), pad(64);
    expect_refused("ValueError", "the file was cut off");
    head(3, 0, 1), entry("a", 13), pad(64);
    expect_refused("ValueError", "there is no type 13 of metadata");
    head(3, 0, 2), entry("a", 0), number(0, 1), entry("a", 0), number(0, 1), pad(64);
    expect_refused("ValueError", "two entries are called a");
    head(3, 0, 1), entry("general.alignment", 4), number(12, 4);
    expect_refused("ValueError", "general.alignment is 12, which is no power of two");
    head(3, 0, 1), entry("a", 9);
    for (int i = 0; i < 20; i++)
        number(9, 4), number(1, 8);
    expect_refused("ValueError", "arrays in arrays, more than 8 deep");
    head(3, 1, 0), tensor("w", 1ull << 62, 1ull << 62, 0, 0), pad(32);
    expect_refused("ValueError", "the shape of w is too large");
    head(3, 1, 0), tensor("w", 1ull << 62, 0, KN_GGUF_Q8_0, 0), pad(32); /* rows too long, of which there are none */
    expect_refused("ValueError", "the shape of w is too large");
    head(3, 1, 0), tensor("w", 8, 1, 0, 0), pad(32), number(0, 8);
    expect_refused("ValueError", "w goes beyond the end of the file");
    head(3, 1, 0), tensor("w", 1, 1, 0, 8), pad(32), pad(64);
    expect_refused("ValueError", "w lies at 8, which is no multiple of 32");
    head(3, 1, 0), tensor("w", 1, 1, 0, UINT64_MAX - 31), pad(32);
    expect_refused("ValueError", "w goes beyond the end of the file");
    head(3, 1, 0), tensor("w", 16, 1, 2, 0), pad(64);
    expect_refused("ValueError", "rows of w are no whole blocks of 32 elements");
    head(3, 1, 0), tensor("w", 1, 1, 4, 0), pad(64);
    expect_refused("ValueError", "w has the unknown kind 4");
    head(3, 2, 0), tensor("w", 0, 1, 0, 0), tensor("w", 0, 1, 0, 0), pad(32);
    expect_refused("ValueError", "two tensors are called w");
}

typedef struct inputs {
    kn_array blocks, x;
} inputs;

static kn_array product(const inputs *in) { return kn_matmul(kn_gguf_dequantize(in->blocks, KN_GGUF_Q4_0), in->x); }
KN_FUNCTION(product, kn_array, inputs)

/* The program that multiplies has no room for the weights as floats. */
static void products_read_the_bytes(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { ROWS = 1024, COLUMNS = 2048, BYTES = COLUMNS / 32 * 18 };
    kn_array b = kn_astype(kn_remainder(kn_reshape(kn_arange(0, ROWS * BYTES, 1), KN_SHAPE(ROWS, BYTES)), 50), KN_U8);
    const inputs in = {kn_copy(b), kn_ones(KN_SHAPE(COLUMNS), .dtype = KN_F32)};
    kn_fn f = kn_jit(KN_FN(product));
    assert_true(kn_fn_peak_bytes(f, KN_ARGS(&in), 1) < ROWS * COLUMNS * 4 / 2);
    kn_array y;
    kn_call(f, &y, &in);
    kn_array want = kn_matmul(kn_copy(kn_gguf_dequantize(in.blocks, KN_GGUF_Q4_0)), in.x);
    assert_true(kn_allclose(y, want, .rtol = 1e-4));
}

KN_TEST_GROUP(test_gguf)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_in_a_file),
        TEST(what_is_not_there),
        TEST(files_that_are_cut_off),
        TEST(files_that_lie),
        TEST(rows_that_are_none_may_not_be_too_long),
        TEST(products_read_the_bytes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
