/* SPDX-License-Identifier: Apache-2.0
 * case_symbolic.c -- functions compiled once with dimension variables (docs/shapes.md) beside the same functions
 * compiled for the shapes of the row: about 10^2, 10^4 and 10^6 elements. */
#include "inputs.h"
#include "support/recurrences.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 6 };

typedef struct {
    kn_array x;
} One;
typedef struct {
    kn_array x, w;
} Two;
typedef struct {
    kn_array x, w, v;
} Three;
typedef struct {
    kn_array x, qkv, out, up, down;
} Block;

/* ---- Elementwise, rows, moves. */

static kn_array chain(const One *a) { return kn_add(kn_tanh(kn_mul(a->x, 2)), kn_mul(kn_exp(kn_neg(a->x)), 0.5f)); }
static kn_array mask(const One *a) { return kn_where(kn_greater(a->x, 0.25f), kn_mul(a->x, 3), kn_square(a->x)); }
static kn_array sum_last(const One *a) { return kn_sum(a->x, KN_AXIS(-1)); }
static kn_array sum_first(const One *a) { return kn_sum(a->x, KN_AXIS(0)); }
static kn_array sum_all(const One *a) { return kn_mean(kn_square(a->x)); }
static kn_array softmax(const One *a) { return kn_nn_softmax(a->x); }
static kn_array layer_norm(const Three *a)
{
    kn_array c = kn_sub(a->x, kn_mean(a->x, KN_AXIS(-1), .keepdims = true));
    kn_array s = kn_sqrt(kn_add(kn_mean(kn_square(c), KN_AXIS(-1), .keepdims = true), 1e-5f));
    return kn_add(kn_mul(kn_div(c, s), a->w), a->v);
}
static kn_array cumulative(const One *a) { return kn_cumsum(a->x, KN_AXIS(-1)); }
static kn_array sorted(const One *a) { return kn_sort(a->x); }
static kn_array index_of(kn_array x, int64_t n) { return kn_astype(kn_remainder(kn_mul(kn_abs(x), 9973), n), KN_I32); }
static kn_array gather(const Two *a) { return kn_take(a->x, index_of(a->w, 100)); }
static kn_array embedding(const Two *a) { return kn_take(a->w, index_of(a->x, 100), KN_AXIS(0)); }
static kn_array stencil(const One *a)
{
    kn_array inner = kn_add(kn_at(a->x, ":-2,1:-1"), kn_at(a->x, "2:,1:-1"));
    return kn_mul(kn_add(inner, kn_add(kn_at(a->x, "1:-1,:-2"), kn_at(a->x, "1:-1,2:"))), 0.25f);
}
static kn_array rolled(const One *a) { return kn_sub(kn_add(kn_roll(a->x, 1), kn_roll(a->x, -1)), kn_mul(a->x, 2)); }
static kn_array joined(const Two *a) { return kn_concatenate(KN_LIST(kn_exp(a->x), kn_mul(kn_sin(a->w), 2))); }
static kn_array padded(const One *a) { return kn_mul(kn_pad(a->x, 3), 2); }
static kn_array turned(const One *a) { return kn_add(kn_copy(kn_transpose(a->x)), 1); }
static kn_array causal(const One *a)
{
    kn_array n = kn_arange(0, kn_dim(a->x, 1), 1, .dtype = KN_I32);
    kn_array sees = kn_less_equal(n, kn_expand_dims(n, KN_AXIS(1)));
    return kn_nn_softmax(kn_where(sees, a->x, -1e9f));
}

/* ---- Products and windows. */

