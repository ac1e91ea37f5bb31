/* SPDX-License-Identifier: Apache-2.0
 * projections.c -- optax.projections: the nearest tree of a set. */
#include "optim/compose.h"
#include "optim/trees.h"
#include <math.h>

/* ---- Element by element. */

typedef struct box {
    kn_array low, high;
} box;

static kn_array clip_leaf(kn_array x, kn_array y, int i, const void *env)
{
    const box *b = env;
    (void)y, (void)i;
    return kn_clip(x, b->low, b->high);
}

static kn_array positive_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return kn_maximum(x, kno_num(0));
}

kn_tree kn_optim_projection_non_negative(kn_tree tree)
{
    return kno_map_trees("optim_projection_non_negative", tree, NULL, positive_leaf, NULL);
}

kn_tree kn_optim_projection_box(kn_tree tree, kn_array lower, kn_array upper)
{
    return kno_map_trees("optim_projection_box", tree, NULL, clip_leaf, &(box){lower, upper});
}

/* Some work in a scope of its own, which gives a tree that stays. */
static kn_tree ended(knl_body *c, kn_tree tree)
{
    if (tree)
        kn_keep_handle(tree);
    kn_scope_end(&c->scope);
    return kna_end_handle(&c->op) ? tree : NULL;
}

static kn_tree between(const char *name, kn_tree tree, double low, double high)
{
    knl_body c;
    if (!kntree_tree_get(name, tree))
        return NULL;
    knl_begin(&c, name);
    return ended(&c, kno_map_trees(name, tree, NULL, clip_leaf, &(box){kno_num(low), kno_num(high)}));
}

kn_tree kn_optim_projection_hypercube(kn_tree tree, double scale)
{
    return between("optim_projection_hypercube", tree, 0, scale);
}

kn_tree kn_optim_projection_linf_ball(kn_tree tree, double scale)
{
    return between("optim_projection_linf_ball", tree, -scale, scale);
}

/* ---- Of all elements together: a function of the tree gives a number, or a vector, which each leaf is made of. */

static kn_array absolute_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return kn_absolute(x);
}

static kn_array sign_like_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)i, (void)env;
    return kn_multiply(kn_sign(y), x);
}

static kn_array times_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i;
    return kn_multiply((kn_array)(uintptr_t)env, x);
}

/* The nearest vector without negative elements whose sum is 1 (Duchi et al. 2008). The shift depends on which elements
 * stay positive alone, so its derivative is that of the mean over them. */
static kn_array unit_simplex(kn_array v)
{
    int64_t n = kn_size(v);
    kn_array sorted = kn_flip(kn_sort(v, NULL), NULL), sums = kn_cumsum(sorted, NULL);
    kn_array place = kn_astype(kn_arange(kno_num(1), kno_num((double)n + 1), kno_num(1), NULL), kn_dtype_of(v), NULL);
    kn_array shift = kn_divide(kn_subtract(kno_num(1), sums), place);
    kn_array stays = kn_greater(kn_add(sorted, shift), kno_num(0));
    kn_array last = kn_equal(place, kn_astype(kn_sum(stays, NULL), kn_dtype_of(v), NULL));
    kn_array chosen = kn_sum(kn_where(last, shift, kno_num(0)), NULL);
    return kn_maximum(kn_add(v, chosen), kno_num(0));
}

static kn_tree simplex(kn_tree tree, double scale)
{
    kn_array flat = kn_tree_ravel(tree);
    kn_array on = kn_multiply(kno_num(scale), unit_simplex(kn_divide(flat, kno_num(scale))));
    return kn_ok(on) ? kn_tree_unravel(tree, on) : NULL;
}

static bool positive(knl_body *c, double scale)
{
    if (!(scale > 0))
        kna_fail(&c->op, KN_ERROR_VALUE, "scale must be > 0, but is %g", scale);
    return scale > 0;
}

#define BEGIN(name)                                        \
    knl_body c;                                            \
    if (!kntree_tree_get("optim_projection_" #name, tree)) \
        return NULL;                                       \
    knl_begin(&c, "optim_projection_" #name);              \
    if (!positive(&c, scale))                              \
    return ended(&c, NULL)

kn_tree kn_optim_projection_simplex(kn_tree tree, double scale)
{
    BEGIN(simplex);
    return ended(&c, simplex(tree, scale));
}

static kn_tree l1_sphere(kn_tree tree, double scale)
{
    kn_tree sizes = kno_map_trees("optim_projection_l1_sphere", tree, NULL, absolute_leaf, NULL);
    kn_tree on = sizes ? simplex(sizes, scale) : NULL;
    return on ? kno_map_trees("optim_projection_l1_sphere", on, tree, sign_like_leaf, NULL) : NULL;
}

kn_tree kn_optim_projection_l1_sphere(kn_tree tree, double scale)
{
    BEGIN(l1_sphere);
    return ended(&c, l1_sphere(tree, scale));
}

kn_tree kn_optim_projection_l1_ball(kn_tree tree, double scale)
{
    BEGIN(l1_ball);
    kn_array norm = kn_sum(kn_absolute(kn_tree_ravel(tree)), NULL);
    kn_tree on = kn_ok(norm) ? l1_sphere(tree, scale) : NULL;
    return ended(&c, on ? kn_optim_tree_where(kn_less_equal(norm, kno_num(scale)), tree, on) : NULL);
}

kn_tree kn_optim_projection_l2_sphere(kn_tree tree, double scale)
{
    BEGIN(l2_sphere);
    kn_array by = kn_divide(kno_num(scale), kn_optim_global_norm(tree));
    return ended(&c, kno_map_trees("optim_projection_l2_sphere", tree, NULL, times_leaf, by));
}

kn_tree kn_optim_projection_l2_ball(kn_tree tree, double scale)
{
    BEGIN(l2_ball);
    kn_array square = kn_sum(kn_square(kn_absolute(kn_tree_ravel(tree))), NULL);
    kn_array by = kn_divide(kno_num(scale), kn_sqrt(kn_maximum(square, kno_num(scale * scale))));
    return ended(&c, kno_map_trees("optim_projection_l2_ball", tree, NULL, times_leaf, by));
}

/* ---- Along a vector. */

/* Else the body fails with the error that x carries. */
static bool well(knl_body *c, kn_array x) { return kn_ok(x) || (kna_in(&c->op, x), false); }

kn_tree kn_optim_projection_vector(kn_tree x, kn_tree a)
{
    knl_body c;
    knl_begin(&c, "optim_projection_vector");
    kn_array by = kn_divide(kn_optim_tree_vdot(x, a), kn_optim_tree_vdot(a, a));
    return ended(&c, well(&c, by) ? kn_optim_tree_scale(by, a) : NULL);
}

static kn_tree along(const char *name, kn_tree x, kn_tree a, kn_array b, bool half)
{
    knl_body c;
    knl_begin(&c, name);
    kn_array by = kn_divide(kn_subtract(b, kn_optim_tree_vdot(x, a)), kn_optim_tree_vdot(a, a));
    by = half ? kn_minimum(by, kno_num(0)) : by;
    return ended(&c, well(&c, by) ? kn_optim_tree_add_scale(x, by, a) : NULL);
}

kn_tree kn_optim_projection_hyperplane(kn_tree x, kn_tree a, kn_array b)
{
    return along("optim_projection_hyperplane", x, a, b, false);
}

kn_tree kn_optim_projection_halfspace(kn_tree x, kn_tree a, kn_array b)
{
    return along("optim_projection_halfspace", x, a, b, true);
}
