/* SPDX-License-Identifier: Apache-2.0
 * call.c -- calls of ufuncs with their options. What is computed is the public function of that name, of operands in
 * the dtypes of the loop; results go to where the caller wants them. */
#include "array/element.h"
#include "array/layout.h"
#include "kiln/memory.h"
#include "numpy/ufunc/core.h"
#include <string.h>

typedef struct request {
    knl_body c;
    const knn_ufunc *u;
    kn_ufunc_call_opts o;
    knx_casting casting;
    char order; /* C, F, K */
    kn_array x[KNN_MOST_OPERANDS], y[KNN_MOST_OPERANDS];
    kn_array out[KNN_MOST_OPERANDS]; /* NULL: one is made */
    bool has_out, fits;
    knn_core core; /* of generalized ufuncs */
} request;

void knn_apply(const knn_ufunc *u, const kn_array *x, kn_array *y)
{
    if (u->own)
        knn_own_apply(u, x, y);
    else
        u->call(x, y);
}

/* ---- What the caller gives. */

static bool read_operands(kna_op *op, const knn_ufunc *u, kn_operands in, kn_array *x)
{
    if (kna_failed(op) || !kna_given_list(op, in.n, in.v, KNN_MOST_OPERANDS, "in"))
        return false;
    if (in.n != u->n_in)
        kna_fail(op, KN_ERROR_TYPE, "%s() takes from %d to %d positional arguments but %d %s given", u->name, u->n_in,
                 u->n_in + u->n_out, in.n, in.n == 1 ? "was" : "were");
    else
        memcpy(x, in.v, (size_t)in.n * sizeof *x);
    return !kna_failed(op);
}

static void read_out(request *r)
{
    kna_op *op = &r->c.op;
    memset(r->out, 0, sizeof r->out);
    if (r->o.outs.n || r->o.outs.v) {
        if (!kna_given_list(op, r->o.outs.n, r->o.outs.v, KNN_MOST_OPERANDS, "outs"))
            return;
        if (r->o.outs.n != r->u->n_out)
            kna_fail(op, KN_ERROR_VALUE, "The 'out' tuple must have exactly one entry per ufunc output");
        else
            memcpy(r->out, r->o.outs.v, (size_t)r->u->n_out * sizeof *r->out);
    }
    if (r->o.out && r->u->n_out != 1)
        kna_fail(op, KN_ERROR_TYPE, "'out' must be a tuple of arrays");
    else if (r->o.out)
        r->out[0] = r->o.out;
    for (int k = 0; k < r->u->n_out && !kna_failed(op); k++) {
        r->has_out = r->has_out || r->out[k];
        if (r->out[k] && kna_type(op, r->out[k]).weak)
            kna_fail(op, KN_ERROR_TYPE, "return arrays must be of ArrayType");
    }
}

static void read_where(request *r)
{
    kna_op *op = &r->c.op;
    kni_type t = r->o.where ? kna_type(op, r->o.where) : kni_scalar_type(KN_DT(BOOL));
    if (t.weak && t.dtype->kind == KN_KIND_BOOL && !kna_failed(op)) {
        const bool *all = kna_look(op, r->o.where, &t);
        if (all && *all) /* True is not given */
            r->o.where = NULL;
    }
    if (!kna_failed(op) && t.dtype->kind != KN_KIND_BOOL)
        kna_fail(op, KN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'",
                 kna_strong_dtype(t)->name);
}

/* 'A' is F if all operands lie so, and one of them not in C's order, too. */
static void read_order(request *r)
{
    kna_op *op = &r->c.op;
    bool all = true, some = false;
    r->order = r->o.order ? knl_order(op, r->o.order) : 'K';
    if (r->order != 'A')
        return;
    for (int i = 0; i < r->u->n_in && !kna_failed(op); i++) {
        bool scalar = !kna_type(op, r->x[i]).ndim;
        kn_flags f = scalar || kna_failed(op) ? (kn_flags){0} : kn_flags_of(r->x[i]);
        all = all && (scalar || f.f_contiguous);
        some = some || f.f_contiguous;
    }
    r->order = all && some ? 'F' : 'C';
}

