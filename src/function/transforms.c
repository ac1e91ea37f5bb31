/* SPDX-License-Identifier: Apache-2.0
 * transforms.c -- the public transformations: handles of functions, and the ones that act at a point (jvp, vjp,
 * linearize). */
#include "function/manual.h"
#include "function/symbolic.h"
#include "array/handle.h"
#include "array/storage.h"
#include "tree/tree.h"
#include "transform/transform.h"
#include "base/str.h"
#include "base/options.h"
#include <string.h>

static kn_fn finish(kna_op *op, knf_core *core, int n_captured, kna_value *const *captured)
{
    bool ok = !kna_failed(op);
    if (ok && !core)
        kna_fail_with(op, knx_error_nomem());
    ok = kna_end_handle(op) && ok && core;
    return ok ? knf_fn_handle(core, n_captured, captured) : NULL;
}

/* ---- C functions. */

static knx_error *check_description(const kn_function *c, const void *env)
{
    if (!c || !c->call || !c->name || c->size_ < offsetof(kn_function, out_fields))
        return knx_error_new(KN_ERROR_TYPE, "not a function made by KN_FUNCTION");
    if (c->n_args < 0 || c->n_args > KN_MAX_ARGS)
        return knx_error_new(KN_ERROR_TYPE, "%s: a function has up to %d arguments", c->name, KN_MAX_ARGS);
    if ((c->env_bytes || c->captured_bytes) && !env)
        return knx_error_new(KN_ERROR_TYPE, "%s needs its environment: use KN_FN_ENV or KN_CLOSE", c->name);
    return NULL;
}

static knx_error *read_captured(const kn_function *c, const kn_array *from, int n, kna_value **captured)
{
    for (int i = 0; i < n; i++) {
        (void)c;
        KN_TRY(kna_array_value(from[i], &captured[i]));
    }
    return NULL;
}

/* A captured tree: its structure is part of what the function is. */
static knx_error *capture_tree(knf_core *draft, kn_tree tree)
{
    kntree_tree *t = kntree_tree_get("function", tree);
    const kntree_structure *s = t ? kntree_structure_in("function", t) : NULL;
    if (!s)
        return knx_error_new(KN_ERROR_TYPE, "what %s captures is no tree", draft->name);
    draft->captured_structure = kntree_structure_retain((kntree_structure *)(uintptr_t)s);
    draft->n_captured = t->n;
    return NULL;
}

static knx_error *read_tree(kn_tree tree, int n, kna_value **captured)
{
    for (int i = 0; i < n; i++)
        KN_TRY(kna_array_value(kntree_tree_at(tree, i), &captured[i]));
    return NULL;
}

kn_fn kn_fn_of(const kn_function *c, const void *env)
{
    kna_op op;
    kna_begin(&op, "function");
    knx_error *error = check_description(c, env);
    knf_core draft = {.kind = KNF_FN_C, .c = c};
    kna_value **captured = NULL;
    if (!error) {
        draft.env = c->env_bytes ? (void *)(uintptr_t)env : NULL;
        draft.name = c->name;
        draft.n_captured = (int)(c->captured_bytes / sizeof(kn_array));
        draft.n_args = c->n_args;
        draft.n_out = (int)(c->out_bytes / sizeof(kn_array));
        draft.open_out = draft.tree_out = c->out_bytes == 2;
        for (int i = 0; i < c->n_args; i++) {
            draft.n_in += draft.arrays[i] = (int)(c->arg_bytes[i] / sizeof(kn_array));
            draft.open_in = draft.open_in || c->arg_bytes[i] == 2;
        }
        if (c->captured_bytes == 2)
            error = capture_tree(&draft, *(const kn_tree *)env);
        captured = knx_alloc_zero(((size_t)draft.n_captured + 1) * sizeof *captured);
        if (!error)
            error = !captured                  ? knx_error_nomem()
                    : draft.captured_structure ? read_tree(*(const kn_tree *)env, draft.n_captured, captured)
                                               : read_captured(c, env, draft.n_captured, captured);
    }
    if (error)
        kna_fail_with(&op, error);
    knf_core *core = kna_failed(&op) ? NULL : knf_core_intern(&draft);
    kn_fn fn = finish(&op, core, draft.n_captured, captured);
    knf_release_values(captured ? draft.n_captured : 0, captured);
    knx_free(captured);
    kntree_structure_release(draft.captured_structure);
    return fn;
}

/* ---- Transformations of functions. */

