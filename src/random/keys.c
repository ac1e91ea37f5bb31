/* SPDX-License-Identifier: Apache-2.0
 * keys.c -- random keys: from seeds, split, folded with numbers, to and from their two words.
 *
 * The primitives random_seed, random_split and random_fold_in do the work: JAX's threefry2x32 with partitionable
 * streams. */
#include "random/keys.h"
#include "kiln/random.h"
#include <string.h>

/* The words of keys as kn_random_PRNGKey gives them: uint32[..., 2]. */
static bool is_legacy(kni_type t) { return t.dtype == KN_DT(U32) && t.ndim > 0 && knx_dim_eq(t.dim[t.ndim - 1], 2); }

/* Keys of any shape. */
static kni_atom keys_in(kna_op *op, kn_array keys, bool *legacy)
{
    kni_type t = kna_type(op, keys);
    knx_text text = {0};
    *legacy = is_legacy(t);
    if (!kna_failed(op) && t.dtype != KN_DT(KEY) && !*legacy)
        kna_fail(op, KN_ERROR_TYPE, "a random key is wanted (kn_random_key makes one), but this is %s",
                 kni_type_text(&text, t, true));
    kni_atom k = kna_in(op, keys);
    return *legacy ? knb_random_wrap(op->b, k) : k;
}

static kni_atom one_key_in(kna_op *op, kn_array key, bool *legacy)
{
    kni_atom k = keys_in(op, key, legacy);
    kni_type t = kna_type(op, key);
    knx_text text = {0};
    if (!kna_failed(op) && t.ndim > *legacy)
        kna_fail(op, KN_ERROR_VALUE,
                 "accepts a single key, but was given a key array of shape %s != (). Use kn_vmap for batching.",
                 knx_show_shape(&text, t.ndim, t.dim));
    return k;
}

/* The result in the form in which the key came. */
static kn_array end_keys(kna_op *op, kni_atom keys, bool legacy)
{
    return kna_end(op, legacy ? knb_random_unwrap(op->b, keys) : keys);
}

kni_atom knrandom_key_in(kna_op *op, kn_array key)
{
    bool legacy;
    return one_key_in(op, key, &legacy);
}

bool knrandom_shape_ok(kna_op *op, const kn_shape *shape)
{
    bool ok = shape && shape->ndim >= 0 && shape->ndim <= KN_MAX_NDIM;
    for (int i = 0; ok && i < shape->ndim; i++)
        ok = knx_dim_le(0, shape->dim[i]);
    if (ok)
        return true;
    knx_text text = {0};
    if (!shape || shape->ndim < 0 || shape->ndim > KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an array is %d", KN_MAX_NDIM);
    else
        kna_fail(op, KN_ERROR_VALUE, "shape must be non-negative, but is %s",
                 knx_show_shape(&text, shape->ndim, shape->dim));
    return false;
}

kni_atom knrandom_split(kni_builder *b, kni_atom key, int ndim, const int64_t *shape)
{
    if (ndim >= KN_MAX_NDIM) { /* the words of keys are one more axis */
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array of keys is %d",
                                  KN_MAX_NDIM - 1));
        return KN_ATOM_NONE;
    }
    return knb_random_split(b, key, ndim, shape);
}

void knrandom_split2(kni_builder *b, kni_atom key, kni_atom out[2])
{
    int64_t two = 2;
    kni_atom keys = knb_random_split(b, key, 1, &two);
    for (int64_t i = 0; i < 2; i++)
        out[i] = knb_squeeze(b, knb_slice(b, keys, &i, (int64_t[]){i + 1}, NULL), 1, (int64_t[]){0});
}

/* ---- Keys of seeds. */

static bool impl_ok(kna_op *op, const char *impl)
{
    if (!impl || strcmp(impl, "threefry2x32") == 0)
        return true;
    kna_fail(op, KN_ERROR_VALUE, "unrecognized PRNG implementation \"%s\". Did you mean one of: \"threefry2x32\"?",
             impl);
    return false;
}

