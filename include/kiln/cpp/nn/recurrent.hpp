/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/nn/recurrent.hpp -- the functions of kiln/nn/recurrent.h in C++. */
/* Made by scripts/make-api.py from api/nn/recurrent.api. */
/* clang-format off */
#ifndef KILN_CPP_NN_RECURRENT_HPP
#define KILN_CPP_NN_RECURRENT_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace nn {
struct cell_opts {
    KILN_OPTION((::kiln::array), bias_ih, {})
    KILN_OPTION((::kiln::array), bias_hh, {})
    kn_nn_cell_opts c() const {
        kn_nn_cell_opts to_ = {}; to_.size_ = sizeof to_; to_.bias_ih = detail::c_of(bias_ih);
        to_.bias_hh = detail::c_of(bias_hh); return to_; }
};
struct gru_cell_opts {
    KILN_OPTION((::kiln::array), bias_ih, {})
    KILN_OPTION((::kiln::array), bias_hh, {})
    KILN_OPTION((bool), reset_after, true)
    kn_nn_gru_cell_opts c() const {
        kn_nn_gru_cell_opts to_ = {}; to_.size_ = sizeof to_; to_.bias_ih = detail::c_of(bias_ih);
        to_.bias_hh = detail::c_of(bias_hh); to_.reset_after = detail::c_of(reset_after); return to_; }
};
struct rnn_cell_opts {
    KILN_OPTION((::kiln::array), bias_ih, {})
    KILN_OPTION((::kiln::array), bias_hh, {})
    KILN_OPTION((::kiln::text), activation, {}) /* "tanh" */
    kn_nn_rnn_cell_opts c() const {
        kn_nn_rnn_cell_opts to_ = {}; to_.size_ = sizeof to_; to_.bias_ih = detail::c_of(bias_ih);
        to_.bias_hh = detail::c_of(bias_hh); to_.activation = detail::c_of(activation); return to_; }
};
struct recurrent_opts {
    KILN_OPTION((::kiln::array), h0, {})
    KILN_OPTION((::kiln::array), c0, {}) /* as h0, of LSTMs */
    KILN_OPTION((::kiln::array), lengths, {})
    KILN_OPTION((bool), bidirectional, {})
    KILN_OPTION((bool), reverse, {}) /* from the end to the beginning */
    KILN_OPTION((bool), time_major, {}) /* x and y are (T, ..., I), not (..., T, I) */
    KILN_OPTION((bool), reset_after, true) /* of GRUs, as kn_nn_gru_cell */
    KILN_OPTION((::kiln::text), activation, {}) /* of plain networks */
    KILN_OPTION((double), dropout, {}) /* of the outputs of each layer but the last */
    KILN_OPTION((::kiln::array), key, {}) /* of dropout */
    kn_nn_recurrent_opts c() const {
        kn_nn_recurrent_opts to_ = {}; to_.size_ = sizeof to_; to_.h0 = detail::c_of(h0); to_.c0 = detail::c_of(c0);
        to_.lengths = detail::c_of(lengths); to_.bidirectional = detail::c_of(bidirectional);
        to_.reverse = detail::c_of(reverse); to_.time_major = detail::c_of(time_major);
        to_.reset_after = detail::c_of(reset_after); to_.activation = detail::c_of(activation);
        to_.dropout = detail::c_of(dropout); to_.key = detail::c_of(key); return to_; }
};
struct lstm_state { array h; array c; };
using lstm_cell_opts = ::kiln::nn::cell_opts;
/* flax.linen.LSTMCell: i, f, g, o = w_ih x + bias_ih + w_hh h + bias_hh; c' = sigmoid(f) c + sigmoid(i) tanh(g); h'
 * = sigmoid(o) tanh(c') */
