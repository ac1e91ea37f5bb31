/* SPDX-License-Identifier: Apache-2.0
 * step.h -- a program as data: what the planner makes and the executor runs. */
#ifndef KN_COMPILE_STEP_H
#define KN_COMPILE_STEP_H
#include "compile/program.h"
#include "ir/prim.h"
#include "kernel/kernel.h"

/* Where a value lies. KNC_AT_WORK: in the program's workspace; KNC_NOWHERE: it is not in memory; KNC_AT_BLOCK: a block
 * of its rows at a time is in the memory of a worker, and only steps of one band access it. */
typedef enum knc_space {
    KNC_AT_OPERAND,
    KNC_AT_OUTPUT,
    KNC_AT_WORK,
    KNC_AT_LITERAL,
    KNC_NOWHERE,
    KNC_AT_BLOCK
} knc_space;
typedef struct knc_ref {
    uint8_t space;
    uint32_t index; /* of the operand, the output, the literal, the block value; while planning: of the slot */
    knx_bytes offset;
    /* The memory of the whole value: its offset in the operand, output or workspace, and its size; 0: a literal. */
    knx_bytes first, bytes;
} knc_ref;
/* Does the step write to its reference r? It may read it, too. */
bool knc_is_written(const knc_step *s, uint32_t r);

/* A loop (while, scan) that is not a kernel: the programs of its condition and its body. The step's workspace holds all
 * that the loop needs while it runs (docs/loops.md). Operands of the step: constants of the condition, constants of the
 * body, carries, inputs; results: carries, outputs. */
typedef struct knc_loop {
    uint8_t path;                         /* kni_loop_path: CALLS or STEPWISE */
    uint32_t n_cond, n_body, n, n_x, n_y; /* constants of the condition, of the body; carries; inputs, outputs */
    knc_program *cond, *body;             /* cond: NULL for a scan */
    int64_t length;                       /* turns of a scan; of a while: at most, KNC_NO_LENGTH: no bound */
    bool reverse;
    int64_t on_step;         /* a host function (ir/host.h), 0: none */
    const knx_bytes *bytes;  /* of the carries; then of an element of each input, of each output */
    const knx_bytes *second; /* offsets of the carries' second memory in the workspace; KNC_IN_PLACE: none */
    int places;              /* 2: some carries have second memory, and alternate with each turn; else 1 */
    knx_bytes go, work;      /* offsets of the condition's result, of the programs' workspace */
    knx_bytes workspace;     /* of all */
} knc_loop;
#define KNC_IN_PLACE  UINT64_MAX
#define KNC_NO_LENGTH INT64_MAX

/* One of several programs, chosen by an index. Operands of the step: the index, then the operands that all the programs
 * take; results: those of the chosen program. */
typedef struct knc_branch {
    uint32_t n;
    knc_program *const *program;
    knx_bytes workspace; /* bytes for the largest workspace of a program: one memory for all */
} knc_branch;

/* A kernel as a part of a product's step: it computes elements of an operand when the product asks for them, or takes
 * elements of the result as soon as the product has computed them (docs/products.md). It runs over dimensions of the
 * product: of the batch, then rows (the group m; for operand b: n), then columns (the group n; for operands: k),
 * slowest first; there are one or more dimensions of rows and of columns. */
typedef struct knc_attached {
    knk_kernel *kernel;
    const uint32_t *ref; /* per buffer: a reference of the step; KNC_NO: elements that pass to or from the product */
    const bool *handed;  /* per map: of these elements; the product gives their address and strides with each call */
    int n_batch, n_row, n_column;
    const int64_t *extent;          /* per dimension */
    const int64_t *offset;          /* per map, in elements; where handed: the part of a complex number, 0 or 1 */
    const int64_t *stride;          /* [map][dimension], in elements */
    int parts, element;             /* of an element that passes to or from the product: its parts, its bytes */
    bool across[2];                 /* if these elements are adjacent along columns (0), along rows (1): blocks of them
                                       are transposed, so that lanes run along the other dimension */
} knc_attached;

