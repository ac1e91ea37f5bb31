/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_handle.h -- jaxprs with their constants as handles. */
#ifndef KN_ARRAY_JAXPR_HANDLE_H
#define KN_ARRAY_JAXPR_HANDLE_H
#include "array/recording.h"
#include "kiln/function.h"

kn_jaxpr kna_jaxpr_handle(kn_closed *from); /* takes it over, also on failure */
#endif
