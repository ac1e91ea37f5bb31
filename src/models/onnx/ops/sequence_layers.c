/* SPDX-License-Identifier: Apache-2.0
 * sequence_layers.c -- what stands beside attention: LinearAttention, RotaryEmbedding, and TensorScatter, which writes
 * into a cache. */
#include "models/onnx/ops/layers.h"
#include <math.h>

/* ---- LinearAttention: a state (batch, heads, keys, values) that each token changes and each query reads. */

typedef struct token {
    kn_array q, k, v; /* (batch, heads, queries of a head, keys), (batch, heads, 1, keys), (batch, heads, 1, values) */
    kn_array
        more[2]; /* the decay, (batch, heads, keys or 1, 1), and the rate, (batch, heads or 1, 1, 1), where there are */
} token;

static void token_step(bool gated, bool delta, void *out, const void *const *in)
{
    kn_array state = *(const kn_array *)in[0];
    const token *t = in[1];
    kn_array v = t->v;
    if (gated)
        state = kn_multiply(state, kn_exp(t->more[0]));
    if (delta)
        v = kn_multiply(t->more[gated], kn_subtract(v, kn_matmul(t->k, state)));
    state = kn_add(state, kn_multiply(kn_swapaxes(t->k, 2, 3), v));
    ((kn_array *)out)[0] = state;
    ((kn_array *)out)[1] = kn_matmul(t->q, state);
}

#define STEP(name, gated, delta)                                        \
    static void name(const void *env, void *out, const void *const *in) \
    {                                                                   \
        (void)env;                                                      \
        token_step(gated, delta, out, in);                              \
    }
STEP(linear, false, false)
STEP(linear_delta, false, true)
STEP(linear_gated, true, false)
STEP(linear_gated_delta, true, true)

#define FUNCTION(call_, more_)                                                                                        \
    {                                                                                                                 \
        .size_ = sizeof(kn_function), .name = "token", .call = call_, .out_bytes = 2 * sizeof(kn_array), .n_args = 2, \
        .arg_bytes = {                                                                                                \
            sizeof(kn_array),                                                                                         \
            (3 + (more_)) * sizeof(kn_array)                                                                          \
        }                                                                                                             \
    }
static const kn_function rules[2][2] = {{FUNCTION(linear, 0), FUNCTION(linear_delta, 1)},
                                        {FUNCTION(linear_gated, 1), FUNCTION(linear_gated_delta, 2)}};

typedef struct linear_op {
    bool gated, delta;
    int64_t q_heads, kv_heads, batch, length, keys, values;
    kn_array in[3], state, decay, beta;
    kn_dtype dtype, wide;
} linear_op;

static int linear_rule(knonnx_call *c, linear_op *o)
{
    const char *rule = knonnx_string(c, "update_rule", "gated_delta");
    if (!rule)
        return -1;
    o->gated = !strcmp(rule, "gated") || !strcmp(rule, "gated_delta");
    o->delta = !strcmp(rule, "delta") || !strcmp(rule, "gated_delta");
    if (!o->gated && !o->delta && strcmp(rule, "linear"))
        return knonnx_fail(c, KN_ERROR_VALUE, "update_rule is \"%.40s\"", rule);
    o->state = knonnx_in_or(c, 3, NULL);
    o->decay = knonnx_in_or(c, 4, NULL);
    o->beta = knonnx_in_or(c, 5, NULL);
    if (!o->decay == o->gated || !o->beta == o->delta)
        return knonnx_fail(c, KN_ERROR_VALUE, "update_rule %s and the inputs decay and beta do not fit", rule);
    o->q_heads = knonnx_int(c, "q_num_heads", 0);
    o->kv_heads = knonnx_int(c, "kv_num_heads", 0);
    if (o->kv_heads < 1 || o->q_heads < 1 || o->q_heads % o->kv_heads)
        return knonnx_fail(c, KN_ERROR_VALUE, "q_num_heads %lld is no multiple of kv_num_heads %lld",
                           (long long)o->q_heads, (long long)o->kv_heads);
    return 0;
}

