/* SPDX-License-Identifier: Apache-2.0
 * names.c -- how NumPy calls what has an event: the ufunc, or "reduce", "cast". */
#include "lib/internal.h"
#include "numpy/error_state/error_state.h"
#include <string.h>

/* Rows whose names are not those of NumPy's functions. */
static const struct {
    const kni_prim *prim;
    const char *name, *of_scalars; /* of NumPy's scalars, as in the functions that NumPy has in Python */
} spelled[] = {
#define UNARY(prim, public, ...)         {&knp_prim_##prim, &#public[sizeof "kn_" - 1], NULL},
#define UNARY_SPECIAL(prim, public, ...) {&knp_prim_##prim, &#public[sizeof "kn_special_" - 1], NULL},
#define UNARY_LAX(prim, public, ...)     {&knp_prim_##prim, &#public[sizeof "kn_lax_" - 1], NULL},
#include "ir/unary.def"
#undef UNARY
    {&knp_prim_add, "add", "scalar add"},
    {&knp_prim_add_any, "add", "scalar add"},
    {&knp_prim_sub, "subtract", "scalar subtract"},
    {&knp_prim_mul, "multiply", "scalar multiply"},
    {&knp_prim_div, "divide", "scalar divide"},
    {&knp_prim_pow, "power", "scalar power"},
    {&knp_prim_integer_pow, "power", "scalar power"},
    {&knp_prim_rem, "fmod", NULL},
    {&knp_prim_atan2, "arctan2", NULL},
    {&knp_prim_reduce_sum, "reduce", NULL},
    {&knp_prim_reduce_prod, "reduce", NULL},
    {&knp_prim_cumsum, "accumulate", NULL},
    {&knp_prim_cumprod, "accumulate", NULL},
    {&knp_prim_convert_element_type, "cast", NULL},
    {&knp_prim_scatter_add, "add", NULL},
    {&knp_prim_scatter_mul, "multiply", NULL},
};

/* Public functions that are ufuncs, beside those of `spelled` and kn_ufunc; and how NumPy calls them. Products are told
 * of by these alone. */
static const struct {
    const char *operation, *name;
} functions[] = {
    {"reciprocal", "reciprocal"},
    {"sign", "sign"},
    {"spacing", "spacing"},
    {"ldexp", "ldexp"},
    {"deg2rad", "deg2rad"},
    {"rad2deg", "rad2deg"},
    {"degrees", "degrees"},
    {"radians", "radians"},
    {"divmod", "divmod"},
    {"trunc", "trunc"},
    {"rint", "rint"},
    {"conjugate", "conjugate"},
    {"sum", "reduce"},
    {"prod", "reduce"},
    {"median", "reduce"},
    {"cumsum", "accumulate"},
    {"cumprod", "accumulate"},
    {"ufunc_reduce", "reduce"},
    {"ufunc_accumulate", "accumulate"},
    {"ufunc_reduceat", "reduceat"},
};
static const char *const products[][2] = {{"matmul", "matmul"}, {"vecdot", "vecdot"}, {"matvec", "matvec"},
                                          {"vecmat", "vecmat"}, {"dot", "dot"},       {"inner", "dot"}};

/* Functions that work on NumPy's scalars where they have no axes left; single elements of arrays are such. */
static const char *const with_scalars[] = {
    "mean",       "var",         "std",           "nanmean", "nanvar",  "nanstd",  "gradient", "quantile",
    "percentile", "nanquantile", "nanpercentile", "iadd_at", "isub_at", "imul_at", "idiv_at",  "ipow_at"};

static bool has_scalars(const char *operation)
{
    for (size_t i = 0; i < sizeof with_scalars / sizeof *with_scalars; i++)
        if (!strcmp(with_scalars[i], operation))
            return true;
    return false;
}

/* Beginnings of the names of functions that tell nothing: in NumPy they are C code that nobody looks at. */
static const char *const silent[] = {"interp", "random_", "rng_", "fft_", "convolve", "correlate", "linalg_"};

static bool is_silent(const char *operation)
{
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (!strncmp(silent[i], operation, strlen(silent[i])))
            return true;
    return false;
}

static const char *of_function(const char *operation)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].operation, operation))
            return functions[i].name;
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++)
        if (!strcmp(spelled[i].name, operation))
            return spelled[i].name;
    for (int f = 0; f <= kn_ufunc_logical_xor; f++)
        if (!strcmp(knl_ufunc_name((kn_ufunc)f), operation))
            return knl_ufunc_name((kn_ufunc)f);
    return NULL;
}

const char *knn_event_name(const kni_prim *p, const char *operation, const char *ufunc, bool scalars)
{
    const char *name = p->name, *of_scalars = NULL, *function = of_function(operation);
    if (is_silent(operation))
        return NULL;
    if (p->bits & KN_PRODUCT) {
        for (size_t i = 0; i < sizeof products / sizeof *products; i++)
            if (!strcmp(products[i][0], operation))
                return products[i][1];
        return NULL;
    }
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++)
        if (spelled[i].prim == p) {
            name = spelled[i].name;
            of_scalars = spelled[i].of_scalars;
        }
    if (function && p != &knp_prim_convert_element_type)
        return function;
    return ufunc ? ufunc : scalars && of_scalars && has_scalars(operation) ? of_scalars : name;
}
