/* SPDX-License-Identifier: Apache-2.0
 * lowering.h -- a group of equations on its way to a kernel: between evaluate.c, loops.c and lower.c. */
#ifndef KN_COMPILE_GROUP_LOWERING_H
#define KN_COMPILE_GROUP_LOWERING_H
#include "compile/plan.h"

/* A position in a value, and where it exists: elsewhere memory is not touched. Equal pointers mean equal positions. */
typedef struct knc_point {
    const kni_index *index;
    knk_node pred;
} knc_point;

/* An affine map of the kernel, over its natural loops: one per axis of the points, then one per joined axis. */
typedef struct knc_map {
    int stage;
    bool memory; /* a load's or store's */
    bool inner;  /* of a stage with inner loops */
    int64_t offset;
    const int64_t *coef;
} knc_map;

typedef struct knc_access {
    uint32_t slot;
    size_t offset;
    knx_dtype_id dtype;
    bool written, mixed; /* mixed: read at several or computed places */
    int map[2];          /* of the parts, -1; other stages have maps of the same numbers */
    int first, last;     /* stages */
} knc_access;

/* The place of values of a shape in loops over rows (or points), or over their elements. */
typedef struct knc_home {
    uint8_t loops;
    int ndim;
    uint64_t single; /* axes of extent 1 */
    const knc_point *point;
} knc_home;

typedef struct knc_memo {
    uint32_t var; /* counted through all scopes */
    const knc_point *point;
    kni_pair value;
} knc_memo;

typedef struct knc_frame {
    const struct knc_scope *scope;
    uint32_t var;
    const knc_point *point, *moved; /* moved: where a view leads */
} knc_frame;

/* A jaxpr at one place in the kernel. */
typedef struct knc_scope {
    const kni_jaxpr *j;
    uint32_t first;           /* number of its first variable among those of all scopes */
    const uint32_t *maker;    /* per variable: its equation. NULL: the outside, whose variables are in memory */
    const struct knc_leaf *leaf;     /* per input */
    const struct knc_inner **inside; /* per equation */
    bool *moves;              /* per variable: can it be evaluated at any position? */
    const bool *read;         /* per variable: by an equation, or as a result */
    knk_node taken;           /* in a branch: whether it is taken; else KNK_NONE */
} knc_scope;

/* How values in scopes are asked for: scalar_points.c. */
typedef struct knc_scope_rules {
    const knc_point *(*one_point)(kni_lower *l, kni_index *i, knk_node pred); /* equal positions have one point */
    kni_pair (*handed)(kni_lower *l, kni_atom a); /* a number that is an operand of the equation */
    /* What a row's `pull` gets as its operand; l->waiting if that is not known yet. */
    kni_pair (*pulled)(kni_lower *l, kni_atom a, const kni_index *i, knk_node pred, kni_pair other);
} knc_scope_rules;

struct kni_lower {
    knc_plan *p;
    const kni_jaxpr *j;            /* whose variables are spoken of ... */
    const knc_scope *scope;        /* ... and what they are there; NULL: values of the group */
    const knc_scope_rules *rules;  /* where there are scopes */
    struct knc_points *points;     /* of a kernel with loops: what there is beside scopes */
    const knc_group *g;
    uint32_t group;
    knx_arena arena;
    knk_builder *k;
    int stage, n_par, n_inner; /* natural loops */
    int pass;                  /* the number from the end of the pass that is lowered; see docs/compiler.md */
    bool in_rows;              /* the stage runs over elements of rows */
    int64_t extent[KNK_MAX_LOOPS + 1];
    uint8_t row_loop[KNK_MAX_LOOPS], full_loop[KNK_MAX_LOOPS]; /* those of extent > 1, in the order of the axes */
    int n_row_loop, n_full_loop;
    int n_loop, n_inner_loop;          /* loops of the kernel ... */
    uint8_t source[KNK_MAX_LOOPS];     /* ... the innermost natural loop of each, and ... */
    int64_t length[KNK_MAX_LOOPS + 1]; /* ... their extents */
    int n_turn, turn_room;             /* loops inside of the stage, behind the natural ones; at most */
    KN_VEC(knc_map) map;
    KN_VEC(knc_access) buffer;
    KN_VEC(knc_memo) memo;
    KN_VEC(uint32_t) table; /* open addressing: 1 + number in memo */
    KN_VEC(knc_frame) stack;
    KN_VEC(knc_home) home;
    knc_point *scalar; /* where scalars are */
    size_t known;      /* of memo: what later stages may use */
    kni_pair *joined; /* per reduction of the group, once its stage is written */
    const kni_eqn *eqn; /* whose `pull` runs */
    const knc_point *at;
    bool waiting; /* `pull` asked for what is not known yet: it is called again */
    bool failed;
};

