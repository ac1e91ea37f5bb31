/* SPDX-License-Identifier: Apache-2.0
 * bench_gpt2.c -- a model of GPT-2's shape, from the file that scripts/make-gpt2.py writes: text is read and written
 * with a cache of keys and values, and the model is trained. peer_gpt2.py has the same with PyTorch and onnxruntime.
 *
 * bench_gpt2 FILE takes commands from its input, one a line, and answers with a line each:
 *     threads N      use so many
 *     weights NAME   those of reading and writing: f32, or rounded to bf16, f16, i8, or i4 in groups of 32
 *     read N         seconds of reading N tokens into an empty cache
 *     write N        seconds of writing N tokens behind them, each
 *     train B T      seconds of a step (loss, gradients, AdamW) on B texts of T tokens, and the loss
 *     logits N       what comes behind N tokens: the sum of all logits, of their squares, and the first four
 *     loss B T       the loss of B texts of T tokens
 *     roof           bytes in a second that the threads read of the largest matrix
 */
#include <kiln/kiln.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAYERS = 12, WIDTH = 768, HEADS = 12, SIZE = WIDTH / HEADS, WORDS = 50257, CONTEXT = 1024, GRAIN = 128 };

/* A matrix: float32 (in, out), without scales; or other numbers (out, in). */
typedef struct {
    kn_array values, scales;
} Matrix;
typedef struct {
    kn_array ln1_scale, ln1_shift, ln2_scale, ln2_shift, qkv_bias, out_bias, up_bias, down_bias;
    Matrix qkv, out, up, down;
} Layer;
typedef struct {
    kn_array words, places;
    Layer layer[LAYERS];
    kn_array scale, shift;
} Model;
typedef struct {
    kn_array k[LAYERS], v[LAYERS]; /* (1, HEADS, CONTEXT, SIZE) */
} Cache;
typedef struct {
    kn_array next, logits; /* the likeliest token, (1); (WORDS) */
    Cache cache;
} Step;

/* ---- The model. */

static kn_array normalized(kn_array x, kn_array scale, kn_array shift)
{
    return kn_add(kn_mul(kn_nn_standardize(x, .epsilon = kn_num(1e-5)), scale), shift);
}

static kn_array times(kn_array x, Matrix w)
{
    kn_dtype d = kn_dtype_of(w.values);
    if (d == KN_F32)
        return kn_matmul(x, w.values);
    if (d == KN_F16 || d == KN_BF16)
        return kn_matmul(x, kn_transpose(kn_astype(w.values, KN_F32)));
    return kn_nn_quantized_matmul(x, w.values, w.scales);
}

/* The same, where float32 is (out, in) as well. */
static kn_array times_rows(kn_array x, Matrix w)
{
    return kn_dtype_of(w.values) == KN_F32 ? kn_matmul(w.values, x) : times(x, w);
}

static kn_array feed_forward(const Layer *w, kn_array x)
{
    kn_array y = normalized(x, w->ln2_scale, w->ln2_shift);
    y = kn_nn_gelu(kn_add(times(y, w->up), w->up_bias));
    return kn_add(x, kn_add(times(y, w->down), w->down_bias));
}

/* What attention is asked, and what it finds: (..., T, HEADS, SIZE) */
static void split(const Layer *w, kn_array x, int batch, int length, kn_array part[3])
{
    kn_array y = kn_add(times(normalized(x, w->ln1_scale, w->ln1_shift), w->qkv), w->qkv_bias);
    for (int i = 0; i < 3; i++)
        part[i] = kn_reshape(kn_at(y, "..., %:%", i * WIDTH, (i + 1) * WIDTH), KN_SHAPE(batch, length, HEADS, SIZE));
}

static kn_array joined(const Layer *w, kn_array x, kn_array found, int batch, int length)
{
    found = kn_reshape(found, KN_SHAPE(batch, length, WIDTH));
    return kn_add(x, kn_add(times(found, w->out), w->out_bias));
}

/* Writes keys or values (1, T, HEADS, SIZE) to the cache, where it lies; what it has of the first `limit` places. */
static kn_array remember(kn_array *cache, kn_array x, kn_array place, int limit)
{
    *cache = kn_lax_dynamic_update_slice(*cache, kn_swapaxes(x, 1, 2), KN_LIST(0, 0, place, 0));
    return kn_swapaxes(kn_at(*cache, ":, :, :%", limit), 1, 2);
}

