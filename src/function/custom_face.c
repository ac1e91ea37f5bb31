/* SPDX-License-Identifier: Apache-2.0
 * custom_face.c -- kn_custom_jvp, kn_custom_vjp, kn_checkpoint and the names in it: handles, and what is wrong with
 * rules before they are recorded. */
#include "function/custom.h"
#include "array/op.h"
#include "base/str.h"
#include "ir/ops.h"
#include <stdlib.h>
#include <string.h>

/* ---- Custom derivatives. */

static bool takes(const knf_core *rule, int from, const knf_core *f, bool captured)
{
    int at = from;
    if (captured && (at >= rule->n_args || rule->arrays[at++] != f->n_captured))
        return false;
    for (int i = 0; i < f->n_args; i++)
        if (at >= rule->n_args || rule->arrays[at++] != f->arrays[i])
            return false;
    return true;
}

/* Its arguments, `times` times over, with the captured arrays in front or without. */
static bool takes_all(const knf_core *rule, const knf_core *f, int times)
{
    for (int captured = 0; captured < (f->n_captured ? 2 : 1); captured++) {
        int n = f->n_args + captured;
        bool fits = rule->n_args == n * times;
        for (int k = 0; fits && k < times; k++)
            fits = takes(rule, k * n, f, captured);
        if (fits)
            return true;
    }
    return false;
}

static knx_error *check_jvp(const knf_core *f, const knf_core *rule)
{
    if (!takes_all(rule, f, 2))
        return knx_error_new(
            KN_ERROR_TYPE,
            "Custom JVP rule %s for function %s must take all arguments of %s, then all tangents: twice "
            "%d arrays, but it takes %d",
            rule->name, f->name, f->name, f->n_in, rule->n_in);
    if (rule->n_out != 2 * f->n_out)
        return knx_error_new(KN_ERROR_TYPE,
                             "Custom JVP rule %s for function %s must produce a pair representing primal and tangent "
                             "outputs: twice %d arrays, but it produces %d",
                             rule->name, f->name, f->n_out, rule->n_out);
    return NULL;
}

static knx_error *check_forward_takes(const knf_core *f, const knf_core *fwd)
{
    if (takes_all(fwd, f, 1))
        return NULL;
    return knx_error_new(KN_ERROR_TYPE,
                         "Custom VJP fwd rule %s for function %s must take the arguments of %s: %d arrays, but it "
                         "takes %d",
                         fwd->name, f->name, f->name, f->n_in, fwd->n_in);
}

static knx_error *check_backward_returns(const knf_core *f, const knf_core *fwd, const knf_core *bwd)
{
    if (bwd->n_out == fwd->n_in)
        return NULL;
    return knx_error_new(KN_ERROR_TYPE,
                         "Custom VJP bwd rule %s must produce an output with the same structure as the arguments of "
                         "the primal function %s: %d arrays, but it produces %d",
                         bwd->name, f->name, fwd->n_in, bwd->n_out);
}

static knx_error *check_vjp(const knf_core *f, const knf_core *fwd, const knf_core *bwd)
{
    KN_TRY(check_forward_takes(f, fwd));
    if (fwd->n_out < f->n_out)
        return knx_error_new(
            KN_ERROR_TYPE,
            "Custom VJP fwd rule %s for function %s must produce a pair where the first element represents "
            "the primal output and the second element represents residuals: at least %d arrays, but it "
            "produces %d",
            fwd->name, f->name, f->n_out, fwd->n_out);
    int residuals = fwd->n_out - f->n_out;
    KN_KNOWN(bwd);
    if (bwd->n_in != residuals + f->n_out)
        return knx_error_new(KN_ERROR_TYPE,
                             "Custom VJP bwd rule %s for function %s must take the residuals and the cotangents of the "
                             "results: %d and %d arrays, but it takes %d",
                             bwd->name, f->name, residuals, f->n_out, bwd->n_in);
    return check_backward_returns(f, fwd, bwd);
}

/* The rules of a function of structs may hand residuals on as trees: how many there are is seen when they are
 * recorded. */