/* Options that only the other kind of ufunc has. */
static void refuse(request *r)
{
    bool core = r->u->signature != NULL;
    const char *name = core                         ? r->o.where ? "where" : NULL
                       : r->o.axis.n                ? "axis"
                       : r->o.axes.n || r->o.axes.v ? "axes"
                       : r->o.keepdims              ? "keepdims"
                                                    : NULL;
    if (name)
        kna_fail(&r->c.op, KN_ERROR_TYPE, "%s() got an unexpected keyword argument '%s'", r->u->name, name);
}

/* ---- Operands in the dtypes of a loop. */

/* A C number stays one where it makes no difference: so powers of small numbers are what they are everywhere. */
static bool may_stay(const request *r, const kni_type *in, const kn_dtype *loop, int i)
{
    bool beside = false;
    for (int k = 0; k < r->u->n_in; k++) {
        beside = beside || (k != i && !in[k].weak);
        if (loop[k] != loop[i])
            return false;
    }
    return beside && in[i].weak && in[i].dtype->kind != KN_KIND_BOOL &&
           knx_promote_weak(loop[i], in[i].dtype->kind == KN_KIND_UINT ? 'i' : in[i].dtype->kind, NULL) == loop[i];
}

/* Has everything the shape of `out`, or none? Then shapes cannot be wrong, and dtypes are spoken of in the end. */
static bool fits_plainly(request *r)
{
    kna_op *op = &r->c.op;
    kni_type to = r->out[0] && r->u->n_out == 1 && !r->u->signature ? kna_type(op, r->out[0]) : (kni_type){0};
    bool fits = to.dtype != NULL && (!r->o.where || kni_type_same_shape(kna_type(op, r->o.where), to));
    for (int i = 0; i < r->u->n_in && fits; i++) {
        kni_type t = kna_type(op, r->x[i]);
        fits = !t.ndim || kni_type_same_shape(t, to);
    }
    return fits && !kna_failed(op);
}

static void choose_loop(request *r)
{
    kna_op *op = &r->c.op;
    kni_type in[KNN_MOST_OPERANDS] = {0};
    kn_dtype fixed[KNN_MOST_OPERANDS] = {NULL}, loop[KNN_MOST_OPERANDS] = {NULL};
    bool asked = knn_read_signature(op, r->u, r->o.signature, r->o.dtype, fixed);
    for (int i = 0; i < r->u->n_in; i++)
        in[i] = kna_type(op, r->x[i]);
    bool converts = asked || r->casting < KN_CAST_SAFE;
    if (kna_failed(op) || (!converts && (!r->has_out || r->fits)) ||
        !knn_resolve(op, r->u, in, asked ? fixed : NULL, r->casting, loop))
        return;
    for (int k = 0; k < r->u->n_out && *r->u->loops; k++) /* dtypes are spoken of before shapes */
        if (r->out[k])
            knn_check_cast(op, r->u, r->u->n_in + k, kni_scalar_type(loop[r->u->n_in + k]),
                           kna_type(op, r->out[k]).dtype, r->casting);
    if (!converts)
        return;
    for (int i = 0; i < r->u->n_in && !kna_failed(op); i++)
        if ((in[i].weak || in[i].dtype != loop[i]) && !may_stay(r, in, loop, i))
            r->x[i] = knl_in_order(r->u->name, r->x[i], loop[i], 'K', false);
}

/* ---- Results. */

