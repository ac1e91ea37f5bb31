/* SPDX-License-Identifier: Apache-2.0
 * native.c -- the cases of inputs.mjs in Kiln for this machine, which takes turns with the libraries of JavaScript: it
 * reads lines "prepare KIND N" and answers with four numbers of the result, and "run TIMES": milliseconds of a call. */
#include <kiln/kiln.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(getenv("BENCH_CPU") ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* sin(i * frequency) * scale, as JavaScript has it. */
static kn_array wave(kn_shape shape, double frequency, double scale)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++)
        n *= shape.dim[i];
    float *v = malloc((size_t)n * sizeof *v + 1);
    for (int64_t i = 0; v && i < n; i++)
        v[i] = (float)((double)(float)sin((double)i * frequency) * scale);
    kn_array x = v ? kn_from_memory(v, &shape, KN_F32) : kn_zeros(KN_SHAPE(0));
    free(v);
    return x;
}

/* ---- The cases. What they take is in `in`, what they give is in `out`; a step of the network replaces its input. */
enum { MOST = 8 };
static struct {
    kn_fn f;
    kn_array in[MOST];
    kn_array out;
    bool steps, pair;
} now_run;

static kn_array chain(const kn_array *p)
{
    kn_array x = *p;
    return kn_add(kn_mul(kn_exp(kn_negative(kn_mul(x, x))), kn_sin(x)), kn_mul(x, 0.5f));
}
KN_FUNCTION(chain, kn_array, kn_array)
static kn_array softmax(const kn_array *x) { return kn_nn_softmax(*x, KN_AXIS(-1)); }
KN_FUNCTION(softmax, kn_array, kn_array)
static kn_array sum(const kn_array *x) { return kn_sum(*x); }
KN_FUNCTION(sum, kn_array, kn_array)
static kn_array columns(const kn_array *x) { return kn_mean(*x, KN_AXIS(0)); }
KN_FUNCTION(columns, kn_array, kn_array)
static kn_array product(const kn_array *a, const kn_array *b) { return kn_matmul(*a, *b); }
KN_FUNCTION(product, kn_array, kn_array, kn_array)
static kn_array convolution(const kn_array *x, const kn_array *w)
{
    return kn_lax_conv(*x, *w, KN_SHAPE(1, 1), KN_SAME);
}
KN_FUNCTION(convolution, kn_array, kn_array, kn_array)
static kn_array sort(const kn_array *x) { return kn_sort(*x); }
KN_FUNCTION(sort, kn_array, kn_array)
static kn_array fourier(const kn_array *x) { return kn_fft_fft(*x); }
KN_FUNCTION(fourier, kn_array, kn_array)

typedef struct {
    kn_array w1, b1, w2, b2;
} Net;
typedef struct {
    kn_array x, labels;
} Batch;
static kn_array loss(const Net *p, const Batch *batch)
{
    kn_array hidden = kn_nn_relu(kn_add(kn_matmul(batch->x, p->w1), p->b1));
    kn_array out = kn_nn_log_softmax(kn_add(kn_matmul(hidden, p->w2), p->b2), KN_AXIS(-1));
    return kn_negative(kn_mean(kn_sum(kn_mul(out, batch->labels), KN_AXIS(1))));
}
KN_FUNCTION(loss, kn_array, Net, Batch)
static kn_array less(kn_array p, kn_array grad) { return kn_sub(p, kn_mul(grad, 0.01f)); }
static Net step(const Net *p, const Batch *batch)
{
    Net d;
    kn_call(kn_grad(KN_FN(loss)), &d, p, batch);
    return (Net){less(p->w1, d.w1), less(p->b1, d.b1), less(p->w2, d.w2), less(p->b2, d.b2)};
}
KN_FUNCTION(step, Net, Net, Batch)

