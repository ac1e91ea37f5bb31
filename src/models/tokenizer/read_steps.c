/* SPDX-License-Identifier: Apache-2.0
 * read_steps.c -- the parts of tokenizer.json: normalizers, pre-tokenizers, processors, decoders. Sequences become
 * one list. */
#include "models/tokenizer/read_json.h"
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

kntok_step *kntok_new_step(const char *op, kntok_steps *to, enum kntok_kind kind)
{
    kntok_step *more = realloc(to->at, (to->n + 1) * sizeof *more);
    if (!more) {
        knbeside_no_memory(op);
        return NULL;
    }
    to->at = more;
    to->at[to->n] = (kntok_step){.kind = kind, .cls = -1, .sep = -1};
    return &to->at[to->n++];
}

typedef int read_step(const kntok_reader *r, kntok_steps *to, const json_t *o, int which);

/* One of a family, or a sequence of them. */
static int read_any(const kntok_reader *r, kntok_steps *to, const json_t *o, int depth, const char *members,
                    const char *const *kinds, read_step *one,
                    int (*again)(const char *, kntok_steps *, const json_t *, int))
{
    const char *type;
    size_t n;
    if (!o || json_is_null(o))
        return 0;
    if (!json_is_object(o))
        return knbeside_fail(r->op, KN_ERROR_VALUE, "%s is no object", r->what);
    if (depth > DEEPEST)
        return knbeside_fail(r->op, KN_ERROR_VALUE, "%s: sequences are too deep", r->what);
    if (kntok_get_text(r, o, "type", true, &type, &n))
        return -1;
    if (!strcmp(type, "Sequence")) {
        json_t *list = kntok_get(r, o, members, JSON_ARRAY);
        int status = list ? 0 : -1;
        for (size_t i = 0; i < json_array_size(list) && !status; i++)
            status = again(r->op, to, json_array_get(list, i), depth + 1);
        return status;
    }
    for (int i = 0; kinds[i]; i++)
        if (!strcmp(kinds[i], type)) {
            const kntok_reader inner = {r->op, kinds[i]};
            return one(&inner, to, o, i);
        }
    return knbeside_fail(r->op, KN_ERROR_NOT_IMPLEMENTED, "%s of type \"%.60s\" is not known", r->what, type);
}

/* {"String": "a"} or {"Regex": "a+"}. */
static int read_pattern(const kntok_reader *r, kntok_step *s, const json_t *o)
{
    json_t *pattern = kntok_get(r, o, "pattern", JSON_OBJECT), *text = json_object_get(pattern, "String");
    json_t *regex = json_object_get(pattern, "Regex");
    if (!pattern)
        return -1;
    if (json_is_string(text))
        s->pattern = kntok_literal_new(r->op, json_string_value(text), json_string_length(text));
    else if (json_is_string(regex))
        s->pattern = kntok_pattern_new(r->op, json_string_value(regex), json_string_length(regex));
    else
        return kntok_bad(r, "pattern", "is neither a String nor a Regex");
    return s->pattern ? 0 : -1;
}

static int read_replace(const kntok_reader *r, kntok_steps *to, const json_t *o)
{
    kntok_step *s = kntok_new_step(r->op, to, KNTOK_REPLACE);
    return !s || read_pattern(r, s, o) || kntok_copy_text(r, o, "content", true, &s->other, &s->n_other) ? -1 : 0;
}

static int read_metaspace(const kntok_reader *r, kntok_steps *to, const json_t *o)
{
    static const char *const schemes[] = {"always", "first", "never", NULL};
    kntok_step *s = kntok_new_step(r->op, to, KNTOK_METASPACE);
    bool prefix = true;
    int scheme = 0;
    if (!s)
        return -1;
    s->a = true;
    if (kntok_get_char(r, o, "replacement", &s->character) ||
        kntok_get_bool(r, o, "add_prefix_space", false, &prefix) ||
        kntok_get_word(r, o, "prepend_scheme", false, schemes, &scheme) || kntok_get_bool(r, o, "split", false, &s->a))
        return -1;
    s->scheme = (enum kntok_scheme)scheme;
    if (!prefix && s->scheme != KNTOK_NEVER)
        return kntok_bad(r, "add_prefix_space", "does not agree with prepend_scheme");
    return 0;
}

