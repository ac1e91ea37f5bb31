/* SPDX-License-Identifier: Apache-2.0
 * names.h -- what the rows of collectives share: the names of axes among their parameters. */
#ifndef KN_PRIM_COLLECTIVE_NAMES_H
#define KN_PRIM_COLLECTIVE_NAMES_H
#include "prim/rules.h"

/* Which of the names is that of the axis that is batched; -1: none. */
int knp_lane_position(const kni_rule *r);
bool knp_is_unbound(const kni_rule *r); /* they are no mesh's: column expands */
knx_error *knp_unbound(const kni_rule *r, kni_atom *y); /* column expand: a name that no vmap has taken away */
kni_names knp_names_part(kni_names names, int first, int end);
knx_error *knp_no_names(void);
#endif
