/* SPDX-License-Identifier: Apache-2.0
 * apply.c -- applying a function to values: a jitted one runs at once or becomes one equation of the trace; any other
 * one is derived and inlined into the current recorder. */
#include "function/symbolic.h"
#include "array/lift.h"
#include "array/pin.h"
#include "ir/ops.h"
#include "device/device.h"

KNX_HOT void knf_release_values(int n, kna_value **v)
{
    for (int i = 0; v && i < n; i++)
        kna_value_release(v[i]);
}

/* An operation on values: what op.h is for handles. */
static knx_error *values_in(kna_op *op, uint32_t n, kna_value *const *v, kni_atom *atom)
{
    for (uint32_t i = 0; i < n; i++) {
        atom[i] = kna_value_atom(op, v[i]);
        if (kna_failed(op))
            return kna_take_error(op);
    }
    return NULL;
}

static knx_error *values_out(kna_op *op, uint32_t n, const kni_atom *atom, kna_value **v)
{
    knx_error *error = kna_take_error(op);
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
        knf_release_values((int)made, v);
    return error;
}

knx_error *knf_inline_closed(const kna_closed *c, kna_value *const *in, kna_value **out)
{
    kna_op op;
    const kni_jaxpr *j = c->jaxpr;
    size_t n = (size_t)j->n_const + j->n_in;
    kni_atom *x = knx_alloc((n + 1) * sizeof *x), *y = knx_alloc(((size_t)j->n_out + 1) * sizeof *y);
    kna_begin(&op, "call");
    knx_error *error = x && y ? NULL : knx_error_nomem();
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

KNX_HOT knx_error *knf_run_entry(knf_entry *e, const knf_dims *dims, kna_value *const *in, const bool *give,
                                 kna_value **out)
{
    const kni_jaxpr *j = e->closed.jaxpr;
    size_t n = (size_t)j->n_const + j->n_in;
    knd_operand few[32], *x = n <= 32 ? few : knx_alloc(n * sizeof *x);
    knx_buffer *few_out[32], **y = j->n_out <= 32 ? few_out : knx_alloc(j->n_out * sizeof *y);
    knd_loaded *p = NULL;
    const knd_options how = {
        .threads = knx_context()->threads, .on_step = kna_step_hook(), .on_step_env = knx_context()->step_env};
    e->running++; /* the user's code may record more functions meanwhile */
    knx_error *error = x && y ? kna_force((int)e->closed.n_const, e->closed.consts) : knx_error_nomem();
    if (!error)
        error = kna_force((int)j->n_in, in);
    if (!error)
        error = knf_entry_program(e, dims, &p);
    for (uint32_t i = 0; !error && i < n; i++) {
        bool given = give && i >= j->n_const && give[i - j->n_const];
        kna_operand_of(&x[i], i < j->n_const ? e->closed.consts[i] : in[i - j->n_const], given);
        if (e->donated && e->donated[i] && !given) /* the program would write over it: it must not find the buffer */
            x[i].lent = true;
    }
    if (!error)
        error = knx_context()->watched ? kna_run_checked(p, NULL, x, y) : knd_run_with(p, x, y, &how);
    e->running--;
    uint32_t made = 0;
    for (uint32_t i = 0; !error && i < j->n_out; i++) {
        out[i] = kna_value_buffer(knc_output_type(p->program, (int)i), y[i]);
        made += out[i] != NULL;
        if (out[i])
            out[i]->site = dims->site;
        if (!out[i]) {
            error = knx_error_nomem();
            for (uint32_t k = i + 1; k < j->n_out; k++)
                knx_buffer_release(y[k]);
        }
    }
    knd_release(p);
    if (error)
        knf_release_values((int)made, out);
    if (x != few)
        knx_free(x);
    if (y != few_out)
        knx_free(y);
    return error;
}

KNX_HOT kni_type *knf_types_of(int n, kna_value *const *v, kni_type few[32])
{
    kni_type *t = n <= 32 ? few : knx_alloc((size_t)n * sizeof *t);
    for (int i = 0; t && i < n; i++) {
        t[i] = v[i]->type;
        t[i].weak = false;
    }
    return t;
}

static KNX_HOT knx_error *find_device(const knf_core *f, kna_value *const *in, knf_dims *dims)
{
    KN_TRY(kna_site_of_call((uint32_t)(f->n_captured + f->n_in), in, &dims->site));
    dims->device = kna_device_at(dims->site);
    return NULL;
}

/* What was recorded speaks of a mesh: it runs there, unless its arguments were put elsewhere. */
static knx_error *go_to_mesh(knf_core *f, const kni_type *types, knf_dims *dims, knf_entry **e, knf_entry **once)
{
    const kni_mesh *mesh = NULL;
    uint16_t site = knd_site_at(dims->site)->committed ? dims->site : KND_NOWHERE;
    KN_TRY(kni_mesh_of_jaxpr((*e)->closed.jaxpr, &mesh));
    KN_TRY(mesh ? kna_join_mesh(&site, mesh) : NULL);
    if (!mesh)
        return NULL;
    dims->site = site;
    dims->device = kna_device_at(site);
    if (!dims->n || !dims->device->compile)
        return NULL;
    knf_entry_free(*once); /* it was recorded with dimension variables */
    *once = NULL;
    return knf_entry_for(f, types, dims, e, once);
}

knx_error *knf_find_entry(knf_core *f, const kni_type *types, kna_value *const *in, knf_dims *dims, knf_entry **e,
                          knf_entry **once)
{
    KN_TRY(find_device(f, in, dims));
    KN_TRY(knf_entry_for(f, types, dims, e, once));
    if (__builtin_expect(!((*e)->closed.jaxpr->has & KN_ON_MESH), 1))
        return NULL;
    knx_error *error = go_to_mesh(f, types, dims, e, once);
    if (error)
        knf_entry_free(*once);
    return error;
}

static knx_error *apply_jit(knf_core *f, const kni_type *types, kna_value *const *in, kna_value **out)
{
    knf_entry *e, *once;
    knf_dims dims;
    KN_TRY(knf_find_entry(f, types, in, &dims, &e, &once));
    bool lifted = kna_any_lifted((int)e->closed.n_const, e->closed.consts); /* captured */
    knx_error *error = lifted ? knf_inline_closed(&e->closed, in, out) : knf_run_entry(e, &dims, in, NULL, out);
    knf_entry_free(once);
    return error;
}

KNX_HOT knf_core *knf_plain(knf_core *f, int *skip)
{
    for (*skip = 0; !kna_recording_current() && !kna_lifting_now(); f = f->inner) {
        if (f->kind != KNF_FN_CUSTOM_JVP && f->kind != KNF_FN_CUSTOM_VJP && f->kind != KNF_FN_CHECKPOINT)
            break;
        *skip += f->n_captured - f->inner->n_captured; /* captured by the rules */
    }
    return f;
}

KNX_HOT knx_error *knf_apply(knf_core *f, kna_value *const *in, kna_value **out)
{
    int skip;
    f = knf_plain(f, &skip);
    in += skip;
    int n = f->n_captured + f->n_in;
    kni_type few[32], *types = knf_types_of(n, in, few);
    const char *why = NULL;
    knx_error *error = types ? NULL : knx_error_nomem();
    if (!error && f->kind == KNF_FN_JIT && !kna_recording_current() && !kna_any_lifted(n, in)) {
        error = apply_jit(f, types, in, out);
    } else if (!error) {
        kna_closed closed = {0};
        bool concrete = knf_may_be_concrete(&why);
        error = knf_derive(f, types, concrete ? in : NULL, why, &closed);
        if (!error)
            error = knf_inline_closed(&closed, in, out);
        kna_closed_free(&closed);
    }
    if (types != few)
        knx_free(types);
    return error;
}
