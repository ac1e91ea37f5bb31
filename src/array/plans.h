/* SPDX-License-Identifier: Apache-2.0
 * plans.h -- what force.c cuts out of a recording, and the compiled programs for such cuts: for one set of extents, or
 * for a kind, whatever its extents (docs/shapes.md). Each context keeps those that it used; default contexts also share
 * them. A plan never changes. */
#ifndef KN_ARRAY_PLANS_H
#define KN_ARRAY_PLANS_H
#include "array/state.h"
#include "base/lock.h"
#include "compile/program.h"
#include "ir/key.h"

typedef struct kna_visit {
    kna_node *node;
    uint32_t next;
} kna_visit;
typedef struct kna_cut {
    kna_state *s;
    uint16_t site;              /* of its nodes, or of one of them: all are on one device */
    const knd_device *device;   /* that runs it */
    KN_VEC(kna_node *) node;    /* operands before users */
    KN_VEC(uint32_t) first_var; /* per node: its first result's variable */
    KN_VEC(kna_value *) leaf;
    KN_VEC(kna_value *) out;    /* values to keep; a reference each */
    KN_VEC(kni_atom) out_atom;
    KN_VEC(kna_visit) stack;
    KN_VEC(kni_atom) atom;      /* operands of all nodes, in order */
    kni_key key;                /* extents: of the leaves, then among the parameters of the nodes, in order */
    uint64_t kind, hash;        /* of everything but extents of 2 and more; of everything */
    knx_table leaf_index;       /* once there are many */
    KN_VEC(kna_value *) old; /* leaves that it updates; what waits for their old values runs in this cut too */
    bool *donated;          /* per leaf: no one else has it, so it may be written over; NULL: none */
    bool few_donated[16];   /* room for that */
} kna_cut;

/* What a plan for all extents has: a program of variables, of which instances are made for some numbers. */
typedef struct kna_kind {
    knc_program *program;
    uint32_t n_place, n_var;
    const int32_t *place; /* per extent of a cut: the number of its variable; -1: it is the sample's */
    const int64_t *sample; /* the extents of the cut that the plan was made for */
    const knx_dim_var *var;
    knx_dim_conditions conditions; /* for the variables' numbers */
    knx_arena arena;
} kna_kind;
enum { KNA_KIND_VARIABLES = 24 }; /* of a kind, at most */

typedef struct kna_plan {
    atomic_int refs;
    uint64_t hash, kind_hash; /* the cut's; a kind's plan has no hash */
    kni_key key;              /* that of the cut which it was made for */
    uint64_t likeness;        /* the same for cuts of the same operations, whatever their types */
    bool fuse;
    bool *donated;            /* per leaf; NULL: none */
    kni_jaxpr *jaxpr;         /* of a kind: with variables */
    const knd_device *device;
    knd_loaded *program;      /* for one set of extents; NULL: of a kind */
    kna_kind *kind;           /* for all extents that it fits; NULL: for one set */
    size_t bytes;
} kna_plan;
void kna_plan_release(kna_plan *p); /* NULL is fine */

/* The plan for c, found or made: a new reference, and one to the instance that was made of it for the extents of c if
 * it is a kind's; else *instance is NULL. */
knx_error *kna_find_plan(kna_cut *c, kna_plan **plan, knd_loaded **instance);

/* Plans, the least recently used go first. */
kna_plans *kna_plans_new(size_t limit, bool shared); /* shared: by threads; NULL without memory */
void kna_plans_free(kna_plans *c);                   /* NULL is fine */
bool kna_plans_drop_oldest(kna_plans *c); /* false: at most one is left, without idle instances */
kn_stats kna_plans_stats(kna_plans *c);
size_t kna_plans_set_limit(kna_plans *c, size_t bytes); /* returns the old one */

/* ---- key.c: what cuts are found by. */

/* Fills key, kind, hash; false without memory. */
bool kna_cut_key(kna_cut *c);
bool kna_plan_fits(const kna_plan *p, const kna_cut *c);      /* p is for one set of extents */
bool kna_plan_fits_kind(const kna_plan *p, const kna_cut *c); /* whatever the extents of both */
uint64_t kna_cut_likeness(const kna_cut *c);
/* "new shape of operand 0: f32[3] was f32[2]" */
void kna_show_difference(knx_text *t, const kna_plan *p, const kna_cut *c);
/* So many operands have other types; SIZE_MAX: the plan has other operations. */
size_t kna_count_differences(const kna_plan *p, const kna_cut *c);

/* ---- kinds.c */

/* The plan for the kind of the cut; *out stays NULL if there cannot be one, and the log says why. */
knx_error *kna_kind_make(kna_cut *c, kna_plan **out);
void kna_kind_free(kna_kind *k);
/* Fills number with those that the variables have in the cut; false: it is not one of the kind, or has an extent below
 * 2 where the kind has a variable. */
bool kna_kind_numbers(const kna_kind *k, const kna_cut *c, int64_t *number);

/* ---- instances.c: the last programs that were made of a program of variables, by their numbers. */

typedef struct kna_instances kna_instances;
typedef struct kna_instance_of {
    const knd_device *device;
    const knc_program *program;
    uint32_t n; /* variables, always the same and in one order */
    const knx_dim_value *value;
} kna_instance_of;
void kna_instances_free(kna_instances *x); /* NULL is fine */
size_t kna_instances_bytes(const kna_instances *x);
bool kna_instances_drop(kna_instances *x); /* those that nobody runs; false: there were none */
/* A new reference, or NULL. x may be NULL. */
knd_loaded *kna_instance_find(kna_instances *x, const int64_t *number);
/* Makes one, and *x if that is NULL; the numbers meet the conditions. of->program may have no variables: then it is
 * loaded as it is. */
knx_error *kna_instance_make(kna_instances **x, const kna_instance_of *of, knd_loaded **out);
#endif
