/* SPDX-License-Identifier: Apache-2.0
 * multi_head.c -- attention of several heads with its projections, and keys and values kept from step to step. */
#include "kiln/nn.h"
#include "lib/compose.h"
#include "nn/operand.h"

/* ---- Keys and values that are kept. */

/* `now` written into `kept`, both (..., positions, heads, features), from a position on. */
static kni_atom written(kna_op *op, kn_array kept, kn_array now, kni_atom position, const char *name)
{
    kni_type t = kna_type(op, kept), u = kna_type(op, now);
    knx_text p = {0}, q = {0};
    bool fits = t.ndim == u.ndim && t.ndim >= 3;
    for (int i = 0; i < t.ndim && fits; i++)
        fits = i == t.ndim - 3 ? knx_dim_le(u.dim[i], t.dim[i]) : knx_dim_eq(t.dim[i], u.dim[i]);
    if (!kna_failed(op) && !fits)
        kna_fail(op, KN_ERROR_VALUE, "%s of shape (..., S, K, H) is needed, but got %s for %s", name,
                 knx_show_shape(&p, t.ndim, t.dim), knx_show_shape(&q, u.ndim, u.dim));
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom start[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        start[i] = i == t.ndim - 3 ? position : knb_integer(op->b, KN_DT(I64), 0);
    return knb_dynamic_update_slice(op->b, kna_in(op, kept), kna_in_as(op, now, kna_strong_dtype(t)), start);
}

/* A single integer, int64. */
static kni_atom position_in(kna_op *op, kn_array position)
{
    kni_type t = kna_type(op, position);
    knnn_need_integers(op, position, "position");
    if (!kna_failed(op) && t.ndim)
        kna_fail(op, KN_ERROR_VALUE, "position must be a single number, but has %d axes", t.ndim);
    return kna_failed(op) ? KN_ATOM_NONE : kna_in_as(op, position, KN_DT(I64));
}

/* The position at which t of s tokens are written: so that they are there. */
static kni_atom within(kna_op *op, kni_atom position, int64_t t, int64_t s)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom least = knb_integer(b, KN_DT(I64), 0), most = knb_dimension(b, KN_DT(I64), knx_dim_sub(s, t));
    return knb_max(b, knb_min(b, position, most), least);
}

/* Which of S keys query t sees, (T, S): those up to its place, and of a window those that are not too far back. */
static kni_atom seen(kna_op *op, kni_atom position, int64_t t, int64_t s, const kn_shape *window)
{
    kni_builder *b = op->b;
    const int64_t dim[2] = {t, s};
    kni_type full = kni_type_of(KN_DT(I64), 2, dim);
    kni_atom query = knb_add(b, knb_iota(b, KN_DT(I64), 2, dim, 0), knb_broadcast_to(b, position, full));
    kni_atom key = knb_iota(b, KN_DT(I64), 2, dim, 1), y = knb_le(b, key, query);
    if (window->ndim) {
        kni_atom left = knb_integer(b, KN_DT(I64), window->dim[0]);
        y = knb_and(b, y, knb_le(b, query, knb_add(b, key, left)));
    }
    return y;
}

/* The mask of the user, which broadcasts to (B, N, T, S), and this one of (T, S). */
static kni_atom both(kna_op *op, kn_array mask, kni_atom y)
{
    kni_type t = kna_type(op, mask), u = knb_type(op->b, y);
    int64_t dim[4] = {1, 1, 1, 1};
    knx_text p = {0}, q = {0};
    bool fits = t.ndim <= 4;
    if (!kna_failed(op) && t.dtype != KN_DT(BOOL))
        kna_fail(op, KN_ERROR_VALUE, "mask dtype should be bool, but got %s", t.dtype->name);
    for (int i = 0; i < t.ndim && fits; i++) {
        int at = 4 - t.ndim + i;
        dim[at] = t.dim[i];
        if (at >= 2) {
            fits = knx_dim_eq(t.dim[i], u.dim[at - 2]) || t.dim[i] == 1;
            dim[at] = u.dim[at - 2];
        }
    }
    if (!kna_failed(op) && !fits)
        kna_fail(op, KN_ERROR_VALUE, "mask must broadcast to (B, N, T, S) with T and S %s, but has the shape %s",
                 knx_show_shape(&p, 2, u.dim), knx_show_shape(&q, t.ndim, t.dim));
    if (kna_failed(op))
        return KN_ATOM_NONE;
    dim[2] = u.dim[0], dim[3] = u.dim[1];
    kni_type full = kni_type_of(KN_DT(BOOL), 4, dim);
    return knb_and(op->b, knb_broadcast_to(op->b, kna_in(op, mask), full), knb_broadcast_to(op->b, y, full));
}

