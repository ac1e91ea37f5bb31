/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/lax/reductions.hpp -- the functions of kiln/lax/reductions.h in C++. */
/* Made by scripts/make-api.py from api/lax/reductions.api. */
/* clang-format off */
#ifndef KILN_CPP_LAX_REDUCTIONS_HPP
#define KILN_CPP_LAX_REDUCTIONS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace lax {
/* jax.lax.reduce_sum: the sum over these axes; numbers */
inline array reduce_sum(const ::kiln::operand &x, const ::kiln::axes &axes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_sum(x_h, &axes)));
    }
/* jax.lax.reduce_prod: the product over these axes; numbers */
inline array reduce_prod(const ::kiln::operand &x, const ::kiln::axes &axes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_prod(x_h, &axes)));
    }
/* jax.lax.reduce_max: the largest element over these axes; NaN if one is; -inf, or the smallest integer, of nothing */
inline array reduce_max(const ::kiln::operand &x, const ::kiln::axes &axes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_max(x_h, &axes)));
    }
/* jax.lax.reduce_min: the smallest element over these axes; NaN if one is; inf, or the largest integer, of nothing */
inline array reduce_min(const ::kiln::operand &x, const ::kiln::axes &axes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_min(x_h, &axes)));
    }
/* jax.lax.reduce_and: the bits that all elements over these axes have; of bool: are all true? integers, bool */
inline array reduce_and(const ::kiln::operand &x, const ::kiln::axes &axes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_and(x_h, &axes)));
    }
/* jax.lax.reduce_or: the bits that any element over these axes has; of bool: is any true? integers, bool */
inline array reduce_or(const ::kiln::operand &x, const ::kiln::axes &axes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_or(x_h, &axes))); }
/* jax.lax.reduce_xor: the bits that an odd number of elements over these axes have; integers, bool */
inline array reduce_xor(const ::kiln::operand &x, const ::kiln::axes &axes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_xor(x_h, &axes)));
    }
/* jax.lax.reduce: by an associative function of two scalars, of which init_value is the identity; both have the
 * dtype of x. A function that is one addition, product, maximum, ... of its arguments with the right identity is
 * that reduction. kn_lax_reduce(x, 0, KN_FN(add), KN_AXIS(0)); the function captures no arrays
 * (NotImplementedError). */
inline array reduce(const ::kiln::operand &x, const ::kiln::operand &init_value, const ::kiln::fn &computation, const
    ::kiln::axes &dimensions, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array init_value_h = init_value.c(); c_.here(); return
    array::share(c_.take(kn_lax_reduce(x_h, init_value_h, computation.c(), &dimensions))); }
/* The same for several arrays of one shape at once: the function takes one scalar of each array, then another of
 * each, in two arguments or 2 n, and returns n. */
inline std::vector<array> reduce_list(const ::kiln::operands &operands, const ::kiln::operands &init_values, const
    ::kiln::fn &computation, const ::kiln::axes &dimensions, place where = here())
{ detail::call c_(where); kn_list operands_h = operands.list(); kn_list init_values_h = init_values.list(); c_.here();
    return detail::arrays_of(c_.take(kn_lax_reduce_list(operands_h, init_values_h, computation.c(), &dimensions))); }
/* jax.lax.argmax: where the largest element of an axis is, the first of them; NaN is the largest. index_dtype: an
 * integer dtype. */
inline array argmax(const ::kiln::operand &x, int axis, const ::kiln::dtype &index_dtype, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_argmax(x_h, axis,
    index_dtype))); }
/* jax.lax.argmin: where the smallest element of an axis is, the first of them; NaN is the smallest. index_dtype: an
 * integer dtype. */
inline array argmin(const ::kiln::operand &x, int axis, const ::kiln::dtype &index_dtype, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_argmin(x_h, axis,
    index_dtype))); }
