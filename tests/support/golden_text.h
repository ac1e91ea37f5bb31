/* SPDX-License-Identifier: Apache-2.0
 * golden_text.h -- jaxprs as JAX prints them, stored by scripts/golden/make_jaxpr_texts.py. */
#ifndef KN_TEST_GOLDEN_TEXT_H
#define KN_TEST_GOLDEN_TEXT_H
#include "kiln/kiln.h"

/* The typed form of fn's jaxpr for these arguments is the text of the case `name`; fails the test where it is not. */
void golden_same_text(const char *name, kn_fn fn, const kn_args *args);
/* Of another file of texts. */
void golden_same_text_in(const char *path, const char *name, kn_fn fn, const kn_args *args);
#endif
