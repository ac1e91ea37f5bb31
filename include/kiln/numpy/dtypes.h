/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/dtypes.h -- what dtypes are, what they become together and which numbers they have; what all chapters
 * have in common is told in kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/dtypes.api. */
/* clang-format off */
#ifndef KILN_NUMPY_DTYPES_H
#define KILN_NUMPY_DTYPES_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dtype in any of its forms: itself, a text that np.dtype takes ("<f8", "half", "i4"), or an array or C number
 * that has it. In C the macros take each of them as it is; the functions take this struct, whose other members are
 * zero. */
typedef struct kn_dtype_like { kn_dtype dtype; const char *text; kn_array array; } kn_dtype_like;

/* NumPy's abstract types, for kn_issubdtype: texts, which no function takes for a dtype. */
#define KN_GENERIC "generic"
#define KN_NUMBER "number"
#define KN_INTEGER "integer"
#define KN_SIGNEDINTEGER "signedinteger"
#define KN_UNSIGNEDINTEGER "unsignedinteger"
#define KN_INEXACT "inexact"
#define KN_FLOATING "floating"
#define KN_COMPLEXFLOATING "complexfloating"
#define KN_FLEXIBLE "flexible"
#define KN_CHARACTER "character"

/* Dtypes of ml_dtypes that are only stored, a byte for each number: kn_astype makes them of others and others of
 * them, everything that moves elements takes them, and nothing computes with them (docs/dtypes.md). */
#define KN_F8_E3M4 kn_dtype_builtin(16)
#define KN_F8_E4M3 kn_dtype_builtin(17)
#define KN_F8_E4M3B11FNUZ kn_dtype_builtin(18)
#define KN_F8_E4M3FN kn_dtype_builtin(19)
#define KN_F8_E4M3FNUZ kn_dtype_builtin(20)
#define KN_F8_E5M2 kn_dtype_builtin(21)
#define KN_F8_E5M2FNUZ kn_dtype_builtin(22)
#define KN_F8_E8M0FNU kn_dtype_builtin(23)
#define KN_F6_E2M3FN kn_dtype_builtin(24)
#define KN_F6_E3M2FN kn_dtype_builtin(25)
#define KN_F4_E2M1FN kn_dtype_builtin(26)
#define KN_I4 kn_dtype_builtin(27)
#define KN_U4 kn_dtype_builtin(28)
#define KN_I2 kn_dtype_builtin(29)
#define KN_U2 kn_dtype_builtin(30)
#define KN_I1 kn_dtype_builtin(31)
#define KN_U1 kn_dtype_builtin(32)

/* ---- Options. */
typedef struct kn_mintypecode_opts {
    size_t size_;
    const char *typeset; /* "GDFgdf": the letters that the result may be */
    char default_;       /* 'd': where none of the letters is among those */
} kn_mintypecode_opts;
KN_API kn_mintypecode_opts kn_mintypecode_opts_default(void);
typedef struct kn_dtype_newbyteorder_opts {
    size_t size_;
    /* "S": of it the first letter counts: S swaps, < and L little, > and B big, = and N the machine's, | and I as it
     * is */
    const char *new_order;
} kn_dtype_newbyteorder_opts;
KN_API kn_dtype_newbyteorder_opts kn_dtype_newbyteorder_opts_default(void);

/* ---- Dtypes by text. */
/* np.dtype(name): "float32", "double", "bfloat16", "i8" (8 bytes), "<f4", "d"; TypeError if unknown, or of a byte
 * order that is not the machine's. longdouble and clongdouble are refused: their bits are others on every machine */
KN_API kn_dtype kn_dtype_named(const char *name);

/* ---- Common dtypes and casts. */
/* np.result_type: the dtype of a result of arrays, C numbers (which are weak) and dtypes, up to 32 in C; NULL for an
 * error */
KN_API kn_dtype kn_result_type(int n, const kn_dtype_like *operands);
/* np.promote_types: the smallest dtype that both can be cast to safely; NULL and TypeError where there is none */
KN_API kn_dtype kn_promote_types(kn_dtype_like type1, kn_dtype_like type2);
/* np.can_cast: may it be cast by this rule: "no", "equiv", "safe", "same_kind", "unsafe"? Of an array its dtype
 * counts and never its values; TypeError for a C number */
