/* SPDX-License-Identifier: Apache-2.0
 * steps.c -- normalizers and pre-tokenizers. */
#include "models/tokenizer/tokenizer.h"
#include <string.h>
#include <utf8proc.h>

/* The characters of ByteLevel: printable bytes are themselves, the others follow U+0100. */
#define A(i) (i), (i) + 1, (i) + 2, (i) + 3, (i) + 4, (i) + 5, (i) + 6, (i) + 7
const uint16_t kntok_byte_char[256] = {
    A(256), A(264), A(272),  A(280),  288,     '!',     '"',     '#',     '$',     '%',     '&',     '\'',
    A('('), A('0'), A('8'),  A('@'),  A('H'),  A('P'),  A('X'),  A('`'),  A('h'),  A('p'),  'x',     'y',
    'z',    '{',    '|',     '}',     '~',     289,     A(290),  A(298),  A(306),  A(314),  322,     0xa1,
    0xa2,   0xa3,   0xa4,    0xa5,    0xa6,    0xa7,    0xa8,    0xa9,    0xaa,    0xab,    0xac,    323,
    0xae,   0xaf,   A(0xb0), A(0xb8), A(0xc0), A(0xc8), A(0xd0), A(0xd8), A(0xe0), A(0xe8), A(0xf0), A(0xf8)};
#undef A

int kntok_char_byte(uint32_t c)
{
    if (c >= 256 && c < 324)
        return c < 289 ? (int)(c - 256) : c == 289 ? 127 : c < 323 ? (int)(c - 290 + 128) : 173;
    return (c > ' ' && c < 127) || (c > 160 && c < 256 && c != 173) ? (int)c : -1;
}

void kntok_byte_chars(kntok_work *w, kntok_piece *p)
{
    const uint8_t *s = kntok_bytes(w, p);
    w->chars.n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        kntok_put(&w->chars, kntok_byte_char[s[i]], (s[i] & 0xc0) == 0x80);
    if (p->n)
        kntok_transform(w, p, 0);
}

/* ---- Normalizers. */

static bool is_ascii(const uint8_t *s, size_t n)
{
    for (; n >= 8; n -= 8, s += 8) {
        uint64_t eight;
        memcpy(&eight, s, 8);
        if (eight & 0x8080808080808080u)
            return false;
    }
    for (; n; n--, s++)
        if (*s & 0x80)
            return false;
    return true;
}

static void normal_form(kntok_work *w, kntok_piece *p, enum kntok_kind kind)
{
    const uint8_t *s = kntok_bytes(w, p);
    if (is_ascii(s, p->n))
        return;
    kntok_normal_form(s, p->n, kind == KNTOK_NFKC || kind == KNTOK_NFKD, kind == KNTOK_NFC || kind == KNTOK_NFKC,
                      &w->scratch, &w->chars);
    kntok_transform(w, p, 0);
}

static void lowercase(kntok_work *w, kntok_piece *p)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t c, to[2];
    w->chars.n = 0;
    for (uint32_t i = 0; i < p->n;) {
        i += (uint32_t)kntok_read(s + i, &c);
        int n = kntok_lower(c, to);
        for (int k = 0; k < n; k++)
            kntok_put(&w->chars, to[k], k > 0);
    }
    if (p->n)
        kntok_transform(w, p, 0);
}

/* Drops the characters that `drop` says and maps the others. */
static void filter(kntok_work *w, kntok_piece *p, bool (*drop)(uint32_t), uint32_t (*map)(uint32_t))
{
    const uint8_t *s = kntok_bytes(w, p);
    size_t skipped = 0;
    bool changes = false;
    uint32_t c;
    w->chars.n = 0;
    for (uint32_t i = 0; i < p->n;) {
        i += (uint32_t)kntok_read(s + i, &c);
        if (drop(c)) {
            changes = true;
            if (w->chars.n)
                w->chars.at[w->chars.n - 1].change--;
            else
                skipped++;
            continue;
        }
        uint32_t to = map ? map(c) : c;
        changes |= to != c;
        kntok_put(&w->chars, to, 0);
    }
    if (changes)
        kntok_transform(w, p, skipped);
}

