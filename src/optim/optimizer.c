/* SPDX-License-Identifier: Apache-2.0
 * optimizer.c -- optimizers and their steps as functions of trees. A step is recorded as one operation, so that it
 * runs as one plan. */
#include "optim/optimizer.h"
#include "array/handle.h"
#include "array/tree.h"
#include "base/context.h"
#include "kiln/optim.h"
#include <math.h>

/* ---- Making them. */

kn_optim_sgd_opts kn_optim_sgd_opts_default(void)
{
    return (kn_optim_sgd_opts){.size_ = sizeof(kn_optim_sgd_opts), .learning_rate = NAN};
}

kn_optim_adam_opts kn_optim_adam_opts_default(void)
{
    return (kn_optim_adam_opts){
        .size_ = sizeof(kn_optim_adam_opts), .learning_rate = NAN, .b1 = 0.9, .b2 = 0.999, .eps = 1e-8};
}

kn_optim_adamw_opts kn_optim_adamw_opts_default(void)
{
    return (kn_optim_adamw_opts){.size_ = sizeof(kn_optim_adamw_opts),
                                 .learning_rate = NAN,
                                 .b1 = 0.9,
                                 .b2 = 0.999,
                                 .eps = 1e-8,
                                 .weight_decay = 1e-4};
}

static kn_optimizer make(const char *name, kno_optimizer draft)
{
    kna_op op;
    kna_begin(&op, name);
    kno_optimizer *o = knx_alloc(sizeof *o);
    if (isnan(draft.rate))
        kna_fail(&op, KN_ERROR_TYPE, "missing required option 'learning_rate'");
    else if (!(draft.b1 >= 0 && draft.b1 < 1 && draft.b2 >= 0 && draft.b2 < 1))
        kna_fail(&op, KN_ERROR_VALUE, "b1 and b2 must be at least 0 and less than 1, but are %g and %g", draft.b1,
                 draft.b2);
    else if (!o)
        kna_fail_with(&op, knx_error_nomem());
    if (!kna_end_plain(&op)) {
        knx_free(o);
        return NULL;
    }
    *o = draft;
    return kna_handle_new(KN_H_OPTIMIZER, o, knx_free);
}

kn_optimizer kn_optim_sgd(const kn_optim_sgd_opts *opts)
{
    kn_optim_sgd_opts o = opts ? *opts : kn_optim_sgd_opts_default();
    return make(
        "optim_sgd",
        (kno_optimizer){.kind = KNO_SGD, .rate = o.learning_rate, .momentum = o.momentum, .nesterov = o.nesterov});
}

kn_optimizer kn_optim_adam(const kn_optim_adam_opts *opts)
{
    kn_optim_adam_opts o = opts ? *opts : kn_optim_adam_opts_default();
    return make("optim_adam", (kno_optimizer){.kind = KNO_ADAM,
                                              .rate = o.learning_rate,
                                              .b1 = o.b1,
                                              .b2 = o.b2,
                                              .eps = o.eps,
                                              .eps_root = o.eps_root,
                                              .nesterov = o.nesterov});
}

kn_optimizer kn_optim_adamw(const kn_optim_adamw_opts *opts)
{
    kn_optim_adamw_opts o = opts ? *opts : kn_optim_adamw_opts_default();
    return make("optim_adamw", (kno_optimizer){.kind = KNO_ADAMW,
                                               .rate = o.learning_rate,
                                               .b1 = o.b1,
                                               .b2 = o.b2,
                                               .eps = o.eps,
                                               .eps_root = o.eps_root,
                                               .nesterov = o.nesterov,
                                               .decay = o.weight_decay});
}

/* ---- Trees as atoms. Room is in the frame's arena. */

typedef struct frame {
    kna_op op;
    kn_arena arena;
    const kno_optimizer *o;
    int n, n_state;
    kno_step step;
    kn_array rate; /* a number of its own handle, so that it is an operand of the plan and not part of it */
} frame;

static void *room(frame *f, size_t n, size_t size)
{
    size_t bytes;
    void *p = knx_mul_overflows(n + 1, size, &bytes) ? NULL : knx_arena_zero(&f->arena, bytes);
    if (!p)
        kna_fail_with(&f->op, knx_error_nomem());
    return p;
}

/* The arrays of a tree as atoms; NULL after a failure. */
static kn_atom *tree_in(frame *f, kn_tree t, int *n)
{
    *n = kna_tree_size(t);
    kn_array *x = *n < 0 ? NULL : room(f, (size_t)*n, sizeof *x);
    kn_atom *a = x ? room(f, (size_t)*n, sizeof *a) : NULL;
    if (kna_tree_read(&f->op, t, x ? *n : 0, x) < 0 || !a)
        return NULL;
    for (int i = 0; i < *n; i++)
        a[i] = kna_in(&f->op, x[i]);
    return kna_failed(&f->op) ? NULL : a;
}

