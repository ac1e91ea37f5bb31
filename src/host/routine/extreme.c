/* SPDX-License-Identifier: Apache-2.0
 * extreme.c -- argmax and argmin. A line of numbers goes block by block: the largest key first, then where it stands.
 * Columns are compared side by side, up to LANES of them, each lane with what it found before; where there are few,
 * several rows are one. Short lines are turned, so that they are columns. */
#include "host/routine/extreme.h"
#include "base/pool.h"
#include "host/routine/extreme_loops.h"
#include "host/routine/isa.h"
#include "host/tile.h"

enum {
    LANES = 256,
    SEGMENTS = 8,   /* parts of a line that threads share, at a time */
    SHORT = 512,    /* bytes, at most, of lines that are turned */
    TURNED = 64,    /* so many at a time */
    BLOCK = 16,     /* elements of a line that are turned in registers; what is behind a shorter one is not looked at */
    SHARE = 1 << 16 /* elements, about, of what a thread takes at a time */
};
static const int64_t MOST_ROWS = 1 << 30; /* of a segment: their numbers are those of lanes */

typedef struct search {
    const knr_extreme *e;
    const char *x;
    char *y;
    const knr_extreme_loops *loops;
    knr_extreme_code code;
    int size;
    int64_t least;             /* bits of a lane */
    int64_t most, infinity;    /* of lanes of floats: the bits but the sign */
    int64_t blocks, at_a_time; /* of columns; lines, or blocks of columns, of a part */
} search;

/* The largest key of each column and its position. */
typedef struct extremes {
    int64_t key[LANES], at[LANES];
} extremes;

typedef union lanes {
    int32_t v32[LANES];
    int64_t v64[LANES];
} lanes;

static int64_t lane(const search *s, const lanes *l, int64_t i) { return s->size == 8 ? l->v64[i] : l->v32[i]; }

/* A key of the best one of a lane: that of NaN is above all others, those of zeros are equal. */
static int64_t key(const search *s, const lanes *best, int64_t i)
{
    int64_t v = lane(s, best, i), magnitude = v & s->most;
    return !s->most ? v : magnitude > (int64_t)s->code.infinity ? INT64_MAX : v < 0 ? -magnitude : magnitude;
}

/* Nothing found yet: the least there is, which none has to exceed to be the first. */
static void begin(const search *s, lanes *best, lanes *at, int64_t n)
{
    for (int64_t i = 0; s->size == 8 && i < n; i++)
        best->v64[i] = s->least, at->v64[i] = 0;
    for (int64_t i = 0; s->size < 8 && i < n; i++)
        best->v32[i] = (int32_t)s->least, at->v32[i] = 0;
}

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }

static void put(const search *s, int64_t i, int64_t at)
{
    kn_dtype d = s->e->index_dtype;
    if (d->size == 8)
        ((int64_t *)s->y)[i] = at;
    else if (d->size == 4)
        ((int32_t *)s->y)[i] = (int32_t)at;
    else
        knx_convert(KN_DT(I64), &at, d, s->y + i * d->size);
}

/* --- columns -------------------------------------------------------------------------------------- */

/* How many rows of so many columns are one. */
static int64_t rows_together(int64_t columns, int64_t rows)
{
    return smaller(rows, columns == 2 ? 32 : columns <= 16 ? 16 : 1);
}

/* Rows first .. end of `columns` columns from x, which is in row 0. */
static void search_columns(const search *s, const char *x, int64_t columns, int64_t first, int64_t end, extremes *found)
{
    lanes best, at;
    int64_t inner = s->e->inner, rows = end - first, k = columns == inner ? rows_together(columns, rows) : 1;
    int64_t whole = rows / k, rest = rows % k;
    x += first * inner * s->size;
    if (inner == 1) {
        found->at[0] = first + s->loops->line(&s->code, x, rows, &found->key[0]);
        return;
    }
    begin(s, &best, &at, k * columns);
    s->loops->rows(&s->code, x, whole, k * inner, k * columns, 0, &best, &at);
    if (rest)
        s->loops->rows(&s->code, x + whole * k * inner * s->size, 1, 0, rest * columns, whole, &best, &at);
    for (int64_t c = 0; c < columns; c++) {
        int64_t most = key(s, &best, c), row = lane(s, &at, c) * k;
        for (int64_t j = 1; j < k; j++) {
            int64_t other = key(s, &best, j * columns + c), there = lane(s, &at, j * columns + c) * k + j;
            bool better = (other > most) | ((other == most) & (there < row));
            most = better ? other : most;
            row = better ? there : row;
        }
        found->key[c] = most;
        found->at[c] = first + row;
    }
}

