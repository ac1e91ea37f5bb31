/* SPDX-License-Identifier: Apache-2.0
 * test_zip.c -- zip and npz: NumPy's files (tests/golden/ *.npz), our own there and back, zip64, damage, lack of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/npy.h"
#include "io/zip.h"
#include "support/bits.h"
#include "support/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef KN_TEST_DIR
#define KN_TEST_DIR "tests"
#endif
#ifndef KN_TEST_DATA
#define KN_TEST_DATA "data"
#endif

static const char *scratch_path(void)
{
    static char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/kiln-test-zip-%ld.npz", folder ? folder : "/tmp", (long)getpid());
    return path;
}

static void expect_message(knx_error *e, kn_error_kind kind, const char *message)
{
    assert_non_null(e);
    assert_int_equal(e->kind, kind);
    assert_string_equal(e->message, message);
    knx_error_release(e);
}

/* ---- NumPy's archives ---- */

/* The elements that scripts/golden/make_npz.py gave an array. */
static void expect_elements(const knio_npy *a)
{
    kn_dtype part = knx_component(a->dtype);
    size_t n = 1;
    for (int i = 0; i < a->ndim; i++)
        n *= (size_t)a->dim[i];
    const uint8_t *p = a->buffer->data;
    for (size_t k = 0; k < n; k++, p += a->dtype->size) {
        knx_scalar_bits re = knx_scalar_from_double(part, (double)(k % 5)),
                        im = knx_scalar_from_double(part, (double)(k % 3));
        assert_memory_equal(p, &re, part->size);
        if (knx_is_complex(a->dtype))
            assert_memory_equal(p + part->size, &im, part->size);
    }
}

