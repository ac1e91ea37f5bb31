/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/products.hpp -- the functions of kiln/numpy/products.h in C++. */
/* Made by scripts/make-api.py from api/numpy/products.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_PRODUCTS_HPP
#define KILN_CPP_NUMPY_PRODUCTS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct tensordot_opts {
    KILN_OPTION((int), axes, 2)
    KILN_OPTION((::kiln::axes), a_axes, {})
    KILN_OPTION((::kiln::axes), b_axes, {})
    kn_tensordot_opts c() const {
        kn_tensordot_opts to_ = {}; to_.size_ = sizeof to_; to_.axes = detail::c_of(axes);
        to_.a_axes = detail::c_of(a_axes); to_.b_axes = detail::c_of(b_axes); return to_; }
};
struct einsum_opts {
    KILN_OPTION((::kiln::text), optimize, "greedy")
    KILN_OPTION((int64_t), memory_limit, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_einsum_opts c() const {
        kn_einsum_opts to_ = {}; to_.size_ = sizeof to_; to_.optimize = detail::c_of(optimize);
        to_.memory_limit = detail::c_of(memory_limit); to_.dtype = detail::c_of(dtype); return to_; }
};
struct diagonal_opts {
    KILN_OPTION((int64_t), offset, {})
    KILN_OPTION((int), axis1, {})
    KILN_OPTION((int), axis2, 1)
    kn_diagonal_opts c() const {
        kn_diagonal_opts to_ = {}; to_.size_ = sizeof to_; to_.offset = detail::c_of(offset);
        to_.axis1 = detail::c_of(axis1); to_.axis2 = detail::c_of(axis2); return to_; }
};
struct trace_opts {
    KILN_OPTION((int64_t), offset, {})
    KILN_OPTION((int), axis1, {})
    KILN_OPTION((int), axis2, 1)
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_trace_opts c() const {
        kn_trace_opts to_ = {}; to_.size_ = sizeof to_; to_.offset = detail::c_of(offset);
        to_.axis1 = detail::c_of(axis1); to_.axis2 = detail::c_of(axis2); to_.dtype = detail::c_of(dtype); return to_; }
};
/* np.matmul: products of matrices, which are the last two axes; those in front broadcast. A vector is a row on the
 * left, a column on the right. ValueError if the axes are not aligned */
inline array matmul(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_matmul(x_h, y_h))); }
/* np.dot: sums of products over the last axis of x with the last but one of y: of vectors a number, of matrices
 * their product; a number multiplies */
inline array dot(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return array::share(c_.take(kn_dot(x_h,
    y_h))); }
/* np.vdot: the sum of products of the flattened arrays, x conjugated */
inline array vdot(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_vdot(x_h, y_h))); }
/* np.inner: sums of products over the last axes, of all pairs */
inline array inner(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_inner(x_h, y_h))); }
/* np.outer: all products of the flattened arrays: a matrix */
inline array outer(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_outer(x_h, y_h))); }
/* np.vecdot: sums of products over the last axes, the others broadcast, x conjugated */
inline array vecdot(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_vecdot(x_h, y_h))); }
/* np.tensordot: sums of products over the last `axes` axes of x with the first ones of y (2 unless given), or over
 * a_axes with b_axes */
inline array tensordot(const ::kiln::operand &x, const ::kiln::operand &y, const ::kiln::tensordot_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_tensordot_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_tensordot(x_h, y_h, &opts_c))); }
/* np.matvec: matrices, the last two axes of x1, times vectors; the axes in front broadcast */
inline array matvec(const ::kiln::operand &x1, const ::kiln::operand &x2, place where = here())
{ detail::call c_(where); kn_array x1_h = x1.c(); kn_array x2_h = x2.c(); c_.here(); return
    array::share(c_.take(kn_matvec(x1_h, x2_h))); }
/* np.vecmat: conjugated vectors times matrices, the last two axes of x2; the others broadcast */
inline array vecmat(const ::kiln::operand &x1, const ::kiln::operand &x2, place where = here())
{ detail::call c_(where); kn_array x1_h = x1.c(); kn_array x2_h = x2.c(); c_.here(); return
    array::share(c_.take(kn_vecmat(x1_h, x2_h))); }
/* np.kron: the Kronecker product: each element of a times all of b, axis by axis; leading axes that one lacks are 1. */
inline array kron(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_kron(a_h, b_h))); }
/* np.einsum: products of the operands' elements, summed over the labels that the result does not have. Subscripts
 * are a letter per axis, operands apart by commas: "ij,jk->ik"; without "->" the result has, in alphabetical order,
 * the labels that stand once. A label twice in an operand is its diagonal, "..." the other axes, which broadcast.
 * The macro takes up to 31 arrays (numbers as kn_num(2)) and the options: kn_einsum("ij,jk,kl->il", a, b, c,
 * .optimize = "optimal") One operand without sums gives a view. Two operands are contracted at a time, each pair as
 * one product. NumPy's ValueErrors; KeyError for an unknown optimize. */
inline array einsum(const ::kiln::text &subscripts, const ::kiln::operands &operands, const ::kiln::einsum_opts
    &opts = {}, place where = here())
{ detail::call c_(where); std::vector<kn_array> operands_v = operands.handles(); kn_einsum_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_einsum(subscripts.c(), static_cast<int>(operands.size()),
    operands_v.data(), &opts_c))); }
struct einsum_path_result { std::string path; std::string string_repr; };
using einsum_path_opts = ::kiln::einsum_opts;
/* np.einsum_path: in which order kn_einsum would contract, and what that costs, from the operands' shapes alone. The
 * strings belong to the scope; after an error both are "". The search for the "optimal" one ends after some tenths
 * of a second (more than eight operands or so) with the best path seen, at worst the greedy one. */
inline ::kiln::einsum_path_result einsum_path(const ::kiln::text &subscripts, const ::kiln::operands &operands, const
    ::kiln::einsum_opts &opts = {}, place where = here())
{ detail::call c_(where); std::vector<kn_array> operands_v = operands.handles(); kn_einsum_opts opts_c = opts.c();
    c_.here(); kn_einsum_path_result r_ = c_.value(kn_einsum_path(subscripts.c(), static_cast<int>(operands.size()),
    operands_v.data(), &opts_c)); return ::kiln::einsum_path_result{detail::text_of(r_.path),
    detail::text_of(r_.string_repr)}; }
/* np.trace: sum of the diagonal of two axes; integers add up in 64 bits */
inline array trace(const ::kiln::operand &x, const ::kiln::trace_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_trace_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_trace(x_h, &opts_c))); }
/* np.diagonal of two axes, as the last axis: a read-only view */
inline array diagonal(const ::kiln::operand &x, const ::kiln::diagonal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_diagonal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_diagonal(x_h, &opts_c))); }
} // namespace kiln
#endif