static knx_error *check_tree_rules(const knf_core *f, const knf_core *fwd, const knf_core *bwd)
{
    if (fwd->kind != KNF_FN_C || !fwd->tree_out || fwd->open_in || bwd->kind != KNF_FN_C || bwd->n_args != 2 ||
        !bwd->open_in)
        return knx_error_new(KN_ERROR_TYPE,
                             "the rules of %s take trees (kn_tree), but %s does not: the forward one takes what %s "
                             "does and returns a tree of two, the result and the residuals, and the backward one takes "
                             "these residuals and the cotangents, both as trees",
                             f->name, f->name, f->name);
    KN_TRY(check_forward_takes(f, fwd));
    return bwd->open_out ? NULL : check_backward_returns(f, fwd, bwd);
}

/* Those of trees whose structure is not known are checked when a call shows it. */
knx_error *knf_check_rules(knf_fn_kind kind, const knf_core *f, const knf_core *first, const knf_core *second)
{
    bool open = knf_is_open(f) || knf_is_open(first) || (second && knf_is_open(second));
    if (open && knf_is_open(f))
        return NULL;
    if (open && second)
        return check_tree_rules(f, first, second);
    if (open)
        return knx_error_new(KN_ERROR_TYPE, "the rules of %s take trees (kn_tree), but %s does not", f->name, f->name);
    return kind == KNF_FN_CUSTOM_JVP ? check_jvp(f, first) : check_vjp(f, first, second);
}

/* fns: the function, then its rules. */
static kn_fn custom(kna_op *op, knf_fn_kind kind, int n, knf_fn *const *fns)
{
    knf_core *f = fns[0]->core;
    knf_core draft = {.kind = kind,
                      .inner = f,
                      .name = f->name,
                      .n_args = f->n_args,
                      .n_in = f->n_in,
                      .n_out = f->n_out,
                      .open_in = f->open_in,
                      .open_out = f->open_out};
    memcpy(draft.arrays, f->arrays, sizeof draft.arrays);
    for (int i = 0; i < n; i++)
        draft.n_captured += fns[i]->core->n_captured;
    kna_value **captured = knx_alloc(((size_t)draft.n_captured + 1) * sizeof *captured);
    for (int i = 1, at = 0; captured && i <= n; i++) { /* rules first */
        const knf_fn *from = fns[i % n];
        for (int k = 0; k < from->core->n_captured; k++)
            captured[at++] = from->captured[k];
        if (i < n)
            draft.rule[i - 1] = from->core;
    }
    knf_core *core = captured ? knf_core_intern(&draft) : NULL;
    if (!core)
        kna_fail_with(op, knx_error_nomem());
    kn_fn out = core ? knf_fn_handle(core, draft.n_captured, captured) : NULL;
    knx_free(captured);
    return out;
}

kn_fn kn_custom_jvp(kn_fn fn, kn_fn rule)
{
    kna_op op;
    kn_fn out = NULL;
    kna_begin(&op, "custom_jvp");
    knf_fn *fns[2] = {knf_fn_get(&op, fn), NULL};
    fns[1] = fns[0] ? knf_fn_get(&op, rule) : NULL;
    knx_error *error = fns[1] ? knf_check_rules(KNF_FN_CUSTOM_JVP, fns[0]->core, fns[1]->core, NULL) : NULL;
    if (error)
        kna_fail_with(&op, error);
    else if (fns[1])
        out = custom(&op, KNF_FN_CUSTOM_JVP, 2, fns);
    return kna_end_plain(&op) ? out : NULL;
}

kn_fn kn_custom_vjp(kn_fn fn, kn_fn forward, kn_fn backward)
{
    kna_op op;
    kn_fn out = NULL;
    kna_begin(&op, "custom_vjp");
    knf_fn *fns[3] = {knf_fn_get(&op, fn), NULL, NULL};
    fns[1] = fns[0] ? knf_fn_get(&op, forward) : NULL;
    fns[2] = fns[1] ? knf_fn_get(&op, backward) : NULL;
    knx_error *error = fns[2] ? knf_check_rules(KNF_FN_CUSTOM_VJP, fns[0]->core, fns[1]->core, fns[2]->core) : NULL;
    if (error)
        kna_fail_with(&op, error);
    else if (fns[2])
        out = custom(&op, KNF_FN_CUSTOM_VJP, 3, fns);
    return kna_end_plain(&op) ? out : NULL;
}

