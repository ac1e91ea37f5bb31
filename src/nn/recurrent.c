/* SPDX-License-Identifier: Apache-2.0
 * recurrent.c -- one step of recurrent networks: LSTM (gates input, forget, cell, output), GRU (reset, update, new) and
 * the plain kind. */
#include "nn/recurrent.h"
#include "base/options.h"
#include "kiln/nn.h"
#include <string.h>

/* ---- Weights. */

static void check_shape(kna_op *op, const char *name, kn_array x, int ndim, int64_t first, int64_t second)
{
    if (!x)
        return;
    kni_type t = kna_type(op, x);
    const int64_t want[] = {first, second};
    bool fits = t.ndim == ndim;
    for (int i = 0; i < ndim && fits; i++)
        fits = knx_dim_eq(t.dim[i], want[i]);
    knx_text s = {0}, u = {0};
    if (!kna_failed(op) && !fits)
        kna_fail(op, KN_ERROR_VALUE, "%s must have the shape %s, but has %s", name, knx_show_shape(&s, ndim, want),
                 knx_show_shape(&u, t.ndim, t.dim));
}

void knnn_read_cell(kna_op *op, knnn_cell *c, kni_type x, const knnn_weights *w)
{
    kni_type t = kna_type(op, w->w_hh);
    int64_t gates = knnn_gates(c->kind);
    if (!kna_failed(op) && t.ndim != 2)
        kna_fail(op, KN_ERROR_VALUE, "w_hh must have two axes, but has %d", t.ndim);
    if (kna_failed(op))
        return;
    c->hidden = t.dim[1], c->inputs = x.dim[x.ndim - 1];
    int64_t all = knx_dim_mul(gates, c->hidden);
    check_shape(op, "w_hh", w->w_hh, 2, all, c->hidden);
    kna_type(op, w->w_ih);
    check_shape(op, "w_ih", w->w_ih, 2, all, c->inputs);
    check_shape(op, "bias_ih", w->bias_ih, 1, all, 0);
    check_shape(op, "bias_hh", w->bias_hh, 1, all, 0);
}

bool knnn_read_activation(kna_op *op, const char *activation)
{
    bool relu = activation && !strcmp(activation, "relu");
    if (activation && !relu && strcmp(activation, "tanh") != 0)
        kna_fail(op, KN_ERROR_VALUE, "Unknown activation '%s'. Expected 'tanh' or 'relu'.", activation);
    return relu;
}

/* ---- Arithmetic. */

/* x[..., start:limit] */
static kni_atom part(kni_builder *b, kni_atom x, int64_t start, int64_t limit)
{
    kni_type t = knb_type(b, x);
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        hi[i] = t.dim[i];
    lo[t.ndim - 1] = start, hi[t.ndim - 1] = limit;
    return knb_slice(b, x, lo, hi, NULL);
}

/* gate number i of (..., G H) */
static kni_atom gate(kni_builder *b, const knnn_cell *c, kni_atom x, int i)
{
    return part(b, x, knx_dim_mul(i, c->hidden), knx_dim_mul(i + 1, c->hidden));
}

/* x w^T in the wide dtype */
static kni_atom times(kni_builder *b, const knnn_cell *c, kni_atom x, kni_atom w)
{
    int64_t last = knb_type(b, x).ndim - 1, one = 1;
    kni_p_dot_general p = {.lhs_contract = {1, &last}, .rhs_contract = {1, &one}};
    p.preferred_element_type = c->d.wide == c->d.stored ? NULL : c->d.wide;
    return knb_dot_general(b, x, w, &p);
}

static kni_atom plus_bias(kni_builder *b, kni_atom x, kni_atom bias)
{
    return bias == KN_ATOM_NONE ? x : knb_add(b, x, knb_broadcast_to(b, bias, knb_type(b, x)));
}

kni_atom knnn_late_bias(kna_op *op, const knnn_cell *c, const knnn_weights *w)
{
    if (!w->bias_hh || c->kind != KNNN_GRU || !c->reset_after || kna_failed(op))
        return KN_ATOM_NONE;
    return gate(op->b, c, kna_in_as(op, w->bias_hh, c->d.wide), 2);
}

