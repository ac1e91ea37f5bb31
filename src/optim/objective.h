/* SPDX-License-Identifier: Apache-2.0
 * objective.h -- the function that a line search evaluates (.value_fn of kn_optim_update), recorded before the step:
 * as a jaxpr of what it captured and then the parameters. */
#ifndef KN_OPTIM_OBJECTIVE_H
#define KN_OPTIM_OBJECTIVE_H
#include "function/control.h"
#include "optim/optimizer.h"

/* How it is asked. */
typedef enum { KNO_VALUE, KNO_VALUE_AND_GRAD, KNO_WAYS } kno_way;

struct kno_objective {
    bool given;             /* .value_fn */
    kn_fn slope;            /* a handle of ours */
    knf_part part[KNO_WAYS]; /* recorded as far as the optimizer asks for it */
    int n;                  /* parameters */
    const kni_atom *param;  /* all of them, as it takes them */
    const kni_atom *grad;   /* at them */
};

/* Records what the searches in t ask for (t NULL: both value and gradient); the operation may have no atoms yet. by:
 * for messages. */
void kno_objective_begin(kna_op *op, struct kno_objective *o, const kno_transform *t, kn_fn value_fn, kn_tree params);
void kno_objective_end(struct kno_objective *o);
/* Does the transformation search, and how? A bit for each way. */
unsigned kno_searches(const kno_transform *t);

/* The objective where a search can use it, or NULL with the op failed. */
struct kno_objective *kno_objective_of(kno_pass *s);
/* How many constants it has; writes them as atoms of the operation. */
int kno_objective_constants(kno_pass *s, kno_way way, kni_atom *to /* NULL: only counts */);
/* In a builder, whose atoms all are: y[] gets the value and, with KNO_VALUE_AND_GRAD, the gradients. */
void kno_objective_call(kno_pass *s, kni_builder *b, kno_way way, const kni_atom *constant, const kni_atom *param,
                        kni_atom *y);

/* ---- What both searches share. */
/* The parameters after a step of this rate along the updates, in their dtypes. */
void kno_points(kni_builder *b, int n, const kni_atom *param, kni_atom rate, const kni_atom *update, kni_atom *to);
kni_atom kno_search_value(kno_pass *s);               /* .value as a real scalar */
kn_dtype kno_search_dtype(const kno_layout *l);       /* of rates and values in a state */
void kno_scale_updates(kno_pass *s, kni_atom rate);
#endif
