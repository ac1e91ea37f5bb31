/* SPDX-License-Identifier: Apache-2.0
 * out.h -- the one way out for what the user asked to be printed: standard output, or a callback. And the way into the
 * user's code from the floors below the arrays'. */
#ifndef KN_BASE_OUT_H
#define KN_BASE_OUT_H
#include "base/context.h"

/* NUL-terminated; goes out as one piece. */
void knx_out(const char *text);
void knx_out_line(const char *text); /* and a newline, in the same piece; nothing without memory for that */
void knx_out_callback(void (*f)(void *env, const char *text), void *env); /* NULL: standard output */

/* Calls f(arg), which runs the user's code, in the middle of a public call: the context is put aside as it is for what
 * f does with it. An error if that cannot be. */
knx_error *knx_call_user(void (*f)(void *arg), void *arg);
#endif