kn_nn_cached_attention_result kn_nn_cached_attention(kn_array query, kn_array key, kn_array value, kn_array key_cache,
                                                     kn_array value_cache, kn_array position,
                                                     const kn_nn_attention_opts *opts)
{
    knl_body c;
    knl_begin(&c, "nn_cached_attention");
    KNX_OPTS(kn_nn_attention_opts, o, opts);
    kni_atom at = position_in(&c.op, position);
    kni_type t = kna_type(&c.op, query), s = kna_type(&c.op, key_cache);
    kn_array y[3] = {NULL, NULL, NULL};
    if (!kna_failed(&c.op) && t.ndim < 3)
        kna_fail(&c.op, KN_ERROR_VALUE, "query of shape (..., T, N, H) is needed, but it has %d axes", t.ndim);
    if (!kna_failed(&c.op) && (o.local_window_size.ndim < 0 || o.local_window_size.ndim > 2))
        kna_fail(&c.op, KN_ERROR_VALUE, "local_window_size should have 1 or 2 extents, but got %d",
                 o.local_window_size.ndim);
    kni_type u = kna_type(&c.op, key);
    knx_text p = {0}, q = {0};
    if (!kna_failed(&c.op) && u.ndim >= 3 && !knx_dim_eq(t.dim[t.ndim - 3], u.dim[u.ndim - 3]))
        kna_fail(&c.op, KN_ERROR_VALUE, "query and key are of the same new tokens, but have %s and %s",
                 knx_dim_show(&p, t.dim[t.ndim - 3]), knx_dim_show(&q, u.dim[u.ndim - 3]));
    if (!kna_failed(&c.op) && s.ndim >= 3)
        at = within(&c.op, at, t.dim[t.ndim - 3], s.dim[s.ndim - 3]);
    kni_atom keys = written(&c.op, key_cache, key, at, "key_cache"),
             values = written(&c.op, value_cache, value, at, "value_cache");
    if (!kna_failed(&c.op)) {
        kni_atom mask = seen(&c.op, at, t.dim[t.ndim - 3], s.dim[s.ndim - 3], &o.local_window_size);
        y[1] = knl_made(&c, keys), y[2] = knl_made(&c, values);
        o.mask = knl_made(&c, o.mask ? both(&c.op, o.mask, mask) : mask);
        o.is_causal = false;
        o.local_window_size = (kn_shape){.ndim = 0};
        kn_dtype d = kna_strong_dtype(t);
        kn_array k = knl_made(&c, kna_in_as(&c.op, y[1], d)), v = knl_made(&c, kna_in_as(&c.op, y[2], d));
        y[0] = kn_nn_dot_product_attention(query, k, v, &o);
    }
    knl_end_n(&c, 3, y);
    return (kn_nn_cached_attention_result){y[0], y[1], y[2]};
}

/* ---- Projections. */

