/* SPDX-License-Identifier: Apache-2.0
 * safetensors_header.c -- headers of files of safetensors, read as the reference reads them: what it refuses is
 * refused, and what it leaves open (names and keys given twice, shapes of more dimensions than arrays have) is
 * refused, too. */
#include "io/safetensors.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 8 };

/* ---- Dtypes. */

static const knio_st_type types[] = {
    {"BOOL", KN_ID_BOOL, 8},
    {"F4", KN_ID_F4_E2M1FN, 4},
    {"F6_E2M3", KN_ID_F6_E2M3FN, 6},
    {"F6_E3M2", KN_ID_F6_E3M2FN, 6},
    {"U8", KN_ID_U8, 8},
    {"I8", KN_ID_I8, 8},
    {"F8_E5M2", KN_ID_F8_E5M2, 8},
    {"F8_E4M3", KN_ID_F8_E4M3FN, 8},
    {"F8_E8M0", KN_ID_F8_E8M0FNU, 8},
    {"F8_E4M3FNUZ", KN_ID_F8_E4M3FNUZ, 8},
    {"F8_E5M2FNUZ", KN_ID_F8_E5M2FNUZ, 8},
    {"I16", KN_ID_I16, 16},
    {"U16", KN_ID_U16, 16},
    {"F16", KN_ID_F16, 16},
    {"BF16", KN_ID_BF16, 16},
    {"I32", KN_ID_I32, 32},
    {"U32", KN_ID_U32, 32},
    {"F32", KN_ID_F32, 32},
    {"C64", KN_ID_C64, 64},
    {"F64", KN_ID_F64, 64},
    {"I64", KN_ID_I64, 64},
    {"U64", KN_ID_U64, 64},
};
enum { N_TYPES = sizeof types / sizeof *types };

kn_dtype knio_st_dtype(const knio_st_type *t) { return &knx_dtype_table[t->id]; }

int knio_st_rank(const knio_st_type *t) { return (int)(t - types); }

const knio_st_type *knio_st_type_of(kn_dtype d)
{
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].id == d->id)
            return &types[i];
    return NULL;
}

