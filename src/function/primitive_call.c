/* SPDX-License-Identifier: Apache-2.0
 * primitive_call.c -- calling primitives of the user's, and calling the functions that they are made of. */
#include "array/handle.h"
#include "function/primitive.h"
#include "tree/tree.h"
#include "base/out.h"
#include "prim/rules.h"
#include <string.h>

/* ---- Calling the user's functions. */

static kn_aval *avals_of(knx_arena *a, int n, const kni_type *t)
{
    kn_aval *v = knx_arena_zero(a, ((size_t)n + 1) * sizeof *v);
    for (int i = 0; v && i < n; i++) {
        v[i].dtype = t[i].dtype;
        v[i].shape.ndim = t[i].ndim;
        for (int d = 0; d < t[i].ndim; d++)
            v[i].shape.dim[d] = t[i].dim[d];
    }
    return v;
}

bool knf_primitive_describe(const knf_primitive *p, const void *params, int n_in, const kni_type *x, const kni_type *y,
                            knx_arena *a, knf_primitive_calling *c)
{
    *c = (knf_primitive_calling){.call = {.size_ = sizeof c->call,
                                          .primitive = (kn_primitive)p,
                                          .env = p->o.env,
                                          .params = p->o.params.n ? (const char *)params + KNF_PARAMS_AT : NULL,
                                          .n_in = n_in,
                                          .n_out = p->o.n_out,
                                          .in = avals_of(a, n_in, x)}};
    c->call.out = y ? avals_of(a, p->o.n_out, y) : NULL;
    return c->call.in && (!y || c->call.out);
}

knf_speaker knf_primitive_listen(void)
{
    kna_state *s = kna_state_get();
    knf_speaker before = {s->said, s->speaker};
    s->said = NULL;
    s->speaker = s->frame.n + 1;
    return before;
}

void knf_primitive_heard(knf_speaker before, const char *what, int status, knf_primitive_calling *c)
{
    kna_state *s = kna_state_get();
    c->error = s->said;
    s->said = before.said;
    s->speaker = before.frame;
    if (status && !c->error)
        c->error = knx_error_new(KN_ERROR_RUNTIME, "the %s function of the primitive returned %d", what, status);
}

int kn_primitive_error(kn_error_kind kind, const char *message)
{
    kna_op op;
    kna_state *s = kna_state_get();
    if (s && s->speaker == s->frame.n + 1) {
        bool known = kind > KN_NO_ERROR && (kind <= KN_ERROR_ZERO_DIVISION || kind == KN_ERROR_FLOATING_POINT);
        if (!s->said)
            s->said = knx_error_new(known ? kind : KN_ERROR_RUNTIME, "%s", message ? message : "null message");
        return -1;
    }
    kna_begin(&op, "primitive_error");
    kna_fail(&op, KN_ERROR_CONTEXT, "no function of a primitive is running");
    kna_end_plain(&op);
    return -1;
}

/* ---- The shape rule. */

typedef struct shape_call {
    knf_primitive_calling c;
    kn_aval *out;
} shape_call;

static void call_shape(void *arg)
{
    shape_call *s = arg;
    const knf_primitive *p = (const knf_primitive *)s->c.call.primitive;
    knf_speaker before = knf_primitive_listen();
    int status = p->o.shape(&s->c.call, s->out);
    knf_primitive_heard(before, "shape", status, &s->c);
}

static knx_error *type_of(const kn_aval *v, int k, knx_arena *a, kni_type *y)
{
    if (!v->dtype)
        return knx_error_new(KN_ERROR_TYPE, "the shape rule gives result %d no dtype", k);
    if (v->shape.ndim < 0 || v->shape.ndim > KN_MAX_NDIM)
        return knx_error_new(KN_ERROR_VALUE, "the shape rule gives result %d %d dimensions", k, v->shape.ndim);
    for (int d = 0; d < v->shape.ndim; d++)
        if (v->shape.dim[d] < 0)
            return knx_error_new(KN_ERROR_VALUE, "the shape rule gives result %d the extent %lld", k,
                                 (long long)v->shape.dim[d]);
    return knp_type_dims(a, v->dtype, false, v->shape.ndim, v->shape.dim, y);
}

