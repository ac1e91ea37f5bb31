/* SPDX-License-Identifier: Apache-2.0
 * cases_scan.c -- samples of the cumulative primitives, of products along axes, and of barriers. */
#include "cases.h"
#include "device/mesh/mesh.h"

/* Along one axis, from either end. */
#define ALONG(op, name, list, from, how, error, ...) \
    {.prim = &knp_prim_##op,                         \
     .label = name,                                  \
     .dtypes = list,                                 \
     .operands = from,                               \
     .params = &(kni_p_cumulative){__VA_ARGS__},     \
     .whole = ref_##op,                              \
     .flags = how,                                   \
     .lo = -2,                                       \
     .hi = 2,                                        \
     .ulp = error},
#define CUMULATIVE(op, list, few, how, error)                                                            \
    ALONG(op, "axis0", list, "T[7]; T[1]; T[3,4]; T[0]; T[2,3,4]; T[0,3]; T[3,0]", how, error, 0, false) \
    ALONG(op, "axis1", few, "T[3,4]; T[2,3,4]; T[3,0]; T[0,3]; T[2,2]", how, error, 1, false)            \
    ALONG(op, "reverse0", list, "T[6]; T[3,4]; T[1]; T[0]", how, error, 0, true)                         \
    ALONG(op, "reverse1", few, "T[3,5]; T[2,4,3]", how, error, 1, true)                                  \
    ALONG(op, "large", few, "T[900]; T[70,90]; T[5,1100]", (how) | NO_SLOPE, 8 * (error), 0, false)      \
    ALONG(op, "large_rows", few, "T[300,41]", (how) | NO_SLOPE, 8 * (error), 1, true)
#define SPECIAL_VALUES(op, list, error)                                                                    \
    ALONG(op, "special", list, "T[40]; T[6,20]", SPECIAL | EXTREME | NO_SLOPE | ANY_ZERO, error, 0, false) \
    ALONG(op, "special_reverse", list, "T[9,8]", SPECIAL | EXTREME | NO_SLOPE | ANY_ZERO, error, 1, true)

/* Factors near one, so that products neither overflow nor vanish. */
#define PRODUCT(name, list, from, how, ...)  \
    {.prim = &knp_prim_reduce_prod,          \
     .label = name,                          \
     .dtypes = list,                         \
     .operands = from,                       \
     .params = &(kni_p_reduce){__VA_ARGS__}, \
     .whole = ref_reduce_prod,               \
     .flags = how,                           \
     .lo = 0.9,                              \
     .hi = 1.1,                              \
     .ulp = 64},

/* reduce over the axes that `last` says, by a computation of scalars: x y + x + y; of pairs the product of x + x' e and
 * y + y' e with e e = 0; the larger, and the smaller position where both are as large. */
typedef void body_fn(kni_builder *b, const kni_atom *x, kni_atom *y);

static void shifted_product(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = knb_add(b, knb_mul(b, x[0], x[1]), knb_add(b, x[0], x[1]));
}

static void dual_product(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[1] = knb_add(b, knb_mul(b, x[0], x[3]), knb_mul(b, x[1], x[2]));
    y[0] = knb_mul(b, x[0], x[2]);
}

static void larger_first(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom same = knb_and(b, knb_eq(b, x[0], x[2]), knb_lt(b, x[1], x[3]));
    kni_atom first = knb_or(b, knb_gt(b, x[0], x[2]), same);
    y[0] = knb_select(b, first, x[0], x[2]);
    y[1] = knb_select(b, first, x[1], x[3]);
}

static int reduce_by(kni_builder *b, const kni_atom *x, int n, body_fn *body, bool last, kni_atom *y)
{
    kni_builder inner;
    kni_atom in[4], out[2];
    kni_jaxpr *j = NULL;
    int64_t axes[2] = {0, knb_type(b, x[0]).ndim - 1};
    knb_init(&inner);
    for (int i = 0; i < 2 * n; i++)
        in[i] = knb_invar(&inner, kni_scalar_type(knb_type(b, x[i % n]).dtype));
    body(&inner, in, out);
    knx_error *e = knb_finish(&inner, n, out, "", false, &j);
    if (e)
        knb_fail(b, e);
    else if (axes[1] > 0 && last)
        knb_reduce(b, n, x, j, 2, axes, y);
    else
        knb_reduce(b, n, x, j, 1, axes, y);
    kni_release(j);
    knb_free(&inner);
    return n;
}

static int build_shifted(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return reduce_by(b, x, 1, shifted_product, false, y);
}
static int build_shifted_all(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return reduce_by(b, x, 1, shifted_product, true, y);
}
static int build_dual(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return reduce_by(b, x, 2, dual_product, false, y);
}
static int build_larger(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return reduce_by(b, x, 2, larger_first, false, y);
}

#define ANY(name, list, from, by, how, low, high) \
    {.prim = &knp_prim_reduce,                    \
     .label = #by name,                           \
     .dtypes = list,                              \
     .operands = from,                            \
     .build = build_##by,                         \
     .whole = ref_reduce_##by,                    \
     .flags = how,                                \
     .lo = low,                                   \
     .hi = high,                                  \
     .ulp = 64},

/* Over a mesh of one device, of which every process has as many. */
static int build_constraint(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    static const char *const name[] = {"x"};
    const kni_mesh *mesh;
    const knd_mesh *device;
    const kni_sharding *s = NULL;
    knx_error *e = kni_mesh_of(1, name, (int64_t[]){1}, NULL, &mesh);
    if (!e)
        e = knd_mesh_open(mesh, &device);
    if (!e)
        e = kni_parse_spec(mesh, 2, "None, x", &s);
    if (e)
        knb_fail(b, e);
    else
        y[0] = knb_sharding_constraint(b, x[0], &(kni_p_sharding_constraint){s});
    return 1;
}

const sample samples_scan[] = {
#include "scan.def"
    {.prim = NULL},
};