static const knio_st_type *type_named(const char *name)
{
    for (int i = 0; i < N_TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

void knio_st_unpack(int bits, const uint8_t *from, uint8_t *to, size_t n)
{
    unsigned held = 0, have = 0;
    for (size_t i = 0; i < n; i++) {
        if (have < (unsigned)bits) {
            held |= (unsigned)*from++ << have;
            have += 8;
        }
        to[i] = (uint8_t)(held & ((1u << bits) - 1));
        held >>= bits;
        have -= (unsigned)bits;
    }
}

void knio_st_pack(int bits, const uint8_t *from, uint8_t *to, size_t n)
{
    unsigned held = 0, have = 0;
    for (size_t i = 0; i < n; i++) {
        held |= (unsigned)(from[i] & ((1u << bits) - 1)) << have;
        have += (unsigned)bits;
        if (have >= 8) {
            *to++ = (uint8_t)held;
            held >>= 8;
            have -= 8;
        }
    }
}

/* ---- JSON. */

bool knio_is_utf8(const char *text, size_t n)
{
    const uint8_t *s = (const uint8_t *)text, *end = s + n;
    while (s < end) {
        uint8_t c = *s++;
        if (c < 0x80)
            continue;
        int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        if (c < 0xc2 || c > 0xf4 || end - s < more)
            return false;
        uint8_t low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        if (*s < low || *s > high)
            return false;
        for (int i = 1; i < more; i++)
            if ((s[i] & 0xc0) != 0x80)
                return false;
        s += more;
    }
    return true;
}

/* A list of integers from 0 on, at most `max` of them. */
static knx_error *read_list(knio_json_reader *r, int max, int64_t *v, int *n)
{
    bool more = true;
    if (!knio_json_take(r, '['))
        return knio_json_wrong(r, "a list is missing");
    for (*n = 0;; ++*n) {
        KN_TRY(knio_json_next(r, ']', *n, NULL, &more));
        if (!more)
            return NULL;
        if (*n == max)
            return knio_json_wrong(r, "too many numbers in a list");
        KN_TRY(knio_json_integer(r, &v[*n]));
        if (v[*n] < 0)
            return knio_json_wrong(r, "a negative number");
    }
}

enum { HAS_DTYPE = 1, HAS_SHAPE = 2, HAS_OFFSETS = 4, HAS_ALL = 7 };

static knx_error *read_member(knio_json_reader *r, const char *key, knio_st_entry *e, int *has)
{
    int64_t v[KN_MAX_NDIM];
    int n, bit = strcmp(key, "dtype") == 0          ? HAS_DTYPE
                 : strcmp(key, "shape") == 0        ? HAS_SHAPE
                 : strcmp(key, "data_offsets") == 0 ? HAS_OFFSETS
                                                    : 0;
    if (*has & bit)
        return knx_error_new(KN_ERROR_VALUE, "%s has two members %s", e->name, key);
    *has |= bit;
    if (bit == HAS_DTYPE) {
        const char *name;
        KN_TRY(knio_json_text(r, &name));
        e->type = type_named(name);
        return e->type ? NULL : knx_error_new(KN_ERROR_TYPE, "%s has the unknown dtype %.40s", e->name, name);
    }
    if (bit == HAS_SHAPE) {
        KN_TRY(read_list(r, KN_MAX_NDIM, v, &e->ndim));
        e->dim = e->ndim ? knx_arena_copy(r->a, v, (size_t)e->ndim * sizeof *v) : NULL;
        return e->dim || !e->ndim ? NULL : knx_error_nomem();
    }
    if (!bit)
        return knio_json_skip(r, 2);
    KN_TRY(read_list(r, 2, v, &n));
    if (n != 2)
        return knio_json_wrong(r, "two offsets are missing");
    e->begin = (uint64_t)v[0];
    e->end = (uint64_t)v[1];
    return NULL;
}

static knx_error *read_entry(knio_json_reader *r, knio_st *st, const char *name)
{
    knio_st_entry e = {.name = name, .file = (int)st->files.n};
    const char *key;
    int has = 0;
    if (!knio_json_take(r, '{'))
        return knio_json_wrong(r, "'{' is missing");
    for (int i = 0;; i = 1) {
        bool more;
        KN_TRY(knio_json_next(r, '}', i, &key, &more));
        if (!more)
            break;
        KN_TRY(read_member(r, key, &e, &has));
    }
    if (has != HAS_ALL)
        return knx_error_new(KN_ERROR_VALUE, "%s has no %s", name,
                             !(has & HAS_DTYPE)   ? "dtype"
                             : !(has & HAS_SHAPE) ? "shape"
                                                  : "data_offsets");
    return KN_VEC_PUSH(&st->entries, e) ? NULL : knx_error_nomem();
}

/* The text of a number or of another plain value, as it stands in the file. */
static knx_error *read_as_text(knio_json_reader *r, const char **text)
{
    const char *from;
    knio_json_blanks(r);
    if (r->s < r->end && *r->s == '"')
        return knio_json_text(r, text);
    from = r->s;
    KN_TRY(knio_json_skip(r, 2));
    char *copy = knx_arena_zero(r->a, (size_t)(r->s - from) + 1);
    if (!copy)
        return knx_error_nomem();
    memcpy(copy, from, (size_t)(r->s - from));
    *text = copy;
    return NULL;
}

knx_error *knio_st_read_metadata(knio_json_reader *r, knio_st *st, bool texts_only)
{
    if (knio_json_null(r))
        return NULL;
    if (!knio_json_take(r, '{'))
        return knio_json_wrong(r, "'{' is missing");
    for (int i = 0;; i = 1) {
        knio_st_pair p;
        bool more;
        KN_TRY(knio_json_next(r, '}', i, &p.key, &more));
        if (!more)
            return NULL;
        KN_TRY(texts_only ? knio_json_text(r, &p.text) : read_as_text(r, &p.text));
        if (!KN_VEC_PUSH(&st->metadata, p))
            return knx_error_nomem();
    }
}

static knx_error *read_header(knio_st *st, const char *s, size_t n)
{
    knio_json_reader r = {&st->arena, s, s, s + n};
    const char *name;
    bool metadata = false;
    if (!knio_json_take(&r, '{'))
        return knio_json_wrong(&r, "'{' is missing");
    for (int i = 0;; i = 1) {
        bool more;
        KN_TRY(knio_json_next(&r, '}', i, &name, &more));
        if (!more)
            return knio_json_end(&r);
        bool is = strcmp(name, "__metadata__") == 0;
        if (is && metadata)
            return knx_error_new(KN_ERROR_VALUE, "__metadata__ is there twice");
        metadata |= is;
        KN_TRY(is ? knio_st_read_metadata(&r, st, true) : read_entry(&r, st, name));
    }
}

/* ---- What a header says of the elements. */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const knio_st_entry *)a)->name, ((const knio_st_entry *)b)->name);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const knio_st_pair *)a)->key, ((const knio_st_pair *)b)->key);
}

