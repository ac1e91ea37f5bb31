/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_walk.c -- jaxprs equation by equation: what each is, and applying its primitive to other operands. */
#include "array/handle.h"
#include "function/jaxpr_handle.h"
#include "function/symbolic.h"
#include "device/offload/offload.h"
#include "ir/prim.h"
#include "ir/text/print.h"
#include <string.h>

/* Equation i, or NULL with an IndexError. */
static const kni_eqn *equation(kna_op *op, kn_jaxpr jaxpr, int i)
{
    kna_closed *c = knf_jaxpr_get(op, jaxpr);
    if (c && (i < 0 || (uint32_t)i >= c->jaxpr->n_eqn)) {
        kna_fail(op, KN_ERROR_INDEX, "index %d is out of bounds for %u equations", i, c->jaxpr->n_eqn);
        c = NULL;
    }
    return c ? &c->jaxpr->eqn[i] : NULL;
}

kn_jaxpr_counts kn_jaxpr_count(kn_jaxpr jaxpr)
{
    kna_op op;
    kn_jaxpr_counts n = {-1, -1, -1, -1};
    kna_begin(&op, "jaxpr_count");
    kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    if (c)
        n = (kn_jaxpr_counts){(int)c->jaxpr->n_const, (int)c->jaxpr->n_in, (int)c->jaxpr->n_eqn, (int)c->jaxpr->n_out};
    kna_end_plain(&op);
    return n;
}

int kn_jaxpr_equation_count(kn_jaxpr jaxpr) { return kn_jaxpr_count(jaxpr).equations; }