static knx_error *selected_arrays(const knf_core *inner, const kn_argnums *argnums, int *n)
{
    int count = argnums->n ? argnums->n : 1;
    *n = 0;
    if (argnums->n < 0 || argnums->n > KN_MAX_ARGS)
        return knx_error_new(KN_ERROR_VALUE, "argnums has %d entries", argnums->n);
    for (int i = 0; i < count; i++) {
        int arg = argnums->n ? argnums->arg[i] : 0;
        if (arg < 0 || arg >= inner->n_args)
            return knx_error_new(KN_ERROR_VALUE, "argnums %d is out of range: %s has %d argument%s", arg, inner->name,
                                 inner->n_args, inner->n_args == 1 ? "" : "s");
        *n += inner->arrays[arg];
    }
    return NULL;
}

static knx_error *gradient_results(knf_core *draft, int selected)
{
    const knf_core *f = draft->inner;
    draft->n_out = selected + (draft->o.has_aux ? f->n_out - 1 : 0) + (draft->o.value ? 1 : 0);
    if (f->n_out < 1)
        return knx_error_new(KN_ERROR_TYPE, "%s returns nothing", f->name);
    if (!draft->o.has_aux && f->n_out > 1)
        return knx_error_new(
            KN_ERROR_TYPE,
            "%s must return one scalar, but it returns %d arrays; say .has_aux = true if those after the "
            "first are not to be differentiated",
            f->name, f->n_out);
    return NULL;
}

/* The results at the end that are not differentiated: as many as was said, or all behind the first. */
static knx_error *jacobian_results(knf_core *draft, int selected)
{
    const knf_core *f = draft->inner;
    int n = !draft->o.has_aux ? draft->o.n_aux : draft->o.n_aux ? draft->o.n_aux : f->n_out - 1;
    if (draft->o.has_aux && (n < 0 || n >= f->n_out))
        return knx_error_new(KN_ERROR_VALUE, "%d results of %s cannot be aux: it returns %d array%s", n, f->name,
                             f->n_out, f->n_out == 1 ? "" : "s");
    draft->o.n_aux = n;
    draft->o.has_aux = false;
    draft->n_out = selected * (f->n_out - n) + n;
    return NULL;
}

knx_error *knf_results_of(knf_core *draft)
{
    int selected = 0;
    bool jacobian = draft->kind == KNF_FN_JACFWD || draft->kind == KNF_FN_JACREV;
    if (jacobian || draft->kind == KNF_FN_GRAD)
        KN_TRY(selected_arrays(draft->inner, &draft->o.argnums, &selected));
    draft->n_out = knf_is_open(draft->inner) ? 0 : draft->inner->n_out;
    if (knf_is_open(draft->inner))
        return NULL;
    if (jacobian)
        return jacobian_results(draft, selected);
    return draft->kind == KNF_FN_GRAD ? gradient_results(draft, selected) : NULL;
}

static void count_results(kna_op *op, knf_core *draft)
{
    knx_error *error = kna_failed(op) ? NULL : knf_results_of(draft);
    if (error)
        kna_fail_with(op, error);
}

knf_core knf_transformed(knf_fn_kind kind, const knf_core *inner)
{
    knf_core draft = {.kind = kind,
                      .inner = (knf_core *)(uintptr_t)inner,
                      .name = inner->name,
                      .n_captured = inner->n_captured,
                      .n_args = inner->n_args,
                      .n_in = inner->n_in,
                      .n_out = inner->n_out,
                      .open_in = inner->open_in,
                      .open_out = inner->open_out};
    memcpy(draft.arrays, inner->arrays, sizeof draft.arrays);
    return draft;
}

kn_fn knf_make(kna_op *op, const knf_fn *f, const knf_core *draft)
{
    knf_core *core = kna_failed(op) ? NULL : knf_core_intern(draft);
    return finish(op, core, f ? f->core->n_captured : 0, f ? f->captured : NULL);
}

/* Callers compiled against an older header give options that end earlier. */
#define HAS(opts, last) ((opts)->size_ >= offsetof(__typeof__(*(opts)), last) + sizeof((opts)->last))

static bool in_range(kna_op *op, const char *what, const knf_core *f, const kn_argnums *list)
{
    if (list->n < 0 || list->n > KN_MAX_ARGS)
        kna_fail(op, KN_ERROR_VALUE, "%s has %d entries", what, list->n);
    for (int i = 0; i < list->n && !kna_failed(op); i++)
        if (list->arg[i] < 0 || list->arg[i] >= f->n_args)
            kna_fail(op, KN_ERROR_VALUE, "%s %d is out of range: %s has %d arguments", what, list->arg[i], f->name,
                     f->n_args);
    return !kna_failed(op);
}

