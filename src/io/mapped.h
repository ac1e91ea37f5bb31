/* SPDX-License-Identifier: Apache-2.0
 * mapped.h -- the bytes of a whole file as memory, for as long as somebody holds them: mapped, or read where files
 * are not mapped. */
#ifndef KN_IO_MAPPED_H
#define KN_IO_MAPPED_H
#include "base/memory.h"

typedef struct knio_mapped {
    atomic_int refs;
    void *base;
    size_t bytes;
    void (*release)(void *base, void *env); /* of memory that somebody gave; NULL: nothing is to be done */
    void *env;
    int how;
    bool writes;
    char path[]; /* for messages */
} knio_mapped;

/* The pages can be written to; what is written is this process's own and not in the file. */
knx_error *knio_map_whole(const char *path, bool writes, knio_mapped **out);
/* Memory of the caller's, until `release`, which is called once: also where this gives an error. */
knx_error *knio_map_memory(void *base, size_t bytes, void (*release)(void *, void *), void *env, knio_mapped **out);
knio_mapped *knio_mapped_retain(knio_mapped *m);
void knio_mapped_release(knio_mapped *m); /* NULL is fine; from any thread */
bool knio_is_folder(const char *path);
bool knio_is_there(const char *path);
#endif
