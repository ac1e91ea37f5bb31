/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/models/tokenizer.hpp -- the functions of kiln/models/tokenizer.h in C++. */
/* Made by scripts/make-api.py from api/models/tokenizer.api. */
/* clang-format off */
#ifndef KILN_CPP_MODELS_TOKENIZER_HPP
#define KILN_CPP_MODELS_TOKENIZER_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/tree.hpp"

namespace kiln {
struct tokenizer_load_opts {
    KILN_OPTION((::kiln::text), pattern, {})
    KILN_OPTION((::kiln::text), merges, {}) /* a path: vocab.bpe, for a vocabulary in encoder.json */
    KILN_OPTION((const kn_added_token *), added, {}) /* tokens to add */
    KILN_OPTION((int64_t), added_count, {}) /* how many */
    kn_tokenizer_load_opts c() const {
        kn_tokenizer_load_opts to_ = {}; to_.size_ = sizeof to_; to_.pattern = detail::c_of(pattern);
        to_.merges = detail::c_of(merges); to_.added = detail::c_of(added); to_.added_count = detail::c_of(added_count);
        return to_; }
};
/* loaders.tokenizers.getBpe: Reads a tokenizer by what is in the file: tokenizer.json; a table of base64 and ranks
 * (tiktoken), with .pattern; that table in the npm package's JSON, with its pattern; encoder.json with .merges; a
 * sentencepiece model. FileError for what cannot be read, ValueError for a damaged file, NotImplementedError for
 * parts that are not known and without PCRE2, jansson and utf8proc */
inline kn_tokenizer tokenizer_load(const ::kiln::text &path, const ::kiln::tokenizer_load_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_tokenizer_load_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_tokenizer_load(path.c(), &opts_c)); }
using tokenizer_parse_opts = ::kiln::tokenizer_load_opts;
/* The same of what is in memory; the bytes are copied */
inline kn_tokenizer tokenizer_parse(const void *bytes, size_t n, const ::kiln::tokenizer_load_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_tokenizer_load_opts opts_c = opts.c(); c_.here(); return c_.value(kn_tokenizer_parse(bytes,
    n, &opts_c)); }
/* Adds tokens, or changes those that are there: 0; -1 and a ValueError */
inline int tokenizer_add(kn_tokenizer tokenizer, const std::vector<kn_added_token> &added, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tokenizer_add(tokenizer, added.data(),
    static_cast<int64_t>(added.size()))); }
struct tokenizer_encode_opts {
    KILN_OPTION((int64_t), bytes, -1) /* of the text; -1: up to its zero */
    KILN_OPTION((::kiln::text), pair, {}) /* a second text, for models of two */
    KILN_OPTION((int64_t), pair_bytes, -1)
    KILN_OPTION((bool), plain, {}) /* without the special tokens that the file's processor adds */
    KILN_OPTION((int64_t), max_length, {}) /* how many tokens at most; -1: all */
    KILN_OPTION((int64_t), stride, {}) /* how many tokens the parts that were cut off share */
    KILN_OPTION((bool), left, {}) /* what is cut off and padded is the beginning */
    kn_tokenizer_encode_opts c() const {
        kn_tokenizer_encode_opts to_ = {}; to_.size_ = sizeof to_; to_.bytes = detail::c_of(bytes);
        to_.pair = detail::c_of(pair); to_.pair_bytes = detail::c_of(pair_bytes); to_.plain = detail::c_of(plain);
        to_.max_length = detail::c_of(max_length); to_.stride = detail::c_of(stride); to_.left = detail::c_of(left);
        return to_; }
};
/* loaders.tokenizers.BpeEncoding: The numbers of a text's tokens, int32 with one axis. ValueError if it has what the
 * vocabulary cannot say, or is too long */
inline array tokenizer_encode(kn_tokenizer tokenizer, const ::kiln::text &text, const ::kiln::tokenizer_encode_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_tokenizer_encode_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_tokenizer_encode(tokenizer, text.c(), &opts_c))); }
struct tokenizer_tokens_opts {
    KILN_OPTION((int64_t), bytes, -1) /* of the text; -1: up to its zero */
    KILN_OPTION((::kiln::text), pair, {}) /* a second text, for models of two */
    KILN_OPTION((int64_t), pair_bytes, -1)
    KILN_OPTION((bool), plain, {}) /* without the special tokens that the file's processor adds */
    KILN_OPTION((int64_t), max_length, {}) /* how many tokens at most; -1: all */
    KILN_OPTION((int64_t), stride, {}) /* how many tokens the parts that were cut off share */
    KILN_OPTION((bool), left, {}) /* what is cut off and padded is the beginning */
    KILN_OPTION((bool), byte_offsets, {}) /* offsets count bytes, instead of characters */
    kn_tokenizer_tokens_opts c() const {
        kn_tokenizer_tokens_opts to_ = {}; to_.size_ = sizeof to_; to_.bytes = detail::c_of(bytes);
        to_.pair = detail::c_of(pair); to_.pair_bytes = detail::c_of(pair_bytes); to_.plain = detail::c_of(plain);
        to_.max_length = detail::c_of(max_length); to_.stride = detail::c_of(stride); to_.left = detail::c_of(left);
        to_.byte_offsets = detail::c_of(byte_offsets); return to_; }
};
/* All that is known of a text's tokens, as plain C: offsets, words, masks. It lives as long as the scope. NULL with
 * an error */
inline const kn_tokens *tokenizer_tokens(kn_tokenizer tokenizer, const ::kiln::text &text, const
    ::kiln::tokenizer_tokens_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_tokenizer_tokens_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_tokenizer_tokens(tokenizer, text.c(), &opts_c)); }