/* The shape of everything together; that of `out` has to be it. */
static void check_shapes(request *r)
{
    kna_op *op = &r->c.op;
    kn_array all[2 * KNN_MOST_OPERANDS + 1];
    kn_shape shape;
    int n = 0;
    for (int i = 0; i < r->u->n_in; i++)
        all[n++] = r->x[i];
    for (int k = 0; k < r->u->n_out; k++)
        all[n++] = r->out[k];
    all[n++] = r->o.where;
    kna_common_shape(op, n, all, &shape);
    for (int k = 0; k < r->u->n_out && !kna_failed(op); k++) {
        kni_type t = r->out[k] ? kna_type(op, r->out[k]) : kni_scalar_type(KN_DT(BOOL));
        bool same = !r->out[k] || t.ndim == shape.ndim;
        for (int d = 0; same && r->out[k] && d < t.ndim; d++)
            same = knx_dim_eq(t.dim[d], shape.dim[d]);
        knx_text from = {0}, to = {0};
        if (!same)
            kna_fail(op, KN_ERROR_VALUE,
                     "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
                     knx_show_shape(&from, t.ndim, t.dim), knx_show_shape(&to, shape.ndim, shape.dim));
    }
}

/* y over the elements of out, where the mask has them: computed as values are, so it may be what y is made of. */
static void write_out(request *r, kn_array out, kn_array y)
{
    kna_op op;
    kna_begin(&op, r->u->name);
    kni_atom a = kna_in(&op, out);
    kn_shape shape = knl_shape_of(&op, a);
    if (!kna_failed(&op)) {
        kn_dtype d = knb_type(op.b, a).dtype;
        kni_atom v = knb_broadcast_to(op.b, kna_in_as(&op, y, d), knl_shaped(d, &shape));
        if (r->o.where)
            v = knl_select(&op, knl_spread(&op, kna_in(&op, r->o.where), &shape), v, a, &shape);
        if (!kna_failed(&op))
            kna_put(&op, out, a, a, v);
    }
    if (kna_failed(&op))
        (void)kna_type(&r->c.op, kna_end(&op, KN_ATOM_NONE));
    else
        kna_end_plain(&op);
}

static kn_array made(request *r, kn_array y)
{
    if (kna_failed(&r->c.op))
        return NULL;
    if (r->o.where) {
        kn_dtype d = kna_type(&r->c.op, y).dtype;
        y = (kn_where)(r->o.where, y, d->kind == KN_KIND_BOOL ? kn_like_bool(false) : kn_like_int(0));
    }
    return r->order == 'K' ? y : knl_in_order(r->u->name, y, NULL, r->order, false);
}

static void run(request *r)
{
    kna_op *op = &r->c.op;
    r->casting = knl_casting(op, r->o.casting, KN_CAST_SAME_KIND, KN_CAST_UNSAFE);
    refuse(r);
    read_order(r);
    read_out(r);
    read_where(r);
    r->fits = r->has_out && !kna_failed(op) && fits_plainly(r);
    choose_loop(r);
    if (!r->u->signature && ((r->has_out && !r->fits) || (r->o.where && !r->has_out)) && !kna_failed(op))
        check_shapes(r);
    if (r->u->signature && !kna_failed(op))
        knn_core_begin(op, r->u, &r->o, r->x, &r->core);
    if (kna_failed(op))
        return;
    knn_apply(r->u, r->x, r->y);
    if (r->u->signature)
        knn_core_end(op, r->u, &r->core, r->y, r->out);
    for (int k = 0; k < r->u->n_out && !kna_failed(op); k++) {
        kni_type t = kna_type(op, r->y[k]);
        if (r->out[k] && !kna_failed(op))
            knn_check_cast(op, r->u, r->u->n_in + k, kni_scalar_type(kna_strong_dtype(t)),
                           kna_type(op, r->out[k]).dtype, r->casting);
    }
    for (int k = 0; k < r->u->n_out && !kna_failed(op); k++) {
        if (r->out[k])
            write_out(r, r->out[k], r->y[k]);
        else
            r->y[k] = made(r, r->y[k]);
    }
}

/* Reads what every call has to have; NULL: the operation failed, and has ended. */
static const knn_ufunc *begin(const char *name, kn_ufunc f, kn_operands in, kn_array *x, kn_array *failed)
{
    kna_op op;
    kna_begin(&op, name);
    const knn_ufunc *u = knn_ufunc_of(&op, f);
    if (u && read_operands(&op, u, in, x)) {
        kna_end_plain(&op);
        return u;
    }
    *failed = kna_end(&op, KN_ATOM_NONE);
    return NULL;
}

