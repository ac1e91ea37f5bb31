/* SPDX-License-Identifier: Apache-2.0
 * lowering.h -- the state of a group of equations while it is lowered to a kernel, and the functions of the files that
 * do so: evaluate.c, loops.c, launch.c, numbers.c, puts.c and lower.c. The files of loops/ lower kernels with loops. */
#ifndef KN_COMPILE_GROUP_LOWERING_H
#define KN_COMPILE_GROUP_LOWERING_H
#include "compile/plan.h"

/* A position in a value as a function of the kernel's loops, and the predicate under which an element lies there
 * (KNK_NONE: always): where it is false memory is not touched. Equal pointers mean equal positions. */
typedef struct knc_point {
    const kni_index *index;
    knk_node pred;
} knc_point;

/* An affine map of the kernel, as numbers over its natural loops: one loop per axis of the points, then one per
 * joined axis. */
typedef struct knc_map {
    int stage;
    bool memory; /* it addresses a load or store; else it is an index alone */
    bool inner;  /* its stage has inner loops */
    int64_t offset;
    const int64_t *coef;
} knc_map;

/* A buffer of the kernel: memory of a slot that it reads or writes. */
typedef struct knc_access {
    uint32_t slot;
    knx_bytes offset;
    knx_dtype_id dtype;
    bool written, mixed; /* mixed: accessed through several maps, at computed positions or under a predicate */
    int map[2];          /* per part: the first map that addresses it; -1: none */
    int first, last;     /* stages of its first and last access */
} knc_access;

/* The position that values of a shape have at the group's own points: along the loops over rows (or points), or along
 * those over elements (or at one element of a row that is written out). Shapes of equal rank with the same axes of
 * extent 1 share it. */
typedef struct knc_home {
    uint8_t loops;
    int ndim;
    int element;     /* of a row that is written out */
    uint64_t single; /* bit d: axis d has extent 1 */
    const knc_point *point;
} knc_home;

/* The kernel nodes of a variable at a position, once they are known. */
typedef struct knc_memo {
    uint32_t var; /* its number, counted through all scopes */
    const knc_point *point;
    kni_pair value;
} knc_memo;

/* An entry of the stack: a variable that is to be evaluated at a position. */
typedef struct knc_frame {
    const struct knc_scope *scope;
    uint32_t var;
    const knc_point *point, *moved; /* moved: of a view, the position in its operand */
} knc_frame;

/* A jaxpr of a loop or branch that the kernel evaluates; a body whose turns are written out has a scope for each
 * turn. */
typedef struct knc_scope {
    const kni_jaxpr *j;
    uint32_t first;           /* number of its first variable among those of all scopes */
    /* per variable: its equation. NULL: the outside (the program's jaxpr), whose variables lie in memory */
    const uint32_t *maker;
    const struct knc_leaf *leaf;     /* per input: where its value comes from */
    const struct knc_inner **inside; /* per equation with jaxprs */
    bool *moves;              /* per variable: can it be evaluated at any position? */
    const bool *read;         /* per variable: does an equation read it, or is it a result? */
    knk_node taken;           /* in a branch with loops: the predicate that it is taken; else KNK_NONE */
} knc_scope;

/* How values of scopes are evaluated: functions of scalar_points.c that evaluate.c calls. */
typedef struct knc_scope_rules {
    const knc_point *(*one_point)(kni_lower *l, kni_index *i, knk_node pred); /* equal positions get one knc_point */
    kni_pair (*handed)(kni_lower *l, kni_atom a); /* the load of a literal that is an operand of the equation */
    /* The element of an operand that a row's `pull` asks for; sets l->waiting if it is not known yet. */
    kni_pair (*pulled)(kni_lower *l, kni_atom a, const kni_index *i, knk_node pred, kni_pair other);
} knc_scope_rules;

