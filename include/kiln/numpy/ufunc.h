/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/ufunc.h -- ufuncs as objects: by number (kn_ufunc, in kiln/numpy/indexing.h with kn_ufunc_at) or name,
 * with all their options and methods, and those of the user's own; docs/ufuncs.md. */
/* Made by scripts/make-api.py from api/numpy/ufunc.api. */
/* clang-format off */
#ifndef KILN_NUMPY_UFUNC_H
#define KILN_NUMPY_UFUNC_H
#include "kiln/numpy/indexing.h"
#include "kiln/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Operands: KN_OPERANDS(x, 2). */
typedef struct kn_operands { int n; const kn_array *v; } kn_operands;

/* ---- Options. */

/* KN_AXES_LIST(KN_AXIS(0), KN_AXIS(1), KN_AXIS()): an entry for each operand of a generalized ufunc; those of
 * results may be left out if these have no core axes. */
typedef struct kn_axes_list { int n; const kn_axes *v; } kn_axes_list;
typedef struct kn_ufunc_call_opts {
    size_t size_;
    /* an array of the broadcast shape, which the result is written to, and which is returned. It may be an operand,
     * or a view of one: what is read is what was there before */
    kn_array out;
    kn_operands outs;      /* of kn_ufunc_call_all: one for each result, KN_NONE for those that are not wanted so */
    kn_array where;        /* bool; broadcasts. Elsewhere `out` keeps what it has; without `out` it is 0 there */
    kn_dtype dtype;        /* of the results: the loop that has it */
    /* "same_kind"; or "no", "equiv", "safe", "unsafe": of operands to the loop's dtypes, and of its results to those
     * of `out` */
    const char *casting;
    const char *order;     /* NULL, "K"; or "C", "F", "A": how a result that is made lies in memory */
    const char *signature; /* of the loop: "dd->d", in NumPy's letters */
    kn_axes axis;          /* of generalized ufuncs with one core dimension */
    kn_axes_list axes;     /* of generalized ufuncs: the core axes of each operand */
    bool keepdims;         /* of generalized ufuncs whose results have no core dimensions */
} kn_ufunc_call_opts;
KN_API kn_ufunc_call_opts kn_ufunc_call_opts_default(void);
typedef struct kn_ufunc_reduce_opts {
    size_t size_;
    kn_axes axis;     /* the first one unless others are given */
    kn_dtype dtype;
    bool keepdims;
    kn_array initial;
    kn_array where;
    kn_array out;
} kn_ufunc_reduce_opts;
KN_API kn_ufunc_reduce_opts kn_ufunc_reduce_opts_default(void);
typedef struct kn_ufunc_accumulate_opts {
    size_t size_; kn_axes axis; kn_dtype dtype; kn_array out;
} kn_ufunc_accumulate_opts;
KN_API kn_ufunc_accumulate_opts kn_ufunc_accumulate_opts_default(void);
typedef struct kn_ufunc_resolve_dtypes_opts {
    size_t size_;
    const char *signature;
    const char *casting;   /* "same_kind"; or "no", "equiv", "safe", "unsafe" */
    bool reduction;        /* the first dtype may be NULL then */
    uint32_t weak;         /* bit i: operand i is a C number of that dtype's kind */
} kn_ufunc_resolve_dtypes_opts;
KN_API kn_ufunc_resolve_dtypes_opts kn_ufunc_resolve_dtypes_opts_default(void);

/* ---- Calls. */
/* ufunc(*in, ...): the result, the first one of several. Without options it is the function of that name:
 * kn_ufunc_call(kn_ufunc_add, KN_OPERANDS(x, 2)) is kn_add(x, 2). NumPy's errors: TypeError if there is no loop of
 * these dtypes, or no cast by the rule `casting`; ValueError for shapes that do not fit */
KN_API kn_array kn_ufunc_call(kn_ufunc ufunc, kn_operands in, const kn_ufunc_call_opts *opts);
/* as kn_ufunc_call; all results */
KN_API kn_list kn_ufunc_call_all(kn_ufunc ufunc, kn_operands in, const kn_ufunc_call_opts *opts);

/* ---- Methods. */
/* ufunc.reduce along the first axis unless others are given; KN_AXIS_NONE: all. Where the order matters, as for
 * subtract, there is one operation for each element, from the left. ValueError for no elements without an identity,
 * and for several axes where the order matters; TypeError for comparisons of what is not bool */
