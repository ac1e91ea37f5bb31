/* SPDX-License-Identifier: Apache-2.0
 * control_while.c -- kn_while_loop, and kn_fori_loop, which is a scan where both bounds are known. */
#include "function/control.h"
#include "array/handle.h"
#include "array/storage.h"
#include "kiln/control.h"
#include "prim/frame.h"

/* ---- while. */

static knx_error *check_arguments(const knf_core *condition, const knf_core *body)
{
    bool same = condition->n_args == body->n_args;
    for (int i = 0; same && i < body->n_args; i++)
        same = condition->arrays[i] == body->arrays[i];
    if (!same)
        return knx_error_new(KN_ERROR_TYPE, "cond_fun %s and body_fun %s must take the same arguments", condition->name,
                             body->name);
    return NULL;
}

static knx_error *check_results(const knf_core *condition, const knf_core *body)
{
    if (condition->n_out != 1)
        return knx_error_new(KN_ERROR_TYPE, "cond_fun must return a boolean scalar, but got %d arrays",
                             condition->n_out);
    return knf_check_count(body, body->n_in, false);
}

static knx_error *emit_loop(kna_op *op, const knf_part *condition, const knf_part *body, int64_t max_steps, int n,
                            kna_value *const *carry, kna_value **out)
{
    size_t room = (size_t)condition->n_const + (size_t)body->n_const + 2 * (size_t)n + 1;
    kni_atom *in = knx_alloc(room * sizeof *in), *first = in ? in + condition->n_const + body->n_const : NULL;
    knx_error *error = in ? knf_put_constants(op, condition, in) : knx_error_nomem();
    if (!error)
        error = knf_put_constants(op, body, in + condition->n_const);
    if (!error)
        error = knf_put_values(op, n, carry, first);
    if (!error) {
        kni_p_while p = {body->jaxpr, body->n_const, condition->jaxpr, condition->n_const, max_steps, 0, 0};
        knf_emit_while(op->b, &p, in, first + n);
        error = knf_take_results(op, n, first + n, out);
    }
    knx_free(in);
    return error;
}

static knx_error *run_loop(kna_op *op, knf_part *condition, knf_part *body, const kn_outs *outs, const kn_args *init,
                           int64_t max_steps)
{
    KN_TRY(knf_part_fit(condition, "while_loop", init));
    KN_TRY(knf_part_fit(body, "while_loop", init));
    knf_core *f = body->f->core;
    int n = f->n_in;
    KN_TRY(check_arguments(condition->f->core, f));
    kna_value **carry = knx_alloc_zero(2 * ((size_t)n + 1) * sizeof *carry), **out = carry ? carry + n + 1 : NULL;
    knx_error *error = carry ? knf_read_args_as(f, init, true, carry) : knx_error_nomem();
    bool read = !error;
    if (!error)
        error = knf_part_fit_values(body, "while_loop", n, carry, n);
    if (!error)
        error = knf_part_fit_values(condition, "while_loop", n, carry, n);
    f = body->f->core;
    if (!error)
        error = check_results(condition->f->core, f);
    if (!error)
        error = knf_check_tree(body, 0, f->n_args, false);
    if (!error)
        error = knf_check_outs(f->name, n, outs);
    if (!error)
        error = knf_promote_carry(body, "while_loop", 0, n, carry);
    if (!error)
        error = knf_settle_values(n, carry);
    if (!error)
        error = knf_record_for(condition, "while_loop", n, carry);
    if (!error)
        error = knf_record_for(body, "while_loop", n, carry);
    if (!error)
        error = knf_settle_body(body, 0, n);
    if (!error)
        error = knf_check_carries(body, init, 0, 0, n);
    if (!error)
        error = emit_loop(op, condition, body, max_steps, n, carry, out);
    if (!error)
        knf_write_carry(outs, f, init, 0, n, n, out);
    if (read)
        knf_release_values(n, carry);
    knx_free(carry);
    return error;
}

int kn_while_loop(kn_fn condition, kn_fn body, const kn_outs *outs, const kn_args *init, const kn_while_opts *opts)
{
    kna_op op;
    kna_begin(&op, "while_loop");
    knf_part c = {0}, b = {0};
    int64_t max_steps = opts && opts->size_ >= sizeof *opts ? opts->max_steps : 0;
    if (!kna_failed(&op) && max_steps < 0)
        kna_fail(&op, KN_ERROR_VALUE, "max_steps must not be negative, but is %lld", (long long)max_steps);
    c.f = kna_failed(&op) ? NULL : knf_fn_get(&op, condition);
    b.f = c.f ? knf_fn_get(&op, body) : NULL;
    knx_error *error = b.f ? run_loop(&op, &c, &b, outs, init, max_steps) : kna_take_error(&op);
    knf_part_free(&c);
    knf_part_free(&b);
    return knf_end_control(&op, error, outs);
}

/* ---- fori. */