static kn_atom *tree_of_n(frame *f, kn_tree t, const char *what, int wanted, const char *of)
{
    int n;
    kn_atom *a = tree_in(f, t, &n);
    if (a && n != wanted) {
        kna_fail(&f->op, KN_ERROR_VALUE, "%s: %d array%s where %d are wanted for the %d %s", what, n, n == 1 ? "" : "s",
                 wanted, f->n, of);
        return NULL;
    }
    return a;
}

static bool same_shape(frame *f, const char *what, int i, kn_atom a, const char *other, kn_atom b)
{
    kn_type x = knb_type(f->op.b, a), y = knb_type(f->op.b, b);
    if (kna_failed(&f->op) || kni_type_same_shape(x, y))
        return !kna_failed(&f->op);
    kn_text s = {0}, t = {0};
    kna_fail(&f->op, KN_ERROR_VALUE, "%s %d has shape %s, but its %s has %s", what, i,
             knx_show_shape(&s, x.ndim, x.dim), other, knx_show_shape(&t, y.ndim, y.dim));
    return false;
}

/* Gradients in the dtype of what they go to. */
static void fit_gradients(frame *f, kn_atom *grad, const kn_atom *param, const kn_atom *state)
{
    for (int i = 0; i < f->n && !kna_failed(&f->op); i++) {
        int m = kno_moment_of(f->o, f->n, i);
        if ((param && !same_shape(f, "gradient", i, grad[i], "parameter", param[i])) ||
            (m >= 0 && !same_shape(f, "gradient", i, grad[i], "moment", state[m])))
            return;
        kn_type t = knb_type(f->op.b, m >= 0 ? state[m] : param ? param[i] : grad[i]);
        if (!knx_is_inexact(t.dtype))
            kna_fail(&f->op, KN_ERROR_TYPE, "parameter %d is of dtype %s, which has no gradient", i, t.dtype->name);
        else
            grad[i] = knb_convert(f->op.b, grad[i], t.dtype);
    }
}

static const kno_optimizer *optimizer_in(frame *f, kn_optimizer optimizer)
{
    kn_error *e = NULL;
    const kno_optimizer *o = kna_handle_get(KN_H_OPTIMIZER, optimizer, &e);
    if (!o)
        kna_fail_with(&f->op, e);
    return o;
}

static void read_step(frame *f, kn_optimizer optimizer, kn_tree grads, kn_tree state, kn_tree params)
{
    f->o = optimizer_in(f, optimizer);
    kn_atom *grad = f->o ? tree_in(f, grads, &f->n) : NULL, *s = NULL, *p = NULL;
    if (!grad)
        return;
    f->n_state = kno_state_size(f->o, f->n);
    s = tree_of_n(f, state, "the state", f->n_state, "gradients");
    if (s && params)
        p = tree_of_n(f, params, "the parameters", f->n, "gradients");
    if (!kna_failed(&f->op) && f->o->kind == KNO_ADAMW && f->o->decay != 0 && !p)
        kna_fail(&f->op, KN_ERROR_VALUE, "weight decay needs the parameters");
    if (!kna_failed(&f->op))
        fit_gradients(f, grad, p, s);
    if (kna_failed(&f->op))
        return;
    f->step = (kno_step){.o = f->o,
                         .b = f->op.b,
                         .n = f->n,
                         .grad = grad,
                         .param = p,
                         .state = s,
                         .rate = kna_in(&f->op, f->rate),
                         .update = room(f, (size_t)f->n, sizeof(kn_atom))};
    if (f->n_state)
        f->step.new_state = room(f, (size_t)f->n_state, sizeof(kn_atom));
    if (!kna_failed(&f->op))
        kno_step_emit(&f->step);
}

static bool begin_step(frame *f, const char *name, kn_optimizer optimizer, kn_tree grads, kn_tree state, kn_tree params)
{
    kn_error *e = NULL;
    const kno_optimizer *o = kna_handle_get(KN_H_OPTIMIZER, optimizer, &e);
    *f = (frame){.n = 0};
    knx_error_release(e); /* reported when the operation has begun */
    f->rate = kna_from_number(KN_DT(F64), false, knx_scalar_from_double(KN_DT(F64), o ? -o->rate : 0));
    kna_begin(&f->op, name);
    read_step(f, optimizer, grads, state, params);
    return !kna_failed(&f->op);
}

/* ---- Results. */

/* Ends the operation with n first arrays and the new state; NULL with the error reported after a failure. The arrays
 * are marked as worth having: they go into the next step. */
