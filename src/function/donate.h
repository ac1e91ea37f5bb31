/* SPDX-License-Identifier: Apache-2.0
 * donate.h -- arguments that a jitted function is given for good (donate_argnums). */
#ifndef KN_FUNCTION_DONATE_H
#define KN_FUNCTION_DONATE_H
#include "function/function.h"

/* Which operands of j, the jaxpr of f, are donated: in the arena; NULL if f has no donate_argnums. */
knx_error *knf_find_donated(const knf_core *f, const kni_jaxpr *j, knx_arena *a, bool **donated);
/* knf_apply of a jitted core with donate_argnums, outside of recordings. handle: of each array of the arguments; in:
 * captured values, then theirs. */
knx_error *knf_apply_donating(knf_core *f, const kn_array *handle, kna_value **in, kna_value **out);
#endif
