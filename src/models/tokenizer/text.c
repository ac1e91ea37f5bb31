/* SPDX-License-Identifier: Apache-2.0
 * text.c -- pieces of a text whose bytes know the part of the text that they came from. A piece of the text itself
 * needs no memory for that: each byte stands for its character. */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>

static void origin_of(const kntok_work *w, const kntok_piece *p, uint32_t i, uint32_t *from, uint32_t *to)
{
    if (p->made) {
        *from = w->origin[p->at + i].from;
        *to = w->origin[p->at + i].to;
        return;
    }
    uint32_t at = p->at + i;
    while ((w->text[at] & 0xc0) == 0x80 && at > 0)
        at--;
    *from = at;
    *to = at + (uint32_t)kntok_width(w->text[at]);
}

void kntok_origin(const kntok_work *w, const kntok_piece *p, uint32_t from, uint32_t to, uint32_t *begin, uint32_t *end)
{
    uint32_t unused;
    if (to > p->n || from >= to) { /* nothing: as it stands */
        *begin = from + (from >= to && to <= p->n ? p->from : 0);
        *end = to + (from >= to && to <= p->n ? p->from : 0);
        return;
    }
    origin_of(w, p, from, begin, &unused);
    origin_of(w, p, to - 1, &unused, end);
}

kntok_piece kntok_slice(const kntok_work *w, const kntok_piece *p, uint32_t from, uint32_t to)
{
    kntok_piece part = *p;
    part.at = p->at + from;
    part.n = to - from;
    if (part.n)
        kntok_origin(w, p, from, to, &part.from, &part.to);
    return part;
}

void kntok_piece_put(kntok_pieces *to, kntok_piece p)
{
    if (to->failed || !kntok_grow(&to->at, &to->room, to->n + 1, sizeof *to->at)) {
        to->failed = true;
        return;
    }
    to->at[to->n++] = p;
}

void kntok_match_put_slow(kntok_matches *to, uint32_t from, uint32_t end, bool is)
{
    if (to->failed || !kntok_grow(&to->at, &to->room, to->n + 1, sizeof *to->at)) {
        to->failed = true;
        return;
    }
    to->at[to->n++] = (kntok_match){from, end, is};
}

/* ---- Transformations. */

static bool pool_room(kntok_work *w, size_t more)
{
    size_t room = w->pool_room, origins = w->pool_room;
    if (more > UINT32_MAX / 2 || w->n_pool + more > UINT32_MAX / 2) {
        w->failed = true;
        return false;
    }
    if (w->n_pool + more <= room)
        return true;
    if (!kntok_grow(&w->pool, &room, w->n_pool + more, 1) ||
        !kntok_grow(&w->origin, &origins, w->n_pool + more, sizeof *w->origin)) {
        w->failed = true;
        return false;
    }
    w->pool_room = room < origins ? room : origins;
    return true;
}

static void pool_put(kntok_work *w, const uint8_t *bytes, size_t n, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < n; i++, w->n_pool++) {
        w->pool[w->n_pool] = bytes[i];
        w->origin[w->n_pool].from = from;
        w->origin[w->n_pool].to = to;
    }
}

/* Bytes from..to of a piece as they are. */
static void pool_copy(kntok_work *w, const kntok_piece *p, uint32_t from, uint32_t to)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t begin, end;
    if (p->made) {
        memmove(w->pool + w->n_pool, s + from, to - from);
        memmove(w->origin + w->n_pool, w->origin + p->at + from, (to - from) * sizeof *w->origin);
        w->n_pool += to - from;
        return;
    }
    for (uint32_t i = from; i < to; i += end - begin) {
        begin = p->at + i;
        end = begin + (uint32_t)kntok_width(s[i]);
        pool_put(w, s + i, end - begin, begin, end);
    }
}

static void pool_piece(const kntok_work *w, kntok_piece *p, size_t begin)
{
    p->at = (uint32_t)begin;
    p->n = (uint32_t)(w->n_pool - begin);
    p->made = true;
}

static uint32_t skip_chars(const uint8_t *s, uint32_t n, uint32_t at, size_t chars)
{
    for (; chars && at < n; chars--)
        at += (uint32_t)kntok_width(s[at]);
    return at;
}

