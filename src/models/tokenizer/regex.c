/* SPDX-License-Identifier: Apache-2.0
 * regex.c -- patterns in Oniguruma's syntax through PCRE2: classes are written out where the two differ, and
 * characters that PCRE2's tables do not know yet are looked at as others of their kind. */
#define _GNU_SOURCE /* memmem */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define SPACE "\\t-\\r\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define NO_SPACE                                                                                                       \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}" \
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}"
#define WORD                                                                                                        \
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{" \
    "1f189}"
/* Outside of brackets Oniguruma takes the numbers of Latin-1, too. */
#define LATIN "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}"
#define HEX   "0-9a-fA-F"

static const struct {
    const char *text;
    kntok_pattern is;
} published[] = {
    {"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", {.known = KNTOK_GPT2}},
    {"'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", {.known = KNTOK_GPT2}},
    {"'(?:[sdmt]|ll|ve|re)| ?\\p{L}++| ?\\p{N}++| ?[^\\s\\p{L}\\p{N}]++|\\s++$|\\s+(?!\\S)|\\s", {.known = KNTOK_GPT2}},
    {"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
     "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+"
     "|\\s+(?!\\S)|\\s+",
     {.known = KNTOK_CL100K, .digits = 3}},
    {"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+"
     "|\\s+(?!\\S)|\\s+",
     {.known = KNTOK_CL100K, .digits = 1}},
    {"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| "
     "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]"
     "|\\s+(?!\\S)|\\s",
     {.known = KNTOK_CL100K, .digits = 3, .end_first = true}},
    {"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'"
     "ll|'d)?"
     "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'"
     "ll|'d)?"
     "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     {.known = KNTOK_O200K, .digits = 3}},
};

/* ---- Characters that are younger than PCRE2's tables: bit 128 of what they are. */

static uint32_t stand_in[32][5]; /* by category and bytes */

static void mark_run(const uint8_t *s, size_t from, size_t to)
{
    uint32_t c;
    for (size_t i = from; i < to;) {
        i += (size_t)kntok_read(s + i, &c);
        kntok_mark_young(c);
    }
}

void kntok_find_young(void)
{
    int number;
    PCRE2_SIZE where;
    knbeside_bytes all = {0};
    for (uint32_t c = 0x80; c < 0x110000; c++) {
        uint8_t bytes[4];
        unsigned gc = kntok_what_of(c) & 31;
        if (gc != KNTOK_CN && gc != KNTOK_CS && gc != KNTOK_CO)
            knbeside_put(&all, bytes, (size_t)kntok_write(c, bytes));
    }
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR) "\\p{Cn}+", PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &number, &where, NULL);
    pcre2_match_data *data = code ? pcre2_match_data_create_from_pattern(code, NULL) : NULL;
    PCRE2_SIZE at = 0;
    while (data && pcre2_match(code, all.at, all.n, at, PCRE2_NO_UTF_CHECK, data, NULL) > 0) {
        PCRE2_SIZE *found = pcre2_get_ovector_pointer(data);
        mark_run(all.at, found[0], found[1]);
        at = found[1];
    }
    for (uint32_t c = 0x80; c < 0x110000; c++)
        if (!(kntok_what_of(c) & KNTOK_YOUNG) && !stand_in[kntok_what_of(c) & 31][kntok_bytes_of(c)])
            stand_in[kntok_what_of(c) & 31][kntok_bytes_of(c)] = c;
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    knbeside_bytes_free(&all);
}

/* The text with stand-ins, in w->piece; or as it is. */
static const uint8_t *old_enough(kntok_work *w, const uint8_t *s, size_t n)
{
    uint32_t c;
    bool copied = false;
    for (size_t i = 0; i < n;) {
        if (s[i] < 0xd0) {
            i++;
            continue;
        }
        int k = kntok_read(s + i, &c);
        uint32_t other = kntok_what_of(c) & KNTOK_YOUNG ? stand_in[kntok_what_of(c) & 31][k] : 0;
        if (other && !copied) {
            w->piece.n = 0;
            knbeside_put(&w->piece, s, n);
            copied = !w->piece.failed;
        }
        if (other && copied)
            kntok_write(other, w->piece.at + i);
        i += (size_t)k;
    }
    return copied ? w->piece.at : s;
}

/* ---- Oniguruma's syntax in PCRE2's. */

