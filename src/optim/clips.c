/* SPDX-License-Identifier: Apache-2.0
 * clips.c -- what clips gradients outside of an optimizer, unit by unit or example by example, and what says whether a
 * step should be left out, as optax has them. */
#include "optim/compose.h"
#include "optim/trees.h"
#include <math.h>

static kn_array abs_square(kn_array x) { return kn_square(kn_absolute(x)); }

/* ---- Units. */

/* The axes of one unit, as optax takes them of layers of this many dimensions. */
static kn_axes unit_axes(kni_type t)
{
    int wide = 0, first = t.ndim <= 3 ? 1 : t.ndim - 1;
    kn_axes a = {{1}, {0}};
    for (int i = 0; i < t.ndim; i++)
        wide += !knx_dim_eq(t.dim[i], 1);
    if (wide <= 1)
        first = t.ndim;
    for (int i = 0; i < first; i++)
        a.axis[a.n++ - 1] = i;
    return a;
}

kn_array kn_optim_unitwise_norm(kn_array x, const kn_optim_unitwise_norm_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_unitwise_norm");
    KNX_OPTS(kn_optim_unitwise_norm_opts, o, opts);
    kni_type t = kna_type(&c.op, x);
    kn_sum_opts along = kn_sum_opts_default();
    along.keepdims = true;
    along.axis = o.axis.n || kna_failed(&c.op) ? o.axis : unit_axes(t);
    if (!kna_failed(&c.op) && !o.axis.n && t.ndim > 5 && along.axis.n != t.ndim + 1)
        kna_fail(&c.op, KN_ERROR_VALUE, "units of %d dimensions need the option axis", t.ndim);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array norm = kn_sqrt(kn_sum(abs_square(x), &along));
    kn_shape shape = kn_shape_of(x);
    return knl_end(&c, kn_broadcast_to(norm, &shape));
}

kn_array kn_optim_unitwise_clip(kn_array g_norm, kn_array max_norm, kn_array grad,
                                const kn_optim_unitwise_clip_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_unitwise_clip");
    KNX_OPTS(kn_optim_unitwise_clip_opts, o, opts);
    kni_type n = kna_type(&c.op, g_norm), m = kna_type(&c.op, max_norm), g = kna_type(&c.op, grad);
    if (!kna_failed(&c.op) && (!kni_type_same_shape(n, m) || !kni_type_same_shape(n, g)))
        kna_fail(&c.op, KN_ERROR_VALUE, "both norms and the gradient are of one shape");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array by = kn_divide(max_norm, kn_maximum(g_norm, kno_num(o.div_eps)));
    return knl_end(&c, kn_where(kn_less(g_norm, max_norm), grad, kn_multiply(grad, by)));
}

/* ---- Examples: the first axis of each leaf. */

/* The leaves' common first extent; false with the body failed. */
static bool batched(knl_body *c, const char *name, const kntree_tree *t)
{
    int64_t n = 0;
    for (int i = 0; i < t->n && !kna_failed(&c->op); i++) {
        kni_type x = kna_type(&c->op, t->at[i]);
        if (!kna_failed(&c->op) && (!x.ndim || (i && !knx_dim_eq(x.dim[0], n))))
            kna_fail(&c->op, KN_ERROR_VALUE,
                     "Unlike other transforms, `%s` expects `grads` to have a batch dimension in the 0th axis.", name);
        n = x.ndim ? x.dim[0] : 0;
    }
    return !kna_failed(&c->op);
}

/* The sum of squares of each example. */
static kn_array squares_of(kn_array x)
{
    kn_sum_opts o = kn_sum_opts_default();
    o.axis.n = 1;
    for (int i = 1; i < kn_ndim(x); i++)
        o.axis.axis[o.axis.n++ - 1] = i;
    return kn_sum(abs_square(x), &o);
}

static kn_array scales_of(kn_array norm, double limit)
{
    kn_array by = kn_minimum(kn_divide(kno_num(limit), norm), kno_num(1));
    return kn_where(kn_isnan(by), kno_num(1), by);
}

static kn_array clipped_sum(kn_array by, kn_array g)
{
    kn_tensordot_opts o = kn_tensordot_opts_default();
    o.axes = 1;
    return kn_tensordot(by, g, &o);
}

static kn_array count_clipped(kn_array by) { return kn_sum(kn_less(by, kno_num(1)), NULL); }

static kn_array sum_leaf(kn_array g, kn_array y, int i, const void *env)
{
    (void)y, (void)i;
    return clipped_sum((kn_array)(uintptr_t)env, g);
}

