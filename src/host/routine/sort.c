/* SPDX-License-Identifier: Apache-2.0
 * sort.c -- stable sorting by the images of keys: unsigned numbers whose order is that of the keys. A line of an
 * array is sorted by its last key first, then by the one before, and so on; each is a stable sort of (image,
 * position) records: insertion and merging for short lines, digit by digit (radix) for long ones. The positions then
 * rearrange the arrays, so that equal keys keep their bits. */
#include "host/routine/sort.h"
#include <string.h>

typedef struct record {
    uint64_t image, position;
} record;

enum {
    RUN = 24,         /* runs that insertion sorts */
    RADIX_FROM = 700, /* elements */
    FEW_LARGEST = 16, /* are kept in order while a line is read */
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
};

/* --- images of keys --------------------------------------------------------------------------- */

static uint64_t image_f64(uint64_t u)
{
    const uint64_t sign = (uint64_t)1 << 63, infinity = (uint64_t)0x7ff << 52;
    if ((u & ~sign) > infinity)
        return UINT64_MAX;
    if (u == sign)
        u = 0;
    return u & sign ? ~u : u | sign;
}

static uint32_t image_f32(uint32_t u)
{
    const uint32_t sign = 0x80000000u;
    if ((u & ~sign) > 0x7f800000u)
        return UINT32_MAX;
    if (u == sign)
        u = 0;
    return u & sign ? ~u : u | sign;
}

/* A 16-bit float whose infinity has these bits. */
static uint16_t image_16(uint16_t u, uint16_t infinity)
{
    const uint16_t sign = 0x8000u;
    if ((u & 0x7fffu) > infinity)
        return UINT16_MAX;
    if (u == sign)
        u = 0;
    return (uint16_t)(u & sign ? ~u : u | sign);
}

/* How many words make the image of a key, and the bits of each. */
static int words_of(kn_dtype d) { return d->id == KN_ID_C128 ? 2 : 1; }
static int bits_of(kn_dtype d) { return d->id == KN_ID_C128 ? 64 : d->size * 8; }

#define IMAGES(type, value)                                        \
    for (int64_t i = 0; i < n; i++) {                              \
        type v = ((const type *)x)[(int64_t)r[i].position * step]; \
        r[i].image = (value);                                      \
    }                                                              \
    break;

/* The images of word `word` (0 is compared first) of the keys at the records' positions, `step` elements apart. */
static void read_images(kn_dtype d, const void *x, int64_t step, int word, int64_t n, record *r)
{
    typedef struct {
        uint32_t re, im;
    } bits64;
    typedef struct {
        uint64_t part[2];
    } bits128;
    switch ((knx_dtype_id)d->id) {
    case KN_ID_BOOL:
    case KN_ID_U8: IMAGES(uint8_t, v)
    case KN_ID_I8: IMAGES(uint8_t, v ^ 0x80u)
    case KN_ID_U16: IMAGES(uint16_t, v)
    case KN_ID_I16: IMAGES(uint16_t, v ^ 0x8000u)
    case KN_ID_F16: IMAGES(uint16_t, image_16(v, 0x7c00u))
    case KN_ID_BF16: IMAGES(uint16_t, image_16(v, 0x7f80u))
    case KN_ID_U32: IMAGES(uint32_t, v)
    case KN_ID_I32: IMAGES(uint32_t, v ^ 0x80000000u)
    case KN_ID_F32: IMAGES(uint32_t, image_f32(v))
    case KN_ID_U64: IMAGES(uint64_t, v)
    case KN_ID_I64: IMAGES(uint64_t, v ^ (uint64_t)1 << 63)
    case KN_ID_F64: IMAGES(uint64_t, image_f64(v))
    case KN_ID_C64: IMAGES(bits64, (uint64_t)image_f32(v.re) << 32 | image_f32(v.im))
    case KN_ID_C128: IMAGES(bits128, image_f64(v.part[word]))
    default: break; /* random keys have no order */
    }
}

/* --- sorting records -------------------------------------------------------------------------- */

static void insertion(record *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        record r = a[i];
        int64_t k = i;
        for (; k > 0 && a[k - 1].image > r.image; k--)
            a[k] = a[k - 1];
        a[k] = r;
    }
}

static void merge(const record *a, int64_t na, const record *b, int64_t nb, record *to)
{
    while (na && nb) {
        bool second = b->image < a->image; /* of equal ones the first comes first */
        *to++ = second ? *b : *a;
        b += second, nb -= second;
        a += !second, na -= !second;
    }
    memcpy(to, na ? a : b, (size_t)(na + nb) * sizeof *to);
}

/* Returns where the sorted records are: in a or in spare. */
static record *merge_sort(record *a, record *spare, int64_t n)
{
    for (int64_t i = 0; i < n; i += RUN)
        insertion(a + i, n - i < RUN ? n - i : RUN);
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t na = n - i < run ? n - i : run, nb = n - i - na < run ? n - i - na : run;
            merge(a + i, na, a + i + na, nb, spare + i);
        }
        record *t = a;
        a = spare;
        spare = t;
    }
    return a;
}

