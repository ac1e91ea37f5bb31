/* SPDX-License-Identifier: Apache-2.0
 * reader_list.c -- the readers: npy and npz files, manifests, tables of numbers, indices, dtypes, formats, jaxprs,
 * pictures, sound. */
#define KN_BUILD /* the functions, not the macros of the same names */
#include "readers.h"
#include "base/format.h"
#include "io/checkpoint.h"
#include "io/npy.h"
#include "io/percent.h"
#include "io/zip.h"
#include "ir/jaxpr.h"
#include "kiln/media.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GOOD = 24 };
static readers_input good[24][GOOD];
static FILE *scratch;
static kn_array cube;

static void add(reader *r, const void *bytes, size_t n)
{
    readers_input *in = (readers_input *)(uintptr_t)&r->good[r->n_good];
    if (n > READERS_ROOM || r->n_good == GOOD)
        abort();
    memcpy(in->bytes, bytes, n);
    in->n = n;
    r->n_good++;
}

static bool same_arrays(kn_array a, kn_array b)
{
    kn_array_equal_opts o = kn_array_equal_opts_default();
    o.equal_nan = kn_dtype_kind(kn_dtype_of(a)) == 'f' || kn_dtype_kind(kn_dtype_of(a)) == 'c';
    return kn_dtype_of(a) == kn_dtype_of(b) && (kn_array_equal)(a, b, &o);
}

/* ---- npy and npz. */

static const char *again_npy(const knio_npy *a, const char *what)
{
    uint8_t *bytes;
    size_t n, size = a->dtype->size;
    knio_npy b;
    for (int i = 0; i < a->ndim; i++)
        size *= (size_t)a->dim[i];
    knx_error *e = knio_npy_bytes(a->dtype, a->ndim, a->dim, a->buffer->data, &bytes, &n);
    if (!e)
        e = knio_npy_parse(bytes, n, &b);
    if (e)
        return knx_error_release(e), what;
    bool same = a->dtype == b.dtype && a->ndim == b.ndim && !memcmp(a->dim, b.dim, (size_t)a->ndim * sizeof *a->dim) &&
                (size == 0 || !memcmp(a->buffer->data, b.buffer->data, size));
    knx_free(bytes);
    knx_buffer_release(b.buffer);
    return same ? NULL : what;
}

static const char *run_npy(const readers_input *in, uint64_t *accepted)
{
    char *exact = malloc(in->n + !in->n); /* so that the sanitizer sees the end */
    knio_npy a;
    memcpy(exact, in->bytes, in->n);
    knx_error *e = knio_npy_parse(exact, in->n, &a);
    free(exact);
    if (e)
        return knx_error_release(e), NULL;
    ++*accepted;
    const char *wrong = again_npy(&a, "an npy file is another one when it is written and read again");
    knx_buffer_release(a.buffer);
    return wrong;
}

static const char *run_npz(const readers_input *in, uint64_t *accepted)
{
    knio_zip *z;
    char *exact = malloc(in->n + !in->n);
    const char *wrong = NULL;
    memcpy(exact, in->bytes, in->n);
    knx_error *e = knio_zip_open_memory(exact, in->n, &z);
    for (size_t i = 0; !e && !wrong && i < knio_zip_count(z); i++) {
        uint8_t *bytes;
        size_t n;
        knio_npy a;
        knx_error *inner = knio_zip_read(z, i, &bytes, &n);
        if (!inner) {
            inner = knio_npy_parse(bytes, n, &a);
            knx_free(bytes);
        }
        if (!inner) {
            ++*accepted;
            wrong = again_npy(&a, "a member of an archive is another one when it is written and read again");
            knx_buffer_release(a.buffer);
        }
        knx_error_release(inner);
    }
    if (!e)
        knio_zip_close(z);
    knx_error_release(e);
    free(exact);
    return wrong;
}

/* ---- Manifests of checkpoints. */

#define MANIFEST_HEAD "{\"format\": \"kiln checkpoint\", \"version\": 1, \"byte_order\": \"little\", "

