/* SPDX-License-Identifier: Apache-2.0
 * npy.c -- reading and writing .npy. The header is the text of a Python dictionary:
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
 * behind "\x93NUMPY", two version bytes and its length (2 bytes in version 1, 4 bytes later), little-endian. */
#include "io/npy.h"
#include "base/str.h"
#include "io/file.h"

#include <inttypes.h>
#include <string.h>

enum { MAGIC = 6, PREFIX = 12, ALIGN = 64, GROWTH = 21, SHOWN = 200 };
static const char magic[] = "\x93NUMPY";
static const bool big_endian_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/* What a header says. */
typedef struct header {
    knio_npy array;
    bool fortran, swap;
    size_t start; /* of the elements, in the file */
    size_t bytes; /* of the elements */
} header;

/* ---- the text of the header ---- */

typedef struct scanner {
    const char *s, *end;
} scanner;

static void skip_blanks(scanner *t)
{
    while (t->s < t->end && (*t->s == ' ' || *t->s == '\n' || *t->s == '\t' || *t->s == '\r'))
        t->s++;
}

static bool take(scanner *t, char c)
{
    skip_blanks(t);
    bool is = t->s < t->end && *t->s == c;
    t->s += is;
    return is;
}

static bool take_word(scanner *t, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(t);
    if ((size_t)(t->end - t->s) < n || memcmp(t->s, word, n) != 0)
        return false;
    t->s += n;
    return true;
}

static bool take_string(scanner *t, const char **s, size_t *n)
{
    skip_blanks(t);
    if (t->s == t->end || (*t->s != '\'' && *t->s != '"'))
        return false;
    const char *close = memchr(t->s + 1, *t->s, (size_t)(t->end - t->s - 1));
    if (!close)
        return false;
    *s = t->s + 1;
    *n = (size_t)(close - *s);
    t->s = close + 1;
    return memchr(*s, '\\', *n) == NULL;
}

static bool take_extent(scanner *t, int64_t *extent)
{
    skip_blanks(t);
    const char *start = t->s;
    int64_t v = 0;
    for (; t->s < t->end && *t->s >= '0' && *t->s <= '9'; t->s++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *t->s - '0', &v))
            return false;
    if (t->s == start)
        return false;
    take(t, 'L'); /* Python 2 wrote long integers so */
    *extent = v;
    return true;
}

static bool take_shape(scanner *t, knio_npy *a)
{
    if (!take(t, '('))
        return false;
    bool comma = true;
    a->ndim = 0;
    while (!take(t, ')')) {
        if (!comma || a->ndim == KN_MAX_NDIM || !take_extent(t, &a->dim[a->ndim]))
            return false;
        a->ndim++;
        comma = take(t, ',');
    }
    return a->ndim != 1 || comma; /* (3) is not a tuple */
}

/* Skips a list or tuple: the descr of a structured dtype. */
static bool take_nested(scanner *t)
{
    int depth = 0;
    skip_blanks(t);
    do {
        const char *s;
        size_t n;
        if (t->s == t->end)
            return false;
        if (*t->s == '\'' || *t->s == '"') {
            if (!take_string(t, &s, &n))
                return false;
            continue;
        }
        depth += *t->s == '(' || *t->s == '[';
        depth -= *t->s == ')' || *t->s == ']';
        t->s++;
    } while (depth > 0);
    return true;
}

static knx_error *unsupported(const char *descr, size_t n)
{
    bool cut = n > SHOWN;
    return knx_error_new(KN_ERROR_TYPE, "arrays of dtype %.*s%s cannot be loaded", cut ? SHOWN : (int)n, descr,
                         cut ? "..." : "");
}

