/* SPDX-License-Identifier: Apache-2.0
 * convnet.c -- a small convolutional network reads handwritten digits; the ten unseen images that it is least sure of. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>
#include <stdio.h>

enum { EPOCHS = 12, BATCH = 64, TRAIN = 1437, SHOWN = 10 };

typedef struct {
    kn_array kernel1, bias1, kernel2, bias2, weights, bias;
} Net;
typedef struct {
    kn_array images, labels; /* (n, 8, 8, 1), (n) */
} Batch;

static kn_array layer(kn_array x, kn_array kernel, kn_array bias)
{
    kn_array y =
        kn_lax_conv_general_dilated(x, kernel, KN_SHAPE(1, 1), KN_SAME, .dimension_numbers = {"NHWC", "HWIO", "NHWC"});
    return kn_nn_relu(kn_add(y, bias));
}

static kn_array logits(const Net *net, const kn_array *images)
{
    kn_array x = layer(*images, net->kernel1, net->bias1);
    x = kn_nn_max_pool(layer(x, net->kernel2, net->bias2), KN_SHAPE(2, 2), .strides = &KN_SHAPE(2, 2));
    x = kn_reshape(x, KN_SHAPE(-1, 4 * 4 * 24));
    return kn_add(kn_matmul(x, net->weights), net->bias);
}
KN_FUNCTION(logits, kn_array, Net, kn_array)

static kn_array loss(const Net *net, const Batch *b)
{
    kn_array scores = logits(net, &b->images);
    return kn_mean(kn_optim_softmax_cross_entropy_with_integer_labels(scores, b->labels));
}
KN_FUNCTION(loss, kn_array, Net, Batch)

static kn_array random_weights(int i, kn_shape shape, int inputs) /* He's deviation, for relu */
{
    kn_array normal = kn_random_normal(kn_random_fold_in(kn_random_key(0), i), shape, .dtype = KN_F32);
    return kn_mul(normal, sqrt(2.0 / inputs));
}

int main(void)
{
    KN_SCOPE;
    kn_archive digits = kn_load_npz("data/digits.npz");
    kn_array pixels = kn_div(kn_astype(kn_archive_get(digits, "images"), KN_F32), 16);
    kn_array images = kn_expand_dims(pixels, KN_AXIS(3)), labels = kn_astype(kn_archive_get(digits, "labels"), KN_I32);
    Batch train = {kn_at(images, ":%", TRAIN), kn_at(labels, ":%", TRAIN)},
          test = {kn_at(images, "%:", TRAIN), kn_at(labels, "%:", TRAIN)};
    Net net = {random_weights(1, KN_SHAPE(3, 3, 1, 12), 9),       kn_zeros(KN_SHAPE(12), .dtype = KN_F32),
               random_weights(2, KN_SHAPE(3, 3, 12, 24), 9 * 12), kn_zeros(KN_SHAPE(24), .dtype = KN_F32),
               random_weights(3, KN_SHAPE(384, 10), 384),         kn_zeros(KN_SHAPE(10), .dtype = KN_F32)};
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss))), read = kn_jit(KN_FN(logits));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 2e-3);
    kn_tree state = kn_optim_init(adam, KN_TREE(&net));

    for (int epoch = 0; epoch < EPOCHS && !kn_error_pending(); epoch++) {
        KN_SCOPE;
        kn_array order = kn_random_permutation(kn_random_key(100 + epoch), TRAIN);
        for (int i = 0; i + BATCH <= TRAIN; i += BATCH) {
            KN_SCOPE;
            kn_array rows = kn_at(order, "%:%", i, i + BATCH), value;
            Batch batch = {kn_take(train.images, rows, KN_AXIS(0)), kn_take(train.labels, rows, KN_AXIS(0))};
            Net slope;
            kn_call(step, KN_OUT(&value, &slope), &net, &batch);
            kn_optim_apply(adam, &state, KN_TREE(&net), KN_TREE(&slope));
        }
    }
    kn_array scores;
    kn_call(read, &scores, &net, &test.images);
    kn_array chances = kn_nn_softmax(scores), said = kn_argmax(scores, KN_AXIS(1)), right = kn_equal(said, test.labels);
    kn_printf("%d weights, %d epochs of %d images\n", kn_size(kn_tree_ravel(KN_TREE(&net))), EPOCHS, TRAIN);
    kn_printf("%d of %d unseen images are read right: %.1f %%\n", kn_sum(right), kn_size(right),
              kn_mul(100, kn_mean(right)));

    kn_plot p = kn_plot_grid(2, 5, .title = "The ten unseen images of which the network is least sure", .width = 640,
                             .height = 330);
    kn_array order = kn_argsort(kn_max(chances, KN_AXIS(1)));
    for (int i = 0; i < SHOWN; i++) {
        int64_t k = kn_item_int(order, i);
        int is = (int)kn_item_int(test.labels, k), read_as = (int)kn_item_int(said, k);
        char title[48];
        snprintf(title, sizeof title, is == read_as ? "%d: right" : "%d, read as %d", is, read_as);
        kn_plot panel = kn_plot_panel(p, i / 5, i % 5, .title = title, .no_axes = true);
        kn_plot_image(panel, kn_at(test.images, "%, ..., 0", k), .colormap = "gray");
    }
    kn_plot_save(p, "convnet.png", .scale = 1);
    return kn_finish();
}
