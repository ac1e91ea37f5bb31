/* SPDX-License-Identifier: Apache-2.0
 * random.c -- random bits as JAX makes them (jax_threefry_partitionable=True): threefry2x32 of a key and of each
 * element's position.
 *
 *     type       threefry2x32: two uint32 of the common shape; random_bits: unsigned integers of the keys' shape +
 *                shape, random_split: keys of that shape; random_unwrap: key<fry>[...] -> uint32[..., 2];
 *                random_wrap: back; random_seed: integers -> keys; random_fold_in: keys and integers -> keys
 *     jvp        none: integers
 *     batch      keys with one more axis in front
 *     lower      threefry2x32: twenty rounds of kernel operations; so is fold_in; wrap, unwrap: pairs of loads;
 *                random_bits and random_split expand into these
 */
#include "prim/rules.h"

/* --- threefry2x32 ----------------------------------------------------------------------------- */

static knx_error *threefry_type(kni_rule *r, kni_type *y)
{
    if (r->xt[0].dtype != KN_DT(U32))
        return knx_error_new(KN_ERROR_TYPE, "Arguments to threefry2x32 must have uint32 type, got %s",
                             r->xt[0].dtype->name);
    KN_TRY(knp_join(r->n_in, r->xt, r->arena, &y[0]));
    y[0].weak = false;
    y[1] = y[0];
    return NULL;
}

static knk_node constant(knk_builder *k, uint32_t v) { return knk_const(k, KN_ID_U32, v); }

static knk_node rotate_left(knk_builder *k, knk_node x, uint32_t by)
{
    knk_node left = knk_binary(k, KNK_SHL, x, constant(k, by)), right = knk_binary(k, KNK_SHR, x, constant(k, 32 - by));
    return knk_binary(k, KNK_OR, left, right);
}

/* Threefry-2x32 with 20 rounds: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011). The
 * words of two numbers are in re and im. */
static kni_pair threefry(knk_builder *k, kni_pair words, kni_pair counter)
{
    static const uint8_t rotation[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    knk_node key[3] = {words.re, words.im, KNK_NONE};
    key[2] = knk_binary(k, KNK_XOR, knk_binary(k, KNK_XOR, key[0], key[1]), constant(k, 0x1bd11bda));
    knk_node x0 = knk_binary(k, KNK_ADD, counter.re, key[0]), x1 = knk_binary(k, KNK_ADD, counter.im, key[1]);
    for (uint32_t group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            x0 = knk_binary(k, KNK_ADD, x0, x1);
            x1 = knk_binary(k, KNK_XOR, rotate_left(k, x1, rotation[group % 2][i]), x0);
        }
        x0 = knk_binary(k, KNK_ADD, x0, key[(group + 1) % 3]);
        x1 = knk_binary(k, KNK_ADD, knk_binary(k, KNK_ADD, x1, key[(group + 2) % 3]), constant(k, group + 1));
    }
    return (kni_pair){x0, x1};
}

static void threefry_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    kni_pair x = threefry(k, (kni_pair){r->v[0].re, r->v[1].re}, (kni_pair){r->v[2].re, r->v[3].re});
    y[0] = knp_real(x.re);
    y[1] = knp_real(x.im);
}

static double threefry_cost(const kni_rule *r) { return 120 * kni_type_count(r->yt[0]); }

/* --- keys ------------------------------------------------------------------------------------- */

static knx_error *wrap_type(kni_rule *r, kni_type *y)
{
    if (r->xt->dtype != KN_DT(U32) || r->xt->ndim < 1 || !knx_dim_eq(r->xt->dim[r->xt->ndim - 1], 2)) {
        knx_text t = {0};
        return knx_error_new(KN_ERROR_TYPE, "random_wrap needs uint32 numbers in pairs along the last axis, got %s",
                             kni_type_text(&t, *r->xt, true));
    }
    return knp_type_dims(r->arena, KN_DT(KEY), false, r->xt->ndim - 1, r->xt->dim, y);
}

