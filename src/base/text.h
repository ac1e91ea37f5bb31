/* SPDX-License-Identifier: Apache-2.0
 * text.h -- arrays as text, exactly as NumPy 2.4 shows them. */
#ifndef KN_BASE_TEXT_H
#define KN_BASE_TEXT_H
#include "base/dtype.h"
#include "base/error.h"
#include "base/str.h"
#include "kiln/print.h"

/* Appends what the user's function says of an element. */
typedef knx_error *(*knx_ask)(const kn_formatter *formatter, kn_element_text function, kn_dtype dtype,
                              const void *element, knx_str *out);

/* What is written of an array. */
typedef struct knx_text_form {
    enum { KNX_TEXT_STR, KNX_TEXT_REPR, KNX_TEXT_ARRAY } what; /* str(a), repr(a), array2string(a, ...) */
    const char *separator, *prefix, *suffix;                   /* of array2string */
    knx_ask ask;                                               /* NULL: formatters do not count */
} knx_text_form;

/* The text of the C-contiguous elements at data. *out is knx_alloc'ed and ends with NUL. Keys are shown as uint32 pairs
 * with one axis more, bfloat16 as ml_dtypes shows it. `opts` are those of a call: what they lack, the context has. */
knx_error *knx_array_text(kn_dtype dtype, int ndim, const int64_t *dim, const void *data, const kn_print_opts *opts,
                         const knx_text_form *form, char **out);
#endif
