/* SPDX-License-Identifier: Apache-2.0
 * read_json.c -- tokenizer.json: its members, added tokens, truncation and padding, the model. */
#include "models/tokenizer/read_json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Members. */

int kntok_bad(const kntok_reader *r, const char *key, const char *why)
{
    return knbeside_fail(r->op, KN_ERROR_VALUE, "%s: \"%.60s\" %s", r->what, key, why);
}

json_t *kntok_get(const kntok_reader *r, const json_t *o, const char *key, json_type type)
{
    json_t *v = json_object_get(o, key);
    if (v && json_typeof(v) == type)
        return v;
    kntok_bad(r, key, v ? "is of another type than it has to be" : "is missing");
    return NULL;
}

/* Whether a member is there and not null; -1 with an error where it is needed and is not. */
static int there(const kntok_reader *r, const json_t *o, const char *key, bool needed, json_t **v)
{
    *v = json_object_get(o, key);
    if (*v && !json_is_null(*v))
        return 1;
    return needed ? kntok_bad(r, key, "is missing") : 0;
}

int kntok_get_bool(const kntok_reader *r, const json_t *o, const char *key, bool needed, bool *to)
{
    json_t *v;
    int is = there(r, o, key, needed, &v);
    if (is <= 0)
        return is;
    if (!json_is_boolean(v))
        return kntok_bad(r, key, "is neither true nor false");
    *to = json_is_true(v);
    return 0;
}

int kntok_get_int(const kntok_reader *r, const json_t *o, const char *key, bool needed, int64_t low, int64_t high,
                  int64_t *to)
{
    json_t *v;
    int is = there(r, o, key, needed, &v);
    if (is <= 0)
        return is;
    if (!json_is_integer(v) || json_integer_value(v) < low || json_integer_value(v) > high)
        return kntok_bad(r, key, "is no integer in its range");
    *to = json_integer_value(v);
    return 0;
}

int kntok_get_text(const kntok_reader *r, const json_t *o, const char *key, bool needed, const char **to, size_t *n)
{
    json_t *v;
    int is = there(r, o, key, needed, &v);
    if (is <= 0)
        return is;
    if (!json_is_string(v))
        return kntok_bad(r, key, "is no text");
    *to = json_string_value(v);
    *n = json_string_length(v);
    return 0;
}

int kntok_copy_text(const kntok_reader *r, const json_t *o, const char *key, bool needed, char **to, size_t *n)
{
    const char *s = NULL;
    if (kntok_get_text(r, o, key, needed, &s, n))
        return -1;
    if (!s)
        return 0;
    *to = malloc(*n + 1);
    if (!*to)
        return knbeside_no_memory(r->op);
    memcpy(*to, s, *n + 1);
    return 0;
}

int kntok_get_word(const kntok_reader *r, const json_t *o, const char *key, bool needed, const char *const *words,
                   int *to)
{
    const char *s = NULL;
    size_t n;
    if (kntok_get_text(r, o, key, needed, &s, &n))
        return -1;
    for (int i = 0; s && words[i]; i++)
        if (!strcmp(words[i], s)) {
            *to = i;
            return 0;
        }
    return s ? kntok_bad(r, key, "has a value that is not known") : 0;
}

int kntok_get_char(const kntok_reader *r, const json_t *o, const char *key, uint32_t *to)
{
    const char *s;
    size_t n;
    if (kntok_get_text(r, o, key, true, &s, &n))
        return -1;
    if (!n || (size_t)kntok_width((uint8_t)s[0]) != n)
        return kntok_bad(r, key, "is not one character");
    kntok_read((const uint8_t *)s, to);
    return 0;
}

/* ---- Models. */

int kntok_read_vocab(const kntok_reader *r, kntok_tokenizer *t, json_t *o)
{
    const char *key;
    json_t *v;
    json_object_foreach(o, key, v)
    {
        json_int_t id = json_is_integer(v) ? json_integer_value(v) : -1;
        if (id < 0 || id > INT32_MAX - 1)
            return kntok_bad(r, key, "has no number that a token can have");
        if (!kntok_map_set(&t->vocab.map, key, strlen(key), (int32_t)id))
            return knbeside_no_memory(r->op);
    }
    return kntok_vocab_finish(r->op, &t->vocab);
}

static int bad_merge(const kntok_reader *r, size_t i, const char *why)
{
    return knbeside_fail(r->op, KN_ERROR_VALUE, "%s: merge %zu %s", r->what, i, why);
}

