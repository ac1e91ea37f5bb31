/* SPDX-License-Identifier: Apache-2.0
 * kiln/models/tokenizer.h -- tokenizers: texts become numbers and numbers texts, as a model was trained with:
 * Hugging Face's tokenizer.json, tiktoken's tables of byte pairs, GPT-2's encoder.json with its vocab.bpe,
 * sentencepiece's models.
 *
 * kn_tokenizer t = kn_tokenizer_load("tokenizer.json"); kn_tree in = kn_tokenizer_batch(t, texts, 2, NULL) is what a
 * model takes: "input_ids", "attention_mask" and more.
 *
 * A text is any bytes: what is not UTF-8 is U+FFFD, as other readers replace it. Texts without a length end with a
 * zero. A batch is encoded in several threads; a tokenizer itself belongs to the context that read it, as other
 * handles do (docs/models/tokenizers.md). */
/* Made by scripts/make-api.py from api/models/tokenizer.api. */
/* clang-format off */
#ifndef KILN_MODELS_TOKENIZER_H
#define KILN_MODELS_TOKENIZER_H
#include "kiln/tree.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_tokenizer_s *kn_tokenizer;       /* a handle of the scope */
typedef struct kn_token_stream_s *kn_token_stream; /* the same */

/* ---- Reading. */
/* A token beside the model's vocabulary, found in texts before anything else. */
typedef struct kn_added_token {
    const char *text;
    int32_t id;       /* -1: that of the vocabulary, else the next free one */
    bool special;     /* left out by kn_tokenizer_decode's skip_special */
    bool single_word; /* only where no letter or number stands beside it */
    bool lstrip;      /* takes the blanks in front of it */
    bool rstrip;      /* takes those behind it */
    bool normalized;  /* looked for in the normalized text */
} kn_added_token;
typedef struct kn_tokenizer_load_opts {
    size_t size_;
    /* what splits texts, for tables that do not say: "gpt2", "cl100k" and "o200k" are those of these names */
    const char *pattern;
    const char *merges;          /* a path: vocab.bpe, for a vocabulary in encoder.json */
    const kn_added_token *added; /* tokens to add */
    int64_t added_count;         /* how many */
} kn_tokenizer_load_opts;
KN_API kn_tokenizer_load_opts kn_tokenizer_load_opts_default(void);
/* loaders.tokenizers.getBpe: Reads a tokenizer by what is in the file: tokenizer.json; a table of base64 and ranks
 * (tiktoken), with .pattern; that table in the npm package's JSON, with its pattern; encoder.json with .merges; a
 * sentencepiece model. FileError for what cannot be read, ValueError for a damaged file, NotImplementedError for
 * parts that are not known and without PCRE2, jansson and utf8proc */
KN_API kn_tokenizer kn_tokenizer_load(const char *path, const kn_tokenizer_load_opts *opts);
/* The same of what is in memory; the bytes are copied */
KN_API kn_tokenizer kn_tokenizer_parse(const void *bytes, size_t n, const kn_tokenizer_load_opts *opts);
/* Adds tokens, or changes those that are there: 0; -1 and a ValueError */
KN_API int kn_tokenizer_add(kn_tokenizer tokenizer, const kn_added_token *added, int64_t n);

/* ---- From text to numbers. */
typedef struct kn_tokenizer_encode_opts {
    size_t size_;
    int64_t bytes;      /* -1: of the text; -1: up to its zero */
    const char *pair;   /* a second text, for models of two */
    int64_t pair_bytes; /* -1 */
    bool plain;         /* without the special tokens that the file's processor adds */
    int64_t max_length; /* as the file says: how many tokens at most; -1: all */
    int64_t stride;     /* how many tokens the parts that were cut off share */
    bool left;          /* what is cut off and padded is the beginning */
} kn_tokenizer_encode_opts;
KN_API kn_tokenizer_encode_opts kn_tokenizer_encode_opts_default(void);
/* loaders.tokenizers.BpeEncoding: The numbers of a text's tokens, int32 with one axis. ValueError if it has what the
 * vocabulary cannot say, or is too long */
