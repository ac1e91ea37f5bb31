/* SPDX-License-Identifier: Apache-2.0
 * trace.h -- the trace of a process: KILN_TRACE=FILE names a file for events in the JSON of Chrome's traces, which
 * Perfetto and chrome://tracing show. docs/environment.md says what there is. */
#ifndef KN_BASE_TRACE_H
#define KN_BASE_TRACE_H
#include "kiln/types.h"

bool knx_tracing(void); /* is there such a file? */
/* What began so many seconds ago has ended now. details: members of a JSON object, made with knx_trace_text_of where
 * they are texts; without a trace nothing happens. Texts may have any characters. */
void knx_trace_event(const char *category, const char *name, double seconds, const char *details, ...)
    KN_PRINTF_LIKE(4, 5);
typedef struct knx_trace_text {
    char s[256];
} knx_trace_text;
const char *knx_trace_text_of(knx_trace_text *room, const char *s); /* with quotes, cut where it is long */
#endif
