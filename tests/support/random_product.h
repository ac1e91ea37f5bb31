/* SPDX-License-Identifier: Apache-2.0
 * random_product.h -- random programs around a product: moves and elementwise equations before it, after it and beside
 * it, further products of what it gives. */
#ifndef KN_TESTS_RANDOM_PRODUCT_H
#define KN_TESTS_RANDOM_PRODUCT_H
#include "support/attach.h"
#include "ir/order.h"

/* Moves and elementwise equations around x; `more`: other arrays of the same shapes, as new operands. */
static inline kni_atom random_move(kni_builder *b, uint64_t *state, kni_atom x)
{
    kni_type t = knb_type(b, x);
    int64_t v[8], w[8], u[8], size = kni_type_size(t);
    int n = 0;
    switch (test_below(state, 6)) {
    case 0: /* axes in another order */
        for (int d = 0; d < t.ndim; d++)
            v[d] = d;
        for (int d = t.ndim - 1; d > 0; d--) {
            int k = test_below(state, d + 1);
            int64_t old = v[d];
            v[d] = v[k];
            v[k] = old;
        }
        return knb_transpose(b, x, v);
    case 1: /* two axes as one */
        for (int d = 0; d < t.ndim; d++)
            v[n++] = t.dim[d];
        if (n > 1) {
            int k = test_below(state, n - 1);
            v[k] *= v[k + 1];
            memmove(v + k + 1, v + k + 2, (size_t)(n - k - 2) * sizeof *v);
            n--;
        }
        return knb_reshape(b, x, n, v);
    case 2: /* an axis as two */
        for (int d = 0; d < t.ndim; d++) {
            bool even = t.dim[d] && t.dim[d] % 2 == 0 && n < 5 && test_below(state, 2);
            if (even)
                v[n++] = 2;
            v[n++] = even ? t.dim[d] / 2 : t.dim[d];
        }
        return knb_reshape(b, x, n, v);
    case 3: /* backwards */
        for (int d = 0; d < t.ndim; d++)
            if (test_below(state, 2))
                v[n++] = d;
        return knb_rev(b, x, n, v);
    case 4: /* a part of a larger array */
        for (int d = 0; d < t.ndim; d++) {
            v[d] = test_below(state, 3);
            u[d] = 1 + test_below(state, 2);
            w[d] = v[d] + (t.dim[d] ? (t.dim[d] - 1) * u[d] + 1 : 0);
        }
        if (size > 2000 || !t.ndim)
            return x;
        for (int d = 0; d < t.ndim; d++)
            w[d] += test_below(state, 2);
        kni_type large = kni_type_of(t.dtype, t.ndim, w);
        for (int d = 0; d < t.ndim; d++)
            v[d] = w[d] - (t.dim[d] ? (t.dim[d] - 1) * u[d] + 1 : 0) - test_below(state, 1);
        return knb_add(b, x, knb_slice(b, knb_invar(b, large), v, w, u));
    default: return x;
    }
}

static inline kni_atom random_work(kni_builder *b, uint64_t *state, kni_atom x)
{
    kni_type t = knb_type(b, x);
    switch (test_below(state, 7)) {
    case 0: return knb_neg(b, x);
    case 1: return knb_mul(b, x, knb_full(b, t, 2));
    case 2: return knb_add(b, x, knb_invar(b, t));
    case 3:
        return knb_add(b, x,
                       knb_convert(b, knb_iota(b, KN_DT(I32), t.ndim, t.dim, test_below(state, t.ndim)), t.dtype));
    case 4:
        if (t.ndim) {
            int64_t d = test_below(state, t.ndim);
            kni_atom row = knb_invar(b, kni_type_of(t.dtype, 1, &t.dim[d]));
            return knb_sub(b, x, knb_broadcast_in_dim(b, row, t.ndim, t.dim, &d));
        }
        return x;
    default: return x;
    }
}

static inline kni_atom random_chain(kni_builder *b, uint64_t *state, kni_atom x, int most)
{
    for (int i = test_below(state, most); i > 0; i--)
        x = test_below(state, 2) ? random_work(b, state, x) : random_move(b, state, x);
    return x;
}

/* An array of this shape, after moves of another one. */
static inline kni_atom random_operand(kni_builder *b, uint64_t *state, kn_dtype d, int ndim, const int64_t *dim)
{
    int order[8];
    int64_t shape_[8], back[8];
    for (int i = 0; i < ndim; i++)
        order[i] = i;
    for (int i = ndim - 1; i > 0 && test_below(state, 2); i--) {
        int k = test_below(state, i + 1), old = order[i];
        order[i] = order[k];
        order[k] = old;
    }
    for (int i = 0; i < ndim; i++) {
        shape_[i] = dim[order[i]];
        back[order[i]] = i;
    }
    kni_atom x = knb_invar(b, kni_type_of(d, ndim, shape_));
    if (test_below(state, 2))
        x = random_work(b, state, x);
    x = random_chain(b, state, x, 2);
    x = knb_reshape(b, x, ndim, shape_);
    return knb_transpose(b, x, back);
}

