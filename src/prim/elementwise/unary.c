/* SPDX-License-Identifier: Apache-2.0
 * unary.c -- elementwise functions of one argument: each row of unary.def becomes a row of a primitive.
 *
 *     type       the operand's; modulus: the component's dtype
 *     jvp        the derivative that the row of unary.def gives
 *     transpose  neg alone is linear, and its own transpose
 *     batch      the same primitive
 *     lower      the kernel programs that the row names, for real and for complex operands
 */
#include "prim/rules.h"
#include <string.h>

static kni_pair cexpr_square(knk_builder *k, kni_pair x) { return knp_complex_mul(k, x, x); }

static knk_node expr_neg(knk_builder *k, knk_node x) { return knk_unary(k, KNK_NEG, x); }
static knk_node expr_sqrt(knk_builder *k, knk_node x) { return knk_unary(k, KNK_SQRT, x); }

static knk_node expr_square(knk_builder *k, knk_node x) { return knk_binary(k, KNK_MUL, x, x); }

static knk_node expr_abs(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    return d >= KN_ID_U8 && d <= KN_ID_U64 ? x : knk_unary(k, KNK_ABS, x);
}

static knx_error *unary_type(const char *traits, const kni_rule *r, kni_type *y)
{
    unsigned kinds = traits[0] == 'n' ? KNP_NUMBERS : traits[1] == 'c' ? KNP_INEXACT : KNP_FLOAT;
    KN_TRY(knp_accepts(r->xt->dtype, kinds));
    return knp_type_like(r->arena, *r->xt, strchr(traits, 'r') ? knx_component(r->xt->dtype) : r->xt->dtype, y);
}

typedef knk_node real_program(knk_builder *k, knk_node x);
typedef kni_pair complex_program(knk_builder *k, kni_pair x);

/* The programs that the rows name; those of the first columns that are static stay so. */
#define UNARY(prim, public, traits, derivative, of_real, ...) real_program of_real;
#include "ir/unary.def"
#undef UNARY

static void unary_expr(knk_builder *k, const kni_rule *r, real_program *of_real, complex_program *of_complex,
                       kni_pair *y)
{
    *y = of_complex && knx_is_complex(r->xt[0].dtype) ? of_complex(k, r->v[0]) : knp_real(of_real(k, r->v[0].re));
}

/* The events that the letters say; not those of what moves signs alone. */
#define LETTER(traits, c) ((traits)[1] == c || (traits)[2] == c || (traits)[3] == c)
#define EVENTS(traits)                                                                                              \
    ((traits)[1] == 'l'                                                                                             \
         ? 0                                                                                                        \
         : KN_EVENTS | (LETTER(traits, 'p') ? KN_EVENTS_POLES : 0) | (LETTER(traits, 'u') ? KN_EVENTS_ROUNDS : 0) | \
               (LETTER(traits, 'q') ? KN_EVENTS_PRODUCT : 0))
#define UNARY(prim, public, traits, derivative, of_real, of_complex, ref, low, high, ulp, text)  \
    static knx_error *prim##_type(kni_rule *r, kni_type *y) { return unary_type(traits, r, y); } \
    static void prim##_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)                  \
    {                                                                                            \
        kni_builder *b = r->b;                                                                   \
        kni_atom x = r->x[0], y = r->y[0], t = tx[0];                                            \
        (void)x, (void)y;                                                                        \
        ty[0] = derivative;                                                                      \
    }                                                                                            \
    static void prim##_expr(knk_builder *k, const kni_rule *r, kni_pair *y)                      \
    {                                                                                            \
        unary_expr(k, r, of_real, of_complex, y);                                                \
    }                                                                                            \
    const kni_prim knp_prim_##prim = {                                                           \
        .name = #prim,                                                                           \
        .n_in = 1,                                                                               \
        .n_out = 1,                                                                              \
        .doc = text,                                                                             \
        .factors = "... -> ...",                                                                 \
        .bits = KN_ELEMENTWISE | (traits[0] == 'n' ? KN_CHEAP : 0),                              \
        .events = EVENTS(traits "   "),                                                          \
        .linear_in = traits[1] == 'l' ? 1u : 0u,                                                 \
        .type = prim##_type,                                                                     \
        .jvp = prim##_jvp,                                                                       \
        .transpose = traits[1] == 'l' ? knp_transpose_same : NULL,                               \
        .batch = knp_batch_elementwise,                                                          \
        .expr = prim##_expr,                                                                     \
        .cost = traits[0] == 'n' ? NULL : knp_cost_function,                                     \
    };
#include "ir/unary.def"
#undef UNARY
