/* SPDX-License-Identifier: Apache-2.0
 * kiln/macros.h -- the conveniences of C: numbers where arrays go, named options with their defaults, scopes, the place
 * of the call.
 *
 * Every function that a user calls on arrays has a macro of its own name. It evaluates its arguments once and from left
 * to right, fills in the options (defaults first, the caller's after them), notes the place, then calls the function:
 * `(kn_sum)(x, &opts)` is the function. Each macro mentions each argument once, so nested calls stay short when they
 * are expanded; names inside are made unique with __COUNTER__. Define KN_NO_PLACES to leave the places out. C++ and the
 * library itself do without these macros. */
/* clang-format off */
#ifndef KILN_MACROS_H
#define KILN_MACROS_H
#if !defined(__cplusplus) && !defined(KN_BUILD)
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "Kiln's macros need gcc 12 or later, or clang: older ones do not know _Pragma inside of expressions"
#endif
#include "kiln/core.h"
#include "kiln/function.h"
#include "kiln/print.h"

/* ---- Tools. */
#define KN_CAT_(a, b) a##b
#define KN_CAT(a, b) KN_CAT_(a, b)
#define KN_V_(i, c) kn_##i##_##c
#define KN_V(i, c) KN_V_(i, c)      /* a variable of the macro call number c */
#define KN_STRIP(...) __VA_ARGS__
#define KN_MEMBERS(D) KN_STRIP D /* of a list in parentheses that is a macro */
#define KN_FIRST_(a, ...) a
#define KN_HAS(...) KN_FIRST_(__VA_OPT__(1, ) 0, 0) /* 1 if there are arguments */
/* How many arguments, 0 to 64. */
#define KN_COUNT(...)                                                                                                  \
    KN_COUNT_(__VA_ARGS__ __VA_OPT__(, ) 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46,   \
    45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,    \
    17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define KN_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, \
    a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, \
    a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, n, ...) n
/* m(c, a) for each argument a: up to 32. */
#define KN_EACH_0(m, c, ...)
#define KN_EACH_1(m, c, a) m(c, a)
#define KN_EACH_2(m, c, a, ...) m(c, a) KN_EACH_1(m, c, __VA_ARGS__)
#define KN_EACH_3(m, c, a, ...) m(c, a) KN_EACH_2(m, c, __VA_ARGS__)
#define KN_EACH_4(m, c, a, ...) m(c, a) KN_EACH_3(m, c, __VA_ARGS__)
#define KN_EACH_5(m, c, a, ...) m(c, a) KN_EACH_4(m, c, __VA_ARGS__)
#define KN_EACH_6(m, c, a, ...) m(c, a) KN_EACH_5(m, c, __VA_ARGS__)
#define KN_EACH_7(m, c, a, ...) m(c, a) KN_EACH_6(m, c, __VA_ARGS__)
#define KN_EACH_8(m, c, a, ...) m(c, a) KN_EACH_7(m, c, __VA_ARGS__)
#define KN_EACH_9(m, c, a, ...) m(c, a) KN_EACH_8(m, c, __VA_ARGS__)
#define KN_EACH_10(m, c, a, ...) m(c, a) KN_EACH_9(m, c, __VA_ARGS__)
#define KN_EACH_11(m, c, a, ...) m(c, a) KN_EACH_10(m, c, __VA_ARGS__)
#define KN_EACH_12(m, c, a, ...) m(c, a) KN_EACH_11(m, c, __VA_ARGS__)
#define KN_EACH_13(m, c, a, ...) m(c, a) KN_EACH_12(m, c, __VA_ARGS__)
#define KN_EACH_14(m, c, a, ...) m(c, a) KN_EACH_13(m, c, __VA_ARGS__)
#define KN_EACH_15(m, c, a, ...) m(c, a) KN_EACH_14(m, c, __VA_ARGS__)
#define KN_EACH_16(m, c, a, ...) m(c, a) KN_EACH_15(m, c, __VA_ARGS__)
#define KN_EACH_17(m, c, a, ...) m(c, a) KN_EACH_16(m, c, __VA_ARGS__)
#define KN_EACH_18(m, c, a, ...) m(c, a) KN_EACH_17(m, c, __VA_ARGS__)
#define KN_EACH_19(m, c, a, ...) m(c, a) KN_EACH_18(m, c, __VA_ARGS__)
#define KN_EACH_20(m, c, a, ...) m(c, a) KN_EACH_19(m, c, __VA_ARGS__)
#define KN_EACH_21(m, c, a, ...) m(c, a) KN_EACH_20(m, c, __VA_ARGS__)
#define KN_EACH_22(m, c, a, ...) m(c, a) KN_EACH_21(m, c, __VA_ARGS__)
#define KN_EACH_23(m, c, a, ...) m(c, a) KN_EACH_22(m, c, __VA_ARGS__)
#define KN_EACH_24(m, c, a, ...) m(c, a) KN_EACH_23(m, c, __VA_ARGS__)
#define KN_EACH_25(m, c, a, ...) m(c, a) KN_EACH_24(m, c, __VA_ARGS__)
#define KN_EACH_26(m, c, a, ...) m(c, a) KN_EACH_25(m, c, __VA_ARGS__)
#define KN_EACH_27(m, c, a, ...) m(c, a) KN_EACH_26(m, c, __VA_ARGS__)
#define KN_EACH_28(m, c, a, ...) m(c, a) KN_EACH_27(m, c, __VA_ARGS__)
#define KN_EACH_29(m, c, a, ...) m(c, a) KN_EACH_28(m, c, __VA_ARGS__)
#define KN_EACH_30(m, c, a, ...) m(c, a) KN_EACH_29(m, c, __VA_ARGS__)
#define KN_EACH_31(m, c, a, ...) m(c, a) KN_EACH_30(m, c, __VA_ARGS__)
#define KN_EACH_32(m, c, a, ...) m(c, a) KN_EACH_31(m, c, __VA_ARGS__)
#define KN_EACH(m, c, ...) KN_CAT(KN_EACH_, KN_COUNT(__VA_ARGS__))(m, c __VA_OPT__(, ) __VA_ARGS__)

/* The place of a call, as a pointer to a static structure. */
#ifdef KN_NO_PLACES
#define KN_HERE() ((void)0)
#else
#define KN_PLACE()                                                                                                     \
    __extension__({ static const kn_place kn_this_place = {__FILE__, __LINE__, __func__}; &kn_this_place; })
