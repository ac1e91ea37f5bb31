/* SPDX-License-Identifier: Apache-2.0
 * fft_plan.h -- how a transform of n complex numbers is made: which passes, and the tables that they read. It follows
 * from n and the type of number alone, and so do all results to the last bit. docs/fft.md */
#ifndef KN_HOST_ROUTINE_FFT_PLAN_H
#define KN_HOST_ROUTINE_FFT_PLAN_H
#include "base/memory.h"
#include "host/routine/fft_loops.h"
#include <stdatomic.h>

typedef enum knr_fft_kind {
    KNR_FFT_FLAT,  /* passes of small radices over memory that the caches hold */
    KNR_FFT_SPLIT, /* two or three passes of large radices: WIDTH transforms side by side, flat ones or chirps */
    KNR_FFT_CHIRP, /* a cyclic convolution of a length that has small factors (Bluestein) */
} knr_fft_kind;

enum { KNR_FFT_MOST_PASSES = 32, KNR_FFT_MOST_STEPS = 3, KNR_FFT_MOST_STAGES = 14 };

typedef struct knr_fft_plan knr_fft_plan;

typedef struct knr_fft_pass {
    int r;
    int64_t s, m;
    const void *by_p, *by_t, *roots; /* as in knr_fft_groups */
} knr_fft_pass;

typedef struct knr_fft_step {
    int64_t r, s, m;
    const knr_fft_plan *plan; /* of r */
    knr_fft_powers w;         /* exp(-2 pi i e / (r m)) */
    const void *by_lane;      /* s == 1: [r][2][WIDTH] w^(k l), */
    const void *by_block;     /* and [(m + WIDTH - 1) / WIDTH][r] pairs w^(k WIDTH b), or NULL: there are too many */
} knr_fft_step;

struct knr_fft_plan {
    int64_t n;
    int bytes; /* of a real number */
    knr_fft_kind kind;
    bool alone; /* one transform runs by itself as well as WIDTH of them */
    bool wide;  /* WIDTH of them may run side by side: there is not too much of it */
    const void *columns; /* FLAT, the passes being those of n / WIDTH numbers: [n / WIDTH][2][WIDTH] turns of the WIDTH
                            columns; a pass across them follows. NULL: the passes are those of n */
    int n_pass, n_step;
    knr_fft_pass pass[KNR_FFT_MOST_PASSES];
    knr_fft_step step[KNR_FFT_MOST_STEPS];
    const knr_fft_plan *longer;  /* CHIRP: of the convolution */
    const void *chirp, *image;   /* CHIRP: [n] pairs; [longer->n] pairs, divided by that number */
    bool for_real;               /* of 2 n real numbers: */
    const void *real;            /* [n / 2 + 1] pairs exp(-2 pi i k / 2 n), */
    const void *real_lanes;      /* or, if that were many, as in knr_fft_real, */
    knr_fft_powers real_w;       /* the others computed by these, if they were many as well (real NULL) */
    _Atomic(int) refs; /* taken under the lock of the plans that are kept, given back without */
    size_t size;
    uint64_t used;
    knr_fft_plan *next;
    knx_arena arena;
};

/* The plan of n complex numbers, or (real) of 2 n real ones, kept for the next call; NULL without memory. Given back by
 * knr_fft_leave. */
const knr_fft_plan *knr_fft_find(int64_t n, int bytes, bool real);
void knr_fft_leave(const knr_fft_plan *p);
/* exp(-2 pi i k / n) for 0 <= k, to the last bit or so; of many, knr_fft_loops has a loop */
void knr_fft_root(int64_t k, int64_t n, double w[2]);
bool knr_fft_walks(const knr_fft_plan *p, const knr_fft_pass *a); /* `pass`, not `groups`, for one transform alone */
/* As many real numbers does a run of `side` transforms need, beside x and y; `threads`: as many work on it. */
int64_t knr_fft_room(const knr_fft_plan *p, int side, int threads);
/* y = the transform of x. x is not written; y is written early, so it is not x. side: 1 or WIDTH; pairs: 1 only. What
 * comes as pairs is multiplied by scale. */
void knr_fft_run_plan(const knr_fft_plan *p, int side, knr_fft_numbers x, knr_fft_numbers y, double scale, void *room,
                      int threads);
/* The passes of a FLAT plan, ready for numbers at these places: rows that follow each other have all but that alike. */
typedef struct knr_fft_stage {
    void (*run)(const knr_fft_groups *call);
    knr_fft_groups call;
} knr_fft_stage;
typedef struct knr_fft_stages {
    int n;
    knr_fft_stage stage[KNR_FFT_MOST_STAGES]; /* the first one reads x, the last one writes y */
} knr_fft_stages;
/* Are there loops for whole rows of these numbers? Their m rows lie xp and yp numbers apart; 1 after this: */
bool knr_fft_takes_rows(const knr_fft_plan *p);
void knr_fft_prepare(const knr_fft_plan *p, int side, const knr_fft_numbers *x, const knr_fft_numbers *y, double scale,
                     void *room, knr_fft_stages *s);
void knr_fft_run_stages(const knr_fft_stages *s);
const knr_fft_loops *knr_fft_loops_of(int bytes);
/* What lines of n complex numbers, or of 2 n real ones, need beside their places, if they run one after the other by
 * knr_fft_loops.lines; false: they do not. Neither a plan nor memory is asked for. */
bool knr_fft_find_short(int64_t n, int bytes, knr_fft_short *c);
#endif