static bool nmt_drops(uint32_t c)
{
    return (c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f;
}

static uint32_t nmt_maps(uint32_t c)
{
    bool blank = c == 9 || c == 10 || c == 12 || c == 13 || c == 0x1680 || (c >= 0x200b && c <= 0x200f) ||
                 c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff || c == 0xfffd;
    return blank ? ' ' : c;
}

static bool bert_drops(uint32_t c)
{
    return c == 0 || c == 0xfffd || (c != '\t' && c != '\n' && c != '\r' && kntok_is_other(c));
}

static uint32_t bert_maps(uint32_t c) { return kntok_is_space(c) ? ' ' : c; }

static bool is_chinese(uint32_t c)
{
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
           (c >= 0x2a700 && c <= 0x2b73f) || (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
           (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

static void bert_chinese(kntok_work *w, kntok_piece *p)
{
    const uint8_t *s = kntok_bytes(w, p);
    bool any = false;
    uint32_t c;
    w->chars.n = 0;
    for (uint32_t i = 0; i < p->n;) {
        i += (uint32_t)kntok_read(s + i, &c);
        if (is_chinese(c)) {
            any = true;
            kntok_put(&w->chars, ' ', 0);
            kntok_put(&w->chars, c, 1);
            kntok_put(&w->chars, ' ', 1);
        } else {
            kntok_put(&w->chars, c, 0);
        }
    }
    if (any)
        kntok_transform(w, p, 0);
}

/* a: clean_text, b: handle_chinese_chars, c: strip_accents, d: lowercase. */
static void bert(kntok_work *w, kntok_piece *p, const kntok_step *s)
{
    if (s->a)
        filter(w, p, bert_drops, bert_maps);
    if (s->b)
        bert_chinese(w, p);
    if (s->c) {
        normal_form(w, p, KNTOK_NFD);
        filter(w, p, kntok_is_nonspacing, NULL);
    }
    if (s->d)
        lowercase(w, p);
}

void kntok_normalize(kntok_work *w, const kntok_steps *steps, kntok_piece *p)
{
    for (size_t i = 0; i < steps->n && !w->failed; i++) {
        const kntok_step *s = &steps->at[i];
        switch (s->kind) {
        case KNTOK_LOWERCASE: lowercase(w, p); break;
        case KNTOK_STRIP: kntok_strip(w, p, s->a, s->b, s->c); break;
        case KNTOK_STRIP_ACCENTS: filter(w, p, kntok_is_mark, NULL); break;
        case KNTOK_PREPEND: kntok_prepend(w, p, s->text, s->n); break;
        case KNTOK_BERT_NORMALIZER: bert(w, p, s); break;
        case KNTOK_NMT: filter(w, p, nmt_drops, nmt_maps); break;
        case KNTOK_BYTE_LEVEL: kntok_byte_chars(w, p); break;
        case KNTOK_PRECOMPILED: kntok_map_chars(w, s, p); break;
        case KNTOK_REPLACE:
            kntok_find(w, s->pattern, kntok_bytes(w, p), p->n, &w->matches);
            kntok_replace(w, p, s->other, s->n_other);
            break;
        default: normal_form(w, p, s->kind); break;
        }
        w->failed |= w->matches.failed || w->chars.failed || w->scratch.failed;
    }
}

/* ---- Precompiled: sentencepiece's map of characters, a trie of bytes with texts. */

/* What the shortest beginning of s..n that is in the map becomes, or the longest; it has *used bytes. NULL: none. */
static const char *charsmap_get(const kntok_charsmap *m, const uint8_t *s, size_t n, bool longest, size_t *length,
                                size_t *used)
{
    size_t at = 0;
    const char *found = NULL;
    if (!m->units)
        return NULL;
    uint32_t unit = m->unit[0];
    at ^= (size_t)(unit >> 10) << ((unit & 1u << 9) >> 6);
    for (size_t i = 0; i < n && s[i]; i++) {
        at ^= s[i];
        if (at >= m->units || ((unit = m->unit[at]) & (1u << 31 | 0xff)) != s[i])
            return found;
        at ^= (size_t)(unit >> 10) << ((unit & 1u << 9) >> 6);
        if (!(unit >> 8 & 1))
            continue;
        size_t where = at < m->units ? m->unit[at] & ~(1u << 31) : SIZE_MAX;
        if (where > m->n)
            return found;
        *length = strnlen(m->text + where, m->n - where);
        *used = i + 1;
        found = m->text + where;
        if (!longest)
            return found;
    }
    return found;
}

static void put_mapped(kntok_chars *to, const uint8_t *old, size_t n, const char *text, size_t length)
{
    int64_t chars = 0, made = 0;
    uint32_t c;
    for (size_t i = 0; i < n; i += (size_t)kntok_width(old[i]))
        chars++;
    for (size_t i = 0; i < length; made++) {
        i += (size_t)kntok_read((const uint8_t *)text + i, &c);
        kntok_put(to, c, 0);
    }
    if (to->failed)
        return;
    for (int64_t k = 0; k < made - chars; k++)
        to->at[to->n - 1 - (size_t)k].change = 1;
    if (made < chars && to->n)
        to->at[to->n - 1].change += (int32_t)(made - chars);
}

static uint32_t grapheme_end(const uint8_t *s, uint32_t n, uint32_t at)
{
    utf8proc_int32_t state = 0;
    uint32_t c, next;
    at += (uint32_t)kntok_read(s + at, &c);
    while (at < n) {
        int k = kntok_read(s + at, &next);
        if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)c, (utf8proc_int32_t)next, &state))
            break;
        c = next;
        at += (uint32_t)k;
    }
    return at;
}

/* As the crate does it: graphemes of a few bytes, else characters, each by what begins it. */
static bool map_graphemes(kntok_work *w, const kntok_step *step, const uint8_t *s, uint32_t n)
{
    bool changed = false;
    size_t length, used;
    const char *text;
    uint32_t c;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = grapheme_end(s, n, i);
        if (end - i < 6 && (text = charsmap_get(step->charsmap, s + i, end - i, false, &length, &used))) {
            put_mapped(&w->chars, s + i, end - i, text, length);
            changed = true;
            i = end;
            continue;
        }
        while (i < end) {
            uint32_t k = (uint32_t)kntok_read(s + i, &c);
            text = charsmap_get(step->charsmap, s + i, k, false, &length, &used);
            if (text)
                put_mapped(&w->chars, s + i, k, text, length);
            else
                kntok_put(&w->chars, c, 0);
            changed |= text != NULL;
            i += k;
        }
    }
    return changed;
}

