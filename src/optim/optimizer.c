/* SPDX-License-Identifier: Apache-2.0
 * optimizer.c -- optimizers' steps as functions of trees. A step is recorded as one operation, so that it runs as one
 * plan. */
#include "optim/optimizer.h"
#include "array/handle.h"
#include "base/context.h"
#include "lib/internal.h"
#include "optim/objective.h"
#include "random/keys.h"
#include <string.h>

/* ---- Trees as atoms. Room is in the frame's arena. */

typedef struct frame {
    kna_op op;
    knx_arena arena;
    const kno_transform *t;
    int n, n_param, n_state; /* gradients; updates: as many as parameters */
    kno_pass step;
    struct kno_objective objective;
    kni_atom *first_next; /* the next state */
    kn_tree named;        /* whose leaves messages name */
} frame;

static void *room(frame *f, size_t n, size_t size)
{
    size_t bytes;
    void *p = knx_mul_overflows(n + 1, size, &bytes) ? NULL : knx_arena_zero(&f->arena, bytes);
    if (!p)
        kna_fail_with(&f->op, knx_error_nomem());
    return p;
}

/* The arrays of a tree as atoms, with room for `more` behind them; NULL after a failure. */
static kni_atom *tree_in(frame *f, kn_tree t, int *n, int more)
{
    *n = kntree_tree_size(t);
    kn_array *x = *n < 0 ? NULL : room(f, (size_t)*n, sizeof *x);
    kni_atom *a = x ? room(f, (size_t)*n + (size_t)more, sizeof *a) : NULL;
    if (kntree_tree_read(&f->op, t, x ? *n : 0, x) < 0 || !a)
        return NULL;
    for (int i = 0; i < *n; i++)
        a[i] = kna_in(&f->op, x[i]);
    return kna_failed(&f->op) ? NULL : a;
}

static kni_atom *tree_of_n(frame *f, kn_tree t, const char *what, int wanted, const char *of)
{
    int n;
    kni_atom *a = tree_in(f, t, &n, 0);
    if (a && n != wanted) {
        kna_fail(&f->op, KN_ERROR_VALUE, "%s: %d array%s where %d are wanted for the %d %s", what, n, n == 1 ? "" : "s",
                 wanted, f->n, of);
        return NULL;
    }
    return a;
}

/* The path of leaf i of the parameters if it has names, else its number. */
static const char *leaf_name(frame *f, knx_text *text, int i)
{
    const char *path = kntree_tree_leaf_path(text, f->named, i);
    if (strpbrk(path, ".'\""))
        return path;
    text->length = 0;
    text->s[0] = 0;
    knx_text_add(text, "%d", i);
    return text->s;
}

static bool same_shape(frame *f, const char *what, int i, kni_type x, const char *other, kni_type y)
{
    if (kna_failed(&f->op) || kni_type_same_shape(x, y))
        return !kna_failed(&f->op);
    knx_text s = {0}, t = {0}, name = {0};
    kna_fail(&f->op, KN_ERROR_VALUE, "%s %s has shape %s, but its %s has %s", what, leaf_name(f, &name, i),
             knx_show_shape(&s, x.ndim, x.dim), other, knx_show_shape(&t, y.ndim, y.dim));
    return false;
}

static bool inexact(frame *f, int i, kni_type t)
{
    knx_text name = {0};
    if (!knx_is_inexact(t.dtype))
        kna_fail(&f->op, KN_ERROR_TYPE, "parameter %s is of dtype %s, which has no gradient", leaf_name(f, &name, i),
                 t.dtype->name);
    return knx_is_inexact(t.dtype);
}

/* The type of a gradient, or where they are of many examples, of one. */
static kni_type gradient_type(frame *f, kni_atom grad)
{
    kni_type t = knb_type(f->op.b, grad);
    if (kno_takes_examples(f->t) && t.ndim)
        t = kni_type_of(t.dtype, t.ndim - 1, t.dim + 1);
    return t;
}

