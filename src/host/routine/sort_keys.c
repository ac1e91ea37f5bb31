/* SPDX-License-Identifier: Apache-2.0
 * sort_keys.c -- sorting numbers by vectors (sort_vector.h), or where there are none by radix, from the lowest digit
 * up. A pass moves each number behind those with smaller digits and those before it; digits that all numbers share are
 * left out. The first pass reads the array itself and the last one writes the result. Threads take parts of the array:
 * each counts its digits, and knows where its numbers go before any is moved. Bytes are counted only. */
#include "host/routine/sort_keys.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include "host/routine/sort_image.h"
#include "host/routine/sort_vector.h"
#include <string.h>

enum {
    PIECES = 32,         /* that threads sort */
    SHORT_LINE = 1024,   /* numbers of lines that are sorted together */
    INSERT = 40,         /* numbers, at most, that insertion sorts */
    WIDE_FROM = 1 << 11, /* numbers from which on digits have 11 bits, */
    WIDE_TO = 1 << 21,   /* and to which: as many streams of more numbers leave the caches' reach */
    PART = 1 << 15,      /* numbers for each thread, at least */
    MOST_PARTS = 64
};

static int parts_of(int64_t n, int threads)
{
    int64_t parts = n / PART;
    parts = parts < threads ? parts : threads;
    return parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int)parts;
}

/* How numbers become images, and how images become numbers. */
typedef struct coding {
    knr_image_code image;
    bool read, write; /* of what a pass reads, of what it writes */
} coding;

static const knr_sort_vector *vectors(int wide) { return KNR_BY_ISA(knr_sort_vector)[wide]; }

#define BITS 32
#include "host/routine/sort_keys_loops.h"
#define BITS 64
#include "host/routine/sort_keys_loops.h"

/* --- 8 and 16 bits: how often each number is there ------------------------------------------------ */

static void sort_bytes(knr_image_code code, const uint8_t *x, uint8_t *y, int64_t n, int64_t *count)
{
    memset(count, 0, 256 * sizeof *count);
    for (int64_t i = 0; i < n; i++)
        count[x[i] ^ code.bias]++;
    for (int v = 0; v < 256; v++) {
        memset(y, (int)(v ^ code.bias), (size_t)count[v]);
        y += count[v];
    }
}

/* By two passes; zeros and NaN of floating point numbers go with the others. */
static void sort_short(knr_image_code code, const uint16_t *x, uint16_t *y, int64_t n, uint16_t *spare, int64_t *place)
{
    int64_t *low = place, *high = place + 256;
    uint16_t infinity = (uint16_t)code.infinity;
#define IMAGE(v) (infinity ? knr_image_16(v, infinity) : (uint16_t)((v) ^ code.bias))
    memset(place, 0, 512 * sizeof *place);
    for (int64_t i = 0; i < n; i++) {
        uint16_t v = IMAGE(x[i]);
        low[v & 255]++;
        high[v >> 8]++;
    }
    for (int64_t v = 0, before_low = 0, before_high = 0, now; v < 256; v++) {
        now = low[v], low[v] = before_low, before_low += now;
        now = high[v], high[v] = before_high, before_high += now;
    }
    for (int64_t i = 0; i < n; i++)
        spare[low[IMAGE(x[i]) & 255]++] = x[i];
    for (int64_t i = 0; i < n; i++)
        y[high[IMAGE(spare[i]) >> 8]++] = spare[i];
#undef IMAGE
}

/* --- all ------------------------------------------------------------------------------------------ */

size_t knr_sort_keys_workspace(kn_dtype d, int64_t n, int threads)
{
    int parts = threads < MOST_PARTS ? threads : MOST_PARTS;
    size_t places = (size_t)(parts + 1) * KNR_DIGITS_LARGEST * sizeof(int64_t);
    return places + 2 * (size_t)n * (d->size < 4 ? 4 : d->size); /* other arrays behind it begin at multiples of 8 */
}

void knr_sort_keys(kn_dtype d, const void *x, void *y, int64_t n, int64_t lines, void *workspace, int threads)
{
    knr_image_code code = knr_image_code_of(d);
    if (d->size == 8) {
        sort_64(code, x, y, n, lines, workspace, threads);
    } else if (d->size == 4) {
        sort_32(code, x, y, n, lines, workspace, threads);
    } else {
        for (int64_t l = 0; l < lines; l++)
            if (d->size == 1)
                sort_bytes(code, (const uint8_t *)x + l * n, (uint8_t *)y + l * n, n, workspace);
            else
                sort_short(code, (const uint16_t *)x + l * n, (uint16_t *)y + l * n, n,
                           (uint16_t *)((int64_t *)workspace + 512), workspace);
    }
}

/* Stable. Returns where they are. */
static uint64_t *merge_words(uint64_t *a, uint64_t *spare, int64_t n)
{
    enum { RUN = 24 }; /* that insertion sorts */
    for (int64_t from = 0; from < n; from += RUN) {
        int64_t to = n - from < RUN ? n : from + RUN;
        for (int64_t i = from + 1; i < to; i++) {
            uint64_t v = a[i];
            int64_t k = i;
            for (; k > from && (int64_t)a[k - 1] > (int64_t)v; k--)
                a[k] = a[k - 1];
            a[k] = v;
        }
    }
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            const uint64_t *p = a + i, *end = a + n, *q = end - p < run ? end : p + run, *middle = q;
            const uint64_t *last = end - q < run ? end : q + run;
            for (uint64_t *to = spare + i; p < middle || q < last;)
                *to++ = q == last || (p < middle && (int64_t)*p <= (int64_t)*q) ? *p++ : *q++;
        }
        uint64_t *t = a;
        a = spare, spare = t;
    }
    return a;
}

uint64_t *knr_sort_words(uint64_t *const array[2], int64_t n, int low, int high, void *place, int threads)
{
    enum { MERGED = 700 }; /* words, at most */
    uint64_t *a = array[0], *spare = array[1];
    const knr_sort_vector *by = vectors(1);
    const knr_image_code code = {.bias = (uint64_t)1 << 63};
    int parts = parts_of(n, threads);
    if (by && parts > 1)
        return sort_shares_64(by, &code, a, spare, n, parts, threads).falls ? spare : a;
    if (by) {
        by->sort(a, n, 1);
        return a;
    }
    if (n <= MERGED)
        return merge_words(a, spare, n);
    job_64 j = {.n = n, .parts = parts, .threads = threads, .places = place};
    j.code = (coding){.image = code, .read = true, .write = true};
    int wide = n >= WIDE_FROM && n <= WIDE_TO ? 11 : 8;
    for (; low < high; low += wide) {
        j.from = a, j.to = spare, j.shift = low, j.digits = 1 << (high - low < wide ? high - low : wide);
        if (!pass_64(&j))
            continue;
        uint64_t *t = a;
        a = spare, spare = t;
    }
    return a;
}
