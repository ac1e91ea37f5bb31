/* SPDX-License-Identifier: Apache-2.0
 * frame.c -- jaxprs around jaxprs, and the types of carries. */
#include "prim/frame.h"

bool knp_frame_begin(knp_frame *f, size_t inputs, size_t outputs)
{
    *f = (knp_frame){0};
    knb_init(&f->b);
    f->in = knx_arena_alloc(&f->arena, (inputs + 1) * sizeof *f->in);
    f->out = knx_arena_alloc(&f->arena, (outputs + 1) * sizeof *f->out);
    return f->in && f->out;
}

void knp_frame_input(knp_frame *f, kn_type t) { f->in[f->n_in++] = knb_invar(&f->b, t); }

kn_error *knp_frame_finish(knp_frame *f, uint32_t n, const kn_atom *out, const char *name, kni_jaxpr **j)
{
    KN_TRY(knb_take_error(&f->b));
    return knb_finish(&f->b, (int)n, out, name, true, j);
}

void knp_frame_end(knp_frame *f)
{
    knb_free(&f->b);
    knx_arena_free(&f->arena);
}

void knp_put_all(kn_atom *to, uint32_t *n, const kn_atom *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[(*n)++] = from[i];
}

bool knp_same_type(kn_type a, kn_type b) { return a.dtype == b.dtype && kni_type_same_shape(a, b); }

kn_error *knp_check_carry(const char *name, uint32_t i, kn_type in, kn_type out)
{
    if (knp_same_type(in, out))
        return NULL;
    kn_text s = {0}, t = {0}, leaf = {0};
    bool dtypes = in.dtype != out.dtype, shapes = !kni_type_same_shape(in, out);
    if (!name)
        snprintf(leaf.s, sizeof leaf.s, "carry[%u]", i);
    return knx_error(KN_ERROR_TYPE,
                     "body function carry input and carry output must have equal types, but they differ: the input "
                     "carry component %s has type %s but the corresponding output carry component has type %s, so %s",
                     name ? name : leaf.s, kni_type_text(&s, in, true), kni_type_text(&t, out, true),
                     dtypes && shapes ? "the dtypes do not match, and the shapes do not match"
                     : dtypes         ? "the dtypes do not match"
                                      : "the shapes do not match");
}