static kn_array *end_step(frame *f, int n, const kn_atom *first)
{
    int n_all = n + f->n_state;
    bool ok = !kna_failed(&f->op);
    kn_atom *all = ok ? room(f, (size_t)n_all, sizeof *all) : NULL;
    kn_array *out = all ? room(f, (size_t)n_all, sizeof *out) : NULL;
    for (int i = 0; out && i < n_all; i++)
        all[i] = i < n ? first[i] : f->step.new_state[i - n];
    if (!out) {
        kna_end_plain(&f->op);
        return NULL;
    }
    kna_end_n(&f->op, n_all, all, out);
    for (int i = 0; i < n_all; i++) {
        kn_error *e = NULL;
        kn_value *v = kna_handle_get(KN_H_ARRAY, out[i], &e);
        knx_error_release(e);
        if (!v || v->state == KN_V_ERROR)
            return NULL;
        v->kept = true;
    }
    return out;
}

static void leave_step(frame *f)
{
    if (kna_handle_alive(f->rate, NULL))
        kn_release(f->rate);
    knx_arena_free(&f->arena);
}

int kn_optim_update(kn_optimizer optimizer, kn_tree grads, kn_tree state, kn_tree params, kn_tree *updates,
                    kn_tree *new_state)
{
    frame f;
    begin_step(&f, "optim_update", optimizer, grads, state, params);
    if (!updates || !new_state)
        kna_fail(&f.op, KN_ERROR_TYPE, "null result");
    kn_array *out = end_step(&f, f.n, f.step.update);
    if (out) {
        *updates = kn_tree_from(f.n, out);
        *new_state = kn_tree_from(f.n_state, out + f.n);
    }
    int status = out && *updates && *new_state ? 0 : -1;
    leave_step(&f);
    return status;
}

/* params + updates in the parameters' dtypes. */
static kn_atom *sums(frame *f, const kn_atom *param, const kn_atom *update)
{
    kn_atom *y = room(f, (size_t)f->n, sizeof *y);
    for (int i = 0; y && i < f->n; i++)
        if (same_shape(f, "update", i, update[i], "parameter", param[i]))
            y[i] = knb_add(f->op.b, param[i], knb_convert(f->op.b, update[i], knb_type(f->op.b, param[i]).dtype));
    return y;
}

int kn_optim_apply(kn_optimizer optimizer, kn_tree *state, kn_tree params, kn_tree grads)
{
    frame f;
    if (begin_step(&f, "optim_apply", optimizer, grads, state ? *state : NULL, params) && !params)
        kna_fail(&f.op, KN_ERROR_TYPE, "null tree");
    kn_atom *new_params = kna_failed(&f.op) ? NULL : sums(&f, f.step.param, f.step.update);
    kn_array *out = end_step(&f, f.n, new_params);
    kn_tree p = out ? kn_tree_from(f.n, out) : NULL, s = p ? kn_tree_from(f.n_state, out + f.n) : NULL;
    int status = s ? kn_tree_assign(params, p) : -1;
    if (!status)
        status = kn_tree_assign(*state, s);
    if (s)
        kn_release(s);
    if (p)
        kn_release(p);
    leave_step(&f);
    return status;
}

kn_tree kn_optim_apply_updates(kn_tree params, kn_tree updates)
{
    frame f = {.n = 0};
    kna_begin(&f.op, "optim_apply_updates");
    kn_atom *p = tree_in(&f, params, &f.n), *u = p ? tree_of_n(&f, updates, "the updates", f.n, "parameters") : NULL;
    kn_array *out = end_step(&f, f.n, u ? sums(&f, p, u) : NULL);
    kn_tree t = out ? kn_tree_from(f.n, out) : NULL;
    knx_arena_free(&f.arena);
    return t;
}

kn_tree kn_optim_init(kn_optimizer optimizer, kn_tree params)
{
    frame f = {.n = 0};
    kna_begin(&f.op, "optim_init");
    f.o = optimizer_in(&f, optimizer);
    kn_atom *p = f.o ? tree_in(&f, params, &f.n) : NULL;
    int n_state = p ? kno_state_size(f.o, f.n) : 0;
    kn_type *type = p ? room(&f, (size_t)f.n, sizeof *type) : NULL;
    kn_atom *s = p ? room(&f, (size_t)n_state, sizeof *s) : NULL;
    for (int i = 0; type && i < f.n; i++) {
        type[i] = knb_type(f.op.b, p[i]);
        if (!knx_is_inexact(type[i].dtype))
            kna_fail(&f.op, KN_ERROR_TYPE, "parameter %d is of dtype %s, which has no gradient", i,
                     type[i].dtype->name);
    }
    for (int i = 0; s && i < n_state && !kna_failed(&f.op); i++)
        s[i] = kno_first_state(f.o, f.op.b, f.n, type, i);
    kn_array *out = end_step(&f, n_state, s);
    kn_tree t = out ? kn_tree_from(n_state, out) : NULL;
    knx_arena_free(&f.arena);
    return t;
}