static inline kni_jaxpr *random_product(uint64_t seed)
{
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_BF16, KN_ID_C64, KN_ID_I32};
    kni_builder b;
    knb_init(&b);
    uint64_t state = seed;
    kn_dtype d = &knx_dtype_table[dtypes[test_below(&state, 7)]];
    int64_t batch = test_below(&state, 3) ? 0 : 1 + test_below(&state, 4);
    int64_t m = 1 + test_below(&state, test_below(&state, 3) ? 20 : 90), n = 1 + test_below(&state, 50),
            k = test_below(&state, 20) ? 1 + test_below(&state, test_below(&state, 3) ? 20 : 400) : 0;
    kni_atom x = random_operand(&b, &state, d, batch ? 3 : 2, (int64_t[]){batch ? batch : m, batch ? m : k, k});
    kni_atom w = random_operand(&b, &state, d, batch ? 3 : 2, (int64_t[]){batch ? batch : k, batch ? k : n, n});
    kni_atom y = knb_matrix_product(&b, x, w), z = random_chain(&b, &state, y, 5);
    if (test_below(&state, 3) == 0) {
        kni_type t = knb_type(&b, z);
        kni_atom v = knb_reshape(
            &b, z, 2, (int64_t[]){kni_type_size(t) / (t.ndim ? t.dim[t.ndim - 1] : 1), t.ndim ? t.dim[t.ndim - 1] : 1});
        kni_atom more = knb_invar(&b, kni_type_of(d, 2, (int64_t[]){t.ndim ? t.dim[t.ndim - 1] : 1, 7}));
        z = random_chain(&b, &state, knb_matrix_product(&b, v, more), 3);
    }
    kni_atom other = random_chain(&b, &state, test_below(&state, 3) ? z : y, 4), shared = other;
    if (test_below(&state, 2)) { /* products of one value, which may have been moved */
        kni_atom from = test_below(&state, 2) ? x : random_chain(&b, &state, y, 3);
        kni_type t = knb_type(&b, from);
        int64_t last = t.ndim ? t.dim[t.ndim - 1] : 1, rows = last ? kni_type_size(t) / last : 1;
        if (last) {
            kni_atom v = knb_reshape(&b, from, 2, (int64_t[]){rows, last});
            kni_atom p = knb_matrix_product(&b, turn(&b, v), knb_invar(&b, kni_type_of(d, 2, (int64_t[]){rows, 6})));
            kni_atom q = knb_matrix_product(&b, v, knb_invar(&b, kni_type_of(d, 2, (int64_t[]){last, 5})));
            shared = test_below(&state, 2) ? random_chain(&b, &state, p, 3) : q;
            other = test_below(&state, 2) ? random_chain(&b, &state, q, 2) : random_chain(&b, &state, from, 2);
        }
    }
    return test_below(&state, 2) ? FINISH(&b, z, shared) : FINISH(&b, z, other, shared);
}

/* Batch, channels, places; of a window: channels out, channels in, places; or with the channels behind the places. */
static inline void random_layout(bool last, int n, int64_t *spec, bool of_window)
{
    for (int i = 0; i < n + 2; i++)
        spec[i] = i;
    if (!last)
        return;
    spec[0] = of_window ? n + 1 : 0;
    spec[1] = of_window ? n : n + 1;
    for (int i = 0; i < n; i++)
        spec[2 + i] = i + (of_window ? 0 : 1);
}

static inline kni_jaxpr *random_convolution(uint64_t seed)
{
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_F32, KN_ID_F32, KN_ID_BF16, KN_ID_I32};
    kni_builder b;
    knb_init(&b);
    uint64_t state = seed;
    kn_dtype d = &knx_dtype_table[dtypes[test_below(&state, 5)]];
    int n = 1 + test_below(&state, 2);
    int64_t groups = test_below(&state, 4) ? 1 : 2, in = groups * (1 + test_below(&state, 5)),
            out = groups * (1 + test_below(&state, 20)), x[4], w[4], one[2], step[2], low[2], high[2], wide[2];
    int64_t of_x[4], of_w[4], of_y[4];
    random_layout(test_below(&state, 2), n, of_x, false);
    random_layout(test_below(&state, 2), n, of_w, true);
    random_layout(test_below(&state, 2), n, of_y, false);
    x[of_x[0]] = 1 + test_below(&state, 3);
    x[of_x[1]] = in;
    w[of_w[0]] = out;
    w[of_w[1]] = in / groups;
    for (int i = 0; i < n; i++) {
        one[i] = 1;
        step[i] = 1 + test_below(&state, 2);
        wide[i] = 1 + test_below(&state, 2);
        low[i] = test_below(&state, 3);
        high[i] = test_below(&state, 3);
        w[of_w[2 + i]] = 1 + test_below(&state, 4);
        x[of_x[2 + i]] = wide[i] * (w[of_w[2 + i]] - 1) + 1 + test_below(&state, 12);
    }
    const kni_p_conv p = {.window_strides = {n, step},
                          .lo = {n, low},
                          .hi = {n, high},
                          .lhs_dilation = {n, one},
                          .rhs_dilation = {n, wide},
                          .lhs_spec = {n + 2, of_x},
                          .rhs_spec = {n + 2, of_w},
                          .out_spec = {n + 2, of_y},
                          .feature_group_count = groups,
                          .batch_group_count = 1};
    kni_atom image = random_operand(&b, &state, d, n + 2, x), window = random_operand(&b, &state, d, n + 2, w);
    kni_atom y = knb_conv_general_dilated(&b, image, window, &p), z = random_chain(&b, &state, y, 5);
    return test_below(&state, 3) ? FINISH(&b, z) : FINISH(&b, z, y);
}
#endif