#define KN_HERE() kn_here(KN_PLACE())
#endif

/* The warnings about a default that the caller overrides, and about members of an inner struct that are not given, off
 * and on again. */
#if defined(__clang__)
#define KN_QUIET                                                                                                       \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Winitializer-overrides\"")                   \
    _Pragma("clang diagnostic ignored \"-Wmissing-field-initializers\"")                                               \
    _Pragma("clang diagnostic error \"-Wmissing-braces\"")
#define KN_UNQUIET _Pragma("clang diagnostic pop")
#else
#define KN_QUIET                                                                                                       \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"")                               \
    _Pragma("GCC diagnostic error \"-Wmissing-braces\"")
#define KN_UNQUIET _Pragma("GCC diagnostic pop")
#endif

/* A value of another C type than arrays and numbers: pointers of other types are errors, as they will be in all
 * compilers. */
#if defined(__clang__)
#define KN_STRICT _Pragma("clang diagnostic push") _Pragma("clang diagnostic error \"-Wincompatible-pointer-types\"")
#else
#define KN_STRICT _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")
#endif
#define KN_TAKE(A, i, c, x)                                                                                            \
    KN_STRICT A KN_V(i, c) = /* a C function f is KN_FN(f), several arrays are KN_LIST(x, y) */ (x); KN_UNQUIET

/* ---- Scopes: KN_SCOPE; at the start of a block. */
#define KN_SCOPE                                                                                                       \
    kn_scope KN_V(scope, __COUNTER__) __attribute__((cleanup(kn_scope_end), unused)) = kn_scope_begin()

/* ---- C types. One case per type: what is not a number or an array does not compile. */
#define KN_SIGNED(f) char: f, signed char: f, short: f, int: f, long: f, long long: f
#define KN_UNSIGNED(f) unsigned char: f, unsigned short: f, unsigned int: f, unsigned long: f, unsigned long long: f
static inline kn_array kn_like_complex_(double _Complex z)
{
    return kn_like_complex(__extension__ __real__ z, __extension__ __imag__ z);
}
/* What anything else would have to be: nothing can, so the compiler says these names. */
typedef struct kn_array_or_number { char none; } kn_array_or_number;
kn_array kn_operand_is_no_array_and_no_number(kn_array_or_number operand);
/* A number or an array as an array: a C number becomes a weak scalar. */
#define KN_LIKE(x) KN_LIKE_(__COUNTER__, x)
#define KN_LIKE_(c, x)                                                                                                 \
    __extension__({ __auto_type KN_V(val, c) = (x); _Generic(KN_V(val, c), kn_array: kn_like_array, bool:              \
    kn_like_bool, KN_SIGNED(kn_like_int), KN_UNSIGNED(kn_like_uint), float: kn_like_double, double: kn_like_double,    \
    float _Complex: kn_like_complex_, double _Complex: kn_like_complex_,                                               \
    default: kn_operand_is_no_array_and_no_number)(KN_V(val, c)); })

/* The number of the dtype of a C type, given a pointer to it (its value does not matter). */
#define KN_TYPE_ID(p)                                                                                                  \
    _Generic((p), bool *: 0, const bool *: 0, KN_TYPE_CASE(char, (char)-1 < 0 ? 1 : 5), KN_TYPE_CASE(signed char, 1),  \
        KN_TYPE_CASE(short, 2), KN_TYPE_CASE(int, 3), KN_TYPE_CASE(long, sizeof(long) == 8 ? 4 : 3),                   \
        KN_TYPE_CASE(long long, 4), KN_TYPE_CASE(unsigned char, 5), KN_TYPE_CASE(unsigned short, 6),                   \
        KN_TYPE_CASE(unsigned int, 7), KN_TYPE_CASE(unsigned long, sizeof(long) == 8 ? 8 : 7),                         \
        KN_TYPE_CASE(unsigned long long, 8), KN_TYPE_CASE(float, 11), KN_TYPE_CASE(double, 12),                        \
        KN_TYPE_CASE(float _Complex, 13), KN_TYPE_CASE(double _Complex, 14), KN_TYPE_CASE(kn_c64, 13),                 \
        KN_TYPE_CASE(kn_c128, 14))
#define KN_TYPE_CASE(type, id) type *: (id), const type *: (id)

/* ---- Shapes, axes, lists. */
#define KN_SHAPE(...) ((kn_shape){KN_COUNT(__VA_ARGS__), {__VA_ARGS__ __VA_OPT__(, ) KN_PAD_(__VA_ARGS__)}})
#define KN_AXIS(...) ((kn_axes){{KN_COUNT(__VA_ARGS__) + 1}, {__VA_ARGS__ __VA_OPT__(, ) KN_PAD_(__VA_ARGS__)}})
#define KN_PAD_(...) KN_CAT(KN_PAD_, KN_HAS(__VA_ARGS__))
#define KN_PAD_0 0
#define KN_PAD_1
#define KN_AXIS_NONE ((kn_axes){{-1}, {0}})
#define KN_ARGNUMS(...) ((kn_argnums){{KN_COUNT(__VA_ARGS__)}, {__VA_ARGS__}})
/* A list of arrays (and numbers), up to 32. */
#define KN_LIST(...) KN_LIST_(__COUNTER__, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_LIST_(c, count, ...)                                                                                        \
    __extension__({ kn_array KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_LIST_PUT_, c, __VA_ARGS__)    \
    KN_HERE(); (kn_list_from)(KN_V(vec, c), KN_V(cnt, c)); })
#define KN_ITEM_PUT_(c, a) KN_V(vec, c)[KN_V(cnt, c)++] = (a); /* the same for items of any type */
#define KN_LIST_PUT_(c, a) KN_V(vec, c)[KN_V(cnt, c)++] = KN_LIKE(a);

/* ---- How a macro calls its function: operands, options, place, call. T: the option struct; D: its defaults in
 * parentheses, each with a comma behind it (what is not named is zero). Without options the function gets NULL. */
