/* SPDX-License-Identifier: Apache-2.0
 * trees.c -- arithmetic of trees as optax.tree, made of public functions, leaf by leaf; and numbers that stay in their
 * range. */
#include "base/context.h"
#include "kiln/random.h"
#include "lib/compose.h"
#include "optim/trees.h"
#include <limits.h>
#include <math.h>

/* ---- Leaf by leaf. */

/* The leaves of a tree; NULL: no memory, or no tree, which was told. They belong to the tree. */
static kn_array *leaves_of(const char *name, kntree_tree *t)
{
    kn_array *x = t ? knx_alloc(((size_t)t->n + 1) * sizeof *x) : NULL;
    if (t && !x)
        kntree_tree_failed(name, knx_error_nomem());
    for (int i = 0; x && i < t->n; i++)
        x[i] = t->at[i];
    return x;
}

static bool same_structure(const char *name, kntree_tree *a, kntree_tree *b)
{
    const kntree_structure *s = kntree_structure_in(name, a), *t = s ? kntree_structure_in(name, b) : NULL;
    if (!t)
        return false;
    knx_error *e = a->n == b->n ? NULL : kntree_structure_compare("the first tree", s, t, false);
    if (a->n != b->n && !e)
        e = knx_error_new(KN_ERROR_VALUE, "trees of %d and %d leaves", a->n, b->n);
    if (e)
        kntree_tree_failed(name, e);
    return !e;
}

kn_tree kno_map_trees(const char *name, kn_tree a, kn_tree b, kno_leaf_function f, const void *env)
{
    kntree_tree *t = kntree_tree_get(name, a), *u = b && t ? kntree_tree_get(name, b) : NULL;
    const kntree_structure *s = t ? kntree_structure_in(name, t) : NULL;
    if (!s || (b && (!u || !same_structure(name, t, u))))
        return NULL;
    kn_array *x = leaves_of(name, t), *y = u ? leaves_of(name, u) : NULL;
    kn_tree made = NULL;
    if (x && (!u || y)) {
        knl_body c;
        knl_begin(&c, name);
        bool well = true;
        for (int i = 0; i < t->n && well; i++) {
            x[i] = f(x[i], y ? y[i] : NULL, i, env);
            well = kn_ok(x[i]);
        }
        made = well ? kntree_tree_new(name, kntree_structure_retain((kntree_structure *)(uintptr_t)s), x) : NULL;
        for (int i = 0; i < t->n && !well; i++) /* an array that came with an error, perhaps one that was read */
            well = x[i] && !kn_ok(x[i]) && (kna_in(&c.op, x[i]), true);
        if (made)
            kn_keep_handle(made);
        kn_scope_end(&c.scope);
        if (!kna_end_handle(&c.op))
            made = NULL;
    }
    knx_free(x);
    knx_free(y);
    return made;
}

kn_array kno_fold_trees(const char *name, kn_tree a, kn_tree b, kno_leaf_function f,
                        kn_array (*join)(kn_array, kn_array), double first)
{
    knl_body c;
    kntree_tree *t = kntree_tree_get(name, a), *u = b && t ? kntree_tree_get(name, b) : NULL;
    bool well = t && (!b || (u && same_structure(name, t, u)));
    knl_begin(&c, name);
    if (!well)
        kna_fail(&c.op, KN_ERROR_VALUE, "its trees are wrong");
    kn_array all = NULL;
    for (int i = 0; well && i < t->n; i++) {
        kn_array one = f(t->at[i], u ? u->at[i] : NULL, i, NULL);
        all = all ? join(all, one) : one;
    }
    return knl_end(&c, !well ? NULL : all ? all : kn_like_double(first));
}

/* ---- Arithmetic. */

