/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/methods/forward.hpp -- options that methods of arrays name. */
/* Made by scripts/make-api.py. */
/* clang-format off */
#ifndef KILN_CPP_METHODS_FORWARD_HPP
#define KILN_CPP_METHODS_FORWARD_HPP
namespace kiln {
struct any_opts;
struct argmax_opts;
struct astype_opts;
struct byteswap_opts;
struct copy_opts;
struct cumsum_opts;
struct diagonal_opts;
struct getfield_opts;
struct max_opts;
struct mean_opts;
struct mode_opts;
struct partition_opts;
struct ravel_opts;
struct reshape_opts;
struct resize_in_place_opts;
struct round_opts;
struct searchsorted_opts;
struct setflags_opts;
struct sort_opts;
struct squeeze_opts;
struct sum_opts;
struct take_opts;
struct tofile_opts;
struct trace_opts;
struct transpose_opts;
struct var_opts;
}
#endif
