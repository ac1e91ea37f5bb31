/* SPDX-License-Identifier: Apache-2.0
 * scope.h -- kernels with loops: the jaxprs of loops and branches, evaluated at the points of one kernel. Shared by
 * scalar.c, which chooses the points, and scalar_scopes.c (loops and branches), scalar_batched.c (loops whose condition
 * joins all points), scalar_points.c (values at points) and scalar_joins.c (reductions and products). */
#ifndef KN_COMPILE_LOOPS_SCOPE_H
#define KN_COMPILE_LOOPS_SCOPE_H
#include "compile/group/lowering.h"

enum {
    KNC_MAX_TURNS = 16,       /* loops of a kernel */
    KNC_MOST_ELEMENTS = 64,   /* elements of a value at a point, each written out as a node */
    KNC_MOST_JOINED = 256,    /* elements that a reduction or a product joins */
    KNC_MOST_UNROLLED = 64,   /* turns of an inner scan that is written out */
    KNC_MOST_NODES = 12000,   /* nodes of a kernel */
    KNC_MOST_VALUES = 1 << 18 /* variables of all scopes */
};

/* A value whose n elements are nodes. points: its first axes are those of the points, and the nodes are its elements
 * at one point. */
typedef struct knc_elements {
    kni_type type;
    bool points;
    int64_t n;
    kni_pair *v;
} knc_elements;

/* Where an input of a scope comes from. */
typedef enum knc_leaf_kind {
    KNC_LEAF_SAME,    /* the value of `atom` in `scope` */
    KNC_LEAF_TURN,    /* the element of that value at the loop's turn (from the end, if reverse) */
    KNC_LEAF_ELEMENT, /* the element of that value at number `at` */
    KNC_LEAF_ELEMENTS /* a carry, given by `elements` */
} knc_leaf_kind;
typedef struct knc_leaf {
    uint8_t kind;
    bool reverse, computed; /* computed: the turn is a node, since maps must not run along a loop with a condition */
    int loop;
    int64_t at; /* the element's number; of KNC_LEAF_TURN the length of the loop */
    kni_atom atom;
    const struct knc_scope *scope;
    const knc_elements *elements;
} knc_leaf;

/* What an equation with jaxprs became: a loop of the kernel, or the scopes of its branches or turns. */
typedef struct knc_inner {
    const knc_elements *carry;            /* the carries after the loop of the kernel; NULL: there is no such loop */
    const struct knc_scope *const *scope; /* of each branch; of each turn of a scan that is written out */
    int64_t n;
    uint32_t n_carry, first; /* first: operand that is the first carry's initial value */
    bool reverse;
} knc_inner;

/* A jaxpr after the passes that come before planning. */
typedef struct knc_passed {
    const kni_jaxpr *source;
    kni_jaxpr *j;
    uint32_t *maker;
} knc_passed;

struct knc_points {
    const kni_eqn *e; /* the equation that becomes the kernel */
    knx_text *why;
    knx_error *error;
    KN_VEC(const knc_point *) point; /* each position that was used, once */
    KN_VEC(uint32_t) table;
    KN_VEC(knc_passed) passed;
    uint32_t numbers;  /* variables of all scopes */
    uint32_t products; /* equations that are products, in all scopes */
    int open;          /* loops that are begun and not ended */
    bool asks;         /* an open loop has a condition */
    int64_t turn[KNC_MAX_TURNS];
    /* The scope of a loop's condition: a reduce_or over all points in it is each point's own value, ... */
    const knc_scope *any;
    knk_node mask; /* ... which is this node */
    int masks;     /* how many such nodes the condition has */
};

/* scalar_points.c */
/* The equation does not become a kernel, for this reason. */
void knc_refuse(kni_lower *l, const char *format, ...) KN_PRINTF_LIKE(2, 3) KNX_COLD;
kni_pair knc_value_at(kni_lower *l, const knc_scope *s, kni_atom a, const knc_point *at);
const knc_point *knc_one_point(kni_lower *l, kni_index *i, knk_node pred); /* equal positions get the same knc_point */
extern const knc_scope_rules knc_scopes;
bool knc_has_points(const kni_lower *l, kni_type t); /* are the first axes of t those of the points? */
/* The elements of a value at a point, which are written out; -1: more than KNC_MOST_ELEMENTS, or a number that only the
 * variables of the program say. */
int64_t knc_count_written(const kni_lower *l, kni_type t, bool points);
/* The position of element number `at` of a value that is written out, behind `front` further axes. */
kni_index *knc_element_index(kni_lower *l, kni_type t, bool points, int64_t at, int front);
const knc_point *knc_element_point(kni_lower *l, const knc_elements *x, int64_t at);
kni_pair knc_zero(kni_lower *l, kn_dtype d);

kni_pair knc_element(kni_lower *l, const knc_elements *x, const knc_point *at);
bool knc_ready_in(kni_lower *l, const knc_scope *s, kni_atom a, const knc_point *at, kni_pair *value);

/* scalar_joins.c */
void knc_join_elements(kni_lower *l, const kni_eqn *e, const knc_point *at); /* a reduction */
void knc_join_products(kni_lower *l, const kni_eqn *e, const knc_point *at);

/* scalar_scopes.c */
/* The kernel's equation: its loop with stores, or the stores of its branches' results. */
void knc_run_outside(kni_lower *l);
bool knc_inside_value(kni_lower *l, const knc_scope *s, uint32_t eqn, uint32_t result, const knc_point *at,
                      kni_pair *value);

/* scalar_batched.c */
knk_node knc_condition(kni_lower *l, const knc_scope *cond); /* a node: does the point make this turn? */
/* Once a turn's nodes are written: refuses the kernel if points that are done do not keep their carries. */
void knc_check_kept(kni_lower *l, uint32_t n, const knc_elements *carry, const knc_elements *next, const bool *read);
#endif
