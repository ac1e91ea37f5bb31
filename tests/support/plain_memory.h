/* SPDX-License-Identifier: Apache-2.0
 * plain_memory.h -- memory of a provider's device that is the host's: its functions in a kn_provider. */
#ifndef KN_TEST_PLAIN_MEMORY_H
#define KN_TEST_PLAIN_MEMORY_H
#include "kiln/kiln.h"

int plain_alloc(void *env, size_t bytes, void **memory); /* 64-byte aligned */
void plain_free(void *env, void *memory);
int plain_copy_in(void *env, void *to, size_t at, const void *from, size_t bytes);
int plain_copy_out(void *env, void *to, void *from, size_t at, size_t bytes);
int plain_copy(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes);
#define PLAIN_MEMORY                                                                                                   \
    .alloc = plain_alloc, .free = plain_free, .copy_in = plain_copy_in, .copy_out = plain_copy_out, .copy = plain_copy
#endif