/* a: add_prefix_space, b: trim_offsets, c: use_regex. */
static int read_byte_level(const kntok_reader *r, kntok_steps *to, const json_t *o)
{
    kntok_step *s = kntok_new_step(r->op, to, KNTOK_BYTE_LEVEL);
    if (!s)
        return -1;
    s->c = true;
    return kntok_get_bool(r, o, "add_prefix_space", true, &s->a) || kntok_get_bool(r, o, "trim_offsets", true, &s->b) ||
                   kntok_get_bool(r, o, "use_regex", false, &s->c)
               ? -1
               : 0;
}

/* ---- Normalizers. */

static kntok_charsmap *new_charsmap(const knbeside_bytes *b, bool *no_memory)
{
    uint32_t size = 0;
    for (size_t i = 0; i < 4 && b->n >= 4; i++)
        size |= (uint32_t)b->at[i] << 8 * i;
    if (b->n < 4 || size > b->n - 4)
        return NULL;
    size_t units = size / 4, text = b->n - 4 - units * 4;
    if (kntok_valid(b->at + 4 + units * 4, text) != text)
        return NULL;
    kntok_charsmap *m = malloc(sizeof *m + units * 4 + text + 1);
    *no_memory = !m;
    if (!m)
        return NULL;
    m->unit = (uint32_t *)(m + 1);
    m->units = units;
    m->text = (char *)(m->unit + units);
    m->n = text;
    for (size_t i = 0; i < units; i++) {
        const uint8_t *u = b->at + 4 + i * 4;
        m->unit[i] = (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
    }
    memcpy(m->text, b->at + 4 + units * 4, text);
    m->text[text] = '\0';
    return m;
}

int kntok_put_charsmap(const kntok_reader *r, kntok_step *s, const knbeside_bytes *b)
{
    bool no_memory = false;
    s->charsmap = new_charsmap(b, &no_memory);
    return s->charsmap ? 0 : no_memory ? knbeside_no_memory(r->op) : kntok_bad(r, "precompiled_charsmap", "is damaged");
}

static int read_precompiled(const kntok_reader *r, kntok_steps *to, const json_t *o)
{
    kntok_step *s = kntok_new_step(r->op, to, KNTOK_PRECOMPILED);
    const char *text;
    size_t n;
    knbeside_bytes bytes = {0};
    if (!s || kntok_get_text(r, o, "precompiled_charsmap", true, &text, &n))
        return -1;
    int status = kntok_decode64(text, n, &bytes) ? kntok_put_charsmap(r, s, &bytes)
                 : bytes.failed                  ? knbeside_no_memory(r->op)
                                                 : kntok_bad(r, "precompiled_charsmap", "is no base64");
    knbeside_bytes_free(&bytes);
    return status;
}

static int read_bert_normalizer(const kntok_reader *r, kntok_steps *to, const json_t *o)
{
    kntok_step *s = kntok_new_step(r->op, to, KNTOK_BERT_NORMALIZER);
    if (!s || kntok_get_bool(r, o, "clean_text", true, &s->a) ||
        kntok_get_bool(r, o, "handle_chinese_chars", true, &s->b) || kntok_get_bool(r, o, "lowercase", true, &s->d))
        return -1;
    s->c = s->d;
    return kntok_get_bool(r, o, "strip_accents", false, &s->c);
}

static const char *const normalizers[] = {"NFC",   "NFD",          "NFKC",        "NFKD",    "Lowercase",
                                          "Strip", "StripAccents", "Replace",     "Prepend", "BertNormalizer",
                                          "Nmt",   "ByteLevel",    "Precompiled", NULL};

static int read_normalizer(const kntok_reader *r, kntok_steps *to, const json_t *o, int which)
{
    enum kntok_kind kind = (enum kntok_kind)which; /* in the order of the names */
    kntok_step *s;
    switch (kind) {
    case KNTOK_REPLACE: return read_replace(r, to, o);
    case KNTOK_BERT_NORMALIZER: return read_bert_normalizer(r, to, o);
    case KNTOK_PRECOMPILED: return read_precompiled(r, to, o);
    case KNTOK_PREPEND:
        s = kntok_new_step(r->op, to, kind);
        return s ? kntok_copy_text(r, o, "prepend", true, &s->text, &s->n) : -1;
    case KNTOK_STRIP:
        s = kntok_new_step(r->op, to, kind);
        return !s || kntok_get_bool(r, o, "strip_left", true, &s->a) || kntok_get_bool(r, o, "strip_right", true, &s->b)
                   ? -1
                   : 0;
    default: return kntok_new_step(r->op, to, kind) ? 0 : -1;
    }
}

int kntok_read_normalizer(const char *op, kntok_steps *to, const json_t *o, int depth)
{
    const kntok_reader r = {op, "a normalizer"};
    return read_any(&r, to, o, depth, "normalizers", normalizers, read_normalizer, kntok_read_normalizer);
}

/* ---- Pre-tokenizers. */

static const char *const pretokenizers[] = {"BertPreTokenizer",   "ByteLevel",      "Metaspace",   "Whitespace",
                                            "WhitespaceSplit",    "Punctuation",    "Digits",      "Split",
                                            "CharDelimiterSplit", "UnicodeScripts", "FixedLength", NULL};
static const enum kntok_kind pretokenizer_kinds[] = {
    KNTOK_BERT,   KNTOK_BYTE_LEVEL, KNTOK_METASPACE, KNTOK_WHITESPACE, KNTOK_WHITESPACE_SPLIT, KNTOK_PUNCTUATION,
    KNTOK_DIGITS, KNTOK_SPLIT,      KNTOK_DELIMITER, KNTOK_SCRIPTS,    KNTOK_FIXED_LENGTH};
static const char *const behaviors[] = {"Removed",        "Isolated",   "MergedWithPrevious",
                                        "MergedWithNext", "Contiguous", NULL};

/* White space, then punctuation by itself. */
static int bert(const kntok_reader *r, kntok_steps *to)
{
    kntok_step *s = kntok_new_step(r->op, to, KNTOK_WHITESPACE_SPLIT);
    if (s)
        s = kntok_new_step(r->op, to, KNTOK_PUNCTUATION);
    if (s)
        s->behavior = KNTOK_ISOLATED;
    return s ? 0 : -1;
}

static int read_split(const kntok_reader *r, kntok_step *s, const json_t *o, bool needed)
{
    int behavior = KNTOK_ISOLATED;
    if (kntok_get_word(r, o, "behavior", needed, behaviors, &behavior))
        return -1;
    s->behavior = (enum kntok_behavior)behavior;
    return 0;
}

static int read_pretokenizer(const kntok_reader *r, kntok_steps *to, const json_t *o, int which)
{
    enum kntok_kind kind = pretokenizer_kinds[which];
    if (kind == KNTOK_BERT)
        return bert(r, to);
    if (kind == KNTOK_BYTE_LEVEL)
        return read_byte_level(r, to, o);
    if (kind == KNTOK_METASPACE)
        return read_metaspace(r, to, o);
    kntok_step *s = kntok_new_step(r->op, to, kind);
    if (!s)
        return -1;
    s->i = 5;
    switch (kind) {
    case KNTOK_PUNCTUATION: return read_split(r, s, o, false);
    case KNTOK_DIGITS: return kntok_get_bool(r, o, "individual_digits", true, &s->a);
    case KNTOK_DELIMITER: return kntok_get_char(r, o, "delimiter", &s->character);
    case KNTOK_FIXED_LENGTH: return kntok_get_int(r, o, "length", false, 1, INT64_MAX, &s->i);
    case KNTOK_SPLIT:
        return read_pattern(r, s, o) || read_split(r, s, o, true) || kntok_get_bool(r, o, "invert", true, &s->a) ? -1
                                                                                                                 : 0;
    default: return 0;
    }
}

int kntok_read_pretokenizer(const char *op, kntok_steps *to, const json_t *o, int depth)
{
    const kntok_reader r = {op, "a pre-tokenizer"};
    return read_any(&r, to, o, depth, "pretokenizers", pretokenizers, read_pretokenizer, kntok_read_pretokenizer);
}

/* ---- Processors. */

static int read_special(const kntok_reader *r, const json_t *tokens, const char *id, kntok_part *part)
{
    const json_t *token = json_object_get(tokens, id), *ids = json_object_get(token, "ids");
    size_t n = json_array_size(ids);
    if (!json_is_array(ids))
        return kntok_bad(r, id, "is not among the special_tokens");
    part->ids = knbeside_alloc(n, sizeof *part->ids);
    if (!part->ids)
        return knbeside_no_memory(r->op);
    part->n = n;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(ids, i);
        if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) >= INT32_MAX)
            return kntok_bad(r, id, "has a number that no token can have");
        part->ids[i] = (int32_t)json_integer_value(v);
    }
    return 0;
}

