/* SPDX-License-Identifier: Apache-2.0
 * read_tables.c -- tables of byte pairs: tiktoken's files, the npm package's JSON, GPT-2's two files. */
#include "models/tokenizer/read_json.h"
#include <stdlib.h>
#include <string.h>

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

bool kntok_decode64(const char *s, size_t n, knbeside_bytes *to)
{
    uint32_t bits = 0;
    int have = 0;
    while (n && s[n - 1] == '=')
        n--;
    for (size_t i = 0; i < n; i++) {
        int d = base64_digit(s[i]);
        if (d < 0)
            return false;
        bits = bits << 6 | (uint32_t)d;
        have += 6;
        if (have >= 8) {
            have -= 8;
            knbeside_put(to, &(uint8_t){(uint8_t)(bits >> have)}, 1);
        }
    }
    return !to->failed;
}

int kntok_all_merges(const char *op, kntok_tokenizer *t, const uint32_t *rank)
{
    for (int32_t id = 0; id < t->vocab.top; id++) {
        size_t n = 0;
        const char *s = kntok_vocab_text(&t->vocab, id, &n);
        for (size_t i = 1; s && i < n; i++) {
            int32_t a = kntok_map_get(&t->vocab.map, s, i);
            int32_t b = a < 0 ? -1 : kntok_map_get(&t->vocab.map, s + i, n - i);
            if (b >= 0 && !kntok_pairs_set(&t->merges, a, b, rank ? rank[id] : (uint32_t)id, id))
                return knbeside_no_memory(op);
        }
    }
    return 0;
}

static int set_pattern(const char *op, kntok_tokenizer *t, const char *pattern)
{
    static const struct {
        const char *name, *text;
    } names[] = {
        {"gpt2", "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"},
        {"cl100k",
         "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
         "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
        {"o200k",
         "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
         "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+"
         "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*"
         "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
    };
    if (!pattern)
        return knbeside_fail(op, KN_ERROR_VALUE,
                             "a table of byte pairs does not say how texts are split: give .pattern");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, pattern))
            pattern = names[i].text;
    kntok_step *s = kntok_new_step(op, &t->pretokenizers, KNTOK_SPLIT);
    if (!s)
        return -1;
    s->behavior = KNTOK_REMOVED; /* of what lies between the matches */
    s->a = true;
    s->pattern = kntok_pattern_new(op, pattern, strlen(pattern));
    return s->pattern ? 0 : -1;
}

/* When all tokens are set: the merges and the tokens of single bytes. */
static int finish_ranks(const char *op, kntok_tokenizer *t, const char *pattern)
{
    t->model = KNTOK_BPE;
    t->tiktoken = t->whole_first = t->has_decoder = true;
    if (kntok_vocab_finish(op, &t->vocab) || set_pattern(op, t, pattern))
        return -1;
    for (int i = 0; i < 256; i++) {
        uint8_t byte = (uint8_t)i;
        t->byte_id[i] = kntok_map_get(&t->vocab.map, &byte, 1);
        if (t->byte_id[i] < 0)
            return knbeside_fail(op, KN_ERROR_VALUE, "the table of byte pairs has no token for byte %d", i);
    }
    if (kntok_all_merges(op, t, NULL) || kntok_finish(op, t))
        return -1;
    t->bytes = true;
    return 0;
}

static int put_base64(const char *op, kntok_tokenizer *t, const char *s, size_t n, int64_t rank, knbeside_bytes *made)
{
    made->n = 0;
    bool good = n && rank >= 0 && rank < INT32_MAX && kntok_decode64(s, n, made) && made->n;
    if (made->failed)
        return knbeside_no_memory(op);
    if (!good)
        return knbeside_fail(op, KN_ERROR_VALUE, "the table of byte pairs has a line that is no base64 and rank");
    return kntok_map_set(&t->vocab.map, made->at, made->n, (int32_t)rank) ? 0 : knbeside_no_memory(op);
}

/* Digits up to 10 of them; -1: none. */
static int64_t number_at(const char *s, const char *end, const char **after)
{
    int64_t v = s < end && *s >= '0' && *s <= '9' ? 0 : -1;
    for (int i = 0; i < 10 && s < end && *s >= '0' && *s <= '9'; i++)
        v = v * 10 + (*s++ - '0');
    *after = s;
    return v;
}

int kntok_read_ranks(const char *op, kntok_tokenizer *t, const char *bytes, size_t n, const char *pattern)
{
    const char *s = bytes, *end = bytes + n;
    knbeside_bytes made = {0};
    int status = 0;
    while (s < end && !status) {
        const char *line = memchr(s, '\n', (size_t)(end - s)), *stop = line ? line : end;
        const char *blank = memchr(s, ' ', (size_t)(stop - s));
        if (stop > s && stop[-1] == '\r')
            stop--;
        if (stop > s) {
            const char *after = NULL;
            int64_t rank = blank ? number_at(blank + 1, stop, &after) : -1;
            status = put_base64(op, t, s, blank && after == stop ? (size_t)(blank - s) : 0, rank, &made);
        }
        s = line ? line + 1 : end;
    }
    knbeside_bytes_free(&made);
    return status || finish_ranks(op, t, pattern) ? -1 : 0;
}