static kn_array dense(const Three *a) { return kn_nn_gelu(kn_add(kn_matmul(a->x, a->w), a->v)); }
static kn_array small(const Two *a) { return kn_matmul(a->x, a->w); }
static kn_array attention(const Three *a) { return kn_nn_dot_product_attention(a->x, a->w, a->v); }
static kn_array conv1d(const Two *a) { return kn_lax_conv_general_dilated(a->x, a->w, KN_SHAPE(1), KN_SAME); }
static kn_array conv2d(const Two *a)
{
    return kn_nn_relu(kn_lax_conv_general_dilated(a->x, a->w, KN_SHAPE(1, 1), KN_SAME));
}
static kn_array pool(const One *a) { return kn_nn_max_pool(a->x, KN_SHAPE(2, 2), .strides = &KN_SHAPE(2, 2)); }
static kn_array rms_norm(kn_array x)
{
    return kn_div(x, kn_sqrt(kn_add(kn_mean(kn_square(x), KN_AXIS(-1), .keepdims = true), 1e-5f)));
}
static kn_array heads(kn_array x, int64_t t, const char *which)
{
    return kn_reshape(kn_at(x, which), KN_SHAPE(t, 4, 16));
}
static kn_array block(const Block *a)
{
    int64_t t = kn_dim(a->x, 0);
    kn_array all = kn_matmul(rms_norm(a->x), a->qkv);
    kn_array y = kn_nn_dot_product_attention(heads(all, t, ":,:64"), heads(all, t, ":,64:128"), heads(all, t, ":,128:"),
                                             .is_causal = true);
    kn_array x = kn_add(a->x, kn_matmul(kn_reshape(y, KN_SHAPE(t, 64)), a->out));
    return kn_add(x, kn_matmul(kn_nn_gelu(kn_matmul(rms_norm(x), a->up)), a->down));
}
static kn_array loss(const Block *a)
{
    kn_array h = kn_tanh(kn_matmul(a->x, a->qkv));
    return kn_mean(kn_square(kn_matmul(kn_tanh(kn_matmul(h, a->out)), a->up)));
}
KN_FUNCTION(loss, kn_array, Block)
static kn_array training(const Block *a)
{
    Block d;
    kn_call(kn_grad(KN_FN(loss)), &d, a);
    return kn_sub(a->qkv, kn_mul(d.qkv, 0.01f));
}
static kn_array pair_distance(const Two *a) { return kn_sqrt(kn_sum(kn_square(kn_sub(a->x, a->w)))); }
KN_FUNCTION(pair_distance, kn_array, Two)
static kn_array lanes(const Two *a)
{
    kn_array y;
    kn_call(kn_vmap(KN_FN(pair_distance)), &y, a);
    return y;
}

/* ---- Loops. */

typedef struct {
    kn_array c, h;
} Memory;
typedef struct {
    Memory m;
    kn_array h;
} Remembered;
static kn_array gate(kn_array all, int i) { return kn_at(all, "...,%:%", i * 16, i * 16 + 16); }
static Remembered lstm_step(const Two *w, const Memory *m, const kn_array *x)
{
    kn_array all = kn_add(kn_matmul(*x, w->x), kn_matmul(m->h, w->w));
    kn_array c =
        kn_add(kn_mul(kn_nn_sigmoid(gate(all, 1)), m->c), kn_mul(kn_nn_sigmoid(gate(all, 0)), kn_tanh(gate(all, 2))));
    kn_array h = kn_mul(kn_nn_sigmoid(gate(all, 3)), kn_tanh(c));
    return (Remembered){{c, h}, h};
}
KN_CLOSURE(lstm_step, Remembered, Two, Memory, kn_array)
static kn_array lstm(const Three *a)
{
    Two w = {a->w, a->v};
    kn_array zero = kn_zeros(KN_SHAPE(16), .dtype = KN_F32);
    Memory start = {zero, zero};
    Remembered out;
    kn_scan(KN_CLOSE(lstm_step, &w), &out, &start, &a->x);
    return out.h;
}
static kn_array gru_step(const Two *w, const kn_array *h, const kn_array *x)
{
    kn_array all = kn_matmul(*h, w->w), z = kn_nn_sigmoid(kn_add(*x, gate(all, 0)));
    return kn_add(kn_mul(z, *h), kn_mul(kn_sub(1, z), kn_tanh(kn_add(*x, kn_mul(w->x, gate(all, 1))))));
}
KN_CLOSURE(gru_step, kn_array, Two, kn_array, kn_array)
static kn_array gru(const Three *a)
{
    Two w = {a->w, a->v};
    kn_array h = kn_zeros(KN_SHAPE(kn_dim(a->x, 1), 16), .dtype = KN_F32);
    kn_scan(KN_CLOSE(gru_step, &w), &h, &h, &a->x);
    return h;
}
static kn_array scalars(const One *a) { return decaying_sum(kn_scalar(0.0f), a->x); }
static kn_array roots(const One *a) { return newton_roots(kn_add(kn_square(a->x), 0.5f)); }

