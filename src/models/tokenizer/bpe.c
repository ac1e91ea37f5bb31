/* SPDX-License-Identifier: Apache-2.0
 * bpe.c -- byte-pair encoding: the pair with the lowest rank is merged, the leftmost of those, until none is left.
 * Short pieces are searched, long ones have a heap; what short pieces became is remembered. */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>

enum { SHORT = 40, KEY = 22, IDS = 8 };

static bool add(kntok_work *w, size_t *n, int32_t id, uint32_t bytes)
{
    if (!kntok_grow(&w->symbol, &w->symbol_room, *n + 1, sizeof *w->symbol)) {
        w->failed = true;
        return false;
    }
    w->symbol[(*n)++] = (kntok_symbol){.id = id, .n = bytes};
    return true;
}

/* ---- The symbols that a piece begins with. */

/* A character with what stands around it in the vocabulary: w->piece. */
static void dress(kntok_work *w, const uint8_t *s, uint32_t n, bool first, bool last)
{
    const kntok_tokenizer *t = w->of;
    w->piece.n = 0;
    if (!first && t->prefix)
        knbeside_put(&w->piece, t->prefix, t->n_prefix);
    knbeside_put(&w->piece, s, n);
    if (last && t->suffix)
        knbeside_put(&w->piece, t->suffix, t->n_suffix);
    w->failed |= w->piece.failed;
}

static bool fall_back(kntok_work *w, size_t *n)
{
    for (size_t i = 0; i < w->piece.n; i++)
        if (w->of->fallback[w->piece.at[i]] < 0)
            return false;
    for (size_t i = 0; i < w->piece.n; i++)
        add(w, n, w->of->fallback[w->piece.at[i]], 1);
    return true;
}

static size_t begin_chars(kntok_work *w, const kntok_piece *p)
{
    const kntok_tokenizer *t = w->of;
    size_t n = 0;
    uint32_t unknown = 0, width;
    for (uint32_t i = 0; i < p->n && !w->failed; i += width) {
        const uint8_t *s = kntok_bytes(w, p);
        width = (uint32_t)kntok_width(s[i]);
        dress(w, s + i, width, i == 0, i + width == p->n);
        int32_t id = kntok_map_get(&t->vocab.map, w->piece.at, w->piece.n);
        if (id >= 0) {
            if (unknown)
                add(w, &n, t->unk_id, unknown);
            unknown = 0;
            add(w, &n, id, width);
            continue;
        }
        if (t->byte_fallback &&
            fall_back(w, &n)) /* unknown ones before it stay in front of what comes, as in the reference */
            continue;
        if (!t->unk)
            continue;
        if (t->unk_id < 0) {
            w->wrong = "the token for what is unknown is not in the vocabulary";
            return 0;
        }
        if (unknown && !t->fuse_unk) {
            add(w, &n, t->unk_id, unknown);
            unknown = 0;
        }
        unknown += width;
    }
    if (unknown)
        add(w, &n, t->unk_id, unknown);
    return n;
}

static size_t begin_bytes(kntok_work *w, const kntok_piece *p)
{
    const uint8_t *s = kntok_bytes(w, p);
    if (!kntok_grow(&w->symbol, &w->symbol_room, p->n, sizeof *w->symbol)) {
        w->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < p->n; i++)
        w->symbol[i] = (kntok_symbol){.id = w->of->byte_id[s[i]], .n = 1};
    return p->n;
}

/* ---- Merging. */

static inline void look(const kntok_tokenizer *t, kntok_symbol *a, const kntok_symbol *b)
{
    const kntok_pair *pair = kntok_pairs_get(&t->merges, a->id, b->id);
    a->rank = pair ? pair->rank : UINT32_MAX;
    a->to = pair ? pair->to : -1;
}

static size_t merge_short(const kntok_tokenizer *t, kntok_symbol *s, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        look(t, &s[i], &s[i + 1]);
    while (n > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < n; i++)
            if (s[i].rank < s[best].rank)
                best = i;
        if (s[best].rank == UINT32_MAX)
            break;
        s[best].id = s[best].to;
        s[best].n += s[best + 1].n;
        memmove(s + best + 1, s + best + 2, (n - best - 2) * sizeof *s);
        n--;
        if (best + 1 < n)
            look(t, &s[best], &s[best + 1]);
        if (best > 0)
            look(t, &s[best - 1], &s[best]);
    }
    return n;
}

