/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/creation.hpp -- the functions of kiln/numpy/creation.h in C++. */
/* Made by scripts/make-api.py from api/numpy/creation.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_CREATION_HPP
#define KILN_CPP_NUMPY_CREATION_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct zeros_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), order, {})
    kn_zeros_opts c() const {
        kn_zeros_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.order = detail::c_of(order); return to_; }
};
struct zeros_like_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), order, {}) /* "K" */
    KILN_OPTION((::kiln::optional_shape), shape, {}) /* that of the prototype */
    kn_zeros_like_opts c() const {
        kn_zeros_like_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.order = detail::c_of(order); to_.shape = detail::c_of(shape); return to_; }
};
struct asarray_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), order, {}) /* "K" */
    KILN_OPTION((int), copy, -1) /* where it must; 1: always; 0: never (ValueError) */
    KILN_OPTION((int), ndmin, {}) /* new axes in front until there are so many */
    kn_asarray_opts c() const {
        kn_asarray_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.order = detail::c_of(order); to_.copy = detail::c_of(copy); to_.ndmin = detail::c_of(ndmin); return to_; }
};
struct copy_opts {
    KILN_OPTION((::kiln::text), order, {}) /* "K" */
    kn_copy_opts c() const {
        kn_copy_opts to_ = {}; to_.size_ = sizeof to_; to_.order = detail::c_of(order); return to_; }
};
struct linspace_opts {
    KILN_OPTION((bool), endpoint, true)
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::axes), axis, {}) /* where the samples go */
    KILN_OPTION((::kiln::array *), retstep, {}) /* if given, the step is put there */
    kn_linspace_opts c() const {
        kn_linspace_opts to_ = {}; to_.size_ = sizeof to_; to_.endpoint = detail::c_of(endpoint);
        to_.dtype = detail::c_of(dtype); to_.axis = detail::c_of(axis); return to_; }
};
struct logspace_opts {
    KILN_OPTION((bool), endpoint, true)
    KILN_OPTION((::kiln::array), base, {}) /* 10 */
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::axes), axis, {})
    kn_logspace_opts c() const {
        kn_logspace_opts to_ = {}; to_.size_ = sizeof to_; to_.endpoint = detail::c_of(endpoint);
        to_.base = detail::c_of(base); to_.dtype = detail::c_of(dtype); to_.axis = detail::c_of(axis); return to_; }
};
struct geomspace_opts {
    KILN_OPTION((bool), endpoint, true)
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::axes), axis, {})
    kn_geomspace_opts c() const {
        kn_geomspace_opts to_ = {}; to_.size_ = sizeof to_; to_.endpoint = detail::c_of(endpoint);
        to_.dtype = detail::c_of(dtype); to_.axis = detail::c_of(axis); return to_; }
};
struct diag_opts {
    KILN_OPTION((int64_t), k, {})
    kn_diag_opts c() const {
        kn_diag_opts to_ = {}; to_.size_ = sizeof to_; to_.k = detail::c_of(k); return to_; }
};
struct vander_opts {
    KILN_OPTION((int64_t), N, -1) /* x's length */
    KILN_OPTION((bool), increasing, {})
    kn_vander_opts c() const {
        kn_vander_opts to_ = {}; to_.size_ = sizeof to_; to_.N = detail::c_of(N);
        to_.increasing = detail::c_of(increasing); return to_; }
};
struct meshgrid_opts {
    KILN_OPTION((::kiln::text), indexing, {}) /* "xy" */
    KILN_OPTION((bool), sparse, {})
    kn_meshgrid_opts c() const {
        kn_meshgrid_opts to_ = {}; to_.size_ = sizeof to_; to_.indexing = detail::c_of(indexing);
        to_.sparse = detail::c_of(sparse); return to_; }
};
struct frombuffer_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((int64_t), count, -1) /* all there is */
    KILN_OPTION((int64_t), offset, {})
    kn_frombuffer_opts c() const {
        kn_frombuffer_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.count = detail::c_of(count); to_.offset = detail::c_of(offset); return to_; }
};
struct fromstring_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((int64_t), count, -1)
    kn_fromstring_opts c() const {
        kn_fromstring_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.count = detail::c_of(count); return to_; }
};
struct eye_opts {
    KILN_OPTION((int64_t), M, -1) /* as many columns as rows */
    KILN_OPTION((int64_t), k, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), order, {}) /* "C" */
    kn_eye_opts c() const {
        kn_eye_opts to_ = {}; to_.size_ = sizeof to_; to_.M = detail::c_of(M); to_.k = detail::c_of(k);
        to_.dtype = detail::c_of(dtype); to_.order = detail::c_of(order); return to_; }
};
struct astype_opts {
    KILN_OPTION((::kiln::text), casting, {}) /* "unsafe" */
    KILN_OPTION((bool), copy, true)
    KILN_OPTION((::kiln::text), order, {}) /* "K" */
    kn_astype_opts c() const {
        kn_astype_opts to_ = {}; to_.size_ = sizeof to_; to_.casting = detail::c_of(casting);
        to_.copy = detail::c_of(copy); to_.order = detail::c_of(order); return to_; }
};
/* np.zeros: of that shape, all zeros. MemoryError if it is too large */
inline array zeros(const ::kiln::shape &shape, const ::kiln::zeros_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_zeros_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_zeros(&shape,
    &opts_c))); }