KN_API bool kn_can_cast(kn_dtype_like from, kn_dtype_like to, const char *casting);
/* np.min_scalar_type: the smallest dtype that holds this number, which is looked at; of arrays that are not 0-d
 * their dtype */
KN_API kn_dtype kn_min_scalar_type(kn_array a);
/* np.common_type: the inexact dtype for them all, in C up to 32: of integers at least float64; TypeError for bool */
KN_API kn_dtype kn_common_type(int n, const kn_array *arrays);
/* np.mintypecode: the letter of the smallest type for all of these letters; 0 for an error */
KN_API char kn_mintypecode(const char *typechars, const kn_mintypecode_opts *opts);

/* ---- Kinds. */
/* np.isdtype: is it of this kind: "bool", "signed integer", "unsigned integer", "integral", "real floating",
 * "complex floating", "numeric", several of them with commas between, or is it this dtype? bfloat16 is real
 * floating, as in JAX */
KN_API bool kn_isdtype(kn_dtype dtype, kn_dtype_like kind);
/* np.issubdtype: is arg1 below arg2 (KN_FLOATING, ...), or the same dtype? */
KN_API bool kn_issubdtype(kn_dtype_like arg1, kn_dtype_like arg2);
/* np.typename: a letter in words: "double precision"; NULL and KeyError for others */
KN_API const char *kn_typename(const char *char_);
/* np.typecodes: the letters of "Character", "Integer", "UnsignedInteger", "Float", "Complex", "AllInteger",
 * "AllFloat", "Datetime", "All", also those of dtypes that Kiln has not; NULL and KeyError for others */
KN_API const char *kn_typecodes(const char *kind);

/* ---- Limits. What is a number of the dtype in NumPy is a double of that value here. */
typedef struct kn_finfo_result {
    kn_dtype dtype; /* float32 of complex64 */ int bits, nmant, nexp, iexp, machep, negep, maxexp, minexp, precision;
    double eps, epsneg, max, min, resolution, smallest_normal, smallest_subnormal, tiny;
} kn_finfo_result;
typedef struct kn_iinfo_result { kn_dtype dtype; int bits; char kind; int64_t min; uint64_t max; const char *key;
} kn_iinfo_result;
/* np.finfo: the limits of a dtype of floats or complex numbers; ValueError for others, and a dtype of NULL */
KN_API kn_finfo_result kn_finfo(kn_dtype_like dtype);
/* np.iinfo: the limits of a dtype of integers; ValueError for others, and a dtype of NULL */
KN_API kn_iinfo_result kn_iinfo(kn_dtype_like type);

/* ---- What a dtype says of itself. Names, sizes and kinds are in kiln/core.h. */
/* np.dtype.char: its letter: 'd'; as in ml_dtypes of bfloat16 'E' and of what is only stored; of keys 'k' */
KN_API char kn_dtype_char(kn_dtype dtype);
/* np.dtype.num: NumPy's number of it; from 256 on where it is none of NumPy's */
KN_API int kn_dtype_num(kn_dtype dtype);
/* np.dtype.str: its short name, "<f8", which kn_dtype_named reads; of bfloat16 "<V2", as npy files have it */
KN_API const char *kn_dtype_str(kn_dtype dtype);
KN_API const char *kn_dtype_descr(kn_dtype dtype); /* np.dtype.descr: its description in npy files, "[('', '<f8')]" */
KN_API char kn_dtype_byteorder(kn_dtype dtype);       /* np.dtype.byteorder: '=', the machine's, or '|' for one byte */
/* np.dtype.alignment: at which multiples of bytes its elements begin */
KN_API size_t kn_dtype_alignment(kn_dtype dtype);
KN_API bool kn_dtype_isnative(kn_dtype dtype); /* np.dtype.isnative: true: no dtype here has the other byte order */
KN_API int kn_dtype_isbuiltin(kn_dtype dtype); /* np.dtype.isbuiltin: 1, or 2 for dtypes that are none of NumPy's own */
KN_API int kn_dtype_ndim(kn_dtype dtype);             /* np.dtype.ndim: 0: no dtype here is an array of others */
/* np.dtype.shape: the empty shape, as no dtype here is an array of others */
KN_API kn_shape kn_dtype_shape(kn_dtype dtype);
/* np.dtype.base: the dtype itself, as no dtype here is an array of others */
KN_API kn_dtype kn_dtype_base(kn_dtype dtype);
/* np.dtype.newbyteorder: the dtype itself where that is its order already; otherwise TypeError, as arrays never have
 * the other one here */