static knx_error *unwrap_type(kni_rule *r, kni_type *y)
{
    if (r->xt->dtype != KN_DT(KEY))
        return knx_error_new(KN_ERROR_TYPE, "random_unwrap needs random keys, got %s", r->xt->dtype->name);
    knp_dims d = knp_dims_of(*r->xt);
    if (d.n == KN_MAX_NDIM)
        return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d", KN_MAX_NDIM);
    d.v[d.n++] = 2;
    return knp_type_dims(r->arena, KN_DT(U32), false, d.n, d.v, y);
}

static void wrap_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    knk_node word[2];
    for (int w = 0; w < 2; w++) {
        kni_index *in = kni_lower_index(l, r->xt[0].ndim, i);
        if (!in)
            return;
        for (int d = 0; d < i->ndim; d++)
            knp_index_copy(i, d, in, d);
        in->axis[i->ndim].offset = w;
        word[w] = kni_lower_operand(l, 0, in, KNK_NONE, knp_real(KNK_NONE)).re;
    }
    y[0] = (kni_pair){word[0], word[1]};
}

static void unwrap_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    knk_builder *k = kni_lower_kernel(l);
    kni_index *in = kni_lower_index(l, r->xt[0].ndim, i);
    if (!in)
        return;
    for (int d = 0; d < r->xt[0].ndim; d++)
        knp_index_copy(i, d, in, d);
    kni_pair key = kni_lower_operand(l, 0, in, KNK_NONE, knp_real(KNK_NONE));
    knk_node first = knk_binary(k, KNK_EQ, kni_lower_axis_value(l, i, r->xt[0].ndim), knk_const_int(k, KN_ID_I64, 0));
    y[0] = knp_real(knk_select(k, first, key.re, key.im));
}

/* The words of a key stay together. */
static void words_spread(const kni_rule *r, kni_spread *s)
{
    int keys = r->xt[0].ndim < r->yt[0].ndim ? r->xt[0].ndim : r->yt[0].ndim;
    for (int d = 0; d < keys; d++)
        knp_spread_pair(s, r->xt[0].dim[d], 0, d, 0, d);
}

/* --- random_seed, random_fold_in, random_split, random_clone ----------------------------------- */

/* The high and the low word of an integer; the high one is zero for dtypes of 32 bits and fewer. */
static kni_pair words_of(knk_builder *k, kn_dtype d, knk_node x)
{
    kni_pair w = {constant(k, 0), knk_dtype(k, x) == KN_ID_U32 ? x : knk_cast(k, KN_ID_U32, x)};
    if (d->size == 8)
        w.re = knk_cast(k, KN_ID_U32, knk_binary(k, KNK_SHR, x, knk_const_int(k, knk_dtype(k, x), 32)));
    return w;
}

static knx_error *seed_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt->dtype, KNP_INTEGERS));
    KN_TRY(knp_type_like(r->arena, *r->xt, KN_DT(KEY), y));
    y->weak = false;
    return NULL;
}

static void seed_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { *y = words_of(k, r->xt[0].dtype, r->v[0].re); }

static knx_error *fold_type(kni_rule *r, kni_type *y)
{
    if (r->xt[0].dtype != KN_DT(KEY))
        return knx_error_new(KN_ERROR_TYPE, "random_fold_in requires a random key, got %s", r->xt[0].dtype->name);
    if (r->xt[1].dtype != KN_DT(U32) && r->xt[1].dtype != KN_DT(U64))
        return knx_error_new(KN_ERROR_TYPE, "random_fold_in takes uint32 or uint64 numbers, got %s",
                             r->xt[1].dtype->name);
    kni_type both[2] = {r->xt[0], r->xt[1]};
    both[1].dtype = r->xt[0].dtype;
    KN_TRY(knp_join(r->n_in, both, r->arena, y));
    y->weak = false;
    return NULL;
}