using ones_opts = ::kiln::zeros_opts;
/* np.ones: as kn_zeros, all ones */
inline array ones(const ::kiln::shape &shape, const ::kiln::zeros_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_zeros_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_ones(&shape,
    &opts_c))); }
using empty_opts = ::kiln::zeros_opts;
/* np.empty: an array of that shape: zeros here. Code that is to run with NumPy, too, must not rely on them */
inline array empty(const ::kiln::shape &shape, const ::kiln::zeros_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_zeros_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_empty(&shape,
    &opts_c))); }
using full_opts = ::kiln::zeros_opts;
/* np.full: of that shape, all `value`, which broadcasts; of value's dtype unless another is given */
inline array full(const ::kiln::shape &shape, const ::kiln::operand &value, const ::kiln::zeros_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array value_h = value.c(); kn_zeros_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_full(&shape, value_h, &opts_c))); }
/* np.zeros_like: of x's shape and dtype unless others are given */
inline array zeros_like(const ::kiln::operand &x, const ::kiln::zeros_like_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_zeros_like_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_zeros_like(x_h, &opts_c))); }
using ones_like_opts = ::kiln::zeros_like_opts;
/* np.ones_like: of x's shape and dtype unless others are given */
inline array ones_like(const ::kiln::operand &x, const ::kiln::zeros_like_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_zeros_like_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_ones_like(x_h, &opts_c))); }
using empty_like_opts = ::kiln::zeros_like_opts;
/* np.empty_like: of x's shape and dtype unless others are given: zeros here */
inline array empty_like(const ::kiln::operand &x, const ::kiln::zeros_like_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_zeros_like_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_empty_like(x_h, &opts_c))); }
using full_like_opts = ::kiln::zeros_like_opts;
/* np.full_like: of x's shape, all `value`, which becomes x's dtype unless another is given: fractions are lost in an
 * integer array */
inline array full_like(const ::kiln::operand &x, const ::kiln::operand &value, const ::kiln::zeros_like_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array value_h = value.c(); kn_zeros_like_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_full_like(x_h, value_h, &opts_c))); }
using arange_opts = ::kiln::zeros_opts;
/* np.arange: start, start + step, ... as long as it is before stop; integers give int64. All three arguments are
 * given in C */
inline array arange(const ::kiln::operand &start, const ::kiln::operand &stop, const ::kiln::operand &step, const
    ::kiln::zeros_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array start_h = start.c(); kn_array stop_h = stop.c(); kn_array step_h = step.c();
    kn_zeros_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_arange(start_h, stop_h, step_h,
    &opts_c))); }
/* np.linspace: as many samples as num from start to stop, both included unless .endpoint is false. start and stop
 * may be arrays */
inline array linspace(const ::kiln::operand &start, const ::kiln::operand &stop, int64_t num, const
    ::kiln::linspace_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array start_h = start.c(); kn_array stop_h = stop.c(); kn_linspace_opts opts_c = opts.c();
    detail::out_array retstep_o(opts.retstep); opts_c.retstep = retstep_o.c(); c_.here(); return
    array::share(c_.take(kn_linspace(start_h, stop_h, num, &opts_c))); }
