/* SPDX-License-Identifier: Apache-2.0
 * npy_header.c -- headers of .npy files, read and written. The header is the text of a Python dictionary:
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
 * behind "\x93NUMPY", two version bytes and its length (2 bytes in version 1, 4 bytes later), little-endian. */
#include "io/npy.h"
#include "base/str.h"
#include "io/element.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 6, ALIGN = 64, GROWTH = 21, SHOWN = 200, MAX_DEPTH = 50, MAX_KEYS = 32 };
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

/* A value of Python's: a text, a number, a word, or several in brackets. */
static bool take_value(scanner *t, int depth)
{
    const char *s;
    size_t n;
    skip_blanks(t);
    if (t->s == t->end || depth > MAX_DEPTH)
        return false;
    if (*t->s == '\'' || *t->s == '"')
        return take_string(t, &s, &n);
    const char *open = strchr("([{", *t->s);
    if (!open) {
        const char *from = t->s;
        t->s += *t->s == '-' || *t->s == '+';
        while (t->s < t->end && (isalnum((unsigned char)*t->s) || *t->s == '_' || *t->s == '.'))
            t->s++;
        return t->s > from;
    }
    char close = *open == '(' ? ')' : *open == '[' ? ']' : '}';
    t->s++;
    for (bool comma = true; !take(t, close); comma = take(t, ','))
        if (!comma || !take_value(t, depth + 1) || (close == '}' && take(t, ':') && !take_value(t, depth + 1)))
            return false;
    return true;
}

/* ---- what it says ---- */

/* The values of the three keys, as they are written; s is NULL where the key is missing. */
typedef struct values {
    scanner descr, fortran_order, shape;
    int n_other;
    scanner key[MAX_KEYS]; /* all keys, for messages */
    int n;
} values;

/* "what: repr" of some of the header, which is Latin-1 before version 3. */
static knx_error *bad_header(const char *what, scanner text, bool quoted, int major)
{
    knx_str utf8 = {0}, shown = {0};
    for (const char *s = text.s; s < text.end; s++) {
        unsigned char c = (unsigned char)*s;
        const char two[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};
        knx_str_add(&utf8, major < 3 && c >= 0x80 ? two : s, major < 3 && c >= 0x80 ? 2 : 1);
    }
    if (quoted)
        knio_add_repr(&shown, utf8.s ? utf8.s : "", utf8.n);
    else
        knx_str_add(&shown, utf8.s ? utf8.s : "", utf8.n);
    knx_error *e = utf8.failed || shown.failed ? knx_error_nomem()
                                               : knx_error_new(KN_ERROR_VALUE, "%s: %s", what, shown.s ? shown.s : "");
    knx_str_free(&utf8);
    knx_str_free(&shown);
    return e;
}

static bool is_key(scanner key, const char *name)
{
    size_t n = strlen(name);
    return (size_t)(key.end - key.s) == n + 2 && memcmp(key.s + 1, name, n) == 0 && (*key.s == '\'' || *key.s == '"');
}

static knx_error *read_values(scanner text, int major, values *v)
{
    scanner t = text;
    *v = (values){.n = 0};
    if (!take(&t, '{')) {
        bool value = take_value(&t, 0);
        skip_blanks(&t);
        return value && t.s == t.end ? bad_header("Header is not a dictionary", text, false, major)
                                     : bad_header("Cannot parse header", text, true, major);
    }
    for (bool comma = true; !take(&t, '}'); comma = take(&t, ',')) {
        skip_blanks(&t);
        scanner key = {t.s, t.s};
        if (!comma || !take_value(&t, 0))
            return bad_header("Cannot parse header", text, true, major);
        key.end = t.s;
        bool colon = take(&t, ':');
        skip_blanks(&t);
        scanner value = {t.s, t.s};
        if (!colon || !take_value(&t, 0))
            return bad_header("Cannot parse header", text, true, major);
        value.end = t.s;
        scanner *slot = is_key(key, "descr")           ? &v->descr
                        : is_key(key, "fortran_order") ? &v->fortran_order
                        : is_key(key, "shape")         ? &v->shape
                                                       : NULL;
        if (v->n < MAX_KEYS && (!slot || !slot->s))
            v->key[v->n++] = key;
        v->n_other += !slot;
        if (slot)
            *slot = value;
    }
    skip_blanks(&t);
    return t.s == t.end ? NULL : bad_header("Cannot parse header", text, true, major);
}

static int by_text(const void *a, const void *b)
{
    const scanner *x = a, *y = b;
    size_t n = (size_t)(x->end - x->s), m = (size_t)(y->end - y->s);
    int order = memcmp(x->s, y->s, n < m ? n : m);
    return order ? order : n < m ? -1 : n > m;
}

static knx_error *wrong_keys(values *v, int major)
{
    knx_str list = {0};
    qsort(v->key, (size_t)v->n, sizeof *v->key, by_text);
    knx_str_puts(&list, "[");
    for (int i = 0; i < v->n; i++) {
        knx_str_puts(&list, i ? ", " : "");
        knx_str_add(&list, v->key[i].s, (size_t)(v->key[i].end - v->key[i].s));
    }
    knx_str_puts(&list, "]");
    scanner text = {list.s, list.s + list.n};
    knx_error *e =
        list.failed ? knx_error_nomem() : bad_header("Header does not contain the correct keys", text, false, major);
    knx_str_free(&list);
    return e;
}