#define KN_OPTS(c, T, D, ...) KN_CAT(KN_OPTS_, KN_HAS(__VA_ARGS__))(c, T, D, __VA_ARGS__)
#define KN_OPTS_0(c, T, D, ...) const T *const KN_V(opt, c) = (const T *)0;
#define KN_OPTS_1(c, T, D, ...)                                                                                        \
    KN_QUIET const T KN_V(str, c) =                                                                                    \
    /* numbers in lists: KN_AXIS(1), KN_ARGNUMS(1), KN_MAPPED(0) */ {KN_STRIP D .size_ = sizeof(T), __VA_ARGS__};      \
    KN_UNQUIET const T *const KN_V(opt, c) = &KN_V(str, c);

#define KN_F1(f, x) KN_F1_(__COUNTER__, f, x)
#define KN_F1_(c, f, x) __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_HERE(); (f)(KN_V(1, c)); })
#define KN_F2(f, x, y) KN_F2_(__COUNTER__, f, x, y)
#define KN_F2_(c, f, x, y)                                                                                             \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(y);                                \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c)); })
#define KN_F3(f, x, y, z) KN_F3_(__COUNTER__, f, x, y, z)
#define KN_F3_(c, f, x, y, z)                                                                                          \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(y);                                \
        kn_array KN_V(3, c) = KN_LIKE(z); KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
/* ... with options behind */
#define KN_F1O(f, T, D, x, ...) KN_F1O_(__COUNTER__, f, T, D, x, __VA_ARGS__)
#define KN_F1O_(c, f, T, D, x, ...)                                                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_OPTS(c, T, D, __VA_ARGS__)                                    \
        KN_HERE(); (f)(KN_V(1, c), KN_V(opt, c)); })
#define KN_F0O(f, T, D, ...) KN_F0O_(__COUNTER__, f, T, D, __VA_ARGS__)
#define KN_F0O_(c, f, T, D, ...)                                                                                       \
    __extension__({ KN_OPTS(c, T, D, __VA_ARGS__) KN_HERE(); (f)(KN_V(opt, c)); })
#define KN_F2O(f, T, D, x, y, ...) KN_F2O_(__COUNTER__, f, T, D, x, y, __VA_ARGS__)
#define KN_F2O_(c, f, T, D, x, y, ...)                                                                                 \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(y);                                \
        KN_OPTS(c, T, D, __VA_ARGS__) KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define KN_F3O(f, T, D, x, y, z, ...) KN_F3O_(__COUNTER__, f, T, D, x, y, z, __VA_ARGS__)
#define KN_F3O_(c, f, T, D, x, y, z, ...)                                                                              \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(y);                                \
        kn_array KN_V(3, c) = KN_LIKE(z); KN_OPTS(c, T, D, __VA_ARGS__)                                                \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define KN_F4(f, x, y, z, w) KN_F4_(__COUNTER__, f, x, y, z, w)
#define KN_F4_(c, f, x, y, z, w)                                                                                       \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(y);                                \
        kn_array KN_V(3, c) = KN_LIKE(z); kn_array KN_V(4, c) = KN_LIKE(w);                                            \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c)); })
#define KN_F4O(f, T, D, x, y, z, w, ...) KN_F4O_(__COUNTER__, f, T, D, x, y, z, w, __VA_ARGS__)
#define KN_F4O_(c, f, T, D, x, y, z, w, ...)                                                                           \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(y);                                \
        kn_array KN_V(3, c) = KN_LIKE(z); kn_array KN_V(4, c) = KN_LIKE(w); KN_OPTS(c, T, D, __VA_ARGS__)              \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
/* ... of one value of another C type (A), and with options */
#define KN_G1(f, A, x) KN_G1_(__COUNTER__, f, A, x)
#define KN_G1_(c, f, A, x) __extension__({ KN_TAKE(A, 1, c, x) KN_HERE(); (f)(KN_V(1, c)); })
#define KN_G1O(f, T, D, A, x, ...) KN_G1O_(__COUNTER__, f, T, D, A, x, __VA_ARGS__)
#define KN_G1O_(c, f, T, D, A, x, ...)                                                                                 \
    __extension__({ KN_TAKE(A, 1, c, x) KN_OPTS(c, T, D, __VA_ARGS__) KN_HERE(); (f)(KN_V(1, c), KN_V(opt, c)); })
#define KN_G2(f, A, x, B, y) KN_G2_(__COUNTER__, f, A, x, B, y)
#define KN_G2_(c, f, A, x, B, y)                                                                                       \
    __extension__({ KN_TAKE(A, 1, c, x) KN_TAKE(B, 2, c, y) KN_HERE(); (f)(KN_V(1, c), KN_V(2, c)); })
#define KN_G2O(f, T, D, A, x, B, y, ...) KN_G2O_(__COUNTER__, f, T, D, A, x, B, y, __VA_ARGS__)
#define KN_G2O_(c, f, T, D, A, x, B, y, ...)                                                                           \
    __extension__({ KN_TAKE(A, 1, c, x) KN_TAKE(B, 2, c, y) KN_OPTS(c, T, D, __VA_ARGS__)                              \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
/* ... of an array and one or two values of other C types */
#define KN_H1(f, x, A, y) KN_H1_(__COUNTER__, f, x, A, y)
#define KN_H1_(c, f, x, A, y)                                                                                          \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(A, 2, c, y) KN_HERE(); (f)(KN_V(1, c), KN_V(2, c)); })
#define KN_H1O(f, T, D, x, A, y, ...) KN_H1O_(__COUNTER__, f, T, D, x, A, y, __VA_ARGS__)
#define KN_H1O_(c, f, T, D, x, A, y, ...)                                                                              \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(A, 2, c, y) KN_OPTS(c, T, D, __VA_ARGS__)                \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define KN_H2(f, x, A, y, B, z) KN_H2_(__COUNTER__, f, x, A, y, B, z)
#define KN_H2_(c, f, x, A, y, B, z)                                                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(A, 2, c, y) KN_TAKE(B, 3, c, z)                          \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
/* ... of an array and a structure that is passed by its address */
#define KN_P1(f, x, A, y) KN_P1_(__COUNTER__, f, x, A, y)
#define KN_P1_(c, f, x, A, y)                                                                                          \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(A, 2, c, y)                                              \
        KN_HERE(); (f)(KN_V(1, c), &KN_V(2, c)); })
#define KN_P1O(f, T, D, x, A, y, ...) KN_P1O_(__COUNTER__, f, T, D, x, A, y, __VA_ARGS__)
#define KN_P1O_(c, f, T, D, x, A, y, ...)                                                                              \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(A, 2, c, y) KN_OPTS(c, T, D, __VA_ARGS__)                \
        KN_HERE(); (f)(KN_V(1, c), &KN_V(2, c), KN_V(opt, c)); })
