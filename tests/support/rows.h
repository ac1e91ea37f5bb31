/* SPDX-License-Identifier: Apache-2.0
 * rows.h -- random jaxprs that join elements along axes, spread the results over them again, and work on both. */
#ifndef KN_TEST_ROWS_H
#define KN_TEST_ROWS_H
#include "support/programs.h"

typedef struct test_rows_maker {
    kni_builder *b;
    uint64_t state;
    kni_type full;
    int64_t dim[3];
    int n_axes[2], n;
    int64_t axes[2][3]; /* two ways to join */
    kni_atom pool[80];
} test_rows_maker;

static inline kni_atom test_rows_pick(test_rows_maker *m, kni_type like) /* of this shape; KN_ATOM_NONE */
{
    for (int tries = 0; tries < 30; tries++) {
        kni_atom a = m->pool[test_below(&m->state, 3) ? m->n - 1 - test_below(&m->state, m->n < 5 ? m->n : 5)
                                                     : test_below(&m->state, m->n)];
        if (kni_type_same_shape(knb_type(m->b, a), like))
            return a;
    }
    return KN_ATOM_NONE;
}

static inline kni_atom test_rows_joined(test_rows_maker *m, kni_atom x, int way)
{
    const int64_t *axes = m->axes[way];
    return m->full.dtype->kind == 'c' || test_below(&m->state, 2) ? knb_reduce_sum(m->b, x, m->n_axes[way], axes)
                                                                  : knb_reduce_max(m->b, x, m->n_axes[way], axes);
}

/* A value per row at all elements again, perhaps with the joined axes back as 1 in between. */
static inline kni_atom test_rows_spread_back(test_rows_maker *m, kni_atom x, int way)
{
    int64_t kept[3], one[3];
    int n = 0;
    for (int d = 0, k = 0; d < m->full.ndim; d++) {
        bool is_joined = k < m->n_axes[way] && m->axes[way][k] == d;
        one[d] = is_joined ? 1 : m->full.dim[d];
        k += is_joined;
        if (!is_joined)
            kept[n++] = d;
    }
    if (knb_type(m->b, x).ndim != n)
        return KN_ATOM_NONE;
    for (int d = 0; d < n; d++)
        if (knb_type(m->b, x).dim[d] != m->full.dim[kept[d]])
            return KN_ATOM_NONE;
    if (test_below(&m->state, 2))
        return knb_broadcast_in_dim(m->b, x, m->full.ndim, m->full.dim, kept);
    x = knb_broadcast_in_dim(m->b, x, m->full.ndim, one, kept);
    if (test_below(&m->state, 2))
        x = knb_mul(m->b, x, x);
    int64_t all[] = {0, 1, 2};
    return knb_broadcast_in_dim(m->b, x, m->full.ndim, m->full.dim, all);
}

static inline void test_rows_propose(test_rows_maker *m)
{
    kni_builder *b = m->b;
    int way = test_below(&m->state, 5) == 0;
    kni_atom x = m->pool[m->n - 1 - test_below(&m->state, m->n < 4 ? m->n : 4)], y = KN_ATOM_NONE, other;
    kni_type t = knb_type(b, x);
    bool full = kni_type_same_shape(t, m->full);
    switch (test_below(&m->state, 8)) {
    case 0:
    case 1: y = full ? test_rows_joined(m, x, way) : test_rows_spread_back(m, x, way); break;
    case 2: y = m->full.dtype->kind == 'i' ? knb_neg(b, x) : knb_exp(b, x); break;
    case 3: y = m->full.dtype->kind != 'i' && test_below(&m->state, 2) ? knb_tanh(b, x) : knb_neg(b, x); break;
    case 4:
        if (full && t.ndim == 2 && t.dim[0] == t.dim[1])
            y = knb_transpose(b, x, (int64_t[]){1, 0});
        else if (t.ndim)
            y = knb_rev(b, x, 1, (int64_t[]){test_below(&m->state, t.ndim)});
        break;
    default:
        other = test_rows_pick(m, t);
        if (other != KN_ATOM_NONE)
            y = test_below(&m->state, 2) ? knb_sub(b, x, other) : knb_mul(b, x, other);
    }
    if (y != KN_ATOM_NONE && !b->error && m->n < 80)
        m->pool[m->n++] = y;
    if (b->error) {
        knx_error *e = knb_take_error(b);
        fail_msg("%s", e->message);
    }
}

static inline kni_jaxpr *test_random_rows(uint64_t seed)
{
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_F16, KN_ID_BF16, KN_ID_C64, KN_ID_I32};
    kni_builder b;
    knb_init(&b);
    test_rows_maker m = {.b = &b, .state = seed};
    int ndim = 1 + test_below(&m.state, 3);
    for (int d = 0; d < ndim; d++)
        m.dim[d] = test_below(&m.state, 8) ? 2 + test_below(&m.state, 20) : test_below(&m.state, 2);
    if (ndim == 2 && test_below(&m.state, 3) == 0)
        m.dim[1] = m.dim[0];
    for (int way = 0; way < 2; way++)
        for (int d = 0; d < ndim; d++)
            if (test_below(&m.state, 2) || (d == ndim - 1 && !m.n_axes[way]))
                m.axes[way][m.n_axes[way]++] = d;
    bool empty = false;
    for (int d = 0; d < ndim; d++)
        empty |= m.dim[d] == 0;
    if (empty) /* a maximum of nothing is an error */
        for (int d = 0; d < ndim; d++)
            m.dim[d] += m.dim[d] == 0;
    m.full = kni_type_of(&knx_dtype_table[dtypes[test_below(&m.state, 7)]], ndim, m.dim);
    for (int i = 0; i < 3; i++)
        m.pool[m.n++] = knb_invar(&b, m.full);
    for (int i = 6 + test_below(&m.state, 40); i > 0; i--)
        test_rows_propose(&m);
    kni_atom out[4];
    int n = 1 + test_below(&m.state, 3);
    for (int i = 0; i < n; i++)
        out[i] = m.pool[i ? test_below(&m.state, m.n) : m.n - 1];
    return test_finish(&b, n, out);
}
#endif
