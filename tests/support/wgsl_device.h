/* SPDX-License-Identifier: Apache-2.0
 * wgsl_device.h -- launches of kernels on a WebGPU device, compared bit for bit with what the interpreter made. */
#ifndef KN_SUPPORT_WGSL_DEVICE_H
#define KN_SUPPORT_WGSL_DEVICE_H
#include "support/webgpu_run.h"
#include "support/wgsl_case.h"

/* Runs a case in exact mode with facts that the device keeps, and says on the terminal what is wrong. Subgroups of
 * another size than the device's are acted by memory of the workgroup. */
bool wgsl_device_check(kng_gpu *g, const knw_facts *facts, const wgsl_case *c, knw_mode mode, const char *what);
#endif
