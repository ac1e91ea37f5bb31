/* SPDX-License-Identifier: Apache-2.0
 * text.h -- arrays as text, exactly as NumPy 2.3 shows them. */
#ifndef KN_BASE_TEXT_H
#define KN_BASE_TEXT_H
#include "base/dtype.h"
#include "base/error.h"
#include "kiln/print.h"

/* str(a) or repr(a) of the C-contiguous elements at data. *out is knx_alloc'ed and ends with NUL. Keys are shown as
 * uint32 pairs with one axis more, bfloat16 as ml_dtypes shows it. NULL opts: the defaults. */
knx_error *knx_array_text(kn_dtype dtype, int ndim, const int64_t *dim, const void *data, const kn_print_opts *opts,
                         bool repr, char **out);
#endif
