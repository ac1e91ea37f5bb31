/* SPDX-License-Identifier: Apache-2.0
 * drive.h -- what the files that run launches share: facts of a kernel, the plan of a launch, the state of a worker.
 *
 * A launch becomes joined parallel loops (axes) and, per stage, joined inner ones. The parallel points are cut into
 * boxes; a box goes through all stages before the next one. A stage's pass over a box picks one axis for the lanes and
 * one for the rows of its stage function and walks the others. Values for later stages lie densely, one per point of
 * the box. */
#ifndef KN_HOST_DRIVE_H
#define KN_HOST_DRIVE_H
#include "host/native.h"
#include "host/tile.h"
#include "kernel/internal.h"
#include <stdatomic.h>

enum {
    KNH_TILE = 64,           /* a tile has so many rows and lanes, */
    KNH_TILE_BYTES = KNH_TILE * KNH_TILE * 8,
    KNH_MOST_TURNED = 6,     /* streams of a stage that go through tiles */
    KNH_GROUP_VALUES = 4096, /* of a reduction that is cut over threads: groups x points */
    KNH_MOST_LANES = KNK_SUM_BLOCK,
    KNH_SIMPLE_STREAMS = 16,
    KNH_SIMPLE_LOOPS = 2,
    KNH_GUESSED_TURNS = 64 /* of a loop that only its condition ends */
};

/* A reduction of a stage. Its area in a worker's part: a ring of 64 rows of `width` accumulators, then the stack of
 * ranks. */
typedef struct knh_reduction {
    int stream;
    uint8_t how, dtype, size;
    uint64_t identity;
    knk_loop *combine;
    size_t ring_at, stack_at; /* in a part */
    size_t group_at;          /* in the shared area */
} knh_reduction;