/* Reads tokens (T) that stand at place, place + 1, ..., before `limit`. head: the words again, as a matrix (WORDS, WIDTH). */
static Step step(const Model *m, const Matrix *head, const Cache *cache, const kn_array *tokens, const kn_array *place,
                 const kn_array *limit_)
{
    int limit = (int)kn_item_int(*limit_);
    Step s = {.cache = *cache};
    int length = (int)kn_dim(*tokens, 0);
    kn_array at = kn_add(kn_arange(0, length, 1, .dtype = KN_I32), *place);
    kn_array seen = kn_less_equal(kn_arange(0, limit, 1, .dtype = KN_I32), kn_expand_dims(at, KN_AXIS(-1)));
    kn_array x = kn_add(kn_take(m->words, *tokens, KN_AXIS(0)), kn_take(m->places, at, KN_AXIS(0)));
    x = kn_expand_dims(x, KN_AXIS(0));
    for (int i = 0; i < LAYERS; i++) {
        kn_array part[3];
        split(&m->layer[i], x, 1, length, part);
        kn_array k = remember(&s.cache.k[i], part[1], *place, limit);
        kn_array v = remember(&s.cache.v[i], part[2], *place, limit);
        kn_array found = kn_nn_dot_product_attention(part[0], k, v, .mask = seen);
        x = feed_forward(&m->layer[i], joined(&m->layer[i], x, found, 1, length));
    }
    kn_array last = normalized(kn_at(x, "0, -1"), m->scale, m->shift);
    s.logits = times_rows(last, *head);
    s.next = kn_expand_dims(kn_astype(kn_argmax(s.logits), KN_I32), KN_AXIS(0));
    return s;
}
KN_FUNCTION(step, Step, Model, Matrix, Cache, kn_array, kn_array, kn_array)

/* The mean loss of guessing each next token of texts (B, T + 1). */
static kn_array loss(const Model *m, const kn_array *texts)
{
    int batch = (int)kn_dim(*texts, 0), length = (int)kn_dim(*texts, 1) - 1;
    kn_array x = kn_add(kn_take(m->words, kn_at(*texts, ":, :-1"), KN_AXIS(0)), kn_at(m->places, ":%", length));
    for (int i = 0; i < LAYERS; i++) {
        kn_array part[3];
        split(&m->layer[i], x, batch, length, part);
        kn_array found = kn_nn_dot_product_attention(part[0], part[1], part[2], .is_causal = true);
        x = feed_forward(&m->layer[i], joined(&m->layer[i], x, found, batch, length));
    }
    kn_array logits = kn_matmul(normalized(x, m->scale, m->shift), kn_transpose(m->words));
    return kn_mean(kn_optim_softmax_cross_entropy_with_integer_labels(logits, kn_at(*texts, ":, 1:")));
}
KN_FUNCTION(loss, kn_array, Model, kn_array)

static kn_optimizer adamw(void) { return kn_optim_adamw(.learning_rate = 1e-5, .weight_decay = 0.01); }

/* (model, state of the optimizer, loss): a step of training; model and state are written where they lie. */
static kn_tree trained(const kn_tree *before, const kn_array *texts)
{
    kn_tree net = kn_tree_sub(*before, "[0]"), state = kn_tree_sub(*before, "[1]"), grads, updates;
    kn_array value;
    kn_call(kn_value_and_grad(KN_FN(loss)), KN_OUT(&value, &grads), net, texts);
    kn_optim_update(adamw(), grads, state, net, &updates, &state);
    return kn_tree_tuple(kn_optim_apply_updates(net, updates), state, value);
}
KN_FUNCTION(trained, kn_tree, kn_tree, kn_array)

/* ---- The program. */

typedef struct {
    const char *path;
    Model model, given, trained; /* given: as they are read and written with */
    Matrix head;
    Cache cache;
    kn_array next;
    int place, threads;
    kn_fn step, train;
    kn_tree state;
} Run;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static kn_array get(kn_safetensors f, int layer, const char *name)
{
    char whole[64];
    if (layer < 0)
        return kn_safetensors_get(f, name);
    snprintf(whole, sizeof whole, "h.%d.%s", layer, name);
    return kn_safetensors_get(f, whole);
}

static Matrix matrix(kn_array values) { return (Matrix){values, kn_zeros(KN_SHAPE(0), .dtype = KN_F32)}; }

