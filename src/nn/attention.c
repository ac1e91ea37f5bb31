/* SPDX-License-Identifier: Apache-2.0
 * attention.c -- dot-product attention: two products of stacks of matrices, and between them bias, masks and softmax,
 * in the order and the dtypes of jax.nn.
 *
 * Logits are (B, N, T, S), or (B, K, T, G, S) where G query heads share each of K key heads, so that no product needs
 * its operands repeated or its logits transposed. */
#include "kiln/nn.h"
#include "nn/operand.h"
#include "lib/internal.h"
#include <float.h>
#include <math.h>

typedef struct attention {
    kna_op op;
    kni_builder *b;
    kn_nn_attention_opts o;
    kn_dtype d;                       /* of the operands */
    kni_type shape;                   /* of the query as it came */
    int64_t batch, t, s, heads, k, h; /* B T S N K H */
    kni_atom query, key, value;       /* of four axes */
} attention;

/* ---- Operands. */

/* The shape as it should be (-1: any extent), or JAX's ValueError. */
static bool has_shape(attention *a, const char *name, kni_type t, int ndim, const int64_t *want)
{
    knx_text list = {0}, has = {0};
    if (kna_failed(&a->op))
        return false;
    if (t.ndim != ndim) {
        kna_fail(&a->op, KN_ERROR_VALUE, "%s ndim should be %d, but got %d", name, ndim, t.ndim);
        return false;
    }
    bool fits = true;
    for (int i = 0; i < ndim; i++) {
        fits = fits && (want[i] == -1 || knx_dim_eq(want[i], t.dim[i]));
        knx_text_add(&list, "%s", i ? ", " : "[");
        knx_dim_show(&list, want[i]);
    }
    if (!fits)
        kna_fail(&a->op, KN_ERROR_VALUE, "%s shape should be %s]: but got %s", name, list.s,
                 knx_show_shape(&has, t.ndim, t.dim));
    return fits;
}

static void wrong_dtype(attention *a, const char *name, const char *want, kn_dtype got)
{
    kna_fail(&a->op, KN_ERROR_VALUE, "%s dtype should be %s, but got %s", name, want, got->name);
}

/* x with axes of extent 1 in front, up to four. */
static kni_atom four_axes(attention *a, kni_atom x)
{
    kni_type t = knb_type(a->b, x);
    int64_t dim[4] = {1, 1, 1, 1};
    if (kna_failed(&a->op) || t.ndim >= 4)
        return x;
    for (int i = 0; i < t.ndim; i++)
        dim[4 - t.ndim + i] = t.dim[i];
    return knb_reshape(a->b, x, 4, dim);
}

static void read_operands(attention *a, kn_array query, kn_array key, kn_array value)
{
    kn_dtype dv = knnn_inexact(&a->op, 1, &value), dq = knnn_inexact(&a->op, 1, &query);
    a->d = knnn_inexact(&a->op, 1, &key);
    a->query = knnn_in(&a->op, query), a->key = knnn_in(&a->op, key), a->value = knnn_in(&a->op, value);
    if (kna_failed(&a->op))
        return;
    a->shape = knb_type(a->b, a->query);
    a->query = four_axes(a, a->query), a->key = four_axes(a, a->key), a->value = four_axes(a, a->value);
    kni_type tk = knb_type(a->b, a->key), tq = knb_type(a->b, a->query);
    if (!has_shape(a, "key", tk, 4, (int64_t[]){-1, -1, -1, -1}))
        return;
    a->batch = tk.dim[0], a->s = tk.dim[1], a->k = tk.dim[2], a->h = tk.dim[3];
    if (dv != a->d)
        wrong_dtype(a, "value", a->d->name, dv);
    if (!has_shape(a, "value", knb_type(a->b, a->value), 4, tk.dim))
        return;
    if (dq != a->d)
        wrong_dtype(a, "query", a->d->name, dq);
    if (!has_shape(a, "query", tq, 4, (int64_t[]){a->batch, -1, -1, a->h}))
        return;
    a->t = tq.dim[1], a->heads = tq.dim[2];
    knx_text s = {0}, u = {0};
    if (!knx_dim_eq(a->k ? knx_dim_mod(a->heads, a->k) : a->heads, 0))
        kna_fail(&a->op, KN_ERROR_VALUE,
                 "The number of query heads must be a multiple of key/value heads, but got %s vs %s",
                 knx_dim_show(&s, a->heads), knx_dim_show(&u, a->k));
}

