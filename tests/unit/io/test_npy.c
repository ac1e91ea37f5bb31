/* SPDX-License-Identifier: Apache-2.0
 * test_npy.c -- .npy files: NumPy's bytes there and back, every truncation, malformed headers, mutated bytes, lack of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/npy.h"
#include "support/bits.h"
#include "support/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What np.save wrote: the header's text (blanks fill it up to byte 127, a line feed ends it) and the elements. */
typedef struct vector {
    const char *name, *header, *elements;
    const char *error; /* of arrays that Kiln cannot hold */
    int id, ndim;
    int64_t dim[3];
    const char *loaded; /* elements in C order, native; NULL: as in the file */
    bool ours;          /* Kiln writes the same bytes */
} vector;

static const vector vectors[] = {
    {"i4 1-d",
     "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }",
     "000000000100000002000000",
     NULL,
     KN_ID_I32,
     1,
     {3},
     NULL,
     true},
    {"f8 Fortran",
     "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
     "00000000000000000000000000000840000000000000f03f000000000000104000000000000000400000000000001440",
     NULL,
     KN_ID_F64,
     2,
     {2, 3},
     "0000000000000000000000000000f03f0000000000000040000000000000084000000000000010400000000000001440",
     false},
    {"f4 0-d",
     "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
     "0000c03f",
     NULL,
     KN_ID_F32,
     0,
     {0},
     NULL,
     true},
    {"bool empty",
     "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 4), }",
     "",
     NULL,
     KN_ID_BOOL,
     2,
     {0, 4},
     NULL,
     true},
    {"big-endian u2",
     "{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }",
     "00010002",
     NULL,
     KN_ID_U16,
     1,
     {2},
     "01000200",
     false},
    {"unicode",
     "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }",
     "61000000620000006300000000000000",
     "arrays of dtype '<U2' cannot be loaded",
     0,
     0,
     {0},
     NULL,
     false},
    {"structured",
     "{'descr': [('x', '<i4'), ('y', '<f8', (2,))], 'fortran_order': False, 'shape': (1,), }",
     "0100000000000000000000400000000000000840",
     "arrays of dtype [('x', '<i4'), ('y', '<f8', (2,))] cannot be loaded",
     0,
     0,
     {0},
     NULL,
     false},
    {"datetime64[D]",
     "{'descr': '<M8[D]', 'fortran_order': False, 'shape': (2,), }",
     "56470000000000000000000000000080",
     "arrays of dtype '<M8[D]' cannot be loaded",
     0,
     0,
     {0},
     NULL,
     false},
    {"c8",
     "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
     "0000803f00000040",
     NULL,
     KN_ID_C64,
     1,
     {1},
     NULL,
     true},
    {"f2",
     "{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }",
     "003cff7b0080007c",
     NULL,
     KN_ID_F16,
     1,
     {4},
     NULL,
     true},
    {"bytes S3",
     "{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }",
     "610000626364",
     "arrays of dtype '|S3' cannot be loaded",
     0,
     0,
     {0},
     NULL,
     false},
};
enum { VECTORS = sizeof vectors / sizeof *vectors };

typedef struct file {
    size_t n;
    uint8_t b[4096];
} file;

static size_t unhex(const char *hex, uint8_t *to)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned byte = 0;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        to[i] = (uint8_t)byte;
    }
    return n;
}

/* A file of that version with any header; version 1 is filled up as NumPy does it. */
static file make_file(int version, const char *header, const char *elements)
{
    file f = {0};
    size_t start = version == 1 ? 10 : 12, length = strlen(header);
    memset(f.b, ' ', sizeof f.b);
    memcpy(f.b, "\x93NUMPY", 6);
    f.b[6] = (uint8_t)version;
    f.b[7] = 0;
    memcpy(f.b + start, header, length);
    size_t end = (start + length + 1 + 127) / 128 * 128;
    f.b[end - 1] = '\n';
    for (size_t i = 8; i < start; i++)
        f.b[i] = (uint8_t)((end - start) >> (8 * (i - 8)) & 0xff);
    f.n = end + unhex(elements, f.b + end);
    return f;
}

/* Elements of a vector, written down with the lowest byte first, as this machine has them. */
static void here(const vector *v, uint8_t *elements, size_t n)
{
    size_t size = knx_component(&knx_dtype_table[v->id])->size;
    bits_from_little(elements, size, n / size);
}

static void expect_vector(const vector *v, const knio_npy *a)
{
    uint8_t expected[256];
    size_t n = unhex(v->loaded ? v->loaded : v->elements, expected);
    here(v, expected, n);
    assert_ptr_equal(a->dtype, &knx_dtype_table[v->id]);
    assert_int_equal(a->ndim, v->ndim);
    for (int i = 0; i < v->ndim; i++)
        assert_int_equal(a->dim[i], v->dim[i]);
    assert_memory_equal(a->buffer->data, expected, n);
}

