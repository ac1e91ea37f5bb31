/* SPDX-License-Identifier: Apache-2.0
 * attention.c -- Attention and FlexAttention. Heads that share keys and values stand as rows of one product, so that
 * nothing is repeated. Which keys a query sees is made of comparisons of positions, which are computed where the
 * scores are. */
#include "models/onnx/ops/layers.h"
#include <math.h>

typedef struct heads {
    kn_array q, k, v; /* (batch, heads, length, size) */
    int64_t batch, q_heads, kv_heads, q_len, kv_len;
} heads;

/* (batch, length, heads x size) as (batch, heads, length, size). */
static kn_array split_heads(kn_array x, int64_t n)
{
    kn_shape s = kn_shape_of(x);
    if (n < 1 || s.dim[2] % n)
        return NULL;
    return kn_swapaxes(knonnx_reshaped(x, &(kn_shape){4, {s.dim[0], s.dim[1], n, s.dim[2] / n}}), 1, 2);
}

static kn_array join_heads(kn_array x)
{
    kn_shape s = kn_shape_of(x);
    return knonnx_reshaped(kn_swapaxes(x, 1, 2), &(kn_shape){3, {s.dim[0], s.dim[2], s.dim[1] * s.dim[3]}});
}

static int heads_check(knonnx_call *c, heads *h)
{
    kn_shape q = kn_shape_of(h->q), k = kn_shape_of(h->k), v = kn_shape_of(h->v);
    if (q.ndim != 4 || k.ndim != 4 || v.ndim != 4)
        return knonnx_fail(c, KN_ERROR_VALUE, "Q, K and V have %d, %d and %d axes", q.ndim, k.ndim, v.ndim);
    if (k.dim[1] != v.dim[1] || k.dim[1] < 1 || q.dim[1] % k.dim[1] || q.dim[3] != k.dim[3])
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld heads of size %lld, and %lld of size %lld for %lld of values",
                           (long long)q.dim[1], (long long)q.dim[3], (long long)k.dim[1], (long long)k.dim[3],
                           (long long)v.dim[1]);
    h->batch = q.dim[0];
    h->q_heads = q.dim[1];
    h->kv_heads = k.dim[1];
    h->q_len = q.dim[2];
    h->kv_len = k.dim[2];
    return 0;
}

/* (batch, q heads, length, n) as (batch, kv heads, heads of each x length, n), and back. */
static kn_array grouped(const heads *h, kn_array x)
{
    if (h->q_heads == h->kv_heads)
        return x;
    return knonnx_reshaped(x, &(kn_shape){4, {h->batch, h->kv_heads, -1, kn_dim(x, 3)}});
}

static kn_array ungrouped(const heads *h, kn_array x)
{
    if (h->q_heads == h->kv_heads)
        return x;
    return knonnx_reshaped(x, &(kn_shape){4, {h->batch, h->q_heads, -1, kn_dim(x, 3)}});
}

/* q k' scale: short floats are multiplied by the root of scale on both sides, as ONNX does it, against overflow. */
static kn_array scores_of(knonnx_call *c, const heads *h)
{
    double scale = knonnx_float(c, "scale", 1 / sqrt((double)kn_dim(h->q, 3)));
    bool both = kn_dtype_size(kn_dtype_of(h->q)) < 4;
    kn_array by = kn_like_double(both ? sqrt(scale) : scale);
    kn_array q = kn_multiply(h->q, by), k = both ? kn_multiply(h->k, by) : h->k;
    return ungrouped(h, kn_matmul(grouped(h, q), kn_matrix_transpose(k)));
}

static kn_dtype precision(knonnx_call *c, kn_dtype otherwise)
{
    int64_t type = knonnx_int(c, "softmax_precision", KNONNX_UNDEFINED);
    kn_dtype d = type > 0 && type < KNONNX_ELEM_COUNT ? knonnx_dtype((knonnx_elem)type) : otherwise;
    if (!knonnx_float_dtype(d) || kn_dtype_size(d) < 2) {
        knonnx_fail(c, KN_ERROR_VALUE, "softmax_precision is %lld", (long long)type);
        return NULL;
    }
    return d;
}

/* ---- Which keys a query sees. */

typedef struct mask {
    kn_array seen; /* bool; NULL: all */
    kn_array add;  /* to the scores; NULL: nothing */
    bool never;    /* whether some query may see no key */
} mask;

static kn_array both_of(kn_array a, kn_array b) { return a ? kn_logical_and(a, b) : b; }