/* np.logspace: base to the power of what kn_linspace gives */
inline array logspace(const ::kiln::operand &start, const ::kiln::operand &stop, int64_t num, const
    ::kiln::logspace_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array start_h = start.c(); kn_array stop_h = stop.c(); kn_logspace_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_logspace(start_h, stop_h, num, &opts_c))); }
/* np.geomspace: samples from start to stop, both included unless .endpoint is false, each the same multiple of the
 * one before. ValueError for zeros where they can be seen */
inline array geomspace(const ::kiln::operand &start, const ::kiln::operand &stop, int64_t num, const
    ::kiln::geomspace_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array start_h = start.c(); kn_array stop_h = stop.c(); kn_geomspace_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_geomspace(start_h, stop_h, num, &opts_c))); }
/* np.eye: a matrix of n rows: ones on the diagonal k, else zeros */
inline array eye(int64_t n, const ::kiln::eye_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_eye_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_eye(n, &opts_c))); }
using identity_opts = ::kiln::zeros_opts;
/* np.identity: ones on the main diagonal of n by n zeros */
inline array identity(int64_t n, const ::kiln::zeros_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_zeros_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_identity(n,
    &opts_c))); }
/* np.asarray: and np.array (whose name is that of the type) with .copy = 1: a number becomes a 0-d array; x itself
 * where it has that dtype and order */
inline array asarray(const ::kiln::operand &x, const ::kiln::asarray_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_asarray_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_asarray(x_h, &opts_c))); }
using asanyarray_opts = ::kiln::asarray_opts;
/* kn_asarray */
inline array asanyarray(const ::kiln::operand &x, const ::kiln::asarray_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_asarray_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_asanyarray(x_h, &opts_c))); }
using ascontiguousarray_opts = ::kiln::zeros_opts;
/* the same array in C order, a copy of x where it is not; one axis at least */
inline array ascontiguousarray(const ::kiln::operand &x, const ::kiln::zeros_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_zeros_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_ascontiguousarray(x_h, &opts_c))); }
using asarray_chkfinite_opts = ::kiln::asarray_opts;
/* np.asarray_chkfinite: as kn_asarray; ValueError for NaN and infinities; looks at x */
inline array asarray_chkfinite(const ::kiln::operand &x, const ::kiln::asarray_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_asarray_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_asarray_chkfinite(x_h, &opts_c))); }
/* np.copy: an array with memory of its own */
inline array copy(const ::kiln::operand &x, const ::kiln::copy_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_copy_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_copy(x_h, &opts_c))); }
/* x.astype(dtype); TypeError by `casting`; with "same_value" ValueError if elements, which are looked at, become
 * others. Floats that do not fit an integer dtype become what NumPy gives on x86-64 (the least int32 or int64, of
 * which narrower ones have the low bits), on every CPU; kn_lax_convert_element_type has JAX's numbers. */
inline array astype(const ::kiln::operand &x, const ::kiln::dtype &dtype, const ::kiln::astype_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_astype_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_astype(x_h, dtype, &opts_c))); }
/* np.frombuffer: the bytes of a buffer as a vector, of float64 unless .dtype says otherwise: a copy here (kn_wrap
 * does without) */
inline array frombuffer(const void *buffer, size_t bytes, const ::kiln::frombuffer_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_frombuffer_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_frombuffer(buffer, bytes, &opts_c))); }
/* np.fromstring: the numbers of a text with sep between them, as float64 unless .dtype says otherwise; ValueError
 * for other texts */
inline array fromstring(const ::kiln::text &string, const ::kiln::text &sep, const ::kiln::fromstring_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_fromstring_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fromstring(string.c(), sep.c(), &opts_c))); }
/* np.fromiter: a vector of what `next` gives, which writes an element of the dtype and returns true, or returns
 * false at the end. count: -1, until then; ValueError if there are fewer */
