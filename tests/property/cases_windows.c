/* SPDX-License-Identifier: Apache-2.0
 * cases_windows.c -- samples of the primitives over windows. */
#include "cases.h"

/* window, strides, padding below and above, base dilation, window dilation */
#define WINDOWS(w, s, l, h, b, d, ...)                                                                           \
    &(kni_p_window)                                                                                              \
    {                                                                                                            \
        .window_dimensions = w, .window_strides = s, .lo = l, .hi = h, .base_dilation = b, .window_dilation = d, \
        __VA_ARGS__                                                                                              \
    }
#define PLAIN(...)   WINDOWS(INTS(2), INTS(1), INTS(0), INTS(0), INTS(1), INTS(1), __VA_ARGS__)
#define PADDED(...)  WINDOWS(INTS(3), INTS(2), INTS(2), INTS(1), INTS(1), INTS(1), __VA_ARGS__)
#define APART(...)   WINDOWS(INTS(2, 2), INTS(3, 2), INTS(-1, 1), INTS(2, -1), INTS(1, 1), INTS(1, 1), __VA_ARGS__)
#define POOL(...)    WINDOWS(INTS(2, 3), INTS(2, 3), INTS(0, 0), INTS(0, 0), INTS(1, 1), INTS(1, 1), __VA_ARGS__)
#define DILATED(...) WINDOWS(INTS(3, 2), INTS(1, 2), INTS(1, 2), INTS(2, 0), INTS(2, 3), INTS(1, 2), __VA_ARGS__)
#define EVEN(...)    WINDOWS(INTS(5, 1), INTS(4, 1), INTS(1, 0), INTS(3, 0), INTS(2, 1), INTS(1, 1), __VA_ARGS__)
#define WIDE(...)    WINDOWS(INTS(11, 9), INTS(1, 2), INTS(4, 0), INTS(5, 3), INTS(1, 1), INTS(1, 1), __VA_ARGS__)
#define BLOCKS(...)  WINDOWS(INTS(300), INTS(7), INTS(40), INTS(0), INTS(1), INTS(1), __VA_ARGS__)
#define SCALAR(...)  WINDOWS(NONE, NONE, NONE, NONE, NONE, NONE, __VA_ARGS__)
#define OF_THREE(...) \
    WINDOWS(INTS(1, 2, 2), INTS(1, 2, 1), INTS(0, 0, 1), INTS(0, 1, 0), INTS(1, 1, 1), INTS(1, 1, 1), __VA_ARGS__)
#define LARGE(...) \
    WINDOWS(INTS(3, 3, 1), INTS(2, 2, 1), INTS(1, 1, 0), INTS(1, 1, 0), INTS(1, 1, 1), INTS(1, 1, 1), __VA_ARGS__)
#define SPREAD(...) \
    WINDOWS(INTS(3, 3, 1), INTS(1, 1, 1), INTS(2, 2, 0), INTS(2, 2, 0), INTS(2, 3, 1), INTS(1, 1, 1), __VA_ARGS__)
#define WHOLE(...) \
    WINDOWS(INTS(40, 30, 1), INTS(1, 1, 1), INTS(39, 29, 0), INTS(39, 29, 0), INTS(1, 1, 1), INTS(1, 1, 1), __VA_ARGS__)
#define COVER(...) \
    WINDOWS(INTS(13, 10, 1), INTS(1, 1, 1), INTS(12, 9, 0), INTS(12, 9, 0), INTS(1, 1, 1), INTS(1, 1, 1), __VA_ARGS__)

#define SAMPLE(op, name, list, from, how, error, by, ...) \
    {.prim = &knp_prim_##op,                              \
     .label = name,                                       \
     .dtypes = list,                                      \
     .operands = from,                                    \
     .params = by(__VA_ARGS__),                           \
     .whole = ref_##op,                                   \
     .flags = how,                                        \
     .ulp = error},

#define FEW "f64 i32 f16"
/* The long ones lie in more memory than results of a routine, so that a kernel makes them. */
#define REDUCTION(op, list, few, how, error)                                           \
    SAMPLE(op, "plain", list, "T[5]; T[1]; T[0]; T[2]", how, error, PLAIN)             \
    SAMPLE(op, "padded", few, "T[6]; T[1]; T[0]", how, error, PADDED)                  \
    SAMPLE(op, "apart", few, "T[7,6]", how, error, APART)                              \
    SAMPLE(op, "pool", few, "T[4,9]", how, error, POOL)                                \
    SAMPLE(op, "dilated", few, "T[4,3]; T[1,1]; T[0,3]", how, error, DILATED)          \
    SAMPLE(op, "even", few, "T[9,3]", how, error, EVEN)                                \
    SAMPLE(op, "wide", few, "T[12,13]", (how) | NO_SLOPE, error, WIDE)                 \
    SAMPLE(op, "blocks", few, "T[700]", (how) | NO_SLOPE, error, BLOCKS)               \
    SAMPLE(op, "scalar", few, "T[]", how, error, SCALAR)                               \
    SAMPLE(op, "of_three", few, "T[2,3,4]", how, error, OF_THREE)                      \
    SAMPLE(op, "large", "f32 i16 bf16", "T[70,61,20]", (how) | NO_SLOPE, error, LARGE) \
    SAMPLE(op, "spread", "f32 u8", "T[20,25,40]", (how) | NO_SLOPE, error, SPREAD)     \
    SAMPLE(op, "whole", "f32 i32", "T[1,1,170]; T[2,1,150]", (how) | NO_SLOPE, error, COVER)