/* x (..., D) times weights (D, N, H) plus a bias (N, H): (..., N, H) */
static kn_array projected(knl_body *c, kn_array x, kn_array w, kn_array bias, const char *name, kn_dtype d)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, x), u = kna_type(op, w);
    knx_text p = {0}, q = {0};
    if (!kna_failed(op) && (u.ndim != 3 || t.ndim < 1 || !knx_dim_eq(u.dim[0], t.dim[t.ndim - 1])))
        kna_fail(op, KN_ERROR_VALUE, "%s of shape (D, N, H) is needed for inputs of shape %s, but got %s", name,
                 knx_show_shape(&p, t.ndim, t.dim), knx_show_shape(&q, u.ndim, u.dim));
    if (kna_failed(op))
        return NULL;
    int64_t last = t.ndim - 1, zero = 0;
    kni_p_dot_general dims = {.lhs_contract = {1, &last}, .rhs_contract = {1, &zero}};
    kni_atom a = kna_in_as(op, x, d), y = knb_dot_general(op->b, a, kna_in_as(op, w, d), &dims);
    if (bias) {
        kni_type ty = knb_type(op->b, y);
        y = knb_add(op->b, y, knnn_along(op, bias, d, "the bias", ty, 2, (int64_t[]){ty.ndim - 2, ty.ndim - 1}));
    }
    return knl_made(c, y);
}

/* y (..., N, H) times weights (N, H, O) plus a bias (O): (..., O) */
static kn_array joined(knl_body *c, kn_array y, kn_array w, kn_array bias, kn_dtype d)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, y), u = kna_type(op, w);
    knx_text p = {0}, q = {0};
    if (!kna_failed(op) &&
        (u.ndim != 3 || !knx_dim_eq(u.dim[0], t.dim[t.ndim - 2]) || !knx_dim_eq(u.dim[1], t.dim[t.ndim - 1])))
        kna_fail(op, KN_ERROR_VALUE, "w_out of shape (N, H, O) is needed for heads of shape %s, but got %s",
                 knx_show_shape(&p, t.ndim, t.dim), knx_show_shape(&q, u.ndim, u.dim));
    if (kna_failed(op))
        return NULL;
    int64_t left[2] = {t.ndim - 2, t.ndim - 1}, right[2] = {0, 1};
    kni_p_dot_general dims = {.lhs_contract = {2, left}, .rhs_contract = {2, right}};
    kni_atom a = kna_in_as(op, y, d), z = knb_dot_general(op->b, a, kna_in_as(op, w, d), &dims);
    if (bias) {
        kni_type tz = knb_type(op->b, z);
        z = knb_add(op->b, z, knnn_along(op, bias, d, "bias_out", tz, 1, (int64_t[]){tz.ndim - 1}));
    }
    return knl_made(c, z);
}

/* ---- All of it. */

typedef struct heads {
    knl_body c;
    kn_nn_multi_head_attention_opts o;
    kn_dtype d;
    kn_array query, key, value;
} heads;

/* Positions of so many tokens: those given, else from `first` on (NULL: 0). */
static kn_array positions_of(heads *h, kn_array given, kn_array first, kn_array x)
{
    if (given || !first)
        return given;
    kni_type t = kna_type(&h->c.op, x);
    kni_builder *b = h->c.op.b;
    kni_atom at = position_in(&h->c.op, first);
    if (kna_failed(&h->c.op))
        return NULL;
    kni_atom n = knb_iota(b, KN_DT(I64), 1, &t.dim[t.ndim - 3], 0);
    return knl_made(&h->c, knb_add(b, n, knb_broadcast_to(b, at, knb_type(b, n))));
}

static kn_array turned(heads *h, kn_array x, kn_array positions)
{
    kn_nn_rope_opts r = kn_nn_rope_opts_default();
    r.positions = positions;
    r.base = h->o.rope_base;
    r.features = h->o.rope_features;
    r.interleaved = h->o.rope_interleaved;
    r.frequencies = h->o.rope_frequencies;
    return kn_nn_rope(x, &r);
}

