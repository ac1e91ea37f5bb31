/* SPDX-License-Identifier: Apache-2.0
 * cases_arrays.c -- samples of the primitives on whole arrays: views, assembling, reductions, products, sorting. */
#include "cases.h"

#define SHAPE(to, name, list, from, ...)   \
    {.prim = &knp_prim_##to,               \
     .label = name,                        \
     .dtypes = list,                       \
     .operands = from,                     \
     .params = &(kni_p_##to){__VA_ARGS__}, \
     .whole = ref_##to,                    \
     .flags = SPECIAL},
#define DIMS(to, name, list, from, ...)    \
    {.prim = &knp_prim_##to,               \
     .label = name,                        \
     .dtypes = list,                       \
     .operands = from,                     \
     .params = &(kni_p_dims){__VA_ARGS__}, \
     .whole = ref_##to,                    \
     .flags = SPECIAL},
#define AXIS(to, name, list, from, at) \
    {.prim = &knp_prim_##to,           \
     .label = name,                    \
     .dtypes = list,                   \
     .operands = from,                 \
     .params = &(kni_p_axis){at},      \
     .whole = ref_##to,                \
     .flags = SPECIAL},
#define LAST_AXIS(ID, name, list, from)     \
    {.prim = &knp_prim_bitcast_last_axis,   \
     .label = name,                         \
     .dtypes = list,                        \
     .operands = from,                      \
     .params = &(kni_p_bitcast){KN_DT(ID)}, \
     .whole = ref_bitcast_last_axis,        \
     .flags = NO_SLOPE},
#define SOME "bool i8 u32 i64 f16 bf16 f32 f64 c64 c128"
#define FEW  "f64 i32"
#define ALL  EVERYTHING " key<fry>"

#define IOTA(ID, name)                                         \
    {.prim = &knp_prim_iota,                                   \
     .label = name "_5",                                       \
     .operands = "",                                           \
     .params = &(kni_p_iota){0, KN_DT(ID), INTS(5)},           \
     .whole = ref_iota},                                       \
        {.prim = &knp_prim_iota,                               \
         .label = name "_2x3x4",                               \
         .operands = "",                                       \
         .params = &(kni_p_iota){1, KN_DT(ID), INTS(2, 3, 4)}, \
         .whole = ref_iota},                                   \
        {.prim = &knp_prim_iota,                               \
         .label = name "_0",                                   \
         .operands = "",                                       \
         .params = &(kni_p_iota){0, KN_DT(ID), INTS(0)},       \
         .whole = ref_iota},

/* A reduction over these axes. `how`: flags; `list` and `from`: dtypes and operands. */
#define REDUCE(op, name, list, from, how, ...) \
    {.prim = &knp_prim_reduce_##op,            \
     .label = name,                            \
     .dtypes = list,                           \
     .operands = from,                         \
     .params = &(kni_p_reduce){__VA_ARGS__},   \
     .whole = ref_reduce_##op,                 \
     .flags = how,                             \
     .ulp = 8},
#define REDUCTIONS(op, list, few, how)                                             \
    REDUCE(op, "axes0", list, "T[7]; T[1]; T[3,4]; T[100]; T[64,3]", how, INTS(0)) \
    REDUCE(op, "axes1", few, "T[3,4]; T[2,3,4]; T[0,3]", how, INTS(1))             \
    REDUCE(op, "axes02", few, "T[2,3,4]; T[3,0,2]", how, INTS(0, 2))               \
    REDUCE(op, "none", few, "T[]; T[3,4]", how, NONE)                              \
    REDUCE(op, "large", few, "T[20000]; T[3,4000]", how, {1, (int64_t[]){0}})      \
    REDUCE(op, "rows", few, "T[300,70]", how, INTS(1))                             \
    REDUCE(op, "huge", few, "T[100003]", (how) | LONG, INTS(0))
#define EMPTY_REDUCTION(op, few) REDUCE(op, "empty", few, "T[0]; T[0,3]", 0, INTS(0))

#define ARG(op, name, list, from, how, axis, index)          \
    {.prim = &knp_prim_##op,                                 \
     .label = name,                                          \
     .dtypes = list,                                         \
     .operands = from,                                       \
     .params = &(kni_p_argreduce){INTS(axis), KN_DT(index)}, \
     .whole = ref_##op,                                      \
     .flags = how},
#define ARGS(op)                                                               \
    ARG(op, "axis0", EVERYTHING, "T[7]; T[1]; T[3,4]; T[40]", SPECIAL, 0, I32) \
    ARG(op, "axis1", FEW " f32 u8", "T[3,4]; T[2,3,4]; T[0,3]", 0, 1, I64)     \
    ARG(op, "axis2", FEW, "T[2,3,4]", 0, 2, U32) ARG(op, "large", "f32", "T[5000]; T[3000,4]", 0, 0, I64)

#define DOT(name, list, from, a, b, c, d)              \
    {.prim = &knp_prim_dot_general,                    \
     .label = name,                                    \
     .dtypes = list,                                   \
     .operands = from,                                 \
     .params = &(kni_p_dot_general){a, b, c, d, NULL}, \
     .whole = ref_dot_general,                         \
     .ulp = 8},
#define PREFER(to, name, list)                                                \
    {.prim = &knp_prim_dot_general,                                           \
     .label = "to_" name,                                                     \
     .dtypes = list,                                                          \
     .operands = "T[3,5] T[5,4]",                                             \
     .whole = ref_dot_general,                                                \
     .ulp = 8,                                                                \
     .params = &(kni_p_dot_general){INTS(1), INTS(0), NONE, NONE, KN_DT(to)}, \
     .flags = NO_SLOPE},

#define SORT(name, list, from, how, dimension, keys) \
    {.prim = &knp_prim_sort,                         \
     .label = name,                                  \
     .dtypes = list,                                 \
     .operands = from,                               \
     .params = &(kni_p_sort){dimension, keys, true}, \
     .whole = ref_sort,                              \
     .flags = how},

#define ARGSORT(name, list, from, how, dimension) \
    {.prim = &knp_prim_argsort,                   \
     .label = name,                               \
     .dtypes = list,                              \
     .operands = from,                            \
     .params = &(kni_p_argsort){dimension},       \
     .whole = ref_argsort,                        \
     .flags = how},

#define PARTITION(name, list, from, how, dimension, positions, whole_array) \
    {.prim = &knp_prim_partition,                                           \
     .label = name,                                                         \
     .dtypes = list,                                                        \
     .operands = from,                                                      \
     .params = &(kni_p_partition){dimension, positions, whole_array},       \
     .whole = ref_partition,                                                \
     .flags = how},

#define SEARCH(name, list, from, how, batch, right) \
    {.prim = &knp_prim_searchsorted,                \
     .label = name,                                 \
     .dtypes = list,                                \
     .operands = from,                              \
     .params = &(kni_p_searchsorted){batch, right}, \
     .whole = ref_searchsorted,                     \
     .flags = how},

#define HISTOGRAM(name, list, from, how, batch, equal) \
    {.prim = &knp_prim_histogram,                      \
     .label = name,                                    \
     .dtypes = list,                                   \
     .operands = from,                                 \
     .params = &(kni_p_histogram){batch, equal},       \
     .whole = ref_histogram,                           \
     .flags = how},

#define TOP(name, list, from, how, axis, k) \
    {.prim = &knp_prim_top_k,               \
     .label = name,                         \
     .dtypes = list,                        \
     .operands = from,                      \
     .params = &(kni_p_top_k){axis, k},     \
     .whole = ref_top_k,                    \
     .flags = how},

/* jit: a body of a product and its sum, called once, and from inside of another call. */
static kni_jaxpr *product_body(kni_builder *outer, kni_type x, kni_type y, bool nested);
static int build_call(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_jaxpr *body = product_body(b, knb_type(b, x[0]), knb_type(b, x[1]), false);
    if (body)
        knb_jit(b, "f", body, 0, x, y);
    kni_release(body);
    return body ? 2 : 0;
}

static int build_nested_call(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_jaxpr *body = product_body(b, knb_type(b, x[0]), knb_type(b, x[1]), true);
    if (body)
        knb_jit(b, "g", body, 0, x, y);
    kni_release(body);
    return body ? 2 : 0;
}

static kni_jaxpr *product_body(kni_builder *outer, kni_type x, kni_type y, bool nested)
{
    kni_builder b;
    kni_atom in[2], out[2];
    int64_t axes[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    kni_jaxpr *j = NULL;
    knb_init(&b);
    in[0] = knb_invar(&b, x);
    in[1] = knb_invar(&b, y);
    if (nested) {
        build_call(&b, in, out);
    } else {
        out[1] = knb_mul(&b, in[0], in[1]);
        out[0] = knb_reduce_sum(&b, out[1], x.ndim, axes);
    }
    knx_error *e = knb_finish(&b, 2, out, "body", false, &j);
    if (e)
        knb_fail(outer, e);
    knb_free(&b);
    return j;
}

const sample samples_arrays[] = {
#include "arrays.def"
    {.prim = NULL},
};
