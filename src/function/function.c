/* SPDX-License-Identifier: Apache-2.0
 * function.c -- handles of functions, recording a C function, lists of named axes. */
#include "function/custom.h"
#include "function/made.h"
#include "function/manual.h"
#include "function/symbolic.h"
#include "function/function.h"
#include "array/handle.h"
#include "array/storage.h"
#include "tree/tree.h"
#include "base/log.h"
#include "base/float_env.h"
#include <string.h>

/* ---- Handles. */

static void drop_fn(void *p)
{
    knf_fn *f = p;
    knf_release_values(f->core->n_captured, f->captured);
    knx_free(f->captured);
    knf_core_release(f->core);
    knx_free(f);
}

kn_fn knf_fn_handle(knf_core *core, int n_captured, kna_value *const *captured)
{
    knf_fn *f = core ? knx_alloc_zero(sizeof *f) : NULL;
    kna_value **copy = f ? knx_alloc(((size_t)n_captured + 1) * sizeof *copy) : NULL;
    if (!copy) {
        knx_free(f);
        knf_core_release(core);
        knx_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
        return NULL;
    }
    for (int i = 0; i < n_captured; i++)
        copy[i] = kna_value_retain(captured[i]);
    *f = (knf_fn){core, copy};
    return kna_handle_new(KN_H_FN, f, drop_fn);
}

KNX_HOT knf_fn *(knf_fn_get)(kna_op *op, kn_fn fn) { return kna_handle_in(op, KN_H_FN, fn); }

bool knf_may_be_concrete(const char **why)
{
    kna_recording *r = kna_recording_current();
    if (r && !r->concrete)
        *why = r->transformation;
    return !r || r->concrete;
}

/* ---- Calling a C function. */

/* The arguments of a call: pointers to structs of arrays, or to trees. */
typedef struct call {
    const knf_core *f;
    const kn_array *in; /* captured, then arguments */
    kn_tree tree[KN_MAX_ARGS], captured;
    const void *part[KN_MAX_ARGS];
} call;

/* A tree of the next arrays. */
static knx_error *tree_argument(kntree_structure *s, const kn_array *x, kn_tree *tree)
{
    *tree = kntree_tree_new("call", kntree_structure_retain(s), x);
    return *tree ? NULL : knx_error_nomem();
}

static knx_error *begin_call(call *c)
{
    const knf_core *f = c->f;
    int at = f->n_captured;
    if (f->captured_structure && !f->rule[0])
        KN_TRY(tree_argument(f->captured_structure, c->in, &c->captured));
    for (int i = 0; i < f->n_args; at += f->arrays[i], i++) {
        c->part[i] = c->in + at;
        if (f->c->arg_bytes[i] != 2)
            continue;
        KN_TRY(tree_argument(f->in_structure[i], c->in + at, &c->tree[i]));
        c->part[i] = &c->tree[i];
    }
    return NULL;
}

/* The arrays of the tree that it returned. */
static knx_error *take_tree(const knf_core *f, kn_tree y, kn_array **out, int *n, kntree_structure **structure)
{
    int count = y ? kntree_tree_size(y) : -1;
    if (count < 0)
        return knx_error_new(KN_ERROR_TYPE, "%s returned no tree", f->name);
    const kntree_structure *s = kntree_structure_in("call", kntree_tree_get("call", y));
    *out = s ? knx_alloc_zero(((size_t)count + 1) * sizeof **out) : NULL;
    if (!*out)
        return knx_error_nomem();
    for (int i = 0; i < count; i++)
        (*out)[i] = kntree_tree_at(y, i);
    *n = count;
    *structure = kntree_structure_retain((kntree_structure *)(uintptr_t)s);
    return NULL;
}

