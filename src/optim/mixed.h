/* SPDX-License-Identifier: Apache-2.0
 * mixed.h -- arithmetic of two dtypes: in the one that both have in common, as JAX has it. */
#ifndef KN_OPTIM_MIXED_H
#define KN_OPTIM_MIXED_H
#include "optim/optimizer.h"

static inline void kno_mix(kni_builder *b, kni_atom *x, kni_atom *y)
{
    kn_dtype d = knx_promote(knb_type(b, *x).dtype, knb_type(b, *y).dtype);
    *x = knb_convert(b, *x, d);
    *y = knb_convert(b, *y, d);
}

#define KNO_MIXED(name)                                                                 \
    static inline kni_atom kno_mixed_##name(kni_builder *b, kni_atom x, kni_atom y)     \
    {                                                                                   \
        kno_mix(b, &x, &y);                                                             \
        return (knb_##name)(b, x, y);                                                   \
    }
KNO_MIXED(add)
KNO_MIXED(sub)
KNO_MIXED(mul)
KNO_MIXED(div)
KNO_MIXED(max)
KNO_MIXED(min)
KNO_MIXED(lt)
KNO_MIXED(le)
KNO_MIXED(gt)
KNO_MIXED(ge)
#undef KNO_MIXED

/* Scalars; of the dtype that both have in common. */
static inline kni_atom kno_mixed_select(kni_builder *b, kni_atom condition, kni_atom yes, kni_atom no)
{
    kno_mix(b, &yes, &no);
    return knb_select(b, condition, yes, no);
}
#endif
