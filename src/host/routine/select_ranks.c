/* SPDX-License-Identifier: Apache-2.0
 * select_ranks.c -- ranks of numbers, and what is done by them. Numbers of 8 and 16 bits are made wider to be found. */
#include "host/routine/select_ranks.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include "host/routine/sort_image.h"
#include "host/routine/sort_keys.h"
#include "host/routine/sort_vector.h"
#include <string.h>

enum {
    SORTED = 2048,  /* numbers, at most, that are sorted at once */
    SAMPLES = 4096, /* of lines of MANY numbers or more; of shorter ones an eighth */
    MANY = 1 << 16,
    PART = 1 << 15, /* numbers for each thread, at least */
    MOST_PARTS = 64,
    SLACK = 16 /* numbers behind what a pass keeps, which it may write */
};

typedef struct finding {
    const knr_sort_vector *const *by; /* of 32 and 64 bits */
    void *sorting;                    /* room for knr_sort_keys */
    int threads;
} finding;

typedef struct parting {
    knr_image_code code;
    const void *x;
    void *y;
    int64_t n, m, *count;
    const int64_t *image;
    const struct around *around; /* of one image; NULL: without vectors */
    bool positions;
    int size, parts;
} parting;

#define BITS 8
#include "host/routine/select_loops.h"
#define BITS 16
#include "host/routine/select_loops.h"
#define BITS 32
#include "host/routine/select_loops.h"
#define BITS 64
#include "host/routine/select_loops.h"
#define BITS 32
#include "host/routine/select_find.h"
#define BITS 64
#include "host/routine/select_find.h"

/* --- ranks ---------------------------------------------------------------------------------------- */

static size_t bytes_of(kn_dtype d) { return d->size < 4 ? 4 : d->size; }

/* A multiple of the line's length, and whole lines of the cache. */
static size_t sorting_room(kn_dtype d, int64_t n, bool few, int threads)
{
    kn_dtype words = bytes_of(d) == 4 ? KN_DT(I32) : KN_DT(I64);
    size_t samples = knr_sort_keys_workspace(words, SAMPLES, threads);
    size_t line = knr_sort_keys_workspace(words, n, threads) - knr_sort_keys_workspace(words, 0, threads);
    return (samples + 63) / 64 * 64 + (few ? 0 : line);
}

size_t knr_find_workspace(kn_dtype d, int64_t n, bool few, int threads)
{
    size_t room = 2 * SAMPLES + (size_t)MOST_PARTS * SLACK + (few ? 1 : 2) * (size_t)n; /* and numbers made wider */
    return sorting_room(d, n, few, threads) + (room + (d->size < 4 ? (size_t)n : 0)) * bytes_of(d);
}

void knr_find_ranks(kn_dtype d, const void *x, int64_t n, const int64_t *rank, int64_t m, knr_found *found,
                    void *workspace, int threads)
{
    finding f = {KNR_BY_ISA(knr_sort_vector), workspace, threads};
    const knr_image_code code = knr_image_code_of(d), same = {.bias = 0x80000000u};
    char *room = (char *)workspace + sorting_room(d, n, m <= KNR_FEW_RANKS, threads);
    if (d->size == 8) {
        find_64(&f, &code, x, n, rank, m, 0, found, (int64_t *)room);
        return;
    }
    if (d->size == 4) {
        find_32(&f, &code, x, n, rank, m, 0, found, (int32_t *)room);
        return;
    }
    int32_t *wide = (int32_t *)room;
    for (int64_t i = 0; i < n; i++)
        wide[i] = d->size == 1 ? image_8(&code, ((const uint8_t *)x)[i]) : image_16(&code, ((const uint16_t *)x)[i]);
    find_32(&f, &same, (const uint32_t *)wide, n, rank, m, 0, found, wide + n);
}

/* --- numbers -------------------------------------------------------------------------------------- */

int64_t knr_position_of(kn_dtype d, const void *x, int64_t n, int64_t image, int64_t k)
{
    const knr_image_code code = knr_image_code_of(d);
    switch (d->size) {
    case 1: return position_8(&code, x, n, image, k);
    case 2: return position_16(&code, x, n, image, k);
    case 4: return position_32(&code, x, n, image, k);
    default: return position_64(&code, x, n, image, k);
    }
}

void knr_number_of(kn_dtype d, const void *x, int64_t n, int64_t image, int64_t k, void *y)
{
    const knr_image_code code = knr_image_code_of(d);
    int bits = 8 * d->size;
    uint64_t sign = (uint64_t)1 << (bits - 1), u = ((uint64_t)image ^ sign) ^ code.bias;
    if (code.infinity && (!image || (uint64_t)image == sign - 1)) { /* zeros, and NaN, do not all look alike */
        memcpy(y, (const char *)x + knr_position_of(d, x, n, image, k) * d->size, d->size);
        return;
    }
    u ^= u & sign ? code.flip : 0;
    switch (d->size) {
    case 1: *(uint8_t *)y = (uint8_t)u; break;
    case 2: *(uint16_t *)y = (uint16_t)u; break;
    case 4: *(uint32_t *)y = (uint32_t)u; break;
    default: *(uint64_t *)y = u; break;
    }
}

/* How numbers are put into those below an image, equal to it and above by vectors. */
typedef struct around {
    const knr_sort_vector *by; /* NULL: there are none */
    int first;                 /* the first class is this one; the one below the least image is none */
    int64_t wide[KNR_CLASSES - 1];
    int32_t narrow[KNR_CLASSES - 1];
    const void *pivot;
} around;