static void read_jit_options(kna_op *op, const kn_jit_opts *o, knf_core *draft)
{
    const knf_core *f = draft->inner;
    const kn_argnums fixed = HAS(o, static_argnums) ? o->static_argnums : (kn_argnums){0};
    if (!in_range(op, "donate_argnums", f, &o->donate_argnums) || !in_range(op, "static_argnums", f, &fixed))
        return;
    for (int i = 0; i < o->donate_argnums.n; i++)
        draft->o.argnums.arg[draft->o.argnums.n++] = o->donate_argnums.arg[i];
    for (int i = 0; i < fixed.n; i++) {
        draft->static_args |= 1u << fixed.arg[i];
        for (int k = 0; k < draft->o.argnums.n; k++)
            if (draft->o.argnums.arg[k] == fixed.arg[i])
                kna_fail(op, KN_ERROR_TYPE, "argument %d of %s cannot be static and donated", fixed.arg[i], f->name);
    }
    const kn_argnums constant = HAS(o, constant_argnums) ? o->constant_argnums : (kn_argnums){0};
    if (!in_range(op, "constant_argnums", f, &constant))
        return;
    for (int i = 0; i < constant.n; i++) {
        draft->const_args |= 1u << constant.arg[i];
        for (int k = 0; k < draft->o.argnums.n; k++)
            if (draft->o.argnums.arg[k] == constant.arg[i])
                kna_fail(op, KN_ERROR_TYPE, "argument %d of %s cannot be constant and donated", constant.arg[i],
                         f->name);
    }
    draft->open_in = draft->open_in || draft->static_args || draft->const_args;
    if (HAS(o, symbolic) && o->symbolic && !(draft->o.symbolic = knf_intern_name(o->symbolic)))
        kna_fail_with(op, knx_error_nomem());
    if (HAS(o, constraints) && o->constraints && !(draft->o.constraints = knf_intern_name(o->constraints)))
        kna_fail_with(op, knx_error_nomem());
    draft->o.checks = HAS(o, checks) && o->checks;
    bool named = draft->o.symbolic && strcmp(draft->o.symbolic, KNF_ALL) != 0;
    if ((draft->o.constraints || draft->o.checks) && !named)
        kna_fail(op, KN_ERROR_VALUE, "%s are of dimension variables, which .symbolic names",
                 draft->o.constraints ? ".constraints" : ".checks");
}

kn_fn kn_jit(kn_fn fn, const kn_jit_opts *opts)
{
    kna_op op;
    kna_begin(&op, "jit");
    knf_core draft = {0};
    knf_fn *f = knf_fn_get(&op, fn);
    if (f) {
        draft = knf_transformed(KNF_FN_JIT, f->core);
        if (opts)
            read_jit_options(&op, opts, &draft);
    }
    return knf_make(&op, f, &draft);
}

static kn_fn gradient(const char *name, kn_fn fn, const kn_grad_opts *opts, bool value)
{
    kna_op op;
    kna_begin(&op, name);
    knf_core draft = {0};
    knf_fn *f = knf_fn_get(&op, fn);
    if (f) {
        draft = knf_transformed(KNF_FN_GRAD, f->core);
        draft.o.value = value;
        if (opts) {
            draft.o.argnums = opts->argnums;
            draft.o.has_aux = opts->has_aux;
            draft.o.holomorphic = HAS(opts, allow_int) && opts->holomorphic;
            draft.o.allow_int = HAS(opts, allow_int) && opts->allow_int;
        }
        count_results(&op, &draft);
    }
    return knf_make(&op, f, &draft);
}

kn_fn kn_grad(kn_fn fn, const kn_grad_opts *opts) { return gradient("grad", fn, opts, false); }

kn_fn kn_value_and_grad(kn_fn fn, const kn_grad_opts *opts) { return gradient("value_and_grad", fn, opts, true); }

enum { MAX_LEAVES = 126 }; /* of one argument, with axes of their own */

/* More axes than arguments are refused. */
static void check_axes(kna_op *op, const knf_core *f, const kn_vmap_opts *o)
{
    int given = 0;
    for (int i = 0; i < KN_MAX_ARGS; i++)
        if (o->in_axes[i].code || (HAS(o, in_leaves) && o->in_leaves[i].n))
            given = i + 1;
    if (given > f->n_args)
        kna_fail(
            op, KN_ERROR_VALUE,
            "in_axes must have entries corresponding to the arguments of the function, but has %d, and %s takes %d",
            given, f->name, f->n_args);
    for (int i = 0; HAS(o, in_leaves) && i < f->n_args && !kna_failed(op); i++) {
        int n = o->in_leaves[i].n;
        if (n < 0 || n > MAX_LEAVES || (n && !o->in_leaves[i].axis))
            kna_fail(op, KN_ERROR_VALUE, "in_leaves of argument %d has %d axes", i, n);
        for (int k = 0; k < n && !kna_failed(op); k++) {
            int code = o->in_leaves[i].axis[k].code;
            if (code < -KN_MAX_NDIM || code > KN_MAX_NDIM + 1)
                kna_fail(op, KN_ERROR_VALUE, "in_leaves of argument %d maps axis %d", i, code < 0 ? code : code - 2);
        }
    }
}

