/* SPDX-License-Identifier: Apache-2.0
 * fit.c -- functions of trees of any structure, and arguments that are static. What KN_FUNCTION says of them leaves
 * open how many arrays there are; a call shows it. The function, and each transformation around it, is then made again
 * for these structures: an ordinary core, with so many arrays, that all else goes on with. What tree it returns is seen
 * by recording it, and that recording is the one that is used.
 *
 * Static arguments are the same idea: their values are part of the core, and its recordings get them as they are. */
#include "function/custom.h"
#include "function/manual.h"
#include "function/symbolic.h"
#include "array/handle.h"
#include "array/storage.h"
#include "tree/tree.h"
#include "base/float_env.h"
#include <string.h>

void knf_ready_free(knf_core *c)
{
    if (!c->ready)
        return;
    kna_closed_free(&c->ready->closed);
    knx_arena_free(&c->ready->arena);
    knx_free(c->ready);
    c->ready = NULL;
}

static void free_fit(knf_fit *f)
{
    kntree_structure_release(f->out);
    knx_arena_free(&f->arena);
}

void knf_fits_free(knf_core *c)
{
    for (size_t i = 0; i < c->fits.n; i++)
        free_fit(&c->fits.at[i]);
    KN_VEC_FREE(&c->fits);
}

/* What was recorded and not used, in all that f is made of. */
static void drop_ready(knf_core *f)
{
    for (; f; f = f->inner) {
        knf_ready_free(f);
        for (int i = 0; i < 2; i++)
            if (f->rule[i])
                drop_ready(f->rule[i]);
    }
}

void knf_fit_end(knf_core *f)
{
    drop_ready(f);
    knf_core_release(f);
}

/* ---- A transformation again, of what its function has become. */

static knx_error *intern(knf_core *draft, const knf_core *from, knf_core **out)
{
    draft->made_of = from->made_of ? from->made_of : (knf_core *)(uintptr_t)from;
    *out = knf_core_intern(draft);
    return *out ? NULL : knx_error_nomem();
}

static knx_error *rebuild(knf_core *f, knf_core *inner, knf_core *const *rule, knf_core **out)
{
    knf_core draft = knf_core_draft(f);
    bool leaves = f->open_in && f->o.in_leaves;
    draft.inner = inner;
    draft.n_in = inner->n_in;
    memcpy(draft.arrays, inner->arrays, sizeof draft.arrays);
    draft.open_in = inner->open_in;
    draft.open_out = inner->open_out;
    for (int i = 0; rule && i < 2; i++)
        draft.rule[i] = rule[i];
    if (leaves)
        KN_TRY(knf_close_leaves(inner, f->o.in_leaves, &draft.o.in_leaves));
    KN_TRY(knf_results_of(&draft));
    return intern(&draft, f, out);
}

/* ---- The arguments. */

typedef struct inputs {
    const kn_args *args;
    kntree_structure *structure[KN_MAX_ARGS];
    unsigned fixed;    /* which are static, or constant */
    unsigned constant; /* which are constant: of any size, told apart by where they lie */
    const char *by;    /* NULL: static ones are allowed */
} inputs;

/* bytes: how many static ones have so far; NULL: it is constant, and may be as large as it is. */
static knx_error *static_value(const char *name, int arg, kn_array x, size_t *bytes, kna_value **out)
{
    kna_value *v = NULL;
    KN_TRY(kna_array_value(x, &v));
    knx_error *error = v->type.weak ? kna_value_as(&v, kna_strong_dtype(v->type)) : NULL;
    if (!error)
        error = kna_constant(v, out);
    kna_value_release(v);
    if (!error && (error = kna_force_here(1, out))) {
        kna_value_release(*out);
        *out = NULL;
    }
    if (error || !bytes)
        return error;
    *bytes += (size_t)kni_type_size((*out)->type) * (*out)->type.dtype->size;
    if (*bytes <= KN_MAX_STATIC_BYTES)
        return NULL;
    kna_value_release(*out);
    *out = NULL;
    return knx_error_new(KN_ERROR_VALUE, "static argument %d of %s has more than %d bytes", arg, name,
                         KN_MAX_STATIC_BYTES);
}

