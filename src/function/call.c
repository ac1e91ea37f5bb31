/* SPDX-License-Identifier: Apache-2.0
 * call.c -- kn_call: structs of arrays and trees as arguments and results. */
#include "function/donate.h"
#include "array/handle.h"
#include "array/lift.h"
#include "array/storage.h"
#include "tree/tree.h"
#include "ir/ops.h"
#include <limits.h>
#include <string.h>

static void drop_value(void *v) { kna_value_release(v); }

/* The tree that an argument is: a handle, or the one in a variable; NULL: a struct. */
static kn_tree tree_in(const void *at, size_t bytes)
{
    return bytes == 1 ? (kn_tree)(uintptr_t)at : bytes == 2 ? *(const kn_tree *)at : NULL;
}

static int arrays_in(const void *at, size_t bytes)
{
    if (bytes > 2 && (bytes % sizeof(kn_array) || bytes / sizeof(kn_array) > INT_MAX))
        return -1;
    return bytes > 2 || bytes == 0 ? (int)(bytes / sizeof(kn_array)) : kntree_tree_size(tree_in(at, bytes));
}

static kn_array array_in(const void *at, size_t bytes, int i)
{
    return bytes == 1 || bytes == 2 ? kntree_tree_at(tree_in(at, bytes), i) : ((const kn_array *)at)[i];
}

/* One value from a handle: numbers get their dtype here, unless they are to wait for one. */
static knx_error *value_from(kn_array x, bool waits, kna_value **out)
{
    kna_value *v;
    KN_TRY(kna_array_value(x, &v));
    knx_error *error = v->type.weak && !waits ? kna_value_as(&v, kna_strong_dtype(v->type)) : NULL;
    if (error)
        kna_value_release(v);
    else
        *out = v;
    return error;
}

static knx_error *no_structure(const char *what, int i, size_t bytes)
{
    return bytes > 2 ? knx_error_new(KN_ERROR_TYPE, "%s %d is no struct of arrays: it has %zu bytes", what, i, bytes)
                     : knx_error_new(KN_ERROR_TYPE, "%s %d is no tree", what, i);
}

/* Which argument it is that is no array. */
static knx_error *no_array(const knf_core *f, int arg, int k, kn_array x, knx_error *why)
{
    knx_text path = {0}, where = {0};
    const char *name = knf_leaf_name(&path, f, arg, k);
    knx_text_add(&where, "argument %d%s", arg, name);
    if (!*name && f->arrays[arg] > 1)
        knx_text_add(&where, " array %d", k);
    knx_error *e = !x ? knx_error_new(why->kind, "%s is null", where.s)
                      : knx_error_new(why->kind, "%s: %s%s", where.s, why->message,
                                      f->arrays[arg] > 1 && why->kind == KN_ERROR_TYPE
                                          ? " (A struct of arrays has no other fields.)"
                                          : "");
    knx_error_release(why);
    return e;
}

static KNX_HOT knx_error *check_arity(const knf_core *f, const kn_args *args)
{
    if (args->n != f->n_args)
        return knx_error_new(KN_ERROR_TYPE, "takes %d argument%s, but was given %d", f->n_args,
                             f->n_args == 1 ? "" : "s", args->n);
    for (int i = 0; i < args->n; i++) {
        if (args->part[i].bytes && !args->part[i].at)
            return knx_error_new(KN_ERROR_TYPE, "argument %d is null", i);
        int n = arrays_in(args->part[i].at, args->part[i].bytes);
        if (n < 0)
            return no_structure("argument", i, args->part[i].bytes);
        if (n != f->arrays[i])
            return knx_error_new(KN_ERROR_TYPE, "argument %d has %d array%s, but was given %d", i, f->arrays[i],
                                 f->arrays[i] == 1 ? "" : "s", n);
    }
    return NULL;
}

knx_error *knf_read_args(const char *what, knf_core *f, const kn_args *args, kna_value **values)
{
    (void)what;
    return knf_read_args_as(f, args, false, values);
}

KNX_HOT knx_error *knf_read_args_as(knf_core *f, const kn_args *args, bool numbers_wait, kna_value **values)
{
    if (!args)
        return knx_error_new(KN_ERROR_TYPE, "the arguments are null");
    KN_TRY(check_arity(f, args));
    int at = 0;
    for (int i = 0; i < args->n; i++)
        for (int k = 0; k < f->arrays[i]; k++) {
            kn_array x = array_in(args->part[i].at, args->part[i].bytes, k);
            knx_error *error = value_from(x, numbers_wait, &values[at]);
            if (error && !kna_handle_alive(x, NULL))
                error = no_array(f, i, k, x, error);
            if (error) {
                knf_release_values(at, values);
                return error;
            }
            at++;
        }
    return NULL;
}

