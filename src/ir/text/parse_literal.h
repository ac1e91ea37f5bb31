/* SPDX-License-Identifier: Apache-2.0
 * parse_literal.h -- literals of the classic form, whose text says of what kind they are but not of what dtype. */
#ifndef KN_IR_TEXT_PARSE_LITERAL_H
#define KN_IR_TEXT_PARSE_LITERAL_H
#include "ir/text/parse.h"

typedef enum literal_kind { L_BOOL, L_INT, L_FLOAT, L_COMPLEX, L_KEY, N_KINDS } literal_kind;
bool kni_is_literal_text(kni_word w);
literal_kind kni_kind_of_text(kni_word w);
literal_kind kni_kind_of_dtype(kn_dtype d);
/* False where d has no such value; `exact`: only if the dtype would print this text. */
bool kni_literal_bits(kni_word w, kn_dtype d, bool exact, knx_scalar_bits *bits);
#endif
