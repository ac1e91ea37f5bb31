/* SPDX-License-Identifier: Apache-2.0
 * bench_partition.c -- how long it takes to find the shardings of a large program, and to write the jaxpr of one device:
 * the gradient of a transformer.
 *
 *     bench_partition [LAYERS [TIMES]]     48 layers, 5 times; SHOW=1 prints the part
 *     bench_partition plan                 what a large one moves in a step, spread over 8, 64 and 1,024 devices in several ways, beside the known minimum;
 *                                          SHOW=1 prints each collective
 */
#include "base/memory.h"
#include <kiln/kiln.h>
#include "shard/shard.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LAYERS = 96 };
static struct {
    int64_t heads, length, width, batch;
} size = {8, 32, 64, 8}; /* the inner layers are four times as wide */

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

static kn_array heads(kn_array x)
{
    return kn_reshape(x, KN_SHAPE(size.batch, size.length, size.heads, size.width / size.heads));
}

static kn_array apply(const Layer *l, kn_array x)
{
    kn_array h = norm(x, l->scale_1, l->shift_1);
    kn_array q = heads(kn_matmul(h, l->query)), k = heads(kn_matmul(h, l->key)), v = heads(kn_matmul(h, l->value));
    kn_array seen = kn_reshape(kn_nn_dot_product_attention(q, k, v), KN_SHAPE(size.batch, size.length, size.width));
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

/* One element, however large the array: only its type is of interest. */
static kn_array zeros_of(kn_shape shape) { return (kn_broadcast_to)(kn_zeros(KN_SHAPE(), .dtype = KN_F32), &shape); }

static Layer zeros(void)
{
    kn_array line = zeros_of(KN_SHAPE(size.width)), square = zeros_of(KN_SHAPE(size.width, size.width));
    kn_array wide = zeros_of(KN_SHAPE(4 * size.width)), up = zeros_of(KN_SHAPE(size.width, 4 * size.width));
    kn_array down = zeros_of(KN_SHAPE(4 * size.width, size.width));
    return (Layer){line, line, square, square, square, square, line, line, up, wide, down, line};
}

static kn_jaxpr recorded(void)
{
    Net *net = malloc(sizeof *net);
    Layer layer = zeros();
    for (int i = 0; i < MOST_LAYERS; i++)
        net->layer[i] = layer;
    kn_array x = zeros_of(KN_SHAPE(size.batch, size.length, size.width));
    kn_jaxpr made = kn_make_jaxpr(kn_grad(KN_FN(loss)), KN_ARGS(net, &x));
    free(net);
    return made;
}

static kni_jaxpr *gradient(void)
{
    kni_jaxpr *j = NULL;
    const char *text = kn_jaxpr_text(recorded(), KN_FORM_FULL);
    knx_error *e = text ? kni_parse(text, &j) : NULL;
    if (!j)
        fprintf(stderr, "%s\n", e ? e->message : kn_error_message());
    knx_error_release(e);
    return j;
}

/* ---- Plans. */

enum { DATA, FSDP };
static const struct layout {
    const char *name;
    int data, model; /* devices along the two axes */
    int weights;     /* whole along "data", or cut */
} layouts[] = {
    {"data parallel", 8, 1, DATA},
    {"fully sharded", 8, 1, FSDP},
    {"tensor parallel", 1, 8, DATA},
    {"data x tensor", 4, 2, DATA},
    {"fully sharded x tensor", 4, 2, FSDP},
    {"data parallel", 64, 1, DATA},
    {"fully sharded", 64, 1, FSDP},
    {"data x tensor", 8, 8, DATA},
    {"fully sharded x tensor", 8, 8, FSDP},
    {"data parallel", 1024, 1, DATA},
    {"fully sharded", 1024, 1, FSDP},
    {"data x tensor", 128, 8, DATA},
    {"fully sharded x tensor", 128, 8, FSDP},
};

/* Of a matrix both axes are cut, of a vector that tensor parallelism leaves whole none. */
static const char *const specs_both[ARRAYS] = {"", "", "data, model", "data, model", "data, model", "model, data",
                                               "", "", "data, model", "model",       "model, data", ""};

/* The specs of all inputs. */
static char *specs_of(const struct layout *l)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    for (int i = 0; i < MOST_LAYERS * ARRAYS; i++)
        fprintf(f, "(%s); ", l->weights == FSDP ? specs_both[i % ARRAYS] : specs[i % ARRAYS]);
    fprintf(f, "(data)");
    fclose(f);
    return text;
}

/* Bytes that a device receives at least. Each gradient is summed over the devices that have other examples: a ring's 2 (n - 1) / n of it; where
 * weights are cut (n - 1) / n for the sum's part, and as much for each time that they are put together, forwards and backwards. Tensor parallelism
 * sums the activations behind attention and behind the inner layers, and their cotangents in front of both. */
static double minimum(const struct layout *l)
{
    double w = (double)size.width, d = l->data, m = l->model;
    double matrices = (double)layers * 12 * w * w / m, lines = (double)layers * (6 * w + 4 * w / m);
    double whole = 4 * (l->weights == FSDP ? lines : matrices + lines) * 2 * (d - 1) / d;
    double cut = l->weights == FSDP ? 4 * matrices * 3 * (d - 1) / d : 0;
    double activations = 4 * (double)(size.batch * size.length) * w / d;
    return whole + cut + (double)layers * 4 * activations * 2 * (m - 1) / m;
}

/* False: more than the minimum. */
static bool show(const struct layout *l, kn_jaxpr made)
{
    KN_SCOPE;
    const double latency = 10e-6, bandwidth = 25e9;
    kn_mesh m = kn_make_mesh(KN_SHAPE(l->data, l->model), "data, model", .abstract = true);
    char *in = specs_of(l);
    double start = seconds();
    kn_partitioned p = kn_partition_jaxpr(made, m, in);
    double took = seconds() - start;
    kn_communication c = kn_communication_of(p.jaxpr, .latency = latency, .bandwidth = bandwidth);
    free(in);
    if (kn_error_pending())
        return false;
    printf("| %d | %s, %d x %d | %.0f | %.2f | %.2f | %.2f s | %.0f ms |\n", l->data * l->model, l->name, l->data,
           l->model, c.collectives, c.bytes * 1e-9, minimum(l) * 1e-9, c.seconds, took * 1e3);
    fflush(stdout);
    if (getenv("SHOW"))
        puts(kn_communication_text(p.jaxpr, .latency = latency, .bandwidth = bandwidth));
    return c.bytes < 1.01 * minimum(l);
}

static int plan(void)
{
    size.heads = 32;
    size.length = 2048;
    size.width = 4096;
    printf("The gradient of %d layers, %d wide, of float32: %.1f billion parameters; a sequence of %d tokens for each "
           "device; latency 10 us, "
           "bandwidth 25 GB/s\n\n",
           layers, (int)size.width, 12e-9 * layers * (double)(size.width * size.width), (int)size.length);
    printf(
        "| devices | spread | collectives | GB | known minimum | time | planned in |\n|---|---|---|---|---|---|---|\n");
    kn_jaxpr made = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        int devices = layouts[i].data * layouts[i].model;
        if (size.batch != devices || !made) {
            size.batch = devices;
            made = recorded();
        }
        if (!show(&layouts[i], made) && !kn_error_pending()) {
            printf("more than the minimum\n");
            return 1;
        }
    }
    return kn_finish();
}

int main(int argc, char **argv)
{
    KN_SCOPE;
    if (argc > 1 && strcmp(argv[1], "plan") == 0)
        return plan();
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
