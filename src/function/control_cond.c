/* SPDX-License-Identifier: Apache-2.0
 * control_cond.c -- kn_cond and kn_switch: each branch is recorded by itself; then all take what any of them
 * captured. */
#include "function/control.h"
#include "array/handle.h"
#include "kiln/control.h"
#include "prim/frame.h"

typedef struct choice {
    const char *by; /* "cond", "switch" */
    int n, n_const, n_in;
    knf_part *part; /* n */
    kni_jaxpr **jaxpr;
    kna_value **constant;  /* what the branches captured, each once */
    const kni_type **type; /* of these */
    int64_t *by_branch;    /* kni_p_cond.consts */
    int **at;              /* per branch: where its constants are among them */
    bool split;            /* each branch has arguments of its own, those for true first */
    int from[2];           /* where they begin */
    const kn_args *args;
    kna_value **arg, **out;
    kni_atom index;
} choice;

/* "true_fun plus3", "branch 2 (f)". Branch 0 of a cond is the one for false. */
static const char *branch_name(knx_text *t, const choice *c, int i)
{
    const char *name = c->part[i].f->core->name;
    if (c->by[0] == 'c')
        knx_text_add(t, "%s %s", i ? "true_fun" : "false_fun", name);
    else
        knx_text_add(t, "branch %d (%s)", i, name);
    return t->s;
}

/* ---- Do the branches fit together? */

static int arguments_of(const choice *c, int i) { return c->part[i].f->core->n_in; }

/* Which branch the others are compared with. */
static int first_of(const choice *c) { return c->by[0] == 'c' ? c->n - 1 : 0; }

static knx_error *check_arguments(const choice *c)
{
    int first = first_of(c);
    const knf_core *f = c->part[first].f->core;
    for (int i = 0; i < c->n; i++) {
        const knf_core *g = c->part[i].f->core;
        knx_text a = {0}, b = {0};
        bool same = c->split || f->n_args == g->n_args;
        for (int k = 0; same && !c->split && k < f->n_args; k++)
            same = f->arrays[k] == g->arrays[k];
        if (!same)
            return knx_error_new(KN_ERROR_TYPE, "branches must take the same arguments, but %s and %s do not",
                                 branch_name(&a, c, first), branch_name(&b, c, i));
    }
    return NULL;
}

static const kntree_structure *returned_by(const choice *c, int i)
{
    const knf_core *f = c->part[i].f->core;
    while (f->inner)
        f = f->inner;
    return f->out_structure;
}

static knx_error *check_results(const choice *c)
{
    int first = first_of(c);
    const knf_core *f = c->part[first].f->core;
    for (int i = 0; i < c->n; i++) {
        const knf_core *g = c->part[i].f->core;
        const kntree_structure *s = returned_by(c, first), *t = returned_by(c, i);
        knx_text a = {0}, b = {0};
        if (s && t && !kntree_structure_equal(s, t))
            return knx_error_new(KN_ERROR_TYPE,
                                 "branch outputs must have the same pytree structure, but they differ: %s, %s",
                                 branch_name(&a, c, first), branch_name(&b, c, i));
        if (f->n_out != g->n_out)
            return knx_error_new(
                KN_ERROR_TYPE,
                "branch outputs must have the same structure, but they differ: %s returns %d array%s, %s "
                "returns %d",
                branch_name(&a, c, first), f->n_out, f->n_out == 1 ? "" : "s", branch_name(&b, c, i), g->n_out);
    }
    return NULL;
}

/* The dtype of a result: that of the first branch that has one; of numbers alone, that of the widest. */
static kn_dtype settled_dtype(const choice *c, uint32_t out)
{
    kn_dtype widest = NULL;
    for (int i = 0; i < c->n; i++) {
        kni_type t = kni_out_type(c->part[i].jaxpr, out);
        if (!t.weak)
            return t.dtype;
        t.dtype = kna_strong_dtype(t);
        widest = !widest || knf_may_become((kni_type){.dtype = widest, .weak = true}, t.dtype) ? t.dtype : widest;
    }
    return widest;
}

static knx_error *settle_numbers(choice *c)
{
    uint32_t n_out = c->part[0].jaxpr->n_out;
    kn_dtype *d = knx_alloc(((size_t)n_out + 1) * sizeof *d);
    knx_error *error = d ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < n_out; i++)
        d[i] = settled_dtype(c, i);
    for (int i = 0; !error && i < c->n; i++)
        error = knf_part_settle(&c->part[i], d);
    knx_free(d);
    return error;
}

