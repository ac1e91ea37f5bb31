/* SPDX-License-Identifier: Apache-2.0
 * step.h -- a program as data: what the planner makes and the executor runs. */
#ifndef KN_COMPILE_STEP_H
#define KN_COMPILE_STEP_H
#include "compile/program.h"
#include "ir/prim.h"
#include "kernel/kernel.h"

/* Where a value lies. KNC_NOWHERE: it is not in memory; KNC_AT_BLOCK: in a step of a band, a block of it is. */
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
    size_t offset;  /* bytes */
    size_t first, bytes; /* the memory of the value that it points into, from the beginning of the operand, output or
                            workspace on; 0 bytes: of a literal */
} knc_ref;
/* step i's reference r is written to; it may be read, too */
bool knc_is_written(const knc_step *s, uint32_t r);

/* A loop (while, scan) that is not a kernel: the programs of its condition and its body. All values that it needs while
 * it runs are in its workspace: docs/loops.md. Operands: constants of the condition, of the body, carries, inputs;
 * results: carries, outputs. */
typedef struct knc_loop {
    uint8_t path;                         /* kni_loop_path: CALLS or STEPWISE */
    uint32_t n_cond, n_body, n, n_x, n_y; /* constants of the condition, of the body; carries; inputs, outputs */
    knc_program *cond, *body;             /* cond: NULL for a scan */
    int64_t length;                       /* of a scan; of a while: most rounds, KNC_NO_LENGTH: any */
    bool reverse;
    int64_t on_step;                  /* a host function (ir/host.h), 0: none */
    const size_t *bytes;              /* of the carries; then of an element of each input, of each output */
    const size_t *second;             /* offset of the second place of a carry; KNC_IN_PLACE: none */
    int places;                       /* 2: some carries have a second one */
    size_t go, work, workspace;       /* the condition's result; the programs' workspace; all of it */
} knc_loop;
#define KNC_IN_PLACE  SIZE_MAX
#define KNC_NO_LENGTH INT64_MAX

/* One of several programs, chosen by an index: operands: the index, what all programs take; results: theirs. */
typedef struct knc_branch {
    uint32_t n;
    knc_program *const *program;
    size_t workspace; /* the programs' own, shared */
} knc_branch;

/* A kernel as a part of a product's step: it works out elements of an operand when the product asks for them, or takes
 * those of the result when they are there (docs/products.md). Its dimensions are the product's: of the batch, rows (of
 * the group m; operand b: n) and columns (the group n; operands: k), slowest first, at least one row and column. */
typedef struct knc_attached {
    knk_kernel *kernel;
    const uint32_t *ref; /* per buffer: which of the step's; KNC_NO: elements that are asked for or handed over */
    const bool *handed;  /* per map: of those elements; offset and strides are not from here then */
    int n_batch, n_row, n_column;
    const int64_t *extent;          /* per dimension */
    const int64_t *offset;          /* per map; handed: the part of a complex number */
    const int64_t *stride;          /* [map][dimension] */
    int parts, element;             /* of an element that is handed over: its parts, bytes */
    bool across[2];                 /* elements adjacent along columns, along rows: they are turned, and lanes run along
                                       the other one */
} knc_attached;

/* One of the boxes that a kernel's points are cut into where a predicate of a load changes (segments.c), with what is
 * left of the kernel there, or the whole. */
enum { KNC_SEGMENT_BUFFERS = 64 }; /* of one with a list of its own */
typedef struct knc_segment {
    knk_kernel *kernel;
    const knk_map_values *map;
    const int64_t *par;
    const int16_t *buffer; /* per buffer of its kernel: which of the step's; NULL: they are the same */
} knc_segment;

typedef enum knc_step_kind {
    KNC_KERNEL,
    KNC_ROUTINE,
    KNC_COPY,
    KNC_LOOP,
    KNC_PRODUCT,
    KNC_BAND,
    KNC_BRANCH,
    KNC_PUT /* a kernel that replaces some elements of its results: no other pass takes it for one that makes all */
} knc_step_kind;
/* Addresses of a step that move by data: by so many bytes for each position that reference `start` holds, which is
 * moved to lie between 0 and `most`. */