static bool countable(const kn_outs *outs) { return outs->n >= 0 && outs->n <= KN_MAX_ARGS; }

int knf_outs_size(const kn_outs *outs)
{
    int n = 0;
    for (int i = 0; outs && countable(outs) && i < outs->n; i++) {
        if (outs->part[i].bytes == 2 || !outs->part[i].at)
            return -1;
        int more = arrays_in(outs->part[i].at, outs->part[i].bytes);
        if (more < 0)
            return -1;
        n += more;
    }
    return n;
}

KNX_HOT knx_error *knf_check_outs(const char *what, int n_out, const kn_outs *outs)
{
    int n = 0;
    bool any_fresh = false;
    (void)what;
    if (!outs)
        return knx_error_new(KN_ERROR_TYPE, "the result is null");
    if (!countable(outs))
        return knx_error_new(KN_ERROR_VALUE, "%d parts of a result, which has 1 to %d", outs->n, KN_MAX_ARGS);
    for (int i = 0; i < outs->n; i++) {
        if (!outs->part[i].at)
            return knx_error_new(KN_ERROR_TYPE, "result %d is null", i);
        bool fresh = outs->part[i].bytes == 2;
        if (fresh && any_fresh)
            return knx_error_new(KN_ERROR_TYPE, "only one part of the result can be the address of a kn_tree");
        any_fresh = any_fresh || fresh;
        int more = fresh ? 0 : arrays_in(outs->part[i].at, outs->part[i].bytes);
        if (more < 0)
            return no_structure("result", i, outs->part[i].bytes);
        n += more;
    }
    if (n == n_out || (any_fresh && n < n_out))
        return NULL;
    return knx_error_new(KN_ERROR_TYPE, "returns %d array%s, but there is room for %d", n_out, n_out == 1 ? "" : "s",
                         n);
}

/* ---- Results. */

/* A tree of n results from number `first` on: with the part of the whole structure that they are, else a tuple. */
static kn_tree new_tree(const kntree_structure *whole, int first, int n, const kn_array *x)
{
    for (int i = 0, leaf = 0; whole && i < whole->n; i++) {
        if (leaf == first && whole->node[i].leaves == n)
            return kntree_tree_new("call", kntree_structure_sub(whole, i), x);
        leaf += whole->node[i].kind == KN_TREE_LEAF;
    }
    return kntree_tree_new("call",
                           n == 1 ? kntree_structure_one(KN_TREE_LEAF) : kntree_structure_flat(KN_TREE_TUPLE, n), x);
}

static KNX_HOT void write_arrays(const kn_outs *outs, int first, int n, const kn_array *x,
                                 const kntree_structure *whole)
{
    int given = 0, at = 0;
    for (int p = 0; p < outs->n; p++)
        given += outs->part[p].bytes == 2 ? 0 : arrays_in(outs->part[p].at, outs->part[p].bytes);
    for (int p = 0; p < outs->n; p++) {
        const kn_part *part = &outs->part[p];
        int m = part->bytes == 2 ? n - given : arrays_in(part->at, part->bytes);
        if (part->bytes == 2)
            *(kn_tree *)part->at = new_tree(whole, first + at, m, x + at);
        for (int i = 0; i < m && part->bytes == 1; i++)
            kntree_tree_put((kn_tree)(uintptr_t)part->at, i, x[at + i]);
        if (part->bytes > 2)
            memcpy(part->at, x + at, (size_t)m * sizeof *x);
        at += m;
    }
}

KNX_HOT void knf_write_results(const kn_outs *outs, int first, int n, kna_value **values, const kntree_structure *whole)
{
    kn_array few[32], *x = n <= 32 ? few : knx_alloc((size_t)n * sizeof *x);
    if (!x) { /* n > 32 */
        knf_release_values(n, values);
        knf_write_error(outs, knx_error_nomem());
        return;
    }
    x[0] = NULL;
    for (int i = 0; i < n; i++)
        x[i] = kna_handle_new(KN_H_ARRAY, values[i], drop_value);
    write_arrays(outs, first, n, x, whole);
    if (x != few)
        knx_free(x);
}

void knf_write_outs(const kn_outs *outs, int n, kna_value **values) { knf_write_results(outs, 0, n, values, NULL); }