static int linear_read(knonnx_call *c, linear_op *o)
{
    for (int i = 0; i < 3; i++) {
        if (!(o->in[i] = knonnx_in(c, i)))
            return -1;
        int64_t n = i ? o->kv_heads : o->q_heads;
        if (kn_ndim(o->in[i]) != 3 || kn_dim(o->in[i], 2) % n)
            return knonnx_fail(c, KN_ERROR_VALUE, "query, key and value are (batch, length, heads x size)");
    }
    kn_shape s = kn_shape_of(o->in[0]);
    o->batch = s.dim[0];
    o->length = s.dim[1];
    o->keys = s.dim[2] / o->q_heads;
    o->values = kn_dim(o->in[2], 2) / o->kv_heads;
    o->dtype = kn_dtype_of(o->in[0]);
    o->wide = knonnx_work_dtype(o->dtype);
    if (kn_dim(o->in[1], 2) != o->keys * o->kv_heads)
        return knonnx_fail(c, KN_ERROR_VALUE, "keys of another size than queries");
    int64_t decay = o->decay ? kn_dim(o->decay, 2) : o->kv_heads, beta = o->beta ? kn_dim(o->beta, 2) : 1;
    if ((decay != o->kv_heads && decay != o->kv_heads * o->keys) || (beta != 1 && beta != o->kv_heads))
        return knonnx_fail(c, KN_ERROR_VALUE, "decay has %lld numbers a token, beta %lld", (long long)decay,
                           (long long)beta);
    return 0;
}

/* (batch, length, ...) as (length, batch, a, b, c), in the dtype to calculate in. */
static kn_array tokens(const linear_op *o, kn_array x, int64_t a, int64_t b, int64_t n)
{
    kn_shape s = {5, {o->batch, o->length, a, b, n}};
    return kn_swapaxes(knonnx_reshaped(knonnx_as(x, o->wide), &s), 0, 1);
}

static int linear_attention(knonnx_call *c)
{
    linear_op o;
    if (linear_rule(c, &o) || linear_read(c, &o))
        return -1;
    int64_t h = o.kv_heads;
    double scale = knonnx_float(c, "scale", 0);
    token t = {tokens(&o, o.in[0], h, o.q_heads / h, o.keys),
               tokens(&o, o.in[1], h, 1, o.keys),
               tokens(&o, o.in[2], h, 1, o.values),
               {NULL}};
    if (o.gated)
        t.more[0] = tokens(&o, o.decay, h, kn_dim(o.decay, 2) / h, 1);
    if (o.delta)
        t.more[o.gated] = tokens(&o, o.beta, kn_dim(o.beta, 2), 1, 1);
    t.q = kn_multiply(t.q, kn_like_double(scale != 0 ? scale : 1 / sqrt((double)o.keys)));
    kn_shape shape = {4, {o.batch, h, o.keys, o.values}};
    kn_array state = o.state ? knonnx_as(o.state, o.wide) : knonnx_zeros(&shape, o.wide), y[2] = {NULL};
    kn_outs outs = {1, {{y, sizeof y}}};
    kn_args init = {1, {{&state, sizeof state}}}, xs = {1, {{&t, (size_t)(3 + o.gated + o.delta) * sizeof *y}}};
    if (kn_scan(kn_fn_of(&rules[o.gated][o.delta], NULL), &outs, &init, &xs, NULL))
        return knonnx_done(c);
    kn_shape packed = {3, {o.batch, o.length, o.q_heads * o.values}};
    kn_array all = knonnx_reshaped(kn_swapaxes(y[1], 0, 1), &packed);
    if (knonnx_set(c, 0, knonnx_as(all, o.dtype)))
        return -1;
    return knonnx_wants(c, 1) ? knonnx_set(c, 1, knonnx_as(y[0], o.state ? kn_dtype_of(o.state) : o.dtype)) : 0;
}

/* ---- RotaryEmbedding: pairs of numbers turned by angles. */

/* Cosines or sines as (batch, length, 1, half). */
static kn_array angles(kn_array cache, kn_array positions)
{
    kn_array x = positions ? knonnx_taken(cache, 0, positions) : cache;
    return kn_expand_dims(x, &(kn_axes){{2}, {2}});
}

static kn_array turned(kn_array x, kn_array cosine, kn_array sine, bool interleaved)
{
    kn_shape s = kn_shape_of(x);
    int64_t n = s.dim[3];
    kn_array a = interleaved ? knonnx_sliced(x, 3, 0, n, 2) : knonnx_sliced(x, 3, 0, n / 2, 1);
    kn_array b = interleaved ? knonnx_sliced(x, 3, 1, n, 2) : knonnx_sliced(x, 3, n / 2, n, 1);
    kn_array y[2] = {kn_subtract(kn_multiply(cosine, a), kn_multiply(sine, b)),
                     kn_add(kn_multiply(sine, a), kn_multiply(cosine, b))};
    if (!interleaved)
        return knonnx_joined(3, 2, y);
    return knonnx_reshaped(kn_stack(kn_list_from(y, 2), KNONNX_O(kn_concatenate_opts, .axis = knonnx_one_axis(4))), &s);
}

