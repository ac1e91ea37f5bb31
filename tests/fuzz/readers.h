/* SPDX-License-Identifier: Apache-2.0
 * readers.h -- what readers.c runs: a reader with good inputs, words that mean something to it, and one run. */
#ifndef FUZZ_READERS_H
#define FUZZ_READERS_H
#include "kiln/kiln.h"

enum { READERS_ROOM = 1 << 14 };

typedef struct readers_input {
    size_t n;
    char bytes[READERS_ROOM + 1]; /* a NUL behind the last one */
} readers_input;

typedef struct reader {
    const char *name;
    /* Reads it; counts it in *accepted if it was good. What is wrong, or NULL. */
    const char *(*run)(const readers_input *in, uint64_t *accepted);
    const readers_input *good;
    int n_good;
    const char *const *words;
    int n_words;
} reader;

extern reader readers[]; /* the last one has no name */
void readers_begin(void); /* makes the good inputs */
void readers_end(void);
uint32_t readers_below(uint32_t n); /* for choices that belong to the input */

/* ---- Files of models (reader_weights.c). */

const char *readers_run_safetensors(const readers_input *in, uint64_t *accepted);
const char *readers_run_gguf(const readers_input *in, uint64_t *accepted);
void readers_add_weights(reader *safetensors, reader *gguf, void (*add)(reader *r, const void *bytes, size_t n));

/* ---- Tokenizers (reader_tokenizer.c). */

const char *readers_run_tokenizer(const readers_input *in, uint64_t *accepted);
void readers_add_tokenizers(reader *r, void (*add)(reader *r, const void *bytes, size_t n));

/* ---- Files of ONNX (reader_onnx.c). */

const char *readers_run_onnx(const readers_input *in, uint64_t *accepted);
void readers_add_onnx(reader *r, void (*add)(reader *r, const void *bytes, size_t n));
#endif