static int leaf_code(kn_mapping m) { return m.code ? m.code : 2; }

/* For each argument 1 + its number of axes, and a letter for each; NULL: none is given, or the operation failed. */
static const char *open_letters(kna_op *op, const knf_core *f, const kn_vmap_opts *o)
{
    knx_str text = {0};
    bool any = false;
    for (int i = 0; HAS(o, in_leaves) && i < f->n_args && !kna_failed(op); i++) {
        any = any || o->in_leaves[i].n;
        knx_str_puts(&text, (const char[]){(char)(1 + o->in_leaves[i].n), 0});
        for (int k = 0; k < o->in_leaves[i].n; k++)
            knx_str_puts(&text, (const char[]){(char)(KNF_LEAF_CODE + leaf_code(o->in_leaves[i].axis[k])), 0});
    }
    const char *letters = any && !text.failed && text.s ? knf_intern_name(text.s) : NULL;
    if (any && !letters && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    knx_str_free(&text);
    return letters;
}

/* A letter per array. ValueError for others than an argument has arrays. */
knx_error *knf_close_leaves(const knf_core *f, const char *open, const char **letters)
{
    char *text = knx_alloc_zero((size_t)f->n_in + 1);
    knx_error *error = text ? NULL : knx_error_nomem();
    for (int i = 0, at = 0; !error && i < f->n_args; at += f->arrays[i], i++) {
        int n = (unsigned char)*open++ - 1;
        if (n && n != f->arrays[i])
            error = knx_error_new(KN_ERROR_VALUE, "in_leaves of argument %d has %d axes, but it has %d array%s", i, n,
                                  f->arrays[i], f->arrays[i] == 1 ? "" : "s");
        for (int k = 0; !error && k < f->arrays[i]; k++)
            text[at + k] = n ? open[k] : (char)KNF_LEAF_CODE;
        open += n;
    }
    if (!error && !(*letters = knf_intern_name(text)))
        error = knx_error_nomem();
    knx_free(text);
    return error;
}

/* Of trees whose structure is not known the numbers are compared when it is. */
static void read_leaves(kna_op *op, const knf_core *f, const kn_vmap_opts *o, knf_core *draft)
{
    draft->o.in_leaves = open_letters(op, f, o);
    if (!draft->o.in_leaves || f->open_in)
        return;
    knx_error *error = knf_close_leaves(f, draft->o.in_leaves, &draft->o.in_leaves);
    if (error)
        kna_fail_with(op, error);
}

static kn_fn mapped(const char *name, knf_fn_kind kind, kn_fn fn, const kn_vmap_opts *opts)
{
    kna_op op;
    kna_begin(&op, name);
    knf_core draft = {0};
    knf_fn *f = knf_fn_get(&op, fn);
    if (f) {
        draft = knf_transformed(kind, f->core);
        if (opts) {
            check_axes(&op, f->core, opts);
            read_leaves(&op, f->core, opts, &draft);
            memcpy(draft.o.in_axes, opts->in_axes, sizeof draft.o.in_axes);
            memcpy(draft.o.out_axes, opts->out_axes, sizeof draft.o.out_axes);
            draft.o.axis_size = opts->axis_size;
        }
        if (draft.o.axis_size < 0)
            kna_fail(&op, KN_ERROR_VALUE, "axis_size is negative");
        if (opts && opts->axis_name && !(draft.o.axis_name = knf_intern_name(opts->axis_name)))
            kna_fail_with(&op, knx_error_nomem());
        if (opts && HAS(opts, devices) && opts->devices && !kna_failed(&op))
            knf_take_devices(&op, opts->devices, &draft);
    }
    return knf_make(&op, f, &draft);
}

kn_fn kn_vmap(kn_fn fn, const kn_vmap_opts *opts) { return mapped("vmap", KNF_FN_VMAP, fn, opts); }

kn_fn kn_pmap(kn_fn fn, const kn_vmap_opts *opts) { return mapped("pmap", KNF_FN_PMAP, fn, opts); }

static kn_fn jacobian(const char *name, knf_fn_kind kind, kn_fn fn, const kn_jac_opts *opts)
{
    kna_op op;
    kna_begin(&op, name);
    knf_core draft = {0};
    knf_fn *f = knf_fn_get(&op, fn);
    if (f) {
        draft = knf_transformed(kind, f->core);
        if (opts) {
            draft.o.argnums = opts->argnums;
            draft.o.holomorphic = HAS(opts, allow_int) && opts->holomorphic;
            draft.o.allow_int = HAS(opts, allow_int) && opts->allow_int;
        }
        if (opts && HAS(opts, n_aux) && opts->has_aux) {
            draft.o.has_aux = true;
            draft.o.n_aux = opts->n_aux;
        }
        count_results(&op, &draft);
    }
    return knf_make(&op, f, &draft);
}

kn_fn kn_jacfwd(kn_fn fn, const kn_jac_opts *opts) { return jacobian("jacfwd", KNF_FN_JACFWD, fn, opts); }

kn_fn kn_jacrev(kn_fn fn, const kn_jac_opts *opts) { return jacobian("jacrev", KNF_FN_JACREV, fn, opts); }

kn_fn kn_hessian(kn_fn fn, const kn_jac_opts *opts)
{
    kna_op op;
    kn_jac_opts o = {.size_ = sizeof o};
    kna_begin(&op, "hessian");
    knf_fn *f = knf_fn_get(&op, fn);
    knx_read_options(&o, sizeof o, opts);
    if (f && o.has_aux && !o.n_aux) { /* of the Jacobian there are more in front */
        if (knf_is_open(f->core))
            kna_fail(&op, KN_ERROR_VALUE, "%s returns a tree: say with .n_aux how many arrays of it are aux",
                     f->core->name);
        o.n_aux = f->core->n_out - 1;
        if (o.n_aux < 1)
            kna_fail(&op, KN_ERROR_VALUE, "%d results of %s cannot be aux: it returns %d array%s", o.n_aux,
                     f->core->name, f->core->n_out, f->core->n_out == 1 ? "" : "s");
    }
    kn_fn reverse = kna_end_plain(&op) && f ? kn_jacrev(fn, &o) : NULL;
    kn_fn both = reverse ? kn_jacfwd(reverse, &o) : NULL;
    if (reverse)
        kn_release(reverse);
    return both;
}

int kn_fn_trace_count(kn_fn fn)
{
    kna_op op;
    kna_begin(&op, "fn_trace_count");
    knf_fn *f = knf_fn_get(&op, fn);
    int n = f ? f->core->trace_count : -1;
    return kna_end_plain(&op) ? n : -1;
}

const char *kn_fn_name(kn_fn fn)
{
    kna_op op;
    kna_begin(&op, "fn_name");
    knf_fn *f = knf_fn_get(&op, fn);
    const char *name = f ? f->core->name : "";
    return kna_end_plain(&op) ? name : "";
}

/* ---- At a point. */

typedef struct point {
    kna_op op;
    knf_fn *f;
    int n; /* captured and arguments */
    knx_arena arena;
    kna_value **in; /* references */
    kni_type *type;
    bool *has_tangent; /* of the arguments that are inexact */
    kna_closed closed;
    knt_linearized l;
    int n_main; /* results that are differentiated */
    knf_fn fitted;
    const kn_args *primals;
    kntree_structure *result; /* that the function returns; NULL: not known */
} point;

static void point_end(point *p)
{
    knf_release_values(p->n, p->in);
    kna_closed_free(&p->closed);
    knt_linearized_free(&p->l);
    knx_arena_free(&p->arena);
    kntree_structure_release(p->result);
    knf_fit_end(p->fitted.core);
}

static knx_error *point_derive(point *p, kn_fn fn, const kn_args *primals)
{
    knf_core *f;
    p->f = knf_fn_get(&p->op, fn);
    if (!p->f)
        return kna_take_error(&p->op);
    if (knf_is_open(p->f->core)) {
        KN_TRY(knf_fit_call(p->f, primals, KNF_FIT_CALL, &p->fitted.core));
        p->fitted.captured = p->f->captured;
        p->f = &p->fitted;
    }
    f = p->f->core;
    p->primals = primals;
    int n = f->n_captured + f->n_in;
    kna_value **in = knx_arena_zero(&p->arena, ((size_t)n + 1) * sizeof *in);
    p->type = knx_arena_alloc(&p->arena, ((size_t)n + 1) * sizeof *p->type);
    p->has_tangent = knx_arena_zero(&p->arena, (size_t)n + 1);
    if (!in || !p->type || !p->has_tangent)
        return knx_error_nomem();
    KN_TRY(knf_read_args(f->name, f, primals, in + f->n_captured));
    p->in = in;
    p->n = n;
    p->result = knf_result_structure(f, primals);
    for (int i = 0; i < f->n_captured; i++)
        in[i] = kna_value_retain(p->f->captured[i]);
    for (int i = 0; i < n; i++) {
        p->type[i] = in[i]->type;
        p->has_tangent[i] = i >= f->n_captured && knx_is_inexact(in[i]->type.dtype);
    }
    const char *why = NULL;
    bool concrete = knf_may_be_concrete(&why);
    return knf_derive(f, p->type, concrete ? in : NULL, why, &p->closed);
}

static knx_error *read_tangents(point *p, const char *what, const kn_args *tangents, kna_value **t)
{
    knf_core *f = p->f->core;
    KN_TRY(knf_read_args(what, f, tangents, t));
    for (int i = 0; i < f->n_in; i++) {
        kni_type x = p->type[f->n_captured + i];
        if (kni_type_same_shape(x, t[i]->type) && (x.dtype == t[i]->type.dtype || !knx_is_inexact(x.dtype)))
            continue;
        knx_text a = {0}, b = {0};
        knx_error *error = knx_error_new(KN_ERROR_TYPE, "array %d of the tangents is %s, but the primal is %s", i,
                                         kni_type_text(&a, t[i]->type, true), kni_type_text(&b, x, true));
        knf_release_values(f->n_in, t);
        return error;
    }
    return NULL;
}

/* Which results go to y, and which to aux (NULL: none). */
static knx_error *split_results(point *p, const kn_outs *y, const kn_outs *aux)
{
    const knf_core *f = p->f->core;
    int n = aux ? knf_outs_size(aux) : 0;
    if (n < 0 && (n = knf_outs_size(y)) >= 0)
        n = f->n_out - n;
    if (n < 0 || n > f->n_out)
        return knx_error_new(KN_ERROR_TYPE, "%s returns %d array%s: it is not known how many of them are aux", f->name,
                             f->n_out, f->n_out == 1 ? "" : "s");
    p->n_main = f->n_out - n;
    if (aux)
        KN_TRY(knf_check_outs(f->name, n, aux));
    return knf_check_outs(f->name, p->n_main, y);
}

static knx_error *jvp_at(point *p, kn_fn fn, const kn_args *primals, const kn_args *tangents, const kn_outs *y,
                         const kn_outs *dy, const kn_outs *aux)
{
    KN_TRY(point_derive(p, fn, primals));
    knf_core *f = p->f->core;
    uint32_t n_out = p->closed.jaxpr->n_out;
    KN_TRY(split_results(p, y, aux));
    KN_TRY(knf_check_outs(f->name, p->n_main, dy));
    bool *every = knx_arena_alloc(&p->arena, (size_t)n_out + 1), *made = knx_arena_alloc(&p->arena, (size_t)n_out + 1);
    kna_value **t = knx_arena_alloc(&p->arena, ((size_t)f->n_in + 1) * sizeof *t),
              **out = knx_arena_alloc(&p->arena, (2 * (size_t)n_out + 1) * sizeof *out);
    kna_value **all = knx_arena_alloc(&p->arena, (2 * (size_t)p->n + 1) * sizeof *all);
    if (!t || !out || !all || !every || !made)
        return knx_error_nomem();
    memset(every, false, n_out);
    memset(every, true, (size_t)p->n_main); /* those of integers are zeros */
    KN_TRY(read_tangents(p, f->name, tangents, t));
    kna_closed joint = {.n_const = p->closed.n_const, .consts = p->closed.consts};
    knx_error *error = knt_jvp_lazily(p->closed.jaxpr, p->has_tangent, every, made, &joint.jaxpr);
    int n = 0;
    for (int i = 0; i < p->n; i++)
        all[n++] = p->in[i];
    for (int i = 0; i < p->n; i++)
        if (p->has_tangent[i])
            all[n++] = t[i - f->n_captured];
    if (!error)
        error = knf_inline_closed(&joint, all, out);
    knf_release_values(f->n_in, t);
    kni_release(joint.jaxpr);
    if (!error) {
        knf_write_results(y, 0, p->n_main, out, p->result);
        knf_write_results(dy, 0, p->n_main, out + n_out, p->result);
        if (aux)
            knf_write_results(aux, p->n_main, (int)n_out - p->n_main, out + p->n_main, p->result);
        uint32_t more = n_out + (uint32_t)p->n_main; /* tangents of aux */
        for (uint32_t i = (uint32_t)p->n_main; i < n_out; i++)
            if (made[i])
                kna_value_release(out[more++]);
    }
    return error;
}

static int end_point(point *p, knx_error *error, const kn_outs *y, const kn_outs *dy, const kn_outs *aux)
{
    if (!error)
        error = kna_take_error(&p->op);
    if (error) {
        knf_write_error(y, error);
        if (dy)
            knf_write_error(dy, error);
        if (aux)
            knf_write_error(aux, error);
    }
    knx_error_release(error);
    point_end(p);
    kna_leave(&p->op);
    return error ? -1 : 0;
}

int kn_jvp(kn_fn fn, const kn_args *primals, const kn_args *tangents, const kn_outs *y, const kn_outs *dy)
{
    point p = {0};
    kna_begin(&p.op, "jvp");
    return end_point(&p, jvp_at(&p, fn, primals, tangents, y, dy, NULL), y, dy, NULL);
}

int kn_jvp_aux(kn_fn fn, const kn_args *primals, const kn_args *tangents, const kn_outs *y, const kn_outs *dy,
               const kn_outs *aux)
{
    point p = {0};
    kna_begin(&p.op, "jvp");
    knx_error *error =
        aux ? jvp_at(&p, fn, primals, tangents, y, dy, aux) : knx_error_new(KN_ERROR_TYPE, "the result is null");
    return end_point(&p, error, y, dy, aux);
}

/* Runs the primal part at the point: results go to y, residuals are kept. */
static knx_error *linearize_at(point *p, kn_fn fn, const kn_args *primals, const kn_outs *y, const kn_outs *aux,
                               kna_value ***residuals)
{
    KN_TRY(point_derive(p, fn, primals));
    KN_TRY(split_results(p, y, aux));
    KN_TRY(knt_linearize(p->closed.jaxpr, p->has_tangent, &p->l));
    uint32_t n_out = p->closed.jaxpr->n_out;
    kna_value **out = knx_arena_alloc(&p->arena, ((size_t)n_out + p->l.n_residual + 1) * sizeof *out);
    if (!out)
        return knx_error_nomem();
    kna_closed primal = {.jaxpr = p->l.primal, .n_const = p->closed.n_const, .consts = p->closed.consts};
    KN_TRY(knf_inline_closed(&primal, p->in, out));
    *residuals = out + n_out;
    knf_write_results(y, 0, p->n_main, out, p->result);
    if (aux)
        knf_write_results(aux, p->n_main, (int)n_out - p->n_main, out + p->n_main, p->result);
    return NULL;
}

/* The derivative as a function of one argument per argument (reverse: of one, the struct of the results). Inputs
 * without tangents are taken and not read; results without get zeros. */
static knx_error *linear_function(point *p, bool reverse, kni_jaxpr **out)
{
    const kni_jaxpr *lin = p->l.linear, *j = p->closed.jaxpr;
    knf_core *f = p->f->core;
    kni_builder b;
    kni_jaxpr *body = NULL;
    bool *linear = knx_arena_zero(&p->arena, lin->n_in + 1);
    size_t room = (size_t)lin->n_in + j->n_in + j->n_out + 1;
    kni_atom *in = knx_arena_alloc(&p->arena, room * sizeof *in), *y = knx_arena_alloc(&p->arena, room * sizeof *y),
             *res = knx_arena_alloc(&p->arena, room * sizeof *res);
    if (!linear || !in || !y || !res)
        return knx_error_nomem();
    for (uint32_t i = p->l.n_residual; i < lin->n_in; i++)
        linear[i] = true;
    if (reverse)
        KN_TRY(knt_transpose(lin, linear, &body));
    else
        body = kni_retain(lin);
    knb_init(&b);
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < p->l.n_residual; i++)
        in[n++] = knb_invar(&b, kni_in_type(lin, i));
    for (int i = 0; !reverse && i < f->n_in; i++) {
        kni_atom a = knb_invar(&b, p->type[f->n_captured + i]);
        if (p->has_tangent[f->n_captured + i])
            in[n++] = a;
    }
    uint32_t n_main = (uint32_t)p->n_main;
    for (uint32_t i = 0; reverse && i < j->n_out; i++) {
        kni_atom a = i < n_main ? knb_invar(&b, kni_out_type(j, i)) : KN_ATOM_NONE;
        if (p->l.out_tangent[i])
            in[n++] = i < n_main ? a : knb_zeros(&b, kni_out_type(j, i));
    }
    knb_inline(&b, body, in, y);
    uint32_t n_res = 0;
    for (int i = 0; reverse && i < f->n_in; i++) {
        kni_type t = p->type[f->n_captured + i];
        res[n_res++] = p->has_tangent[f->n_captured + i] ? y[at++] : knb_zeros(&b, t);
    }
    for (uint32_t i = 0; !reverse && i < n_main; i++)
        res[n_res++] = p->l.out_tangent[i] ? y[at++] : knb_zeros(&b, kni_out_type(j, i));
    knx_error *error = knb_finish(&b, (int)n_res, res, f->name, true, out);
    knb_free(&b);
    kni_release(body);
    return error;
}

