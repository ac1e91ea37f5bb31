/* SPDX-License-Identifier: Apache-2.0
 * host.c -- the user's code inside of programs: putting the context aside while it runs, callbacks, prints. */
#include "function/function.h"
#include "array/lift.h"
#include "array/handle.h"
#include "array/storage.h"
#include "tree/tree.h"
#include "base/out.h"
#include "ir/host.h"
#include "kiln/callback.h"
#include <string.h>

/* ---- Calling a callback. */

typedef struct calling {
    const kni_host *h;
    int n_in, n_out;
    const kni_type *xt, *yt;
    const void *const *x;
    void *const *y;
    knx_error *error;
} calling;

static void drop_value(void *v) { kna_value_release(v); }

/* A copy: the callback may keep it. */
static kn_array array_of(kni_type t, const void *data)
{
    uint64_t bytes = kni_type_bytes(t);
    knx_buffer *b = knx_buffer_new(bytes);
    if (b && bytes)
        memcpy(b->data, data, bytes);
    t.weak = false;
    kna_value *v = b ? kna_value_buffer(t, b) : NULL;
    return v ? kna_handle_new(KN_H_ARRAY, v, drop_value) : NULL;
}

static knx_error *wrong_result(int i, kni_type has, kni_type wanted)
{
    knx_text a = {0}, b = {0};
    return knx_error_new(KN_ERROR_TYPE, "result %d of the callback has type %s, but %s was promised", i,
                         kni_type_text(&a, has, true), kni_type_text(&b, wanted, true));
}

static knx_error *take_result(const calling *c, int i, kn_array from)
{
    kna_value *v;
    kni_type t = c->yt[i];
    if (!from)
        return knx_error_new(KN_ERROR_TYPE, "the callback left result %d empty (null)", i);
    KN_TRY(kna_array_value(from, &v));
    knx_error *error = kna_lift_drop(&v);
    if (!error)
        error = kna_force_here(1, &v);
    if (!error && v->type.weak && !t.ndim) { /* a C number */
        if (c->y[i])
            knx_convert(v->type.dtype, kna_elements(v), t.dtype, c->y[i]);
    } else if (!error && (v->type.dtype != t.dtype || !kni_type_same_shape(v->type, t))) {
        error = wrong_result(i, v->type, t);
    } else if (!error && v->state != KN_V_BUFFER && v->state != KN_V_NUMBER) {
        error = knx_error_new(KN_ERROR_TYPE, "result %d of the callback has no value", i);
    } else if (!error && c->y[i] && kni_type_bytes(t)) {
        memcpy(c->y[i], kna_elements(v), kni_type_bytes(t));
    }
    kna_value_release(v);
    return error;
}

static void call_it(void *arg)
{
    calling *c = arg;
    kn_array *a = knx_alloc_zero(((size_t)c->n_in + (size_t)c->n_out + 1) * sizeof *a), *y = a ? a + c->n_in : NULL;
    bool ok = a != NULL;
    for (int i = 0; ok && i < c->n_in; i++)
        ok = (a[i] = array_of(c->xt[i], c->x[i])) != NULL;
    if (!ok) {
        c->error = knx_error_nomem();
    } else {
        int status = ((kn_callback)c->h->function)(c->h->env, c->n_in, a, c->n_out, y);
        if (status)
            c->error = knx_error_new(KN_ERROR_RUNTIME, "the callback returned %d", status);
        for (int i = 0; !c->error && i < c->n_out; i++)
            c->error = take_result(c, i, y[i]);
    }
    knx_free(a);
}

static knx_error *call_host(const kni_host *h, int n_in, const kni_type *xt, const void *const *x, int n_out,
                            const kni_type *yt, void *const *y)
{
    calling c = {.h = h, .n_in = n_in, .n_out = n_out, .xt = xt, .yt = yt, .x = x, .y = y};
    knx_error *error = knx_call_user(call_it, &c);
    return error ? error : c.error;
}

static int64_t host_id(kna_op *op, kn_callback f, void *env)
{
    if (!f) {
        kna_fail(op, KN_ERROR_TYPE, "null callback");
        return 0;
    }
    const kni_host *h = kni_host_of(&(kni_host){.function = (void (*)(void))f, .env = env, .call = call_host});
    if (!h)
        kna_fail_with(op, knx_error_nomem());
    return h ? h->id : 0;
}

/* ---- The public calls. */

/* The operands as atoms, in memory of the builder; numbers get their dtype, floats Python's. */
static int read_operands(kna_op *op, kn_list args, kni_atom **atoms)
{
    const kn_array *x = NULL;
    int n = kna_failed(op) ? -1 : kntree_list_read(op, args, &x);
    *atoms = n < 0 ? NULL : knx_arena_alloc(&op->b->arena, ((size_t)n + 1) * sizeof **atoms);
    if (n >= 0 && !*atoms)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; *atoms && i < n; i++)
        (*atoms)[i] = kna_in(op, x[i]);
    return n;
}