#define KN_P2(f, x, A, y, B, z) KN_P2_(__COUNTER__, f, x, A, y, B, z)
#define KN_P2_(c, f, x, A, y, B, z)                                                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(A, 2, c, y) KN_TAKE(B, 3, c, z)                          \
        KN_HERE(); (f)(KN_V(1, c), &KN_V(2, c), &KN_V(3, c)); })
/* ... of two to eight arrays, folded from the left: ((a + b) + c) + d */
#define KN_FOLD(f, ...) KN_CAT(KN_FOLD_, KN_COUNT(__VA_ARGS__))(__COUNTER__, f, __VA_ARGS__)
#define KN_FOLD_A(c, i, x) kn_array KN_V(i, c) = KN_LIKE(x);
#define KN_FOLD_2(c, f, x1, x2) KN_F2_(c, f, x1, x2)
#define KN_FOLD_3(c, f, x1, x2, x3) __extension__({ KN_FOLD_B3(c, x1, x2, x3) KN_HERE(); KN_FOLD_C3(c, f); })
#define KN_FOLD_4(c, f, x1, x2, x3, x4) __extension__({ KN_FOLD_B4(c, x1, x2, x3, x4) KN_HERE(); KN_FOLD_C4(c, f); })
#define KN_FOLD_5(c, f, x1, x2, x3, x4, x5)                                                                            \
    __extension__({ KN_FOLD_B4(c, x1, x2, x3, x4) KN_FOLD_A(c, 5, x5) KN_HERE(); KN_FOLD_C5(c, f); })
#define KN_FOLD_6(c, f, x1, x2, x3, x4, x5, x6)                                                                        \
    __extension__({ KN_FOLD_B4(c, x1, x2, x3, x4) KN_FOLD_A(c, 5, x5) KN_FOLD_A(c, 6, x6)                              \
        KN_HERE(); KN_FOLD_C6(c, f); })
#define KN_FOLD_7(c, f, x1, x2, x3, x4, x5, x6, x7)                                                                    \
    __extension__({ KN_FOLD_B4(c, x1, x2, x3, x4) KN_FOLD_A(c, 5, x5) KN_FOLD_A(c, 6, x6) KN_FOLD_A(c, 7, x7)          \
        KN_HERE(); KN_FOLD_C7(c, f); })
#define KN_FOLD_8(c, f, x1, x2, x3, x4, x5, x6, x7, x8)                                                                \
    __extension__({ KN_FOLD_B4(c, x1, x2, x3, x4) KN_FOLD_A(c, 5, x5) KN_FOLD_A(c, 6, x6) KN_FOLD_A(c, 7, x7)          \
        KN_FOLD_A(c, 8, x8) KN_HERE(); (f)(KN_FOLD_C7(c, f), KN_V(8, c)); })
#define KN_FOLD_B3(c, x1, x2, x3) KN_FOLD_A(c, 1, x1) KN_FOLD_A(c, 2, x2) KN_FOLD_A(c, 3, x3)
#define KN_FOLD_B4(c, x1, x2, x3, x4) KN_FOLD_B3(c, x1, x2, x3) KN_FOLD_A(c, 4, x4)
#define KN_FOLD_C3(c, f) (f)((f)(KN_V(1, c), KN_V(2, c)), KN_V(3, c))
#define KN_FOLD_C4(c, f) (f)(KN_FOLD_C3(c, f), KN_V(4, c))
#define KN_FOLD_C5(c, f) (f)(KN_FOLD_C4(c, f), KN_V(5, c))
#define KN_FOLD_C6(c, f) (f)(KN_FOLD_C5(c, f), KN_V(6, c))
#define KN_FOLD_C7(c, f) (f)(KN_FOLD_C6(c, f), KN_V(7, c))

/* ---- Numbers and memory as arrays. */
#define kn_num(x) KN_F1(kn_like_array, x)
#define KN_TRUE kn_like_bool(true)
#define KN_FALSE kn_like_bool(false)
#define KN_NONE ((kn_array)0) /* an operand that is left out, as a bound of kn_clip */
#define kn_scalar(x) KN_SCALAR_(__COUNTER__, x)
#define KN_SCALAR_(c, x)                                                                                               \
    __extension__({ __auto_type KN_V(val, c) = (x); KN_HERE(); (kn_strong)(&KN_V(val, c),                              \
    kn_dtype_builtin(KN_TYPE_ID(&KN_V(val, c)))); })
/* A 1-d array of that C type. (The zero at the end is there for empty ones.) */
#define kn_of(type, ...) KN_OF_(__COUNTER__, type, __VA_ARGS__)
#define KN_OF_(c, type, ...)                                                                                           \
    __extension__({ const type KN_V(vec, c)[] = {__VA_ARGS__ __VA_OPT__(, ) 0}; const kn_shape KN_V(str, c) = {1,      \
    {(int64_t)(sizeof KN_V(vec, c) / sizeof(type)) - 1}}; KN_HERE(); (kn_from_memory)(KN_V(vec, c), &KN_V(str, c),     \
    kn_dtype_builtin(KN_TYPE_ID(&KN_V(vec, c)[0]))); })
/* Copies C-contiguous memory; the dtype is that of the pointer's type. */
#define kn_from(pointer, shape) KN_FROM_(__COUNTER__, pointer, shape)
#define KN_FROM_(c, pointer, shape)                                                                                    \
    __extension__({ __auto_type KN_V(ptr, c) = (pointer); const kn_shape KN_V(str, c) = (shape); KN_HERE();            \
    (kn_from_memory)(KN_V(ptr, c), &KN_V(str, c), kn_dtype_builtin(KN_TYPE_ID(KN_V(ptr, c)))); })
#define kn_data(x, type) KN_DATA_(__COUNTER__, x, type)
#define KN_DATA_(c, x, type)                                                                                           \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_HERE();                                                       \
        (const type *)(kn_data_bytes)(KN_V(1, c), kn_dtype_builtin(KN_TYPE_ID((type *)0))); })

