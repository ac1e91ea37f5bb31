/* SPDX-License-Identifier: Apache-2.0
 * weave_isa.c -- rectangles with a short side, turned: elements that lie a few elements apart (channels of pixels)
 * become rows and rows become such elements, sixteen bytes at a time; rows backwards. Each register of the result is
 * put together from as many as one period has. Compiled once per instruction set (KN_ISA = base, avx2, avx512). */
#include "base/isa_name.h"
#include "host/tile.h"
#include "host/vector.h"

enum { MOST = KNH_MOST_WOVEN };

/* What a register of the result takes from each of the others: period x period, those of a result together. */
typedef knh_v16 choice[MOST * MOST];

/* For the byte or word number `at` of woven ones: how far in its row it is, and which row that is. In increasing order
 * of `at`, which costs little. */
typedef struct place {
    int row, in_row, in_element;
} place;

static inline void next_place(place *p, int element, int period)
{
    p->in_row++;
    if (++p->in_element < element)
        return;
    p->in_element = 0;
    p->in_row -= element;
    if (++p->row == period) {
        p->row = 0;
        p->in_row += element;
    }
}

static void choose(choice c, int size, int period, bool join)
{
    place p = {0};
    memset(c, KNH_NO_BYTE, (size_t)(period * period) * sizeof *c);
    for (int at = 0; at < KNH_V16 * period; at++, next_place(&p, size, period)) {
        const int number = at / KNH_V16, byte = at % KNH_V16;
        if (join)
            c[number * period + p.row][byte] = (uint8_t)p.in_row;
        else
            c[p.row * period + number][p.in_row] = (uint8_t)byte;
    }
}

enum { WIDE = KNH_PIECES * KNH_V16 };

/* A period of registers of rows' elements lies woven in as many registers of memory. Each call goes from one form to
 * the other, the pieces of a register being those of neighbouring periods. split: the first n rows. */
static inline __attribute__((always_inline)) void split_one(char *to, int64_t to_step, const char *from, const choice c,
                                                            int period, int n, bool bypass)
{
    knh_wide x[MOST];
    _Pragma("GCC unroll 4") for (int i = 0; i < period; i++) x[i] =
        knh_load_pieces(from + i * KNH_V16, KNH_V16 * period);
    _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
    {
        knh_wide y = knh_shuffle_pieces(x[0], c[j * period]);
        _Pragma("GCC unroll 4") for (int i = 1; i < period; i++) y |= knh_shuffle_pieces(x[i], c[j * period + i]);
        knh_store_wide(to + j * to_step, y, bypass);
    }
}

static inline __attribute__((always_inline)) void join_one(char *to, const char *from, int64_t from_step,
                                                           const choice c, int period, bool bypass)
{
    _Alignas(64) char line[MOST * WIDE];
    char *into = bypass ? line : to;
    knh_wide x[MOST];
    _Pragma("GCC unroll 4") for (int i = 0; i < period; i++) x[i] = knh_load_wide(from + i * from_step);
    _Pragma("GCC unroll 4") for (int j = 0; j < period; j++)
    {
        knh_wide y = knh_shuffle_pieces(x[0], c[j * period]);
        _Pragma("GCC unroll 4") for (int i = 1; i < period; i++) y |= knh_shuffle_pieces(x[i], c[j * period + i]);
        knh_store_pieces(into + j * KNH_V16, KNH_V16 * period, y);
    }
    for (int i = 0; bypass && i < period; i++)
        knh_store_wide(to + i * WIDE, knh_load_wide(line + i * WIDE), true);
}

static inline __attribute__((always_inline)) void weave(char *to, int64_t to_step, const char *from, int64_t from_step,
                                                        const choice c, int period, int n, int64_t count, bool join,
                                                        bool bypass)
{
    for (int64_t b = 0; b < count; b++) {
        if (join)
            join_one(to + b * WIDE * period, from + b * WIDE, from_step, c, period, bypass);
        else
            split_one(to + b * WIDE, to_step, from + b * WIDE * period, c, period, n, bypass);
    }
}

static void weave_any(char *to, int64_t to_step, const char *from, int64_t from_step, const choice c, int period, int n,
                      int64_t count, bool join, bool bypass)
{
#define WEAVE(period, n, join) weave(to, to_step, from, from_step, c, period, n, count, join, bypass)
    switch (n == period && KNH_SHUFFLES ? period + join * 8 : 0) {
    case 2: WEAVE(2, 2, false); break;
    case 3: WEAVE(3, 3, false); break;
    case 4: WEAVE(4, 4, false); break;
    case 10: WEAVE(2, 2, true); break;
    case 11: WEAVE(3, 3, true); break;
    case 12: WEAVE(4, 4, true); break;
    default: WEAVE(period, n, join); break;
    }
#undef WEAVE
}

#if defined(__AVX512F__)
/* Elements of 4 bytes and more: whole registers, and for each of the result permutations of the sources, one after the
 * other. numbers: of result and source i > 0, which lanes of what there is so far and of the source. */
enum { LANES = 16 };
typedef uint32_t numbers[MOST * MOST][LANES];

