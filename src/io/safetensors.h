/* SPDX-License-Identifier: Apache-2.0
 * safetensors.h -- inside of files of safetensors: what a header says, and several files under one index. A file is
 * the length of its header (8 bytes, little-endian), the header (JSON), and the elements of all tensors, one behind
 * the other without gaps. */
#ifndef KN_IO_SAFETENSORS_H
#define KN_IO_SAFETENSORS_H
#include "base/dtype.h"
#include "io/json.h"
#include "io/mapped.h"

enum { KNIO_ST_MAX_HEADER = 100000000 };
/* The elements of a file have their lowest byte first: on other machines they are turned around. */
enum { KNIO_ST_TURNS = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* In the order of the package, by which tensors of a file are sorted. */
typedef struct knio_st_type {
    const char *name;
    int id;   /* of Kiln's dtype, KN_ID_... */
    int bits; /* of an element in the file */
} knio_st_type;

kn_dtype knio_st_dtype(const knio_st_type *t);
const knio_st_type *knio_st_type_of(kn_dtype d); /* NULL: the format has none */
int knio_st_rank(const knio_st_type *t);
/* Elements of below 8 bits, the first one in the lowest bits: there and back. */
void knio_st_unpack(int bits, const uint8_t *from, uint8_t *to, size_t n);
void knio_st_pack(int bits, const uint8_t *from, uint8_t *to, size_t n);

typedef struct knio_st_entry {
    const char *name;
    const knio_st_type *type;
    int ndim, file; /* the file: of several under an index */
    const int64_t *dim;
    uint64_t begin, end; /* behind the header */
} knio_st_entry;

typedef struct knio_st_pair {
    const char *key, *text;
} knio_st_pair;

typedef KN_VEC(knio_st_entry) knio_st_entries;
typedef KN_VEC(knio_st_pair) knio_st_pairs;

/* Of one file, or of all under an index. */
typedef struct knio_st {
    knx_arena arena;         /* of texts and shapes */
    knio_st_entries entries; /* sorted by name */
    knio_st_pairs metadata;  /* sorted by key */
    KN_VEC(knio_mapped *) files;
    KN_VEC(uint64_t) start; /* of the elements, in each */
} knio_st;

/* ValueError without the path: what is wrong with it. Adds what the file has to `st`, as its last file. */
knx_error *knio_st_parse(knio_st *st, const uint8_t *bytes, size_t n);
/* Keys and their texts; without `texts_only` numbers, too, as they stand there. */
knx_error *knio_st_read_metadata(knio_json_reader *r, knio_st *st, bool texts_only);
void knio_st_sort(knio_st_entries *v);
void knio_st_clear(knio_st *st);
/* Opens a file, or all that an index (a path that ends in .json) names; errors have the path. */
knx_error *knio_st_open(knio_st *st, const char *path, bool writes);
/* Of a file that is here already (taken over). */
knx_error *knio_st_take(knio_st *st, knio_mapped *file);
const knio_st_entry *knio_st_find(const knio_st *st, const char *name); /* NULL: there is none */

bool knio_is_utf8(const char *s, size_t n);
#endif
