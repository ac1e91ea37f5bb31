/* SPDX-License-Identifier: Apache-2.0
 * rng_bits.c -- rng_bit_generator: random integers from a state of two 64-bit words, a key and a counter, and the state
 * behind them. The numbers are those of XLA on CPU: threefry2x32, or Philox4x32-10 (which RNG_DEFAULT is, too).
 *
 *     type       the state, uint32[4] or uint64[2], as it came in; unsigned integers of the state's other axes + shape
 *     jvp        none: integers
 *     batch      states with one more axis in front
 *     lower      expands: a block of words for each value of the counter
 *
 * Threefry makes two words of a block. Of 64-bit integers they are the low and the high one. Others: the first even
 * axis (or the largest one, made even) is taken as pairs, whose members are the first and the second words of blocks.
 * Philox makes four words of a block, which follow each other. 8- and 16-bit integers are the low bits of words. */
#include "prim/rules.h"

typedef kni_p_rng_bit_generator params_t;

static knx_error *generator_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    int64_t words = r->xt->ndim ? r->xt->dim[r->xt->ndim - 1] : 0;
    if (!(r->xt->dtype == KN_DT(U32) && knx_dim_eq(words, 4)) &&
        !(r->xt->dtype == KN_DT(U64) && knx_dim_eq(words, 2))) {
        knx_text t = {0};
        return knx_error_new(KN_ERROR_TYPE, "takes a state of four uint32 or two uint64, got %s",
                             kni_type_text(&t, *r->xt, true));
    }
    if (p->dtype->kind != KN_KIND_UINT)
        return knx_error_new(KN_ERROR_TYPE, "unsupported dtype %s", p->dtype->name);
    if (p->algorithm < KN_RNG_DEFAULT || p->algorithm > KN_RNG_PHILOX)
        return knx_error_new(KN_ERROR_VALUE, "%lld is not a valid RandomAlgorithm", (long long)p->algorithm);
    if (r->xt->ndim - 1 + p->shape.n > KN_MAX_NDIM)
        return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d", KN_MAX_NDIM);
    knp_dims d = knp_dims_of(*r->xt);
    d.n--;
    for (int i = 0; i < p->shape.n; i++) {
        if (knx_dim_lt(p->shape.v[i], 0))
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
        d.v[d.n++] = p->shape.v[i];
    }
    KN_TRY(knp_type_dims(r->arena, r->xt->dtype, false, r->xt->ndim, r->xt->dim, &y[0]));
    return knp_type_dims(r->arena, p->dtype, false, d.n, d.v, &y[1]);
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Numbers for states: the leading axes are theirs, `lead` of them. */
typedef struct generator {
    kni_builder *b;
    knp_dims lead;
    kni_atom key[2], counter; /* uint32; uint64 */
} generator;

static kni_atom u32(kni_builder *b, kni_atom x) { return knb_convert(b, x, KN_DT(U32)); }

static kni_atom high_word(kni_builder *b, kni_atom x)
{
    return u32(b, knb_shift_right_logical(b, x, knb_integer(b, KN_DT(U64), 32)));
}

static kni_atom two_words(kni_builder *b, kni_atom low, kni_atom high)
{
    low = knb_convert(b, low, KN_DT(U64));
    high = knb_convert(b, high, KN_DT(U64));
    return knb_or(b, knb_shift_left(b, high, knb_integer(b, KN_DT(U64), 32)), low);
}

/* Element i of the last axis. */
static kni_atom word(const generator *g, kni_atom state, int i)
{
    knp_dims start = {.n = g->lead.n + 1}, limit = g->lead;
    start.v[g->lead.n] = i;
    limit.v[limit.n++] = i + 1;
    return knb_reshape(g->b, knb_slice(g->b, state, start.v, limit.v, NULL), g->lead.n, g->lead.v);
}

static generator begin(const kni_rule *r)
{
    generator g = {.b = r->b, .lead = knp_dims_of(r->xt[0])};
    g.lead.n--;
    kni_atom w[4];
    bool wide = r->xt[0].dtype == KN_DT(U64);
    for (int i = 0; i < (wide ? 2 : 4); i++)
        w[i] = word(&g, r->x[0], i);
    g.key[0] = wide ? u32(g.b, w[0]) : w[0];
    g.key[1] = wide ? high_word(g.b, w[0]) : w[1];
    g.counter = wide ? w[1] : two_words(g.b, w[2], w[3]);
    return g;
}

/* One number for each state, as large as arrays of more axes. */
static kni_atom for_all(const generator *g, kni_atom x, const knp_dims *shape)
{
    knp_dims where = knp_axes_rest((kni_ints){0, NULL}, g->lead.n);
    return g->lead.n ? knb_broadcast_in_dim(g->b, x, shape->n, shape->v, where.v) : x;
}