kni_atom knnn_of_inputs(kna_op *op, const knnn_cell *c, kni_atom x, const knnn_weights *w)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_builder *b = op->b;
    kni_atom y = times(b, c, x, kna_in_as(op, w->w_ih, c->d.stored));
    if (w->bias_ih)
        y = plus_bias(b, y, kna_in_as(op, w->bias_ih, c->d.wide));
    if (!w->bias_hh)
        return y;
    kni_atom bias = kna_in_as(op, w->bias_hh, c->d.wide);
    if (c->kind == KNNN_GRU && c->reset_after && !kna_failed(op)) { /* the candidate's part comes later */
        kni_atom none = knb_full(b, kni_type_of(c->d.wide, 1, &c->hidden), 0);
        kni_atom gates = part(b, bias, 0, knx_dim_mul(2, c->hidden));
        bias = knb_concatenate(b, 2, (kni_atom[]){gates, none}, 0);
    }
    return plus_bias(b, y, bias);
}

static void lstm(kni_builder *b, const knnn_cell *c, kni_atom x, kni_atom old, kni_atom next[2])
{
    kni_atom in = knb_logistic(b, gate(b, c, x, 0)), forget = knb_logistic(b, gate(b, c, x, 1));
    kni_atom cell = knb_tanh(b, gate(b, c, x, 2)), output = knb_logistic(b, gate(b, c, x, 3));
    kni_atom kept = knb_mul(b, forget, knb_convert(b, old, c->d.wide));
    kni_atom state = knb_add(b, kept, knb_mul(b, in, cell));
    next[0] = knb_convert(b, knb_mul(b, output, knb_tanh(b, state)), c->d.stored);
    next[1] = knb_convert(b, state, c->d.stored);
}

static kni_atom gru(kni_builder *b, const knnn_cell *c, kni_atom x, kni_atom w_hh, kni_atom late, kni_atom h)
{
    kni_atom wide = knb_convert(b, h, c->d.wide), one = knb_number(b, c->d.wide, 1), of_state, candidate, both;
    if (c->reset_after) {
        of_state = times(b, c, h, w_hh);
        both = knb_add(b, part(b, x, 0, knx_dim_mul(2, c->hidden)), part(b, of_state, 0, knx_dim_mul(2, c->hidden)));
        candidate = plus_bias(b, gate(b, c, of_state, 2), late);
        candidate = knb_mul(b, knb_logistic(b, gate(b, c, both, 0)), candidate);
    } else { /* the state is reset in front of its product */
        int64_t two = knx_dim_mul(2, c->hidden), lo[2] = {two, 0}, hi[2] = {knx_dim_mul(3, c->hidden), c->hidden};
        kni_atom gates = knb_slice(b, w_hh, (int64_t[]){0, 0}, (int64_t[]){two, c->hidden}, NULL);
        both = knb_add(b, part(b, x, 0, two), times(b, c, h, gates));
        kni_atom reset = knb_mul(b, knb_logistic(b, gate(b, c, both, 0)), wide);
        candidate = times(b, c, knb_convert(b, reset, c->d.stored), knb_slice(b, w_hh, lo, hi, NULL));
    }
    kni_atom update = knb_logistic(b, gate(b, c, both, 1));
    kni_atom new = knb_tanh(b, knb_add(b, gate(b, c, x, 2), candidate));
    kni_atom fresh = knb_mul(b, knb_sub(b, one, update), new);
    return knb_convert(b, knb_add(b, fresh, knb_mul(b, update, wide)), c->d.stored);
}

void knnn_step(kni_builder *b, const knnn_cell *c, kni_atom of_inputs, kni_atom w_hh, kni_atom late,
               const kni_atom state[2], kni_atom next[2])
{
    if (c->kind == KNNN_GRU) {
        next[0] = gru(b, c, of_inputs, w_hh, late, state[0]);
        return;
    }
    kni_atom x = knb_add(b, of_inputs, times(b, c, state[0], w_hh));
    if (c->kind == KNNN_LSTM)
        lstm(b, c, x, state[1], next);
    else
        next[0] = knb_convert(b, c->relu ? knb_max(b, x, knb_like(b, x, 0)) : knb_tanh(b, x), c->d.stored);
}

/* ---- Cells. */