static int read_part(const kntok_reader *r, const json_t *o, const json_t *tokens, int two, kntok_part *part)
{
    static const char *const sequences[] = {"A", "B", NULL};
    const json_t *text = json_object_get(o, "Sequence"), *special = json_object_get(o, "SpecialToken");
    const json_t *in = text ? text : special;
    const char *id;
    size_t n;
    int64_t type = 0;
    if (!in || kntok_get_int(r, in, "type_id", true, 0, INT32_MAX, &type) || kntok_get_text(r, in, "id", true, &id, &n))
        return in ? -1 : kntok_bad(r, "single", "and \"pair\" are lists of Sequence and SpecialToken");
    part->type = (int32_t)type;
    part->is_text = text != NULL;
    if (!text)
        return read_special(r, tokens, id, part);
    if (kntok_get_word(r, in, "id", true, sequences, &part->sequence))
        return -1;
    return part->sequence > two ? kntok_bad(r, "single", "speaks of a second text") : 0;
}

static int read_template(const kntok_reader *r, kntok_steps *to, const json_t *o)
{
    static const char *const names[] = {"single", "pair"};
    kntok_step *s = kntok_new_step(r->op, to, KNTOK_TEMPLATE);
    json_t *tokens = kntok_get(r, o, "special_tokens", JSON_OBJECT);
    if (!s || !tokens)
        return -1;
    for (int k = 0; k < 2; k++) {
        json_t *list = kntok_get(r, o, names[k], JSON_ARRAY);
        size_t n = json_array_size(list);
        if (!list)
            return -1;
        s->part[k] = knbeside_alloc(n, sizeof **s->part);
        if (!s->part[k])
            return knbeside_no_memory(r->op);
        s->n_part[k] = n;
        for (size_t i = 0; i < n; i++)
            if (read_part(r, json_array_get(list, i), tokens, k, &s->part[k][i]))
                return -1;
    }
    return 0;
}

