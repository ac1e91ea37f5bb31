/* SPDX-License-Identifier: Apache-2.0
 * cumulative.c -- cumulative sums, products, maxima and minima along an axis: which numbers are joined in which loops,
 * block by block, and how threads share the work. */
#include "host/routine/cumulative_part.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include "host/routine/product_half.h"
#include <stdatomic.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    BLOCK = 16384,      /* steps: docs/determinism.md */
    STRIP_BYTES = 2048, /* columns that are worked on together, at most */
    LEAST_STRIP = 64,   /* at least: no two threads write one line */
    SHARED_STRIP = 512, /* of which blocks are shared out, at most */
    ROOM_BYTES = 16384, /* of what is moved or converted, at a time */
    PART = 1 << 15,     /* numbers that are worth a thread */
    WAVE = 64           /* blocks of a line that threads share at a time */
};
static const int64_t past_caches = 16 << 20; /* bytes, read and written */

/* How steps lie: side by side, or each a row of lanes. */
typedef enum { LINES, COLUMNS } arrangement;

typedef struct task {
    const knr_cumulate_loops *loops;
    knr_cumulate how;
    uint64_t flip, neutral;
    int converts; /* from this dtype and to it; KN_ID_COUNT: nothing to convert */
    arrangement lie;
    bool reverse, bypass, bare;         /* bare: there are no numbers that change nothing */
    int64_t outer, length, inner, size; /* inner: numbers of the loops; size: bytes of an element */
    int64_t width, strips, units;       /* lanes of a unit; units of one outer slice, of all */
    const char *x;
    char *y;
} task;

/* What blocks hand on, a number for each lane. `later`: there is a prefix, so this is not the first block. */
typedef struct state {
    _Alignas(64) char carry[STRIP_BYTES], prefix[STRIP_BYTES];
    bool begins, later;
} state;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* --- numbers ------------------------------------------------------------------------------------- */

/* n elements as numbers of the loops. */
static void widen(int id, const void *from, void *to, int64_t n)
{
    knr_cumulate_convert *by = KNR_BY_ISA(knr_cumulate).widen[id];
    if (by)
        by(from, to, n);
    else
        knr_half()->widen(id == KN_ID_BF16, from, n, to);
}

/* And back. */
static void narrow(int id, const void *from, void *to, int64_t n)
{
    knr_cumulate_convert *by = KNR_BY_ISA(knr_cumulate).narrow[id];
    if (by)
        by(from, to, n);
    else
        knr_half()->narrow(id == KN_ID_BF16, from, n, to);
}

/* A minimum is the maximum of numbers in the opposite order. */
static uint64_t bits_to_flip(knr_cumulate how, kn_dtype d)
{
    if (how < KNR_CUMULATE_MAX) /* of complex numbers, too */
        return 0;
    int bits = d->size < 4 ? 32 : (int)d->size * 8;
    uint64_t sign = UINT64_C(1) << (bits - 1), all = sign | (sign - 1);
    bool real = knx_is_inexact(d), other = d->kind == KN_KIND_UINT && d->size >= 4;
    return how == KNR_CUMULATE_MIN ? (real ? sign : other ? all ^ sign : all) : other ? sign : 0;
}

static void choose_loops(task *t, kn_dtype d)
{
    const knr_cumulate_kinds *kinds = &KNR_BY_ISA(knr_cumulate);
    bool real = knx_is_inexact(d);
    t->size = d->size;
    t->converts = d->size < 4 ? d->id : KN_ID_COUNT;
    t->bare = knx_is_complex(d) && t->how != KNR_CUMULATE_SUM;
    const knr_cumulate_loops *lines = d->size == 16 ? &kinds->complex128 : &kinds->complex64;
    if (knx_is_complex(d) && t->inner == 1 && lines->line[t->how]) {
        t->loops = lines;
        t->neutral = UINT64_C(0x8000000080000000);
        return;
    }
    if (t->bare) {
        t->loops = knr_cumulate_complex + (d->size == 16);
        return;
    }
    if (knx_is_complex(d)) {
        t->inner *= 2;
        t->size /= 2;
    }
    bool wide = t->size == 8;
    t->loops = kinds->loops + (real ? 0 : 2) + wide;
    t->flip = bits_to_flip(t->how, d);
    /* -0, 1; of floats the infinities, of integers the smallest one, flipped: */
    uint64_t sign = UINT64_C(1) << (wide ? 63 : 31), one = wide ? UINT64_C(0x3ff0000000000000) : 0x3f800000;
    uint64_t infinite = wide ? UINT64_C(0xfff0000000000000) : 0xff800000;
    t->neutral = t->how == KNR_CUMULATE_SUM       ? (real ? sign : 0)
                 : t->how == KNR_CUMULATE_PRODUCT ? (real ? one : 1)
                                                  : (real ? infinite : sign) ^ t->flip;
}