typedef struct {
    kn_array f, q, h, r, eye;
} Model;
typedef struct {
    kn_array mean, covariance;
} Belief;
typedef struct {
    Belief now;
    kn_array kept;
} Filtered;
static kn_array sandwich(kn_array a, kn_array p) { return kn_matmul(kn_matmul(a, p), kn_transpose(a)); }
static Filtered filter(const Model *m, const Belief *b, const kn_array *z)
{
    kn_array a = kn_matmul(m->f, b->mean), c = kn_add(sandwich(m->f, b->covariance), m->q);
    kn_array s = kn_add(sandwich(m->h, c), m->r), t = kn_sum(kn_mul(s, m->eye));
    kn_array det = kn_mul(kn_sub(kn_mul(t, t), kn_sum(kn_mul(s, kn_transpose(s)))), 0.5f);
    kn_array inverse = kn_div(kn_sub(kn_mul(t, m->eye), s), det);
    kn_array k = kn_matmul(kn_matmul(c, kn_transpose(m->h)), inverse);
    kn_array next = kn_add(a, kn_matmul(k, kn_sub(*z, kn_matmul(m->h, a))));
    return (Filtered){{next, kn_sub(c, kn_matmul(kn_matmul(k, m->h), c))}, next};
}
KN_CLOSURE(filter, Filtered, Model, Belief, kn_array)
static kn_array kalman(const Model *m, const Belief *first, const kn_array *seen)
{
    Filtered f;
    kn_scan(KN_CLOSE(filter, m), &f, first, seen);
    return f.kept;
}
KN_FUNCTION(kalman, kn_array, Model, Belief, kn_array)

/* ---- Inputs. */
static void keep(int n, kn_fn f, const kn_array *in)
{
    now_run.f = f;
    for (int i = 0; i < n; i++) {
        kn_eval(in[i]);
        now_run.in[i] = kn_retain(in[i]);
    }
}
static kn_array matrix(int rows, int columns_, const float *v)
{
    return kn_from_memory(v, &KN_SHAPE(rows, columns_), KN_F32);
}
static void keep_kalman(int n)
{
    const float dt = 0.1f;
    const float f[] = {1, 0, dt, 0, 0, 1, 0, dt, 0, 0, 1, 0, 0, 0, 0, 1}, h[] = {1, 0, 0, 0, 0, 1, 0, 0};
    kn_array eye4 = kn_eye(4, .dtype = KN_F32), eye2 = kn_eye(2, .dtype = KN_F32);
    kn_array drift = kn_mul(kn_expand_dims(kn_arange(0, n, 1, .dtype = KN_F32), KN_AXIS(1)), 0.05f);
    keep(8, kn_jit(KN_FN(kalman)),
         (kn_array[]){matrix(4, 4, f), kn_mul(eye4, 0.01f), matrix(2, 4, h), kn_mul(eye2, 0.36f), eye2,
                      kn_zeros(KN_SHAPE(4), .dtype = KN_F32), kn_mul(eye4, 4.f),
                      kn_add(wave(KN_SHAPE(n, 2), 0.9, 1), drift)});
}
static kn_array one_hot(int n)
{
    kn_array labels = kn_remainder(kn_mul(kn_arange(0, n, 1), 7), 10);
    return kn_nn_one_hot(labels, 10, .dtype = KN_F32);
}
static bool prepare(const char *kind, int n)
{
    now_run.steps = !strcmp(kind, "mlp"), now_run.pair = !strcmp(kind, "fft");
    if (!strcmp(kind, "chain"))
        keep(1, kn_jit(KN_FN(chain)), (kn_array[]){wave(KN_SHAPE(n), 0.37, 1)});
    else if (!strcmp(kind, "softmax"))
        keep(1, kn_jit(KN_FN(softmax)), (kn_array[]){wave(KN_SHAPE(n, 1000), 0.37, 4)});
    else if (!strcmp(kind, "sum"))
        keep(1, kn_jit(KN_FN(sum)), (kn_array[]){wave(KN_SHAPE(n), 0.37, 1)});
    else if (!strcmp(kind, "columns"))
        keep(1, kn_jit(KN_FN(columns)), (kn_array[]){wave(KN_SHAPE(n, 1000), 0.29, 1)});
    else if (!strcmp(kind, "product"))
        keep(2, kn_jit(KN_FN(product)), (kn_array[]){wave(KN_SHAPE(n, n), 0.37, 1), wave(KN_SHAPE(n, n), 0.73, 1)});
    else if (!strcmp(kind, "convolution"))
        keep(2, kn_jit(KN_FN(convolution)),
             (kn_array[]){wave(KN_SHAPE(n, 16, 32, 32), 0.37, 1), wave(KN_SHAPE(32, 16, 3, 3), 0.73, 1)});
    else if (!strcmp(kind, "sort"))
        keep(1, kn_jit(KN_FN(sort)), (kn_array[]){kn_fmod(wave(KN_SHAPE(n), 12.9898, 43758.5453), 1)});
    else if (!strcmp(kind, "fft"))
        keep(1, kn_jit(KN_FN(fourier)),
             (kn_array[]){kn_lax_complex(wave(KN_SHAPE(n), 0.37, 1), wave(KN_SHAPE(n), 0.11, 1))});
    else if (now_run.steps)
        keep(6, kn_jit(KN_FN(step)),
             (kn_array[]){wave(KN_SHAPE(784, 128), 1.7, 0.05), kn_zeros(KN_SHAPE(128), .dtype = KN_F32),
                          wave(KN_SHAPE(128, 10), 2.7, 0.05), kn_zeros(KN_SHAPE(10), .dtype = KN_F32),
                          wave(KN_SHAPE(n, 784), 0.37, 1), one_hot(n)});
    else if (!strcmp(kind, "kalman"))
        keep_kalman(n);
    else
        return false;
    return !kn_error_pending();
}