/* out[k] are as many as u has results. Handles of the caller's are not made here. */
static bool call_with(const knn_ufunc *u, const kn_array *x, const kn_ufunc_call_opts *opts, kn_array *y)
{
    request r = {.u = u, .o = kn_ufunc_call_opts_default()};
    knx_read_options(&r.o, sizeof r.o, opts);
    memcpy(r.x, x, (size_t)u->n_in * sizeof *x);
    knl_begin(&r.c, u->name);
    run(&r);
    bool ok = !kna_failed(&r.c.op);
    int n = 0, at[KNN_MOST_OPERANDS];
    kn_array own[KNN_MOST_OPERANDS];
    for (int k = 0; k < u->n_out; k++) {
        y[k] = ok ? r.out[k] : NULL;
        if (!y[k]) {
            own[n] = ok ? r.y[k] : NULL;
            at[n++] = k;
        }
    }
    knl_end_n(&r.c, n, own);
    for (int i = 0; i < n; i++)
        y[at[i]] = own[i];
    return ok;
}

kn_array kn_ufunc_call(kn_ufunc ufunc, kn_operands in, const kn_ufunc_call_opts *opts)
{
    const knn_ufunc *u = opts ? NULL : knn_ufunc_plain(ufunc);
    kn_array z[2] = {NULL};
    if (u && in.v && in.n == u->n_in) { /* the function of that name */
        u->call(in.v, z);
        return z[0];
    }
    kn_array x[KNN_MOST_OPERANDS], y[KNN_MOST_OPERANDS] = {NULL};
    u = begin("ufunc_call", ufunc, in, x, y);
    if (u && !opts && (!u->signature || !u->own))
        knn_apply(u, x, y);
    else if (u)
        call_with(u, x, opts, y);
    return y[0];
}

kn_list kn_ufunc_call_all(kn_ufunc ufunc, kn_operands in, const kn_ufunc_call_opts *opts)
{
    kn_array x[KNN_MOST_OPERANDS], y[KNN_MOST_OPERANDS] = {NULL};
    kn_scope scope = kn_scope_begin();
    const knn_ufunc *u = begin("ufunc_call_all", ufunc, in, x, y);
    if (u)
        call_with(u, x, opts, y);
    kn_list list = kn_list_from(y, u ? u->n_out : 0);
    if (list)
        kn_keep_handle(list);
    kn_scope_end(&scope);
    return list;
}

kn_array kn_ufunc_outer(kn_ufunc ufunc, kn_array x, kn_array y, const kn_ufunc_call_opts *opts)
{
    knl_body c;
    knl_begin(&c, "ufunc_outer");
    const knn_ufunc *u = knn_ufunc_of(&c.op, ufunc);
    kni_type s = kna_type(&c.op, x), t = kna_type(&c.op, y);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (u->signature)
        kna_fail(&c.op, KN_ERROR_TYPE, "method outer is not allowed in ufunc with non-trivial signature");
    else if (u->n_in != 2)
        kna_fail(&c.op, KN_ERROR_VALUE, "outer product only supported for binary functions");
    if (kna_failed(&c.op) || knl_too_many_axes(&c.op, s.ndim + t.ndim))
        return knl_end(&c, NULL);
    if (s.ndim && t.ndim) {
        kn_shape wide = {.ndim = s.ndim + t.ndim};
        for (int i = 0; i < wide.ndim; i++)
            wide.dim[i] = i < s.ndim ? s.dim[i] : 1;
        x = kn_reshape(x, &wide, NULL);
    }
    kn_array z[KNN_MOST_OPERANDS] = {NULL};
    if (!opts)
        knn_apply(u, (const kn_array[]){x, y}, z);
    else
        call_with(u, (const kn_array[]){x, y}, opts, z);
    if (opts && (opts->out || opts->outs.n) && kn_ok(z[0])) { /* the caller's own */
        knl_end_n(&c, 0, NULL);
        return z[0];
    }
    return knl_end(&c, z[0]);
}
