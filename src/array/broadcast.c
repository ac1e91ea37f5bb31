/* SPDX-License-Identifier: Apache-2.0
 * broadcast.c -- the shape that operands broadcast to. */
#include "array/op.h"
#include <string.h>

static void shapes_differ(kna_op *op, int n, const kn_array *x)
{
    knx_text t = {0};
    for (int i = 0; i < n; i++)
        if (x[i]) {
            kni_type type = kna_type(op, x[i]);
            knx_text_add(&t, t.length ? " " : "");
            knx_show_shape(&t, type.ndim, type.dim);
        }
    kna_fail(op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s", t.s);
}

void kna_common_shape(kna_op *op, int n, const kn_array *x, kn_shape *shape)
{
    shape->ndim = 0;
    for (int i = 0; i < n; i++) {
        kni_type t = x[i] ? kna_type(op, x[i]) : kni_scalar_type(KN_DT(F32));
        int more = t.ndim - shape->ndim;
        if (more > 0) {
            memmove(shape->dim + more, shape->dim, (size_t)shape->ndim * sizeof *shape->dim);
            for (int j = 0; j < more; j++)
                shape->dim[j] = 1;
            shape->ndim = t.ndim;
        }
        for (int j = 0; j < t.ndim; j++) {
            int64_t *d = &shape->dim[shape->ndim - t.ndim + j];
            if (knx_dim_eq(*d, 1))
                *d = t.dim[j];
            else if (!knx_dim_eq(t.dim[j], 1) && !knx_dim_eq(t.dim[j], *d)) {
                shapes_differ(op, n, x);
                return;
            }
        }
    }
}