static kn_tree tree_of(const kn_const_part *p)
{
    return p->bytes == 1 ? (kn_tree)(uintptr_t)p->at : p->bytes == 2 ? *(const kn_tree *)p->at : NULL;
}

static kn_array array_of(const kn_const_part *p, int i)
{
    kn_tree tree = tree_of(p);
    return p->bytes > 2 ? ((const kn_array *)p->at)[i] : kntree_tree_at(tree, i);
}

static knx_error *fix_values(knf_core *draft, const inputs *t)
{
    size_t bytes = 0;
    knx_error *error = NULL;
    if (t->by)
        return knx_error_new(KN_ERROR_VALUE, "%s: %s has static arguments, which have no value there", t->by,
                             draft->name);
    draft->fixed = knx_alloc_zero(((size_t)draft->n_in + 1) * sizeof *draft->fixed);
    if (!draft->fixed)
        return knx_error_nomem();
    for (int i = 0, at = 0; i < draft->n_args; at += draft->arrays[i], i++)
        for (int k = 0; !error && t->fixed >> i & 1 && k < draft->arrays[i]; k++)
            error = static_value(draft->name, i, array_of(&t->args->part[i], k), t->constant >> i & 1 ? NULL : &bytes,
                                 &draft->fixed[at + k]);
    return error;
}

static knx_error *fit_c_inputs(knf_core *f, const inputs *t, knf_core **out)
{
    knf_core draft = knf_core_draft(f);
    draft.n_in = 0;
    for (int i = 0; i < f->n_args; i++) {
        if (f->c->arg_bytes[i] == 2) {
            KN_KNOWN(t->structure[i]);
            draft.in_structure[i] = t->structure[i];
            draft.arrays[i] = t->structure[i]->node[0].leaves;
        }
        draft.n_in += draft.arrays[i];
    }
    draft.open_in = false;
    draft.const_args = t->constant;
    knx_error *error = t->fixed ? fix_values(&draft, t) : NULL;
    if (!error)
        error = intern(&draft, f, out);
    for (int i = 0; t->fixed && draft.fixed && i < draft.n_in; i++)
        kna_value_release(draft.fixed[i]);
    if (t->fixed)
        knx_free(draft.fixed);
    return error;
}

static knx_error *check_unmapped(const knf_core *f, const inputs *t)
{
    for (int i = 0; t->fixed && i < f->n_args; i++)
        if (t->fixed >> i & 1 && f->o.in_axes[i].code != 1)
            return knx_error_new(KN_ERROR_VALUE,
                                 "vmap over argument %d of %s, which is static: its axis is KN_UNMAPPED", i, f->name);
    return NULL;
}

/* The value of a static argument is a part of the program: it has no derivative there, and 0 would be a wrong one. */
static knx_error *check_movable(const knf_core *f, const inputs *t)
{
    const kn_argnums *by = &f->o.argnums;
    for (int i = 0; t->fixed && i < (by->n ? by->n : 1); i++) {
        int arg = by->n ? by->arg[i] : 0;
        if (t->fixed >> arg & 1)
            return knx_error_new(KN_ERROR_VALUE, "derivative by argument %d of %s, which is %s", arg, f->name,
                                 t->constant >> arg & 1 ? "a constant" : "static");
    }
    return NULL;
}

static knx_error *check_fixed(const knf_core *f, const inputs *t)
{
    switch (f->kind) {
    case KNF_FN_VMAP:
    case KNF_FN_PMAP: return check_unmapped(f, t);
    case KNF_FN_GRAD:
    case KNF_FN_JACFWD:
    case KNF_FN_JACREV: return check_movable(f, t);
    default: return NULL;
    }
}

