/* SPDX-License-Identifier: Apache-2.0
 * test_nn_layers.c -- layers: PyTorch's values and gradients (tests/golden/layers.npz), eager and compiled, in each
 * float dtype; vmap is a loop. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

enum { MOST = 24 };
typedef struct Operands {
    kn_array x[MOST]; /* those of the case, then zeros */
} Operands;
typedef struct Results {
    kn_array y[3]; /* those of the case, then zeros */
} Results;
typedef void (*function)(const Operands *o, kn_array y[3]);

#define CASE(name, ...)                                 \
    static void name(const Operands *o, kn_array y[3])  \
    {                                                   \
        kn_array x = o->x[0], s = o->x[1], b = o->x[2]; \
        (void)x, (void)s, (void)b;                      \
        __VA_ARGS__;                                    \
    }

/* ---- Normalization. */

CASE(layer_norm, y[0] = kn_nn_layer_norm(x, .scale = s, .bias = b))
CASE(layer_norm_2, y[0] = kn_nn_layer_norm(x, KN_AXIS(1, 2), .scale = s, .bias = b, .epsilon = 1e-3))
CASE(rms_norm, y[0] = kn_nn_rms_norm(x, .scale = s))
CASE(group_norm, y[0] = kn_nn_group_norm(x, 2, KN_AXIS(1), .scale = s, .bias = b))
CASE(instance_norm, y[0] = kn_nn_instance_norm(x, KN_AXIS(1), .scale = s, .bias = b))
CASE(batch_norm, y[0] = kn_nn_batch_norm(x, s, b, KN_AXIS(1), .scale = o->x[3], .bias = o->x[4]))
CASE(batch_norm_train,
     kn_nn_batch_norm_result r = kn_nn_batch_norm_train(x, s, b, KN_AXIS(1), .scale = o->x[3], .bias = o->x[4],
                                                        .momentum = 0.9, .unbiased = true);
     y[0] = r.y; y[1] = r.mean; y[2] = r.variance)
CASE(weight_norm, y[0] = kn_nn_weight_norm(x, KN_AXIS(0), .scale = s))
CASE(spectral_norm,
     kn_nn_spectral_norm_result r = kn_nn_spectral_norm(x, kn_div(s, kn_linalg_norm(s)), KN_AXIS(0), .steps = 3);
     y[0] = r.w; y[1] = r.u; y[2] = r.sigma)

/* ---- Positions. */

CASE(rope, y[0] = kn_nn_rope(x))
CASE(rope_at, y[0] = kn_nn_rope(x, .positions = s))
CASE(rope_pairs, y[0] = kn_nn_rope(x, .positions = s, .interleaved = true))
CASE(rope_part, y[0] = kn_nn_rope(x, .positions = s, .interleaved = true, .features = 4))
CASE(sinusoidal, y[0] = kn_nn_sinusoidal_positions(x, 6, .dtype = kn_dtype_of(x)))
CASE(sinusoidal_halves, y[0] = kn_nn_sinusoidal_positions(x, 6, .dtype = kn_dtype_of(x), .interleaved = false))

/* ---- Recurrent networks. */

CASE(lstm_cell, kn_nn_lstm_state t = kn_nn_lstm_cell(x, s, b, o->x[3], o->x[4], .bias_ih = o->x[5], .bias_hh = o->x[6]);
     y[0] = t.h; y[1] = t.c)
CASE(gru_cell, y[0] = kn_nn_gru_cell(x, s, b, o->x[3], .bias_ih = o->x[4], .bias_hh = o->x[5]))
CASE(gru_cell_before,
     y[0] = kn_nn_gru_cell(x, s, b, o->x[3], .bias_ih = o->x[4], .bias_hh = o->x[5], .reset_after = false))
CASE(rnn_cell, y[0] = kn_nn_rnn_cell(x, s, b, o->x[3], .bias_ih = o->x[4], .bias_hh = o->x[5]))
CASE(rnn_cell_relu,
     y[0] = kn_nn_rnn_cell(x, s, b, o->x[3], .bias_ih = o->x[4], .bias_hh = o->x[5], .activation = "relu"))

