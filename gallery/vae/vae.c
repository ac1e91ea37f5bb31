/* SPDX-License-Identifier: Apache-2.0
 * vae.c -- a variational autoencoder: handwritten digits become points of a plane, and points of the plane digits. */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <math.h>

enum { EPOCHS = 60, BATCH = 128, TRAIN = 1437, HIDDEN = 128, PIXELS = 64, SIDE = 12 };

typedef struct {
    kn_array w1, b1, w2, b2;
} Mlp;
typedef struct {
    Mlp encoder, decoder;
} Net;
typedef struct {
    kn_array mean, log_deviation;
} Code;

static kn_array mlp(const Mlp *m, kn_array x)
{
    kn_array hidden = kn_nn_relu(kn_add(kn_matmul(x, m->w1), m->b1));
    return kn_add(kn_matmul(hidden, m->w2), m->b2);
}
static Code encode(const Net *net, kn_array x)
{
    kn_array out = mlp(&net->encoder, x);
    return (Code){kn_at(out, ":, :2"), kn_at(out, ":, 2:")};
}
static kn_array decode(const Net *net, kn_array z) { return kn_nn_sigmoid(mlp(&net->decoder, z)); }

/* What an image costs: the pixels that come out wrong (as coin throws), and how much its code says. */
static kn_array loss(const Net *net, const kn_array *x, const kn_array *key)
{
    Code c = encode(net, *x);
    kn_array noise = kn_random_normal(*key, KN_SHAPE(kn_dim(*x, 0), 2), .dtype = KN_F32);
    kn_array out = mlp(&net->decoder, kn_add(c.mean, kn_mul(kn_exp(c.log_deviation), noise)));
    kn_array pixels = kn_sum(kn_optim_sigmoid_binary_cross_entropy(out, *x), KN_AXIS(1));
    kn_array code =
        kn_sub(kn_add(kn_square(c.mean), kn_exp(kn_mul(2, c.log_deviation))), kn_add(1, kn_mul(2, c.log_deviation)));
    return kn_mean(kn_add(pixels, kn_mul(0.5, kn_sum(code, KN_AXIS(1)))));
}
KN_FUNCTION(loss, kn_array, Net, kn_array, kn_array)

static Mlp random_mlp(int seed, int in, int out)
{
    kn_array keys = kn_random_split(kn_random_key(seed));
    return (Mlp){kn_mul(kn_random_normal(kn_at(keys, "0"), KN_SHAPE(in, HIDDEN), .dtype = KN_F32), sqrt(2.0 / in)),
                 kn_zeros(KN_SHAPE(HIDDEN), .dtype = KN_F32),
                 kn_mul(kn_random_normal(kn_at(keys, "1"), KN_SHAPE(HIDDEN, out), .dtype = KN_F32), 0.05),
                 kn_zeros(KN_SHAPE(out), .dtype = KN_F32)};
}

static kn_array deviation(kn_array a, kn_array b) { return kn_sqrt(kn_mean(kn_square(kn_sub(a, b)))); }

int main(void)
{
    KN_SCOPE;
    kn_archive digits = kn_load_npz("data/digits.npz");
    kn_array images = kn_reshape(kn_archive_get(digits, "images"), KN_SHAPE(-1, PIXELS));
    kn_array x = kn_div(kn_astype(images, KN_F32), 16), labels = kn_archive_get(digits, "labels");
    kn_array train = kn_at(x, ":%", TRAIN), test = kn_at(x, "%:", TRAIN);
    Net net = {random_mlp(1, PIXELS, 4), random_mlp(2, 2, PIXELS)};
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss)));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 4e-3);
    kn_tree state = kn_optim_init(adam, KN_TREE(&net));
    for (int epoch = 0; epoch < EPOCHS && !kn_error_pending(); epoch++) {
        KN_SCOPE;
        kn_array key = kn_random_fold_in(kn_random_key(3), epoch), order = kn_random_permutation(key, TRAIN);
        for (int i = 0; i + BATCH <= TRAIN; i += BATCH) {
            KN_SCOPE;
            kn_array batch = kn_take(train, kn_at(order, "%:%", i, i + BATCH), KN_AXIS(0)), value;
            kn_array own = kn_random_fold_in(key, i);
            Net slope;
            kn_call(step, KN_OUT(&value, &slope), &net, &batch, &own);
            kn_optim_apply(adam, &state, KN_TREE(&net), KN_TREE(&slope));
        }
    }
    kn_array key = kn_random_key(4), bound = loss(&net, &test, &key);
    kn_array again = decode(&net, encode(&net, test).mean);
    kn_printf("an unseen image costs %.1f nats\n", bound);

    /* The best that two straight axes can do: principal components of the same images. */
    kn_array mean = kn_mean(train, KN_AXIS(0));
    kn_array axes = kn_at(kn_linalg_svd(kn_sub(train, mean), .full_matrices = false).vh, ":2");
    kn_array flat = kn_add(kn_matmul(kn_matmul(kn_sub(test, mean), kn_transpose(axes)), axes), mean);
    kn_printf("from two numbers pixels of unseen images come back off by %.3f; by two principal components, by %.3f\n",
              deviation(again, test), deviation(flat, test));

    kn_plot p = kn_plot_grid(1, 2, .width = 660, .height = 350);
    kn_plot left = kn_plot_panel(p, 0, 0, .title = "Where unseen digits are", .xlim = {-2.4, 2.4}, .ylim = {-2.4, 2.4});
    kn_array z = encode(&net, test).mean;
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    static const char *const colors[] = {"C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"};
    for (int d = 0; d < 10; d++) {
        kn_array own = kn_at(z, "%", kn_equal(kn_at(labels, "%:", TRAIN), d)), centre = kn_median(own, KN_AXIS(0));
        kn_plot_points(left, kn_at(own, ":, 0"), kn_at(own, ":, 1"), .size = 4, .color = colors[d], .alpha = 0.7);
        kn_plot_text(left, kn_item(centre, 0), kn_item(centre, 1), names[d], .size = 20, .anchor = "center");
    }
    /* The images of a grid of places of that plane, side by side: one picture. */
    kn_array at = kn_linspace(-2.2, 2.2, SIDE);
    kn_list g = kn_meshgrid(KN_LIST(at, kn_flip(at)));
    kn_array places = kn_stack(KN_LIST(kn_ravel(kn_list_get(g, 0)), kn_ravel(kn_list_get(g, 1))), KN_AXIS(1));
    kn_array drawn = kn_reshape(decode(&net, kn_astype(places, KN_F32)), KN_SHAPE(SIDE, SIDE, 8, 8));
    kn_array sheet = kn_zeros(KN_SHAPE(SIDE, 10, SIDE, 10)); /* with a margin around each */
    kn_set_at(sheet, kn_transpose(drawn, KN_AXIS(0, 2, 1, 3)), ":, 1:9, :, 1:9");
    kn_plot right = kn_plot_panel(p, 0, 1, .title = "What stands where", .no_axes = true);
    kn_plot_image(right, kn_reshape(sheet, KN_SHAPE(SIDE * 10, SIDE * 10)), .colormap = "gray", .vmin = 0, .vmax = 1);
    kn_plot_save(p, "vae.png", .scale = 1);
    return kn_finish();
}
