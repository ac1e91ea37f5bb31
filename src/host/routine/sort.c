/* SPDX-License-Identifier: Apache-2.0
 * sort.c -- stable sorting by the images of keys: unsigned numbers whose order is that of the keys. One array of real
 * numbers is sorted by itself (sort_keys.h). Otherwise a line is sorted by its last key first, then by the one before,
 * and so on; each is a stable sort of records of an image and a position: insertion and merging for short lines, digit
 * by digit (radix) for long ones. The positions then rearrange the arrays, so that equal keys keep their bits. Records
 * of keys up to 32 bits are pairs in 64 bits. Threads take lines; where there are few, parts of them. */
#include "host/routine/sort.h"
#include "base/dim.h"
#include "base/pool.h"
#include "host/routine/sort_image.h"
#include "host/routine/sort_keys.h"
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
    SIDE_BY_SIDE = 16, /* lines that are read and written together */
};

/* How many words make the image of a key, and the bits of each. */
static int words_of(kn_dtype d) { return d->id == KN_ID_C128 ? 2 : 1; }
static int bits_of(kn_dtype d) { return d->id == KN_ID_C128 ? 64 : d->size * 8; }

/* --- records ---------------------------------------------------------------------------------- */

#define R                     record
#define IMAGE(r)              ((r).image)
#define POSITION(r)           ((r).position)
#define MAKE(image, position) ((record){(image), (position)})
#define LONG                  1
#define F(name)               name##_records
#include "host/routine/sort_records.h"

#define R                     uint64_t
#define IMAGE(r)              ((r) >> 32)
#define POSITION(r)           ((uint32_t)(r))
#define MAKE(image, position) ((uint64_t)(image) << 32 | (position))
#define LONG                  0
#define F(name)               name##_pairs
#include "host/routine/sort_records.h"

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

/* --- lines ------------------------------------------------------------------------------------ */

typedef enum way { BY_KEYS, BY_PAIRS, BY_RECORDS } way;

static bool is_alone(const knr_sort *s) { return s->n == 1 && !knx_is_complex(s->dtype[0]); }
static way way_of(const knr_sort *s)
{
    if (is_alone(s))
        return BY_KEYS;
    bool is_short = !s->far;
    for (int key = 0; is_short && key < s->n_key; key++)
        is_short = s->dtype[key]->size <= 4;
    return is_short ? BY_PAIRS : BY_RECORDS;
}

static void line_of_records(const knr_sort *s, const void *const *x, void *const *y, int64_t first, void *workspace)
{
    int64_t n = s->length;
    int64_t *place = workspace;
    record *a = (record *)(place + DIGITS), *spare = a + n;
    for (int64_t i = 0; i < n; i++)
        a[i].position = (uint64_t)i;
    for (int key = s->n_key - 1; key >= 0; key--) {
        kn_dtype d = s->dtype[key];
        for (int word = words_of(d) - 1; word >= 0; word--) {
            read_records(d, (const char *)x[key] + first * d->size, s->inner, word, n, a);
            if (is_sorted_records(a, n))
                continue;
            record *sorted =
                n < RADIX_FROM ? merge_sort_records(a, spare, n) : radix_sort(a, spare, n, bits_of(d), place);
            spare = sorted == a ? spare : a;
            a = sorted;
        }
    }
    for (int i = 0; i < s->n; i++) {
        int size = s->dtype[i]->size;
        rearrange_records(size, (const char *)x[i] + first * size, (char *)y[i] + first * size, s->inner, a, n);
    }
}

static size_t places_of(int threads) { return knr_sort_keys_workspace(KN_DT(U64), 0, threads); }

static void line_of_pairs(const knr_sort *s, const void *const *x, void *const *y, int64_t first, void *workspace,
                          int threads)
{
    int64_t n = s->length;
    uint64_t *a = (uint64_t *)((char *)workspace + places_of(threads)), *const room = a;
    for (int64_t i = 0; i < n; i++)
        a[i] = (uint64_t)i;
    for (int key = s->n_key - 1; key >= 0; key--) {
        kn_dtype d = s->dtype[key];
        read_pairs(d, (const char *)x[key] + first * d->size, s->inner, 0, n, a);
        if (is_sorted_pairs(a, n))
            continue;
        bool rise = key == s->n_key - 1; /* so do the positions */
        uint64_t *array[] = {a, a == room ? room + n : room, a == room + 2 * n ? room + n : room + 2 * n};
        a = n <= RUN || (!rise && n < RADIX_FROM) ? merge_sort_pairs(a, array[1], n)
                                                  : knr_sort_pairs(array, n, bits_of(d), rise, workspace, threads);
    }
    for (int i = 0; i < s->n; i++) {
        int size = s->dtype[i]->size;
        rearrange_pairs(size, (const char *)x[i] + first * size, (char *)y[i] + first * size, s->inner, a, n);
    }
}