typedef struct knc_shift {
    uint32_t start, ref[2]; /* ref[1]: KNC_NO: only one moves */
    kn_dtype dtype;
    int64_t most, bytes;
} knc_shift;
struct knc_step {
    uint8_t kind;
    uint32_t eqn; /* the equation that errors point at */
    uint32_t n_ref;
    knc_ref *ref; /* kernel: its buffers; routine, loop: operands, results, workspace if it has one; copy: to, from;
                     product: operands and result, what else its kernels read and write; band: what its steps refer
                     to outside of it, each place once */
    union {
        struct {
            knk_kernel *kernel;
            const knk_map_values *map;
            const int64_t *par;
            const int64_t *const *inner;
            const knc_segment *segment; /* that say the same as kernel, map and par; none: n_segment is 0 */
            uint32_t n_segment;
            const knc_shift *shift; /* KNC_PUT */
            uint32_t n_shift;
        } k;
        struct {
            uint32_t n_in, n_out;
            const kni_type *xt, *yt;
            size_t workspace;
            const knc_loop *loop;     /* KNC_LOOP; else NULL */
            const knc_branch *branch; /* KNC_BRANCH; else NULL */
        } r;
        struct {
            const knk_product *product; /* while it is planned; then NULL */
            const int64_t *packed;      /* then: knk_unpack_product */
            const bool *writes;                           /* per reference */
            uint32_t eqn;                                 /* the product's own */
            uint32_t a, b, c;                             /* references; KNC_NO: that is worked out, or taken */
            const knc_attached *fill_a, *fill_b, *finish; /* NULL: there is none */
        } p;
        struct knc_band *band;
        size_t bytes; /* of a copy */
    } u;
};

/* ---- Bands: steps that share rows, run block by block (docs/products.md). Rows are counted through all batches; a
 * block is some rows of one batch. */

/* Which turns of a parallel loop of a kernel belong to a block of n rows from row r on (rows in units of the band's
 * grain). FIXED: one, number r / per; SHARE: n * per, from r * per on; both modulo the loop's extent. */
typedef enum knc_cut_kind { KNC_CUT_WHOLE, KNC_CUT_FIXED, KNC_CUT_SHARE } knc_cut_kind;
typedef struct knc_cut {
    uint8_t kind;
    int64_t per;
} knc_cut;

/* A value of which there is one block per worker. */
typedef struct knc_block {
    size_t row, at; /* bytes of a row; place in a worker's memory */
} knc_block;

typedef struct knc_band_step {
    knc_step step; /* a kernel or a product; `par` is that of the whole */
    bool again;    /* an earlier step made the same values, which were not kept */
    /* kernel: */
    const knc_cut *cut;    /* per parallel loop */
    const int64_t *par[2]; /* extents of a block; of the last block of a batch */
    /* product: */
    bool sums;     /* over the rows: they are its steps of k, and its result is that of a whole batch */
    int64_t rows;  /* of one batch of its own: as the band's, or a multiple */
    int64_t other; /* steps of k; sums: rows of the result */
    bool chained;  /* its sums wait between blocks, which end inside of their blocks of steps of k */
} knc_band_step;

typedef struct knc_band {
    uint32_t n_step, n_block;
    knc_band_step *step;
    knc_block *block;
    int64_t batches, rows; /* rows: of a batch */
    int64_t grain, height; /* rows of a block: at most, a multiple of the grain */
    int64_t chunk;         /* so many rows come to sums in order; 0: blocks are in no order */
    int most_maps;         /* of one of its kernels */
    size_t kept;           /* bytes of a worker's memory for blocks */
    size_t saved;          /* bytes of values that are not in memory */
} knc_band;