static kn_array key_of(const char *name, kn_array seed, const kn_random_key_opts *opts, bool legacy)
{
    kna_op op;
    kna_begin(&op, name);
    kni_type t = kna_type(&op, seed);
    knx_text text = {0};
    if (kna_failed(&op) || !impl_ok(&op, opts ? opts->impl : NULL))
        return kna_end(&op, KN_ATOM_NONE);
    if (t.dtype == KN_DT(KEY))
        kna_fail(&op, KN_ERROR_TYPE, "accepts a scalar seed, but was given a PRNG key.");
    else if (!knx_is_integer(t.dtype))
        kna_fail(&op, KN_ERROR_TYPE, "a seed is an integer, but this is %s", kni_type_text(&text, t, true));
    else if (t.ndim > 0)
        kna_fail(&op, KN_ERROR_TYPE,
                 "accepts a scalar seed, but was given an array of shape %s != (). Use kn_vmap for batching",
                 knx_show_shape(&text, t.ndim, t.dim));
    return end_keys(&op, knb_random_seed(op.b, kna_in(&op, seed)), legacy);
}

kn_array kn_random_key(kn_array seed, const kn_random_key_opts *opts)
{
    return key_of("random_key", seed, opts, false);
}

kn_array kn_random_PRNGKey(kn_array seed, const kn_random_key_opts *opts)
{
    return key_of("random_PRNGKey", seed, opts, true);
}

kn_dtype kn_random_key_dtype(const char *impl)
{
    kna_op op;
    kna_begin(&op, "random_key_dtype");
    impl_ok(&op, impl);
    return kna_end_plain(&op) ? KN_DT(KEY) : NULL;
}

/* ---- Keys of keys. */

kn_array kn_random_split(kn_array key, const kn_random_split_opts *opts)
{
    kna_op op;
    kna_begin(&op, "random_split");
    kn_random_split_opts o = opts ? *opts : kn_random_split_opts_default();
    kn_shape shape = o.shape.ndim ? o.shape : (kn_shape){1, {o.num}};
    bool legacy;
    kni_atom k = one_key_in(&op, key, &legacy);
    if (!knrandom_shape_ok(&op, &shape))
        return kna_end(&op, KN_ATOM_NONE);
    return end_keys(&op, knrandom_split(op.b, k, shape.ndim, shape.dim), legacy);
}

kn_array kn_random_fold_in(kn_array key, kn_array data)
{
    kna_op op;
    kna_begin(&op, "random_fold_in");
    kni_type t = kna_type(&op, data);
    knx_text text = {0};
    if (!kna_failed(&op) && !knx_is_integer(t.dtype))
        kna_fail(&op, KN_ERROR_TYPE, "an integer is folded into a key, but this is %s", kni_type_text(&text, t, true));
    else if (!kna_failed(&op) && t.ndim > 0)
        kna_fail(&op, KN_ERROR_TYPE,
                 "accepts a scalar, but was given an array of shape %s != (). Use kn_vmap for batching.",
                 knx_show_shape(&text, t.ndim, t.dim));
    bool legacy;
    kni_atom k = one_key_in(&op, key, &legacy);
    return end_keys(&op, knb_random_fold_in(op.b, k, kna_in_as(&op, data, KN_DT(U32))), legacy);
}

kn_array kn_random_clone(kn_array keys)
{
    kna_op op;
    kna_begin(&op, "random_clone");
    bool legacy;
    kni_atom k = keys_in(&op, keys, &legacy);
    return end_keys(&op, knb_random_clone(op.b, k), legacy);
}

kn_array kn_random_key_data(kn_array keys)
{
    kna_op op;
    kna_begin(&op, "random_key_data");
    bool legacy;
    kni_atom k = keys_in(&op, keys, &legacy);
    return kna_end(&op, knb_random_unwrap(op.b, k));
}

kn_array kn_random_wrap_key_data(kn_array data, const kn_random_key_opts *opts)
{
    kna_op op;
    kna_begin(&op, "random_wrap_key_data");
    kni_type t = kna_type(&op, data);
    knx_text text = {0};
    if (!kna_failed(&op) && impl_ok(&op, opts ? opts->impl : NULL) && !is_legacy(t))
        kna_fail(&op, KN_ERROR_TYPE, "the data of keys is uint32[...,2], but this is %s",
                 kni_type_text(&text, t, true));
    return kna_end(&op, knb_random_wrap(op.b, kna_in(&op, data)));
}
