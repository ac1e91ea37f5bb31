/* SPDX-License-Identifier: Apache-2.0
 * plans.h -- what force.c cuts out of a recording, and the compiled programs for such cuts. Each context keeps those
 * that it used; default contexts also share them. A plan never changes. */
#ifndef KN_ARRAY_PLANS_H
#define KN_ARRAY_PLANS_H
#include "array/state.h"
#include "base/lock.h"
#include "compile/program.h"

typedef struct kna_visit {
    kna_node *node;
    uint32_t next;
} kna_visit;
typedef struct kna_cut {
    kna_state *s;
    KN_VEC(kna_node *) node;    /* operands before users */
    KN_VEC(uint32_t) first_var; /* per node: its first result's variable */
    KN_VEC(kna_value *) leaf;
    KN_VEC(kna_value *) out;    /* values to keep; a reference each */
    KN_VEC(kni_atom) out_atom;
    KN_VEC(kna_visit) stack;
    KN_VEC(kni_atom) atom;      /* operands of all nodes, in order */
    knx_table leaf_index;       /* once there are many */
    bool fuse;
    KN_VEC(kna_value *) old; /* leaves that it updates; what waits for their old values runs in this cut too */
    bool *donated;          /* per leaf: no one else has it, so it may be written over; NULL: none */
} kna_cut;

/* A plan for all cuts of one kind: those whose extents differ alone (kinds.c). Each plan that runs was made of it for
 * some extents. */
typedef struct kna_kind {
    atomic_int refs;
    kni_jaxpr *jaxpr;      /* with a variable for each extent that differs */
    knc_program *program;  /* of variables; NULL: there is none, `why` */
    uint32_t n_place, n_var;
    const int32_t *place;  /* per extent of a cut: the number of its variable; -1: it is `fixed` */
    const int64_t *fixed;
    const knx_dim_var *var;
    knx_dim_conditions conditions; /* for the extents of a cut */
    const char *why;
    size_t bytes;
    knx_arena arena;
} kna_kind;
void kna_kind_release(kna_kind *k); /* NULL is fine */

typedef struct kna_plan {
    atomic_int refs;
    uint64_t hash, likeness; /* likeness: the same for cuts of the same operations, whatever their types */
    bool fuse;
    bool *donated;           /* per leaf; NULL: none */
    kni_jaxpr *jaxpr;
    const knd_device *device;
    knd_loaded *program;     /* NULL: of a plan that only holds its kind */
    kna_kind *kind;          /* of which the plan was made; then jaxpr is the kind's; NULL: of none */
    const int64_t *extent;   /* then: the cut's */
    size_t bytes;
} kna_plan;
void kna_plan_release(kna_plan *p); /* NULL is fine */

/* kinds.c. Off: each set of extents has a plan of its own (docs/shapes.md says what is missing). Tests set it. */
extern bool kna_plan_kinds;
uint64_t kna_kind_hash(const kna_cut *c);
/* The kind of the cut; program NULL with the reason if there cannot be a plan for it. */
knx_error *kna_kind_make(kna_cut *c, const knd_device *d, kna_kind **out);
/* Is the cut one of the kind, with extents that fit its conditions? Fills value (n_var) and extent (n_place). */
bool kna_kind_fits(const kna_kind *k, const kna_cut *c, knx_dim_value *value, int64_t *extent);
/* Are these the extents of the cut? */
bool kna_kind_has(const kna_kind *k, const int64_t *extent, const kna_cut *c);
/* The plan for c, found or made: a new reference. What c donates may become the plan's. */
knx_error *kna_find_plan(kna_cut *c, kna_plan **out);

/* Plans, the least recently used go first. */
kna_plans *kna_plans_new(size_t limit, bool shared); /* shared: by threads; NULL without memory */
void kna_plans_free(kna_plans *c);                   /* NULL is fine */
bool kna_plans_drop_oldest(kna_plans *c); /* false: at most one is left */
kn_stats kna_plans_stats(kna_plans *c);
size_t kna_plans_set_limit(kna_plans *c, size_t bytes); /* returns the old one */
#endif