/* Gradients in the dtype of their parameters; the types that the state is laid out for. */
static const kni_type *fit_gradients(frame *f, kni_atom *grad, const kni_atom *param)
{
    kni_type *type = room(f, (size_t)f->n, sizeof *type);
    for (int i = 0; type && i < f->n && !kna_failed(&f->op); i++) {
        type[i] = gradient_type(f, grad[i]);
        kni_type own = param ? knb_type(f->op.b, param[i]) : type[i];
        if (!same_shape(f, kno_takes_examples(f->t) ? "an example's gradient" : "gradient", i, type[i], "parameter",
                        own))
            return NULL;
        type[i] = own;
        if (inexact(f, i, type[i]))
            grad[i] = knb_convert(f->op.b, grad[i], type[i].dtype);
    }
    return kna_failed(&f->op) ? NULL : type;
}

/* The arrays of the state are those of the layout. */
static void check_state(frame *f, kn_tree tree, const kni_atom *state, const kno_layout *l)
{
    for (int i = 0; i < f->n_state && !kna_failed(&f->op); i++) {
        kni_type have = knb_type(f->op.b, state[i]), want = l->entry.at[i].type;
        if (have.dtype == want.dtype && kni_type_same_shape(have, want))
            continue;
        knx_text a = {0}, b = {0}, path = {0};
        kna_fail(&f->op, KN_ERROR_VALUE, "array %d of the state (%s) is %s, but %s is wanted", i,
                 kntree_tree_leaf_path(&path, tree, i), kni_type_text(&a, have, true), kni_type_text(&b, want, true));
    }
}

static bool lay_out(frame *f, kno_layout *l)
{
    f->t->rule->layout(l, f->t);
    if (l->failed) {
        kna_fail_with(&f->op, l->error ? l->error : knx_error_nomem());
        l->error = NULL;
    }
    return !l->failed;
}

/* The state, counted against the layout for these types and then, if they are final, checked. */
static kni_atom *read_state(frame *f, kn_tree tree, kni_atom *state, const kni_type *type, bool final)
{
    kno_layout l = {.n = f->n, .type = type};
    if (lay_out(f, &l)) {
        f->n_state = (int)l.entry.n;
        if (!state)
            state = tree_of_n(f, tree, "the state", f->n_state, "gradients");
        if (state && final)
            check_state(f, tree, state, &l);
    }
    kno_layout_free(&l);
    return kna_failed(&f->op) ? NULL : state;
}

/* Trees of one array per gradient. */
static kni_atom *tree_like_gradients(frame *f, kn_tree t, const char *option, const char *what, const kni_atom *grad)
{
    kni_atom *x = tree_of_n(f, t, option, f->n, "gradients");
    for (int i = 0; x && i < f->n; i++)
        if (!same_shape(f, what, i, knb_type(f->op.b, x[i]), "gradient", gradient_type(f, grad[i])))
            return NULL;
    return x;
}

/* What only some optimizers ask for. */
static void read_options(frame *f, const kn_optim_update_opts *o, const kni_atom *grad)
{
    if (o->value)
        f->step.value = kna_in(&f->op, o->value);
    if (o->hessian)
        f->step.hessian = tree_like_gradients(f, o->hessian, "the option hessian", "estimate", grad);
    kni_atom *own = o->grad ? tree_like_gradients(f, o->grad, "the option grad", "gradient of the loss", grad)
                            : room(f, (size_t)f->n, sizeof *own);
    for (int i = 0; own && i < f->n; i++) /* updates take the place of the gradients */
        own[i] = o->grad ? knb_convert(f->op.b, own[i], f->step.type[i].dtype) : grad[i];
    f->objective.n = f->n_param;
    f->objective.param = f->step.param;
    f->objective.grad = own;
    f->step.objective = &f->objective;
}