/* ---- Rows. */

typedef struct row {
    kn_scope scope;
    kn_fn general, own; /* with variables; for the shapes alone */
    int n;
    kn_array in[MOST_INPUTS];
} row;

/* The number of a dimension in a text of shapes; numbers: "b=10 t=3". */
static int64_t number_of(const char **text, const char *numbers)
{
    if (isdigit((unsigned char)**text))
        return strtoll(*text, (char **)(uintptr_t)text, 10);
    const char *at = strchr(numbers, *(*text)++);
    return at ? strtoll(at + 2, NULL, 10) : 0;
}

static kn_array input(const char **text, const char *numbers, double frequency)
{
    kn_shape shape = {0};
    while (**text && !strchr(",;", **text)) {
        while (**text == ' ')
            ++*text;
        shape.dim[shape.ndim++] = number_of(text, numbers);
    }
    *text += **text == ',';
    return bench_wave(shape, frequency);
}

static void *setup(kn_fn f, size_t n, const char *shapes, const char *numbers)
{
    row *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->scope = kn_scope_begin();
    r->n = (int)n;
    const char *at = shapes;
    for (int i = 0; i < r->n; i++) {
        r->in[i] = kn_mul(input(&at, numbers, 1.7 - 0.4 * i), i ? 0.25f : 1.0f);
        kn_eval(r->in[i]);
    }
    char text[80];
    size_t end = strcspn(shapes, ";"); /* constraints follow */
    snprintf(text, sizeof text, "%.*s", (int)end, shapes);
    r->general = kn_jit(f, .symbolic = text, .constraints = shapes[end] ? shapes + end + 1 : NULL);
    r->own = kn_jit(f);
    return r;
}

static void teardown(void *state)
{
    row *r = state;
    kn_scope_end(&r->scope);
    free(r);
}

static double run_fn(kn_fn f, row *r, int times)
{
    kn_array y;
    kn_outs outs = {1, {{&y, sizeof y}}};
    kn_args args = {1, {{r->in, (size_t)r->n * sizeof *r->in}}};
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        if ((kn_call)(f, &outs, &args))
            return -1;
    }
    return bench_now() - start;
}
static double run_general(void *state, int times) { return run_fn(((row *)state)->general, state, times); }
static double run_own(void *state, int times) { return run_fn(((row *)state)->own, state, times); }

static double differs(void *state, int i)
{
    KN_SCOPE;
    row *r = state;
    kn_array y[2];
    (void)i;
    for (int k = 0; k < 2; k++) {
        kn_outs outs = {1, {{&y[k], sizeof y[k]}}};
        kn_args args = {1, {{r->in, (size_t)r->n * sizeof *r->in}}};
        if ((kn_call)(k ? r->own : r->general, &outs, &args))
            return 2;
    }
    return kn_array_equal(y[0], y[1], .equal_nan = true) ? 0 : 2;
}