/* '<f8', '|b1', '=i4', or whatever else np.dtype takes. */
static knx_error *find_dtype(const char *s, size_t n, header *h)
{
    size_t order = n > 0 && strchr("<>=|", s[0]) && s[0];
    kn_dtype d = knx_dtype_numpy(s, n, &h->swap);
    for (int i = 0; i < KN_ID_COUNT && !d; i++) { /* bytes without a meaning to NumPy */
        const char *code = knx_dtype_table[i].code;
        if (*code == 'V' && strlen(code) == n - order && !memcmp(code, s + order, n - order)) {
            d = &knx_dtype_table[i];
            h->swap = s[0] == (big_endian_host ? '<' : '>');
        }
    }
    if (!d || (d->kind == KN_KIND_KEY && *s == *d->name))
        return unsupported(s - 1, n + 2); /* with its quotes */
    h->array.dtype = d;
    return NULL;
}

static knx_error *bad_header(const scanner *text, const char *what)
{
    size_t n = (size_t)(text->end - text->s);
    while (n > 0 && (text->s[n - 1] == '\n' || text->s[n - 1] == ' '))
        n--;
    return knx_error_new(KN_ERROR_VALUE, "%s: %.*s", what, n > SHOWN ? SHOWN : (int)n, text->s);
}

static knx_error *parse_descr(scanner *t, const scanner *text, header *h)
{
    const char *s;
    size_t n;
    skip_blanks(t);
    const char *start = t->s;
    if (take_string(t, &s, &n))
        return find_dtype(s, n, h);
    if (t->s < t->end && *t->s == '[' && take_nested(t))
        return unsupported(start, (size_t)(t->s - start));
    return bad_header(text, "descr is not a valid dtype descriptor");
}

static knx_error *parse_dictionary(const char *s, size_t length, header *h)
{
    scanner text = {s, s + length}, t = text;
    bool have_order = false, have_shape = false, comma = true;
    if (!take(&t, '{'))
        return bad_header(&text, "Cannot parse header");
    while (!take(&t, '}')) {
        const char *key;
        size_t n;
        if (!comma || !take_string(&t, &key, &n) || !take(&t, ':'))
            return bad_header(&text, "Cannot parse header");
        if (n == 5 && memcmp(key, "descr", 5) == 0 && !h->array.dtype) {
            KN_TRY(parse_descr(&t, &text, h));
        } else if (n == 13 && memcmp(key, "fortran_order", 13) == 0 && !have_order) {
            h->fortran = take_word(&t, "True");
            if (!h->fortran && !take_word(&t, "False"))
                return bad_header(&text, "fortran_order is not a valid bool");
            have_order = true;
        } else if (n == 5 && memcmp(key, "shape", 5) == 0 && !have_shape) {
            if (!take_shape(&t, &h->array))
                return bad_header(&text, "shape is not valid");
            have_shape = true;
        } else {
            return bad_header(&text, "Header does not contain the correct keys");
        }
        comma = take(&t, ',');
    }
    skip_blanks(&t);
    if (t.s != t.end)
        return bad_header(&text, "Cannot parse header");
    return h->array.dtype && have_order && have_shape ? NULL
                                                      : bad_header(&text, "Header does not contain the correct keys");
}

/* ---- the file ---- */

/* From the first bytes of the file: where the header's text starts and how long it is. */
static knx_error *parse_prefix(const uint8_t *b, size_t n, size_t *start, size_t *length)
{
    if (n < MAGIC + 2)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading magic string, expected 8 bytes got %zu", n);
    if (memcmp(b, magic, MAGIC) != 0)
        return knx_error_new(KN_ERROR_VALUE, "the magic string is not correct; this is not an npy file");
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return knx_error_new(KN_ERROR_VALUE, "we only support format version (1,0), (2,0), and (3,0), not (%d, %d)",
                             b[6], b[7]);
    size_t width = b[6] == 1 ? 2 : 4;
    *start = MAGIC + 2 + width;
    if (n < *start)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading array header length, expected %zu bytes got %zu", width,
                             n - MAGIC - 2);
    *length = 0;
    for (size_t i = 0; i < width; i++)
        *length |= (size_t)b[MAGIC + 2 + i] << (8 * i);
    return NULL;
}

