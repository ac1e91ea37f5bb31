/* SPDX-License-Identifier: Apache-2.0
 * lift.h -- values with something at them (docs/eager.md): a tangent, a place on a tape, batch axes.
 *
 * A lifted value has an inner one and one such thing; the inner one may be lifted again. To operations it is a value of
 * its own type, which is the logical one where there are batch axes. An equation that has a lifted operand is not
 * recorded as it is: it becomes equations over the inner values, by the rules of its row, as transformations of
 * functions do it with whole jaxprs; what comes out is lifted again. So nothing else knows of tangents, tapes or batch
 * axes, and where nobody has lifted a value nothing is looked at: the hook of the lazy builder is another one while
 * some value is lifted.
 *
 * The order in which things are taken off is fixed: batch axes first, then by level, the highest first. Levels are
 * scopes (KN_TAPE, KN_TANGENTS) that are open; what belongs to a closed one is not there any more. */
#ifndef KN_ARRAY_LIFT_H
#define KN_ARRAY_LIFT_H
#include "array/recording.h"
#include "array/state.h"

/* A static program that lifts no value does without these functions: who calls them has a lifted value. Files that are
 * there only where values are lifted define KNA_LIFTS. */
#ifdef KNA_LIFTS
#define KNA_IF_LIFTED
#else
#define KNA_IF_LIFTED __attribute__((weak))
#endif

typedef enum { KNA_LIFT_TAPE, KNA_LIFT_TANGENT, KNA_LIFT_BATCH, KNA_LIFT_OFF /* of levels: no tapes */ } kna_lift_kind;

/* One scope, or one of the two lowest ones, which never close: the tape of depth 0, the tangents of depth 1. */
typedef struct kn_level_s {
    int refs, depth;
    kna_lift_kind kind;
    bool open;
    uintptr_t serial;         /* of all levels of the process; the lowest have none */
    struct kn_level_s *outer; /* not counted */
} kna_level;

typedef struct kna_step kna_step; /* tape.h */
typedef struct kna_lift {
    kna_lift_kind kind;
    uint32_t index;           /* TAPE: which result of the step */
    kna_level *level;         /* NULL: BATCH */
    kna_value *inner;
    kna_recording *recording; /* whose tracers are in here; NULL: none */
    union {
        struct {
            kna_value *tangent; /* with one axis more in front where there are several directions */
            int64_t directions; /* 0: one, without an axis of its own */
        };
        kna_step *step;
        int axes; /* BATCH: that are in front of the logical ones */
    };
} kna_lift;

static inline bool kna_is_lifted(const kna_value *v) { return v && v->state == KN_V_LIFTED; }

/* What is kept for this in a context; NULL without memory. */
enum { KNA_BACKS = 8 };
typedef struct kna_lifting {
    size_t alive;           /* lifted values */
    kna_level *top;         /* the innermost open level */
    kna_level base[2];      /* its `outer` ones: TAPE, TANGENT */
    int off;                /* KN_NO_TAPE scopes that are open */
    uint64_t steps;         /* made so far */
    uint64_t made, found;   /* derived equations; for tests */
    struct kna_back *back[KNA_BACKS]; /* tape.c */
    uint64_t backs_made;
    struct kna_derived **set; /* derived.c */
    size_t n_derived;
} kna_lifting;
kna_lifting *kna_lifting_get(void) KNA_IF_LIFTED;
void kna_lifting_free(kna_lifting *l) KNA_IF_LIFTED; /* with the context */
kna_level *kna_level_open(kna_lift_kind kind); /* becomes the innermost; NULL without memory */
void kna_level_release(kna_level *level);
void kna_level_close(kna_level *level);        /* with those inside of it; drops the caller's reference */
void kna_levels_close_to(kna_lifting *l, kna_level *outer) KNA_IF_LIFTED; /* all inside of that one */
kna_level *kna_level_now(kna_lift_kind kind);  /* the innermost open one of this kind */

/* New values; they take over `inner` and what else is given, also without memory (NULL then). */
kna_value *kna_lift_tangent(kna_level *level, kna_value *inner, kna_value *tangent, int64_t directions);
kna_value *kna_lift_tape(kna_level *level, kna_value *inner, kna_step *step, uint32_t index);
kna_value *kna_lift_batch(kna_value *inner, int axes); /* axes == 0: inner itself */
void kna_lift_free(kna_lift *lift) KNA_IF_LIFTED;

