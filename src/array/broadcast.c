/* SPDX-License-Identifier: Apache-2.0
 * broadcast.c -- the shape that operands broadcast to, and their dtype with it. */
#include "array/op.h"
#include <string.h>

static void shapes_differ(kna_op *op, int n, const kni_type *t)
{
    knx_text text = {0};
    for (int i = 0; i < n; i++) {
        knx_text_add(&text, i ? " " : "");
        knx_show_shape(&text, t[i].ndim, t[i].dim);
    }
    kna_fail(op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s", text.s);
}

static KNX_HOT void common_shape(kna_op *op, int n, const kni_type *t, kn_shape *shape)
{
    for (int i = 0; i < n; i++) {
        int more = t[i].ndim - shape->ndim;
        if (more > 0) {
            memmove(shape->dim + more, shape->dim, (size_t)shape->ndim * sizeof *shape->dim);
            for (int j = 0; j < more; j++)
                shape->dim[j] = 1;
            shape->ndim = t[i].ndim;
        }
        for (int j = 0; j < t[i].ndim; j++) {
            int64_t *d = &shape->dim[shape->ndim - t[i].ndim + j];
            if (knx_dim_eq(*d, 1))
                *d = t[i].dim[j];
            else if (!knx_dim_eq(t[i].dim[j], 1) && !knx_dim_eq(t[i].dim[j], *d)) {
                shapes_differ(op, n, t);
                return;
            }
        }
    }
}

void kna_common_shape(kna_op *op, int n, const kn_array *x, kn_shape *shape)
{
    kni_type few[KNA_FEW_TYPES], *t;
    int known = kna_types(op, n, x, few, &t);
    shape->ndim = 0;
    if (!op->error)
        common_shape(op, known, t, shape);
}

KNX_HOT kn_dtype kna_join(kna_op *op, int n, const kn_array *x, kn_shape *shape)
{
    kni_type few[KNA_FEW_TYPES], *t;
    int known = kna_types(op, n, x, few, &t);
    kn_dtype d = op->error ? NULL : kna_result_type_of(op, known, t);
    shape->ndim = 0;
    if (!op->error)
        common_shape(op, known, t, shape);
    return d;
}