/* One of the boxes that a kernel's points are cut into where the predicate of a load changes (segments.c), with the
 * kernel that is left once that predicate is known there, or with the whole kernel. */
enum { KNC_SEGMENT_BUFFERS = 64 }; /* most buffers of a segment that has a list `buffer` */
typedef struct knc_segment {
    knk_kernel *kernel;
    const knk_map_values *map;
    const int64_t *par;
    const int16_t *buffer; /* per buffer of its kernel: the number of the step's buffer; NULL: the same number */
} knc_segment;

typedef enum knc_step_kind {
    KNC_KERNEL,
    KNC_ROUTINE,
    KNC_COPY,
    KNC_LOOP,
    KNC_PRODUCT,
    KNC_BAND,
    KNC_BRANCH,
    KNC_PUT /* a kernel that replaces some elements of its results; passes take a KNC_KERNEL to store all of them */
} knc_step_kind;
/* Moves addresses of a step by data: the reference `start` holds a position, which is clamped to 0 .. `most`; the
 * addresses of the references `ref` move by `bytes` times that. */
typedef struct knc_shift {
    uint32_t start, ref[2]; /* ref[1] = KNC_NO: only one moves */
    kn_dtype dtype;
    int64_t most, bytes;
} knc_shift;
/* A routine that waits for others may be two steps (memory/starts.c): one that starts it, and one that waits for it. */
enum { KNC_WHOLE, KNC_START, KNC_WAIT };
struct knc_step {
    uint8_t kind;
    uint8_t half; /* KNC_ROUTINE: KNC_WHOLE, or which half of it */
    uint32_t eqn; /* the equation that errors point at */
    uint32_t n_ref;
    knc_ref *ref; /* kernel: its buffers; routine, loop, branch: operands, results, workspace if it has one; copy: to,
                     from; product: operands and result, then the other buffers of its kernels; band: each slot
                     outside of the band that one of its steps accesses, once */
    union {
        struct {
            knk_kernel *kernel;
            const knk_map_values *map;
            const int64_t *par;
            const int64_t *const *inner;
            const knc_segment *segment; /* run in place of kernel, map and par, unless n_segment is 0 */
            uint32_t n_segment;
            const knc_shift *shift; /* KNC_PUT */
            uint32_t n_shift;
        } k;
        struct {
            uint32_t n_in, n_out;
            const kni_type *xt, *yt;
            const void *params; /* NULL: those of the equation */
            knx_bytes workspace;
            const knc_loop *loop;     /* KNC_LOOP; else NULL */
            const knc_branch *branch; /* KNC_BRANCH; else NULL */
        } r;
        struct {
            const knk_product *product; /* the description while the program is planned; then NULL */
            const int64_t *packed;      /* the description from then on: knk_unpack_product */
            const bool *writes;                           /* per reference: does the step write there? */
            uint32_t eqn;                                 /* of the product; knc_step.eqn may be a kernel's */
            uint32_t a, b, c;                             /* references; KNC_NO: a fill makes it, `finish` takes it */
            const knc_attached *fill_a, *fill_b, *finish; /* kernels for operands a, b, for the result; NULL: none */
        } p;
        struct knc_band *band;
        knx_bytes bytes; /* of a copy */
    } u;
};

/* ---- Bands: steps that share rows, run block by block (docs/products.md). Rows are counted through all batches; a
 * block is some rows of one batch. */

/* Which turns of a parallel loop of a kernel belong to the block of n rows from row r on (n and r in units of the
 * band's grain). WHOLE: all; FIXED: one, turn r / per; SHARE: n * per turns, from turn r * per on; FIXED and SHARE
 * modulo the loop's extent. */
typedef enum knc_cut_kind { KNC_CUT_WHOLE, KNC_CUT_FIXED, KNC_CUT_SHARE } knc_cut_kind;
typedef struct knc_cut {
    uint8_t kind;
    int64_t per;
} knc_cut;

/* A value that exists as one block of rows per worker. */
typedef struct knc_block {
    knx_bytes row, at;  /* bytes of a row; offset in a worker's memory for blocks */
    int first, last; /* the first and the last step of the band that access the value */
    int over;        /* number of the value whose memory this one takes over; -1: none */
} knc_block;

