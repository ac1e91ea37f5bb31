/* SPDX-License-Identifier: Apache-2.0
 * sharded_transformer.c -- a transformer block on four devices. Tensor parallel: heads and hidden units are spread over "model", examples over
 * "data"; only the weights and the input are put down so, the rest follows. Sequence parallel: attention over a sequence of
 * which each device has a part, keys and values going round in a ring (kn_shard_map, Liu et al. 2023). */
#include <kiln/kiln.h>
#include <math.h>
#include <stdio.h>

enum { B = 4, S = 32, D = 32, H = 4, K = 8, F = 64, DEVICES = 4 };

typedef struct {
    kn_array q, k, v, o, up, down;
} Block;

static kn_array normalized(kn_array x)
{
    kn_array centered = kn_sub(x, kn_mean(x, .axis = KN_AXIS(-1), .keepdims = true));
    kn_array square = kn_mean(kn_square(centered), .axis = KN_AXIS(-1), .keepdims = true);
    return kn_div(centered, kn_sqrt(kn_add(square, 1e-6)));
}

static kn_array block(const Block *w, const kn_array *x)
{
    kn_array y = normalized(*x);
    kn_array q = kn_einsum("bsd,dhk->bshk", y, w->q), k = kn_einsum("bsd,dhk->bshk", y, w->k);
    kn_array v = kn_einsum("bsd,dhk->bshk", y, w->v);
    kn_array scores = kn_div(kn_einsum("bqhk,bshk->bhqs", q, k), sqrt(K));
    kn_array mixed = kn_einsum("bhqs,bshk->bqhk", kn_nn_softmax(scores, KN_AXIS(-1)), v);
    kn_array z = kn_add(*x, kn_einsum("bqhk,hkd->bqd", mixed, w->o));
    kn_array hidden = kn_nn_gelu(kn_einsum("bsd,df->bsf", normalized(z), w->up));
    return kn_add(z, kn_einsum("bsf,fd->bsd", hidden, w->down));
}
KN_FUNCTION(block, kn_array, Block, kn_array)

static kn_array loss(const Block *w, const kn_array *x) { return kn_mean(kn_square(block(w, x))); }
KN_FUNCTION(loss, kn_array, Block, kn_array)

static kn_array weights(int number, kn_shape shape)
{
    return kn_mul(kn_random_normal(kn_random_fold_in(kn_random_key(7), number), shape, .dtype = KN_F32), 0.1);
}

static double largest_difference(kn_array x, kn_array y)
{
    return kn_item(kn_max(kn_abs(kn_sub(kn_device_get(x), y))));
}

static void tensor_parallel(kn_mesh mesh)
{
    KN_SCOPE;
    Block w = {weights(1, KN_SHAPE(D, H, K)), weights(2, KN_SHAPE(D, H, K)), weights(3, KN_SHAPE(D, H, K)),
               weights(4, KN_SHAPE(H, K, D)), weights(5, KN_SHAPE(D, F)),    weights(6, KN_SHAPE(F, D))};
    kn_array x = weights(8, KN_SHAPE(B, S, D)), y = NULL, there = NULL;
    kn_sharding second = kn_named_sharding(mesh, "None, model"), first = kn_named_sharding(mesh, "model");
    Block spread = {kn_shard(w.q, second), kn_shard(w.k, second),  kn_shard(w.v, second),
                    kn_shard(w.o, first),  kn_shard(w.up, second), kn_shard(w.down, first)};
    kn_array input = kn_shard(x, kn_named_sharding(mesh, "data"));
    Block grad, grad_there;
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss)));
    kn_call(step, KN_OUT(&y, &grad), &w, &x);
    kn_call(step, KN_OUT(&there, &grad_there), &spread, &input);
    printf(
        "tensor parallel: loss %.5f on one device, %.5f on four; gradients are right: %s; that of w->up lies as (%s)\n",
        kn_item(y), kn_item(there),
        largest_difference(grad_there.up, grad.up) < 1e-6 && largest_difference(grad_there.q, grad.q) < 1e-6 ? "yes"
                                                                                                             : "no",
        kn_sharding_spec(kn_sharding_of(grad_there.up)));
    kn_partitioned p =
        kn_partition_jaxpr(kn_make_jaxpr(KN_FN(block), KN_ARGS(&w, &x)), mesh,
                           "(None, model); (None, model); (None, model); (model); (None, model); (model); (data)");
    kn_communication c = kn_communication_of(p.jaxpr);
    printf("forward: %.0f sums over \"model\", %.0f bytes for each device (the least there is: 2 sums of %d bytes)\n",
           c.collectives, c.bytes, B / 2 * S * D * 4);
}

