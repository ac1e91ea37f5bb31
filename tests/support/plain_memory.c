/* SPDX-License-Identifier: Apache-2.0
 * plain_memory.c -- a provider's memory that is the host's. */
#include "support/plain_memory.h"
#include <stdlib.h>
#include <string.h>

int plain_alloc(void *env, size_t bytes, void **memory)
{
    (void)env;
    return !(*memory = aligned_alloc(64, (bytes + 64) / 64 * 64));
}

void plain_free(void *env, void *memory)
{
    (void)env;
    free(memory);
}

int plain_copy_in(void *env, void *to, size_t at, const void *from, size_t bytes)
{
    (void)env;
    memcpy((char *)to + at, from, bytes);
    return 0;
}

int plain_copy_out(void *env, void *to, void *from, size_t at, size_t bytes)
{
    (void)env;
    memcpy(to, (char *)from + at, bytes);
    return 0;
}

int plain_copy(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes)
{
    (void)env;
    memmove((char *)to + to_at, (char *)from + from_at, bytes);
    return 0;
}
