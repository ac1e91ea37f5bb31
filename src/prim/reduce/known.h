/* SPDX-License-Identifier: Apache-2.0
 * known.h -- what is known of extents that may be expressions, for choosing between ways that give the same. Neither
 * question is refused. */
#ifndef KN_PRIM_REDUCE_KNOWN_H
#define KN_PRIM_REDUCE_KNOWN_H
#include "ir/type.h"

/* For costs: the number, or a likely one (kni_type_count). */
static inline double knp_likely(int64_t d) { return kni_type_count(kni_type_of(NULL, 1, &d)); }

/* a <= b, as one may take it for a cheaper way: a scope that assumes keeps a guard. */
static inline bool knp_taken_le(int64_t a, int64_t b)
{
    const knx_dim_scope *s = knx_any_symbolic(a, b) ? knx_dim_now() : NULL;
    return s && s->assumes ? knx_dim_le(a, b) : knx_dim_known_le(a, b);
}

/* The extent as a number, where equations are unrolled by it: as many levels of halving as it has bits. An expression
 * has its sample's number in a scope that assumes, which keeps that as a guard, so the same bits come out as without
 * variables. In other scopes it stays: then a scan does the work. */
static inline int64_t knp_count(int64_t d)
{
    const knx_dim_scope *s = knx_is_symbolic(d) ? knx_dim_now() : NULL;
    int64_t n;
    bool has = s && s->assumes && knx_dim_evaluate(d, (int)s->sample.n, s->sample.at, &n);
    return has && knx_dim_eq(d, n) ? n : d;
}
#endif