static knx_error *check_types(const choice *c)
{
    int first = c->by[0] == 'c' ? c->n - 1 : 0;
    const kni_jaxpr *j = c->part[first].jaxpr;
    for (int i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < j->n_out; k++) {
            kni_type x = kni_out_type(j, k), y = kni_out_type(c->part[i].jaxpr, k);
            if (knp_same_type(x, y))
                continue;
            bool dtypes = x.dtype != y.dtype, shapes = !kni_type_same_shape(x, y);
            knx_text a = {0}, b = {0}, s = {0}, t = {0}, path = {0}, at = {0};
            const char *leaf = knf_leaf_name(&path, c->part[first].f->core, -1, (int)k);
            if (*leaf)
                knx_text_add(&at, " at path%s", leaf);
            else if (j->n_out > 1)
                knx_text_add(&at, " at path [%u]", k);
            return knx_error_new(
                KN_ERROR_TYPE,
                "branches must have equal output types but they differ: the output of %s%s has type %s "
                "but the corresponding output of %s has type %s, so %s",
                branch_name(&a, c, first), at.s, kni_type_text(&s, x, true), branch_name(&b, c, i),
                kni_type_text(&t, y, true),
                dtypes && shapes ? "the dtypes do not match, and the shapes do not match"
                : dtypes         ? "the dtypes do not match"
                                 : "the shapes do not match");
        }
    return NULL;
}

/* ---- One equation. */

/* Constant number m of branch k, among those that there are already. */
static void add_constant(choice *c, int k, int m)
{
    kna_value *v = c->part[k].constant[m];
    const kni_type *t = &c->part[k].jaxpr->type[m];
    int at = 0;
    while (at < c->n_const && !(c->constant[at] == v && kni_type_equal(*c->type[at], *t)))
        at++;
    c->at[k][m] = at;
    if (at < c->n_const) {
        c->by_branch[at] = c->by_branch[at] == k ? k : -1;
        return;
    }
    c->constant[at] = v;
    c->type[at] = t;
    c->by_branch[at] = k;
    c->n_const++;
}

/* As JAX has them: in the order of the branches; those of a cond begin with the one for true. */
static knx_error *gather_constants(choice *c)
{
    size_t all = 0;
    for (int k = 0; k < c->n; k++)
        all += (size_t)c->part[k].n_const;
    c->constant = knx_alloc((all + 1) * sizeof(kna_value *));
    c->type = knx_alloc((all + 1) * sizeof(kni_type *));
    c->by_branch = knx_alloc((all + (size_t)c->n_in + 1) * sizeof *c->by_branch);
    c->at = knx_alloc_zero((size_t)c->n * sizeof *c->at);
    if (!c->constant || !c->type || !c->by_branch || !c->at)
        return knx_error_nomem();
    for (int i = 0; i < c->n; i++) {
        int k = c->by[0] == 'c' ? c->n - 1 - i : i;
        if (!(c->at[k] = knx_alloc(((size_t)c->part[k].n_const + 1) * sizeof **c->at)))
            return knx_error_nomem();
        for (int m = 0; m < c->part[k].n_const; m++)
            add_constant(c, k, m);
    }
    for (int i = 0; c->split && i < c->n_in; i++)
        c->by_branch[c->n_const + i] = KN_OPERAND_OF(i < c->from[0]);
    return NULL;
}

