/* SPDX-License-Identifier: Apache-2.0
 * while.h -- the parts of a while loop, for its rules. */
#ifndef KN_PRIM_CONTROL_WHILE_H
#define KN_PRIM_CONTROL_WHILE_H
#include "prim/body.h"
#include "prim/frame.h"

typedef struct knp_while {
    const kni_p_while *p;
    uint32_t n_cond, n_body, n; /* constants of the condition, of the body; carries */
} knp_while;
knp_while knp_while_of(const void *params, uint32_t n_in);
knx_error *knp_while_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out);
#endif