/* Before a block: a carry that changes nothing; before the first one such a prefix, too. */
static void begin(const task *t, state *s)
{
    s->begins = true;
    if (t->bare)
        return;
    uint32_t half = (uint32_t)t->neutral;
    int64_t bytes = (t->width * t->loops->size + 63) / 64 * 64;
    for (int64_t k = 0; k < bytes; k += t->loops->size)
        memcpy(s->carry + k, t->loops->size == 4 ? (const void *)&half : &t->neutral, (size_t)t->loops->size);
    if (!s->later)
        memcpy(s->prefix, s->carry, (size_t)bytes);
}

/* Lanes from byte `at` on. */
static knr_cumulate_part part_of(const task *t, state *s, int64_t at, bool bypass)
{
    return (knr_cumulate_part){.carry = s->carry + at,
                               .prefix = t->bare && !s->later ? NULL : s->prefix + at,
                               .how = t->how == KNR_CUMULATE_MIN ? KNR_CUMULATE_MAX : t->how,
                               .flip = t->flip,
                               .reverse = t->reverse,
                               .begins = s->begins,
                               .bypass = bypass};
}

/* After a block: the prefix of the next one. */
static void advance(const task *t, state *s, const char *total)
{
    _Alignas(64) char none[STRIP_BYTES];
    const void *x[16];
    void *y[16];
    for (int i = 0; i < 16; i++) {
        x[i] = total;
        y[i] = i ? none : s->prefix;
    }
    begin(t, s);
    const knr_cumulate_part p = part_of(t, s, 0, false);
    t->loops->columns[t->how](x, y, t->width, &p);
    s->later = true;
}

/* --- parts of a block ------------------------------------------------------------------------------ */

/* `lines` lines of n steps; x and y: the lowest address. y NULL: the carry only. */
static void run_lines(const task *t, const char *x, char *y, int64_t n, int64_t lines, state *s)
{
    knr_cumulate_line *line = t->loops->line[t->how];
    const knr_cumulate_part p = part_of(t, s, 0, t->bypass && y);
    if (t->converts == KN_ID_COUNT) {
        line(x, y, n, lines, &p);
        return;
    }
    enum { SOME = ROOM_BYTES / 4 };
    _Alignas(64) char room[ROOM_BYTES];
    int64_t whole = n > SOME ? 1 : SOME / n;
    char first[8];
    memcpy(first, s->carry, sizeof first);
    for (int64_t l = 0; l < lines; l += whole) {
        whole = least(whole, lines - l);
        memcpy(s->carry, first, sizeof first);
        for (int64_t i = 0; i < n; i += SOME) { /* of several lines all, of one a part */
            int64_t steps = least(n - i, SOME), at = (l * n + (t->reverse ? n - i - steps : i)) * t->size;
            widen(t->converts, x + at, room, steps * whole);
            line(room, y ? room : NULL, steps, whole, &p);
            if (y)
                narrow(t->converts, room, y + at, steps * whole);
        }
    }
}

/* 16 steps of `width` lanes. */
static void run_converted_rows(const task *t, const char *const *x, char *const *y, int64_t width, state *s)
{
    enum { SOME = ROOM_BYTES / 64 };
    _Alignas(64) char room[16][SOME * 4];
    const void *in[16];
    void *out[16];
    for (int i = 0; i < 16; i++)
        in[i] = out[i] = room[i];
    for (int64_t from = 0; from < width; from += SOME) {
        int64_t count = least(width - from, SOME);
        for (int i = 0; i < 16; i++)
            widen(t->converts, x[i] + from * t->size, room[i], count);
        const knr_cumulate_part p = part_of(t, s, from * 4, false);
        t->loops->columns[t->how](in, out, count, &p);
        for (int i = 0; i < 16; i++)
            narrow(t->converts, room[i], y[i] + from * t->size, count);
    }
}