knx_error *knf_primitive_shape_of(const knf_primitive *p, const void *params, int n_in, const kni_type *x, knx_arena *a,
                                  kni_type *y)
{
    knx_arena scratch = KN_ARENA_INIT;
    shape_call s;
    knx_error *e = knf_primitive_describe(p, params, n_in, x, NULL, &scratch, &s.c) ? NULL : knx_error_nomem();
    s.out = e ? NULL : knx_arena_zero(&scratch, (size_t)p->o.n_out * sizeof *s.out);
    if (!e && !s.out)
        e = knx_error_nomem();
    if (!e)
        e = knx_call_user(call_shape, &s);
    if (!e)
        e = s.c.error;
    for (int k = 0; !e && k < p->o.n_out; k++)
        e = type_of(&s.out[k], k, a, &y[k]);
    knx_arena_free(&scratch);
    return e;
}

/* ---- kn_bind. */

static const knf_primitive *primitive_of(kna_op *op, kn_primitive primitive)
{
    if (primitive && kni_prim_is_added((const kni_prim *)primitive))
        return (const knf_primitive *)primitive;
    kna_fail(op, KN_ERROR_TYPE, primitive ? "this is no primitive of kn_primitive_new" : "null primitive");
    return NULL;
}

const char *kn_primitive_name(kn_primitive primitive)
{
    kna_op op;
    kna_begin(&op, "primitive_name");
    const knf_primitive *p = primitive_of(&op, primitive);
    return kna_end_plain(&op) && p ? p->row.name : NULL;
}

static knx_error *check_list(const char *name, int n, const void *v)
{
    enum { LONGEST = 1 << 20 };
    if (n < 0 || n > LONGEST)
        return knx_error_new(KN_ERROR_VALUE, "parameter %s has %d elements", name, n);
    return n && !v ? knx_error_new(KN_ERROR_TYPE, "parameter %s is null", name) : NULL;
}

/* The parameters of an equation with the user's struct in them, checked. */
static knx_error *read_params(const knf_primitive *p, const void *given, char *params)
{
    if (!p->o.params.n)
        return NULL;
    if (!given && p->defaults) {
        memcpy(params + KNF_PARAMS_AT, (const char *)p->defaults + KNF_PARAMS_AT, p->o.params.bytes);
        return NULL;
    }
    if (!given)
        return knx_error_new(KN_ERROR_TYPE, "the parameters are missing, and there are no defaults");
    memcpy(params + KNF_PARAMS_AT, given, p->o.params.bytes);
    return knf_primitive_check_params(p, params);
}

knx_error *knf_primitive_check_params(const knf_primitive *p, const char *params)
{
    for (int i = 0; i < p->o.params.n; i++) {
        const kn_param *f = &p->o.params.at[i];
        const void *at = params + KNF_PARAMS_AT + f->offset;
        if ((f->kind == KN_PARAM_TEXT && !*(const char *const *)at) ||
            (f->kind == KN_PARAM_DTYPE && !*(const kn_dtype *)at))
            return knx_error_new(KN_ERROR_TYPE, "parameter %s is null", f->name);
        if (f->kind == KN_PARAM_INTS)
            KN_TRY(check_list(f->name, ((const kn_int_list *)at)->n, ((const kn_int_list *)at)->v));
        if (f->kind == KN_PARAM_DOUBLES)
            KN_TRY(check_list(f->name, ((const kn_double_list *)at)->n, ((const kn_double_list *)at)->v));
    }
    return NULL;
}

/* The dtype that C numbers get: that of all operands together; NULL if these are numbers alone, which keep theirs. */
static kn_dtype dtype_of_numbers(kna_op *op, int n, const kn_array *x)
{
    kn_array *some = knx_arena_alloc(&op->b->arena, ((size_t)n + 1) * sizeof *some);
    int numbers = 0, arrays = 0;
    if (!some)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; !kna_failed(op) && i < n; i++) {
        kni_type t = kna_type(op, x[i]);
        bool key = t.dtype->kind == KN_KIND_KEY;
        numbers += t.weak;
        arrays += !t.weak && !key;
        some[i] = key ? NULL : x[i];
    }
    return !kna_failed(op) && numbers && arrays ? kna_result_type(op, n, some) : NULL;
}

