/* SPDX-License-Identifier: Apache-2.0
 * control.c -- control flow as the user sees it: functions are recorded abstractly, and what they capture becomes
 * operands of one equation. */
#include "kiln/control.h"
#include "array/function.h"
#include "array/handle.h"

/* A function of the carry, recorded: its jaxpr takes constants (what it captured), then the carry. */
typedef struct part {
    kna_fn *f;
    kn_closed closed;
    kni_jaxpr *jaxpr;
    int n_const;
} part;

static void part_free(part *p)
{
    kna_closed_free(&p->closed);
    kni_release(p->jaxpr);
}

static kn_error *record(const char *by, part *p, int n, kn_value *const *carry)
{
    const kna_core *f = p->f->core;
    kn_type *t = knx_alloc(((size_t)f->n_captured + (size_t)n + 1) * sizeof *t);
    if (!t)
        return knx_error_nomem();
    for (int i = 0; i < f->n_captured + n; i++) {
        t[i] = i < f->n_captured ? p->f->captured[i]->type : carry[i - f->n_captured]->type;
        t[i].weak = false;
    }
    kn_error *error = kna_derive(p->f->core, t, NULL, by, &p->closed);
    knx_free(t);
    if (!error)
        error = kna_constants_as_inputs(p->closed.jaxpr, &p->jaxpr);
    p->n_const = error ? 0 : (int)p->closed.n_const + f->n_captured;
    return error;
}

static kn_error *put_constants(kna_op *op, const part *p, kn_atom *atom)
{
    for (int i = 0; i < p->n_const; i++) {
        int captured = i - (int)p->closed.n_const;
        atom[i] = kna_value_atom(op, captured < 0 ? p->closed.consts[i] : p->f->captured[captured]);
        if (kna_failed(op))
            return kna_take_error(op);
    }
    return NULL;
}

static kn_error *results(kna_op *op, int n, const kn_atom *atom, kn_value **out)
{
    int made = 0;
    kn_error *error = kna_take_error(op);
    for (; !error && made < n; made++)
        if (!(out[made] = kna_atom_value(op, atom[made]))) {
            error = knx_error_nomem();
            break;
        }
    if (!error)
        error = kna_settle(n, out);
    if (error)
        kna_release_values(made, out);
    return error;
}

/* ---- while. */

/* A number that the body returns for an array of another dtype waits for its dtype, as numbers do. */
static bool may_become(kn_type number, kn_dtype d)
{
    if (!number.weak || number.dtype == d || number.dtype == KN_DT(BOOL) || d == KN_DT(BOOL))
        return false;
    return knx_is_complex(d) || (!knx_is_complex(number.dtype) && (knx_is_float(d) || !knx_is_float(number.dtype)));
}

static kn_error *settle_numbers(part *body, int n)
{
    const kni_jaxpr *j = body->jaxpr;
    bool any = false;
    for (int i = 0; i < n; i++)
        any |= may_become(kni_out_type(j, (uint32_t)i), kni_in_type(j, (uint32_t)(body->n_const + i)).dtype);
    if (!any)
        return NULL;
    kn_builder b;
    kni_jaxpr *settled = NULL;
    kn_atom *in = knx_alloc(((size_t)j->n_in + 1) * sizeof *in), *y = knx_alloc(((size_t)n + 1) * sizeof *y);
    kn_error *error = in && y ? NULL : knx_error_nomem();
    knb_init(&b);
    for (uint32_t i = 0; !error && i < j->n_in; i++)
        in[i] = knb_invar(&b, kni_in_type(j, i));
    if (!error) {
        knb_inline(&b, j, in, y);
        for (int i = 0; i < n; i++) {
            kn_dtype d = kni_in_type(j, (uint32_t)(body->n_const + i)).dtype;
            if (may_become(kni_out_type(j, (uint32_t)i), d))
                y[i] = knb_convert(&b, y[i], d);
        }
        error = knb_finish(&b, n, y, j->name, true, &settled);
    }
    knb_free(&b);
    knx_free(in);
    knx_free(y);
    if (!error) {
        kni_release(body->jaxpr);
        body->jaxpr = settled;
    }
    return error;
}

