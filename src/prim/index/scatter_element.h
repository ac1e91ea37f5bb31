/* SPDX-License-Identifier: Apache-2.0
 * scatter_element.h -- `element` of the scatters. */
#ifndef KN_PRIM_INDEX_SCATTER_ELEMENT_H
#define KN_PRIM_INDEX_SCATTER_ELEMENT_H
#include "prim/index/index.h"

/* adds: updates are added, else they replace. */
void knp_scatter_element(kni_lower *l, const kni_rule *r, const kni_index *i, bool adds, kni_pair *y);
#endif