static void expect_description(const knio_npy *a, const char *name) /* f4_le_C_2x3.npy */
{
    char shape[64] = "";
    size_t code = strcspn(name, "_");
    assert_int_equal(strlen(a->dtype->code), code);
    assert_memory_equal(a->dtype->code, name, code);
    for (int i = 0; i < a->ndim; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%d", i ? "x" : "", (int)a->dim[i]);
    strcat(shape, a->ndim ? ".npy" : "s.npy");
    assert_string_equal(strrchr(name, '_') + 1, shape);
}

/* Arrays in C order and in the machine's order of bytes are written as NumPy wrote them. */
static void expect_same_bytes(const knio_npy *a, const char *name, const uint8_t *bytes, size_t n)
{
    uint8_t *written = NULL;
    size_t length = 0;
    if (!strstr(name, BITS_BIG_ENDIAN ? "_be_C_" : "_le_C_"))
        return;
    assert_null(knio_npy_bytes(a->dtype, a->ndim, a->dim, a->buffer->data, &written, &length));
    assert_int_equal(length, n);
    assert_memory_equal(written, bytes, n);
    knx_free(written);
}

static void check_archive(const char *path, size_t least)
{
    knio_zip *z = NULL;
    assert_null(knio_zip_open(path, &z));
    assert_true(knio_zip_count(z) >= least);
    for (size_t i = 0; i < knio_zip_count(z); i++) {
        const char *name = knio_zip_name(z, i);
        uint8_t *bytes = NULL;
        size_t n = 0;
        knio_npy a;
        assert_null(knio_zip_read(z, i, &bytes, &n));
        assert_int_equal(n, knio_zip_size(z, i));
        assert_int_equal(knio_zip_find(z, name), i);
        assert_null(knio_npy_parse(bytes, n, &a));
        expect_description(&a, name);
        expect_elements(&a);
        expect_same_bytes(&a, name, bytes, n);
        knx_buffer_release(a.buffer);
        knx_free(bytes);
    }
    assert_int_equal(knio_zip_find(z, "nothing"), -1);
    knio_zip_close(z);
}

static void numpy_archives_load(void **state)
{
    (void)state;
    check_archive(KN_TEST_DIR "/golden/stored.npz", 50);
}

static void compressed_numpy_archives_load(void **state)
{
    (void)state;
    if (knio_zip_can_compress()) {
        check_archive(KN_TEST_DIR "/golden/deflated.npz", 200);
        return;
    }
    knio_zip *z = NULL;
    uint8_t *bytes;
    size_t n;
    assert_null(knio_zip_open(KN_TEST_DIR "/golden/deflated.npz", &z));
    knx_error *e = knio_zip_read(z, 0, &bytes, &n);
    assert_int_equal(e->kind, KN_ERROR_NOT_IMPLEMENTED);
    assert_non_null(strstr(e->message, "need zlib"));
    knx_error_release(e);
    knio_zip_close(z);
}

static void the_digits_load(void **state)
{
    (void)state;
    knio_zip *z = NULL;
    knio_npy a;
    uint8_t *bytes = NULL;
    size_t n = 0;
    if (!knio_zip_can_compress())
        skip();
    assert_null(knio_zip_open(KN_TEST_DATA "/digits.npz", &z));
    assert_true(knio_zip_find(z, "images.npy") >= 0);
    assert_null(knio_zip_read(z, (size_t)knio_zip_find(z, "images.npy"), &bytes, &n));
    assert_null(knio_npy_parse(bytes, n, &a));
    assert_ptr_equal(a.dtype, KN_DT(U8));
    assert_int_equal(a.ndim, 3);
    assert_true(a.dim[0] == 1797 && a.dim[1] == 8 && a.dim[2] == 8);
    knx_buffer_release(a.buffer);
    knx_free(bytes);
    knio_zip_close(z);
}

static void crc_is_the_usual_one(void **state)
{
    (void)state;
    assert_int_equal(knio_crc32(0, "123456789", 9), 0xcbf43926u);
    assert_int_equal(knio_crc32(knio_crc32(0, "1234", 4), "56789", 5), 0xcbf43926u);
    assert_int_equal(knio_crc32(0, NULL, 0), 0);
}

/* ---- our own ---- */

enum { LONG_MEMBER = 100000 };

static uint8_t *long_member(void)
{
    uint8_t *p = malloc(LONG_MEMBER);
    uint32_t x = 1;
    assert_non_null(p);
    for (int i = 0; i < LONG_MEMBER; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = i < LONG_MEMBER / 2 ? (uint8_t)(x >> 24) : (uint8_t)(i / 1000);
    }
    return p;
}

/* Members "empty", "text" and "long". */
static knx_error *write_archive(const char *path, const uint8_t *bytes, bool compress)
{
    knio_zip_writer *w;
    KN_TRY(knio_zip_writer_open(path, NULL, &w));
    knx_error *e = knio_zip_writer_add(w, "empty", NULL, 0, compress);
    if (!e)
        e = knio_zip_writer_add(w, "text", "hello, hello, hello, hello", 26, compress);
    if (!e)
        e = knio_zip_writer_add(w, "long", bytes, LONG_MEMBER, compress);
    knx_error *last = knio_zip_writer_close(w, NULL);
    if (e)
        assert_ptr_equal(e, last); /* an earlier failure is reported again */
    knx_error_release(e);
    return last;
}

static void expect_member(knio_zip *z, size_t i, const char *name, const void *bytes, size_t n)
{
    uint8_t *read = NULL;
    size_t length = 0;
    assert_string_equal(knio_zip_name(z, i), name);
    assert_null(knio_zip_read(z, i, &read, &length));
    assert_int_equal(length, n);
    if (n)
        assert_memory_equal(read, bytes, n);
    assert_int_equal(read[n], 0);
    knx_free(read);
}

static void own_archives_come_back(void **state)
{
    (void)state;
    uint8_t *bytes = long_member();
    for (int compress = 0; compress <= knio_zip_can_compress(); compress++) {
        knio_zip *z = NULL;
        assert_null(write_archive(scratch_path(), bytes, compress));
        assert_null(knio_zip_open(scratch_path(), &z));
        assert_int_equal(knio_zip_count(z), 3);
        expect_member(z, 2, "long", bytes, LONG_MEMBER);
        expect_member(z, 0, "empty", "", 0);
        expect_member(z, 1, "text", "hello, hello, hello, hello", 26);
        knio_zip_close(z);
    }
    remove(scratch_path());
    free(bytes);
}

static void an_archive_may_be_empty(void **state)
{
    (void)state;
    knio_zip_writer *w = NULL;
    knio_zip *z = NULL;
    assert_null(knio_zip_writer_open(scratch_path(), NULL, &w));
    assert_null(knio_zip_writer_close(w, NULL));
    assert_null(knio_zip_open(scratch_path(), &z));
    assert_int_equal(knio_zip_count(z), 0);
    knio_zip_close(z);
    remove(scratch_path());
}

static void many_members_need_zip64(void **state)
{
    (void)state;
    knio_zip_writer *w = NULL;
    knio_zip *z = NULL;
    char name[16];
    assert_null(knio_zip_writer_open(scratch_path(), NULL, &w));
    for (int i = 0; i < 70000; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_null(knio_zip_writer_add(w, name, name, strlen(name), false));
    }
    assert_null(knio_zip_writer_close(w, NULL));
    assert_null(knio_zip_open(scratch_path(), &z));
    assert_int_equal(knio_zip_count(z), 70000);
    expect_member(z, 69999, "69999", "69999", 5);
    expect_member(z, 0, "0", "0", 1);
    knio_zip_close(z);
    remove(scratch_path());
}

/* ---- archives byte by byte ---- */

typedef struct image {
    size_t n;
    uint8_t b[1024];
} image;

static void add(image *t, const void *p, size_t n)
{
    memcpy(t->b + t->n, p, n);
    t->n += n;
}

static void put(image *t, uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        t->b[t->n++] = i < 8 ? (uint8_t)(v >> (8 * i) & 0xff) : 0;
}

/* What to get wrong in an archive of one stored member "a" that holds "data"; bits. */
enum {
    ZIP64 = 1,
    SHIFTED = 2,
    BAD_CRC = 4,
    ENCRYPTED = 8,
    METHOD = 16,
    BAD_SIZE = 32,
    BAD_LOCAL = 64,
    COMMENT = 128,
    BAD_COUNT = 256,
    BAD_OFFSET = 512,
    NUL_NAME = 1024,
    SHORT_EXTRA = 2048,
    OTHER_NAME = 4096,
    TOO_LONG = 8192
};

static void put_header(image *t, int how, bool local)
{
    uint64_t huge = 0xffffffffu;
    put(t, 45, 2);
    put(t, how & ENCRYPTED ? 1 : 0, 2);
    put(t, how & METHOD ? 12 : 0, 2);
    put(t, 0, 4);
    put(t, knio_crc32(0, how & BAD_CRC ? "dota" : "data", 4), 4);
    uint64_t bytes = how & TOO_LONG && !local ? 40 : 4;
    put(t, how & ZIP64 ? huge : bytes, 4);
    put(t, how & ZIP64 ? huge : how & BAD_SIZE ? 5 : bytes, 4);
    put(t, 1, 2);
    put(t, how & ZIP64 ? local ? 20 : 33 : 0, 2);
}

static image make_zip(int how)
{
    image t = {0};
    if (how & SHIFTED)
        add(&t, "#!/bin/sh\n", 10);
    size_t origin = t.n;
    add(&t, how & BAD_LOCAL ? "PK\7\7" : "PK\3\4", 4);
    put_header(&t, how, true);
    add(&t, how & OTHER_NAME ? "b" : "a", 1);
    if (how & ZIP64)
        put(&t, 1, 2), put(&t, 16, 2), put(&t, 4, 8), put(&t, 4, 8);
    add(&t, "data", 4);
    size_t directory = t.n;
    add(&t, "PK\1\2", 4);
    put(&t, 45, 2);
    put_header(&t, how, false);
    put(&t, 0, 2 + 2 + 2 + 4);
    put(&t, how & ZIP64 ? 0xffffffffu : how & BAD_OFFSET ? 5000 : 0, 4);
    add(&t, how & NUL_NAME ? "\0" : "a", 1);
    if (how & ZIP64) { /* behind another extra field */
        put(&t, 0x5455, 2), put(&t, 1, 2), put(&t, 0, 1);
        put(&t, 1, 2), put(&t, how & SHORT_EXTRA ? 16 : 24, 2), put(&t, 4, 8), put(&t, how & BAD_SIZE ? 5 : 4, 8),
            put(&t, 0, 8);
    }
    size_t end = t.n;
    if (how & ZIP64) {
        add(&t, "PK\6\6", 4), put(&t, 44, 8), put(&t, 45, 2), put(&t, 45, 2), put(&t, 0, 8), put(&t, 1, 8),
            put(&t, 1, 8);
        put(&t, end - directory, 8), put(&t, directory - origin, 8);
        add(&t, "PK\6\7", 4), put(&t, 0, 4), put(&t, end - origin, 8), put(&t, 1, 4);
    }
    add(&t, "PK\5\6", 4), put(&t, 0, 4);
    put(&t,
        how & ZIP64       ? 0xffff
        : how & BAD_COUNT ? 2
                          : 1,
        2),
        put(&t,
            how & ZIP64       ? 0xffff
            : how & BAD_COUNT ? 2
                              : 1,
            2);
    put(&t, how & ZIP64 ? 0xffffffffu : end - directory, 4), put(&t, how & ZIP64 ? 0xffffffffu : directory - origin, 4);
    put(&t, how & COMMENT ? 9 : 0, 2);
    if (how & COMMENT)
        add(&t, "a comment", 9);
    return t;
}

/* Opens a zip made so and reads its member from memory that ends where the archive ends; the first error, if any. */
static knx_error *read_zip(const image *t, size_t n)
{
    knio_zip *z = NULL;
    uint8_t *exact = malloc(n + !n), *data = NULL;
    size_t length = 0;
    assert_non_null(exact);
    memcpy(exact, t->b, n);
    knx_error *e = knio_zip_open_memory(exact, n, &z);
    for (size_t i = 0; !e && i < knio_zip_count(z); i++) {
        e = knio_zip_read(z, i, &data, &length);
        if (!e)
            knx_free(data);
    }
    knio_zip_close(z);
    free(exact);
    return e;
}

static void zips_of_other_writers_load(void **state)
{
    static const int how[] = {0, ZIP64, SHIFTED, ZIP64 | SHIFTED, COMMENT, ZIP64 | COMMENT | SHIFTED};
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        image t = make_zip(how[i]);
        knio_zip *z = NULL;
        assert_null(knio_zip_open_memory(t.b, t.n, &z));
        assert_int_equal(knio_zip_count(z), 1);
        expect_member(z, 0, "a", "data", 4);
        knio_zip_close(z);
    }
}