/* The value without what belongs to closed levels, and without the tape where KN_NO_TAPE is on: borrowed. */
kna_value *kna_lift_seen(kna_value *v);
/* Puts the value with nothing at it in its place: ValueError where it has batch axes. */
knx_error *kna_drop_lift(kna_value **v) KNA_IF_LIFTED;
static inline knx_error *kna_lift_drop(kna_value **v) { return kna_is_lifted(*v) ? kna_drop_lift(v) : NULL; }
/* The value with nothing at it: the innermost, borrowed. Batch axes are axes again. */
static inline kna_value *kna_lift_ground(kna_value *v)
{
    while (kna_is_lifted(v))
        v = v->lift->inner;
    return v;
}
/* v is handed on, with what is at it: worth having when the operations around it run. NULL is fine. */
void kna_lift_worth_having(kna_value *v) KNA_IF_LIFTED;
static inline void kna_worth_having(kna_value *v)
{
    if (v && v->refs > 0) /* else it is everybody's */
        v->kept = true;
    if (kna_is_lifted(v))
        kna_lift_worth_having(v);
}
/* Runs what it waits for, with what is at it. */
knx_error *kna_settle_lift(kna_value *v) KNA_IF_LIFTED;
static inline knx_error *kna_settle_lifted(kna_value *v) { return kna_is_lifted(v) ? kna_settle_lift(v) : NULL; }
static inline bool kna_belongs_to_recording(const kna_value *v) { return kna_is_lifted(v) && v->lift->recording; }
/* Is one of these lifted, or could one be that nobody has here? */
static inline bool kna_any_lifted(int n, kna_value *const *v)
{
    for (int i = 0; i < n; i++)
        if (kna_is_lifted(v[i]))
            return true;
    return false;
}
static inline bool kna_lifting_now(void)
{
    const kna_state *s = kna_state_get();
    return s && s->lifting && s->lifting->alive;
}
knx_error *kna_lift_move(kna_value **v, uint16_t site) KNA_IF_LIFTED; /* to where it is meant to be */
/* What is at v at this level, NULL: nothing. */
const kna_lift *kna_lift_at(kna_value *v, const kna_level *level);
/* New values made of v (borrowed): with something at it, below what is at higher levels, in place of what is at this
 * one (what `with` holds is not taken over; its `inner` is not looked at); without what is at a level; without tapes.
 * */
kna_value *kna_lift_put(kna_value *v, const kna_lift *with) KNA_IF_LIFTED;
kna_value *kna_lift_without(kna_value *v, const kna_level *level);
kna_value *kna_lift_without_tapes(kna_value *v);
static inline int kna_batch_axes(const kna_value *v)
{
    return kna_is_lifted(v) && v->lift->kind == KNA_LIFT_BATCH ? v->lift->axes : 0;
}
static inline kna_value *kna_physical(kna_value *v) /* borrowed: without batch axes' lift */
{
    return kna_batch_axes(v) ? v->lift->inner : v;
}
static inline kni_type kna_physical_type(const kna_value *v)
{
    return kna_batch_axes(v) ? v->lift->inner->type : v->type;
}

/* One equation over values; what kna_node_new is for those without anything at them. r: the recording that its results
 * belong to; NULL: they are outside of recordings. */
typedef struct kna_equation {
    const kni_prim *prim;
    const void *params;
    const kn_place *place;
    const char *operation;
    uint32_t n_in, n_out;
    kna_value *const *in; /* NULL: a literal */
    const kni_literal *literal;
    const kni_type *out_type;
} kna_equation;
knx_error *kna_apply_equation(kna_recording *r, const kna_equation *e, kna_value **out) KNA_IF_LIFTED;
/* j's equations over values: constants first, then inputs. Names and places are those of `like`. */
knx_error *kna_apply_jaxpr(kna_recording *r, const kni_jaxpr *j, const kna_equation *like, kna_value *const *in,
                           kna_value **out);
/* With the error state: events of equations with this place are told of. */
const kn_place *kna_told_place(const kn_place *here);
/* The hooks. */
/* Of the lazy builder. */
knx_error *kna_lifted_equation(void *env, kni_builder *b, const kni_draft_eqn *e) KNA_IF_LIFTED;
static inline void kna_choose_hook(kna_state *s, kni_builder_hook below) /* that of equations without lifted operands */
{
    s->below = below;
    s->hook = s->lifting && s->lifting->alive ? kna_lifted_equation : below;
}

/* derived.c: what becomes of an equation, by its row's rules; found again for equations like it. */
typedef enum { KNA_DERIVED_JVP, KNA_DERIVED_LINEAR, KNA_DERIVED_BATCH } kna_derived_kind;
typedef struct kna_derived {
    struct kna_derived *next;
    int refs;
    uint64_t hash;
    kna_derived_kind kind;
    knx_arena arena;
    /* what it was asked for */
    uint64_t settings; /* with what functions of the user are recorded now: rules of equations may be some */
    const kni_prim *prim;
    const void *params;
    uint32_t n_in, n_out;
    kni_type *in;
    uint32_t *same;       /* the number of an equal operand before; UINT32_MAX: a literal; else its own */
    kni_literal *literal;
    int *how;             /* per operand: has it a tangent (or not); BATCH: how many batch axes */
    int64_t size[KN_MAX_NDIM]; /* of batch axes, the oldest first; JVP: directions */
    /* what it is. Inputs are the operands that are no literals and not the same as one before, */
    uint32_t n_input, *input; /* their numbers */
    kni_jaxpr *j;             /* JVP: then tangents of those that have one -> results, tangents of those that have one.
                                 LINEAR: -> results, residuals. BATCH: -> results */
    bool *has;                /* per result: a tangent */
    int *axes;                /* BATCH: per result */
    /* LINEAR. linear: residuals, tangents -> tangents of the results that have one */
    kni_jaxpr *linear;
    uint32_t n_residual;
    bool plain;           /* j is the equation itself, and then what `later` gives: inputs, results -> residuals */
    kni_jaxpr *later;
    bool direct;          /* and residuals are inputs and results themselves */
    bool *needs;          /* which of the inputs and results that reads */
} kna_derived;
/* A new reference. Extents of batch axes that differ are a ValueError. */
knx_error *kna_derive_equation(kna_derived_kind kind, const kna_equation *e, const kni_type *in, const int *how,
                               const int64_t *size, kna_derived **out);
void kna_derived_release(kna_derived *d);
#endif
