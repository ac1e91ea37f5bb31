/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn/recurrent.h -- recurrent networks. The weights have PyTorch's shapes and order of gates: of G gates, one
 * behind the other, w_ih is (G H, I), w_hh (G H, H), and the biases, if there are any, are (G H). An LSTM has the
 * gates input, forget, cell, output; a GRU reset, update, new; the plain network one. Arrays are promoted to one
 * dtype; float16 and bfloat16 have their gates in float32. ValueError for shapes that do not fit. */
/* Made by scripts/make-api.py from api/nn/recurrent.api. */
/* clang-format off */
#ifndef KILN_NN_RECURRENT_H
#define KILN_NN_RECURRENT_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_nn_cell_opts { size_t size_; kn_array bias_ih; kn_array bias_hh; } kn_nn_cell_opts;
KN_API kn_nn_cell_opts kn_nn_cell_opts_default(void);
typedef struct kn_nn_gru_cell_opts {
    size_t size_;
    kn_array bias_ih;
    kn_array bias_hh;
    /* true: the reset gate is applied to the state's product (PyTorch, ONNX linear_before_reset = 1), else to the
     * state */
    bool reset_after;
} kn_nn_gru_cell_opts;
KN_API kn_nn_gru_cell_opts kn_nn_gru_cell_opts_default(void);
typedef struct kn_nn_rnn_cell_opts {
    size_t size_;
    kn_array bias_ih;
    kn_array bias_hh;
    const char *activation; /* NULL, "tanh"; or "relu" */
} kn_nn_rnn_cell_opts;
KN_API kn_nn_rnn_cell_opts kn_nn_rnn_cell_opts_default(void);
typedef struct kn_nn_recurrent_opts {
    size_t size_;
    /* NULL, zeros: (layers directions, ..., H), the first states: of layer 0 forward, backward, of layer 1 ... */
    kn_array h0;
    kn_array c0;            /* NULL, zeros: as h0, of LSTMs */
    kn_array lengths;       /* integers, how many steps of each sequence count: behind its end y is 0 and states stay */
    bool bidirectional;     /* a second network from the end to the beginning; both outputs one behind the other */
    bool reverse;           /* from the end to the beginning */
    bool time_major;        /* x and y are (T, ..., I), not (..., T, I) */
    bool reset_after;       /* true: of GRUs, as kn_nn_gru_cell */
    const char *activation; /* NULL, "tanh"; or "relu": of plain networks */
    double dropout;         /* of the outputs of each layer but the last */
    kn_array key;           /* of dropout */
} kn_nn_recurrent_opts;
KN_API kn_nn_recurrent_opts kn_nn_recurrent_opts_default(void);

/* ---- Cells, one step: x (..., I), states (..., H). */
typedef struct kn_nn_lstm_state { kn_array h, c; } kn_nn_lstm_state;
/* flax.linen.LSTMCell: i, f, g, o = w_ih x + bias_ih + w_hh h + bias_hh; c' = sigmoid(f) c + sigmoid(i) tanh(g); h'
 * = sigmoid(o) tanh(c') */
KN_API kn_nn_lstm_state kn_nn_lstm_cell(kn_array x, kn_array h, kn_array c, kn_array w_ih, kn_array w_hh,
    const kn_nn_cell_opts *opts);
/* flax.linen.GRUCell: r and z are sigmoid(w_ih x + bias_ih + w_hh h + bias_hh), n = tanh(w_ih x + bias_ih + r (w_hh
 * h + bias_hh)), each with its own weights; h' = (1 - z) n + z h */
KN_API kn_array kn_nn_gru_cell(kn_array x, kn_array h, kn_array w_ih, kn_array w_hh, const kn_nn_gru_cell_opts *opts);
/* flax.linen.SimpleCell: tanh(w_ih x + bias_ih + w_hh h + bias_hh), or relu of it */
KN_API kn_array kn_nn_rnn_cell(kn_array x, kn_array h, kn_array w_ih, kn_array w_hh, const kn_nn_rnn_cell_opts *opts);

/* ---- Layers over time: x (..., T, I), the batch axes first. The weights are a list, for each layer, and for each
 * direction of it: w_ih, w_hh, or w_ih, w_hh, bias_ih, bias_hh, which is the order of PyTorch. Each layer but the
 * first has directions H inputs. */
typedef struct kn_nn_lstm_result { kn_array y, h, c; } kn_nn_lstm_result;
typedef struct kn_nn_recurrent_result { kn_array y, h; } kn_nn_recurrent_result;
/* an LSTM over sequences (torch.nn.LSTM): the outputs (..., T, directions H) of the last layer, and the last states
 * of all of them, (layers directions, ..., H) */
KN_API kn_nn_lstm_result kn_nn_lstm(kn_array x, kn_list weights, const kn_nn_recurrent_opts *opts);
/* a GRU over sequences (torch.nn.GRU): the outputs (..., T, directions H) of the last layer, and the last states of
 * all of them, (layers directions, ..., H) */
KN_API kn_nn_recurrent_result kn_nn_gru(kn_array x, kn_list weights, const kn_nn_recurrent_opts *opts);
/* a plain recurrent network over sequences (torch.nn.RNN): the outputs (..., T, directions H) of the last layer, and
 * the last states of all of them, (layers directions, ..., H) */
KN_API kn_nn_recurrent_result kn_nn_rnn(kn_array x, kn_list weights, const kn_nn_recurrent_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_lstm_cell(x, h, c, w_ih, w_hh, ...) KN_NN_LSTM_CELL_(__COUNTER__, x, h, c, w_ih, w_hh, __VA_ARGS__)
#define KN_NN_LSTM_CELL_(c, x, h, c_, w_ih, w_hh, ...)                                                                 \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(h); kn_array                       \
    KN_V(3, c) = KN_LIKE(c_); kn_array KN_V(4, c) = KN_LIKE(w_ih); kn_array KN_V(5, c) = KN_LIKE(w_hh); KN_OPTS(c,     \
    kn_nn_cell_opts, (), __VA_ARGS__) KN_HERE(); (kn_nn_lstm_cell)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c),     \
    KN_V(5, c), KN_V(opt, c)); })
#define kn_nn_gru_cell(x, h, w_ih, w_hh, ...)                                                                          \
    KN_F4O(kn_nn_gru_cell, kn_nn_gru_cell_opts, (.reset_after = true, ), x, h, w_ih, w_hh, __VA_ARGS__)
#define kn_nn_rnn_cell(x, h, w_ih, w_hh, ...)                                                                          \
    KN_F4O(kn_nn_rnn_cell, kn_nn_rnn_cell_opts, (), x, h, w_ih, w_hh, __VA_ARGS__)
#define kn_nn_lstm(x, weights, ...)                                                                                    \
    KN_H1O(kn_nn_lstm, kn_nn_recurrent_opts, (.reset_after = true, ), x, kn_list, weights, __VA_ARGS__)
#define kn_nn_gru(x, weights, ...)                                                                                     \
    KN_H1O(kn_nn_gru, kn_nn_recurrent_opts, (.reset_after = true, ), x, kn_list, weights, __VA_ARGS__)
#define kn_nn_rnn(x, weights, ...)                                                                                     \
    KN_H1O(kn_nn_rnn, kn_nn_recurrent_opts, (.reset_after = true, ), x, kn_list, weights, __VA_ARGS__)
#endif
#endif
