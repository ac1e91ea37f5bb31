/* SPDX-License-Identifier: Apache-2.0
 * apply.c -- applying a function to values: a jitted one runs at once or becomes one equation of the trace; any other
 * one is derived and inlined into the current recorder. */
#include "function/function.h"
#include "array/pin.h"
#include "ir/ops.h"
#include "device/device.h"

void kna_release_values(int n, kn_value **v)
{
    for (int i = 0; v && i < n; i++)
        kna_value_release(v[i]);
}

/* An operation on values: what op.h is for handles. */
static kn_error *values_in(kna_op *op, uint32_t n, kn_value *const *v, kn_atom *atom)
{
    for (uint32_t i = 0; i < n; i++) {
        atom[i] = kna_value_atom(op, v[i]);
        if (kna_failed(op))
            return kna_take_error(op);
    }
    return NULL;
}

static kn_error *values_out(kna_op *op, uint32_t n, const kn_atom *atom, kn_value **v)
{
    kn_error *error = kna_take_error(op);
    uint32_t made = 0;
    while (!error && made < n) {
        v[made] = kna_atom_value(op, atom[made]);
        if (v[made])
            made++;
        else
            error = knx_error_nomem();
    }
    if (!error)
        error = kna_settle((int)n, v);
    if (error)
        kna_release_values((int)made, v);
    return error;
}

kn_error *kna_inline_closed(const kn_closed *c, kn_value *const *in, kn_value **out)
{
    kna_op op;
    const kni_jaxpr *j = c->jaxpr;
    size_t n = (size_t)j->n_const + j->n_in;
    kn_atom *x = knx_alloc((n + 1) * sizeof *x), *y = knx_alloc(((size_t)j->n_out + 1) * sizeof *y);
    kna_begin(&op, "call");
    kn_error *error = x && y ? NULL : knx_error_nomem();
    if (!error)
        error = values_in(&op, j->n_const, c->consts, x);
    if (!error)
        error = values_in(&op, j->n_in, in, x + j->n_const);
    if (!error) {
        knb_inline(op.b, j, x, y);
        error = values_out(&op, j->n_out, y, out);
    }
    kna_leave(&op);
    knx_free(x);
    knx_free(y);
    return error;
}

static kn_operand operand_of(const kn_value *v, bool give)
{
    return v->state == KN_V_NUMBER ? (kn_operand){.data = &v->bits}
                                   : (kn_operand){.buffer = v->buffer, .lent = !give && !kna_shareable(v)};
}

/* Of an operand that the program counts as donated: it must not find the buffer if that is not given. */
static kn_operand borrowed(kn_operand x)
{
    x.lent = true;
    return x;
}

kn_error *kna_run_entry(kna_entry *e, kn_value *const *in, const bool *give, kn_value **out)
{
    const kni_jaxpr *j = e->closed.jaxpr;
    size_t n = (size_t)j->n_const + j->n_in;
    kn_operand few[32], *x = n <= 32 ? few : knx_alloc(n * sizeof *x);
    kn_buffer *few_out[32], **y = j->n_out <= 32 ? few_out : knx_alloc(j->n_out * sizeof *y);
    knd_loaded *p = NULL;
    const knd_options how = {
        .threads = knx_context()->threads, .on_step = kna_step_hook(), .on_step_env = knx_context()->step_env};
    e->running++; /* the user's code may record more functions meanwhile */
    kn_error *error = x && y ? kna_force((int)e->closed.n_const, e->closed.consts) : knx_error_nomem();
    if (!error)
        error = kna_force((int)j->n_in, in);
    if (!error)
        error = kna_entry_program(e, &p);
    for (uint32_t i = 0; !error && i < n; i++) {
        bool given = give && i >= j->n_const && give[i - j->n_const];
        x[i] = operand_of(i < j->n_const ? e->closed.consts[i] : in[i - j->n_const], given);
        if (e->donated && e->donated[i] && !given)
            x[i] = borrowed(x[i]);
    }
    if (!error)
        error = knx_context()->check_nans ? kna_run_checked(p, NULL, x, y) : knd_run_with(p, x, y, &how);
    e->running--;
    uint32_t made = 0;
    for (uint32_t i = 0; !error && i < j->n_out; i++) {
        out[i] = kna_value_buffer(kni_out_type(j, i), y[i]);
        made += out[i] != NULL;
        if (!out[i]) {
            error = knx_error_nomem();
            for (uint32_t k = i + 1; k < j->n_out; k++)
                knx_buffer_release(y[k]);
        }
    }
    if (error)
        kna_release_values((int)made, out);
    if (x != few)
        knx_free(x);
    if (y != few_out)
        knx_free(y);
    return error;
}

kn_type *kna_types_of(int n, kn_value *const *v, kn_type few[32])
{
    kn_type *t = n <= 32 ? few : knx_alloc((size_t)n * sizeof *t);
    for (int i = 0; t && i < n; i++) {
        t[i] = v[i]->type;
        t[i].weak = false;
    }
    return t;
}

static kn_error *apply_jit(kna_core *f, const kn_type *types, kn_value *const *in, kn_value **out)
{
    kna_entry *e, *once;
    KN_TRY(kna_entry_for(f, types, &e, &once));
    kn_error *error = kna_run_entry(e, in, NULL, out);
    kna_entry_free(once);
    return error;
}

kna_core *kna_plain(kna_core *f, int *skip)
{
    for (*skip = 0; !kna_recording_current(); f = f->inner) {
        if (f->kind != KNA_FN_CUSTOM_JVP && f->kind != KNA_FN_CUSTOM_VJP && f->kind != KNA_FN_CHECKPOINT)
            break;
        *skip += f->n_captured - f->inner->n_captured; /* captured by the rules */
    }
    return f;
}

kn_error *kna_apply(kna_core *f, kn_value *const *in, kn_value **out)
{
    int skip;
    f = kna_plain(f, &skip);
    in += skip;
    int n = f->n_captured + f->n_in;
    kn_type few[32], *types = kna_types_of(n, in, few);
    const char *why = NULL;
    kn_error *error = types ? NULL : knx_error_nomem();
    if (!error && f->kind == KNA_FN_JIT && !kna_recording_current()) {
        error = apply_jit(f, types, in, out);
    } else if (!error) {
        kn_closed closed = {0};
        bool concrete = kna_may_be_concrete(&why);
        error = kna_derive(f, types, concrete ? in : NULL, why, &closed);
        if (!error)
            error = kna_inline_closed(&closed, in, out);
        kna_closed_free(&closed);
    }
    if (types != few)
        knx_free(types);
    return error;
}
