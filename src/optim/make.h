/* SPDX-License-Identifier: Apache-2.0
 * make.h -- transformations from options, for the functions that make handles. All of them give NULL without memory;
 * what is wrong with an option fails the op. */
#ifndef KN_OPTIM_MAKE_H
#define KN_OPTIM_MAKE_H
#include "optim/optimizer.h"

/* times a number, a schedule or an array, the last one given counting; TypeError for a NAN alone */
kno_transform *kno_make_scale(kna_op *op, double factor, kn_schedule schedule, kn_array number, bool negate);
/* `inner` is taken over, also on failure */
kno_transform *kno_make_masked(kna_op *op, kno_transform *inner, kn_tree mask, bool invert);
kno_transform *kno_make_decay(kna_op *op, double decay, kn_schedule schedule, kn_tree mask /* NULL: all */);
/* An optimizer inside of another one, and a rule around it. ValueError for lookahead, whose parameters are twice as
 * many as its gradients. */
kno_transform *kno_child(kna_op *op, kn_optimizer inner);
kno_transform *kno_around(kna_op *op, const kno_rule *rule, kn_optimizer inner);
static inline kno_transform *kno_flagged(kno_transform *t, bool first, bool second, bool third)
{
    if (t) {
        t->flag[0] = first;
        t->flag[1] = second;
        t->flag[2] = third;
    }
    return t;
}
#endif
