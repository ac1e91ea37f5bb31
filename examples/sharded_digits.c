/* SPDX-License-Identifier: Apache-2.0
 * sharded_digits.c -- the network of demo.c learns digits on four devices, in two ways. Data parallel: each device has all weights and a quarter
 * of each batch, and gradients are summed over the devices. Fully sharded: weights and the state of the optimizer are spread, too, so each
 * device holds a quarter of them. The training step is the same function. */
#include <kiln/kiln.h>
#include <stdio.h>

enum { EPOCHS = 12, BATCH = 128, TRAIN = 1437, DEVICES = 4 };

typedef struct {
    kn_array w1, b1, w2, b2;
} Mlp;
typedef struct {
    kn_array images, labels;
} Batch;

static kn_array logits(const Mlp *net, const kn_array *images)
{
    kn_array hidden = kn_nn_relu(kn_add(kn_matmul(*images, net->w1), net->b1));
    return kn_add(kn_matmul(hidden, net->w2), net->b2);
}
KN_FUNCTION(logits, kn_array, Mlp, kn_array)

static kn_array loss(const Mlp *net, const Batch *batch)
{
    kn_array log_p = kn_nn_log_softmax(logits(net, &batch->images), KN_AXIS(-1));
    return kn_negative(kn_mean(kn_take_along_axis(log_p, kn_expand_dims(batch->labels, KN_AXIS(-1)), KN_AXIS(-1))));
}
KN_FUNCTION(loss, kn_array, Mlp, Batch)

static Mlp initial(void)
{
    kn_array key = kn_random_key(0);
    return (Mlp){kn_mul(kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(64, 128), .dtype = KN_F32), 0.15),
                 kn_zeros(KN_SHAPE(128), .dtype = KN_F32),
                 kn_mul(kn_random_normal(kn_random_fold_in(key, 2), KN_SHAPE(128, 10), .dtype = KN_F32), 0.1),
                 kn_zeros(KN_SHAPE(10), .dtype = KN_F32)};
}

/* Bytes of an array that the first device holds. */
static double bytes_here(kn_array x)
{
    kn_shard_info part[DEVICES];
    return kn_addressable_shards(x, DEVICES, part) > 0 ? (double)kn_nbytes(part[0].data) : 0;
}

static double net_bytes(const Mlp *net)
{
    return bytes_here(net->w1) + bytes_here(net->b1) + bytes_here(net->w2) + bytes_here(net->b2);
}

/* Spreads the weights, the images and the labels; trains; returns the share of unseen images that is read right. */
static double train(Batch all, Batch unseen, kn_mesh mesh, const char *weights, double *bytes)
{
    KN_SCOPE;
    Mlp net = initial(), grad;
    kn_sharding rows = kn_named_sharding(mesh, "data"), split = kn_named_sharding(mesh, weights);
    net = (Mlp){kn_shard(net.w1, split), kn_shard(net.b1, split), kn_shard(net.w2, split),
                kn_shard(net.b2, kn_named_sharding(mesh, ""))};
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss))), classify = kn_jit(KN_FN(logits));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 3e-3);
    kn_tree state = kn_optim_init(adam, KN_TREE(&net));
    kn_array scores = NULL, value = NULL;
    for (int epoch = 0; epoch < EPOCHS && !kn_error_pending(); epoch++)
        for (int i = 0; i + BATCH <= TRAIN; i += BATCH) {
            KN_SCOPE;
            Batch batch = {kn_shard(kn_at(all.images, "%:%", i, i + BATCH), rows),
                           kn_shard(kn_at(all.labels, "%:%", i, i + BATCH), rows)};
            kn_call(step, KN_OUT(&value, &grad), &net, &batch);
            kn_optim_apply(adam, &state, KN_TREE(&net), KN_TREE(&grad));
        }
    *bytes = net_bytes(&net);
    kn_call(classify, &scores, &net, &unseen.images);
    return kn_item(kn_mean(kn_equal(kn_argmax(scores, KN_AXIS(-1)), unseen.labels)));
}

int main(int argc, char **argv)
{
    kn_set_local_device_count(4); /* as KILN_DEVICES=4 */
    KN_SCOPE;
    kn_archive digits = kn_load_npz(argc > 1 ? argv[1] : "data/digits.npz");
    kn_array images = kn_div(kn_astype(kn_reshape(kn_archive_get(digits, "images"), KN_SHAPE(-1, 64)), KN_F32), 16);
    kn_array labels = kn_astype(kn_archive_get(digits, "labels"), KN_I32);
    if (kn_error_pending())
        return kn_finish();
    Batch all = {kn_at(images, ":%", TRAIN), kn_at(labels, ":%", TRAIN)},
          unseen = {kn_at(images, "%:", TRAIN), kn_at(labels, "%:", TRAIN)};
    kn_mesh mesh = kn_make_mesh(KN_SHAPE(DEVICES), "data"), one = kn_make_mesh(KN_SHAPE(1), "data");
    double bytes = 0;
    double single = train(all, unseen, one, "", &bytes);
    printf("one device:      %.1f %% right, %6.0f bytes of weights on a device\n", 100 * single, bytes);
    double parallel = train(all, unseen, mesh, "", &bytes);
    printf("data parallel:   %.1f %% right, %6.0f bytes of weights on a device\n", 100 * parallel, bytes);
    double sharded = train(all, unseen, mesh, "data", &bytes);
    printf("fully sharded:   %.1f %% right, %6.0f bytes of weights on a device\n", 100 * sharded, bytes);
    int status = kn_finish();
    return status ? status : parallel < 0.95 || sharded < 0.95;
}