void kntok_transform(kntok_work *w, kntok_piece *p, size_t skipped)
{
    if (w->chars.failed)
        w->failed = true;
    if (w->failed || !pool_room(w, w->chars.n * 4))
        return;
    size_t begin = w->n_pool;
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t at = skip_chars(s, p->n, 0, skipped);
    for (size_t i = 0; i < w->chars.n; i++) {
        kntok_char c = w->chars.at[i];
        uint32_t from = p->from, to = p->from, looked = c.change > 0 ? at - 1 : at;
        uint8_t bytes[4];
        if (c.change <= 0 || at > 0)
            origin_of(w, p, looked < p->n ? looked : p->n - 1, &from, &to);
        if (c.change <= 0)
            at = skip_chars(s, p->n, at, 1 + (size_t)-c.change);
        pool_put(w, bytes, (size_t)kntok_write(c.c, bytes), from, to);
    }
    pool_piece(w, p, begin);
}

void kntok_prepend(kntok_work *w, kntok_piece *p, const char *text, size_t n)
{
    uint32_t from, to;
    if (!p->n || !n || !pool_room(w, n + p->n))
        return;
    size_t begin = w->n_pool;
    origin_of(w, p, 0, &from, &to);
    pool_put(w, (const uint8_t *)text, n, from, to);
    pool_copy(w, p, 0, p->n);
    pool_piece(w, p, begin);
}

void kntok_replace(kntok_work *w, kntok_piece *p, const char *text, size_t n)
{
    size_t count = 0, begin = w->n_pool;
    uint32_t last = 0;
    for (size_t i = 0; i < w->matches.n; i++)
        count += w->matches.at[i].is;
    if (!count)
        return;
    if (n && count > UINT32_MAX / n) {
        w->failed = true;
        return;
    }
    if (!pool_room(w, p->n + count * n))
        return;
    for (size_t i = 0; i < w->matches.n; i++) {
        kntok_match m = w->matches.at[i];
        uint32_t from = p->from, to = p->from;
        if (!m.is)
            continue;
        pool_copy(w, p, last, m.from);
        if (m.to > 0)
            origin_of(w, p, m.to - 1, &from, &to);
        pool_put(w, (const uint8_t *)text, n, from, to);
        last = m.to;
    }
    pool_copy(w, p, last, p->n);
    pool_piece(w, p, begin);
}

void kntok_strip(kntok_work *w, kntok_piece *p, bool left, bool right, bool blanks)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t from = 0, to = p->n, c;
    while (left && from < to) {
        int k = kntok_read(s + from, &c);
        if (blanks ? c != ' ' : !kntok_is_space(c))
            break;
        from += (uint32_t)k;
    }
    while (right && to > from) {
        uint32_t at = to - 1;
        while (at > from && (s[at] & 0xc0) == 0x80)
            at--;
        kntok_read(s + at, &c);
        if (blanks ? c != ' ' : !kntok_is_space(c))
            break;
        to = at;
    }
    p->at += from;
    p->n = to - from;
}

/* ---- Splitting. */

static void put_part(kntok_work *w, const kntok_piece *p, uint32_t from, uint32_t to)
{
    if (to > from)
        kntok_piece_put(&w->others, kntok_slice(w, p, from, to));
}

/* Runs of matches join those before them: into w->runs. */
static void join(kntok_work *w, enum kntok_behavior behavior, bool invert)
{
    bool before = false, back = behavior == KNTOK_MERGED_WITH_NEXT;
    kntok_matches *runs = &w->runs;
    runs->n = 0;
    for (size_t i = 0; i < w->matches.n; i++) {
        kntok_match m = w->matches.at[back ? w->matches.n - 1 - i : i];
        m.is ^= invert;
        bool joins = behavior == KNTOK_CONTIGUOUS ? m.is == before : m.is && !before;
        if (joins && runs->n && back)
            runs->at[runs->n - 1].from = m.from;
        else if (joins && runs->n)
            runs->at[runs->n - 1].to = m.to;
        else
            kntok_match_put(runs, m.from, m.to, false);
        before = m.is;
    }
}

void kntok_split(kntok_work *w, const kntok_piece *p, enum kntok_behavior behavior, bool invert)
{
    if (behavior == KNTOK_REMOVED || behavior == KNTOK_ISOLATED) {
        for (size_t i = 0; i < w->matches.n; i++) {
            kntok_match m = w->matches.at[i];
            if (behavior == KNTOK_ISOLATED || m.is == invert)
                put_part(w, p, m.from, m.to);
        }
        return;
    }
    join(w, behavior, invert);
    bool back = behavior == KNTOK_MERGED_WITH_NEXT;
    for (size_t i = 0; i < w->runs.n; i++) {
        kntok_match m = w->runs.at[back ? w->runs.n - 1 - i : i];
        put_part(w, p, m.from, m.to);
    }
}