/* Bytes of a part of a plan: its parts lie close together, since a program may have thousands of them. */
static inline size_t knh_aligned(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

/* What is known of a stage without a launch. */
typedef struct knh_stage_facts {
    int n_stream, n_reduction;
    const knh_stream *stream;
    const uint8_t *turnable; /* per stream: memory that every point reads or writes, at the map's element */
    /* [stream][stream]: does an index that loads of the first one add depend on the second? NULL: unknown */
    const uint8_t *leads;
    const size_t *place; /* per stream: IMPORT, EXPORT, reductions: in a part */
    const knh_reduction *reduction;
    int width;       /* lanes of a block of columns */
    bool ends;       /* one `and` or `or` of booleans, and nothing else is made: it is known once one of them decides */
    bool bare;       /* it reduces what it loads and does nothing else */
    bool copies;     /* it stores what it loads and nothing else */
    bool copies_pairs; /* two of them: loads, then stores, in one order */
    bool read_after; /* a later stage loads from memory */
    double cost;     /* of its operations, per point, nanoseconds; of one turn of each loop */
    double point_bytes; /* that a point reads and writes; a stream that is not memory counts as one */
    int n_loop;
    const int8_t *outer;     /* per loop: the one that it lies in, -1 */
    const double *turn_cost; /* per loop: what a turn costs without the loops in it */
} knh_stage_facts;

/* knh_made: a stage function and what it is for (native.c) */
/* What is kept with a kernel. */
typedef struct knh_facts {
    _Atomic(const knh_made *) made;
    const knh_stage_facts *stage;
    int n_stage, max_streams, max_axes;
    double operations; /* of a point, as knk_cost counts them */
    int64_t turns; /* as in a plan */
    int64_t points; /* room for values of so many points; 0: no value goes from stage to stage */
    size_t shared_bytes, part_bytes, plan_bytes, args_at, index_at, tiles_at;
    knx_arena arena;
} knh_facts;
/* NULL: no memory, or a stage has too many streams. Found without a lock after the first time. */
knh_facts *knh_facts_of(const knk_kernel *k);
knh_facts *knh_make_facts(const knk_kernel *k); /* facts.c, for native.c */

/* How a pass reads or writes a stream: where it lies, or through a tile, which is turned, holds a pattern or a row of
 * those that lie woven. */
typedef enum knh_way { KNH_PLAIN, KNH_TRANSPOSED, KNH_REPEATED, KNH_WOVEN } knh_way;
typedef enum knh_runner { KNH_BY_RECTANGLES, KNH_BY_TURNING, KNH_BY_BLOCKS, KNH_BY_RUNS, KNH_BY_COLUMNS } knh_runner;
/* How a stage runs. Axes: the parallel ones, then its inner ones. */
typedef struct knh_pass {
    const knh_stage_facts *facts;
    const knh_generator *generator; /* of its functions */
    uint8_t runner, mode;
    int n_axis, lane, row, n_other; /* lane, row: axes, -1: none */
    const uint8_t *other;           /* axes that are walked, outermost first */
    const int64_t *extent;          /* per axis */
    const int64_t *stride;          /* [stream][axis]: bytes; NUMBER: numbers */
    const int64_t *offset;          /* per stream */
    const int64_t *loop;            /* words of a call behind its streams: extents and steps of loops */
    const uint8_t *turned;          /* per stream: a knh_way */
    int64_t repeats;                /* rows of a pattern; 0: there are none (repeat.c) */
    int64_t inner_total;
    double point_ns;               /* estimated time per parallel point */
    bool woven;                    /* some streams are */
    bool large;                    /* what it writes would be of no use in the caches */
    knh_function *f, *nontemporal; /* nontemporal: NULL if it is not wanted */
} knh_pass;

struct knh_prepared {
    const knk_kernel *k;
    const knh_facts *facts;
    bool interpreted, empty, wide;
    bool simple; /* one call does it all */
    bool plain;  /* knh_prepare_again has few decisions to look at */
    int n_segment; /* > 0: it is these, one after the other, and nothing else */
    const knh_segment *segment;
    int n_par;
    int64_t n_boxes;
    const int64_t *par, *box, *dense; /* extents; points of a box per axis; distance of its points in values' areas */
    int64_t points;
    double ns;
    int64_t turns; /* of loops, from asking whether to go on to asking again; 0: there are none */
    const knh_pass *pass;
    knh_args *call; /* simple: the call but for addresses */
    int16_t buffer[KNH_SIMPLE_STREAMS];
};

/* Decisions that tests can force. */
typedef struct knh_tuning {
    int mode;             /* of stages with inner loops: -1 or a knh_mode (POINTS: as -1) */
    int lane;             /* axis of the lanes, modulo the axes that can be it; -1: the best */
    int turn;             /* tiles: -1 where they pay, 0 never, 1 wherever they can */
    int64_t points;       /* of a box: at most so many; 0: as it fits */
    double split_ns;      /* least work of a part for a thread */
    int64_t bypass_bytes; /* a launch that touches so many bytes does not write into the caches */
    int repeat;           /* patterns: -1 where they pay, 0 never, 1 wherever they can */
    int weave;            /* woven streams: -1 where it pays, 0 never, 1 wherever they can be */
    int wide;             /* -1 where it pays, 0 never, 1 wherever it can */
    int64_t turns;        /* of loops between two questions; 0: some milliseconds */
} knh_tuning;
#define KNH_USUAL_TUNING                                                                                       \
    {.mode = -1, .lane = -1, .turn = -1, .split_ns = 50e3, .bypass_bytes = 16 << 20, .repeat = -1, .weave = -1, \
     .wide = -1}
extern knh_tuning knh_tune;

typedef struct knh_worker {
    const knh_prepared *p;
    void *const *buffer;
    const knk_map_values *map;    /* NULL: offsets are those of the plan */
    char *part, *values, *shared; /* values: the part that the values for later stages are in */
    knh_args *args;
    int64_t *at, *cursor; /* per stream: of the point that is being walked to; within the inner loops */
    int64_t *index, *inner_index, *lo, *n, *origin;
    uint64_t bypass; /* bit per stage: nontemporal */
    knh_asking asking; /* of its loops */
} knh_worker;

/* A part of the points of a pass: [lo, lo + n) per axis; `origin`: the first point of the values' areas. group: which
 * blocks of a reduction, -1: all, and the result goes to the later stages. */
typedef struct knh_piece {
    const int64_t *lo, *n, *origin;
    int64_t first_block, end_block;
    int64_t group;
    atomic_bool *known; /* of a group whose stage `ends`, one point: another group has decided; else NULL */
} knh_piece;

/* plan.c */
bool knh_plan(const knh_generator *g, const knk_kernel *k, const knk_launch *launch, knh_batch *batch, void *room,
              knh_prepared **out);
bool knh_plan_again(const knh_generator *g, const knk_launch *launch, knh_prepared *p); /* see knh_prepare_again */
/* facts.c: time of one point's turns of loops; extent: of the loops */
double knh_turns_cost(const knh_stage_facts *f, const int64_t *extent);
/* choose.c: lane, row, runner, mode, turned streams of a pass whose strides are known */
void knh_choose(knh_pass *ps, const knk_stage *st, int n_par, uint8_t *other, uint8_t *turned);
/* repeat.c: may the rows of these axes be joined, what would that cost, and then how many are; which streams have
 * patterns; a rectangle */
bool knh_can_repeat(const knh_pass *ps, int lane, int row);
double knh_repeated_cost(const knh_pass *ps, int lane, int row);
int64_t knh_repeats(const knh_pass *ps, int lane);
void knh_mark_repeated(knh_pass *ps, uint8_t *turned);
void knh_run_repeated(const knh_worker *w, const knh_pass *ps, knh_function *f, int64_t rows, int64_t n);
/* weave.c: which streams are woven, and are there any? a rectangle */
bool knh_mark_woven(const knh_pass *ps, uint8_t *turned);
void knh_run_woven(const knh_worker *w, const knh_pass *ps, knh_function *f, int64_t rows, int64_t n);
/* copy.c: both functions of a stage that only copies elements which are adjacent along the lanes, alone or as pairs,
 * or can be made so; false: it is none */
bool knh_find_copy(knh_pass *ps);
/* native.c: NULL if there is none */
knh_function *knh_function_for(const knh_generator *g, const knk_kernel *k, knh_facts *f, const knh_request *r,
                               knh_batch *batch);
void knh_note_fallback(const knk_kernel *k);
/* drive.c */
int64_t knh_offset(const knh_pass *ps, const knk_map_values *map, int stream); /* map: as in a worker */
void knh_aim(const knh_worker *w, const knh_pass *ps, const knh_piece *piece);
bool knh_step_axes(const knh_worker *w, const knh_pass *ps, const uint8_t *axis, int n_axis, const int64_t *n);
knh_function *knh_function_of(const knh_worker *w, const knh_pass *ps);
/* reduce.c */
void knh_run_reduction(const knh_worker *w, const knh_pass *ps, const knh_piece *piece);
void knh_join_groups(const knh_worker *w, const knh_pass *ps, int64_t groups, int rank);
#endif