/* The value of a bound, if it is known now: outside of traces, or where a concrete one looks at it. */
static bool is_known(kna_value *v, int64_t *value)
{
    kna_value *at = NULL;
    knx_error *error = v->state == KN_V_ABSTRACT ? NULL : kna_concrete(v, &at);
    if (!error && at)
        error = kna_force_here(1, &at);
    bool known = !error && at && (at->state == KN_V_NUMBER || at->state == KN_V_BUFFER);
    if (known)
        knx_convert(at->type.dtype, kna_elements(at), KN_DT(I64), value);
    kna_value_release(at);
    knx_error_release(error);
    return known;
}

/* upper - lower steps; the bits of uint64 are those of int64. */
static knx_error *count_steps(kn_dtype d, int64_t lower, int64_t upper, int64_t *steps)
{
    bool any = d == KN_DT(U64) ? (uint64_t)upper > (uint64_t)lower : upper > lower;
    uint64_t n = any ? (uint64_t)upper - (uint64_t)lower : 0;
    if (n > INT64_MAX)
        return knx_error_new(KN_ERROR_VALUE, "a loop of %llu steps is too long", (unsigned long long)n);
    *steps = (int64_t)n;
    return NULL;
}

static knx_error *bounds_dtype(const kna_value *lower, const kna_value *upper, kn_dtype *d)
{
    kni_type l = lower->type, u = upper->type;
    knx_text t = {0}, s = {0};
    if (l.ndim || u.ndim)
        return knx_error_new(KN_ERROR_TYPE, "lower and upper arguments to fori_loop must be scalars, got %s and %s",
                             kni_type_text(&t, l, true), kni_type_text(&s, u, true));
    if (!knx_is_integer(l.dtype) || !knx_is_integer(u.dtype))
        return knx_error_new(KN_ERROR_TYPE, "lower and upper arguments to fori_loop must be integers, got %s and %s",
                             l.dtype->name, u.dtype->name);
    if (!l.weak && !u.weak && l.dtype != u.dtype)
        return knx_error_new(KN_ERROR_TYPE,
                             "lower and upper arguments to fori_loop must have equal types, got %s and %s",
                             l.dtype->name, u.dtype->name);
    *d = !l.weak ? l.dtype : u.dtype;
    if (l.weak && u.weak && l.dtype != u.dtype) /* one of them needs uint64 */
        *d = KN_DT(U64);
    return NULL;
}

/* A loop over i; arg: i's beginning, then the carry. */
typedef struct counted {
    knf_part body;
    kna_value **arg, *upper;
    int n; /* arrays of the carry */
    kni_jaxpr *step, *below;
    kni_p_scan scan;
    bool known; /* how many steps */
} counted;

/* constants, i, (the upper bound,) carry -> i + 1, (the upper bound,) the next carry */
static knx_error *make_step(counted *c)
{
    const kni_jaxpr *j = c->body.jaxpr;
    int n_const = c->body.n_const, bound = !c->known;
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, (size_t)j->n_in, (size_t)c->n + 2) ? NULL : knx_error_nomem();
    if (!error) {
        kni_type i = kni_in_type(j, (uint32_t)n_const);
        for (int k = 0; k <= n_const; k++)
            knp_frame_input(&f, kni_in_type(j, (uint32_t)k));
        f.out[1] = bound ? knb_invar(&f.b, i) : KN_ATOM_NONE;
        for (int k = 1; k <= c->n; k++)
            knp_frame_input(&f, kni_in_type(j, (uint32_t)(n_const + k)));
        f.out[0] = knb_add(&f.b, f.in[n_const], knb_integer(&f.b, i.dtype, 1));
        knb_inline(&f.b, j, f.in, f.out + 1 + bound);
        error = knp_frame_finish(&f, (uint32_t)(c->n + 1 + bound), f.out, j->name, &c->step);
    }
    knp_frame_end(&f);
    return error;
}