static void read_step(frame *f, kn_optimizer optimizer, kn_tree grads, kn_tree state, kn_tree params,
                      const kn_optim_update_opts *opts)
{
    f->t = kno_get(&f->op, optimizer);
    KNX_OPTS(kn_optim_update_opts, o, opts);
    if (f->t) /* first, since recording a function leaves no atoms alone */
        kno_objective_begin(&f->op, &f->objective, f->t, o.value_fn, params);
    int n = f->t ? kntree_tree_size(grads) : 0;
    kni_atom *grad = f->t ? tree_in(f, grads, &f->n, n < 0 ? 0 : n) : NULL, *s = NULL, *p = NULL;
    kni_type *raw = grad ? room(f, (size_t)f->n, sizeof *raw) : NULL;
    if (!raw)
        return;
    f->n_param = f->t->rule == &kno_lookahead ? 2 * f->n : f->n;
    f->named = params ? params : grads;
    for (int i = 0; i < f->n; i++)
        raw[i] = gradient_type(f, grad[i]);
    s = read_state(f, state, NULL, raw, false);
    if (s && params)
        p = tree_of_n(f, params, "the parameters", f->n_param, "gradients");
    const kni_type *type = kna_failed(&f->op) ? NULL : fit_gradients(f, grad, p);
    if (!type || !read_state(f, state, s, type, true))
        return;
    f->first_next = room(f, (size_t)f->n_state, sizeof(kni_atom));
    f->step = (kno_pass){.op = &f->op,
                         .b = f->op.b,
                         .arena = &f->arena,
                         .n = f->n,
                         .u = grad,
                         .param = p,
                         .type = type,
                         .value = KN_ATOM_NONE,
                         .state = s,
                         .next = f->first_next};
    read_options(f, &o, grad);
    if (!kna_failed(&f->op))
        kno_update(&f->step, f->t);
}

/* ---- Results. */

/* Ends the operation with n first arrays and the new state; NULL with the error reported after a failure. The arrays
 * are marked as worth having: they go into the next step. */
static kn_array *end_step(frame *f, int n, const kni_atom *first)
{
    int n_all = n + f->n_state;
    bool ok = !kna_failed(&f->op);
    kni_atom *all = ok ? room(f, (size_t)n_all, sizeof *all) : NULL;
    kn_array *out = all ? room(f, (size_t)n_all, sizeof *out) : NULL;
    for (int i = 0; out && i < n_all; i++)
        all[i] = i < n ? first[i] : f->first_next[i - n];
    if (!out) {
        kna_end_handle(&f->op);
        return NULL;
    }
    kna_end_n(&f->op, n_all, all, out);
    for (int i = 0; i < n_all; i++) {
        kna_handle_kind kind = KN_H_NONE;
        kna_value *v = kna_handle_peek(out[i], &kind);
        if (!v || (kind == KN_H_ARRAY && v->state == KN_V_ERROR))
            return NULL;
    }
    kna_mark_kept(n_all, out);
    return out;
}

/* A tree of these arrays with the structure of another one; a list if that has another number of leaves. */
static kn_tree tree_like(const char *operation, kn_tree like, int n, const kn_array *x)
{
    kntree_tree *t = kntree_tree_size(like) == n ? kntree_tree_get(operation, like) : NULL;
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    return s ? kntree_tree_new(operation, kntree_structure_retain((kntree_structure *)(uintptr_t)s), x)
             : kn_tree_from(n, x);
}

int kn_optim_update(kn_optimizer optimizer, kn_tree grads, kn_tree state, kn_tree params, kn_tree *updates,
                    kn_tree *new_state, const kn_optim_update_opts *opts)
{
    frame f = {.n = 0};
    kna_begin(&f.op, "optim_update");
    read_step(&f, optimizer, grads, state, params, opts);
    if (!updates || !new_state)
        kna_fail(&f.op, KN_ERROR_TYPE, "null result");
    kn_array *out = end_step(&f, f.n_param, f.step.u);
    if (out && updates && new_state) {
        *updates = tree_like("optim_update", f.n_param == f.n ? grads : params, f.n_param, out);
        *new_state = tree_like("optim_update", state, f.n_state, out + f.n_param);
    }
    int status = out && updates && new_state && *updates && *new_state ? 0 : -1;
    kno_objective_end(&f.objective);
    knx_arena_free(&f.arena);
    return status;
}

/* params + updates in the parameters' dtypes. */
static kni_atom *sums(frame *f, const kni_atom *param, const kni_atom *update, int n)
{
    kni_atom *y = room(f, (size_t)n, sizeof *y);
    for (int i = 0; y && i < n; i++)
        if (same_shape(f, "update", i, knb_type(f->op.b, update[i]), "parameter", knb_type(f->op.b, param[i])))
            y[i] = knb_add(f->op.b, param[i], knb_convert(f->op.b, update[i], knb_type(f->op.b, param[i]).dtype));
    return y;
}

