/* SPDX-License-Identifier: Apache-2.0
 * keys.c -- random keys: from seeds, split, folded with numbers, to and from their two words.
 *
 * As JAX with threefry2x32 and partitionable streams: key number i of a split is threefry(key, i), the 64-bit i as two
 * words; folding in is threefry(key, seed words of the data). */
#include "random/keys.h"
#include "kiln/random.h"

kn_atom knrand_key_in(kna_op *op, kn_array key)
{
    kn_type t = kna_type(op, key);
    kn_text text = {0};
    if (!kna_failed(op) && t.dtype->kind != KN_KIND_KEY)
        kna_fail(op, KN_ERROR_TYPE, "a random key is wanted (kn_random_key makes one), but this is %s",
                 kni_type_text(&text, t, true));
    else if (!kna_failed(op) && t.ndim > 0)
        kna_fail(op, KN_ERROR_TYPE,
                 "accepts a single key, but was given a key array of shape %s; use kn_vmap for batches",
                 knx_show_shape(&text, t.ndim, t.dim));
    return kna_in(op, key);
}

bool knrand_shape_ok(kna_op *op, const kn_shape *shape)
{
    bool ok = shape && shape->ndim >= 0 && shape->ndim <= KN_MAX_NDIM;
    for (int i = 0; ok && i < shape->ndim; i++)
        ok = shape->dim[i] >= 0;
    if (ok)
        return true;
    kn_text text = {0};
    if (!shape || shape->ndim < 0 || shape->ndim > KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an array is %d", KN_MAX_NDIM);
    else
        kna_fail(op, KN_ERROR_VALUE, "shape must be non-negative, but is %s",
                 knx_show_shape(&text, shape->ndim, shape->dim));
    return false;
}

/* The two words of single keys, and single words as keys. */

static void words_of(kn_builder *b, kn_atom key, kn_atom word[2])
{
    kn_atom data = knb_random_unwrap(b, key);
    for (int64_t i = 0; i < 2; i++)
        word[i] = knb_squeeze(b, knb_slice(b, data, &i, (int64_t[]){i + 1}, NULL), 1, (int64_t[]){0});
}

static kn_atom key_of(kn_builder *b, kn_atom high, kn_atom low)
{
    kn_atom words[2] = {knb_reshape(b, high, 1, (int64_t[]){1}), knb_reshape(b, low, 1, (int64_t[]){1})};
    return knb_random_wrap(b, knb_concatenate(b, 2, words, 0));
}

/* The words of 0, 1, .. n-1; the high one is a scalar where it is always zero. */
static void counts(kn_builder *b, int64_t n, kn_atom word[2])
{
    word[0] = knb_integer(b, KN_DT(U32), 0);
    if (n <= (int64_t)UINT32_MAX) {
        word[1] = knb_iota(b, KN_DT(U32), 1, &n, 0);
        return;
    }
    kn_atom i = knb_iota(b, KN_DT(U64), 1, &n, 0);
    word[0] = knb_convert(b, knb_shift_right_logical(b, i, knb_integer(b, KN_DT(U64), 32)), KN_DT(U32));
    word[1] = knb_convert(b, i, KN_DT(U32));
}

kn_atom knrand_split(kn_builder *b, kn_atom key, int ndim, const int64_t *shape)
{
    kn_type keys = kni_type(KN_DT(KEY), ndim, shape);
    int64_t data_shape[KN_MAX_NDIM + 1];
    kn_atom in[4], out[2], row[2];
    kn_error *error = kni_type_check_size(keys);
    if (!error && ndim >= KN_MAX_NDIM)
        error = knx_error(KN_ERROR_VALUE, "maximum supported dimension for an array of keys is %d", KN_MAX_NDIM - 1);
    if (error) {
        knb_fail(b, error);
        return KN_ATOM_NONE;
    }
    int64_t n = kni_type_size(keys);
    words_of(b, key, in);
    counts(b, n, in + 2);
    knb_threefry2x32(b, in, out);
    for (int i = 0; i < 2; i++)
        row[i] = knb_reshape(b, out[i], 2, (int64_t[]){n, 1});
    for (int i = 0; i < ndim; i++)
        data_shape[i] = shape[i];
    data_shape[ndim] = 2;
    return knb_random_wrap(b, knb_reshape(b, knb_concatenate(b, 2, row, 1), ndim + 1, data_shape));
}

/* Key number i of a split, alone. */
static kn_atom nth_key(kn_builder *b, kn_atom key, int64_t i)
{
    kn_atom in[4], out[2];
    words_of(b, key, in);
    in[2] = knb_integer(b, KN_DT(U32), 0);
    in[3] = knb_integer(b, KN_DT(U32), i);
    knb_threefry2x32(b, in, out);
    return key_of(b, out[0], out[1]);
}

void knrand_split2(kn_builder *b, kn_atom key, kn_atom out[2])
{
    for (int i = 0; i < 2; i++)
        out[i] = nth_key(b, key, i);
}

/* The words of an integer seed: the high one is zero for dtypes of 32 bits and fewer. */
static void seed_words(kn_builder *b, kn_atom seed, kn_atom word[2])
{
    kn_dtype d = knb_type(b, seed).dtype;
    word[0] = knb_integer(b, KN_DT(U32), 0);
    if (d->size == 8)
        word[0] = knb_convert(b, knb_shift_right_logical(b, seed, knb_integer(b, d, 32)), KN_DT(U32));
    word[1] = knb_convert(b, seed, KN_DT(U32));
}

kn_array kn_random_key(kn_array seed)
{
    kna_op op;
    kna_begin(&op, "random_key");
    kn_type t = kna_type(&op, seed);
    kn_text text = {0};
    kn_atom word[2];
    if (!kna_failed(&op) && !knx_is_integer(t.dtype))
        kna_fail(&op, KN_ERROR_TYPE, "a seed is an integer, but this is %s", kni_type_text(&text, t, true));
    else if (!kna_failed(&op) && t.ndim > 0)
        kna_fail(&op, KN_ERROR_TYPE,
                 "accepts a scalar seed, but was given an array of shape %s; use kn_vmap for batches",
                 knx_show_shape(&text, t.ndim, t.dim));
    seed_words(op.b, kna_in(&op, seed), word);
    return kna_end(&op, key_of(op.b, word[0], word[1]));
}

kn_random_split_opts kn_random_split_opts_default(void)
{
    return (kn_random_split_opts){.size_ = sizeof(kn_random_split_opts), .num = 2};
}

kn_array kn_random_split(kn_array key, const kn_random_split_opts *opts)
{
    kna_op op;
    kna_begin(&op, "random_split");
    kn_random_split_opts o = opts ? *opts : kn_random_split_opts_default();
    kn_shape shape = o.shape.ndim ? o.shape : (kn_shape){1, {o.num}};
    kn_atom k = knrand_key_in(&op, key);
    if (!knrand_shape_ok(&op, &shape))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_end(&op, knrand_split(op.b, k, shape.ndim, shape.dim));
}

kn_array kn_random_fold_in(kn_array key, kn_array data)
{
    kna_op op;
    kna_begin(&op, "random_fold_in");
    kn_type t = kna_type(&op, data);
    kn_text text = {0};
    kn_atom in[4], out[2];
    if (!kna_failed(&op) && !knx_is_integer(t.dtype))
        kna_fail(&op, KN_ERROR_TYPE, "an integer is folded into a key, but this is %s", kni_type_text(&text, t, true));
    else if (!kna_failed(&op) && t.ndim > 0)
        kna_fail(&op, KN_ERROR_TYPE, "accepts a scalar, but was given an array of shape %s; use kn_vmap for batches",
                 knx_show_shape(&text, t.ndim, t.dim));
    words_of(op.b, knrand_key_in(&op, key), in);
    seed_words(op.b, kna_in_as(&op, data, KN_DT(U32)), in + 2);
    knb_threefry2x32(op.b, in, out);
    return kna_end(&op, key_of(op.b, out[0], out[1]));
}

kn_array kn_random_key_data(kn_array keys)
{
    kna_op op;
    kna_begin(&op, "random_key_data");
    kn_type t = kna_type(&op, keys);
    kn_text text = {0};
    if (!kna_failed(&op) && t.dtype->kind != KN_KIND_KEY)
        kna_fail(&op, KN_ERROR_TYPE, "random keys are wanted, but this is %s", kni_type_text(&text, t, true));
    return kna_end(&op, knb_random_unwrap(op.b, kna_in(&op, keys)));
}

kn_array kn_random_wrap_key_data(kn_array data)
{
    kna_op op;
    kna_begin(&op, "random_wrap_key_data");
    kn_type t = kna_type(&op, data);
    kn_text text = {0};
    if (!kna_failed(&op) && (t.dtype != KN_DT(U32) || t.ndim == 0 || t.dim[t.ndim - 1] != 2))
        kna_fail(&op, KN_ERROR_TYPE, "the data of keys is uint32[...,2], but this is %s",
                 kni_type_text(&text, t, true));
    return kna_end(&op, knb_random_wrap(op.b, kna_in(&op, data)));
}