static const char *run_manifest(const readers_input *in, uint64_t *accepted)
{
    char *exact = malloc(in->n + !in->n);
    knio_manifest m;
    knx_str one = {0}, two = {0};
    memcpy(exact, in->bytes, in->n);
    knx_error *e = knio_manifest_parse(exact, in->n, &m);
    free(exact);
    if (e)
        return knx_error_release(e), NULL;
    ++*accepted;
    knio_manifest_text(&one, &m);
    knio_manifest_free(&m);
    e = knio_manifest_parse(one.s, one.n, &m);
    if (!e) {
        knio_manifest_text(&two, &m);
        knio_manifest_free(&m);
    }
    bool same = !e && one.n == two.n && !memcmp(one.s, two.s, one.n);
    knx_error_release(e);
    knx_str_free(&one);
    knx_str_free(&two);
    return same ? NULL : "a manifest is another one when it is written and read again";
}

/* ---- Tables. */

static kn_dtype some_dtype(void)
{
    const kn_dtype table[] = {KN_F64, KN_F64, KN_F32, KN_I64, KN_I8, KN_U16, KN_C128, KN_BOOL, KN_F16, KN_U64};
    return table[readers_below(sizeof table / sizeof *table)];
}

static const char *again_text(kn_array x)
{
    char *text = NULL;
    size_t n = 0;
    kn_savetxt_opts s = kn_savetxt_opts_default();
    kn_loadtxt_opts l = kn_loadtxt_opts_default();
    char kind = kn_dtype_kind(kn_dtype_of(x));
    s.fmt = kind == 'f' || kind == 'c' ? "%.17g" : "%d";
    s.file = open_memstream(&text, &n);
    if (kind == 'b')
        x = (kn_astype)(x, KN_U8, NULL);
    int status = (kn_savetxt)(NULL, x, &s);
    fclose(s.file);
    l.text = text;
    l.dtype = kn_dtype_of(x);
    l.ndmin = kn_ndim(x);
    kn_array y = status ? NULL : (kn_loadtxt)(NULL, &l);
    free(text);
    return status == 0 && kn_ok(y) && same_arrays(x, y) ? NULL
                                                        : "a table is another one when it is written and read again";
}

static const char *run_loadtxt(const readers_input *in, uint64_t *accepted)
{
    static const int64_t columns[] = {0, -1, 1};
    const kn_int_list use = {1 + (int)readers_below(3), columns};
    static const char *const several[] = {"#", "//"};
    const kn_text_list comments = {2, several};
    kn_loadtxt_opts o = kn_loadtxt_opts_default();
    o.text = in->bytes;
    o.dtype = some_dtype();
    o.ndmin = 2;
    o.delimiter = readers_below(2) ? "," : NULL;
    o.quotechar = readers_below(3) ? NULL : "\"";
    o.usecols = readers_below(4) ? NULL : &use;
    o.skiprows = readers_below(8) ? 0 : 1;
    o.max_rows = readers_below(8) ? -1 : 2;
    if (!o.quotechar && !readers_below(4))
        o.several_comments = &comments;
    kn_array x = (kn_loadtxt)(NULL, &o);
    if (!kn_ok(x) || kn_size(x) == 0)
        return NULL;
    ++*accepted;
    return again_text(x);
}

static const char *run_genfromtxt(const readers_input *in, uint64_t *accepted)
{
    static const int64_t columns[] = {0, -1, 1}, sizes[] = {3, 2, 4};
    const kn_int_list use = {1 + (int)readers_below(3), columns}, widths = {1 + (int)readers_below(3), sizes};
    kn_genfromtxt_opts o = kn_genfromtxt_opts_default();
    o.text = in->bytes;
    o.dtype = some_dtype();
    o.detect = !readers_below(4);
    o.ndmin = 2;
    o.delimiter = readers_below(2) ? "," : NULL;
    o.widths = readers_below(6) ? NULL : &widths;
    o.usecols = readers_below(4) ? NULL : &use;
    o.missing_values = readers_below(2) ? "N/A,x" : NULL;
    o.loose = readers_below(2);
    o.invalid_raise = readers_below(2);
    o.autostrip = readers_below(2);
    o.skip_header = readers_below(8) ? 0 : 1;
    o.skip_footer = readers_below(8) ? 0 : 1;
    kn_array x = (kn_genfromtxt)(NULL, &o);
    if (!kn_ok(x) || kn_size(x) == 0)
        return NULL;
    ++*accepted;
    return again_text(x);
}