/* n steps of `width` lanes; x and y: the first step, `step` bytes before the next one. */
static void run_columns(const task *t, const char *x, char *y, int64_t step, int64_t n, int64_t width, state *s)
{
    _Alignas(64) char none[STRIP_BYTES];
    const char *in[16];
    char *out[16];
    knr_cumulate_part p = part_of(t, s, 0, t->bypass && y);
    p.ahead = 16 * step;
    for (int i = 0; i < 16; i++) {
        in[i] = x + i * step;
        out[i] = y ? y + i * step : none;
    }
    for (int64_t left = n; left > 0; left -= 16) {
        for (int i = (int)least(left, 16); i < 16; i++) { /* steps that there are not */
            in[i] = in[0];
            out[i] = none;
            p.bypass = false;
        }
        if (t->converts == KN_ID_COUNT)
            t->loops->columns[t->how]((const void *const *)in, (void *const *)out, width, &p);
        else
            run_converted_rows(t, in, out, width, s);
        p.begins = s->begins = false;
        for (int i = 0; i < 16; i++) {
            in[i] += 16 * step;
            out[i] += y ? 16 * step : 0;
        }
    }
}

/* The same where rows lie side by side and are to be converted: many at a time. */
static void run_converted_columns(const task *t, const char *x, char *y, int64_t n, state *s)
{
    _Alignas(64) char room[ROOM_BYTES];
    task plain = *t;
    plain.converts = KN_ID_COUNT;
    int64_t row = t->inner * 4, some = ROOM_BYTES / row / 16 * 16;
    for (int64_t i = 0; i < n; i += some) {
        int64_t count = least(n - i, some), at = (t->reverse ? n - i - count : i) * t->inner * t->size;
        char *first = room + (t->reverse ? (count - 1) * row : 0);
        widen(t->converts, x + at, room, count * t->inner);
        run_columns(&plain, first, y ? first : NULL, t->reverse ? -row : row, count, t->inner, s);
        if (y)
            narrow(t->converts, room, y + at, count * t->inner);
    }
}

/* --- blocks and threads ----------------------------------------------------------------------------- */

/* Block b of a unit; y: whether there are results, or the carry only is wanted. */
static void run_block(const task *t, int64_t unit, int64_t b, bool y, state *s)
{
    int64_t first = b * BLOCK, n = least(t->length - first, BLOCK), row = t->inner * t->size;
    int64_t lowest = t->reverse ? t->length - first - n : first, o = unit / t->strips, k = unit % t->strips * t->width;
    int64_t at = o * t->length * row + lowest * row + k * t->size;
    begin(t, s);
    if (t->lie == LINES)
        run_lines(t, t->x + at, y ? t->y + at : NULL, n, 1, s);
    else if (t->converts != KN_ID_COUNT && t->strips == 1 && t->inner * 4 * 16 <= ROOM_BYTES)
        run_converted_columns(t, t->x + at, y ? t->y + at : NULL, n, s);
    else {
        at += t->reverse ? (n - 1) * row : 0;
        run_columns(t, t->x + at, y ? t->y + at : NULL, t->reverse ? -row : row, n, least(t->inner - k, t->width), s);
    }
}

static void run_unit(const task *t, int64_t unit)
{
    state s;
    s.later = false;
    for (int64_t b = 0; b * BLOCK < t->length; b++) {
        run_block(t, unit, b, true, &s);
        if ((b + 1) * BLOCK < t->length) {
            _Alignas(64) char total[STRIP_BYTES];
            memcpy(total, s.carry, sizeof total);
            advance(t, &s, total);
        }
    }
}

/* What went past the caches is there for the other threads. */
static void settle(const task *t)
{
#if defined(__SSE2__)
    if (t->bypass)
        _mm_sfence();
#else
    (void)t;
#endif
}

typedef struct share {
    const task *task;
    int64_t units; /* of a part */
} share;

static void run_units(void *arg, int64_t part, int worker)
{
    const share *s = arg;
    int64_t end = least((part + 1) * s->units, s->task->units);
    (void)worker;
    if (s->task->lie == LINES && s->task->length <= BLOCK) {
        int64_t at = part * s->units * s->task->length * s->task->size;
        state one;
        one.later = false;
        begin(s->task, &one);
        run_lines(s->task, s->task->x + at, s->task->y + at, s->task->length, end - part * s->units, &one);
    } else
        for (int64_t u = part * s->units; u < end; u++)
            run_unit(s->task, u);
    settle(s->task);
}

/* A line, or few, whose blocks are shared out. Whoever has a block first finds its total, then its prefix: from the
 * last prefix that is known and the totals behind it. A total that its own thread has not found yet is found again, so
 * nobody waits. */