/* "! 0 IQ== Ig== ...": in each line, ranks count up from the number. */
static int read_compact(const char *op, kntok_tokenizer *t, const char *s, size_t n)
{
    const char *end = s + n;
    knbeside_bytes made = {0};
    int status = 0, place = 0;
    int64_t rank = 0;
    while (s < end && !status) {
        const char *stop = s;
        while (stop < end && *stop != ' ' && *stop != '\n')
            stop++;
        const char *after = stop;
        if (place == 1)
            rank = number_at(s, stop, &after);
        if (after != stop || rank < 0)
            status = knbeside_fail(op, KN_ERROR_VALUE, "\"bpe_ranks\" has a line without a number");
        else if (place > 1 && stop > s)
            status = put_base64(op, t, s, (size_t)(stop - s), rank++, &made);
        place = stop < end && *stop == '\n' ? 0 : place + 1;
        s = stop + 1;
    }
    knbeside_bytes_free(&made);
    return status;
}

int kntok_read_npm(const char *op, kntok_tokenizer *t, const json_t *o, const char *pattern)
{
    const kntok_reader r = {op, "the table of byte pairs"};
    const char *ranks, *own = NULL, *key;
    size_t n, n_own;
    json_t *v, *special = json_object_get(o, "special_tokens");
    if (kntok_get_text(&r, o, "bpe_ranks", true, &ranks, &n) || kntok_get_text(&r, o, "pat_str", false, &own, &n_own) ||
        read_compact(op, t, ranks, n) || finish_ranks(op, t, pattern ? pattern : own))
        return -1;
    kntok_added *added = knbeside_alloc(json_object_size(special), sizeof *added);
    int status = added ? 0 : knbeside_no_memory(op);
    n = 0;
    json_object_foreach(special, key, v)
    {
        if (!status && (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) >= INT32_MAX))
            status = kntok_bad(&r, key, "has no number that a token can have");
        if (!status)
            added[n++] = (kntok_added){.text = (char *)(uintptr_t)key,
                                       .n = strlen(key),
                                       .id = (int32_t)json_integer_value(v),
                                       .special = true};
    }
    if (!status)
        status = kntok_add(op, t, added, n);
    free(added);
    return status;
}

/* ---- GPT-2's files. */

static int read_merge_lines(const kntok_reader *r, kntok_tokenizer *t, const char *s, size_t n)
{
    const char *end = s + n;
    knbeside_bytes made = {0};
    int status = 0;
    size_t rank = 0;
    while (s < end && !status) {
        const char *line = memchr(s, '\n', (size_t)(end - s)), *stop = line ? line : end;
        const char *blank = memchr(s, ' ', (size_t)(stop - s));
        const char *next = line ? line + 1 : end;
        if (stop > s && stop[-1] == '\r')
            stop--;
        if (stop > s && !(stop - s >= 8 && !memcmp(s, "#version", 8))) {
            if (!blank || blank >= stop)
                status = knbeside_fail(r->op, KN_ERROR_VALUE, "merge %zu is no pair of texts", rank);
            else
                status = kntok_add_merge(r, t, rank, (const char *const[2]){s, blank + 1},
                                         (const size_t[2]){(size_t)(blank - s), (size_t)(stop - blank - 1)}, &made);
            rank++;
        }
        s = next;
    }
    knbeside_bytes_free(&made);
    return status;
}

int kntok_read_encoder(const char *op, kntok_tokenizer *t, json_t *o, const char *merges)
{
    static const char end_of_text[] = "<|endoftext|>";
    const kntok_reader r = {op, "the vocabulary"};
    knbeside_bytes lines = {0};
    t->model = KNTOK_BPE;
    t->has_decoder = true;
    kntok_step *split = kntok_new_step(op, &t->pretokenizers, KNTOK_BYTE_LEVEL);
    if (!split || !kntok_new_step(op, &t->decoders, KNTOK_BYTE_LEVEL) || kntok_read_vocab(&r, t, o))
        return -1;
    split->c = true;
    int status = knbeside_read(op, merges, NULL, &lines) || read_merge_lines(&r, t, (const char *)lines.at, lines.n);
    knbeside_bytes_free(&lines);
    if (status || kntok_finish(op, t))
        return -1;
    kntok_added a = {.text = (char *)(uintptr_t)end_of_text, .n = strlen(end_of_text), .id = -1, .special = true};
    return kntok_map_get(&t->vocab.map, a.text, a.n) >= 0 ? kntok_add(op, t, &a, 1) : 0;
}