static knx_error *fit_inputs(knf_core *f, inputs *t, knf_core **out)
{
    if (f->kind == KNF_FN_C && (f->open_in || t->fixed))
        return fit_c_inputs(f, t, out);
    if (!f->inner || (!f->open_in && !t->fixed)) {
        atomic_fetch_add(&f->refs, 1);
        *out = f;
        return NULL;
    }
    knf_core *inner = NULL;
    if (f->kind == KNF_FN_JIT) {
        t->fixed |= f->static_args | f->const_args;
        t->constant |= f->const_args & ~f->static_args;
    }
    KN_TRY(fit_inputs(f->inner, t, &inner));
    knx_error *error = check_fixed(f, t);
    if (!error)
        error = rebuild(f, inner, NULL, out);
    knf_core_release(inner);
    return error;
}

knx_error *knf_fit_inputs(knf_core *f, const kn_args *args, const char *by, knf_core **out)
{
    inputs t = {.args = args, .by = by};
    knx_error *error = NULL;
    if (!f->open_in) {
        atomic_fetch_add(&f->refs, 1);
        *out = f;
        return NULL;
    }
    if (!args)
        return knx_error_new(KN_ERROR_TYPE, "the arguments are null");
    if (args->n != f->n_args)
        return knx_error_new(KN_ERROR_TYPE, "takes %d argument%s, but was given %d", f->n_args,
                             f->n_args == 1 ? "" : "s", args->n);
    for (int i = 0; !error && i < args->n; i++) {
        if (args->part[i].bytes && !args->part[i].at)
            error = knx_error_new(KN_ERROR_TYPE, "argument %d is null", i);
        else if ((args->part[i].bytes == 1 || args->part[i].bytes == 2) &&
                 kntree_tree_size(tree_of(&args->part[i])) < 0)
            error = knx_error_new(KN_ERROR_TYPE, "argument %d is no tree", i);
        else if (args->part[i].bytes > 2 && args->part[i].bytes % sizeof(kn_array))
            error = knx_error_new(KN_ERROR_TYPE, "argument %d is no struct of arrays: it has %zu bytes", i,
                                  args->part[i].bytes);
        else if (!(t.structure[i] = knf_argument_structure(f, args, i)))
            error = knx_error_nomem();
    }
    if (!error)
        error = fit_inputs(f, &t, out);
    for (int i = 0; i < KN_MAX_ARGS; i++)
        kntree_structure_release(t.structure[i]);
    return error;
}

/* ---- The result. */

static knf_fit *find_fit(knf_core *f, const kni_type *in)
{
    int n = f->n_captured + f->n_in;
    for (size_t i = 0; i < f->fits.n && !knf_is_assuming(); i++) {
        knf_fit *fit = &f->fits.at[i];
        bool same = fit->default_float == kna_default_float();
        for (int k = 0; same && k < n; k++)
            same = fit->in[k].dtype == in[k].dtype && kni_type_same_shape(fit->in[k], in[k]);
        if (same)
            return fit;
    }
    return NULL;
}

static kni_type *copy_types(knx_arena *a, int n, const kni_type *in)
{
    kni_type *copy = knx_arena_alloc(a, ((size_t)n + 1) * sizeof *copy);
    for (int i = 0; copy && i < n; i++)
        if (!kni_type_copy(a, in[i], &copy[i]))
            return NULL;
    return copy;
}

/* Not being remembered is no failure: it is recorded, or found, in the longer way. */
static void remember(knf_core *f, const kni_type *in, kntree_structure *out, knf_core *fitted)
{
    knf_fit fit = {.n_in = f->n_captured + f->n_in, .default_float = kna_default_float(), .fitted = fitted};
    fit.in = copy_types(&fit.arena, fit.n_in, in);
    if (fit.in && f->fits.n < KNF_MAX_FITS && KN_VEC_RESERVE(&f->fits, 1)) {
        fit.out = kntree_structure_retain(out);
        f->fits.at[f->fits.n++] = fit;
    } else if (fit.in && f->fits.n) {
        knf_fit *oldest = &f->fits.at[f->n_in % (int)f->fits.n];
        free_fit(oldest);
        fit.out = kntree_structure_retain(out);
        *oldest = fit;
    } else {
        knx_arena_free(&fit.arena);
    }
}