static knp_dims behind_lead(const generator *g, kni_ints shape)
{
    knp_dims d = g->lead;
    for (int i = 0; i < shape.n && d.n < KN_MAX_NDIM; i++)
        d.v[d.n++] = shape.v[i];
    return d;
}

/* The counters of so many blocks, one axis behind the leading ones. */
static kni_atom counters(const generator *g, int64_t n)
{
    knp_dims shape = behind_lead(g, (kni_ints){1, &n});
    kni_atom i = knb_iota(g->b, KN_DT(U64), shape.n, shape.v, shape.n - 1);
    return knb_add(g->b, i, for_all(g, g->counter, &shape));
}

/* The state with the counter behind so many blocks. */
static kni_atom state_after(const kni_rule *r, const generator *g, int64_t blocks)
{
    kni_builder *b = g->b;
    kni_atom next = knb_add(b, g->counter, knb_dimension(b, KN_DT(U64), blocks)), w[4];
    bool wide = r->xt[0].dtype == KN_DT(U64);
    w[0] = wide ? two_words(b, g->key[0], g->key[1]) : g->key[0];
    w[1] = wide ? next : g->key[1];
    w[2] = u32(b, next);
    w[3] = high_word(b, next);
    return knb_stack(b, wide ? 2 : 4, w, g->lead.n);
}

/* The first elements along an axis. */
static kni_atom first_of(kni_builder *b, kni_atom x, int axis, int64_t n)
{
    kni_type t = knb_type(b, x);
    int64_t zero[KN_MAX_NDIM] = {0};
    knp_dims limit = knp_dims_of(t);
    limit.v[axis] = n;
    return b->error || t.dim[axis] == n ? x : knb_slice(b, x, zero, limit.v, NULL);
}

/* --- threefry2x32 ----------------------------------------------------------------------------- */

static void threefry(const generator *g, int64_t blocks, kni_atom out[2])
{
    kni_atom i = counters(g, blocks);
    knp_dims shape = behind_lead(g, (kni_ints){1, &blocks});
    kni_atom in[4] = {for_all(g, g->key[0], &shape), for_all(g, g->key[1], &shape), u32(g->b, i), high_word(g->b, i)};
    knb_threefry2x32(g->b, in, out);
}

/* Which axis of the shape is taken as pairs: the first even one, or else the largest. Where variables leave that open
 * the words would depend on it, so it is refused. */
static knx_error *pair_axis(const knp_dims *shape, int *axis)
{
    const knx_dim_scope *s = knx_dim_now();
    *axis = 0;
    for (int i = 0; i < shape->n && shape->n > 1; i++) {
        int64_t rest = knx_dim_mod(shape->v[i], 2);
        if (knx_dim_eq(rest, 0)) {
            *axis = i;
            return NULL;
        }
        knx_text d = {0}, all = {0};
        if (knx_is_symbolic(rest) && !(s && s->assumes))
            return knx_error_new(KN_ERROR_DIMENSION,
                                 "rng_bit_generator pairs the words of the shape %s along its first even axis: whether "
                                 "%s is even is not known",
                                 knx_show_shape(&all, shape->n, shape->v), knx_dim_show(&d, shape->v[i]));
    }
    for (int i = 1; i < shape->n; i++)
        *axis = knx_dim_lt(shape->v[*axis], shape->v[i]) ? i : *axis;
    return NULL;
}

static knx_error *threefry_words(const generator *g, const params_t *p, kni_atom *y, int64_t *blocks)
{
    kni_builder *b = g->b;
    kni_atom out[2];
    knp_dims shape = {.n = p->shape.n}, pairs;
    for (int i = 0; i < shape.n; i++)
        shape.v[i] = p->shape.v[i];
    if (shape.n == 0)
        shape.v[shape.n++] = 1;
    if (p->dtype == KN_DT(U64)) {
        *blocks = knp_product(knp_ints(&shape));
        threefry(g, *blocks, out);
        *y = two_words(b, out[0], out[1]);
        return NULL;
    }
    int axis;
    KN_TRY(pair_axis(&shape, &axis));
    int64_t wanted = shape.v[axis];
    shape.v[axis] = knx_dim_ceildiv(wanted, 2);
    *blocks = knp_product(knp_ints(&shape));
    threefry(g, *blocks, out);
    pairs = behind_lead(g, knp_ints(&shape));
    for (int i = 0; i < 2; i++) {
        int64_t before = 1, behind = 1; /* of the axes around the pairs */
        for (int k = 0; k < pairs.n; k++) {
            int64_t *side = k <= g->lead.n + axis ? &before : &behind;
            *side = knx_dim_mul(*side, pairs.v[k]);
        }
        out[i] = knb_reshape(b, out[i], 3, (int64_t[]){before, 1, behind});
    }
    kni_atom words = knb_concatenate(b, 2, out, 1);
    pairs.v[g->lead.n + axis] = knx_dim_mul(pairs.v[g->lead.n + axis], 2);
    words = knb_reshape(b, words, pairs.n, pairs.v);
    *y = first_of(b, words, g->lead.n + axis, wanted);
    return NULL;
}

