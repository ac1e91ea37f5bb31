/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_handle.h -- jaxprs with their constants as handles. */
#ifndef KN_FUNCTION_JAXPR_HANDLE_H
#define KN_FUNCTION_JAXPR_HANDLE_H
#include "array/recording.h"
#include "array/op.h"
#include "kiln/jaxpr.h"

kn_closed *kna_jaxpr_get(kna_op *op, kn_jaxpr jaxpr); /* NULL with an error in op */
/* a new handle of the scope for an allocated text, which it takes over; "" without memory */
const char *kna_text_handle(char *text);
kn_jaxpr kna_jaxpr_handle(kn_closed *from); /* takes it over, also on failure */

/* jaxpr_constants.c. A text for the value of each constant, NULL where it has none yet; freed by kna_free_texts, also
 * on failure. */
kn_error *kna_constant_texts(const kn_closed *c, char ***texts);
void kna_free_texts(uint32_t n, char **texts);
/* The constants of c, which has a jaxpr alone, from their texts; ValueError where one is missing or no such value. */
kn_error *kna_read_constants(kn_closed *c, char *const *texts);
#endif