static const char *run_fromstring(const readers_input *in, uint64_t *accepted)
{
    kn_fromstring_opts o = kn_fromstring_opts_default();
    o.dtype = some_dtype();
    o.count = readers_below(4) ? -1 : (int64_t)readers_below(5);
    kn_array x = (kn_fromstring)(in->bytes, readers_below(2) ? "," : " ", &o);
    if (!kn_ok(x) || kn_size(x) == 0)
        return NULL;
    ++*accepted;
    return again_text(x);
}

/* ---- Strings of programs. */

/* An index gives the same of an array and of its copy, and what is written there is read there. */
static const char *run_index(const readers_input *in, uint64_t *accepted)
{
    kn_index_arg args[3] = {{.kind = KN_ARG_INT, .integer = (int64_t)readers_below(9) - 4}};
    args[1] = args[0];
    args[2] = args[0];
    int n = 0;
    for (const char *s = in->bytes; *s; s++)
        n += *s == '%';
    n = n > 3 ? 3 : n;
    kn_array x = (kn_at)(cube, in->bytes, n, args);
    if (!kn_ok(x))
        return NULL;
    ++*accepted;
    kn_array copy = kn_copy(cube, NULL);
    kn_array y = (kn_at)(copy, in->bytes, n, args);
    if (!kn_ok(y) || !same_arrays(x, y))
        return "an index gives something else of a copy";
    kn_array seven = kn_like_int(7);
    if ((kn_set_at)(copy, seven, in->bytes, n, args) != 0)
        return "an index reads but does not write";
    y = (kn_at)(copy, in->bytes, n, args);
    return kn_ok(y) && kn_item_bool((kn_all)((kn_equal)(y, seven), NULL))
               ? NULL
               : "what is written at an index is not read there";
}

static const char *run_dtype(const readers_input *in, uint64_t *accepted)
{
    bool swapped, again;
    char *exact = malloc(in->n + !in->n);
    memcpy(exact, in->bytes, in->n);
    kn_dtype d = knx_dtype_numpy(exact, in->n, &swapped);
    free(exact);
    (void)kn_dtype_named(in->bytes);
    kn_error_clear();
    if (!d)
        return NULL;
    ++*accepted;
    return knx_dtype_numpy(d->name, strlen(d->name), &again) == d && !again ? NULL : "a dtype's name is another dtype";
}

static const char *run_format(const readers_input *in, uint64_t *accepted)
{
    static const double v = -1234.5678;
    static const int64_t i = 42, dim = 2, pair[2] = {1, -2};
    static const uint8_t yes = 1;
    const knx_format_arg args[] = {{KN_DT(F64), 0, NULL, &v},
                                   {KN_DT(I64), 0, NULL, &i},
                                   {KN_DT(I64), 1, &dim, pair},
                                   {KN_DT(BOOL), 0, NULL, &yes}};
    bool placeholders;
    int n = (int)readers_below(5);
    knx_str out = {0};
    knx_error *check = knx_format_check(in->bytes, n, args, &placeholders);
    knx_error *e = knx_format(&out, in->bytes, n, args);
    const char *wrong = !check && e ? "a format that was checked fails" : NULL;
    *accepted += !e;
    knx_error_release(check);
    knx_error_release(e);
    knx_str_free(&out);
    return wrong;
}

static const char *run_percent(const readers_input *in, uint64_t *accepted)
{
    static const double v[4] = {1.5, -2e300, 0, 1e-5};
    static const int64_t i[4] = {65, -7, INT64_MIN, 0};
    knio_percent p;
    knx_str out = {0};
    char mismatch;
    knx_error *e = knio_percent_read(in->bytes, &p);
    if (e)
        return knx_error_release(e), NULL;
    if (p.count <= 4) {
        e = knio_percent_write(&p, &out, KN_DT(F64), (const char *)v, sizeof *v, &mismatch);
        *accepted += !e && !mismatch;
        knx_error_release(e);
        knx_error_release(knio_percent_write(&p, &out, KN_DT(I64), (const char *)i, sizeof *i, &mismatch));
    }
    knx_str_free(&out);
    knio_percent_free(&p);
    return NULL;
}