/* ---- core.h. */
#define kn_assign(slot, value) KN_ASSIGN_(__COUNTER__, slot, value)
#define KN_ASSIGN_(c, slot, value)                                                                                     \
    __extension__({ kn_array *KN_V(1, c) = (slot); kn_array KN_V(2, c) = KN_LIKE(value);                               \
        KN_HERE(); (kn_assign)(KN_V(1, c), KN_V(2, c)); })
#define kn_keep(x) KN_F1(kn_keep, x)
#define kn_ok(x) KN_F1(kn_ok, x)
#define kn_ndim(x) KN_F1(kn_ndim, x)
#define kn_size(x) KN_F1(kn_size, x)
#define kn_dim(x, axis) KN_H1(kn_dim, x, int, axis)
#define kn_dim_add(a, b) KN_G2(kn_dim_add, int64_t, a, int64_t, b)
#define kn_dim_sub(a, b) KN_G2(kn_dim_sub, int64_t, a, int64_t, b)
#define kn_dim_mul(a, b) KN_G2(kn_dim_mul, int64_t, a, int64_t, b)
#define kn_dim_floordiv(a, b) KN_G2(kn_dim_floordiv, int64_t, a, int64_t, b)
#define kn_dim_mod(a, b) KN_G2(kn_dim_mod, int64_t, a, int64_t, b)
#define kn_dim_max(a, b) KN_G2(kn_dim_max, int64_t, a, int64_t, b)
#define kn_dim_min(a, b) KN_G2(kn_dim_min, int64_t, a, int64_t, b)
#define kn_dim_eq(a, b) KN_G2(kn_dim_eq, int64_t, a, int64_t, b)
#define kn_dim_le(a, b) KN_G2(kn_dim_le, int64_t, a, int64_t, b)
#define kn_dim_lt(a, b) KN_G2(kn_dim_lt, int64_t, a, int64_t, b)
#define kn_dim_text(d) KN_G1(kn_dim_text, int64_t, d)
#define kn_dim_as_array(d) KN_G1(kn_dim_as_array, int64_t, d)
#define kn_shape_of(x) KN_F1(kn_shape_of, x)
#define kn_dtype_of(x) KN_F1(kn_dtype_of, x)
#define kn_item(x, ...) KN_ITEM_(kn_item, x, __VA_ARGS__)
#define kn_item_int(x, ...) KN_ITEM_(kn_item_int, x, __VA_ARGS__)
#define kn_item_bool(x, ...) KN_ITEM_(kn_item_bool, x, __VA_ARGS__)
#define kn_item_complex(x, ...) KN_ITEM_(kn_item_complex, x, __VA_ARGS__)
#define KN_ITEM_(f, x, ...) KN_CAT(KN_ITEM_, KN_HAS(__VA_ARGS__))(f, x, __VA_ARGS__)
#define KN_ITEM_0(f, x, ...) KN_F1(f, x)
#define KN_ITEM_1(f, x, ...) KN_ITEM_AT_(__COUNTER__, f##_at, x, __VA_ARGS__)
#define KN_ITEM_AT_(c, f, x, ...)                                                                                      \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); const kn_shape KN_V(idx, c) = KN_SHAPE(__VA_ARGS__); KN_HERE();  \
        (f)(KN_V(1, c), &KN_V(idx, c)); })
#define kn_itemsize(x) KN_F1(kn_itemsize, x)
#define kn_nbytes(x) KN_F1(kn_nbytes, x)
#define kn_eval(x) KN_F1(kn_eval, x)
#define kn_block_until_ready(x) KN_F1(kn_block_until_ready, x)
#define kn_copy_to(x, to, bytes) KN_H2(kn_copy_to, x, void *, to, size_t, bytes)
/* Of an array, a number or a tree. */
#define kn_print(x, ...) KN_PRINT_(__COUNTER__, x, __VA_ARGS__)
#define KN_PRINT_(c, x, ...)                                                                                           \
    __extension__({ __auto_type KN_V(val, c) = (x); KN_OPTS(c, kn_print_opts, KN_PRINT_DEFAULTS, __VA_ARGS__)          \
        KN_HERE(); _Generic(KN_V(val, c), kn_tree: kn_print_tree_, default: (kn_print))(_Generic(KN_V(val, c),         \
        kn_tree: kn_print_same_, kn_array: kn_like_array, bool: kn_like_bool, KN_SIGNED(kn_like_int),                  \
        KN_UNSIGNED(kn_like_uint), float: kn_like_double, double: kn_like_double, float _Complex: kn_like_complex_,    \
        double _Complex: kn_like_complex_, default: kn_operand_is_no_array_and_no_number)(KN_V(val, c)),               \
        KN_V(opt, c)); })
#define kn_repr(x, ...) KN_F1O(kn_repr, kn_print_opts, KN_PRINT_DEFAULTS, x, __VA_ARGS__)
#define kn_array_repr(x, ...) KN_F1O(kn_array_repr, kn_print_opts, KN_PRINT_DEFAULTS, x, __VA_ARGS__)
#define kn_array_str(x, ...) KN_F1O(kn_array_str, kn_print_opts, KN_PRINT_DEFAULTS, x, __VA_ARGS__)

/* printf with numbers, 0-d arrays and C strings. */
static inline kn_printf_arg kn_printf_int_(int64_t x) { return (kn_printf_arg){.kind = KN_ARG_INT, .integer = x}; }
static inline kn_printf_arg kn_printf_uint_(uint64_t x)
{
    return (kn_printf_arg){.kind = KN_ARG_UINT, .integer = (int64_t)x};
}
static inline kn_printf_arg kn_printf_double_(double x) { return (kn_printf_arg){.kind = KN_ARG_DOUBLE, .number = x}; }
static inline kn_printf_arg kn_printf_array_(kn_array x) { return (kn_printf_arg){.kind = KN_ARG_ARRAY, .array = x}; }
static inline kn_printf_arg kn_printf_text_(const char *x) { return (kn_printf_arg){.kind = KN_ARG_TEXT, .text = x}; }
#define kn_printf(format, ...) KN_PRINTF_(__COUNTER__, KN_COUNT(__VA_ARGS__), format, __VA_ARGS__)
#define KN_PRINTF_(c, count, format, ...)                                                                              \
    __extension__({ const char *const KN_V(fun, c) = (format); kn_printf_arg KN_V(vec, c)[(count) + 1]; int KN_V(cnt,  \
    c) = 0; KN_EACH(KN_PRINTF_PUT_, c, __VA_ARGS__) KN_HERE(); (kn_printf_args)(KN_V(fun, c), KN_V(cnt, c), KN_V(vec,  \
    c)); })
