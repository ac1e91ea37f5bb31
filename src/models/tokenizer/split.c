/* SPDX-License-Identifier: Apache-2.0
 * split.c -- the patterns of published byte-pair vocabularies, by hand: they are recognised by their texts, and are
 * what PCRE2 makes of them, in a fraction of the time. */
#include "models/tokenizer/tokenizer.h"
#include <string.h>

typedef struct cursor {
    const kntok_pattern *p;
    const uint8_t *s;
    uint32_t n;
} cursor;

/* The class of the character at `at` and how many bytes it has; 0 at the end. */
static inline unsigned peek(const cursor *c, uint32_t at, uint32_t *width)
{
    uint32_t code;
    if (at >= c->n) {
        *width = 0;
        return 0;
    }
    *width = (uint32_t)kntok_read(c->s + at, &code);
    return kntok_class(code);
}

static uint32_t run_of(const cursor *c, uint32_t at, unsigned mask, unsigned want)
{
    uint32_t width;
    while (at < c->n) {
        unsigned k = peek(c, at, &width);
        if ((k & mask) == 0 ? want != 0 : want == 0)
            break;
        at += width;
    }
    return at;
}

static uint8_t fold(uint8_t b) { return b >= 'A' && b <= 'Z' ? (uint8_t)(b + 32) : b; }

/* 's 't 're 've 'm 'll 'd at `at`: its bytes, 0 for none. With `any`, in capitals and with the long s, too. */
static uint32_t contraction(const cursor *c, uint32_t at, bool any)
{
    const uint8_t *s = c->s + at;
    uint32_t left = c->n - at;
    if (left < 2 || s[0] != '\'')
        return 0;
    if (any && left >= 3 && s[1] == 0xc5 && s[2] == 0xbf)
        return 3;
    uint8_t a = any ? fold(s[1]) : s[1], b = left < 3 ? 0 : any ? fold(s[2]) : s[2];
    if (a == 's' || a == 't' || a == 'm' || a == 'd')
        return 2;
    return (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l') ? 3 : 0;
}

static bool line_end(uint8_t b) { return b == '\n' || b == '\r'; }

/* White space from `at`: what of it is one piece. */
static uint32_t blanks(const cursor *c, uint32_t at)
{
    uint32_t end = at, last = at, line = at, width;
    for (; end < c->n; end += width) {
        unsigned k = peek(c, end, &width);
        if (!(k & KNTOK_S))
            break;
        last = end;
        if (line_end(c->s[end]))
            line = end + 1;
    }
    if (c->p->known == KNTOK_GPT2)
        line = at;
    if (end == c->n && (line == at || c->p->end_first))
        return end;
    if (line > at) /* \s*[\r\n]+: up to the last end of a line */
        return line;
    return last > at ? last : end; /* \s+(?!\S), else \s+ */
}

static uint32_t gpt2(const cursor *c, uint32_t at)
{
    uint32_t width, next = contraction(c, at, false), begin = at;
    if (next)
        return at + next;
    unsigned k = peek(c, at, &width);
    if (c->s[at] == ' ' && at + 1 < c->n) {
        uint32_t second;
        unsigned after = peek(c, at + 1, &second);
        if (!(after & KNTOK_S)) {
            begin = at + 1;
            k = after;
        }
    }
    if (k & KNTOK_L)
        return run_of(c, begin, KNTOK_L, 1);
    if (k & KNTOK_N)
        return run_of(c, begin, KNTOK_N, 1);
    if (k & KNTOK_S)
        return blanks(c, at);
    return run_of(c, begin, KNTOK_L | KNTOK_N | KNTOK_S, 0);
}

static uint32_t digits(const cursor *c, uint32_t at)
{
    uint32_t width;
    for (int i = 0; i < c->p->digits && peek(c, at, &width) & KNTOK_N; i++)
        at += width;
    return at;
}

/* " ?[^\s\p{L}\p{N}]+[\r\n]*", or with / in the last class; `at` if it does not match. */
static uint32_t symbols(const cursor *c, uint32_t at)
{
    uint32_t begin = c->s[at] == ' ' ? at + 1 : at;
    uint32_t end = run_of(c, begin, KNTOK_L | KNTOK_N | KNTOK_S, 0);
    if (end == begin)
        return at;
    while (end < c->n && (line_end(c->s[end]) || (c->p->known == KNTOK_O200K && c->s[end] == '/')))
        end++;
    return end;
}

static uint32_t cl100k(const cursor *c, uint32_t at)
{
    uint32_t width, second, next = contraction(c, at, true);
    if (next)
        return at + next;
    unsigned k = peek(c, at, &width);
    if (k & KNTOK_L)
        return run_of(c, at, KNTOK_L, 1);
    if (k & KNTOK_N)
        return digits(c, at);
    if (!line_end(c->s[at]) && peek(c, at + width, &second) & KNTOK_L)
        return run_of(c, at + width, KNTOK_L, 1);
    uint32_t end = symbols(c, at);
    return end > at ? end : blanks(c, at);
}

/* [upper]*[lower]+ from `at`; `at` if it does not match. Characters that are of both give way from behind. */
static uint32_t ends_low(const cursor *c, uint32_t at)
{
    uint32_t width, end = at, lower = at;
    unsigned k;
    while ((k = peek(c, end, &width)) & KNTOK_UPPER) {
        end += width;
        if (k & KNTOK_LOWER)
            lower = end;
    }
    uint32_t far = run_of(c, end, KNTOK_LOWER, 1);
    return far > end ? far : lower;
}

/* The same after nothing was found there: [upper]+, no [lower] follows. */
static uint32_t capitals(const cursor *c, uint32_t at) { return run_of(c, at, KNTOK_UPPER, 1); }

static uint32_t word_o200k(const cursor *c, uint32_t at)
{
    uint32_t width, end;
    unsigned k = peek(c, at, &width);
    bool front = !(k & (KNTOK_L | KNTOK_N)) && !line_end(c->s[at]);
    if (front && (end = ends_low(c, at + width)) > at + width)
        return end;
    if ((end = ends_low(c, at)) > at)
        return end;
    if (front && (end = capitals(c, at + width)) > at + width)
        return end;
    return capitals(c, at);
}

static uint32_t o200k(const cursor *c, uint32_t at)
{
    uint32_t width, end = word_o200k(c, at);
    if (end > at)
        return end + contraction(c, end, true);
    if (peek(c, at, &width) & KNTOK_N)
        return digits(c, at);
    end = symbols(c, at);
    return end > at ? end : blanks(c, at);
}

void kntok_split_known(const kntok_pattern *p, const uint8_t *s, size_t n, kntok_matches *to)
{
    cursor c = {p, s, (uint32_t)n};
    uint32_t at = 0;
    while (at < c.n && !to->failed) {
        uint32_t end = p->known == KNTOK_GPT2     ? gpt2(&c, at)
                       : p->known == KNTOK_CL100K ? cl100k(&c, at)
                                                  : o200k(&c, at);
        kntok_match_put(to, at, end, true);
        at = end;
    }
}