/* i, the upper bound, carry -> i < the upper bound */
static knx_error *make_condition(counted *c)
{
    const kni_jaxpr *step = c->step;
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, (size_t)c->n + 2, 1) ? NULL : knx_error_nomem();
    if (!error) {
        for (int k = 0; k < c->n + 2; k++)
            knp_frame_input(&f, kni_in_type(step, (uint32_t)(c->body.n_const + k)));
        f.out[0] = knb_lt(&f.b, f.in[0], f.in[1]);
        error = knp_frame_finish(&f, 1, f.out, "cond", &c->below);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *emit_counted(kna_op *op, counted *c, kna_value **out)
{
    int n_const = c->body.n_const, carries = c->n + 1 + !c->known;
    kni_atom *in = knx_alloc((size_t)(n_const + 2 * carries) * sizeof *in), *y = in ? in + n_const + carries : NULL;
    knx_error *error = in ? knf_put_constants(op, &c->body, in) : knx_error_nomem();
    if (!error)
        error = knf_put_values(op, 1, c->arg, in + n_const);
    if (!error && !c->known)
        error = knf_put_values(op, 1, &c->upper, in + n_const + 1);
    if (!error)
        error = knf_put_values(op, c->n, c->arg + 1, in + n_const + carries - c->n);
    if (!error && c->known) {
        c->scan.jaxpr = c->step;
        c->scan.num_consts = n_const;
        c->scan.num_carry = carries;
        c->scan.unroll = 1;
        knf_emit_scan(op->b, &c->scan, in, y);
    } else if (!error) {
        knf_emit_while(op->b, &(kni_p_while){c->step, n_const, c->below, 0, 0, 0, 0}, in, y);
    }
    if (!error)
        error = knf_take_results(op, c->n, y + carries - c->n, out);
    knx_free(in);
    return error;
}

static knx_error *settle_bounds(counted *c)
{
    kn_dtype d = NULL;
    KN_TRY(bounds_dtype(c->arg[0], c->upper, &d));
    if (c->arg[0]->type.weak)
        KN_TRY(knf_number_as(&c->arg[0], d));
    if (c->upper->type.weak)
        KN_TRY(knf_number_as(&c->upper, d));
    int64_t from = 0, to = 0;
    c->known = is_known(c->arg[0], &from) && is_known(c->upper, &to);
    return c->known ? count_steps(d, from, to, &c->scan.length) : NULL;
}

static knx_error *run_counted(kna_op *op, counted *c, const kn_args *init, const kn_args *all, const kn_outs *outs)
{
    kna_value **out = c->arg + c->n + 1;
    KN_TRY(settle_bounds(c));
    KN_TRY(knf_promote_carry(&c->body, "fori_loop", 1, c->n, c->arg));
    KN_TRY(knf_settle_values(c->n, c->arg + 1));
    KN_TRY(knf_record_for(&c->body, "fori_loop", c->n + 1, c->arg));
    KN_TRY(knf_settle_body(&c->body, 1, c->n));
    KN_TRY(knf_check_carries(&c->body, init, 1, 1, c->n));
    KN_TRY(make_step(c));
    KN_TRY(c->known ? NULL : make_condition(c));
    KN_TRY(emit_counted(op, c, out));
    knf_write_carry(outs, c->body.f->core, all, 1, c->n, c->n, out);
    return NULL;
}

/* The bound, then `init`, as the body takes them. */
static knx_error *all_args(const kn_array *lower, const kn_args *init, const knf_core *f, kn_args *all)
{
    if (!init)
        return knx_error_new(KN_ERROR_TYPE, "the arguments are null");
    if (init->n + 1 != f->n_args || f->arrays[0] != 1)
        return knx_error_new(
            KN_ERROR_TYPE,
            "body_fun %s must take the index, then the carry of %d argument%s, but it takes %d argument%s", f->name,
            init->n, init->n == 1 ? "" : "s", f->n_args, f->n_args == 1 ? "" : "s");
    *all = (kn_args){init->n + 1, {{lower, sizeof *lower}}};
    for (int i = 0; i < init->n; i++)
        all->part[i + 1] = init->part[i];
    return NULL;
}

static knx_error *run_fori(kna_op *op, counted *c, kn_array lower, kn_array upper, const kn_outs *outs,
                           const kn_args *init)
{
    kn_args all;
    KN_TRY(all_args(&lower, init, c->body.f->core, &all));
    KN_TRY(knf_part_fit(&c->body, "fori_loop", &all));
    knf_core *f = c->body.f->core;
    c->n = f->n_in - 1;
    KN_TRY(kna_array_value(upper, &c->upper));
    c->arg = knx_alloc_zero(2 * ((size_t)c->n + 1) * sizeof *c->arg);
    knx_error *error = c->arg ? knf_read_args_as(f, &all, true, c->arg) : knx_error_nomem();
    if (!error) {
        error = knf_part_fit_values(&c->body, "fori_loop", c->n + 1, c->arg, c->n + 1);
        f = c->body.f->core;
        if (!error)
            error = knf_check_count(f, c->n, false);
        if (!error)
            error = knf_check_tree(&c->body, 1, f->n_args, false);
        if (!error)
            error = knf_check_outs(f->name, c->n, outs);
        if (!error)
            error = run_counted(op, c, init, &all, outs);
        knf_release_values(c->n + 1, c->arg);
    }
    knx_free(c->arg);
    return error;
}

int kn_fori_loop(kn_array lower, kn_array upper, kn_fn body, const kn_outs *outs, const kn_args *init,
                 const kn_fori_opts *opts)
{
    kna_op op;
    kna_begin(&op, "fori_loop");
    counted c = {.scan.checkpoint = opts && opts->size_ >= sizeof *opts ? opts->checkpoint : 0};
    knx_error *error = kna_failed(&op) ? kna_take_error(&op) : knf_check_checkpoint(c.scan.checkpoint);
    c.body.f = error ? NULL : knf_fn_get(&op, body);
    if (!error)
        error = c.body.f ? run_fori(&op, &c, lower, upper, outs, init) : kna_take_error(&op);
    kna_value_release(c.upper);
    kni_release(c.step);
    kni_release(c.below);
    knf_part_free(&c.body);
    return knf_end_control(&op, error, outs);
}
