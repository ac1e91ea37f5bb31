/* SPDX-License-Identifier: Apache-2.0
 * indexing.h -- for tests of gather and the scatters: random problems, and which element of the table each element of
 * the dense array belongs to, from the definition. */
#ifndef KN_TEST_INDEXING_H
#define KN_TEST_INDEXING_H
#include "support/rules.h"

typedef struct {
    kni_p_gather p;
    knp_dims offset, dropped, map, batch, index_batch, sizes;
    value *table, *indices;
} problem;

static inline void add(knp_dims *d, int64_t v) { d->v[d->n++] = v; }

/* Random dimension numbers; windows first, last or in between; some index out of bounds unless `inside`; negative ones
 * may count from the end. */
static inline void make_problem(problem *q, kn_dtype d, kn_dtype index_dtype, int mode, bool inside)
{
    int64_t dim[KN_MAX_NDIM], points[KN_MAX_NDIM];
    bool is_signed = index_dtype->kind == 'i', wraps = is_signed && below(3) == 0;
    int ndim = below(4), n_point = below(3), n_batch = n_point && ndim ? below(2) : 0;
    memset(q, 0, sizeof *q);
    for (int i = 0; i < ndim; i++)
        dim[i] = 1 + below(4);
    for (int i = 0; i < n_point; i++)
        points[i] = 1 + below(3);
    if (n_batch) {
        add(&q->batch, below(ndim));
        add(&q->index_batch, below(n_point));
        points[q->index_batch.v[0]] = dim[q->batch.v[0]];
    }
    int n_window = 0;
    for (int i = 0; i < ndim; i++) {
        bool batch = n_batch && q->batch.v[0] == i, drops = !batch && below(2);
        if (drops)
            add(&q->dropped, i);
        add(&q->sizes, batch || drops ? 1 : 1 + below((int)dim[i]));
        n_window += !batch && !drops;
        if (!batch && below(3))
            add(&q->map, i);
    }
    if (q->map.n == 2 && below(2)) {
        int64_t t = q->map.v[0];
        q->map.v[0] = q->map.v[1], q->map.v[1] = t;
    }
    for (int i = 0, left = n_window, all = n_window + n_point; i < all && left; i++)
        if (below(2) || all - i == left)
            add(&q->offset, i), left--;
    points[n_point] = q->map.n;
    q->table = new_value(d, ndim, dim);
    q->indices = new_value(index_dtype, n_point + 1, points);
    fill_small(q->table);
    for (int64_t i = 0; i < kni_type_size(q->indices->t); i++) {
        int64_t axis = q->map.v[i % q->map.n], most = dim[axis] - q->sizes.v[axis];
        int64_t v = inside ? below((int)most + 1) : below((int)most + 3) - is_signed;
        knx_scalar_bits s = knx_scalar_from_int(index_dtype, v >= 0 && wraps && below(2) ? v - dim[axis] : v);
        memcpy(q->indices->p + i * index_dtype->size, &s, index_dtype->size);
    }
    q->p = (kni_p_gather){knp_ints(&q->offset),
                         knp_ints(&q->dropped),
                         knp_ints(&q->map),
                         knp_ints(&q->batch),
                         knp_ints(&q->index_batch),
                         knp_ints(&q->sizes),
                         mode,
                         false,
                         false,
                         wraps};
}

/* The element of the table for the element of the dense array at `at`; -1 if it is out of bounds, and not clipped. */
static inline int64_t table_element(const problem *q, const int64_t *at, int dense_ndim, bool clip)
{
    int64_t where[KN_MAX_NDIM] = {0}, point[KN_MAX_NDIM + 1], window[KN_MAX_NDIM];
    int np = 0, nw = 0;
    for (int i = 0; i < dense_ndim; i++)
        if (knp_contains(q->p.offset_dims, i))
            window[nw++] = at[i];
        else
            point[np++] = at[i];
    for (int i = 0; i < q->map.n; i++) {
        int64_t d = q->map.v[i], most = q->table->dim[d] - q->sizes.v[d];
        point[np] = i;
        int64_t v = (int64_t)get(q->indices, number_of(q->indices->t, point));
        v += v < 0 && q->p.wraps ? q->table->dim[d] : 0;
        if (v < 0 || v > most) {
            if (!clip)
                return -1;
            v = v < 0 ? 0 : most;
        }
        where[d] = v;
    }
    nw = 0;
    for (int d = 0; d < q->table->t.ndim; d++) {
        if (q->batch.n && q->batch.v[0] == d)
            where[d] = point[q->index_batch.v[0]];
        else if (!knp_contains(q->p.collapsed_slice_dims, d))
            where[d] += window[nw++];
    }
    return number_of(q->table->t, where);
}

static inline kni_p_scatter scatter_of(const problem *q)
{
    return (kni_p_scatter){q->p.offset_dims,
                          q->p.collapsed_slice_dims,
                          q->p.start_index_map,
                          q->p.operand_batching_dims,
                          q->p.start_indices_batching_dims,
                          q->p.mode,
                          false,
                          false,
                          q->p.wraps};
}
#endif
