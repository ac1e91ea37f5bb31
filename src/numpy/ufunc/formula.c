/* SPDX-License-Identifier: Apache-2.0
 * formula.c -- any ufunc of one result as equations, for methods that apply it again and again. */
#include "function/function.h"
#include "lib/formulas.h"
#include "numpy/ufunc/ufunc.h"
#include <string.h>

/* ---- Those that are no formula of ufunc.c: the public function, recorded. */

static void call_one(const void *env, void *out, const void *const *in)
{
    kn_ufunc f;
    memcpy(&f, env, sizeof f);
    kn_array x[2], y[KNN_MOST_OPERANDS] = {NULL};
    kna_op op;
    kna_begin(&op, "ufunc_at");
    const knn_ufunc *u = knn_ufunc_of(&op, f);
    kna_end_plain(&op);
    for (int i = 0; u && i < u->n_in && i < 2; i++)
        memcpy(&x[i], in[i], sizeof x[i]);
    if (u)
        knn_apply(u, x, y);
    memcpy(out, y, sizeof *y);
}

static const kn_function functions[] = {{.size_ = sizeof(kn_function),
                                         .name = "ufunc",
                                         .call = call_one,
                                         .env_bytes = sizeof(kn_ufunc),
                                         .out_bytes = sizeof(kn_array),
                                         .n_args = 1,
                                         .arg_bytes = {sizeof(kn_array)}},
                                        {.size_ = sizeof(kn_function),
                                         .name = "ufunc",
                                         .call = call_one,
                                         .env_bytes = sizeof(kn_ufunc),
                                         .out_bytes = sizeof(kn_array),
                                         .n_args = 2,
                                         .arg_bytes = {sizeof(kn_array), sizeof(kn_array)}}};

static kni_atom recorded(kna_op *op, kni_builder *b, kn_ufunc f, int n, const kni_atom *x)
{
    kn_scope scope = kn_scope_begin();
    knf_fn *fn = knf_fn_get(op, kn_fn_of(&functions[n - 1], &f));
    kna_closed closed = {0};
    kni_atom y = KN_ATOM_NONE;
    kni_type t[2];
    for (int i = 0; i < n; i++)
        t[i] = knb_type(b, x[i]);
    knx_error *error = fn ? knf_derive(fn->core, t, NULL, "ufunc", &closed) : NULL;
    if (error)
        kna_fail_with(op, error);
    else if (fn && closed.n_const)
        kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "%s uses arrays that are no operands", knl_ufunc_name(f));
    else if (fn)
        knb_inline(b, closed.jaxpr, x, &y);
    kna_closed_free(&closed);
    kn_scope_end(&scope);
    return y;
}

kni_atom knn_formula(kna_op *op, kni_builder *b, kn_ufunc f, int n, const kni_atom *x)
{
    if (kna_failed(op) || b->error)
        return KN_ATOM_NONE;
    const knn_ufunc *u = knn_is_own(f) ? knn_own_of(f) : NULL;
    if (u && knn_own_is_primitive(u))
        return knn_own_formula(op, b, u, x);
    kni_type t = knb_type(b, x[0]), last = knb_type(b, x[n - 1]);
    if (n != 2 || !knl_ufunc_has_formula(f) || t.dtype != last.dtype)
        return recorded(op, b, f, n, x);
    kn_shape shape = {.ndim = t.ndim};
    for (int d = 0; d < t.ndim; d++)
        shape.dim[d] = t.dim[d];
    return knl_ufunc_formula(b, f, x[0], x[1], &shape);
}