static void push(kntok_work *w, uint64_t key)
{
    if (!kntok_grow(&w->heap, &w->heap_room, w->n_heap + 1, sizeof *w->heap)) {
        w->failed = true;
        return;
    }
    size_t i = w->n_heap++;
    for (; i > 0 && w->heap[(i - 1) / 2] > key; i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = key;
}

static uint64_t pop(kntok_work *w)
{
    uint64_t top = w->heap[0], last = w->heap[--w->n_heap];
    size_t i = 0;
    for (;;) {
        size_t k = 2 * i + 1;
        if (k >= w->n_heap)
            break;
        if (k + 1 < w->n_heap && w->heap[k + 1] < w->heap[k])
            k++;
        if (w->heap[k] >= last)
            break;
        w->heap[i] = w->heap[k];
        i = k;
    }
    w->heap[i] = last;
    return top;
}

/* Looks at the pair that begins at i and remembers it. */
static void offer(kntok_work *w, int32_t i)
{
    kntok_symbol *a = &w->symbol[i];
    a->rank = UINT32_MAX;
    if (a->next >= 0)
        look(w->of, a, &w->symbol[a->next]);
    if (a->rank != UINT32_MAX)
        push(w, (uint64_t)a->rank << 32 | (uint32_t)i);
}

static size_t merge_long(kntok_work *w, size_t n)
{
    kntok_symbol *s = w->symbol;
    w->n_heap = 0;
    for (size_t i = 0; i < n; i++) {
        s[i].prev = (int32_t)i - 1;
        s[i].next = i + 1 < n ? (int32_t)i + 1 : -1;
    }
    for (size_t i = 0; i < n; i++)
        offer(w, (int32_t)i);
    while (w->n_heap && !w->failed) {
        uint64_t top = pop(w);
        int32_t i = (int32_t)(uint32_t)top;
        if (!s[i].n || s[i].rank != top >> 32 || s[i].next < 0)
            continue; /* it was merged since, or its neighbour was */
        kntok_symbol *right = &s[s[i].next];
        s[i].id = s[i].to;
        s[i].n += right->n;
        right->n = 0;
        s[i].next = right->next;
        if (right->next >= 0)
            s[right->next].prev = i;
        offer(w, i);
        if (s[i].prev >= 0)
            offer(w, s[i].prev);
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (s[i].n)
            s[kept++] = s[i];
    return kept;
}

/* ---- What pieces became. */

static kntok_cached *cached(kntok_work *w, const uint8_t *s, uint32_t n)
{
    if (n > KEY)
        return NULL;
    if (!w->cache)
        w->cache = calloc(KNTOK_CACHE, sizeof *w->cache);
    return w->cache ? &w->cache[kntok_hash(s, n) % KNTOK_CACHE] : NULL;
}

static void remember(kntok_cached *c, const uint8_t *key, uint32_t n, const kntok_symbol *s, size_t count)
{
    if (!c || count > IDS)
        return;
    c->n = (uint8_t)n;
    c->count = (uint8_t)count;
    memcpy(c->key, key, n);
    for (size_t i = 0; i < count; i++) {
        if (s[i].n > 255) {
            c->n = 0;
            return;
        }
        c->id[i] = s[i].id;
        c->length[i] = (uint8_t)s[i].n;
    }
}

static bool whole(kntok_work *w, const kntok_piece *p, int32_t word)
{
    const kntok_tokenizer *t = w->of;
    const uint8_t *s = kntok_bytes(w, p);
    int32_t id = kntok_map_get(t->bytes && !t->tiktoken ? &t->raw : &t->vocab.map, s, p->n);
    if (id >= 0)
        kntok_token_put(w, p, word, id, 0, p->n);
    return id >= 0;
}

void kntok_bpe(kntok_work *w, const kntok_piece *p, int32_t word)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t from = 0;
    kntok_cached *c = cached(w, s, p->n);
    if (c && c->n == p->n && !memcmp(c->key, s, p->n)) {
        for (int i = 0; i < c->count; i++) {
            kntok_token_put(w, p, word, c->id[i], from, from + c->length[i]);
            from += c->length[i];
        }
        return;
    }
    if (w->of->whole_first && whole(w, p, word)) {
        if (w->failed) /* no token was put */
            return;
        const kntok_symbol one = {.id = w->out.at[w->out.n - 1].id, .n = p->n};
        remember(c, s, p->n, &one, 1);
        return;
    }
    size_t n = w->of->bytes ? begin_bytes(w, p) : begin_chars(w, p);
    if (w->failed || w->wrong)
        return;
    n = n <= SHORT ? merge_short(w->of, w->symbol, n) : merge_long(w, n);
    for (size_t i = 0; i < n; i++) {
        kntok_token_put(w, p, word, w->symbol[i].id, from, from + w->symbol[i].n);
        from += w->symbol[i].n;
    }
    remember(c, s, p->n, w->symbol, n);
}