static void fold_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = threefry(k, r->v[0], words_of(k, r->xt[1].dtype, r->v[1].re));
}

static knx_error *key_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt->dtype, KNP_KEY));
    return knp_type_like(r->arena, *r->xt, r->xt->dtype, y);
}

/* The keys' shape with another one behind it. */
static knx_error *type_behind(kni_type x, kni_ints shape, kn_dtype d, knx_arena *a, kni_type *y)
{
    knp_dims dim = knp_dims_of(x);
    if (x.ndim + shape.n > KN_MAX_NDIM)
        return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d", KN_MAX_NDIM);
    for (int i = 0; i < shape.n; i++) {
        if (knx_dim_lt(shape.v[i], 0))
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
        dim.v[dim.n++] = shape.v[i];
    }
    return knp_type_dims(a, d, false, dim.n, dim.v, y);
}

static knx_error *split_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt->dtype, KNP_KEY));
    return type_behind(*r->xt, ((const kni_p_random_split *)r->params)->shape, r->xt->dtype, r->arena, y);
}

/* The dtype of the numbers of so many keys. */
static kn_dtype numbers_dtype(int64_t n) { return knx_dim_taken_le(n, (int64_t)UINT32_MAX) ? KN_DT(U32) : KN_DT(U64); }

/* Key number i is the key with i folded in; i: the numbers, an array of the shape behind the keys'. */
static void fold_numbers(const kni_rule *r, kni_atom i, kni_atom *y)
{
    kni_builder *b = r->b;
    kni_type keys = r->xt[0], all = r->yt[0];
    knp_dims leading = knp_axes_rest((kni_ints){0, NULL}, keys.ndim), trailing = {.n = all.ndim - keys.ndim};
    for (int d = 0; d < trailing.n; d++)
        trailing.v[d] = keys.ndim + d;
    if (keys.ndim)
        i = knb_broadcast_in_dim(b, i, all.ndim, all.dim, trailing.v);
    kni_atom key = keys.ndim ? knb_broadcast_in_dim(b, r->x[0], all.ndim, all.dim, leading.v) : r->x[0];
    y[0] = knb_random_fold_in(b, key, i);
}

static knx_error *split_expand(const kni_rule *r, kni_atom *y)
{
    kni_ints shape = ((const kni_p_random_split *)r->params)->shape;
    int64_t n = knp_product(shape);
    kni_atom i = knb_iota(r->b, numbers_dtype(n), 1, &n, 0);
    fold_numbers(r, knb_reshape(r->b, i, shape.n, shape.v), y);
    return NULL;
}

static knx_error *split_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    int64_t n = knp_product(((const kni_p_random_split *)r->params)->shape);
    fold_numbers(r, knp_numbers_of_part(r, l, r->xt[0].ndim, numbers_dtype(n)), y);
    return NULL;
}

/* Keys and numbers are counted by position, so that those of a part are those of the whole. */
static void counted_spread(const kni_rule *r, kni_spread *s) { knp_spread_counted(r, s, r->xt[0].ndim, KNI_POSITION); }

/* --- random_bits ------------------------------------------------------------------------------ */

static kn_dtype bits_dtype(int64_t width)
{
    return width == 8    ? KN_DT(U8)
           : width == 16 ? KN_DT(U16)
           : width == 32 ? KN_DT(U32)
           : width == 64 ? KN_DT(U64)
                         : NULL;
}

static knx_error *bits_type(kni_rule *r, kni_type *y)
{
    const kni_p_random_bits *p = r->params;
    if (r->xt->dtype != KN_DT(KEY))
        return knx_error_new(KN_ERROR_TYPE, "random_bits requires a random key, got %s", r->xt->dtype->name);
    kn_dtype d = bits_dtype(p->bit_width);
    if (!d)
        return knx_error_new(KN_ERROR_TYPE, "requires 8-, 16-, 32- or 64-bit field width, got %lld",
                             (long long)p->bit_width);
    return type_behind(*r->xt, p->shape, d, r->arena, y);
}

