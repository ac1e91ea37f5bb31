/* SPDX-License-Identifier: Apache-2.0
 * decode.c -- from numbers back to text. */
#define _GNU_SOURCE /* memmem */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>

static void text_put(kntok_texts *to, const void *s, size_t n)
{
    if (to->failed || !kntok_grow(&to->of, &to->room, to->n + 1, sizeof *to->of)) {
        to->failed = true;
        return;
    }
    to->of[to->n].at = to->bytes.n;
    to->of[to->n++].n = n;
    knbeside_put(&to->bytes, s, n);
    to->failed |= to->bytes.failed;
}

static void texts_free(kntok_texts *t)
{
    free(t->of);
    knbeside_bytes_free(&t->bytes);
}

static const uint8_t *text_at(const kntok_texts *t, size_t i) { return t->bytes.at + t->of[i].at; }

static void put_lossy(knbeside_bytes *to, const uint8_t *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t good = kntok_valid(s + i, n - i);
        knbeside_put(to, s + i, good);
        i += good;
        size_t bad = kntok_broken(s + i, n - i);
        if (bad)
            knbeside_put(to, "\xef\xbf\xbd", 3);
        i += bad;
    }
}

/* ---- Replacing in one text. */

static void replace(knbeside_bytes *to, const uint8_t *s, size_t n, const char *what, size_t n_what, const char *with,
                    size_t n_with)
{
    size_t i = 0;
    to->n = 0;
    while (i < n) {
        const uint8_t *at = n_what ? memmem(s + i, n - i, what, n_what) : NULL;
        size_t end = at ? (size_t)(at - s) : n;
        knbeside_put(to, s + i, end - i);
        if (at)
            knbeside_put(to, with, n_with);
        i = at ? end + n_what : n;
    }
}