#define TWO(function, name, expression)                                               \
    static kn_array name##_leaf(kn_array x, kn_array y, int i, const void *env)       \
    {                                                                                 \
        (void)i, (void)env;                                                           \
        return expression;                                                            \
    }                                                                                 \
    kn_tree function(kn_tree tree_x, kn_tree tree_y)                                  \
    {                                                                                 \
        if (!kntree_tree_get("optim_tree_" #name, tree_y))                            \
            return NULL;                                                              \
        return kno_map_trees("optim_tree_" #name, tree_x, tree_y, name##_leaf, NULL); \
    }
TWO(kn_optim_tree_add, add, kn_add(x, y))
TWO(kn_optim_tree_sub, sub, kn_subtract(x, y))
TWO(kn_optim_tree_mul, mul, kn_multiply(x, y))
TWO(kn_optim_tree_div, div, kn_divide(x, y))

#define ONE(function, name, expression)                                         \
    static kn_array name##_leaf(kn_array x, kn_array y, int i, const void *env) \
    {                                                                           \
        (void)y, (void)i, (void)env;                                            \
        return expression;                                                      \
    }                                                                           \
    kn_tree function(kn_tree tree) { return kno_map_trees("optim_tree_" #name, tree, NULL, name##_leaf, NULL); }
ONE(kn_optim_tree_zeros_like, zeros_like, kn_zeros_like(x, NULL))
ONE(kn_optim_tree_ones_like, ones_like, kn_ones_like(x, NULL))
ONE(kn_optim_tree_conj, conj, kn_conjugate(x))
ONE(kn_optim_tree_real, real, kn_real(x))

static kn_array scale_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i;
    return kn_multiply((kn_array)(uintptr_t)env, x);
}

kn_tree kn_optim_tree_scale(kn_array scalar, kn_tree tree)
{
    return kno_map_trees("optim_tree_scale", tree, NULL, scale_leaf, scalar);
}

static kn_array add_scale_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)i;
    return kn_add(x, kn_multiply((kn_array)(uintptr_t)env, y));
}

kn_tree kn_optim_tree_add_scale(kn_tree tree_x, kn_array scalar, kn_tree tree_y)
{
    if (!kntree_tree_get("optim_tree_add_scale", tree_y))
        return NULL;
    return kno_map_trees("optim_tree_add_scale", tree_x, tree_y, add_scale_leaf, scalar);
}

static kn_array full_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i;
    return kn_full_like(x, (kn_array)(uintptr_t)env, NULL);
}

kn_tree kn_optim_tree_full_like(kn_tree tree, kn_array fill_value)
{
    return kno_map_trees("optim_tree_full_like", tree, NULL, full_leaf, fill_value);
}

typedef struct bounds {
    kn_array low, high;
} bounds;

static kn_array clip_leaf(kn_array x, kn_array y, int i, const void *env)
{
    const bounds *b = env;
    (void)y, (void)i;
    return kn_clip(x, b->low, b->high);
}

kn_tree kn_optim_tree_clip(kn_tree tree, kn_array min_value, kn_array max_value)
{
    return kno_map_trees("optim_tree_clip", tree, NULL, clip_leaf, &(bounds){min_value, max_value});
}

static kn_array cast_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i;
    return kn_astype(x, (kn_dtype)(uintptr_t)env, NULL);
}

kn_tree kn_optim_tree_cast(kn_tree tree, kn_dtype dtype)
{
    if (!dtype) {
        knx_report_new("optim_tree_cast", KN_ERROR_TYPE, "null dtype");
        return NULL;
    }
    return kno_map_trees("optim_tree_cast", tree, NULL, cast_leaf, (const void *)dtype);
}

static kn_array cast_like_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)i, (void)env;
    return kn_astype(x, kn_dtype_of(y), NULL);
}

kn_tree kn_optim_tree_cast_like(kn_tree tree, kn_tree other_tree)
{
    if (!kntree_tree_get("optim_tree_cast_like", other_tree))
        return NULL;
    return kno_map_trees("optim_tree_cast_like", tree, other_tree, cast_like_leaf, NULL);
}

static kn_array where_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)i;
    return kn_where((kn_array)(uintptr_t)env, x, y);
}

kn_tree kn_optim_tree_where(kn_array condition, kn_tree tree_x, kn_tree tree_y)
{
    if (!kntree_tree_get("optim_tree_where", tree_y))
        return NULL;
    return kno_map_trees("optim_tree_where", tree_x, tree_y, where_leaf, condition);
}

/* ---- To one number. */

static kn_array vdot_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)i, (void)env;
    return kn_vdot(kn_ravel(x, NULL), kn_ravel(y, NULL));
}

static kn_array added(kn_array x, kn_array y) { return kn_add(x, y); }

kn_array kn_optim_tree_vdot(kn_tree tree_x, kn_tree tree_y)
{
    return kno_fold_trees("optim_tree_vdot", tree_x, tree_y, vdot_leaf, added, 0);
}

static kn_array sum_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return kn_sum(x, NULL);
}

kn_array kn_optim_tree_sum(kn_tree tree) { return kno_fold_trees("optim_tree_sum", tree, NULL, sum_leaf, added, 0); }

static kn_array extreme_leaf(kn_array x, bool most)
{
    if (!kn_size(x))
        return kn_like_double(most ? -INFINITY : INFINITY);
    return most ? kn_max(x, NULL) : kn_min(x, NULL);
}

static kn_array max_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return extreme_leaf(x, true);
}

static kn_array min_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return extreme_leaf(x, false);
}

kn_array kn_optim_tree_max(kn_tree tree)
{
    return kno_fold_trees("optim_tree_max", tree, NULL, max_leaf, kn_maximum, -INFINITY);
}

kn_array kn_optim_tree_min(kn_tree tree)
{
    return kno_fold_trees("optim_tree_min", tree, NULL, min_leaf, kn_minimum, INFINITY);
}

int64_t kn_optim_tree_size(kn_tree tree)
{
    const kntree_tree *t = kntree_tree_get("optim_tree_size", tree);
    int64_t n = 0;
    for (int i = 0; t && i < t->n && n >= 0; i++) {
        int64_t one = kn_size(t->at[i]);
        n = one < 0 ? -1 : n + one;
    }
    return t ? n : -1;
}

