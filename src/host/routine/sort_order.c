/* SPDX-License-Identifier: Apache-2.0
 * sort_order.c -- sorting of positions. A word of 64 bits holds a window of a key's image above the position, so words
 * are never equal and any way to sort them is stable. The window begins at the highest bit in which the keys of a run
 * differ from the least of them: it holds all of keys up to 32 bits, and of longer ones what tells nearly all of them
 * apart. Runs of words with equal windows are sorted again, by the bits below and by the keys behind. */
#include "host/routine/sort_order.h"
#include "base/pool.h"
#include "host/routine/sort_image.h"
#include "host/routine/sort_keys.h"
#include <string.h>

enum {
    COMPARED = 16,   /* elements of a run, at most, that are compared directly */
    PART = 1 << 15,  /* elements for each thread, at least */
    MOST_PARTS = 64, /* that a line is cut into */
};
static const uint64_t LOW = (uint64_t)1 << 63; /* of words as signed numbers */

typedef struct ctx {
    const knr_keys *keys;
    int bits; /* of a position */
    uint64_t mask;
    void *place;
} ctx;

int knr_position_bits(int64_t n)
{
    int bits = 1;
    while (bits < 63 && n > (int64_t)1 << bits)
        bits++;
    return bits;
}

/* --- images --------------------------------------------------------------------------------------- */

static int words_of(kn_dtype d) { return d->id == KN_ID_C128 ? 2 : 1; }

typedef struct bits64 {
    uint32_t re, im;
} bits64;
typedef struct bits128 {
    uint64_t part[2];
} bits128;

#define IMAGES(type, value)                                            \
    if (a)                                                             \
        for (int64_t i = 0; i < n; i++) {                              \
            type v = ((const type *)x)[(int64_t)(a[i] & mask) * step]; \
            to[i] = value;                                             \
        }                                                              \
    else                                                               \
        for (int64_t i = 0; i < n; i++) {                              \
            type v = ((const type *)x)[i * step];                      \
            to[i] = value;                                             \
        }                                                              \
    break

/* Images of word `word` of the elements at the positions of a, or without a of n elements side by side. */
static void images(kn_dtype d, const void *x, int64_t step, int word, const uint64_t *a, uint64_t mask, int64_t n,
                   uint64_t *restrict to)
{
    switch ((knx_dtype_id)d->id) {
    case KN_ID_BOOL:
    case KN_ID_U8: IMAGES(uint8_t, v);
    case KN_ID_I8: IMAGES(uint8_t, v ^ 0x80u);
    case KN_ID_U16: IMAGES(uint16_t, v);
    case KN_ID_I16: IMAGES(uint16_t, v ^ 0x8000u);
    case KN_ID_F16: IMAGES(uint16_t, knr_image_16(v, 0x7c00u));
    case KN_ID_BF16: IMAGES(uint16_t, knr_image_16(v, 0x7f80u));
    case KN_ID_U32: IMAGES(uint32_t, v);
    case KN_ID_I32: IMAGES(uint32_t, v ^ 0x80000000u);
    case KN_ID_F32: IMAGES(uint32_t, knr_image_f32(v));
    case KN_ID_U64: IMAGES(uint64_t, v);
    case KN_ID_I64: IMAGES(uint64_t, v ^ LOW);
    case KN_ID_F64: IMAGES(uint64_t, knr_image_f64(v));
    case KN_ID_C64: IMAGES(bits64, (uint64_t)knr_image_f32(v.re) << 32 | knr_image_f32(v.im));
    case KN_ID_C128: IMAGES(bits128, knr_image_f64(v.part[word]));
    default: memset(to, 0, (size_t)n * sizeof *to); /* random keys have no order */
    }
}

static const char *element(const ctx *c, int key, int64_t position)
{
    return (const char *)c->keys->x[key] + (c->keys->first + position * c->keys->step) * c->keys->dtype[key]->size;
}

/* The word behind word `word` of key `*key`. False: there is none. */
static bool next_word(const ctx *c, int *key, int *word)
{
    if (++*word == words_of(c->keys->dtype[*key]))
        ++*key, *word = 0;
    return *key < c->keys->n;
}

static bool comes_before(const ctx *c, uint64_t p, uint64_t q, int key, int word)
{
    do {
        uint64_t u, v;
        kn_dtype d = c->keys->dtype[key];
        images(d, element(c, key, (int64_t)(p & c->mask)), 1, word, NULL, 0, 1, &u);
        images(d, element(c, key, (int64_t)(q & c->mask)), 1, word, NULL, 0, 1, &v);
        if (u != v)
            return (u < v) != c->keys->falls;
    } while (next_word(c, &key, &word));
    return false;
}