#define KN_PRINTF_PUT_(c, a) KN_V(vec, c)[KN_V(cnt, c)++] = KN_PRINTF_ARG_(__COUNTER__, a);
#define KN_PRINTF_ARG_(c, x)                                                                                           \
    __extension__({ __auto_type KN_V(val, c) = (x); _Generic(KN_V(val, c), bool: kn_printf_int_,                       \
    KN_SIGNED(kn_printf_int_), KN_UNSIGNED(kn_printf_uint_), float: kn_printf_double_, double: kn_printf_double_,      \
    kn_array: kn_printf_array_, char *: kn_printf_text_, const char *: kn_printf_text_)(KN_V(val, c)); })

/* ---- function.h: C functions. Each KN_FUNCTION(f, R, A, ...) makes a thunk and a description of f. */
#define KN_IN_1(A) (const A *)kn_in[0]
#define KN_IN_2(A, B) KN_IN_1(A), (const B *)kn_in[1]
#define KN_IN_3(A, B, C) KN_IN_2(A, B), (const C *)kn_in[2]
#define KN_IN_4(A, B, C, D) KN_IN_3(A, B, C), (const D *)kn_in[3]
#define KN_IN_5(A, B, C, D, E) KN_IN_4(A, B, C, D), (const E *)kn_in[4]
#define KN_IN_6(A, B, C, D, E, F) KN_IN_5(A, B, C, D, E), (const F *)kn_in[5]
#define KN_IN_7(A, B, C, D, E, F, G) KN_IN_6(A, B, C, D, E, F), (const G *)kn_in[6]
#define KN_IN_8(A, B, C, D, E, F, G, H) KN_IN_7(A, B, C, D, E, F, G), (const H *)kn_in[7]
#define KN_IN(...) KN_CAT(KN_IN_, KN_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define KN_IS_TREE_(A)                                                                                                 \
    _Static_assert(sizeof(A) % sizeof(kn_array) == 0 && _Alignof(A) == _Alignof(kn_array),                             \
                   #A " is not a structure of arrays");                                                                \
    _Static_assert(_Generic((A *)0, KN_NO_ARRAYS_(0), default: 1),                                                     \
                   #A " is no array: functions take and return kn_array, structures of them or kn_tree; "              \
                      "kn_num(x) makes an array of a C number");
#define KN_NO_ARRAYS_(v)                                                                                               \
    bool *: v, char *: v, signed char *: v, short *: v, int *: v, long *: v, long long *: v, unsigned char *: v,       \
    unsigned short *: v, unsigned int *: v, unsigned long *: v, unsigned long long *: v, float *: v, double *: v,      \
    float _Complex *: v, double _Complex *: v, char **: v, const char **: v, int **: v, float **: v, double **: v,     \
    void **: v, kn_array **: v, kn_fn *: v
#define KN_IS_TREE_EACH_(c, A) KN_IS_TREE_(A)
#define KN_SIZE_EACH_(c, A) KN_TREE_BYTES_(A),
/* 2: a tree of any structure */
#define KN_TREE_BYTES_(A) _Generic((A *)0, kn_tree *: 2, default: sizeof(A))
/* Names of fields: here without any, elsewhere perhaps with those of KN_FIELDS. A type is named by one word. */
#define KN_HAS_FIELDS_EACH_(c, A) __attribute__((unused)) static const kn_fields kn_fields_of_##A;
#define KN_FIELDS_EACH_(c, A) &kn_fields_of_##A,
#define KN_FUNCTION_(f, E, R, kn_call_f, env_size, captured_size, ...)                                                 \
    KN_IS_TREE_(R) KN_EACH(KN_IS_TREE_EACH_, 0, __VA_ARGS__)                                                           \
    KN_HAS_FIELDS_EACH_(0, R) KN_EACH(KN_HAS_FIELDS_EACH_, 0, __VA_ARGS__)                                             \
    typedef E kn_env_of_##f __attribute__((unused));                                                                   \
    __attribute__((unused)) static void kn_thunk_of_##f(const void *kn_env, void *kn_out, const void *const *kn_in)    \
    {                                                                                                                  \
        (void)kn_env;                                                                                                  \
        *(R *)kn_out = kn_call_f;                                                                                      \
    }                                                                                                                  \
    __attribute__((unused)) static const kn_function kn_function_of_##f = {                                            \
        .size_ = sizeof(kn_function), .name = #f, .call = kn_thunk_of_##f, .env_bytes = env_size,                      \
        .captured_bytes = captured_size, .out_bytes = KN_TREE_BYTES_(R), .n_args = KN_COUNT(__VA_ARGS__),              \
        .arg_bytes = {KN_EACH(KN_SIZE_EACH_, 0, __VA_ARGS__)}, .out_fields = &kn_fields_of_##R,                        \
        .arg_fields = {KN_EACH(KN_FIELDS_EACH_, 0, __VA_ARGS__)},                                                      \
    };
#define KN_FUNCTION(f, R, ...) KN_FUNCTION_(f, char, R, f(KN_IN(__VA_ARGS__)), 0, 0, __VA_ARGS__)
#define KN_FUNCTION_ENV(f, R, E, ...)                                                                                  \
    KN_FUNCTION_(f, E, R, f((const E *)kn_env, KN_IN(__VA_ARGS__)), sizeof(E), 0, __VA_ARGS__)
#define KN_CLOSURE(f, R, C, ...)                                                                                       \
    KN_IS_TREE_(C) KN_FUNCTION_(f, C, R, f((const C *)kn_env, KN_IN(__VA_ARGS__)), 0, KN_TREE_BYTES_(C), __VA_ARGS__)
#define KN_FN(f) KN_FN_(&kn_function_of_##f, void, ((void *)0))
/* The bytes of the environment say which function it is: those between its fields are made zero, where the compiler
 * can (gcc 11, clang 21); elsewhere two environments with equal fields may be two functions. */
