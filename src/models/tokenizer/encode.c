/* SPDX-License-Identifier: Apache-2.0
 * encode.c -- from a text to its tokens. */
#include "models/tokenizer/tokenizer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* ---- What a thread works with. */

kntok_work *kntok_work_take(kntok_tokenizer *t)
{
    pthread_mutex_lock(&t->lock);
    kntok_work *w = t->free;
    if (w)
        t->free = w->next;
    pthread_mutex_unlock(&t->lock);
    if (!w)
        w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->of = t;
    w->failed = w->chars.failed = w->scratch.failed = w->matches.failed = w->runs.failed = false;
    w->pieces.failed = w->others.failed = w->piece.failed = w->mended.failed = false;
    w->wrong = NULL;
    w->n_pool = w->pieces.n = w->others.n = 0;
    return w;
}

void kntok_work_give(kntok_tokenizer *t, kntok_work *w)
{
    pthread_mutex_lock(&t->lock);
    w->next = t->free;
    t->free = w;
    pthread_mutex_unlock(&t->lock);
}

void kntok_work_free(kntok_work *w)
{
    knbeside_bytes_free(&w->mended);
    knbeside_bytes_free(&w->piece);
    free(w->pool);
    free(w->origin);
    free(w->pieces.at);
    free(w->others.at);
    free(w->chars.at);
    free(w->scratch.at);
    free(w->matches.at);
    free(w->runs.at);
    kntok_encoding_free(&w->out);
    free(w->symbol);
    free(w->heap);
    free(w->score);
    free(w->best);
    free(w->begin);
    free(w->cache);
    free(w->char_at);
    free(w->byte_at);
    pcre2_match_data_free(w->match_data);
    free(w);
}

/* ---- Tokens. */

bool kntok_encoding_put(kntok_encoding *e, const kntok_token *t)
{
    if (!kntok_grow(&e->at, &e->room, e->n + 1, sizeof *e->at))
        return false;
    e->at[e->n++] = *t;
    return true;
}

void kntok_encoding_free(kntok_encoding *e)
{
    for (size_t i = 0; i < e->n_overflow; i++)
        kntok_encoding_free(&e->overflow[i]);
    free(e->overflow);
    free(e->at);
    *e = (kntok_encoding){0};
}

/* How many blanks a text begins and ends with, ByteLevel's among them. */
static void count_blanks(const uint8_t *s, size_t n, uint16_t *lead, uint16_t *trail)
{
    uint32_t c, ahead = 0, behind = 0;
    bool only = true;
    for (size_t i = 0; i < n;) {
        i += (size_t)kntok_read(s + i, &c);
        bool blank = c == 0x120 || kntok_is_space(c);
        only = only && blank;
        ahead += only;
        behind = blank ? behind + 1 : 0;
    }
    *lead = (uint16_t)(ahead < UINT16_MAX ? ahead : UINT16_MAX);
    *trail = (uint16_t)(behind < UINT16_MAX ? behind : UINT16_MAX);
}

void kntok_token_put(kntok_work *w, const kntok_piece *p, int32_t word, int32_t id, uint32_t from, uint32_t to)
{
    kntok_token t = {.id = id, .word = word, .mask = 1};
    kntok_origin(w, p, from, to, &t.from, &t.to);
    if (w->of->trims) {
        size_t n;
        const char *text = kntok_vocab_text(&w->of->vocab, id, &n);
        if (w->of->model == KNTOK_UNIGRAM || p->id >= 0 || !text) /* what stands in the text */
            count_blanks(kntok_bytes(w, p) + from, to - from, &t.lead, &t.trail);
        else
            count_blanks((const uint8_t *)text, n, &t.lead, &t.trail);
    }
    if (!kntok_encoding_put(&w->out, &t))
        w->failed = true;
}

/* The text, or the text with U+FFFD for what is not UTF-8. */
static void take_text(kntok_work *w, const char *text, size_t n)
{
    const uint8_t *s = (const uint8_t *)text;
    size_t good = kntok_valid(s, n);
    w->text = s;
    w->n = n;
    w->mended.n = 0;
    if (good == n)
        return;
    for (size_t i = 0; i < n; i += good) {
        good = kntok_valid(s + i, n - i);
        knbeside_put(&w->mended, s + i, good);
        i += good;
        good = kntok_broken(s + i, n - i);
        if (good)
            knbeside_put(&w->mended, "\xef\xbf\xbd", 3);
    }
    w->failed |= w->mended.failed;
    w->text = w->mended.at;
    w->n = w->mended.n;
}

static void swap(kntok_work *w)
{
    kntok_pieces p = w->pieces;
    w->failed |= w->others.failed;
    w->pieces = w->others;
    w->others = p;
    w->others.n = 0;
}