static const char *run_jaxpr(const readers_input *in, uint64_t *accepted)
{
    kn_jaxpr j = kn_jaxpr_parse(in->bytes);
    if (!j || kn_error_pending())
        return NULL;
    ++*accepted;
    char *text = NULL, *again = NULL;
    size_t n = 0, m = 0;
    FILE *f = open_memstream(&text, &n);
    kn_jaxpr_print(j, f, KN_JAXPR_FULL);
    fclose(f);
    kn_jaxpr k = kn_jaxpr_parse(text);
    f = open_memstream(&again, &m);
    if (k)
        kn_jaxpr_print(k, f, KN_JAXPR_FULL);
    fclose(f);
    bool same = k && n == m && !memcmp(text, again, n);
    free(text);
    free(again);
    return same ? NULL : "a jaxpr is another one when it is printed and read again";
}

/* ---- Pictures and sound. */

static const char *run_image(const readers_input *in, uint64_t *accepted)
{
    kn_image_load_opts l = kn_image_load_opts_default();
    kn_image_save_opts s = kn_image_save_opts_default();
    char *text = NULL;
    size_t n = 0;
    l.file = in->n ? fmemopen((void *)(uintptr_t)in->bytes, in->n, "rb") : NULL;
    kn_array x = l.file ? (kn_image_load)(NULL, &l) : NULL;
    if (l.file)
        fclose(l.file);
    int channels = x && kn_ok(x) ? kn_ndim(x) == 2 ? 1 : (int)kn_dim(x, 2) : 0;
    if (!channels || kn_size(x) > 1 << 20)
        return NULL;
    ++*accepted;
    bool png = in->bytes[0] != 'P';
    s.format = png ? "png" : channels == 1 ? "pgm" : "ppm";
    s.file = open_memstream(&text, &n);
    int status = (kn_image_save)(NULL, x, &s);
    fclose(s.file);
    l.file = status ? NULL : fmemopen(text, n, "rb");
    kn_array y = l.file ? (kn_image_load)(NULL, &l) : NULL;
    if (l.file)
        fclose(l.file);
    free(text);
    return y && kn_ok(y) && same_arrays(x, y) ? NULL : "a picture is another one when it is written and read again";
}

static const char *run_wav(const readers_input *in, uint64_t *accepted)
{
    kn_wav_load_opts l = kn_wav_load_opts_default();
    kn_wav_save_opts s = kn_wav_save_opts_default();
    int64_t rate = 0, again = 0;
    char *text = NULL;
    size_t n = 0;
    l.rate = &rate;
    l.file = in->n ? fmemopen((void *)(uintptr_t)in->bytes, in->n, "rb") : NULL;
    kn_array x = l.file ? (kn_wav_load)(NULL, &l) : NULL;
    if (l.file)
        fclose(l.file);
    if (!x || !kn_ok(x))
        return NULL;
    ++*accepted;
    s.file = open_memstream(&text, &n);
    int status = (kn_wav_save)(NULL, x, rate, &s);
    fclose(s.file);
    l.rate = &again;
    l.file = status ? NULL : fmemopen(text, n, "rb");
    kn_array y = l.file ? (kn_wav_load)(NULL, &l) : NULL;
    if (l.file)
        fclose(l.file);
    free(text);
    if (status) /* a rate or a number of channels that cannot be written */
        return NULL;
    return y && kn_ok(y) && rate == again && same_arrays(x, y)
               ? NULL
               : "sound is another one when it is written and read again";
}

/* ---- The list. */