/* name; type of the arguments; their shapes, behind ';' constraints; numbers of the variables; goals */
#define ALL(X)                                                                             \
    X(chain, One, "n", "n=100", "n=10000", "n=1000000")                                    \
    X(mask, One, "n", "n=100", "n=10000", "n=1000000")                                     \
    X(sum_last, One, "b t", "b=10 t=10", "b=100 t=100", "b=1000 t=1000")                   \
    X(sum_first, One, "b t", "b=10 t=10", "b=100 t=100", "b=1000 t=1000")                  \
    X(sum_all, One, "b t", "b=10 t=10", "b=100 t=100", "b=1000 t=1000")                    \
    X(softmax, One, "b t", "b=10 t=10", "b=100 t=100", "b=1000 t=1000")                    \
    X(layer_norm, Three, "b 64, 64, 64", "b=2", "b=156", "b=15600")                        \
    X(cumulative, One, "b t", "b=10 t=10", "b=100 t=100", "b=1000 t=1000")                 \
    X(sorted, One, "b t", "b=10 t=10", "b=100 t=100", "b=1000 t=1000")                     \
    X(gather, Two, "n, m", "n=100 m=100", "n=10000 m=10000", "n=1000000 m=1000000")        \
    X(embedding, Two, "t, 100 64", "t=2", "t=156", "t=15600")                              \
    X(stencil, One, "h w; h >= 2; w >= 2", "h=10 w=10", "h=100 w=100", "h=1000 w=1000")    \
    X(rolled, One, "n", "n=100", "n=10000", "n=1000000")                                   \
    X(joined, Two, "n, m", "n=40 m=60", "n=4000 m=6000", "n=400000 m=600000")              \
    X(padded, One, "h w", "h=10 w=10", "h=100 w=100", "h=1000 w=1000")                     \
    X(turned, One, "h w", "h=10 w=10", "h=100 w=100", "h=1000 w=1000")                     \
    X(causal, One, "t t", "t=10", "t=100", "t=1000")                                       \
    X(dense, Three, "b 64, 64 64, 64", "b=2", "b=156", "b=15600")                          \
    X(small, Two, "b 8 8, b 8 8", "b=2", "b=156", "b=15600")                               \
    X(attention, Three, "t 4 32, t 4 32, t 4 32", "t=3", "t=80", "t=800")                  \
    X(conv1d, Two, "b 4 t, 8 4 5", "b=1 t=25", "b=2 t=1250", "b=25 t=10000")               \
    X(conv2d, Two, "b 4 h w, 8 4 3 3", "b=1 h=5 w=5", "b=4 h=25 w=25", "b=25 h=100 w=100") \
    X(pool, One, "b 4 h w", "b=1 h=6 w=6", "b=4 h=26 w=26", "b=25 h=100 w=100")            \
    X(block, Block, "t 64, 64 192, 64 64, 64 256, 256 64", "t=2", "t=156", "t=800")        \
    X(training, Block, "b 64, 64 64, 64 64, 64 8, 1", "b=2", "b=156", "b=15600")           \
    X(lanes, Two, "b 8, b 8", "b=12", "b=1250", "b=125000")                                \
    X(lstm, Three, "t 16, 16 64, 16 64", "t=6", "t=600", "t=60000")                        \
    X(gru, Three, "t b 16, 16, 16 32", "t=6 b=2", "t=60 b=10", "t=600 b=100")              \
    X(scalars, One, "t", "t=100", "t=10000", "t=1000000")                                  \
    X(roots, One, "n", "n=100", "n=10000", "n=1000000")

#define SETUP(name, T, shapes, few, some, many)                                                            \
    KN_FUNCTION(name, kn_array, T)                                                                         \
    static void *name##_2(void) { return setup(KN_FN(name), sizeof(T) / sizeof(kn_array), shapes, few); }  \
    static void *name##_4(void) { return setup(KN_FN(name), sizeof(T) / sizeof(kn_array), shapes, some); } \
    static void *name##_6(void) { return setup(KN_FN(name), sizeof(T) / sizeof(kn_array), shapes, many); }
ALL(SETUP)

#define ROW(name_, ratio_, setup_)                                                                       \
    {                                                                                                    \
        .name = name_, .unit = "us", .threads = 1, .ratio = ratio_, .setup = setup_, .run = run_general, \
        .teardown = teardown, .differs = differs, .other = {                                             \
            {.name = "own", .run = run_own, .peer = true}                                                \
        }                                                                                                \
    }
#define ROWS(name, T, shapes, few, some, many)                                               \
    ROW("symbolic_" #name "_2", 0.9, name##_2), ROW("symbolic_" #name "_4", 0.97, name##_4), \
        ROW("symbolic_" #name "_6", 0.97, name##_6),
const bench_case bench_symbolic[] = {ALL(ROWS){0}};
