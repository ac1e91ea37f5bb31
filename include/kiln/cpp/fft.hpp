/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/fft.hpp -- the functions of kiln/fft.h in C++. */
/* Made by scripts/make-api.py from api/fft.api. */
/* clang-format off */
#ifndef KILN_CPP_FFT_HPP
#define KILN_CPP_FFT_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace fft {
struct fft_opts {
    KILN_OPTION((int64_t), n, -1) /* the extent of the axis */
    KILN_OPTION((int), axis, -1)
    KILN_OPTION((::kiln::text), norm, {}) /* "backward" */
    kn_fft_fft_opts c() const {
        kn_fft_fft_opts to_ = {}; to_.size_ = sizeof to_; to_.n = detail::c_of(n); to_.axis = detail::c_of(axis);
        to_.norm = detail::c_of(norm); return to_; }
};
struct fftn_opts {
    KILN_OPTION((::kiln::shape), s, {}) /* the extents of the axes unless given */
    KILN_OPTION((::kiln::axes), axes, {}) /* all of them, or as many of the last ones as s has numbers */
    KILN_OPTION((::kiln::text), norm, {}) /* "backward" */
    kn_fft_fftn_opts c() const {
        kn_fft_fftn_opts to_ = {}; to_.size_ = sizeof to_; to_.s = detail::c_of(s); to_.axes = detail::c_of(axes);
        to_.norm = detail::c_of(norm); return to_; }
};
struct fft2_opts {
    KILN_OPTION((::kiln::shape), s, {})
    KILN_OPTION((::kiln::axes), axes, {}) /* (-2, -1) */
    KILN_OPTION((::kiln::text), norm, {}) /* "backward" */
    kn_fft_fft2_opts c() const {
        kn_fft_fft2_opts to_ = {}; to_.size_ = sizeof to_; to_.s = detail::c_of(s); to_.axes = detail::c_of(axes);
        to_.norm = detail::c_of(norm); return to_; }
};
struct fftfreq_opts {
    KILN_OPTION((double), d, 1) /* the distance of samples */
    kn_fft_fftfreq_opts c() const {
        kn_fft_fftfreq_opts to_ = {}; to_.size_ = sizeof to_; to_.d = detail::c_of(d); return to_; }
};
struct fftshift_opts {
    KILN_OPTION((::kiln::axes), axes, {}) /* all of them unless given */
    kn_fft_fftshift_opts c() const {
        kn_fft_fftshift_opts to_ = {}; to_.size_ = sizeof to_; to_.axes = detail::c_of(axes); return to_; }
};
struct dct_opts {
    KILN_OPTION((int), type, 2) /* 1 to 4 */
    KILN_OPTION((int64_t), n, -1) /* the extent of the axis */
    KILN_OPTION((int), axis, -1)
    KILN_OPTION((::kiln::text), norm, {}) /* "backward" */
    KILN_OPTION((int), orthogonalize, -1)
    kn_fft_dct_opts c() const {
        kn_fft_dct_opts to_ = {}; to_.size_ = sizeof to_; to_.type = detail::c_of(type); to_.n = detail::c_of(n);
        to_.axis = detail::c_of(axis); to_.norm = detail::c_of(norm); to_.orthogonalize = detail::c_of(orthogonalize);
        return to_; }
};
struct dctn_opts {
    KILN_OPTION((int), type, 2)
    KILN_OPTION((::kiln::shape), s, {}) /* the extents of the axes unless given */
    KILN_OPTION((::kiln::axes), axes, {}) /* all of them, or as many of the last ones as s has numbers */
    KILN_OPTION((::kiln::text), norm, {}) /* "backward" */
    KILN_OPTION((int), orthogonalize, -1)
    kn_fft_dctn_opts c() const {
        kn_fft_dctn_opts to_ = {}; to_.size_ = sizeof to_; to_.type = detail::c_of(type); to_.s = detail::c_of(s);
        to_.axes = detail::c_of(axes); to_.norm = detail::c_of(norm); to_.orthogonalize = detail::c_of(orthogonalize);
        return to_; }
};
struct next_fast_len_opts {
    KILN_OPTION((bool), real, {}) /* the factors are 2, 3 and 5; else 7 and 11, too */
    kn_fft_next_fast_len_opts c() const {
        kn_fft_next_fast_len_opts to_ = {}; to_.size_ = sizeof to_; to_.real = detail::c_of(real); return to_; }
};
/* np.fft.fft: the discrete Fourier transform along an axis, complex: number k is the sum of a[j] exp(-2 pi i j k /
 * n) */
inline array fft(const ::kiln::operand &a, const ::kiln::fft::fft_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_fft(a_h, &opts_c))); }
using ifft_opts = ::kiln::fft::fft_opts;
/* np.fft.ifft: the inverse of kn_fft_fft along an axis: number j is the sum of a[k] exp(2 pi i j k / n), over n */
inline array ifft(const ::kiln::operand &a, const ::kiln::fft::fft_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_ifft(a_h, &opts_c))); }
using rfft_opts = ::kiln::fft::fft_opts;
/* np.fft.rfft: of real numbers, the first n / 2 + 1 of kn_fft_fft: the others are their conjugates. TypeError for
 * complex ones */
