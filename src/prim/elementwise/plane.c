/* SPDX-License-Identifier: Apache-2.0
 * plane.c -- angle and length of the vector (x, y) of the plane: atan2, hypot. Operands have one real dtype; each has
 * the common shape or is a scalar.
 *
 *     type       the common dtype and shape
 *     jvp        the rules of calculus; hypot's is 0 at the origin
 *     transpose  linear in neither operand
 *     batch      as add
 *     lower      the kernel programs
 */
#include "prim/rules.h"

static knx_error *plane_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_FLOAT));
    return knp_join(r->n_in, r->xt, r->arena, y);
}

/* atan2(y, x): the angle of (x, y). As JAX writes them: y' x / (y^2 + x^2) + x' (-y) / (y^2 + x^2). */
static void atan2_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom part[2] = {KN_ATOM_ZERO, KN_ATOM_ZERO};
    for (int i = 0; i < 2; i++)
        if (tx[i] != KN_ATOM_ZERO) {
            kni_atom above = i ? knb_neg(b, r->x[0]) : KN_ATOM_NONE;
            kni_atom square = knb_square(b, r->x[0]), other = knb_square(b, r->x[1]);
            part[i] = knb_mul(b, tx[i], knb_div(b, i ? above : r->x[1], knb_add(b, square, other)));
        }
    ty[0] = knb_add_any(b, part[0], part[1]);
}

static void atan2_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = knp_real(knk_atan2(k, r->v[0].re, r->v[1].re));
}

const kni_prim knp_prim_atan2 = {
    .name = "atan2",
    .events = KN_EVENTS | KN_EVENTS_ROUNDS,
    .n_in = 2,
    .n_out = 1,
    .factors = "..., ... -> ...",
    .bits = KN_ELEMENTWISE,
    .cost = knp_cost_function,
    .type = plane_type,
    .jvp = atan2_jvp,
    .batch = knp_batch_elementwise,
    .expr = atan2_expr,
    .doc = "the angle of the point (y, x), from -pi to pi, elementwise (np.arctan2)",
};

/* hypot(x, y) = sqrt(x^2 + y^2): x' x / h + y' y / h, h = 1 in place of 0 */
static void hypot_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom h = r->y[0], part[2] = {KN_ATOM_ZERO, KN_ATOM_ZERO}, zero = knb_like(b, h, 0), tip = knb_eq(b, h, zero);
    h = knb_select(b, tip, knb_like(b, h, 1), h);
    for (int i = 0; i < 2; i++)
        if (tx[i] != KN_ATOM_ZERO) /* at the tip of the cone the slopes' mean, 0, to every order */
            part[i] = knb_mul(b, tx[i], knb_select(b, tip, zero, knb_div(b, r->x[i], h)));
    ty[0] = knb_add_any(b, part[0], part[1]);
}

static void hypot_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = knp_real(knk_hypot(k, r->v[0].re, r->v[1].re));
}

const kni_prim knp_prim_hypot = {
    .name = "hypot",
    .events = KN_EVENTS | KN_EVENTS_ROUNDS,
    .n_in = 2,
    .n_out = 1,
    .factors = "..., ... -> ...",
    .bits = KN_ELEMENTWISE | KN_COMMUTES,
    .cost = knp_cost_function,
    .type = plane_type,
    .jvp = hypot_jvp,
    .batch = knp_batch_elementwise,
    .expr = hypot_expr,
    .doc = "sqrt(x^2 + y^2) without overflow on the way, elementwise (np.hypot); JAX has no such primitive",
};
