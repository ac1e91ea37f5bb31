/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/ufunc.hpp -- the functions of kiln/numpy/ufunc.h in C++. */
/* Made by scripts/make-api.py from api/numpy/ufunc.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_UFUNC_HPP
#define KILN_CPP_NUMPY_UFUNC_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/numpy/indexing.hpp"

namespace kiln {
namespace ufunc {
struct call_opts {
    KILN_OPTION((::kiln::array), out, {})
    KILN_OPTION((kn_operands), outs, {})
    KILN_OPTION((::kiln::array), where, {})
    KILN_OPTION((::kiln::dtype), dtype, {}) /* of the results: the loop that has it */
    KILN_OPTION((::kiln::text), casting, "same_kind")
    KILN_OPTION((::kiln::text), order, {}) /* how a result that is made lies in memory */
    KILN_OPTION((::kiln::text), signature, {}) /* of the loop: "dd->d", in NumPy's letters */
    KILN_OPTION((::kiln::axes), axis, {}) /* of generalized ufuncs with one core dimension */
    KILN_OPTION((kn_axes_list), axes, {}) /* of generalized ufuncs: the core axes of each operand */
    KILN_OPTION((bool), keepdims, {}) /* of generalized ufuncs whose results have no core dimensions */
    kn_ufunc_call_opts c() const {
        kn_ufunc_call_opts to_ = {}; to_.size_ = sizeof to_; to_.out = detail::c_of(out); to_.outs = detail::c_of(outs);
        to_.where = detail::c_of(where); to_.dtype = detail::c_of(dtype); to_.casting = detail::c_of(casting);
        to_.order = detail::c_of(order); to_.signature = detail::c_of(signature); to_.axis = detail::c_of(axis);
        to_.axes = detail::c_of(axes); to_.keepdims = detail::c_of(keepdims); return to_; }
};
struct reduce_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the first one unless others are given */
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((bool), keepdims, {})
    KILN_OPTION((::kiln::array), initial, {})
    KILN_OPTION((::kiln::array), where, {})
    KILN_OPTION((::kiln::array), out, {})
    kn_ufunc_reduce_opts c() const {
        kn_ufunc_reduce_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.dtype = detail::c_of(dtype); to_.keepdims = detail::c_of(keepdims); to_.initial = detail::c_of(initial);
        to_.where = detail::c_of(where); to_.out = detail::c_of(out); return to_; }
};
struct accumulate_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::array), out, {})
    kn_ufunc_accumulate_opts c() const {
        kn_ufunc_accumulate_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.dtype = detail::c_of(dtype); to_.out = detail::c_of(out); return to_; }
};
struct resolve_dtypes_opts {
    KILN_OPTION((::kiln::text), signature, {})
    KILN_OPTION((::kiln::text), casting, "same_kind")
    KILN_OPTION((bool), reduction, {}) /* the first dtype may be NULL then */
    KILN_OPTION((uint32_t), weak, {}) /* bit i: operand i is a C number of that dtype's kind */
    kn_ufunc_resolve_dtypes_opts c() const {
        kn_ufunc_resolve_dtypes_opts to_ = {}; to_.size_ = sizeof to_; to_.signature = detail::c_of(signature);
        to_.casting = detail::c_of(casting); to_.reduction = detail::c_of(reduction); to_.weak = detail::c_of(weak);
        return to_; }
};
/* ufunc(*in, ...): the result, the first one of several. Without options it is the function of that name:
 * kn_ufunc_call(kn_ufunc_add, KN_OPERANDS(x, 2)) is kn_add(x, 2). NumPy's errors: TypeError if there is no loop of
 * these dtypes, or no cast by the rule `casting`; ValueError for shapes that do not fit */
inline array call(kn_ufunc ufunc, const ::kiln::operands &in, const ::kiln::ufunc::call_opts &opts = {}, place
    where = here())
{ detail::call c_(where); std::vector<kn_array> in_v = in.handles(); kn_ufunc_call_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_ufunc_call(ufunc, kn_operands{static_cast<int>(in.size()), in_v.data()}, &opts_c)));
    }
using call_all_opts = ::kiln::ufunc::call_opts;
/* as kn_ufunc_call; all results */
inline std::vector<array> call_all(kn_ufunc ufunc, const ::kiln::operands &in, const ::kiln::ufunc::call_opts
    &opts = {}, place where = here())
{ detail::call c_(where); std::vector<kn_array> in_v = in.handles(); kn_ufunc_call_opts opts_c = opts.c(); c_.here();
    return detail::arrays_of(c_.take(kn_ufunc_call_all(ufunc, kn_operands{static_cast<int>(in.size()), in_v.data()},
    &opts_c))); }
/* ufunc.reduce along the first axis unless others are given; KN_AXIS_NONE: all. Where the order matters, as for
 * subtract, there is one operation for each element, from the left. ValueError for no elements without an identity,
 * and for several axes where the order matters; TypeError for comparisons of what is not bool */
