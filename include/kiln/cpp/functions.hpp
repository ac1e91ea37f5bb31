/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/functions.hpp -- all functions that are made of descriptions, and the methods that call them. */
/* Made by scripts/make-api.py. */
/* clang-format off */
#ifndef KILN_CPP_FUNCTIONS_HPP
#define KILN_CPP_FUNCTIONS_HPP
#include "kiln/cpp/checkpoint.hpp"
#include "kiln/cpp/data.hpp"
#include "kiln/cpp/device.hpp"
#include "kiln/cpp/distributed.hpp"
#include "kiln/cpp/eager.hpp"
#include "kiln/cpp/extend.hpp"
#include "kiln/cpp/fft.hpp"
#include "kiln/cpp/initializers.hpp"
#include "kiln/cpp/io.hpp"
#include "kiln/cpp/jaxpr.hpp"
#include "kiln/cpp/lax/convolutions.hpp"
#include "kiln/cpp/lax/elementwise.hpp"
#include "kiln/cpp/lax/products.hpp"
#include "kiln/cpp/lax/reductions.hpp"
#include "kiln/cpp/lax/shapes.hpp"
#include "kiln/cpp/lax/slicing.hpp"
#include "kiln/cpp/lax/windows.hpp"
#include "kiln/cpp/lax.hpp"
#include "kiln/cpp/linalg.hpp"
#include "kiln/cpp/memory.hpp"
#include "kiln/cpp/nn/attention.hpp"
#include "kiln/cpp/nn/dropout.hpp"
#include "kiln/cpp/nn/embedding.hpp"
#include "kiln/cpp/nn/normalization.hpp"
#include "kiln/cpp/nn/quantize.hpp"
#include "kiln/cpp/nn/recurrent.hpp"
#include "kiln/cpp/nn/sampling.hpp"
#include "kiln/cpp/nn.hpp"
#include "kiln/cpp/numpy/creation.hpp"
#include "kiln/cpp/numpy/dtypes.hpp"
#include "kiln/cpp/numpy/error_state.hpp"
#include "kiln/cpp/numpy/functional.hpp"
#include "kiln/cpp/numpy/indexing.hpp"
#include "kiln/cpp/numpy/introspection.hpp"
#include "kiln/cpp/numpy/iteration.hpp"
#include "kiln/cpp/numpy/logic.hpp"
#include "kiln/cpp/numpy/manipulation.hpp"
#include "kiln/cpp/numpy/mathematics.hpp"
#include "kiln/cpp/numpy/polynomials.hpp"
#include "kiln/cpp/numpy/printing.hpp"
#include "kiln/cpp/numpy/products.hpp"
#include "kiln/cpp/numpy/reductions.hpp"
#include "kiln/cpp/numpy/sorting.hpp"
#include "kiln/cpp/numpy/statistics.hpp"
#include "kiln/cpp/numpy/ufunc.hpp"
#include "kiln/cpp/offload.hpp"
#include "kiln/cpp/optim/around.hpp"
#include "kiln/cpp/optim/assignment.hpp"
#include "kiln/cpp/optim/contrib.hpp"
#include "kiln/cpp/optim/functions.hpp"
#include "kiln/cpp/optim/losses.hpp"
#include "kiln/cpp/optim/optimizers.hpp"
#include "kiln/cpp/optim/projections.hpp"
#include "kiln/cpp/optim/scales.hpp"
#include "kiln/cpp/optim/schedules.hpp"
#include "kiln/cpp/optim/searches.hpp"
#include "kiln/cpp/optim/transforms.hpp"
#include "kiln/cpp/optim/trees.hpp"
#include "kiln/cpp/optim.hpp"
#include "kiln/cpp/partition.hpp"
#include "kiln/cpp/print.hpp"
#include "kiln/cpp/progress.hpp"
#include "kiln/cpp/provider.hpp"
#include "kiln/cpp/random.hpp"
#include "kiln/cpp/random_state.hpp"
#include "kiln/cpp/rng.hpp"
#include "kiln/cpp/safetensors.hpp"
#include "kiln/cpp/segments.hpp"
#include "kiln/cpp/sharding.hpp"
#include "kiln/cpp/signal.hpp"
#include "kiln/cpp/source.hpp"
#include "kiln/cpp/special.hpp"
#include "kiln/cpp/testing.hpp"
#include "kiln/cpp/tree.hpp"