/* English punctuation closes up: from a to b and back; the result is in a. */
static void clean_up(knbeside_bytes *a, knbeside_bytes *b)
{
    static const char *const pairs[][2] = {{" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
                                           {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
                                           {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        replace(b, a->at, a->n, pairs[i][0], strlen(pairs[i][0]), pairs[i][1], strlen(pairs[i][1]));
        knbeside_bytes swapped = *a;
        *a = *b;
        *b = swapped;
    }
}

/* ---- Decoders, each from one list of texts to another. */

static void byte_level(const kntok_texts *in, kntok_texts *out)
{
    knbeside_bytes all = {0}, clean = {0};
    for (size_t i = 0; i < in->n; i++) {
        const uint8_t *s = text_at(in, i);
        size_t before = all.n;
        uint32_t c;
        for (size_t k = 0; k < in->of[i].n;) {
            k += (size_t)kntok_read(s + k, &c);
            int byte = kntok_char_byte(c);
            if (byte < 0) { /* not ByteLevel's: the text as it is */
                all.n = before;
                knbeside_put(&all, s, in->of[i].n);
                break;
            }
            knbeside_put(&all, &(uint8_t){(uint8_t)byte}, 1);
        }
    }
    put_lossy(&clean, all.at, all.n);
    text_put(out, clean.at, clean.n);
    out->failed |= all.failed || clean.failed;
    knbeside_bytes_free(&all);
    knbeside_bytes_free(&clean);
}

static int hex_of(uint8_t c) /* -1: it is no digit */
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int byte_of(const uint8_t *s, size_t n)
{
    if (n != 6 || memcmp(s, "<0x", 3) || s[5] != '>')
        return -1;
    int high = s[3] == '+' ? 0 : hex_of(s[3]), low = hex_of(s[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static void flush_bytes(knbeside_bytes *held, kntok_texts *out)
{
    bool good = kntok_valid(held->at, held->n) == held->n;
    if (held->n && good)
        text_put(out, held->at, held->n);
    for (size_t i = 0; i < held->n && !good; i++)
        text_put(out, "\xef\xbf\xbd", 3);
    held->n = 0;
}

static void byte_fallback(const kntok_texts *in, kntok_texts *out)
{
    knbeside_bytes held = {0};
    for (size_t i = 0; i < in->n; i++) {
        int byte = byte_of(text_at(in, i), in->of[i].n);
        if (byte >= 0) {
            knbeside_put(&held, &(uint8_t){(uint8_t)byte}, 1);
            continue;
        }
        flush_bytes(&held, out);
        text_put(out, text_at(in, i), in->of[i].n);
    }
    flush_bytes(&held, out);
    out->failed |= held.failed;
    knbeside_bytes_free(&held);
}

static void metaspace(const kntok_step *s, const kntok_texts *in, size_t i, kntok_texts *out, knbeside_bytes *a)
{
    const uint8_t *at = text_at(in, i);
    uint32_t c;
    a->n = 0;
    for (size_t k = 0; k < in->of[i].n;) {
        size_t width = (size_t)kntok_read(at + k, &c);
        if (c != s->character)
            knbeside_put(a, at + k, width);
        else if (i > 0 || s->scheme == KNTOK_NEVER)
            knbeside_puts(a, " ");
        k += width;
    }
    text_put(out, a->at, a->n);
}

static void strip(const kntok_step *s, const uint8_t *at, size_t n, kntok_texts *out)
{
    uint8_t mark[4];
    size_t width = (size_t)kntok_write(s->character, mark), from = 0;
    for (int64_t i = 0; i < s->i && n - from >= width && !memcmp(at + from, mark, width); i++)
        from += width;
    size_t end = n;
    for (int64_t i = 0; i < s->j && end >= from + width && !memcmp(at + end - width, mark, width); i++)
        end -= width;
    text_put(out, at + from, end - from);
}

static void wordpiece(const kntok_step *s, const uint8_t *at, size_t n, bool first, kntok_texts *out, knbeside_bytes *a,
                      knbeside_bytes *b)
{
    bool continues = n >= s->n && !memcmp(at, s->text, s->n);
    a->n = 0;
    if (!first && !continues)
        knbeside_puts(a, " ");
    if (!first && continues)
        knbeside_put(a, at + s->n, n - s->n);
    else
        knbeside_put(a, at, n);
    if (s->a)
        clean_up(a, b);
    text_put(out, a->at, a->n);
}

/* text: what is for padding, other: what stands between words; a: cleanup. */
static void ctc(const kntok_step *s, const kntok_texts *in, size_t i, kntok_texts *out, knbeside_bytes *a,
                knbeside_bytes *b)
{
    size_t n = in->of[i].n;
    if (i && in->of[i - 1].n == n && !memcmp(text_at(in, i - 1), text_at(in, i), n))
        return;
    replace(a, text_at(in, i), n, s->text, s->n, "", 0);
    if (s->a) {
        clean_up(a, b);
        replace(b, a->at, a->n, s->other, s->n_other, " ", 1);
    }
    const knbeside_bytes *made = s->a ? b : a;
    if (made->n)
        text_put(out, made->at, made->n);
}

static void by_pattern(kntok_work *w, const kntok_step *s, const uint8_t *at, size_t n, kntok_texts *out,
                       knbeside_bytes *a)
{
    a->n = 0;
    kntok_find(w, s->pattern, at, n, &w->matches);
    for (size_t i = 0; i < w->matches.n; i++) {
        kntok_match m = w->matches.at[i];
        if (m.is)
            knbeside_put(a, s->other, s->n_other);
        else
            knbeside_put(a, at + m.from, m.to - m.from);
    }
    out->failed |= w->matches.failed || w->failed;
    text_put(out, a->at, a->n);
}

static void decode_step(kntok_work *w, const kntok_step *s, const kntok_texts *in, kntok_texts *out)
{
    knbeside_bytes a = {0}, b = {0};
    if (s->kind == KNTOK_BYTE_LEVEL)
        byte_level(in, out);
    else if (s->kind == KNTOK_BYTE_FALLBACK)
        byte_fallback(in, out);
    else if (s->kind == KNTOK_FUSE)
        text_put(out, in->bytes.at, in->bytes.n);
    else
        for (size_t i = 0; i < in->n && !out->failed; i++) {
            const uint8_t *at = text_at(in, i);
            size_t n = in->of[i].n;
            switch (s->kind) {
            case KNTOK_METASPACE: metaspace(s, in, i, out, &a); break;
            case KNTOK_STRIP: strip(s, at, n, out); break;
            case KNTOK_WORDPIECE_DECODER: wordpiece(s, at, n, i == 0, out, &a, &b); break;
            case KNTOK_CTC: ctc(s, in, i, out, &a, &b); break;
            case KNTOK_BPE_DECODER:
                replace(&a, at, n, s->text, s->n, " ", i + 1 < in->n);
                text_put(out, a.at, a.n);
                break;
            default: by_pattern(w, s, at, n, out, &a); break;
            }
        }
    out->failed |= a.failed || b.failed;
    knbeside_bytes_free(&a);
    knbeside_bytes_free(&b);
}

static bool decode_steps(const kntok_tokenizer *t, kntok_texts *texts)
{
    kntok_work *w = kntok_work_take((kntok_tokenizer *)(uintptr_t)t);
    bool good = w != NULL;
    for (size_t i = 0; i < t->decoders.n && good; i++) {
        kntok_texts out = {0};
        decode_step(w, &t->decoders.at[i], texts, &out);
        texts_free(texts);
        *texts = out;
        good = !texts->failed;
    }
    if (w)
        kntok_work_give((kntok_tokenizer *)(uintptr_t)t, w);
    return good;
}

int kntok_decode(const char *op, const kntok_tokenizer *t, const int32_t *ids, size_t n, bool skip_special,
                 knbeside_bytes *out)
{
    kntok_texts texts = {0};
    for (size_t i = 0; i < n; i++) {
        size_t length;
        bool special;
        const char *text = kntok_text_of(t, ids[i], &length, &special);
        if (text && !(special && skip_special))
            text_put(&texts, text, length);
    }
    bool good = !texts.failed && decode_steps(t, &texts);
    if (good && t->tiktoken)
        put_lossy(out, texts.bytes.at, texts.bytes.n);
    for (size_t i = 0; i < texts.n && good && !t->tiktoken; i++) {
        if (i && !t->has_decoder)
            knbeside_puts(out, " ");
        knbeside_put(out, text_at(&texts, i), texts.of[i].n);
    }
    texts_free(&texts);
    return good && !out->failed ? 0 : knbeside_no_memory(op);
}