static void insert(const ctx *c, uint64_t *a, int64_t n, int key, int word)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t r = a[i];
        int64_t k = i;
        for (; k > 0 && comes_before(c, r, a[k - 1], key, word); k--)
            a[k] = a[k - 1];
        a[k] = r;
    }
}

/* --- words ---------------------------------------------------------------------------------------- */

/* Words of a run are made: their images first. */
typedef struct making {
    const ctx *c;
    const uint64_t *from; /* NULL: the line's elements in their order */
    uint64_t *image, *a;
    int64_t n;
    int key, word, parts, shift;
    uint64_t least[MOST_PARTS], most[MOST_PARTS];
    bool rises[MOST_PARTS];
} making;

static void make_images(void *arg, int64_t part, int worker)
{
    making *m = arg;
    const ctx *c = m->c;
    int64_t from = m->n * part / m->parts, to = m->n * (part + 1) / m->parts;
    uint64_t *u = m->image, least = UINT64_MAX, most = 0, falls = 0;
    (void)worker;
    images(c->keys->dtype[m->key], element(c, m->key, m->from ? 0 : from), c->keys->step, m->word,
           m->from ? m->from + from : NULL, c->mask, to - from, u + from);
    for (int64_t i = from; c->keys->falls && i < to; i++)
        u[i] = ~u[i];
    for (int64_t i = from; i < to; i++) {
        least = u[i] < least ? u[i] : least;
        most = u[i] > most ? u[i] : most;
    }
    for (int64_t i = from + 1; i < to && !falls; i++)
        falls = u[i - 1] > u[i];
    m->least[part] = least, m->most[part] = most, m->rises[part] = !falls;
}

static void make_words(void *arg, int64_t part, int worker)
{
    making *m = arg;
    int64_t from = m->n * part / m->parts, to = m->n * (part + 1) / m->parts;
    const uint64_t *u = m->image, least = m->least[0], mask = m->c->mask;
    uint64_t *a = m->a;
    int shift = m->shift, bits = m->c->bits;
    (void)worker;
    if (m->from)
        for (int64_t i = from; i < to; i++)
            a[i] = ((u[i] - least) >> shift << bits | (m->from[i] & mask)) ^ LOW;
    else
        for (int64_t i = from; i < to; i++)
            a[i] = ((u[i] - least) >> shift << bits | (uint64_t)i) ^ LOW;
}

/* --- few values ----------------------------------------------------------------------------------- */

enum {
    FEW_FROM = 1 << 14, /* elements */
    SAMPLED = 512,
    DIFFERENT = 32, /* values, at most */
    SLOT_BITS = 10
};

/* Each value has a slot of its own, which is found by a product; a slot without one has the least value. */
typedef struct few {
    const making *m;
    int different;
    uint64_t factor, value[DIFFERENT], in_slot[1 << SLOT_BITS];
    uint8_t rank[1 << SLOT_BITS];
    int64_t place[MOST_PARTS][DIFFERENT]; /* first how many there are, then where the next one goes */
    bool others[MOST_PARTS];
} few;

static inline unsigned slot_of(const few *f, uint64_t u) { return (unsigned)((u * f->factor) >> (64 - SLOT_BITS)); }

/* The values of a sample, in order. False: they are many. */
static bool are_few(few *f)
{
    const uint64_t *u = f->m->image;
    for (int i = 0; i < SAMPLED; i++) {
        uint64_t v = u[f->m->n / SAMPLED * i];
        int k = f->different;
        while (k > 0 && f->value[k - 1] > v)
            k--;
        if (k > 0 && f->value[k - 1] == v)
            continue;
        if (f->different == DIFFERENT)
            return false;
        memmove(f->value + k + 1, f->value + k, (size_t)(f->different++ - k) * sizeof *f->value);
        f->value[k] = v;
    }
    return true;
}

static bool have_slots(few *f)
{
    enum { TRIES = 16 };
    for (uint64_t t = 0; t < TRIES; t++) {
        bool meet = false;
        f->factor = (2 * t + 1) * UINT64_C(0x9e3779b97f4a7c15);
        for (int i = 0; i < 1 << SLOT_BITS; i++)
            f->in_slot[i] = f->value[0];
        for (int k = 0; k < f->different; k++) {
            unsigned s = slot_of(f, f->value[k]);
            meet |= k > 0 && (f->in_slot[s] != f->value[0] || s == slot_of(f, f->value[0]));
            f->in_slot[s] = f->value[k];
            f->rank[s] = (uint8_t)k;
        }
        if (!meet)
            return true;
    }
    return false;
}