/* ---- Checkpoints. */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static knx_error *check_name(const char *name)
{
    if (!name)
        return knx_error_new(KN_ERROR_TYPE, "null name");
    if (!*name)
        return knx_error_new(KN_ERROR_VALUE, "a name is empty");
    return strchr(name, '\n') ? knx_error_new(KN_ERROR_VALUE, "a name has more than one line") : NULL;
}

/* Sorted, each once, one a line. */
static knx_error *names_of(const kn_policy *p, const char **out)
{
    const char *name[KN_MAX_POLICY_NAMES];
    knx_str text = {0};
    if (p->n < 0 || p->n > KN_MAX_POLICY_NAMES)
        return knx_error_new(KN_ERROR_VALUE, "a policy has up to %d names, not %d", KN_MAX_POLICY_NAMES, p->n);
    for (int i = 0; i < p->n; i++) {
        KN_TRY(check_name(p->name[i]));
        name[i] = p->name[i];
    }
    qsort(name, (size_t)p->n, sizeof *name, by_text);
    for (int i = 0; i < p->n; i++) {
        if (i && !strcmp(name[i], name[i - 1]))
            continue;
        knx_str_puts(&text, i ? "\n" : "");
        knx_str_puts(&text, name[i]);
    }
    *out = text.failed ? NULL : knf_intern_name(text.n ? text.s : "");
    knx_str_free(&text);
    return *out ? NULL : knx_error_nomem();
}

static knx_error *read_policy(const kn_policy *p, knf_options *o)
{
    o->policy = p->kind;
    switch (p->kind) {
    case KN_POLICY_NOTHING:
    case KN_POLICY_EVERYTHING:
    case KN_POLICY_PRODUCTS:
    case KN_POLICY_PRODUCTS_WITHOUT_BATCH: return NULL;
    case KN_POLICY_THESE_NAMES:
    case KN_POLICY_OTHER_NAMES: return names_of(p, &o->policy_names);
    default: return knx_error_new(KN_ERROR_VALUE, "policy %d is none of KN_POLICY_NOTHING, ...", (int)p->kind);
    }
}

kn_fn kn_checkpoint(kn_fn fn, const kn_checkpoint_opts *opts)
{
    _Static_assert((int)KN_POLICY_OTHER_NAMES == (int)KN_SAVE_OTHER_NAMES, "the policies of rows, in their order");
    kna_op op;
    kn_fn out = NULL;
    kna_begin(&op, "checkpoint");
    knf_fn *f = knf_fn_get(&op, fn);
    if (f) {
        const knf_core *inner = f->core;
        knf_core draft = knf_transformed(KNF_FN_CHECKPOINT, inner);
        draft.o.allow_cse = opts && !opts->prevent_cse;
        knx_error *error = opts ? read_policy(&opts->policy, &draft.o) : NULL;
        knf_core *core = error ? NULL : knf_core_intern(&draft);
        if (!error && !core)
            error = knx_error_nomem();
        if (error)
            kna_fail_with(&op, error);
        else
            out = knf_fn_handle(core, inner->n_captured, f->captured);
    }
    return kna_end_plain(&op) ? out : NULL;
}

kn_array kn_checkpoint_name(kn_array x, const char *name)
{
    kna_op op;
    kna_begin(&op, "checkpoint_name");
    kni_atom a = kna_in(&op, x);
    knx_error *error = check_name(name);
    if (error)
        kna_fail_with(&op, error);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_end(&op, knb_emit1(op.b, &knp_prim_name, &(kni_p_name){name}, 1, &a));
}

static kn_array stop_gradient(const char *name, kn_array x)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    return kna_end(&op, knb_stop_gradient(op.b, a));
}

kn_array kn_stop_gradient(kn_array x) { return stop_gradient("stop_gradient", x); }
kn_array kn_lax_stop_gradient(kn_array x) { return stop_gradient("stop_gradient", x); }
