/* SPDX-License-Identifier: Apache-2.0
 * constrain.c -- constraints: values in the midst of a program, also in bodies of loops, that have to lie in some way. */
#include "sharded.h"
#include "transform/replay.h"

#include <stddef.h>

typedef struct p_lie {
    int64_t number; /* of the sharding, in this list */
} p_lie;
enum { MAX_LIES = 4096 };
static const kni_sharding *lies[MAX_LIES];

static const kni_param_field lie_fields[] = {{.name = "number", .kind = KN_P_INT, .offset = offsetof(p_lie, number)},
                                             {.name = NULL}};

static knx_error *lie_type(kni_rule *r, kni_type *y)
{
    *y = r->xt[0];
    return NULL;
}

static const kni_sharding *lie_lays(const kni_rule *r) { return lies[((const p_lie *)r->params)->number]; }

static const kni_prim lie = {.name = "lie",
                             .n_in = 1,
                             .n_out = 1,
                             .bits = KN_ELEMENTWISE | KN_IDENTITY,
                             .fields = lie_fields,
                             .params_size = sizeof(p_lie),
                             .type = lie_type,
                             .lays = lie_lays};

typedef struct constraining {
    const kni_mesh *mesh;
    uint64_t state;
    int in; /* one value in so many */
    int n;
} constraining;

static kni_jaxpr *constrained(const kni_jaxpr *j, constraining *c);

static void constrain_bodies(const kni_prim *p, const void *params, constraining *c)
{
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        kni_jaxprs list = kni_field_jaxprs(f, params);
        for (int n = 0; n < list.n; n++) {
            kni_jaxpr *body = constrained(list.v[n], c);
            if (!body)
                continue;
            kni_release(list.v[n]);
            ((kni_jaxpr **)(uintptr_t)list.v)[n] = body;
        }
    }
}

static kni_atom constrain(kni_builder *b, kni_atom x, constraining *c)
{
    kni_mesh_axes dim[KN_MAX_NDIM + 1];
    uint32_t used = 0;
    if (b->error || !kni_is_var(x) || c->n == MAX_LIES || test_random(&c->state) % (uint64_t)c->in)
        return x;
    int ndim = knb_type(b, x).ndim;
    for (int d = 0; d < ndim; d++)
        dim[d] = any_axes(c->mesh, &c->state, &used);
    knx_error_release(kni_sharding_of(c->mesh, ndim, dim, &lies[c->n]));
    return knb_emit1(b, &lie, &(p_lie){c->n++}, 1, &x);
}

static kni_jaxpr *constrained(const kni_jaxpr *j, constraining *c)
{
    knt_replay r;
    kni_jaxpr *out = NULL;
    knx_error *e = knt_replay_begin(&r, j, true);
    for (uint32_t i = 0; !e && i < j->n_eqn; i++) {
        const kni_eqn *eqn = &j->eqn[i];
        const void *params = NULL;
        knt_operands(&r, eqn);
        if (eqn->prim->loops && kni_params_copy(&r.arena, eqn->prim, eqn->params, &params))
            constrain_bodies(eqn->prim, params, c);
        knb_emit(&r.b, eqn->prim, params ? params : eqn->params, (int)eqn->n_in, r.in, r.out, (int)eqn->n_out);
        if (params)
            kni_params_drop(eqn->prim, params);
        for (uint32_t k = 0; k < eqn->n_out; k++)
            r.out[k] = constrain(&r.b, r.out[k], c);
        knt_bind(&r, eqn, r.out);
        e = knb_take_error(&r.b);
    }
    if (!e)
        e = knt_replay_finish(&r, &out);
    knt_replay_end(&r);
    if (e)
        fprintf(stderr, "constraints: %s\n", e->message);
    knx_error_release(e);
    return out;
}

kni_jaxpr *with_constraints(const kni_jaxpr *j, const kni_mesh *m, uint64_t state, int in)
{
    return constrained(j, &(constraining){.mesh = m, .state = state, .in = in});
}