static int read_named(const kntok_reader *r, const json_t *o, const char *key, int32_t *id)
{
    json_t *pair = kntok_get(r, o, key, JSON_ARRAY), *v = json_array_get(pair, 1);
    if (!pair)
        return -1;
    if (json_array_size(pair) != 2 || !json_is_string(json_array_get(pair, 0)) || !json_is_integer(v) ||
        json_integer_value(v) < 0 || json_integer_value(v) >= INT32_MAX)
        return kntok_bad(r, key, "is no text and number");
    *id = (int32_t)json_integer_value(v);
    return 0;
}

static const char *const processors[] = {"ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing",
                                         NULL};

/* Of RobertaProcessing a: add_prefix_space, b: trim_offsets, as those of ByteLevel. */
static int read_processor(const kntok_reader *r, kntok_steps *to, const json_t *o, int which)
{
    if (to->n && to->at[to->n - 1].kind == KNTOK_TEMPLATE)
        return knbeside_fail(r->op, KN_ERROR_NOT_IMPLEMENTED, "%s behind a TemplateProcessing is not supported",
                             r->what);
    if (which == 0)
        return read_byte_level(r, to, o);
    if (which == 1)
        return read_template(r, to, o);
    kntok_step *s = kntok_new_step(r->op, to, which == 2 ? KNTOK_BERT_PROCESSING : KNTOK_ROBERTA);
    if (!s || read_named(r, o, "sep", &s->sep) || read_named(r, o, "cls", &s->cls))
        return -1;
    if (which == 2)
        return 0;
    return kntok_get_bool(r, o, "trim_offsets", true, &s->b) || kntok_get_bool(r, o, "add_prefix_space", true, &s->a)
               ? -1
               : 0;
}

