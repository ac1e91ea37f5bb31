/* SPDX-License-Identifier: Apache-2.0
 * loaded.h -- what the host makes of a program: its launches thought through and their stage functions made, its
 * products planned, the memory laid out that a run needs beside the values. */
#ifndef KN_DEVICE_HOST_LOADED_H
#define KN_DEVICE_HOST_LOADED_H
#include "base/line.h"
#include "compile/step.h"
#include "device/device.h"
#include "host/native.h"
#include "device/host/narrow.h"
#include "host/rect.h"
#include "host/routine/product.h"

typedef struct knd_host_loaded knd_host_loaded;

/* A product; of its kernels (fill_a, fill_b, finish) the rectangles for elements that are adjacent along columns, and
 * along rows. */
typedef struct knd_host_product {
    const knr_plan *plan;
    const knh_rect *rect[3][2];
    const knd_narrow *narrow; /* NULL: the plan */
} knd_host_product;

/* A step of a band. */
typedef struct knd_host_band_step {
    const knh_prepared *prepared[2]; /* a kernel: for a whole block, the last one of a batch; NULL: interpreted */
    const knr_plan *plan;            /* a product */
    size_t chain;                    /* chained: where in a worker's memory its sums wait */
    size_t scratch; /* a routine: what it needs for a block; 0: it takes memory itself if it needs any */
} knd_host_band_step;
/* A worker's memory: the maps of the kernel that is running, the blocks, the chains, the scratch of what is running. */
typedef struct knd_host_band {
    const knd_host_band_step *step;
    size_t blocks_at, scratch_at, worker; /* worker: all of it */
} knd_host_band;

/* Addresses of all references of a program's steps, found before the program runs, in the order of the steps (bands
 * find theirs themselves); behind them, for each result that no step writes, where it goes and where it comes from. */
typedef struct knd_moving {
    uint32_t ref;  /* number in the table */
    int64_t bytes; /* from one turn of the loop to the next */
} knd_moving;
typedef struct knd_table {
    uint32_t n_ref, n_copy, n_moving;
    const uint32_t *copy;     /* the results that are copied */
    const knd_moving *moving; /* elements of inputs and outputs */
    bool bands;
    size_t at; /* in the step's room; for two places of the carries one table behind the other */
} knd_table;
/* A loop; offsets are in the step's room: operands of the programs and addresses of the body's results, for both places
 * of the carries, the tables (path CALLS), and behind all the room of the programs. */
typedef struct knd_host_loop {
    const knd_host_loaded *cond, *body;
    size_t cond_in, body_in, to, inner;
    knd_table cond_table, body_table;
} knd_host_loop;
/* A branch: operands of the program that runs, and behind them its room. */
typedef struct knd_host_branch {
    const knd_host_loaded *const *program;
    size_t inner;
} knd_host_branch;

/* A routine: what it is given, and what its row's `ready` found out. */
typedef struct knd_host_routine {
    kni_rule rule;
    void *ready;
} knd_host_routine;

/* What a step became, by its kind. */
typedef union knd_host_step {
    const knd_host_routine *routine;
    const knh_prepared *prepared; /* a kernel; NULL: it is interpreted */
    const knd_host_product *product;
    const knd_host_band *band;
    const knd_host_loop *loop;
    const knd_host_branch *branch;
} knd_host_step;

/* The memory of a run: [the program's workspace][room: addresses][scratch of the kernels that run]. */
struct knd_host_loaded {
    knd_loaded head;
    const knd_host_step *step;
    size_t step_room;                /* where the room of a loop or branch begins: behind a step's addresses */
    size_t room;                     /* bytes: of a step with many buffers, then of a loop's or branch's own */
    uint64_t scratch;                /* for one thread; also of kernels in loops */
    int most_threads;                /* that it has work for */
    bool starts;                     /* something is under way between some of its steps */
    bool one_kernel;                 /* is all that it does, and its outputs have buffers of their own */
    _Atomic(uint64_t) scratch_known; /* workspace.c: for another number of threads */
    knh_batch *batch;                /* while it is loaded: of its functions, and those of the programs inside */
    knx_arena arena;
};
static inline const knd_host_loaded *knd_host_of(const knd_loaded *l) { return (const knd_host_loaded *)l; }

/* What the routine of a step is given, while the step is not loaded. */
static inline kni_rule knd_routine_rule(const knc_program *p, const knc_step *s)
{
    const kni_eqn *e = &p->jaxpr->eqn[s->eqn];
    kni_rule r = kni_rule_of(e, s->u.r.xt, s->u.r.yt);
    r.params = s->u.r.params ? s->u.r.params : e->params;
    return r;
}

/* A routine of a band for some rows: the types of its arrays, and the bytes of each array in a row of the band. */
typedef struct knd_routine_part {
    kni_type type[KNC_BAND_ARRAYS]; /* operands, then results */
    int64_t dim[KNC_BAND_ARRAYS][KN_MAX_NDIM];
    size_t row[KNC_BAND_ARRAYS];
} knd_routine_part;
size_t knd_routine_part_scratch(const knc_program *p, const knc_band *band, const knc_band_step *s);
kni_rule knd_routine_part_rule(const knc_program *p, const knc_band_step *s, int64_t rows,
                               knd_routine_part *part); /* workspace.c */

enum { KND_FEW_REFS = 48 }; /* steps with more buffers keep their addresses in the room */
_Static_assert((int)KNH_RECT_MAPS <= (int)KNC_ATTACHED_MAPS, "a kernel that attaches has no more maps");
enum { KND_TILE = 64 }; /* rows and columns of what is turned at once */

/* load.c: loads the programs of loops and branches, too; the second one for them */
knx_error *knd_host_load(const knd_device *d, knc_program *p, knd_loaded **out);
knx_error *knd_host_load_in(const knd_device *d, knc_program *p, knh_batch *batch, knd_loaded **out);
void knd_host_unload(knd_loaded *l);
knx_error *knd_host_reload(knd_loaded *l); /* of a program without others inside */
/* tables.c: the rooms of loops and branches */
knx_error *knd_host_load_loop(knd_host_loaded *l, const knc_step *s, knd_host_step *out, size_t *room);
knx_error *knd_host_load_branch(knd_host_loaded *l, const knc_step *s, knd_host_step *out, size_t *room);
/* workspace.c */
bool knd_host_lay_out(knd_host_loaded *l);                                /* false without memory */
/* The same steps have other numbers; alone: each of them runs on one thread. */
bool knd_host_lay_out_again(knd_host_loaded *l, bool alone);
double knd_kernel_units(const knc_step *s); /* operations of a launch, as knk_cost counts them */
size_t knd_host_band_bytes(const knc_band *b, const knd_host_band *made); /* of whatever step of it is running */
/* Bytes that a product itself needs, and behind them what its kernels need for each worker: at its end a tile, if
 * elements are turned. */
size_t knd_product_workspace(const knd_host_product *x, int threads);
size_t knd_attached_scratch(const knc_step *s, const knd_host_product *x);
/* The values of a run come first, then the room, then the scratch. */
static inline uint64_t knd_values_bytes(const knd_host_loaded *l)
{
    return knx_whole_lines(l->head.program->workspace);
}
#endif