/* The two halves of a merge: "a b", or ["a", "b"]. */
static bool halves(const json_t *m, const char *half[2], size_t n[2])
{
    if (json_is_array(m) && json_array_size(m) == 2) {
        for (size_t k = 0; k < 2; k++) {
            half[k] = json_string_value(json_array_get(m, k));
            n[k] = json_string_length(json_array_get(m, k));
        }
        return half[0] && half[1];
    }
    const char *s = json_string_value(m), *blank = s ? strchr(s, ' ') : NULL;
    if (!blank || strchr(blank + 1, ' '))
        return false;
    half[0] = s;
    half[1] = blank + 1;
    n[0] = (size_t)(blank - s);
    n[1] = json_string_length(m) - n[0] - 1;
    return true;
}

int kntok_add_merge(const kntok_reader *r, kntok_tokenizer *t, size_t i, const char *const half[2], const size_t n[2],
                    knbeside_bytes *made)
{
    int32_t a = kntok_map_get(&t->vocab.map, half[0], n[0]), b = kntok_map_get(&t->vocab.map, half[1], n[1]);
    if (a < 0 || b < 0 || n[1] < t->n_prefix)
        return bad_merge(r, i, "has a token that is not in the vocabulary");
    made->n = 0;
    knbeside_put(made, half[0], n[0]);
    knbeside_put(made, half[1] + t->n_prefix, n[1] - t->n_prefix);
    if (made->failed)
        return knbeside_no_memory(r->op);
    int32_t to = kntok_map_get(&t->vocab.map, made->at, made->n);
    if (to < 0)
        return bad_merge(r, i, "makes a token that is not in the vocabulary");
    return kntok_pairs_set(&t->merges, a, b, (uint32_t)i, to) ? 0 : knbeside_no_memory(r->op);
}

static int read_merges(const kntok_reader *r, kntok_tokenizer *t, json_t *merges)
{
    knbeside_bytes made = {0};
    int status = 0;
    size_t rank = 0;
    for (size_t i = 0; i < json_array_size(merges) && !status; i++) {
        const json_t *m = json_array_get(merges, i);
        const char *s = json_string_value(m);
        if (s && !strncmp(s, "#version", 8))
            continue;
        const char *half[2];
        size_t n[2];
        status =
            halves(m, half, n) ? kntok_add_merge(r, t, rank++, half, n, &made) : bad_merge(r, i, "is no pair of texts");
    }
    knbeside_bytes_free(&made);
    return status;
}

static int read_bpe(const kntok_reader *r, kntok_tokenizer *t, const json_t *o)
{
    json_t *dropout = json_object_get(o, "dropout"), *merges = kntok_get(r, o, "merges", JSON_ARRAY);
    t->model = KNTOK_BPE;
    if (!merges)
        return -1;
    if (dropout && !json_is_null(dropout) && !(json_is_number(dropout) && json_number_value(dropout) == 0))
        return knbeside_fail(r->op, KN_ERROR_NOT_IMPLEMENTED,
                             "%s: a dropout of merges is for training, and not supported", r->what);
    if (kntok_copy_text(r, o, "unk_token", false, &t->unk, &t->n_unk) ||
        kntok_copy_text(r, o, "continuing_subword_prefix", false, &t->prefix, &t->n_prefix) ||
        kntok_copy_text(r, o, "end_of_word_suffix", false, &t->suffix, &t->n_suffix) ||
        kntok_get_bool(r, o, "fuse_unk", false, &t->fuse_unk) ||
        kntok_get_bool(r, o, "byte_fallback", false, &t->byte_fallback) ||
        kntok_get_bool(r, o, "ignore_merges", false, &t->whole_first))
        return -1;
    return read_merges(r, t, merges);
}

/* A number as the reference reads it, which is not always the nearest one: all digits as an integer, times or
 * over a power of ten. Sums of scores that differ in their last bit decide between pieces. */
static double as_read(double v)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, v);
        if (strtod(text, NULL) == v)
            break;
    }
    const bool negative = text[0] == '-';
    const char *s = text + negative;
    uint64_t all = 0;
    int after = 0, zeros = 0;
    bool point = false;
    for (; *s && *s != 'e'; s++) {
        if (*s < '0' || *s > '9') {
            point = true;
            continue;
        }
        after += point;
        all = all * 10 + (uint64_t)(*s - '0');
        zeros = *s == '0' ? zeros + 1 : 0;
    }
    for (; zeros && after && all; zeros--, after--)
        all /= 10;
    int exponent = (*s ? atoi(s + 1) : 0) - after;
    double made = (double)all;
    if (!isfinite(v) || exponent < -308 || exponent > 308)
        return v;
    snprintf(text, sizeof text, "1e%d", exponent < 0 ? -exponent : exponent);
    made = exponent < 0 ? made / strtod(text, NULL) : made * strtod(text, NULL);
    return negative ? -made : made;
}

