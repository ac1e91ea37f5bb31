/* SPDX-License-Identifier: Apache-2.0
 * demo.c -- the main job: a network learns handwritten digits (UCI, 8x8 pixels) from an npz file and reads images it has not seen.
 * usage: demo [digits.npz] */
#include <kiln/kiln.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EPOCHS = 30, BATCH = 128, TRAIN = 1437, TEST = 360, SHOWN = 6 };

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

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_progress(int epoch, double mean_loss, double accuracy)
{
    char bar[EPOCHS + 1];
    memset(bar, '.', EPOCHS);
    memset(bar, '#', (size_t)epoch);
    bar[EPOCHS] = 0;
    bool live = isatty(STDOUT_FILENO);
    if (live || epoch % 5 == 0)
        printf("%s[%s] epoch %2d/%d  loss %.4f  unseen images right %.1f %%%s", live ? "\r" : "", bar, epoch, EPOCHS,
               mean_loss, 100 * accuracy, live && epoch < EPOCHS ? "" : "\n");
    fflush(stdout);
}

/* The images side by side as text, and what the network says below. */
static void show_images(const float *pixels, const int64_t *said, const int32_t *label)
{
    static const char shades[] = " .:-=+*#%@";
    for (int row = 0; row < 8; row++) {
        for (int i = 0; i < SHOWN; i++) {
            for (int column = 0; column < 8; column++) {
                char c = shades[(int)(pixels[i * 64 + row * 8 + column] * 9.999f * 0.999f)];
                printf("%c%c", c, c);
            }
            printf("   ");
        }
        printf("\n");
    }
    for (int i = 0; i < SHOWN; i++)
        printf("read as %d (%s%d)     ", (int)said[i], said[i] == label[i] ? "right, " : "is ", (int)label[i]);
    printf("\n");
}

static kn_array right_share(kn_array scores, kn_array labels)
{
    return kn_mean(kn_equal(kn_argmax(scores, KN_AXIS(-1)), labels));
}

int main(int argc, char **argv)
{
    KN_SCOPE;
    kn_archive digits = kn_load_npz(argc > 1 ? argv[1] : "data/digits.npz");
    kn_array images = kn_div(kn_astype(kn_reshape(kn_archive_get(digits, "images"), KN_SHAPE(-1, 64)), KN_F32), 16);
    kn_array labels = kn_astype(kn_archive_get(digits, "labels"), KN_I32);
    if (kn_error_pending())
        return kn_finish();
    Batch train = {kn_at(images, ":%", TRAIN), kn_at(labels, ":%", TRAIN)},
          test = {kn_at(images, "%:", TRAIN), kn_at(labels, "%:", TRAIN)};
    kn_array key = kn_random_key(0), scores;
    Mlp net = {kn_mul(kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(64, 128), .dtype = KN_F32), 0.15),
               kn_zeros(KN_SHAPE(128), .dtype = KN_F32),
               kn_mul(kn_random_normal(kn_random_fold_in(key, 2), KN_SHAPE(128, 10), .dtype = KN_F32), 0.1),
               kn_zeros(KN_SHAPE(10), .dtype = KN_F32)};
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss))), classify = kn_jit(KN_FN(logits));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 3e-3);
    kn_tree state = kn_optim_init(adam, KN_TREE(&net));
    printf("A network of 64-128-10 learns %d images of handwritten digits; %d are kept unseen.\n", TRAIN, TEST);

    double started = seconds();
    for (int epoch = 0; epoch < EPOCHS && !kn_error_pending(); epoch++) {
        KN_SCOPE;
        kn_array order = kn_random_permutation(kn_random_fold_in(key, 100 + epoch), TRAIN);
        double total = 0;
        int batches = 0;
        for (int i = 0; i + BATCH <= TRAIN; i += BATCH, batches++) {
            KN_SCOPE;
            kn_array rows = kn_at(order, "%:%", i, i + BATCH), value;
            Batch batch = {kn_take(train.images, rows, KN_AXIS(0)), kn_take(train.labels, rows, KN_AXIS(0))};
            Mlp grad;
            kn_call(step, KN_OUT(&value, &grad), &net, &batch);
            kn_optim_apply(adam, &state, KN_TREE(&net), KN_TREE(&grad));
            total += kn_item(value);
        }
        kn_call(classify, &scores, &net, &test.images);
        show_progress(epoch + 1, total / batches, kn_item(right_share(scores, test.labels)));
    }
    double took = seconds() - started;
    kn_call(classify, &scores, &net, &test.images);
    double accuracy = kn_item(right_share(scores, test.labels));
    printf("\n%.1f %% of the unseen images are read right. Training took %.2f s: %d steps, traced and compiled %d "
           "time.\n\n",
           100 * accuracy, took, EPOCHS * (TRAIN / BATCH), kn_fn_trace_count(step));
    const float *pixels = kn_data(test.images, float);
    const int64_t *said = kn_data(kn_argmax(scores, KN_AXIS(-1)), int64_t);
    const int32_t *label = kn_data(test.labels, int32_t);
    if (pixels && said && label)
        show_images(pixels, said, label);
    int status = kn_finish();
    return status ? status : accuracy < 0.97;
}