static bool wants_tree(const kn_outs *outs)
{
    for (int p = 0; p < outs->n; p++)
        if (outs->part[p].bytes == 2)
            return true;
    return false;
}

const char *knf_leaf_name(knx_text *text, const knf_core *f, int arg, int k)
{
    while (f->inner)
        f = f->inner;
    size_t from = text->length;
    if (!f->c || !knf_function_fields(f->c, arg) || !knf_function_fields(f->c, arg)->name)
        return "";
    knx_text_add(text, " ");
    kntree_field_path(text, knf_function_fields(f->c, arg), arg < 0 ? f->c->out_bytes : f->c->arg_bytes[arg], k);
    return text->s + from;
}

/* ---- Structures of results: those of the arguments for gradients, else what KN_FIELDS says. NULL: not known. */

kntree_structure *knf_argument_structure(const knf_core *f, const kn_args *args, int i)
{
    const kn_const_part *p = &args->part[i];
    const knf_core *c = f;
    while (c->inner)
        c = c->inner;
    if (p->bytes == 1 || p->bytes == 2) {
        kntree_tree *t = kntree_tree_get("call", tree_in(p->at, p->bytes));
        const kntree_structure *s = t ? kntree_structure_in("call", t) : NULL;
        return kntree_structure_retain((kntree_structure *)(uintptr_t)s);
    }
    return kntree_structure_of_fields(c->c ? knf_function_fields(c->c, i) : NULL, p->bytes);
}

static kntree_structure *pair(kntree_structure *a, kntree_structure *b)
{
    kntree_structure *both[] = {a, b}, *s = a && b ? kntree_structure_join(KN_TREE_TUPLE, NULL, 2, both, NULL) : NULL;
    kntree_structure_release(a);
    kntree_structure_release(b);
    return s;
}

static kntree_structure *gradient_structure(const knf_core *f, const kn_args *args)
{
    kntree_structure *of[KN_MAX_ARGS] = {NULL}, *s = NULL;
    int n = f->o.argnums.n ? f->o.argnums.n : 1;
    bool ok = true;
    for (int i = 0; i < n; i++) {
        of[i] = knf_argument_structure(f, args, f->o.argnums.n ? f->o.argnums.arg[i] : 0);
        ok = ok && of[i];
    }
    if (ok)
        s = n == 1 ? kntree_structure_retain(of[0]) : kntree_structure_join(KN_TREE_TUPLE, NULL, n, of, NULL);
    for (int i = 0; i < n; i++)
        kntree_structure_release(of[i]);
    return s;
}

static kntree_structure *tuple_of(const knf_core *f, const kn_args *args, int first)
{
    kntree_structure *of[KN_MAX_ARGS] = {NULL}, *s = NULL;
    int n = args->n - first;
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok = ok && (of[i] = knf_argument_structure(f, args, first + i));
    if (ok)
        s = n == 1 ? kntree_structure_retain(of[0]) : kntree_structure_join(KN_TREE_TUPLE, NULL, n, of, NULL);
    for (int i = 0; i < n; i++)
        kntree_structure_release(of[i]);
    return s;
}

kntree_structure *knf_arguments_structure(const knf_core *f, const kn_args *args) { return tuple_of(f, args, 0); }

/* For each array of the result the argument's tree. */
static kntree_structure *jacobian_structure(const knf_core *f, const kn_args *args)
{
    kntree_structure *outer = f->o.n_aux ? NULL : knf_result_structure(f->inner, args);
    kntree_structure *inner = outer ? gradient_structure(f, args) : NULL;
    kntree_structure *s = inner ? kntree_structure_graft(outer, inner) : NULL;
    kntree_structure_release(outer);
    kntree_structure_release(inner);
    return s;
}