static bool grouped(const attention *a) { return !knx_dim_eq(a->heads, a->k); }

/* The shape of the logits. */
static kni_type logits_type(const attention *a, kn_dtype d, int64_t dim[5])
{
    int n = 0;
    dim[n++] = a->batch, dim[n++] = a->k, dim[n++] = a->t;
    if (grouped(a))
        dim[n++] = knx_dim_floordiv(a->heads, a->k);
    dim[n++] = a->s;
    return kni_type_of(d, n, dim);
}

/* ---- Bias and masks. */

/* x, which broadcasts to (B, N, T, S), as the logits lie; KN_ATOM_NONE after errors. */
static kni_atom beside_logits(attention *a, const char *name, kni_atom x)
{
    int64_t dim[5];
    x = four_axes(a, x);
    kni_type t = knb_type(a->b, x), full;
    if (kna_failed(&a->op) || !has_shape(a, name, t, 4, (int64_t[]){-1, -1, -1, -1}))
        return KN_ATOM_NONE;
    full = logits_type(a, t.dtype, dim);
    const int64_t want[4] = {a->batch, a->heads, a->t, a->s};
    for (int i = 0; i < 4; i++)
        if (!knx_dim_eq(t.dim[i], 1) && !knx_dim_eq(t.dim[i], want[i])) {
            has_shape(a, name, t, 4, want);
            return KN_ATOM_NONE;
        }
    if (!grouped(a))
        return knb_broadcast_to(a->b, x, full);
    bool each = !knx_dim_eq(t.dim[1], 1);
    x = knb_reshape(a->b, x, 5, (int64_t[]){t.dim[0], each ? dim[1] : 1, each ? dim[3] : 1, t.dim[2], t.dim[3]});
    return knb_broadcast_to(a->b, knb_transpose(a->b, x, (int64_t[]){0, 1, 3, 2, 4}), full);
}

/* x, whose axes are some of B, T and S, repeated along the others of the logits. */
static kni_atom over_logits(attention *a, kni_atom x, bool has_batch)
{
    int64_t dim[5], place[3], n = 0;
    kni_type full = logits_type(a, knb_type(a->b, x).dtype, dim);
    if (has_batch)
        place[n++] = 0;
    place[n++] = 2, place[n++] = full.ndim - 1;
    return knb_broadcast_in_dim(a->b, x, full.ndim, full.dim, place);
}

static kni_atom both(attention *a, kni_atom x, kni_atom y) { return x == KN_ATOM_NONE ? y : knb_and(a->b, x, y); }

/* The numbers of the queries or keys, (T, S). */
static kni_atom numbers(attention *a, int axis) { return knb_iota(a->b, KN_DT(I64), 2, (int64_t[]){a->t, a->s}, axis); }

static kni_atom causal(attention *a) { return knb_ge(a->b, numbers(a, 0), numbers(a, 1)); }

static kni_atom within_window(attention *a)
{
    kni_builder *b = a->b;
    const kn_shape *w = &a->o.local_window_size;
    kni_atom q = numbers(a, 0), k = numbers(a, 1), left = knb_integer(b, KN_DT(I64), w->dim[0]),
             right = knb_integer(b, KN_DT(I64), w->dim[w->ndim - 1]);
    return knb_and(b, knb_ge(b, q, knb_sub(b, k, right)), knb_le(b, q, knb_add(b, k, left)));
}