/* The next recording for these types is this one. */
static void make_ready(knf_core *f, const kni_type *in, bool concrete, kna_closed *closed)
{
    const kna_recording *outer = kna_recording_current();
    knf_ready *r = knx_alloc_zero(sizeof *r);
    knf_ready_free(f);
    if (r && (r->in = copy_types(&r->arena, f->n_captured + f->n_in, in))) {
        r->concrete = concrete;
        r->serial = outer ? outer->serial : 0;
        r->closed = *closed;
        f->ready = r;
        *closed = (kna_closed){0};
        return;
    }
    if (r)
        knx_arena_free(&r->arena);
    knx_free(r);
}

static knx_error *fitted_c(knf_core *f, kntree_structure *returned, knf_core **out)
{
    knf_core draft = knf_core_draft(f);
    draft.open_out = false;
    draft.out_structure = returned;
    draft.n_out = returned->node[0].leaves;
    return intern(&draft, f, out);
}

static knx_error *fit_c_outputs(knf_core *f, const kni_type *in, kna_value *const *known, const char *why,
                                knf_core **out)
{
    knf_fit *fit = known ? NULL : find_fit(f, in);
    if (fit)
        return fitted_c(f, fit->out, out);
    kna_closed closed;
    kntree_structure *returned = NULL;
    uint64_t reports = knx_context()->reports;
    KN_TRY(knf_derive_tree(f, in, known, why, &closed, &returned));
    knx_error *error = fitted_c(f, returned, out);
    if (!error && !known && !knx_reported_since(reports) && !knf_is_assuming())
        remember(f, in, returned, NULL);
    if (!error)
        make_ready(*out, in, known != NULL, &closed);
    kna_closed_free(&closed);
    kntree_structure_release(returned);
    return error;
}

typedef knx_error *fit_function(knf_core *f, const kni_type *in, const char *why, knf_core **out);

static knx_error *fit_unknown(knf_core *f, const kni_type *in, const char *why, knf_core **out)
{
    return knf_fit_outputs(f, in, NULL, why, out);
}

/* What is mapped sees an element, or a part, of each array. */
static knx_error *fit_mapped(knf_core *f, const kni_type *in, fit_function *fit, knf_core **inner)
{
    knx_arena a = KN_ARENA_INIT;
    knf_mapped m;
    const char *why = f->kind == KNF_FN_VMAP ? "vmap" : f->kind == KNF_FN_PMAP ? "pmap" : "shard_map";
    knx_error *error = knf_map_begin(f, in, &a, &m);
    if (!error)
        error = fit(f->inner, m.element, why, inner);
    knf_map_end(&m);
    knx_arena_free(&a);
    return error;
}

static bool is_mapped(const knf_core *f)
{
    return f->kind == KNF_FN_VMAP || f->kind == KNF_FN_PMAP || f->kind == KNF_FN_SHARD_MAP;
}

/* A rule takes what the function does, `times` times over. */
static knx_error *fit_rule_inputs(knf_core *rule, const knf_core *f, int times, knf_core **out)
{
    int n = f->n_args * times;
    if (!rule->open_in) {
        atomic_fetch_add(&rule->refs, 1);
        *out = rule;
        return NULL;
    }
    inputs t = {.by = "a rule"};
    const knf_core *c = f;
    while (c->inner)
        c = c->inner;
    knx_error *error = NULL;
    for (int i = 0; !error && i < n; i++) {
        int k = i % f->n_args;
        t.structure[i] = c->in_structure[k]  ? kntree_structure_retain(c->in_structure[k])
                         : f->arrays[k] == 1 ? kntree_structure_one(KN_TREE_LEAF)
                                             : kntree_structure_flat(KN_TREE_TUPLE, f->arrays[k]);
        error = t.structure[i] ? NULL : knx_error_nomem();
    }
    if (!error)
        error = fit_c_inputs(rule, &t, out);
    for (int i = 0; i < KN_MAX_ARGS; i++)
        kntree_structure_release(t.structure[i]);
    return error;
}