KN_API kn_array kn_ufunc_reduce(kn_ufunc ufunc, kn_array x, const kn_ufunc_reduce_opts *opts);
/* ufunc.accumulate: every element joined with all before it; along the first axis unless another is given */
KN_API kn_array kn_ufunc_accumulate(kn_ufunc ufunc, kn_array x, const kn_ufunc_accumulate_opts *opts);
/* ufunc.outer: of each pair; the first result of several */
KN_API kn_array kn_ufunc_outer(kn_ufunc ufunc, kn_array x, kn_array y, const kn_ufunc_call_opts *opts);
/* ufunc.reduceat: of x[indices[i]:indices[i + 1]], or x[indices[i]] if that is empty; looks at the indices.
 * IndexError if they are out of bounds */
KN_API kn_array kn_ufunc_reduceat(kn_ufunc ufunc, kn_array x, kn_array indices, const kn_ufunc_accumulate_opts *opts);

/* ---- What a ufunc is. ValueError for a number that is none. */
/* the ufunc of NumPy's name ("abs" is "absolute"), or that of one of the user's own; kn_ufunc_none without an error
 * if there is none */
KN_API kn_ufunc kn_ufunc_named(const char *name);
KN_API const char *kn_ufunc_name(kn_ufunc ufunc); /* its name, "add"; NULL after an error */
KN_API int kn_ufunc_nin(kn_ufunc ufunc);          /* how many operands it has */
KN_API int kn_ufunc_nout(kn_ufunc ufunc);         /* how many results it has */
KN_API int kn_ufunc_nargs(kn_ufunc ufunc);        /* how many operands and results it has */
KN_API int kn_ufunc_ntypes(kn_ufunc ufunc);       /* how many loops it has, each for certain dtypes */
/* the i-th loop, "dd->d", in NumPy's letters; int64 is l and uint64 L. IndexError beyond kn_ufunc_ntypes */
KN_API const char *kn_ufunc_types(kn_ufunc ufunc, int i);
/* the core dimensions of a generalized ufunc: "(m,n),(n)->(m)"; NULL for those that go element by element, and after
 * an error */
KN_API const char *kn_ufunc_signature(kn_ufunc ufunc);
/* what a reduction of no elements is: a number that waits for a dtype; KN_NONE if there is none, and after an error */
KN_API kn_array kn_ufunc_identity(kn_ufunc ufunc);
/* the dtypes of operands and results that the ufunc works with for these: one for each, NULL for results that are
 * not given. n has to be kn_ufunc_nargs. 0, or -1 after an error */
KN_API int kn_ufunc_resolve_dtypes(kn_ufunc ufunc, int n, const kn_dtype *dtypes, kn_dtype *resolved,
    const kn_ufunc_resolve_dtypes_opts *opts);

/* ---- Ufuncs of the user's own. */

/* A strip: dimensions[0] elements of each operand and result, which begin at args[i] and lie steps[i] bytes apart.
 * For generalized ufuncs the core dimensions follow in dimensions, in the order in which the signature names them,
 * and in steps those of each operand's and result's core axes. (PyUFuncGenericFunction.) KN_UFUNC_STRIP makes one of
 * a C function of scalars: KN_UFUNC_STRIP(hypot_strip, double, hypot, double, double) */
typedef void (*kn_ufunc_strip)(char **args, const int64_t *dimensions, const int64_t *steps, void *data);

/* types: in NumPy's letters, "dd->d". */
typedef struct kn_ufunc_loop { const char *types; kn_ufunc_strip strip; void *data; } kn_ufunc_loop;

/* KN_LOOPS(KN_LOOP("ff->f", of_floats), KN_LOOP("dd->d", of_doubles)); the first one that operands can be cast to
 * safely is used. */
typedef struct kn_ufunc_loops { int n; const kn_ufunc_loop *at; } kn_ufunc_loops;
/* What a ufunc is. Exactly one of loops       C code on strips expression  element by element, in Kiln's calls:
 * fused with what stands around it compute     of core arrays, in Kiln's calls, with a signature. Derivatives are
 * those of the calls, if there are some, but where `jvp` or `linear_in` say them, which are as kn_primitive_new has
 * them; so are expression and compute */
