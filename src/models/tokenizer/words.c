/* SPDX-License-Identifier: Apache-2.0
 * words.c -- WordPiece, the longest known beginning of what is left; WordLevel, whole words; Unigram, the most
 * probable pieces. */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>

static void unknown(kntok_work *w, const kntok_piece *p, int32_t word)
{
    if (w->of->unk_id < 0)
        w->wrong = "the token for what is unknown is not in the vocabulary";
    else
        kntok_token_put(w, p, word, w->of->unk_id, 0, p->n);
}

void kntok_wordlevel(kntok_work *w, const kntok_piece *p, int32_t word)
{
    int32_t id = kntok_map_get(&w->of->vocab.map, kntok_bytes(w, p), p->n);
    if (id >= 0)
        kntok_token_put(w, p, word, id, 0, p->n);
    else
        unknown(w, p, word);
}

/* The longest token that begins at `from`, dressed with the prefix where it continues a word; -1: none. */
static int32_t longest(kntok_work *w, const uint8_t *s, uint32_t from, uint32_t n, uint32_t *end)
{
    const kntok_tokenizer *t = w->of;
    size_t before = from ? t->n_prefix : 0, most = t->vocab.map.longest;
    w->piece.n = 0;
    knbeside_put(&w->piece, t->prefix, before);
    uint32_t to = n;
    if (to - from + before > most) { /* no token is that long */
        to = from + (uint32_t)(most > before ? most - before : 0);
        while (to > from && (s[to] & 0xc0) == 0x80)
            to--;
    }
    knbeside_put(&w->piece, s + from, to - from);
    if (w->piece.failed) {
        w->failed = true;
        return -1;
    }
    while (to > from) {
        int32_t id = kntok_map_get(&t->vocab.map, w->piece.at, before + to - from);
        if (id >= 0) {
            *end = to;
            return id;
        }
        do
            to--;
        while (to > from && (s[to] & 0xc0) == 0x80);
    }
    return -1;
}

void kntok_wordpiece(kntok_work *w, const kntok_piece *p, int32_t word)
{
    const uint8_t *s = kntok_bytes(w, p);
    int64_t chars = 0;
    size_t before = w->out.n;
    uint32_t from = 0, end;
    for (uint32_t i = 0; i < p->n; i += (uint32_t)kntok_width(s[i]))
        chars++;
    if (chars > w->of->max_chars) {
        unknown(w, p, word);
        return;
    }
    while (from < p->n) {
        int32_t id = longest(w, s, from, p->n, &end);
        if (id < 0) {
            w->out.n = before;
            if (!w->failed)
                unknown(w, p, word);
            return;
        }
        kntok_token_put(w, p, word, id, from, end);
        from = end;
    }
}

/* ---- Unigram. */

static bool room(kntok_work *w, size_t n)
{
    size_t scores = w->score_room, bests = w->score_room, begins = w->score_room;
    if (n <= w->score_room)
        return true;
    if (!kntok_grow(&w->score, &scores, n, sizeof *w->score) || !kntok_grow(&w->best, &bests, n, sizeof *w->best) ||
        !kntok_grow(&w->begin, &begins, n, sizeof *w->begin)) {
        w->failed = true;
        return false;
    }
    w->score_room = scores;
    return true;
}

static double sum(const kntok_tokenizer *t, double a, double b)
{
    return t->single ? (double)((float)a + (float)b) : a + b;
}

static void better(kntok_work *w, uint32_t at, double score, uint32_t from, int32_t id)
{
    if (w->begin[at] != UINT32_MAX && !(score > w->score[at]))
        return;
    w->score[at] = score;
    w->begin[at] = from;
    w->best[at] = id;
}

/* All tokens that begin at `from`; whether one of them is the character itself. */
static bool tokens_at(kntok_work *w, const uint8_t *s, uint32_t n, uint32_t from, uint32_t width)
{
    const kntok_trie *t = &w->of->trie;
    bool single = false;
    uint32_t node = t->root[s[from]];
    for (uint32_t i = from; node; i++) {
        int32_t id = t->node[node].value;
        if (id >= 0) {
            better(w, i + 1, sum(w->of, w->of->score[id], w->score[from]), from, id);
            single |= i + 1 - from == width;
        }
        if (i + 1 >= n)
            break;
        for (node = t->node[node].first; node && t->node[node].byte != s[i + 1];)
            node = t->node[node].next;
    }
    return single;
}

static bool viterbi(kntok_work *w, const uint8_t *s, uint32_t n)
{
    const double unknown_score = w->of->least - 10;
    w->score[0] = 0;
    for (uint32_t i = 0; i <= n; i++)
        w->begin[i] = UINT32_MAX;
    for (uint32_t i = 0; i < n;) {
        uint32_t width = (uint32_t)kntok_width(s[i]);
        if (!tokens_at(w, s, n, i, width)) {
            uint32_t end = i + width;
            double score = sum(w->of, unknown_score, w->score[i]);
            if ((w->begin[end] == UINT32_MAX || score > w->score[end]) && w->of->unk_id < 0) {
                w->wrong = "it has what is unknown, and the vocabulary has no token for that";
                return false;
            }
            better(w, end, score, i, w->of->unk_id);
        }
        i += width;
    }
    return true;
}

/* A part of the best path as tokens: the text is looked up again, as the reference does it. */
static void part(kntok_work *w, const kntok_piece *p, int32_t word, uint32_t from, uint32_t to)
{
    const uint8_t *s = kntok_bytes(w, p);
    const kntok_tokenizer *t = w->of;
    int32_t id = kntok_map_get(&t->vocab.map, s + from, to - from);
    bool all = t->byte_fallback;
    for (uint32_t i = from; i < to && all && id < 0; i++)
        all = t->fallback[s[i]] >= 0;
    if (id < 0 && all) {
        for (uint32_t i = from; i < to; i++)
            kntok_token_put(w, p, word, t->fallback[kntok_bytes(w, p)[i]], from, to);
        return;
    }
    if (id < 0 && t->unk_id < 0)
        w->wrong = "it has what is unknown, and the vocabulary has no token for that";
    else
        kntok_token_put(w, p, word, id < 0 ? t->unk_id : id, from, to);
}

void kntok_unigram(kntok_work *w, const kntok_piece *p, int32_t word)
{
    const uint8_t *s = kntok_bytes(w, p);
    if (!p->n || !room(w, (size_t)p->n + 1) || !viterbi(w, s, p->n))
        return;
    uint32_t count = 0, end = p->n; /* the ends of parts, from behind, in w->best's place */
    while (end > 0) {
        uint32_t from = w->begin[end];
        bool unk = w->best[end] == w->of->unk_id && w->of->unk_id >= 0;
        while (unk && from > 0 && w->best[from] == w->of->unk_id) /* unknown ones together */
            from = w->begin[from];
        w->begin[end] = from;
        w->best[end] = (int32_t)count; /* no longer needed */
        count++;
        end = from;
    }
    if (!kntok_grow(&w->symbol, &w->symbol_room, count, sizeof *w->symbol)) {
        w->failed = true;
        return;
    }
    end = p->n;
    for (uint32_t i = count; i-- > 0; end = w->begin[end])
        w->symbol[i] = (kntok_symbol){.prev = (int32_t)w->begin[end], .next = (int32_t)end};
    for (uint32_t i = 0; i < count && !w->failed && !w->wrong; i++)
        part(w, p, word, (uint32_t)w->symbol[i].prev, (uint32_t)w->symbol[i].next);
}