/* ---- Moments. */

typedef struct moment {
    double decay, eps;
    int order;
    bool norm;
} moment;

static kn_array power_of(kn_array g, const moment *m)
{
    if (m->norm && m->order % 2 == 0 && kn_iscomplexobj(g))
        return kn_power(kn_real(kn_multiply(g, kn_conjugate(g))), kn_like_int(m->order / 2));
    return m->order == 1 ? g : kn_power(m->norm && kn_iscomplexobj(g) ? kn_absolute(g) : g, kn_like_int(m->order));
}

static kn_array moment_leaf(kn_array g, kn_array t, int i, const void *env)
{
    const moment *m = env;
    (void)i;
    kn_array new = kn_multiply(kn_like_double(1 - m->decay), power_of(g, m));
    return kn_add(new, kn_multiply(kn_like_double(m->decay), t));
}

static kn_tree update_moment(const char *name, kn_tree updates, kn_tree moments, const moment *m)
{
    if (m->order < 0) {
        knx_report_new(name, KN_ERROR_VALUE, "order must be at least 0, but is %d", m->order);
        return NULL;
    }
    return kntree_tree_get(name, moments) ? kno_map_trees(name, updates, moments, moment_leaf, m) : NULL;
}

kn_tree kn_optim_tree_update_moment(kn_tree updates, kn_tree moments, double decay, int order)
{
    return update_moment("optim_tree_update_moment", updates, moments, &(moment){decay, 0, order, false});
}

kn_tree kn_optim_tree_update_moment_per_elem_norm(kn_tree updates, kn_tree moments, double decay, int order)
{
    return update_moment("optim_tree_update_moment_per_elem_norm", updates, moments, &(moment){decay, 0, order, true});
}

static kn_array infinity_leaf(kn_array g, kn_array t, int i, const void *env)
{
    const moment *m = env;
    (void)i;
    kn_array size = kn_add(kn_absolute(g), kn_like_double(m->eps));
    return kn_maximum(size, kn_multiply(kn_like_double(m->decay), t));
}

kn_tree kn_optim_tree_update_infinity_moment(kn_tree updates, kn_tree moments, double decay, double eps)
{
    static const char name[] = "optim_tree_update_infinity_moment";
    if (!kntree_tree_get(name, moments))
        return NULL;
    return kno_map_trees(name, updates, moments, infinity_leaf, &(moment){decay, eps, 0, false});
}

typedef struct correction {
    double decay;
    kn_array count;
} correction;

static kn_array corrected_leaf(kn_array t, kn_array y, int i, const void *env)
{
    const correction *c = env;
    (void)y, (void)i;
    kn_array power = kn_power(kn_astype(kn_like_double(c->decay), KN_DT(F64), NULL), c->count);
    kn_array by = kn_subtract(kn_like_double(1), power);
    return kn_divide(t, kn_astype(by, kn_dtype_of(t), NULL));
}

kn_tree kn_optim_tree_bias_correction(kn_tree m, double decay, kn_array count)
{
    return kno_map_trees("optim_tree_bias_correction", m, NULL, corrected_leaf, &(correction){decay, count});
}

/* ---- Random trees. */

static kn_array key_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)x, (void)y;
    return knl_part("optim_tree_split_key_like", (kn_array)(uintptr_t)env, 0, i, i + 1);
}

static kn_array one_key(kn_array keys)
{
    kn_squeeze_opts o = kn_squeeze_opts_default();
    o.axis = knl_one_axis(0);
    return kn_squeeze(keys, &o);
}

static kn_array split_leaf(kn_array x, kn_array y, int i, const void *env) { return one_key(key_leaf(x, y, i, env)); }

static kn_array normal_leaf(kn_array x, kn_array y, int i, const void *env)
{
    kn_shape shape = kn_shape_of(x);
    kn_random_normal_opts o = kn_random_normal_opts_default();
    o.dtype = kn_dtype_of(x);
    return kn_random_normal(split_leaf(x, y, i, env), &shape, &o);
}

static kn_tree random_tree(const char *name, kn_array key, kn_tree like, kno_leaf_function f)
{
    const kntree_tree *t = kntree_tree_get(name, like);
    if (!t)
        return NULL;
    kn_scope scope = kn_scope_begin();
    kn_random_split_opts o = kn_random_split_opts_default();
    o.num = t->n;
    kn_tree made = kno_map_trees(name, like, NULL, f, kn_random_split(key, &o));
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}

kn_tree kn_optim_tree_split_key_like(kn_array rng_key, kn_tree target_tree)
{
    return random_tree("optim_tree_split_key_like", rng_key, target_tree, split_leaf);
}

kn_tree kn_optim_tree_random_like(kn_array rng_key, kn_tree target_tree)
{
    return random_tree("optim_tree_random_like", rng_key, target_tree, normal_leaf);
}
