/* SPDX-License-Identifier: Apache-2.0
 * numerics.c -- optax's numbers that stay in their range, least squares without negative numbers, the Hessian's
 * diagonal, and the parameters that schedule_free is for. */
#include "base/context.h"
#include "kiln/control.h"
#include "kiln/linalg.h"
#include "kiln/random.h"
#include "optim/compose.h"
#include "optim/optimizer.h"
#include "optim/trees.h"
#include <math.h>

kn_array kn_optim_safe_increment(kn_array count)
{
    kna_op op;
    kna_begin(&op, "optim_safe_increment");
    kni_atom x = kna_in(&op, count), y = KN_ATOM_NONE;
    if (!kna_failed(&op)) {
        kni_builder *b = op.b;
        kn_dtype d = knb_type(b, x).dtype;
        if (knx_is_integer(d) || knx_is_float(d)) {
            kni_atom next = knb_add(b, x, knb_like(b, x, 1)); /* behind the largest integer comes the least */
            y = knb_select(b, knb_gt(b, next, x), next, x);
        } else {
            kna_fail(&op, KN_ERROR_TYPE, "Cannot safely increment count with dtype %s", d->name);
        }
    }
    return kna_end(&op, y);
}

static kn_array floats_in(knl_body *c, kn_array x)
{
    kni_type t = kna_type(&c->op, x);
    if (!kna_failed(&c->op) && !knx_is_inexact(t.dtype))
        return kn_astype(x, kna_default_float(), NULL);
    return x;
}

static kn_array norm_of(kn_array x)
{
    kn_array size = kn_absolute(x);
    return kn_sqrt(kn_sum(kn_square(size), NULL));
}

static kn_array mean_square(kn_array x) { return kn_sqrt(kn_mean(kn_square(kn_absolute(x)), NULL)); }

static kn_array safe(const char *name, kn_array x, double least, kn_array (*f)(kn_array))
{
    knl_body c;
    knl_begin(&c, name);
    x = floats_in(&c, x);
    kn_array low = kn_less_equal(f(x), kno_num(least));
    kn_array inside = kn_where(low, kno_num(1), x);
    return knl_end(&c, kn_where(low, kno_num(least), f(inside)));
}

kn_array kn_optim_safe_norm(kn_array x, double min_norm) { return safe("optim_safe_norm", x, min_norm, norm_of); }

kn_array kn_optim_safe_root_mean_squares(kn_array x, double min_rms)
{
    return safe("optim_safe_root_mean_squares", x, min_rms, mean_square);
}

/* ---- Least squares without negative numbers: Nesterov's steps on the half line. */

typedef struct problem {
    kn_array Q, q, bound;
} problem;
typedef struct progress {
    kn_array x, p, weight;
} progress;

static void nnls_step(const void *captured, void *out, const void *const *in)
{
    const problem *g = captured;
    const progress *a = in[1];
    kn_array root = kn_sqrt(kn_add(kno_num(1), kn_multiply(kno_num(4), kn_square(a->weight))));
    kn_array weight = kn_divide(kn_add(kno_num(1), root), kno_num(2));
    kn_array by = kn_divide(kn_subtract(a->weight, kno_num(1)), weight);
    kn_array slope = kn_divide(kn_subtract(kn_matmul(g->Q, a->p), g->q), g->bound);
    kn_array x = kn_maximum(kn_subtract(a->p, slope), kno_num(0));
    *(progress *)out = (progress){x, kn_add(x, kn_multiply(by, kn_subtract(x, a->x))), weight};
}