/* Is number i along an axis of this shape, (B, ...), less than the length of its batch? */
static kni_atom within_lengths(attention *a, const char *name, kn_array lengths, int ndim, const int64_t *dim, int axis)
{
    kni_type t = kna_type(&a->op, lengths);
    if (!has_shape(a, name, t, 1, &a->batch))
        return KN_ATOM_NONE;
    if (!knx_is_integer(t.dtype)) {
        wrong_dtype(a, name, "int32", t.dtype);
        return KN_ATOM_NONE;
    }
    kni_atom n = knb_broadcast_in_dim(a->b, kna_in_as(&a->op, lengths, KN_DT(I64)), ndim, dim, (int64_t[]){0});
    return knb_lt(a->b, knb_iota(a->b, KN_DT(I64), ndim, dim, axis), n);
}

/* Which logits count; KN_ATOM_NONE: all (or an error). */
static kni_atom all_masks(attention *a)
{
    const int64_t dim[3] = {a->batch, a->t, a->s};
    kni_atom mask = KN_ATOM_NONE;
    if (a->o.mask) {
        kni_type t = kna_type(&a->op, a->o.mask);
        if (!kna_failed(&a->op) && t.dtype != KN_DT(BOOL))
            wrong_dtype(a, "mask", "bool", t.dtype);
        mask = beside_logits(a, "mask", kna_in(&a->op, a->o.mask));
    }
    if (a->o.is_causal)
        mask = both(a, mask, over_logits(a, causal(a), false));
    if (a->o.local_window_size.ndim)
        mask = both(a, mask, over_logits(a, within_window(a), false));
    if (a->o.query_seq_lengths) {
        kni_atom m = within_lengths(a, "query_seq_lengths", a->o.query_seq_lengths, 3, dim, 1);
        mask = both(a, mask, over_logits(a, m, true));
    }
    if (a->o.key_value_seq_lengths) {
        kni_atom m = within_lengths(a, "key_value_seq_lengths", a->o.key_value_seq_lengths, 3, dim, 2);
        mask = both(a, mask, over_logits(a, m, true));
    }
    return mask;
}

/* ---- The products. */

static kni_atom product(attention *a, kni_atom x, kni_atom y, int64_t x_contract, const int64_t x_batch[2],
                        int64_t y_contract, kn_dtype d)
{
    int64_t y_batch[2] = {0, 2}, xb[2] = {x_batch[0], x_batch[1]};
    kni_p_dot_general p = {.lhs_contract = {1, &x_contract},
                           .rhs_contract = {1, &y_contract},
                           .lhs_batch = {2, xb},
                           .rhs_batch = {2, y_batch}};
    p.preferred_element_type = d;
    return knb_dot_general(a->b, x, y, &p);
}

/* 1 / sqrt(h) */
static kni_atom root_of_features(attention *a, kn_dtype d)
{
    return knx_is_symbolic(a->h) ? knb_rsqrt(a->b, knb_dimension(a->b, d, a->h))
                                 : knb_number(a->b, d, 1 / sqrt((double)a->h));
}

/* Scaled, with the bias, and very small where the masks say so. */
static kni_atom masked_logits(attention *a)
{
    kni_builder *b = a->b;
    kn_dtype d = a->d->size < 4 ? KN_DT(F32) : a->d;
    kni_atom query = a->query;
    if (grouped(a))
        query = knb_reshape(b, query, 5, (int64_t[]){a->batch, a->t, a->k, knx_dim_floordiv(a->heads, a->k), a->h});
    kni_atom x = product(a, query, a->key, grouped(a) ? 4 : 3, (int64_t[]){0, 2}, 3, d == a->d ? NULL : d);
    kni_type t = knb_type(b, x);
    kni_atom scale = a->o.scale ? kna_in_as(&a->op, a->o.scale, d) : root_of_features(a, d);
    x = knb_mul(b, x, a->o.scale ? knb_broadcast_to(b, scale, t) : scale);
    if (a->o.bias) {
        kni_atom bias = beside_logits(a, "bias", kna_in(&a->op, a->o.bias));
        kn_dtype wide = kna_failed(&a->op) ? NULL : knx_promote(d, knb_type(b, bias).dtype);
        if (wide)
            x = knb_convert(b, knb_add(b, knb_convert(b, x, wide), knb_convert(b, bias, wide)), d);
        else
            kna_fail(&a->op, KN_ERROR_TYPE, "bias: not a number");
    }
    kni_atom mask = all_masks(a);
    if (mask == KN_ATOM_NONE || kna_failed(&a->op))
        return x;
    return knb_select(b, mask, x, knb_number(b, d, -0.7 * (double)FLT_MAX));
}

