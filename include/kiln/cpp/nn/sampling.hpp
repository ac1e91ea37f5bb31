/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/nn/sampling.hpp -- the functions of kiln/nn/sampling.h in C++. */
/* Made by scripts/make-api.py from api/nn/sampling.api. */
/* clang-format off */
#ifndef KILN_CPP_NN_SAMPLING_HPP
#define KILN_CPP_NN_SAMPLING_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace nn {
struct sample_opts {
    KILN_OPTION((::kiln::array), temperature, {})
    KILN_OPTION((int64_t), top_k, {}) /* as many of the largest stay, and those that are equal to the last */
    KILN_OPTION((::kiln::array), top_p, {}) /* the most likely stay whose probabilities add to at least so much */
    KILN_OPTION((::kiln::array), min_p, {}) /* those stay whose probability is at least so much of the largest one */
    kn_nn_sample_opts c() const {
        kn_nn_sample_opts to_ = {}; to_.size_ = sizeof to_; to_.temperature = detail::c_of(temperature);
        to_.top_k = detail::c_of(top_k); to_.top_p = detail::c_of(top_p); to_.min_p = detail::c_of(min_p); return to_; }
};
struct penalize_logits_opts {
    KILN_OPTION((::kiln::array), repetition, {})
    KILN_OPTION((::kiln::array), presence, {}) /* is taken off what stands in ids */
    KILN_OPTION((::kiln::array), frequency, {}) /* is taken off for each time that it stands there */
    kn_nn_penalize_logits_opts c() const {
        kn_nn_penalize_logits_opts to_ = {}; to_.size_ = sizeof to_; to_.repetition = detail::c_of(repetition);
        to_.presence = detail::c_of(presence); to_.frequency = detail::c_of(frequency); return to_; }
};
/* a token of each row, int64 (...), drawn with the probabilities of kn_nn_filter_logits; rows are independent.
 * ValueError for an empty last axis */
inline array sample(const ::kiln::operand &key, const ::kiln::operand &logits, const ::kiln::nn::sample_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array logits_h = logits.c(); kn_nn_sample_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_nn_sample(key_h, logits_h, &opts_c))); }
using filter_logits_opts = ::kiln::nn::sample_opts;
/* logits divided by the temperature, -infinity where they are not to be drawn: by top_k, of what stays by top_p,
 * then by min_p. The largest always stays */
inline array filter_logits(const ::kiln::operand &logits, const ::kiln::nn::sample_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_nn_sample_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_filter_logits(logits_h, &opts_c))); }
/* logits (..., V) where what stands in ids, integers (..., L), is less likely; ids outside of 0 .. V - 1 count for
 * nothing, so that rows may be filled up with -1 */
inline array penalize_logits(const ::kiln::operand &logits, const ::kiln::operand &ids, const
    ::kiln::nn::penalize_logits_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array ids_h = ids.c(); kn_nn_penalize_logits_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_nn_penalize_logits(logits_h, ids_h, &opts_c))); }
} // namespace nn
} // namespace kiln
#endif