/* The mask of the node, up to the last key. */
static int given_mask(knonnx_call *c, const heads *h, mask *m)
{
    kn_array x = knonnx_in_or(c, 3, NULL);
    int n = x ? kn_ndim(x) : 0;
    if (!x)
        return 0;
    if (n < 1 || n > 4)
        return knonnx_fail(c, KN_ERROR_VALUE, "a mask with %d axes", n);
    kn_dtype d = kn_dtype_of(x);
    int64_t more = h->kv_len - kn_dim(x, -1);
    if (more > 0 && (kn_dim(x, -1) > 1 || c->version > 23)) {
        kn_lax_padding pad[4] = {0};
        pad[n - 1].high = more;
        x = kn_lax_pad(x, knonnx_filled(&(kn_shape){0, {0}}, d == KN_BOOL ? 0 : -INFINITY, d),
                       (kn_lax_padding_config){n, pad});
    }
    m->never = true;
    if (d == KN_BOOL)
        m->seen = x;
    else {
        m->seen = kn_not_equal(x, kn_like_double(-INFINITY));
        m->add = x;
    }
    return 0;
}

/* Keys by position: the place of a query is its row and `offset`, the number of keys in front of the first one. */
static int placed_mask(knonnx_call *c, const heads *h, mask *m)
{
    int64_t left = knonnx_int(c, "left_window_size", -1), right = knonnx_int(c, "right_window_size", -1);
    bool causal = knonnx_int(c, "is_causal", 0) != 0;
    kn_array past = knonnx_in_or(c, 4, NULL), ends = knonnx_in_or(c, 6, NULL);
    if (left < -1 || right < -1)
        return knonnx_fail(c, KN_ERROR_VALUE, "a window of %lld and %lld", (long long)left, (long long)right);
    if (ends && past)
        return knonnx_fail(c, KN_ERROR_VALUE, "nonpad_kv_seqlen and past_key are both given");
    kn_array key = knonnx_counted(h->kv_len, KN_I64);
    ends = ends ? kn_reshape(ends, KNONNX_SHAPE(-1, 1, 1, 1), NULL) : NULL;
    if (ends)
        m->seen = both_of(m->seen, kn_less(key, ends));
    m->never = m->never || ends || left >= 0 || right >= 0;
    if (!causal && left < 0 && right < 0)
        return 0;
    kn_array offset = ends ? kn_subtract(ends, kn_like_int(h->q_len)) : kn_like_int(past ? kn_dim(past, 2) : 0);
    kn_array row = kn_reshape(knonnx_counted(h->q_len, KN_I64), KNONNX_SHAPE(-1, 1), NULL);
    kn_array at = kn_add(row, offset);
    if (causal)
        m->seen = both_of(m->seen, kn_less_equal(key, at));
    if (left >= 0)
        m->seen = both_of(m->seen, kn_greater_equal(key, kn_subtract(at, kn_like_int(left))));
    if (right >= 0)
        m->seen = both_of(m->seen, kn_less_equal(key, kn_add(at, kn_like_int(right))));
    return 0;
}

/* A row without any key is zeros. */
static kn_array probabilities(kn_array x, bool never)
{
    kn_axes last = knonnx_one_axis(kn_ndim(x) - 1);
    if (!never)
        return kn_nn_softmax(x, KNONNX_O(kn_nn_softmax_opts, .axis = last));
    kn_array most = knonnx_maximal(x, &last, true);
    kn_array none = kn_equal(most, kn_like_double(-INFINITY));
    kn_array e = kn_exp(kn_subtract(x, kn_stop_gradient(kn_where(none, kn_like_double(0), most))));
    kn_array sum = knonnx_summed(e, &last, true);
    return kn_divide(e, kn_where(none, kn_like_double(1), sum));
}

/* ---- Attention. */

static int read_heads(knonnx_call *c, heads *h, bool *packed)
{
    h->q = knonnx_in(c, 0);
    h->k = knonnx_in(c, 1);
    h->v = knonnx_in(c, 2);
    if (!h->q || !h->k || !h->v)
        return -1;
    *packed = kn_ndim(h->q) == 3;
    if (*packed && kn_ndim(h->k) == 3 && kn_ndim(h->v) == 3) {
        int64_t n = knonnx_int(c, "q_num_heads", 0), m = knonnx_int(c, "kv_num_heads", 0);
        h->q = split_heads(h->q, n);
        h->k = split_heads(h->k, m);
        h->v = split_heads(h->v, m);
        if (!h->q || !h->k || !h->v)
            return knonnx_fail(c, KN_ERROR_VALUE, "q_num_heads %lld and kv_num_heads %lld do not fit", (long long)n,
                               (long long)m);
    }
    kn_array past_key = knonnx_in_or(c, 4, NULL), past_value = knonnx_in_or(c, 5, NULL);
    if (!past_key != !past_value)
        return knonnx_fail(c, KN_ERROR_VALUE, "past_key and past_value stand together");
    h->k = past_key ? knonnx_joined(2, 2, (kn_array[]){past_key, h->k}) : h->k;
    h->v = past_value ? knonnx_joined(2, 2, (kn_array[]){past_value, h->v}) : h->v;
    return heads_check(c, h);
}