/* Zero for the queries that do not count. */
static kni_atom without_padding(attention *a, kni_atom y)
{
    const int64_t dim[4] = {a->batch, a->t, a->heads, a->h};
    kni_atom in = within_lengths(a, "query_seq_lengths", a->o.query_seq_lengths, 4, dim, 1);
    return knb_mul(a->b, y, knb_convert(a->b, in, a->d));
}

static kni_atom encode(attention *a, kni_atom logits)
{
    kni_builder *b = a->b;
    kni_atom probabilities = knb_convert(b, knnn_softmax_last(&a->op, logits), a->d);
    kni_atom y = product(a, probabilities, a->value, grouped(a) ? 4 : 3, (int64_t[]){0, 1}, 1, NULL);
    y = knb_transpose(b, y, grouped(a) ? (int64_t[]){0, 2, 1, 3, 4} : (int64_t[]){0, 2, 1, 3});
    y = knb_reshape(b, y, 4, (int64_t[]){a->batch, a->t, a->heads, a->h});
    if (a->o.query_seq_lengths)
        y = without_padding(a, y);
    return knb_reshape(b, y, a->shape.ndim, a->shape.dim);
}

/* The logarithm of what the softmax divides by, (B, T, N). */
static kni_atom residual_of(attention *a, kni_atom logits)
{
    kni_builder *b = a->b;
    kni_atom y = knb_convert(b, knnn_logsumexp_last(&a->op, logits), a->d);
    y = knb_transpose(b, y, grouped(a) ? (int64_t[]){0, 2, 1, 3} : (int64_t[]){0, 2, 1});
    return knb_stop_gradient(b, knb_reshape(b, y, a->shape.ndim - 1, a->shape.dim));
}

/* Begins an operation; the logits as float32, or KN_ATOM_NONE. */
static kni_atom begin(attention *a, const char *name, kn_array query, kn_array key, kn_array value,
                      const kn_nn_attention_opts *opts)
{
    kna_begin(&a->op, name);
    a->b = a->op.b;
    a->o = kn_nn_attention_opts_default();
    knx_read_options(&a->o, sizeof a->o, opts);
    if (a->o.local_window_size.ndim > 2 || a->o.local_window_size.ndim < 0)
        kna_fail(&a->op, KN_ERROR_VALUE, "local_window_size should have 1 or 2 extents, but got %d",
                 a->o.local_window_size.ndim);
    read_operands(a, query, key, value);
    if (!kna_failed(&a->op) && !knx_is_float(a->d))
        kna_fail(&a->op, KN_ERROR_TYPE, "query, key and value must be of a float dtype, but got %s", a->d->name);
    if (kna_failed(&a->op))
        return KN_ATOM_NONE;
    return knb_convert(a->b, masked_logits(a), KN_DT(F32));
}

kn_array kn_nn_dot_product_attention(kn_array query, kn_array key, kn_array value, const kn_nn_attention_opts *opts)
{
    attention a = {0};
    kni_atom logits = begin(&a, "nn_dot_product_attention", query, key, value, opts);
    return kna_end(&a.op, kna_failed(&a.op) ? KN_ATOM_NONE : encode(&a, logits));
}

kn_nn_attention_result kn_nn_dot_product_attention_residual(kn_array query, kn_array key, kn_array value,
                                                            const kn_nn_attention_opts *opts)
{
    attention a = {0};
    kn_array out[2];
    kni_atom logits = begin(&a, "nn_dot_product_attention", query, key, value, opts), y[2] = {0};
    if (!kna_failed(&a.op)) {
        y[0] = encode(&a, logits);
        y[1] = residual_of(&a, logits);
    }
    kna_end_n(&a.op, 2, y, out);
    return (kn_nn_attention_result){out[0], out[1]};
}
