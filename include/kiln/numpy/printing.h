/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/printing.h -- how arrays and numbers are written, and read again. Texts belong to the scope.
 * docs/printing.md has the rules. */
/* Made by scripts/make-api.py from api/numpy/printing.api. */
/* clang-format off */
#ifndef KILN_NUMPY_PRINTING_H
#define KILN_NUMPY_PRINTING_H
#include "kiln/core.h"
#include "kiln/print.h"
#include "kiln/tree.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Arrays as text. kn_print, kn_repr, kn_array_repr and kn_array_str are in kiln/core.h. */
/* What is not given is as kn_set_printoptions says. */
typedef struct kn_array2string_opts {
    size_t size_;
    int max_line_width;            /* KN_AS_SET */
    int precision;                 /* KN_AS_SET */
    int suppress_small;            /* KN_AS_SET */
    const char *separator;         /* NULL, " ": between elements */
    const char *prefix;            /* NULL, "": lines begin behind as many columns as it has */
    const char *suffix;            /* NULL, "": and end as many before the margin */
    const kn_formatter *formatter;
    int64_t threshold;             /* KN_AS_SET */
    int edgeitems;                 /* KN_AS_SET */
    char sign;
    const char *floatmode;         /* "maxprec", "maxprec_equal", "fixed", "unique" */
    const char *nanstr;
    const char *infstr;
} kn_array2string_opts;
KN_API kn_array2string_opts kn_array2string_opts_default(void);
/* np.array2string: the array as text: its elements in brackets; "[]" if there are none */
KN_API const char *kn_array2string(kn_array a, const kn_array2string_opts *opts);

/* ---- Trees as text, as Python shows nested dicts, lists, tuples and named tuples: {'b': array([0., 0.]), 'w':
 * None}. In C kn_print(tree) is kn_tree_print(tree), with print options for the arrays. */
typedef struct kn_tree_repr_opts {
    size_t size_;
    bool shapes;                /* (2, 3) in the place of an array, as jax.tree.map(jnp.shape, tree) */
    const kn_print_opts *print; /* for the arrays; NULL: as set */
} kn_tree_repr_opts;
KN_API kn_tree_repr_opts kn_tree_repr_opts_default(void);
/* repr(tree), of arrays as NumPy shows them */
KN_API const char *kn_tree_repr(kn_tree tree, const kn_tree_repr_opts *opts);
KN_API void kn_tree_print(kn_tree tree, const kn_tree_repr_opts *opts); /* the same and a newline to standard output */

/* ---- The print options of this context. Each thread's own context has its own; new ones begin with NumPy's. */
/* np.set_printoptions: how arrays are printed from now on. What is not given stays as it is, but a formatter:
 * without one there is none from now on. Texts are copied. 0; -1 and a ValueError */
KN_API int kn_set_printoptions(const kn_print_opts *opts);
/* np.get_printoptions: all print options that are set; texts belong to the scope */
KN_API kn_print_opts kn_get_printoptions(void);
/* np.printoptions: As kn_set_printoptions, until kn_printoptions_pop, or until the scope around it ends.
 * KN_PRINTOPTIONS does it for a block. Returns how many defaults were pushed before; -1 and a ValueError */
KN_API int kn_printoptions(const kn_print_opts *opts);
KN_API int kn_printoptions_pop(void); /* back to those before the last kn_printoptions: 0, or -1 and a ContextError */
KN_API void kn_printoptions_leave(int *pushed); /* what KN_PRINTOPTIONS does at the end of its block */

/* ---- Numbers as text. x is one element: a C number is a float64 or an int64. */
typedef struct kn_format_float_positional_opts {
    size_t size_;
    int precision;   /* -1: most digits after the point; -1: as many as there are */
    bool unique;     /* true: the fewest digits that mean x in its dtype; false: the digits of its exact value */
    /* true: false: precision and min_digits count digits before the point, too, but zeros at the start */
    bool fractional;
    /* 'k': 'k' keeps zeros at the end and the point, '.' drops zeros, '0' leaves one, '-' drops the point too */
    char trim;
    bool sign;       /* of positive numbers */
    int pad_left;    /* -1: so many columns before the point */
    int pad_right;   /* -1: and after it */
    int min_digits;  /* -1: least digits after the point if `unique` */
} kn_format_float_positional_opts;
KN_API kn_format_float_positional_opts kn_format_float_positional_opts_default(void);
/* np.format_float_positional: a number as text without an exponent. ValueError, TypeError and RuntimeError as in
 * NumPy; at most 16,383 characters */
KN_API const char *kn_format_float_positional(kn_array x, const kn_format_float_positional_opts *opts);
typedef struct kn_format_float_scientific_opts {
    size_t size_;
    int precision;  /* -1 */
    bool unique;    /* true */
    char trim;      /* 'k' */
    bool sign;
    int pad_left;   /* -1 */
    int exp_digits; /* -1: least digits of the exponent, at most 5; -1: 2 */
    int min_digits; /* -1 */
} kn_format_float_scientific_opts;
KN_API kn_format_float_scientific_opts kn_format_float_scientific_opts_default(void);
/* np.format_float_scientific: a number as text with one digit before the point and an exponent; errors as those of
 * kn_format_float_positional */
KN_API const char *kn_format_float_scientific(kn_array x, const kn_format_float_scientific_opts *opts);
typedef struct kn_base_repr_opts {
    size_t size_;
    int base;     /* 2 */
    int padding;  /* so many zeros in front */
} kn_base_repr_opts;
KN_API kn_base_repr_opts kn_base_repr_opts_default(void);
/* np.base_repr: an integer as text to base .base, with digits 0 to 9 and A to Z; ValueError for bases below 2 or
 * above 36 */
