/* SPDX-License-Identifier: Apache-2.0
 * control.h -- values as messages, and a scan that runs over no arrays. */
#ifndef KN_MODELS_ONNX_EXPORT_CONTROL_H
#define KN_MODELS_ONNX_EXPORT_CONTROL_H
#include "models/onnx/export/export.h"

/* ValueInfoProto as field `number`: a name and its type. */
void knout_put_info(knbeside_bytes *to, uint32_t number, const char *name, const knout_var *v);
void knout_scan_rows(knout_eqn *e, int consts, int carry, bool backwards);
#endif