#define KN_FN_ENV(f, env) KN_FN_ENV_(__COUNTER__, &kn_function_of_##f, kn_env_of_##f, env)
#define KN_FN_ENV_(c, function, E, env)                                                                                \
    __extension__({ const E *const KN_V(envp, c) = (env); E KN_V(envv, c);                                             \
        if (KN_V(envp, c)) { __builtin_memcpy(&KN_V(envv, c), KN_V(envp, c), sizeof(E)); KN_NO_PADDING(&KN_V(envv,     \
        c)); } KN_HERE(); (kn_fn_of)(function, KN_V(envp, c) ? &KN_V(envv, c) : (const E *)0); })
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define KN_NO_PADDING(p) __builtin_clear_padding(p)
#endif
#endif
#ifndef KN_NO_PADDING
#define KN_NO_PADDING(p) ((void)0)
#endif
#define KN_CLOSE(f, captured) KN_FN_(&kn_function_of_##f, kn_env_of_##f, captured)
#define KN_FN_(function, E, env) KN_FN__(__COUNTER__, function, E, env)
#define KN_FN__(c, function, E, env)                                                                                   \
    __extension__({ const E *const KN_V(envp, c) = (env); KN_HERE(); (kn_fn_of)(function, KN_V(envp, c)); })

/* ---- function.h: arguments and results. Pointers to structures of arrays, or kn_tree handles. */
__extension__ struct kn_nothing_ {};
#define KN_NOTHING ((const struct kn_nothing_ *)0) /* stands for no inputs */
/* KN_ARGS and KN_OUT mention each pointer twice (once in a sizeof), so that what it points to may be a compound
 * literal. */
#define KN_PART_BYTES(p) _Generic((p), kn_tree *: 2, const kn_tree *: 2, default: sizeof(*(p)))
#define KN_PART_(c, p) {(p), KN_PART_BYTES(p)},
#define KN_ARGS(...) (&(const kn_args){KN_COUNT(__VA_ARGS__), {KN_EACH(KN_PART_, 0, __VA_ARGS__)}})
#define KN_OUT(...) (&(kn_outs){KN_COUNT(__VA_ARGS__), {KN_EACH(KN_PART_, 0, __VA_ARGS__)}})
/* The kn_outs that `out` is: itself if it came from KN_OUT, else one part. */
#define KN_OUTS_OF(out)                                                                                                \
    _Generic((out), kn_outs *: (out), const kn_outs *: (out), default: &(const kn_outs){1, {{(void *)(out),            \
    KN_PART_BYTES(out)}}})