static int by_offset(const void *a, const void *b)
{
    const knio_st_entry *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->end > y->end) - (x->end < y->end);
}

void knio_st_sort(knio_st_entries *v)
{
    if (v->n)
        qsort(v->at, v->n, sizeof *v->at, by_name);
}

static knx_error *check_entry(const knio_st_entry *e, uint64_t begin)
{
    uint64_t n = 1, size;
    bool over = false;
    if (e->begin != begin || e->end < begin)
        return knx_error_new(KN_ERROR_VALUE,
                             "%s has the offsets %" PRIu64 " and %" PRIu64
                             ", but the elements before it end at %" PRIu64,
                             e->name, e->begin, e->end, begin);
    for (int i = 0; i < e->ndim; i++) /* beyond that bound are expressions of dimension variables */
        over |= e->dim[i] > INT64_MAX / 8 || __builtin_mul_overflow(n, (uint64_t)e->dim[i], &n);
    over |= __builtin_mul_overflow(n, (uint64_t)e->type->bits, &size);
    if (over)
        return knx_error_new(KN_ERROR_VALUE, "the shape of %s is too large", e->name);
    if (size % 8)
        return knx_error_new(KN_ERROR_VALUE, "the elements of %s, of %d bits each, end inside of a byte", e->name,
                             e->type->bits);
    if (size / 8 != e->end - e->begin)
        return knx_error_new(KN_ERROR_VALUE, "%s has %" PRIu64 " bytes, but its shape and dtype need %" PRIu64, e->name,
                             e->end - e->begin, size / 8);
    return NULL;
}

/* All entries of the file that was read last: they have to be all of its bytes. */
static knx_error *check_entries(knio_st_entries *v, size_t first, uint64_t bytes)
{
    uint64_t end = 0;
    if (v->n > first)
        qsort(v->at + first, v->n - first, sizeof *v->at, by_offset);
    for (size_t i = first; i < v->n; i++) {
        KN_TRY(check_entry(&v->at[i], end));
        end = v->at[i].end;
    }
    if (end != bytes)
        return knx_error_new(KN_ERROR_VALUE, "the tensors have %" PRIu64 " bytes, but %" PRIu64 " are there", end,
                             bytes);
    if (v->n > first)
        qsort(v->at + first, v->n - first, sizeof *v->at, by_name);
    for (size_t i = first + 1; i < v->n; i++)
        if (strcmp(v->at[i - 1].name, v->at[i].name) == 0)
            return knx_error_new(KN_ERROR_VALUE, "two tensors are called %s", v->at[i].name);
    return NULL;
}

static knx_error *check_metadata(knio_st_pairs *v, size_t first)
{
    if (v->n > first)
        qsort(v->at + first, v->n - first, sizeof *v->at, by_key);
    for (size_t i = first + 1; i < v->n; i++)
        if (strcmp(v->at[i - 1].key, v->at[i].key) == 0)
            return knx_error_new(KN_ERROR_VALUE, "the metadata have %s twice", v->at[i].key);
    return NULL;
}

knx_error *knio_st_parse(knio_st *st, const uint8_t *bytes, size_t n)
{
    uint64_t header = 0;
    size_t first = st->entries.n, first_pair = st->metadata.n;
    if (n < LENGTH)
        return knx_error_new(KN_ERROR_VALUE, "no file of safetensors: it has only %zu bytes", n);
    for (int i = LENGTH - 1; i >= 0; i--)
        header = header << 8 | bytes[i];
    if (header > KNIO_ST_MAX_HEADER)
        return knx_error_new(KN_ERROR_VALUE,
                             "no file of safetensors, or the header is too large: %" PRIu64 " bytes, %d are the limit",
                             header, KNIO_ST_MAX_HEADER);
    if (header > n - LENGTH)
        return knx_error_new(KN_ERROR_VALUE, "the file was cut off: the header has %" PRIu64 " bytes, %zu are there",
                             header, n - LENGTH);
    const char *text = (const char *)bytes + LENGTH;
    if (!knio_is_utf8(text, (size_t)header))
        return knx_error_new(KN_ERROR_VALUE, "the header is no UTF-8");
    KN_TRY(read_header(st, text, (size_t)header));
    KN_TRY(check_entries(&st->entries, first, n - LENGTH - header));
    KN_TRY(check_metadata(&st->metadata, first_pair));
    return KN_VEC_PUSH(&st->start, LENGTH + header) ? NULL : knx_error_nomem();
}