/* The arrays are the file, which is mapped. */
static void load(Model *m, const char *path)
{
    kn_safetensors f = kn_safetensors_open(path);
    *m = (Model){.words = get(f, -1, "wte.weight"),
                 .places = get(f, -1, "wpe.weight"),
                 .scale = get(f, -1, "ln_f.weight"),
                 .shift = get(f, -1, "ln_f.bias")};
    for (int i = 0; i < LAYERS; i++)
        m->layer[i] = (Layer){.ln1_scale = get(f, i, "ln_1.weight"),
                              .ln1_shift = get(f, i, "ln_1.bias"),
                              .ln2_scale = get(f, i, "ln_2.weight"),
                              .ln2_shift = get(f, i, "ln_2.bias"),
                              .qkv_bias = get(f, i, "attn.c_attn.bias"),
                              .out_bias = get(f, i, "attn.c_proj.bias"),
                              .up_bias = get(f, i, "mlp.c_fc.bias"),
                              .down_bias = get(f, i, "mlp.c_proj.bias"),
                              .qkv = matrix(get(f, i, "attn.c_attn.weight")),
                              .out = matrix(get(f, i, "attn.c_proj.weight")),
                              .up = matrix(get(f, i, "mlp.c_fc.weight")),
                              .down = matrix(get(f, i, "mlp.c_proj.weight"))};
}

/* rows: it is (out, in) already */
static Matrix rounded(Matrix w, const char *name, bool rows)
{
    kn_array x = rows ? w.values : kn_transpose(w.values);
    if (!strcmp(name, "bf16") || !strcmp(name, "f16"))
        return matrix(kn_copy(kn_astype(x, strcmp(name, "f16") ? KN_BF16 : KN_F16)));
    kn_nn_quantized q = strcmp(name, "i4") ? kn_nn_quantize(x) : kn_nn_quantize(x, .bits = 4, .group_size = 32);
    return (Matrix){kn_copy(q.values), kn_copy(q.scales)};
}

static void finish(const void *arrays, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(kn_array); i++)
        kn_eval(((const kn_array *)arrays)[i]);
}

static void choose_weights(Run *r, const char *name)
{
    r->given = r->model;
    r->head = matrix(r->model.words);
    if (!strcmp(name, "f32"))
        return;
    r->head = rounded(r->head, name, true);
    for (int i = 0; i < LAYERS; i++) {
        Layer *w = &r->given.layer[i];
        w->qkv = rounded(w->qkv, name, false), w->out = rounded(w->out, name, false);
        w->up = rounded(w->up, name, false), w->down = rounded(w->down, name, false);
    }
    finish(&r->given, sizeof r->given);
    finish(&r->head, sizeof r->head);
}

static kn_array tokens(kn_shape shape)
{
    int64_t n = shape.dim[0] * (shape.ndim > 1 ? shape.dim[1] : 1);
    kn_array i = kn_arange(0, n, 1, .dtype = KN_I64);
    return kn_reshape(kn_astype(kn_remainder(kn_mul(i, 7919), WORDS), KN_I32), shape);
}

static void empty(Run *r)
{
    for (int i = 0; i < 2 * LAYERS; i++)
        ((kn_array *)&r->cache)[i] = kn_copy(kn_zeros(KN_SHAPE(1, HEADS, CONTEXT, SIZE), .dtype = KN_F32));
    finish(&r->cache, sizeof r->cache);
    r->place = 0;
}

static void advance(Run *r, kn_array given, kn_array *logits)
{
    Step s;
    kn_array place = kn_full(KN_SHAPE(), r->place, .dtype = KN_I32);
    r->place += (int)kn_dim(given, 0);
    kn_array limit = kn_num((r->place + GRAIN - 1) / GRAIN * GRAIN);
    kn_call(r->step, &s, &r->given, &r->head, &r->cache, &given, &place, &limit);
    r->cache = s.cache, r->next = s.next;
    if (logits)
        *logits = s.logits;
}

static double reads(Run *r, int n)
{
    empty(r);
    kn_array given = tokens(KN_SHAPE(n));
    kn_eval(given);
    double start = now();
    advance(r, given, NULL);
    kn_eval(r->next);
    return now() - start;
}

static void writes(Run *r, int n)
{
    for (int i = 0; i < n; i++) {
        double start = now();
        advance(r, r->next, NULL);
        kn_eval(r->next);
        printf("%s%.6f", i ? " " : "", now() - start);
    }
    printf("\n");
}