/* Number of bytes, or false if the machine cannot address so many; extents beside a zero count, too, as in NumPy. */
static bool count_bytes(const knio_npy *a, size_t *bytes)
{
    size_t n = a->dtype->size;
    bool empty = false;
    for (int i = 0; i < a->ndim; i++) {
        empty |= a->dim[i] == 0;
        if ((uint64_t)a->dim[i] > SIZE_MAX || (a->dim[i] && knx_mul_overflows(n, (size_t)a->dim[i], &n)))
            return false;
    }
    *bytes = empty ? 0 : n;
    return n <= SIZE_MAX / 2;
}

static knx_error *parse_header(const char *text, size_t start, size_t length, uint64_t file_size, header *h)
{
    *h = (header){.start = start + length};
    KN_TRY(parse_dictionary(text, length, h));
    KN_KNOWN(h->array.dtype);
    if (!count_bytes(&h->array, &h->bytes)) {
        knx_text t = {0};
        return knx_error_new(KN_ERROR_VALUE, "array is too big: shape %s of %s",
                             knx_show_shape(&t, h->array.ndim, h->array.dim), h->array.dtype->name);
    }
    if (file_size - h->start < h->bytes)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading array data, expected %zu bytes got %" PRIu64, h->bytes,
                             file_size - h->start);
    return NULL;
}

static void swap_bytes(uint8_t *p, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i += size)
        for (size_t j = 0; j < size / 2; j++) {
            uint8_t b = p[i + j];
            p[i + j] = p[i + size - 1 - j];
            p[i + size - 1 - j] = b;
        }
}

/* Elements in Fortran order from `from` to C order in `to`. */
static void reorder(const knio_npy *a, const uint8_t *from, uint8_t *to, size_t bytes)
{
    int64_t index[KN_MAX_NDIM] = {0};
    size_t size = a->dtype->size, offset = 0, stride[KN_MAX_NDIM];
    for (int i = 0; i < a->ndim; i++)
        stride[i] = i ? stride[i - 1] * (size_t)a->dim[i - 1] : size;
    for (size_t done = 0; done < bytes; done += size) {
        memcpy(to + done, from + offset, size);
        for (int i = a->ndim - 1; i >= 0; i--) {
            offset += stride[i];
            if (++index[i] < a->dim[i])
                break;
            offset -= stride[i] * (size_t)a->dim[i];
            index[i] = 0;
        }
    }
}

/* Makes native, normal elements of those in place. */
static void settle(const header *h, uint8_t *p)
{
    kn_dtype d = h->array.dtype;
    bool pair = d->kind == 'c' || d->kind == 'k';
    if (h->swap)
        swap_bytes(p, h->bytes, pair ? d->size / 2 : d->size);
    for (size_t i = 0; d->kind == 'b' && i < h->bytes; i++)
        p[i] = p[i] != 0;
}

static bool in_c_order(const header *h) { return !h->fortran || h->array.ndim < 2 || h->bytes == 0; }

knx_error *knio_npy_parse(const void *bytes, size_t n, knio_npy *out)
{
    const uint8_t *b = bytes;
    size_t start = 0, length = 0;
    header h;
    *out = (knio_npy){0};
    KN_TRY(parse_prefix(b, n, &start, &length));
    if (length > n - start)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading array header, expected %zu bytes got %zu", length,
                             n - start);
    KN_TRY(parse_header((const char *)b + start, start, length, n, &h));
    h.array.buffer = knx_buffer_new(h.bytes);
    if (!h.array.buffer)
        return knx_error_nomem();
    if (!in_c_order(&h))
        reorder(&h.array, b + h.start, h.array.buffer->data, h.bytes);
    else if (h.bytes)
        memcpy(h.array.buffer->data, b + h.start, h.bytes);
    settle(&h, h.array.buffer->data);
    *out = h.array;
    return NULL;
}

static knx_error *read_header(knio_source *s, header *h)
{
    uint8_t prefix[PREFIX];
    size_t start = 0, length = 0, n = s->size < PREFIX ? (size_t)s->size : PREFIX;
    KN_TRY(knio_source_read(s, 0, prefix, n));
    KN_TRY(parse_prefix(prefix, n, &start, &length));
    if (length > s->size - start || length == SIZE_MAX)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading array header, expected %zu bytes got %" PRIu64, length,
                             s->size - start);
    char *text = knx_alloc(length + 1);
    if (!text)
        return knx_error_nomem();
    knx_error *e = knio_source_read(s, start, text, length);
    if (!e)
        e = parse_header(text, start, length, s->size, h);
    knx_free(text);
    return e;
}