#define KN_ARG_PUT_(c, i, p)                                                                                           \
    __auto_type KN_V(in##i, c) = (p); KN_V(arg, c).part[i] = (kn_const_part){KN_V(in##i, c),                           \
    KN_PART_BYTES(KN_V(in##i, c))};
#define KN_PUT_0(c, ...)
#define KN_PUT_1(c, p) KN_ARG_PUT_(c, 0, p)
#define KN_PUT_2(c, p, q) KN_ARG_PUT_(c, 0, p) KN_ARG_PUT_(c, 1, q)
#define KN_PUT_3(c, p, q, r) KN_PUT_2(c, p, q) KN_ARG_PUT_(c, 2, r)
#define KN_PUT_4(c, p, q, r, s) KN_PUT_3(c, p, q, r) KN_ARG_PUT_(c, 3, s)
#define KN_PUT_5(c, p, q, r, s, t) KN_PUT_4(c, p, q, r, s) KN_ARG_PUT_(c, 4, t)
#define KN_PUT_6(c, p, q, r, s, t, u) KN_PUT_5(c, p, q, r, s, t) KN_ARG_PUT_(c, 5, u)
#define KN_PUT_7(c, p, q, r, s, t, u, v) KN_PUT_6(c, p, q, r, s, t, u) KN_ARG_PUT_(c, 6, v)
#define KN_PUT_8(c, p, q, r, s, t, u, v, w) KN_PUT_7(c, p, q, r, s, t, u, v) KN_ARG_PUT_(c, 7, w)
#define KN_ARGS_OF_(c, ...)                                                                                            \
    kn_args KN_V(arg, c); KN_V(arg, c).n = KN_COUNT(__VA_ARGS__); KN_CAT(KN_PUT_, KN_COUNT(__VA_ARGS__))(c,            \
    __VA_ARGS__)
#define kn_call(fn, out, ...) KN_CALL_(__COUNTER__, fn, out, __VA_ARGS__)
#define KN_CALL_(c, fn, out, ...)                                                                                      \
    __extension__({ kn_fn KN_V(fun, c) = (fn); __auto_type KN_V(res, c) = (out); KN_ARGS_OF_(c, __VA_ARGS__)           \
    KN_HERE(); (kn_call)(KN_V(fun, c), KN_OUTS_OF(KN_V(res, c)), &KN_V(arg, c)); })

/* ---- function.h: transformations. */
#define kn_jit(fn, ...) KN_G1O(kn_jit, kn_jit_opts, (), kn_fn, fn, __VA_ARGS__)
#define kn_grad(fn, ...) KN_G1O(kn_grad, kn_grad_opts, (), kn_fn, fn, __VA_ARGS__)
#define kn_value_and_grad(fn, ...) KN_G1O(kn_value_and_grad, kn_grad_opts, (), kn_fn, fn, __VA_ARGS__)
#define kn_vmap(fn, ...) KN_G1O(kn_vmap, kn_vmap_opts, (), kn_fn, fn, __VA_ARGS__)
#define kn_pmap(fn, ...) KN_G1O(kn_pmap, kn_vmap_opts, (), kn_fn, fn, __VA_ARGS__)
#define KN_MAPPED(axis) ((kn_mapping){KN_MAPPED_(__COUNTER__, axis)})
#define KN_MAPPED_(c, axis)                                                                                            \
    __extension__({ int32_t KN_V(axk, c) = (axis); KN_V(axk, c) < 0 ? KN_V(axk, c) : KN_V(axk, c) + 2; })
#define KN_UNMAPPED ((kn_mapping){1})
#define KN_LEAVES(...)                                                                                                 \
    {(int)(sizeof((const kn_mapping[]){__VA_ARGS__}) / sizeof(kn_mapping)), (const kn_mapping[]){__VA_ARGS__}}
#define kn_jacfwd(fn, ...) KN_G1O(kn_jacfwd, kn_jac_opts, (), kn_fn, fn, __VA_ARGS__)
#define kn_jacrev(fn, ...) KN_G1O(kn_jacrev, kn_jac_opts, (), kn_fn, fn, __VA_ARGS__)
#define kn_hessian(fn, ...) KN_G1O(kn_hessian, kn_jac_opts, (), kn_fn, fn, __VA_ARGS__)
#define kn_jvp(fn, primals, tangents, y, dy) KN_JVP_(__COUNTER__, fn, primals, tangents, y, dy)
#define KN_JVP_(c, fn, primals, tangents, y, dy)                                                                       \
    __extension__({ kn_fn KN_V(fun, c) = (fn); const kn_args *KN_V(ptr, c) = (primals); const kn_args *KN_V(tan, c) =  \
    (tangents); __auto_type KN_V(res, c) = (y); __auto_type KN_V(dres, c) = (dy); KN_HERE(); (kn_jvp)(KN_V(fun, c),    \
    KN_V(ptr, c), KN_V(tan, c), KN_OUTS_OF(KN_V(res, c)), KN_OUTS_OF(KN_V(dres, c))); })
#define KN_AT_POINT_(c, function, fn, primals, out)                                                                    \
    __extension__({ kn_fn KN_V(fun, c) = (fn); const kn_args *KN_V(ptr, c) = (primals); __auto_type KN_V(res, c) =     \
    (out); KN_HERE(); (function)(KN_V(fun, c), KN_V(ptr, c), KN_OUTS_OF(KN_V(res, c))); })
#define kn_vjp(fn, primals, y) KN_AT_POINT_(__COUNTER__, kn_vjp, fn, primals, y)
#define kn_linearize(fn, primals, y) KN_AT_POINT_(__COUNTER__, kn_linearize, fn, primals, y)
#define kn_jvp_aux(fn, primals, tangents, y, dy, aux) KN_JVP_AUX_(__COUNTER__, fn, primals, tangents, y, dy, aux)
#define KN_JVP_AUX_(c, fn, primals, tangents, y, dy, aux)                                                              \
    __extension__({ kn_fn KN_V(fun, c) = (fn); const kn_args *KN_V(ptr, c) = (primals); const kn_args *KN_V(tan, c) =  \
    (tangents); __auto_type KN_V(res, c) = (y); __auto_type KN_V(dres, c) = (dy); __auto_type KN_V(ares, c) = (aux);   \
    KN_HERE(); (kn_jvp_aux)(KN_V(fun, c), KN_V(ptr, c), KN_V(tan, c), KN_OUTS_OF(KN_V(res, c)),                        \
    KN_OUTS_OF(KN_V(dres, c)), KN_OUTS_OF(KN_V(ares, c))); })
#define KN_AT_POINT_AUX_(c, function, fn, primals, out, aux)                                                           \
    __extension__({ kn_fn KN_V(fun, c) = (fn); const kn_args *KN_V(ptr, c) = (primals); __auto_type KN_V(res, c) =     \
    (out); __auto_type KN_V(ares, c) = (aux); KN_HERE(); (function)(KN_V(fun, c), KN_V(ptr, c),                        \
    KN_OUTS_OF(KN_V(res, c)), KN_OUTS_OF(KN_V(ares, c))); })
#define kn_vjp_aux(fn, primals, y, aux) KN_AT_POINT_AUX_(__COUNTER__, kn_vjp_aux, fn, primals, y, aux)
#define kn_linearize_aux(fn, primals, y, aux) KN_AT_POINT_AUX_(__COUNTER__, kn_linearize_aux, fn, primals, y, aux)
#define kn_eval_shape(fn, args, y) KN_EVAL_SHAPE_(__COUNTER__, fn, args, y)
#define KN_EVAL_SHAPE_(c, fn, args, out)                                                                               \
    __extension__({ kn_fn KN_V(fun, c) = (fn); const kn_args *KN_V(ptr, c) = (args); __auto_type KN_V(res, c) =        \
    (out); KN_HERE(); (kn_eval_shape)(KN_V(fun, c), KN_V(ptr, c), KN_OUTS_OF(KN_V(res, c))); })
#define kn_custom_jvp(fn, rule) KN_G2(kn_custom_jvp, kn_fn, fn, kn_fn, rule)
#define kn_custom_vjp(fn, forward, backward) KN_CUSTOM_VJP_(__COUNTER__, fn, forward, backward)
#define KN_CUSTOM_VJP_(c, fn, forward, backward)                                                                       \
    __extension__({ kn_fn KN_V(1, c) = (fn); kn_fn KN_V(2, c) = (forward); kn_fn KN_V(3, c) = (backward); KN_HERE();   \
        (kn_custom_vjp)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_checkpoint(fn, ...)                                                                                         \
    KN_G1O(kn_checkpoint, kn_checkpoint_opts, KN_CHECKPOINT_DEFAULTS, kn_fn, fn, __VA_ARGS__)
/* Policies of kn_checkpoint; the first is the default. */
#define KN_NOTHING_SAVEABLE ((kn_policy){.kind = KN_POLICY_NOTHING})
#define KN_EVERYTHING_SAVEABLE ((kn_policy){.kind = KN_POLICY_EVERYTHING})
#define KN_PRODUCTS_SAVEABLE ((kn_policy){.kind = KN_POLICY_PRODUCTS})
#define KN_PRODUCTS_WITHOUT_BATCH_SAVEABLE ((kn_policy){.kind = KN_POLICY_PRODUCTS_WITHOUT_BATCH})
#define KN_SAVE_ONLY_THESE_NAMES(...) ((kn_policy){KN_POLICY_THESE_NAMES, KN_COUNT(__VA_ARGS__), {__VA_ARGS__}})
#define KN_SAVE_ANY_NAMES_BUT_THESE(...) ((kn_policy){KN_POLICY_OTHER_NAMES, KN_COUNT(__VA_ARGS__), {__VA_ARGS__}})
#define kn_checkpoint_name(x, name) KN_H1(kn_checkpoint_name, x, const char *, name)
#define kn_stop_gradient(x) KN_F1(kn_stop_gradient, x)
#define kn_lax_stop_gradient(x) KN_F1(kn_lax_stop_gradient, x)
#define kn_linear_transpose(fn, examples) KN_G2(kn_linear_transpose, kn_fn, fn, const kn_args *, examples)
#define kn_fn_trace_count(fn) KN_G1(kn_fn_trace_count, kn_fn, fn)

#include "kiln/numpy/printing.h" /* kn_print of trees */
#endif
#endif