KN_API const char *kn_base_repr(kn_array number, const kn_base_repr_opts *opts);
typedef struct kn_binary_repr_opts {
    size_t size_;
    int width;    /* -1: of the text: negative numbers are two's complements then; -1: as many digits as there are */
} kn_binary_repr_opts;
KN_API kn_binary_repr_opts kn_binary_repr_opts_default(void);
/* np.binary_repr: an integer as text of binary digits; ValueError if the width is too small */
KN_API const char *kn_binary_repr(kn_array num, const kn_binary_repr_opts *opts);
KN_API const char *kn_float_hex(kn_array x); /* float.hex of Python: "0x1.8000000000000p+1" */
/* float.fromhex of Python; NaN and a ValueError or an OverflowError */
KN_API double kn_float_fromhex(const char *text);
typedef struct kn_integer_ratio { int64_t numerator, denominator; } kn_integer_ratio;
/* The fraction in lowest terms that x is exactly. ValueError for NaN; OverflowError for infinities, and where a part
 * has more than 63 bits; {0, 0} then */
KN_API kn_integer_ratio kn_as_integer_ratio(kn_array x);
KN_API kn_array kn_is_integer(kn_array x); /* Of each element: is it finite and whole? TypeError for complex numbers */

/* ---- Text as arrays; kn_fromstring is in kiln/numpy/creation.h. */
typedef struct kn_array_parse_opts {
    size_t size_;
    kn_dtype dtype; /* NULL: as the text says, or int64, uint64, float64, complex128 or bool, as its elements are */
} kn_array_parse_opts;
KN_API kn_array_parse_opts kn_array_parse_opts_default(void);
/* The array that kn_print, kn_repr, kn_array2string with blanks or commas, or NumPy wrote as this text: "[[1. 2.]\n
 * [3. 4.]]", "array([1+2j], dtype=complex64)". ValueError for other texts, and for summaries */
KN_API kn_array kn_array_parse(const char *text, const kn_array_parse_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* What kn_print does with a tree. */
static inline kn_tree kn_print_same_(kn_tree tree) { return tree; }
static inline void kn_print_tree_(kn_tree tree, const kn_print_opts *opts)
{
    (kn_tree_print)(tree, &(const kn_tree_repr_opts){.size_ = sizeof(kn_tree_repr_opts), .print = opts});
}
/* KN_PRINTOPTIONS(.precision = 3); at the start of a block: what is printed in it has these options. */
#define KN_PRINTOPTIONS(...) KN_PRINTOPTIONS_(__COUNTER__, __VA_ARGS__)
#define KN_PRINTOPTIONS_(c, ...)                                                                                       \
    int KN_V(printing, c) __attribute__((cleanup(kn_printoptions_leave), unused)) = kn_printoptions(__VA_ARGS__)
#define kn_array2string(a, ...)                                                                                        \
    KN_F1O(kn_array2string, kn_array2string_opts, (.max_line_width = KN_AS_SET, .precision = KN_AS_SET,                \
    .suppress_small = KN_AS_SET, .threshold = KN_AS_SET, .edgeitems = KN_AS_SET, ), a, __VA_ARGS__)
#define kn_tree_repr(tree, ...) KN_G1O(kn_tree_repr, kn_tree_repr_opts, (), kn_tree, tree, __VA_ARGS__)
#define kn_tree_print(tree, ...) KN_G1O(kn_tree_print, kn_tree_repr_opts, (), kn_tree, tree, __VA_ARGS__)
#define kn_set_printoptions(...)                                                                                       \
    KN_F0O(kn_set_printoptions, kn_print_opts, (.precision = KN_AS_SET, .threshold = KN_AS_SET,                        \
    .edgeitems = KN_AS_SET, .linewidth = KN_AS_SET, .suppress = KN_AS_SET, ), __VA_ARGS__)
#define kn_get_printoptions() (KN_HERE(), (kn_get_printoptions)())
#define kn_printoptions(...)                                                                                           \
    KN_F0O(kn_printoptions, kn_print_opts, (.precision = KN_AS_SET, .threshold = KN_AS_SET, .edgeitems = KN_AS_SET,    \
    .linewidth = KN_AS_SET, .suppress = KN_AS_SET, ), __VA_ARGS__)
#define kn_printoptions_pop() (KN_HERE(), (kn_printoptions_pop)())
#define kn_format_float_positional(x, ...)                                                                             \
    KN_F1O(kn_format_float_positional, kn_format_float_positional_opts, (.precision = -1, .unique = true,              \
    .fractional = true, .trim = 'k', .pad_left = -1, .pad_right = -1, .min_digits = -1, ), x, __VA_ARGS__)
#define kn_format_float_scientific(x, ...)                                                                             \
    KN_F1O(kn_format_float_scientific, kn_format_float_scientific_opts, (.precision = -1, .unique = true, .trim = 'k', \
    .pad_left = -1, .exp_digits = -1, .min_digits = -1, ), x, __VA_ARGS__)
#define kn_base_repr(number, ...) KN_F1O(kn_base_repr, kn_base_repr_opts, (.base = 2, ), number, __VA_ARGS__)
#define kn_binary_repr(num, ...) KN_F1O(kn_binary_repr, kn_binary_repr_opts, (.width = -1, ), num, __VA_ARGS__)
#define kn_float_hex(x) KN_F1(kn_float_hex, x)
#define kn_float_fromhex(text) KN_G1(kn_float_fromhex, const char *, text)
#define kn_as_integer_ratio(x) KN_F1(kn_as_integer_ratio, x)
#define kn_is_integer(x) KN_F1(kn_is_integer, x)
#define kn_array_parse(text, ...) KN_G1O(kn_array_parse, kn_array_parse_opts, (), const char *, text, __VA_ARGS__)
#endif
#endif