#define EXTREME_VALUES(op)                                                                           \
    SAMPLE(op, "special", "f32 f64 i8", "T[40]", SPECIAL | EXTREME | ANY_ZERO | NO_SLOPE, 0, PADDED) \
    SAMPLE(op, "special_large", "f32 f16", "T[70,61,20]", SPECIAL | EXTREME | ANY_ZERO | NO_SLOPE, 0, LARGE)

#define CHOSEN(...)   .select_prim = KN_SELECT_GE, .index_dtype = KN_DT(I8), __VA_ARGS__
#define SMALLEST(...) .select_prim = KN_SELECT_LE, .index_dtype = KN_DT(I32), __VA_ARGS__

typedef void body_fn(kni_builder *b, const kni_atom *x, kni_atom *y);
static void times(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    bool is_bool = knb_type(b, x[0]).dtype->kind == KN_KIND_BOOL;
    *y = is_bool ? knb_and(b, x[0], x[1]) : knb_mul(b, x[0], x[1]);
}
static void plus(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    bool is_bool = knb_type(b, x[0]).dtype->kind == KN_KIND_BOOL;
    *y = is_bool ? knb_or(b, x[0], x[1]) : knb_add(b, x[0], x[1]);
}
static void not_less(kni_builder *b, const kni_atom *x, kni_atom *y) { *y = knb_ge(b, x[0], x[1]); }

static kni_jaxpr *body_of(kni_builder *b, kn_dtype d, body_fn *body)
{
    kni_builder inner;
    kni_atom in[2], out;
    kni_jaxpr *j = NULL;
    knb_init(&inner);
    in[0] = knb_invar(&inner, kni_scalar_type(d));
    in[1] = knb_invar(&inner, kni_scalar_type(d));
    body(&inner, in, &out);
    knx_error *e = knb_finish(&inner, 1, &out, "", false, &j);
    if (e)
        knb_fail(b, e);
    knb_free(&inner);
    return j;
}

static const kni_p_window *const dilated = DILATED(), *const padded = PADDED(), *const apart = APART(),
                                 *const pool = POOL();

static int by_product(kni_builder *b, const kni_atom *x, const kni_p_window *windows, kni_atom *y)
{
    kni_p_window p = *windows;
    p.jaxpr = body_of(b, knb_type(b, x[0]).dtype, times);
    if (p.jaxpr)
        knb_reduce_window(b, 1, x, &p, y);
    kni_release(p.jaxpr);
    return 1;
}
static int product_dilated(kni_builder *b, const kni_atom *x, kni_atom *y) { return by_product(b, x, dilated, y); }
static int product_pool(kni_builder *b, const kni_atom *x, kni_atom *y) { return by_product(b, x, pool, y); }
static int product_padded(kni_builder *b, const kni_atom *x, kni_atom *y) { return by_product(b, x, padded, y); }

static int scatter(kni_builder *b, const kni_atom *x, const kni_p_window *windows, kni_atom *y)
{
    kni_p_window p = *windows;
    kn_dtype d = knb_type(b, x[0]).dtype;
    p.select_jaxpr = body_of(b, d, not_less);
    p.scatter_jaxpr = body_of(b, d, plus);
    if (p.select_jaxpr && p.scatter_jaxpr)
        *y = knb_select_and_scatter(b, x[0], x[1], x[2], &p);
    kni_release(p.select_jaxpr);
    kni_release(p.scatter_jaxpr);
    return 1;
}
static int scatter_pool(kni_builder *b, const kni_atom *x, kni_atom *y) { return scatter(b, x, pool, y); }
static int scatter_padded(kni_builder *b, const kni_atom *x, kni_atom *y) { return scatter(b, x, padded, y); }
static int scatter_apart(kni_builder *b, const kni_atom *x, kni_atom *y) { return scatter(b, x, apart, y); }

#define BUILT(op, ref, by, windows, list, from, how, error) \
    {.prim = &knp_prim_##op,                                \
     .label = #windows,                                     \
     .dtypes = list,                                        \
     .operands = from,                                      \
     .params = windows(),                                   \
     .build = by##_##windows##_,                            \
     .whole = ref_##ref,                                    \
     .flags = how,                                          \
     .ulp = error},
#define product_DILATED_ product_dilated
#define product_PADDED_  product_padded
#define product_POOL_    product_pool
#define scatter_POOL_    scatter_pool
#define scatter_PADDED_  scatter_padded
#define scatter_APART_   scatter_apart

const sample samples_windows[] = {
#include "windows.def"
    {.prim = NULL},
};