struct tokenizer_batch_opts {
    KILN_OPTION((const int64_t *), bytes, {}) /* of each text; NULL: up to their zeros */
    KILN_OPTION((const char *const *), pairs, {}) /* second texts */
    KILN_OPTION((const int64_t *), pair_bytes, {}) /* of each second text */
    KILN_OPTION((bool), plain, {}) /* without the special tokens that the file's processor adds */
    KILN_OPTION((int64_t), max_length, {}) /* how many tokens at most; -1: all */
    KILN_OPTION((int64_t), stride, {}) /* how many tokens the parts that were cut off share */
    KILN_OPTION((bool), left, {}) /* what is cut off and padded is the beginning */
    KILN_OPTION((int64_t), pad_to, {}) /* how many tokens each row has at least */
    KILN_OPTION((int64_t), multiple, {}) /* rows have a multiple of so many */
    KILN_OPTION((int32_t), pad_id, {}) /* the number that fills rows */
    KILN_OPTION((bool), byte_offsets, {}) /* offsets count bytes, instead of characters */
    KILN_OPTION((int), threads, {}) /* how many encode */
    kn_tokenizer_batch_opts c() const {
        kn_tokenizer_batch_opts to_ = {}; to_.size_ = sizeof to_; to_.bytes = detail::c_of(bytes);
        to_.pairs = detail::c_of(pairs); to_.pair_bytes = detail::c_of(pair_bytes); to_.plain = detail::c_of(plain);
        to_.max_length = detail::c_of(max_length); to_.stride = detail::c_of(stride); to_.left = detail::c_of(left);
        to_.pad_to = detail::c_of(pad_to); to_.multiple = detail::c_of(multiple); to_.pad_id = detail::c_of(pad_id);
        to_.byte_offsets = detail::c_of(byte_offsets); to_.threads = detail::c_of(threads); return to_; }
};
/* Texts as what a model takes, a dictionary of arrays (n, length): "input_ids", "token_type_ids", "attention_mask",
 * "special_tokens_mask", "word_ids" (-1: none), all int32, and "offsets" (n, length, 2), int64. Shorter rows are
 * filled */
inline pytree tokenizer_batch(kn_tokenizer tokenizer, const char *const *texts, int64_t n, const
    ::kiln::tokenizer_batch_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_tokenizer_batch_opts opts_c = opts.c(); c_.here(); return
    pytree(c_.take(kn_tokenizer_batch(tokenizer, texts, n, &opts_c))); }
using tokenizer_tokens_batch_opts = ::kiln::tokenizer_batch_opts;
/* What kn_tokenizer_tokens gives of each of n texts, worked out in several threads; rows are not filled. It lives as
 * long as the scope */
inline const kn_tokens *tokenizer_tokens_batch(kn_tokenizer tokenizer, const char *const *texts, int64_t n, const
    ::kiln::tokenizer_batch_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_tokenizer_batch_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_tokenizer_tokens_batch(tokenizer, texts, n, &opts_c)); }
struct tokenizer_decode_opts {
    KILN_OPTION((bool), skip_special, {}) /* leaves special tokens out */
    KILN_OPTION((int64_t *), bytes, {}) /* where the length of the text is put */
    kn_tokenizer_decode_opts c() const {
        kn_tokenizer_decode_opts to_ = {}; to_.size_ = sizeof to_; to_.skip_special = detail::c_of(skip_special);
        to_.bytes = detail::c_of(bytes); return to_; }
};
/* The text of numbers, as the file's decoder makes it; bytes that are no UTF-8 become U+FFFD. It lives as long as
 * the scope. Numbers that no token has are left out. TypeError if ids are not integers */
inline std::string tokenizer_decode(kn_tokenizer tokenizer, const ::kiln::operand &ids, const
    ::kiln::tokenizer_decode_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array ids_h = ids.c(); kn_tokenizer_decode_opts opts_c = opts.c(); c_.here(); return
    c_.text(kn_tokenizer_decode(tokenizer, ids_h, &opts_c)); }
struct tokenizer_stream_opts {
    KILN_OPTION((bool), skip_special, {}) /* leaves special tokens out */
    kn_tokenizer_stream_opts c() const {
        kn_tokenizer_stream_opts to_ = {}; to_.size_ = sizeof to_; to_.skip_special = detail::c_of(skip_special); return
        to_; }
};
/* Text as it is generated, one number at a time; the tokenizer has to live while it is used */
inline kn_token_stream tokenizer_stream(kn_tokenizer tokenizer, const ::kiln::tokenizer_stream_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_tokenizer_stream_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_tokenizer_stream(tokenizer, &opts_c)); }
/* What the text has more with that token; "" while it ends within a character, which comes with the token that
 * completes it. It lives until the next call; a zero byte in the text ends it early. NULL with an error */
inline std::string token_stream_next(kn_token_stream stream, int32_t id, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_token_stream_next(stream, id)); }
/* What was kept back, with U+FFFD for the broken character; the stream begins anew */
inline std::string token_stream_end(kn_token_stream stream, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_token_stream_end(stream)); }
/* The number of tokens, with those that were added; -1 with an error */
inline int64_t tokenizer_size(kn_tokenizer tokenizer, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tokenizer_size(tokenizer)); }
/* The number of a token; -1 if there is none (no error), or with an error */
inline int32_t tokenizer_id(kn_tokenizer tokenizer, const ::kiln::text &token, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_tokenizer_id(tokenizer, token.c())); }
/* The token of a number, as the file writes it; NULL if there is none (no error). It lives as long as the tokenizer
 * is not changed */
inline std::string tokenizer_token(kn_tokenizer tokenizer, int32_t id, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_tokenizer_token(tokenizer, id)); }
} // namespace kiln
#endif
