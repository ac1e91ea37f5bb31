/* SPDX-License-Identifier: Apache-2.0
 * second_order.c -- second derivatives of losses of (params, inputs, targets), as optax.second_order: products with the
 * Hessian, its diagonal, and that of Fisher's matrix. */
#include "function/made.h"
#include "kiln/linalg.h"
#include "kiln/optim.h"
#include "optim/compose.h"
#include "tree/tree.h"

/* What a loss is seen with: the same inputs and targets, whatever the parameters are. */
typedef struct data {
    kn_array inputs, targets;
} data;

static int call_loss(kn_fn loss, kn_tree params, const data *d, kn_array *out)
{
    const kn_args at = {3, {{params, 1}, {&d->inputs, sizeof d->inputs}, {&d->targets, sizeof d->targets}}};
    *out = NULL;
    return kn_call(loss, &(const kn_outs){1, {{out, sizeof *out}}}, &at);
}

static void of_params(const void *env, void *out, const void *const *in)
{
    const knf_made *m = env;
    const data *d = (const data *)m->captured;
    call_loss(m->of, *(const kn_tree *)in[0], d, out);
}

/* The gradient by the parameters, as a function of them; NULL after an error. */
static kn_fn gradient(kn_fn loss, const data *d)
{
    static const kn_function at_data = {.size_ = sizeof(kn_function),
                                        .name = "loss",
                                        .call = of_params,
                                        .out_bytes = sizeof(kn_array),
                                        .n_args = 1,
                                        .arg_bytes = {2}};
    kna_op op;
    kna_begin(&op, "grad");
    kn_fn f = knf_make_of(&op, &at_data, NULL, NULL, loss, 2, (const kn_array *)d);
    return f ? kn_grad(f, NULL) : NULL;
}

static kn_tree hessian_times(kn_fn loss, kn_array v, kn_tree params, const data *d)
{
    kn_tree along = kn_tree_unravel(params, v), slope = NULL, product = NULL;
    kn_fn grad = along ? gradient(loss, d) : NULL;
    const kn_args at = {1, {{params, 1}}}, by = {1, {{along, 1}}};
    if (!grad || kn_jvp(grad, &at, &by, &(const kn_outs){1, {{&slope, 2}}}, &(const kn_outs){1, {{&product, 2}}}))
        return NULL;
    return product;
}

kn_tree kn_optim_hvp(kn_fn loss, kn_array v, kn_tree params, kn_array inputs, kn_array targets)
{
    knl_body c;
    if (!kntree_tree_get("optim_hvp", params))
        return NULL;
    knl_begin(&c, "optim_hvp");
    kn_tree made = hessian_times(loss, v, params, &(const data){inputs, targets});
    if (made)
        kn_keep_handle(made);
    return knl_end_plain(&c) ? made : NULL;
}

/* Element by element: a vector of the length of the parameters in, one number out. */
static void diagonal_element(const void *env, void *out, const void *const *in)
{
    const knf_made *m = env;
    const kn_array *unit = in[0];
    kn_tree product = hessian_times(m->of, *unit, *(const kn_tree *)in[1], (const data *)m->captured);
    *(kn_array *)out = product ? kn_vdot(*unit, kn_tree_ravel(product)) : NULL;
}

static kn_array diagonal(kn_fn loss, kn_tree params, const data *d)
{
    static const kn_function element = {.size_ = sizeof(kn_function),
                                        .name = "loss",
                                        .call = diagonal_element,
                                        .out_bytes = sizeof(kn_array),
                                        .n_args = 2,
                                        .arg_bytes = {sizeof(kn_array), 2}};
    kn_array flat = kn_tree_ravel(params), out = NULL;
    kn_eye_opts eye = kn_eye_opts_default();
    int64_t n = kn_shape_of(flat).dim[0];
    eye.dtype = kn_dtype_of(flat);
    if (!eye.dtype || !n)
        return flat;
    kn_array units = kn_eye(n, &eye);
    kna_op op;
    kna_begin(&op, "hessian");
    kn_fn f = knf_make_of(&op, &element, NULL, NULL, loss, 2, (const kn_array *)d);
    kn_fn all = f ? kn_vmap(f, KNL_WITH(kn_vmap_opts, .in_axes = {{2}, {1}})) : NULL; /* axis 0, and none */
    if (!all || kn_call(all, &(const kn_outs){1, {{&out, sizeof out}}},
                        &(const kn_args){2, {{&units, sizeof units}, {params, 1}}}))
        return NULL;
    return out;
}

static kn_array squares(kn_fn loss, kn_tree params, const data *d)
{
    kn_tree slope = NULL;
    kn_fn grad = gradient(loss, d);
    if (!grad || kn_call(grad, &(const kn_outs){1, {{&slope, 2}}}, &(const kn_args){1, {{params, 1}}}))
        return NULL;
    return kn_square(kn_tree_ravel(slope));
}

static kn_array vector_of(const char *name, kn_fn loss, kn_tree params, kn_array inputs, kn_array targets,
                          kn_array (*f)(kn_fn loss, kn_tree params, const data *d))
{
    knl_body c;
    bool tree = kntree_tree_get(name, params) != NULL;
    knl_begin(&c, name);
    if (!tree)
        kna_fail(&c.op, KN_ERROR_TYPE, "params is no tree");
    kn_array y = tree ? f(loss, params, &(const data){inputs, targets}) : NULL;
    return knl_end(&c, y);
}

kn_array kn_optim_hessian_diag(kn_fn loss, kn_tree params, kn_array inputs, kn_array targets)
{
    return vector_of("optim_hessian_diag", loss, params, inputs, targets, diagonal);
}

kn_array kn_optim_fisher_diag(kn_fn negative_log_likelihood, kn_tree params, kn_array inputs, kn_array targets)
{
    return vector_of("optim_fisher_diag", negative_log_likelihood, params, inputs, targets, squares);
}