/* ---- A call. What it takes lies in the order of its structures. */
static kn_array call(void)
{
    kn_array out = NULL, *in = now_run.in;
    if (now_run.steps) {
        Net next;
        kn_call(now_run.f, &next, (Net *)(void *)in, (Batch *)(void *)(in + 4));
        kn_array *made = &next.w1;
        for (int i = 0; i < 4; i++) {
            kn_retain(made[i]);
            kn_release(in[i]);
            in[i] = made[i];
        }
        out = in[1];
        kn_eval(in[0]);
    } else if (in[5]) {
        kn_call(now_run.f, &out, (Model *)(void *)in, (Belief *)(void *)(in + 5), &in[7]);
    } else if (in[1]) {
        kn_call(now_run.f, &out, &in[0], &in[1]);
    } else {
        kn_call(now_run.f, &out, &in[0]);
    }
    kn_eval(out);
    return out;
}
static void tell(void)
{
    KN_SCOPE;
    kn_array y = call();
    if (now_run.pair)
        y = kn_stack(KN_LIST(kn_real(y), kn_imag(y)), KN_AXIS(-1));
    kn_array v = kn_astype(kn_ravel(y), KN_F64);
    if (kn_error_pending())
        printf("error %s\n", kn_error_message());
    else
        printf("%.9g %.9g %.9g %.9g\n", kn_item(kn_mean(v)), kn_item(kn_mean(kn_abs(v))),
               kn_item(kn_sqrt(kn_mean(kn_mul(v, v)))), kn_item(kn_at(v, "0")));
}
int main(void)
{
    char kind[32];
    int n;
    while (scanf("%31s", kind) == 1) {
        if (!strcmp(kind, "run") && scanf("%d", &n) == 1) {
            double start = now();
            for (int i = 0; i < n; i++) {
                KN_SCOPE;
                call();
            }
            printf("%.9g\n", (now() - start) / n);
        } else if (scanf("%31s %d", kind, &n) == 2) {
            KN_SCOPE;
            for (int i = 0; i < MOST; i++)
                if (now_run.in[i]) {
                    kn_release(now_run.in[i]);
                    now_run.in[i] = NULL;
                }
            if (prepare(kind, n)) {
                kn_retain(now_run.f);
                tell();
            } else
                printf("error %s\n", kn_error_pending() ? kn_error_message() : "unknown case");
            kn_error_clear();
        }
        fflush(stdout);
    }
    return 0;
}