static void count_few(void *arg, int64_t part, int worker)
{
    enum { BLOCK = 4096 }; /* before it is known that there are others */
    few *f = arg;
    const uint64_t *u = f->m->image;
    int64_t from = f->m->n * part / f->m->parts, to = f->m->n * (part + 1) / f->m->parts, *place = f->place[part];
    (void)worker;
    for (uint64_t others = 0; from < to && !f->others[part]; f->others[part] = others != 0)
        for (int64_t end = to - from < BLOCK ? to : from + BLOCK; from < end; from++) {
            unsigned s = slot_of(f, u[from]);
            others |= f->in_slot[s] ^ u[from];
            place[f->rank[s]]++;
        }
}

static void move_few(void *arg, int64_t part, int worker)
{
    few *f = arg;
    const uint64_t *u = f->m->image;
    int64_t from = f->m->n * part / f->m->parts, to = f->m->n * (part + 1) / f->m->parts, *place = f->place[part];
    (void)worker;
    for (; from < to; from++)
        f->m->a[place[f->rank[slot_of(f, u[from])]]++] = (uint64_t)from;
}

/* The positions of all elements by their images alone, if there are few different ones: each goes to where those of its
 * value are. */
static __attribute__((noinline)) bool sort_few(const making *m, int threads)
{
    few f = {.m = m};
    if (!are_few(&f) || !have_slots(&f))
        return false;
    knx_parallel(threads, m->parts, count_few, &f);
    int64_t sum = 0;
    for (int p = 0; p < m->parts; p++)
        if (f.others[p])
            return false;
    for (int k = 0; k < f.different; k++)
        for (int p = 0; p < m->parts; p++) {
            int64_t here = f.place[p][k];
            f.place[p][k] = sum, sum += here;
        }
    knx_parallel(threads, m->parts, move_few, &f);
    return true;
}

/* --- runs ----------------------------------------------------------------------------------------- */

/* Runs of words that begin in a part. Those that are long wait until all threads have time for them. */
typedef struct refining {
    const ctx *c;
    uint64_t *const *array;
    int64_t n;
    int key, word, parts, threads;
    int64_t first[MOST_PARTS + 1]; /* of each part's runs: found before any word changes */
    bool is_long[MOST_PARTS];
} refining;

static uint64_t *sort_run(const ctx *c, uint64_t *const array[2], int64_t n, int key, int word, bool all, int threads);

static void refine_run(const refining *r, const ctx *c, int64_t first, int64_t n, int threads)
{
    uint64_t *a = r->array[0] + first;
    if (n <= COMPARED) {
        insert(c, a, n, r->key, r->word);
        return;
    }
    uint64_t *const array[] = {a, r->array[1] + first};
    const uint64_t *sorted = sort_run(c, array, n, r->key, r->word, false, threads);
    if (sorted != a)
        memcpy(a, sorted, (size_t)n * sizeof *a);
}

static void refine_part(void *arg, int64_t part, int worker)
{
    refining *r = arg;
    const uint64_t *a = r->array[0];
    int64_t to = r->first[part + 1];
    ctx own = *r->c;
    int bits = own.bits;
    own.place = (int64_t *)own.place + (int64_t)worker * KNR_DIGITS_LARGEST;
    for (int64_t i = r->first[part]; i < to;) {
        int64_t k = i + 1;
        while (k < to && a[k] >> bits == a[i] >> bits)
            k++;
        if (k - i > PART && r->threads > 1)
            r->is_long[part] = true;
        else if (k - i > 1)
            refine_run(r, &own, i, k - i, 1);
        i = k;
    }
}

static void refine(refining *r)
{
    const uint64_t *a = r->array[0];
    bool is_long = false;
    int bits = r->c->bits;
    for (int p = 1; p < r->parts; p++) {
        int64_t at = r->n * p / r->parts;
        at = at > r->first[p - 1] ? at : r->first[p - 1];
        while (at < r->n && a[at] >> bits == a[at - 1] >> bits)
            at++;
        r->first[p] = at;
    }
    r->first[r->parts] = r->n;
    knx_parallel(r->threads, r->parts, refine_part, r);
    for (int p = 0; p < r->parts; p++)
        is_long |= r->is_long[p];
    for (int64_t i = 0; is_long && i < r->n;) {
        int64_t k = i + 1;
        while (k < r->n && a[k] >> bits == a[i] >> bits)
            k++;
        if (k - i > PART)
            refine_run(r, r->c, i, k - i, r->threads);
        i = k;
    }
}