static void expect_message(knx_error *e, kn_error_kind kind, const char *message)
{
    assert_non_null(e);
    assert_int_equal(e->kind, kind);
    assert_string_equal(e->message, message);
    knx_error_release(e);
}

static void numpy_files_load(void **state)
{
    (void)state;
    for (int i = 0; i < VECTORS; i++) {
        for (int version = 1; version <= 3; version++) {
            file f = make_file(version, vectors[i].header, vectors[i].elements);
            knio_npy a;
            knx_error *e = knio_npy_parse(f.b, f.n, &a);
            if (vectors[i].error) {
                expect_message(e, KN_ERROR_TYPE, vectors[i].error);
                continue;
            }
            assert_null(e);
            expect_vector(&vectors[i], &a);
            knx_buffer_release(a.buffer);
        }
    }
}

static void the_same_bytes_are_written(void **state)
{
    (void)state;
    for (int i = 0; i < VECTORS; i++) {
        const vector *v = &vectors[i];
        if (!v->ours)
            continue;
        file f = make_file(1, v->header, v->elements);
        uint8_t *bytes = NULL, elements[256];
        size_t n = 0;
        size_t length = unhex(v->elements, elements);
        here(v, elements, length);
        for (uint8_t *at = f.b; BITS_BIG_ENDIAN && (at = memchr(at, '<', f.n - (size_t)(at - f.b)));)
            *at = '>';
        memcpy(f.b + f.n - length, elements, length);
        assert_null(knio_npy_bytes(&knx_dtype_table[v->id], v->ndim, v->dim, elements, &bytes, &n));
        assert_int_equal(n, f.n);
        assert_memory_equal(bytes, f.b, n);
        knx_free(bytes);
    }
}

static void every_truncation_is_an_error(void **state)
{
    (void)state;
    for (int i = 0; i < VECTORS; i++) {
        for (int version = 1; version <= 2; version++) {
            file f = make_file(version, vectors[i].header, vectors[i].elements);
            for (size_t n = 0; n < f.n && !vectors[i].error; n++) {
                uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees every byte read too far */
                assert_non_null(exact);
                memcpy(exact, f.b, n);
                knio_npy a;
                knx_error *e = knio_npy_parse(exact, n, &a);
                assert_non_null(e);
                assert_int_equal(e->kind, KN_ERROR_VALUE);
                assert_null(a.buffer);
                knx_error_release(e);
                free(exact);
            }
        }
    }
}

static void expect_header(const char *header, kn_error_kind kind, const char *start)
{
    file f = make_file(1, header, "0000000000000000");
    knio_npy a;
    knx_error *e = knio_npy_parse(f.b, f.n, &a);
    if (kind == KN_NO_ERROR) {
        assert_null(e);
        knx_buffer_release(a.buffer);
        return;
    }
    assert_non_null(e);
    if (e->kind != kind || strncmp(e->message, start, strlen(start)))
        fail_msg("%s: %s", header, e->message);
    knx_error_release(e);
}