static int attention(knonnx_call *c)
{
    heads h;
    mask m = {0};
    bool packed;
    if (read_heads(c, &h, &packed) || given_mask(c, &h, &m) || placed_mask(c, &h, &m))
        return -1;
    kn_dtype d = kn_dtype_of(h.q), wide = precision(c, d);
    double cap = knonnx_float(c, "softcap", 0);
    if (!wide)
        return -1;
    kn_array raw = scores_of(c, &h), capped = raw;
    if (cap > 0)
        capped = kn_multiply(kn_tanh(kn_divide(raw, kn_like_double(cap))), kn_like_double(cap));
    kn_array masked = m.add ? kn_add(capped, knonnx_as(m.add, d)) : capped;
    masked = m.seen ? kn_where(m.seen, masked, kn_like_double(-INFINITY)) : masked;
    kn_array p = knonnx_as(probabilities(knonnx_as(masked, wide), m.never), d);
    kn_array y = ungrouped(&h, kn_matmul(grouped(&h, p), knonnx_as(h.v, d)));
    if (knonnx_set(c, 0, packed ? join_heads(y) : y))
        return -1;
    if ((knonnx_wants(c, 1) && knonnx_set(c, 1, h.k)) || (knonnx_wants(c, 2) && knonnx_set(c, 2, h.v)))
        return -1;
    if (!knonnx_wants(c, 3))
        return 0;
    int64_t mode = knonnx_int(c, "qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
        return knonnx_fail(c, KN_ERROR_VALUE, "qk_matmul_output_mode is %lld", (long long)mode);
    return knonnx_set(c, 3, (kn_array[]){raw, capped, masked, p}[mode]);
}

/* ---- FlexAttention: graphs between the steps. */

/* x as the graph of an attribute changes it; x itself where there is none. NULL with an error. */
static kn_array modified(knonnx_call *c, const char *name, kn_array x)
{
    const knonnx_attr *a = knonnx_attr_of(c, name);
    if (!a)
        return x;
    if (a->kind != KNONNX_A_GRAPH || a->graphs[0]->n_in != 1 || a->graphs[0]->n_out != 1) {
        knonnx_fail(c, KN_ERROR_VALUE, "%s is no graph with one input and one output", name);
        return NULL;
    }
    knonnx_value in = knonnx_of_array(x), out = {0};
    if (knonnx_run_graph(c, a->graphs[0], &in, &out))
        return NULL;
    kn_shape s = kn_shape_of(x), t = {-1, {0}};
    if (out.kind == KNONNX_TENSOR_VALUE)
        t = kn_shape_of(out.array);
    bool same = s.ndim == t.ndim;
    for (int i = 0; i < s.ndim && same; i++)
        same = kn_dim_eq(s.dim[i], t.dim[i]);
    if (!same)
        knonnx_fail(c, KN_ERROR_VALUE, "%s changes the shape", name);
    return same ? knonnx_as(out.array, kn_dtype_of(x)) : NULL;
}

static int flex_attention(knonnx_call *c)
{
    heads h = {.q = knonnx_in(c, 0), .k = knonnx_in(c, 1), .v = knonnx_in(c, 2)};
    if (!h.q || !h.k || !h.v || heads_check(c, &h))
        return -1;
    kn_dtype d = kn_dtype_of(h.v), wide = precision(c, knonnx_work_dtype(kn_dtype_of(h.q)));
    kn_array s = wide ? modified(c, "score_mod", knonnx_as(scores_of(c, &h), wide)) : NULL;
    kn_array p = s ? kn_nn_softmax(s, KNONNX_O(kn_nn_softmax_opts, .axis = knonnx_one_axis(3))) : NULL;
    p = p ? modified(c, "prob_mod", p) : NULL;
    if (!p)
        return -1;
    return knonnx_set(c, 0, knonnx_as(ungrouped(&h, kn_matmul(grouped(&h, p), knonnx_as(h.v, wide))), d));
}

const knonnx_row knonnx_rows_attention[] = {
    {"Attention", 23, attention, 3, 7, 1, 4},
    {0},
};

const knonnx_row knonnx_rows_attention_preview[] = {
    {"FlexAttention", 1, flex_attention, 3, 3, 1, 1},
    {0},
};
