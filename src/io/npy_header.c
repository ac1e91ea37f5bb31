/* SPDX-License-Identifier: Apache-2.0
 * npy_header.c -- headers of .npy files, read and written. The header is the text of a Python dictionary:
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
 * behind "\x93NUMPY", two version bytes and its length (2 bytes in version 1, 4 bytes later), little-endian. */
#include "io/npy.h"
#include "base/str.h"

#include <inttypes.h>
#include <string.h>

enum { MAGIC = 6, ALIGN = 64, GROWTH = 21, SHOWN = 200 };
static const char magic[] = "\x93NUMPY";
static const bool big_endian_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

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

static bool take_shape(scanner *t, knio_npy_header *a)
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
static knx_error *find_dtype(const char *s, size_t n, knio_npy_header *h)
{
    size_t order = n > 0 && strchr("<>=|", s[0]) && s[0];
    kn_dtype d = knx_dtype_numpy(s, n, &h->swapped);
    for (int i = 0; i < KN_ID_COUNT && !d; i++) { /* bytes without a meaning to NumPy */
        const char *code = knx_dtype_table[i].code;
        if (*code == 'V' && strlen(code) == n - order && !memcmp(code, s + order, n - order)) {
            d = &knx_dtype_table[i];
            h->swapped = s[0] == (big_endian_host ? '<' : '>');
        }
    }
    if (!d && n - order >= 1 && s[order] == 'O')
        return knx_error_new(KN_ERROR_VALUE, "Object arrays cannot be loaded when allow_pickle=False");
    if (!d || (d->kind == KN_KIND_KEY && *s == *d->name))
        return unsupported(s - 1, n + 2); /* with its quotes */
    h->dtype = d;
    return NULL;
}

static knx_error *bad_header(const scanner *text, const char *what)
{
    size_t n = (size_t)(text->end - text->s);
    while (n > 0 && (text->s[n - 1] == '\n' || text->s[n - 1] == ' '))
        n--;
    return knx_error_new(KN_ERROR_VALUE, "%s: %.*s", what, n > SHOWN ? SHOWN : (int)n, text->s);
}

static knx_error *parse_descr(scanner *t, const scanner *text, knio_npy_header *h)
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

static knx_error *parse_dictionary(const char *s, size_t length, knio_npy_header *h)
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
        if (n == 5 && memcmp(key, "descr", 5) == 0 && !h->dtype) {
            KN_TRY(parse_descr(&t, &text, h));
        } else if (n == 13 && memcmp(key, "fortran_order", 13) == 0 && !have_order) {
            h->fortran = take_word(&t, "True");
            if (!h->fortran && !take_word(&t, "False"))
                return bad_header(&text, "fortran_order is not a valid bool");
            have_order = true;
        } else if (n == 5 && memcmp(key, "shape", 5) == 0 && !have_shape) {
            if (!take_shape(&t, h))
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
    return h->dtype && have_order && have_shape ? NULL : bad_header(&text, "Header does not contain the correct keys");
}

/* ---- the header in a file ---- */

knx_error *knio_npy_read_magic(knio_source *s, uint64_t at, int *major, int *minor)
{
    uint8_t b[MAGIC + 2];
    size_t got;
    KN_TRY(knio_source_read_some(s, at, b, sizeof b, &got));
    if (got < sizeof b)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading magic string, expected 8 bytes got %zu", got);
    if (memcmp(b, magic, MAGIC) != 0) {
        knx_str text = {0};
        for (int i = 0; i < MAGIC; i++)
            knx_str_printf(&text, b[i] >= ' ' && b[i] < 0x7f && b[i] != '\'' && b[i] != '\\' ? "%c" : "\\x%02x", b[i]);
        knx_error *e =
            text.failed ? knx_error_nomem()
                        : knx_error_new(KN_ERROR_VALUE,
                                        "the magic string is not correct; expected b'\\x93NUMPY', got b'%s'", text.s);
        knx_str_free(&text);
        return e;
    }
    *major = b[MAGIC];
    *minor = b[MAGIC + 1];
    return NULL;
}

/* Number of bytes, or false if the machine cannot address so many; extents beside a zero count, too, as in NumPy. */
static bool count_bytes(const knio_npy_header *h, size_t *bytes)
{
    size_t n = h->dtype->size;
    bool empty = false;
    for (int i = 0; i < h->ndim; i++) {
        empty |= h->dim[i] == 0;
        if ((uint64_t)h->dim[i] > SIZE_MAX || (h->dim[i] && knx_mul_overflows(n, (size_t)h->dim[i], &n)))
            return false;
    }
    *bytes = empty ? 0 : n;
    return n <= SIZE_MAX / 2;
}

static knx_error *parse_text(const char *text, size_t length, knio_npy_header *h)
{
    KN_TRY(parse_dictionary(text, length, h));
    KN_KNOWN(h->dtype);
    if (count_bytes(h, &h->bytes))
        return NULL;
    knx_text t = {0};
    return knx_error_new(KN_ERROR_VALUE, "array is too big: shape %s of %s", knx_show_shape(&t, h->ndim, h->dim),
                         h->dtype->name);
}