static void damage_is_named(void **state)
{
    static const struct {
        int how;
        kn_error_kind kind;
        const char *message;
    } cases[] = {
        {BAD_CRC, KN_ERROR_VALUE, "<memory>: Bad CRC-32 for file 'a'"},
        {BAD_CRC | ZIP64, KN_ERROR_VALUE, "<memory>: Bad CRC-32 for file 'a'"},
        {ENCRYPTED, KN_ERROR_NOT_IMPLEMENTED, "<memory>: a: the member is encrypted"},
        {METHOD, KN_ERROR_NOT_IMPLEMENTED, "<memory>: a: the compression method is not supported"},
        {BAD_SIZE, KN_ERROR_VALUE, "<memory>: a: the size of the member is wrong"},
        {BAD_SIZE | ZIP64, KN_ERROR_VALUE, "<memory>: a: the size of the member is wrong"},
        {BAD_LOCAL, KN_ERROR_VALUE, "<memory>: a: the local header is missing"},
        {OTHER_NAME, KN_ERROR_VALUE, "<memory>: File name in directory 'a' and header 'b' differ."},
        {TOO_LONG, KN_ERROR_VALUE, "<memory>: Overlapped entries: 'a' (possible zip bomb)"},
        {BAD_COUNT, KN_ERROR_VALUE, "<memory>: the directory of the zip file is damaged"},
        {NUL_NAME, KN_ERROR_VALUE, "<memory>: the directory of the zip file is damaged"},
        {SHORT_EXTRA | ZIP64, KN_ERROR_VALUE, "<memory>: the directory of the zip file is damaged"},
        {BAD_OFFSET, KN_ERROR_VALUE, "<memory>: the file is truncated: 30 bytes at 5000 expected, the file has 104"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        image t = make_zip(cases[i].how);
        expect_message(read_zip(&t, t.n), cases[i].kind, cases[i].message);
    }
}

static void every_truncation_is_an_error(void **state)
{
    static const int how[] = {0, ZIP64, SHIFTED, COMMENT};
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        image t = make_zip(how[i]);
        for (size_t n = 0; n < t.n; n++) {
            knx_error *e = read_zip(&t, n);
            assert_non_null(e);
            assert_int_equal(e->kind, KN_ERROR_VALUE);
            knx_error_release(e);
        }
    }
}

