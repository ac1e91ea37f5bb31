/* SPDX-License-Identifier: Apache-2.0
 * spectra.h -- what functions of signals in segments share. */
#ifndef KN_SIGNAL_SPECTRA_H
#define KN_SIGNAL_SPECTRA_H
#include "kiln/signal.h"
#include "lib/compose.h"

void knsignal_fail(knl_body *c, const char *text); /* ValueError */
/* x in the dtype of its transforms, with this axis the last one. */
kn_array knsignal_last(knl_body *c, kn_array x, int axis);
/* win, which has n numbers, or the window of that name (NULL: "hann"), as precise as signals of dtype d. */
kn_array knsignal_window(knl_body *c, const char *name, kn_array win, int64_t n, kn_dtype d);
/* start + k step for n numbers k */
kn_array knsignal_ramp(knl_body *c, int64_t n, double step, double start);
/* x without its "constant" or "linear" trend along the last axis; as it is for NULL and "none" */
kn_array knsignal_detrended(knl_body *c, kn_array x, const char *type);
#endif