int kn_optim_apply(kn_optimizer optimizer, kn_tree *state, kn_tree params, kn_tree grads,
                   const kn_optim_update_opts *opts)
{
    frame f = {.n = 0};
    kna_begin(&f.op, "optim_apply");
    read_step(&f, optimizer, grads, state ? *state : NULL, params, opts);
    if (!kna_failed(&f.op) && !params)
        kna_fail(&f.op, KN_ERROR_TYPE, "null tree");
    kni_atom *new_params = kna_failed(&f.op) ? NULL : sums(&f, f.step.param, f.step.u, f.n_param);
    kn_array *out = end_step(&f, f.n_param, new_params);
    kn_tree p = out ? kn_tree_from(f.n_param, out) : NULL, s = p ? kn_tree_from(f.n_state, out + f.n_param) : NULL;
    int status = s ? kn_tree_assign(params, p) : -1;
    if (!status && state)
        status = kn_tree_assign(*state, s);
    if (s)
        kn_release(s);
    if (p)
        kn_release(p);
    kno_objective_end(&f.objective);
    knx_arena_free(&f.arena);
    return status;
}

kn_tree kn_optim_apply_updates(kn_tree params, kn_tree updates)
{
    frame f = {.n = 0, .named = params};
    kna_begin(&f.op, "optim_apply_updates");
    kni_atom *p = tree_in(&f, params, &f.n, 0),
             *u = p ? tree_of_n(&f, updates, "the updates", f.n, "parameters") : NULL;
    kn_array *out = end_step(&f, f.n, u ? sums(&f, p, u, f.n) : NULL);
    kn_tree t = out ? tree_like("optim_apply_updates", params, f.n, out) : NULL;
    knx_arena_free(&f.arena);
    return t;
}

/* ---- The first state. */

/* The structure of the parameters that have gradients: all of them, or the fast ones. */
static kntree_structure *structure_for(frame *f, kn_tree params, int n_all)
{
    kntree_tree *t = kntree_tree_get("optim_init", params);
    const kntree_structure *s = t ? kntree_structure_in("optim_init", t) : NULL;
    if (!s || f->n == n_all)
        return kntree_structure_retain((kntree_structure *)(uintptr_t)s);
    int fast = kntree_structure_child(s, 0, 0);
    return fast > 0 && s->node[fast].leaves == f->n ? kntree_structure_sub(s, fast)
                                                    : kntree_structure_flat(KN_TREE_LIST, f->n);
}

kn_tree kn_optim_init(kn_optimizer optimizer, kn_tree params)
{
    frame f = {.n = 0, .named = params};
    kna_begin(&f.op, "optim_init");
    f.t = kno_get(&f.op, optimizer);
    int n_all = 0, n_state = 0;
    kni_atom *p = f.t ? tree_in(&f, params, &n_all, 0) : NULL;
    f.n = f.t && f.t->rule == &kno_lookahead && n_all % 2 == 0 ? n_all / 2 : n_all;
    kni_type *type = p ? room(&f, (size_t)f.n, sizeof *type) : NULL;
    for (int i = 0; type && i < f.n; i++) {
        type[i] = knb_type(f.op.b, p[i]);
        if (!inexact(&f, i, type[i]))
            break;
    }
    kno_layout l = {.n = f.n, .type = type};
    if (type && !kna_failed(&f.op))
        l.like = structure_for(&f, params, n_all);
    kntree_structure *like = l.like, *shape = NULL;
    kni_atom *s = NULL;
    if (like && lay_out(&f, &l)) {
        n_state = (int)l.entry.n;
        s = room(&f, (size_t)n_state, sizeof *s);
        for (int i = 0; s && i < n_state; i++)
            s[i] = kno_first_of(&f.op, &l.entry.at[i], f.n, p);
        shape = l.part.n == 1 ? kntree_structure_retain(l.part.at[0]) : NULL;
    } else if (type && !kna_failed(&f.op)) {
        kna_fail_with(&f.op, knx_error_nomem());
    }
    kno_layout_free(&l);
    kntree_structure_release(like);
    kn_array *out = end_step(&f, n_state, s);
    kn_tree t = out ? kntree_tree_new("optim_init", kntree_structure_retain(shape), out) : NULL;
    kntree_structure_release(shape);
    knx_arena_free(&f.arena);
    return t;
}