inline ::kiln::nn::lstm_state lstm_cell(const ::kiln::operand &x, const ::kiln::operand &h, const ::kiln::operand &c,
    const ::kiln::operand &w_ih, const ::kiln::operand &w_hh, const ::kiln::nn::cell_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array h_h = h.c(); kn_array c_h = c.c(); kn_array w_ih_h = w_ih.c();
    kn_array w_hh_h = w_hh.c(); kn_nn_cell_opts opts_c = opts.c(); c_.here(); kn_nn_lstm_state
    r_ = c_.value(kn_nn_lstm_cell(x_h, h_h, c_h, w_ih_h, w_hh_h, &opts_c)); return
    ::kiln::nn::lstm_state{array::share(r_.h), array::share(r_.c)}; }
/* flax.linen.GRUCell: r and z are sigmoid(w_ih x + bias_ih + w_hh h + bias_hh), n = tanh(w_ih x + bias_ih + r (w_hh
 * h + bias_hh)), each with its own weights; h' = (1 - z) n + z h */
inline array gru_cell(const ::kiln::operand &x, const ::kiln::operand &h, const ::kiln::operand &w_ih, const
    ::kiln::operand &w_hh, const ::kiln::nn::gru_cell_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array h_h = h.c(); kn_array w_ih_h = w_ih.c(); kn_array
    w_hh_h = w_hh.c(); kn_nn_gru_cell_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_nn_gru_cell(x_h,
    h_h, w_ih_h, w_hh_h, &opts_c))); }
/* flax.linen.SimpleCell: tanh(w_ih x + bias_ih + w_hh h + bias_hh), or relu of it */
inline array rnn_cell(const ::kiln::operand &x, const ::kiln::operand &h, const ::kiln::operand &w_ih, const
    ::kiln::operand &w_hh, const ::kiln::nn::rnn_cell_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array h_h = h.c(); kn_array w_ih_h = w_ih.c(); kn_array
    w_hh_h = w_hh.c(); kn_nn_rnn_cell_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_nn_rnn_cell(x_h,
    h_h, w_ih_h, w_hh_h, &opts_c))); }
struct lstm_result { array y; array h; array c; };
using lstm_opts = ::kiln::nn::recurrent_opts;
/* an LSTM over sequences (torch.nn.LSTM): the outputs (..., T, directions H) of the last layer, and the last states
 * of all of them, (layers directions, ..., H) */
inline ::kiln::nn::lstm_result lstm(const ::kiln::operand &x, const ::kiln::operands &weights, const
    ::kiln::nn::recurrent_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_list weights_h = weights.list(); kn_nn_recurrent_opts
    opts_c = opts.c(); c_.here(); kn_nn_lstm_result r_ = c_.value(kn_nn_lstm(x_h, weights_h, &opts_c)); return
    ::kiln::nn::lstm_result{array::share(r_.y), array::share(r_.h), array::share(r_.c)}; }
struct recurrent_result { array y; array h; };
using gru_opts = ::kiln::nn::recurrent_opts;
/* a GRU over sequences (torch.nn.GRU): the outputs (..., T, directions H) of the last layer, and the last states of
 * all of them, (layers directions, ..., H) */
inline ::kiln::nn::recurrent_result gru(const ::kiln::operand &x, const ::kiln::operands &weights, const
    ::kiln::nn::recurrent_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_list weights_h = weights.list(); kn_nn_recurrent_opts
    opts_c = opts.c(); c_.here(); kn_nn_recurrent_result r_ = c_.value(kn_nn_gru(x_h, weights_h, &opts_c)); return
    ::kiln::nn::recurrent_result{array::share(r_.y), array::share(r_.h)}; }
using rnn_opts = ::kiln::nn::recurrent_opts;
/* a plain recurrent network over sequences (torch.nn.RNN): the outputs (..., T, directions H) of the last layer, and
 * the last states of all of them, (layers directions, ..., H) */
inline ::kiln::nn::recurrent_result rnn(const ::kiln::operand &x, const ::kiln::operands &weights, const
    ::kiln::nn::recurrent_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_list weights_h = weights.list(); kn_nn_recurrent_opts
    opts_c = opts.c(); c_.here(); kn_nn_recurrent_result r_ = c_.value(kn_nn_rnn(x_h, weights_h, &opts_c)); return
    ::kiln::nn::recurrent_result{array::share(r_.y), array::share(r_.h)}; }
} // namespace nn
} // namespace kiln
#endif
