/* SPDX-License-Identifier: Apache-2.0
 * bands.h -- sets of steps that may become a band: what bands.c (which steps form a set), bands_graph.c (which step
 * runs after which), bands_cut.c (can the steps be cut by the same rows?) and bands_make.c (makes a step of a set)
 * share. */
#ifndef KN_COMPILE_BANDS_BANDS_H
#define KN_COMPILE_BANDS_BANDS_H
#include "compile/plan.h"

enum {
    KNC_BAND_STEPS = 24,          /* members of a set, at most */
    KNC_BAND_REFS = 48,           /* references of one member, at most */
    KNC_BAND_LOOPS = 16,          /* parallel loops of a kernel, at most */
    KNC_BAND_BLOCKS = 64,         /* values of a set that exist in blocks, at most */
    KNC_BAND_GRAIN = 64,          /* the grain of a set (rows that every block keeps together), at most */
    KNC_BAND_SHORT = 256,         /* positions of the joined axis of a product that may be made again, at most */
};
static inline const knc_band_limits *knc_band_limits_of(const knc_plan *p) { return p->o->target->bands; }

/* A step of a set. */
typedef struct knc_member {
    uint32_t step;
    bool again;                  /* a copy: the step itself belongs to another set, this set makes its values again */
    bool sums, swapped;          /* a product that contracts over the rows; one whose operands are exchanged */
    int64_t rows;                /* of a product: rows of one batch of the product, a multiple of the set's; of a
                                    routine: its rows in one of the set's */
    const knk_product *product;  /* the description that will run: with `swapped` not the step's own */
    knc_cut cut[KNC_BAND_LOOPS]; /* of a kernel: per parallel loop */
} knc_member;

typedef struct knc_set {
    int n;
    knc_member member[KNC_BAND_STEPS]; /* in an order in which they can run */
    int64_t batches, rows, grain;
    int64_t height, chunk; /* as in knc_band */
} knc_set;

/* The values of a set that exist for one block of rows at a time. */
typedef struct knc_inner {
    int n;
    uint32_t slot[KNC_BAND_BLOCKS];
    knc_block block[KNC_BAND_BLOCKS];
} knc_inner;

typedef struct knc_link {
    uint32_t step, next; /* next: KNC_NO */
} knc_link;

typedef struct knc_bands {
    knc_plan *p;
    uint32_t n_step;
    uint32_t *node, *next; /* Steps that run as one (a set; an update and its copy) are one node of the graph. Per step:
                              the first step of its node; the next step of its node, KNC_NO */
    uint32_t *band;        /* per step: the number of its set, KNC_NO */
    uint32_t *follows;     /* per step: list of the steps that run after it */
    uint32_t *reader;      /* per slot: list of the steps that read it and do not make it */
    uint32_t *seen, now;   /* per step: number of the last search that found it; number of this search */
    uint32_t *queue, *rank, *waits;
    uint32_t *reuse, *next_reuse; /* per step: its first entry of knc_plan.reuse; per entry: the next one of the step */
    uint8_t *reason;              /* per slot: why its value began no set, knc_why */
    bool all;                     /* bands wherever steps can be cut, whatever the sizes (options: bands = 1) */
    knc_why why;                  /* why the last set that was tried is not possible */
    KN_VEC(knc_link) link;
    KN_VEC(knc_set) set;
} knc_bands;

/* bands_cut.c */
bool knc_may_join_band(const knc_plan *p, const knc_step *s); /* a kernel, a product, a routine that has rows */
int64_t knc_routine_rows(const knc_plan *p, const knc_step *s); /* all rows of a routine */
/* Can all members be cut by the set's rows, so that a block of each value between them depends on the block of the same
 * rows only? Puts the members in an order in which they can run, and raises the grain where loops need it. */
bool knc_cut_set(const knc_plan *p, knc_set *s);
/* The same question for the last member alone; where the answer is false it is false for the whole set. */
bool knc_cut_last(const knc_plan *p, knc_set *s);
/* Does every access of a member to this value stay inside of the block of the member's rows? */
bool knc_is_cut(const knc_plan *p, const knc_set *s, uint32_t slot);
int knc_maker_in(const knc_plan *p, const knc_set *s, uint32_t slot); /* number of the member that makes it; -1 */
bool knc_reads(const knc_plan *p, const knc_member *m, uint32_t slot);
knx_bytes knc_row_bytes(const knc_plan *p, const knc_set *s, uint32_t slot);
static inline int64_t knc_count_dims(const knk_dims *d) { return knx_dim_size(d->n, d->extent); }

/* bands_graph.c */
bool knc_begin_bands(knc_bands *b); /* false without memory */
/* Ranks: a step has a larger rank than all steps that run before it; all steps of a node have the same rank. */
void knc_rank_nodes(knc_bands *b);
bool knc_is_inside(const knc_set *s, uint32_t step); /* is the step a member, other than as a copy (`again`)? */
/* Does a step outside of the set run after one member and before another? Then the set cannot run as one step. */
bool knc_comes_back(knc_bands *b, const knc_set *s);

/* bands.c: must the value be in memory although s makes it, since it is an output, a step outside of s reads it, or the
 * members do not stay inside of its blocks? number: the number that s has or will have. */
bool knc_is_kept(const knc_bands *b, const knc_set *s, uint32_t number, uint32_t slot);

/* bands_make.c */
/* Finds the values that exist in blocks only, and what all blocks of so many rows need. False: too many. hope: also
 * values that steps outside of s read so far, since these steps may still join the set. */
bool knc_find_blocks(const knc_bands *b, const knc_set *s, uint32_t number, bool hope, knc_inner *out);
knx_bytes knc_blocks_bytes(const knc_inner *x, int64_t rows);
/* Does a member make the value, and another one read it? */
bool knc_goes_on(const knc_plan *p, const knc_set *s, uint32_t slot);
knx_error *knc_build_bands(knc_bands *b);
#endif
