/* SPDX-License-Identifier: Apache-2.0
 * batch.c -- vmap: a jaxpr over one more axis. Each variable has a batch axis or none; the rows' rules say what
 * becomes of it. */
#include "ir/ops.h"
#include "ir/prim.h"
#include "transform/replay.h"

typedef struct batching {
    knt_replay r;
    int64_t size;
    const char *name; /* of the axis; NULL: none */
    int *axis;        /* per variable of j: its batch axis in b, -1: none */
    int *in, *out;    /* of one equation */
} batching;

static knx_error *batch_equation(batching *t, const kni_eqn *e)
{
    knt_replay *r = &t->r;
    bool any = t->name && (kni_bits(e->prim, e->params) & KN_NAMES);
    for (uint32_t i = 0; i < e->n_in; i++) {
        t->in[i] = kni_is_var(e->in[i]) ? t->axis[e->in[i]] : -1;
        any = any || t->in[i] >= 0;
    }
    knt_operands(r, e);
    if (!any) {
        knt_emit_same(r, e);
        for (uint32_t k = 0; k < e->n_out; k++)
            t->axis[e->out + k] = -1;
        return NULL;
    }
    if (!e->prim->batch)
        return knt_missing_rule("batching", e);
    kni_rule rule = knt_rule(r, e, NULL);
    rule.axis_name = t->name;
    for (uint32_t k = 0; k < e->n_out; k++) {
        r->out[k] = KN_ATOM_NONE;
        t->out[k] = -1;
    }
    KN_TRY(e->prim->batch(&rule, t->size, t->in, r->out, t->out));
    for (uint32_t k = 0; k < e->n_out; k++)
        t->axis[e->out + k] = t->out[k];
    knt_bind(r, e, r->out);
    return NULL;
}

static bool lift_type(knx_arena *a, kni_type t, int64_t size, int axis, kni_type *out)
{
    int64_t dim[KN_MAX_NDIM];
    int n = 0;
    for (int i = 0; i <= t.ndim && n < KN_MAX_NDIM; i++) {
        if (i == axis)
            dim[n++] = size;
        if (i < t.ndim && n < KN_MAX_NDIM)
            dim[n++] = t.dim[i];
    }
    kni_type lifted = t;
    lifted.ndim = (int16_t)(t.ndim + 1);
    lifted.dim = dim;
    return kni_type_copy(a, lifted, out);
}

static knx_error *inputs(batching *t, const int *in_axis)
{
    knt_replay *r = &t->r;
    const kni_jaxpr *j = r->j;
    for (uint32_t v = 0; v < j->n_const; v++)
        t->axis[v] = -1;
    for (uint32_t i = 0; i < j->n_in; i++) {
        kni_type type = kni_in_type(j, i);
        if (in_axis[i] >= 0) {
            if (type.ndim + 1 > KN_MAX_NDIM)
                return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d",
                                     KN_MAX_NDIM, type.ndim + 1);
            if (!lift_type(&r->arena, type, t->size, in_axis[i], &type))
                return knx_error_nomem();
        }
        t->axis[j->n_const + i] = in_axis[i];
        r->map[j->n_const + i] = knb_invar(&r->b, type);
    }
    return NULL;
}

/* Result i with its batch axis where it is wanted; `wanted` < 0 asks for none. */
static knx_error *place_result(batching *t, uint32_t i, int wanted, kni_atom *y)
{
    knt_replay *r = &t->r;
    const kni_jaxpr *j = r->j;
    kni_atom a = knt_atom(r, j->out[i]);
    int axis = kni_is_var(j->out[i]) ? t->axis[j->out[i]] : -1;
    *y = a;
    if (wanted < 0 && axis >= 0)
        return knx_error_new(
            KN_ERROR_VALUE,
            "vmap has mapped output %u but out_axes is KN_UNMAPPED: the output depends on a mapped input", i);
    if (wanted < 0 || axis == wanted)
        return NULL;
    if (axis >= 0) {
        *y = knb_move_axis(&r->b, a, axis, wanted);
        return NULL;
    }
    kni_type type = kni_out_type(j, i), lifted;
    if (!lift_type(&r->arena, type, t->size, wanted, &lifted))
        return knx_error_nomem();
    int64_t dims[KN_MAX_NDIM];
    for (int d = 0; d < type.ndim; d++)
        dims[d] = d < wanted ? d : d + 1;
    *y = knb_broadcast_in_dim(&r->b, a, lifted.ndim, lifted.dim, dims);
    return NULL;
}

static knx_error *batch(batching *t, const int *in_axis, const int *out_axis, bool *was_batched, kni_jaxpr **out)
{
    knt_replay *r = &t->r;
    const kni_jaxpr *j = r->j;
    t->axis = knx_arena_alloc(&r->arena, ((size_t)j->n_var + 1) * sizeof *t->axis);
    t->in = knx_arena_alloc(&r->arena, ((size_t)r->max_in + 1) * sizeof *t->in);
    t->out = knx_arena_alloc(&r->arena, ((size_t)r->max_out + 1) * sizeof *t->out);
    kni_atom *y = knx_arena_alloc(&r->arena, ((size_t)j->n_out + 1) * sizeof *y);
    if (!t->axis || !t->in || !t->out || !y)
        return knx_error_nomem();
    KN_TRY(inputs(t, in_axis));
    for (uint32_t i = 0; i < j->n_eqn && !r->b.error; i++)
        KN_TRY(batch_equation(t, &j->eqn[i]));
    KN_TRY(knb_take_error(&r->b));
    r->b.place = NULL;
    for (uint32_t i = 0; i < j->n_out; i++) {
        bool batched = kni_is_var(j->out[i]) && t->axis[j->out[i]] >= 0;
        if (was_batched)
            was_batched[i] = batched;
        int wanted = out_axis ? out_axis[i] : was_batched && !batched ? -1 : 0;
        KN_TRY(place_result(t, i, wanted, &y[i]));
    }
    return knb_finish(&r->b, (int)j->n_out, y, j->name, true, out);
}

static knx_error *run(batching t, const kni_jaxpr *j, const int *in_axis, const int *out_axis, bool *was_batched,
                      kni_jaxpr **out)
{
    knx_error *error = knt_replay_begin(&t.r, j, false);
    if (!error)
        error = batch(&t, in_axis, out_axis, was_batched, out);
    knt_replay_end(&t.r);
    return error;
}

knx_error *knt_batch(const kni_jaxpr *j, int64_t size, const char *name, const int *in_axis, const int *out_axis,
                     kni_jaxpr **out)
{
    return run((batching){.size = size, .name = name}, j, in_axis, out_axis, NULL, out);
}

knx_error *knt_batch_lazily(const kni_jaxpr *j, int64_t size, const char *name, const int *in_axis, bool *was_batched,
                            kni_jaxpr **out)
{
    return run((batching){.size = size, .name = name}, j, in_axis, NULL, was_batched, out);
}