KN_API kn_array kn_tokenizer_encode(kn_tokenizer tokenizer, const char *text, const kn_tokenizer_encode_opts *opts);
/* All that is known of a text's tokens. */
typedef struct kn_tokens {
    int64_t n;
    const int32_t *ids;
    const int32_t *types;    /* 0, and 1 in the second text, as the processor says */
    const int32_t *words;    /* which word of its text it is of; -1: none */
    const int32_t *sequence; /* 0 or 1: of which text; -1: of none */
    const int64_t *from;     /* where it begins in its text, and where it ends: in characters, or in bytes */
    const int64_t *to;
    const int32_t *special;  /* 1: put there by a processor, or for padding */
    const int32_t *mask;     /* 0: padding */
    int64_t overflow_count;  /* parts that truncation cut off */
    const struct kn_tokens *overflow;
} kn_tokens;
typedef struct kn_tokenizer_tokens_opts {
    size_t size_;
    int64_t bytes;      /* -1: of the text; -1: up to its zero */
    const char *pair;   /* a second text, for models of two */
    int64_t pair_bytes; /* -1 */
    bool plain;         /* without the special tokens that the file's processor adds */
    int64_t max_length; /* as the file says: how many tokens at most; -1: all */
    int64_t stride;     /* how many tokens the parts that were cut off share */
    bool left;          /* what is cut off and padded is the beginning */
    bool byte_offsets;  /* offsets count bytes, instead of characters */
} kn_tokenizer_tokens_opts;
KN_API kn_tokenizer_tokens_opts kn_tokenizer_tokens_opts_default(void);
/* All that is known of a text's tokens, as plain C: offsets, words, masks. It lives as long as the scope. NULL with
 * an error */
KN_API const kn_tokens *kn_tokenizer_tokens(kn_tokenizer tokenizer, const char *text,
    const kn_tokenizer_tokens_opts *opts);
typedef struct kn_tokenizer_batch_opts {
    size_t size_;
    const int64_t *bytes;      /* of each text; NULL: up to their zeros */
    const char *const *pairs;  /* second texts */
    const int64_t *pair_bytes; /* of each second text */
    bool plain;                /* without the special tokens that the file's processor adds */
    int64_t max_length;        /* as the file says: how many tokens at most; -1: all */
    int64_t stride;            /* how many tokens the parts that were cut off share */
    bool left;                 /* what is cut off and padded is the beginning */
    /* the longest one's length, or as the file says: how many tokens each row has at least */
    int64_t pad_to;
    int64_t multiple;          /* as the file says: rows have a multiple of so many */
    int32_t pad_id;            /* as the file says: the number that fills rows */
    bool byte_offsets;         /* offsets count bytes, instead of characters */
    int threads;               /* kn_threads_available(): how many encode */
} kn_tokenizer_batch_opts;
KN_API kn_tokenizer_batch_opts kn_tokenizer_batch_opts_default(void);
/* Texts as what a model takes, a dictionary of arrays (n, length): "input_ids", "token_type_ids", "attention_mask",
 * "special_tokens_mask", "word_ids" (-1: none), all int32, and "offsets" (n, length, 2), int64. Shorter rows are
 * filled */
KN_API kn_tree kn_tokenizer_batch(kn_tokenizer tokenizer, const char *const *texts, int64_t n,
    const kn_tokenizer_batch_opts *opts);
/* What kn_tokenizer_tokens gives of each of n texts, worked out in several threads; rows are not filled. It lives as
 * long as the scope */
KN_API const kn_tokens *kn_tokenizer_tokens_batch(kn_tokenizer tokenizer, const char *const *texts, int64_t n,
    const kn_tokenizer_batch_opts *opts);

/* ---- From numbers to text. */
typedef struct kn_tokenizer_decode_opts {
    size_t size_;
    bool skip_special; /* leaves special tokens out */
    int64_t *bytes;    /* where the length of the text is put */
} kn_tokenizer_decode_opts;
KN_API kn_tokenizer_decode_opts kn_tokenizer_decode_opts_default(void);
/* The text of numbers, as the file's decoder makes it; bytes that are no UTF-8 become U+FFFD. It lives as long as
 * the scope. Numbers that no token has are left out. TypeError if ids are not integers */