struct kni_lower {
    knc_plan *p;
    const kni_jaxpr *j;            /* the jaxpr whose variables are evaluated ... */
    const knc_scope *scope;        /* ... and its scope; NULL: they are values of the group */
    const knc_scope_rules *rules;  /* of scopes; NULL in a group without loops */
    struct knc_points *points;     /* of a kernel with loops: its state beside the scopes */
    const knc_group *g;
    uint32_t group;
    knx_arena arena;
    knk_builder *k;
    int stage, n_par, n_inner; /* natural loops */
    int pass;                  /* over the rows: which one is lowered, counted from the last one; docs/compiler.md */
    bool in_rows;              /* the stage runs over elements of rows */
    int n_element;             /* of a short row, which is written out: it has no loops. 0: rows have loops */
    int element;               /* the one whose values are evaluated, ... */
    int64_t digit[KNK_MAX_LOOPS]; /* ... and where it lies along each joined axis */
    int64_t extent[KNK_MAX_LOOPS + 1];
    uint8_t row_loop[KNK_MAX_LOOPS], full_loop[KNK_MAX_LOOPS]; /* natural loops of extent > 1, in the axes' order */
    int n_row_loop, n_full_loop;
    int n_loop, n_inner_loop;          /* loops of the kernel ... */
    uint8_t source[KNK_MAX_LOOPS];     /* ... the innermost natural loop of each, and ... */
    int64_t length[KNK_MAX_LOOPS + 1]; /* ... their extents */
    int n_turn, turn_room;             /* LOOPs of the stage, numbered behind the natural loops; room for so many */
    KN_VEC(knc_map) map;
    KN_VEC(knc_access) buffer;
    KN_VEC(knc_memo) memo;
    KN_VEC(uint32_t) table; /* open addressing: 1 + number in memo */
    KN_VEC(knc_frame) stack;
    KN_VEC(knc_home) home;
    knc_point *scalar; /* the position of scalars */
    size_t known;      /* how many entries of memo later stages may use, too */
    kni_pair *joined; /* per reduction of the group: its REDUCE nodes, once its stage is written */
    const kni_eqn *eqn; /* the equation whose `pull` runs ... */
    const knc_point *at; /* ... and the position of its result */
    bool waiting; /* `pull` asked for an element that is not known yet: it is called again */
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
void knc_end_stage(kni_lower *l);                   /* forgets the values that later stages may not use */
bool knc_same_map(const kni_lower *l, int a, int b); /* have maps a and b, perhaps of two stages, equal numbers? */
kni_pair knc_evaluate(kni_lower *l, kni_atom a, const knc_point *at);
void knc_remember(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value);
void knc_store_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value);
kni_pair knc_round(kni_lower *l, kn_dtype d, kni_pair v); /* rounds a 16-bit float (a float32 node) to its dtype */
/* The parts of an evaluation: an operand that is not known yet is put on the stack, and its reader is evaluated again
 * later. */
const kni_pair *knc_recall(const kni_lower *l, uint32_t var, const knc_point *at);
bool knc_push(kni_lower *l, uint32_t var, const knc_point *at);
bool knc_operand_ready(kni_lower *l, kni_atom a, const knc_point *at, kni_pair *value);
kni_pair knc_literal(kni_lower *l, kni_atom a);
void knc_apply_expr(kni_lower *l, const kni_eqn *e, const knc_point *at);
void knc_apply_pull(kni_lower *l, const kni_eqn *e, const knc_point *at);
const knc_point *knc_through_view(kni_lower *l, const kni_eqn *e, const knc_point *at);
kni_pair knc_load(kni_lower *l, int buffer, kni_type t, const knc_point *at, kni_pair other);
void knc_store(kni_lower *l, int buffer, kni_type t, const knc_point *at, kni_pair value);
int knc_buffer_of(kni_lower *l, uint32_t slot, knx_bytes offset, kn_dtype d, bool written);
/* numbers.c: is operand a of e a number that becomes an operand of the kernel? Then *value is its load. */
bool knc_number(kni_lower *l, const kni_eqn *e, kni_atom a, kni_pair *value);
/* The same of a stored value that is a number repeated to a shape. */
bool knc_filled(kni_lower *l, uint32_t var, kni_pair *value);
kni_pair knc_chosen(kni_lower *l, knk_node pred, kni_pair yes, kni_pair no);
/* joins.c: the reduction of n values, at most a block, part by part */
knk_node knc_join_values(kni_lower *l, knk_reduction how, int64_t n, const kni_pair *v, bool im);

/* launch.c: the numbers of the launch; false without memory. turn: extents of the stage's LOOPs. */
bool knc_launch_numbers(kni_lower *l, const int64_t *turn, const knk_map_values **map, const int64_t **par,
                        const int64_t *const **inner);
void knc_free_lower(kni_lower *l);

/* puts.c */
kni_type knc_stored_type(const knc_plan *p, uint32_t var); /* of the elements that a kernel stores for var */
void knc_put_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value);
/* *value: the old element where the new one goes; false: the kernel does not read it from the result. */
bool knc_old_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair *value);
bool knc_add_puts(kni_lower *l, knc_step *s); /* the step becomes a put; false without memory */

/* loops.c */
int knc_kernel_map(kni_lower *l, int64_t offset, const int64_t *coef, bool memory);
void knc_natural_loops(kni_lower *l);
void knc_one_loop(kni_lower *l);   /* of a plain group */
bool knc_shape_loops(kni_lower *l); /* chosen from the maps of a first lowering; false if the natural loops stay */
#endif