/* Word `which` of the keys, as large as the results unless there is one key only. */
static kni_atom key_word(const kni_rule *r, kni_atom words, int which)
{
    kni_type t = r->xt[0];
    knp_dims start = {.n = t.ndim + 1}, limit = knp_dims_of(t);
    start.v[t.ndim] = which;
    limit.v[t.ndim] = which + 1;
    kni_atom word = knb_reshape(r->b, knb_slice(r->b, words, start.v, limit.v, NULL), t.ndim, t.dim);
    knp_dims leading = knp_axes_rest((kni_ints){0, NULL}, t.ndim);
    return t.ndim ? knb_broadcast_in_dim(r->b, word, r->yt[0].ndim, r->yt[0].dim, leading.v) : word;
}

/* The numbers 0, 1, ... of the elements of `shape` in C order, as high and low words, lined up with the results. Of an
 * unknown number of elements the high words are computed, which are zero in most cases. l: of a part of the results. */
static void counters(const kni_rule *r, kni_ints shape, const kni_local *l, kni_atom *hi, kni_atom *lo)
{
    kni_builder *b = r->b;
    int64_t n = knp_product(shape);
    bool long_ones = !knx_dim_taken_le(n, (int64_t)1 << 32);
    kn_dtype word = long_ones ? KN_DT(U64) : KN_DT(U32);
    *hi = *lo = knb_integer(b, KN_DT(U32), 0);
    if (shape.n) {
        kni_atom i = l ? knp_numbers_of_part(r, l, r->xt[0].ndim, word)
                       : knb_reshape(b, knb_iota(b, word, 1, &n, 0), shape.n, shape.v);
        knp_dims trailing = {.n = shape.n};
        for (int d = 0; d < shape.n; d++)
            trailing.v[d] = r->xt[0].ndim + d;
        if (r->xt[0].ndim)
            i = knb_broadcast_in_dim(b, i, r->yt[0].ndim, r->yt[0].dim, trailing.v);
        *lo = knb_convert(b, i, KN_DT(U32));
        if (long_ones)
            *hi = knb_convert(b, knb_shift_right_logical(b, i, knb_integer(b, KN_DT(U64), 32)), KN_DT(U32));
    }
}

static void make_bits(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    const kni_p_random_bits *p = r->params;
    kni_builder *b = r->b;
    kni_atom words = knb_random_unwrap(b, r->x[0]), in[4], out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    in[0] = key_word(r, words, 0);
    in[1] = key_word(r, words, 1);
    counters(r, p->shape, l, &in[2], &in[3]);
    knb_threefry2x32(b, in, out);
    if (p->bit_width == 64) {
        kni_atom hi = knb_convert(b, out[0], KN_DT(U64)), lo = knb_convert(b, out[1], KN_DT(U64));
        y[0] = knb_or(b, knb_shift_left(b, hi, knb_integer(b, KN_DT(U64), 32)), lo);
    } else {
        y[0] = knb_convert(b, knb_xor(b, out[0], out[1]), bits_dtype(p->bit_width)); /* the low bits */
    }
}

static knx_error *bits_expand(const kni_rule *r, kni_atom *y)
{
    make_bits(r, NULL, y);
    return NULL;
}

static knx_error *bits_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    make_bits(r, l, y);
    return NULL;
}

/* --- rows ------------------------------------------------------------------------------------- */

const kni_prim knp_prim_threefry2x32 = {
    .name = "threefry2x32",
    .n_in = 4,
    .n_out = 2,
    .bits = KN_ELEMENTWISE | KN_INTEGER_RESULT,
    .why_no_jvp = KN_WHY_INTEGERS,
    .factors = "..., ..., ..., ... -> ..., ...",
    .doc = "two words of random bits from two words of key and two of counter (jax.random's threefry2x32)",
    .type = threefry_type,
    .batch = knp_batch_elementwise,
    .expr = threefry_expr,
    .cost = threefry_cost,
};