inline array rfft(const ::kiln::operand &a, const ::kiln::fft::fft_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_rfft(a_h, &opts_c))); }
using irfft_opts = ::kiln::fft::fft_opts;
/* np.fft.irfft: the inverse of kn_fft_rfft: n real numbers, an even number of them unless n is given. The imaginary
 * parts at both ends count for nothing. */
inline array irfft(const ::kiln::operand &a, const ::kiln::fft::fft_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_irfft(a_h, &opts_c))); }
using hfft_opts = ::kiln::fft::fft_opts;
/* np.fft.hfft: n real numbers, the transform of what a is the first half of, the rest being its conjugates */
inline array hfft(const ::kiln::operand &a, const ::kiln::fft::fft_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_hfft(a_h, &opts_c))); }
using ihfft_opts = ::kiln::fft::fft_opts;
/* np.fft.ihfft: the inverse of kn_fft_hfft: the first n / 2 + 1 of kn_fft_ifft of real numbers, conjugates of those
 * that are left out */
inline array ihfft(const ::kiln::operand &a, const ::kiln::fft::fft_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_ihfft(a_h, &opts_c))); }
/* np.fft.fft2: the transform along two axes, the last ones unless given */
inline array fft2(const ::kiln::operand &a, const ::kiln::fft::fft2_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft2_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_fft2(a_h, &opts_c))); }
using ifft2_opts = ::kiln::fft::fft2_opts;
/* np.fft.ifft2: the inverse of kn_fft_fft2 */
inline array ifft2(const ::kiln::operand &a, const ::kiln::fft::fft2_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft2_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_ifft2(a_h, &opts_c))); }
using rfft2_opts = ::kiln::fft::fft2_opts;
/* np.fft.rfft2: the transform of real numbers along two axes, of which the last one keeps the first n / 2 + 1
 * numbers */
inline array rfft2(const ::kiln::operand &a, const ::kiln::fft::fft2_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft2_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_rfft2(a_h, &opts_c))); }
using irfft2_opts = ::kiln::fft::fft2_opts;
/* np.fft.irfft2: the inverse of kn_fft_rfft2: real numbers, an even number along the last axis unless s is given */
inline array irfft2(const ::kiln::operand &a, const ::kiln::fft::fft2_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft2_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_irfft2(a_h, &opts_c))); }
/* np.fft.fftn: the transform along several axes, all of them unless given */
inline array fftn(const ::kiln::operand &a, const ::kiln::fft::fftn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fftn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_fftn(a_h, &opts_c))); }
using ifftn_opts = ::kiln::fft::fftn_opts;
/* np.fft.ifftn: the inverse of kn_fft_fftn */
inline array ifftn(const ::kiln::operand &a, const ::kiln::fft::fftn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fftn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_ifftn(a_h, &opts_c))); }
using rfftn_opts = ::kiln::fft::fftn_opts;
/* np.fft.rfftn: the transform of real numbers along several axes: kn_fft_rfft of the last one of the axes, then
 * kn_fft_fft of the others */
inline array rfftn(const ::kiln::operand &a, const ::kiln::fft::fftn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fftn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_rfftn(a_h, &opts_c))); }
using irfftn_opts = ::kiln::fft::fftn_opts;
/* np.fft.irfftn: the inverse of kn_fft_rfftn: real numbers, an even number along the last axis unless s is given */
inline array irfftn(const ::kiln::operand &a, const ::kiln::fft::fftn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fftn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_irfftn(a_h, &opts_c))); }
using hfft2_opts = ::kiln::fft::fft2_opts;
/* scipy.fft.hfft2: real numbers, the transform along two axes of what is given up to the middle of the last one, the
 * rest being conjugates */
inline array hfft2(const ::kiln::operand &a, const ::kiln::fft::fft2_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft2_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_hfft2(a_h, &opts_c))); }
using ihfft2_opts = ::kiln::fft::fft2_opts;
/* scipy.fft.ihfft2: the inverse of kn_fft_hfft2 */
inline array ihfft2(const ::kiln::operand &a, const ::kiln::fft::fft2_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fft2_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_ihfft2(a_h, &opts_c))); }
using hfftn_opts = ::kiln::fft::fftn_opts;
/* scipy.fft.hfftn: real numbers, the transform along several axes of what is given up to the middle of the last one:
 * kn_fft_fft of all axes but the last one, then kn_fft_hfft of that */
