/* SPDX-License-Identifier: Apache-2.0
 * product_plan.h -- a product thought through: where its operands and its result lie, which numbers it is made in, how
 * it is cut into pieces. Inside, one operand is `left`: its rows go down the rectangles of the inner loops, its numbers
 * are broadcast; the other one is `right`: its rows are the lanes. Which is which depends on where the result's
 * neighbours lie: a product may be made as its transpose. */
#ifndef KN_HOST_ROUTINE_PRODUCT_PLAN_H
#define KN_HOST_ROUTINE_PRODUCT_PLAN_H
#include "host/stage/product_maker.h"
#include "host/routine/product.h"

enum { KNR_BLOCK_STEPS = 256, KNR_MAX_WIDTH = 256 }; /* numbers of a row of a panel */
enum {
    KNR_COLUMN_AHEAD = 512,       /* bytes of columns that are turned, */
    KNR_COLUMNS_AHEAD = 256 << 10 /* or the next columns, if that is not more */
};
enum { KNR_PART_NANOSECONDS = 10000 };               /* the least work that is worth waking another thread */

/* A flattened group of dimensions as it lies in one array: neighbours that lie like one dimension are one. */
typedef struct knr_axis {
    int n; /* at least 1 */
    int64_t total;
    int64_t *extent, *stride;
    int64_t *walk;  /* positions of the window for one step here */
    int8_t *window; /* -1: none */
} knr_axis;
/* The batch dimensions, merged. */
typedef struct knr_batches {
    int n; /* at least 0 */
    int64_t *extent, *a, *b, *c;
} knr_batches;

/* An operand: rows (the group m or n) and steps (k). */
typedef struct knr_side {
    kn_dtype dtype;
    knr_axis row, k;
    int64_t offset;
    int n_window; /* of the plan's; 0 for b */
    bool is_a, fill;
    bool same;  /* elements are the numbers of the inner loops, as they lie */
    bool plain; /* `same`, in memory, and both axes have one stride */
} knr_side;

/* Sizes of the pieces; rows are counted in rectangles, columns in panels. */
typedef struct knr_cuts {
    int64_t tiles, height, extra; /* of all rows: the first `extra` rectangles have height + 1 rows */
    int64_t plain_tiles;          /* with so many rectangles down right is not packed */
    int64_t panel;                /* columns of a full panel */
    int64_t k_piece;              /* a multiple of 256, or all */
    int64_t n_piece;              /* columns, of panels */
    int64_t m_piece;              /* rectangles of packed `left` */
    int64_t m_block;              /* rectangles between two stores, where the result goes through a buffer; else all */
} knr_cuts;

/* Left or right by runs (product_strip.h): numbers, bytes where it says so. */
typedef struct knr_strip {
    bool used;
    bool right;         /* the operand; else left */
    bool across;        /* rows are adjacent, not steps */
    bool table;         /* a box and a table (product_box.h) */
    bool in_place;      /* the box is the array */
    int nearest;        /* dimensions of the rows that are a line of a box */
    int64_t chunk;      /* lines of the dimension before the last one, which boxes do not go beyond */
    int window;         /* that makes strips; -1: lines of the array */
    int64_t line;       /* rows of the last dimension */
    int64_t lines;      /* of all rows */
    int64_t run;        /* steps of k */
    int64_t row, step;  /* bytes from row to row, from step to step */
    int64_t positions;  /* of a strip */
    int64_t position;   /* from one position of a strip to the next */
    int64_t channels;   /* numbers of a position that are adjacent in the array */
    int64_t apart;      /* not 0: they are not, but so far apart; positions are adjacent there */
    int64_t layers;     /* so many times are positions in a strip; their distance there, and in the array: */
    int64_t pitch, layer;
    int64_t bytes;      /* of a strip, or of the zeros */
    int64_t spread, advance; /* not 0: r runs see at most spread + r advance strips */
    int64_t most;       /* lines of the result in a room */
    int64_t keys, zeros, room; /* bytes: where these begin in a room, and where it ends */
} knr_strip;
enum { KNR_STRIP_SUMS = 16384 }; /* bytes of a rectangle, the most */

/* How a product is looked at: which windows stay though they never leave the array, for strips and boxes, and whether
 * left is a wherever the result's neighbours lie. FEW: those of many steps and few rows, as in the gradient of a
 * kernel. `lanewise`: the last dimension of the batch are the columns (there is one row of b), of which each has rows
 * of a of its own. */
typedef struct knr_view {
    enum { KNR_KEEP_NONE, KNR_KEEP_FEW, KNR_KEEP_ALL } keep;
    bool straight, lanewise;
} knr_view;

/* A product that is `simple`, as a call of its rectangles: bytes. */
typedef struct knr_call {
    bool at_once;    /* one batch, and too little for threads */
    int64_t a, b, c; /* the first elements of left, right and the result */
    int64_t a_row, a_k, b_k, c_row, k;
    int64_t left_row, right_row; /* to the next row of left, of right */
    int64_t columns;
} knr_call;