static void put_around(kn_dtype d, int64_t image, around *a)
{
    bool wide = d->size == 8;
    const int64_t most = wide ? INT64_MAX : INT32_MAX;
    a->by = d->size >= 4 ? KNR_BY_ISA(knr_sort_vector)[wide] : NULL;
    a->first = image == -most - 1;
    a->wide[0] = a->first ? image : image - 1;
    a->wide[1] = a->first ? most : image;
    a->wide[2] = most;
    for (int k = 0; k < KNR_CLASSES - 1; k++)
        a->narrow[k] = (int32_t)a->wide[k];
    a->pivot = wide ? (const void *)a->wide : a->narrow;
}

/* How many are below, equal and above. */
static void count_around(const around *a, const knr_image_code *code, const void *x, int64_t n, int64_t count[3])
{
    int64_t in[KNR_CLASSES]; /* of which the last ones are empty */
    a->by->count(code, x, n, a->pivot, in);
    count[0] = 0;
    memcpy(count + a->first, in, (size_t)(3 - a->first) * sizeof *count);
}

int64_t knr_positions_from(kn_dtype d, const void *x, int64_t n, int64_t image, int64_t equal, uint64_t *to)
{
    enum { BLOCK = 1024 };
    const knr_image_code code = knr_image_code_of(d);
    int64_t many = 0;
    around a;
    put_around(d, image, &a);
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t end = n - i < BLOCK ? n : i + BLOCK, count[3] = {0};
        if (a.by)
            count_around(&a, &code, (const char *)x + i * d->size, end - i, count);
        if (count[0] == end - i) /* nearly all of them if few are asked for */
            continue;
        switch (d->size) {
        case 1: many += positions_from_8(&code, x, i, end, image, &equal, to + many); break;
        case 2: many += positions_from_16(&code, x, i, end, image, &equal, to + many); break;
        case 4: many += positions_from_32(&code, x, i, end, image, &equal, to + many); break;
        default: many += positions_from_64(&code, x, i, end, image, &equal, to + many); break;
        }
    }
    return many;
}

int64_t knr_count_above(kn_dtype d, const void *x, int64_t n, int64_t image)
{
    const knr_image_code code = knr_image_code_of(d);
    int64_t count[3];
    around a;
    put_around(d, image, &a);
    if (a.by) {
        count_around(&a, &code, x, n, count);
        return count[2];
    }
    switch (d->size) {
    case 1: return count_above_8(&code, x, n, (int8_t)image);
    case 2: return count_above_16(&code, x, n, (int16_t)image);
    case 4: return count_above_32(&code, x, n, (int32_t)image);
    default: return count_above_64(&code, x, n, image);
    }
}

/* --- classes -------------------------------------------------------------------------------------- */

static void count_part(void *arg, int64_t part, int worker)
{
    const parting *p = arg;
    int64_t from = p->n * part / p->parts, to = p->n * (part + 1) / p->parts, *count = p->count + part * (2 * p->m + 1);
    (void)worker;
    if (p->around) {
        count_around(p->around, &p->code, (const char *)p->x + from * p->size, to - from, count);
        return;
    }
    memset(count, 0, (size_t)(2 * p->m + 1) * sizeof *count);
    switch (p->size) {
    case 1: count_part_8(p, from, to, count); break;
    case 2: count_part_16(p, from, to, count); break;
    case 4: count_part_32(p, from, to, count); break;
    default: count_part_64(p, from, to, count); break;
    }
}

static void move_part(void *arg, int64_t part, int worker)
{
    const parting *p = arg;
    int64_t from = p->n * part / p->parts, to = p->n * (part + 1) / p->parts, *place = p->count + part * (2 * p->m + 1);
    (void)worker;
    if (p->around && !p->positions) {
        int first = p->around->first;
        int64_t at[KNR_CLASSES] = {0}, end[KNR_CLASSES] = {0}; /* where the next part's begin */
        for (int k = first; k < 3; k++) {
            at[k - first] = place[k];
            end[k - first] = part + 1 < p->parts ? place[3 + k] : k < 2 ? p->count[k + 1] : p->n;
        }
        p->around->by->move(&p->code, (const char *)p->x + from * p->size, to - from, p->around->pivot, p->y, at, end,
                            false);
        return;
    }
    switch (p->size) {
    case 1: move_part_8(p, from, to, place); break;
    case 2: move_part_16(p, from, to, place); break;
    case 4: move_part_32(p, from, to, place); break;
    default: move_part_64(p, from, to, place); break;
    }
}

void knr_part_by(kn_dtype d, const void *x, int64_t n, const int64_t *image, int64_t m, bool positions, void *y,
                 int64_t *count, int threads)
{
    parting p = {.code = knr_image_code_of(d), .x = x, .y = y, .n = n, .m = m, .count = count, .image = image};
    int64_t parts = n / PART < threads ? n / PART : threads, sum = 0;
    around one;
    p.positions = positions, p.size = d->size;
    if (m == 1) {
        put_around(d, image[0], &one);
        p.around = one.by ? &one : NULL;
    }
    p.parts = parts < 1 ? 1 : parts > KNR_CLASS_PARTS ? KNR_CLASS_PARTS : (int)parts;
    knx_parallel(threads, p.parts, count_part, &p);
    for (int64_t class = 0; class < 2 * m + 1; class ++)
        for (int k = 0; k < p.parts; k++) {
            int64_t *at = &count[k * (2 * m + 1) + class], here = *at;
            *at = sum, sum += here;
        }
    knx_parallel(threads, p.parts, move_part, &p);
}