#define WORDS(...) (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)
enum {
    NPY,
    NPZ,
    MANIFEST,
    LOADTXT,
    GENFROMTXT,
    FROMSTRING,
    INDEX,
    DTYPE,
    FORMAT,
    PERCENT,
    JAXPR,
    IMAGE,
    WAV,
    SAFETENSORS,
    GGUF,
    TOKENIZER,
    ONNX
};
reader readers[] = {
    {"npy", run_npy, good[NPY], 0,
     WORDS("'descr'", "'shape': (2, 3)", "True", "False", "'<f8'", "'|O'", "(", ")", "\x93NUMPY\1\0", "\n", "L,",
           "[('a', '<i4')]")},
    {"npz", run_npz, good[NPZ], 0,
     WORDS("PK\1\2", "PK\3\4", "PK\5\6", "PK\6\6", "PK\6\7", ".npy", "\xff\xff\xff\xff", "../")},
    {"manifest", run_manifest, good[MANIFEST], 0,
     WORDS("\"", "[", "]", "{", "}", ",", "-1", "9223372036854775807", "\"children\": 1", "\\u00e4", "\\ud83d\\ude00",
           "\"leaf\"", "\"dict\"", "\"struct\"", "null", "0")},
    {"loadtxt", run_loadtxt, good[LOADTXT], 0,
     WORDS("\n", "\r\n", ",", "\"", "#", "//", " ", "nan", "inf", "\xc2\xa0", "1+2j", "e5", "\"\"")},
    {"genfromtxt", run_genfromtxt, good[GENFROMTXT], 0,
     WORDS("\n", ",", "N/A", "#", "True", "1_0", "\r", "\xc3\xa9", "j", "x", "  ")},
    {"fromstring", run_fromstring, good[FROMSTRING], 0, WORDS(",", " ", "nan", "0x", "e", "-", "\t", "infinity")},
    {"index", run_index, good[INDEX], 0, WORDS(":", "::", "...", "None", "%", ",", "-1", "newaxis", "(", ")", " ")},
    {"dtype", run_dtype, good[DTYPE], 0, WORDS("<", ">", "=", "|", "f8", "int", "uint", "complex", "64", "float")},
    {"format", run_format, good[FORMAT], 0,
     WORDS("{", "}", "{{", "}}", ":", "!r", "0", ">", "^", ".3f", "e", "+", "_", ",")},
    {"percent", run_percent, good[PERCENT], 0, WORDS("%", "%%", "%d", "%.18e", "%s", "-", "#", "*", "(a)", "l", "0")},
    {"jaxpr", run_jaxpr, good[JAXPR], 0,
     WORDS("{", "}", "lambda", "let", "in", ":", "f32[3]", "add", "mul", "[", "]", "=", ";", "a", "b")},
    {"image", run_image, good[IMAGE], 0,
     WORDS("P2", "P3", "P5", "P6", "P1", "P4", "IDAT", "IEND", "PLTE", "tRNS", "\n", " ", "255", "65535", "#")},
    {"wav", run_wav, good[WAV], 0,
     WORDS("RIFF", "RIFX", "RF64", "WAVE", "fmt ", "data", "ds64", "LIST", "fact", "\xfe\xff", "\xff\xff\xff\xff")},
    {"safetensors", readers_run_safetensors, good[SAFETENSORS], 0,
     WORDS("{", "}", "\"", "[0,", ",0]", "\"dtype\":\"F32\"", "\"F4\"", "\"shape\":[]", "\"data_offsets\":[0,0]",
           "\"__metadata__\":{}", "\\u00e4", " ")},
    {"gguf", readers_run_gguf, good[GGUF], 0,
     WORDS("GGUF\3\0\0\0", "\x9\0\0\0", "\x8\0\0\0", "\0\0\0\0\0\0\0\0", "\1\0\0\0\0\0\0\0", "general.alignment",
           "\xff\xff\xff\xff", "\x20\0\0\0")},
    {"tokenizer", readers_run_tokenizer, good[TOKENIZER], 0,
     WORDS("{", "}", "[", "]", "\"type\":\"Sequence\"", "null", "true", "\"Regex\"", "\\\\p{L}", "(?i:", "]*", "NFKC",
           "\"Lowercase\"", "\xe2\x96\x81", "\"\"", "0.5")},
    {"onnx", readers_run_onnx, good[ONNX], 0,
     WORDS("\x08", "\x12", "\x1a", "\xff\xff\xff\xff\x0f", "\x80\x80\x80\x80\x01", "MatMul", "If", "then_branch",
           "location", "\x0a", "\x2a", "ai.onnx")},
    {NULL, NULL, NULL, 0, NULL, 0}};

