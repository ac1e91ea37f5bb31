/* SPDX-License-Identifier: Apache-2.0
 * stage.h -- the contract between generated code and the driver: a stage function runs one stage of a kernel over
 * `rows` x `n` points (docs/codegen.md). The list of streams is derived from the kernel alone, so that the lowering,
 * the C source and the driver agree about it. */
#ifndef KN_HOST_STAGE_STAGE_H
#define KN_HOST_STAGE_STAGE_H
#include "kernel/kernel.h"

typedef enum knh_mode {
    KNH_POINTS,  /* a stage without reductions (at most one point of its inner loops), lanes along a parallel loop */
    KNH_ROWS,    /* lanes along the inner loop, n <= 16,384: the whole reduction of a row */
    KNH_RUNS,    /* lanes along a part of the inner loop; rows = 1; 64 accumulators in memory */
    KNH_COLUMNS, /* lanes along a parallel loop, rows along inner points; an accumulator per row and lane in memory */
} knh_mode;

typedef enum knh_stream_kind {
    KNH_MEMORY, /* (buffer, map): loads and stores of the element there; also the base of loads with an index */
    KNH_NUMBER, /* map of an INDEX: `at` is the number itself, steps are what a row and a lane add */
    KNH_IMPORT, /* value of an earlier stage, in memory form. ROWS, RUNS: one per row (lane step 0), else per lane */
    KNH_EXPORT, /* value for later stages, in memory form. ROWS: the joined reduction, one per row */
    KNH_PARTIAL /* RUNS, COLUMNS: accumulators of a reduction, in memory form */
} knh_stream_kind;

typedef struct knh_stream {
    uint8_t kind, dtype; /* dtype of an element in memory (knk_memory_dtype) */
    int16_t buffer, map; /* MEMORY, NUMBER; else -1 */
    knk_node node;       /* IMPORT, EXPORT, PARTIAL: the value */
    bool read, written;  /* by the stage */
    bool indexed;        /* some load adds an index of its own: lanes are never adjacent for that load */
} knh_stream;

/* One stream's words. KNH_NUMBER: numbers, else addresses and bytes. */
typedef struct knh_words {
    int64_t at, row_step, lane_step;
} knh_words;
/* Loops may take long: functions of stages that have some ask now and then whether to go on. Each turn of each loop
 * takes one from `left`, and where there is nothing to take it from they ask first. */
typedef struct knh_asking knh_asking;
struct knh_asking {
    int64_t left; /* not negative where a function begins */
    /* Gives back `left`, which is positive again; 0: the function returns, or asks again, and what it was to store is
     * undefined. */
    int64_t (*ask)(knh_asking *a);
    int64_t turns; /* that ask gives; 0 once it has said no */
};

/* What a stage function gets. It may change `stream[].at` (walking over the rows), what `asking` points to, and nothing
 * else. */
typedef struct knh_args {
    int64_t rows, n;    /* either may be 0: then nothing happens, but ROWS with n = 0 store the identities */
    int64_t phase;      /* RUNS: number of the first element, 0 .. 63; else 0 */
    knh_asking *asking; /* of a stage with loops; other functions do not read it */
    knh_words stream[];
} knh_args;
/* A stage with loops (POINTS only) has more words behind those of the streams: the extent of each loop, then for each
 * stream and loop what a turn of the loop adds to the address (bytes; NUMBER: to the number). Streams of MEMORY and
 * NUMBER alone have other steps than 0. */
static inline size_t knh_loop_word(int n_stream, int n_loop, int stream, int loop) /* stream -1: the extent */
{
    return (size_t)n_stream * 3 + (size_t)(stream + 1) * (size_t)n_loop + (size_t)loop; /* in words from stream[] on */
}
static inline size_t knh_args_bytes(int n_stream, int n_loop)
{
    return sizeof(knh_args) + knh_loop_word(n_stream, n_loop, n_stream, 0) * sizeof(int64_t);
}
typedef void knh_function(knh_args *args);

/* Class of a stream along the lanes: KNK_STRIDE_ZERO (all lanes the same element), _ONE (adjacent; NUMBER:
 * consecutive), _ANY; or a near step (MEMORY, 4 and 8 bytes, for generators with `near_steps` alone): so many elements
 * from lane to lane, as parts of complex numbers, channels, rows backwards. It must hold for every call of a function
 * generated for it. */
enum { KNH_LEAST_STEP = -1, KNH_MOST_STEP = 8, KNH_STRIDE_NEAR = KNK_STRIDE_ANY + 1 - KNH_LEAST_STEP };
/* Is a step of so many bytes a near one? */
static inline bool knh_is_near(int64_t bytes, int size)
{
    if (size < 4 || bytes % size)
        return false;
    int64_t step = bytes / size;
    return step == -1 || (step > 1 && step <= (size == 4 ? KNH_MOST_STEP : 4));
}
static inline uint8_t knh_near_class(int64_t step) { return (uint8_t)(KNH_STRIDE_NEAR + step); }
/* 0: the class is no near step */
static inline int knh_near_step(int cls) { return cls > KNK_STRIDE_ANY ? cls - KNH_STRIDE_NEAR : 0; }
typedef struct knh_request {
    const knk_kernel *kernel;
    int stage;
    knh_mode mode;
    bool nontemporal;   /* written MEMORY streams of class ONE bypass the caches: their address and row step are
                           multiples of 64 bytes */
    bool later;         /* it may be unfinished until the generator's `finish` */
    const uint8_t *cls; /* per stream */
} knh_request;

enum { KNH_MAX_STREAMS = 1024 };
/* The streams of a stage in this mode, in order: first MEMORY by first use, NUMBER by first use, IMPORT, EXPORT,
 * PARTIAL by node. In ROWS, RUNS and COLUMNS a reduction is an EXPORT (ROWS) or a PARTIAL (RUNS, COLUMNS); other values
 * of the stage that later stages read are EXPORTs (they exist only in stages without inner loops). A value that is
 * a BITCAST of a reduction or of an imported value is imported as what it is in its own stage.
 * Returns their number, at most KNH_MAX_STREAMS, or -1 if there are more. `out` has room for KNH_MAX_STREAMS. */
int knh_streams(const knk_kernel *k, int stage, knh_mode mode, knh_stream *out);
/* The stream that a node's load, store or index uses; that imports, exports or accumulates a value; -1: none. */
int knh_stream_of(const knh_stream *s, int n, knh_stream_kind kind, int buffer, int map, knk_node node);
/* Is node x of a stage read by a later one? (as itself, not through a BITCAST, which is a value of its own) */
bool knh_is_read_later(const knk_kernel *k, knk_node x);

/* How much was made so far, by all generators: functions, the bytes of those that are there, and the time it took. */
typedef struct knh_made_count {
    uint64_t functions, nanoseconds;
    size_t bytes;
} knh_made_count;
void knh_note_made(uint64_t functions, int64_t bytes, uint64_t nanoseconds); /* bytes < 0: code that is gone */
knh_made_count knh_all_made(void);
#endif