KN_API kn_dtype kn_dtype_newbyteorder(kn_dtype dtype, const kn_dtype_newbyteorder_opts *opts);
/* np.dtype.__eq__: the same dtype, in whatever form? False also for texts that are no dtype */
KN_API bool kn_dtype_eq(kn_dtype a, kn_dtype_like b);
/* np.dtype.__lt__/__le__/__gt__/__ge__: can a be cast to b safely, and is b another one? */
KN_API bool kn_dtype_lt(kn_dtype a, kn_dtype_like b);
KN_API bool kn_dtype_le(kn_dtype a, kn_dtype_like b); /* can a be cast to b safely? */
KN_API bool kn_dtype_gt(kn_dtype a, kn_dtype_like b); /* can b be cast to a safely, and is b another one? */
KN_API bool kn_dtype_ge(kn_dtype a, kn_dtype_like b); /* can b be cast to a safely? */
/* np.dtype.__hash__: a number that is the same for the same dtype, in every process */
KN_API uint64_t kn_dtype_hash(kn_dtype dtype);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* A dtype, a text, an array or a C number as a kn_dtype_like. */
static inline kn_dtype_like kn_like_dtype_(kn_dtype d) { const kn_dtype_like it = {d, 0, 0}; return it; }
static inline kn_dtype_like kn_like_text_(const char *text) { const kn_dtype_like it = {0, text, 0}; return it; }
static inline kn_dtype_like kn_like_typed_(kn_array x) { const kn_dtype_like it = {0, 0, x}; return it; }
static inline kn_dtype_like kn_like_it_(kn_dtype_like it) { return it; }
static inline kn_dtype_like kn_like_truth_(bool x) { return kn_like_typed_(kn_like_bool(x)); }
static inline kn_dtype_like kn_like_signed_(int64_t x) { return kn_like_typed_(kn_like_int(x)); }
static inline kn_dtype_like kn_like_unsigned_(uint64_t x) { return kn_like_typed_(kn_like_uint(x)); }
static inline kn_dtype_like kn_like_real_(double x) { return kn_like_typed_(kn_like_double(x)); }
static inline kn_dtype_like kn_like_pair_(double _Complex z) { return kn_like_typed_(kn_like_complex_(z)); }
kn_dtype_like kn_operand_has_no_dtype(kn_array_or_number operand);
#define KN_DTYPE_LIKE(x) KN_DTYPE_LIKE_(__COUNTER__, x)
#define KN_DTYPE_LIKE_(c, x)                                                                                           \
    __extension__({ __auto_type KN_V(val, c) = (x); _Generic(KN_V(val, c), kn_dtype: kn_like_dtype_,                   \
    char *: kn_like_text_, const char *: kn_like_text_, kn_dtype_like: kn_like_it_, kn_array: kn_like_typed_,          \
    bool: kn_like_truth_, KN_SIGNED(kn_like_signed_), KN_UNSIGNED(kn_like_unsigned_), float: kn_like_real_,            \
    double: kn_like_real_, float _Complex: kn_like_pair_, double _Complex: kn_like_pair_,                              \
    default: kn_operand_has_no_dtype)(KN_V(val, c)); })
#define kn_result_type(...) KN_RESULT_TYPE_(__COUNTER__, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_RESULT_TYPE_(c, count, ...)                                                                                 \
    __extension__({ kn_dtype_like KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0;                                     \
    KN_EACH(KN_TYPED_PUT_, c, __VA_ARGS__) KN_HERE(); (kn_result_type)(KN_V(cnt, c), KN_V(vec, c)); })
#define KN_TYPED_PUT_(c, a) KN_V(vec, c)[KN_V(cnt, c)++] = KN_DTYPE_LIKE(a);
#define kn_common_type(...) KN_COMMON_TYPE_(__COUNTER__, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_COMMON_TYPE_(c, count, ...)                                                                                 \
    __extension__({ kn_array KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_LIST_PUT_, c, __VA_ARGS__)    \
    KN_HERE(); (kn_common_type)(KN_V(cnt, c), KN_V(vec, c)); })