static const char *class_of(char escape, bool inside)
{
    switch (escape) {
    case 's': return inside ? SPACE : "[" SPACE "]";
    case 'S': return inside ? NO_SPACE : "[^" SPACE "]";
    case 'w': return inside ? WORD : "[" WORD LATIN "]";
    case 'W': return inside ? NULL : "[^" WORD LATIN "]";
    case 'h': return inside ? HEX : "[" HEX "]";
    case 'H': return inside ? NULL : "[^" HEX "]";
    default: return NULL;
    }
}

static int refuse(const char *op, const char *text, const char *why)
{
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED, "the pattern \"%.200s\": %s", text, why);
}

/* An escape at s, which begins with a backslash: how many bytes of it were taken; -1 with an error. */
static int escape_of(const char *op, const char *text, const char *s, size_t left, bool inside, knbeside_bytes *to)
{
    if (left < 2)
        return refuse(op, text, "ends with a backslash");
    const char *class = class_of(s[1], inside);
    if (class) {
        knbeside_puts(to, class);
        return 2;
    }
    if (strchr("WH", s[1]) && inside)
        return refuse(op, text, "\\W and \\H inside of brackets are not supported");
    if (s[1] == 'u' && left >= 6 && s[2] != '{') {
        knbeside_puts(to, "\\x{");
        knbeside_put(to, s + 2, 4);
        knbeside_puts(to, "}");
        return 6;
    }
    if (s[1] == 'C')
        return refuse(op, text, "\\C is not supported");
    knbeside_put(to, s, 2);
    return 2;
}

/* "(?" and its letters: Oniguruma's m is PCRE2's s. */
static size_t options_of(const char *s, size_t left, knbeside_bytes *to)
{
    size_t i = 2;
    knbeside_puts(to, "(?");
    while (i < left && (strchr("imxa-", s[i]) != NULL && s[i])) {
        char letter[1] = {s[i] == 'm' ? 's' : s[i]};
        knbeside_put(to, letter, 1);
        i++;
    }
    return i;
}

static int translate(const char *op, const char *s, size_t n, knbeside_bytes *to)
{
    bool inside = false;
    for (size_t i = 0; i < n;) {
        if (s[i] == '\\') {
            int k = escape_of(op, s, s + i, n - i, inside, to);
            if (k < 0)
                return -1;
            i += (size_t)k;
            continue;
        }
        if (inside && s[i] == '[' && i + 1 < n && s[i + 1] == ':') {
            const char *end = memchr(s + i + 2, ']', n - i - 2);
            size_t k = end ? (size_t)(end - s) + 1 - i : n - i;
            knbeside_put(to, s + i, k);
            i += k;
            continue;
        }
        if (inside && (s[i] == '[' || (s[i] == '&' && i + 1 < n && s[i + 1] == '&')))
            return refuse(op, s, "brackets inside of brackets are not supported");
        if (!inside && s[i] == '(' && i + 2 < n && s[i + 1] == '?' && strchr("imxa-", s[i + 2]) && s[i + 2]) {
            i += options_of(s + i, n - i, to);
            continue;
        }
        if (!inside && s[i] == '[') {
            size_t k = i + 1 < n && s[i + 1] == '^' ? 2 : 1;
            k += i + k < n && s[i + k] == ']'; /* the first one is itself */
            knbeside_put(to, s + i, k);
            inside = true;
            i += k;
            continue;
        }
        inside = inside && s[i] != ']';
        knbeside_put(to, s + i, 1);
        i++;
    }
    return to->failed ? knbeside_no_memory(op) : 0;
}

static kntok_pattern *compile(const char *op, const char *text, const knbeside_bytes *made)
{
    int number;
    PCRE2_SIZE where;
    kntok_pattern *p = calloc(1, sizeof *p);
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!p || !context) {
        knbeside_no_memory(op);
        free(p);
        pcre2_compile_context_free(context);
        return NULL;
    }
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(context, 100);
    p->code = pcre2_compile(made->at, made->n, PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C,
                            &number, &where, context);
    pcre2_compile_context_free(context);
    if (!p->code) {
        PCRE2_UCHAR why[128];
        pcre2_get_error_message(number, why, sizeof why);
        knbeside_fail(op, KN_ERROR_VALUE, "the pattern \"%.200s\": %s", text, (const char *)why);
        free(p);
        return NULL;
    }
    pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE); /* without it, matching is slower */
    return p;
}

