/* SPDX-License-Identifier: Apache-2.0
 * tree_facts.c -- what optax.tree says of whole trees, their shapes in batches, and gradients scaled on their way back.
 */
#include "base/context.h"
#include "kiln/function.h"
#include "lib/compose.h"
#include "optim/trees.h"
#include <string.h>

kn_array kn_optim_tree_allclose(kn_tree a, kn_tree b, const kn_optim_tree_allclose_opts *opts)
{
    static const char name[] = "optim_tree_allclose";
    KNX_OPTS(kn_optim_tree_allclose_opts, o, opts);
    kntree_tree *t = kntree_tree_get(name, a), *u = t ? kntree_tree_get(name, b) : NULL;
    const kntree_structure *s = u ? kntree_structure_in(name, t) : NULL, *r = s ? kntree_structure_in(name, u) : NULL;
    knl_body c;
    knl_begin(&c, name);
    knx_error *e = r ? kntree_structure_compare("the first tree", s, r, false) : NULL;
    if (e)
        kna_fail_with(&c.op, e);
    else if (!r)
        kna_fail(&c.op, KN_ERROR_TYPE, "null tree");
    kn_isclose_opts close = kn_isclose_opts_default();
    close.rtol = o.rtol;
    close.atol = o.atol;
    close.equal_nan = o.equal_nan;
    kn_array all = kn_like_bool(true);
    for (int i = 0; !kna_failed(&c.op) && i < t->n && i < u->n; i++)
        all = kn_logical_and(all, kn_all(kn_isclose(t->at[i], u->at[i], &close), NULL));
    return knl_end(&c, all);
}

static kn_array batch_leaf(kn_array x, kn_array y, int i, const void *env)
{
    const kn_shape *first = env;
    kn_shape shape = *first, own = kn_shape_of(x);
    (void)y, (void)i;
    for (int k = 0; k < own.ndim && shape.ndim < KN_MAX_NDIM; k++)
        shape.dim[shape.ndim++] = own.dim[k];
    return kn_broadcast_to(x, &shape);
}

kn_tree kn_optim_tree_batch_shape(kn_tree tree, const kn_shape *shape)
{
    static const char name[] = "optim_tree_batch_shape";
    const kntree_tree *t = kntree_tree_get(name, tree);
    if (t && !shape) {
        knx_report_new(name, KN_ERROR_TYPE, "null shape");
        return NULL;
    }
    for (int i = 0; t && i < t->n; i++)
        if (shape->ndim < 0 || shape->ndim > KN_MAX_NDIM - kn_ndim(t->at[i])) {
            knx_report_new(name, KN_ERROR_VALUE, "a batch shape, and at most %d dimensions with it", KN_MAX_NDIM);
            return NULL;
        }
    return t ? kno_map_trees(name, tree, NULL, batch_leaf, shape) : NULL;
}

/* How a tree of several dtypes has one. */
enum { SAME, PROMOTE, HIGHEST, LOWEST, HANDLERS };
static const char *const handlers[HANDLERS] = {[SAME] = "", "promote", "highest", "lowest"};

static kn_dtype joined_dtype(const char *name, int how, kn_dtype a, kn_dtype b)
{
    kn_dtype both = knx_promote(a, b);
    if (a == b || (how == PROMOTE && both))
        return both;
    if (how != SAME && (both == a || both == b))
        return (both == a) == (how == HIGHEST) ? a : b;
    if (how == SAME)
        knx_report_new(name, KN_ERROR_VALUE, "Expected all leaves to be of one dtype, but found %s and %s", a->name,
                       b->name);
    else
        knx_report_new(name, KN_ERROR_VALUE, "Cannot promote %s to %s or the other way", a->name, b->name);
    return NULL;
}

kn_dtype kn_optim_tree_dtype(kn_tree tree, const char *mixed_dtype_handler)
{
    static const char name[] = "optim_tree_dtype";
    const kntree_tree *t = kntree_tree_get(name, tree);
    int how = 0;
    while (t && mixed_dtype_handler && how < HANDLERS && strcmp(handlers[how], mixed_dtype_handler))
        how++;
    if (how == HANDLERS) {
        knx_report_new(name, KN_ERROR_VALUE,
                       "Invalid value for mixed_dtype_handler='%s', expected 'promote', 'highest' or "
                       "'lowest'",
                       mixed_dtype_handler);
        return NULL;
    }
    kn_dtype d = t && !t->n ? kna_default_float() : NULL;
    for (int i = 0; t && i < t->n; i++) {
        kn_dtype own = kn_dtype_of(t->at[i]);
        d = !own ? NULL : i ? joined_dtype(name, how, d, own) : own;
        if (!d)
            return NULL;
    }
    return d;
}

/* ---- Gradients: what comes back is scaled. */

typedef struct pair {
    kn_array y, dy;
} pair;

static void same_call(const void *env, void *out, const void *const *in)
{
    (void)env;
    *(kn_array *)out = kn_copy(*(const kn_array *)in[0], NULL);
}

/* (x, scale, dx, dscale): x, and dx times scale */
static void same_rule(const void *env, void *out, const void *const *in)
{
    const kn_array *x = in[0], *scale = in[1], *dx = in[2];
    (void)env;
    *(pair *)out = (pair){kn_copy(*x, NULL), kn_multiply(*dx, kn_astype(*scale, kn_dtype_of(*dx), NULL))};
}

static kn_array scaled_leaf(kn_array x, kn_array y, int i, const void *env)
{
    static const kn_function same = {.size_ = sizeof(kn_function),
                                     .name = "scale_gradient",
                                     .call = same_call,
                                     .out_bytes = sizeof(kn_array),
                                     .n_args = 2,
                                     .arg_bytes = {sizeof(kn_array), sizeof(kn_array)}},
                             rule = {
                                 .size_ = sizeof(kn_function),
                                 .name = "scale_gradient_rule",
                                 .call = same_rule,
                                 .out_bytes = sizeof(pair),
                                 .n_args = 4,
                                 .arg_bytes = {sizeof(kn_array), sizeof(kn_array), sizeof(kn_array), sizeof(kn_array)}};
    kn_array scale = (kn_array)(uintptr_t)env, out = NULL;
    (void)y, (void)i;
    kn_fn f = kn_custom_jvp(kn_fn_of(&same, NULL), kn_fn_of(&rule, NULL));
    const kn_args in = {2, {{&x, sizeof x}, {&scale, sizeof scale}}};
    if (!f || kn_call(f, &(const kn_outs){1, {{&out, sizeof out}}}, &in))
        return NULL;
    return out;
}

kn_tree kn_optim_scale_gradient(kn_tree inputs, double scale)
{
    static const char name[] = "optim_scale_gradient";
    if (!kntree_tree_get(name, inputs))
        return NULL;
    kn_scope scope = kn_scope_begin();
    kn_array by = kn_astype(kn_like_double(scale), KN_DT(F64), NULL);
    kn_tree made = kno_map_trees(name, inputs, NULL, scaled_leaf, by);
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}