enum { KNC_BAND_ARRAYS = 8 }; /* operands and results of a routine in a band, at most */
typedef struct knc_band_step {
    knc_step step; /* a kernel, a product or a routine; `par` are the extents for all rows */
    bool again;    /* a step of another band makes the same values, but does not keep them */
    /* kernel: */
    const knc_cut *cut;    /* per parallel loop */
    const int64_t *par[2]; /* extents for a block; for the last block of a batch */
    /* product: */
    bool sums;     /* it contracts over the rows: they are its positions of k, its result belongs to the whole batch */
    int64_t rows;  /* of one batch of the product: the band's rows of a batch, or a multiple. Of a routine: its rows in
                      one of the band's */
    int64_t other; /* positions of k; with `sums`: rows of the result */
    bool chained;  /* unfinished sums are kept from block to block: a block of rows may end inside of a block of k */
} knc_band_step;

typedef struct knc_band {
    uint32_t n_step, n_block;
    knc_band_step *step;
    knc_block *block;
    int64_t batches, rows; /* rows: of a batch */
    int64_t grain, height; /* height: rows of a block, at most; a multiple of the grain (rows that stay together) */
    int64_t chunk;         /* the blocks of so many rows run in order, for the sums over them; 0: in no order */
    int most_maps;         /* of one of its kernels, at most */
    knx_bytes kept;           /* bytes of a worker's memory for blocks */
    knx_bytes saved;          /* bytes of the values that exist in blocks only */
} knc_band;

/* Which buffer an output of the program has. */
typedef enum knc_output_kind {
    KNC_OUT_NEW,     /* a buffer of its own */
    KNC_OUT_OPERAND, /* operand `index`: its buffer, or a copy where it is plain memory */
    KNC_OUT_SAME,    /* as output `index`, an earlier one */
    KNC_OUT_DONATED, /* the buffer of operand `index`, which it is written over; where the operand is plain memory a
                        buffer of its own, into which an update first copies the operand */
} knc_output_kind;
typedef struct knc_output {
    uint8_t kind;
    uint32_t index;
    knx_bytes bytes;
} knc_output;

static inline int64_t knc_band_blocks(const knc_band *band)
{
    return band->batches * ((band->rows + band->height - 1) / band->height);
}

/* Gives each block of so many rows the lowest offset that is free from the first to the last step that uses it; returns
 * the bytes of all. A block whose memory later blocks take over (`over`) is in use until the last of those is. */
size_t knc_place_blocks(knc_block *x, int n, int64_t rows);
void knc_settle_band(knc_band *band); /* the same, of blocks of its height */
/* In the references of a band: the number of that for what reference r of one of its steps lies in. */
uint32_t knc_band_ref(const knc_step *band, const knc_ref *r);

/* A value in memory between two steps, or between a step and the outside. */
typedef struct knc_edge {
    uint32_t from, to; /* steps; KNC_NO: an operand of the program, one of its results */
    uint32_t var, eqn; /* the variable; its equation, whose note says why it is stored (of an operand: KNC_NO) */
    uint32_t output;   /* if `to` is KNC_NO: number of the result */
} knc_edge;

/* One decision of the grouping pass, per equation: what became of its results and why. */
typedef struct knc_note {
    uint8_t state, why; /* knc_state, knc_why */
    bool joined;        /* stored by a kernel that reads it for another value */
    bool in_blocks;     /* stored, but only one block of a band at a time */
    uint32_t step;      /* that computes it; KNC_NO: several, or none */
} knc_note;
#define KNC_NO UINT32_MAX
static inline bool knc_is_kernel(const knc_step *s) { return s->kind == KNC_KERNEL || s->kind == KNC_PUT; }

/* How a loop or branch runs, and why no faster path is possible. */
typedef struct knc_path_note {
    uint32_t eqn;
    uint8_t path;    /* kni_loop_path */
    const char *why; /* "" if there is no faster path */
    const struct knc_path_note *next;
} knc_path_note;