static kni_atom *read_operands(kna_op *op, const knf_primitive *p, kn_list operands, int *n)
{
    const kn_array *x = NULL;
    kn_shape shape;
    *n = kna_failed(op) ? -1 : kntree_list_read(op, operands, &x);
    if (*n >= 0 && p->o.n_in >= 0 && *n != p->o.n_in)
        kna_fail(op, KN_ERROR_TYPE, "takes %d operand%s, not %d", p->o.n_in, p->o.n_in == 1 ? "" : "s", *n);
    if (kna_failed(op))
        return NULL;
    kni_atom *atoms = knx_arena_alloc(&op->b->arena, ((size_t)*n + 1) * sizeof *atoms);
    kn_dtype d = dtype_of_numbers(op, *n, x);
    if (!atoms)
        kna_fail_with(op, knx_error_nomem());
    if (!kna_failed(op) && p->o.expression)
        kna_common_shape(op, *n, x, &shape);
    for (int i = 0; !kna_failed(op) && i < *n; i++) {
        bool number = kna_type(op, x[i]).weak;
        atoms[i] = number && d ? kna_in_as(op, x[i], d) : kna_in(op, x[i]);
        if (!kna_failed(op) && p->o.expression && knb_type(op->b, atoms[i]).ndim)
            atoms[i] = knb_broadcast_to(op->b, atoms[i], kni_type_of(KN_DT(F32), shape.ndim, shape.dim));
    }
    return atoms;
}

/* Emits the equation; its results, in memory of the builder. */
static kni_atom *bind(kna_op *op, const knf_primitive *p, kn_list operands, const void *given)
{
    int n = 0;
    kni_atom *x = p ? read_operands(op, p, operands, &n) : NULL;
    if (kna_failed(op))
        return NULL;
    char *params = knx_arena_zero(&op->b->arena, p->row.params_size);
    kni_atom *y = knx_arena_alloc(&op->b->arena, (size_t)p->o.n_out * sizeof *y);
    knx_error *e = params && y ? read_params(p, given, params) : knx_error_nomem();
    if (e) {
        kna_fail_with(op, e);
        return NULL;
    }
    knb_emit(op->b, &p->row, params, n, x, y, p->o.n_out);
    return y;
}

static const knf_primitive *begin(kna_op *op, const char *name, kn_primitive primitive)
{
    bool known = primitive && kni_prim_is_added((const kni_prim *)primitive);
    kna_begin(op, known ? ((const knf_primitive *)primitive)->row.name : name);
    return primitive_of(op, primitive);
}

kn_array kn_bind(kn_primitive primitive, kn_list operands, const void *params)
{
    kna_op op;
    const knf_primitive *p = begin(&op, "bind", primitive);
    if (p && p->o.n_out != 1)
        kna_fail(&op, KN_ERROR_TYPE, "has %d results: kn_bind_all gives them", p->o.n_out);
    kni_atom *y = bind(&op, p, operands, params);
    return kna_end(&op, y ? y[0] : KN_ATOM_NONE);
}

kn_list kn_bind_all(kn_primitive primitive, kn_list operands, const void *params)
{
    kna_op op;
    const knf_primitive *p = begin(&op, "bind_all", primitive);
    kni_atom *y = bind(&op, p, operands, params);
    kn_array *out = p ? knx_alloc_zero((size_t)p->o.n_out * sizeof *out) : NULL;
    if (p && !out)
        kna_fail_with(&op, knx_error_nomem());
    if (!y || !out) {
        kna_end_plain(&op);
        knx_free(out);
        return NULL;
    }
    kna_end_n(&op, p->o.n_out, y, out);
    kn_list list = kn_list_from(out, p->o.n_out);
    knx_free(out);
    return list;
}