/* As sentencepiece does it: the longest beginning of what is left. */
static bool map_longest(kntok_work *w, const kntok_step *step, const uint8_t *s, uint32_t n)
{
    bool changed = false;
    size_t length, used;
    uint32_t c;
    for (uint32_t i = 0; i < n;) {
        const char *text = charsmap_get(step->charsmap, s + i, n - i, true, &length, &used);
        if (text && (i + used == n || (s[i + used] & 0xc0) != 0x80)) {
            put_mapped(&w->chars, s + i, used, text, length);
            changed = true;
            i += (uint32_t)used;
            continue;
        }
        i += (uint32_t)kntok_read(s + i, &c);
        kntok_put(&w->chars, c, 0);
    }
    return changed;
}

/* a: as sentencepiece. */
void kntok_map_chars(kntok_work *w, const kntok_step *step, kntok_piece *p)
{
    const uint8_t *s = kntok_bytes(w, p);
    w->chars.n = 0;
    if (step->a ? map_longest(w, step, s, p->n) : map_graphemes(w, step, s, p->n))
        kntok_transform(w, p, 0);
}

/* ---- Pre-tokenizers. */

static void find_chars(kntok_work *w, const kntok_piece *p, bool (*is)(uint32_t, uint32_t), uint32_t what)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t last = 0, c;
    w->matches.n = 0;
    for (uint32_t i = 0; i < p->n;) {
        uint32_t k = (uint32_t)kntok_read(s + i, &c);
        if (is(c, what)) {
            if (last < i)
                kntok_match_put(&w->matches, last, i, false);
            kntok_match_put(&w->matches, i, i + k, true);
            last = i + k;
        }
        i += k;
    }
    if (last < p->n)
        kntok_match_put(&w->matches, last, p->n, false);
}

static bool is_space(uint32_t c, uint32_t what) { return (void)what, kntok_is_space(c); }
static bool is_punctuation(uint32_t c, uint32_t what) { return (void)what, kntok_is_punctuation(c); }
static bool is_numeric(uint32_t c, uint32_t what) { return (void)what, kntok_class(c) & KNTOK_NUMERIC; }
static bool is_this(uint32_t c, uint32_t what) { return c == what; }

/* \w+|[^\w\s]+ */
static void words(kntok_work *w, const kntok_piece *p)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t begin = 0, c;
    unsigned kind = 0;
    for (uint32_t i = 0; i <= p->n;) {
        unsigned k = 0;
        uint32_t width = 1;
        if (i < p->n) {
            width = (uint32_t)kntok_read(s + i, &c);
            unsigned class = kntok_class(c);
            k = class & KNTOK_W ? 1 : class & KNTOK_S ? 2 : 3;
        }
        if (k != kind) {
            if (kind == 1 || kind == 3)
                kntok_piece_put(&w->others, kntok_slice(w, p, begin, i));
            begin = i;
            kind = k;
        }
        i += width;
    }
}

