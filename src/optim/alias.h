/* SPDX-License-Identifier: Apache-2.0
 * alias.h -- how optimizers are made of their options: BEGIN(adam); ... END(parts of a chain). */
#ifndef KN_OPTIM_ALIAS_H
#define KN_OPTIM_ALIAS_H
#include "lib/internal.h"
#include "optim/make.h"
#include <math.h>

#define BEGIN(name)                 \
    kna_op op;                      \
    kna_begin(&op, "optim_" #name); \
    KNX_OPTS(kn_optim_##name##_opts, o, opts)
#define RATE()  kno_make_scale(&op, o.learning_rate, o.learning_rate_schedule, o.learning_rate_array, true)
#define DECAY() kno_make_decay(&op, o.weight_decay, o.weight_decay_schedule, o.mask)
#define END(...)                           \
    kno_transform *part[] = {__VA_ARGS__}; \
    return kno_finish(&op, kno_chain((int)(sizeof part / sizeof *part), part))

static inline void check_decays(kna_op *op, double b1, double b2)
{
    if (!kna_failed(op) && !(b1 >= 0 && b1 < 1 && b2 >= 0 && b2 < 1))
        kna_fail(op, KN_ERROR_VALUE, "b1 and b2 must be at least 0 and less than 1, but are %g and %g", b1, b2);
}

static inline kno_transform *adam_part(double b1, double b2, double eps, double eps_root, bool nesterov)
{
    return kno_flagged(KNO_NEW(kno_adam, b1, b2, eps, eps_root), nesterov, false, false);
}

static inline kno_transform *trace_or_none(double momentum, bool nesterov)
{
    return isnan(momentum) ? KNO_NEW(kno_identity, 0)
                           : kno_flagged(KNO_NEW(kno_trace, momentum), nesterov, false, false);
}
#endif
