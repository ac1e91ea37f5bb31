/* SPDX-License-Identifier: Apache-2.0
 * recurrent_layers.c -- recurrent networks over time: what the gates have of the inputs is one product for all steps,
 * the rest a scan. Several layers, both directions, sequences of different lengths. */
#include "kiln/nn.h"
#include "kiln/random.h"
#include "lib/compose.h"
#include "nn/recurrent.h"
#include "tree/tree.h"

typedef struct layers {
    knl_body body;
    kna_op *op;
    kni_builder *b;
    kn_nn_recurrent_opts o;
    knnn_cell cell;
    const kn_array *weights;                  /* of all layers, one behind the other */
    int each, directions, n;                  /* arrays of a layer's direction, directions, layers */
    kni_type t;                               /* of x as it was given */
    int batch;                                /* axes */
    int64_t time, hidden, shape[KN_MAX_NDIM]; /* H is that of all layers */
    kni_atom lengths;                         /* KN_ATOM_NONE: all are full */
    kni_atom h0, c0;
} layers;

/* ---- Operands. */

static knnn_weights weights_of(const layers *l, int layer, int direction)
{
    const kn_array *w = l->weights + (size_t)(layer * l->directions + direction) * (size_t)l->each;
    return (knnn_weights){w[0], w[1], l->each == 4 ? w[2] : NULL, l->each == 4 ? w[3] : NULL};
}

/* Two matrices for each direction of each layer, or two biases, too. */
static void read_weights(layers *l, kn_list list)
{
    int n = kntree_list_read(l->op, list, &l->weights);
    if (kna_failed(l->op))
        return;
    bool biases = n > 2 && l->weights[2] && kna_type(l->op, l->weights[2]).ndim == 1;
    l->each = biases ? 4 : 2;
    l->directions = l->o.bidirectional ? 2 : 1;
    l->n = n / (l->each * l->directions);
    if (!kna_failed(l->op) && (n == 0 || n % (l->each * l->directions)))
        kna_fail(l->op, KN_ERROR_VALUE,
                 "weights must be w_ih, w_hh, or w_ih, w_hh, bias_ih, bias_hh, for each %s, but there are %d arrays",
                 l->directions == 2 ? "layer and direction" : "layer", n);
}

static void read_shape(layers *l, kn_array x)
{
    l->t = kna_type(l->op, x);
    if (!kna_failed(l->op) && l->t.ndim < 2)
        kna_fail(l->op, KN_ERROR_VALUE, "x of shape (..., T, I) is needed, but it has %d axes", l->t.ndim);
    if (kna_failed(l->op))
        return;
    l->batch = l->t.ndim - 2;
    int at = l->o.time_major ? 0 : l->batch, n = 0;
    l->time = l->t.dim[at];
    for (int i = 0; i < l->t.ndim - 1; i++)
        if (i != at)
            l->shape[n++] = l->t.dim[i];
}

/* All arrays in one dtype. */
static void read_dtype(layers *l, kn_array x)
{
    l->cell.d = knnn_floats(l->op, 3, (kn_array[]){x, l->o.h0, l->o.c0});
    for (int i = 0; i < l->n * l->directions * l->each && !kna_failed(l->op); i++) {
        kna_type(l->op, l->weights[i]);
        kn_dtype d = kna_failed(l->op) ? NULL : knnn_floats(l->op, 1, &l->weights[i]).stored;
        d = d ? knx_promote(l->cell.d.stored, d) : NULL;
        if (d)
            l->cell.d = (knnn_float){d, d->size < 4 ? KN_DT(F32) : d};
    }
}

static kni_atom state_in(layers *l, kn_array s, const char *name)
{
    int64_t dim[KN_MAX_NDIM];
    int n = 0;
    dim[n++] = l->n * l->directions;
    for (int i = 0; i < l->batch; i++)
        dim[n++] = l->shape[i];
    dim[n++] = l->cell.hidden;
    if (!s)
        return knb_full(l->b, kni_type_of(l->cell.d.stored, n, dim), 0);
    kni_type t = kna_type(l->op, s);
    knx_text u = {0}, v = {0};
    if (!kna_failed(l->op) && !kni_type_same_shape(t, kni_type_of(t.dtype, n, dim)))
        kna_fail(l->op, KN_ERROR_VALUE, "%s must have the shape %s, but has %s", name, knx_show_shape(&u, n, dim),
                 knx_show_shape(&v, t.ndim, t.dim));
    return kna_failed(l->op) ? KN_ATOM_NONE : kna_in_as(l->op, s, l->cell.d.stored);
}

static void read_lengths(layers *l)
{
    l->lengths = KN_ATOM_NONE;
    if (!l->o.lengths || kna_failed(l->op))
        return;
    knnn_need_integers(l->op, l->o.lengths, "lengths");
    kni_type t = kna_type(l->op, l->o.lengths);
    knx_text u = {0}, v = {0};
    if (!kna_failed(l->op) && !kni_type_same_shape(t, kni_type_of(t.dtype, l->batch, l->shape)))
        kna_fail(l->op, KN_ERROR_VALUE, "lengths must have the shape of the batch, %s, but have %s",
                 knx_show_shape(&u, l->batch, l->shape), knx_show_shape(&v, t.ndim, t.dim));
    if (!kna_failed(l->op))
        l->lengths = kna_in_as(l->op, l->o.lengths, KN_DT(I64));
}