static record *radix_sort(record *a, record *spare, int64_t n, int bits, int64_t *place)
{
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
        memset(place, 0, DIGITS * sizeof *place);
        for (int64_t i = 0; i < n; i++)
            place[a[i].image >> shift & (DIGITS - 1)]++;
        if (place[a[0].image >> shift & (DIGITS - 1)] == n)
            continue; /* all have the same digit */
        int64_t sum = 0;
        for (int d = 0; d < DIGITS; d++) {
            int64_t here = place[d];
            place[d] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < n; i++)
            spare[place[a[i].image >> shift & (DIGITS - 1)]++] = a[i];
        record *t = a;
        a = spare;
        spare = t;
    }
    return a;
}

static bool is_sorted(const record *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (a[i - 1].image > a[i].image)
            return false;
    return true;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void rearrange(int size, const char *x, char *y, int64_t step, const record *r, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const char *from = x + (int64_t)r[i].position * step * size;
        char *to = y + i * step * size;
        switch (size) { /* constant sizes: each becomes one move */
        case 1: *to = *from; break;
        case 2: memcpy(to, from, 2); break;
        case 4: memcpy(to, from, 4); break;
        case 8: memcpy(to, from, 8); break;
        default: memcpy(to, from, (size_t)size); break;
        }
    }
}

static void sort_line(const knr_sort *s, const void *const *x, void *const *y, int64_t first, void *workspace)
{
    int64_t n = s->length;
    int64_t *place = workspace;
    record *a = (record *)(place + DIGITS), *spare = a + n;
    for (int64_t i = 0; i < n; i++)
        a[i].position = (uint64_t)i;
    for (int key = s->n_key - 1; key >= 0; key--) {
        kn_dtype d = s->dtype[key];
        for (int word = words_of(d) - 1; word >= 0; word--) {
            read_images(d, (const char *)x[key] + first * d->size, s->inner, word, n, a);
            if (is_sorted(a, n))
                continue;
            record *sorted = n < RADIX_FROM ? merge_sort(a, spare, n) : radix_sort(a, spare, n, bits_of(d), place);
            spare = sorted == a ? spare : a;
            a = sorted;
        }
    }
    for (int i = 0; i < s->n; i++) {
        int size = s->dtype[i]->size;
        rearrange(size, (const char *)x[i] + first * size, (char *)y[i] + first * size, s->inner, a, n);
    }
}

size_t knr_sort_workspace(const knr_sort *s)
{
    return DIGITS * sizeof(int64_t) + 2 * (size_t)s->length * sizeof(record);
}

void knr_sort_run(const knr_sort *s, const void *const *x, void *const *y, void *workspace)
{
    if (!s->length)
        return;
    for (int64_t o = 0; o < s->outer; o++)
        for (int64_t i = 0; i < s->inner; i++)
            sort_line(s, x, y, o * s->length * s->inner + i, workspace);
}

/* --- the largest ------------------------------------------------------------------------------ */

/* The k records with the smallest images in order, in best; equal images come in the order of their positions. */
static void smallest(const record *a, int64_t n, record *best, int64_t k)
{
    int64_t have = 0;
    for (int64_t i = 0; i < n; i++) {
        if (have == k && a[i].image >= best[k - 1].image)
            continue;
        int64_t at = have < k ? have++ : k - 1;
        for (; at > 0 && best[at - 1].image > a[i].image; at--)
            best[at] = best[at - 1];
        best[at] = a[i];
    }
}

/* With all bits turned the largest image is the smallest. */
static void top_line(const knr_top *t, const char *x, char *values, int32_t *positions, void *workspace)
{
    int64_t n = t->length, k = t->k, *place = workspace;
    record *a = (record *)(place + DIGITS), *spare = a + n;
    int bits = bits_of(t->dtype);
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    for (int64_t i = 0; i < n; i++)
        a[i].position = (uint64_t)i;
    read_images(t->dtype, x, t->inner, 0, n, a);
    for (int64_t i = 0; i < n; i++)
        a[i].image ^= all;
    if (k <= FEW_LARGEST) {
        smallest(a, n, spare, k);
        a = spare;
    } else if (!is_sorted(a, n)) {
        a = n < RADIX_FROM ? merge_sort(a, spare, n) : radix_sort(a, spare, n, bits, place);
    }
    rearrange(t->dtype->size, x, values, t->inner, a, k);
    for (int64_t i = 0; i < k; i++)
        positions[i * t->inner] = (int32_t)a[i].position;
}

size_t knr_top_workspace(const knr_top *t) { return DIGITS * sizeof(int64_t) + 2 * (size_t)t->length * sizeof(record); }

void knr_top_run(const knr_top *t, const void *x, void *values, int32_t *positions, void *workspace)
{
    if (!t->k)
        return;
    for (int64_t o = 0; o < t->outer; o++)
        for (int64_t i = 0; i < t->inner; i++) {
            int64_t from = (o * t->length * t->inner + i) * t->dtype->size, to = o * t->k * t->inner + i;
            top_line(t, (const char *)x + from, (char *)values + to * t->dtype->size, positions + to, workspace);
        }
}
