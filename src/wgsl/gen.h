/* SPDX-License-Identifier: Apache-2.0
 * gen.h -- a kernel on its way to WGSL: what the files of this folder share. In a text
 *
 *     kn_w                the words of the launch          v12       the value of node 12
 *     memory0             memory 0                         e3        the element that map 3 leads to
 *     load0_f32(e)        its element number e, read       i0 i1     indices of the parallel point
 *     store0_f32(e, x)    the same, written                j0 j1     indices of the stage's inner point
 *     point lane          which point; which invocation    t0 t1     turns of loops */
#ifndef KN_WGSL_GEN_H
#define KN_WGSL_GEN_H
#include "kernel/internal.h"
#include "wgsl/piece.h"

enum { KNW_NO_LOOP = 255, KNW_LANES = 64, KNW_ADJACENT = 16, KNW_SUM_BLOCK = 16384, KNW_COUNTER = 19 };

/* The words of a launch, and the dispatches that a kernel is. */
typedef struct knw_layout {
    const knk_kernel *k;
    uint32_t begin;    /* the word of the first buffer: KNW_AT, but of a piece */
    uint32_t n_words;  /* the word behind the last one */
    uint32_t par;      /* the extents of the parallel loops */
    uint32_t *inner;   /* per stage: its extents; then, of a stage with inner extents, their product and its blocks */
    uint32_t *map;     /* per map: the offset, then the strides of class ANY; each is two words if the map is wide */
    uint8_t *wide;     /* per map: an INDEX, whose value is 64 bits, is made of it */
    uint32_t *kept;    /* per node: where in the scratch its values lie, one per point; 0: nowhere */
    uint32_t *partial; /* per REDUCE: where in the scratch its blocks' values lie */
    void *memory;
} knw_layout;

/* A dispatch. */
typedef struct knw_part {
    bool blocks;    /* a workgroup for each block of the inner points of stage `first` */
    int join;       /* the stage whose reductions' blocks are joined first, a workgroup per point; -1: none, and an
                       invocation per point */
    int first, end; /* stages */
} knw_part;

typedef struct knw_region { /* the yes sides of the cold selects of one predicate in one loop */
    knk_node pred;
    int parent, loop;
} knw_region;
typedef struct knw_block { /* one `if` of the text */
    int parent, nodes;
} knw_block;
typedef struct knw_gen {
    const knw_request *r;
    const knk_kernel *k;
    knw_layout at;
    knw_part part;
    const knw_piece *piece; /* NULL: the text is a dispatch of its own */
    knw_unit *unit;
    knx_str main, functions, operand[4];
    knw_memory *memory;
    uint32_t n_words;
    uint32_t *given; /* per buffer that is in words: a bit per dtype: the function is there */
    int depth;

    uint8_t *low, *shared; /* per node: 64 bits of which the lower half is all that is wanted; wanted in later stages */
    /* of the stage that is being written */
    int stage, first, end;
    int32_t *region, *block;
    uint8_t *placed, *loop, parent[KNK_MAX_LOOPS];
    uint8_t *by_element; /* per map: e3 is made for it */
    knw_region *regions;
    knw_block *blocks;
    int n_region, n_block, at_block;
    bool dry, fours; /* fours: four elements together, whose stores of less than a word wait for each other */
} knw_gen;

static inline const knk_inst *knw_node(const knw_gen *g, knk_node x) { return &g->k->node[x]; }
/* Do the invocations of a workgroup work on the same points? */
static inline bool knw_together(const knw_gen *g)
{
    return g->r->mode == KNW_ROWS || g->r->mode == KNW_COLUMNS || (g->r->mode == KNW_PARTS && g->part.join >= 0);
}

/* words.c */
knx_error *knw_lay_out(const knk_kernel *k, uint32_t begin, bool parts, knw_layout *to);
void knw_put_numbers(const knw_layout *a, const knw_launch *l, uint32_t *words); /* of par, inner extents, maps */
void knw_layout_free(knw_layout *l);
bool knw_part_of(const knk_kernel *k, int part, knw_part *to); /* false: there are fewer */
bool knw_ordered(const knk_inst *n);                           /* the order in which it joins elements shows */
bool knw_reduces(const knk_kernel *k, int stage);
/* Have stores of less than a word adjacent elements along the innermost loop, so that words are written whole? Of a
 * kernel that is one stage of points; of a stage with inner extents. */