static void headers_are_python_dictionaries(void **state)
{
    static const struct {
        const char *header;
        kn_error_kind kind;
        const char *start;
    } cases[] = {
        {"{\"shape\":(2,),'fortran_order':False,'descr':\"<i4\"}", KN_NO_ERROR, ""},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2L,)}", KN_NO_ERROR, ""},
        {"{'descr': '=i4', 'fortran_order': True, 'shape': (1, 2)}", KN_NO_ERROR, ""},
        {"{'descr': 'float64', 'fortran_order': False, 'shape': ()}", KN_NO_ERROR, ""},
        {"{'descr': '?', 'fortran_order': False, 'shape': (8,)}", KN_NO_ERROR, ""},
        {"{'descr': '<V2', 'fortran_order': False, 'shape': (4,)}", KN_NO_ERROR, ""},
        {"{'descr': '|V8', 'fortran_order': False, 'shape': ()}", KN_NO_ERROR, ""},
        {"", KN_ERROR_VALUE, "Cannot parse header: ' "},
        {"{", KN_ERROR_VALUE, "Cannot parse header: '{ "},
        {"{}", KN_ERROR_VALUE, "Header does not contain the correct keys: []"},
        {"[1]", KN_ERROR_VALUE, "Header is not a dictionary: [1]"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} x", KN_ERROR_VALUE,
         "Cannot parse header: \"{'descr'"},
        {"{'descr': '<i4', 'fortran_order': False}", KN_ERROR_VALUE,
         "Header does not contain the correct keys: ['descr', 'fortran_order']"},
        {"{'descr': '<i2', 'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", KN_NO_ERROR, ""},
        {"{'shape': (2,), 'descr': '<i4', 'fortran_order': False, 'more': [1, {2: 3}]}", KN_ERROR_VALUE,
         "Header does not contain the correct keys: ['descr', 'fortran_order', 'more', 'shape']"},
        {"{1: 2}", KN_ERROR_VALUE, "Header does not contain the correct keys: [1]"},
        {"{'descr': '<i4' 'fortran_order': False, 'shape': (2,)}", KN_ERROR_VALUE, "Cannot parse header: \"{'descr'"},
        {"{'descr': '<i4', 'fortran_order': 0, 'shape': (2,)}", KN_ERROR_VALUE, "fortran_order is not a valid bool: 0"},
        {"{'descr': '<i4', 'fortran_order': Falsehood, 'shape': (2,)}", KN_ERROR_VALUE,
         "fortran_order is not a valid bool: Falsehood"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2)}", KN_ERROR_VALUE, "shape is not valid: 2"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': 2}", KN_ERROR_VALUE, "shape is not valid: 2"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2.0,)}", KN_ERROR_VALUE, "shape is not valid: (2.0,)"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (-2,)}", KN_ERROR_VALUE, "shape is not valid: (-2,)"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (+2,)}", KN_NO_ERROR, ""},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (1 2,)}", KN_ERROR_VALUE,
         "Cannot parse header: \"{'descr'"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (,)}", KN_ERROR_VALUE, "Cannot parse header: \"{'descr'"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}", KN_ERROR_OVERFLOW,
         "Python int too large to convert to C long"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775807,)}", KN_ERROR_VALUE,
         "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0)}", KN_ERROR_VALUE,
         "array is too big"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (100000000,)}", KN_ERROR_VALUE,
         "EOF: reading array data, expected 400000000 bytes got 8"},
        {"{'descr': 'Q', 'fortran_order': False, 'shape': (1,)}", KN_NO_ERROR, ""},
        {"{'descr': 'half', 'fortran_order': False, 'shape': (4,)}", KN_NO_ERROR, ""},
        {"{'descr': 'g', 'fortran_order': False, 'shape': (2,)}", KN_ERROR_TYPE,
         "arrays of dtype 'g' cannot be loaded"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2,)}", KN_ERROR_VALUE,
         "descr is not a valid dtype descriptor: ''"},
        {"{'descr': 'xyz', 'fortran_order': False, 'shape': (2,)}", KN_ERROR_VALUE,
         "descr is not a valid dtype descriptor: 'xyz'"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", KN_ERROR_VALUE,
         "Object arrays cannot be loaded when allow_pickle=False"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (2,)}", KN_ERROR_TYPE,
         "arrays of dtype '<f16' cannot be loaded"},
        {"{'descr': [('a', '<i4'), 'fortran_order': False, 'shape': (2,)}", KN_ERROR_VALUE,
         "Cannot parse header: \"{'descr'"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,)}", KN_ERROR_TYPE,
         "arrays of dtype [('a', '<i4')] cannot be loaded"},
        {"{'descr': 3, 'fortran_order': False, 'shape': (2,)}", KN_ERROR_VALUE,
         "descr is not a valid dtype descriptor: 3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_header(cases[i].header, cases[i].kind, cases[i].start);
}

static void sixty_four_axes_are_the_most(void **state)
{
    (void)state;
    char header[1024] = "{'descr': '<i4', 'fortran_order': True, 'shape': (";
    for (int i = 0; i < KN_MAX_NDIM; i++)
        strcat(header, "1,");
    size_t n = strlen(header);
    strcpy(header + n, ")}");
    expect_header(header, KN_NO_ERROR, "");
    strcpy(header + n, "1)}");
    expect_header(header, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently 64, found 65");
}

static void other_versions_and_magics_are_refused(void **state)
{
    (void)state;
    file f = make_file(1, vectors[0].header, vectors[0].elements);
    knio_npy a;
    f.b[6] = 4;
    expect_message(knio_npy_parse(f.b, f.n, &a), KN_ERROR_VALUE,
                   "we only support format version (1,0), (2,0), and (3,0), not (4, 0)");
    f.b[0] = 'x';
    expect_message(knio_npy_parse(f.b, f.n, &a), KN_ERROR_VALUE,
                   "the magic string is not correct; expected b'\\x93NUMPY', got b'xNUMPY'");
}

static void booleans_become_zero_or_one(void **state)
{
    (void)state;
    file f = make_file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}", "0001ff80");
    knio_npy a;
    assert_null(knio_npy_parse(f.b, f.n, &a));
    assert_memory_equal(a.buffer->data, "\0\1\1\1", 4);
    knx_buffer_release(a.buffer);
}

/* A path in the folder for temporary files. */
static const char *scratch_path(void)
{
    static char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/kiln-test-npy-%ld.npy", folder ? folder : "/tmp", (long)getpid());
    return path;
}