knx_error *knf_call_c(const knf_core *f, const kn_array *in, kn_array **out, int *n, kntree_structure **structure)
{
    call c = {.f = f, .in = in};
    kna_user_call u;
    kn_tree tree = NULL;
    *structure = NULL;
    *out = NULL;
    *n = f->tree_out ? 0 : f->n_out;
    KN_TRY(begin_call(&c));
    if (!f->tree_out && !(*out = knx_alloc_zero(((size_t)f->n_out + 1) * sizeof **out)))
        return knx_error_nomem();
    knf_made made = {0};
    if (f->rule[0])
        KN_TRY(knf_made_begin(f, in, &made));
    knx_error *error = kna_enter_user(&u);
    const void *env = f->rule[0]              ? (const void *)&made
                      : f->captured_structure ? (const void *)&c.captured
                      : f->n_captured         ? (const void *)in
                                              : f->env;
    if (!error) {
        f->c->call(env, f->tree_out ? (void *)&tree : (void *)*out, c.part);
        kna_leave_user(&u);
    }
    if (made.of)
        kn_release(made.of);
    if (error)
        return error;
    return f->tree_out ? take_tree(f, tree, out, n, structure) : NULL;
}

static void drop_value(void *v) { kna_value_release(v); }

static knx_error *result_atom(kna_recording *r, const knf_core *f, int i, kn_array x, kni_atom *a)
{
    kna_value *v;
    if (!x) {
        knx_text path = {0};
        const char *name = knf_leaf_name(&path, f, -1, i);
        return *name ? knx_error_new(KN_ERROR_TYPE, "%s left%s of its result empty (null)", f->name, name)
                     : knx_error_new(KN_ERROR_TYPE, "%s left array %d of its result empty (null)", f->name, i);
    }
    KN_TRY(kna_array_value(x, &v));
    knx_error *error = kna_recording_atom(r, v, a);
    kna_value_release(v);
    return error;
}

/* Input i of a recording: a tracer, or the value itself. */
static kna_value *input_value(const knf_core *f, kna_recording *r, size_t i, kni_atom a, kna_value *const *given)
{
    kna_value *fixed = f->fixed && i >= (size_t)f->n_captured ? f->fixed[i - (size_t)f->n_captured] : NULL;
    fixed = fixed ? fixed : given ? given[i] : NULL;
    return fixed ? kna_value_retain(fixed) : kna_recording_tracer(r, a);
}

/* A recording of a C function: its results as atoms. */
typedef struct traced {
    kni_atom *atom;
    int n;
    kntree_structure *structure;
} traced;

static knx_error *check_structure(const knf_core *f, const kntree_structure *returned)
{
    if (!f->out_structure)
        return returned->node[0].leaves == f->n_out
                   ? NULL
                   : knx_error_new(KN_ERROR_TYPE, "%s must return %d arrays, but its tree has %d", f->name, f->n_out,
                                   returned->node[0].leaves);
    if (kntree_structure_equal(f->out_structure, returned))
        return NULL;
    knx_str before = {0}, now = {0};
    kntree_structure_text(&before, f->out_structure);
    kntree_structure_text(&now, returned);
    knx_error *e = knx_error_new(KN_ERROR_TYPE, "%s returned %s, but %s for the same types before", f->name,
                                 now.s ? now.s : "", before.s ? before.s : "");
    knx_str_free(&before);
    knx_str_free(&now);
    return e;
}

static knx_error *trace_c(knf_core *f, kna_recording *r, const kni_type *in, kna_value *const *known,
                          kna_value *const *given, traced *t)
{
    size_t n_in = (size_t)f->n_captured + (size_t)f->n_in;
    kn_array *x = knx_alloc((n_in + 1) * sizeof *x), *y = NULL;
    knx_error *error = x ? NULL : knx_error_nomem();
    for (size_t i = 0; !error && i < n_in; i++) {
        kni_atom a = kna_recording_input(r, in[i], known ? known[i] : NULL);
        kna_value *v = input_value(f, r, i, a, given);
        x[i] = v ? kna_handle_new(KN_H_ARRAY, v, drop_value) : NULL;
        if (!x[i])
            error = knx_error_nomem();
    }
    if (!error)
        error = knf_call_c(f, x, &y, &t->n, &t->structure);
    if (!error && r->refused)
        error = knx_error_retain(r->refused);
    if (!error && t->structure && !f->open_out)
        error = check_structure(f, t->structure);
    if (!error && !(t->atom = knx_alloc(((size_t)t->n + 1) * sizeof *t->atom)))
        error = knx_error_nomem();
    for (int i = 0; !error && i < t->n; i++)
        error = result_atom(r, f, i, y[i], &t->atom[i]);
    knx_free(x);
    knx_free(y);
    return error;
}