/* ---- The scan. */

/* The operands of a scan in the making, and what stands for them in its body. */
typedef struct scan {
    kni_builder body;
    int n;
    kni_atom in[8], at[8];
} scan;

static kni_atom operand(layers *l, scan *s, kni_atom x, bool element)
{
    kni_type t = knb_type(l->b, x);
    if (x == KN_ATOM_NONE)
        return KN_ATOM_NONE;
    s->in[s->n] = x;
    s->at[s->n] = knb_invar(&s->body, element ? kni_type_of(t.dtype, t.ndim - 1, t.dim + 1) : t);
    return s->at[s->n++];
}

/* Where a sequence has ended `no`, else `yes`. */
static kni_atom where_it_goes_on(kni_builder *b, kni_atom on, kni_atom yes, kni_atom no)
{
    kni_type t = knb_type(b, yes);
    int64_t front[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim - 1; i++)
        front[i] = i;
    return knb_select(b, knb_broadcast_in_dim(b, on, t.ndim, t.dim, front), yes, no);
}

/* One direction of a layer over gates of (T, ..., G H): the outputs (T, ..., H), and the last states. */
static kni_atom run(layers *l, kni_atom gates, const knnn_weights *w, bool reverse, kni_atom state[2])
{
    const knnn_cell *c = &l->cell;
    scan s = {.n = 0};
    int carried = c->kind == KNNN_LSTM ? 2 : 1;
    bool masked = l->lengths != KN_ATOM_NONE;
    kni_atom w_hh = kna_in_as(l->op, w->w_hh, c->d.stored), late = knnn_late_bias(l->op, c, w), next[3], out[3];
    kni_atom numbers = masked ? knb_iota(l->b, KN_DT(I64), 1, &l->time, 0) : KN_ATOM_NONE;
    if (kna_failed(l->op)) /* the body's builder has errors of its own */
        return KN_ATOM_NONE;
    knb_init(&s.body);
    kni_builder *b = &s.body;
    kni_atom weights = operand(l, &s, w_hh, false), bias = operand(l, &s, late, false),
             lengths = operand(l, &s, l->lengths, false), at[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    int n_const = s.n;
    for (int i = 0; i < carried; i++)
        at[i] = operand(l, &s, state[i], false);
    kni_atom x = operand(l, &s, gates, true);
    kni_atom number = operand(l, &s, numbers, true);
    knnn_step(b, c, x, weights, bias, at, next);
    next[carried] = next[0];
    if (masked) {
        kni_atom on = knb_lt(b, knb_broadcast_to(b, number, knb_type(b, lengths)), lengths);
        next[carried] = where_it_goes_on(b, on, next[0], knb_full(b, knb_type(b, next[0]), 0));
        for (int i = 0; i < carried; i++)
            next[i] = where_it_goes_on(b, on, next[i], at[i]);
    }
    kni_jaxpr *j = knb_finish_for(l->b, b, carried + 1, next);
    out[0] = out[1] = out[2] = KN_ATOM_NONE;
    kni_p_scan p = {
        .jaxpr = j, .length = l->time, .num_carry = carried, .num_consts = n_const, .reverse = reverse, .unroll = 1};
    if (j)
        knb_scan(l->b, &p, s.in, out);
    kni_release(j);
    for (int i = 0; i < carried; i++)
        state[i] = out[i];
    return out[carried];
}

/* Number i along the first axis of x. */
static kni_atom number(layers *l, kni_atom x, int64_t i)
{
    kni_type t = knb_type(l->b, x);
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM];
    if (kna_failed(l->op))
        return KN_ATOM_NONE;
    for (int k = 0; k < t.ndim; k++)
        hi[k] = t.dim[k];
    lo[0] = i, hi[0] = i + 1;
    return knb_reshape(l->b, knb_slice(l->b, x, lo, hi, NULL), t.ndim - 1, t.dim + 1);
}

static kni_atom dropped(layers *l, kni_atom x, int layer)
{
    if (l->o.dropout == 0 || kna_failed(l->op))
        return x;
    kn_array key = kn_random_fold_in(l->o.key, kn_like_int(layer));
    return kna_in(l->op, kn_nn_dropout(key, knl_made(&l->body, x), l->o.dropout, NULL));
}

