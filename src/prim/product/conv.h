/* SPDX-License-Identifier: Apache-2.0
 * conv.h -- what the files of conv_general_dilated share. */
#ifndef KN_PRIM_PRODUCT_CONV_H
#define KN_PRIM_PRODUCT_CONV_H
#include "prim/rules.h"

/* The roles of the first two entries of a spec; spatial dimensions follow. */
enum { KNP_BATCH = 0, KNP_FEATURE = 1, KNP_OUT_FEATURE = 0, KNP_IN_FEATURE = 1, KNP_SPATIAL = 2 };

static inline bool knp_is_grouped(int64_t groups) { return groups != 1; } /* an unknown number of groups is several */

/* conv_spread.c: columns. */
void knp_conv_spread(const kni_rule *r, kni_spread *s);
knx_error *knp_conv_resize(const kni_rule *r, void *params);
knx_error *knp_conv_local(const kni_rule *r, const kni_local *l, kni_atom *y);
#endif
