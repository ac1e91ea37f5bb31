/* SPDX-License-Identifier: Apache-2.0
 * permutation.c -- shuffling: sort by random keys of 32 bits, as many times as it takes for ties not to matter
 * (jax.random.permutation). */
#include "kiln/random.h"
#include "random/draw.h"

/* The least r with size^3 <= (2^32 - 1)^r, which JAX rounds up from 3 log(size) / log(2^32 - 1). */
static int rounds_for(int64_t size)
{
    static const int64_t most[] = {1, 1625, 2642245, 4294967295, 6981463656164, 11348359937241846};
    int r = 0;
    while (r < (int)(sizeof most / sizeof *most) && size > most[r])
        r++;
    return r;
}

/* The number of rounds is a part of what is recorded: an expression has to have bounds that agree on it. One element is
 * shuffled by any number of rounds. */
static int rounds_of(kni_builder *b, int64_t size)
{
    int64_t lower, upper;
    knx_text t = {0};
    if (!knx_is_symbolic(size))
        return rounds_for(size);
    knx_dim_bounds(size, &lower, &upper);
    int rounds = rounds_for(upper);
    if (rounds != rounds_for(lower < 2 ? 2 : lower) && !b->error)
        knb_fail(b, knx_error_new(KN_ERROR_DIMENSION,
                                  "Symbolic dimension '%s' used in a context that requires a constant: the number of "
                                  "rounds of a shuffle; up to 1625 elements take one, which a constraint can say",
                                  knx_dim_show(&t, size)));
    return rounds;
}

static kni_atom shuffle(kni_builder *b, kni_atom key, kni_atom x, int axis)
{
    kni_type t = knb_type(b, x);
    for (int rounds = rounds_of(b, kni_type_size(t)); rounds > 0 && !b->error; rounds--) {
        kni_atom keys[2], out[2];
        knrandom_split2(b, key, keys);
        key = keys[0];
        knb_sort(b, 2, (kni_atom[]){knb_random_bits(b, keys[1], 32, t.ndim, t.dim), x}, axis, 1, out);
        x = out[1];
    }
    return x;
}

/* The slices of x along an axis, in the order of `indices`. */
static kni_atom take(kni_builder *b, kni_atom x, kni_atom indices, int axis)
{
    if (!kni_is_var(x))
        return KN_ATOM_NONE;
    kni_type t = knb_type(b, x);
    int64_t offset[KN_MAX_NDIM], sizes[KN_MAX_NDIM], one[1] = {axis}, n = t.dim[axis];
    int rest = 0;
    for (int i = 0; i < t.ndim; i++) {
        sizes[i] = i == axis ? 1 : t.dim[i];
        if (i != axis)
            offset[rest++] = i;
    }
    kni_p_gather p = {.offset_dims = {rest, offset},
                      .collapsed_slice_dims = {1, one},
                      .start_index_map = {1, one},
                      .slice_sizes = {t.ndim, sizes},
                      .mode = KN_GATHER_PROMISE,
                      .unique_indices = true};
    return knb_gather(b, x, knb_reshape(b, indices, 2, (int64_t[]){n, 1}), &p);
}

/* 0 .. n-1 for the integer x; its value has to be known. */
static kni_atom range(kna_op *op, kn_array x)
{
    kni_type t;
    knx_text text = {0};
    const void *data = kna_look(op, x, &t);
    knx_scalar_bits bits = {{0}};
    if (!data)
        return KN_ATOM_NONE;
    if (!knx_is_integer(t.dtype)) {
        kna_fail(op, KN_ERROR_TYPE, "x must be an integer or at least 1-dimensional, but is %s",
                 kni_type_text(&text, t, true));
        return KN_ATOM_NONE;
    }
    knx_convert(t.dtype, data, KN_DT(I64), &bits);
    int64_t n = bits.i64 > 0 ? bits.i64 : 0; /* arange of a negative number is empty */
    return knb_iota(op->b, KN_DT(I64), 1, &n, 0);
}

kni_atom knrandom_shuffled_range(kni_builder *b, kni_atom key, int64_t n)
{
    return shuffle(b, key, knb_iota(b, KN_DT(I64), 1, &n, 0), 0);
}

kni_atom knrandom_shuffled(kni_builder *b, kni_atom key, kni_atom x, int axis)
{
    kni_type t = knb_type(b, x);
    if (b->error)
        return KN_ATOM_NONE;
    return t.ndim == 1 ? shuffle(b, key, x, 0) : take(b, x, knrandom_shuffled_range(b, key, t.dim[axis]), axis);
}

kn_array kn_random_permutation(kn_array key, kn_array x, const kn_random_permutation_opts *opts)
{
    kna_op op;
    kna_begin(&op, "random_permutation");
    kn_random_permutation_opts o = opts ? *opts : kn_random_permutation_opts_default();
    kni_atom k = knrandom_key_in(&op, key);
    kni_type t = kna_type(&op, x);
    int axis = kna_failed(&op) ? 0 : kna_axis(&op, o.axis, t.ndim ? t.ndim : 1, 0);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (t.ndim == 0)
        return kna_end(&op, shuffle(op.b, k, range(&op, x), 0));
    if (o.independent)
        return kna_end(&op, shuffle(op.b, k, kna_in(&op, x), axis));
    return kna_end(&op, knrandom_shuffled(op.b, k, kna_in(&op, x), axis));
}