KN_API const char *kn_tokenizer_decode(kn_tokenizer tokenizer, kn_array ids, const kn_tokenizer_decode_opts *opts);
typedef struct kn_tokenizer_stream_opts {
    size_t size_;
    bool skip_special; /* leaves special tokens out */
} kn_tokenizer_stream_opts;
KN_API kn_tokenizer_stream_opts kn_tokenizer_stream_opts_default(void);
/* Text as it is generated, one number at a time; the tokenizer has to live while it is used */
KN_API kn_token_stream kn_tokenizer_stream(kn_tokenizer tokenizer, const kn_tokenizer_stream_opts *opts);
/* What the text has more with that token; "" while it ends within a character, which comes with the token that
 * completes it. It lives until the next call; a zero byte in the text ends it early. NULL with an error */
KN_API const char *kn_token_stream_next(kn_token_stream stream, int32_t id);
/* What was kept back, with U+FFFD for the broken character; the stream begins anew */
KN_API const char *kn_token_stream_end(kn_token_stream stream);

/* ---- The vocabulary. */
/* The number of tokens, with those that were added; -1 with an error */
KN_API int64_t kn_tokenizer_size(kn_tokenizer tokenizer);
/* The number of a token; -1 if there is none (no error), or with an error */
KN_API int32_t kn_tokenizer_id(kn_tokenizer tokenizer, const char *token);
/* The token of a number, as the file writes it; NULL if there is none (no error). It lives as long as the tokenizer
 * is not changed */
KN_API const char *kn_tokenizer_token(kn_tokenizer tokenizer, int32_t id);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_tokenizer_load(path, ...)                                                                                   \
    KN_G1O(kn_tokenizer_load, kn_tokenizer_load_opts, (), const char *, path, __VA_ARGS__)
#define kn_tokenizer_encode(tokenizer, text, ...)                                                                      \
    KN_G2O(kn_tokenizer_encode, kn_tokenizer_encode_opts, (.bytes = -1, .pair_bytes = -1, ), kn_tokenizer, tokenizer,  \
    const char *, text, __VA_ARGS__)
#define kn_tokenizer_tokens(tokenizer, text, ...)                                                                      \
    KN_G2O(kn_tokenizer_tokens, kn_tokenizer_tokens_opts, (.bytes = -1, .pair_bytes = -1, ), kn_tokenizer, tokenizer,  \
    const char *, text, __VA_ARGS__)
#define kn_tokenizer_decode(tokenizer, ids, ...) KN_TOKENIZER_DECODE_(__COUNTER__, tokenizer, ids, __VA_ARGS__)
#define KN_TOKENIZER_DECODE_(c, tokenizer, ids, ...)                                                                   \
    __extension__({ KN_TAKE(kn_tokenizer, 1, c, tokenizer) kn_array KN_V(2, c) = KN_LIKE(ids); KN_OPTS(c,              \
    kn_tokenizer_decode_opts, (), __VA_ARGS__) KN_HERE(); (kn_tokenizer_decode)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); \
    })
#define kn_tokenizer_stream(tokenizer, ...)                                                                            \
    KN_G1O(kn_tokenizer_stream, kn_tokenizer_stream_opts, (), kn_tokenizer, tokenizer, __VA_ARGS__)
#define kn_token_stream_next(stream, id) KN_G2(kn_token_stream_next, kn_token_stream, stream, int32_t, id)
#define kn_token_stream_end(stream) KN_G1(kn_token_stream_end, kn_token_stream, stream)
#define kn_tokenizer_size(tokenizer) KN_G1(kn_tokenizer_size, kn_tokenizer, tokenizer)
#define kn_tokenizer_id(tokenizer, token) KN_G2(kn_tokenizer_id, kn_tokenizer, tokenizer, const char *, token)
#define kn_tokenizer_token(tokenizer, id) KN_G2(kn_tokenizer_token, kn_tokenizer, tokenizer, int32_t, id)
#endif
#endif