static kn_fn function_at(const char *name, bool reverse, kn_fn fn, const kn_args *primals, const kn_outs *y,
                         const kn_outs *aux)
{
    point p = {0};
    kna_value **residuals = NULL;
    kni_jaxpr *j = NULL;
    kna_begin(&p.op, name);
    knx_error *error =
        y ? linearize_at(&p, fn, primals, y, aux, &residuals) : knx_error_new(KN_ERROR_TYPE, "the result is null");
    if (!error)
        error = linear_function(&p, reverse, &j);
    knf_core *core = NULL;
    if (!error) {
        const knf_core *f = p.f->core;
        knf_core draft = {.kind = KNF_FN_JAXPR,
                          .jaxpr = j,
                          .name = f->name,
                          .n_captured = (int)p.l.n_residual,
                          .n_out = reverse ? f->n_in : p.n_main,
                          .out_structure =
                              reverse ? knf_arguments_structure(f, primals) : kntree_structure_retain(p.result)};
        if (reverse) {
            draft.n_args = 1;
            draft.n_in = draft.arrays[0] = p.n_main;
        } else {
            draft.n_args = f->n_args;
            draft.n_in = f->n_in;
            memcpy(draft.arrays, f->arrays, sizeof draft.arrays);
        }
        core = knf_core_intern(&draft);
        kntree_structure_release(draft.out_structure);
        if (!core)
            error = knx_error_nomem();
    }
    kn_fn out = error ? NULL : knf_fn_handle(core, (int)p.l.n_residual, residuals);
    knf_release_values(residuals ? (int)p.l.n_residual : 0, residuals);
    kni_release(j);
    end_point(&p, error, y, NULL, aux);
    return out;
}