static void add_texts(int which, int n, const char *const *text)
{
    for (int i = 0; i < n; i++)
        add(&readers[which], text[i], strlen(text[i]));
}
#define ADD(which, ...) \
    add_texts(which, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

static void add_npy(kn_dtype d, int ndim, const int64_t *dim, int major, bool fortran, bool swapped)
{
    char elements[512];
    uint8_t *bytes;
    size_t n;
    knio_npy_header h = {
        .dtype = d, .ndim = ndim, .major = major, .fortran = fortran, .swapped = swapped, .bytes = d->size};
    for (int i = 0; i < ndim; i++) {
        h.dim[i] = dim[i];
        h.bytes *= (size_t)dim[i];
    }
    for (size_t i = 0; i < sizeof elements; i++)
        elements[i] = (char)(i * 37);
    if (h.bytes > sizeof elements || knio_npy_bytes_of(&h, elements, &bytes, &n))
        abort();
    add(&readers[NPY], bytes, n);
    knx_free(bytes);
}

static void add_npz(bool compress)
{
    char path[] = "/tmp/kiln-readers-XXXXXX", bytes[READERS_ROOM];
    int fd = mkstemp(path);
    knio_zip_writer *w;
    FILE *f = fdopen(fd, "w+b");
    knx_error *e = knio_zip_writer_open(NULL, f, &w);
    for (int i = 0; !e && i < 4; i++) {
        char name[24];
        snprintf(name, sizeof name, "arr_%d.npy", i);
        e = knio_zip_writer_add(w, name, good[NPY][i].bytes, good[NPY][i].n, compress);
    }
    if (e || knio_zip_writer_close(w, NULL))
        abort();
    rewind(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    unlink(path);
    add(&readers[NPZ], bytes, n);
}

static void add_written(int which, char *text, size_t n)
{
    add(&readers[which], text, n);
    free(text);
}

static void add_images(void)
{
    static const char *const formats[] = {"pgm", "ppm", "png", "png", "png", "png"};
    static const int channels[] = {1, 3, 1, 2, 3, 4};
    for (int i = 0; i < 12; i++) {
        kn_image_save_opts s = kn_image_save_opts_default();
        kn_shape shape = {channels[i % 6] == 1 ? 2 : 3, {3, 5, channels[i % 6]}};
        kn_array x = (kn_astype)((kn_full)(&shape, kn_like_int(37 + i), NULL), i < 6 ? KN_U8 : KN_U16, NULL);
        char *text = NULL;
        size_t n = 0;
        s.format = formats[i % 6];
        s.file = open_memstream(&text, &n);
        int status = (kn_image_save)(NULL, x, &s);
        fclose(s.file);
        if (status == 0)
            add_written(IMAGE, text, n);
        else
            free(text); /* without libpng */
    }
    kn_error_clear();
    ADD(IMAGE, "P1 3 2 1 0 1 0 1 1\n", "P2\n# c\n2 2\n15\n1 2 3 15\n", "P3 1 2 255 1 2 3 4 5 6", "P4\n9 1\n\x80\x80");
}

static void add_sounds(void)
{
    const kn_dtype dtypes[] = {KN_U8, KN_I16, KN_I32, KN_I64, KN_F32, KN_F64};
    for (int i = 0; i < 6; i++) {
        kn_wav_save_opts s = kn_wav_save_opts_default();
        char *text = NULL;
        size_t n = 0;
        s.file = open_memstream(&text, &n);
        kn_array x = (kn_astype)((kn_full)(&(kn_shape){2, {4, 1 + i % 3}}, kn_like_int(i), NULL), dtypes[i], NULL);
        if ((kn_wav_save)(NULL, x, 8000, &s))
            abort();
        fclose(s.file);
        add_written(WAV, text, n);
    }
}

void readers_begin(void)
{
    static const int64_t dim[3] = {2, 3, 4};
    readers_add_weights(&readers[SAFETENSORS], &readers[GGUF], add);
    readers_add_tokenizers(&readers[TOKENIZER], add);
    readers_add_onnx(&readers[ONNX], add);
    kn_scope scope = kn_scope_begin();
    scratch = NULL;
    add_npy(KN_F64, 2, dim, 0, false, false);
    add_npy(KN_I32, 3, dim, 2, true, false);
    add_npy(KN_BOOL, 1, dim, 3, false, false);
    add_npy(KN_C64, 0, NULL, 0, false, true);
    add_npy(KN_U16, 2, dim, 0, true, true);
    add_npy(KN_F16, 2, (const int64_t[]){0, 5}, 0, false, false);
    add_npy(KN_BF16, 1, dim, 0, false, false);
    add_images();
    add_sounds();
    add_npz(false);
    if (knio_zip_can_compress())
        add_npz(true);
    ADD(MANIFEST,
        MANIFEST_HEAD
        "\"files\": [100, 0, 64], \"tree\": [{\"kind\": \"dict\", \"children\": 2}, {\"kind\": \"leaf\", "
        "\"children\": 0, \"key\": \"a\"}, {\"kind\": \"list\", \"children\": 2, \"key\": \"b\"}, {\"kind\": "
        "\"none\", \"children\": 0}, {\"kind\": \"leaf\", \"children\": 0}], \"leaves\": [{\"path\": \"a\", "
        "\"dtype\": \"int16\", \"shape\": [3, 2], \"sharding\": \"x\", \"parts\": [{\"file\": 0, \"offset\": 64, "
        "\"start\": [0, 0], \"shape\": [2, 2]}, {\"file\": 2, \"offset\": 0, \"start\": [2, 0], \"shape\": [1, "
        "2]}]}, {\"path\": \"b/1\", \"dtype\": \"bool\", \"shape\": [0], \"sharding\": null, \"parts\": []}]}",
        MANIFEST_HEAD
        "\"files\": [], \"tree\": [{\"kind\": \"struct\", \"children\": 1, \"type\": \"Net\"}, {\"kind\": "
        "\"tuple\", \"children\": 0, \"key\": \"\\u00e4\\n\"}], \"leaves\": []}");
    ADD(LOADTXT, "1 2 3\n4 5 6\n", "1,2,3\n4,5,6\n", "# head\n 1.5\t-2e10 \r\n nan inf # c\n", "\"1\",\"2\"\n3,\"4\"\n",
        "(1+2j) 3j\n-4-5j 6\n", "1 2 // x\n3 4\n", "0 1 0\n1 1 1", "\n\n1\n2\n\n3\n",
        "123456789012345678901234567890 1e-400\n");
    ADD(GENFROMTXT, "1 2 3\n4 5 6\n", "1,,3\n4,N/A,6\n", "123456\n789\n", "True False\nfalse true\n", "1 2\n3\n4 5\n",
        "a b\n1 2\n", "1.5,2j\n3,4+5j\n", " 1 , x , 3\r\n4,5,6");
    ADD(FROMSTRING, "1, 2, 3", "1 2 3", "1.5,-2e10, nan ,inf", "  7", "1,2,", "255 -1 300");
    ADD(INDEX, "0", "1, 2", ":", "...", "::-1", "1:3, ::2", "..., None, 0", "%, %", "-1, 1:, None", "2, -3, 1",
        "None, ...", ":, %:, 1:4:2", "(1, 2)", "5:1:-1");
    ADD(DTYPE, "<f8", ">i4", "|b1", "float32", "complex64", "l", "?", "half", "bfloat16", "uint8", "=u2", "c16", "intp",
        "Q");
    ADD(FORMAT, "{} {:.3f}", "{0!r} {{}} {1:>8}", "{:+010.2e}{:x}", "{2} {3}", "{:_^20,}", "{:#o}{:%}", "{1:c}",
        "plain");
    ADD(PERCENT, "%.18e", "%d", "%10.3f %-5d", "%+.2e%% %x", "%#o %s", "%05d,%r", "% g %G", "%c");
    ADD(JAXPR, "{ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }",
        "{ lambda ; a:f32[2,3] b:f32[3]. let c:f32[2,3] = broadcast_in_dim[broadcast_dimensions=(1,) shape=(2, 3) "
        "sharding=None] b; "
        "d:f32[2,3] = add a c in (d,) }",
        "{ lambda a:i32[]; b:f32[]. let c:f32[] = mul b 2.0:f32[] in (c, a) }");
    cube = (kn_reshape)((kn_arange)(kn_like_int(0), kn_like_int(120), kn_like_int(1), NULL), &(kn_shape){3, {4, 5, 6}},
                        NULL);
    kn_eval(cube);
    kn_keep(cube);
    kn_scope_end(&scope);
}

void readers_end(void) { kn_release(cube); }
