/* SPDX-License-Identifier: Apache-2.0
 * without.c -- the public functions of tokenizers where jansson, PCRE2 or utf8proc are missing: errors that say so. */
#ifndef KN_HAVE_TEXT
#include "models/models.h"
#include "kiln/models/tokenizer.h"

static int missing(const char *op)
{
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED, "no tokenizers: built without jansson, PCRE2 and utf8proc");
}

kn_tokenizer kn_tokenizer_load(const char *path, const kn_tokenizer_load_opts *opts)
{
    (void)path, (void)opts;
    missing("tokenizer_load");
    return NULL;
}

kn_tokenizer kn_tokenizer_parse(const void *bytes, size_t n, const kn_tokenizer_load_opts *opts)
{
    (void)bytes, (void)n, (void)opts;
    missing("tokenizer_parse");
    return NULL;
}

int kn_tokenizer_add(kn_tokenizer tokenizer, const kn_added_token *added, int64_t n)
{
    (void)tokenizer, (void)added, (void)n;
    return missing("tokenizer_add");
}

kn_array kn_tokenizer_encode(kn_tokenizer tokenizer, const char *text, const kn_tokenizer_encode_opts *opts)
{
    (void)tokenizer, (void)text, (void)opts;
    missing("tokenizer_encode");
    return knbeside_failed();
}

const kn_tokens *kn_tokenizer_tokens(kn_tokenizer tokenizer, const char *text, const kn_tokenizer_tokens_opts *opts)
{
    (void)tokenizer, (void)text, (void)opts;
    missing("tokenizer_tokens");
    return NULL;
}

kn_tree kn_tokenizer_batch(kn_tokenizer tokenizer, const char *const *texts, int64_t n,
                           const kn_tokenizer_batch_opts *opts)
{
    (void)tokenizer, (void)texts, (void)n, (void)opts;
    missing("tokenizer_batch");
    return NULL;
}

const kn_tokens *kn_tokenizer_tokens_batch(kn_tokenizer tokenizer, const char *const *texts, int64_t n,
                                           const kn_tokenizer_batch_opts *opts)
{
    (void)tokenizer, (void)texts, (void)n, (void)opts;
    missing("tokenizer_tokens_batch");
    return NULL;
}

const char *kn_tokenizer_decode(kn_tokenizer tokenizer, kn_array ids, const kn_tokenizer_decode_opts *opts)
{
    (void)tokenizer, (void)ids, (void)opts;
    missing("tokenizer_decode");
    return NULL;
}

kn_token_stream kn_tokenizer_stream(kn_tokenizer tokenizer, const kn_tokenizer_stream_opts *opts)
{
    (void)tokenizer, (void)opts;
    missing("tokenizer_stream");
    return NULL;
}

const char *kn_token_stream_next(kn_token_stream stream, int32_t id)
{
    (void)stream, (void)id;
    missing("token_stream_next");
    return NULL;
}

const char *kn_token_stream_end(kn_token_stream stream)
{
    (void)stream;
    missing("token_stream_end");
    return NULL;
}

int64_t kn_tokenizer_size(kn_tokenizer tokenizer)
{
    (void)tokenizer;
    return missing("tokenizer_size");
}

int32_t kn_tokenizer_id(kn_tokenizer tokenizer, const char *token)
{
    (void)tokenizer, (void)token;
    return missing("tokenizer_id");
}

const char *kn_tokenizer_token(kn_tokenizer tokenizer, int32_t id)
{
    (void)tokenizer, (void)id;
    missing("tokenizer_token");
    return NULL;
}
#endif