static kn_error *check_loop(const kna_core *condition, const kna_core *body)
{
    bool same = condition->n_args == body->n_args;
    for (int i = 0; same && i < body->n_args; i++)
        same = condition->arrays[i] == body->arrays[i];
    if (!same)
        return knx_error(KN_ERROR_TYPE, "cond_fun %s and body_fun %s must take the same arguments", condition->name,
                         body->name);
    if (condition->n_out != 1)
        return knx_error(KN_ERROR_TYPE, "cond_fun must return a boolean scalar, but got %d arrays", condition->n_out);
    if (body->n_out != body->n_in)
        return knx_error(KN_ERROR_TYPE,
                         "body function carry input and carry output must have the same structure, but they differ: "
                         "%s takes %d array%s and returns %d",
                         body->name, body->n_in, body->n_in == 1 ? "" : "s", body->n_out);
    return NULL;
}

static kn_error *emit_loop(kna_op *op, const part *condition, const part *body, int n, kn_value *const *carry,
                           kn_value **out)
{
    size_t room = (size_t)condition->n_const + (size_t)body->n_const + 2 * (size_t)n + 1;
    kn_atom *in = knx_alloc(room * sizeof *in), *first = in ? in + condition->n_const + body->n_const : NULL;
    kn_error *error = in ? put_constants(op, condition, in) : knx_error_nomem();
    if (!error)
        error = put_constants(op, body, in + condition->n_const);
    for (int i = 0; !error && i < n; i++) {
        first[i] = kna_value_atom(op, carry[i]);
        error = kna_take_error(op);
    }
    if (!error) {
        kn_p_while p = {body->jaxpr, body->n_const, condition->jaxpr, condition->n_const, 0};
        knb_while(op->b, &p, in, first + n);
        error = results(op, n, first + n, out);
    }
    knx_free(in);
    return error;
}

static kn_error *run_loop(kna_op *op, part *condition, part *body, const kn_outs *outs, const kn_args *init)
{
    kna_core *f = body->f->core;
    int n = f->n_in;
    KN_TRY(check_loop(condition->f->core, f));
    KN_TRY(kna_check_outs(f->name, n, outs));
    kn_value **carry = knx_alloc_zero(2 * ((size_t)n + 1) * sizeof *carry), **out = carry ? carry + n + 1 : NULL;
    kn_error *error = carry ? kna_read_args(f->name, f, init, carry) : knx_error_nomem();
    bool read = !error;
    if (!error)
        error = record("while_loop", condition, n, carry);
    if (!error)
        error = record("while_loop", body, n, carry);
    if (!error)
        error = settle_numbers(body, n);
    if (!error)
        error = emit_loop(op, condition, body, n, carry, out);
    if (!error)
        kna_write_outs(outs, n, out);
    if (read)
        kna_release_values(n, carry);
    knx_free(carry);
    return error;
}

int kn_while_loop(kn_fn condition, kn_fn body, const kn_outs *outs, const kn_args *init, const kn_while_opts *opts)
{
    (void)opts;
    kna_op op;
    kna_begin(&op, "while_loop");
    part c = {0}, b = {0};
    c.f = kna_failed(&op) ? NULL : kna_fn_get(&op, condition);
    b.f = c.f ? kna_fn_get(&op, body) : NULL;
    kn_error *error = b.f ? run_loop(&op, &c, &b, outs, init) : NULL;
    if (!error)
        error = kna_take_error(&op);
    if (error)
        kna_write_error(outs, error);
    knx_error_release(error);
    part_free(&c);
    part_free(&b);
    kna_leave(&op);
    return error ? -1 : 0;
}
