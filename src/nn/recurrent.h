/* SPDX-License-Identifier: Apache-2.0
 * recurrent.h -- one step of a recurrent network, for its cells and its layers. The weights have PyTorch's shapes: of
 * G gates, one behind the other, w_ih is (G H, I), w_hh (G H, H), the biases (G H). */
#ifndef KN_NN_RECURRENT_H
#define KN_NN_RECURRENT_H
#include "nn/operand.h"

typedef enum { KNNN_LSTM, KNNN_GRU, KNNN_RNN } knnn_kind;

typedef struct knnn_cell {
    knnn_kind kind;
    bool reset_after, relu;
    knnn_float d;
    int64_t inputs, hidden; /* I, H */
} knnn_cell;

/* Weights as they were given; the biases may be NULL. */
typedef struct knnn_weights {
    kn_array w_ih, w_hh, bias_ih, bias_hh;
} knnn_weights;

static inline int knnn_gates(knnn_kind kind) { return kind == KNNN_LSTM ? 4 : kind == KNNN_GRU ? 3 : 1; }
/* The dtypes and H of a cell; TypeError and ValueError for weights that do not fit inputs with I features. */
void knnn_read_cell(kna_op *op, knnn_cell *c, kni_type x, const knnn_weights *w);
bool knnn_read_activation(kna_op *op, const char *activation); /* is it relu? ValueError unless that or tanh */
/* What the gates have of the inputs x, (..., G H), in c->d.wide: with all biases but that of a GRU's candidate that is
 * added beside the state. */
kni_atom knnn_of_inputs(kna_op *op, const knnn_cell *c, kni_atom x, const knnn_weights *w);
/* That bias, (H) in c->d.wide, or KN_ATOM_NONE. */
kni_atom knnn_late_bias(kna_op *op, const knnn_cell *c, const knnn_weights *w);
/* The next state, h and (of an LSTM) c, in c->d.stored, from the last. */
void knnn_step(kni_builder *b, const knnn_cell *c, kni_atom of_inputs, kni_atom w_hh, kni_atom late,
               const kni_atom state[2], kni_atom next[2]);
#endif