static void scripts(kntok_work *w, const kntok_piece *p)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t begin = 0, c;
    int last = -1;
    for (uint32_t i = 0; i < p->n;) {
        uint32_t width = (uint32_t)kntok_read(s + i, &c);
        int script = kntok_script_of(c);
        if (script && last != script) {
            if (i > begin && last >= 0)
                kntok_piece_put(&w->others, kntok_slice(w, p, begin, i));
            begin = i; /* as the reference has it: what stands in front of the first script is dropped */
        }
        if (script)
            last = script;
        i += width;
    }
    if (last >= 0 && p->n > begin)
        kntok_piece_put(&w->others, kntok_slice(w, p, begin, p->n));
}

static void fixed_length(kntok_work *w, const kntok_piece *p, int64_t length)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t begin = 0;
    int64_t count = 0;
    for (uint32_t i = 0; i < p->n;) {
        i += (uint32_t)kntok_width(s[i]);
        if (++count == length || i == p->n) {
            kntok_piece_put(&w->others, kntok_slice(w, p, begin, i));
            begin = i;
            count = 0;
        }
    }
}

static void metaspace(kntok_work *w, kntok_piece p, const kntok_step *s)
{
    uint8_t mark[4];
    size_t n = (size_t)kntok_write(s->character, mark);
    find_chars(w, &p, is_this, ' ');
    kntok_replace(w, &p, (const char *)mark, n);
    const uint8_t *at = kntok_bytes(w, &p);
    bool begins = p.n >= n && !memcmp(at, mark, n);
    if (!begins && (s->scheme == KNTOK_ALWAYS || (s->scheme == KNTOK_FIRST && p.from == 0)))
        kntok_prepend(w, &p, (const char *)mark, n);
    if (!s->a) {
        if (p.n)
            kntok_piece_put(&w->others, p);
        return;
    }
    find_chars(w, &p, is_this, s->character);
    kntok_split(w, &p, KNTOK_MERGED_WITH_NEXT, false);
}

/* a: add_prefix_space, c: use_regex. The characters of bytes come last, not where the model takes bytes. */
static void byte_level(kntok_work *w, kntok_piece p, const kntok_step *s)
{
    static const kntok_pattern gpt2 = {.known = KNTOK_GPT2};
    size_t before = w->others.n;
    if (s->a && p.n && kntok_bytes(w, &p)[0] != ' ')
        kntok_prepend(w, &p, " ", 1);
    if (s->c) {
        kntok_find(w, &gpt2, kntok_bytes(w, &p), p.n, &w->matches);
        kntok_split(w, &p, KNTOK_ISOLATED, false);
    } else if (p.n) {
        kntok_piece_put(&w->others, p);
    }
    for (size_t i = before; i < w->others.n && !w->of->bytes; i++)
        kntok_byte_chars(w, &w->others.at[i]);
}

static void pretokenize_one(kntok_work *w, const kntok_step *s, const kntok_piece *p)
{
    switch (s->kind) {
    case KNTOK_BYTE_LEVEL: byte_level(w, *p, s); break;
    case KNTOK_METASPACE: metaspace(w, *p, s); break;
    case KNTOK_WHITESPACE: words(w, p); break;
    case KNTOK_SCRIPTS: scripts(w, p); break;
    case KNTOK_FIXED_LENGTH: fixed_length(w, p, s->i); break;
    case KNTOK_WHITESPACE_SPLIT:
        find_chars(w, p, is_space, 0);
        kntok_split(w, p, KNTOK_REMOVED, false);
        break;
    case KNTOK_PUNCTUATION:
        find_chars(w, p, is_punctuation, 0);
        kntok_split(w, p, s->behavior, false);
        break;
    case KNTOK_DIGITS:
        find_chars(w, p, is_numeric, 0);
        kntok_split(w, p, s->a ? KNTOK_ISOLATED : KNTOK_CONTIGUOUS, false);
        break;
    case KNTOK_DELIMITER:
        find_chars(w, p, is_this, s->character);
        kntok_split(w, p, KNTOK_REMOVED, false);
        break;
    default: /* Split; a: invert */
        kntok_find(w, s->pattern, kntok_bytes(w, p), p->n, &w->matches);
        kntok_split(w, p, s->behavior, s->a);
        break;
    }
}

void kntok_pretokenize(kntok_work *w, const kntok_steps *steps)
{
    for (size_t i = 0; i < steps->n && !w->failed && !w->wrong; i++) {
        w->others.n = 0;
        for (size_t k = 0; k < w->pieces.n; k++) {
            const kntok_piece *p = &w->pieces.at[k];
            if (p->id >= 0)
                kntok_piece_put(&w->others, *p);
            else
                pretokenize_one(w, &steps->at[i], p);
        }
        w->failed |= w->others.failed || w->matches.failed || w->runs.failed || w->chars.failed;
        kntok_pieces swapped = w->pieces;
        w->pieces = w->others;
        w->others = swapped;
    }
}
