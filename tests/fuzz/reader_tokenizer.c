/* SPDX-License-Identifier: Apache-2.0
 * reader_tokenizer.c -- readers of tokenizers: tokenizer.json, tables of byte pairs, sentencepiece's models. What is
 * accepted encodes and decodes texts, and offsets lie in them. */
#include "readers.h"
#include "kiln/models.h"
#include <stdlib.h>
#include <string.h>

#include "unit/models/tokenizer_cases.h"

static const char *const texts[] = {"the cat's 12 cats\u00a0\u4f60e\u0301 \U0001f600[MASK] !", "\xff\xe4\xbd a\n\n  b",
                                    ""};

static const char *wrong_tokens(kn_tokenizer t, const char *text)
{
    const kn_tokens *k = kn_tokenizer_tokens(t, text, .byte_offsets = true);
    if (!k) {
        if (strcmp(kn_error_kind_name(), "ValueError") != 0)
            return "a text is refused with another error than ValueError";
        kn_error_clear();
        return NULL;
    }
    for (int64_t i = 0; i < k->n; i++)
        if (k->from[i] < 0 || k->to[i] < k->from[i] || k->to[i] > (int64_t)strlen(text) || k->ids[i] < 0)
            return "a token lies outside of its text";
    kn_array ids = kn_from_memory(k->ids, &(kn_shape){1, {k->n}}, KN_I32);
    if (!kn_tokenizer_decode(t, ids) || !kn_tokenizer_decode(t, ids, .skip_special = true))
        return "tokens have no text";
    kn_token_stream s = kn_tokenizer_stream(t);
    for (int64_t i = 0; i < k->n && i < 40; i++)
        if (!kn_token_stream_next(s, k->ids[i]))
            return "a stream ends";
    return kn_token_stream_end(s) ? NULL : "a stream has no end";
}

const char *readers_run_tokenizer(const readers_input *in, uint64_t *accepted)
{
    KN_SCOPE;
    kn_tokenizer_load_opts o = kn_tokenizer_load_opts_default();
    o.pattern = "cl100k";
    char *exact = malloc(in->n + !in->n);
    memcpy(exact, in->bytes, in->n);
    kn_tokenizer t = kn_tokenizer_parse(exact, in->n, &o);
    const char *wrong = NULL;
    free(exact);
    if (!t) {
        kn_error_clear();
        return NULL;
    }
    ++*accepted;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !wrong; i++)
        wrong = wrong_tokens(t, texts[i]);
    return wrong;
}

static void add_ranks(reader *r, void (*add)(reader *r, const void *bytes, size_t n))
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char more[] = "dGg= 256\ndGhl 257\nIGM= 258\nYXQ= 259\nIGNhdA== 260\n";
    char table[4096];
    int n = 0;
    for (int i = 0; i < 256; i++)
        n += snprintf(table + n, sizeof table - (size_t)n, "%c%c== %d\n", digits[i >> 2], digits[(i & 3) << 4], i);
    n += snprintf(table + n, sizeof table - (size_t)n, "%s", more);
    add(r, table, (size_t)n);
}

/* A sentencepiece model of few pieces: of this type, 1 or 2. */
static void add_pieces(reader *r, void (*add)(reader *r, const void *bytes, size_t n), char type)
{
    static const struct {
        const char *text;
        char type;
        float score;
    } pieces[] = {{"<unk>", 2, 0},  {"<s>", 3, 0}, {"\u2581", 1, -2}, {"t", 1, -3},    {"h", 1, -4},
                  {"th", 1, -2.5f}, {"a", 1, -3},  {"e", 1, -5},      {"[MASK]", 4, 0}};
    char bytes[512];
    size_t n = 0;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t length = strlen(pieces[i].text);
        bytes[n++] = 10;
        bytes[n++] = (char)(length + 9);
        bytes[n++] = 10;
        bytes[n++] = (char)length;
        memcpy(bytes + n, pieces[i].text, length);
        n += length;
        bytes[n++] = 21;
        memcpy(bytes + n, &pieces[i].score, 4);
        n += 4;
        bytes[n++] = 24;
        bytes[n++] = pieces[i].type;
    }
    const char settings[] = {18, 2, 24, type, 26, 4, 24, 1, 32, 1};
    memcpy(bytes + n, settings, sizeof settings);
    add(r, bytes, n + sizeof settings);
}

void readers_add_tokenizers(reader *r, void (*add)(reader *r, const void *bytes, size_t n))
{
    for (int i = 0; i < KINDS; i++)
        add(r, kinds[i].json, strlen(kinds[i].json));
    add_ranks(r, add);
    add_pieces(r, add, 1);
    add_pieces(r, add, 2);
}