inline array hfftn(const ::kiln::operand &a, const ::kiln::fft::fftn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fftn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_hfftn(a_h, &opts_c))); }
using ihfftn_opts = ::kiln::fft::fftn_opts;
/* scipy.fft.ihfftn: the inverse of kn_fft_hfftn */
inline array ihfftn(const ::kiln::operand &a, const ::kiln::fft::fftn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_fft_fftn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_ihfftn(a_h, &opts_c))); }
/* scipy.fft.dct: the discrete cosine transform along an axis, of types 1 to 4 (above), real: type 2 is the sum of 2
 * x[j] cos(pi (j + 1/2) k / n) */
inline array dct(const ::kiln::operand &x, const ::kiln::fft::dct_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_dct_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_dct(x_h, &opts_c))); }
using idct_opts = ::kiln::fft::dct_opts;
/* scipy.fft.idct: the inverse of kn_fft_dct of that type: of types 2 and 3 the other one, divided */
inline array idct(const ::kiln::operand &x, const ::kiln::fft::dct_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_dct_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_idct(x_h, &opts_c))); }
using dst_opts = ::kiln::fft::dct_opts;
/* scipy.fft.dst: the discrete sine transform along an axis, of types 1 to 4 (above), real: type 2 is the sum of 2
 * x[j] sin(pi (j + 1/2) (k + 1) / n) */
inline array dst(const ::kiln::operand &x, const ::kiln::fft::dct_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_dct_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_dst(x_h, &opts_c))); }
using idst_opts = ::kiln::fft::dct_opts;
/* scipy.fft.idst: the inverse of kn_fft_dst of that type */
inline array idst(const ::kiln::operand &x, const ::kiln::fft::dct_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_dct_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_idst(x_h, &opts_c))); }
/* scipy.fft.dctn: the cosine transform along several axes, all of them unless given, each once: ValueError otherwise */
inline array dctn(const ::kiln::operand &x, const ::kiln::fft::dctn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_dctn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_dctn(x_h, &opts_c))); }
using idctn_opts = ::kiln::fft::dctn_opts;
/* scipy.fft.idctn: the inverse of kn_fft_dctn */
inline array idctn(const ::kiln::operand &x, const ::kiln::fft::dctn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_dctn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_idctn(x_h, &opts_c))); }
using dstn_opts = ::kiln::fft::dctn_opts;
/* scipy.fft.dstn: the sine transform along several axes, all of them unless given, each once: ValueError otherwise */
inline array dstn(const ::kiln::operand &x, const ::kiln::fft::dctn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_dctn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_dstn(x_h, &opts_c))); }
using idstn_opts = ::kiln::fft::dctn_opts;
/* scipy.fft.idstn: the inverse of kn_fft_dstn */
inline array idstn(const ::kiln::operand &x, const ::kiln::fft::dctn_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_dctn_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_idstn(x_h, &opts_c))); }
/* np.fft.fftfreq: the frequencies of the numbers that kn_fft_fft gives of n samples: 0, 1, ..., -2, -1 over n d.
 * ZeroDivisionError for n d = 0, ValueError for n < 0 */
inline array fftfreq(int64_t n, const ::kiln::fft::fftfreq_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_fft_fftfreq_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_fftfreq(n, &opts_c))); }
using rfftfreq_opts = ::kiln::fft::fftfreq_opts;
/* np.fft.rfftfreq: the frequencies of the numbers that kn_fft_rfft gives of n samples: 0 .. n / 2 over n d */
inline array rfftfreq(int64_t n, const ::kiln::fft::fftfreq_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_fft_fftfreq_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_rfftfreq(n, &opts_c))); }
/* np.fft.fftshift: x rolled by half of the extents along all axes, or those given, so that frequency 0 is in the
 * middle */
inline array fftshift(const ::kiln::operand &x, const ::kiln::fft::fftshift_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_fftshift_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_fftshift(x_h, &opts_c))); }
using ifftshift_opts = ::kiln::fft::fftshift_opts;
/* np.fft.ifftshift: x rolled back: the inverse of kn_fft_fftshift, also for odd extents */
inline array ifftshift(const ::kiln::operand &x, const ::kiln::fft::fftshift_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_fft_fftshift_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fft_ifftshift(x_h, &opts_c))); }
/* scipy.fft.next_fast_len: the least number of points, target or more, whose factors are small, so that it is
 * transformed fast. -1 for an error: ValueError for target < 0 */
inline int64_t next_fast_len(int64_t target, const ::kiln::fft::next_fast_len_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_fft_next_fast_len_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_fft_next_fast_len(target, &opts_c)); }
using prev_fast_len_opts = ::kiln::fft::next_fast_len_opts;
/* scipy.fft.prev_fast_len: the greatest number of points, target or less, whose factors are small. -1 for an error:
 * ValueError for target < 1 */
inline int64_t prev_fast_len(int64_t target, const ::kiln::fft::next_fast_len_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_fft_next_fast_len_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_fft_prev_fast_len(target, &opts_c)); }
} // namespace fft
} // namespace kiln
#endif
