/* SPDX-License-Identifier: Apache-2.0
 * scope.h -- kernels with loops: jaxprs in jaxprs, evaluated at the points of the kernel. Between scalar.c
 * (which points) and scalar_*.c: scopes (loops and branches), batched (loops that ask for all points), points (values
 * at points), joins (values of several elements). */
#ifndef KN_COMPILE_LOOPS_SCOPE_H
#define KN_COMPILE_LOOPS_SCOPE_H
#include "compile/group/lowering.h"

enum {
    KNC_MAX_TURNS = 16,       /* loops of a kernel */
    KNC_MOST_ELEMENTS = 64,   /* of a value, written out at a point */
    KNC_MOST_JOINED = 256,    /* by a reduction or a product */
    KNC_MOST_UNROLLED = 64,   /* turns of an inner scan */
    KNC_MOST_NODES = 12000,   /* of a kernel */
    KNC_MOST_VALUES = 1 << 18 /* variables of all scopes */
};

/* A value whose elements are nodes: at a point, if its first axes are those of the points. */
typedef struct knc_elements {
    kni_type type;
    bool points;
    int64_t n;
    kni_pair *v;
} knc_elements;

/* An input of a scope. */
typedef enum knc_leaf_kind {
    KNC_LEAF_SAME,    /* what `atom` is in `scope` */
    KNC_LEAF_TURN,    /* its element number turn of the loop (from the end, if reverse) */
    KNC_LEAF_ELEMENT, /* its element number `at` */
    KNC_LEAF_ELEMENTS /* a carry */
} knc_leaf_kind;
typedef struct knc_leaf {
    uint8_t kind;
    bool reverse, computed; /* computed: maps must not run along the loop */
    int loop;
    int64_t at; /* also: the length of the loop */
    kni_atom atom;
    const struct knc_scope *scope;
    const knc_elements *elements;
} knc_leaf;

/* An equation with jaxprs. */
typedef struct knc_inner {
    const knc_elements *carry;            /* behind a loop of the kernel */
    const struct knc_scope *const *scope; /* of each branch; of each turn, if there is no such loop */
    int64_t n;
    uint32_t n_carry, first; /* first: operand that begins a carry */
    bool reverse;
} knc_inner;

/* A jaxpr after the passes that come before planning. */
typedef struct knc_passed {
    const kni_jaxpr *source;
    kni_jaxpr *j;
    uint32_t *maker;
} knc_passed;

struct knc_points {
    const kni_eqn *e; /* that becomes the kernel */
    knx_text *why;
    knx_error *error;
    KN_VEC(const knc_point *) point; /* each position once */
    KN_VEC(uint32_t) table;
    KN_VEC(knc_passed) passed;
    uint32_t numbers;  /* variables of all scopes */
    uint32_t products; /* equations */
    int open;          /* loops */
    bool asks;         /* some of them has a condition */
    int64_t turn[KNC_MAX_TURNS];
    const knc_scope *any; /* the condition of a loop, in which "any" over all points is each point's own value: ... */
    knk_node mask;        /* ... this one */
    int masks;
};

/* scalar_points.c */
void knc_refuse(kni_lower *l, const char *format, ...) KN_PRINTF_LIKE(2, 3); /* it does not become a kernel */
kni_pair knc_value_at(kni_lower *l, const knc_scope *s, kni_atom a, const knc_point *at);
const knc_point *knc_one_point(kni_lower *l, kni_index *i, knk_node pred); /* equal positions have one point */
extern const knc_scope_rules knc_scopes;
bool knc_has_points(const kni_lower *l, kni_type t); /* are its first axes those of the points? */
/* Where element number `at` of a written-out value lies, behind `front` more axes. */
kni_index *knc_element_index(kni_lower *l, kni_type t, bool points, int64_t at, int front);
const knc_point *knc_element_point(kni_lower *l, const knc_elements *x, int64_t at);
kni_pair knc_zero(kni_lower *l, kn_dtype d);

kni_pair knc_element(kni_lower *l, const knc_elements *x, const knc_point *at);
bool knc_ready_in(kni_lower *l, const knc_scope *s, kni_atom a, const knc_point *at, kni_pair *value);

/* scalar_joins.c */
void knc_join_elements(kni_lower *l, const kni_eqn *e, const knc_point *at); /* a reduction */
void knc_join_products(kni_lower *l, const kni_eqn *e, const knc_point *at);

/* scalar_scopes.c */
void knc_run_outside(kni_lower *l); /* the equation: its loop with stores, or the stores of its branches */
bool knc_inside_value(kni_lower *l, const knc_scope *s, uint32_t eqn, uint32_t result, const knc_point *at,
                      kni_pair *value);

/* scalar_batched.c */
knk_node knc_condition(kni_lower *l, const knc_scope *cond); /* of a turn, at each point */
/* After the turn's nodes: do points that are done keep their carries? */
void knc_check_kept(kni_lower *l, uint32_t n, const knc_elements *carry, const knc_elements *next, const bool *read);
#endif