/* --- Philox4x32-10 ---------------------------------------------------------------------------- */

/* Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011). The counter has 128 bits; XLA
 * begins its high half with the key. */
static void philox(const generator *g, int64_t blocks, kni_atom c[4])
{
    kni_builder *b = g->b;
    knp_dims shape = behind_lead(g, (kni_ints){1, &blocks});
    kni_atom i = counters(g, blocks), key[2] = {g->key[0], g->key[1]};
    kni_atom multiplier[2] = {knb_integer(b, KN_DT(U32), 0xD2511F53), knb_integer(b, KN_DT(U32), 0xCD9E8D57)};
    kni_atom step[2] = {knb_integer(b, KN_DT(U32), 0x9E3779B9), knb_integer(b, KN_DT(U32), 0xBB67AE85)};
    c[0] = u32(b, i);
    c[1] = high_word(b, i);
    kni_atom start = for_all(g, g->counter, &shape), high = for_all(g, two_words(b, key[0], key[1]), &shape);
    high = knb_add(b, high, knb_convert(b, knb_lt(b, i, start), KN_DT(U64))); /* a carry */
    c[2] = u32(b, high);
    c[3] = high_word(b, high);
    for (int round = 0; round < 10; round++) {
        kni_atom above[2], below[2];
        for (int k = 0; k < 2; k++) {
            above[k] = knb_mulhi(b, c[2 * k], multiplier[k]);
            below[k] = knb_mul(b, c[2 * k], multiplier[k]);
        }
        for (int k = 0; k < 2; k++) {
            c[2 * k] = knb_xor(b, knb_xor(b, above[1 - k], c[2 * k + 1]), for_all(g, key[k], &shape));
            key[k] = knb_add(b, key[k], step[k]);
        }
        c[1] = below[1];
        c[3] = below[0];
    }
}

static int64_t philox_words(const generator *g, const params_t *p, kni_atom *y)
{
    kni_builder *b = g->b;
    bool wide = p->dtype == KN_DT(U64);
    int64_t n = knp_product(p->shape), of_block = wide ? 2 : 4, blocks = knx_dim_ceildiv(n, of_block);
    kni_atom c[4];
    philox(g, blocks, c);
    if (wide)
        for (int i = 0; i < 2; i++)
            c[i] = two_words(b, c[2 * i], c[2 * i + 1]);
    int64_t all = knx_dim_mul(blocks, of_block);
    knp_dims flat = behind_lead(g, (kni_ints){1, &all}), shape = behind_lead(g, p->shape);
    kni_atom words = knb_reshape(b, knb_stack(b, (int)of_block, c, g->lead.n + 1), flat.n, flat.v);
    *y = knb_reshape(b, first_of(b, words, g->lead.n, n), shape.n, shape.v);
    return blocks;
}

/* --- the row ---------------------------------------------------------------------------------- */

static knx_error *generator_expand(const kni_rule *r, kni_atom *y)
{
    const params_t *p = r->params;
    generator g = begin(r);
    kni_atom words = KN_ATOM_NONE;
    int64_t blocks = 0;
    if (p->algorithm == KN_RNG_THREE_FRY)
        KN_TRY(threefry_words(&g, p, &words, &blocks));
    else
        blocks = philox_words(&g, p, &words);
    y[0] = state_after(r, &g, blocks);
    y[1] = knb_reshape(r->b, knb_convert(r->b, words, p->dtype), r->yt[1].ndim, r->yt[1].dim);
    return NULL;
}

/* States are independent; the words of one follow from its counter as a whole. */
static void generator_spread(const kni_rule *r, kni_spread *s) { knp_spread_first(r, s, r->xt[0].ndim - 1, 0); }

static double generator_cost(const kni_rule *r) { return 60 * kni_type_count(r->yt[1]); }

const kni_prim knp_prim_rng_bit_generator = {
    .name = "rng_bit_generator",
    .n_in = 1,
    .n_out = 2,
    .bits = KN_INTEGER_RESULT,
    .why_no_jvp = KN_WHY_INTEGERS,
    .fields = kni_fields_rng_bit_generator,
    .params_size = sizeof(params_t),
    .factors = "k w -> k w, k m",
    .doc = "the next state of a generator and random unsigned integers (jax.lax.rng_bit_generator)",
    .type = generator_type,
    .batch = knp_batch_in_front,
    .expand = generator_expand,
    .spread = generator_spread,
    .cost = generator_cost,
};