static void files_load_like_bytes(void **state)
{
    (void)state;
    const char *path = scratch_path();
    for (int i = 0; i < VECTORS; i++) {
        file f = make_file(1 + i % 3, vectors[i].header, vectors[i].elements);
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(f.b, 1, f.n, out), f.n);
        fclose(out);
        knio_npy a;
        knx_error *e = knio_npy_load(path, &a);
        if (vectors[i].error) {
            expect_message(e, KN_ERROR_TYPE, vectors[i].error);
            continue;
        }
        assert_null(e);
        expect_vector(&vectors[i], &a);
        assert_null(knio_npy_save(path, a.dtype, a.ndim, a.dim, a.buffer->data));
        knx_buffer_release(a.buffer);
        assert_null(knio_npy_load(path, &a));
        expect_vector(&vectors[i], &a);
        knx_buffer_release(a.buffer);
        for (long n = 0; n < (long)f.n; n += 7) {
            assert_int_equal(truncate(path, (long)f.n - n - 1), 0);
            e = knio_npy_load(path, &a);
            assert_true(e || n == 0);
            knx_error_release(e);
            if (!e)
                knx_buffer_release(a.buffer);
        }
    }
    remove(path);
}

static void file_errors_name_the_file(void **state)
{
    (void)state;
    knio_npy a;
    int64_t dim = 1, one = 1;
    expect_message(knio_npy_load("no-such-file.npy", &a), KN_ERROR_FILE, "no-such-file.npy: No such file or directory");
    expect_message(knio_npy_load("/", &a), KN_ERROR_FILE, "/: Is a directory");
    expect_message(knio_npy_save("/no-such-folder/a.npy", KN_DT(I64), 1, &dim, &one), KN_ERROR_FILE,
                   "/no-such-folder/a.npy: No such file or directory");
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
    uint32_t seed = 20;
    int64_t before = knx_alloc_live();
    for (int i = 0; i < 30000; i++) {
        const vector *v = &vectors[next_random(&seed) % VECTORS];
        file f = make_file(1 + (int)(next_random(&seed) % 3), v->header, v->elements);
        static const char likely[] = "0123456789(),'\"[]{}: <>|iufbVLTF";
        for (uint32_t k = next_random(&seed) % 4 + 1; k > 0; k--) {
            size_t at = next_random(&seed) % (next_random(&seed) % 2 ? 90 : f.n);
            f.b[at] = next_random(&seed) % 2 ? (uint8_t)next_random(&seed)
                                             : (uint8_t)likely[next_random(&seed) % (sizeof likely - 1)];
        }
        size_t n = next_random(&seed) % 8 ? f.n : next_random(&seed) % f.n;
        uint8_t *exact = malloc(n + !n);
        assert_non_null(exact);
        memcpy(exact, f.b, n);
        knio_npy a;
        knx_error *e = knio_npy_parse(exact, n, &a);
        assert_true(e ? !a.buffer : !!a.buffer);
        knx_error_release(e);
        knx_buffer_release(a.buffer);
        free(exact);
    }
    knx_buffer_trim();
    assert_int_equal(knx_alloc_live(), before);
}

static void lack_of_memory_is_an_error(void **state)
{
    (void)state;
    const char *path = scratch_path();
    file f = make_file(1, vectors[1].header, vectors[1].elements);
    knx_buffer_trim();
    int64_t before = knx_alloc_live();
    bool ok = false;
    for (int64_t k = 0; !ok; k++) {
        knio_npy a = {0}, b = {0};
        knx_buffer_trim();
        knx_fail_after(k, true);
        knx_error *e = knio_npy_parse(f.b, f.n, &a);
        if (!e)
            e = knio_npy_save(path, a.dtype, a.ndim, a.dim, a.buffer->data);
        if (!e)
            e = knio_npy_load(path, &b);
        knx_fail_after(-1, false);
        ok = !e;
        if (e)
            assert_int_equal(e->kind, KN_ERROR_MEMORY);
        knx_error_release(e);
        knx_buffer_release(a.buffer);
        knx_buffer_release(b.buffer);
        knx_buffer_trim();
        assert_int_equal(knx_alloc_live(), before);
    }
    remove(path);
}

KN_TEST_GROUP(test_npy)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpy_files_load),
        cmocka_unit_test(the_same_bytes_are_written),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(headers_are_python_dictionaries),
        cmocka_unit_test(sixty_four_axes_are_the_most),
        cmocka_unit_test(other_versions_and_magics_are_refused),
        cmocka_unit_test(booleans_become_zero_or_one),
        cmocka_unit_test(files_load_like_bytes),
        cmocka_unit_test(file_errors_name_the_file),
        cmocka_unit_test(mutated_bytes_never_crash),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