/* A tree of so many arrays, whatever it is. */
static knx_error *close_outputs(knf_core *rule, int n_out, knf_core **out)
{
    if (!rule->open_out) {
        atomic_fetch_add(&rule->refs, 1);
        *out = rule;
        return NULL;
    }
    knf_core draft = knf_core_draft(rule);
    draft.open_out = false;
    draft.n_out = n_out;
    return intern(&draft, rule, out);
}

/* The first rule without a call of it: what is recorded here would be recorded at each call, and a rule may call its
 * function. What that of custom_jvp returns is known, twice the function's results. How many residuals a forward rule
 * has is seen when a derivative asks for it (custom.c). */
static knx_error *fit_rule(const knf_core *f, const knf_core *inner, knf_core **out)
{
    knf_core *rule = f->rule[0], *fitted = NULL;
    bool jvp = f->kind == KNF_FN_CUSTOM_JVP;
    int times = jvp ? 2 : 1, n = inner->n_args * times;
    if (knf_is_open(rule) && (rule->kind != KNF_FN_C || rule->n_args != n))
        return knx_error_new(KN_ERROR_TYPE, "the rule %s for %s must be a function of C with %d arguments", rule->name,
                             inner->name, n);
    KN_TRY(fit_rule_inputs(rule, inner, times, &fitted));
    knx_error *error = jvp ? close_outputs(fitted, 2 * inner->n_out, out) : NULL;
    if (jvp)
        knf_core_release(fitted);
    else
        *out = fitted;
    return error;
}

static knx_error *no_pair(const char *name)
{
    return knx_error_new(
        KN_ERROR_TYPE,
        "the rules of %s: the forward one must return a tree of two, its result and the residuals, and "
        "the backward one take these residuals and the cotangents",
        name);
}

knx_error *knf_check_pair(const knf_core *f, const kntree_structure *pair)
{
    return pair && pair->node[0].children == 2 ? NULL : no_pair(f->inner->name);
}

/* The backward rule takes what the forward rule returned behind the result, and the result's cotangents; it returns a
 * cotangent for each array of the arguments, in any tree. */
knx_error *knf_fit_backward(const knf_core *f, const kntree_structure *pair, knf_core **out)
{
    inputs t = {.by = "a rule"};
    KN_KNOWN(f->rule[1]);
    KN_TRY(knf_check_pair(f, pair));
    t.structure[0] = kntree_structure_sub(pair, kntree_structure_child(pair, 0, 1));
    t.structure[1] = kntree_structure_sub(pair, kntree_structure_child(pair, 0, 0));
    knf_core *fitted = NULL;
    knx_error *error = t.structure[0] && t.structure[1] ? fit_c_inputs(f->rule[1], &t, &fitted) : knx_error_nomem();
    kntree_structure_release(t.structure[0]);
    kntree_structure_release(t.structure[1]);
    if (!error)
        error = close_outputs(fitted, f->rule[0]->n_in, out);
    knf_core_release(fitted);
    return error;
}

static knx_error *fit_custom(knf_core *f, knf_core *inner, knf_core **out)
{
    knf_core *rule[2] = {NULL, f->rule[1]};
    KN_KNOWN(f->rule[0] && f->inner);
    KN_TRY(fit_rule(f, inner, &rule[0]));
    knx_error *error = NULL;
    if (rule[1] && knf_is_open(rule[1]) &&
        (rule[1]->kind != KNF_FN_C || rule[1]->n_args != 2 || rule[0]->kind != KNF_FN_C || !rule[0]->tree_out))
        error = no_pair(inner->name);
    else if (!knf_is_open(rule[0]) && (!rule[1] || !knf_is_open(rule[1])))
        error = knf_check_rules(f->kind, inner, rule[0], rule[1]);
    if (!error)
        error = rebuild(f, inner, rule, out);
    knf_core_release(rule[0]);
    return error;
}