static bool begin_heads(heads *h, const char *name, kn_array x, const kn_array w[4],
                        const kn_nn_multi_head_attention_opts *opts, kn_array first)
{
    knl_begin(&h->c, name);
    kna_op *op = &h->c.op;
    h->o = kn_nn_multi_head_attention_opts_default();
    knx_read_options(&h->o, sizeof h->o, opts);
    kn_array context = h->o.context ? h->o.context : x;
    for (int i = 0; i < 4; i++)
        kna_type(op, w[i]);
    h->d = knnn_floats(op, 6, (kn_array[]){x, context, w[0], w[1], w[2], w[3]}).stored;
    kni_type t = kna_type(op, x), u = kna_type(op, context);
    if (!kna_failed(op) && (t.ndim < 2 || t.ndim > 3 || u.ndim != t.ndim))
        kna_fail(op, KN_ERROR_VALUE,
                 "x of shape (T, D) or (B, T, D) is needed, and a context like it, but they have "
                 "%d and %d axes",
                 t.ndim, u.ndim);
    if (kna_failed(op))
        return false;
    h->query = projected(&h->c, x, w[0], h->o.bias_query, "w_query", h->d);
    h->key = projected(&h->c, context, w[1], h->o.bias_key, "w_key", h->d);
    h->value = projected(&h->c, context, w[2], h->o.bias_value, "w_value", h->d);
    if (h->o.rope && !kna_failed(op)) {
        h->query = turned(h, h->query, positions_of(h, h->o.positions, first, h->query));
        h->key = turned(h, h->key, positions_of(h, h->o.positions, first, h->key));
    }
    return !kna_failed(op);
}

static kn_nn_attention_opts attention_options(const heads *h)
{
    kn_nn_attention_opts a = kn_nn_attention_opts_default();
    a.bias = h->o.bias;
    a.mask = h->o.mask;
    a.scale = h->o.scale;
    a.is_causal = h->o.is_causal;
    a.query_seq_lengths = h->o.query_seq_lengths;
    a.key_value_seq_lengths = h->o.key_value_seq_lengths;
    a.local_window_size = h->o.local_window_size;
    return a;
}

kn_array kn_nn_multi_head_attention(kn_array x, kn_array w_query, kn_array w_key, kn_array w_value, kn_array w_out,
                                    const kn_nn_multi_head_attention_opts *opts)
{
    heads h;
    kn_array y = NULL;
    if (begin_heads(&h, "nn_multi_head_attention", x, (kn_array[]){w_query, w_key, w_value, w_out}, opts, NULL)) {
        kn_nn_attention_opts a = attention_options(&h);
        y = joined(&h.c, kn_nn_dot_product_attention(h.query, h.key, h.value, &a), w_out, h.o.bias_out, h.d);
    }
    return knl_end(&h.c, y);
}

kn_nn_cached_attention_result kn_nn_multi_head_attention_cached(kn_array x, kn_array key_cache, kn_array value_cache,
                                                                kn_array position, kn_array w_query, kn_array w_key,
                                                                kn_array w_value, kn_array w_out,
                                                                const kn_nn_multi_head_attention_opts *opts)
{
    heads h;
    kn_array y[3] = {NULL, NULL, NULL};
    const kn_array w[4] = {w_query, w_key, w_value, w_out};
    bool ok = begin_heads(&h, "nn_multi_head_attention_cached", x, w, opts, position);
    if (ok && h.o.context)
        kna_fail(&h.c.op, KN_ERROR_VALUE, "context: keys and values of a context do not change, and need no cache");
    if (!kna_failed(&h.c.op)) {
        kn_nn_attention_opts a = attention_options(&h);
        kn_nn_cached_attention_result r =
            kn_nn_cached_attention(h.query, h.key, h.value, key_cache, value_cache, position, &a);
        y[0] = joined(&h.c, r.encoded, w_out, h.o.bias_out, h.d);
        y[1] = r.key_cache, y[2] = r.value_cache;
    }
    knl_end_n(&h.c, 3, y);
    return (kn_nn_cached_attention_result){y[0], y[1], y[2]};
}