static inline bool knc_no_loops(const kni_index *i, int axis)
{
    for (int d = 0; d < i->n_loop; d++)
        if (i->axis[axis].coef[d])
            return false;
    return true;
}

/* evaluate.c */
bool knc_begin_places(kni_lower *l); /* false without memory */
const knc_point *knc_home_of(kni_lower *l, int loops, kni_type t);
void knc_start_stage(kni_lower *l, bool in_rows);
void knc_end_stage(kni_lower *l);                   /* forgets what later stages may not use */
bool knc_same_map(const kni_lower *l, int a, int b); /* numbers of kernel maps, perhaps of two stages */
kni_pair knc_evaluate(kni_lower *l, kni_atom a, const knc_point *at);
void knc_remember(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value);
void knc_store_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value);
kni_pair knc_round(kni_lower *l, kn_dtype d, kni_pair v); /* 16-bit floats: to a number of the dtype, as float32 */
/* The steps of an evaluation: what is not known yet is put on the stack instead. */
const kni_pair *knc_recall(const kni_lower *l, uint32_t var, const knc_point *at);
bool knc_push(kni_lower *l, uint32_t var, const knc_point *at);
bool knc_operand_ready(kni_lower *l, kni_atom a, const knc_point *at, kni_pair *value);
kni_pair knc_literal(kni_lower *l, kni_atom a);
void knc_apply_expr(kni_lower *l, const kni_eqn *e, const knc_point *at);
void knc_apply_pull(kni_lower *l, const kni_eqn *e, const knc_point *at);
const knc_point *knc_through_view(kni_lower *l, const kni_eqn *e, const knc_point *at);
kni_pair knc_load(kni_lower *l, int buffer, kni_type t, const knc_point *at, kni_pair other);
void knc_store(kni_lower *l, int buffer, kni_type t, const knc_point *at, kni_pair value);
int knc_buffer_of(kni_lower *l, uint32_t slot, size_t offset, kn_dtype d, bool written);
/* numbers.c: is operand a of e a number that the kernel is to be given? Then its value. */
bool knc_number(kni_lower *l, const kni_eqn *e, kni_atom a, kni_pair *value);
/* The same of a stored value that is a number repeated to a shape. */
bool knc_filled(kni_lower *l, uint32_t var, kni_pair *value);
kni_pair knc_chosen(kni_lower *l, knk_node pred, kni_pair yes, kni_pair no);
/* launch.c: false without memory; turn: extents of the loops inside of the stage */
bool knc_launch_numbers(kni_lower *l, const int64_t *turn, const knk_map_values **map, const int64_t **par,
                        const int64_t *const **inner);
void knc_free_lower(kni_lower *l);

/* puts.c */
kni_type knc_stored_type(const knc_plan *p, uint32_t var); /* of the elements that a kernel stores for it */
void knc_put_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value);
bool knc_old_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair *value); /* the element at the place */
bool knc_add_puts(kni_lower *l, knc_step *s); /* the step becomes a put; false without memory */

/* loops.c */
int knc_kernel_map(kni_lower *l, int64_t offset, const int64_t *coef, bool memory);
void knc_natural_loops(kni_lower *l);
void knc_one_loop(kni_lower *l);   /* of a plain group */
bool knc_shape_loops(kni_lower *l); /* from the maps seen; false if the natural loops stay */
#endif