kntree_structure *knf_result_structure(const knf_core *f, const kn_args *args)
{
    KN_KNOWN(f);
    while (f->kind == KNF_FN_CUSTOM_JVP || f->kind == KNF_FN_CUSTOM_VJP || f->kind == KNF_FN_CHECKPOINT ||
           f->kind == KNF_FN_JIT || f->kind == KNF_FN_VMAP || f->kind == KNF_FN_PMAP || f->kind == KNF_FN_SHARD_MAP) {
        f = f->inner;
        KN_KNOWN(f);
    }
    if (f->out_structure)
        return kntree_structure_retain(f->out_structure);
    if (f->kind == KNF_FN_JACFWD || f->kind == KNF_FN_JACREV)
        return jacobian_structure(f, args);
    if (f->kind == KNF_FN_C)
        return kntree_structure_of_fields(knf_function_fields(f->c, -1), f->c->out_bytes);
    if (f->kind != KNF_FN_GRAD)
        return NULL;
    KN_KNOWN(f->inner);
    kntree_structure *gradient = gradient_structure(f, args);
    int aux = f->inner->n_out - 1;
    if (!f->o.value && !f->o.has_aux)
        return gradient;
    if (!f->o.has_aux)
        return pair(kntree_structure_one(KN_TREE_LEAF), gradient);
    kntree_structure *rest = aux == 1 ? kntree_structure_one(KN_TREE_LEAF) : kntree_structure_flat(KN_TREE_TUPLE, aux);
    return f->o.value ? pair(pair(kntree_structure_one(KN_TREE_LEAF), rest), gradient) : pair(gradient, rest);
}

/* The arguments from number `first` on as one tree, and behind it `more` outputs. */
static kntree_structure *carry_structure(const knf_core *f, const kn_args *args, int first, int more)
{
    kntree_structure *s = tuple_of(f, args, first);
    if (!more)
        return s;
    return pair(s, more == 1 ? kntree_structure_one(KN_TREE_LEAF) : kntree_structure_flat(KN_TREE_TUPLE, more));
}

void knf_write_carry(const kn_outs *outs, const knf_core *f, const kn_args *args, int first, int n_carry, int n,
                     kna_value **values)
{
    bool tree = false;
    for (int i = first; i < args->n; i++)
        tree = tree || args->part[i].bytes == 1 || args->part[i].bytes == 2;
    kntree_structure *whole = NULL;
    const knf_core *c = f;
    while (c->inner)
        c = c->inner;
    if (wants_tree(outs))
        whole = tree && !c->tree_out ? carry_structure(f, args, first, n - n_carry) : knf_result_structure(f, args);
    knf_write_results(outs, 0, n, values, whole);
    kntree_structure_release(whole);
}

void knf_write_error(const kn_outs *outs, knx_error *e)
{
    knx_report(e);
    for (int p = 0; outs && countable(outs) && p < outs->n; p++)
        if (outs->part[p].at && outs->part[p].bytes == 2)
            *(kn_tree *)outs->part[p].at = NULL;
        else if (outs->part[p].at && outs->part[p].bytes != 1)
            for (size_t i = 0; i < outs->part[p].bytes / sizeof(kn_array); i++)
                ((kn_array *)outs->part[p].at)[i] =
                    kna_handle_new(KN_H_ARRAY, kna_value_error(knx_error_retain(e)), drop_value);
}

/* Outside of any transformation a C function is just called, on the caller's own handles; inside of one too: its
 * operations go to the current recorder either way. */
static knx_error *call_directly(const knf_fn *fn, const kn_args *args, const kn_outs *outs)
{
    const knf_core *f = fn->core;
    size_t n_in = (size_t)f->n_captured + (size_t)f->n_in;
    kn_array few[32], *x = n_in < 32 ? few : knx_alloc((n_in + 1) * sizeof *x), *y = NULL;
    int n = 0, at = 0;
    kntree_structure *whole = NULL;
    knx_error *error = x ? check_arity(f, args) : knx_error_nomem();
    for (; !error && at < f->n_captured; at++)
        x[at] = kna_handle_new(KN_H_ARRAY, kna_value_retain(fn->captured[at]), drop_value);
    for (int i = 0; !error && i < f->n_args; i++)
        for (int k = 0; k < f->arrays[i]; k++)
            x[at++] = array_in(args->part[i].at, args->part[i].bytes, k);
    if (!error)
        error = knf_call_c(f, x, &y, &n, &whole);
    if (!error && f->tree_out)
        error = knf_check_outs(f->name, n, outs);
    if (!error) {
        if (!whole && wants_tree(outs))
            whole = knf_result_structure(f, args);
        write_arrays(outs, 0, n, y, whole);
    }
    kntree_structure_release(whole);
    if (x != few)
        knx_free(x);
    knx_free(y);
    return error;
}

static knx_error *call_donating(knf_core *f, const kn_args *args, kna_value **in, kna_value **out)
{
    kn_array few[32], *handle = f->n_in <= 32 ? few : knx_alloc((size_t)f->n_in * sizeof *handle);
    if (!handle)
        return knx_error_nomem();
    for (int i = 0, at = 0; i < args->n; i++)
        for (int k = 0; k < f->arrays[i]; k++)
            handle[at++] = array_in(args->part[i].at, args->part[i].bytes, k);
    knx_error *error = knf_apply_donating(f, handle, in, out);
    if (handle != few)
        knx_free(handle);
    return error;
}