int kn_debug_print(const char *format, kn_list args)
{
    kna_op op;
    kni_atom *x;
    kna_begin(&op, "debug_print");
    if (!format)
        kna_fail(&op, KN_ERROR_TYPE, "null format");
    int n = read_operands(&op, args, &x);
    if (!kna_failed(&op))
        knb_debug_print(op.b, &(kni_p_callback){.fmt = format}, n, x);
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_debug_callback(kn_callback f, void *env, kn_list args)
{
    kna_op op;
    kni_atom *x;
    kna_begin(&op, "debug_callback");
    int64_t id = host_id(&op, f, env);
    int n = read_operands(&op, args, &x);
    if (!kna_failed(&op))
        knb_debug_callback(op.b, &(kni_p_callback){.callback = id}, n, x);
    return kna_end_plain(&op) ? 0 : -1;
}

kn_array kn_shape_dtype_struct(const kn_shape *shape, kn_dtype dtype)
{
    kna_op op;
    kna_value *v = NULL;
    kna_begin(&op, "shape_dtype_struct");
    if (!shape || !dtype)
        kna_fail(&op, KN_ERROR_TYPE, "null %s", shape ? "dtype" : "shape");
    else if (shape->ndim < 0 || shape->ndim > KN_MAX_NDIM)
        kna_fail(&op, KN_ERROR_VALUE, "a shape of %d dimensions", shape->ndim);
    for (int d = 0; !kna_failed(&op) && d < shape->ndim; d++)
        if (shape->dim[d] < 0)
            kna_fail(&op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    if (!kna_failed(&op) && !(v = kna_value_new(KN_V_ABSTRACT, kni_type_of(dtype, shape->ndim, shape->dim))))
        kna_fail_with(&op, knx_error_nomem());
    return kna_end_plain(&op) ? kna_handle_new(KN_H_ARRAY, v, drop_value) : NULL;
}

/* The types of the promised results as parameters have them; their number. */
static int read_results(kna_op *op, kn_list results, kni_ints *list)
{
    const kn_array *y = NULL;
    int count = kna_failed(op) ? -1 : kntree_list_read(op, results, &y), n = 0;
    int64_t *v = count < 0 ? NULL : knx_arena_alloc(&op->b->arena, ((size_t)count * (KN_MAX_NDIM + 2) + 1) * sizeof *v);
    if (count >= 0 && !v)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; v && i < count; i++) {
        kni_type t = kna_type(op, y[i]);
        v[n++] = (t.weak ? kna_strong_dtype(t) : t.dtype)->id;
        v[n++] = t.ndim;
        for (int d = 0; d < t.ndim; d++)
            v[n++] = t.dim[d];
    }
    *list = (kni_ints){n, v};
    return count;
}

static kn_list run(kna_op *op, bool io, kni_p_callback p, kn_list results, kn_list args)
{
    kni_atom *x;
    int n_out = read_results(op, results, &p.results), n = read_operands(op, args, &x);
    size_t room = n_out < 0 ? 1 : (size_t)n_out + 1;
    kni_atom *y = knx_alloc(room * sizeof *y);
    kn_array *out = knx_alloc_zero(room * sizeof *out);
    if (!y || !out)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; y && i < n_out; i++)
        y[i] = KN_ATOM_NONE;
    if (!kna_failed(op))
        (io ? knb_io_callback : knb_pure_callback)(op->b, &p, n, x, y, n_out);
    bool listed = y && out && n_out >= 0;
    if (listed && n_out > 0)
        kna_end_n(op, n_out, y, out);
    else
        listed = kna_end_plain(op) && listed;
    kn_list list = listed ? kn_list_from(out, n_out) : NULL;
    knx_free(y);
    knx_free(out);
    return list;
}

kn_list kn_pure_callback(kn_callback f, void *env, kn_list results, kn_list args, const kn_pure_callback_opts *opts)
{
    kna_op op;
    const char *method = opts && opts->vmap_method ? opts->vmap_method : kni_vmap_methods[0];
    int which = 0;
    kna_begin(&op, "pure_callback");
    while (kni_vmap_methods[which] && strcmp(kni_vmap_methods[which], method))
        which++;
    if (!kni_vmap_methods[which])
        kna_fail(&op, KN_ERROR_VALUE,
                 "vmap_method must be on of the allowed methods ['sequential', 'sequential_unrolled', 'expand_dims', "
                 "'broadcast_all'], but got: %s",
                 method);
    return run(&op, false, (kni_p_callback){.callback = host_id(&op, f, env), .vmap_method = which}, results, args);
}

kn_list kn_io_callback(kn_callback f, void *env, kn_list results, kn_list args, const kn_io_callback_opts *opts)
{
    kna_op op;
    kna_begin(&op, "io_callback");
    return run(&op, true, (kni_p_callback){.callback = host_id(&op, f, env), .ordered = opts && opts->ordered}, results,
               args);
}

void kn_set_print(void (*print)(void *env, const char *text), void *env) { knx_out_callback(print, env); }