typedef struct shared {
    const search *s;
    const char *x;
    int64_t columns, begin, step; /* segment i: `step` rows from begin + i * step on */
    extremes found[SEGMENTS];
} shared;

static void search_segment(void *arg, int64_t part, int worker)
{
    shared *h = arg;
    int64_t first = h->begin + part * h->step;
    (void)worker;
    search_columns(h->s, h->x, h->columns, first, smaller(first + h->step, h->s->e->length), &h->found[part]);
}

/* Block of columns number `line`, counted through all outer ones, by so many threads. */
static void search_line(const search *s, int64_t line, int threads)
{
    const knr_extreme *e = s->e;
    int64_t outer = line / s->blocks, column = line % s->blocks * LANES;
    int64_t columns = smaller(e->inner - column, LANES), to = outer * e->inner + column;
    shared h = {.s = s, .columns = columns};
    h.x = s->x + (outer * e->length * e->inner + column) * s->size;
    int64_t segments = threads > 1 ? smaller(SEGMENTS, e->length * columns / SHARE + 1) : 1;
    h.step = smaller((e->length + segments - 1) / segments, MOST_ROWS);
    extremes *best = &h.found[0];
    int64_t kept_key[LANES], kept_at[LANES];
    for (h.begin = 0; h.begin < e->length; h.begin += SEGMENTS * h.step) {
        int64_t n = smaller(SEGMENTS, (e->length - h.begin + h.step - 1) / h.step);
        bool again = h.begin > 0;
        for (int64_t c = 0; again && c < columns; c++)
            kept_key[c] = best->key[c], kept_at[c] = best->at[c];
        knx_parallel(threads, n, search_segment, &h);
        for (int64_t i = 1; i < n; i++)
            for (int64_t c = 0; c < columns; c++)
                if (h.found[i].key[c] > best->key[c])
                    best->key[c] = h.found[i].key[c], best->at[c] = h.found[i].at[c];
        for (int64_t c = 0; again && c < columns; c++)
            if (kept_key[c] >= best->key[c])
                best->key[c] = kept_key[c], best->at[c] = kept_at[c];
    }
    for (int64_t c = 0; c < columns; c++)
        put(s, to + c, best->at[c]);
}

static void search_lines(void *arg, int64_t part, int worker)
{
    const search *s = arg;
    int64_t first = part * s->at_a_time, end = smaller(first + s->at_a_time, s->e->outer * s->blocks);
    (void)worker;
    for (int64_t l = first; l < end; l++)
        search_line(s, l, 1);
}

/* --- short lines ---------------------------------------------------------------------------------- */

static void search_short(void *arg, int64_t part, int worker)
{
    const search *s = arg;
    int64_t n = s->e->length, first = part * s->at_a_time, end = smaller(first + s->at_a_time, s->e->outer);
    _Alignas(64) char turned[SHORT * TURNED];
    lanes best, at;
    (void)worker;
    for (int64_t l = first; l < end; l += TURNED) {
        int64_t lines = smaller(end - l, TURNED), wide = n < BLOCK ? BLOCK : n;
        if ((l + lines) * n + wide - n > s->e->outer * n)
            wide = n;
        knh_transpose()(s->size, turned, TURNED * s->size, s->x + l * n * s->size, n * s->size, lines, wide, false);
        begin(s, &best, &at, lines);
        s->loops->rows(&s->code, turned, n, TURNED, lines, 0, &best, &at);
        for (int64_t i = 0; i < lines; i++)
            put(s, l + i, lane(s, &at, i));
    }
}