static KNX_HOT knx_error *call_values(const knf_fn *fn, const kn_args *args, const kn_outs *outs)
{
    knf_core *f = fn->core;
    kna_value *few_in[32],
        **in = f->n_captured + f->n_in <= 32 ? few_in : knx_alloc((size_t)(f->n_captured + f->n_in) * sizeof *in);
    kna_value *few_out[32], **out = f->n_out <= 32 ? few_out : knx_alloc((size_t)f->n_out * sizeof *out);
    knx_error *error = in && out ? knf_read_args(f->name, f, args, in + f->n_captured) : knx_error_nomem();
    if (!error) {
        for (int i = 0; i < f->n_captured; i++)
            in[i] = kna_value_retain(fn->captured[i]);
        bool donating = f->kind == KNF_FN_JIT && f->o.argnums.n && !kna_recording_current() && !kna_lifting_now();
        error = donating ? call_donating(f, args, in, out) : knf_apply(f, in, out);
        knf_release_values(f->n_captured + f->n_in, in);
    }
    if (!error) {
        kntree_structure *whole = wants_tree(outs) ? knf_result_structure(f, args) : NULL;
        knf_write_results(outs, 0, f->n_out, out, whole);
        kntree_structure_release(whole);
    }
    if (in != few_in)
        knx_free(in);
    if (out != few_out)
        knx_free(out);
    return error;
}

/* What a call is named in messages: the transformation that it goes through, or the function. */
static const char *call_name(const knf_core *f)
{
    switch (f->kind) {
    case KNF_FN_GRAD: return f->o.value ? "value_and_grad" : "grad";
    case KNF_FN_VMAP: return "vmap";
    case KNF_FN_PMAP: return "pmap";
    case KNF_FN_SHARD_MAP: return "shard_map";
    case KNF_FN_JACFWD: return "jacfwd";
    case KNF_FN_JACREV: return "jacrev";
    case KNF_FN_JIT:
    case KNF_FN_CUSTOM_JVP:
    case KNF_FN_CUSTOM_VJP:
    case KNF_FN_CHECKPOINT: return call_name(f->inner);
    case KNF_FN_C:
    case KNF_FN_JAXPR: break;
    }
    return f->name;
}

/* A program with constants among its arguments is recorded with folding: what depends on them alone is worked out once.
 * */
static bool begin_folding(const knf_core *f)
{
    kna_state *s = kna_state_get();
    bool begins = f->kind == KNF_FN_JIT && f->const_args && !s->how.fold && !kna_recording_current();
    if (begins)
        s->how.fold = KNA_FOLD_SMALL;
    return begins;
}

KNX_HOT int kn_call(kn_fn fn, const kn_outs *outs, const kn_args *args)
{
    kn_context c = knx_context();
    kna_op op;
    kna_begin(&op, "call");
    knf_fn *f = kna_failed(&op) ? NULL : knf_fn_get(&op, fn);
    if (f && args) {
        if (op.outermost)
            c->operation = call_name(f->core);
        int skip;
        knf_core *core = knf_plain(f->core, &skip);
        knf_fn plain = {core, f->captured + skip};
        f = &plain;
        knf_fn fitted = *f;
        bool open = knf_is_open(f->core), direct = f->core->kind == KNF_FN_C;
        bool folding = open && begin_folding(core);
        knx_error *error = open ? knf_fit_call(f, args, direct ? KNF_FIT_INPUTS : KNF_FIT_CALL, &fitted.core) : NULL;
        if (!error)
            f = &fitted;
        if (!error && !(direct && f->core->tree_out))
            error = knf_check_outs(f->core->name, f->core->n_out, outs);
        if (!error && (args->n != f->core->n_args || f->core->kind != KNF_FN_C))
            error = call_values(f, args, outs);
        else if (!error)
            error = call_directly(f, args, outs);
        if (open && f == &fitted)
            knf_fit_end(fitted.core);
        if (folding)
            kna_state_get()->how.fold = 0;
        if (error)
            kna_fail_with(&op, error);
    } else if (f) {
        kna_fail(&op, KN_ERROR_TYPE, "the arguments are null");
    }
    knx_error *error = kna_take_error(&op);
    if (error)
        knf_write_error(outs, error);
    knx_error_release(error);
    kna_leave(&op);
    return error ? -1 : 0;
}
