/* SPDX-License-Identifier: Apache-2.0
 * read_sentencepiece.c -- sentencepiece's models: messages of protobuf with the pieces, their scores, and how texts
 * are normalized. */
#include "models/tokenizer/read_json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNIGRAM = 1, BPE = 2 };
enum { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE };

typedef struct bytes {
    const uint8_t *at;
    size_t n;
} bytes;
typedef struct piece {
    bytes text;
    float score;
    uint64_t type;
} piece;
typedef struct model {
    const char *op;
    piece *piece;
    size_t n, room;
    uint64_t type; /* of the model */
    bool byte_fallback, dummy_prefix, squeeze;
    bytes charsmap;
} model;

/* ---- The fields of a message. */

typedef struct field {
    uint64_t number, value;
    bytes inner;
    float real;
} field;

static int damaged(const char *op) { return knbeside_fail(op, KN_ERROR_VALUE, "the sentencepiece model is damaged"); }

static bool varint(bytes *b, uint64_t *v)
{
    *v = 0;
    for (int shift = 0; shift < 64 && b->n; shift += 7) {
        uint8_t byte = *b->at++;
        b->n--;
        *v |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return true;
    }
    return false;
}

static bool skip(bytes *b, size_t n, bytes *taken)
{
    if (n > b->n)
        return false;
    *taken = (bytes){b->at, n};
    b->at += n;
    b->n -= n;
    return true;
}

/* The next field: 1; 0 at the end; -1 for a damaged one. */
static int next_field(bytes *b, field *f)
{
    uint64_t key;
    *f = (field){0};
    if (!b->n)
        return 0;
    if (!varint(b, &key))
        return -1;
    f->number = key >> 3;
    switch (key & 7) {
    case 0: return varint(b, &f->value) ? 1 : -1;
    case 1: return skip(b, 8, &f->inner) ? 1 : -1;
    case 2: return varint(b, &f->value) && f->value <= b->n && skip(b, (size_t)f->value, &f->inner) ? 1 : -1;
    case 5:
        if (!skip(b, 4, &f->inner))
            return -1;
        f->value = (uint64_t)f->inner.at[0] | (uint64_t)f->inner.at[1] << 8 | (uint64_t)f->inner.at[2] << 16 |
                   (uint64_t)f->inner.at[3] << 24;
        memcpy(&f->real, &(uint32_t){(uint32_t)f->value}, 4);
        return 1;
    default: return -1;
    }
}

static int read_piece(model *m, bytes b)
{
    field f;
    int more;
    piece p = {.type = NORMAL};
    while ((more = next_field(&b, &f)) > 0) {
        if (f.number == 1)
            p.text = f.inner;
        else if (f.number == 2)
            p.score = f.real;
        else if (f.number == 3)
            p.type = f.value;
    }
    if (more < 0 || !p.text.n || !isfinite(p.score) || kntok_valid(p.text.at, p.text.n) != p.text.n ||
        m->n >= INT32_MAX - 1)
        return damaged(m->op);
    if (!kntok_grow(&m->piece, &m->room, m->n + 1, sizeof *m->piece))
        return knbeside_no_memory(m->op);
    m->piece[m->n++] = p;
    return 0;
}

static int read_settings(model *m, bytes b, bool of_trainer)
{
    field f;
    int more;
    while ((more = next_field(&b, &f)) > 0) {
        if (of_trainer && f.number == 3)
            m->type = f.value;
        else if (of_trainer && f.number == 35)
            m->byte_fallback = f.value;
        else if (!of_trainer && f.number == 2)
            m->charsmap = f.inner;
        else if (!of_trainer && f.number == 3)
            m->dummy_prefix = f.value;
        else if (!of_trainer && f.number == 4)
            m->squeeze = f.value;
    }
    return more < 0 ? damaged(m->op) : 0;
}

static int read_fields(model *m, bytes b)
{
    field f;
    int more, status = 0;
    while (!status && (more = next_field(&b, &f)) != 0) {
        if (more < 0)
            return damaged(m->op);
        if (f.number == 1)
            status = read_piece(m, f.inner);
        else if (f.number == 2 || f.number == 3)
            status = read_settings(m, f.inner, f.number == 2);
    }
    return status || m->n ? status : damaged(m->op);
}

/* ---- The tokenizer that they describe. */

static int put_text(const char *op, char **to, size_t *n, const char *text)
{
    *to = knbeside_copy_text(text);
    *n = strlen(text);
    return *to ? 0 : knbeside_no_memory(op);
}

static int put_replace(const char *op, kntok_steps *to, const char *pattern, bool regex, const char *with)
{
    kntok_step *s = kntok_new_step(op, to, KNTOK_REPLACE);
    if (!s || put_text(op, &s->other, &s->n_other, with))
        return -1;
    s->pattern =
        regex ? kntok_pattern_new(op, pattern, strlen(pattern)) : kntok_literal_new(op, pattern, strlen(pattern));
    return s->pattern ? 0 : -1;
}

static int put_normalizers(kntok_tokenizer *t, const model *m)
{
    const kntok_reader r = {m->op, "the sentencepiece model"};
    kntok_step *s;
    if (m->charsmap.n) {
        const knbeside_bytes b = {.at = (uint8_t *)(uintptr_t)m->charsmap.at, .n = m->charsmap.n};
        s = kntok_new_step(m->op, &t->normalizers, KNTOK_PRECOMPILED);
        if (!s || kntok_put_charsmap(&r, s, &b))
            return -1;
        s->a = true;
    }
    if (m->squeeze) {
        s = kntok_new_step(m->op, &t->normalizers, KNTOK_STRIP);
        if (!s)
            return -1;
        s->a = s->b = s->c = true;
        if (put_replace(m->op, &t->normalizers, " {2,}", true, " "))
            return -1;
    }
    if (m->dummy_prefix) {
        s = kntok_new_step(m->op, &t->normalizers, KNTOK_PREPEND);
        if (!s || put_text(m->op, &s->text, &s->n, "\u2581"))
            return -1;
    }
    return put_replace(m->op, &t->normalizers, " ", false, "\u2581");
}

