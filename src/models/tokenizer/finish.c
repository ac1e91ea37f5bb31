/* SPDX-License-Identifier: Apache-2.0
 * finish.c -- what follows from the parts of a tokenizer when all are read; its end. */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>

static void find_fallbacks(kntok_tokenizer *t)
{
    for (int i = 0; i < 256; i++) {
        char text[8];
        snprintf(text, sizeof text, "<0x%02X>", (unsigned)i);
        t->fallback[i] = kntok_map_get(&t->vocab.map, text, 6);
    }
}

/* A token's bytes, if all of its characters are ByteLevel's. */
static bool bytes_of(const char *s, size_t n, knbeside_bytes *to)
{
    uint32_t c;
    to->n = 0;
    for (size_t i = 0; i < n;) {
        i += (size_t)kntok_read((const uint8_t *)s + i, &c);
        int byte = kntok_char_byte(c);
        if (byte < 0)
            return false;
        knbeside_put(to, &(uint8_t){(uint8_t)byte}, 1);
    }
    return true;
}

/* Whether pieces may stay bytes: ByteLevel is the last step, and each byte is a token. */
static bool stays_bytes(kntok_tokenizer *t)
{
    size_t levels = 0;
    uint8_t text[4];
    for (size_t i = 0; i < t->pretokenizers.n; i++)
        levels += t->pretokenizers.at[i].kind == KNTOK_BYTE_LEVEL;
    if (t->model != KNTOK_BPE || t->prefix || t->suffix || levels != 1 ||
        t->pretokenizers.at[t->pretokenizers.n - 1].kind != KNTOK_BYTE_LEVEL)
        return false;
    for (int i = 0; i < 256; i++) {
        t->byte_id[i] = kntok_map_get(&t->vocab.map, text, (size_t)kntok_write(kntok_byte_char[i], text));
        if (t->byte_id[i] < 0)
            return false;
    }
    return true;
}

static int make_raw(const char *op, kntok_tokenizer *t)
{
    knbeside_bytes bytes = {0};
    bool good = true;
    for (int32_t id = 0; id < t->vocab.top && good && t->whole_first; id++) {
        size_t n = 0;
        const char *s = kntok_vocab_text(&t->vocab, id, &n);
        if (s && n && bytes_of(s, n, &bytes))
            good = !bytes.failed && kntok_map_set(&t->raw, bytes.at, bytes.n, id);
    }
    knbeside_bytes_free(&bytes);
    return good ? 0 : knbeside_no_memory(op);
}

int kntok_finish(const char *op, kntok_tokenizer *t)
{
    if (t->unk)
        t->unk_id = kntok_map_get(&t->vocab.map, t->unk, t->n_unk);
    if (!t->merges.slot &&
        !kntok_pairs_set(&t->merges, INT32_MAX, INT32_MAX, UINT32_MAX, -1)) /* so that looking ends */
        return knbeside_no_memory(op);
    find_fallbacks(t);
    for (size_t i = 0; i < t->processors.n; i++) {
        const kntok_step *s = &t->processors.at[i];
        t->trims |= (s->kind == KNTOK_BYTE_LEVEL || s->kind == KNTOK_ROBERTA) && s->b;
    }
    for (size_t i = 0; i < t->normalizers.n; i++)
        if (t->normalizers.at[i].kind <= KNTOK_NFKD && !kntok_compose_ready())
            return knbeside_no_memory(op);
    t->bytes = stays_bytes(t);
    return t->bytes ? make_raw(op, t) : 0;
}

static void free_steps(kntok_steps *s)
{
    for (size_t i = 0; i < s->n; i++) {
        kntok_step *step = &s->at[i];
        free(step->text);
        free(step->other);
        free(step->charsmap);
        kntok_pattern_free(step->pattern);
        for (int k = 0; k < 2; k++) {
            for (size_t j = 0; j < step->n_part[k]; j++)
                free(step->part[k][j].ids);
            free(step->part[k]);
        }
    }
    free(s->at);
}

void kntok_free(kntok_tokenizer *t)
{
    kntok_vocab_free(&t->vocab);
    kntok_map_free(&t->raw);
    kntok_map_free(&t->added_map);
    free(t->merges.slot);
    free(t->unk);
    free(t->prefix);
    free(t->suffix);
    free(t->score);
    kntok_trie_free(&t->trie);
    kntok_trie_free(&t->added_trie[0]);
    kntok_trie_free(&t->added_trie[1]);
    free_steps(&t->normalizers);
    free_steps(&t->pretokenizers);
    free_steps(&t->processors);
    free_steps(&t->decoders);
    for (size_t i = 0; i < t->n_added; i++) {
        free(t->added[i].text);
        free(t->added[i].normal);
    }
    free(t->added);
    free(t->added_by_id);
    while (t->free) {
        kntok_work *next = t->free->next;
        kntok_work_free(t->free);
        t->free = next;
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}