static void train(Run *r, int batch, int length)
{
    kn_array texts = tokens(KN_SHAPE(batch, length + 1));
    kn_eval(texts);
    if (!r->state) {
        load(&r->trained, r->path); /* which is given away, and stays as it is in the file */
        kn_tree net = KN_TREE(&r->trained);
        r->state = kn_tree_tuple(net, kn_optim_init(adamw(), net), kn_zeros(KN_SHAPE(), .dtype = KN_F32));
    }
    double start = now();
    kn_call(r->train, &r->state, r->state, &texts);
    double value = kn_item(kn_tree_at(r->state, "[2]"));
    printf("%.6f %.6f\n", now() - start, value);
}

typedef struct {
    const uint64_t *from;
    int64_t n;
    uint64_t sum;
} Share;

static void *add_up(void *share)
{
    Share *x = share;
    uint64_t sum[8] = {0};
    for (int64_t i = 0; i + 8 <= x->n; i += 8)
        for (int k = 0; k < 8; k++)
            sum[k] ^= x->from[i + k];
    for (int k = 0; k < 8; k++)
        x->sum ^= sum[k];
    return NULL;
}

/* The best of some rounds. */
static double roof(const Run *r)
{
    int threads = r->threads < 64 ? r->threads : 64;
    int64_t n = (int64_t)WORDS * WIDTH / 2 / threads;
    const uint64_t *words = (const uint64_t *)(const void *)kn_data(r->model.words, float);
    double best = 0;
    for (int round = 0; round < 8; round++) {
        pthread_t t[64];
        Share share[64];
        double start = now();
        for (int i = 0; i < threads; i++) {
            share[i] = (Share){words + i * n, n, 0};
            if (i && pthread_create(&t[i], NULL, add_up, &share[i]))
                return 0;
        }
        add_up(&share[0]);
        for (int i = 1; i < threads; i++)
            pthread_join(t[i], NULL);
        volatile uint64_t seen = share[0].sum;
        double speed = (double)(threads * n) * 8 / (now() - start + 0 * (double)seen);
        best = speed > best ? speed : best;
    }
    return best;
}

static void show_logits(Run *r, int n)
{
    kn_array y;
    empty(r);
    advance(r, tokens(KN_SHAPE(n)), &y);
    kn_printf("%.5f %.5f %.5f %.5f %.5f %.5f\n", kn_sum(y), kn_sum(kn_square(y)), kn_at(y, "0"), kn_at(y, "1"),
              kn_at(y, "2"), kn_at(y, "3"));
}

static void command(Run *r, const char *name, const char *word, int a, int b)
{
    if (!strcmp(name, "threads"))
        printf("%d\n", kn_set_threads(r->threads = a > 1 ? a : 1));
    else if (!strcmp(name, "weights")) {
        choose_weights(r, word);
        printf("%s\n", word);
    } else if (!strcmp(name, "read"))
        printf("%.6f\n", reads(r, a));
    else if (!strcmp(name, "write"))
        writes(r, a);
    else if (!strcmp(name, "train"))
        train(r, a, b);
    else if (!strcmp(name, "roof"))
        printf("%.4g\n", roof(r));
    else if (!strcmp(name, "logits"))
        show_logits(r, a);
    else if (!strcmp(name, "loss")) {
        kn_array texts = tokens(KN_SHAPE(a, b + 1));
        kn_printf("%.6f\n", loss(&r->model, &texts));
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    KN_SCOPE;
    char line[128], name[32];
    Run r = {.threads = 1, .path = argc > 1 ? argv[1] : "build/gpt2.safetensors"};
    double start = now();
    load(&r.model, r.path);
    printf("loaded %.6f\n", now() - start);
    choose_weights(&r, "f32");
    fflush(stdout);
    r.step = kn_jit(KN_FN(step), .donate_argnums = KN_ARGNUMS(2), .static_argnums = KN_ARGNUMS(5));
    r.train = kn_jit(KN_FN(trained), .donate_argnums = KN_ARGNUMS(0));
    while (fgets(line, sizeof line, stdin)) {
        int a = 0, b = 0;
        char word[32] = "";
        sscanf(line, "%*s %31s", word);
        if (sscanf(line, "%31s %d %d", name, &a, &b) >= 1)
            command(&r, name, word, a, b);
        if (kn_error_pending())
            return kn_finish();
    }
    return kn_finish();
}