/* How an output comes to its buffer. */
typedef enum knc_output_kind {
    KNC_OUT_NEW,     /* a buffer of its own */
    KNC_OUT_OPERAND, /* operand `index`: its buffer, or a copy where it is plain memory */
    KNC_OUT_SAME,    /* as output `index`, an earlier one */
    KNC_OUT_DONATED, /* written over operand `index`; a buffer of its own where that is plain memory (a copy that
                        an update begins with then happens) */
} knc_output_kind;
typedef struct knc_output {
    uint8_t kind;
    uint32_t index;
    size_t bytes;
} knc_output;

static inline int64_t knc_band_blocks(const knc_band *band)
{
    return band->batches * ((band->rows + band->height - 1) / band->height);
}

/* A value in memory between two steps, or between a step and the outside. */
typedef struct knc_edge {
    uint32_t from, to; /* steps; KNC_NO: an operand of the program, one of its results */
    uint32_t var, eqn; /* an operand's number, or a variable and its equation, whose note says why it is stored */
    uint32_t output;   /* to KNC_NO: number of the result */
} knc_edge;

/* One decision of the grouping pass, per equation: what became of its results and why. */
typedef struct knc_note {
    uint8_t state, why; /* knc_state, knc_why */
    bool joined;        /* stored by a kernel that was there for another value */
    bool in_blocks;     /* stored, but for one block of a band at a time */
    uint32_t step;      /* KNC_NO: several, or none */
} knc_note;
#define KNC_NO UINT32_MAX
static inline bool knc_is_kernel(const knc_step *s) { return s->kind == KNC_KERNEL || s->kind == KNC_PUT; }

/* How a loop or branch runs, and why not better. */
typedef struct knc_path_note {
    uint32_t eqn;
    uint8_t path;    /* kni_loop_path */
    const char *why; /* "" if there is nothing better */
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
    size_t bytes;    /* of the operand: copied unless `how` says in place */
} knc_update_note;

struct knc_program {
    atomic_int refs;
    kni_jaxpr *jaxpr; /* after all passes; types, parameters and literals of the steps are its */
    uint32_t n_operand, n_output, n_step;
    uint64_t first_group; /* number of the first step; never given twice */
    uint32_t max_ref; /* of one step */
    const knc_step *step;
    const knc_output *output;
    const knc_note *note;                 /* per equation */
    const uint32_t *first_eqn, *step_eqn; /* the equations of step s: step_eqn[first_eqn[s]] and on to the next one's */
    const knc_edge *edge;                 /* if they were recorded */
    uint32_t n_edge;
    const knc_update_note *update;
    uint32_t n_update;
    const knc_path_note *path;   /* in the order of the equations */
    size_t copied;               /* bytes, by updates that are not in place */
    const uint32_t *overwritten; /* donated operands with temporaries in their place; copied first where one is plain
                                    memory */
    uint32_t n_overwritten;
    const knc_ref *value_at; /* without fusion, per variable: where it lies, for observers; else NULL */
    size_t workspace; /* bytes of the temporaries; a device that runs it may need more beside them */
    size_t values;    /* bytes of operands, and of outputs with buffers of their own */
    knx_arena arena;
};
/* control.c: the programs inside of a step: none but in loops and branches */
uint32_t knc_n_inside(const knc_step *s);
knc_program *knc_inner_program(const knc_step *s, uint32_t i);
/* record.c: the operations that a step works out, for people; the elements that it runs over (a copy's bytes) */
void knc_step_operations(const knc_program *p, uint32_t step, knx_text *t);
int64_t knc_step_elements(const knc_program *p, uint32_t step);
/* groups.c: the user's lines that a step's equations come from, in the file of the first that is known (NULL: none) */
typedef struct knc_span {
    const char *file;
    int first, last;
} knc_span;
knc_span knc_step_span(const knc_program *p, uint32_t step);
uint64_t knc_new_groups(uint32_t n); /* the first of n new numbers */
#endif