/* Branch i with the constants of all branches as inputs, then the arguments. */
static knx_error *widen(choice *c, int i)
{
    const kni_jaxpr *j = c->part[i].jaxpr;
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, (size_t)j->n_in + (size_t)c->n_const, j->n_out) ? NULL : knx_error_nomem();
    if (!error) {
        kni_atom *x = f.in + c->n_const;
        for (int k = 0; k < c->n_const; k++)
            knp_frame_input(&f, *c->type[k]);
        for (int m = 0; m < c->part[i].n_const; m++)
            x[m] = f.in[c->at[i][m]];
        int first = c->split ? c->from[i] : 0, n_const = c->part[i].n_const, end = first + arguments_of(c, i);
        for (int k = 0; k < c->n_in; k++) {
            bool own = k >= first && k < end;
            kni_atom a = knb_invar(&f.b, own ? kni_in_type(j, (uint32_t)(n_const + k - first)) : c->arg[k]->type);
            if (own)
                x[n_const + k - first] = a;
        }
        knb_inline(&f.b, j, x, f.out);
        error = knp_frame_finish(&f, j->n_out, f.out, j->name, &c->jaxpr[i]);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *widen_all(choice *c)
{
    for (int i = 0; i < c->n; i++)
        KN_TRY(widen(c, i));
    return NULL;
}

static knx_error *emit(kna_op *op, choice *c)
{
    size_t n_out = c->part[0].jaxpr->n_out;
    kni_atom *in = knx_alloc(((size_t)c->n_const + (size_t)c->n_in + n_out + 2) * sizeof *in), *at = in ? in + 1 : NULL;
    knx_error *error = in ? NULL : knx_error_nomem();
    if (!error)
        error = knf_put_values(op, c->n_const, c->constant, at);
    at += error ? 0 : c->n_const;
    if (!error)
        error = knf_put_values(op, c->n_in, c->arg, at);
    kni_atom *y = error ? NULL : at + c->n_in;
    if (!error && c->n == 1) {
        knb_inline(op->b, c->jaxpr[0], in + 1, y);
    } else if (!error) {
        in[0] = c->index;
        kni_ints of = {c->n_const + (c->split ? c->n_in : 0), c->by_branch};
        knf_emit_cond(op->b, &(kni_p_cond){.branches = {c->n, c->jaxpr}, .consts = of}, in, y);
    }
    if (!error)
        error = knf_take_results(op, (int)n_out, y, c->out);
    knx_free(in);
    return error;
}

static knx_error *run_values(kna_op *op, choice *c, const kn_outs *outs)
{
    for (int i = 0; i < c->n; i++)
        KN_TRY(knf_record_for(&c->part[i], c->by, arguments_of(c, i), c->arg + (c->split ? c->from[i] : 0)));
    KN_TRY(settle_numbers(c));
    KN_TRY(check_types(c));
    KN_TRY(gather_constants(c));
    KN_TRY(widen_all(c));
    KN_TRY(emit(op, c));
    knf_write_carry(outs, c->part[0].f->core, c->args, 0, 0, c->part[0].f->core->n_out, c->out);
    return NULL;
}

/* The arguments of the branches one behind the other: those for true, then those for false. */
static knx_error *read_both(choice *c, const kn_args *const each[2])
{
    knf_core *yes = c->part[1].f->core, *no = c->part[0].f->core;
    c->from[0] = yes->n_in;
    KN_TRY(knf_read_args(yes->name, yes, each[1], c->arg));
    knx_error *error = knf_read_args(no->name, no, each[0], c->arg + yes->n_in);
    if (error)
        knf_release_values(yes->n_in, c->arg);
    return error;
}

static knx_error *fit_results(choice *c)
{
    for (int i = 0; i < c->n; i++) {
        int n = arguments_of(c, i);
        KN_TRY(knf_part_fit_values(&c->part[i], c->by, n, c->arg + (c->split ? c->from[i] : 0), n));
    }
    return NULL;
}

static knx_error *run(kna_op *op, choice *c, const kn_args *const each[2], const kn_outs *outs)
{
    for (int i = 0; i < c->n; i++)
        KN_TRY(knf_part_fit(&c->part[i], c->by, each ? each[i] : c->args));
    knf_core *f = c->part[0].f->core;
    KN_TRY(check_arguments(c));
    c->n_in = f->n_in + (c->split ? c->part[1].f->core->n_in : 0);
    c->arg = knx_alloc_zero(((size_t)c->n_in + 1) * sizeof *c->arg);
    knx_error *error = !c->arg    ? knx_error_nomem()
                       : c->split ? read_both(c, each)
                                  : knf_read_args(f->name, f, c->args, c->arg);
    if (!error) {
        error = fit_results(c);
        f = c->part[0].f->core;
        if (!error)
            error = check_results(c);
        if (!error)
            error = knf_check_outs(f->name, f->n_out, outs);
        if (!error && !(c->out = knx_alloc_zero(((size_t)f->n_out + 1) * sizeof *c->out)))
            error = knx_error_nomem();
        if (!error)
            error = run_values(op, c, outs);
        knf_release_values(c->n_in, c->arg);
    }
    knx_free(c->arg);
    knx_free(c->out);
    return error;
}

static knx_error *choose(kna_op *op, const char *by, int n, const kn_fn *branches, kni_atom index, const kn_outs *outs,
                         const kn_args *args, const kn_args *const each[2])
{
    choice c = {.by = by, .n = n, .index = index, .args = each ? each[0] : args, .split = each};
    c.part = knx_alloc_zero((size_t)n * sizeof *c.part);
    c.jaxpr = knx_alloc_zero((size_t)n * sizeof *c.jaxpr);
    knx_error *error = c.part && c.jaxpr ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < n; i++)
        if (!(c.part[i].f = knf_fn_get(op, branches[i])))
            error = kna_take_error(op);
    if (!error)
        error = run(op, &c, each, outs);
    for (int i = 0; i < n; i++) {
        if (c.part)
            knf_part_free(&c.part[i]);
        if (c.jaxpr)
            kni_release(c.jaxpr[i]);
        if (c.at)
            knx_free(c.at[i]);
    }
    knx_free(c.part);
    knx_free(c.jaxpr);
    knx_free(c.constant);
    knx_free(c.type);
    knx_free(c.by_branch);
    knx_free(c.at);
    return error;
}