/* What forward and backward rules return and take is found out later. (What a C function is made of is no rule.) */
static bool has_open_rules(const knf_core *f)
{
    return f->kind != KNF_FN_C && f->rule[0] &&
           (f->rule[0]->open_in || (f->kind == KNF_FN_CUSTOM_JVP && f->rule[0]->open_out));
}

/* What the last one returned that was given arrays of these dtypes and ranks. */
static kntree_structure *returned_before(const knf_core *f, const kni_type *in)
{
    for (size_t i = f->fits.n; i-- > 0;) {
        const knf_fit *fit = &f->fits.at[i];
        bool alike = fit->default_float == kna_default_float();
        for (int k = 0; alike && k < f->n_captured + f->n_in; k++)
            alike = fit->in[k].dtype == in[k].dtype && fit->in[k].ndim == in[k].ndim;
        if (alike)
            return fit->out;
    }
    return NULL;
}

/* As if it returned what it did for other shapes, without recording it; *out is NULL if that is not known. */
static knx_error *guess_outputs(knf_core *f, const kni_type *in, const char *why, knf_core **out)
{
    knf_core *inner = NULL;
    *out = NULL;
    if (has_open_rules(f))
        return NULL;
    if (!f->open_out) {
        atomic_fetch_add(&f->refs, 1);
        *out = f;
        return NULL;
    }
    if (f->kind == KNF_FN_C) {
        kntree_structure *returned = returned_before(f, in);
        return returned ? fitted_c(f, returned, out) : NULL;
    }
    const kni_type *own = in + f->n_captured - f->inner->n_captured;
    knx_error *error =
        is_mapped(f) ? fit_mapped(f, in, guess_outputs, &inner) : guess_outputs(f->inner, own, why, &inner);
    if (!error && inner)
        error = f->rule[0] ? NULL : rebuild(f, inner, NULL, out);
    knf_core_release(inner);
    return error;
}

/* Of a function that is recorded once for many shapes: what it returns is known if such a recording is. */
static knx_error *fit_known(knf_core *f, const kni_type *in, knf_core **inner)
{
    knf_core *guess = NULL, *whole = NULL;
    *inner = NULL;
    KN_TRY(guess_outputs(f->inner, in, "jit", &guess));
    knx_error *error = guess ? rebuild(f, guess, NULL, &whole) : NULL;
    if (whole && knf_knows(whole, in)) {
        *inner = guess;
        guess = NULL;
    }
    knf_core_release(whole);
    knf_core_release(guess);
    return error;
}

/* With the dimension variables that the recording will have, if the user names them. */
static knx_error *fit_jitted(knf_core *f, const kni_type *in, knf_core **inner)
{
    kni_type *types = NULL;
    knf_dims dims = {0};
    *inner = NULL;
    if ((knf_is_automatic(f) || f->o.checks) && !kna_recording_current())
        KN_TRY(fit_known(f, in, inner));
    if (*inner)
        return NULL;
    if (f->o.symbolic && !knf_is_automatic(f) && !f->o.checks && !kna_recording_current())
        KN_TRY(knf_symbolic_begin(f, in, &types, &dims));
    knx_dim_scope *scope = dims.n ? knf_symbolic_scope(f) : NULL;
    if (scope)
        knx_dim_enter(scope);
    knx_error *error = knf_fit_outputs(f->inner, types ? types : in, NULL, "jit", inner);
    if (scope)
        knx_dim_leave(scope);
    knx_error *refused = scope ? knx_dim_take_error(scope) : NULL;
    knx_free(types);
    if (!error && refused) {
        knf_core_release(*inner);
        *inner = NULL;
        return refused;
    }
    knx_error_release(refused);
    return error;
}

