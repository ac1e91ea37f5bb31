/* SPDX-License-Identifier: Apache-2.0
 * sharding.h -- what the functions of kiln/sharding.h share. */
#ifndef KN_FACE_SHARDING_H
#define KN_FACE_SHARDING_H
#include "array/op.h"
#include "device/mesh/mesh.h"
#include "kiln/sharding.h"

/* False: it is none, and the operation has failed, or that was reported. */
bool knface_is_mesh(const char *operation, kn_mesh m);
bool knface_is_sharding(const char *operation, kn_sharding s);
bool knface_takes_sharding(kna_op *op, kn_sharding s);
/* How an array lies on its mesh: what it waits for is run. *s NULL: it is on a single device; *parts NULL: every device
 * has it as it is on the host. *v: its value, a new reference. */
knx_error *knface_layout(kn_array x, kna_value **v, const kni_sharding **s, const knd_parts **parts);
/* The numbers of devices, which are there; *n < 0: how many is found. To be freed. NULL without an error: the operation
 * has failed. */
knx_error *knface_read_devices(kna_op *op, kn_array devices, int64_t *n, int32_t **out);
/* An array of a buffer on the mesh, which is taken over. */
knx_error *knface_array_on_mesh(kna_op *op, const knd_mesh *d, kni_type t, knx_buffer *b, kni_atom *out);
#endif