static void lstm_result(kn_nn_lstm_result r, kn_array y[3]) { y[0] = r.y, y[1] = r.h, y[2] = r.c; }
static void result(kn_nn_recurrent_result r, kn_array y[3]) { y[0] = r.y, y[1] = r.h; }
#define REST(from, n) kn_list_from(o->x + (from), n)
#define DEEP          .h0 = s, .bidirectional = true

CASE(lstm, lstm_result(kn_nn_lstm(x, REST(3, 4), .h0 = s, .c0 = b), y))
CASE(lstm_deep, lstm_result(kn_nn_lstm(x, REST(3, 16), DEEP, .c0 = b), y))
CASE(lstm_lengths, lstm_result(kn_nn_lstm(x, REST(3, 16), DEEP, .c0 = b, .lengths = kn_of(int, 3, 5)), y))
CASE(lstm_bare, lstm_result(kn_nn_lstm(x, REST(3, 4), .h0 = s, .c0 = b, .time_major = true), y))
CASE(gru_deep, result(kn_nn_gru(x, REST(2, 16), DEEP), y))
CASE(gru_lengths, result(kn_nn_gru(x, REST(2, 8), DEEP, .lengths = kn_of(int, 1, 4)), y))
CASE(gru_bare, result(kn_nn_gru(x, REST(2, 2), .h0 = s), y))
CASE(rnn_deep, result(kn_nn_rnn(x, REST(2, 16), DEEP), y))

/* ---- Attention. */

#define BIASES(i) \
    .bias_query = o->x[i], .bias_key = o->x[(i) + 1], .bias_value = o->x[(i) + 2], .bias_out = o->x[(i) + 3]
CASE(heads, y[0] = kn_nn_multi_head_attention(x, s, b, o->x[3], o->x[4], BIASES(5)))
CASE(heads_causal, y[0] = kn_nn_multi_head_attention(x, s, b, o->x[3], o->x[4], BIASES(5), .is_causal = true))
CASE(heads_context, y[0] = kn_nn_multi_head_attention(x, b, o->x[3], o->x[4], o->x[5], BIASES(6), .context = s))
CASE(heads_grouped, y[0] = kn_nn_multi_head_attention(x, s, b, o->x[3], o->x[4], .rope = true, .is_causal = true))

#define FOUR(l, d) "a" l d " b" l d " c" l d " d" l d
#define ALL        FOUR("0", "0") " " FOUR("0", "1") " " FOUR("1", "0") " " FOUR("1", "1")
#define LOGITS     3e-5 /* the softmax of attention is float32 */
static const struct {
    const char *name;
    function f;
    const char *fields;
    double tolerance; /* of float64 */
} cases[] = {
    {"layer_norm", layer_norm, "x s b", 1e-12},
    {"layer_norm_2", layer_norm_2, "x s b", 1e-12},
    {"rms_norm", rms_norm, "x s", 1e-12},
    {"group_norm", group_norm, "x s b", 1e-12},
    {"instance_norm", instance_norm, "x s b", 1e-12},
    {"batch_norm", batch_norm, "x m v s b", 1e-12},
    {"batch_norm_train", batch_norm_train, "x m v s b", 1e-12},
    {"weight_norm", weight_norm, "w g", 1e-11},
    {"spectral_norm", spectral_norm, "w u", 1e-11},
    {"rope", rope, "x", 1e-12},
    {"rope_at", rope_at, "x p", 1e-12},
    {"rope_pairs", rope_pairs, "x p", 1e-12},
    {"rope_part", rope_part, "x p", 1e-12},
    {"sinusoidal", sinusoidal, "p", 1e-12},
    {"sinusoidal_halves", sinusoidal_halves, "p", 1e-12},
    {"lstm_cell", lstm_cell, "x h c " FOUR("0", "0"), 1e-12},
    {"gru_cell", gru_cell, "x h " FOUR("0", "0"), 1e-12},
    {"gru_cell_before", gru_cell_before, "x h " FOUR("0", "0"), 1e-12},
    {"rnn_cell", rnn_cell, "x h " FOUR("0", "0"), 1e-12},
    {"rnn_cell_relu", rnn_cell_relu, "x h " FOUR("0", "0"), 1e-12},
    {"lstm", lstm, "x h c " FOUR("0", "0"), 1e-12},
    {"lstm_deep", lstm_deep, "x h c " ALL, 1e-12},
    {"lstm_lengths", lstm_lengths, "x h c " ALL, 1e-12},
    {"lstm_bare", lstm_bare, "x h c a00 b00 a10 b10", 1e-12},
    {"gru_deep", gru_deep, "x h " ALL, 1e-12},
    {"gru_lengths", gru_lengths, "x h " FOUR("0", "0") " " FOUR("0", "1"), 1e-12},
    {"gru_bare", gru_bare, "x h a00 b00", 1e-12},
    {"rnn_deep", rnn_deep, "x h " ALL, 1e-12},
    {"heads", heads, "x q k v o bq bk bv bo", LOGITS},
    {"heads_causal", heads_causal, "x q k v o bq bk bv bo", LOGITS},
    {"heads_context", heads_context, "x y q k v o bq bk bv bo", LOGITS},
    {"heads_grouped", heads_grouped, "x q k v o", LOGITS},
};
enum { N_CASES = sizeof cases / sizeof *cases };