kn_fn kn_vjp(kn_fn fn, const kn_args *primals, const kn_outs *y)
{
    return function_at("vjp", true, fn, primals, y, NULL);
}

kn_fn kn_linearize(kn_fn fn, const kn_args *primals, const kn_outs *y)
{
    return function_at("linearize", false, fn, primals, y, NULL);
}

kn_fn kn_vjp_aux(kn_fn fn, const kn_args *primals, const kn_outs *y, const kn_outs *aux)
{
    return function_at("vjp", true, fn, primals, y, aux ? aux : &(kn_outs){0});
}

kn_fn kn_linearize_aux(kn_fn fn, const kn_args *primals, const kn_outs *y, const kn_outs *aux)
{
    return function_at("linearize", false, fn, primals, y, aux ? aux : &(kn_outs){0});
}

kn_fn kn_linear_transpose(kn_fn fn, const kn_args *examples)
{
    point p = {0};
    kni_jaxpr *transposed = NULL, *j = NULL;
    knf_core *core = NULL;
    kna_begin(&p.op, "linear_transpose");
    knx_error *error = point_derive(&p, fn, examples);
    for (int i = 0; !error && i < p.n; i++)
        p.has_tangent[i] = i >= p.f->core->n_captured;
    if (!error)
        error = knt_transpose(p.closed.jaxpr, p.has_tangent, &transposed);
    if (!error)
        error = knf_constants_as_inputs(transposed, &j);
    kna_value **captured =
        error ? NULL : knx_arena_alloc(&p.arena, ((size_t)p.closed.n_const + (size_t)p.n + 1) * sizeof *captured);
    if (!error && captured) {
        const knf_core *f = p.f->core;
        int n = 0;
        for (uint32_t i = 0; i < p.closed.n_const; i++)
            captured[n++] = p.closed.consts[i];
        for (int i = 0; i < f->n_captured; i++)
            captured[n++] = p.in[i];
        knf_core draft = {.kind = KNF_FN_JAXPR,
                          .jaxpr = j,
                          .name = f->name,
                          .n_captured = n,
                          .n_args = 1,
                          .n_in = f->n_out,
                          .arrays = {f->n_out},
                          .n_out = f->n_in,
                          .out_structure = knf_arguments_structure(f, examples)};
        core = knf_core_intern(&draft);
        kntree_structure_release(draft.out_structure);
    }
    if (!error && !core)
        error = knx_error_nomem();
    kn_fn out = error ? NULL : knf_fn_handle(core, core->n_captured, captured);
    kni_release(transposed);
    kni_release(j);
    end_point(&p, error, NULL, NULL, NULL);
    return out;
}
