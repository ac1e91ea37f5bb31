/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/dtypes.hpp -- the functions of kiln/numpy/dtypes.h in C++. */
/* Made by scripts/make-api.py from api/numpy/dtypes.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_DTYPES_HPP
#define KILN_CPP_NUMPY_DTYPES_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct mintypecode_opts {
    KILN_OPTION((::kiln::text), typeset, "GDFgdf") /* the letters that the result may be */
    KILN_OPTION((char), default_, 'd') /* where none of the letters is among those */
    kn_mintypecode_opts c() const {
        kn_mintypecode_opts to_ = {}; to_.size_ = sizeof to_; to_.typeset = detail::c_of(typeset);
        to_.default_ = detail::c_of(default_); return to_; }
};
struct dtype_newbyteorder_opts {
    KILN_OPTION((::kiln::text), new_order, "S")
    kn_dtype_newbyteorder_opts c() const {
        kn_dtype_newbyteorder_opts to_ = {}; to_.size_ = sizeof to_; to_.new_order = detail::c_of(new_order); return
        to_; }
};
/* np.dtype(name): "float32", "double", "bfloat16", "i8" (8 bytes), "<f4", "d"; TypeError if unknown, or of a byte
 * order that is not the machine's. longdouble and clongdouble are refused: their bits are others on every machine */
inline ::kiln::dtype dtype_named(const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_named(name.c())); }
/* np.result_type: the dtype of a result of arrays, C numbers (which are weak) and dtypes, up to 32 in C; NULL for an
 * error */
inline ::kiln::dtype result_type(const std::vector<::kiln::dtype_like> &operands, place where = here())
{ detail::call c_(where); std::vector<kn_dtype_like> operands_v = detail::all_of<kn_dtype_like>(operands); c_.here();
    return c_.value(kn_result_type(static_cast<int>(operands.size()), operands_v.data())); }
/* np.promote_types: the smallest dtype that both can be cast to safely; NULL and TypeError where there is none */
inline ::kiln::dtype promote_types(const ::kiln::dtype_like &type1, const ::kiln::dtype_like &type2, place
    where = here())
{ detail::call c_(where); kn_dtype_like type1_h = type1.c(); kn_dtype_like type2_h = type2.c(); c_.here(); return
    c_.value(kn_promote_types(type1_h, type2_h)); }
/* np.can_cast: may it be cast by this rule: "no", "equiv", "safe", "same_kind", "unsafe"? Of an array its dtype
 * counts and never its values; TypeError for a C number */
inline bool can_cast(const ::kiln::dtype_like &from, const ::kiln::dtype_like &to, const ::kiln::text &casting, place
    where = here())
{ detail::call c_(where); kn_dtype_like from_h = from.c(); kn_dtype_like to_h = to.c(); c_.here(); return
    c_.value(kn_can_cast(from_h, to_h, casting.c())); }
/* np.min_scalar_type: the smallest dtype that holds this number, which is looked at; of arrays that are not 0-d
 * their dtype */
inline ::kiln::dtype min_scalar_type(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return c_.value(kn_min_scalar_type(a_h)); }
/* np.common_type: the inexact dtype for them all, in C up to 32: of integers at least float64; TypeError for bool */
inline ::kiln::dtype common_type(const ::kiln::operands &arrays, place where = here())
{ detail::call c_(where); std::vector<kn_array> arrays_v = arrays.handles(); c_.here(); return
    c_.value(kn_common_type(static_cast<int>(arrays.size()), arrays_v.data())); }
/* np.mintypecode: the letter of the smallest type for all of these letters; 0 for an error */
inline char mintypecode(const ::kiln::text &typechars, const ::kiln::mintypecode_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_mintypecode_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_mintypecode(typechars.c(), &opts_c)); }
/* np.isdtype: is it of this kind: "bool", "signed integer", "unsigned integer", "integral", "real floating",
 * "complex floating", "numeric", several of them with commas between, or is it this dtype? bfloat16 is real
 * floating, as in JAX */
inline bool isdtype(const ::kiln::dtype &dtype, const ::kiln::dtype_like &kind, place where = here())
{ detail::call c_(where); kn_dtype_like kind_h = kind.c(); c_.here(); return c_.value(kn_isdtype(dtype, kind_h)); }
/* np.issubdtype: is arg1 below arg2 (KN_FLOATING, ...), or the same dtype? */
inline bool issubdtype(const ::kiln::dtype_like &arg1, const ::kiln::dtype_like &arg2, place where = here())
{ detail::call c_(where); kn_dtype_like arg1_h = arg1.c(); kn_dtype_like arg2_h = arg2.c(); c_.here(); return
    c_.value(kn_issubdtype(arg1_h, arg2_h)); }
/* np.typename: a letter in words: "double precision"; NULL and KeyError for others */
inline std::string typename_(const ::kiln::text &char_, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_typename(char_.c())); }
/* np.typecodes: the letters of "Character", "Integer", "UnsignedInteger", "Float", "Complex", "AllInteger",
 * "AllFloat", "Datetime", "All", also those of dtypes that Kiln has not; NULL and KeyError for others */