static knx_error *read_elements(knio_source *s, header *h)
{
    knx_buffer *b = knx_buffer_new(h->bytes);
    uint8_t *raw = b && !in_c_order(h) ? knx_alloc(h->bytes) : NULL;
    knx_error *e = b && (raw || in_c_order(h)) ? NULL : knx_error_nomem();
    if (!e)
        e = knio_source_read(s, h->start, raw ? raw : b->data, h->bytes);
    if (!e && raw)
        reorder(&h->array, raw, b->data, h->bytes);
    if (raw)
        knx_free(raw);
    if (e) {
        knx_buffer_release(b);
        return e;
    }
    settle(h, b->data);
    h->array.buffer = b;
    return NULL;
}

knx_error *knio_npy_load(const char *path, knio_npy *out)
{
    knio_source s;
    header h;
    *out = (knio_npy){0};
    KN_TRY(knio_source_open(path, &s));
    knx_error *e = read_header(&s, &h);
    if (!e)
        e = read_elements(&s, &h);
    if (!e)
        *out = h.array;
    knio_source_close(&s);
    return e;
}

/* ---- writing ---- */

static void add_number(knx_str *t, int64_t v)
{
    char number[24];
    int n = snprintf(number, sizeof number, "%" PRId64, v);
    knx_str_add(t, number, (size_t)n);
}

static void write_header(knx_str *t, kn_dtype dtype, int ndim, const int64_t *dim)
{
    char order = dtype->size == 1 || dtype->kind == 'k' ? '|' : big_endian_host ? '>' : '<';
    knx_str_add(t, magic, MAGIC);
    knx_str_add(t, "\1\0??", 4); /* the length comes last */
    knx_str_puts(t, "{'descr': '");
    knx_str_add(t, &order, 1);
    knx_str_puts(t, dtype->code);
    knx_str_puts(t, "', 'fortran_order': False, 'shape': (");
    size_t first = 0;
    for (int i = 0; i < ndim; i++) {
        size_t before = t->n;
        add_number(t, dim[i]);
        first = i ? first : t->n - before;
        knx_str_puts(t, ndim == 1 ? "," : i + 1 < ndim ? ", " : "");
    }
    knx_str_puts(t, "), }");
    knx_str_pad(t, ' ', ndim ? GROWTH - (int64_t)first : 0);    /* NumPy leaves room for the first extent to grow */
    knx_str_pad(t, ' ', ALIGN - (int64_t)((t->n + 1) % ALIGN)); /* NumPy fills a whole block when nothing is missing */
    knx_str_add(t, "\n", 1);
    if (t->failed)
        return;
    t->s[8] = (char)((t->n - 10) & 0xff);
    t->s[9] = (char)((t->n - 10) >> 8);
}

knx_error *knio_npy_bytes(kn_dtype dtype, int ndim, const int64_t *dim, const void *data, uint8_t **out, size_t *n)
{
    knx_str t = {0};
    size_t bytes = dtype->size;
    *out = NULL;
    *n = 0;
    for (int i = 0; i < ndim; i++)
        bytes *= (size_t)dim[i];
    write_header(&t, dtype, ndim, dim);
    knx_str_add(&t, data, bytes);
    size_t length = t.n;
    *out = (uint8_t *)knx_str_take(&t);
    if (!*out)
        return knx_error_nomem();
    *n = length;
    return NULL;
}

knx_error *knio_npy_save(const char *path, kn_dtype dtype, int ndim, const int64_t *dim, const void *data)
{
    knx_str t = {0};
    size_t bytes = dtype->size;
    for (int i = 0; i < ndim; i++)
        bytes *= (size_t)dim[i];
    write_header(&t, dtype, ndim, dim);
    knx_error *e = t.failed ? knx_error_nomem() : knio_file_write(path, t.s, t.n, data, bytes);
    knx_str_free(&t);
    return e;
}
