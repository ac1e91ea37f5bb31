/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_handle.h -- jaxprs with their constants as handles. */
#ifndef KN_FUNCTION_JAXPR_HANDLE_H
#define KN_FUNCTION_JAXPR_HANDLE_H
#include "array/recording.h"
#include "array/op.h"
#include "kiln/jaxpr.h"

kna_closed *knf_jaxpr_get(kna_op *op, kn_jaxpr jaxpr); /* NULL with an error in op */
/* a new handle of the scope for an allocated text, which it takes over; "" without memory */
const char *knf_text_handle(char *text);
kn_jaxpr knf_jaxpr_handle(kna_closed *from); /* takes it over, also on failure */

/* jaxpr_constants.c. A text for the value of each constant, NULL where it has none yet; freed by knf_free_texts, also
 * on failure. */
knx_error *knf_constant_texts(const kna_closed *c, char ***texts);
void knf_free_texts(uint32_t n, char **texts);
/* The constants of c, which has a jaxpr alone, from their texts; ValueError where one is missing or no such value. */
knx_error *knf_read_constants(kna_closed *c, char *const *texts);
#endif
