/* SPDX-License-Identifier: Apache-2.0
 * view_model.h -- random views of a matrix, and where their elements lie in plain memory. */
#ifndef KN_TEST_VIEW_MODEL_H
#define KN_TEST_VIEW_MODEL_H
#include <kiln/kiln.h>

typedef struct model {
    int64_t offset, stride[2], dim[2];
} model;

static unsigned seed; /* of what is drawn */
static inline int64_t draw(int64_t n)
{
    seed = seed * 1103515245u + 12345u;
    return (int64_t)(seed >> 8) % n;
}

/* Of x, a matrix in C order, with steps of up to `most`. */
static inline kn_array random_view(kn_array x, int64_t rows, int64_t columns, int64_t most, model *m)
{
    *m = (model){0, {columns, 1}, {rows, columns}};
    for (int64_t k = draw(4); k > 0; k--) {
        int64_t step = 1 + draw(most), from, a = draw(2);
        switch (draw(3)) {
        case 0:
            x = kn_transpose(x);
            *m = (model){m->offset, {m->stride[1], m->stride[0]}, {m->dim[1], m->dim[0]}};
            break;
        case 1:
            x = a ? kn_at(x, ":, ::-1") : kn_at(x, "::-1");
            m->offset += (m->dim[a] - 1) * m->stride[a];
            m->stride[a] = -m->stride[a];
            break;
        case 2:
            from = draw(m->dim[a]);
            x = a ? kn_at(x, ":, %::%", from, step) : kn_at(x, "%::%", from, step);
            m->offset += from * m->stride[a];
            m->dim[a] = (m->dim[a] - from + step - 1) / step;
            m->stride[a] *= step;
            break;
        }
    }
    return x;
}

static inline int64_t place(const model *m, int64_t i, int64_t j)
{
    return m->offset + i * m->stride[0] + j * m->stride[1];
}
#endif
