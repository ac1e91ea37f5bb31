/* SPDX-License-Identifier: Apache-2.0
 * effects.c -- equations that call the user's code, or have effects: the first device of the mesh does them, once, and
 * the others get what it got. */
#include "shard/write.h"

static kni_names all_names(const knshard_writer *w) { return (kni_names){w->mesh->n_axis, w->mesh->name}; }

/* The branches of a cond on being the first device: [1] has the equation, [0] nothing, which has the results' types. */
static knx_error *write_branch(knshard_writer *w, const kni_eqn *e, const kni_type *xt, const kni_type *yt, bool does,
                               kni_jaxpr **out)
{
    kni_builder b;
    kni_atom *in = knx_arena_alloc(w->arena, ((size_t)e->n_in + 1) * sizeof *in),
             *y = knx_arena_alloc(w->arena, ((size_t)e->n_out + 1) * sizeof *y);
    if (!in || !y)
        return knx_error_nomem();
    knb_init(&b);
    b.place = e->place;
    for (uint32_t k = 0; k < e->n_in; k++)
        in[k] = knb_invar(&b, xt[k]);
    if (does)
        knb_emit(&b, e->prim, e->params, (int)e->n_in, in, y, (int)e->n_out);
    for (uint32_t k = 0; !does && k < e->n_out; k++)
        y[k] = knb_zeros(&b, yt[k]);
    knx_error *error = knb_take_error(&b);
    if (!error)
        error = knb_finish(&b, (int)e->n_out, y, "", false, out);
    knb_free(&b);
    return error;
}

knx_error *knshard_write_once(knshard_writer *w, const kni_eqn *e, const kni_type *xt, const kni_type *yt,
                              const kni_atom *in, kni_atom *y)
{
    kni_builder *b = &w->b;
    kni_jaxpr *branch[2] = {NULL, NULL};
    kni_mesh_axes all = {0};
    kni_atom *with_index = knx_arena_alloc(w->arena, ((size_t)e->n_in + 2) * sizeof *with_index);
    if (!with_index)
        return knx_error_nomem();
    for (int a = 0; a < w->mesh->n_axis; a++)
        all.axis[all.n++] = (uint8_t)a;
    knx_error *error = write_branch(w, e, xt, yt, false, &branch[0]);
    if (!error)
        error = write_branch(w, e, xt, yt, true, &branch[1]);
    kni_atom first = knb_eq(b, knshard_part_number(w, all), knb_integer(b, KN_DT(I32), 0));
    with_index[0] = knb_convert(b, first, KN_DT(I32));
    for (uint32_t k = 0; k < e->n_in; k++)
        with_index[k + 1] = in[k];
    if (!error)
        knb_cond(b, &(kni_p_cond){.branches = {2, branch}}, with_index, y);
    for (uint32_t k = 0; !error && k < e->n_out; k++)
        y[k] = knb_pbroadcast(b, y[k], all_names(w), 0, w->mesh);
    kni_release(branch[0]);
    kni_release(branch[1]);
    return error ? error : knb_take_error(b);
}
