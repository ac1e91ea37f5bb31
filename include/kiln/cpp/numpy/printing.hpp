/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/printing.hpp -- the functions of kiln/numpy/printing.h in C++. */
/* Made by scripts/make-api.py from api/numpy/printing.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_PRINTING_HPP
#define KILN_CPP_NUMPY_PRINTING_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/print.hpp"
#include "kiln/cpp/tree.hpp"

namespace kiln {
struct array2string_opts {
    KILN_OPTION((int), max_line_width, KN_AS_SET)
    KILN_OPTION((int), precision, KN_AS_SET)
    KILN_OPTION((int), suppress_small, KN_AS_SET)
    KILN_OPTION((::kiln::text), separator, {}) /* between elements */
    KILN_OPTION((::kiln::text), prefix, {}) /* lines begin behind as many columns as it has */
    KILN_OPTION((::kiln::text), suffix, {}) /* and end as many before the margin */
    KILN_OPTION((const kn_formatter *), formatter, {})
    KILN_OPTION((int64_t), threshold, KN_AS_SET)
    KILN_OPTION((int), edgeitems, KN_AS_SET)
    KILN_OPTION((char), sign, {})
    KILN_OPTION((::kiln::text), floatmode, {})
    KILN_OPTION((::kiln::text), nanstr, {})
    KILN_OPTION((::kiln::text), infstr, {})
    kn_array2string_opts c() const {
        kn_array2string_opts to_ = {}; to_.size_ = sizeof to_; to_.max_line_width = detail::c_of(max_line_width);
        to_.precision = detail::c_of(precision); to_.suppress_small = detail::c_of(suppress_small);
        to_.separator = detail::c_of(separator); to_.prefix = detail::c_of(prefix); to_.suffix = detail::c_of(suffix);
        to_.formatter = detail::c_of(formatter); to_.threshold = detail::c_of(threshold);
        to_.edgeitems = detail::c_of(edgeitems); to_.sign = detail::c_of(sign); to_.floatmode = detail::c_of(floatmode);
        to_.nanstr = detail::c_of(nanstr); to_.infstr = detail::c_of(infstr); return to_; }
};
/* np.array2string: the array as text: its elements in brackets; "[]" if there are none */
inline std::string array2string(const ::kiln::operand &a, const ::kiln::array2string_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array2string_opts opts_c = opts.c(); c_.here(); return
    c_.text(kn_array2string(a_h, &opts_c)); }
namespace tree {
struct repr_opts {
    KILN_OPTION((bool), shapes, {}) /* (2, 3) in the place of an array, as jax.tree.map(jnp.shape, tree) */
    KILN_OPTION((const kn_print_opts *), print, {}) /* for the arrays; NULL: as set */
    kn_tree_repr_opts c() const {
        kn_tree_repr_opts to_ = {}; to_.size_ = sizeof to_; to_.shapes = detail::c_of(shapes);
        to_.print = detail::c_of(print); return to_; }
};
/* repr(tree), of arrays as NumPy shows them */
inline std::string repr(const ::kiln::pytree &tree, const ::kiln::tree::repr_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_tree_repr_opts opts_c = opts.c(); c_.here(); return c_.text(kn_tree_repr(tree.c(),
    &opts_c)); }
using print_opts = ::kiln::tree::repr_opts;
/* the same and a newline to standard output */
inline void print(const ::kiln::pytree &tree, const ::kiln::tree::repr_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_tree_repr_opts opts_c = opts.c(); c_.here(); kn_tree_print(tree.c(), &opts_c);
    detail::check(); }
} // namespace tree
using set_printoptions_opts = ::kiln::print_opts;
/* np.set_printoptions: how arrays are printed from now on. What is not given stays as it is, but a formatter:
 * without one there is none from now on. Texts are copied. 0; -1 and a ValueError */
inline int set_printoptions(const ::kiln::print_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_print_opts opts_c = opts.c(); c_.here(); return c_.value(kn_set_printoptions(&opts_c)); }
/* np.get_printoptions: all print options that are set; texts belong to the scope */
inline kn_print_opts get_printoptions(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_get_printoptions()); }
using printoptions_opts = ::kiln::print_opts;
/* np.printoptions: As kn_set_printoptions, until kn_printoptions_pop, or until the scope around it ends.
 * KN_PRINTOPTIONS does it for a block. Returns how many defaults were pushed before; -1 and a ValueError */