/* Is what it became for some types what it will become for them again? */
static bool is_lasting(const knf_core *f)
{
    return f->kind == KNF_FN_JIT && !f->made_of && !f->o.symbolic && !f->o.checks && !knf_is_automatic(f);
}

static bool was_just_recorded(const knf_core *f)
{
    while (f && !f->ready)
        f = f->inner;
    return f != NULL;
}

knx_error *knf_fit_outputs(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, knf_core **out)
{
    knf_core *inner = NULL;
    knx_error *error = NULL;
    KN_KNOWN(f);
    int skip = f->inner ? f->n_captured - f->inner->n_captured : 0;
    if (!f->open_out && !has_open_rules(f)) {
        atomic_fetch_add(&f->refs, 1);
        *out = f;
        return NULL;
    }
    bool lasting = is_lasting(f);
    knf_fit *fit = lasting ? find_fit(f, in) : NULL;
    if (fit && fit->fitted && knf_core_use(fit->fitted)) {
        *out = fit->fitted;
        return NULL;
    }
    switch (f->kind) {
    case KNF_FN_C: return fit_c_outputs(f, in, known, why, out);
    case KNF_FN_SHARD_MAP:
    case KNF_FN_PMAP:
    case KNF_FN_VMAP: error = fit_mapped(f, in, fit_unknown, &inner); break;
    case KNF_FN_JIT: error = fit_jitted(f, in, &inner); break;
    case KNF_FN_GRAD:
    case KNF_FN_JACFWD:
    case KNF_FN_JACREV:
    case KNF_FN_CUSTOM_JVP:
    case KNF_FN_CUSTOM_VJP:
    case KNF_FN_CHECKPOINT:
    case KNF_FN_JAXPR:
        error = knf_fit_outputs(f->inner, in + skip, known ? known + skip : NULL, known ? "grad" : why, &inner);
        break;
    }
    if (!error)
        error = f->rule[0] ? fit_custom(f, inner, out) : rebuild(f, inner, NULL, out);
    knf_core_release(inner);
    if (!error && lasting && (*out)->made_of == f && !was_just_recorded(*out) && !knf_is_assuming()) {
        if (fit)
            fit->fitted = *out;
        else
            remember(f, in, NULL, *out);
    }
    return error;
}

/* ---- A call. */

static knx_error *outputs_for(knf_core *f, const knf_fn *fn, const kn_args *args, bool abstract, knf_core **out)
{
    int n = f->n_captured + f->n_in;
    kna_value **in = knx_alloc_zero(((size_t)n + 1) * sizeof *in);
    knx_error *error = in ? knf_read_args(f->name, f, args, in + f->n_captured) : knx_error_nomem();
    if (!error) {
        const char *why = NULL;
        kni_type few[32], *type = NULL;
        bool concrete = knf_may_be_concrete(&why) && !abstract;
        for (int i = 0; i < f->n_captured; i++)
            in[i] = kna_value_retain(fn->captured[i]);
        type = knf_types_of(n, in, few);
        error = type ? knf_fit_outputs(f, type, concrete ? in : NULL, why ? why : "", out) : knx_error_nomem();
        if (type != few)
            knx_free(type);
        knf_release_values(n, in);
    }
    knx_free(in);
    return error;
}

knx_error *knf_fit_call(const knf_fn *fn, const kn_args *args, knf_fit_how how, knf_core **out)
{
    knf_core *f = NULL;
    KN_TRY(knf_fit_inputs(fn->core, args, NULL, &f));
    if (how == KNF_FIT_INPUTS || !f->open_out) {
        *out = f;
        return NULL;
    }
    knx_error *error = outputs_for(f, fn, args, how == KNF_FIT_ABSTRACT, out);
    knf_core_release(f);
    return error;
}