/* One layer over x of (T, ..., I): its outputs; the states of each direction go into h and c. */
static kni_atom layer(layers *l, kni_atom x, int i, kni_atom *h, kni_atom *c)
{
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    for (int k = 0; k < l->directions; k++) {
        knnn_weights w = weights_of(l, i, k);
        knnn_read_cell(l->op, &l->cell, knb_type(l->b, x), &w);
        knx_text s = {0}, u = {0};
        if (kna_failed(l->op))
            return KN_ATOM_NONE;
        if (i == 0 && k == 0) { /* now H is known */
            l->hidden = l->cell.hidden;
            l->h0 = state_in(l, l->o.h0, "h0");
            l->c0 = l->cell.kind == KNNN_LSTM ? state_in(l, l->o.c0, "c0") : KN_ATOM_NONE;
        }
        if (!knx_dim_eq(l->cell.hidden, l->hidden)) {
            kna_fail(l->op, KN_ERROR_VALUE, "w_hh of layer %d has %s columns, but that of layer 0 has %s", i,
                     knx_dim_show(&s, l->cell.hidden), knx_dim_show(&u, l->hidden));
            return KN_ATOM_NONE;
        }
        int64_t at = i * l->directions + k;
        kni_atom state[2] = {number(l, l->h0, at), KN_ATOM_NONE};
        if (l->cell.kind == KNNN_LSTM)
            state[1] = number(l, l->c0, at);
        kni_atom gates = knnn_of_inputs(l->op, &l->cell, x, &w);
        y[k] = run(l, gates, &w, k == 1 || l->o.reverse, state);
        h[at] = state[0], c[at] = state[1];
    }
    return l->directions == 1 ? y[0] : knb_concatenate(l->b, 2, y, knb_type(l->b, y[0]).ndim - 1);
}

static void check_options(layers *l)
{
    if (kna_failed(l->op))
        return;
    if (l->o.bidirectional && l->o.reverse)
        kna_fail(l->op, KN_ERROR_VALUE, "bidirectional and reverse exclude each other");
    else if (!(l->o.dropout >= 0 && l->o.dropout <= 1))
        kna_fail(l->op, KN_ERROR_VALUE, "dropout must be between 0 and 1, but is %g", l->o.dropout);
    else if (l->o.dropout > 0 && !l->o.key)
        kna_fail(l->op, KN_ERROR_VALUE, "dropout needs a key");
    else if (l->o.c0 && l->cell.kind != KNNN_LSTM)
        kna_fail(l->op, KN_ERROR_VALUE, "c0 is for LSTMs alone");
}

/* All layers: outputs, last h, last c. */
static void through(layers *l, kn_array x, kn_array y[3])
{
    int all = l->n * l->directions;
    kni_atom *h = knx_alloc(2 * (size_t)all * sizeof *h);
    if (!h) {
        kna_fail_with(l->op, knx_error_nomem());
        return;
    }
    kni_atom *c = h + all;
    kni_atom at = kna_in_as(l->op, x, l->cell.d.stored);
    if (!l->o.time_major)
        at = knb_move_axis(l->b, at, l->batch, 0);
    for (int i = 0; i < l->n && !kna_failed(l->op); i++)
        at = layer(l, i ? dropped(l, at, i) : at, i, h, c);
    if (!kna_failed(l->op)) {
        y[0] = knl_made(&l->body, l->o.time_major ? at : knb_move_axis(l->b, at, 0, l->batch));
        y[1] = knl_made(&l->body, knb_stack(l->b, all, h, 0));
        if (l->cell.kind == KNNN_LSTM)
            y[2] = knl_made(&l->body, knb_stack(l->b, all, c, 0));
    }
    knx_free(h);
}

static void recurrent(knnn_kind kind, const char *name, kn_array x, kn_list weights, const kn_nn_recurrent_opts *opts,
                      kn_array y[3])
{
    layers l = {.cell = {.kind = kind}};
    knl_begin(&l.body, name);
    l.op = &l.body.op;
    l.b = l.op->b;
    l.o = kn_nn_recurrent_opts_default();
    knx_read_options(&l.o, sizeof l.o, opts);
    l.cell.reset_after = l.o.reset_after;
    l.cell.relu = knnn_read_activation(l.op, l.o.activation);
    read_shape(&l, x);
    read_weights(&l, weights);
    check_options(&l);
    if (!kna_failed(l.op))
        read_dtype(&l, x);
    read_lengths(&l);
    y[0] = y[1] = y[2] = NULL;
    if (!kna_failed(l.op))
        through(&l, x, y);
    knl_end_n(&l.body, kind == KNNN_LSTM ? 3 : 2, y);
}

kn_nn_lstm_result kn_nn_lstm(kn_array x, kn_list weights, const kn_nn_recurrent_opts *opts)
{
    kn_array y[3];
    recurrent(KNNN_LSTM, "nn_lstm", x, weights, opts, y);
    return (kn_nn_lstm_result){y[0], y[1], y[2]};
}

kn_nn_recurrent_result kn_nn_gru(kn_array x, kn_list weights, const kn_nn_recurrent_opts *opts)
{
    kn_array y[3];
    recurrent(KNNN_GRU, "nn_gru", x, weights, opts, y);
    return (kn_nn_recurrent_result){y[0], y[1]};
}

kn_nn_recurrent_result kn_nn_rnn(kn_array x, kn_list weights, const kn_nn_recurrent_opts *opts)
{
    kn_array y[3];
    recurrent(KNNN_RNN, "nn_rnn", x, weights, opts, y);
    return (kn_nn_recurrent_result){y[0], y[1]};
}