static void choose_lanes(numbers t, int size, int period, bool join)
{
    const __m512i same = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    place p = {0};
    for (int i = 0; i < period * period; i++)
        _mm512_storeu_si512(t[i], same);
    for (int at = 0; at < LANES * period; at++, next_place(&p, size / 4, period)) {
        const int to = join ? at / LANES : p.row, lane = join ? at % LANES : p.in_row;
        const int from = join ? p.row : at / LANES, number = join ? p.in_row : at % LANES;
        t[to * period + from + !from][lane] = (uint32_t)(from ? LANES + number : number);
    }
}

static inline __attribute__((always_inline)) void lanes_of(char *to, int64_t to_step, const char *from,
                                                           int64_t from_step, const numbers t, int period, int n,
                                                           bool bypass)
{
    _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
    {
        __m512i y = knh_load_wide(from);
        _Pragma("GCC unroll 4") for (int i = 1; i < period; i++) y = _mm512_permutex2var_epi32(
            y, knh_load_wide((const char *)t[j * period + i]), knh_load_wide(from + i * from_step));
        knh_store_wide(to + j * to_step, y, bypass);
    }
}

static void weave_lanes(char *to, int64_t to_step, const char *from, int64_t from_step, const numbers t, int period,
                        int n, int64_t count, bool join, bool bypass)
{
    const int64_t out = join ? WIDE : to_step, in = join ? from_step : WIDE;
    const int64_t to_next = join ? WIDE * period : WIDE, from_next = join ? WIDE : WIDE * period;
#define WEAVE(period, n)                                                  \
    for (int64_t b = 0; b < count; b++, to += to_next, from += from_next) \
    lanes_of(to, out, from, in, t, period, n, bypass)
    switch (n == period ? period : 0) {
    case 2: WEAVE(2, 2); break;
    case 3: WEAVE(3, 3); break;
    case 4: WEAVE(4, 4); break;
    default: WEAVE(period, n); break;
    }
#undef WEAVE
}
#endif

/* What is to be chosen for a size, a period and a direction. */
typedef union choices {
    choice pieces;
#if defined(__AVX512F__)
    numbers lanes;
#endif
} choices;

static void prepare(choices *c, int size, int period, bool join)
{
#if defined(__AVX512F__)
    if (size >= 4) {
        choose_lanes(c->lanes, size, period, join);
        return;
    }
#endif
    choose(c->pieces, size, period, join);
}

static void weave_some(char *to, int64_t to_step, const char *from, int64_t from_step, const choices *c, int size,
                       int period, int n, int64_t count, bool join, bool bypass)
{
#if defined(__AVX512F__)
    if (size >= 4) {
        weave_lanes(to, to_step, from, from_step, c->lanes, period, n, count, join, bypass);
        return;
    }
#endif
    (void)size;
    weave_any(to, to_step, from, from_step, c->pieces, period, n, count, join, bypass);
}

int64_t KN_ISA_NAME(knh_weave)(int size, char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,
                               int64_t columns, bool bypass)
{
    const bool join = knh_weaves_rows(size, to_step, rows);
    const int64_t apart = join ? to_step : from_step, length = join ? columns : rows, side = join ? rows : columns;
    const int64_t in_one = WIDE / size;
    if (side > MOST || apart % size || apart > MOST * size || apart < side * size || length < in_one)
        return 0;
    const int period = (int)(apart / size);
    const int64_t bytes = (length - 1) * apart + side * size, count = bytes / (WIDE * period);
    choices c;
    prepare(&c, size, period, join);
    bypass = bypass && ((uintptr_t)to | (uintptr_t)(join ? 0 : to_step)) % WIDE == 0;
    weave_some(to, to_step, from, from_step, &c, size, period, (int)side, count, join, bypass);
    if (side < period) /* the last registers would reach behind the last element */
        return count * in_one;
    const int64_t last = length - in_one; /* of these some are there already */
    if (last % in_one)
        weave_some(to + last * (join ? apart : size), to_step, from + last * (join ? size : apart), from_step, &c, size,
                   period, (int)side, 1, join, false);
    return length;
}

/* --- rows backwards --- */

static void turn_around(char *to, const char *end, int64_t bytes, int size, knh_v16 c, bool bypass)
{
    int64_t i = 0;
    if (bytes < WIDE) {
        for (; i < bytes; i += size)
            memcpy(to + i, end - i - size, (size_t)size);
        return;
    }
#define PIECES_AT(i) knh_reverse_pieces(knh_shuffle_pieces(knh_load_wide(end - (i)-WIDE), c))
    if (bypass && (uintptr_t)to % WIDE) { /* up to where stores are whole lines; and no line is written both ways */
        knh_store_wide(to, PIECES_AT(0), false);
        i = (int64_t)(-(uintptr_t)to % WIDE);
        bypass = i % size == 0;
        i = bypass ? i : 0;
    }
    for (; i + WIDE <= bytes; i += WIDE)
        knh_store_wide(to + i, PIECES_AT(i), bypass);
    if (i < bytes)
        knh_store_wide(to + bytes - WIDE, PIECES_AT(bytes - WIDE), false);
#undef PIECES_AT
}

void KN_ISA_NAME(knh_reverse_rows)(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,
                                   int64_t bytes, int size, bool bypass)
{
    knh_v16 c;
    for (int i = 0; i < KNH_V16; i++)
        c[i] = (uint8_t)(KNH_V16 - size - i / size * size + i % size);
    for (; rows > 0; rows--, to += to_step, from += from_step)
        turn_around(to, from + bytes, bytes, size, c, bypass);
}