const kni_prim knp_prim_random_bits = {
    .name = "random_bits",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_INTEGER_RESULT,
    .why_no_jvp = KN_WHY_INTEGERS,
    .fields = kni_fields_random_bits,
    .params_size = sizeof(kni_p_random_bits),
    .factors = "k -> k m",
    .doc = "random unsigned integers of 8, 16, 32 or 64 bits, an array of them for each key (jax.random.bits)",
    .type = bits_type,
    .batch = knp_batch_in_front,
    .expand = bits_expand,
    .spread = counted_spread,
    .local = bits_local,
    .cost = threefry_cost,
};

const kni_prim knp_prim_random_wrap = {
    .name = "random_wrap",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_INTEGER_RESULT | KN_CHEAP,
    .why_no_jvp = KN_WHY_INTEGERS,
    .fields = kni_fields_random_wrap,
    .factors = "... 2 -> ...",
    .doc = "pairs of words as random keys (jax.random.wrap_key_data)",
    .type = wrap_type,
    .batch = knp_batch_in_front,
    .pull = wrap_pull,
    .spread = words_spread,
    .cost = knp_cost_none,
};

const kni_prim knp_prim_random_unwrap = {
    .name = "random_unwrap",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_INTEGER_RESULT | KN_CHEAP,
    .why_no_jvp = KN_WHY_INTEGERS,
    .factors = "... -> ... 2",
    .doc = "random keys as pairs of words (jax.random.key_data)",
    .type = unwrap_type,
    .batch = knp_batch_in_front,
    .pull = unwrap_pull,
    .spread = words_spread,
    .cost = knp_cost_none,
};

#define OF_KEYS .n_out = 1, .why_no_jvp = KN_WHY_INTEGERS

const kni_prim knp_prim_random_seed = {
    .name = "random_seed",
    .n_in = 1,
    OF_KEYS,
    .bits = KN_ELEMENTWISE | KN_CHEAP | KN_INTEGER_RESULT,
    .fields = kni_fields_random_wrap,
    .factors = "... -> ...",
    .doc = "random keys of integer seeds (jax.random.key)",
    .type = seed_type,
    .batch = knp_batch_elementwise,
    .expr = seed_expr,
};

const kni_prim knp_prim_random_fold_in = {
    .name = "random_fold_in",
    .n_in = 2,
    OF_KEYS,
    .bits = KN_ELEMENTWISE | KN_INTEGER_RESULT,
    .factors = "..., ... -> ...",
    .doc = "random keys of keys and numbers (jax.random.fold_in)",
    .type = fold_type,
    .batch = knp_batch_elementwise,
    .expr = fold_expr,
    .cost = threefry_cost,
};

const kni_prim knp_prim_random_split = {
    .name = "random_split",
    .n_in = 1,
    OF_KEYS,
    .bits = KN_INTEGER_RESULT,
    .fields = kni_fields_random_split,
    .params_size = sizeof(kni_p_random_split),
    .factors = "k -> k m",
    .doc = "an array of new keys for each key (jax.random.split)",
    .type = split_type,
    .batch = knp_batch_in_front,
    .expand = split_expand,
    .spread = counted_spread,
    .local = split_local,
    .cost = threefry_cost,
};

const kni_prim knp_prim_random_clone = {
    .name = "random_clone",
    .n_in = 1,
    OF_KEYS,
    .bits = KN_ELEMENTWISE | KN_CHEAP | KN_INTEGER_RESULT | KN_IDENTITY,
    .factors = "... -> ...",
    .doc = "the same keys (jax.random.clone)",
    .type = key_type,
    .batch = knp_batch_elementwise,
    .expr = knp_expr_same,
    .cost = knp_cost_none,
};