/* ---- Helpers. */

kn_array kn_optim_global_norm(kn_tree tree)
{
    frame f = {.n = 0, .named = tree};
    kna_begin(&f.op, "optim_global_norm");
    kni_atom *x = tree_in(&f, tree, &f.n, 0), norm = KN_ATOM_NONE;
    kno_pass s = {.op = &f.op, .b = f.op.b, .arena = &f.arena, .n = f.n};
    for (int i = 0; x && i < f.n; i++)
        if (!knx_is_inexact(knb_type(f.op.b, x[i]).dtype))
            x[i] = knb_convert(f.op.b, x[i], kna_default_float());
    if (x)
        norm = knb_sqrt(f.op.b, kno_norm_squared(&s, x));
    knx_arena_free(&f.arena);
    return kna_end(&f.op, norm);
}

/* Reads both trees, makes one array of each pair, and ends. */
static kn_tree both(frame *f, const char *name, kn_tree new, kn_tree old, kni_atom when, double step_size)
{
    kni_builder *b = f->op.b;
    kni_atom *x = tree_in(f, new, &f->n, 0), *y = x ? tree_of_n(f, old, "the old tensors", f->n, "new ones") : NULL;
    kni_atom weight = KN_ATOM_NONE, rest = KN_ATOM_NONE;
    kno_pass s = {.op = &f->op, .b = b, .arena = &f->arena};
    if (y && when == KN_ATOM_NONE) {
        weight = kno_operand(&s, step_size);
        rest = kno_operand(&s, 1.0 - step_size);
    }
    for (int i = 0; y && i < f->n; i++) {
        if (!same_shape(f, "new tensor", i, knb_type(b, x[i]), "old one", knb_type(b, y[i])))
            break;
        x[i] = knb_convert(b, x[i], knb_type(b, y[i]).dtype);
        if (when != KN_ATOM_NONE) {
            x[i] = kno_where(b, when, x[i], y[i]);
        } else if (inexact(f, i, knb_type(b, y[i]))) {
            kni_atom first = knb_mul(b, kno_spread(b, weight, x[i]), x[i]);
            x[i] = knb_add(b, first, knb_mul(b, kno_spread(b, rest, y[i]), y[i]));
        }
    }
    kn_array *out = end_step(f, f->n, x);
    kn_tree t = out ? tree_like(name, old, f->n, out) : NULL;
    knx_arena_free(&f->arena);
    return t;
}

kn_tree kn_optim_incremental_update(kn_tree new_tensors, kn_tree old_tensors, double step_size)
{
    frame f = {.n = 0, .named = old_tensors};
    kna_begin(&f.op, "optim_incremental_update");
    return both(&f, "optim_incremental_update", new_tensors, old_tensors, KN_ATOM_NONE, step_size);
}

kn_tree kn_optim_periodic_update(kn_tree new_tensors, kn_tree old_tensors, kn_array steps, int64_t update_period)
{
    frame f = {.n = 0, .named = old_tensors};
    kna_begin(&f.op, "optim_periodic_update");
    kni_atom step = kna_in_as(&f.op, steps, KN_DT(I64)), when = KN_ATOM_NONE;
    if (!kna_failed(&f.op) && knb_type(f.op.b, step).ndim)
        kna_fail(&f.op, KN_ERROR_TYPE, "the number of steps is not a scalar");
    if (!kna_failed(&f.op) && update_period == 0)
        kna_fail(&f.op, KN_ERROR_VALUE, "the period is 0");
    if (!kna_failed(&f.op)) {
        kni_atom period = knb_integer(f.op.b, KN_DT(I64), update_period);
        when = knb_eq(f.op.b, knb_mul(f.op.b, knb_div(f.op.b, step, period), period), step);
    }
    return both(&f, "optim_periodic_update", new_tensors, old_tensors, when, 0);
}
