/* SPDX-License-Identifier: Apache-2.0
 * formula.h -- elementwise formulas of the libraries that know their own derivative, where that of their steps would
 * be NaN or wrong at some points: what kn_custom_jvp is for users. Recorded functions get one custom_jvp_call. */
#ifndef KN_ARRAY_FORMULA_H
#define KN_ARRAY_FORMULA_H
#include "array/op.h"

typedef struct kna_formula {
    const char *name, *rule_name; /* in jaxprs */
    int n;                        /* operands, of one type; their values and their tangents come as arrays */
    kni_atom (*value)(kni_builder *b, const kni_atom *x);
    /* of the result y along the tangents t of the operands; linear in them */
    kni_atom (*tangent)(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t);
} kna_formula;
enum { KNA_FORMULA_OPERANDS = 4 };

/* f of floats; f has static storage. Outside of recordings just its steps. */
kni_atom kna_formula_of(kni_builder *b, const kna_formula *f, const kni_atom *x);
#endif