/* The state: (..., H) with the axes of x but for the last. */
static kni_atom state_in(kna_op *op, const knnn_cell *c, kn_array s, const char *name, kni_type x)
{
    kni_type t = kna_type(op, s);
    bool fits = t.ndim == x.ndim;
    for (int i = 0; i < x.ndim && fits; i++)
        fits = knx_dim_eq(t.dim[i], i == x.ndim - 1 ? c->hidden : x.dim[i]);
    knx_text u = {0}, v = {0}, w = {0};
    if (!kna_failed(op) && !fits)
        kna_fail(op, KN_ERROR_VALUE, "%s must have the axes of x, %s, with %s in the last one, but has the shape %s",
                 name, knx_show_shape(&u, x.ndim, x.dim), knx_dim_show(&v, c->hidden),
                 knx_show_shape(&w, t.ndim, t.dim));
    return kna_failed(op) ? KN_ATOM_NONE : kna_in_as(op, s, c->d.stored);
}

/* One step of (..., I): the states after it. */
static void cell(knnn_cell c, const char *name, kn_array x, const kn_array state[2], const char *const names[2],
                 const knnn_weights *w, const char *activation, kn_array out[2])
{
    kna_op op;
    kna_begin(&op, name);
    int n = c.kind == KNNN_LSTM ? 2 : 1;
    kni_atom at[2] = {KN_ATOM_NONE, KN_ATOM_NONE}, next[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    c.d = knnn_floats(&op, 7, (kn_array[]){x, state[0], state[1], w->w_ih, w->w_hh, w->bias_ih, w->bias_hh});
    c.relu = knnn_read_activation(&op, activation);
    kni_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.ndim < 1)
        kna_fail(&op, KN_ERROR_VALUE, "x of shape (..., I) is needed, but it is a scalar");
    if (!kna_failed(&op))
        knnn_read_cell(&op, &c, t, w);
    for (int i = 0; i < n; i++)
        at[i] = kna_failed(&op) ? KN_ATOM_NONE : state_in(&op, &c, state[i], names[i], t);
    if (!kna_failed(&op)) {
        kni_atom of_inputs = knnn_of_inputs(&op, &c, kna_in_as(&op, x, c.d.stored), w);
        kni_atom w_hh = kna_in_as(&op, w->w_hh, c.d.stored), late = knnn_late_bias(&op, &c, w);
        if (!kna_failed(&op))
            knnn_step(op.b, &c, of_inputs, w_hh, late, at, next);
    }
    kna_end_n(&op, n, next, out);
}

kn_nn_lstm_state kn_nn_lstm_cell(kn_array x, kn_array h, kn_array c, kn_array w_ih, kn_array w_hh,
                                 const kn_nn_cell_opts *opts)
{
    KNX_OPTS(kn_nn_cell_opts, o, opts);
    kn_array y[2];
    cell((knnn_cell){.kind = KNNN_LSTM}, "nn_lstm_cell", x, (kn_array[]){h, c}, (const char *[]){"h", "c"},
         &(knnn_weights){w_ih, w_hh, o.bias_ih, o.bias_hh}, NULL, y);
    return (kn_nn_lstm_state){y[0], y[1]};
}

kn_array kn_nn_gru_cell(kn_array x, kn_array h, kn_array w_ih, kn_array w_hh, const kn_nn_gru_cell_opts *opts)
{
    KNX_OPTS(kn_nn_gru_cell_opts, o, opts);
    kn_array y[2];
    cell((knnn_cell){.kind = KNNN_GRU, .reset_after = o.reset_after}, "nn_gru_cell", x, (kn_array[]){h, NULL},
         (const char *[]){"h", NULL}, &(knnn_weights){w_ih, w_hh, o.bias_ih, o.bias_hh}, NULL, y);
    return y[0];
}

kn_array kn_nn_rnn_cell(kn_array x, kn_array h, kn_array w_ih, kn_array w_hh, const kn_nn_rnn_cell_opts *opts)
{
    KNX_OPTS(kn_nn_rnn_cell_opts, o, opts);
    kn_array y[2];
    cell((knnn_cell){.kind = KNNN_RNN}, "nn_rnn_cell", x, (kn_array[]){h, NULL}, (const char *[]){"h", NULL},
         &(knnn_weights){w_ih, w_hh, o.bias_ih, o.bias_hh}, o.activation, y);
    return y[0];
}
