/* SPDX-License-Identifier: Apache-2.0
 * print_options.h -- the print options of a context, and those of a call over them. */
#ifndef KN_BASE_PRINT_OPTIONS_H
#define KN_BASE_PRINT_OPTIONS_H
#include "base/error.h"
#include "kiln/print.h"

/* What kn_set_printoptions said: complete, never changed, its texts are its own. A context and the defaults that were
 * pushed in it share them. */
typedef struct knx_print_set {
    int refs;
    kn_print_opts opts;
    kn_formatter formatter;
} knx_print_set;
knx_print_set *knx_print_set_retain(knx_print_set *s); /* NULL is fine, as in the next one */
void knx_print_set_release(knx_print_set *s);

/* The options of this context with those that `given` (NULL: none) has over them; ValueError for texts that are none
 * of the choices. They live as long as the options of the context and `given`. */
knx_error *knx_print_options(const kn_print_opts *given, kn_print_opts *full);
/* The function for elements of this dtype; NULL: none. */
kn_element_text knx_print_function(const kn_formatter *f, char kind);
#endif