/* ---- shapes ---- */

static knx_error *take_extent(scanner *t, int64_t *extent, bool *is)
{
    skip_blanks(t);
    t->s += t->s < t->end && *t->s == '+';
    const char *start = t->s;
    int64_t v = 0;
    bool over = false;
    for (; t->s < t->end && *t->s >= '0' && *t->s <= '9'; t->s++)
        over |= __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *t->s - '0', &v);
    *is = t->s > start;
    take(t, 'L'); /* Python 2 wrote long integers so */
    *extent = v;
    return over ? knx_error_new(KN_ERROR_OVERFLOW, "Python int too large to convert to C long") : NULL;
}

static knx_error *read_shape(scanner value, int major, knio_npy_header *h)
{
    scanner t = value;
    bool comma = true, is = take(&t, '(');
    int n = 0;
    while (is && !take(&t, ')')) {
        int64_t extent;
        is = comma;
        if (is)
            KN_TRY(take_extent(&t, &extent, &is));
        if (is && n < KN_MAX_NDIM)
            h->dim[n] = extent;
        n += is;
        comma = take(&t, ',');
    }
    if (is && n == 1 && !comma) { /* (3) is a number */
        value.s++;
        value.end--;
        is = false;
    }
    if (!is)
        return bad_header("shape is not valid", value, false, major);
    if (n > KN_MAX_NDIM)
        return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                             KN_MAX_NDIM, n);
    h->ndim = n;
    return NULL;
}

/* ---- dtypes ---- */

static knx_error *unsupported(const char *descr, size_t n)
{
    bool cut = n > SHOWN;
    return knx_error_new(KN_ERROR_TYPE, "arrays of dtype %.*s%s cannot be loaded", cut ? SHOWN : (int)n, descr,
                         cut ? "..." : "");
}

/* Dtypes that NumPy has and Kiln has not; `s` is behind the byte order. */
static bool is_of_numpy(const char *s, size_t n)
{
    static const char *const names[] = {"g", "G", "f16", "c32", "longdouble", "clongdouble", "str", "bytes", "void"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0)
            return true;
    return n > 0 && *s && strchr("SUVaMm", *s) && (n == 1 || isdigit((unsigned char)s[1]));
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
    if (!d && n - order == 2 && s[order + 1] == '1') /* of what is only stored; as bytes where it does not say which */
        d = s[order] == 'V' ? KN_DT(U8) : s[order] == 'f' ? KN_DT(F8_E5M2) : NULL;
    if (!d && n - order >= 1 && s[order] == 'O')
        return knx_error_new(KN_ERROR_VALUE, "Object arrays cannot be loaded when allow_pickle=False");
    if (!d && !is_of_numpy(s + order, n - order))
        return bad_header("descr is not a valid dtype descriptor", (scanner){s - 1, s + n + 1}, false, h->major);
    if (!d || (d->kind == KN_KIND_KEY && *s == *d->name))
        return unsupported(s - 1, n + 2); /* with its quotes */
    h->dtype = d;
    return NULL;
}

static knx_error *read_descr(scanner value, int major, knio_npy_header *h)
{
    scanner t = value;
    const char *s;
    size_t n;
    if (take_string(&t, &s, &n))
        return find_dtype(s, n, h);
    if (*value.s == '[' || *value.s == '(')
        return unsupported(value.s, (size_t)(value.end - value.s));
    return bad_header("descr is not a valid dtype descriptor", value, false, major);
}

static knx_error *parse_dictionary(const char *s, size_t length, knio_npy_header *h)
{
    values v;
    scanner text = {s, s + length};
    int major = h->major;
    KN_TRY(read_values(text, major, &v));
    if (v.n_other || !v.descr.s || !v.fortran_order.s || !v.shape.s)
        return wrong_keys(&v, major);
    KN_TRY(read_shape(v.shape, major, h));
    scanner order = v.fortran_order;
    h->fortran = take_word(&order, "True");
    if ((!h->fortran && !take_word(&order, "False")) || order.s != v.fortran_order.end)
        return bad_header("fortran_order is not a valid bool", v.fortran_order, false, major);
    return read_descr(v.descr, major, h);
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
    return knx_error_new(KN_ERROR_VALUE, "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
                                         "possible size.");
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
    knx_str quoted = {0}; /* messages show the quotes around it */
    knx_str_puts(&quoted, "'");
    knx_str_add(&quoted, s, n);
    knx_str_puts(&quoted, "'");
    knx_error *e = quoted.failed ? knx_error_nomem() : find_dtype(quoted.s + 1, n, &h);
    knx_str_free(&quoted);
    if (e)
        return e;
    *dtype = h.dtype;
    *swapped = h.swapped;
    return NULL;
}

void knio_npy_add_descr(knx_str *t, kn_dtype dtype, bool swapped)
{
    bool none = dtype == KN_DT(KEY) || (dtype->size == 1 && !knx_is_stored(dtype));
    char order = none ? '|' : big_endian_host != swapped ? '>' : '<';
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