/* How an update (a row with `updates`) was made. */
#define KNC_UPDATES(X)                                              \
    X(IN_PLACE, "in place")                                         \
    X(IN_OPERAND, "in place, in the buffer of its donated operand") \
    X(CALLERS, "the operand belongs to the caller")                 \
    X(OUTPUT, "the old value is an output")                         \
    X(LATER, "the old value is read later by")                      \
    X(ITSELF, "it reads the old value at other places too")         \
    X(PART, "its operand is a part of a larger array")              \
    X(LITERAL, "its operand is a literal")                          \
    X(TAKEN, "another value has the memory of the donated operand")
typedef enum knc_update_how {
#define KNC_X(id, text) KNC_UPDATE_##id,
    KNC_UPDATES(KNC_X)
#undef KNC_X
} knc_update_how;
typedef struct knc_update_note {
    uint32_t eqn;
    uint8_t how;
    uint32_t reader; /* KNC_UPDATE_LATER: an equation of the step that reads */
    knx_bytes bytes;    /* of the operand: copied unless `how` says in place */
} knc_update_note;

struct knc_program {
    atomic_int refs;
    kni_jaxpr *jaxpr; /* after all passes; types, parameters and literals of the steps are its */
    uint32_t n_operand, n_output, n_step;
    uint64_t first_group; /* number of the first step, the others follow; no two programs have the same numbers */
    uint32_t max_ref; /* references of one step, at most */
    const knc_step *step;
    const knc_output *output;
    const knc_note *note;                 /* per equation */
    const uint32_t *first_eqn, *step_eqn; /* the equations of step s: step_eqn[first_eqn[s] .. first_eqn[s + 1] - 1] */
    const knc_edge *edge;                 /* if they were recorded */
    uint32_t n_edge;
    const knc_update_note *update;
    uint32_t n_update;
    const knc_path_note *path;   /* in the order of the equations */
    knx_bytes copied;               /* bytes, by updates that are not in place */
    const uint32_t *overwritten; /* donated operands whose memory a temporary takes over; an operand that comes in plain
                                    memory is copied before the program runs */
    uint32_t n_overwritten;
    const struct knc_room *room; /* of the temporaries */
    uint32_t n_room;
    const kni_type *operand_type, *output_type;
    /* A program of dimension variables (docs/shapes.md) does not run: knc_instantiate makes one of it that does. Its
     * numbers may be expressions; a temporary's reference names its room. */
    knx_dim_code *code;           /* NULL: it has no variables */
    struct knc_image *image;      /* of its instances (instance.c); NULL: it has no variables */
    const knc_program *made_from; /* of an instance: the program of variables, whose kernels and notes it uses */
    _Atomic(size_t) loaded;       /* the most bytes that a device took for an instance of it; 0: none was loaded */
    const knc_ref *value_at; /* without fusion, per variable: where it lies, for observers; else NULL */
    const char *const *where; /* per step, for texts and drawings: where it runs and why; NULL: nobody says */
    knx_bytes workspace; /* bytes of the temporaries; a device may need more beside them to run the program */
    knx_bytes values;    /* bytes of operands, and of outputs with buffers of their own */
    knx_arena arena;
};
/* control.c: the programs inside of a step (of a loop or a branch; other steps have none) */
uint32_t knc_n_inside(const knc_step *s);
knc_program *knc_inner_program(const knc_step *s, uint32_t i);
/* groups.c: "", or which half of a routine the step is, behind the routine's name */
const char *knc_half_text(const knc_step *s);
/* record.c: the names of the operations that a step computes; the number of elements that it runs over (a copy:
 * bytes) */
void knc_step_operations(const knc_program *p, uint32_t step, knx_text *t);
int64_t knc_step_elements(const knc_program *p, uint32_t step);
/* groups.c: the user's lines that a step's equations come from, in the file of the first known place (NULL: none) */
typedef struct knc_span {
    const char *file;
    int first, last;
} knc_span;
knc_span knc_step_span(const knc_program *p, uint32_t step);
uint64_t knc_new_groups(uint32_t n); /* the first of n new numbers for steps */
#endif