namespace kiln {
inline int array::tofile(const ::kiln::text &fname, place where) const { return ::kiln::tofile(*this, fname, {}, where);
    }
inline int array::tofile(const ::kiln::text &fname, const ::kiln::tofile_opts &opts, place where) const { return
    ::kiln::tofile(*this, fname, opts, where); }
inline array array::base(place where) const { return ::kiln::base(*this, where); }
inline int array::setflags(place where) const { return ::kiln::setflags(*this, {}, where); }
inline int array::setflags(const ::kiln::setflags_opts &opts, place where) const { return ::kiln::setflags(*this, opts,
    where); }
inline array array::copy(place where) const { return ::kiln::copy(*this, {}, where); }
inline array array::copy(const ::kiln::copy_opts &opts, place where) const { return ::kiln::copy(*this, opts, where); }
inline array array::astype(const ::kiln::dtype &dtype, place where) const { return ::kiln::astype(*this, dtype, {},
    where); }
inline array array::astype(const ::kiln::dtype &dtype, const ::kiln::astype_opts &opts, place where) const { return
    ::kiln::astype(*this, dtype, opts, where); }
inline array array::take(const ::kiln::operand &indices, place where) const { return ::kiln::take(*this, indices, {},
    where); }
inline array array::take(const ::kiln::operand &indices, const ::kiln::take_opts &opts, place where) const { return
    ::kiln::take(*this, indices, opts, where); }
inline array array::choose(const ::kiln::operands &choices, place where) const { return ::kiln::choose(*this, choices,
    {}, where); }
inline array array::choose(const ::kiln::operands &choices, const ::kiln::mode_opts &opts, place where) const { return
    ::kiln::choose(*this, choices, opts, where); }
inline array array::compress(const ::kiln::operand &a, place where) const { return ::kiln::compress(*this, a, {},
    where); }
inline array array::compress(const ::kiln::operand &a, const ::kiln::squeeze_opts &opts, place where) const { return
    ::kiln::compress(*this, a, opts, where); }
inline int array::fill(const ::kiln::operand &v, place where) const { return ::kiln::fill(*this, v, where); }
inline int array::put(const ::kiln::operand &ind, const ::kiln::operand &v, place where) const { return
    ::kiln::put(*this, ind, v, {}, where); }
inline int array::put(const ::kiln::operand &ind, const ::kiln::operand &v, const ::kiln::mode_opts &opts, place where)
    const { return ::kiln::put(*this, ind, v, opts, where); }
inline array array::reshape(const ::kiln::shape &shape, place where) const { return ::kiln::reshape(*this, shape, {},
    where); }
inline array array::reshape(const ::kiln::shape &shape, const ::kiln::reshape_opts &opts, place where) const { return
    ::kiln::reshape(*this, shape, opts, where); }
inline array array::ravel(place where) const { return ::kiln::ravel(*this, {}, where); }
inline array array::ravel(const ::kiln::ravel_opts &opts, place where) const { return ::kiln::ravel(*this, opts, where);
    }
inline array array::flatten(place where) const { return ::kiln::flatten(*this, {}, where); }
inline array array::flatten(const ::kiln::ravel_opts &opts, place where) const { return ::kiln::flatten(*this, opts,
    where); }
inline array array::transpose(place where) const { return ::kiln::transpose(*this, {}, where); }
inline array array::transpose(const ::kiln::transpose_opts &opts, place where) const { return ::kiln::transpose(*this,
    opts, where); }
inline array array::mT(place where) const { return ::kiln::matrix_transpose(*this, where); }
inline array array::swapaxes(int axis1, int axis2, place where) const { return ::kiln::swapaxes(*this, axis1, axis2,
    where); }
inline array array::squeeze(place where) const { return ::kiln::squeeze(*this, {}, where); }
inline array array::squeeze(const ::kiln::squeeze_opts &opts, place where) const { return ::kiln::squeeze(*this, opts,
    where); }
inline array array::view(const ::kiln::dtype &dtype, place where) const { return ::kiln::view(*this, dtype, where); }
inline int array::resize(const ::kiln::shape &shape, place where) const { return ::kiln::resize_in_place(*this, shape,
    {}, where); }
inline int array::resize(const ::kiln::shape &shape, const ::kiln::resize_in_place_opts &opts, place where) const {
    return ::kiln::resize_in_place(*this, shape, opts, where); }
inline array array::byteswap(place where) const { return ::kiln::byteswap(*this, {}, where); }
inline array array::byteswap(const ::kiln::byteswap_opts &opts, place where) const { return ::kiln::byteswap(*this,
    opts, where); }
inline array array::getfield(const ::kiln::dtype &dtype, place where) const { return ::kiln::getfield(*this, dtype, {},
    where); }
inline array array::getfield(const ::kiln::dtype &dtype, const ::kiln::getfield_opts &opts, place where) const { return
    ::kiln::getfield(*this, dtype, opts, where); }
inline int array::setfield(const ::kiln::operand &v, const ::kiln::dtype &dtype, place where) const { return
    ::kiln::setfield(*this, v, dtype, {}, where); }
inline int array::setfield(const ::kiln::operand &v, const ::kiln::dtype &dtype, const ::kiln::getfield_opts &opts,
    place where) const { return ::kiln::setfield(*this, v, dtype, opts, where); }
inline array array::repeat(const ::kiln::operand &repeats, place where) const { return ::kiln::repeat(*this, repeats,
    {}, where); }
inline array array::repeat(const ::kiln::operand &repeats, const ::kiln::squeeze_opts &opts, place where) const { return
    ::kiln::repeat(*this, repeats, opts, where); }
inline array array::real(place where) const { return ::kiln::real(*this, where); }
inline array array::imag(place where) const { return ::kiln::imag(*this, where); }
inline array array::conjugate(place where) const { return ::kiln::conjugate(*this, where); }
inline array array::conj(place where) const { return ::kiln::conj(*this, where); }
inline array array::round(place where) const { return ::kiln::round(*this, {}, where); }
inline array array::round(const ::kiln::round_opts &opts, place where) const { return ::kiln::round(*this, opts, where);
    }
inline array array::clip(const ::kiln::operand &lo, const ::kiln::operand &hi, place where) const { return
    ::kiln::clip(*this, lo, hi, where); }
inline array array::cumsum(place where) const { return ::kiln::cumsum(*this, {}, where); }
inline array array::cumsum(const ::kiln::cumsum_opts &opts, place where) const { return ::kiln::cumsum(*this, opts,
    where); }
inline array array::cumprod(place where) const { return ::kiln::cumprod(*this, {}, where); }
inline array array::cumprod(const ::kiln::cumsum_opts &opts, place where) const { return ::kiln::cumprod(*this, opts,
    where); }
inline array array::dot(const ::kiln::operand &y, place where) const { return ::kiln::dot(*this, y, where); }
inline array array::trace(place where) const { return ::kiln::trace(*this, {}, where); }
inline array array::trace(const ::kiln::trace_opts &opts, place where) const { return ::kiln::trace(*this, opts, where);
    }
inline array array::diagonal(place where) const { return ::kiln::diagonal(*this, {}, where); }
inline array array::diagonal(const ::kiln::diagonal_opts &opts, place where) const { return ::kiln::diagonal(*this,
    opts, where); }
inline array array::sum(place where) const { return ::kiln::sum(*this, {}, where); }
inline array array::sum(const ::kiln::sum_opts &opts, place where) const { return ::kiln::sum(*this, opts, where); }
inline array array::prod(place where) const { return ::kiln::prod(*this, {}, where); }
inline array array::prod(const ::kiln::sum_opts &opts, place where) const { return ::kiln::prod(*this, opts, where); }
inline array array::mean(place where) const { return ::kiln::mean(*this, {}, where); }
inline array array::mean(const ::kiln::mean_opts &opts, place where) const { return ::kiln::mean(*this, opts, where); }
inline array array::var(place where) const { return ::kiln::var(*this, {}, where); }
inline array array::var(const ::kiln::var_opts &opts, place where) const { return ::kiln::var(*this, opts, where); }
inline array array::std(place where) const { return ::kiln::std(*this, {}, where); }
inline array array::std(const ::kiln::var_opts &opts, place where) const { return ::kiln::std(*this, opts, where); }
inline array array::max(place where) const { return ::kiln::max(*this, {}, where); }
inline array array::max(const ::kiln::max_opts &opts, place where) const { return ::kiln::max(*this, opts, where); }
inline array array::min(place where) const { return ::kiln::min(*this, {}, where); }
inline array array::min(const ::kiln::max_opts &opts, place where) const { return ::kiln::min(*this, opts, where); }
inline array array::any(place where) const { return ::kiln::any(*this, {}, where); }
inline array array::any(const ::kiln::any_opts &opts, place where) const { return ::kiln::any(*this, opts, where); }
inline array array::all(place where) const { return ::kiln::all(*this, {}, where); }
inline array array::all(const ::kiln::any_opts &opts, place where) const { return ::kiln::all(*this, opts, where); }
inline array array::argmax(place where) const { return ::kiln::argmax(*this, {}, where); }
inline array array::argmax(const ::kiln::argmax_opts &opts, place where) const { return ::kiln::argmax(*this, opts,
    where); }
inline array array::argmin(place where) const { return ::kiln::argmin(*this, {}, where); }
inline array array::argmin(const ::kiln::argmax_opts &opts, place where) const { return ::kiln::argmin(*this, opts,
    where); }
inline int array::sort(place where) const { return ::kiln::sort_in_place(*this, {}, where); }
inline int array::sort(const ::kiln::sort_opts &opts, place where) const { return ::kiln::sort_in_place(*this, opts,
    where); }
inline array array::argsort(place where) const { return ::kiln::argsort(*this, {}, where); }
inline array array::argsort(const ::kiln::sort_opts &opts, place where) const { return ::kiln::argsort(*this, opts,
    where); }
inline int array::partition(const ::kiln::operand &kth, place where) const { return ::kiln::partition_in_place(*this,
    kth, {}, where); }
inline int array::partition(const ::kiln::operand &kth, const ::kiln::partition_opts &opts, place where) const { return
    ::kiln::partition_in_place(*this, kth, opts, where); }
inline array array::argpartition(const ::kiln::operand &kth, place where) const { return ::kiln::argpartition(*this,
    kth, {}, where); }
inline array array::argpartition(const ::kiln::operand &kth, const ::kiln::partition_opts &opts, place where) const {
    return ::kiln::argpartition(*this, kth, opts, where); }
inline array array::searchsorted(const ::kiln::operand &v, place where) const { return ::kiln::searchsorted(*this, v,
    {}, where); }
inline array array::searchsorted(const ::kiln::operand &v, const ::kiln::searchsorted_opts &opts, place where) const {
    return ::kiln::searchsorted(*this, v, opts, where); }
} // namespace kiln
#endif