static knx_error *record_c(knf_core *f, const kni_type *in, kna_value *const *known, kna_value *const *given,
                           const char *why, kna_closed *out, kntree_structure **structure)
{
    traced t = {0};
    kna_recording *r = kna_recording_begin(f->name, why, known != NULL);
    if (!r)
        return knx_error_nomem();
    r->n_captured = f->n_captured;
    r->n_args = f->n_args;
    r->arrays = f->arrays;
    kn_scope scope = kn_scope_begin();
    knx_error *error = trace_c(f, r, in, known, given, &t);
    kn_scope_end(&scope);
    if (error)
        kna_recording_abort(r);
    else
        error = kna_recording_end(r, t.n, t.atom, out);
    knx_free(t.atom);
    if (!error && structure)
        *structure = kntree_structure_retain(t.structure);
    kntree_structure_release(t.structure);
    return error;
}

knx_error *knf_derive_tree(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, kna_closed *out,
                           kntree_structure **structure)
{
    *out = (kna_closed){0};
    *structure = NULL;
    return record_c(f, in, known, NULL, why, out, structure);
}

/* What was recorded to see which tree it returns, if it was for these types and at this place. It was for numbers: with
 * variables it holds where they are these. */
static bool take_ready(knf_core *f, const kni_type *in, bool concrete, kna_closed *out)
{
    knf_ready *r = f->ready;
    const kna_recording *outer = kna_recording_current();
    bool fits = r && !knf_is_assuming() && r->concrete == concrete && r->serial == (outer ? outer->serial : 0);
    for (int i = 0; fits && i < f->n_captured + f->n_in; i++)
        fits = r->in[i].dtype == in[i].dtype && kni_type_same_shape(r->in[i], in[i]);
    if (fits) {
        *out = r->closed;
        r->closed = (kna_closed){0};
        knf_ready_free(f);
    }
    return fits;
}

static knx_error *derive_c(knf_core *f, const kni_type *in, kna_value *const *known, kna_value *const *given,
                           const char *why, kna_closed *out)
{
    if (knf_is_open(f))
        return knx_error_new(KN_ERROR_TYPE, "%s takes trees, which have no structure here", f->name);
    bool any = false;
    for (int i = 0; given && i < f->n_captured + f->n_in; i++)
        any = any || given[i];
    if (!any && f->ready && take_ready(f, in, known != NULL, out))
        return NULL;
    return record_c(f, in, known, given, why, out, NULL);
}

/* ---- Lists of named axes. */

KNX_HOT bool knf_same_axes(const kna_named_axis *a, const kna_named_axis *b)
{
    for (; a && b; a = a->outer, b = b->outer)
        if (a->size != b->size || strcmp(a->name, b->name))
            return false;
    return a == b;
}

bool knf_copy_axes(knx_arena *a, const kna_named_axis *from, kna_named_axis **to)
{
    for (*to = NULL; from; from = from->outer, to = &(*to)->outer) {
        const char *name = knx_arena_string(a, from->name);
        *to = name ? knx_arena_alloc(a, sizeof **to) : NULL;
        if (!*to)
            return false;
        **to = (kna_named_axis){.name = name, .size = from->size};
    }
    return true;
}

/* The jaxpr with its constvars made inputs in front. */
knx_error *knf_constants_as_inputs(const kni_jaxpr *j, kni_jaxpr **out)
{
    kni_builder b;
    size_t n = (size_t)j->n_const + j->n_in;
    kni_atom *in = knx_alloc((n + 1) * sizeof *in), *y = knx_alloc(((size_t)j->n_out + 1) * sizeof *y);
    knb_init(&b);
    for (uint32_t i = 0; in && y && i < n; i++)
        in[i] = knb_invar(&b, j->type[i]);
    if (in && y)
        knb_inline(&b, j, in, y);
    knx_error *error = in && y ? knb_finish(&b, (int)j->n_out, y, j->name, true, out) : knx_error_nomem();
    knb_free(&b);
    knx_free(in);
    knx_free(y);
    return error;
}