inline array reduce(kn_ufunc ufunc, const ::kiln::operand &x, const ::kiln::ufunc::reduce_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_ufunc_reduce_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_ufunc_reduce(ufunc, x_h, &opts_c))); }
/* ufunc.accumulate: every element joined with all before it; along the first axis unless another is given */
inline array accumulate(kn_ufunc ufunc, const ::kiln::operand &x, const ::kiln::ufunc::accumulate_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_ufunc_accumulate_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_ufunc_accumulate(ufunc, x_h, &opts_c))); }
using outer_opts = ::kiln::ufunc::call_opts;
/* ufunc.outer: of each pair; the first result of several */
inline array outer(kn_ufunc ufunc, const ::kiln::operand &x, const ::kiln::operand &y, const ::kiln::ufunc::call_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_ufunc_call_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_ufunc_outer(ufunc, x_h, y_h, &opts_c))); }
using reduceat_opts = ::kiln::ufunc::accumulate_opts;
/* ufunc.reduceat: of x[indices[i]:indices[i + 1]], or x[indices[i]] if that is empty; looks at the indices.
 * IndexError if they are out of bounds */
inline array reduceat(kn_ufunc ufunc, const ::kiln::operand &x, const ::kiln::operand &indices, const
    ::kiln::ufunc::accumulate_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_ufunc_accumulate_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_ufunc_reduceat(ufunc, x_h, indices_h, &opts_c))); }
/* the ufunc of NumPy's name ("abs" is "absolute"), or that of one of the user's own; kn_ufunc_none without an error
 * if there is none */
inline kn_ufunc named(const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_ufunc_named(name.c())); }
/* its name, "add"; NULL after an error */
inline std::string name(kn_ufunc ufunc, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_ufunc_name(ufunc)); }
/* how many operands it has */
inline int nin(kn_ufunc ufunc, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_ufunc_nin(ufunc)); }
/* how many results it has */
inline int nout(kn_ufunc ufunc, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_ufunc_nout(ufunc)); }
/* how many operands and results it has */
inline int nargs(kn_ufunc ufunc, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_ufunc_nargs(ufunc)); }
/* how many loops it has, each for certain dtypes */
inline int ntypes(kn_ufunc ufunc, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_ufunc_ntypes(ufunc)); }
/* the i-th loop, "dd->d", in NumPy's letters; int64 is l and uint64 L. IndexError beyond kn_ufunc_ntypes */
inline std::string types(kn_ufunc ufunc, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_ufunc_types(ufunc, i)); }
/* the core dimensions of a generalized ufunc: "(m,n),(n)->(m)"; NULL for those that go element by element, and after
 * an error */
inline std::string signature(kn_ufunc ufunc, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_ufunc_signature(ufunc)); }
/* what a reduction of no elements is: a number that waits for a dtype; KN_NONE if there is none, and after an error */
inline array identity(kn_ufunc ufunc, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_ufunc_identity(ufunc))); }
/* the dtypes of operands and results that the ufunc works with for these: one for each, NULL for results that are
 * not given. n has to be kn_ufunc_nargs. 0, or -1 after an error */
inline int resolve_dtypes(kn_ufunc ufunc, const std::vector<kn_dtype> &dtypes, kn_dtype *resolved, const
    ::kiln::ufunc::resolve_dtypes_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_ufunc_resolve_dtypes_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_ufunc_resolve_dtypes(ufunc, static_cast<int>(dtypes.size()), dtypes.data(), resolved, &opts_c)); }
struct opts {
    KILN_OPTION((int), n_in, {})
    KILN_OPTION((int), n_out, {}) /* 0: one */
    KILN_OPTION((kn_ufunc_loops), loops, {})
    KILN_OPTION((::kiln::text), types, {}) /* of expression and compute: "ff->f dd->d"; NULL: any */
    KILN_OPTION((kn_primitive_compute), expression, {})
    KILN_OPTION((kn_primitive_compute), compute, {})
    KILN_OPTION((::kiln::text), signature, {})
    KILN_OPTION((kn_primitive_jvp), jvp, {})
    KILN_OPTION((uint32_t), linear_in, {})
    KILN_OPTION((uint32_t), multilinear_in, {})
    KILN_OPTION((kn_primitive_transpose), transpose, {})
    KILN_OPTION((bool), reorderable, {}) /* reductions may join elements in any order, and over several axes */
    KILN_OPTION((::kiln::array), identity, {}) /* a number: what a reduction of no elements is; implies reorderable */
    KILN_OPTION((void *), env, {})
    kn_ufunc_opts c() const {
        kn_ufunc_opts to_ = {}; to_.size_ = sizeof to_; to_.n_in = detail::c_of(n_in); to_.n_out = detail::c_of(n_out);
        to_.loops = detail::c_of(loops); to_.types = detail::c_of(types); to_.expression = detail::c_of(expression);
        to_.compute = detail::c_of(compute); to_.signature = detail::c_of(signature); to_.jvp = detail::c_of(jvp);
        to_.linear_in = detail::c_of(linear_in); to_.multilinear_in = detail::c_of(multilinear_in);
        to_.transpose = detail::c_of(transpose); to_.reorderable = detail::c_of(reorderable);
        to_.identity = detail::c_of(identity); to_.env = detail::c_of(env); return to_; }
};
using new_opts = ::kiln::ufunc::opts;
/* A ufunc of the process, as kn_primitive_new makes primitives: the same definition again is the same ufunc; it is
 * never freed, and functions, data and env have to live as long. kn_ufunc_none and a ValueError if a ufunc or a
 * primitive of another definition has the name; a TypeError or ValueError if the definition is not sound */
inline kn_ufunc new_(const ::kiln::text &name, const ::kiln::ufunc::opts &opts = {}, place where = here())
{ detail::call c_(where); kn_ufunc_opts opts_c = opts.c(); c_.here(); return c_.value(kn_ufunc_new(name.c(), &opts_c));
    }
} // namespace ufunc
} // namespace kiln
#endif