bool knw_fours_of_points(const knk_kernel *k);
bool knw_fours_of_row(const knk_kernel *k, int stage);
uint64_t knw_product(const int64_t *extent, int n); /* UINT64_MAX: too much */

/* text.c: lines of main */
void knw_line(knw_gen *g, const char *format, ...) KN_PRINTF_LIKE(2, 3);
void knw_open(knw_gen *g, const char *format, ...) KN_PRINTF_LIKE(2, 3); /* what follows stands deeper */
void knw_close(knw_gen *g);
void knw_word(knx_str *t, uint32_t word); /* "kn_w[2].y" */
enum { KNW_WORD_TEXT = 24 };
const char *knw_word_text(char to[KNW_WORD_TEXT], uint32_t word);
bool knw_allocate(knw_gen *g, void **memory); /* its lists; *memory is to be freed */
void knw_find_shared(knw_gen *g);
/* memory.c */
void knw_find_memory(knw_gen *g);
void knw_load_call(knw_gen *g, knx_str *t, int buffer, int dtype); /* "load0_f32(" */
void knw_store_call(knw_gen *g, knx_str *t, int buffer, int dtype);
void knw_put_call(knw_gen *g, knx_str *t, int buffer, int dtype); /* "put0_u8(": four elements that waited */
void knw_buffer_begins(const knw_gen *g, knx_str *t, int buffer); /* "kn_w[0].w": where, in elements */
void knw_declare_memory(const knw_gen *g, knx_str *t);
void knw_from_words(knx_str *t, int dtype, const char *a, const char *b); /* a value of its one or two words */
void knw_to_word(knx_str *t, int dtype, int which, const char *x);

/* places.c: elements that maps lead to */
void knw_find_maps(knw_gen *g);
void knw_points_of_maps(knw_gen *g);   /* what the parallel point adds, as lines */
void knw_elements_of_maps(knw_gen *g); /* the same with the inner point */
void knw_element(knw_gen *g, knx_str *t, int map);
void knw_index64(knw_gen *g, knx_str *t, knk_node x); /* the value of an INDEX; lines before it */

/* nodes.c */
void knw_find_low(knw_gen *g);
void knw_begin_stage(knw_gen *g, int stage);
void knw_place_nodes(knw_gen *g); /* all but reductions */
void knw_begin_fours(knw_gen *g); /* where elements wait; and what is done with n of them */
void knw_end_fours(knw_gen *g, const char *n);
void knw_operand(knw_gen *g, knx_str *t, knk_node x, bool low);
void knw_name(knw_gen *g, knx_str *t, knk_node x);

/* joins.c: "tree_add_f32(" */
typedef enum { KNW_TREE, KNW_ROW, KNW_COLUMN, KNW_PAIRS, KNW_BLOCK, KNW_TOTAL } knw_join_kind;
void knw_join_call(knw_gen *g, knx_str *t, knw_join_kind kind, const knk_inst *n);

void knw_share_row(knw_gen *g, knx_str *t, const knk_inst *n); /* memory of the workgroup, a place per invocation */
/* Four numbers of row_TYPE, from lane on in such steps, as a tree into what stands in front: joins.c. */
void knw_join_four(knw_gen *g, knx_str *t, const knk_inst *n, const char *indent, const char *lane, int step,
                   const char *into);
/* subgroups.c: the functions of that name by shuffles */
void knw_subgroup_rows(knw_gen *g, knx_str *t, const knk_inst *n);
void knw_subgroup_columns(knw_gen *g, knx_str *t, const knk_inst *n);
void knw_subgroup_pairs(knw_gen *g, knx_str *t, const knk_inst *n);

/* piece.c: does the buffer stand for what a piece is given, or gives? */
bool knw_is_handed(const knw_gen *g, int buffer);
int knw_handed_part(const knw_gen *g, int map);

/* stages.c */
void knw_write_main(knw_gen *g);
void knw_write_stages(knw_gen *g); /* of a point whose indices are there */
/* Parts of them, for texts that share the points out in ways of their own (src/glsl): indices c0, c1, ... of a number
 * in C order, n of them, whose extents are the words from `first` on; the nodes of inner point i, without reductions;
 * the accumulators a7 of the elements of such numbers. */
void knw_indices(knw_gen *g, char c, const char *number, int n, uint32_t first);
void knw_inner_point(knw_gen *g);
void knw_accumulators(knw_gen *g, const char *from, const char *to, const char *step);
#endif