typedef struct wave {
    const task *task;
    int64_t unit, first;    /* block */
    atomic_int known[WAVE]; /* 1: the total, 2: also the prefix of the next block */
    _Alignas(64) char total[WAVE][SHARED_STRIP], next[WAVE][SHARED_STRIP], prefix[SHARED_STRIP];
} wave;

static void run_wave(void *arg, int64_t part, int worker)
{
    wave *w = arg;
    const task *t = w->task;
    int64_t b = w->first + part, known = part, bytes = t->width * t->loops->size;
    state s = {.later = false};
    (void)worker;
    run_block(t, w->unit, b, false, &s);
    memcpy(w->total[part], s.carry, (size_t)bytes);
    atomic_store_explicit(&w->known[part], 1, memory_order_release);
    while (known > 0 && atomic_load_explicit(&w->known[known - 1], memory_order_acquire) < 2)
        known--;
    s.later = known > 0 || w->first > 0;
    if (s.later)
        memcpy(s.prefix, known > 0 ? w->next[known - 1] : w->prefix, (size_t)bytes);
    else
        begin(t, &s);
    for (; known < part; known++) {
        state other = {.later = false};
        bool found = atomic_load_explicit(&w->known[known], memory_order_acquire) > 0;
        if (!found)
            run_block(t, w->unit, w->first + known, false, &other);
        advance(t, &s, found ? w->total[known] : other.carry);
    }
    state after = s;
    advance(t, &after, w->total[part]);
    memcpy(w->next[part], after.prefix, (size_t)bytes);
    atomic_store_explicit(&w->known[part], 2, memory_order_release);
    run_block(t, w->unit, b, true, &s);
    settle(t);
}

static void run_waves(const task *t, int64_t unit, int threads)
{
    wave w = {.task = t, .unit = unit};
    int64_t blocks = (t->length + BLOCK - 1) / BLOCK;
    for (; w.first < blocks; w.first += WAVE) {
        int64_t parts = least(blocks - w.first, WAVE);
        for (int i = 0; i < WAVE; i++)
            atomic_init(&w.known[i], 0);
        knx_parallel(threads, parts, run_wave, &w);
        memcpy(w.prefix, w.next[parts - 1], sizeof w.prefix);
    }
}

/* How the numbers lie, and units. */
static void arrange(task *t, int threads)
{
    int64_t size = t->loops->size;
    t->strips = 1;
    t->width = t->inner;
    t->units = t->outer;
    if (t->inner == 1 && t->loops->line[t->how])
        t->lie = LINES;
    else {
        t->lie = COLUMNS;
        int64_t narrowest = t->length >= 2 * BLOCK ? SHARED_STRIP : LEAST_STRIP;
        t->width = STRIP_BYTES / size;
        while (threads > 1 && t->width * size > narrowest &&
               (t->inner + t->width - 1) / t->width * t->outer < 2 * (int64_t)threads)
            t->width /= 2;
        t->strips = (t->inner + t->width - 1) / t->width;
        t->width = t->strips == 1 ? t->inner : t->width;
        t->units = t->outer * t->strips;
    }
    int64_t row = (t->lie == LINES ? t->length : t->inner) * size;
    bool lined = row % 64 == 0 || (t->lie == LINES && ((t->outer == 1 && !t->reverse) || 64 % row == 0));
    t->bypass = t->converts == KN_ID_COUNT && (uintptr_t)t->y % 64 == 0 && lined &&
                2 * t->outer * t->length * t->inner * size >= past_caches;
}

void knr_cumulate_run(knr_cumulate how, kn_dtype d, int64_t outer, int64_t length, int64_t inner, bool reverse,
                      int threads, const void *x, void *y)
{
    if (!outer || !length || !inner)
        return;
    task t = {.how = how, .reverse = reverse, .outer = outer, .length = length, .inner = inner, .x = x, .y = y};
    choose_loops(&t, d);
    arrange(&t, threads);
    if (threads > (t.bare && t.lie == COLUMNS ? 2 : 1) && t.units < threads && length >= 2 * BLOCK &&
        t.width * t.loops->size <= SHARED_STRIP) {
        for (int64_t u = 0; u < t.units; u++)
            run_waves(&t, u, threads);
        return;
    }
    int64_t some = PART / (t.width * length) + 1;
    share s = {&t, some > 16 ? some / 16 * 16 : some}; /* short rows: whole lines of the cache */
    knx_parallel(threads, (t.units + s.units - 1) / s.units, run_units, &s);
}
