/* SPDX-License-Identifier: Apache-2.0
 * sort.h -- sorting on the device: records of some words of keys and a position, which makes any two of them different;
 * so whatever sorts them is stable. */
#ifndef KN_WEBGPU_ROUTINE_SORT_H
#define KN_WEBGPU_ROUTINE_SORT_H
#include "webgpu/routine/routine.h"

enum { KNG_MOST_WORDS = 15 }; /* of keys */

typedef struct kng_sorter {
    kng_maker *m;
    kng_lines l;        /* of the operand that is sorted */
    int words;          /* of the keys */
    uint64_t at, other; /* where the records are, in the scratch; as much room again */
} kng_sorter;

void kng_sorter_make(kng_sorter *s, kng_maker *m, kng_lines l, int words);
uint64_t kng_sorter_bytes(kng_lines l, int words); /* of scratch */
/* The words from number `first` on are the image of operand `ref`, those of word 0 with the position. */
void kng_sorter_key(const kng_sorter *s, uint32_t ref, kn_dtype d, int first, bool falling);
void kng_sort_records(kng_sorter *s);
/* In a text: the struct Record { k0, k1, ..., at: u32 }; read_NAME(i), write_NAME(i, record) of records at a place. */
void kng_records(kng_code *c, const kng_sorter *s, const char *name, uint64_t place, uint32_t use);
void kng_record_type(kng_code *c, int words); /* and before(a, b) */
#endif