#define kn_dtype_named(name) KN_G1(kn_dtype_named, const char *, name)
#define kn_promote_types(type1, type2)                                                                                 \
    KN_G2(kn_promote_types, kn_dtype_like, KN_DTYPE_LIKE(type1), kn_dtype_like, KN_DTYPE_LIKE(type2))
#define kn_can_cast(from, to, casting) KN_CAN_CAST_(__COUNTER__, from, to, casting)
#define KN_CAN_CAST_(c, from, to, casting)                                                                             \
    __extension__({ kn_dtype_like KN_V(1, c) = KN_DTYPE_LIKE(from); kn_dtype_like KN_V(2, c) = KN_DTYPE_LIKE(to);      \
    KN_TAKE(const char *, 3, c, casting) KN_HERE(); (kn_can_cast)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_min_scalar_type(a) KN_F1(kn_min_scalar_type, a)
#define kn_mintypecode(typechars, ...)                                                                                 \
    KN_G1O(kn_mintypecode, kn_mintypecode_opts, (.typeset = "GDFgdf", .default_ = 'd', ), const char *, typechars,     \
    __VA_ARGS__)
#define kn_isdtype(dtype, kind) KN_G2(kn_isdtype, kn_dtype, dtype, kn_dtype_like, KN_DTYPE_LIKE(kind))
#define kn_issubdtype(arg1, arg2)                                                                                      \
    KN_G2(kn_issubdtype, kn_dtype_like, KN_DTYPE_LIKE(arg1), kn_dtype_like, KN_DTYPE_LIKE(arg2))
#define kn_typename(char_) KN_G1(kn_typename, const char *, char_)
#define kn_typecodes(kind) KN_G1(kn_typecodes, const char *, kind)
#define kn_finfo(dtype) KN_G1(kn_finfo, kn_dtype_like, KN_DTYPE_LIKE(dtype))
#define kn_iinfo(type) KN_G1(kn_iinfo, kn_dtype_like, KN_DTYPE_LIKE(type))
#define kn_dtype_char(dtype) KN_G1(kn_dtype_char, kn_dtype, dtype)
#define kn_dtype_num(dtype) KN_G1(kn_dtype_num, kn_dtype, dtype)
#define kn_dtype_str(dtype) KN_G1(kn_dtype_str, kn_dtype, dtype)
#define kn_dtype_descr(dtype) KN_G1(kn_dtype_descr, kn_dtype, dtype)
#define kn_dtype_byteorder(dtype) KN_G1(kn_dtype_byteorder, kn_dtype, dtype)
#define kn_dtype_alignment(dtype) KN_G1(kn_dtype_alignment, kn_dtype, dtype)
#define kn_dtype_isnative(dtype) KN_G1(kn_dtype_isnative, kn_dtype, dtype)
#define kn_dtype_isbuiltin(dtype) KN_G1(kn_dtype_isbuiltin, kn_dtype, dtype)
#define kn_dtype_ndim(dtype) KN_G1(kn_dtype_ndim, kn_dtype, dtype)
#define kn_dtype_shape(dtype) KN_G1(kn_dtype_shape, kn_dtype, dtype)
#define kn_dtype_base(dtype) KN_G1(kn_dtype_base, kn_dtype, dtype)
#define kn_dtype_newbyteorder(dtype, ...)                                                                              \
    KN_G1O(kn_dtype_newbyteorder, kn_dtype_newbyteorder_opts, (.new_order = "S", ), kn_dtype, dtype, __VA_ARGS__)
#define kn_dtype_eq(a, b) KN_G2(kn_dtype_eq, kn_dtype, a, kn_dtype_like, KN_DTYPE_LIKE(b))
#define kn_dtype_lt(a, b) KN_G2(kn_dtype_lt, kn_dtype, a, kn_dtype_like, KN_DTYPE_LIKE(b))
#define kn_dtype_le(a, b) KN_G2(kn_dtype_le, kn_dtype, a, kn_dtype_like, KN_DTYPE_LIKE(b))
#define kn_dtype_gt(a, b) KN_G2(kn_dtype_gt, kn_dtype, a, kn_dtype_like, KN_DTYPE_LIKE(b))
#define kn_dtype_ge(a, b) KN_G2(kn_dtype_ge, kn_dtype, a, kn_dtype_like, KN_DTYPE_LIKE(b))
#define kn_dtype_hash(dtype) KN_G1(kn_dtype_hash, kn_dtype, dtype)
#endif
#endif
