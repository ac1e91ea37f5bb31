/* SPDX-License-Identifier: Apache-2.0
 * rows_dtypes.c -- the calls of dtypes.def. */
#include "coverage/coverage.h"

/* which of these are below the abstract type */
static kn_array below(const char *type)
{
    return kn_of(bool, kn_issubdtype(KN_BOOL, type), kn_issubdtype(KN_I32, type), kn_issubdtype(KN_U32, type),
                 kn_issubdtype(KN_F32, type), kn_issubdtype(KN_C64, type));
}
#define BELOW(type) below(type)

#define TABLE       "coverage/dtypes.def"
#define NAME        rows_dtypes
#include "coverage/table.h"
