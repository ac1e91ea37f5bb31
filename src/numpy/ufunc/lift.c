/* SPDX-License-Identifier: Apache-2.0
 * lift.c -- functions of the user's in Kiln's calls: those of core arrays are mapped over the loop axes, derivatives
 * get the shapes of what they belong to. */
#include "kiln/function.h"
#include "numpy/ufunc/own.h"
#include <string.h>

/* What the user is told: his env, and what he defined for. */
static kn_primitive_call told(const kn_primitive_call *c, const kn_aval *in)
{
    kn_primitive_call call = *c;
    call.env = ((const knn_own *)c->env)->o.env;
    call.in = in ? in : c->in;
    return call;
}

int knn_lift_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    kn_primitive_call call = told(c, NULL);
    return ((const knn_own *)c->env)->o.expression(&call, x, y);
}

/* ---- Core arrays. */

typedef struct core_env {
    const knn_own *own;
    kn_primitive primitive;
} core_env;

static void call_core(const void *env, void *out, const void *const *in)
{
    core_env e;
    memcpy(&e, env, sizeof e);
    kn_array x[KNN_MOST_OPERANDS], y[KNN_MOST_OPERANDS] = {NULL};
    kn_aval avals[KNN_MOST_OPERANDS];
    for (int i = 0; i < e.own->u.n_in; i++) {
        memcpy(&x[i], in[i], sizeof x[i]);
        avals[i] = (kn_aval){kn_dtype_of(x[i]), kn_shape_of(x[i])};
    }
    kn_primitive_call call = {.size_ = sizeof call,
                              .primitive = e.primitive,
                              .env = e.own->o.env,
                              .n_in = e.own->u.n_in,
                              .n_out = e.own->u.n_out,
                              .in = avals};
    int status = e.own->o.compute(&call, x, y);
    kna_op op;
    kna_begin(&op, e.own->u.name);
    if (status)
        kna_fail(&op, KN_ERROR_RUNTIME, "the compute function of the ufunc returned %d", status);
    for (int k = 0; k < e.own->u.n_out && !kna_failed(&op); k++)
        if (!y[k])
            kna_fail(&op, KN_ERROR_TYPE, "the compute function of the ufunc gives no result %d", k);
    if (kna_failed(&op)) {
        kn_array bad = kna_end(&op, KN_ATOM_NONE);
        for (int k = 0; k < e.own->u.n_out; k++)
            y[k] = bad;
    } else
        kna_end_plain(&op);
    memcpy(out, y, (size_t)e.own->u.n_out * sizeof *y);
}

void knn_lift_describe(knn_own *o)
{
    o->core = (kn_function){.size_ = sizeof o->core,
                            .name = o->u.name,
                            .call = call_core,
                            .env_bytes = sizeof(core_env),
                            .out_bytes = (size_t)o->u.n_out * sizeof(kn_array),
                            .n_args = o->u.n_in};
    for (int i = 0; i < o->u.n_in; i++)
        o->core.arg_bytes[i] = sizeof(kn_array);
}

/* x without its loop axes of extent 1, which are not mapped over. */
static kn_array without_ones(kn_array x, const kn_shape *shape, int loops)
{
    kn_shape rest = {.ndim = 0};
    for (int d = 0; d < shape->ndim; d++)
        if (d >= loops || shape->dim[d] != 1)
            rest.dim[rest.ndim++] = shape->dim[d];
    return rest.ndim == shape->ndim ? x : kn_reshape(x, &rest, NULL);
}

/* Operands have as many loop axes, of extent 1 where they do not have the axis. */
int knn_lift_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    const knn_own *o = c->env;
    kni_type in[KNN_MOST_OPERANDS] = {0};
    int64_t dim[KNN_MOST_OPERANDS][KN_MAX_NDIM]; /* a type lives as long as its operation */
    knn_core core = {0};
    kna_op op;
    kna_begin(&op, o->u.name);
    for (int i = 0; i < c->n_in; i++) {
        kni_type t = kna_type(&op, x[i]);
        for (int d = 0; d < t.ndim; d++)
            dim[i][d] = t.dim[d];
        in[i] = kni_type_of(t.dtype, t.ndim, dim[i]);
    }
    if (!kna_failed(&op))
        knn_core_fit(&op, &o->u, in, &core);
    if (!kna_end_plain(&op))
        return -1;
    core_env e = {o, c->primitive};
    kn_fn fn = kn_fn_of(&o->core, &e);
    kn_args args = {.n = c->n_in};
    kn_outs outs = {1, {{y, (size_t)c->n_out * sizeof *y}}};
    kn_array z[KNN_MOST_OPERANDS];
    for (int d = core.loop.ndim; d-- > 0;) {
        kn_vmap_opts v = {.size_ = sizeof v};
        bool any = false;
        for (int i = 0; i < c->n_in; i++) {
            bool has = in[i].dim[d] != 1;
            v.in_axes[i].code = has ? 2 : 1; /* axis 0, or none */
            any = any || has;
        }
        fn = any ? kn_vmap(fn, &v) : fn;
    }
    for (int i = 0; i < c->n_in; i++) {
        kn_shape shape = kn_shape_of(x[i]);
        z[i] = without_ones(x[i], &shape, core.loop.ndim);
        args.part[i] = (kn_const_part){&z[i], sizeof z[i]};
    }
    if (kn_call(fn, &outs, &args))
        return -1;
    for (int k = 0; k < c->n_out; k++) {
        kn_shape own = kn_shape_of(y[k]), shape = core.loop;
        int n = core.s.core[c->n_in + k].n;
        for (int i = own.ndim - n; i >= 0 && i < own.ndim && shape.ndim < KN_MAX_NDIM; i++)
            shape.dim[shape.ndim++] = own.dim[i];
        if (own.ndim >= 0 && shape.ndim != own.ndim)
            y[k] = kn_reshape(y[k], &shape, NULL);
    }
    return 0;
}

/* ---- Derivatives. */

/* x spread over the shape, or summed up to it, where one of them has extent 1. */
static kn_array fit_to(kn_array x, const kn_shape *shape)
{
    kn_shape own = kn_shape_of(x);
    kn_sum_opts o = kn_sum_opts_default();
    int n = 0;
    bool same = own.ndim == shape->ndim;
    for (int d = 0; d < shape->ndim && same; d++)
        if (shape->dim[d] == 1 && own.dim[d] != 1)
            o.axis.axis[n++] = d;
    o.axis.n = n + 1;
    o.keepdims = true;
    if (same && n)
        x = kn_sum(x, &o);
    return kn_broadcast_to(x, shape);
}

int knn_lift_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t, kn_array *ty)
{
    kn_primitive_call call = told(c, NULL);
    int status = ((const knn_own *)c->env)->o.jvp(&call, x, y, i, t, ty);
    for (int k = 0; !status && k < c->n_out; k++) {
        kn_shape shape = kn_shape_of(y[k]);
        if (ty[k])
            ty[k] = kn_broadcast_to(ty[k], &shape);
    }
    return status;
}

int knn_lift_transpose(const kn_primitive_call *c, const kn_array *x, int i, const kn_array *ct, kn_array *ct_x)
{
    kn_primitive_call call = told(c, NULL);
    int status = ((const knn_own *)c->env)->o.transpose(&call, x, i, ct, ct_x);
    if (!status && *ct_x)
        *ct_x = fit_to(*ct_x, &c->in[i].shape);
    return status;
}
