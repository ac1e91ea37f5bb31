/* SPDX-License-Identifier: Apache-2.0
 * bench_partition.c -- how long it takes to find the shardings of a large program, and to write the jaxpr of one device:
 * the gradient of a transformer.
 *
 *     bench_partition [LAYERS [TIMES]]     48 layers, 5 times; SHOW=1 prints the part
 */
#include "base/memory.h"
#include <kiln/kiln.h>
#include "shard/shard.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_LAYERS = 96, HEADS = 8, LENGTH = 32, WIDTH = 64, WIDE = 256, BATCH = 8 };

typedef struct {
    kn_array scale_1, shift_1, query, key, value, out, scale_2, shift_2, up, up_bias, down, down_bias;
} Layer;
enum { ARRAYS = sizeof(Layer) / sizeof(kn_array) };
typedef struct {
    Layer layer[MOST_LAYERS];
} Net;

/* How they lie: attention by heads, the inner layers by columns and then by rows. */
static const char *const specs[ARRAYS] = {"", "", "None, model", "None, model", "None, model", "model, None",
                                          "", "", "None, model", "model",       "model, None", ""};
static int layers = 48;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static kn_array norm(kn_array x, kn_array scale, kn_array shift)
{
    kn_array d = kn_sub(x, kn_mean(x, .axis = KN_AXIS(-1), .keepdims = true));
    kn_array v = kn_mean(kn_square(d), .axis = KN_AXIS(-1), .keepdims = true);
    return kn_add(kn_mul(kn_mul(d, kn_reciprocal(kn_sqrt(kn_add(v, 1e-5)))), scale), shift);
}

static kn_array heads(kn_array x) { return kn_reshape(x, KN_SHAPE(BATCH, LENGTH, HEADS, WIDTH / HEADS)); }

static kn_array apply(const Layer *l, kn_array x)
{
    kn_array h = norm(x, l->scale_1, l->shift_1);
    kn_array q = heads(kn_matmul(h, l->query)), k = heads(kn_matmul(h, l->key)), v = heads(kn_matmul(h, l->value));
    kn_array seen = kn_reshape(kn_nn_dot_product_attention(q, k, v), KN_SHAPE(BATCH, LENGTH, WIDTH));
    x = kn_add(x, kn_matmul(seen, l->out));
    h = kn_nn_gelu(kn_add(kn_matmul(norm(x, l->scale_2, l->shift_2), l->up), l->up_bias));
    return kn_add(x, kn_add(kn_matmul(h, l->down), l->down_bias));
}

static kn_array loss(const Net *net, const kn_array *x)
{
    kn_array y = *x;
    for (int i = 0; i < layers; i++)
        y = apply(&net->layer[i], y);
    return kn_mean(kn_square(y));
}
KN_FUNCTION(loss, kn_array, Net, kn_array)

static Layer zeros(void)
{
    kn_array line = kn_zeros(KN_SHAPE(WIDTH), .dtype = KN_F32),
             square = kn_zeros(KN_SHAPE(WIDTH, WIDTH), .dtype = KN_F32);
    return (Layer){line,
                   line,
                   square,
                   square,
                   square,
                   square,
                   line,
                   line,
                   kn_zeros(KN_SHAPE(WIDTH, WIDE), .dtype = KN_F32),
                   kn_zeros(KN_SHAPE(WIDE), .dtype = KN_F32),
                   kn_zeros(KN_SHAPE(WIDE, WIDTH), .dtype = KN_F32),
                   line};
}

static kni_jaxpr *gradient(void)
{
    kni_jaxpr *j = NULL;
    Net *net = malloc(sizeof *net);
    for (int i = 0; i < MOST_LAYERS; i++)
        net->layer[i] = zeros();
    kn_array x = kn_zeros(KN_SHAPE(BATCH, LENGTH, WIDTH), .dtype = KN_F32);
    kn_jaxpr made = kn_make_jaxpr(kn_grad(KN_FN(loss)), KN_ARGS(net, &x));
    const char *text = kn_jaxpr_text(made, KN_FORM_FULL);
    knx_error *e = text ? kni_parse(text, &j) : NULL;
    if (!j)
        fprintf(stderr, "%s\n", e ? e->message : kn_error_message());
    knx_error_release(e);
    free(net);
    return j;
}

int main(int argc, char **argv)
{
    KN_SCOPE;
    layers = argc > 1 ? atoi(argv[1]) : layers;
    int times = argc > 2 ? atoi(argv[2]) : 5;
    const char *names[] = {"data", "model"};
    const int64_t sizes[] = {4, 4};
    const kni_mesh *m = NULL;
    kni_jaxpr *j = layers > MOST_LAYERS ? NULL : gradient();
    knx_error *e = j ? kni_mesh_of(2, names, sizes, NULL, &m) : NULL;
    if (!j || e)
        return 1;
    uint32_t n = j->n_const + j->n_in;
    const kni_sharding **in = calloc(n + 1, sizeof *in), **out = calloc(j->n_out + 1, sizeof *out);
    for (uint32_t i = 0; !e && i < n; i++) {
        bool weight = i >= j->n_const && i < j->n_const + MOST_LAYERS * ARRAYS;
        e = kni_parse_spec(m, j->type[i].ndim,
                           weight            ? specs[(i - j->n_const) % ARRAYS]
                           : j->type[i].ndim ? "data"
                                             : "",
                           &in[i]);
    }
    double least = 1e9;
    for (int k = 0; !e && k < times; k++) {
        kni_jaxpr *part = NULL;
        double start = seconds();
        e = knshard_partition(j, m, in, &part, out, NULL);
        double took = seconds() - start;
        least = took < least ? took : least;
        if (!k && part) {
            char *text = NULL;
            printf("%d layers: %u equations, of one device %u\n", layers, j->n_eqn, part->n_eqn);
            if (getenv("SHOW") && !kni_text(part, KN_FORM_TYPED, &text))
                printf("%s\n", text);
            knx_free(text);
        }
        kni_release(part);
    }
    if (e)
        fprintf(stderr, "%s\n", e->message);
    else
        printf("partition: %.1f ms\n", least * 1e3);
    free(in);
    free(out);
    kni_release(j);
    return e != NULL;
}