/* ---- Attention over a sequence that is spread: softmax is put together from block to block. */

typedef struct {
    kn_array k, v, most, sum, out;
} Ring;

static kn_array ring_attention(const kn_array *q, const kn_array *k, const kn_array *v)
{
    Ring r = {*k, *v, kn_full(KN_SHAPE(S / DEVICES, 1), -INFINITY, .dtype = KN_F32),
              kn_zeros(KN_SHAPE(S / DEVICES, 1), .dtype = KN_F32), kn_zeros(KN_SHAPE(S / DEVICES, K), .dtype = KN_F32)};
    for (int turn = 0; turn < DEVICES; turn++) {
        kn_array scores = kn_div(kn_matmul(*q, kn_transpose(r.k)), sqrt(K));
        kn_array most = kn_maximum(r.most, kn_max(scores, .axis = KN_AXIS(1), .keepdims = true));
        kn_array p = kn_exp(kn_sub(scores, most)), scale = kn_exp(kn_sub(r.most, most));
        r.sum = kn_add(kn_mul(r.sum, scale), kn_sum(p, .axis = KN_AXIS(1), .keepdims = true));
        r.out = kn_add(kn_mul(r.out, scale), kn_matmul(p, r.v));
        r.most = most;
        r.k = kn_lax_ppermute(r.k, "seq", KN_PAIRS({0, 1}, {1, 2}, {2, 3}, {3, 0}));
        r.v = kn_lax_ppermute(r.v, "seq", KN_PAIRS({0, 1}, {1, 2}, {2, 3}, {3, 0}));
    }
    return kn_div(r.out, r.sum);
}
KN_FUNCTION(ring_attention, kn_array, kn_array, kn_array, kn_array)

static void sequence_parallel(kn_mesh mesh)
{
    KN_SCOPE;
    kn_array q = kn_mul(weights(11, KN_SHAPE(S, K)), 10), k = kn_mul(weights(12, KN_SHAPE(S, K)), 10),
             v = weights(13, KN_SHAPE(S, K));
    kn_sharding rows = kn_named_sharding(mesh, "seq");
    kn_array a = kn_shard(q, rows), b = kn_shard(k, rows), c = kn_shard(v, rows), out = NULL;
    kn_fn ring = kn_jit(kn_shard_map(KN_FN(ring_attention), mesh, .in_specs = {"seq"}, .out_specs = {"seq"}));
    kn_call(ring, &out, &a, &b, &c);
    kn_array whole = kn_matmul(kn_nn_softmax(kn_div(kn_matmul(q, kn_transpose(k)), sqrt(K)), KN_AXIS(-1)), v);
    printf("ring attention:  over %d devices as on one: %s; its result lies as (%s)\n", DEVICES,
           largest_difference(out, whole) < 1e-6 ? "yes" : "no", kn_sharding_spec(kn_sharding_of(out)));
}

int main(void)
{
    kn_set_local_device_count(4); /* as KILN_DEVICES=4 */
    KN_SCOPE;
    tensor_parallel(kn_make_mesh(KN_SHAPE(2, 2), "data, model"));
    sequence_parallel(kn_make_mesh(KN_SHAPE(DEVICES), "seq"));
    return kn_finish();
}