typedef struct kn_ufunc_opts {
    size_t size_;
    int n_in;
    int n_out;                        /* 0: one */
    kn_ufunc_loops loops;
    const char *types;                /* of expression and compute: "ff->f dd->d"; NULL: any */
    kn_primitive_compute expression;
    kn_primitive_compute compute;
    /* of the core dimensions: "(m,n),(n)->(m)"; an optional one is n?, a number is a fixed size */
    const char *signature;
    kn_primitive_jvp jvp;
    uint32_t linear_in;
    uint32_t multilinear_in;
    kn_primitive_transpose transpose;
    bool reorderable;                 /* reductions may join elements in any order, and over several axes */
    kn_array identity;                /* a number: what a reduction of no elements is; implies reorderable */
    void *env;
} kn_ufunc_opts;
KN_API kn_ufunc_opts kn_ufunc_opts_default(void);
/* A ufunc of the process, as kn_primitive_new makes primitives: the same definition again is the same ufunc; it is
 * never freed, and functions, data and env have to live as long. kn_ufunc_none and a ValueError if a ufunc or a
 * primitive of another definition has the name; a TypeError or ValueError if the definition is not sound */
KN_API kn_ufunc kn_ufunc_new(const char *name, const kn_ufunc_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* Arrays and numbers, of the block around it. */
#define KN_OPERANDS(...)                                                                                               \
    ((kn_operands){KN_COUNT(__VA_ARGS__), (const kn_array[]){KN_EACH(KN_OPERAND_PUT_, 0, __VA_ARGS__) NULL}})
#define KN_OPERAND_PUT_(c, a) KN_LIKE(a),
#define KN_LOOPS(...)                                                                                                  \
    { (int)(sizeof((const kn_ufunc_loop[]){__VA_ARGS__}) / sizeof(kn_ufunc_loop)),                                     \
        (const kn_ufunc_loop[]){__VA_ARGS__} }
#define KN_LOOP(types, strip, ...) { types, strip, KN_CAT(KN_LOOP_DATA_, KN_HAS(__VA_ARGS__))(__VA_ARGS__) }
/* KN_UFUNC_STRIP(strip, R, f, A, ...): a strip of the C function R f(A, ...) of up to four scalars. */
#define KN_UFUNC_STRIP(strip, R, f, ...)                                                                               \
    static void strip(char **kn_args_, const int64_t *kn_n_, const int64_t *kn_steps_, void *kn_data_)                 \
    {                                                                                                                  \
        (void)kn_data_;                                                                                                \
        for (int64_t kn_i_ = 0; kn_i_ < kn_n_[0]; kn_i_++)                                                             \
            *(R *)(void *)(kn_args_[KN_COUNT(__VA_ARGS__)] + kn_i_ * kn_steps_[KN_COUNT(__VA_ARGS__)]) =               \
                f(KN_CAT(KN_UFUNC_STRIP_, KN_COUNT(__VA_ARGS__))(__VA_ARGS__));                                        \
    }
#define KN_LOOP_DATA_0(...) NULL
#define KN_LOOP_DATA_1(...) (__VA_ARGS__)
#define KN_UFUNC_STRIP_AT_(A, k) *(const A *)(const void *)(kn_args_[k] + kn_i_ * kn_steps_[k])
#define KN_UFUNC_STRIP_1(A) KN_UFUNC_STRIP_AT_(A, 0)
#define KN_UFUNC_STRIP_2(A, B) KN_UFUNC_STRIP_1(A), KN_UFUNC_STRIP_AT_(B, 1)
#define KN_UFUNC_STRIP_3(A, B, C) KN_UFUNC_STRIP_2(A, B), KN_UFUNC_STRIP_AT_(C, 2)
#define KN_UFUNC_STRIP_4(A, B, C, D) KN_UFUNC_STRIP_3(A, B, C), KN_UFUNC_STRIP_AT_(D, 3)
#define KN_AXES_LIST(...)                                                                                              \
    ((kn_axes_list){(int)(sizeof((const kn_axes[]){__VA_ARGS__}) / sizeof(kn_axes)), (const kn_axes[]){__VA_ARGS__}})
#define kn_ufunc_call(ufunc, in, ...)                                                                                  \
    KN_G2O(kn_ufunc_call, kn_ufunc_call_opts, (.casting = "same_kind", ), kn_ufunc, ufunc, kn_operands, in,            \
    __VA_ARGS__)
#define kn_ufunc_call_all(ufunc, in, ...)                                                                              \
    KN_G2O(kn_ufunc_call_all, kn_ufunc_call_opts, (.casting = "same_kind", ), kn_ufunc, ufunc, kn_operands, in,        \
    __VA_ARGS__)
#define kn_ufunc_reduce(ufunc, x, ...) KN_UFUNC_REDUCE_(__COUNTER__, ufunc, x, __VA_ARGS__)
#define KN_UFUNC_REDUCE_(c, ufunc, x, ...)                                                                             \
    __extension__({ KN_TAKE(kn_ufunc, 1, c, ufunc) kn_array KN_V(2, c) = KN_LIKE(x); KN_OPTS(c, kn_ufunc_reduce_opts,  \
    (), __VA_ARGS__) KN_HERE(); (kn_ufunc_reduce)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_ufunc_accumulate(ufunc, x, ...) KN_UFUNC_ACCUMULATE_(__COUNTER__, ufunc, x, __VA_ARGS__)
#define KN_UFUNC_ACCUMULATE_(c, ufunc, x, ...)                                                                         \
    __extension__({ KN_TAKE(kn_ufunc, 1, c, ufunc) kn_array KN_V(2, c) = KN_LIKE(x); KN_OPTS(c,                        \
    kn_ufunc_accumulate_opts, (), __VA_ARGS__) KN_HERE(); (kn_ufunc_accumulate)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); \
    })
#define kn_ufunc_outer(ufunc, x, y, ...) KN_UFUNC_OUTER_(__COUNTER__, ufunc, x, y, __VA_ARGS__)
#define KN_UFUNC_OUTER_(c, ufunc, x, y, ...)                                                                           \
    __extension__({ KN_TAKE(kn_ufunc, 1, c, ufunc) kn_array KN_V(2, c) = KN_LIKE(x); kn_array KN_V(3, c) = KN_LIKE(y); \
    KN_OPTS(c, kn_ufunc_call_opts, (.casting = "same_kind", ), __VA_ARGS__) KN_HERE(); (kn_ufunc_outer)(KN_V(1, c),    \
    KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_ufunc_reduceat(ufunc, x, indices, ...) KN_UFUNC_REDUCEAT_(__COUNTER__, ufunc, x, indices, __VA_ARGS__)
#define KN_UFUNC_REDUCEAT_(c, ufunc, x, indices, ...)                                                                  \
    __extension__({ KN_TAKE(kn_ufunc, 1, c, ufunc) kn_array KN_V(2, c) = KN_LIKE(x); kn_array                          \
    KN_V(3, c) = KN_LIKE(indices); KN_OPTS(c, kn_ufunc_accumulate_opts, (), __VA_ARGS__) KN_HERE();                    \
    (kn_ufunc_reduceat)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_ufunc_named(name) KN_G1(kn_ufunc_named, const char *, name)
#define kn_ufunc_name(ufunc) KN_G1(kn_ufunc_name, kn_ufunc, ufunc)
#define kn_ufunc_nin(ufunc) KN_G1(kn_ufunc_nin, kn_ufunc, ufunc)
#define kn_ufunc_nout(ufunc) KN_G1(kn_ufunc_nout, kn_ufunc, ufunc)
#define kn_ufunc_nargs(ufunc) KN_G1(kn_ufunc_nargs, kn_ufunc, ufunc)
#define kn_ufunc_ntypes(ufunc) KN_G1(kn_ufunc_ntypes, kn_ufunc, ufunc)
#define kn_ufunc_types(ufunc, i) KN_G2(kn_ufunc_types, kn_ufunc, ufunc, int, i)
#define kn_ufunc_signature(ufunc) KN_G1(kn_ufunc_signature, kn_ufunc, ufunc)
#define kn_ufunc_identity(ufunc) KN_G1(kn_ufunc_identity, kn_ufunc, ufunc)
#define kn_ufunc_new(name, ...) KN_G1O(kn_ufunc_new, kn_ufunc_opts, (), const char *, name, __VA_ARGS__)
#endif
#endif
