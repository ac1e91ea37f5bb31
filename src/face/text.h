/* SPDX-License-Identifier: Apache-2.0
 * text.h -- texts of arrays that belong to the user. */
#ifndef KN_FACE_TEXT_H
#define KN_FACE_TEXT_H
#include "array/op.h"
#include "base/text.h"

/* A handle of the innermost scope for a knx_alloc'ed text, which it takes; "" for NULL, and without memory. */
const char *knface_own_text(char *text);
/* The text of x with the user's formatters, for the operation that is running; NULL after an error. */
char *knface_text(kna_op *op, kn_array x, const kn_print_opts *opts, const knx_text_form *form);
#endif