knx_error *knio_npy_read_text(knio_source *s, uint64_t at, int major, int64_t most, knio_npy_header *h)
{
    uint8_t b[4];
    size_t width = major == 1 ? 2 : 4, length = 0, got;
    KN_TRY(knio_source_read_some(s, at, b, width, &got));
    if (got < width)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading array header length, expected %zu bytes got %zu", width,
                             got);
    for (size_t i = 0; i < width; i++)
        length |= (size_t)b[i] << (8 * i);
    uint64_t left = s->size - at - width;
    if (s->size != UINT64_MAX && length > left)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading array header, expected %zu bytes got %" PRIu64, length,
                             left);
    if (most >= 0 && length > (uint64_t)most)
        return knx_error_new(KN_ERROR_VALUE,
                             "Header info length (%zu) is large and may not be safe to load securely.\n"
                             "To allow loading, adjust `max_header_size` or fully trust the `.npy` file using "
                             "`allow_pickle=True`.\n"
                             "For safety against large resource use or crashes, sandboxing may be necessary.",
                             length);
    char *text = knx_alloc(length + 1);
    if (!text)
        return knx_error_nomem();
    *h = (knio_npy_header){.major = major, .start = at + width + length};
    knx_error *e = knio_source_read_some(s, at + width, text, length, &got);
    if (!e && got < length)
        e = knx_error_new(KN_ERROR_VALUE, "EOF: reading array header, expected %zu bytes got %zu", length, got);
    if (!e)
        e = parse_text(text, length, h);
    knx_free(text);
    return e;
}

knx_error *knio_npy_read_header(knio_source *s, uint64_t at, int64_t most, knio_npy_header *h)
{
    int major, minor;
    KN_TRY(knio_npy_read_magic(s, at, &major, &minor));
    KN_TRY(knio_npy_check_version(major, minor));
    return knio_npy_read_text(s, at + MAGIC + 2, major, most, h);
}

knx_error *knio_npy_check_version(int major, int minor)
{
    return major >= 1 && major <= 3 && minor == 0
               ? NULL
               : knx_error_new(KN_ERROR_VALUE, "we only support format version (1,0), (2,0), and (3,0), not (%d, %d)",
                               major, minor);
}

/* ---- writing ---- */

static void add_number(knx_str *t, int64_t v)
{
    char number[24];
    int n = snprintf(number, sizeof number, "%" PRId64, v);
    knx_str_add(t, number, (size_t)n);
}

knx_error *knio_npy_descr(const char *s, size_t n, kn_dtype *dtype, bool *swapped)
{
    knio_npy_header h = {0};
    KN_TRY(find_dtype(s, n, &h));
    *dtype = h.dtype;
    *swapped = h.swapped;
    return NULL;
}

void knio_npy_add_descr(knx_str *t, kn_dtype dtype, bool swapped)
{
    char order = dtype->size == 1 || dtype->kind == 'k' ? '|' : big_endian_host != swapped ? '>' : '<';
    knx_str_add(t, &order, 1);
    knx_str_puts(t, dtype->code);
}

knx_error *knio_npy_write_header(knx_str *t, const knio_npy_header *h)
{
    size_t from = t->n, width = h->major >= 2 ? 4 : 2, grows = 0;
    knx_str_add(t, magic, MAGIC);
    knx_str_add(t, (const char[]){(char)(h->major ? h->major : 1), 0}, 2);
    knx_str_add(t, "????", width); /* the length comes last */
    knx_str_puts(t, "{'descr': '");
    knio_npy_add_descr(t, h->dtype, h->swapped);
    knx_str_printf(t, "', 'fortran_order': %s, 'shape': (", h->fortran ? "True" : "False");
    for (int i = 0; i < h->ndim; i++) {
        size_t before = t->n;
        add_number(t, h->dim[i]);
        if (i == (h->fortran ? h->ndim - 1 : 0))
            grows = t->n - before;
        knx_str_puts(t, h->ndim == 1 ? "," : i + 1 < h->ndim ? ", " : "");
    }
    knx_str_puts(t, "), }");
    knx_str_pad(t, ' ', h->ndim ? GROWTH - (int64_t)grows : 0); /* room for the slowest extent to grow */
    int64_t over = (int64_t)((t->n - from + 1) % ALIGN);
    knx_str_pad(t, ' ', ALIGN - over); /* NumPy fills a whole block when nothing is missing */
    knx_str_add(t, "\n", 1);
    if (t->failed)
        return knx_error_nomem();
    uint64_t length = t->n - from - MAGIC - 2 - width;
    for (size_t i = 0; i < width; i++)
        t->s[from + MAGIC + 2 + i] = (char)(length >> (8 * i) & 0xff);
    return NULL;
}