/* Pieces of the text: added tokens, and what the normalizers and pre-tokenizers make of the rest. */
static void make_pieces(kntok_work *w)
{
    const kntok_tokenizer *t = w->of;
    const kntok_piece all = {.n = (uint32_t)w->n, .to = (uint32_t)w->n, .id = -1};
    w->pieces.n = w->others.n = 0;
    w->n_pool = 0;
    kntok_cut_added(w, &t->added_trie[0], &all);
    swap(w);
    if (t->normalizers.n || t->added_trie[1].n) {
        for (size_t i = 0; i < w->pieces.n && !w->failed; i++) {
            kntok_piece p = w->pieces.at[i];
            if (p.id >= 0) {
                kntok_piece_put(&w->others, p);
                continue;
            }
            kntok_normalize(w, &t->normalizers, &p);
            if (p.n && !w->failed)
                kntok_cut_added(w, &t->added_trie[1], &p);
        }
        swap(w);
    }
    if (!w->failed && !w->wrong)
        kntok_pretokenize(w, &t->pretokenizers);
}

static void tokens_of(kntok_work *w, const kntok_piece *p, int32_t word)
{
    if (p->id >= 0)
        kntok_token_put(w, p, word, p->id, 0, p->n);
    else if (w->of->model == KNTOK_BPE)
        kntok_bpe(w, p, word);
    else if (w->of->model == KNTOK_WORDPIECE)
        kntok_wordpiece(w, p, word);
    else if (w->of->model == KNTOK_WORDLEVEL)
        kntok_wordlevel(w, p, word);
    else
        kntok_unigram(w, p, word);
}

bool kntok_say(kntok_message *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->text, sizeof m->text, format, args);
    va_end(args);
    return false;
}

/* The text is given as it is; what it says of itself ends within a character at most. */
static bool wrong_text(kntok_message *m, const kntok_work *w)
{
    size_t n = w->n < 40 ? w->n : 40;
    while (n > 0 && n < w->n && (w->text[n] & 0xc0) == 0x80)
        n--;
    return kntok_say(m, "the text \"%.*s\"%s: %s", (int)n, (const char *)w->text, n < w->n ? "..." : "", w->wrong);
}

bool kntok_encode_text(kntok_work *w, const char *text, size_t n, int type, kntok_message *message)
{
    w->out.n = 0;
    w->failed = false;
    w->wrong = NULL;
    if (n > UINT32_MAX / 8)
        return kntok_say(message, "a text of %zu bytes is too long", n);
    take_text(w, text, n);
    if (!w->failed)
        make_pieces(w);
    for (size_t i = 0; i < w->pieces.n && !w->failed && !w->wrong; i++)
        tokens_of(w, &w->pieces.at[i], (int32_t)i);
    for (size_t i = 0; i < w->out.n; i++) {
        w->out.at[i].type = type;
        w->out.at[i].sequence = (int8_t)type;
    }
    return !w->failed && (!w->wrong || wrong_text(message, w));
}

/* ---- Offsets. */

/* Numbers of characters by bytes of w->text, and of bytes of what was given by characters. */
static bool count_characters(kntok_work *w, const char *text, size_t n, size_t *count)
{
    const uint8_t *s = (const uint8_t *)text;
    size_t chars = 0, given = 0;
    if (!kntok_grow(&w->char_at, &w->char_room, w->n + 1, sizeof *w->char_at) ||
        !kntok_grow(&w->byte_at, &w->byte_room, w->n + 1, sizeof *w->byte_at))
        return false;
    for (size_t i = 0; i < w->n; chars++) {
        size_t width = (size_t)kntok_width(w->text[i]);
        size_t bad = kntok_broken(s + given, n - given < 4 ? n - given : 4);
        for (size_t k = 0; k < width; k++)
            w->char_at[i + k] = (uint32_t)chars;
        w->byte_at[chars] = (uint32_t)given;
        given += bad ? bad : width;
        i += width;
    }
    w->char_at[w->n] = (uint32_t)chars;
    w->byte_at[chars] = (uint32_t)n;
    *count = chars;
    return true;
}

static bool ascii(const uint8_t *s, size_t n)
{
    uint8_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= s[i];
    return all < 0x80;
}

void kntok_to_characters(kntok_work *w, const char *text, size_t n, bool bytes)
{
    (void)bytes;
    w->plain_offsets = ascii(w->text, w->n);
    if (w->plain_offsets)
        return;
    if (!count_characters(w, text, n, &w->characters)) {
        w->failed = true;
        return;
    }
    for (size_t i = 0; i < w->out.n; i++) {
        kntok_token *t = &w->out.at[i];
        t->from = w->char_at[t->from < w->n ? t->from : w->n];
        t->to = w->char_at[t->to < w->n ? t->to : w->n];
    }
}