inline int printoptions(const ::kiln::print_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_print_opts opts_c = opts.c(); c_.here(); return c_.value(kn_printoptions(&opts_c)); }
/* back to those before the last kn_printoptions: 0, or -1 and a ContextError */
inline int printoptions_pop(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_printoptions_pop()); }
namespace format {
struct float_positional_opts {
    KILN_OPTION((int), precision, -1) /* most digits after the point; -1: as many as there are */
    KILN_OPTION((bool), unique, true)
    KILN_OPTION((bool), fractional, true)
    KILN_OPTION((char), trim, 'k')
    KILN_OPTION((bool), sign, {}) /* of positive numbers */
    KILN_OPTION((int), pad_left, -1) /* so many columns before the point */
    KILN_OPTION((int), pad_right, -1) /* and after it */
    KILN_OPTION((int), min_digits, -1) /* least digits after the point if `unique` */
    kn_format_float_positional_opts c() const {
        kn_format_float_positional_opts to_ = {}; to_.size_ = sizeof to_; to_.precision = detail::c_of(precision);
        to_.unique = detail::c_of(unique); to_.fractional = detail::c_of(fractional); to_.trim = detail::c_of(trim);
        to_.sign = detail::c_of(sign); to_.pad_left = detail::c_of(pad_left); to_.pad_right = detail::c_of(pad_right);
        to_.min_digits = detail::c_of(min_digits); return to_; }
};
/* np.format_float_positional: a number as text without an exponent. ValueError, TypeError and RuntimeError as in
 * NumPy; at most 16,383 characters */
inline std::string float_positional(const ::kiln::operand &x, const ::kiln::format::float_positional_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_format_float_positional_opts opts_c = opts.c(); c_.here(); return
    c_.text(kn_format_float_positional(x_h, &opts_c)); }
struct float_scientific_opts {
    KILN_OPTION((int), precision, -1)
    KILN_OPTION((bool), unique, true)
    KILN_OPTION((char), trim, 'k')
    KILN_OPTION((bool), sign, {})
    KILN_OPTION((int), pad_left, -1)
    KILN_OPTION((int), exp_digits, -1) /* least digits of the exponent, at most 5; -1: 2 */
    KILN_OPTION((int), min_digits, -1)
    kn_format_float_scientific_opts c() const {
        kn_format_float_scientific_opts to_ = {}; to_.size_ = sizeof to_; to_.precision = detail::c_of(precision);
        to_.unique = detail::c_of(unique); to_.trim = detail::c_of(trim); to_.sign = detail::c_of(sign);
        to_.pad_left = detail::c_of(pad_left); to_.exp_digits = detail::c_of(exp_digits);
        to_.min_digits = detail::c_of(min_digits); return to_; }
};
/* np.format_float_scientific: a number as text with one digit before the point and an exponent; errors as those of
 * kn_format_float_positional */
inline std::string float_scientific(const ::kiln::operand &x, const ::kiln::format::float_scientific_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_format_float_scientific_opts opts_c = opts.c(); c_.here(); return
    c_.text(kn_format_float_scientific(x_h, &opts_c)); }
} // namespace format
struct base_repr_opts {
    KILN_OPTION((int), base, 2)
    KILN_OPTION((int), padding, {}) /* so many zeros in front */
    kn_base_repr_opts c() const {
        kn_base_repr_opts to_ = {}; to_.size_ = sizeof to_; to_.base = detail::c_of(base);
        to_.padding = detail::c_of(padding); return to_; }
};
/* np.base_repr: an integer as text to base .base, with digits 0 to 9 and A to Z; ValueError for bases below 2 or
 * above 36 */
inline std::string base_repr(const ::kiln::operand &number, const ::kiln::base_repr_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array number_h = number.c(); kn_base_repr_opts opts_c = opts.c(); c_.here(); return
    c_.text(kn_base_repr(number_h, &opts_c)); }
struct binary_repr_opts {
    KILN_OPTION((int), width, -1)
    kn_binary_repr_opts c() const {
        kn_binary_repr_opts to_ = {}; to_.size_ = sizeof to_; to_.width = detail::c_of(width); return to_; }
};
/* np.binary_repr: an integer as text of binary digits; ValueError if the width is too small */
inline std::string binary_repr(const ::kiln::operand &num, const ::kiln::binary_repr_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array num_h = num.c(); kn_binary_repr_opts opts_c = opts.c(); c_.here(); return
    c_.text(kn_binary_repr(num_h, &opts_c)); }
/* float.hex of Python: "0x1.8000000000000p+1" */
inline std::string float_hex(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.text(kn_float_hex(x_h)); }
/* float.fromhex of Python; NaN and a ValueError or an OverflowError */
inline double float_fromhex(const ::kiln::text &text, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_float_fromhex(text.c())); }
/* The fraction in lowest terms that x is exactly. ValueError for NaN; OverflowError for infinities, and where a part
 * has more than 63 bits; {0, 0} then */
inline kn_integer_ratio as_integer_ratio(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_as_integer_ratio(x_h)); }
/* Of each element: is it finite and whole? TypeError for complex numbers */
inline array is_integer(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_is_integer(x_h))); }
struct array_parse_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_array_parse_opts c() const {
        kn_array_parse_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
/* The array that kn_print, kn_repr, kn_array2string with blanks or commas, or NumPy wrote as this text: "[[1. 2.]\n
 * [3. 4.]]", "array([1+2j], dtype=complex64)". ValueError for other texts, and for summaries */
inline array array_parse(const ::kiln::text &text, const ::kiln::array_parse_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array_parse_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_array_parse(text.c(), &opts_c))); }
} // namespace kiln
#endif
