/* SPDX-License-Identifier: Apache-2.0
 * bands.h -- sets of steps that may become a band, between bands.c (which steps), bands_graph.c (what comes after
 * what), bands_cut.c (may they be cut by the same rows) and bands_make.c (the band as a step). */
#ifndef KN_COMPILE_BANDS_BANDS_H
#define KN_COMPILE_BANDS_BANDS_H
#include "compile/plan.h"

enum {
    KNC_BAND_STEPS = 24,
    KNC_BAND_REFS = 48,           /* of one of its steps, at most */
    KNC_BAND_LOOPS = 16,          /* of a kernel, at most */
    KNC_BAND_BLOCKS = 64,         /* values of which there are blocks */
    KNC_BAND_GRAIN = 64,          /* rows that cannot be parted, at most */
    KNC_BAND_SHORT = 256,         /* steps of a product that may be made again */
};
/* Bytes, in terms of a worker's second cache: smaller values are no reason for a band; smaller ones are kept rather
 * than made again; so much has to be saved by sums in parts, which cost more than whole ones; so much stays in the
 * cache beside a block; of a worker's blocks, so that operands beside them stay in the cache. */
static inline size_t knc_band_bytes(const knc_plan *p) { return p->o->target->second_cache / 8; }
static inline size_t knc_again_bytes(const knc_plan *p) { return p->o->target->second_cache * 2; }
static inline size_t knc_sums_bytes(const knc_plan *p) { return p->o->target->second_cache * 8; }
static inline size_t knc_whole_bytes(const knc_plan *p) { return p->o->target->second_cache; }
static inline size_t knc_block_bytes(const knc_plan *p) { return p->o->target->second_cache / 2; }

/* A step of a set. */
typedef struct knc_member {
    uint32_t step;
    bool again; /* a band before has it; its values are made here once more */
    bool sums, swapped;
    int64_t rows;                /* product: of one batch of its own */
    const knk_product *product;  /* as it will run */
    knc_cut cut[KNC_BAND_LOOPS]; /* kernel */
} knc_member;

typedef struct knc_set {
    int n;
    knc_member member[KNC_BAND_STEPS]; /* in an order in which they can run */
    int64_t batches, rows, grain;
    int64_t height, chunk; /* as in a band */
} knc_set;

/* A value of which there are blocks. */
typedef struct knc_inner {
    uint32_t slot;
    size_t row;      /* bytes */
    int first, last; /* members that access it */
    int over;        /* another value, whose place it has; -1 */
    size_t at;       /* in the blocks */
} knc_inner;

typedef struct knc_link {
    uint32_t step, next; /* next: KNC_NO */
} knc_link;

typedef struct knc_bands {
    knc_plan *p;
    uint32_t n_step;
    uint32_t *node, *next; /* per step: the first one of those that run as one; the next one of them, KNC_NO */
    uint32_t *band;        /* per step: the number of its set, KNC_NO */
    uint32_t *follows;     /* per step: list of those that come after it */
    uint32_t *reader;      /* per slot: list of those that read it and do not make it */
    uint32_t *seen, now;   /* per step: in this search */
    uint32_t *queue, *rank, *waits;
    uint32_t *reuse, *next_reuse; /* per step: list of places that its kernel may write over; the next one */
    uint8_t *reason;              /* per slot: why no set began there, knc_why */
    bool all;                     /* bands wherever they can be */
    knc_why why;                  /* of the last set that could not be */
    KN_VEC(knc_link) link;
    KN_VEC(knc_set) set;
} knc_bands;

/* bands_cut.c */
/* Are all members cut by the same rows, and does what goes from one to another go row by row? Puts the members in
 * order and raises the grain. */
bool knc_cut_set(const knc_plan *p, knc_set *s);
bool knc_cut_last(const knc_plan *p, knc_set *s); /* the last member alone: false is false for the set */
/* Do all of them stay inside of the rows of a block of this value? */
bool knc_is_cut(const knc_plan *p, const knc_set *s, uint32_t slot);
int knc_maker_in(const knc_plan *p, const knc_set *s, uint32_t slot); /* number of a member; -1 */
bool knc_reads(const knc_plan *p, const knc_member *m, uint32_t slot);
size_t knc_row_bytes(const knc_plan *p, const knc_set *s, uint32_t slot);
int64_t knc_count_dims(const knk_dims *d);

/* bands_graph.c */
bool knc_begin_bands(knc_bands *b); /* false without memory */
/* Numbers the steps so that each has a larger one than those that come before it; those that run as one have one. */
void knc_rank_nodes(knc_bands *b);
bool knc_is_inside(const knc_set *s, uint32_t step); /* a member, and not one that is made again */
bool knc_comes_back(knc_bands *b, const knc_set *s); /* Does a way lead out of the set and back? */

/* bands.c: does somebody outside of set `number` (which is to be s) read the value from memory? */
bool knc_is_kept(const knc_bands *b, const knc_set *s, uint32_t number, uint32_t slot);

/* bands_make.c */
/* The values of which s has blocks, with places for blocks of so many rows; their number, -1: too many. hope: also
 * those that are read outside as well, so far. */
int knc_find_blocks(const knc_bands *b, const knc_set *s, uint32_t number, bool hope, int64_t rows, knc_inner *out,
                    size_t *bytes);
bool knc_goes_on(const knc_plan *p, const knc_set *s, uint32_t slot); /* to another member than its maker */
knx_error *knc_build_bands(knc_bands *b);
#endif