/* Where the n words of array[0] are when they are sorted by word `word` of key `key` and what is behind it; all: they
 * are those of the whole line, and not made yet. */
static uint64_t *sort_run(const ctx *c, uint64_t *const array[2], int64_t n, int key, int word, bool all, int threads)
{
    making m = {.c = c, .from = all ? NULL : array[0], .image = array[1], .a = array[0], .n = n};
    int64_t parts = n / PART < threads ? n / PART : threads;
    m.parts = parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int)parts;
    m.key = key, m.word = word;
    uint64_t least = UINT64_MAX, most = 0;
    bool rises = true;
    knx_parallel(threads, m.parts, make_images, &m);
    for (int p = 0; p < m.parts; p++) {
        int64_t from = n * p / m.parts;
        rises = rises && m.rises[p] && (!p || m.image[from - 1] <= m.image[from]);
        least = m.least[p] < least ? m.least[p] : least;
        most = m.most[p] > most ? m.most[p] : most;
    }
    int differ = 0, next_key = key, next = word;
    while (differ < 64 && (most - least) >> differ)
        differ++;
    m.least[0] = least; /* of all */
    m.shift = differ > 64 - c->bits ? differ - (64 - c->bits) : 0;
    bool last = !m.shift && !next_word(c, &next_key, &next);
    if (m.shift)
        next = word;
    if (all && last && !rises && n >= FEW_FROM && sort_few(&m, threads))
        return array[0];
    if (all || !rises || !last)
        knx_parallel(threads, m.parts, make_words, &m);
    uint64_t *a = array[0];
    if (!rises)
        a = knr_sort_words(array, n, c->bits, c->bits + (m.shift ? 64 - c->bits : differ), c->place, threads);
    if (last)
        return a;
    uint64_t *const now[] = {a, a == array[1] ? array[0] : array[1]};
    refining r = {.c = c, .array = now, .n = n, .key = next_key, .word = next, .parts = m.parts, .threads = threads};
    refine(&r);
    return a;
}

/* --- lines ---------------------------------------------------------------------------------------- */

static size_t places_of(int threads) { return knr_sort_keys_workspace(KN_DT(U64), 0, threads); }

size_t knr_order_workspace(int64_t n, int threads) { return places_of(threads) + 2 * (size_t)n * sizeof(uint64_t); }

const uint64_t *knr_order(const knr_keys *keys, int64_t n, void *workspace, int threads)
{
    uint64_t *a = (uint64_t *)((char *)workspace + places_of(threads));
    int bits = knr_position_bits(n);
    ctx c = {.keys = keys, .bits = bits, .mask = ((uint64_t)1 << bits) - 1, .place = workspace};
    return sort_run(&c, (uint64_t *const[]){a, a + n}, n, 0, 0, true, threads);
}

const uint64_t *knr_order_some(const knr_keys *keys, int64_t length, int64_t n, uint64_t *a, void *place)
{
    int bits = knr_position_bits(length);
    ctx c = {.keys = keys, .bits = bits, .mask = ((uint64_t)1 << bits) - 1, .place = place};
    return sort_run(&c, (uint64_t *const[]){a, a + n}, n, 0, 0, false, 1);
}

void knr_first_few(const knr_keys *keys, int64_t n, uint64_t *position, int64_t k)
{
    enum { BLOCK = 256, MOST = 16 };
    uint64_t u[BLOCK], best[MOST], turn = keys->falls ? UINT64_MAX : 0;
    const ctx c = {.keys = keys};
    int64_t have = 0;
    for (int64_t from = 0; from < n; from += BLOCK) {
        int64_t many = n - from < BLOCK ? n - from : BLOCK;
        images(keys->dtype[0], element(&c, 0, from), keys->step, 0, NULL, 0, many, u);
        for (int64_t i = 0; i < many; i++) {
            uint64_t v = u[i] ^ turn;
            // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): k is 1 to MOST
            if (have == k && v >= best[k - 1])
                continue;
            int64_t at = have < k ? have++ : k - 1;
            for (; at > 0 && best[at - 1] > v; at--)
                best[at] = best[at - 1], position[at] = position[at - 1];
            best[at] = v, position[at] = (uint64_t)(from + i);
        }
    }
}
