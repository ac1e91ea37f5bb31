/* SPDX-License-Identifier: Apache-2.0
 * optimizer.h -- what a kn_optimizer is, and the arithmetic of one step. */
#ifndef KN_OPTIM_OPTIMIZER_H
#define KN_OPTIM_OPTIMIZER_H
#include "array/op.h"

typedef enum { KNO_SGD, KNO_ADAM, KNO_ADAMW } kno_kind;

typedef struct kno_optimizer {
    kno_kind kind;
    double rate, momentum, b1, b2, eps, eps_root, decay;
    bool nesterov;
} kno_optimizer;

/* One step as atoms of a builder: per parameter its gradient, its value (NULL: not given) and the update; the state
 * before and after, in its order. `rate` is a double scalar: minus the learning rate. */
typedef struct kno_step {
    const kno_optimizer *o;
    kn_builder *b;
    int n;
    kn_atom rate;
    const kn_atom *grad, *param, *state;
    kn_atom *update, *new_state;
} kno_step;

int kno_state_size(const kno_optimizer *o, int n); /* arrays in the state for n parameters */
/* The number of the array in the state that goes with parameter i and has its shape and dtype; -1 if there is none. */
int kno_moment_of(const kno_optimizer *o, int n, int i);
/* Array i of the state before the first step. */
kn_atom kno_first_state(const kno_optimizer *o, kn_builder *b, int n, const kn_type *params, int i);
void kno_step_emit(const kno_step *s);
#endif