/* --- complex numbers ------------------------------------------------------------------------------- */

#define IS_NAN(v)  ((v).re != (v).re || (v).im != (v).im)
#define LESS(a, b) ((a).re < (b).re || ((a).re == (b).re && (a).im < (b).im))
#define SEARCH(name, T)                                                    \
    static int64_t name(const T *x, int64_t n, int64_t step, bool largest) \
    {                                                                      \
        T best = *x;                                                       \
        int64_t at = 0;                                                    \
        for (int64_t i = 1; i < n && !IS_NAN(best); i++) {                 \
            T v = x[i * step];                                             \
            if ((largest ? LESS(best, v) : LESS(v, best)) || IS_NAN(v)) {  \
                best = v;                                                  \
                at = i;                                                    \
            }                                                              \
        }                                                                  \
        return at;                                                         \
    }
SEARCH(search_c64, kn_c64)
SEARCH(search_c128, kn_c128)

static void search_complex(void *arg, int64_t part, int worker)
{
    const search *s = arg;
    const knr_extreme *e = s->e;
    int64_t end = smaller((part + 1) * s->at_a_time, e->outer * e->inner);
    (void)worker;
    for (int64_t i = part * s->at_a_time; i < end; i++) {
        int64_t first = i / e->inner * e->length * e->inner + i % e->inner;
        put(s, i,
            e->dtype->id == KN_ID_C64 ? search_c64((const kn_c64 *)s->x + first, e->length, e->inner, e->largest)
                                      : search_c128((const kn_c128 *)s->x + first, e->length, e->inner, e->largest));
    }
}

/* --- all of them ----------------------------------------------------------------------------------- */

static void settle(search *s)
{
    kn_dtype d = s->e->dtype;
    bool is_float = knx_is_float(d), is_signed = is_float || d->kind == KN_KIND_INT;
    uint64_t sign = (uint64_t)1 << (8 * d->size - 1);
    s->code.flip = is_float ? (s->e->largest ? 0 : sign) : (is_signed ? 0 : sign) ^ (s->e->largest ? 0 : UINT64_MAX);
    s->code.infinity = d->size == 8          ? 0x7ff0000000000000
                       : d->size == 4        ? 0x7f800000
                       : d->id == KN_ID_BF16 ? 0x7f80
                                             : 0x7c00;
    s->least = is_float && d->size == 8   ? (int64_t)0xfff0000000000000u
               : is_float && d->size == 4 ? (int64_t)0xff800000u
               : d->size == 8             ? INT64_MIN
                                          : INT32_MIN;
    s->most = !is_float || d->size == 2 ? 0 : d->size == 4 ? INT32_MAX : INT64_MAX;
    int kind = __builtin_ctz((unsigned)d->size) + 4 * is_float;
    s->loops = &KNR_BY_ISA(knr_extreme_loops)[kind];
}

/* f of all lines, some of so many elements each at a time. */
static void share(search *s, int64_t lines, int64_t elements, void (*f)(void *arg, int64_t part, int worker))
{
    s->at_a_time = elements < SHARE ? SHARE / elements : 1;
    knx_parallel(s->e->threads, (lines + s->at_a_time - 1) / s->at_a_time, f, s);
}

void knr_extreme_run(const knr_extreme *e, const void *x, void *y)
{
    search s = {.e = e, .x = x, .y = y, .blocks = (e->inner + LANES - 1) / LANES};
    int64_t lines = e->outer * s.blocks, width = smaller(e->inner, LANES);
    s.size = e->dtype->size;
    if (!lines)
        return;
    if (knx_is_complex(e->dtype)) {
        share(&s, e->outer * e->inner, e->length, search_complex);
        return;
    }
    settle(&s);
    if (e->inner == 1 && e->length * s.size <= SHORT && e->outer > 1)
        share(&s, lines, e->length, search_short);
    else if (lines >= 2 * e->threads || e->threads <= 1)
        share(&s, lines, e->length * width, search_lines);
    else
        for (int64_t l = 0; l < lines; l++)
            search_line(&s, l, e->threads);
}