static int put_decoders(kntok_tokenizer *t, const model *m)
{
    t->has_decoder = true;
    if (put_replace(m->op, &t->decoders, "\u2581", false, " ") ||
        !kntok_new_step(m->op, &t->decoders, KNTOK_BYTE_FALLBACK) || !kntok_new_step(m->op, &t->decoders, KNTOK_FUSE))
        return -1;
    kntok_step *s = m->dummy_prefix ? kntok_new_step(m->op, &t->decoders, KNTOK_STRIP) : NULL;
    if (s) {
        s->character = ' ';
        s->i = 1;
    }
    return s || !m->dummy_prefix ? 0 : -1;
}

static int by_score(const void *a, const void *b)
{
    const piece *x = *(const piece *const *)a, *y = *(const piece *const *)b;
    return x->score > y->score ? -1 : x->score < y->score;
}

/* Merges by scores: the best first, equal ones together. */
static int put_merges(kntok_tokenizer *t, const model *m)
{
    uint32_t *rank = knbeside_alloc(m->n, sizeof *rank);
    const piece **order = knbeside_alloc(m->n, sizeof *order);
    int status = rank && order ? 0 : knbeside_no_memory(m->op);
    for (size_t i = 0; i < m->n && !status; i++)
        order[i] = &m->piece[i];
    if (!status)
        qsort(order, m->n, sizeof *order, by_score);
    for (size_t i = 0, first = 0; i < m->n && !status; i++) {
        if (order[i]->score < order[first]->score)
            first = i;
        rank[order[i] - m->piece] = (uint32_t)first;
    }
    if (!status)
        status = kntok_all_merges(m->op, t, rank);
    free(rank);
    free(order);
    return status;
}

static int put_vocab(kntok_tokenizer *t, const model *m)
{
    t->score = knbeside_alloc(m->n, sizeof *t->score);
    if (!t->score)
        return knbeside_no_memory(m->op);
    t->least = INFINITY;
    for (size_t i = 0; i < m->n; i++) {
        const piece *p = &m->piece[i];
        t->score[i] = (double)p->score;
        if (p->type == NORMAL && t->score[i] < t->least)
            t->least = t->score[i];
        if (p->type == UNKNOWN)
            t->unk_id = (int32_t)i;
        if (!kntok_map_set(&t->vocab.map, p->text.at, p->text.n, (int32_t)i))
            return knbeside_no_memory(m->op);
    }
    for (size_t i = m->n; i-- > 0 && m->type == UNIGRAM;) /* what a text may be cut into */
        if ((m->piece[i].type == NORMAL || m->piece[i].type == USER_DEFINED) &&
            !kntok_trie_put(&t->trie, (const char *)m->piece[i].text.at, m->piece[i].text.n, (int32_t)i))
            return knbeside_no_memory(m->op);
    return kntok_vocab_finish(m->op, &t->vocab);
}

/* Tokens that stand for no text, which are not looked for in it; and the user's own, which are. */
static int put_added(kntok_tokenizer *t, const model *m)
{
    size_t n = 0;
    kntok_added *added = knbeside_alloc(m->n, sizeof *added);
    if (!added)
        return knbeside_no_memory(m->op);
    for (size_t i = 0; i < m->n; i++) {
        const piece *p = &m->piece[i];
        kntok_added a = {.text = (char *)(uintptr_t)p->text.at, .n = p->text.n, .id = (int32_t)i};
        a.special = a.hidden = p->type == CONTROL || p->type == UNKNOWN;
        a.normalized = a.as_is = !a.special;
        if (a.special || p->type == USER_DEFINED)
            added[n++] = a;
    }
    int status = kntok_add(m->op, t, added, n);
    free(added);
    return status;
}

static int build(kntok_tokenizer *t, const model *m)
{
    if (m->type != UNIGRAM && m->type != BPE)
        return knbeside_fail(m->op, KN_ERROR_NOT_IMPLEMENTED,
                             "sentencepiece models of words and characters are not supported");
    t->model = m->type == BPE ? KNTOK_BPE : KNTOK_UNIGRAM;
    t->byte_fallback = m->byte_fallback;
    t->fuse_unk = t->single = true;
    if (put_vocab(t, m) || (m->type == BPE && put_merges(t, m)) || put_normalizers(t, m) || put_decoders(t, m))
        return -1;
    if (t->unk_id >= 0 && m->type == BPE) {
        const bytes unk = m->piece[t->unk_id].text;
        t->unk = malloc(unk.n + 1);
        if (!t->unk)
            return knbeside_no_memory(m->op);
        memcpy(t->unk, unk.at, unk.n);
        t->unk[unk.n] = '\0';
        t->n_unk = unk.n;
    }
    return kntok_finish(m->op, t) || put_added(t, m) ? -1 : 0;
}

int kntok_read_sentencepiece(const char *op, kntok_tokenizer *t, const uint8_t *at, size_t n)
{
    model m = {.op = op, .type = UNIGRAM, .dummy_prefix = true, .squeeze = true};
    int status = read_fields(&m, (bytes){at, n});
    if (!status)
        status = build(t, &m);
    free(m.piece);
    return status;
}
