/* SPDX-License-Identifier: Apache-2.0
 * case_control_arrays.c -- loops over arrays: an LSTM and its gradient, neurons that get events, paths of a
 * geometric Brownian motion with random numbers made in the loop. */
#include "control.h"
#include "inputs.h"

/* ---- an LSTM of 64 units; the gates i, f, g, o one after the other */
enum { H = CONTROL_LSTM };
typedef struct {
    kn_array wx, wh, b;
} Weights;
typedef struct {
    kn_array cell, hidden;
} Memory;
typedef struct {
    Memory memory;
    kn_array hidden;
} Remembered;
typedef struct {
    Weights w;
    kn_array x;
} Lstm;

static kn_array gate(kn_array all, int i) { return kn_at(all, "%:%", i * H, (i + 1) * H); }
static Remembered lstm_step(const Weights *w, const Memory *m, const kn_array *x)
{
    kn_array all = kn_add(kn_add(kn_matmul(*x, w->wx), kn_matmul(m->hidden, w->wh)), w->b);
    kn_array cell = kn_add(kn_mul(kn_nn_sigmoid(gate(all, 1)), m->cell),
                           kn_mul(kn_nn_sigmoid(gate(all, 0)), kn_tanh(gate(all, 2))));
    kn_array hidden = kn_mul(kn_nn_sigmoid(gate(all, 3)), kn_tanh(cell));
    return (Remembered){{cell, hidden}, hidden};
}
KN_CLOSURE(lstm_step, Remembered, Weights, Memory, kn_array)
static kn_array lstm_loss(const Weights *w, const kn_array *x)
{
    kn_array zero = kn_zeros(KN_SHAPE(H), .dtype = KN_F32);
    Memory start = {zero, zero};
    Remembered out;
    kn_scan(KN_CLOSE(lstm_step, w), &out, &start, x);
    return kn_mean(kn_square(out.hidden));
}
KN_FUNCTION(lstm_loss, kn_array, Weights, kn_array)
static kn_array lstm(const Lstm *in) { return lstm_loss(&in->w, &in->x); }
static Weights lstm_grad(const Lstm *in)
{
    Weights d;
    kn_call(kn_grad(KN_FN(lstm_loss)), &d, &in->w, &in->x);
    return d;
}
KN_FUNCTION(lstm, kn_array, Lstm)
KN_FUNCTION(lstm_grad, Weights, Lstm)

static void *setup_lstm_of(bool grad)
{
    kn_scope scope = kn_scope_begin();
    int64_t n = bench_steps(256);
    Lstm in = {{kn_mul(bench_wave(KN_SHAPE(H, 4 * H), 1.7), 0.2f), kn_mul(bench_wave(KN_SHAPE(H, 4 * H), 2.3), 0.2f),
                kn_mul(bench_wave(KN_SHAPE(4 * H), 0.7), 0.1f)},
               bench_wave(KN_SHAPE(n, H), 0.37)};
    return control_new((control_row){scope, grad ? KN_FN(lstm_grad) : KN_FN(lstm), CONTROL_IN(in),
                                     .n_out = grad ? 3 : 1, .steps = n,
                                     .c = grad ? control_c_lstm_grad : control_c_lstm, .tolerance = 1e-4});
}
static void *setup_lstm(void) { return setup_lstm_of(false); }
static void *setup_lstm_grad(void) { return setup_lstm_of(true); }

/* ---- neurons that leak, fire, and get events */
typedef struct {
    kn_array target, weight;
} Events;
typedef struct {
    kn_array v, current, fired;
} Neurons;

static Neurons neurons_step(const Neurons *n, const Events *events)
{
    kn_array current = kn_mul(n->current, 0.9f);
    kn_iadd_at(current, events->weight, "%", events->target);
    kn_array v = kn_add(n->v, kn_mul(0.1f, kn_sub(current, n->v)));
    kn_array fires = kn_astype(kn_greater(v, 1), KN_F32);
    return (Neurons){kn_mul(v, kn_sub(1, fires)), current, kn_add(n->fired, fires)};
}
KN_FUNCTION(neurons_step, Neurons, Neurons, Events)
static Neurons neurons(const Events *events)
{
    kn_array zero = kn_zeros(KN_SHAPE(CONTROL_NEURONS), .dtype = KN_F32);
    Neurons start = {zero, zero, zero}, end;
    kn_scan(KN_FN(neurons_step), &end, &start, events);
    return end;
}
KN_FUNCTION(neurons, Neurons, Events)

static void *setup_neurons(void)
{
    kn_scope scope = kn_scope_begin();
    int64_t n = bench_steps(1000);
    kn_shape shape = KN_SHAPE(n, CONTROL_EVENTS);
    kn_array i = kn_arange(0, n * CONTROL_EVENTS, 1, .dtype = KN_I64);
    Events in = {kn_reshape(kn_astype(kn_remainder(kn_mul(i, 7919), 1000), KN_I32), shape),
                 kn_add(kn_mul(bench_wave(shape, 0.37), 2.5f), 3.0f)};
    return control_new((control_row){scope, KN_FN(neurons), CONTROL_IN(in), CONTROL_OUT(Neurons), .steps = n,
                                     .c = control_c_neurons, .tolerance = 1e-3});
}

/* ---- paths of a geometric Brownian motion, 250,000 at once */
static kn_array wander(const kn_array *key, const kn_array *t, const kn_array *s)
{
    kn_array z = kn_random_normal(kn_random_fold_in(*key, *t), KN_SHAPE(CONTROL_PATHS), .dtype = KN_F32);
    return kn_add(*s, kn_mul(*s, kn_add(0.0002f, kn_mul(0.0125f, z))));
}
KN_CLOSURE(wander, kn_array, kn_array, kn_array, kn_array)
static kn_array paths(const kn_array *key)
{
    kn_array s = kn_full(KN_SHAPE(CONTROL_PATHS), 100.0f, .dtype = KN_F32);
    kn_fori_loop(kn_scalar(0), kn_scalar((int)bench_steps(256)), KN_CLOSE(wander, key), &s, &s);
    return s;
}
KN_FUNCTION(paths, kn_array, kn_array)

static void *setup_paths(void)
{
    kn_scope scope = kn_scope_begin();
    kn_array key = kn_random_key(42);
    return control_new((control_row){scope, KN_FN(paths), CONTROL_IN(key), CONTROL_OUT(kn_array),
                                     .steps = bench_steps(256), .c = control_c_paths, .tolerance = 1e-4});
}

/* name, unit, threads, ask, goal, tolerance, setup */
const bench_case bench_control_arrays[] = {
    {"control_lstm", "ms", 2, ASK_JAX, 0, 1e-3, setup_lstm, CONTROL_ROW, .steps = 256},
    {"control_lstm_grad", "ms", 2, ASK_JAX, 0, 1e-2, setup_lstm_grad, CONTROL_ROW, .steps = 256,
     .forward = "control_lstm", .forward_goal = 4},
    {"control_neurons", "ms", 2, ASK_JAX, 0, 1e-3, setup_neurons, CONTROL_ROW, .steps = 1000},
    {"control_gbm", "ms", 2, ASK_ALL, 70, 1e-4, setup_paths, CONTROL_ROW, .steps = 256},
    {0},
};