static int rotary_embedding(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), cosine = knonnx_in(c, 1), sine = knonnx_in(c, 2),
             positions = knonnx_in_or(c, 3, NULL);
    if (!x || !cosine || !sine)
        return -1;
    kn_shape s = kn_shape_of(x);
    int64_t heads = knonnx_int(c, "num_heads", 0), part = knonnx_int(c, "rotary_embedding_dim", 0);
    if ((s.ndim != 3 && s.ndim != 4) || (s.ndim == 3 && (heads < 1 || s.dim[2] % heads)))
        return knonnx_fail(c, KN_ERROR_VALUE, "X has %d axes, and num_heads is %lld", s.ndim, (long long)heads);
    if (kn_ndim(cosine) != (positions ? 2 : 3) || kn_ndim(sine) != (positions ? 2 : 3))
        return knonnx_fail(c, KN_ERROR_VALUE, "cos_cache and sin_cache have %d and %d axes", kn_ndim(cosine),
                           kn_ndim(sine));
    x = s.ndim == 4 ? kn_swapaxes(x, 1, 2)
                    : knonnx_reshaped(x, &(kn_shape){4, {s.dim[0], s.dim[1], heads, s.dim[2] / heads}});
    int64_t size = kn_dim(x, 3);
    part = part ? part : size;
    if (part < 1 || part > size || part % 2 || kn_dim(cosine, -1) != part / 2 || kn_dim(sine, -1) != part / 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld of %lld numbers are turned by %lld cosines", (long long)part,
                           (long long)size, (long long)kn_dim(cosine, -1));
    kn_array y[2] = {turned(knonnx_sliced(x, 3, 0, part, 1), angles(cosine, positions), angles(sine, positions),
                            knonnx_int(c, "interleaved", 0) != 0),
                     part < size ? knonnx_sliced(x, 3, part, size, 1) : NULL};
    kn_array all = part < size ? knonnx_joined(3, 2, y) : y[0];
    return knonnx_set(c, 0, s.ndim == 4 ? kn_swapaxes(all, 1, 2) : knonnx_reshaped(all, &s));
}

/* ---- TensorScatter. */

static int tensor_scatter(knonnx_call *c)
{
    kn_array cache = knonnx_in(c, 0), update = knonnx_in(c, 1), at = knonnx_in_or(c, 2, NULL);
    const char *mode = knonnx_string(c, "mode", "linear");
    if (!cache || !update || !mode)
        return -1;
    kn_shape s = kn_shape_of(cache), u = kn_shape_of(update);
    int axis = knonnx_axis(c, knonnx_int(c, "axis", -2), s.ndim);
    bool circular = !strcmp(mode, "circular");
    if (axis < 0)
        return -1;
    if (!axis || u.ndim != s.ndim || (!circular && strcmp(mode, "linear")) || u.dim[axis] > s.dim[axis])
        return knonnx_fail(c, KN_ERROR_VALUE, "axis %d, mode %.40s, a cache with %d axes and an update with %d", axis,
                           mode, s.ndim, u.ndim);
    kn_array steps = kn_reshape(knonnx_counted(u.dim[axis], KN_I64), KNONNX_SHAPE(1, -1, 1), NULL);
    kn_array first =
        at ? kn_reshape(at, KNONNX_SHAPE(-1, 1, 1), NULL) : knonnx_zeros(KNONNX_SHAPE(s.dim[0], 1, 1), KN_I64);
    kn_array places = kn_add(first, steps);
    places = circular ? kn_remainder(places, kn_like_int(s.dim[axis])) : places;
    kn_lax_scatter_dimension_numbers n = {.update_window_dims = {{1}, {0}},
                                          .inserted_window_dims = knonnx_one_axis(axis),
                                          .scatter_dims_to_operand_dims = knonnx_one_axis(axis),
                                          .operand_batching_dims = knonnx_one_axis(0),
                                          .scatter_indices_batching_dims = knonnx_one_axis(0)};
    for (int d = 1; d < s.ndim; d++)
        if (d != axis)
            n.update_window_dims.axis[n.update_window_dims.n++ - 1] = d;
    return knonnx_set(c, 0, kn_lax_scatter(cache, places, update, &n, NULL));
}

const knonnx_row knonnx_rows_sequence_layers[] = {
    {"LinearAttention", 27, linear_attention, 3, 6, 1, 2},
    {"RotaryEmbedding", 23, rotary_embedding, 3, 4, 1, 1},
    {"TensorScatter", 24, tensor_scatter, 2, 3, 1, 1},
    {0},
};