struct cumulative_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((bool), reverse, {})
    kn_lax_cumulative_opts c() const {
        kn_lax_cumulative_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.reverse = detail::c_of(reverse); return to_; }
};
using cumsum_opts = ::kiln::lax::cumulative_opts;
/* jax.lax.cumsum: sums of the elements up to each one along an axis */
inline array cumsum(const ::kiln::operand &x, const ::kiln::lax::cumulative_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_cumulative_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_cumsum(x_h, &opts_c))); }
using cumprod_opts = ::kiln::lax::cumulative_opts;
/* jax.lax.cumprod: products of the elements up to each one along an axis */
inline array cumprod(const ::kiln::operand &x, const ::kiln::lax::cumulative_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_cumulative_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_cumprod(x_h, &opts_c))); }
using cummax_opts = ::kiln::lax::cumulative_opts;
/* jax.lax.cummax: the largest of the elements up to each one along an axis; NaN from the first one on */
inline array cummax(const ::kiln::operand &x, const ::kiln::lax::cumulative_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_cumulative_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_cummax(x_h, &opts_c))); }
using cummin_opts = ::kiln::lax::cumulative_opts;
/* jax.lax.cummin: the smallest of the elements up to each one along an axis; NaN from the first one on */
inline array cummin(const ::kiln::operand &x, const ::kiln::lax::cumulative_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_cumulative_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_cummin(x_h, &opts_c))); }
using cumlogsumexp_opts = ::kiln::lax::cumulative_opts;
/* jax.lax.cumlogsumexp: log of the sums of e^x up to each element along an axis, without overflow; floats */
inline array cumlogsumexp(const ::kiln::operand &x, const ::kiln::lax::cumulative_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_cumulative_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_cumlogsumexp(x_h, &opts_c))); }
struct sort_opts {
    KILN_OPTION((::kiln::axes), dimension, {})
    KILN_OPTION((bool), is_stable, true) /* equal elements keep their order (true) */
    KILN_OPTION((int), num_keys, 1) /* so many arrays are compared, one after the other (1) */
    kn_lax_sort_opts c() const {
        kn_lax_sort_opts to_ = {}; to_.size_ = sizeof to_; to_.dimension = detail::c_of(dimension);
        to_.is_stable = detail::c_of(is_stable); to_.num_keys = detail::c_of(num_keys); return to_; }
};
/* jax.lax.sort: the elements of an axis, the last unless .dimension says otherwise, from the smallest to the largest */
inline array sort(const ::kiln::operand &x, const ::kiln::lax::sort_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_sort_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_sort(x_h, &opts_c))); }
using sort_list_opts = ::kiln::lax::sort_opts;
/* jax.lax.sort of several arrays of one shape, put into the order of the first .num_keys ones. */
inline std::vector<array> sort_list(const ::kiln::operands &operands, const ::kiln::lax::sort_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_list operands_h = operands.list(); kn_lax_sort_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_lax_sort_list(operands_h, &opts_c))); }
struct sort_key_val_result { array keys; array values; };
using sort_key_val_opts = ::kiln::lax::sort_opts;
/* jax.lax.sort_key_val: the keys sorted, and the values in the order of the keys. */
inline ::kiln::lax::sort_key_val_result sort_key_val(const ::kiln::operand &keys, const ::kiln::operand &values, const
    ::kiln::lax::sort_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array keys_h = keys.c(); kn_array values_h = values.c(); kn_lax_sort_opts
    opts_c = opts.c(); c_.here(); kn_lax_sort_key_val_result r_ = c_.value(kn_lax_sort_key_val(keys_h, values_h,
    &opts_c)); return ::kiln::lax::sort_key_val_result{array::share(r_.keys), array::share(r_.values)}; }
struct top_k_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the last */
    kn_lax_top_k_opts c() const {
        kn_lax_top_k_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
struct top_k_result { array values; array indices; };
/* jax.lax.top_k: the k largest elements of an axis, largest first, and where they were (int32). */
inline ::kiln::lax::top_k_result top_k(const ::kiln::operand &x, int64_t k, const ::kiln::lax::top_k_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_top_k_opts opts_c = opts.c(); c_.here(); kn_lax_top_k_result
    r_ = c_.value(kn_lax_top_k(x_h, k, &opts_c)); return ::kiln::lax::top_k_result{array::share(r_.values),
    array::share(r_.indices)}; }
using approx_max_k_opts = ::kiln::lax::top_k_opts;
/* jax.lax.approx_max_k and approx_min_k, which are exact here: the k largest or smallest elements. */
inline ::kiln::lax::top_k_result approx_max_k(const ::kiln::operand &x, int64_t k, const ::kiln::lax::top_k_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_top_k_opts opts_c = opts.c(); c_.here(); kn_lax_top_k_result
    r_ = c_.value(kn_lax_approx_max_k(x_h, k, &opts_c)); return ::kiln::lax::top_k_result{array::share(r_.values),
    array::share(r_.indices)}; }
using approx_min_k_opts = ::kiln::lax::top_k_opts;
/* jax.lax.approx_min_k: the k smallest elements of an axis, smallest first, and where they were; exact here */
inline ::kiln::lax::top_k_result approx_min_k(const ::kiln::operand &x, int64_t k, const ::kiln::lax::top_k_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_top_k_opts opts_c = opts.c(); c_.here(); kn_lax_top_k_result
    r_ = c_.value(kn_lax_approx_min_k(x_h, k, &opts_c)); return ::kiln::lax::top_k_result{array::share(r_.values),
    array::share(r_.indices)}; }
} // namespace lax
} // namespace kiln
#endif