static uint32_t next_random(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

static void mutated_bytes_never_crash(void **state)
{
    (void)state;
    uint32_t seed = 7;
    int64_t before = knx_alloc_live();
    for (int i = 0; i < 30000; i++) {
        image t = make_zip((int)(next_random(&seed) % 4) | (next_random(&seed) % 4 ? 0 : COMMENT));
        for (uint32_t k = next_random(&seed) % 4 + 1; k > 0; k--) {
            static const uint8_t likely[] = {0, 1, 8, 0x7f, 0x80, 0xff};
            uint8_t *p = &t.b[next_random(&seed) % t.n];
            *p = next_random(&seed) % 2 ? (uint8_t)next_random(&seed) : likely[next_random(&seed) % sizeof likely];
        }
        knx_error_release(read_zip(&t, next_random(&seed) % 8 ? t.n : next_random(&seed) % t.n));
    }
    assert_int_equal(knx_alloc_live(), before);
}

/* The same with deflated members: our archive with a few bytes changed anywhere. */
static void mutated_compressed_members_never_crash(void **state)
{
    (void)state;
    uint32_t seed = 11;
    uint8_t *file = NULL;
    size_t n = 0;
    if (!knio_zip_can_compress())
        skip();
    knio_zip_writer *w = NULL;
    assert_null(knio_zip_writer_open(scratch_path(), NULL, &w));
    assert_null(knio_zip_writer_add(w, "text", "hello, hello, hello, hello, 123456789", 37, true));
    assert_null(knio_zip_writer_close(w, NULL));
    assert_null(knio_file_read(scratch_path(), &file, &n));
    image t = {.n = n};
    assert_true(n < sizeof t.b);
    for (int i = 0; i < 10000; i++) {
        memcpy(t.b, file, n);
        for (uint32_t k = next_random(&seed) % 3 + 1; k > 0; k--)
            t.b[next_random(&seed) % n] = (uint8_t)next_random(&seed);
        knx_error_release(read_zip(&t, n));
    }
    knx_free(file);
    remove(scratch_path());
}

static void file_errors_name_the_file(void **state)
{
    (void)state;
    knio_zip *z = NULL;
    knio_zip_writer *w = NULL;
    expect_message(knio_zip_open("no-such-file.npz", &z), KN_ERROR_FILE, "no-such-file.npz: No such file or directory");
    expect_message(knio_zip_writer_open("/no-such-folder/a.npz", NULL, &w), KN_ERROR_FILE,
                   "/no-such-folder/a.npz: No such file or directory");
    assert_null(knio_file_write(scratch_path(), "not a zip", 9, NULL, 0));
    knx_error *e = knio_zip_open(scratch_path(), &z);
    assert_int_equal(e->kind, KN_ERROR_VALUE);
    assert_non_null(strstr(e->message, ": File is not a zip file"));
    knx_error_release(e);
    remove(scratch_path());
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    uint8_t *bytes = long_member();
    knx_error *e = access("/dev/full", W_OK) == 0 ? write_archive("/dev/full", bytes, false) : NULL;
    free(bytes);
    if (!e)
        skip();
    expect_message(e, KN_ERROR_FILE, "/dev/full: No space left on device");
}

static void lack_of_memory_is_an_error(void **state)
{
    (void)state;
    uint8_t *bytes = long_member();
    int64_t before = knx_alloc_live();
    bool ok = false;
    for (int64_t k = 0; !ok; k++) {
        knio_zip *z = NULL;
        uint8_t *read = NULL;
        size_t n = 0;
        knx_fail_after(k, true);
        knx_error *e = write_archive(scratch_path(), bytes, knio_zip_can_compress());
        if (!e)
            e = knio_zip_open(scratch_path(), &z);
        if (!e)
            e = knio_zip_read(z, 2, &read, &n);
        knx_fail_after(-1, false);
        ok = !e;
        if (e)
            assert_int_equal(e->kind, KN_ERROR_MEMORY);
        else
            assert_memory_equal(read, bytes, n);
        knx_error_release(e);
        knio_zip_close(z);
        if (read)
            knx_free(read);
        assert_int_equal(knx_alloc_live(), before);
    }
    remove(scratch_path());
    free(bytes);
}

KN_TEST_GROUP(test_zip)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpy_archives_load),
        cmocka_unit_test(compressed_numpy_archives_load),
        cmocka_unit_test(the_digits_load),
        cmocka_unit_test(crc_is_the_usual_one),
        cmocka_unit_test(own_archives_come_back),
        cmocka_unit_test(an_archive_may_be_empty),
        cmocka_unit_test(many_members_need_zip64),
        cmocka_unit_test(zips_of_other_writers_load),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(mutated_bytes_never_crash),
        cmocka_unit_test(mutated_compressed_members_never_crash),
        cmocka_unit_test(file_errors_name_the_file),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