/* What a small product needs comes first: a program may have thousands of them. The arrays of axes lie behind it. */
struct knr_plan {
    knr_call call;
    knr_cuts cut;
    bool swapped;          /* left is b */
    bool simple;           /* all in place, all of k at once, straight into c */
    knh_b_from right_from; /* of the first rectangle that reads a panel; after PACKING comes PACKED */
    int size;              /* bytes of a number of the result's buffer; of complex ones both parts */
    /* Found ahead: [rows of a rectangle are cut.height + 1][columns are those of the last panel][knh_b_from]. */
    knh_product_function *function[2][2][KNH_B_KINDS];
    kn_dtype result;
    knh_number number;
    int left_step, right_step;       /* bytes of one step of one row, packed */
    int parts;                       /* 2: complex */
    int group;                       /* steps of k that lie side by side: 4 for BYTES, 2 for SHORTS */
    const knh_product_maker *maker;  /* NULL: the loops in C */
    int lanes;                       /* numbers in a vector */
    int max_rows;                    /* of a rectangle */
    bool finish;                     /* the caller brings one */
    knr_into into;                   /* not SET: c has totals from the beginning */
    bool direct;                     /* the inner loops write into c */
    bool keeps_totals;               /* parts of k cannot leave their totals in c */
    bool left_in_place, left_across; /* across: the rows of a step are adjacent, there or packed so */
    bool right_in_place;             /* PLAIN or TURNED */
    bool turned;                     /* right is read TURNED */
    knr_view view;
    bool stream;                     /* pieces of k inside of blocks: right is read once, as it lies in memory */
    int64_t batches;
    knr_batches batch;
    int64_t lane;   /* lanewise: from column to column in a */
    int64_t c_offset;
    knr_axis c_row, c_column; /* along left's and right's rows */
    knr_side left, right;
    int n_window;
    knk_window *window;
    knr_strip strip;
    int64_t height, width, rest; /* of the rectangles that functions were found for; rest: columns of the last one */
    size_t left_bytes, right_bytes, c_bytes, chain_bytes, spare_bytes; /* of a worker's workspace */
    int64_t c_line;                                                    /* numbers between the rows of the buffer */
    bool by_small;       /* matrices of the stack side by side */
    bool by_lanes;       /* the last batch dimension runs along the lanes */
    bool dot;            /* one number of two vectors */
    bool dots;           /* numbers of many pairs of rows */
    int64_t dot_columns; /* blocks, or pairs, at once */
    knh_product_function *dot_function[3];
    size_t turned_bytes; /* of c_bytes: columns of lanes, turned for a `finish` */
    double cost;
};

/* Chooses rectangles, pieces and places; then finds the functions. */
void knr_cut(knr_plan *p);
void knr_find_functions(knr_plan *p);
/* The rectangle that a plan asks for: rows x columns (of one panel). */
knh_product_request knr_request(const knr_plan *p, int64_t rows, int64_t columns, knh_b_from from);

static inline int64_t knr_least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t knr_divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t knr_round_up(int64_t a, int64_t b) { return knr_divide_up(a, b) * b; }
static inline size_t knr_worker_bytes(const knr_plan *p)
{
    return p->left_bytes + p->right_bytes + p->c_bytes + p->chain_bytes + p->spare_bytes;
}
/* Bytes from column to column where so many rows are turned for a `finish`. */
static inline int64_t knr_turned_line(const knr_plan *p, int64_t rows)
{
    return knr_round_up(rows * p->size, 128) + 64;
}
/* How far in front of itself a TURNED right is asked for. A panel that is followed by another one asks for that: its
 * columns are too short for the processor to see where they go on. */
static inline int64_t knr_ahead(const knr_plan *p, int64_t columns, int64_t left, int64_t steps, int64_t column_bytes)
{
    bool next = left > columns && columns * steps * p->right_step <= KNR_COLUMNS_AHEAD;
    return next ? columns * column_bytes : KNR_COLUMN_AHEAD;
}
/* The first row of rectangle number t. */
static inline int64_t knr_row_of(const knr_cuts *c, int64_t t) { return t * c->height + knr_least(t, c->extra); }

/* Where an axis stands: the indices, their offset, and the positions in the windows. */
typedef struct knr_at {
    int64_t index[KN_MAX_NDIM], offset, position[KNK_MAX_WINDOWS];
} knr_at;
void knr_seek(const knr_axis *x, int n_window, int64_t i, knr_at *at);
/* Forward by n elements, no farther than to the end of the last dimension. */
void knr_advance(const knr_axis *x, int64_t n, knr_at *at);
/* How many elements there are up to the end of the last dimension. */
static inline int64_t knr_run_length(const knr_axis *x, const knr_at *at)
{
    return x->extent[x->n - 1] - at->index[x->n - 1];
}
/* The offsets of batch number i in a, b and c. */
void knr_batch_at(const knr_plan *p, int64_t i, int64_t *a, int64_t *b, int64_t *c);
#endif
