/* SPDX-License-Identifier: Apache-2.0
 * read_json.h -- members of JSON objects with errors that name them. */
#ifndef KN_MODELS_TOKENIZER_READ_JSON_H
#define KN_MODELS_TOKENIZER_READ_JSON_H
#include "models/tokenizer/tokenizer.h"
#include <jansson.h>

/* What is read: the operation, and what its errors speak of ("the model", "Strip"). */
typedef struct kntok_reader {
    const char *op;
    const char *what;
} kntok_reader;

/* A member of an object: 0, or -1 with an error. Defaults stay where a member is missing or null and not needed. */
int kntok_get_bool(const kntok_reader *r, const json_t *o, const char *key, bool needed, bool *to);
int kntok_get_int(const kntok_reader *r, const json_t *o, const char *key, bool needed, int64_t low, int64_t high,
                  int64_t *to);
int kntok_get_text(const kntok_reader *r, const json_t *o, const char *key, bool needed, const char **to, size_t *n);
/* The same, copied: free() it. */
int kntok_copy_text(const kntok_reader *r, const json_t *o, const char *key, bool needed, char **to, size_t *n);
/* One of a list of words, which ends with NULL. */
int kntok_get_word(const kntok_reader *r, const json_t *o, const char *key, bool needed, const char *const *words,
                   int *to);
int kntok_get_char(const kntok_reader *r, const json_t *o, const char *key, uint32_t *to);
/* A member of a type; NULL with an error. */
json_t *kntok_get(const kntok_reader *r, const json_t *o, const char *key, json_type type);
int kntok_bad(const kntok_reader *r, const char *key, const char *why);

int kntok_read_vocab(const kntok_reader *r, kntok_tokenizer *t, json_t *o);
int kntok_add_merge(const kntok_reader *r, kntok_tokenizer *t, size_t i, const char *const half[2], const size_t n[2],
                    knbeside_bytes *made);
int kntok_read_npm(const char *op, kntok_tokenizer *t, const json_t *o, const char *pattern);
int kntok_read_encoder(const char *op, kntok_tokenizer *t, json_t *o, const char *merges);
int kntok_read_model(const char *op, kntok_tokenizer *t, const json_t *o);
int kntok_read_normalizer(const char *op, kntok_steps *to, const json_t *o, int depth);
int kntok_read_pretokenizer(const char *op, kntok_steps *to, const json_t *o, int depth);
int kntok_read_processor(const char *op, kntok_steps *to, const json_t *o, int depth);
int kntok_read_decoder(const char *op, kntok_steps *to, const json_t *o, int depth);
int kntok_put_charsmap(const kntok_reader *r, kntok_step *s, const knbeside_bytes *b);
kntok_step *kntok_new_step(const char *op, kntok_steps *to, enum kntok_kind kind);
#endif