kn_tree kn_optim_per_example_global_norm_clip(kn_tree grads, double l2_norm_clip, kn_array *num_clipped)
{
    static const char name[] = "optim_per_example_global_norm_clip";
    kntree_tree *t = kntree_tree_get(name, grads);
    if (!t)
        return NULL;
    knl_body c;
    knl_begin(&c, name);
    if (!t->n)
        kna_fail(&c.op, KN_ERROR_VALUE, "a tree without gradients");
    kn_array square = NULL;
    bool well = batched(&c, "per_example_global_norm_clip", t);
    for (int i = 0; well && i < t->n; i++)
        square = square ? kn_add(square, squares_of(t->at[i])) : squares_of(t->at[i]);
    kn_array by = square ? scales_of(kn_sqrt(square), l2_norm_clip) : NULL, count = by ? count_clipped(by) : NULL;
    kn_tree sum = by ? kno_map_trees(name, grads, NULL, sum_leaf, by) : NULL;
    if (sum)
        kn_keep_handle(sum);
    if (sum && num_clipped) {
        kn_keep(count);
        *num_clipped = count;
    }
    return knl_end_plain(&c) ? sum : NULL;
}

/* What each leaf may have of the norm. */
typedef struct shares {
    double clip, number, total; /* total: 0 for one share each */
} shares;

static kn_array layer_scales(kn_array g, const shares *s)
{
    double share = s->total > 0 ? (double)kn_size(g) / (double)kn_shape_of(g).dim[0] / s->total : 1 / s->number;
    return scales_of(kn_sqrt(squares_of(g)), s->clip * sqrt(share));
}

static kn_array layer_leaf(kn_array g, kn_array y, int i, const void *env)
{
    (void)y, (void)i;
    return clipped_sum(layer_scales(g, env), g);
}

static kn_array layer_count(kn_array g, kn_array y, int i, const void *env)
{
    (void)y, (void)i;
    return count_clipped(layer_scales(g, env));
}

kn_tree kn_optim_per_example_layer_norm_clip(kn_tree grads, double global_l2_norm_clip, kn_tree *num_clipped,
                                             const kn_optim_per_example_layer_norm_clip_opts *opts)
{
    static const char name[] = "optim_per_example_layer_norm_clip";
    kntree_tree *t = kntree_tree_get(name, grads);
    if (!t)
        return NULL;
    knl_body c;
    knl_begin(&c, name);
    KNX_OPTS(kn_optim_per_example_layer_norm_clip_opts, o, opts);
    shares s = {global_l2_norm_clip, t->n, 0};
    bool well = batched(&c, "per_example_layer_norm_clip", t);
    for (int i = 0; well && !o.uniform && i < t->n; i++) {
        kni_type x = kna_type(&c.op, t->at[i]);
        if (kni_type_is_symbolic(x) || !kni_type_size(x)) {
            kna_fail(&c.op, KN_ERROR_VALUE, "shares by size are for gradients of known extents that have elements");
        } else {
            int64_t of_one = kni_type_size(x) / x.dim[0];
            s.total += (double)of_one;
        }
    }
    well = well && !kna_failed(&c.op);
    kn_tree sum = well ? kno_map_trees(name, grads, NULL, layer_leaf, &s) : NULL;
    kn_tree count = sum && num_clipped ? kno_map_trees(name, grads, NULL, layer_count, &s) : NULL;
    well = sum && (!num_clipped || count);
    if (well)
        kn_keep_handle(sum);
    if (well && num_clipped) {
        kn_keep_handle(count);
        *num_clipped = count;
    }
    return knl_end_plain(&c) && well ? sum : NULL;
}

/* ---- Should this step be left out? */

static kn_array not_finite_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return kn_sum(kn_logical_not(kn_isfinite(x)), NULL);
}

static kn_array square_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return kn_sum(kn_square(x), NULL);
}

static kn_array added(kn_array x, kn_array y) { return kn_add(x, y); }

/* Ends with what was decided and, if it is asked for, what it was decided by. */
static kn_array decided(knl_body *c, kn_array yes, kn_array by, kn_array *told)
{
    kn_array out[2] = {yes, by};
    knl_end_n(c, told ? 2 : 1, out);
    if (told)
        *told = out[1];
    return out[0];
}

kn_array kn_optim_skip_not_finite(kn_tree updates, kn_array *num_not_finite)
{
    knl_body c;
    knl_begin(&c, "optim_skip_not_finite");
    kn_array n = kno_fold_trees("optim_skip_not_finite", updates, NULL, not_finite_leaf, added, 0);
    return decided(&c, kn_greater(n, kno_num(0)), n, num_not_finite);
}

kn_array kn_optim_skip_large_updates(kn_tree updates, double max_squared_norm, kn_array *norm_squared)
{
    knl_body c;
    knl_begin(&c, "optim_skip_large_updates");
    kn_array n = kno_fold_trees("optim_skip_large_updates", updates, NULL, square_leaf, added, 0);
    return decided(&c, kn_logical_not(kn_less(n, kno_num(max_squared_norm))), n, norm_squared);
}