/* ---- The public calls. */

/* 0 or 1, as int32. */
static kni_atom index_of(kna_op *op, kn_array pred)
{
    kni_type t = kna_type(op, pred);
    knx_text text = {0};
    if (!kna_failed(op) && t.ndim)
        kna_fail(op, KN_ERROR_TYPE, "Pred must be a scalar, got %s", kni_type_text(&text, t, true));
    else if (!kna_failed(op) && t.dtype != KN_DT(BOOL) && !knx_is_integer(t.dtype) && !knx_is_float(t.dtype))
        kna_fail(op, KN_ERROR_TYPE, "Pred type must be either boolean or number, got %s", t.dtype->name);
    kni_atom p = kna_failed(op) ? KN_ATOM_NONE : kna_in(op, pred);
    if (kna_failed(op))
        return p;
    kn_dtype d = knb_type(op->b, p).dtype;
    return knb_convert(op->b, d == KN_DT(BOOL) ? p : knb_ne(op->b, p, knb_number(op->b, d, 0)), KN_DT(I32));
}

int kn_cond(kn_array pred, kn_fn on_true, kn_fn on_false, const kn_outs *outs, const kn_args *args)
{
    kna_op op;
    kna_begin(&op, "cond");
    kni_atom index = kna_failed(&op) ? KN_ATOM_NONE : index_of(&op, pred);
    knx_error *error = kna_failed(&op)
                           ? kna_take_error(&op)
                           : choose(&op, "cond", 2, (const kn_fn[]){on_false, on_true}, index, outs, args, NULL);
    return knf_end_control(&op, error, outs);
}

int kn_cond_each(kn_array pred, const kn_args *true_args, kn_fn on_true, const kn_args *false_args, kn_fn on_false,
                 const kn_outs *outs)
{
    kna_op op;
    kna_begin(&op, "cond");
    kni_atom index = kna_failed(&op) ? KN_ATOM_NONE : index_of(&op, pred);
    const kn_args *const each[2] = {false_args, true_args};
    knx_error *error = kna_failed(&op)
                           ? kna_take_error(&op)
                           : choose(&op, "cond", 2, (const kn_fn[]){on_false, on_true}, index, outs, false_args, each);
    return knf_end_control(&op, error, outs);
}

/* A C number is clamped here, whatever its size. */
static kni_atom clamped(kna_op *op, kn_array index, int n)
{
    kni_type t = kna_type(op, index);
    knx_text text = {0};
    if (!kna_failed(op) && !knx_is_integer(t.dtype))
        kna_fail(op, KN_ERROR_TYPE, "Index type must be an integer, got %s", kni_type_text(&text, t, true));
    else if (!kna_failed(op) && t.ndim)
        kna_fail(op, KN_ERROR_TYPE, "Branch index must be scalar, got %s", kni_type_text(&text, t, true));
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (t.weak) {
        const knx_scalar_bits *bits = kna_look(op, index, &t);
        if (!bits)
            return KN_ATOM_NONE;
        bool above = t.dtype == KN_DT(U64) ? bits->u64 >= (uint64_t)n : bits->i64 >= n;
        return knb_integer(op->b, KN_DT(I32), above ? n - 1 : bits->i64 < 0 ? 0 : bits->i64);
    }
    kni_atom low = knb_integer(op->b, KN_DT(I32), 0), high = knb_integer(op->b, KN_DT(I32), n - 1);
    return knb_clamp(op->b, low, kna_in_as(op, index, KN_DT(I32)), high);
}

int kn_switch(kn_array index, const kn_fn *branches, int n, const kn_outs *outs, const kn_args *args)
{
    kna_op op;
    kna_begin(&op, "switch");
    if (!kna_failed(&op) && n <= 0)
        kna_fail(&op, KN_ERROR_VALUE, "Empty branch sequence");
    else if (!kna_failed(&op) && !branches)
        kna_fail(&op, KN_ERROR_TYPE, "the branches are null");
    kni_atom at = kna_failed(&op) ? KN_ATOM_NONE : clamped(&op, index, n);
    knx_error *error = kna_failed(&op) ? kna_take_error(&op) : choose(&op, "switch", n, branches, at, outs, args, NULL);
    return knf_end_control(&op, error, outs);
}
