/* SPDX-License-Identifier: Apache-2.0
 * state.h -- what the arrays floor keeps in a context. */
#ifndef KN_ARRAY_STATE_H
#define KN_ARRAY_STATE_H
#include "array/recording.h"
#include "base/context.h"
#include "base/hash.h"
#include "compile/program.h"
#include "kiln/core.h"

typedef struct kna_state {
    kn_recording *recording;        /* the innermost active one; NULL: lazy recording */
    int64_t pending;                /* nodes alive */
    kn_builder lazy;                /* hooked: its equations become nodes */
    KN_VEC(kn_value *) lazy_value;  /* per variable of `lazy`, a reference each */
    bool lazy_can_fail;             /* this operation recorded something that can fail */
    uint32_t mark;                  /* of the newest cut */
    kn_map plan;                    /* compiled cuts by hash */
    KN_VEC(struct kna_plan *) plans;
    uint64_t clock;
    kn_stats plan_stats, trace_stats;
    kn_kernel_cache *kernels;
    int call_depth;                 /* of user functions being recorded inside each other */
} kna_state;

kna_state *kna_state_make(void);
static inline kna_state *kna_state_get(void) /* of this context; NULL without memory */
{
    kna_state *s = (kna_state *)knx_slot_state(KNX_SLOT_ARRAYS);
    return s ? s : kna_state_make();
}

/* force.c. Runs what these values wait for (tracers are refused before). Afterwards none of them is pending: each is a
 * buffer, a number or an error. The result is the first error met, a new reference. */
kn_error *kna_force(int n, kn_value *const *values);
void kna_plans_free(kna_state *s);
enum { KNA_MAX_PENDING = 4096, KNA_MAX_PLANS = 1024 };
#endif