static int read_unigram(const kntok_reader *r, kntok_tokenizer *t, json_t *vocab, const json_t *o)
{
    size_t n = json_array_size(vocab);
    int64_t unk = -1;
    t->model = KNTOK_UNIGRAM;
    t->score = knbeside_alloc(n, sizeof *t->score);
    if (!t->score)
        return knbeside_no_memory(r->op);
    if (kntok_get_bool(r, o, "byte_fallback", false, &t->byte_fallback) ||
        kntok_get_int(r, o, "unk_id", false, 0, (int64_t)n - 1, &unk))
        return -1;
    t->unk_id = (int32_t)unk;
    t->least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(vocab, i), *text = json_array_get(item, 0),
                     *score = json_array_get(item, 1);
        if (json_array_size(item) != 2 || !json_is_string(text) || !json_is_number(score) || i >= INT32_MAX)
            return kntok_bad(r, "vocab", "has an entry that is no text and score");
        t->score[i] = json_is_integer(score) ? json_number_value(score) : as_read(json_real_value(score));
        if (t->score[i] < t->least)
            t->least = t->score[i];
        if (!kntok_map_set(&t->vocab.map, json_string_value(text), json_string_length(text), (int32_t)i))
            return knbeside_no_memory(r->op);
    }
    if (kntok_vocab_finish(r->op, &t->vocab))
        return -1;
    t->vocab.count = (uint32_t)n;
    for (size_t i = n; i-- > 0;) { /* of two of a text, the later one */
        const json_t *text = json_array_get(json_array_get(vocab, i), 0);
        if (!kntok_trie_put(&t->trie, json_string_value(text), json_string_length(text), (int32_t)i))
            return knbeside_no_memory(r->op);
    }
    return 0;
}

int kntok_read_model(const char *op, kntok_tokenizer *t, const json_t *o)
{
    static const char *const kinds[] = {"BPE", "WordPiece", "WordLevel", "Unigram", NULL};
    const kntok_reader r = {op, "the model of the tokenizer"};
    json_t *vocab = json_object_get(o, "vocab");
    int kind = -1;
    if (kntok_get_word(&r, o, "type", false, kinds, &kind))
        return -1;
    if (kind < 0) /* files of old do not say */
        kind = json_object_get(o, "merges")                     ? 0
               : json_object_get(o, "max_input_chars_per_word") ? 1
               : json_is_array(vocab)                           ? 3
                                                                : 2;
    if (kind == 3) {
        vocab = kntok_get(&r, o, "vocab", JSON_ARRAY);
        return vocab ? read_unigram(&r, t, vocab, o) : -1;
    }
    vocab = kntok_get(&r, o, "vocab", JSON_OBJECT);
    if (!vocab || kntok_read_vocab(&r, t, vocab))
        return -1;
    if (kind == 0)
        return read_bpe(&r, t, o);
    t->model = kind == 1 ? KNTOK_WORDPIECE : KNTOK_WORDLEVEL;
    if (kntok_copy_text(&r, o, "unk_token", true, &t->unk, &t->n_unk))
        return -1;
    if (kind == 2)
        return 0;
    return kntok_copy_text(&r, o, "continuing_subword_prefix", true, &t->prefix, &t->n_prefix) ||
                   kntok_get_int(&r, o, "max_input_chars_per_word", true, 0, INT64_MAX, &t->max_chars)
               ? -1
               : 0;
}

/* ---- The file. */

static int read_limits(const char *op, kntok_limits *l, const json_t *cut, const json_t *pad)
{
    static const char *const sides[] = {"Right", "Left", NULL};
    static const char *const strategies[] = {"LongestFirst", "OnlyFirst", "OnlySecond", NULL};
    const kntok_reader c = {op, "truncation"}, p = {op, "padding"};
    int side = 0;
    if (cut && !json_is_null(cut)) {
        l->truncate = true;
        if (kntok_get_word(&c, cut, "direction", false, sides, &side) ||
            kntok_get_int(&c, cut, "max_length", true, 0, INT64_MAX / 4, &l->max_length) ||
            kntok_get_word(&c, cut, "strategy", true, strategies, &l->strategy) ||
            kntok_get_int(&c, cut, "stride", true, 0, INT64_MAX / 4, &l->stride))
            return -1;
        l->left = side == 1;
    }
    side = 0;
    if (!pad || json_is_null(pad))
        return 0;
    l->pad = true;
    int64_t id = 0, type = 0;
    const json_t *strategy = json_object_get(pad, "strategy");
    if (kntok_get_word(&p, pad, "direction", true, sides, &side) ||
        kntok_get_int(&p, pad, "pad_to_multiple_of", false, 0, 1 << 20, &l->multiple) ||
        kntok_get_int(&p, pad, "pad_id", true, 0, INT32_MAX, &id) ||
        kntok_get_int(&p, pad, "pad_type_id", true, 0, INT32_MAX, &type))
        return -1;
    l->fixed = -1;
    if (json_is_object(strategy) && kntok_get_int(&p, strategy, "Fixed", true, 0, 1 << 20, &l->fixed))
        return -1;
    l->pad_left = side == 1;
    l->pad_id = (int32_t)id;
    l->pad_type = (int32_t)type;
    return 0;
}