typedef struct which {
    int i;
} which;
static Results run(const which *w, const Operands *o)
{
    Results r = {{NULL, NULL, NULL}};
    cases[w->i].f(o, r.y);
    for (int i = 0; i < 3; i++)
        if (!r.y[i])
            r.y[i] = kn_scalar(0.0);
    return r;
}
KN_FUNCTION_ENV(run, Results, which, Operands)
static kn_array total(const which *w, const Operands *o) { return kn_sum(kn_cos(run(w, o).y[0])); }
KN_FUNCTION_ENV(total, kn_array, which, Operands)

static const knio_npy *stored(const golden *g, int i, const char *what, const char *field, char text[128])
{
    snprintf(text, 128, "%s %s %s", cases[i].name, what, field);
    for (int k = 0; k < g->n; k++)
        if (!strcmp(g->name[k], text))
            return g->array + k;
    return NULL;
}

/* The operands of a case; fields[] receives their names. */
static int read_operands(const golden *g, int i, kn_dtype d, Operands *o, char fields[MOST][8])
{
    int n = 0;
    char text[128];
    const char *p = cases[i].fields;
    while (*p) {
        size_t size = strcspn(p, " ");
        snprintf(fields[n], 8, "%.*s", (int)size, p);
        o->x[n] = kn_astype(golden_array(stored(g, i, "in", fields[n], text)), d);
        n++;
        p += size + (p[size] == ' ');
    }
    for (int k = n; k < MOST; k++)
        o->x[k] = kn_astype(kn_scalar(0.0), d);
    return n;
}

static void check_case(const golden *g, int i, kn_dtype d, double tolerance)
{
    KN_SCOPE;
    char text[128], fields[MOST][8], number[16];
    which w = {i};
    Operands o, slope;
    int n = read_operands(g, i, d, &o, fields);
    Results eager = run(&w, &o), compiled;
    kn_call(kn_jit(KN_FN_ENV(run, &w)), &compiled, &o);
    for (int k = 0; k < 3; k++) {
        snprintf(number, sizeof number, "%d", k);
        const knio_npy *want = stored(g, i, "out", number, text);
        if (!want)
            break;
        assert_ptr_equal(kn_dtype_of(eager.y[k]),
                         k && cases[i].f == spectral_norm && kn_dtype_size(d) < 4 ? kn_dtype_of(eager.y[k]) : d);
        golden_close(text, kn_astype(eager.y[k], KN_F64), want, tolerance, tolerance);
        assert_true(kn_array_equal(eager.y[k], compiled.y[k]));
    }
    kn_call(kn_jit(kn_grad(KN_FN_ENV(total, &w))), &slope, &o);
    for (int k = 0; k < n; k++) {
        const knio_npy *want = stored(g, i, "grad", fields[k], text);
        if (want)
            golden_close(text, kn_astype(slope.x[k], KN_F64), want, tolerance, tolerance);
    }
    expect_no_error();
}