kntok_pattern *kntok_pattern_new(const char *op, const char *text, size_t n)
{
    knbeside_bytes made = {0};
    if (kntok_valid((const uint8_t *)text, n) != n || strlen(text) != n) {
        knbeside_fail(op, KN_ERROR_VALUE, "a pattern is not UTF-8, or has a zero");
        return NULL;
    }
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (strlen(published[i].text) == n && !memcmp(published[i].text, text, n)) {
            kntok_pattern *p = malloc(sizeof *p);
            if (p)
                *p = published[i].is;
            else
                knbeside_no_memory(op);
            return p;
        }
    knbeside_puts(&made, "(*LIMIT_MATCH=1000000)"); /* so that no text takes for ever */
    kntok_pattern *p = translate(op, text, n, &made) ? NULL : compile(op, text, &made);
    knbeside_bytes_free(&made);
    return p;
}

kntok_pattern *kntok_literal_new(const char *op, const char *text, size_t n)
{
    kntok_pattern *p = calloc(1, sizeof *p);
    char *copy = malloc(n + 1);
    if (!p || !copy) {
        knbeside_no_memory(op);
        free(p);
        free(copy);
        return NULL;
    }
    p->literal = memcpy(copy, text, n);
    copy[n] = '\0';
    p->n = n;
    return p;
}

void kntok_pattern_free(kntok_pattern *p)
{
    if (!p)
        return;
    pcre2_code_free(p->code);
    free(p->literal);
    free(p);
}

/* ---- Matching. */

static void find_literal(const kntok_pattern *p, const uint8_t *s, size_t n, kntok_matches *to)
{
    size_t last = 0, i = 0;
    while (p->n && i + p->n <= n) {
        const uint8_t *at = memmem(s + i, n - i, p->literal, p->n);
        if (!at)
            break;
        i = (size_t)(at - s);
        if (i > last)
            kntok_match_put(to, (uint32_t)last, (uint32_t)i, false);
        kntok_match_put(to, (uint32_t)i, (uint32_t)(i + p->n), true);
        i = last = i + p->n;
    }
    if (last < n)
        kntok_match_put(to, (uint32_t)last, (uint32_t)n, false);
}

static int match(kntok_work *w, const kntok_pattern *p, const uint8_t *s, size_t n, size_t from)
{
    int got = pcre2_match(p->code, s, n, from, PCRE2_NO_UTF_CHECK, w->match_data, NULL);
    if (got == PCRE2_ERROR_JIT_STACKLIMIT)
        got = pcre2_match(p->code, s, n, from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, w->match_data, NULL);
    if (got < 0 && got != PCRE2_ERROR_NOMATCH)
        w->wrong = "a pattern needs too many steps on it";
    return got;
}

static void find_regex(kntok_work *w, const kntok_pattern *p, const uint8_t *s, size_t n, kntok_matches *to)
{
    size_t last = 0, from = 0, last_match = SIZE_MAX;
    if (!w->match_data)
        w->match_data = pcre2_match_data_create(32, NULL);
    if (!w->match_data) {
        w->failed = true;
        return;
    }
    const uint8_t *old = old_enough(w, s, n);
    while (from <= n && match(w, p, old, n, from) >= 0) {
        const PCRE2_SIZE *found = pcre2_get_ovector_pointer(w->match_data);
        size_t begin = found[0], end = found[1];
        if (begin == end && end == last_match) { /* nothing, right behind the last one */
            from = end < n ? end + (size_t)kntok_width(s[end]) : end + 1;
            continue;
        }
        from = last_match = end;
        if (begin > end || begin < last)
            break;
        if (begin > last)
            kntok_match_put(to, (uint32_t)last, (uint32_t)begin, false);
        kntok_match_put(to, (uint32_t)begin, (uint32_t)end, true);
        last = end;
    }
    if (last < n)
        kntok_match_put(to, (uint32_t)last, (uint32_t)n, false);
}

void kntok_find(kntok_work *w, const kntok_pattern *p, const uint8_t *s, size_t n, kntok_matches *to)
{
    to->n = 0;
    if (!n)
        return;
    if (p->known)
        kntok_split_known(p, s, n, to);
    else if (p->code)
        find_regex(w, p, s, n, to);
    else
        find_literal(p, s, n, to);
}