inline array fromiter(kn_next next, void *env, const ::kiln::dtype &dtype, int64_t count, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_fromiter(next, env, dtype, count))); }
using fromfunction_opts = ::kiln::zeros_opts;
/* np.fromfunction: what the function gives for one array of positions (of floats) per axis; up to 8 axes */
inline array fromfunction(const ::kiln::fn &function, const ::kiln::shape &shape, const ::kiln::zeros_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_zeros_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fromfunction(function.c(), &shape, &opts_c))); }
/* np.meshgrid: one array for each vector, all of the shape of the grid. The first vector lies along the second axis,
 * with .indexing = "ij" along the first; .sparse: each along its own axis alone */
inline std::vector<array> meshgrid(const ::kiln::operands &list, const ::kiln::meshgrid_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_list list_h = list.list(); kn_meshgrid_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_meshgrid(list_h, &opts_c))); }
/* np.mgrid[...]: one array of the positions of a grid, a first axis for its n axes */
inline array mgrid(const std::vector<::kiln::grid> &slices, place where = here())
{ detail::call c_(where); std::vector<kn_slice> slices_v = detail::all_of<kn_slice>(slices); c_.here(); return
    array::share(c_.take(kn_mgrid(static_cast<int>(slices.size()), slices_v.data()))); }
/* np.ogrid[...]: the positions of a grid as n arrays, each along an axis of its own */
inline std::vector<array> ogrid(const std::vector<::kiln::grid> &slices, place where = here())
{ detail::call c_(where); std::vector<kn_slice> slices_v = detail::all_of<kn_slice>(slices); c_.here(); return
    detail::arrays_of(c_.take(kn_ogrid(static_cast<int>(slices.size()), slices_v.data()))); }
/* np.bartlett: a triangle, 0 at both ends */
inline array bartlett(int64_t M, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_bartlett(M))); }
/* np.blackman: 0.42 + 0.5 cos t + 0.08 cos 2t, t from -pi to pi */
inline array blackman(int64_t M, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_blackman(M))); }
/* np.hamming: 0.54 + 0.46 cos t */
inline array hamming(int64_t M, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_hamming(M))); }
/* np.hanning: 0.5 + 0.5 cos t */
inline array hanning(int64_t M, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_hanning(M))); }
/* np.kaiser: i0(beta sqrt(1 - u^2)) / i0(beta), u from -1 to 1; can be differentiated by beta. ValueError for a beta
 * that is no scalar, TypeError for a complex one */
inline array kaiser(int64_t M, const ::kiln::operand &beta, place where = here())
{ detail::call c_(where); kn_array beta_h = beta.c(); c_.here(); return array::share(c_.take(kn_kaiser(M, beta_h))); }
/* np.diag: a matrix with v on diagonal k; of a matrix its diagonal, a read-only view */
inline array diag(const ::kiln::operand &v, const ::kiln::diag_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array v_h = v.c(); kn_diag_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_diag(v_h, &opts_c))); }
using diagflat_opts = ::kiln::diag_opts;
/* np.diagflat: kn_diag of the flattened v */
inline array diagflat(const ::kiln::operand &v, const ::kiln::diag_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array v_h = v.c(); kn_diag_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_diagflat(v_h, &opts_c))); }
using tri_opts = ::kiln::eye_opts;
/* np.tri: a matrix of n rows: ones on and below diagonal k, else zeros */
inline array tri(int64_t n, const ::kiln::eye_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_eye_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_tri(n, &opts_c))); }
using tril_opts = ::kiln::diag_opts;
/* np.tril: a copy with zeros above diagonal k, of the last two axes */
inline array tril(const ::kiln::operand &m, const ::kiln::diag_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array m_h = m.c(); kn_diag_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_tril(m_h, &opts_c))); }
using triu_opts = ::kiln::diag_opts;
/* np.triu: a copy with zeros below diagonal k, of the last two axes */
inline array triu(const ::kiln::operand &m, const ::kiln::diag_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array m_h = m.c(); kn_diag_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_triu(m_h, &opts_c))); }
/* np.vander: a matrix whose columns are powers of x, the highest first unless .increasing */
inline array vander(const ::kiln::operand &x, const ::kiln::vander_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_vander_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_vander(x_h, &opts_c))); }
/* np.array(x.shape): int64 */
inline array shape_array(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_shape_array(x_h))); }
} // namespace kiln
#endif
