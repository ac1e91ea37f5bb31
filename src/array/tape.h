/* SPDX-License-Identifier: Apache-2.0
 * tape.h -- what backward walks: a step for each equation that depends on a watched array. Values on a tape hold the
 * step that made them, steps hold the steps of their operands and the values that their derivative needs: what nobody
 * can go back from is gone. */
#ifndef KN_ARRAY_TAPE_H
#define KN_ARRAY_TAPE_H
#include "array/lift.h"

typedef struct kna_step_edge {
    kna_step *step;
    uint32_t index;
} kna_step_edge;

struct kna_step {
    int refs;
    uint64_t serial;
    kna_level *level;
    const kn_place *place; /* of the call that made it; of kn_watch */
    const char *operation;
    kna_derived *derived;  /* NULL: a watched array */
    uint32_t n_edge, n_held;
    uint32_t bytes;        /* of the step itself */
    kna_step_edge *edge;   /* of the operands that are on the tape, in the order of their tangents. A watched array that
                              an equation made has one: the value that it was */
    kna_value **held;      /* inputs, and behind them results, NULL where nobody needs it, or residuals where the
                              equation is not plain */
    kna_recording *recording; /* in which it was made */
    bool let_go;           /* what it held is gone, */
    const kn_place *gone;  /* by a backward there */
    kni_type type;         /* of a watched array; dims in `dims` */
    kna_value *grad;       /* of a watched array: what backward has left */
    uint32_t values;       /* lifted values that are at it. Without them nobody can ask for the gradient, which may
                              hold steps after this one */
    kna_step *next;        /* of a list: of those that die, of those that backward visits */
    bool visited;
    uint32_t first;        /* backward: number of its first tangent */
};

kna_step *kna_step_retain(kna_step *s) KNA_IF_LIFTED;
void kna_step_release(kna_step *s) KNA_IF_LIFTED; /* NULL is fine; a chain of a million needs no stack */
void kna_step_leave(kna_step *s);   /* the same, of a lifted value */
/* A watched array: of this type, made of the step that its value had before, or of none. */
kna_step *kna_step_watched(kna_level *level, kni_type type, const kna_step_edge *from, const kn_place *place,
                           const char *operation) KNA_IF_LIFTED;
/* An equation with operands on the tape of this level (operands without what is at them there are in `in`). */
knx_error *kna_tape_equation(kna_recording *r, kna_level *level, const kna_equation *e, kna_value *const *lifted,
                             kna_value **out);
typedef struct kna_backward {
    bool keep;   /* what steps hold stays */
    bool record; /* the gradient is on tapes, too */
} kna_backward;
/* " at FILE:LINE", for messages; "" where p is NULL. */
const char *kna_place_text(const kn_place *p, char text[160]);
void kna_backs_free(kna_lifting *l);
/* Leaves gradients at the watched arrays that y (on the tape of this level) was made of. ct: of y's type, taken over.
 * */
knx_error *kna_go_backward(kna_recording *r, kna_level *level, kna_value *y, kna_value *ct, kna_backward how);
#endif
