/* SPDX-License-Identifier: Apache-2.0
 * offload.c -- the report of what ran where, as a text of the user's scope. */
#include "array/handle.h"
#include "device/offload/offload.h"
#include "function/jaxpr_handle.h"

const char *kn_offload_report(void)
{
    kna_op op;
    char *text = NULL;
    kna_begin(&op, "offload_report");
    knx_error *error = knd_report(&text);
    if (error)
        kna_fail_with(&op, error);
    return kna_end_plain(&op) ? knf_text_handle(text) : "";
}