/* A jaxpr that is one call of the entry's. */
static knx_error *derive_jit(knf_core *f, const kni_type *in, kna_closed *out)
{
    knf_entry *e, *once;
    KN_TRY(knf_entry_for(f, in, NULL, &e, &once));
    const kni_jaxpr *j = e->closed.jaxpr;
    size_t n = (size_t)j->n_const + j->n_in;
    kni_jaxpr *body = NULL;
    knx_error *error = knf_constants_as_inputs(j, &body);
    kni_atom *x = knx_alloc((n + 1) * sizeof *x), *y = knx_alloc(((size_t)j->n_out + 1) * sizeof *y);
    *out = (kna_closed){.once = e->closed.once, .consts = knx_alloc(((size_t)j->n_const + 1) * sizeof(kna_value *))};
    if (!error && (!x || !y || !out->consts))
        error = knx_error_nomem();
    if (!error) {
        kni_builder b;
        knb_init(&b);
        b.place = knx_context()->here;
        for (uint32_t i = 0; i < j->n_const; i++)
            out->consts[out->n_const++] = kna_value_retain(e->closed.consts[i]);
        for (uint32_t i = 0; i < n; i++)
            x[i] = i < j->n_const ? knb_constvar(&b, j->type[i]) : knb_invar(&b, j->type[i]);
        knb_jit(&b, f->name, body, (int)j->n_const + f->n_captured, x, y);
        error = knb_finish(&b, (int)j->n_out, y, f->name, true, &out->jaxpr);
        knb_free(&b);
    }
    kni_release(body);
    knx_free(x);
    knx_free(y);
    knf_entry_free(once);
    if (error)
        kna_closed_free(out);
    return error;
}

static knx_error *derive_jaxpr(knf_core *f, const kni_type *in, kna_closed *out)
{
    bool variables = knf_jaxpr_has_variables(f->jaxpr), same = true;
    for (uint32_t i = 0; i < f->jaxpr->n_in; i++) {
        bool shape = kni_type_same_shape(in[i], f->jaxpr->type[i]);
        if (in[i].dtype != f->jaxpr->type[i].dtype || (!shape && !variables)) {
            knx_text want = {0}, have = {0};
            return knx_error_new(KN_ERROR_TYPE, "%s was recorded for %s as array %d of its arguments, but was given %s",
                                 f->name, kni_type_text(&want, f->jaxpr->type[i], true), (int)i - f->n_captured,
                                 kni_type_text(&have, in[i], true));
        }
        same = same && shape;
    }
    if (!same)
        return knf_jaxpr_with_numbers(f->jaxpr, in, &out->jaxpr);
    *out = (kna_closed){.jaxpr = kni_retain(f->jaxpr)};
    return NULL;
}

knx_error *knf_derive(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, kna_closed *out)
{
    *out = (kna_closed){0};
    switch (f->kind) {
    case KNF_FN_C: return derive_c(f, in, known, NULL, why, out);
    case KNF_FN_JIT: return derive_jit(f, in, out);
    case KNF_FN_JAXPR: return derive_jaxpr(f, in, out);
    case KNF_FN_CUSTOM_JVP:
    case KNF_FN_CUSTOM_VJP:
    case KNF_FN_CHECKPOINT: return knf_derive_custom(f, in, known, why, out);
    case KNF_FN_SHARD_MAP:
    case KNF_FN_PMAP: return knf_derive_manual(f, in, out);
    case KNF_FN_GRAD:
    case KNF_FN_VMAP:
    case KNF_FN_JACFWD:
    case KNF_FN_JACREV: break;
    }
    return knf_derive_transformed(f, in, known, why, out);
}

knx_error *knf_derive_given(knf_core *f, const kni_type *in, kna_value *const *given, const char *why, kna_closed *out)
{
    *out = (kna_closed){0};
    return f->kind == KNF_FN_C ? derive_c(f, in, NULL, given, why, out) : knf_derive(f, in, NULL, why, out);
}
