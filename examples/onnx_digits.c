/* SPDX-License-Identifier: Apache-2.0
 * onnx_digits.c -- a network learns handwritten digits (UCI, 8x8 pixels), is written as a file in ONNX's format, for
 * any number of images, and read back.
 * usage: onnx_digits [FOLDER]     FOLDER keeps digits.onnx, and digits.npz with all images and what is said of them */
#include <kiln/kiln.h>
#include <kiln/models.h>
#include <stdio.h>

enum { EPOCHS = 20, BATCH = 128, TRAIN = 1437 };

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

/* What the file computes: the logits and the digit of each image. */
typedef struct {
    kn_array scores, digit;
} Reading;
static Reading read_digits(const Mlp *net, const kn_array *images)
{
    kn_array scores = logits(net, images);
    return (Reading){scores, kn_argmax(scores, KN_AXIS(-1))};
}
KN_FUNCTION(read_digits, Reading, Mlp, kn_array)

static kn_array loss(const Mlp *net, const Batch *batch)
{
    kn_array log_p = kn_nn_log_softmax(logits(net, &batch->images), KN_AXIS(-1));
    return kn_negative(kn_mean(kn_take_along_axis(log_p, kn_expand_dims(batch->labels, KN_AXIS(-1)), KN_AXIS(-1))));
}
KN_FUNCTION(loss, kn_array, Mlp, Batch)

static Mlp train(kn_array images, kn_array labels)
{
    kn_array key = kn_random_key(0);
    Mlp net = {kn_mul(kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(64, 128), .dtype = KN_F32), 0.15),
               kn_zeros(KN_SHAPE(128), .dtype = KN_F32),
               kn_mul(kn_random_normal(kn_random_fold_in(key, 2), KN_SHAPE(128, 10), .dtype = KN_F32), 0.1),
               kn_zeros(KN_SHAPE(10), .dtype = KN_F32)};
    kn_fn step = kn_jit(kn_grad(KN_FN(loss)));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 3e-3);
    kn_tree state = kn_optim_init(adam, KN_TREE(&net));
    for (int epoch = 0; epoch < EPOCHS && !kn_error_pending(); epoch++) {
        KN_SCOPE;
        kn_array order = kn_random_permutation(kn_random_fold_in(key, 100 + epoch), TRAIN);
        for (int i = 0; i + BATCH <= TRAIN; i += BATCH) {
            KN_SCOPE;
            kn_array rows = kn_at(order, "%:%", i, i + BATCH);
            Batch batch = {kn_take(images, rows, KN_AXIS(0)), kn_take(labels, rows, KN_AXIS(0))};
            Mlp grad;
            kn_call(step, KN_OUT(&grad), &net, &batch);
            kn_optim_apply(adam, &state, KN_TREE(&net), KN_TREE(&grad));
        }
    }
    return net;
}

static void describe(kn_onnx model)
{
    printf("written by %s, opset %d, %d arrays of weights\n", kn_onnx_metadata(model, "producer_name"),
           (int)kn_onnx_opset(model, ""), kn_tree_count(kn_onnx_params(model)));
    for (int i = 0; i < kn_onnx_input_count(model) + kn_onnx_output_count(model); i++) {
        bool in = i < kn_onnx_input_count(model);
        kn_onnx_info info;
        if (in ? kn_onnx_input(model, i, &info) : kn_onnx_output(model, i - kn_onnx_input_count(model), &info))
            return;
        printf("%s %s: %s (", in ? "input" : "output", info.name, kn_dtype_name(info.dtype));
        for (int d = 0; d < info.ndim; d++)
            info.dim_name[d] ? printf("%s%s", d ? ", " : "", info.dim_name[d])
                             : printf("%s%d", d ? ", " : "", (int)info.dim[d]);
        printf(")\n");
    }
}

int main(int argc, char **argv)
{
    KN_SCOPE;
    char path[4096], data[4096];
    const char *folder = argc > 1 ? argv[1] : ".";
    snprintf(path, sizeof path, "%s/digits.onnx", folder);
    snprintf(data, sizeof data, "%s/digits.npz", folder);
    kn_archive digits = kn_load_npz("data/digits.npz");
    kn_array images = kn_div(kn_astype(kn_reshape(kn_archive_get(digits, "images"), KN_SHAPE(-1, 64)), KN_F32), 16);
    kn_array labels = kn_astype(kn_archive_get(digits, "labels"), KN_I32);
    if (kn_error_pending())
        return kn_finish();
    Mlp net = train(kn_at(images, ":%", TRAIN), kn_at(labels, ":%", TRAIN));

    /* One function for any number of images: the first extent of `images` is called n. */
    kn_onnx_save(path, KN_FN(read_digits), KN_ARGS(&net, &images), .params = KN_ARGNUMS(0),
                 .inputs = KN_TEXTS("images"), .outputs = KN_TEXTS("scores", "digit"),
                 .symbolic = "64 128, 128, 128 10, 10, n 64", .name = "digits");
    kn_onnx model = kn_onnx_load(path);
    if (!model)
        return kn_finish();
    describe(model);

    Reading own;
    kn_call(kn_jit(KN_FN(read_digits)), &own, &net, &images);
    kn_tree out = kn_onnx_run(model, kn_tree_dict("images", images));
    kn_array scores = kn_tree_at(out, "scores"), digit = kn_tree_at(out, "digit");
    bool same = kn_item(kn_all(kn_equal(digit, own.digit))) != 0;
    double apart = kn_item(kn_max(kn_abs(kn_sub(scores, own.scores))));
    printf("all %d images: %s digits as before it was written, scores %s\n", (int)kn_dim(images, 0),
           same ? "the same" : "OTHER", apart < 1e-4 ? "within 1e-4" : "FURTHER APART");
    kn_array right = kn_equal(digit, labels);
    double unseen = kn_item(kn_mean(kn_at(right, "%:", TRAIN)));
    printf("unseen images right: %s 97 %%\n", unseen >= 0.97 ? "at least" : "below");
    kn_array one = kn_tree_at(kn_onnx_run(model, kn_tree_dict("images", kn_at(images, "1500:1501"))), "digit");
    printf("one image alone: read as %d, is %d\n", (int)kn_item(one), (int)kn_item(kn_at(labels, "1500")));
    if (argc > 1)
        kn_savez(data, KN_NAMED("images", images), KN_NAMED("scores", scores), KN_NAMED("digit", digit),
                 KN_NAMED("labels", labels));
    else
        remove(path);
    int status = kn_finish();
    return status ? status : !same || apart >= 1e-4 || unseen < 0.97;
}