static int read_added(const char *op, kntok_tokenizer *t, const json_t *list)
{
    const kntok_reader r = {op, "an added token"};
    size_t n = json_array_size(list);
    kntok_added *added = knbeside_alloc(n, sizeof *added);
    int status = added ? 0 : knbeside_no_memory(op);
    for (size_t i = 0; i < n && !status; i++) {
        const json_t *o = json_array_get(list, i);
        kntok_added *a = &added[i];
        const char *text = NULL;
        int64_t id;
        a->id = -1; /* numbers follow from the order, as in the reference */
        status = kntok_get_text(&r, o, "content", true, &text, &a->n) ||
                 kntok_get_int(&r, o, "id", true, 0, UINT32_MAX, &id) ||
                 kntok_get_bool(&r, o, "single_word", true, &a->single_word) ||
                 kntok_get_bool(&r, o, "lstrip", true, &a->lstrip) ||
                 kntok_get_bool(&r, o, "rstrip", true, &a->rstrip) ||
                 kntok_get_bool(&r, o, "normalized", true, &a->normalized) ||
                 kntok_get_bool(&r, o, "special", true, &a->special);
        a->text = (char *)(uintptr_t)text;
    }
    if (!status)
        status = kntok_add(op, t, added, n);
    free(added);
    return status ? -1 : 0;
}

static int read_members(const char *op, kntok_tokenizer *t, const json_t *o)
{
    const kntok_reader r = {op, "the tokenizer"};
    const char *version = "1.0";
    size_t n;
    json_t *model = kntok_get(&r, o, "model", JSON_OBJECT), *added = json_object_get(o, "added_tokens");
    if (!model || kntok_get_text(&r, o, "version", false, &version, &n))
        return -1;
    if (strcmp(version, "1.0"))
        return kntok_bad(&r, "version", "is another one than 1.0");
    if (kntok_read_model(op, t, model) ||
        kntok_read_normalizer(op, &t->normalizers, json_object_get(o, "normalizer"), 0) ||
        kntok_read_pretokenizer(op, &t->pretokenizers, json_object_get(o, "pre_tokenizer"), 0) ||
        kntok_read_processor(op, &t->processors, json_object_get(o, "post_processor"), 0) ||
        kntok_read_decoder(op, &t->decoders, json_object_get(o, "decoder"), 0) ||
        read_limits(op, &t->limits, json_object_get(o, "truncation"), json_object_get(o, "padding")))
        return -1;
    t->has_decoder = json_is_object(json_object_get(o, "decoder"));
    if (added && !json_is_null(added) && !json_is_array(added))
        return kntok_bad(&r, "added_tokens", "is no list");
    return kntok_finish(op, t) || read_added(op, t, added) ? -1 : 0;
}

static int read_kind(const char *op, kntok_tokenizer *t, json_t *o, const kn_tokenizer_load_opts *opts)
{
    if (json_object_get(o, "bpe_ranks"))
        return kntok_read_npm(op, t, o, opts->pattern);
    if (opts->merges)
        return kntok_read_encoder(op, t, o, opts->merges);
    return read_members(op, t, o);
}

int kntok_read_json(const char *op, kntok_tokenizer *t, const char *bytes, size_t n, const kn_tokenizer_load_opts *opts)
{
    json_error_t e;
    json_t *o = json_loadb(bytes, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
    if (!o)
        return knbeside_fail(op, KN_ERROR_VALUE, "no JSON: line %d, column %d: %s", e.line, e.column, e.text);
    int status =
        json_is_object(o) ? read_kind(op, t, o, opts) : knbeside_fail(op, KN_ERROR_VALUE, "the JSON is no object");
    json_decref(o);
    return status;
}