inline std::string typecodes(const ::kiln::text &kind, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_typecodes(kind.c())); }
/* np.finfo: the limits of a dtype of floats or complex numbers; ValueError for others, and a dtype of NULL */
inline kn_finfo_result finfo(const ::kiln::dtype_like &dtype, place where = here())
{ detail::call c_(where); kn_dtype_like dtype_h = dtype.c(); c_.here(); return c_.value(kn_finfo(dtype_h)); }
struct iinfo_result { ::kiln::dtype dtype; int bits; char kind; int64_t min; uint64_t max; std::string key; };
/* np.iinfo: the limits of a dtype of integers; ValueError for others, and a dtype of NULL */
inline ::kiln::iinfo_result iinfo(const ::kiln::dtype_like &type, place where = here())
{ detail::call c_(where); kn_dtype_like type_h = type.c(); c_.here(); kn_iinfo_result r_ = c_.value(kn_iinfo(type_h));
    return ::kiln::iinfo_result{r_.dtype, r_.bits, r_.kind, r_.min, r_.max, detail::text_of(r_.key)}; }
/* np.dtype.char: its letter: 'd'; as in ml_dtypes of bfloat16 'E' and of what is only stored; of keys 'k' */
inline char dtype_char(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_char(dtype)); }
/* np.dtype.num: NumPy's number of it; from 256 on where it is none of NumPy's */
inline int dtype_num(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_num(dtype)); }
/* np.dtype.str: its short name, "<f8", which kn_dtype_named reads; of bfloat16 "<V2", as npy files have it */
inline std::string dtype_str(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_dtype_str(dtype)); }
/* np.dtype.descr: its description in npy files, "[('', '<f8')]" */
inline std::string dtype_descr(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_dtype_descr(dtype)); }
/* np.dtype.byteorder: '=', the machine's, or '|' for one byte */
inline char dtype_byteorder(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_byteorder(dtype)); }
/* np.dtype.alignment: at which multiples of bytes its elements begin */
inline size_t dtype_alignment(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_alignment(dtype)); }
/* np.dtype.isnative: true: no dtype here has the other byte order */
inline bool dtype_isnative(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_isnative(dtype)); }
/* np.dtype.isbuiltin: 1, or 2 for dtypes that are none of NumPy's own */
inline int dtype_isbuiltin(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_isbuiltin(dtype)); }
/* np.dtype.ndim: 0: no dtype here is an array of others */
inline int dtype_ndim(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_ndim(dtype)); }
/* np.dtype.shape: the empty shape, as no dtype here is an array of others */
inline ::kiln::shape dtype_shape(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_shape(dtype)); }
/* np.dtype.base: the dtype itself, as no dtype here is an array of others */
inline ::kiln::dtype dtype_base(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_base(dtype)); }
/* np.dtype.newbyteorder: the dtype itself where that is its order already; otherwise TypeError, as arrays never have
 * the other one here */
inline ::kiln::dtype dtype_newbyteorder(const ::kiln::dtype &dtype, const ::kiln::dtype_newbyteorder_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_dtype_newbyteorder_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_dtype_newbyteorder(dtype, &opts_c)); }
/* np.dtype.__eq__: the same dtype, in whatever form? False also for texts that are no dtype */
inline bool dtype_eq(const ::kiln::dtype &a, const ::kiln::dtype_like &b, place where = here())
{ detail::call c_(where); kn_dtype_like b_h = b.c(); c_.here(); return c_.value(kn_dtype_eq(a, b_h)); }
/* np.dtype.__lt__/__le__/__gt__/__ge__: can a be cast to b safely, and is b another one? */
inline bool dtype_lt(const ::kiln::dtype &a, const ::kiln::dtype_like &b, place where = here())
{ detail::call c_(where); kn_dtype_like b_h = b.c(); c_.here(); return c_.value(kn_dtype_lt(a, b_h)); }
/* can a be cast to b safely? */
inline bool dtype_le(const ::kiln::dtype &a, const ::kiln::dtype_like &b, place where = here())
{ detail::call c_(where); kn_dtype_like b_h = b.c(); c_.here(); return c_.value(kn_dtype_le(a, b_h)); }
/* can b be cast to a safely, and is b another one? */
inline bool dtype_gt(const ::kiln::dtype &a, const ::kiln::dtype_like &b, place where = here())
{ detail::call c_(where); kn_dtype_like b_h = b.c(); c_.here(); return c_.value(kn_dtype_gt(a, b_h)); }
/* can b be cast to a safely? */
inline bool dtype_ge(const ::kiln::dtype &a, const ::kiln::dtype_like &b, place where = here())
{ detail::call c_(where); kn_dtype_like b_h = b.c(); c_.here(); return c_.value(kn_dtype_ge(a, b_h)); }
/* np.dtype.__hash__: a number that is the same for the same dtype, in every process */
inline uint64_t dtype_hash(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_dtype_hash(dtype)); }
} // namespace kiln
#endif
