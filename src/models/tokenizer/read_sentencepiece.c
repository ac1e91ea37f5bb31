/* SPDX-License-Identifier: Apache-2.0
 * read_sentencepiece.c -- sentencepiece's models. */
#include "models/tokenizer/read_json.h"
int kntok_read_sentencepiece(const char *op, kntok_tokenizer *t, const uint8_t *bytes, size_t n)
{
    (void)t, (void)bytes, (void)n;
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED, "x");
}