int kntok_read_processor(const char *op, kntok_steps *to, const json_t *o, int depth)
{
    const kntok_reader r = {op, "a processor"};
    return read_any(&r, to, o, depth, "processors", processors, read_processor, kntok_read_processor);
}

/* ---- Decoders. */

static const char *const decoders[] = {"BPEDecoder", "ByteLevel", "WordPiece", "Metaspace",    "CTC",
                                       "Replace",    "Fuse",      "Strip",     "ByteFallback", NULL};

static int read_decoder(const kntok_reader *r, kntok_steps *to, const json_t *o, int which)
{
    static const enum kntok_kind kinds[] = {KNTOK_BPE_DECODER, 0,           KNTOK_WORDPIECE_DECODER, 0, KNTOK_CTC, 0,
                                            KNTOK_FUSE,        KNTOK_STRIP, KNTOK_BYTE_FALLBACK};
    if (which == 1)
        return read_byte_level(r, to, o);
    if (which == 3)
        return read_metaspace(r, to, o);
    if (which == 5)
        return read_replace(r, to, o);
    kntok_step *s = kntok_new_step(r->op, to, kinds[which]);
    if (!s)
        return -1;
    switch (s->kind) {
    case KNTOK_BPE_DECODER: return kntok_copy_text(r, o, "suffix", true, &s->text, &s->n);
    case KNTOK_WORDPIECE_DECODER:
        return kntok_copy_text(r, o, "prefix", true, &s->text, &s->n) || kntok_get_bool(r, o, "cleanup", true, &s->a)
                   ? -1
                   : 0;
    case KNTOK_CTC:
        return kntok_copy_text(r, o, "pad_token", true, &s->text, &s->n) ||
                       kntok_copy_text(r, o, "word_delimiter_token", true, &s->other, &s->n_other) ||
                       kntok_get_bool(r, o, "cleanup", true, &s->a)
                   ? -1
                   : 0;
    case KNTOK_STRIP:
        return kntok_get_char(r, o, "content", &s->character) ||
                       kntok_get_int(r, o, "start", true, 0, INT64_MAX, &s->i) ||
                       kntok_get_int(r, o, "stop", true, 0, INT64_MAX, &s->j)
                   ? -1
                   : 0;
    default: return 0;
    }
}

int kntok_read_decoder(const char *op, kntok_steps *to, const json_t *o, int depth)
{
    const kntok_reader r = {op, "a decoder"};
    return read_any(&r, to, o, depth, "decoders", decoders, read_decoder, kntok_read_decoder);
}