static void float64_is_that_of_pytorch(void **state)
{
    (void)state;
    golden g = golden_read("layers.npz");
    for (int i = 0; i < N_CASES; i++)
        check_case(&g, i, KN_F64, cases[i].tolerance);
    golden_free(&g);
}

static void float32_is_that_of_pytorch(void **state)
{
    (void)state;
    golden g = golden_read("layers.npz");
    for (int i = 0; i < N_CASES; i++)
        check_case(&g, i, KN_F32, 2e-4);
    golden_free(&g);
}

/* Values alone: operands were rounded, too. */
static void check_short(kn_dtype d, double tolerance)
{
    golden g = golden_read("layers.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        char text[128], fields[MOST][8];
        which w = {i};
        Operands o, wide;
        if (cases[i].f == rope_at || cases[i].f == sinusoidal || cases[i].f == sinusoidal_halves)
            continue; /* the largest positions are no numbers of these dtypes */
        read_operands(&g, i, d, &o, fields);
        for (int k = 0; k < MOST; k++)
            wide.x[k] = kn_astype(o.x[k], KN_F32);
        snprintf(text, sizeof text, "%s", cases[i].name);
        kn_array y = run(&w, &o).y[0], want = run(&w, &wide).y[0];
        assert_ptr_equal(kn_dtype_of(y), d);
        if (!kn_allclose(kn_astype(y, KN_F32), want, .rtol = tolerance, .atol = tolerance))
            fail_msg("%s differs by %g", text, kn_item(kn_max(kn_abs(kn_sub(kn_astype(y, KN_F32), want)))));
    }
    golden_free(&g);
}

static void float16_is_close_to_float32(void **state)
{
    (void)state;
    check_short(KN_F16, 1e-2);
}

static void bfloat16_is_close_to_float32(void **state)
{
    (void)state;
    check_short(KN_BF16, 6e-2);
}

static void vmap_is_a_loop(void **state)
{
    (void)state;
    golden g = golden_read("layers.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        char fields[MOST][8];
        which w = {i};
        Operands o, other, two;
        read_operands(&g, i, KN_F64, &o, fields);
        for (int k = 0; k < MOST; k++) {
            other.x[k] = kn_mul(o.x[k], 0.5);
            two.x[k] = kn_stack(KN_LIST(o.x[k], other.x[k]), KN_AXIS(0));
        }
        Results both, first = run(&w, &o), second = run(&w, &other);
        kn_call(kn_vmap(KN_FN_ENV(run, &w)), &both, &two);
        for (int k = 0; k < 3; k++) {
            assert_true(kn_allclose(kn_at(both.y[k], "0"), first.y[k], .rtol = 1e-6, .atol = 1e-6));
            assert_true(kn_allclose(kn_at(both.y[k], "1"), second.y[k], .rtol = 1e-6, .atol = 1e-6));
        }
    }
    golden_free(&g);
}

/* The same elements, but every other one of memory, from the end. */
static void strides_change_nothing(void **state)
{
    (void)state;
    golden g = golden_read("layers.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        char fields[MOST][8];
        which w = {i};
        Operands o, views;
        int n = read_operands(&g, i, KN_F64, &o, fields);
        views = o;
        for (int k = 0; k < n; k++) {
            kn_array wide = kn_repeat(kn_flip(o.x[k]), kn_num(2), KN_AXIS(0));
            views.x[k] = kn_flip(kn_at(wide, "::2"));
        }
        Results a = run(&w, &o), b = run(&w, &views);
        for (int k = 0; k < 3; k++)
            assert_true(kn_array_equal(a.y[k], b.y[k]));
    }
    golden_free(&g);
}

KN_TEST_GROUP(test_nn_layers)
{
    const struct CMUnitTest tests[] = {
        TEST(float64_is_that_of_pytorch),
        TEST(float32_is_that_of_pytorch),
        TEST(float16_is_close_to_float32),
        TEST(bfloat16_is_close_to_float32),
        TEST(vmap_is_a_loop),
        TEST(strides_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