kn_array kn_optim_nnls(kn_array A, kn_array b, int iters)
{
    knl_body c;
    knl_begin(&c, "optim_nnls");
    kni_type a = kna_type(&c.op, A), t = kna_type(&c.op, b);
    if (!kna_failed(&c.op) && (a.ndim != 2 || t.ndim < 1 || t.ndim > 2 || t.dim[0] != a.dim[0]))
        kna_fail(&c.op, KN_ERROR_VALUE, "A is a matrix, and b a vector or a matrix with as many rows");
    if (!kna_failed(&c.op) && iters < 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "iters must be at least 0, but is %d", iters);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    A = floats_in(&c, A);
    kn_array Q = kn_matmul(kn_transpose(A, NULL), A), q = kn_matmul(kn_transpose(A, NULL), b);
    kn_sum_opts columns = kn_sum_opts_default();
    columns.axis = knl_one_axis(0);
    kn_array bound = kn_minimum(norm_of(Q), kn_max(kn_sum(kn_absolute(Q), &columns), NULL));
    bound = kn_where(kn_equal(bound, kno_num(0)), kno_num(1), bound);
    static const kn_function once = {.size_ = sizeof(kn_function),
                                     .name = "nnls_step",
                                     .call = nnls_step,
                                     .captured_bytes = sizeof(problem),
                                     .out_bytes = sizeof(progress),
                                     .n_args = 2,
                                     .arg_bytes = {sizeof(kn_array), sizeof(progress)}};
    problem given = {Q, q, bound};
    kn_array x = kn_zeros_like(q, NULL);
    progress start = {x, kn_add(x, kno_num(0)), kn_astype(kno_num(0), kn_dtype_of(bound), NULL)},
             end = {NULL, NULL, NULL};
    kn_fori_loop(kn_like_int(0), kn_like_int(iters), kn_fn_of(&once, &given), &(const kn_outs){1, {{&end, sizeof end}}},
                 &(const kn_args){1, {{&start, sizeof start}}}, NULL);
    x = end.x;
    return knl_end(&c, x);
}

/* ---- The Hessian's diagonal. */

static kn_array signs_leaf(kn_array x, kn_array key, int i, const void *env)
{
    kn_shape shape = kn_shape_of(x);
    kn_random_dtype_opts o = kn_random_dtype_opts_default();
    (void)i, (void)env;
    o.dtype = KN_DT(F32);
    return kn_astype(kn_random_rademacher(key, &shape, &o), kn_dtype_of(x), NULL);
}

kn_tree kn_optim_hutchinson_estimator_diag_hessian(kn_fn loss, kn_tree params, kn_array key)
{
    static const char name[] = "optim_hutchinson_estimator_diag_hessian";
    knl_body c;
    if (!kntree_tree_get(name, params))
        return NULL;
    knl_begin(&c, name);
    kn_tree keys = kn_optim_tree_split_key_like(key, params), made = NULL, slope = NULL, product = NULL;
    kn_tree signs = keys ? kno_map_trees(name, params, keys, signs_leaf, NULL) : NULL;
    kn_fn grad = signs ? kn_grad(loss, NULL) : NULL;
    const kn_args at = {1, {{params, 1}}}, along = {1, {{signs, 1}}};
    const kn_outs first = {1, {{&slope, 2}}}, second = {1, {{&product, 2}}};
    if (grad && !kn_jvp(grad, &at, &along, &first, &second))
        made = kn_optim_tree_mul(product, signs);
    if (made)
        kn_keep_handle(made);
    return knl_end_plain(&c) ? made : NULL;
}

/* ---- schedule_free. */

static kn_array mean_leaf(kn_array y, kn_array z, int i, const void *env)
{
    kn_array b1 = (kn_array)(uintptr_t)env, rest = kn_multiply(kn_subtract(kno_num(1), b1), z);
    (void)i;
    return kn_astype(kn_divide(kn_subtract(y, rest), b1), kn_dtype_of(y), NULL);
}

kn_tree kn_optim_schedule_free_eval_params(kn_tree state, kn_tree params)
{
    static const char name[] = "optim_schedule_free_eval_params";
    if (!kntree_tree_get(name, state) || !kntree_tree_get(name, params))
        return NULL;
    if (!kn_tree_has(state, "b1") || !kn_tree_has(state, "z")) {
        knx_report_new(name, KN_ERROR_KEY, "schedule_free_eval_params requires a ScheduleFreeState as input.");
        return NULL;
    }
    kn_scope scope = kn_scope_begin();
    kn_tree made = kno_map_trees(name, params, kn_tree_sub(state, "z"), mean_leaf, kn_tree_at(state, "b1"));
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}