/* `lines` columns of an array whose rows are `inner` elements apart become rows one behind the other, or back. */
static void turn_columns(int size, char *rows, char *columns, int64_t n, int64_t lines, int64_t inner, bool back)
{
#define TURN(T)                                                               \
    for (int64_t i = 0; i < n; i++)                                           \
        for (int64_t l = 0; l < lines; l++)                                   \
            if (back)                                                         \
                ((T *)columns)[i * inner + l] = ((T *)rows)[l * n + i];       \
            else                                                              \
                ((T *)rows)[l * n + i] = ((const T *)columns)[i * inner + l]; \
    break
    switch (size) {
    case 1: TURN(uint8_t);
    case 2: TURN(uint16_t);
    case 4: TURN(uint32_t);
    default: TURN(uint64_t);
    }
#undef TURN
}

/* Lines first .. first + lines of block `o`, which lie side by side. */
static void lines_of_keys(const knr_sort *s, const char *x, char *y, int64_t lines, char *workspace, int threads)
{
    kn_dtype d = s->dtype[0];
    int64_t n = s->length;
    if (s->inner == 1) {
        knr_sort_keys(d, x, y, n, workspace, threads);
        return;
    }
    char *in = workspace + knr_sort_keys_workspace(d, n, threads);
    char *out = in + SIDE_BY_SIDE * n * d->size;
    turn_columns(d->size, in, (char *)(uintptr_t)x, n, lines, s->inner, false);
    for (int64_t l = 0; l < lines; l++)
        knr_sort_keys(d, in + l * n * d->size, out + l * n * d->size, n, workspace, threads);
    turn_columns(d->size, out, y, n, lines, s->inner, true);
}

/* The memory that threads need for one line together: some, and as much more for each element, a multiple of 8. Pairs
 * have room for records: an unknown length may turn out to be far. */
static size_t workspace_of_line(const knr_sort *s, int threads)
{
    size_t n = (size_t)s->length;
    if (!is_alone(s))
        return places_of(threads) + 2 * n * sizeof(record);
    return knr_sort_keys_workspace(s->dtype[0], s->length, threads) +
           (s->inner == 1 ? 0 : 2 * SIDE_BY_SIDE * n * s->dtype[0]->size);
}

int64_t knr_sort_workspace(const knr_sort *s)
{
    knr_sort none = *s, one = *s;
    none.length = 0, one.length = 1;
    int64_t some = (int64_t)workspace_of_line(&none, 1), each = (int64_t)workspace_of_line(&one, 1) - some;
    int64_t own = knx_dim_add(some, knx_dim_mul(each, knx_dim_min(s->length, KNR_SORT_SHARE)));
    int64_t shared = knx_dim_add((int64_t)workspace_of_line(&none, s->threads), knx_dim_mul(each, s->length));
    return knx_dim_max(knx_dim_mul(own, s->threads), shared);
}

typedef struct job {
    const knr_sort *s;
    const void *const *x;
    void *const *y;
    char *workspace;
    size_t each;    /* of each worker */
    int64_t blocks; /* of lines in each of `outer` */
    way way;
    int threads; /* that share a line */
} job;

static void run_block(void *arg, int64_t part, int worker)
{
    const job *j = arg;
    const knr_sort *s = j->s;
    int64_t o = part / j->blocks, from = part % j->blocks * SIDE_BY_SIDE;
    int64_t lines = s->inner - from < SIDE_BY_SIDE ? s->inner - from : SIDE_BY_SIDE;
    int64_t first = o * s->length * s->inner + from;
    char *workspace = j->workspace + (size_t)worker * j->each;
    switch (j->way) {
    case BY_KEYS: {
        int size = s->dtype[0]->size;
        lines_of_keys(s, (const char *)j->x[0] + first * size, (char *)j->y[0] + first * size, lines, workspace,
                      j->threads);
        break;
    }
    case BY_PAIRS:
        for (int64_t l = 0; l < lines; l++)
            line_of_pairs(s, j->x, j->y, first + l, workspace, j->threads);
        break;
    case BY_RECORDS:
        for (int64_t l = 0; l < lines; l++)
            line_of_records(s, j->x, j->y, first + l, workspace);
        break;
    }
}

void knr_sort_run(const knr_sort *s, const void *const *x, void *const *y, void *workspace)
{
    if (!s->length || !s->outer || !s->inner)
        return;
    job j = {.s = s, .x = x, .y = y, .workspace = workspace, .way = way_of(s), .threads = 1};
    j.blocks = (s->inner + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE;
    int64_t parts = s->outer * j.blocks;
    if (s->length <= KNR_SORT_SHARE) {
        j.each = workspace_of_line(s, 1);
        knx_parallel(s->threads, parts, run_block, &j);
        return;
    }
    j.threads = s->threads;
    for (int64_t part = 0; part < parts; part++)
        run_block(&j, part, 0);
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
    read_records(t->dtype, x, t->inner, 0, n, a);
    for (int64_t i = 0; i < n; i++)
        a[i].image ^= all;
    if (k <= FEW_LARGEST) {
        smallest(a, n, spare, k);
        a = spare;
    } else if (!is_sorted_records(a, n)) {
        a = n < RADIX_FROM ? merge_sort_records(a, spare, n) : radix_sort(a, spare, n, bits, place);
    }
    rearrange_records(t->dtype->size, x, values, t->inner, a, k);
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