int kn_jaxpr_equation(kn_jaxpr jaxpr, int i, kn_equation *out)
{
    kna_op op;
    kna_begin(&op, "jaxpr_equation");
    kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    if (c && (i < 0 || (uint32_t)i >= c->jaxpr->n_eqn))
        kna_fail(&op, KN_ERROR_INDEX, "index %d is out of bounds for %u equations", i, c->jaxpr->n_eqn);
    else if (c && !out)
        kna_fail(&op, KN_ERROR_TYPE, "null equation");
    else if (c) {
        const kni_eqn *e = &c->jaxpr->eqn[i];
        *out = (kn_equation){sizeof *out, e->prim->name, (int)e->n_in, (int)e->n_out, e->in, e->out, e->place};
    }
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_jaxpr_variable(kn_jaxpr jaxpr, uint32_t atom, kn_variable *out)
{
    kna_op op;
    kna_begin(&op, "jaxpr_variable");
    kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    bool literal = kni_is_literal(atom);
    if (c && (literal ? (atom & ~KN_LITERAL_BIT) >= c->jaxpr->n_literal : atom >= c->jaxpr->n_var))
        kna_fail(&op, KN_ERROR_INDEX, "the jaxpr has no variable %u", atom & ~KN_LITERAL_BIT);
    else if (c && !out)
        kna_fail(&op, KN_ERROR_TYPE, "null variable");
    else if (c) {
        kni_type t = kni_atom_type(c->jaxpr, atom);
        *out = (kn_variable){.size_ = sizeof *out, .dtype = t.dtype, .shape = {.ndim = t.ndim}, .literal = literal};
        if (t.ndim)
            memcpy(out->shape.dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
        if (literal)
            out->value = knx_scalar_to_double(t.dtype, c->jaxpr->literal[atom & ~KN_LITERAL_BIT].bits);
    }
    return kna_end_plain(&op) ? 0 : -1;
}

uint32_t kn_jaxpr_outvar(kn_jaxpr jaxpr, int i)
{
    kna_op op;
    uint32_t atom = KN_ATOM_NONE;
    kna_begin(&op, "jaxpr_outvar");
    kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    if (c && (i < 0 || (uint32_t)i >= c->jaxpr->n_out))
        kna_fail(&op, KN_ERROR_INDEX, "index %d is out of bounds for %u results", i, c->jaxpr->n_out);
    else if (c)
        atom = c->jaxpr->out[i];
    kna_end_plain(&op);
    return atom;
}

const char *kn_jaxpr_params(kn_jaxpr jaxpr, int i)
{
    kna_op op;
    knx_str t = {0};
    kna_begin(&op, "jaxpr_params");
    const kni_eqn *e = equation(&op, jaxpr, i);
    if (e) {
        kni_params_text(&t, knf_jaxpr_get(&op, jaxpr)->jaxpr, e);
        if (t.failed)
            kna_fail_with(&op, knx_error_nomem());
    }
    if (!kna_end_plain(&op)) {
        knx_str_free(&t);
        return "";
    }
    return knf_text_handle(knx_str_take(&t));
}

/* The k-th jaxpr in the parameters; with k -1 NULL, and in *n how many there are. */
static const kni_jaxpr *sub_jaxpr(const kni_eqn *e, int k, int *n)
{
    const kni_jaxpr *found = NULL;
    *n = 0;
    for (const kni_param_field *f = e->prim->fields; f && f->name; f++) {
        kni_jaxprs inner = kni_field_jaxprs(f, e->params);
        for (int i = 0; i < inner.n; i++)
            if ((*n)++ == k)
                found = inner.v[i];
    }
    return found;
}

int kn_jaxpr_sub_count(kn_jaxpr jaxpr, int i)
{
    kna_op op;
    int n = -1;
    kna_begin(&op, "jaxpr_sub_count");
    const kni_eqn *e = equation(&op, jaxpr, i);
    if (e)
        sub_jaxpr(e, -1, &n);
    return kna_end_plain(&op) ? n : -1;
}

kn_jaxpr kn_jaxpr_sub(kn_jaxpr jaxpr, int i, int k)
{
    kna_op op;
    int n;
    kna_closed c = {0};
    kna_begin(&op, "jaxpr_sub");
    const kni_eqn *e = equation(&op, jaxpr, i);
    const kni_jaxpr *j = e ? sub_jaxpr(e, k, &n) : NULL;
    if (j)
        c.jaxpr = kni_retain(j);
    else if (e)
        kna_fail(&op, KN_ERROR_INDEX, "index %d is out of bounds for %d jaxprs of the equation", k, n);
    return kna_end_plain(&op) ? knf_jaxpr_handle(&c) : NULL;
}

kn_array kn_jaxpr_constant(kn_jaxpr jaxpr, uint32_t atom)
{
    kna_op op;
    kni_atom a = KN_ATOM_NONE;
    kna_begin(&op, "jaxpr_constant");
    kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    bool literal = kni_is_literal(atom);
    if (c && literal && (atom & ~KN_LITERAL_BIT) < c->jaxpr->n_literal) {
        const kni_literal *l = &c->jaxpr->literal[atom & ~KN_LITERAL_BIT];
        a = knb_literal(op.b, l->type.dtype, l->type.weak, l->bits);
    } else if (c && !literal && atom < c->n_const)
        a = kna_value_atom(&op, c->consts[atom]);
    else if (c)
        kna_fail(&op, KN_ERROR_INDEX, "the jaxpr has no constant or literal %u", atom & ~KN_LITERAL_BIT);
    return kna_end(&op, a);
}

/* Its parameters for these operands: with their numbers in place of dimension variables. A copy, to be dropped. */
static const void *params_for(kna_op *op, const kni_jaxpr *j, const kni_eqn *e, const kni_atom *a, knx_arena *arena)
{
    const void *params = NULL;
    kni_type *in = knx_arena_alloc(arena, (e->n_in + 1u) * sizeof *in);
    if (kna_failed(op))
        return NULL;
    if (!in || !kni_params_copy(arena, e->prim, e->params, &params)) {
        kna_fail_with(op, knx_error_nomem());
        return NULL;
    }
    for (uint32_t k = 0; k < e->n_in; k++)
        in[k] = knb_type(op->b, a[k]);
    knx_error *error =
        params && knf_jaxpr_has_variables(j) ? knf_params_with_numbers(j, e, in, (void *)(uintptr_t)params) : NULL;
    if (error)
        kna_fail_with(op, error);
    return params;
}

int kn_jaxpr_bind(kn_jaxpr jaxpr, int i, const kn_array *in, kn_array *out)
{
    kna_op op;
    knx_arena arena = KN_ARENA_INIT;
    kna_begin(&op, "jaxpr_bind");
    const kni_eqn *e = equation(&op, jaxpr, i);
    const kni_jaxpr *j = e ? knf_jaxpr_get(&op, jaxpr)->jaxpr : NULL;
    int n_in = e ? (int)e->n_in : 0, n_out = e ? (int)e->n_out : 0;
    kni_atom *a = knx_arena_alloc(&arena, ((size_t)n_in + (size_t)n_out + 1) * sizeof *a), *y = a + n_in;
    if (!a)
        kna_fail_with(&op, knx_error_nomem());
    else if (e && ((!in && n_in) || (!out && n_out)))
        kna_fail(&op, KN_ERROR_TYPE, "null operands or results");
    for (int k = 0; k < n_in && !kna_failed(&op); k++) {
        kni_type t = kna_type(&op, in[k]), was = kni_atom_type(j, e->in[k]);
        a[k] = t.weak ? kna_in_as(&op, in[k], was.dtype) : kna_in(&op, in[k]);
    }
    for (int k = 0; k < n_out && a; k++)
        y[k] = KN_ATOM_NONE;
    const void *params = e ? params_for(&op, j, e, a, &arena) : NULL;
    int made = !e || kna_failed(&op) ? 0 : knb_emit(op.b, e->prim, params, n_in, a, y, n_out);
    if (params)
        kni_params_drop(e->prim, params);
    if (e && !kna_failed(&op) && made != n_out)
        kna_fail(&op, KN_ERROR_TYPE, "with these operands %s has %d results, not %d", e->prim->name, made, n_out);
    bool failed = kna_failed(&op);
    if (a && out)
        kna_end_n(&op, n_out, y, out);
    else
        kna_end_plain(&op);
    knx_arena_free(&arena);
    return failed ? -1 : 0;
}

const char *kn_jaxpr_graphviz(kn_jaxpr jaxpr)
{
    kna_op op;
    char *text = NULL;
    kna_begin(&op, "jaxpr_graphviz");
    kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    knx_error *error = c ? kni_graphviz(c->jaxpr, &text) : NULL;
    if (error)
        kna_fail_with(&op, error);
    return kna_end_plain(&op) ? knf_text_handle(text) : "";
}

static const char *program_text(kn_jaxpr jaxpr, const char *operation, knx_error *(*show)(const knc_program *, char **))
{
    kna_op op;
    char *text = NULL;
    knc_program *p = NULL;
    kna_begin(&op, operation);
    kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    const knd_device *device = kna_device_at(kna_default_site());
    const knc_target *target = device->target(device);
    const knc_compile_options o = {.target = target, .fuse = true, .record = true};
    knf_dims dims;
    knx_error *error = c ? knf_jaxpr_program(c->jaxpr, &o, &p, &dims) : NULL;
    if (p && !error)
        error = knd_mark(device, p);
    if (p && !error)
        error = show(p, &text);
    knc_release(p);
    if (error)
        kna_fail_with(&op, error);
    return kna_end_plain(&op) ? knf_text_handle(text) : "";
}

const char *kn_jaxpr_program(kn_jaxpr jaxpr) { return program_text(jaxpr, "jaxpr_program", knc_text); }
const char *kn_jaxpr_program_graphviz(kn_jaxpr jaxpr)
{
    return program_text(jaxpr, "jaxpr_program_graphviz", knc_graphviz);
}
